//! Takes any bytes for firmware memory; the body and its oracle are in
//! `tests/support/fuzz_firmware.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| support::fuzz_firmware::run(data));
