//! Numbers of documents for fields of records: one rule for what a file has, what it leaves out and
//! what does not fit.
//! Spec: docs/format/kbin.md "Numbers of documents" [inferred].

use neff::reader::Extra;
use neff::{Place, Severity};
use records::Provenance;
use serde_json::Value;

use super::notes::{Notes, shown};

/// Where the value of a field comes from, where it is not simply the file's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// As its layout says: mostly the file.
    #[default]
    File,
    /// The file has no such key, and how a loader begins is published.
    Published,
    /// The file's text is longer than the field, and a loader cuts it.
    Cut,
    /// The file has no such key.
    Default,
    /// What the file names is not there.
    Missing,
    /// What the file has does not fit in the field; a finding has its value.
    Unfit,
    /// The file has something else in place of it, for which records have no room; a finding says what.
    NoRoom,
}

impl Origin {
    const ALL: [Self; 7] = [
        Self::File,
        Self::Published,
        Self::Cut,
        Self::Default,
        Self::Missing,
        Self::Unfit,
        Self::NoRoom,
    ];

    /// The least that is to be said about the value.
    pub const fn provenance(self) -> Provenance {
        match self {
            Self::File => Provenance::File,
            Self::Published | Self::Cut => Provenance::Observed,
            Self::Default | Self::NoRoom => Provenance::Inferred,
            Self::Missing | Self::Unfit => Provenance::Modelled,
        }
    }

    /// Why the value is not the file's, in a few words; nothing for one that is.
    pub const fn why(self) -> &'static str {
        match self {
            Self::File => "",
            Self::Published => "the file does not say; a loader begins with this",
            Self::Cut => "longer in the file; a loader cuts it here",
            Self::Default => "the file does not say; a default",
            Self::Missing => "what the file names is not in it",
            Self::Unfit => "what the file has does not fit here; see the findings",
            Self::NoRoom => "the file has another table in place of it, which has no room here",
        }
    }
}

/// Origins of the fields of one record: 3 bits each for at most 21, by place in a list of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origins(u64);

impl Origins {
    const BITS: usize = 3;

    /// Notes the origin of the field at a byte of a list.
    pub fn put(&mut self, fields: &[u64], at: u64, origin: Origin) {
        if let Some(index) = fields.iter().position(|known| *known == at)
            && let Some(code) = Origin::ALL.iter().position(|known| *known == origin)
            && index < 64 / Self::BITS
        {
            let shift = index * Self::BITS;
            self.0 = self.0 & !(0b111 << shift) | (code as u64) << shift;
        }
    }

    /// Fields that are not simply the file's, by byte.
    pub fn list(self, fields: &[u64]) -> impl Iterator<Item = (u64, Origin)> {
        let of = move |(index, at): (usize, &u64)| {
            let code = self.0.checked_shr(u32::try_from(index * Self::BITS).ok()?)? & 0b111;
            Origin::ALL.get(usize::try_from(code).ok()?).map(|origin| (*at, *origin))
        };
        fields.iter().enumerate().filter_map(of).filter(|(_, origin)| *origin != Origin::File)
    }
}

/// What fits in a field.
pub trait Whole: TryFrom<i128> + Copy {
    /// The range in words.
    const RANGE: &'static str;
}

impl Whole for u8 {
    const RANGE: &'static str = "a whole number from 0 to 255";
}

impl Whole for u32 {
    const RANGE: &'static str = "a whole number from 0 to 2^32 - 1";
}

impl Whole for u64 {
    const RANGE: &'static str = "a whole number from 0 to 2^64 - 1";
}

/// A byte that is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag(pub u8);

impl TryFrom<i128> for Flag {
    type Error = ();

    fn try_from(value: i128) -> Result<Self, ()> {
        match value {
            0 => Ok(Self(0)),
            1 => Ok(Self(1)),
            _ => Err(()),
        }
    }
}

impl Whole for Flag {
    const RANGE: &'static str = "true or false, 1 or 0";
}

/// 32 bits, signed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u32);

impl TryFrom<i128> for Word {
    type Error = ();

    fn try_from(value: i128) -> Result<Self, ()> {
        let signed = || i32::try_from(value).map(|value| value as u32);
        u32::try_from(value).or_else(|_| signed()).map(Self).map_err(|_| ())
    }
}

impl Whole for Word {
    const RANGE: &'static str = "a whole number from -2^31 to 2^32 - 1";
}

/// An object of a document from which fields are filled.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// Where it is.
    pub at: &'a Place,
    /// Its JSON pointer.
    pub path: &'a dyn Fn() -> String,
    /// Its keys of the wrong type, and unknown ones.
    pub extra: &'a Extra,
}

/// A name as a part of a JSON pointer.
pub fn part(name: &str) -> String {
    shown(name).replace('~', "~0").replace('/', "~1")
}

impl Notes {
    /// A number of a document for a field. `read` is what the document's reader made of the key; the
    /// value of `missing` stands where there is none, and where it does not fit.
    pub fn number<T: Whole>(
        &mut self,
        from: &Source<'_>,
        key: &str,
        read: Option<impl Into<i128>>,
        missing: (T, Origin),
    ) -> (T, Origin) {
        let raw = from.extra.get(key).filter(|raw| !raw.is_null());
        let number = read.map(Into::into).or_else(|| raw.and_then(whole));
        if number.is_none() && raw.is_none() {
            return missing;
        }
        if let Some(Ok(value)) = number.map(T::try_from) {
            return (value, Origin::File);
        }
        let written = number.map_or_else(|| written(raw), |number| number.to_string());
        self.unfit(from, key, &written, T::RANGE);
        (missing.0, Origin::Unfit)
    }

    /// The origin of a field that is no number: whether the document has its key, and in a form that
    /// is understood.
    pub fn origin(
        &mut self,
        from: &Source<'_>,
        key: &str,
        is_read: bool,
        expected: &str,
    ) -> Origin {
        if is_read {
            return Origin::File;
        }
        let Some(raw) = from.extra.get(key).filter(|raw| !raw.is_null()) else {
            return Origin::Default;
        };
        self.unfit(from, key, &written(Some(raw)), expected);
        Origin::Unfit
    }

    /// A text for a field of `room` bytes, its end included.
    pub fn text(&mut self, from: &Source<'_>, key: &str, text: &str, room: usize) -> Origin {
        if text.len() < room && !text.contains('\0') {
            return Origin::File;
        }
        let expected = format!("at most {} bytes without a zero", room.saturating_sub(1));
        let written = match text.find('\0') {
            Some(at) if at < room => format!("a text with a zero as byte {at}"),
            _ => format!("a text of {} bytes", text.len()),
        };
        self.unfit(from, key, &written, &expected);
        Origin::Unfit
    }

    /// Says that a value of a document does not fit in its field.
    pub fn unfit(&mut self, from: &Source<'_>, key: &str, written: &str, expected: &str) {
        let path = (from.path)();
        let message = format!("`{path}/{key}` is {written}; its field takes {expected}");
        self.find(Severity::Error, "kbin.number", from.at.clone(), message);
    }
}

fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => {
            number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from))
        }
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Elements of an array that a message repeats.
const SHOWN_ELEMENTS: usize = 16;

fn written(value: Option<&Value>) -> String {
    match value {
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(Value::Array(list)) if list.len() > SHOWN_ELEMENTS => {
            format!("an array of {}", list.len())
        }
        Some(value) => shown(&value.to_string()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taken<T: Whole + PartialEq + std::fmt::Debug>(
        value: Value,
        missing: T,
    ) -> ((T, Origin), Vec<String>) {
        let extra = match json!({"k": value}) {
            Value::Object(extra) => extra,
            _ => Extra::new(),
        };
        let at = Place::member_at("m.json", 7);
        let from = Source { at: &at, path: &|| "/a/0".to_owned(), extra: &extra };
        let mut notes = Notes::default();
        let number = notes.number(&from, "k", None::<u64>, (missing, Origin::Default));
        let said = notes.findings.as_slice().iter().map(|one| one.message.clone()).collect();
        (number, said)
    }

    #[test]
    fn a_number_fits_or_is_said() {
        assert_eq!(taken(json!(255), 4_u8), ((255, Origin::File), vec![]));
        assert_eq!(taken(json!("12"), 4_u8), ((12, Origin::File), vec![]));
        assert_eq!(taken(json!(null), 4_u8), ((4, Origin::Default), vec![]));
        for (value, written) in [
            (json!(256), "256"),
            (json!(-1), "-1"),
            (json!(1.5), "1.5"),
            (json!("yes"), "\"yes\""),
            (json!([1, -2]), "[1,-2]"),
        ] {
            let (number, said) = taken(value, 4_u8);
            assert_eq!(number, (4, Origin::Unfit));
            let expected =
                format!("`/a/0/k` is {written}; its field takes a whole number from 0 to 255");
            assert_eq!(said, [expected]);
        }
        assert_eq!(taken(json!(-1), Word(0)).0, (Word(u32::MAX), Origin::File));
        assert_eq!(taken(json!(-(1_i64 << 40)), Word(0)).0, (Word(0), Origin::Unfit));
        assert_eq!(taken(json!(7), Flag(0)).0, (Flag(0), Origin::Unfit));
        assert_eq!(taken(json!(u64::MAX), 0_u64).0, (u64::MAX, Origin::File));
    }

    #[test]
    fn origins_of_many_fields_are_small() {
        let fields: [u64; 4] = [0, 16, 24, 5_432];
        let mut origins = Origins::default();
        origins.put(&fields, 16, Origin::Unfit);
        origins.put(&fields, 5_432, Origin::Default);
        origins.put(&fields, 7, Origin::Default);
        let list: Vec<_> = origins.list(&fields).collect();
        assert_eq!(list, [(16, Origin::Unfit), (5_432, Origin::Default)]);
        origins.put(&fields, 16, Origin::File);
        assert_eq!(origins.list(&fields).count(), 1);
    }
}
