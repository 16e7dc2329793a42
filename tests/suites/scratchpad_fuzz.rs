//! Random loads, unloads and look-ups on a scratchpad against a plain list of loads.

use proptest::prelude::*;

/// Inputs that reach a rare path of the fuzz body.
const FUZZ_CORPUS: [&[u8]; 5] = [
    &[],
    // Paged, 16 bytes a page, two pages: 1 page, then 3 that are not there, then all is given back.
    &[0, 15, 2, 0, 8, 0, 0, 0, 24, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
    // Contiguous: 4 pages, then 1; the larger one goes first.
    &[1, 0, 9, 0, 32, 0, 0, 0, 8, 0, 0, 1, 0, 0, 0, 2, 0, 0, 8, 2, 7, 9, 255],
    // Sizes near 2^64, and slices there.
    &[0, 0, 9, 0, 250, 0, 0, 2, 250, 255, 250, 3, 250, 0, 0, 3, 255, 0, 0],
    // An empty load has no reference.
    &[0, 7, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
];

#[test]
fn fuzz_corpus_is_replayed() {
    for data in FUZZ_CORPUS {
        support::fuzz_scratchpad::run(data);
    }
}

proptest! {
    #[test]
    fn random_loads_agree_with_a_plain_list(data in proptest::collection::vec(any::<u8>(), 0..120)) {
        support::fuzz_scratchpad::run(&data);
    }
}
