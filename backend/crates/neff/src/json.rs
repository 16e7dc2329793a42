//! JSON text as values that know their byte offset in the member. Nothing is built until it is
//! asked for, and nothing nests deeper than the limit.

use std::borrow::Cow;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::budget::Budget;
use crate::error::NeffError;
use crate::limits::Limits;

/// One JSON value: its text and where it starts in the member.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    text: &'a str,
    offset: usize,
}

/// Checks a member and returns its one value. Text must be UTF-8 and JSON throughout; it is bounded
/// by [`Limits::json_depth`] and by the values left in the budget, which it takes from there.
pub fn parse<'a>(
    member: &str,
    bytes: &'a [u8],
    limits: &Limits,
    budget: &mut Budget,
) -> Result<Node<'a>, NeffError> {
    let text = std::str::from_utf8(bytes).map_err(|error| NeffError::JsonSyntax {
        member: member.to_owned(),
        at: error.valid_up_to() as u64,
        reason: "the text is no UTF-8".to_owned(),
    })?;
    check_bounds(member, bytes, limits, budget)?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| NeffError::JsonSyntax {
        member: member.to_owned(),
        at: offset_of(text, &error),
        reason: reason_of(&error),
    })?;
    Ok(Node { text: raw.get(), offset: distance(text, raw.get()) })
}

/// Checks depth and number of values before anything is built from the text.
fn check_bounds(
    member: &str,
    bytes: &[u8],
    limits: &Limits,
    budget: &mut Budget,
) -> Result<(), NeffError> {
    let (mut depth, mut values) = (0_usize, 0_usize);
    let mut rest = bytes.iter().enumerate();
    while let Some((at, byte)) = rest.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                values += 1;
                if depth > limits.json_depth {
                    return Err(NeffError::JsonDepth {
                        member: member.to_owned(),
                        at: at as u64,
                        limit: limits.json_depth,
                    });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => values += 1,
            b'"' => {
                while let Some((_, byte)) = rest.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => {
                            rest.next();
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if values > budget.values {
            return Err(NeffError::JsonValues {
                member: member.to_owned(),
                at: at as u64,
                limit: limits.json_values,
            });
        }
    }
    budget.values = budget.values.saturating_sub(values);
    Ok(())
}

fn distance(outer: &str, inner: &str) -> usize {
    (inner.as_ptr() as usize).saturating_sub(outer.as_ptr() as usize)
}

/// Byte offset of a serde_json error; its columns count bytes from 1.
fn offset_of(text: &str, error: &serde_json::Error) -> u64 {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = line_start + error.column().saturating_sub(1);
    at.min(text.len()) as u64
}

fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

impl<'a> Node<'a> {
    /// A value inside a member whose whole text was checked before: the given range of it.
    /// `None` if the range is outside or no JSON.
    pub fn within(bytes: &'a [u8], offset: u64, len: u64) -> Option<Self> {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(len).ok()?)?;
        let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
        Some(Self { text, offset: start })
    }

    /// Offset of the value's first byte in its member.
    pub fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// The value as it is written.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.text == "null"
    }

    /// The value with everything in it.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or_else(|_| Value::String(self.text.to_owned()))
    }

    /// Text of a string value.
    pub fn as_text(&self) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        if !inner.contains('\\') {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(self.text).ok().map(Cow::Owned)
    }

    /// An unsigned number, also when it is written as decimal text.
    pub fn as_u64(&self) -> Option<u64> {
        self.number_text().parse().ok()
    }

    /// A signed number, also when it is written as decimal text.
    pub fn as_i64(&self) -> Option<i64> {
        self.number_text().parse().ok()
    }

    /// A number of any kind.
    pub fn as_f64(&self) -> Option<f64> {
        self.number_text().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// The text of a number of any kind, also when it is written as decimal text.
    pub fn as_number(&self) -> Option<&'a str> {
        let raw: &RawValue = serde_json::from_str(self.number_text()).ok()?;
        raw.get()
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
            .then(|| raw.get())
    }

    fn number_text(&self) -> &'a str {
        self.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(self.text)
    }

    /// A boolean value.
    pub fn as_bool(&self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The values of an array.
    pub fn items(&self) -> Option<Vec<Node<'a>>> {
        if !self.text.starts_with('[') {
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.text);
        let raw = deserializer.deserialize_seq(Items).ok()?;
        Some(raw.into_iter().map(|raw| self.child(raw)).collect())
    }

    /// The keys and values of an object, in the order in which they are written.
    pub fn entries(&self) -> Option<Vec<(Cow<'a, str>, Node<'a>)>> {
        if !self.text.starts_with('{') {
            return None;
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.text);
        let raw = deserializer.deserialize_map(Entries).ok()?;
        Some(raw.into_iter().map(|(key, raw)| (key, self.child(raw))).collect())
    }

    fn child(&self, raw: &'a RawValue) -> Node<'a> {
        Node { text: raw.get(), offset: self.offset + distance(self.text, raw.get()) }
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = seq.next_element()? {
            list.push(item);
        }
        Ok(list)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Key(key)) = map.next_key()? {
            list.push((key, map.next_value()?));
        }
        Ok(list)
    }
}

/// A key, borrowed where it has no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(text)))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(text.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Node<'_>, NeffError> {
        let limits = Limits { json_depth: 3, json_values: 9, ..Limits::default() };
        parse("m", text.as_bytes(), &limits, &mut Budget::of(&limits))
    }

    #[test]
    fn numbers_are_kept_as_they_are_written() {
        let written = "[0.1000, -7e-3, \"1E999\", \"x\", \"1-2\", \"\", true]";
        let root = parsed(written).unwrap();
        let numbers = root.items().unwrap().into_iter().map(|node| node.as_number());
        let expected = [Some("0.1000"), Some("-7e-3"), Some("1E999"), None, None, None, None];
        assert_eq!(numbers.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn values_know_where_they_are() {
        let text = " {\"a\": [1, {\"b\\u0063\": -7}], \"d\": \"x\\ny\"}";
        let root = parsed(text).unwrap();
        assert_eq!((root.offset(), root.kind()), (1, "an object"));
        let entries = root.entries().unwrap();
        let items = entries[0].1.items().unwrap();
        assert_eq!((items[0].offset(), items[0].as_u64()), (8, Some(1)));
        let inner = items[1].entries().unwrap();
        assert_eq!(inner[0].0, "bc");
        assert_eq!((inner[0].1.as_u64(), inner[0].1.as_i64()), (None, Some(-7)));
        assert!(text[inner[0].1.offset() as usize..].starts_with("-7"));
        assert_eq!(entries[1].1.as_text().as_deref(), Some("x\ny"));
        assert!(entries[1].1.items().is_none());
    }

    #[test]
    fn bounds_and_errors_have_offsets() {
        assert_eq!(parsed("[[[1]]]").map(|n| n.text()), Ok("[[[1]]]"));
        // Brackets in texts do not nest, and an escaped quote does not end one.
        assert!(parsed(r#"["[[[[", "\"[[[["]"#).is_ok());
        assert!(matches!(parsed("[ [[ [1]]]]"), Err(NeffError::JsonDepth { at: 5, limit: 3, .. })));
        assert!(matches!(
            parsed("[0,0,0,0,0,0,0,0,0,0]"),
            Err(NeffError::JsonValues { at: 18, limit: 9, .. })
        ));
        assert!(matches!(parsed("[1,\n 2,\n x]"), Err(NeffError::JsonSyntax { at: 9, .. })));
        assert!(matches!(parsed("{\"a\""), Err(NeffError::JsonSyntax { at: 3, .. })));
        assert!(matches!(parsed("[] []"), Err(NeffError::JsonSyntax { at: 3, .. })));
        let limits = Limits { json_values: 4, ..Limits::default() };
        let mut budget = Budget::of(&limits);
        assert!(parse("m", &[b'"', 0xFF, b'"'], &limits, &mut budget).is_err());
        // What one document takes is missing for the next: an array of three is three values here.
        assert!(parse("m", b"[0,0,0]", &limits, &mut budget).is_ok());
        let refused = parse("m", b"[0,0,0]", &limits, &mut budget).unwrap_err();
        assert!(matches!(refused, NeffError::JsonValues { at: 2, limit: 4, .. }));
    }

    #[test]
    fn a_range_of_a_checked_member_is_a_value_again() {
        let text = b"{\"dma\":[{\"id\":3}]}";
        let node = Node::within(text, 7, 10).unwrap();
        assert_eq!(node.items().unwrap()[0].entries().unwrap()[0].1.as_u64(), Some(3));
        assert!(Node::within(text, 7, 100).is_none());
    }
}
