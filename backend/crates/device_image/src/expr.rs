//! Small integer expressions of profiles: numbers, named values and `+ - * & | ^ << >>`.
//!
//! Precedence from tight to loose: `*`, then `+ -`, then `<< >>`, then `&`, then `^`, then `|`;
//! parentheses as usual. Numbers are decimal or hex with `0x`. All arithmetic is on u64 and
//! checked.

use records::Provenance;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(u64),
    /// A named value.
    Name(String),
    /// Two operands.
    Pair(Box<Expr>, Op, Box<Expr>),
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
}

/// A value with the knowledge which inputs went into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The number.
    pub number: u64,
    /// Where the least sure of the inputs comes from that it depends on; `None` if it depends on
    /// nothing that is set per device or per run.
    pub from_input: Option<Provenance>,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    /// The text is no expression.
    #[error("`{text}`: {what} at character {at}")]
    Syntax {
        /// The text.
        text: String,
        /// Character position, 0-based.
        at: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// A name has no value for this engine.
    #[error("`{0}` has no value here")]
    UnknownName(String),
    /// A value is wider than the field that takes it.
    #[error("{value:#x} does not fit {bytes} bytes")]
    TooWide {
        /// The value.
        value: u64,
        /// Bytes of the field.
        bytes: usize,
    },
    /// A value outside the range that its place takes.
    #[error("{what} {value} is outside its range, expected {expected}")]
    Range {
        /// What it is.
        what: &'static str,
        /// The value.
        value: u64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A result does not fit 64 bits or is negative.
    #[error("a result leaves the range of 64 bits")]
    Overflow,
}

/// Deepest nesting that is parsed; a hostile profile cannot exhaust the stack.
const MAX_DEPTH: usize = 32;

/// Longest text that is parsed, in bytes; bounds the depth of the tree as well.
const MAX_TEXT: usize = 512;

impl Expr {
    /// Parses a whole text.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        let mut parser = Parser { text, bytes: text.as_bytes(), at: 0, depth: 0 };
        if text.len() > MAX_TEXT {
            return Err(parser.error("too long"));
        }
        let expr = parser.level(0)?;
        parser.skip_space();
        if parser.at == parser.bytes.len() {
            Ok(expr)
        } else {
            Err(parser.error("unexpected text"))
        }
    }

    /// Whether a name occurs in it.
    pub fn mentions(&self, wanted: &str) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Name(name) => name == wanted,
            Self::Pair(left, _, right) => left.mentions(wanted) || right.mentions(wanted),
        }
    }

    /// Evaluates with a function that knows the names.
    pub fn eval(&self, names: &dyn Fn(&str) -> Option<Value>) -> Result<Value, ExprError> {
        match self {
            Self::Number(number) => Ok(Value { number: *number, from_input: None }),
            Self::Name(name) => names(name).ok_or_else(|| ExprError::UnknownName(name.clone())),
            Self::Pair(left, op, right) => {
                let (left, right) = (left.eval(names)?, right.eval(names)?);
                let number = op.apply(left.number, right.number).ok_or(ExprError::Overflow)?;
                Ok(Value { number, from_input: left.from_input.max(right.from_input) })
            }
        }
    }
}

impl Op {
    /// Operators by precedence, loosest first.
    const LEVELS: [&'static [(&'static str, Op)]; 6] = [
        &[("|", Op::Or)],
        &[("^", Op::Xor)],
        &[("&", Op::And)],
        &[("<<", Op::Shl), (">>", Op::Shr)],
        &[("+", Op::Add), ("-", Op::Sub)],
        &[("*", Op::Mul)],
    ];

    fn apply(self, left: u64, right: u64) -> Option<u64> {
        let shift = u32::try_from(right).ok();
        match self {
            Self::Add => left.checked_add(right),
            Self::Sub => left.checked_sub(right),
            Self::Mul => left.checked_mul(right),
            // A shift that loses bits is an overflow too.
            Self::Shl => {
                let shifted = left.checked_shl(shift?)?;
                (shifted.checked_shr(shift?)? == left).then_some(shifted)
            }
            Self::Shr => left.checked_shr(shift?),
            Self::And => Some(left & right),
            Self::Xor => Some(left ^ right),
            Self::Or => Some(left | right),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn level(&mut self, level: usize) -> Result<Expr, ExprError> {
        let Some(ops) = Op::LEVELS.get(level) else { return self.atom() };
        let mut left = self.level(level + 1)?;
        while let Some(op) = self.take_op(ops) {
            let right = self.level(level + 1)?;
            left = Expr::Pair(Box::new(left), op, Box::new(right));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Result<Expr, ExprError> {
        self.skip_space();
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        match rest.first() {
            Some(b'(') => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(self.error("too many parentheses"));
                }
                self.at += 1;
                let inner = self.level(0)?;
                self.skip_space();
                if self.bytes.get(self.at) != Some(&b')') {
                    return Err(self.error("expected `)`"));
                }
                self.at += 1;
                self.depth -= 1;
                Ok(inner)
            }
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
                let length = rest.iter().take_while(is_word).count();
                let end = self.at + length;
                let word = self.text.get(self.at..end).unwrap_or("");
                let expr = if byte.is_ascii_digit() {
                    Expr::Number(number(word).ok_or_else(|| self.error("not a 64-bit number"))?)
                } else {
                    Expr::Name(word.to_owned())
                };
                self.at = end;
                Ok(expr)
            }
            _ => Err(self.error("expected a number, a name or `(`")),
        }
    }

    fn take_op(&mut self, ops: &[(&str, Op)]) -> Option<Op> {
        self.skip_space();
        let rest = self.text.get(self.at..)?;
        let (word, op) = ops.iter().find(|(word, _)| rest.starts_with(word))?;
        self.at += word.len();
        Some(*op)
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn error(&self, what: &'static str) -> ExprError {
        ExprError::Syntax { text: shortened(self.text), at: self.at, what }
    }
}

/// Bytes of a wrong text that a message quotes.
const MAX_QUOTED: usize = 80;

/// The start of a text, as messages quote it.
pub(crate) fn shortened(text: &str) -> String {
    let kept = text.get(..text.floor_char_boundary(MAX_QUOTED)).unwrap_or(text);
    if kept.len() < text.len() { format!("{kept}...") } else { kept.to_owned() }
}

/// Decimal, or hex with `0x`.
fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str) -> Result<u64, ExprError> {
        let names = |name: &str| (name == "CORE").then_some(Value { number: 5, from_input: None });
        Ok(Expr::parse(text)?.eval(&names)?.number)
    }

    #[test]
    fn precedence_is_the_usual_one() {
        assert_eq!(eval("1 + 2 * 3"), Ok(7));
        assert_eq!(eval("(1 + 2) * 3"), Ok(9));
        assert_eq!(eval("10 - 3 - 2"), Ok(5));
        assert_eq!(eval("CORE & 4"), Ok(4));
        assert_eq!(eval("((CORE & 4) << 45) + 0x10"), Ok((1 << 47) + 16));
        assert_eq!(eval("CORE ^ 1"), Ok(4));
        assert_eq!(eval("1 | 6 & 3"), Ok(3));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(eval("X"), Err(ExprError::UnknownName("X".into())));
        assert_eq!(eval("1 - 2"), Err(ExprError::Overflow));
        assert_eq!(eval("1 << 64"), Err(ExprError::Overflow));
        for bad in ["", "1 +", "(1", "1)", "0xZ", "1 2", "#"] {
            assert!(matches!(eval(bad), Err(ExprError::Syntax { .. })), "{bad}");
        }
        assert!(eval(&"(".repeat(100)).is_err());
    }

    #[test]
    fn the_least_sure_input_counts() {
        let names = |name: &str| {
            let from_input = match name {
                "CORE" => Some(Provenance::Configured),
                "PAGE" => Some(Provenance::File),
                _ => None,
            };
            Some(Value { number: 1, from_input })
        };
        let from = |text: &str| Expr::parse(text).unwrap().eval(&names).unwrap().from_input;
        assert_eq!(from("0x10 + CORE * PAGE"), Some(Provenance::Configured));
        assert_eq!(from("0x10 + PAGE * FIXED"), Some(Provenance::File));
        assert_eq!(from("0x10 + FIXED * 2"), None);
    }
}
