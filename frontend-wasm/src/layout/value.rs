//! Values of fields as words, and what fields lead to.

use super::format::thousands;
use debug_api::answer::{RecordFieldInfo, RecordLink, RecordValueInfo};

/// Everything that a field leads to.
pub fn links(field: &RecordFieldInfo) -> impl Iterator<Item = &RecordLink> {
    field.link.iter().chain(&field.links)
}

/// What a link says.
pub fn link_text(link: &RecordLink) -> &str {
    let named = Some(link.label.as_str()).filter(|label| !label.is_empty());
    named.or(link.record.as_deref()).or(link.member.as_deref()).unwrap_or("there")
}

/// A value as the table shows it, with its name where it has one; `None` where it is unknown.
pub fn value_text(field: &RecordFieldInfo) -> Option<String> {
    let signed = |number: i64| number.to_string().replace('-', "\u{2212}");
    let several = |texts: Vec<String>| format!("[{}]", texts.join(", "));
    let value = match &field.value {
        RecordValueInfo::None(()) => None,
        RecordValueInfo::Flag(flag) => Some(flag.to_string()),
        RecordValueInfo::Number(number) => Some(thousands(*number)),
        RecordValueInfo::Signed(number) => Some(signed(*number)),
        RecordValueInfo::Text(text) if text.is_empty() => Some("\u{201c}\u{201d}".to_owned()),
        RecordValueInfo::Text(text) => Some(text.clone()),
        RecordValueInfo::Numbers(all) => Some(several(all.iter().map(|n| thousands(*n)).collect())),
        RecordValueInfo::SignedNumbers(all) => {
            Some(several(all.iter().map(|n| signed(*n)).collect()))
        }
    };
    // What a link says need not be said twice.
    let text =
        field.text.as_ref().filter(|text| links(field).all(|link| link_text(link) != **text));
    match (value, text) {
        (Some(value), Some(text)) => Some(format!("{value} {text}")),
        (None, Some(text)) => Some(text.clone()),
        (value, None) => value,
    }
}

/// What a field is, behind the reason where its value is not simply the file's.
pub fn meaning(field: &RecordFieldInfo) -> String {
    match &field.why {
        Some(why) => format!("{why} \u{b7} {}", field.meaning),
        None => field.meaning.clone(),
    }
}

/// Whether a field has all words of a searched text in its name or value.
pub fn fits(field: &RecordFieldInfo, find: &str) -> bool {
    let own = format!("{} {}", field.name, value_text(field).unwrap_or_default()).to_lowercase();
    let mut words = find.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| own.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use debug_api::Provenance;

    #[test]
    fn fields_are_found_by_name_and_value() {
        let field = RecordFieldInfo {
            name: "core.offset".to_owned(),
            offset: 0,
            bytes: 8,
            value: RecordValueInfo::Text("0x1900".to_owned()),
            kind: "u64".to_owned(),
            unit: None,
            spec: None,
            meaning: String::new(),
            provenance: Provenance::Observed,
            why: None,
            text: None,
            tag: None,
            link: None,
            links: Vec::new(),
        };
        assert!(fits(&field, "CORE 1900"));
        assert!(!fits(&field, "core 1901"));
        assert!(!fits(&field, "  "));
    }
}
