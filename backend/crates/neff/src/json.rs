//! Reading JSON members with tolerance: every value knows its byte offset, a value of the wrong
//! type is a finding and stays reachable, and nothing nests deeper than the limit.

use std::borrow::Cow;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::diagnostic::{Findings, Place, Severity};
use crate::error::NeffError;
use crate::limits::Limits;

/// Findings of one document after which the rest is only counted.
const FINDINGS_PER_DOCUMENT: usize = 100;

/// One JSON value: its text and where it starts in the member.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    text: &'a str,
    offset: usize,
}

/// Checks a member and returns its one value. Text must be UTF-8 and JSON throughout; nesting is
/// bounded by [`Limits::json_depth`].
pub fn parse<'a>(member: &str, bytes: &'a [u8], limits: &Limits) -> Result<Node<'a>, NeffError> {
    let text = std::str::from_utf8(bytes).map_err(|error| NeffError::JsonSyntax {
        member: member.to_owned(),
        at: error.valid_up_to() as u64,
        reason: "the text is no UTF-8".to_owned(),
    })?;
    if let Some(at) = too_deep(bytes, limits.json_depth) {
        return Err(NeffError::JsonDepth {
            member: member.to_owned(),
            at: at as u64,
            limit: limits.json_depth,
        });
    }
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| NeffError::JsonSyntax {
        member: member.to_owned(),
        at: offset_of(text, &error),
        reason: reason_of(&error),
    })?;
    Ok(Node { text: raw.get(), offset: distance(text, raw.get()) })
}

/// Offset of the first bracket that opens a level beyond the limit.
fn too_deep(bytes: &[u8], limit: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut rest = bytes.iter().enumerate();
    while let Some((at, byte)) = rest.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return Some(at);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
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
    }
    None
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

/// Reads the values of one document and reports what is odd about them.
#[derive(Debug)]
pub struct Reader<'f> {
    member: &'f str,
    findings: &'f mut Findings,
    reported: usize,
}

impl<'f> Reader<'f> {
    /// A reader for the named member.
    pub fn new(member: &'f str, findings: &'f mut Findings) -> Self {
        Self { member, findings, reported: 0 }
    }

    /// Name of the member.
    pub fn member(&self) -> &'f str {
        self.member
    }

    /// Adds a finding about a value, up to a fixed number for each document.
    pub fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: u64,
        message: impl Into<String>,
    ) {
        self.reported += 1;
        if self.reported < FINDINGS_PER_DOCUMENT {
            self.findings.push(severity, code, Place::member_at(self.member, at), message);
        } else if self.reported == FINDINGS_PER_DOCUMENT {
            self.findings.push(
                Severity::Warning,
                "json.more",
                Place::member_at(self.member, at),
                "more findings of this document are not listed",
            );
        }
    }

    /// Reads an object; anything else is a finding.
    pub fn object<'a>(&mut self, node: Node<'a>, what: &str) -> Option<Fields<'a>> {
        let Some(mut entries) = node.entries() else {
            self.wrong(&node, what, "an object with keys of valid text");
            return None;
        };
        // Usual parsers let the last of two equal keys win.
        let mut seen = std::collections::BTreeSet::new();
        let mut doubled = Vec::new();
        entries.reverse();
        entries.retain(|(key, node)| {
            let fresh = seen.insert(key.clone());
            if !fresh {
                doubled.push((key.clone(), node.offset()));
            }
            fresh
        });
        entries.reverse();
        for (key, at) in doubled {
            let message = format!("key `{key}` of {what} occurs again; the last one counts");
            self.report(Severity::Warning, "json.duplicate-key", at, message);
        }
        Some(Fields { offset: node.offset(), what: what.to_owned(), entries })
    }

    /// Reads the values of an array; anything else is a finding.
    pub fn array<'a>(&mut self, node: Node<'a>, what: &str) -> Option<Vec<Node<'a>>> {
        let items = node.items();
        if items.is_none() {
            self.wrong(&node, what, "an array");
        }
        items
    }

    /// Reads objects with names: an object keyed by name, or an array of objects with a `name`.
    pub fn named<'a>(&mut self, node: Node<'a>, what: &str) -> Vec<(String, Node<'a>)> {
        if let Some(entries) = node.entries() {
            return entries.into_iter().map(|(name, node)| (name.into_owned(), node)).collect();
        }
        let Some(items) = node.items() else {
            self.wrong(&node, what, "an object keyed by name");
            return Vec::new();
        };
        let mut list = Vec::new();
        for item in items {
            let name = item.entries().and_then(|entries| {
                entries.iter().find(|(key, _)| key == "name").and_then(|(_, name)| name.as_text())
            });
            match name {
                Some(name) => list.push((name.into_owned(), item)),
                None => self.wrong(&item, what, "an object with a name"),
            }
        }
        list
    }

    /// Says that a value is not what was expected.
    pub fn wrong(&mut self, node: &Node<'_>, what: &str, expected: &str) {
        let (code, found) = match node.as_i64() {
            Some(number) if number < 0 => ("json.negative", format!("the number {number}")),
            _ => ("json.type", node.kind().to_owned()),
        };
        let message = format!("{what} is {found}, expected {expected}");
        self.report(Severity::Error, code, node.offset(), message);
    }

    fn get<'a, T>(
        &mut self,
        fields: &mut Fields<'a>,
        key: &str,
        expected: &str,
        read: impl FnOnce(&Node<'a>) -> Option<T>,
    ) -> Option<T> {
        let node = fields.peek(key)?;
        if node.is_null() {
            fields.take(key);
            return None;
        }
        match read(&node) {
            Some(value) => {
                fields.take(key);
                Some(value)
            }
            // It stays in the object, so that it can still be looked at.
            None => {
                let what = format!("`{key}` of {}", fields.what);
                self.wrong(&node, &what, expected);
                None
            }
        }
    }

    /// A string.
    pub fn text(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<String> {
        self.get(fields, key, "a string", |node| node.as_text().map(Cow::into_owned))
    }

    /// An unsigned number of 64 bits.
    pub fn u64(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<u64> {
        self.get(fields, key, "a number from 0 to 2^64 - 1", |node| node.as_u64())
    }

    /// An unsigned number of 32 bits.
    pub fn u32(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<u32> {
        self.get(fields, key, "a number from 0 to 2^32 - 1", |node| {
            node.as_u64().and_then(|number| number.try_into().ok())
        })
    }

    /// A signed number of 64 bits.
    pub fn i64(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<i64> {
        self.get(fields, key, "a whole number of 64 bits", Node::as_i64)
    }

    /// A number.
    pub fn f64(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<f64> {
        self.get(fields, key, "a number", Node::as_f64)
    }

    /// A boolean.
    pub fn bool(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<bool> {
        self.get(fields, key, "true or false", Node::as_bool)
    }

    /// An array of unsigned numbers of 64 bits; `None` if absent.
    pub fn u64_list(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<Vec<u64>> {
        self.list(fields, key, "an array of numbers from 0 to 2^64 - 1", |node| node.as_u64())
    }

    /// An array of unsigned numbers of 32 bits; `None` if absent.
    pub fn u32_list(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<Vec<u32>> {
        self.list(fields, key, "an array of numbers from 0 to 2^32 - 1", |node| {
            node.as_u64().and_then(|number| number.try_into().ok())
        })
    }

    /// An array of signed numbers of 64 bits; `None` if absent.
    pub fn i64_list(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<Vec<i64>> {
        self.list(fields, key, "an array of whole numbers of 64 bits", |node| node.as_i64())
    }

    /// A string or an array of strings; empty if absent.
    pub fn texts(&mut self, fields: &mut Fields<'_>, key: &str) -> Vec<String> {
        self.get(fields, key, "a string or an array of strings", |node| {
            if let Some(text) = node.as_text() {
                return Some(vec![text.into_owned()]);
            }
            node.items()?.iter().map(|item| item.as_text().map(Cow::into_owned)).collect()
        })
        .unwrap_or_default()
    }

    fn list<T>(
        &mut self,
        fields: &mut Fields<'_>,
        key: &str,
        expected: &str,
        read: impl Fn(&Node<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.get(fields, key, expected, |node| node.items()?.iter().map(read).collect())
    }
}

/// The values of one object that have not been read yet.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    offset: u64,
    what: String,
    entries: Vec<(Cow<'a, str>, Node<'a>)>,
}

impl<'a> Fields<'a> {
    /// Offset of the object in its member.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// A value, left where it is.
    pub fn peek(&self, key: &str) -> Option<Node<'a>> {
        self.entries.iter().find(|(name, _)| name == key).map(|(_, node)| *node)
    }

    /// A value, taken out.
    pub fn take(&mut self, key: &str) -> Option<Node<'a>> {
        let index = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(index).1)
    }

    /// What is left: unknown keys, and values of the wrong type.
    pub fn rest(self) -> Extra {
        self.entries.into_iter().map(|(key, node)| (key.into_owned(), node.value())).collect()
    }
}

/// Keys that nobody has read, in file order.
pub type Extra = serde_json::Map<String, Value>;
