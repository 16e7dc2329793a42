//! What a device address means to a running core: a semaphore, a doorbell, a register, memory.
//! Spec: docs/format/simulator.md "Addresses" [observed, other cores inferred].

use device_image::Generation;
use device_image::address_map::{AddressMap, bases};
use device_image::sync_events;
use records::Engine;

use crate::gate::SyncId;

/// Side of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Descriptors that are read from.
    Read,
    /// Descriptors that are written to.
    Write,
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An event cell or a window of a semaphore of a physical core.
    Sync {
        /// Physical core.
        core: u32,
        /// The event or semaphore.
        id: SyncId,
        /// What an access does.
        window: Window,
    },
    /// A register of a queue.
    Queue {
        /// Queue number, 0 to 15.
        queue: u8,
        /// Side.
        side: Side,
        /// One bit for each of the core's 16 DMA engines that is reached.
        engines: u16,
        /// The register.
        register: QueueRegister,
    },
    /// The run register of an engine's sequencer.
    Run(Engine),
    /// Memory, or a register without a meaning here: it keeps what is written.
    Store,
    /// Nothing is there.
    Outside,
}

/// Windows of the event and semaphore block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Bit 0 is the event.
    Event,
    /// Reads a semaphore.
    Read,
    /// Writes it.
    Set,
    /// Adds to it.
    Increment,
    /// Subtracts from it.
    Decrement,
}

/// Registers of a queue that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueRegister {
    /// Base of the ring.
    Base,
    /// Posts descriptors.
    Tail,
    /// Resets the ring.
    Control,
    /// Any other.
    Other,
}

/// Bytes from the read side of a DMA engine to its write side.
const WRITE_SIDE: u64 = 0x2_0000;
/// Bytes of both sides.
const SIDES: u64 = 0x4_0000;
/// Bytes of a queue's registers.
const QUEUE: u64 = 0x1000;
/// Bytes of the event and semaphore block.
const SYNC_BLOCK: u64 = 0x2000;

/// Addresses as one core sees them.
#[derive(Clone, Debug)]
pub struct Addresses {
    generation: Generation,
    /// Event and semaphore block of each physical core.
    sync: Vec<(u32, u64)>,
    /// First registers of DMA engine 0 of this core. Sources differ about some cores, so there can
    /// be two.
    dma: [u64; 2],
    stride: u64,
    broadcast: u64,
    run: [u64; 5],
}

impl Addresses {
    /// The addresses of a physical core.
    pub fn new(generation: Generation, core: u32) -> Self {
        let cores = 0..bases::cores(generation);
        let sync = cores.filter_map(|core| {
            let base = bases::core_base(generation, core)?;
            Some((core, base + sync_events::block_offset(generation)))
        });
        let base = bases::core_base(generation, core).unwrap_or(0);
        let mapped = bases::dma_base(generation, core.saturating_mul(16)).unwrap_or(0);
        let core = u64::from(core);
        let (dma, stride, broadcast, offsets, run) = match generation {
            Generation::Sunda => (
                [mapped; 2],
                0x4_0000,
                0x100_0000,
                [0x266_0000, 0x246_0000, 0x296_0000, 0x2B6_0000, 0x286_0000],
                0x10,
            ),
            Generation::Cayman | Generation::Mariana => {
                let high = (core & 4) << 45 | (core & 2) << 37;
                let recipe = high + 0x10_0200_0000 + (core & 1) * 0x100_0000;
                let offsets =
                    [0x8_0266_0000, 0x8_0246_0000, 0x8_0306_0000, 0x8_02B6_0000, 0x8_0286_0000];
                ([recipe, mapped], 0x10_0000, 0x8_0000, offsets, 4)
            }
        };
        Self {
            generation,
            sync: sync.collect(),
            dma,
            stride,
            broadcast,
            run: offsets.map(|offset| base + offset + run),
        }
    }

    /// What an address is. `map` is that of the generation.
    pub fn target(&self, map: &AddressMap, address: u64) -> Target {
        if let Some(target) = self.sync_target(address).or_else(|| self.queue_target(address)) {
            return target;
        }
        let engines = Engine::ALL.into_iter().zip(self.run);
        if let Some((engine, _)) = engines.into_iter().find(|(_, run)| *run == address) {
            return Target::Run(engine);
        }
        // Not all blocks of a core are known: inside its window everything keeps what is written.
        if map.lookup(address).is_some() { Target::Store } else { Target::Outside }
    }

    /// The generation.
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    fn sync_target(&self, address: u64) -> Option<Target> {
        let (core, offset) = self.sync.iter().find_map(|(core, base)| {
            Some((*core, address.checked_sub(*base).filter(|offset| *offset < SYNC_BLOCK)?))
        })?;
        let id = u8::try_from(offset % 0x400 / 4).ok()?;
        let window = match offset / 0x400 {
            0 => Window::Event,
            4 => Window::Read,
            5 => Window::Set,
            6 => Window::Increment,
            7 => Window::Decrement,
            _ => return Some(Target::Outside),
        };
        let id = if window == Window::Event { SyncId::event(id) } else { SyncId::semaphore(id) };
        Some(Target::Sync { core, id, window })
    }

    fn queue_target(&self, address: u64) -> Option<Target> {
        for first in self.dma.into_iter().filter(|first| *first != 0) {
            let shared = address.checked_sub(first + self.broadcast).filter(|at| *at < SIDES);
            let found = match shared {
                Some(offset) => Some((offset, 0xFFFF)),
                None => address.checked_sub(first).and_then(|offset| {
                    let engine = u32::try_from(offset / self.stride).ok().filter(|at| *at < 16)?;
                    let inner = Some(offset % self.stride).filter(|inner| *inner < SIDES)?;
                    Some((inner, 1_u16 << engine))
                }),
            };
            if let Some((offset, engines)) = found {
                return Some(queue_register(offset, engines).unwrap_or(Target::Store));
            }
        }
        None
    }
}

/// The register at an offset in the registers of a DMA engine; `None` outside the queues.
fn queue_register(offset: u64, engines: u16) -> Option<Target> {
    let (side, inner) = match offset.checked_sub(WRITE_SIDE) {
        Some(inner) => (Side::Write, inner),
        None => (Side::Read, offset),
    };
    let queue = (inner / QUEUE).checked_sub(1).filter(|queue| *queue < 16)?;
    let register = match (inner % QUEUE, side) {
        (0x28, _) => QueueRegister::Base,
        (0x38, _) => QueueRegister::Tail,
        (0x64, Side::Write) | (0xB0, Side::Read) => QueueRegister::Control,
        _ => QueueRegister::Other,
    };
    Some(Target::Queue { queue: u8::try_from(queue).ok()?, side, engines, register })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(generation: Generation, core: u32, address: u64) -> Target {
        Addresses::new(generation, core).target(&AddressMap::new(generation), address)
    }

    #[test]
    fn records_of_the_recipes_find_their_targets() {
        let core4 = |address| of(Generation::Cayman, 4, address);
        // D of core 4 is 0x801002000000, B 0x80000 above; queue 1, tail of the write side.
        let tail = |side, engines, queue| Target::Queue {
            queue,
            side,
            engines,
            register: QueueRegister::Tail,
        };
        assert_eq!(core4(0x8010_0208_0000 + 0x2_0000 + 0x2038), tail(Side::Write, 0xFFFF, 1));
        assert_eq!(core4(0x8010_0208_0000 + 0x1038), tail(Side::Read, 0xFFFF, 0));
        // X: engine 5, queue 14.
        assert_eq!(core4(0x8010_0200_0000 + 5 * 0x10_0000 + 0xF038), tail(Side::Read, 1 << 5, 14));
        // The peer's semaphore 1.
        assert_eq!(
            core4(0x8038_0270_1804),
            Target::Sync { core: 5, id: SyncId::semaphore(1), window: Window::Increment }
        );
        assert_eq!(core4(0x8028_0246_0004), Target::Run(Engine::Act));
        // The request page, a notification register, and nothing at all.
        assert_eq!(core4(0x8005_C035_0000), Target::Store);
        assert_eq!(core4(0x8080_0600_0210), Target::Store);
        assert_eq!(core4(0xDEAD_0000_0000_0000), Target::Outside);
        let sunda = |address| of(Generation::Sunda, 0, address);
        assert_eq!(
            sunda(0xFFF_F100_0000 + 0x2_1064),
            Target::Queue {
                queue: 0,
                side: Side::Write,
                engines: 0xFFFF,
                register: QueueRegister::Control,
            }
        );
        assert_eq!(sunda(0xFFF_F000_0000 + 9 * 0x4_0000 + 0xF038), tail(Side::Read, 1 << 9, 14));
        assert_eq!(sunda(0xFFF_C286_0010), Target::Run(Engine::Sp));
        assert_eq!(sunda(0xFFF_F0FA_00C8), Target::Store);
    }
}
