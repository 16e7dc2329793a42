//! The device memory that a capture reports, by category.
//! Spec: docs/format/ntff.md "Memory" [observed].

use records::Provenance;

/// Version of the runtime that wrote a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeVersion {
    /// Major.
    pub major: u64,
    /// Minor.
    pub minor: u64,
    /// Patch.
    pub patch: u64,
    /// Commit, 40 hexadecimal digits in known files; may be empty.
    pub commit: String,
}

impl std::fmt::Display for RuntimeVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Bytes of one category.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// Number, version 4; an absent one is 0.
    pub category: Option<u64>,
    /// Bytes.
    pub bytes: u64,
    /// Name, version 5.
    pub name: Option<String>,
}

impl MemoryUse {
    /// The name, as the file gives it or by its number; `None` for a number without a known name.
    pub fn known_name(&self, runtime: &RuntimeVersion) -> Option<(&str, Provenance)> {
        match &self.name {
            Some(name) => Some((name, Provenance::File)),
            None => category_name(runtime, self.category.unwrap_or(0)),
        }
    }
}

/// Names by number, in runtimes after 2.23.
const NAMES: [&str; 22] = [
    "generic",
    "pe",
    "act",
    "pool",
    "io",
    "spill",
    "weight",
    "profiler buffers",
    "act table",
    "dve",
    "sp",
    "shared scratchpad",
    "tensor",
    "ucode",
    "pool stdio",
    "collectives",
    "scratchpad",
    "xt cc",
    "dma rings runtime",
    "dma rings spill",
    "dma rings io",
    "dma rings collectives",
];

/// Name of a category number in a runtime. Runtimes of which no capture is known are taken for
/// their nearest neighbor, and the name is then inferred.
pub fn category_name(runtime: &RuntimeVersion, number: u64) -> Option<(&'static str, Provenance)> {
    let release = (runtime.major, runtime.minor);
    let known = matches!(release, (2, 23 | 25 | 27));
    let provenance = if known { Provenance::Observed } else { Provenance::Inferred };
    let index = match number {
        // One number lies between 8 and dve, another between sp and tensor; nobody names them.
        9 | 12 | 16.. if release <= (2, 23) => return None,
        10 | 11 | 13.. if release <= (2, 23) => number.checked_sub(1)?,
        _ => number,
    };
    let name = NAMES.get(usize::try_from(index).ok()?)?;
    Some((name, provenance))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(minor: u64) -> Vec<Option<(&'static str, Provenance)>> {
        let runtime = RuntimeVersion { major: 2, minor, ..RuntimeVersion::default() };
        (0..24).map(|number| category_name(&runtime, number)).collect()
    }

    #[test]
    fn numbers_of_two_runtimes() {
        let of = |minor: u64, number: usize| names(minor)[number].map(|(name, _)| name);
        for minor in [23, 25] {
            assert_eq!(of(minor, 0), Some("generic"));
            assert_eq!(of(minor, 8), Some("act table"));
        }
        let shifted = [
            (10, Some("dve")),
            (11, Some("sp")),
            (13, Some("tensor")),
            (14, Some("ucode")),
            (15, Some("pool stdio")),
            (9, None),
            (12, None),
            (16, None),
            (18, None),
        ];
        for (number, name) in shifted {
            assert_eq!(of(23, number), name, "{number}");
        }
        assert_eq!(
            (of(25, 9), of(25, 12), of(25, 21)),
            (Some("dve"), Some("tensor"), Some("dma rings collectives"))
        );
        assert_eq!(of(25, 22), None);
    }

    #[test]
    fn runtimes_without_a_capture_are_inferred() {
        assert_eq!(names(23)[1], Some(("pe", Provenance::Observed)));
        assert_eq!(names(24)[9], Some(("dve", Provenance::Inferred)));
        assert_eq!(names(22)[10], Some(("dve", Provenance::Inferred)));
    }

    #[test]
    fn a_name_in_the_file_counts() {
        let memory = MemoryUse { category: None, bytes: 1, name: Some("new kind".to_owned()) };
        let known = memory.known_name(&RuntimeVersion::default());
        assert_eq!(known, Some(("new kind", Provenance::File)));
    }
}
