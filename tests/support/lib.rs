//! Support for the test suites.

pub mod fuzz_pc_map;
