//! What an address or a rebuilt image asks for, until the answers say whether it is there.

/// A place that was asked for before the images were known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Whether a place has to be found when the images arrive.
    pub pending: bool,
    /// Engine.
    pub e: String,
    /// Image slot.
    pub slot: Option<u32>,
    /// NEFF IP.
    pub ip: Option<u32>,
    /// Device PC.
    pub pc: Option<String>,
    /// Whether the move makes a history entry once it is done.
    pub jump: bool,
}

impl Wanted {
    /// Whether the address names a place.
    pub const fn had_place(&self) -> bool {
        self.slot.is_some() || self.ip.is_some() || self.pc.is_some()
    }
}
