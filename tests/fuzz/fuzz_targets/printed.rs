//! Takes any bytes for the printer's text; the body and its oracle are in
//! `tests/support/fuzz_printed.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_printed::run(data));
