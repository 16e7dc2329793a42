//! The text form of the firmware's printer, and the same as strict JSON.
//!
//! Both are written from a tree, so that they, and the count of writes of each printing function,
//! come from one description.
//! Spec: docs/format/collectives.md "Printed text" [inferred].

use std::fmt::Write;

use records::collectives::printers::{STATUS_FULL, TEXT_ROOM};

/// What is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A number.
    Number(u64),
    /// A number that the printer writes as a pointer.
    Pointer(u64),
    /// An address: 16 upper-case hex digits in quotes.
    Address(u64),
    /// Text.
    Text(String),
    /// Members with their keys.
    Object(Vec<Member>),
    /// Elements without keys.
    List(Vec<Node>),
    /// What a printing function of its own writes.
    Call(&'static str, Box<Node>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Key.
    pub key: String,
    /// Whether the key has a number in it, which costs a write.
    pub numbered: bool,
    /// Value.
    pub node: Node,
}

/// A member with a plain key.
pub fn member(key: &str, node: Node) -> Member {
    Member { key: key.to_owned(), numbered: false, node }
}

/// A member with a plain number.
pub fn number(key: &str, value: impl Into<u64>) -> Member {
    member(key, Node::Number(value.into()))
}

/// Which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// As the firmware's library prints it; pointers make it no JSON.
    Firmware,
    /// JSON: pointers are plain numbers.
    Strict,
}

/// A printed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The text; cut at the room that the printer has.
    pub text: String,
    /// What the printer answers: 0, or 28 when its room was too small.
    pub status: u32,
}

/// Prints a tree as a whole document.
pub fn print(root: &Node, form: TextForm) -> Printed {
    let mut text = String::new();
    write_node(&mut text, 0, None, root, true, form);
    let status = if text.len() > TEXT_ROOM { STATUS_FULL } else { 0 };
    if status != 0 && form == TextForm::Firmware {
        let mut end = TEXT_ROOM;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    Printed { text, status }
}

/// Prints one member at a level, with the comma that follows it if it is not the last.
pub fn print_member(member: &Member, indent: usize, last: bool, form: TextForm) -> String {
    let mut text = String::new();
    write_node(&mut text, indent, Some(&member.key), &member.node, last, form);
    text
}

fn write_node(
    out: &mut String,
    indent: usize,
    key: Option<&str>,
    node: &Node,
    last: bool,
    form: TextForm,
) {
    if let Node::Call(_, inner) = node {
        return write_node(out, indent, key, inner, last, form);
    }
    // Writing to a string does not fail.
    let _ = write!(out, "{:indent$}", "");
    if let Some(key) = key {
        let _ = write!(out, "\"{key}\": ");
    }
    let _ = match node {
        Node::Number(value) => write!(out, "{value}"),
        Node::Pointer(0) if form == TextForm::Firmware => write!(out, "(nil)"),
        Node::Pointer(value) if form == TextForm::Firmware => write!(out, "{value:#x}"),
        Node::Pointer(value) => write!(out, "{value}"),
        Node::Address(value) => write!(out, "\"0x{value:016X}\""),
        Node::Text(text) if form == TextForm::Firmware => write!(out, "\"{text}\""),
        Node::Text(text) => write!(out, "\"{}\"", escaped(text)),
        Node::Object(members) => {
            out.push_str("{\n");
            for (index, one) in members.iter().enumerate() {
                let last = index + 1 == members.len();
                write_node(out, indent + 2, Some(&one.key), &one.node, last, form);
            }
            write!(out, "{:indent$}}}", "")
        }
        Node::List(nodes) => {
            out.push_str("[\n");
            for (index, one) in nodes.iter().enumerate() {
                write_node(out, indent + 2, None, one, index + 1 == nodes.len(), form);
            }
            write!(out, "{:indent$}]", "")
        }
        Node::Call(..) => Ok(()),
    };
    out.push_str(if last { "\n" } else { ",\n" });
}

/// Text with what JSON does not allow in it escaped.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
        out
    })
}
