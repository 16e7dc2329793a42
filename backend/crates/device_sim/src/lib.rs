//! The device simulator: engines, DMA rings and the host as a deterministic run.
//!
//! Purpose: say when what happens, and why nothing happens any more. Input: device images with the
//! queues of their program, a timing model, choices. Output: events in the order of time, an
//! outcome (finished, deadlock, fault, budget) and what it takes to explain it. This crate knows
//! nothing of HTTP, of the browser, or of who keeps events.
//!
//! The same input gives the same events. What a device does where nothing is published is a model;
//! docs/format/simulator.md says where.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod gate;
pub mod event;
pub mod timing;
pub mod region;
pub mod input;
pub mod address;
pub mod fault;
pub mod register;
pub mod branch;
pub mod op;
pub mod calibrate;
pub mod rings;
mod parts;
pub mod core;
pub mod bus;
pub mod host;
pub mod exec;
mod walker;
pub mod fabric;
pub mod what_if;
pub mod machine;
pub mod state;
pub mod posters;
pub mod fabric_stuck;
pub mod race;
pub mod unposted;
pub mod disorder;
mod clock;
pub mod ordering;
pub mod stuck;
pub mod graph;
pub mod words;
pub mod from_neff;

pub use event::{Actor, Event, EventKind, Sink};
pub use machine::{Machine, Outcome};
