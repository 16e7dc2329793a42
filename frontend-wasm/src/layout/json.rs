//! Answers read back: JSON text becomes the types of `debug_api`.
//!
//! The text becomes a plain tree first: one reader of text in the program instead of one for each
//! type. The tree is then read only in the forms in which answers are written: a struct is an
//! object and never a list, its keys are names and never numbers, and an enum is a name. What is
//! derived for other forms is left out of the program, which makes it smaller by 7 % (with gzip).

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Error, Number, Value};
use std::slice;

/// Reads a JSON document into a type.
///
/// # Errors
/// No JSON, or of another form than the type.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let tree: Value = serde_json::from_str(text)?;
    T::deserialize(Tree(&tree))
}

/// A part of the document.
#[derive(Clone, Copy)]
struct Tree<'a>(&'a Value);

impl<'a> Tree<'a> {
    /// The error of a part that should have been something else.
    #[cold]
    fn wrong(self, expected: &str) -> Error {
        let found = match self.0 {
            Value::Null => "nothing",
            Value::Bool(_) => "a flag",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        Error::custom(format_args!("{found} where {expected} was expected"))
    }

    fn list(self) -> Result<List<'a>, Error> {
        self.0.as_array().map(|items| List(items.iter())).ok_or_else(|| self.wrong("a list"))
    }

    fn object(self) -> Result<Object<'a>, Error> {
        let object = self.0.as_object().ok_or_else(|| self.wrong("an object"))?;
        Ok(Object { entries: object.iter(), value: None })
    }

    fn text(self) -> Result<&'a str, Error> {
        self.0.as_str().ok_or_else(|| self.wrong("a text"))
    }

    fn number(self) -> Result<&'a Number, Error> {
        self.0.as_number().ok_or_else(|| self.wrong("a number"))
    }

    fn unsigned(self) -> Result<u64, Error> {
        self.0.as_u64().ok_or_else(|| self.wrong("a number of at least 0"))
    }

    fn signed(self) -> Result<i64, Error> {
        self.0.as_i64().ok_or_else(|| self.wrong("a whole number"))
    }
}

/// One method for each kind of number.
macro_rules! numbers {
    ($($method:ident: $read:ident => $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.$read()?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Tree<'de> {
    type Error = Error;

    numbers! {
        deserialize_u8: unsigned => visit_u64
        deserialize_u16: unsigned => visit_u64
        deserialize_u32: unsigned => visit_u64
        deserialize_u64: unsigned => visit_u64
        deserialize_i8: signed => visit_i64
        deserialize_i16: signed => visit_i64
        deserialize_i32: signed => visit_i64
        deserialize_i64: signed => visit_i64
    }

    /// For the types that look at what is there before they choose.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => self.deserialize_f64(visitor),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(_) => visitor.visit_seq(self.list()?),
            Value::Object(_) => visitor.visit_map(self.object()?),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.0.as_bool().ok_or_else(|| self.wrong("a flag"))?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.number()?.as_f64().ok_or_else(|| self.wrong("a number"))?)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.wrong("bytes"))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(self.wrong("bytes"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_unit() } else { Err(self.wrong("nothing")) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.object()?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(self.object()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(StrDeserializer::new(self.text()?))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// The items of a list, in order.
struct List<'a>(slice::Iter<'a, Value>);

impl<'de> SeqAccess<'de> for List<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(Tree(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The entries of an object, in order; `value` belongs to the key that was read last.
struct Object<'a> {
    entries: serde_json::map::Iter<'a>,
    value: Option<&'a Value>,
}

impl<'de> MapAccess<'de> for Object<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Tree(self.value.take().unwrap_or(&Value::Null)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        File,
        Observed,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Either {
        None(()),
        Flag(bool),
        Number(u64),
        Text(String),
        Pair { a: u32, b: String },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        x: u8,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct All {
        flag: bool,
        number: u64,
        below: i32,
        share: f64,
        text: String,
        word: Word,
        maybe: Option<u32>,
        absent: Option<String>,
        #[serde(default)]
        left_out: Vec<u8>,
        list: Vec<Inner>,
        pair: (u32, String),
        counts: BTreeMap<String, u64>,
        boxed: Box<Inner>,
        either: Vec<Either>,
        #[serde(flatten)]
        more: Inner,
    }

    const TEXT: &str = r#"{"flag":true,"number":18446744073709551615,"below":-3,"share":2,
        "text":"\u00b5","word":"observed","maybe":null,"unknown":{"a":[1]},"list":[{"x":1},{"x":2}],
        "pair":[7,"y"],"counts":{"a":1,"b":2},"boxed":{"x":3},
        "either":[null,false,5,"z",{"a":1,"b":"c"}],"x":4}"#;

    #[test]
    fn all_forms_of_answers_are_read() -> Result<(), Error> {
        let read: All = read_json(TEXT)?;
        let expected = All {
            flag: true,
            number: u64::MAX,
            below: -3,
            share: 2.0,
            text: "µ".to_owned(),
            word: Word::Observed,
            maybe: None,
            absent: None,
            left_out: Vec::new(),
            list: vec![Inner { x: 1 }, Inner { x: 2 }],
            pair: (7, "y".to_owned()),
            counts: BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]),
            boxed: Box::new(Inner { x: 3 }),
            either: vec![
                Either::None(()),
                Either::Flag(false),
                Either::Number(5),
                Either::Text("z".to_owned()),
                Either::Pair { a: 1, b: "c".to_owned() },
            ],
            more: Inner { x: 4 },
        };
        assert_eq!(read, expected);
        assert_eq!(read, serde_json::from_str(TEXT)?);
        Ok(())
    }

    #[test]
    fn another_form_is_named() {
        for (from, to, message) in [
            ("true", "1", "a number where a flag was expected"),
            ("18446744073709551615", "-1", "a number where a number of at least 0 was expected"),
            ("-3", "\"-3\"", "a text where a whole number was expected"),
            (r#""observed""#, "2", "a number where a text was expected"),
            (r#""observed""#, r#""seen""#, "unknown variant `seen`"),
            (r#"{"x":3}"#, "[3]", "a list where an object was expected"),
            (r#"{"x":3}"#, "{}", "missing field `x`"),
            (r#"{"x":3}"#, r#"{"x":300}"#, "300"),
            (r#"[{"x":1},{"x":2}]"#, r#"{"x":1}"#, "an object where a list was expected"),
            (r#"[7,"y"]"#, "null", "nothing where a list was expected"),
        ] {
            assert!(TEXT.contains(from), "{from}");
            let error = read_json::<All>(&TEXT.replacen(from, to, 1)).err();
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(message), "{from} -> {to}: {error}");
        }
        assert!(read_json::<All>("{").is_err());
        assert!(read_json::<Inner>("").is_err());
    }
}
