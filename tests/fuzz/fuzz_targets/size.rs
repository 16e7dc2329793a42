//! Takes any bytes for a size that somebody types; the body and its oracle are in
//! `tests/support/fuzz_size.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_size::run(data));
