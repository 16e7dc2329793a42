//! Opens any bytes as a NEFF; the body and its oracle are in `tests/support/fuzz.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz::open_neff(data));
