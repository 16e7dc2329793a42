//! The device address of a byte range of a variable.

use crate::dmem::Status;
use records::memory::NOT_STAGED;

/// Type number of a pointer.
const POINTER: u32 = 7;

/// Why a range has no address, in the runtime's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The range ends behind the variable.
    #[error("invalid offset in {name}, {size} < ({offset} + {bytes})")]
    Outside {
        /// Name of the variable.
        name: String,
        /// Its size.
        size: u64,
        /// First byte of the range.
        offset: u64,
        /// Its bytes.
        bytes: u64,
    },
    /// A pointer has one address only.
    #[error("a pointer is resolved at offset {offset} (assertion in dma_ring.c, line 0x4b4)")]
    Pointer {
        /// The offset.
        offset: u64,
    },
    /// It has no memory.
    #[error("Variable {name} is not staged in HBM")]
    NotStaged {
        /// Name of the variable.
        name: String,
    },
}

impl ResolveError {
    /// The status that the runtime returns; `None` where it ends instead.
    pub const fn status(&self) -> Option<Status> {
        match self {
            Self::Outside { .. } | Self::NotStaged { .. } => Some(Status::INVALID),
            Self::Pointer { .. } => None,
        }
    }
}

/// The device address of `bytes` bytes at `offset` of a variable of some type and size at
/// `address`. A pointer without an address gives all ones, as the runtime does. Where the runtime's
/// sum of offset and bytes wraps around, we refuse.
/// Spec: docs/format/memory.md "Resolving an address" [observed].
///
/// # Errors
/// [`ResolveError`].
pub fn resolve(
    name: &str,
    (mem_ref_type, size, address): (u32, u64, u64),
    offset: u64,
    bytes: u64,
) -> Result<u64, ResolveError> {
    let outside = || ResolveError::Outside { name: name.to_owned(), size, offset, bytes };
    if offset.checked_add(bytes).is_none_or(|end| size < end) {
        return Err(outside());
    }
    if mem_ref_type == POINTER {
        return if offset == 0 { Ok(address) } else { Err(ResolveError::Pointer { offset }) };
    }
    if address == NOT_STAGED {
        return Err(ResolveError::NotStaged { name: name.to_owned() });
    }
    address.checked_add(offset).ok_or_else(outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_ranges() {
        let buffer = |address| (3, 0x100, address);
        let pointer = |address| (POINTER, 8, address);
        let ok = |record, offset, bytes| resolve("v", record, offset, bytes);
        assert_eq!(ok(buffer(0x2100_0000), 0x40, 0xC0), Ok(0x2100_0040), "MP-1");
        let outside = ok(buffer(0x2100_0000), 0x40, 0xC1).unwrap_err();
        assert_eq!(outside.status(), Some(Status::INVALID), "MP-2");
        assert_eq!(outside.to_string(), "invalid offset in v, 256 < (64 + 193)", "MP-2");
        let unstaged = ok(buffer(NOT_STAGED), 0, 0x100).unwrap_err();
        assert_eq!(unstaged.status(), Some(Status::INVALID), "MP-3");
        assert_eq!(unstaged.to_string(), "Variable v is not staged in HBM", "MP-3");
        assert_eq!(ok(pointer(0x5000), 0, 8), Ok(0x5000), "MP-4");
        assert_eq!(ok(pointer(0x5000), 4, 4), Err(ResolveError::Pointer { offset: 4 }), "MP-5");
        assert_eq!(ok(pointer(NOT_STAGED), 0, 8), Ok(u64::MAX), "MP-6");
        // The runtime's sum would wrap around to 0 here.
        assert!(ok(buffer(0), 1, u64::MAX).is_err());
        assert_eq!(ok(buffer(0), 0, 0x100), Ok(0), "address 0 is a good one");
        assert!(ok(buffer(NOT_STAGED - 1), 0x40, 1).is_err());
    }
}
