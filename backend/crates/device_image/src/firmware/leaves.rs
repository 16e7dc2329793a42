//! The printer's text as names with values, wherever it begins: a whole document, one object, or a
//! member of one. Pointers without quotes and `(nil)` are read, strict JSON too.
//! Spec: docs/format/collectives.md "Text read back" [inferred].

/// Levels of the text, at most.
const MOST_LEVELS: usize = 64;

/// A value of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A number, a pointer or an address.
    Number(u64),
    /// Other text.
    Text(String),
}

/// A value with its name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Keys and the numbers of elements, with dots. The keys that only stand around an address,
    /// `addr` and `soc_addr`, are left out.
    pub name: String,
    /// The value.
    pub leaf: Leaf,
    /// Its first byte in the text.
    pub at: usize,
}

/// Where the text cannot be read, and what would have to stand there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expected} is expected at byte {at} of the text")]
pub struct TextError {
    /// Byte of the text.
    pub at: usize,
    /// What is expected.
    pub expected: &'static str,
}

/// All values of a text, in their order.
///
/// # Errors
/// The first place that is no such text. What stood before it is lost, since a cut text says less
/// than it seems to.
pub fn leaves(text: &str) -> Result<Vec<Named>, TextError> {
    let mut reader = Reader { text, at: 0, out: Vec::new() };
    reader.blanks();
    if reader.peek() == Some('{') {
        reader.value("", 0)?;
    } else {
        // A member without the object around it.
        reader.members("", 0, None)?;
    }
    reader.blanks();
    match reader.peek() {
        None => Ok(reader.out),
        Some(_) => Err(reader.expected("the end")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Named>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    const fn expected(&self, expected: &'static str) -> TextError {
        TextError { at: self.at, expected }
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, sign: char) -> bool {
        self.blanks();
        let found = self.peek() == Some(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    fn value(&mut self, name: &str, level: usize) -> Result<(), TextError> {
        if level > MOST_LEVELS {
            return Err(self.expected("at most 64 levels"));
        }
        self.blanks();
        let at = self.at;
        let leaf = match self.peek() {
            Some('{') => {
                self.at += 1;
                return self.members(name, level, Some('}'));
            }
            Some('[') => {
                self.at += 1;
                return self.elements(name, level);
            }
            Some('"') => {
                let text = self.quoted()?;
                // The conversion takes a sign, which no address has.
                let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
                let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                number.map_or(Leaf::Text(text), Leaf::Number)
            }
            _ => Leaf::Number(self.number()?),
        };
        self.out.push(Named { name: name.to_owned(), leaf, at });
        Ok(())
    }

    fn members(&mut self, name: &str, level: usize, close: Option<char>) -> Result<(), TextError> {
        loop {
            self.blanks();
            match (close, self.peek()) {
                (Some(close), _) if self.take(close) => return Ok(()),
                (None, None) => return Ok(()),
                (_, Some('"')) => {}
                _ => return Err(self.expected("a key in quotes")),
            }
            let key = self.quoted()?;
            if !self.take(':') {
                return Err(self.expected("a colon"));
            }
            let inner = match (key.as_str(), name) {
                ("addr" | "soc_addr", _) => name.to_owned(),
                (_, "") => key,
                _ => format!("{name}.{key}"),
            };
            self.value(&inner, level + 1)?;
            if !self.take(',') {
                self.blanks();
                return match close {
                    Some(close) if self.take(close) => Ok(()),
                    None if self.peek().is_none() => Ok(()),
                    _ => Err(self.expected("a comma or the end of the object")),
                };
            }
        }
    }

    fn elements(&mut self, name: &str, level: usize) -> Result<(), TextError> {
        let mut index = 0_u32;
        loop {
            if self.take(']') {
                return Ok(());
            }
            self.value(&format!("{name}.{index}"), level + 1)?;
            index += 1;
            if !self.take(',') {
                return match self.take(']') {
                    true => Ok(()),
                    false => Err(self.expected("a comma or the end of the list")),
                };
            }
        }
    }

    fn quoted(&mut self) -> Result<String, TextError> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((place, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += place + 1;
                    return Ok(out);
                }
                // The firmware escapes nothing, the strict form does.
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => out.push(c),
                    Some((place, 'u')) => match self.escaped(place + 1) {
                        Some(c) => {
                            out.push(c);
                            // The four digits.
                            chars.nth(3);
                        }
                        None => out.push_str("\\u"),
                    },
                    Some((_, c)) => out.extend(['\\', c]),
                    None => {}
                },
                c => out.push(c),
            }
        }
        self.at = self.text.len();
        Err(self.expected("a closing quote"))
    }

    /// The character of the four digits that begin at a byte of the rest.
    fn escaped(&self, at: usize) -> Option<char> {
        let digits = self.rest().get(at..at + 4)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_hex.then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32))?
    }

    fn number(&mut self) -> Result<u64, TextError> {
        let rest = self.rest();
        if let Some(behind) = rest.strip_prefix("(nil)") {
            self.at += rest.len() - behind.len();
            return Ok(0);
        }
        let (digits, radix) = match rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (rest, 10),
        };
        let length = digits.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(digits.len());
        let number = digits.get(..length).and_then(|own| u64::from_str_radix(own, radix).ok());
        let number = number.ok_or_else(|| {
            self.expected("a number below 2^64, a pointer, (nil), an object, a list or text")
        })?;
        self.at += rest.len() - digits.len() + length;
        Ok(number)
    }
}
