//! What the views show and how they move, without a browser.
//!
//! Pure Rust: no `web-sys`, no clock, no I/O, so that every rule here has a native test.
//! A module uses only modules listed above it.

pub mod json;

pub mod dirty;

pub mod store;

pub mod token;

pub mod log;

pub mod wanted;

pub mod format;

pub mod hex;

pub mod bytediff;

pub mod bytes;
pub mod bytes_copy;

pub mod inspect;

pub mod value;

pub mod drawing;

pub mod uses;

pub mod dumps;

pub mod loader;

pub mod structs;
pub mod struct_tree;

pub mod memory;

pub mod collectives;
pub mod timeline;

pub mod simulate;

pub mod compare;

pub mod kinds;

pub mod purpose;

pub mod state;

pub mod lone;

pub mod refused;

pub mod effect;

pub mod action;

pub mod trail;

pub mod place;

pub mod link;

pub mod overview;

pub mod ips;

pub mod lens;

pub mod marks;

pub mod strips;

pub mod minimap;

pub mod labels;

pub mod tree;

pub mod rows;

pub mod url;

pub mod keys;

pub mod commands;

pub mod update;
