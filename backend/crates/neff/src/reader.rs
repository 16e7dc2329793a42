//! Reading JSON values with tolerance: a value of the wrong type is a finding and stays reachable.

use std::borrow::Cow;

use serde_json::Value;

use crate::budget::Budget;
use crate::diagnostic::{Findings, Place, Severity};
use crate::json::Node;
use crate::limits::Limits;

/// Findings of one document after which the rest is not listed.
const FINDINGS_PER_DOCUMENT: usize = 100;

/// Reads the values of one document and reports what is odd about them.
#[derive(Debug)]
pub struct Reader<'f> {
    member: &'f str,
    findings: &'f mut Findings,
    reported: usize,
    max_rows: usize,
    budget: Budget,
    left_out: bool,
}

impl<'f> Reader<'f> {
    /// A reader for the named member, with what is left for the whole file.
    pub fn new(
        member: &'f str,
        limits: &Limits,
        budget: Budget,
        findings: &'f mut Findings,
    ) -> Self {
        let max_rows = limits.json_rows;
        Self { member, findings, reported: 0, max_rows, budget, left_out: false }
    }

    /// What is left for further documents.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// A value kept as it is, with everything in it; `None`, and a finding, beyond the limit
    /// `extra_bytes`.
    pub fn value(&mut self, node: &Node<'_>) -> Option<Value> {
        let bytes = node.text().len();
        if let Some(left) = self.budget.extra_bytes.checked_sub(bytes) {
            self.budget.extra_bytes = left;
            return Some(node.value());
        }
        if !std::mem::replace(&mut self.left_out, true) {
            let message = format!(
                "a value of {bytes} bytes that has no meaning here is left out, and maybe others: \
                 the file has more of them than the limit `extra_bytes`"
            );
            self.report(Severity::Warning, "json.extra", node.offset(), message);
        }
        None
    }

    /// What is left of an object: unknown keys, and values of the wrong type. Those beyond the
    /// limit `extra_bytes` are left out with a finding.
    pub fn rest(&mut self, fields: Fields<'_>) -> Extra {
        let mut extra = Extra::new();
        for (key, node) in fields.entries {
            // A key costs as much as a value of its length.
            let Some(left) = self.budget.extra_bytes.checked_sub(key.len()) else {
                self.budget.extra_bytes = 0;
                self.value(&node);
                continue;
            };
            self.budget.extra_bytes = left;
            if let Some(value) = self.value(&node) {
                extra.insert(key.into_owned(), value);
            }
        }
        extra
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
            let is_object = node.text().starts_with('{');
            let expected = if is_object { "one whose keys are valid text" } else { "an object" };
            self.wrong(&node, what, expected);
            return None;
        };
        self.last_of_equal(&mut entries, what);
        Some(Fields { offset: node.offset(), what: what.to_owned(), entries })
    }

    /// Of equal keys the last one counts; each of the others is a finding with its place.
    fn last_of_equal<'a>(&mut self, entries: &mut Vec<(Cow<'a, str>, Node<'a>)>, what: &str) {
        for (key, at) in drop_doubled(entries) {
            let message = format!("key `{key}` of {what} occurs again; the last one counts");
            self.report(Severity::Warning, "json.duplicate-key", at, message);
        }
    }

    /// Reads the values of an array; anything else is a finding.
    pub fn array<'a>(&mut self, node: Node<'a>, what: &str) -> Option<Vec<Node<'a>>> {
        let items = node.items();
        if items.is_none() {
            self.wrong(&node, what, "an array");
        }
        items.map(|items| self.bounded(items, &node, what))
    }

    /// The first rows of a table, as many as the limit allows.
    fn bounded<T>(&mut self, mut rows: Vec<T>, node: &Node<'_>, what: &str) -> Vec<T> {
        let max_rows = self.max_rows.min(self.budget.rows);
        if rows.len() > max_rows {
            let limit = if max_rows < self.max_rows { "file_rows" } else { "json_rows" };
            let message = format!(
                "{what} has {} entries; the limit `{limit}` leaves room for {max_rows}, the others \
                 are left out",
                rows.len(),
            );
            self.report(Severity::Error, "json.rows", node.offset(), message);
            rows.truncate(max_rows);
        }
        self.budget.rows -= rows.len();
        rows
    }

    /// Reads objects with names: an object keyed by name, or an array of objects with a `name`.
    pub fn named<'a>(&mut self, node: Node<'a>, what: &str) -> Vec<(String, Node<'a>)> {
        self.named_of(node, what).0
    }

    /// The same, and how many there are with those that are left out; 1 for a value that is no such
    /// table.
    pub fn named_of<'a>(&mut self, node: Node<'a>, what: &str) -> (Vec<(String, Node<'a>)>, usize) {
        if let Some(mut entries) = node.entries() {
            let all = entries.len();
            self.last_of_equal(&mut entries, what);
            let entries = self.bounded(entries, &node, what);
            let named = entries.into_iter().map(|(name, node)| (name.into_owned(), node));
            return (named.collect(), all);
        }
        let Some(items) = node.items() else {
            self.wrong(&node, what, "an object keyed by name");
            return (Vec::new(), 1);
        };
        let all = items.len();
        let mut list = Vec::new();
        for item in self.bounded(items, &node, what) {
            let name = item.entries().and_then(|entries| {
                entries.iter().find(|(key, _)| key == "name").and_then(|(_, name)| name.as_text())
            });
            match name {
                Some(name) => list.push((name.into_owned(), item)),
                None => self.wrong(&item, what, "an object with a name"),
            }
        }
        (list, all)
    }

    /// Says that a value is not what was expected.
    pub fn wrong(&mut self, node: &Node<'_>, what: &str, expected: &str) {
        let is_negative = node.as_i64().is_some_and(|number| number < 0);
        let code = if is_negative { "json.negative" } else { "json.type" };
        let found = match node.kind() {
            // Numbers are short; texts may be anything and are left out.
            "a number" if node.text().len() <= 40 => format!("the number {}", node.text()),
            kind => kind.to_owned(),
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

    /// The same where text is no usual form of it: told of.
    pub fn bare_u64(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<u64> {
        self.bare(fields, key, "a number from 0 to 2^64 - 1", |node| node.as_u64())
    }

    /// An unsigned number of 32 bits.
    pub fn u32(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<u32> {
        self.get(fields, key, "a number from 0 to 2^32 - 1", |node| {
            node.as_u64().and_then(|number| number.try_into().ok())
        })
    }

    /// The same where text is no usual form of it: told of.
    pub fn bare_u32(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<u32> {
        self.bare(fields, key, "a number from 0 to 2^32 - 1", |node| {
            node.as_u64().and_then(|number| number.try_into().ok())
        })
    }

    /// A signed number of 64 bits.
    pub fn i64(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<i64> {
        self.get(fields, key, "a whole number of 64 bits", Node::as_i64)
    }

    /// A number; one that is written as text is told of, since a loader may not take it.
    fn bare<'a, T>(
        &mut self,
        fields: &mut Fields<'a>,
        key: &str,
        expected: &str,
        read: impl FnOnce(&Node<'a>) -> Option<T>,
    ) -> Option<T> {
        let text = fields.peek(key).filter(|node| node.kind() == "a string");
        let text = text.map(|node| (node.offset(), node.text().len() <= 40, node.text()));
        let value = self.get(fields, key, expected, read)?;
        if let Some((offset, is_short, written)) = text {
            let shown = if is_short { format!("the text {written}") } else { "a text".to_owned() };
            let message = format!(
                "`{key}` of {} is {shown}, expected {expected}; it is read as that number",
                fields.what
            );
            self.report(Severity::Warning, "json.number-text", offset, message);
        }
        Some(value)
    }

    /// A number.
    pub fn f64(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<f64> {
        self.get(fields, key, "a number", Node::as_f64)
    }

    /// A number as it is written.
    pub fn number(&mut self, fields: &mut Fields<'_>, key: &str) -> Option<String> {
        self.get(fields, key, "a number", |node| node.as_number().map(str::to_owned))
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

/// Removes all but the last of equal keys, as usual parsers do, and says which those are.
fn drop_doubled<'a>(entries: &mut Vec<(Cow<'a, str>, Node<'a>)>) -> Vec<(Cow<'a, str>, u64)> {
    // Most objects are small and have no equal keys; for those nothing is built.
    if entries.len() <= 16 {
        let mut rest = entries.as_slice();
        let mut is_clean = true;
        while let Some(((key, _), tail)) = rest.split_first() {
            is_clean &= !tail.iter().any(|(other, _)| other == key);
            rest = tail;
        }
        if is_clean {
            return Vec::new();
        }
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let key = |index: &usize| entries.get(*index).map(|(key, _)| key);
    order.sort_by(|a, b| key(a).cmp(&key(b)));
    // The sort is stable: of equal keys, the last in the object is the last in the run.
    let mut doubled: Vec<usize> = order
        .iter()
        .zip(order.iter().skip(1))
        .filter(|(first, second)| key(first) == key(second))
        .map(|(first, _)| *first)
        .collect();
    doubled.sort_unstable();
    let mut doubled = doubled.into_iter().peekable();
    let mut dropped = Vec::new();
    let mut index = 0;
    entries.retain(|(key, node)| {
        let is_dropped = doubled.next_if_eq(&index).is_some();
        if is_dropped {
            dropped.push((key.clone(), node.offset()));
        }
        index += 1;
        !is_dropped
    });
    dropped
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
}

/// Keys that nobody has read, in file order.
pub type Extra = serde_json::Map<String, Value>;
