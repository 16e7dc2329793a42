//! The neffscope server and command line.
//!
//! Purpose: fetch bytes, hand them to `debug_api`, show its answers as text, JSON or pages. This
//! crate knows nothing of byte layouts; everything about a file comes from `debug_api`.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod format;
pub mod io_words;
pub mod runs;
pub mod jobs;
pub mod library;
pub mod assets;
pub mod failure;
pub mod guard;
pub mod api;
pub mod run_api;
pub mod export;
pub mod log_form;
pub mod page_model;
pub mod page_parts;
pub mod view_query;
pub mod listing;
pub mod listing_structs;
pub mod memory_page;
pub mod collectives_page;
mod page_frame;
pub mod text;
pub mod run_page;
mod capture_page;
mod pages;
mod start_page;
pub mod log_text;
pub mod log_page;
pub mod scratchpad_page;
pub mod spad_page;
pub mod tsync_page;
pub mod router;
pub mod serve;
pub mod cli;
