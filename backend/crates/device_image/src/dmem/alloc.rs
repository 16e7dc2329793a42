//! One allocation: usage, alignment, and what happens with a driver that cannot align.

use super::counters::Counters;
use super::driver::{Driver, DriverError};
use super::status::Status;
use super::usage::Usage;
use std::collections::BTreeMap;

/// An allocation in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dmem {
    /// Address from the driver.
    pub physical: u64,
    /// Added to it where the driver cannot align.
    pub align_offset: u64,
    /// Bytes that were asked for.
    pub size: u64,
    /// Bytes that the counters count.
    pub allocated_bytes: u64,
    /// HBM.
    pub channel: u32,
    /// What it is for.
    pub usage: Usage,
}

impl Dmem {
    /// The address to use.
    pub const fn address(&self) -> u64 {
        self.physical.saturating_add(self.align_offset)
    }
}

/// Why there is no allocation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    /// The usage has no category in that kind of memory.
    #[error("Invalid mem_usage_type {} for device", usage.0)]
    Usage {
        /// The usage.
        usage: Usage,
    },
    /// Device memory ran out.
    #[error("{bytes} bytes for {} do not fit into HBM {channel}{}", usage.words().unwrap_or("an unknown use"), if *alignment > 0 { "; there may be room, but not at an aligned address" } else { "" })]
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: u64,
        /// Their alignment, 0 for none.
        alignment: u64,
        /// HBM.
        channel: u32,
        /// What for.
        usage: Usage,
    },
    /// Device memory ran out for bytes that a unit of alignment was added to, since the driver does
    /// not align.
    #[error("{bytes} bytes for {} at an alignment of {alignment} need {padded} where the driver does not align; they do not fit into HBM {channel}", usage.words().unwrap_or("an unknown use"))]
    Padded {
        /// Bytes that were asked for.
        bytes: u64,
        /// Their alignment.
        alignment: u64,
        /// Bytes with a unit of alignment.
        padded: u64,
        /// HBM.
        channel: u32,
        /// What for.
        usage: Usage,
    },
    /// The driver refused for another reason.
    #[error("the driver refuses {bytes} bytes at an alignment of {alignment}")]
    Driver {
        /// Bytes that were asked for.
        bytes: u64,
        /// Their alignment, 0 for none.
        alignment: u64,
    },
    /// Size and alignment exceed 2^64.
    #[error("{bytes} bytes and an alignment of {alignment} exceed 2^64")]
    Range {
        /// Bytes that were asked for.
        bytes: u64,
        /// Their alignment.
        alignment: u64,
    },
}

impl AllocError {
    /// The status that the runtime returns.
    pub const fn status(&self) -> Status {
        match self {
            Self::Usage { .. } => Status::INVALID,
            Self::OutOfMemory { .. } | Self::Padded { .. } => Status::RESOURCE,
            Self::Driver { .. } | Self::Range { .. } => Status::FAILURE,
        }
    }

    /// Bytes and alignment that the driver was asked for at last; none where it was not asked.
    pub const fn asked(&self) -> (u64, u64) {
        match self {
            Self::Usage { .. } | Self::Range { .. } => (0, 0),
            Self::OutOfMemory { bytes, alignment, .. } | Self::Driver { bytes, alignment } => {
                (*bytes, *alignment)
            }
            Self::Padded { padded, .. } => (*padded, 0),
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes.
    pub bytes: u64,
    /// Alignment, a power of two; 0 for none.
    pub alignment: u64,
    /// HBM.
    pub channel: u32,
    /// Core that it counts for.
    pub core: u32,
    /// What for.
    pub usage: Usage,
}

/// Allocates through a driver and keeps the counters.
#[derive(Clone, Debug)]
pub struct Allocator<D> {
    /// The driver.
    pub driver: D,
    /// What is in use.
    pub counters: Counters,
    /// Whether the driver is still believed to align.
    aligns: bool,
    /// Notes that the runtime would log, each once.
    pub warned: bool,
    /// Bytes that were asked for only to move addresses up, by usage, whether they were given or not.
    pub padding: BTreeMap<Usage, u64>,
}

impl<D: Driver> Allocator<D> {
    /// Over a driver; it is asked to align until it fails to.
    pub fn new(driver: D) -> Self {
        let counters = Counters::default();
        Self { driver, counters, aligns: true, warned: false, padding: BTreeMap::new() }
    }

    /// Allocates device memory.
    ///
    /// Where the driver cannot align, one more unit of alignment is taken and the address moved up;
    /// an address that is aligned already is moved by a whole unit.
    /// Spec: docs/format/memory.md "Allocator" [observed].
    ///
    /// # Errors
    /// A status other than 0, as an error that says why.
    pub fn allocate(&mut self, request: Request) -> Result<Dmem, AllocError> {
        if request.alignment == 0 || self.aligns {
            match self.plain(request) {
                Err(AllocError::Driver { .. }) if request.alignment != 0 => {
                    (self.aligns, self.warned) = (false, true);
                }
                done => return done,
            }
        }
        let Request { bytes, alignment, .. } = request;
        let range = || AllocError::Range { bytes, alignment };
        let padded = bytes.checked_add(alignment).ok_or_else(range)?;
        let all = self.padding.entry(request.usage).or_default();
        *all = all.saturating_add(alignment);
        let with_room = self.plain(Request { bytes: padded, alignment: 0, ..request });
        let mut dmem = with_room.map_err(|error| match error {
            AllocError::OutOfMemory { channel, usage, .. } if alignment > 0 => {
                AllocError::Padded { bytes, alignment, padded, channel, usage }
            }
            other => other,
        })?;
        dmem.size = bytes;
        dmem.align_offset = align_offset(dmem.physical, alignment).ok_or_else(range)?;
        Ok(dmem)
    }

    /// Allocates the next page of the contiguous scratchpad.
    ///
    /// # Errors
    /// Status 4 if the driver has no more, else 1.
    pub fn allocate_contiguous(&mut self, request: Request) -> Result<Dmem, AllocError> {
        let Request { bytes, channel, core, .. } = request;
        let physical = self.driver.allocate_contiguous(channel, bytes);
        let physical = physical.map_err(|error| failure(error, request))?;
        let dmem = Dmem {
            physical,
            align_offset: 0,
            size: bytes,
            allocated_bytes: bytes,
            channel,
            usage: Usage::SCRATCHPAD,
        };
        self.counters.allocated(core, &dmem);
        Ok(dmem)
    }

    /// Takes device memory at an address.
    ///
    /// # Errors
    /// As the driver.
    pub fn allocate_at(&mut self, request: Request, address: u64) -> Result<Dmem, AllocError> {
        let Request { bytes, channel, core, usage, .. } = request;
        let taken = self.driver.allocate_at(channel, address, bytes);
        taken.map_err(|error| failure(error, request))?;
        let (physical, allocated_bytes) = (address, bytes);
        let dmem = Dmem { physical, align_offset: 0, size: bytes, allocated_bytes, channel, usage };
        self.counters.allocated(core, &dmem);
        Ok(dmem)
    }

    /// Gives an allocation of a core back.
    pub fn free(&mut self, core: u32, dmem: &Dmem) {
        self.driver.free(dmem.channel, dmem.physical);
        self.counters.freed(core, dmem);
    }

    fn plain(&mut self, request: Request) -> Result<Dmem, AllocError> {
        let Request { bytes, alignment, channel, core, usage } = request;
        let category = usage.device_category().ok_or(AllocError::Usage { usage })?;
        let physical = self.driver.allocate(channel, bytes, alignment, category);
        let physical = physical.map_err(|error| failure(error, request))?;
        let dmem =
            Dmem { physical, align_offset: 0, size: bytes, allocated_bytes: bytes, channel, usage };
        self.counters.allocated(core, &dmem);
        Ok(dmem)
    }
}

fn failure(error: DriverError, request: Request) -> AllocError {
    let Request { bytes, alignment, channel, usage, .. } = request;
    match error {
        DriverError::OutOfMemory => AllocError::OutOfMemory { bytes, alignment, channel, usage },
        DriverError::Invalid | DriverError::Unsupported => AllocError::Driver { bytes, alignment },
    }
}

/// How far an address is moved up to an alignment by a runtime whose driver does not align.
/// `None` for an alignment that is no power of two, or an address beyond 2^64.
/// Spec: docs/format/memory.md "Allocator" [observed].
pub fn align_offset(physical: u64, alignment: u64) -> Option<u64> {
    if !alignment.is_power_of_two() {
        return None;
    }
    let up = physical.checked_add(alignment)? & alignment.wrapping_neg();
    up.checked_sub(physical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dmem::usage::Category;

    #[test]
    fn worked_alignments() {
        let table = [
            (0x123_4000, 0x1000, 0x1000),
            (0x123_4800, 0x1000, 0x800),
            (0x100_0000, 0x40_0000, 0x40_0000),
            (0x100_1000, 0x40_0000, 0x3F_F000),
            (0xFF_F000, 0x8000, 0x1000),
        ];
        for (physical, alignment, offset) in table {
            assert_eq!(align_offset(physical, alignment), Some(offset), "{physical:#x}");
        }
        assert_eq!(align_offset(u64::MAX, 0x1000), None);
        assert_eq!(align_offset(0, 3), None);
    }

    /// A driver that knows no alignment and gives one address after the other.
    struct Old {
        next: u64,
        asked: Vec<(u64, u64)>,
    }

    impl Driver for Old {
        fn allocate(
            &mut self,
            _channel: u32,
            bytes: u64,
            alignment: u64,
            _category: Category,
        ) -> Result<u64, DriverError> {
            self.asked.push((bytes, alignment));
            if alignment != 0 {
                return Err(DriverError::Unsupported);
            }
            if bytes > 1 << 30 {
                return Err(DriverError::OutOfMemory);
            }
            let at = self.next;
            self.next += bytes;
            Ok(at)
        }

        fn allocate_contiguous(&mut self, _channel: u32, _bytes: u64) -> Result<u64, DriverError> {
            Err(DriverError::Unsupported)
        }

        fn free(&mut self, _channel: u32, _address: u64) {}
    }

    /// A driver that aligns and has no memory for what is larger than a block.
    struct Full {
        asked: Vec<u64>,
    }

    impl Driver for Full {
        fn allocate(
            &mut self,
            _channel: u32,
            bytes: u64,
            alignment: u64,
            _category: Category,
        ) -> Result<u64, DriverError> {
            self.asked.push(alignment);
            if bytes > 0x1000 { Err(DriverError::OutOfMemory) } else { Ok(0x1000) }
        }

        fn allocate_contiguous(&mut self, _channel: u32, _bytes: u64) -> Result<u64, DriverError> {
            Err(DriverError::OutOfMemory)
        }

        fn free(&mut self, _channel: u32, _address: u64) {}
    }

    #[test]
    fn only_a_driver_that_cannot_align_switches_alignment_off() {
        let mut allocator = Allocator::new(Full { asked: Vec::new() });
        let request =
            Request { bytes: 0x2000, alignment: 0x1000, channel: 0, core: 0, usage: Usage::WEIGHT };
        let full = allocator.allocate(request).map_err(|error| (error.status(), error.asked()));
        assert_eq!(full, Err((Status::RESOURCE, (0x2000, 0x1000))));
        // Nor does a usage that has no category, which the driver is not asked about.
        let none = allocator.allocate(Request { usage: Usage(23), ..request });
        assert_eq!(none.map_err(|error| error.status()), Err(Status::INVALID));
        assert!(!allocator.warned && allocator.padding.is_empty());
        // The next one is asked for with its alignment, and is where the driver says.
        let next = allocator.allocate(Request { bytes: 0x1000, ..request });
        assert_eq!(next.map(|dmem| (dmem.align_offset, dmem.address())), Ok((0, 0x1000)));
        assert_eq!(allocator.driver.asked, [0x1000, 0x1000]);
        let piece = allocator.allocate_contiguous(request);
        assert_eq!(piece.map_err(|error| error.status()), Err(Status::RESOURCE));
        assert_eq!(allocator.counters.total(0), 0x1000);
    }

    #[test]
    fn a_driver_that_cannot_align_is_asked_once() {
        let mut allocator = Allocator::new(Old { next: 0x123_4800, asked: Vec::new() });
        let request =
            Request { bytes: 0x100, alignment: 0x1000, channel: 0, core: 0, usage: Usage::WEIGHT };
        let one = allocator.allocate(request).map(|dmem| (dmem.address(), dmem.size));
        assert_eq!(one, Ok((0x123_5000, 0x100)));
        assert!(allocator.allocate(request).is_ok());
        assert_eq!(allocator.driver.asked, [(0x100, 0x1000), (0x1100, 0), (0x1100, 0)]);
        // The counters count what was taken, the padding what only moves addresses up.
        assert_eq!(allocator.counters.total(0), 0x2200);
        assert_eq!(allocator.padding, BTreeMap::from([(Usage::WEIGHT, 0x2000)]));
        assert!(allocator.warned);
        // What asks for no alignment is asked for as it is.
        let plain = allocator.allocate(Request { alignment: 0, ..request });
        assert_eq!(plain.map(|dmem| (dmem.align_offset, dmem.allocated_bytes)), Ok((0, 0x100)));
        assert_eq!(allocator.driver.asked.last(), Some(&(0x100, 0)));
        assert_eq!(allocator.padding, BTreeMap::from([(Usage::WEIGHT, 0x2000)]));
        let large = allocator.allocate(Request { bytes: 2 << 30, ..request });
        assert_eq!(large.map_err(|error| error.status()), Err(Status::RESOURCE));
        let (bytes, alignment) = (2 << 30, 0x1000);
        let told = allocator.allocate(Request { bytes, ..request });
        let told = told.map_err(|error| (error.asked(), error.to_string())).unwrap_err();
        // What is told as asked for is what the driver was asked for.
        assert_eq!(told.0, (bytes + alignment, 0));
        assert!(
            told.1.contains("2147483648 bytes for weight at an alignment of 4096 need 2147487744")
        );
        let contiguous = allocator.allocate_contiguous(request);
        assert_eq!(contiguous.map_err(|error| error.status()), Err(Status::FAILURE));
        let host_only = allocator.allocate(Request { usage: Usage(23), ..request });
        assert_eq!(host_only.map_err(|error| error.status()), Err(Status::INVALID));
        let beyond = allocator.allocate(Request { bytes: u64::MAX, ..request });
        assert_eq!(beyond.map_err(|error| error.status()), Err(Status::FAILURE));
    }
}
