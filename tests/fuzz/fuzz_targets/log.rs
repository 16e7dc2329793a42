//! Takes any bytes for a runtime log; the body and its oracle are in `tests/support/fuzz_log.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_log::run(data));
