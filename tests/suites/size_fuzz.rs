//! Sizes that people type, against a plain reading of the same grammar.

use proptest::prelude::*;

/// Inputs that reach a rare path of the fuzz body.
const FUZZ_CORPUS: [&[u8]; 22] = [
    b"",
    b"4096",
    b"-1",
    b"+1",
    b"0x1000",
    b"0X_ff_",
    b"0x",
    b"0x10000000000000000",
    b"512 MiB",
    b"1.5 gib",
    b"1.999999999EiB",
    b"15.999999999 EiB",
    b"16 EiB",
    b"1. GiB",
    b"1.5",
    b"1,024 KiB",
    b"1,5 GiB",
    b",024",
    b"1_0__0_",
    b"18446744073709551615 b",
    b"\xff\xfe 3 b",
    "\u{3000}7\u{2003}KiB\u{85}".as_bytes(),
];

#[test]
fn fuzz_corpus_is_replayed() {
    for data in FUZZ_CORPUS {
        support::fuzz_size::run(data);
    }
}

proptest! {
    #[test]
    fn random_texts_are_read_alike(text in "[0-9a-fA-F_,.xX +-]{0,12}(B|b|[kKmMgGtTpPeE]i?[bB])?\\PC?") {
        support::fuzz_size::run(text.as_bytes());
    }

    #[test]
    fn random_bytes_are_read_alike(data in proptest::collection::vec(any::<u8>(), 0..24)) {
        support::fuzz_size::run(&data);
    }
}
