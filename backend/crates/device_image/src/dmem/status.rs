//! Status codes of the runtime, by value and name.

/// Result of a call into the runtime.
/// Spec: docs/format/memory.md "Status codes" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(pub u32);

/// How much a status matters when several cores report one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing happened.
    None,
    /// Another core may have more to say.
    Medium,
    /// The execution is lost.
    High,
    /// The device is suspect.
    Critical,
}

const NAMES: [(u32, &str); 27] = [
    (0, "SUCCESS"),
    (1, "FAILURE"),
    (2, "INVALID"),
    (3, "INVALID_HANDLE"),
    (4, "RESOURCE"),
    (5, "TIMEOUT"),
    (6, "HW_ERROR"),
    (7, "QUEUE_FULL"),
    (9, "LOAD_NOT_ENOUGH_NC"),
    (10, "UNSUPPORTED_NEFF_VERSION"),
    (11, "FAIL_HOST_MEM_ALLOC"),
    (13, "UNINITIALIZED"),
    (14, "CLOSED"),
    (15, "QUEUE_EMPTY"),
    (101, "EXEC_UNIT_UNRECOVERABLE"),
    (1002, "EXEC_BAD_INPUT"),
    (1003, "EXEC_COMPLETED_WITH_NUM_ERR"),
    (1004, "EXEC_COMPLETED_WITH_ERR"),
    (1005, "EXEC_NC_BUSY"),
    (1006, "EXEC_OOB"),
    (1100, "COLL_PENDING"),
    (1200, "EXEC_HW_ERR_COLLECTIVES"),
    (1201, "EXEC_HW_ERR_HBM_UE"),
    (1202, "EXEC_HW_ERR_NC_UE"),
    (1203, "EXEC_HW_ERR_DMA_ABORT"),
    (1204, "EXEC_SW_NQ_OVERFLOW"),
    (1205, "EXEC_HW_ERR_REPAIRABLE_HBM_UE"),
];

impl Status {
    /// The call did what was asked.
    pub const SUCCESS: Self = Self(0);
    /// No code of its own.
    pub const FAILURE: Self = Self(1);
    /// An argument is not valid.
    pub const INVALID: Self = Self(2);
    /// Device memory or another resource ran out.
    pub const RESOURCE: Self = Self(4);
    /// The host ran out of memory.
    pub const FAIL_HOST_MEM_ALLOC: Self = Self(11);

    /// The name without its prefix `NRT_`; `UNKNOWN` for a value without one.
    pub fn name(self) -> &'static str {
        if self.0 == 1206 {
            return "NETWORK_PROXY_FAILURE";
        }
        NAMES.iter().find(|(value, _)| *value == self.0).map_or("UNKNOWN", |(_, name)| name)
    }

    /// How much it matters among those of several cores.
    pub const fn severity(self) -> Severity {
        match self.0 {
            0 => Severity::None,
            5 | 6 | 1200 | 1204 | 1206 => Severity::High,
            1004 | 1005..=1203 | 1205 => Severity::Critical,
            _ => Severity::Medium,
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {} ({})", self.0, self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_severities_as_published() {
        let table = [
            (0, "SUCCESS", Severity::None),
            (4, "RESOURCE", Severity::Medium),
            (5, "TIMEOUT", Severity::High),
            (6, "HW_ERROR", Severity::High),
            (8, "UNKNOWN", Severity::Medium),
            (11, "FAIL_HOST_MEM_ALLOC", Severity::Medium),
            (12, "UNKNOWN", Severity::Medium),
            (101, "EXEC_UNIT_UNRECOVERABLE", Severity::Medium),
            (1003, "EXEC_COMPLETED_WITH_NUM_ERR", Severity::Medium),
            (1004, "EXEC_COMPLETED_WITH_ERR", Severity::Critical),
            (1006, "EXEC_OOB", Severity::Critical),
            (1200, "EXEC_HW_ERR_COLLECTIVES", Severity::High),
            (1203, "EXEC_HW_ERR_DMA_ABORT", Severity::Critical),
            (1204, "EXEC_SW_NQ_OVERFLOW", Severity::High),
            (1205, "EXEC_HW_ERR_REPAIRABLE_HBM_UE", Severity::Critical),
            (1206, "NETWORK_PROXY_FAILURE", Severity::High),
            (1207, "UNKNOWN", Severity::Medium),
        ];
        for (value, name, severity) in table {
            assert_eq!((Status(value).name(), Status(value).severity()), (name, severity));
        }
    }
}
