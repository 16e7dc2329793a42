//! Walks over the messages of a capture: damage becomes findings, unknown fields are kept.

use crate::diagnostic::{Findings, Place, Severity};
use crate::limits::Limits;
use crate::ntff::capture::UnknownField;
use crate::wire::{Body, Field, Value};
use records::ByteSpan;

/// State of one reading.
pub(super) struct Reader<'f> {
    pub(super) findings: &'f mut Findings,
    pub(super) unknown: Vec<UnknownField>,
    pub(super) n_unknown: u64,
    pub(super) first_unknown: Option<UnknownField>,
    /// Most captured cores.
    pub(super) max_subgraphs: usize,
    text_bytes: usize,
    limit: usize,
    left: usize,
    is_over: bool,
}

impl<'f> Reader<'f> {
    pub(super) fn new(limits: &Limits, findings: &'f mut Findings) -> Self {
        let limit = limits.capture_rows;
        Self {
            findings,
            unknown: Vec::new(),
            n_unknown: 0,
            first_unknown: None,
            max_subgraphs: limits.subgraphs,
            text_bytes: limits.member_name_bytes,
            limit,
            left: limit,
            is_over: false,
        }
    }

    /// Takes the fields of a message in stored order. `take` answers whether it knows a field.
    pub(super) fn message(
        &mut self,
        name: &'static str,
        body: Body<'_>,
        mut take: impl FnMut(&mut Self, &Field<'_>) -> bool,
    ) {
        for field in body.fields() {
            let field = match field {
                Ok(field) => field,
                Err(error) => {
                    let message = format!(
                        "message `{name}` is damaged here, the rest of it is not read: {error}"
                    );
                    self.error("ntff.wire", error.at, message);
                    return;
                }
            };
            if let Value::Bytes(Body { bytes, missing: 1.., .. }) = field.value {
                let message = format!(
                    "field {} of message `{name}` has more bytes than the {} that are left there",
                    field.number,
                    bytes.len()
                );
                self.error("ntff.past-end", field.at, message);
            }
            if !take(self, &field) {
                self.keep_unknown(name, &field);
            }
        }
    }

    /// Whether one more table entry may be kept; `weight` is its size in units of about 32 bytes.
    pub(super) fn charge(&mut self, weight: usize, at: u64) -> bool {
        if let Some(left) = self.left.checked_sub(weight) {
            self.left = left;
            return true;
        }
        self.left = 0;
        if !self.is_over {
            self.is_over = true;
            let message = format!(
                "the capture has more table entries than the limit `capture_rows` of {} allows; \
                 the rest is not read",
                self.limit
            );
            self.error("ntff.rows", at, message);
        }
        false
    }

    /// Text that is all there and no longer than names are; a cut name would be a wrong one.
    pub(super) fn text(&mut self, body: Body<'_>) -> Option<String> {
        let (found, most) = (body.bytes.len(), self.text_bytes);
        if found > most {
            let message = format!(
                "a text has {found} bytes, expected at most {most} (limit `member_name_bytes`); it \
                 is left out"
            );
            self.error("ntff.text", body.at, message);
            return None;
        }
        (body.missing == 0).then(|| body.text())
    }

    pub(super) fn error(&mut self, code: &'static str, at: u64, message: String) {
        self.findings.push(Severity::Error, code, Place::file(at), message);
    }

    pub(super) fn warning(&mut self, code: &'static str, at: u64, message: String) {
        self.findings.push(Severity::Warning, code, Place::file(at), message);
    }

    fn keep_unknown(&mut self, message: &'static str, field: &Field<'_>) {
        let unknown = UnknownField {
            message,
            number: field.number,
            wire_type: field.value.wire_type(),
            bytes: ByteSpan { start: field.at, end: field.end },
        };
        self.n_unknown += 1;
        self.first_unknown.get_or_insert(unknown);
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            self.unknown.push(unknown);
        }
    }
}
