//! Which names and values a searched text means, the same for every list of records.
//!
//! A text is words; all of them must fit. A word that is a number, decimal or hex, fits a value that
//! is the number, and a number within a text; any other word fits where it is a part of a name, a
//! value or a text. The case of letters does not count.

use crate::answer::{RecordFieldInfo, RecordValueInfo};

/// Digits from which on a word may be a part of raw bytes.
const RAW_DIGITS: usize = 8;

/// A searched text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(Vec<Word>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    /// In lower case.
    text: String,
    number: Option<i128>,
}

impl Words {
    /// The words of a text; none where there is no text.
    pub fn of(text: Option<&str>) -> Self {
        let words = text.unwrap_or("").split_whitespace().map(str::to_lowercase);
        Self(words.map(|text| Word { number: parsed(&text), text }).collect())
    }

    /// Whether nothing is searched for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text has every word as a part.
    pub fn in_text(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.0.iter().all(|word| text.contains(word.text.as_str()))
    }

    /// Whether a field has every word in its name, its value, or what is known of it. Zero padding
    /// has none.
    pub fn in_field(&self, field: &RecordFieldInfo) -> bool {
        let known = field.text.as_deref().unwrap_or("");
        if self.is_empty() || (field.kind == "padding" && known == "zero") {
            return false;
        }
        let is_raw = field.kind == "instruction";
        self.0.iter().all(|word| {
            let in_known = match is_raw {
                true => word.in_raw(known),
                false => word.in_words(known),
            };
            in_known || word.in_value(&field.value) || word.in_name(&field.name)
        })
    }
}

impl Word {
    /// Numbers in brackets count rows, and are no part of a name that one would search for.
    fn in_name(&self, name: &str) -> bool {
        self.number.is_none() && name.to_lowercase().contains(self.text.as_str())
    }

    fn in_value(&self, value: &RecordValueInfo) -> bool {
        let is = |number: i128| self.number == Some(number);
        match value {
            RecordValueInfo::None(()) => false,
            RecordValueInfo::Flag(flag) => self.text == if *flag { "true" } else { "false" },
            RecordValueInfo::Number(number) => is(i128::from(*number)),
            RecordValueInfo::Signed(number) => is(i128::from(*number)),
            RecordValueInfo::Text(text) => self.in_words(text),
            RecordValueInfo::Numbers(all) => all.iter().any(|number| is(i128::from(*number))),
            RecordValueInfo::SignedNumbers(all) => all.iter().any(|number| is(i128::from(*number))),
        }
    }

    /// In a text: as a part of it, or as one of its numbers.
    fn in_words(&self, text: &str) -> bool {
        if text.is_empty() {
            return false;
        }
        let text = text.to_lowercase();
        let Some(number) = self.number else { return text.contains(self.text.as_str()) };
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        text.split(|c| !is_part(c)).any(|part| {
            let digits = part.strip_prefix("0x").unwrap_or(part);
            part == self.text || digits == self.text || parsed(part) == Some(number)
        }) || (self.text.len() >= RAW_DIGITS && text.contains(self.text.as_str()))
    }

    fn in_raw(&self, digits: &str) -> bool {
        let own = self.text.strip_prefix("0x").unwrap_or(&self.text);
        let is_long = own.len() >= RAW_DIGITS && own.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_long && digits.contains(own)
    }
}

/// A whole number, decimal with or without comma thousands, or with `0x` in hex; either may have a
/// minus sign.
fn parsed(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    if digits.len() > 32 {
        return None;
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        let is_hex = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = i128::from_str_radix(hex, 16).ok().filter(|_| is_hex)?;
        return Some(sign * number);
    }
    let mut groups = digits.split(',');
    let first = groups.next()?;
    let is_grouped = !digits.contains(',') || (1..=3).contains(&first.len());
    let plain: String = digits.chars().filter(|c| *c != ',').collect();
    let is_number = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
    let whole = is_number && is_grouped && groups.all(|group| group.len() == 3);
    plain.parse::<i128>().ok().filter(|_| whole).map(|number| sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Provenance;

    fn field(name: &str, value: RecordValueInfo, text: Option<&str>) -> RecordFieldInfo {
        RecordFieldInfo {
            name: name.to_owned(),
            offset: 0,
            bytes: 8,
            value,
            kind: "u64".to_owned(),
            unit: None,
            spec: None,
            meaning: String::new(),
            provenance: Provenance::Observed,
            why: None,
            text: text.map(str::to_owned),
            tag: None,
            link: None,
            links: Vec::new(),
        }
    }

    fn fits(find: &str, field: &RecordFieldInfo) -> bool {
        Words::of(Some(find)).in_field(field)
    }

    #[test]
    fn numbers_are_found_by_value_in_both_notations() {
        let size = field("mem[3].size", RecordValueInfo::Number(4096), None);
        for word in ["4096", "0x1000", "4,096", "SIZE 4096"] {
            assert!(fits(word, &size), "{word}");
        }
        // Not as a part of a number, and not by the number of its row.
        for word in ["409", "40961", "3", "1000", "4,09", "-4096", "0x", "  "] {
            assert!(!fits(word, &size), "{word}");
        }
        let hex = field("core.offset", RecordValueInfo::Text("0x1900".to_owned()), None);
        for word in ["6400", "0x1900", "1900", "CORE 1900"] {
            assert!(fits(word, &hex), "{word}");
        }
        assert!(!fits("core 1901", &hex));
        let steps = field("steps", RecordValueInfo::SignedNumbers(vec![1, -256]), None);
        assert!(fits("-256", &steps) && fits("-0x100", &steps) && !fits("256", &steps));
        let packed = field("word", RecordValueInfo::None(()), Some("base 26, lsb 18, sem[7]"));
        assert!(fits("26", &packed) && fits("0x12", &packed) && fits("7", &packed));
        assert!(!fits("2", &packed));
    }

    #[test]
    fn words_are_found_in_names_values_and_what_is_known() {
        let kind = field("mem[0].mr_type", RecordValueInfo::Number(5), Some("INPUT"));
        assert!(fits("input", &kind) && fits("mr_type 5", &kind) && fits("put typ", &kind));
        assert!(!fits("output", &kind));
        let flag = field("sis", RecordValueInfo::Flag(true), None);
        assert!(fits("true", &flag) && !fits("tru", &flag));
        let zero = RecordFieldInfo {
            kind: "padding".to_owned(),
            ..field("pad_1", RecordValueInfo::None(()), Some("zero"))
        };
        assert!(!fits("zero", &zero) && !fits("pad", &zero));
        // Of the bytes of a record only a long part is meant.
        let instruction = RecordFieldInfo {
            kind: "instruction".to_owned(),
            ..field(
                "instr[9]",
                RecordValueInfo::Text("MATMUL sem[3] >= 16".to_owned()),
                Some("0210000005030000"),
            )
        };
        assert!(fits("matmul 16", &instruction) && fits("10000005", &instruction));
        assert!(!fits("10", &instruction) && !fits("0503", &instruction));
    }
}
