//! Takes any bytes for loads, unloads and look-ups; the body and its oracle are in
//! `tests/support/fuzz_scratchpad.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_scratchpad::run(data));
