//! Protobuf messages field by field, each with its place: debug members and captures.
//!
//! Nothing is copied and nothing is skipped: a field that no reader knows still has its number,
//! its wire type and its bytes.

use prost::encoding::{WireType, decode_key, decode_varint};

/// Value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Wire type 0; negative numbers are in two's complement.
    Varint(u64),
    /// Wire type 1, eight bytes, little-endian.
    Fixed64(u64),
    /// Wire type 2: text, bytes, a message or packed numbers.
    Bytes(Body<'a>),
    /// Wire type 5, four bytes, little-endian.
    Fixed32(u32),
}

impl Value<'_> {
    /// The number of the wire type: 0, 1, 2 or 5.
    pub const fn wire_type(&self) -> u8 {
        match self {
            Self::Varint(_) => 0,
            Self::Fixed64(_) => 1,
            Self::Bytes(_) => 2,
            Self::Fixed32(_) => 5,
        }
    }
}

/// Bytes behind a length, or a whole message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    /// Offset of the first byte, counted as the offset of the outermost message is.
    pub at: u64,
    /// The bytes that are there.
    pub bytes: &'a [u8],
    /// Bytes that the length announces beyond them; 0 unless the message is cut.
    pub missing: u64,
}

impl<'a> Body<'a> {
    /// A whole message whose first byte is at `at`.
    pub const fn whole(at: u64, bytes: &'a [u8]) -> Self {
        Self { at, bytes, missing: 0 }
    }

    /// Its fields, in stored order.
    pub const fn fields(self) -> Fields<'a> {
        Fields { rest: self.bytes, at: self.at }
    }

    /// The bytes as text; what is no UTF-8 becomes U+FFFD.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Number, 1 and up.
    pub number: u32,
    /// Offset of its key.
    pub at: u64,
    /// Offset behind its last byte.
    pub end: u64,
    /// Value.
    pub value: Value<'a>,
}

/// Bytes that are no field: the message ends here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct WireError {
    /// Offset of the field's key.
    pub at: u64,
    /// What was found, and what was expected.
    pub reason: String,
}

/// Walks over the fields of a message. A field whose length leaves the message comes with the
/// bytes that are there and is the last one; so is an error.
#[derive(Clone, Debug)]
pub struct Fields<'a> {
    rest: &'a [u8],
    at: u64,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let at = self.at;
        let result = self.field(at).map_err(|reason| WireError { at, reason });
        if result.is_err() {
            self.rest = &[];
        }
        Some(result)
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self, at: u64) -> Result<Field<'a>, String> {
        let (number, wire) = self.read(decode_key)?;
        let value = match wire {
            WireType::Varint => Value::Varint(self.read(decode_varint)?),
            WireType::LengthDelimited => {
                let len = self.read(decode_varint)?;
                Value::Bytes(self.body(len))
            }
            WireType::SixtyFourBit => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            WireType::ThirtyTwoBit => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            WireType::StartGroup | WireType::EndGroup => {
                return Err("a group, expected a varint, a fixed number or a length".to_owned());
            }
        };
        Ok(Field { number, at, end: self.at, value })
    }

    fn read<T>(
        &mut self,
        decode: impl FnOnce(&mut &'a [u8]) -> Result<T, prost::DecodeError>,
    ) -> Result<T, String> {
        let before = self.rest.len();
        let value = decode(&mut self.rest).map_err(|error| error.to_string())?;
        self.at += (before - self.rest.len()) as u64;
        Ok(value)
    }

    /// The next bytes; all that are left if they are too few.
    fn body(&mut self, len: u64) -> Body<'a> {
        let have = self.rest.len();
        let split = usize::try_from(len).unwrap_or(usize::MAX).min(have);
        let (bytes, rest) = self.rest.split_at_checked(split).unwrap_or((self.rest, &[]));
        let body = Body { at: self.at, bytes, missing: len - split as u64 };
        self.rest = rest;
        self.at += split as u64;
        body
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (array, rest) = self
            .rest
            .split_first_chunk()
            .ok_or_else(|| format!("a number of {N} bytes, {} are left", self.rest.len()))?;
        self.rest = rest;
        self.at += N as u64;
        Ok(*array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Result<Field<'_>, WireError>> {
        Body::whole(100, bytes).fields().collect()
    }

    #[test]
    fn every_wire_type_with_its_place() {
        let bytes = [
            0x08, 0x96, 0x01, // 1: 150
            0x12, 0x02, b'h', b'i', // 2: "hi"
            0x1D, 1, 0, 0, 0x80, // 3: fixed 32
            0x21, 2, 0, 0, 0, 0, 0, 0, 0x40, // 4: fixed 64
            0x28, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, // 5: -1
        ];
        let fields: Vec<Field<'_>> = all(&bytes).into_iter().map(Result::unwrap).collect();
        let brief: Vec<_> = fields.iter().map(|f| (f.number, f.at, f.end)).collect();
        assert_eq!(
            brief,
            [(1, 100, 103), (2, 103, 107), (3, 107, 112), (4, 112, 121), (5, 121, 132)]
        );
        assert_eq!(fields[0].value, Value::Varint(150));
        assert_eq!(fields[1].value, Value::Bytes(Body::whole(105, b"hi")));
        assert_eq!(fields[2].value, Value::Fixed32(0x8000_0001));
        assert_eq!(fields[3].value, Value::Fixed64(0x4000_0000_0000_0002));
        assert_eq!(fields[4].value, Value::Varint(u64::MAX));
        let wires: Vec<u8> = fields.iter().map(|field| field.value.wire_type()).collect();
        assert_eq!(wires, [0, 2, 5, 1, 0]);
    }

    #[test]
    fn a_length_past_the_end_gives_what_is_there() {
        let fields = all(&[0x08, 1, 0x12, 0x05, b'h', b'i']);
        let Value::Bytes(body) = fields[1].as_ref().unwrap().value else { panic!() };
        assert_eq!((body.at, body.bytes, body.missing), (104, &b"hi"[..], 3));
        assert_eq!(fields.len(), 2);
        let fields = all(&[0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]);
        let Value::Bytes(body) = fields[0].as_ref().unwrap().value else { panic!() };
        assert_eq!((body.bytes, body.missing), (&[][..], u64::MAX));
    }

    #[test]
    fn what_is_no_field_is_an_error_at_its_key() {
        // Groups, unknown wire types, number 0, a cut varint, an eleven-byte varint, a cut number.
        for bad in [
            &[0x0B][..],
            &[0x0C],
            &[0x0E],
            &[0x0F],
            &[0x00, 1],
            &[0x08, 0x80],
            &[0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1],
            &[0x09, 1, 2],
        ] {
            let bytes = [&[0x08, 1], bad, &[][..]].concat();
            let fields = all(&bytes);
            assert_eq!(fields.len(), 2, "{bad:x?}");
            assert_eq!(fields[1].as_ref().unwrap_err().at, 102, "{bad:x?}");
        }
    }
}
