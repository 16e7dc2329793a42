//! Takes any bytes for records and groups; the body and its oracle are in
//! `tests/support/fuzz_collectives.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_collectives::run(data));
