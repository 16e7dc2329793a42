//! Values of a control entry that is to be made.

use serde::{Deserialize, Serialize};

/// A value: a flag, a number, or a text of either; of an algorithm also its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EntryValue {
    /// A flag.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A decimal or `0x` number, `true`, `false`, or a name.
    Text(String),
}
