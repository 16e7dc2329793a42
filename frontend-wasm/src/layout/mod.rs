//! What the views show and how they move, without a browser.
//!
//! Pure Rust: no `web-sys`, no clock, no I/O, so that every rule here has a native test.
//! A module uses only modules listed above it.

pub mod state;

pub mod action;
