//! Random records and groups against what every plan of collectives must keep.

use proptest::prelude::*;

/// Inputs that reach a rare path of the fuzz body.
const FUZZ_CORPUS: [&[u8]; 4] = [
    &[],
    // One all-reduce of two ranks.
    &[2, 0, 1, 2, 0, 1, 2, 3, 4, 1, 16, 0, 0, 4, 10, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 32],
    // Two programs: a send, and nothing that receives it.
    &[3, 0, 1, 2, 0, 1, 2, 3, 4, 3, 16, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
    // A chain that never ends, and ranks of all ones.
    &[
        4, 255, 255, 255, 255, 0, 0, 0, 0, 4, 16, 0, 0, 4, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        5, 1,
    ],
];

#[test]
fn fuzz_corpus_is_replayed() {
    for data in FUZZ_CORPUS {
        support::fuzz_collectives::run(data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn random_programs_have_sound_plans(data in proptest::collection::vec(any::<u8>(), 0..400)) {
        support::fuzz_collectives::run(&data);
    }
}
