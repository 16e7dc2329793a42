//! Support for the test suites.

pub mod case;
pub mod slot_text;
pub mod debug_member;
pub mod tar_writer;
pub mod ntff_writer;
pub mod trace_builder;
pub mod pair_builder;
pub mod neff_builder;
pub mod many_descriptors;
pub mod program;
pub mod pair;
pub mod fixtures;
pub mod golden;
pub mod asking;
pub mod door;
pub mod real_files;
pub mod fuzz;
pub mod fuzz_pc_map;
pub mod fuzz_printed;
pub mod fuzz_log;
pub mod fuzz_ntff;
pub mod fuzz_kbin;
pub mod kbin_tree;
pub mod fuzz_scratchpad;
pub mod fuzz_size;
pub mod collective_run;
pub mod fuzz_collectives;
pub mod dump_writer;
pub mod fuzz_firmware;

pub use fixtures::{rebuild_fixtures, workspace_root};
