//! Takes any bytes for a patch list; the body and its oracle are in `tests/support/fuzz_pc_map.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_pc_map::run(data));
