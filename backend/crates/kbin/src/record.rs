//! The records of a tree by name: the list with its sizes, bytes on demand, fields with links.
//! Spec: docs/format/kbin.md "Names of records" [observed].

pub mod id;
pub mod bytes;
mod rows;
pub mod links;
mod sources;
mod value;
pub mod fields;

pub use fields::FieldValue;
pub use id::{RecordEntry, RecordId};
pub use links::{Link, Target};
pub use value::Value;
