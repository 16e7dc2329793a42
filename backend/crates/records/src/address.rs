//! Positions and addresses, one type for each thing they are relative to.
//!
//! Mixing two of them is a compile error. All are plain numbers inside; `0` is the first byte,
//! slot or address unless said otherwise.

macro_rules! position {
    ($(#[$doc:meta])* $name:ident($inner:ty), $fmt:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $inner);

        impl $name {
            /// The plain number.
            pub const fn get(self) -> $inner {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, $fmt, self.0)
            }
        }
    };
}

position!(
    /// Byte offset from the start of the opened file. Prints in hex.
    FileOffset(u64), "{:#x}"
);
position!(
    /// Byte offset from the start of a tar member's data. Prints in hex.
    MemberOffset(u64), "{:#x}"
);
position!(
    /// Byte offset from the start of one engine's device image. Prints in hex.
    ImageOffset(u64), "{:#x}"
);
position!(
    /// 0-based count of 64-byte slots, relative to an engine stream or to an engine image; the
    /// place that holds it says which.
    SlotIndex(u32), "{}"
);
position!(
    /// 1-based index of a source record in an engine's stream: the NEFF instruction pointer,
    /// equal to the line in the `.asm` member.
    /// Spec: docs/format/pc-map.md "NEFF IP" [observed].
    NeffIp(u32), "{}"
);
position!(
    /// Address in the device's address space of the instruction an engine is at. Prints in hex.
    DevicePc(u64), "{:#x}"
);
position!(
    /// Any other address in the device's address space. Prints in hex.
    DeviceAddr(u64), "{:#x}"
);

impl SlotIndex {
    /// The image or stream offset of this slot, in bytes.
    pub const fn byte_offset(self) -> u64 {
        self.0 as u64 * 64
    }

    /// The NEFF IP of this stream slot: index + 1, or `None` at the end of the number range.
    pub const fn neff_ip(self) -> Option<NeffIp> {
        match self.0.checked_add(1) {
            Some(ip) => Some(NeffIp(ip)),
            None => None,
        }
    }
}

impl NeffIp {
    /// The 0-based stream slot of this IP; `None` for the impossible IP 0.
    pub const fn slot(self) -> Option<SlotIndex> {
        match self.0.checked_sub(1) {
            Some(slot) => Some(SlotIndex(slot)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_is_one_based() {
        assert_eq!(SlotIndex(0).neff_ip(), Some(NeffIp(1)));
        assert_eq!(NeffIp(12).slot(), Some(SlotIndex(11)));
        assert_eq!(NeffIp(0).slot(), None);
        assert_eq!(SlotIndex(u32::MAX).neff_ip(), None);
    }

    #[test]
    fn addresses_print_in_hex() {
        assert_eq!(DevicePc(0x1000_0080_1000).to_string(), "0x100000801000");
        assert_eq!(SlotIndex(64).to_string(), "64");
    }
}
