//! The order in which a loader meets what it stops at: documents key by key, then the root member by
//! member.
//! Spec: docs/format/kbin.md "Building" [observed].

use super::notes::Notes;

/// Codes of gates and refusals, in the order of a loader's steps. Those of one step stay in the order
/// of the file.
const STEPS: [&[&str]; 13] = [
    &["kbin.no-definition", "kbin.no-var"],
    // Each variable as it is read.
    &[
        "kbin.var-type",
        "kbin.var-kind",
        "kbin.var-id",
        "kbin.alignment",
        "kbin.pointer-size",
        "kbin.npy",
    ],
    &["kbin.no-output"],
    &["kbin.var-ids"],
    &["kbin.owner"],
    &["kbin.ucode-version", "kbin.ucode-twice", "kbin.ucode-cpus"],
    &["kbin.carveout-missing", "kbin.carveout-type"],
    &["kbin.dma-op", "kbin.dma-size", "kbin.cce-dtype"],
    &["kbin.engine-empty", "kbin.code-size"],
    // From here the root is filled.
    &["kbin.semaphores", "kbin.act-queues"],
    &["kbin.dtype-text", "kbin.shape"],
    &["kbin.act-functions"],
    &["kbin.target"],
];

/// The step of a code. What comes after all subgraphs are built, or is looked at on the device, is
/// behind the last one.
fn step(code: &str) -> usize {
    STEPS.iter().position(|codes| codes.contains(&code)).unwrap_or(STEPS.len())
}

/// Puts gates and refusals in the order of a loader.
pub fn in_order(notes: &mut Notes) {
    notes.gates.sort_by_key(|gate| step(gate.code));
    notes.refusals.sort_by_key(|refusal| step(refusal.code));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_step() {
        let mut all: Vec<&str> = STEPS.iter().flat_map(|codes| codes.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(step("kbin.owner") < step("kbin.semaphores"));
        assert!(step("kbin.target") < step("kbin.remote"));
    }
}
