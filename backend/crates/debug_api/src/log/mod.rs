//! Runtime log text: what each line says, without any file.
//!
//! Purpose: find in pasted text the values that lead into a program: engines, device PCs, NEFF
//! IPs, feature masks, status codes, device and core ids. Input: any text. Output: [`Line`]s with
//! the values as they were read, and notes about what was cut. Places in a file are not this
//! module's business, except that [`solve`] fits bases to a PC map. Scanners are written by hand:
//! the browser carries this code too. Formats: docs/format/logs.md.

pub mod scan;
pub mod codes;
pub mod line;
pub mod ids;
pub mod rules;
pub mod read;
pub mod clean;
pub mod parse;
pub mod text;
pub mod solve;

pub use line::{Features, Kind, Lead, Line, Phase, Point};
pub use parse::{LogLimits, Note, Parsed, parse};
