//! Status codes of the runtime: number, name, what it means and what to do, in our words.

use super::scan::{has_word, number, tokens, words};

/// A status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusCode {
    /// Value.
    pub code: u32,
    /// Name without its prefix `NRT_`.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What to look at next.
    pub advice: &'static str,
}

/// Name of a value that no runtime names.
pub const UNKNOWN: &str = "UNKNOWN";

macro_rules! table {
    ($($code:literal $name:ident $meaning:literal $advice:literal;)*) => {
        /// All status codes, by value; 8 and 12 are unused.
        /// Spec: docs/format/logs.md "Status codes" [observed: numbers and names].
        pub const STATUS_CODES: &[StatusCode] = &[$(StatusCode {
            code: $code,
            name: stringify!($name),
            meaning: $meaning,
            advice: $advice,
        },)*];
    };
}

table! {
    0 SUCCESS "The call did what was asked."
        "Nothing to do.";
    1 FAILURE "The call failed for a reason that has no code of its own."
        "Read the lines above it: the first ERROR names the cause.";
    2 INVALID "An argument or the NEFF is not valid: a broken file, an unknown target, a wrong input."
        "Open the NEFF here and read its findings; compare its target with the device.";
    3 INVALID_HANDLE "The model or tensor handle is unknown, or was freed already."
        "Check the order of load, execute and unload in the program.";
    4 RESOURCE "Something ran out, most often device memory while a model was loaded."
        "Read the usage table near this line: it says which kind of memory is full.";
    5 TIMEOUT "An engine or a partner did not finish in time."
        "Look for missing notifications: they name the engine that still waits.";
    6 HW_ERROR "The device or its driver failed."
        "Check the driver and the kernel log; reset the device.";
    7 QUEUE_FULL "The queue of executions has no room."
        "Wait for executions under way, then submit again.";
    9 LOAD_NOT_ENOUGH_NC "The model needs more NeuronCores than are free."
        "Compare the core count in the header with the cores that the process may use.";
    10 UNSUPPORTED_NEFF_VERSION "The runtime is too old for this NEFF: its version or a feature bit."
        "Compare the feature bits with the mask in the log; take a newer runtime or an older compiler.";
    11 FAIL_HOST_MEM_ALLOC "The host ran out of memory."
        "Free host memory, or raise the limit of the container.";
    13 UNINITIALIZED "The runtime was called before it was initialized."
        "Look for a failed initialization further up.";
    14 CLOSED "The runtime was called after it was closed."
        "The process is ending; the first error lies further up.";
    15 QUEUE_EMPTY "A queue had nothing to read."
        "Harmless where a program polls.";
    101 EXEC_UNIT_UNRECOVERABLE "The execution unit met a fatal error and takes no more work."
        "Find the first error; the process has to start anew.";
    1002 EXEC_BAD_INPUT "An input tensor is missing or has a wrong size."
        "Compare the tensors with the inputs in the NEFF.";
    1003 EXEC_COMPLETED_WITH_NUM_ERR "The execution ended, and NaN was produced on the way."
        "Look for the error notification; check inputs and the number formats of the operations.";
    1004 EXEC_COMPLETED_WITH_ERR "The execution ended, but engines reported errors that are not numerical."
        "Look for error notifications: they name the kind of error.";
    1005 EXEC_NC_BUSY "The NeuronCore is in use."
        "Find the other process, or wait.";
    1006 EXEC_OOB "An indirect transfer used an index outside its tensor."
        "Take the instruction from the out-of-bounds line to its source; check the indices fed to it.";
    1100 COLL_PENDING "A collective operation is still under way."
        "Wait; look at the other ranks if it stays.";
    1200 EXEC_HW_ERR_COLLECTIVES "A collective operation hung or failed."
        "Compare the logs of all ranks: the one without this error is the one that did not arrive.";
    1201 EXEC_HW_ERR_HBM_UE "Device memory had an error that cannot be corrected."
        "Results are not to be trusted; replace the instance.";
    1202 EXEC_HW_ERR_NC_UE "Memory inside the NeuronCore had an error that cannot be corrected."
        "Results are not to be trusted; replace the instance.";
    1203 EXEC_HW_ERR_DMA_ABORT "A DMA engine stopped in the middle of a transfer."
        "Check indirect transfers for indices outside; if none is wrong, replace the instance.";
    1204 EXEC_SW_NQ_OVERFLOW "A notification queue overflowed, so an end may have been missed."
        "Switch off notifications that are not needed, or make the queues larger.";
    1205 EXEC_HW_ERR_REPAIRABLE_HBM_UE "Device memory had an error that a reset can repair."
        "Reload the driver or reboot, then run again.";
    1206 NETWORK_PROXY_FAILURE "The network side of the collectives failed."
        "Check the network between the hosts and the other ranks.";
}

/// The code of a value.
pub fn status(code: u32) -> Option<&'static StatusCode> {
    let at = STATUS_CODES.binary_search_by_key(&code, |status| status.code).ok()?;
    STATUS_CODES.get(at)
}

/// The value of a name with its prefix: `NRT_RESOURCE`, or `NERR_RESOURCE` of older runtimes.
pub fn by_name(name: &str) -> Option<u32> {
    let (old, short) = match name.strip_prefix("NERR_") {
        Some(short) => (true, short),
        None => (false, name.strip_prefix("NRT_")?),
    };
    let known = |short: &str| Some(STATUS_CODES.iter().find(|status| status.name == short)?.code);
    known(short).or_else(|| {
        let older = match short {
            "OK" => "SUCCESS",
            "FAIL" => "FAILURE",
            "RESOURCE_NC" => "LOAD_NOT_ENOUGH_NC",
            "UNSUPPORTED_VERSION" => "UNSUPPORTED_NEFF_VERSION",
            "INFER_BAD_INPUT" => "EXEC_BAD_INPUT",
            "INFER_COMPLETED_WITH_NUM_ERR" => "EXEC_COMPLETED_WITH_NUM_ERR",
            "INFER_COMPLETED_WITH_ERR" => "EXEC_COMPLETED_WITH_ERR",
            _ => return None,
        };
        known(older).filter(|_| old)
    })
}

/// The status code that a line names, by name or by number behind `status`, `err` and the like.
/// A number that no runtime names counts only where the line speaks of the runtime.
pub fn find(raw: &str, lower: &str) -> Option<u32> {
    if let Some(code) = tokens(raw).find_map(|(_, token)| by_name(token)) {
        return Some(code);
    }
    let ours = ["nrt", "nrtd", "nmgr", "tdrv", "nrt_load", "nrt_execute"];
    let ours =
        ours.iter().any(|word| has_word(lower, word)) || lower.contains("inference completed");
    let keys =
        ["nrt status code", "nrt status", "nrt_status", "status", "return code", "err", "error"];
    keys.iter().find_map(|key| {
        words(lower, key).find_map(|(at, rest)| {
            let word = lower.get(..at).unwrap_or("").trim_end();
            if ["exit", "grpc", "http", "shard"].iter().any(|other| word.ends_with(other)) {
                return None;
            }
            let found = number(rest).filter(|number| !number.hex)?;
            let code = u32::try_from(found.value).ok()?;
            (status(code).is_some() || ours).then_some(code)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_whole() {
        assert!(STATUS_CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert_eq!(STATUS_CODES.len(), 28);
        assert_eq!(status(1006).unwrap().name, "EXEC_OOB");
        assert!(status(8).is_none() && status(12).is_none());
    }

    #[test]
    fn codes_are_read_from_lines() {
        let of = |line: &str| find(line, &line.to_ascii_lowercase());
        assert_eq!(of("Inference completed with err: 1004"), Some(1004));
        assert_eq!(of("nrt_load status=4, error message=\"x\""), Some(4));
        assert_eq!(of("Failure: NRT_EXEC_SW_NQ_OVERFLOW in nrt_execute()"), Some(1204));
        assert_eq!(of("response code 'NERR_RESOURCE_NC' (9)"), Some(9));
        assert_eq!(
            of("shard error code 13; grpc status code 0; nrt status code 1004, details"),
            Some(1004)
        );
        assert_eq!(of("Failed to progress Neuron Core Exec State, error: 5"), Some(5));
        assert_eq!(of("nrt_load failed, status=77"), Some(77));
        assert_eq!(of("exit status 1"), None);
        assert_eq!(of("HTTP status 404"), None);
        assert_eq!(of("error_id=8; error string:x"), None);
    }
}
