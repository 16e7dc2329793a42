//! The records of a tree by name: the list with its sizes, bytes on demand, fields with links.
//! Spec: docs/format/kbin.md "Names of records" [observed].

pub mod id;
pub mod bytes;
pub mod links;
mod sources;
pub mod fields;

pub use fields::{FieldValue, Value};
pub use id::{RecordEntry, RecordId};
pub use links::{Link, Target};
