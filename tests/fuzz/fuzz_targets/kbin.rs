//! Builds trees of records from any documents; the body and its oracle are in
//! `tests/support/fuzz_kbin.rs`.
#![no_main]

use std::sync::OnceLock;
use support::case::Case;

static BASE: OnceLock<Case> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let base = BASE.get_or_init(|| {
        support::fixtures::case(&support::workspace_root(), "every-record").expect("the case is stored")
    });
    let _ = support::fuzz_kbin::run(base, data);
});
