//! The record language of profiles: one line names a record macro, its arguments, bytes to
//! override and a condition, for example `BR(@start) b03=2` or `POST if data`.
//! Spec: docs/format/profiles.md "Record language".

use records::Slot;
use records::build::Draft;

use crate::condition::{self, Condition};
use crate::expr::{Expr, ExprError, shortened};

/// A record macro: how many slots it gives and what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Macro {
    /// `NOTIFY(phase)`
    Notify,
    /// `ORDER`
    Order,
    /// `W1(address, value)`
    Write,
    /// `W2(address, value, address, value)`
    WriteTwo,
    /// `DRAIN` or `DRAIN(n)`
    Drain,
    /// `HALT`
    Halt,
    /// `EVW(event)`
    EventWait,
    /// `EVS(event)`
    EventSet,
    /// `LD(address, register)`
    Load,
    /// `ST(address, register)`
    Store,
    /// `JUMP`: to registers 1 and 2
    Jump,
    /// `CLR(first, last)`: semaphores
    ClearRange,
    /// `SEMS(first, last)`: one slot for each semaphore
    ResetEach,
    /// `GATE(semaphore)`: wait until positive, then decrement
    Gate,
    /// `ARRIVE(semaphore, count)`: wait for a count, then decrement
    Arrive,
    /// `BAR(n)`: barrier of the five engines, 4 slots, 3 on SP
    Barrier,
    /// `NOP`
    Nop,
    /// `OP(opcode)`: all else by overrides
    Op,
    /// `RESET`: reset of the queue in scope
    QueueReset,
    /// `RING`: 13 slots that set up the queue in scope
    QueueRing,
    /// `POST`: posts the write side of the queue in scope
    QueuePost,
    /// `TABLE(dma engine, read base, write base)`: 4 slots that set up a table ring
    TableRing,
}

impl Macro {
    /// Name and number of arguments, smallest and largest.
    const TABLE: [(&'static str, Macro, usize, usize); 22] = [
        ("NOTIFY", Self::Notify, 1, 1),
        ("ORDER", Self::Order, 0, 0),
        ("W1", Self::Write, 2, 2),
        ("W2", Self::WriteTwo, 4, 4),
        ("DRAIN", Self::Drain, 0, 1),
        ("HALT", Self::Halt, 0, 0),
        ("EVW", Self::EventWait, 1, 1),
        ("EVS", Self::EventSet, 1, 1),
        ("LD", Self::Load, 2, 2),
        ("ST", Self::Store, 2, 2),
        ("JUMP", Self::Jump, 0, 0),
        ("CLR", Self::ClearRange, 2, 2),
        ("SEMS", Self::ResetEach, 2, 2),
        ("GATE", Self::Gate, 1, 1),
        ("ARRIVE", Self::Arrive, 2, 2),
        ("BAR", Self::Barrier, 1, 1),
        ("NOP", Self::Nop, 0, 0),
        ("OP", Self::Op, 1, 1),
        ("RESET", Self::QueueReset, 0, 0),
        ("RING", Self::QueueRing, 0, 0),
        ("POST", Self::QueuePost, 0, 0),
        ("TABLE", Self::TableRing, 3, 3),
    ];

    /// All names, for messages.
    fn names() -> String {
        Self::TABLE.map(|entry| entry.0).join(" ")
    }
}

/// Where a branch goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The first slot of a step.
    Step(String),
    /// So many slots from the branch itself.
    Slots(u16),
}

/// What a line makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A macro with its arguments.
    Plain(Macro, Vec<Expr>),
    /// `BR(target)`, or `BRZ(target)`, which is taken when register 0 is 0.
    Branch {
        /// Where to.
        target: Target,
        /// Whether only when register 0 is 0.
        if_zero: bool,
    },
}

/// A byte field that a line sets after the macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSet {
    /// Byte offset in the record.
    pub at: usize,
    /// Width in bytes: 1, 2, 4 or 8.
    pub width: usize,
    /// Value.
    pub value: Expr,
}

impl FieldSet {
    /// Writes a value to the field of a record.
    ///
    /// # Errors
    /// The value is wider than the field: the record would hold another one than the profile names.
    pub fn write(&self, slot: Slot, value: u64) -> Result<Slot, ExprError> {
        let bytes = value.to_le_bytes();
        let (own, above) = bytes.split_at_checked(self.width).unwrap_or((&bytes, &[]));
        if above.iter().any(|byte| *byte != 0) {
            return Err(ExprError::TooWide { value, bytes: self.width });
        }
        Ok(Draft::of(slot).bytes(self.at, own).slot())
    }
}

/// One parsed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The record.
    pub form: Form,
    /// Fields set afterwards.
    pub fields: Vec<FieldSet>,
    /// Condition.
    pub gate: Option<Condition>,
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No macro of this name.
    #[error("no record macro `{0}`; the macros are BR BRZ {names}", names = Macro::names())]
    UnknownMacro(String),
    /// Wrong number of arguments.
    #[error("`{name}` takes {least} to {most} arguments, {found} given")]
    Arguments {
        /// Macro name.
        name: &'static str,
        /// Smallest number.
        least: usize,
        /// Largest number.
        most: usize,
        /// Number given.
        found: usize,
    },
    /// The parenthesis of the arguments is left open.
    #[error("the arguments have no closing `)`")]
    Unclosed,
    /// A branch target is neither `@step` nor a number of slots.
    #[error("`{0}` is no branch target; write `@step` or a number of slots")]
    Target(String),
    /// A trailing word is no field, or lies outside the record.
    #[error("`{0}` is no field; write `b0C=1`, `u16@12=1`, `u32@24=1` or `u64@10=1`")]
    Field(String),
    /// Unknown condition.
    #[error("no condition `{0}`; the words are {words}", words = condition::words())]
    Gate(String),
    /// An argument is no expression.
    #[error(transparent)]
    Expr(#[from] ExprError),
}

impl Line {
    /// Parses one line.
    pub fn parse(text: &str) -> Result<Self, LineError> {
        let (text, gate) = match text.rsplit_once(" if ") {
            Some((text, word)) => (text, Some(Condition::parse(word).map_err(LineError::Gate)?)),
            None => (text, None),
        };
        let text = text.trim();
        let name_end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        let (name, rest) = text.split_at(name_end);
        let (arguments, rest) = split_arguments(rest).ok_or(LineError::Unclosed)?;
        let fields = rest.split_whitespace().map(field).collect::<Result<_, _>>()?;
        Ok(Self { form: form(name, &arguments)?, fields, gate })
    }
}

fn form(name: &str, arguments: &[&str]) -> Result<Form, LineError> {
    if let Some((name, if_zero)) = [("BR", false), ("BRZ", true)].into_iter().find(|b| b.0 == name)
    {
        let [argument] = arguments else {
            return Err(LineError::Arguments { name, least: 1, most: 1, found: arguments.len() });
        };
        let target = match argument.strip_prefix('@') {
            Some(step) => Target::Step(step.to_owned()),
            None => {
                let slots = Some(*argument).filter(|text| is_digits(text, 10));
                let slots = slots.and_then(|text| text.parse().ok());
                Target::Slots(slots.ok_or_else(|| LineError::Target(shortened(argument)))?)
            }
        };
        return Ok(Form::Branch { target, if_zero });
    }
    let (name, which, least, most) = Macro::TABLE
        .into_iter()
        .find(|entry| entry.0 == name)
        .ok_or_else(|| LineError::UnknownMacro(shortened(name)))?;
    let found = arguments.len();
    if found < least || found > most {
        return Err(LineError::Arguments { name, least, most, found });
    }
    let arguments = arguments.iter().map(|text| Expr::parse(text)).collect::<Result<_, _>>()?;
    Ok(Form::Plain(which, arguments))
}

/// Splits `(a, b) rest` into the arguments and the rest; no parenthesis means no arguments, `None`
/// that it is not closed. Commas inside nested parentheses do not occur in expressions.
fn split_arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let Some(inner) = text.strip_prefix('(') else { return Some((Vec::new(), text)) };
    let mut depth = 1_usize;
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let (list, rest) = inner.split_at(at);
            return Some((list.split(',').map(str::trim).collect(), rest.get(1..).unwrap_or("")));
        }
    }
    None
}

/// Whether a text is digits only: the parsers of numbers take a sign too.
fn is_digits(text: &str, radix: u32) -> bool {
    text.chars().all(|c| c.is_digit(radix))
}

/// `b0C=1`, `u16@12=1`, `u32@24=1`, `u64@10=1`; the offset is hex.
fn field(text: &str) -> Result<FieldSet, LineError> {
    let error = || LineError::Field(shortened(text));
    let (place, value) = text.split_once('=').ok_or_else(error)?;
    let widths = [("u16@", 2), ("u32@", 4), ("u64@", 8), ("b", 1)];
    let (offset, width) = widths
        .into_iter()
        .find_map(|(prefix, width)| Some((place.strip_prefix(prefix)?, width)))
        .ok_or_else(error)?;
    let offset = Some(offset).filter(|text| is_digits(text, 16)).ok_or_else(error)?;
    let at = usize::from_str_radix(offset, 16).map_err(|_| error())?;
    if at.checked_add(width).is_none_or(|end| end > records::SLOT_BYTES) {
        return Err(error());
    }
    Ok(FieldSet { at, width, value: Expr::parse(value)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_arguments_fields_and_a_condition() {
        let line = Line::parse("W1(SEQ + (1 * 4), 0) b06=0x11 u32@24=5 if activation-set").unwrap();
        assert!(matches!(&line.form, Form::Plain(Macro::Write, args) if args.len() == 2));
        let fields: Vec<_> = line.fields.iter().map(|field| (field.at, field.width)).collect();
        assert_eq!(fields, [(0x06, 1), (0x24, 4)]);
        assert_eq!(line.gate, Some(Condition::parse("activation-set").unwrap()));
    }

    #[test]
    fn branches_name_a_step_or_a_number_of_slots() {
        let target = |text| match Line::parse(text).unwrap().form {
            Form::Branch { target, if_zero } => (target, if_zero),
            other => panic!("{other:?}"),
        };
        assert_eq!(target("BR(@gate) b03=2"), (Target::Step("gate".into()), false));
        assert_eq!(target("BRZ(2)"), (Target::Slots(2), true));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| Line::parse(text).unwrap_err();
        assert_eq!(error("NOSUCH(1)"), LineError::UnknownMacro("NOSUCH".into()));
        assert!(matches!(error("W1(1)"), LineError::Arguments { found: 1, .. }));
        assert!(matches!(error("BR(x)"), LineError::Target(_)));
        assert!(matches!(error("HALT b40=1"), LineError::Field(_)));
        assert!(matches!(error("HALT u64@39=1"), LineError::Field(_)));
        assert!(matches!(error("HALT if never"), LineError::Gate(_)));
        assert!(matches!(error("W1(1 +, 2)"), LineError::Expr(_)));
        assert_eq!(error("W1(1, 2"), LineError::Unclosed);
        assert_eq!(error("NOP b+C=1"), LineError::Field("b+C=1".into()));
        assert_eq!(error("BR(+1)"), LineError::Target("+1".into()));
        // A message quotes the start of a long text.
        let long = format!("W1({}1, 2)", "1+".repeat(1000));
        assert!(error(&long).to_string().len() < 200);
        let long = "N".repeat(9999);
        assert!(error(&long).to_string().len() < 400);
        assert!(matches!(error(""), LineError::UnknownMacro(_)));
    }
}
