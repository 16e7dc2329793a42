//! Opens any bytes as a capture; the body and its oracle are in `tests/support/fuzz_ntff.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_ntff::run(data));
