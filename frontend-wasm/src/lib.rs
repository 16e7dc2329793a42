//! The browser application: Regions, Code, Source and the details drawer.
//!
//! Purpose: show the answers of [`debug_api`] and let a person move through them. Input: answers,
//! keys and pointer events. Output: DOM. Everything that can be decided without a browser lives in
//! [`layout`] as plain Rust with native tests; only [`dom`], [`paint`] and [`panel`] touch `web-sys`.
//! One [`layout::state::State`], one [`layout::action::Action`], one pure
//! [`layout::update::update`]; then the panels that became dirty render once a frame.
//! This crate knows nothing of file formats: a view that needs more makes an answer grow.

pub mod layout;

pub mod dom;

pub mod paint;

pub mod panel;
