//! Values of fields as words, and what fields lead to.

use super::format::thousands;
use debug_api::answer::{RecordFieldInfo, RecordLink, RecordValueInfo};
use debug_api::find::Words;

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
        // Of an instruction the words say what its bytes are.
        (Some(value), Some(_)) if field.kind == "instruction" => Some(value),
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
pub fn fits(field: &RecordFieldInfo, find: &Words) -> bool {
    find.in_field(field)
}

/// Whether a field only fills up, and with zeros as it should.
pub fn is_quiet(field: &RecordFieldInfo) -> bool {
    let zero = |text: &str| matches!(text, "zero" | "0x0" | "0");
    field.kind == "padding"
        && match (&field.value, &field.text) {
            (RecordValueInfo::None(()), Some(text)) | (RecordValueInfo::Text(text), None) => {
                zero(text)
            }
            (RecordValueInfo::None(()), None) => true,
            (value, _) => value.plain().as_deref().is_some_and(zero),
        }
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
        let finds = |text: &str| fits(&field, &Words::of(Some(text)));
        assert!(finds("CORE 1900") && finds("6400"));
        assert!(!finds("core 1901"));
        assert!(!finds("  "));
        assert!(!is_quiet(&field));
        let pad = |text: &str| RecordFieldInfo {
            kind: "padding".to_owned(),
            value: RecordValueInfo::None(()),
            text: Some(text.to_owned()),
            ..field.clone()
        };
        assert!(is_quiet(&pad("zero")) && !is_quiet(&pad("not zero: 01")));
    }
}
