//! Reads and writes of device addresses: semaphores, doorbells, registers, memory.

use records::Engine;
use records::payload::sequencer::LoadStore;
use records::payload::transfer::Direct2d;
use records::sync_mode::UpdateKind;

use crate::address::{QueueRegister, Side, Target, Window};
use crate::core::{Core, Crossing, Out, Pending, Phase, RemarkKind, SEQUENCERS, Shared};
use crate::event::{self, Actor, Event, EventKind, Sink, Touch};
use crate::fault::FaultKind;
use crate::gate::{Effect, SyncId};
use crate::register;
use crate::rings::PostError;

/// Queue of the rings that tables and requests come over.
const SIDE_QUEUE: u8 = 14;

impl Core {
    /// Writes a value to a device address.
    pub(crate) fn write<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        address: u64,
        value: u64,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        match self.addresses.target(&shared.map, address) {
            Target::Sync { core, id, window } => {
                self.write_sync(shared, engine, (core, id, window), value as u32, now, out)
            }
            Target::Queue { queue, side, engines, register } => match register {
                QueueRegister::Tail if queue == SIDE_QUEUE => {
                    self.side_post(shared, engine, side, value, now, out);
                    Ok(())
                }
                QueueRegister::Tail => {
                    let by = (Actor::engine(self.index, engine), self.engine(engine).pc);
                    let how = Touch::Writes(value as u32);
                    self.touched(event::Shared::Queue(queue), how, by, now, out);
                    self.post_descriptors(shared, queue, side, engines, value, now, out)
                }
                QueueRegister::Control => {
                    self.reset_queue(queue, engine, out);
                    Ok(())
                }
                QueueRegister::Base => {
                    let rings = self.rings.get_mut(usize::from(queue));
                    if let Some(rings) = rings {
                        rings.with_base |= engines;
                    }
                    Ok(())
                }
                QueueRegister::Other => Ok(()),
            },
            Target::Run(of) => {
                let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
                self.write_run(of, value, now.saturating_add(wake));
                Ok(())
            }
            Target::Store => {
                let by = (Actor::engine(self.index, engine), self.engine(engine).pc);
                let how = Touch::Writes(value as u32);
                self.touched(event::Shared::Address(address), how, by, now, out);
                self.memory.insert(address, value as u32);
                Ok(())
            }
            Target::Outside => Err(FaultKind::Access(address)),
        }
    }

    /// A write to the run register of an engine: one that stands at a HALT goes on behind it, any
    /// other does not stop at its next one.
    fn write_run(&mut self, of: Engine, value: u64, wake: u64) {
        let state = self.engine(of);
        if value == 0 {
            return;
        }
        if state.phase == Phase::Halted {
            state.phase = Phase::Running;
            state.pc += 1;
            self.set_key(SEQUENCERS + of.index(), wake);
        } else {
            state.run_written = true;
        }
    }

    fn write_sync<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        (core, id, window): (u32, SyncId, Window),
        value: u32,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let kind = match window {
            Window::Event if value & 1 == 1 => UpdateKind::EventSet,
            Window::Event => UpdateKind::EventClear,
            Window::Set => UpdateKind::Write,
            Window::Increment => UpdateKind::Add,
            Window::Decrement => UpdateKind::Subtract,
            // Writing to the window that reads does nothing.
            Window::Read => return Ok(()),
        };
        let effect = Effect { id, kind, from_register: false, at_completion: true, value };
        let actor = Actor::engine(self.index, engine);
        let slot = self.engine(engine).pc;
        if core == self.physical {
            let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
            return self.apply(&effect, value, (actor, slot), now, wake, out);
        }
        let time = now.saturating_add(u64::from(shared.timing.wire.remote_ns) * 1000);
        if self.has_peer {
            out.crossing.push(Crossing { to: core, time, effect, actor, slot });
        } else if kind == UpdateKind::Add {
            // The peer does not run: it is taken to arrive at the same barrier, and answers alike.
            let actor = Actor::host(self.index);
            self.push(time, Pending::Effect { effect, actor, slot: 0 }, out);
        }
        Ok(())
    }

    /// Reads 32 bits of a device address. What was never stored reads as 0.
    pub(crate) fn load(&self, shared: &Shared<'_>, address: u64) -> Result<u32, FaultKind> {
        match self.addresses.target(&shared.map, address) {
            Target::Sync { core, id, window } if core == self.physical => match window {
                Window::Event | Window::Read => Ok(self.state(id) as u32),
                _ => Ok(0),
            },
            Target::Outside => Err(FaultKind::Access(address)),
            _ => Ok(self.memory.get(&address).copied().unwrap_or(0)),
        }
    }

    pub(crate) fn store_record<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        record: &LoadStore,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let address = record.address.get();
        if record.constants == 0 {
            let value = register::get(&self.engine(engine).registers, record.register().into())?;
            return self.write(shared, engine, address, value.into(), now, out);
        }
        let step = u64::from(record.step1.get()).wrapping_mul(4);
        for (at, value) in (0_u64..).zip(record.values).take(usize::from(record.count)) {
            let to = address.wrapping_add(step.wrapping_mul(at));
            self.write(shared, engine, to, value.get(), now, out)?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "what a doorbell says, and where it goes")]
    fn post_descriptors<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        number: u8,
        side: Side,
        engines: u16,
        count: u64,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let at = usize::from(number);
        let (Some(queue), Some(rings)) = (self.queues.get(at), self.rings.get_mut(at)) else {
            return Err(FaultKind::RingUnknown(number));
        };
        if rings.with_base & engines & rings.all() != engines & rings.all() {
            return Err(FaultKind::RingBase(queue.name.clone()));
        }
        rings.post(side, engines, count).map_err(|error| match error {
            PostError::Empty => FaultKind::RingEmpty(queue.name.clone()),
            PostError::TooMany { posted, total } => {
                FaultKind::RingOverrun { queue: queue.name.clone(), posted, total }
            }
        })?;
        while let Some(ready) = self.rings.get_mut(at).and_then(|rings| rings.take_ready()) {
            self.start_block(shared, number, ready.block, ready.rings, now, out)?;
        }
        Ok(())
    }

    fn start_block<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        number: u8,
        at: u32,
        moved: u16,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let place = usize::from(number);
        let (Some(queue), Some(rings)) = (self.queues.get(place), self.rings.get_mut(place)) else {
            return Ok(());
        };
        let Some(block) = queue.blocks.get(at as usize) else { return Ok(()) };
        if let Some(what) = &block.outside {
            let (queue, block, what) = (queue.name.clone(), block.id, what.clone());
            return Err(FaultKind::BlockOutside { queue, block, what });
        }
        let share = block.bytes / u64::from(rings.rings.max(1));
        let descriptors = u64::from(block.read.max(block.write));
        let start = now.max(rings.free_at);
        let end = start.saturating_add(shared.timing.transfer_ps(descriptors, share));
        rings.free_at = end;
        rings.in_flight += 1;
        let done = end.saturating_add(u64::from(shared.timing.dma.start_ns) * 1000);
        let (a, b) = (at, block.bytes);
        let actor = Actor::dma(self.index);
        let kind = EventKind::TransferStart;
        out.event(Event { time_ps: now, actor, kind, slot: number.into(), a, b });
        self.push(done, Pending::Transfer { queue: number, block: at, rings: moved }, out);
        Ok(())
    }

    /// A block has moved: each of its rings adds 1.
    pub(crate) fn end_block<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        (number, at, moved): (u8, u32, u16),
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let place = usize::from(number);
        if let Some(rings) = self.rings.get_mut(place) {
            rings.in_flight = rings.in_flight.saturating_sub(1);
            rings.ring_blocks = rings.ring_blocks.saturating_add(moved.count_ones().into());
        }
        let Some(block) = self.queues.get(place).and_then(|q| q.blocks.get(at as usize)) else {
            return Ok(());
        };
        let actor = Actor::dma(self.index);
        let slot = u32::from(number);
        let (kind, b, semaphore) = (EventKind::TransferEnd, block.bytes, block.semaphore);
        out.event(Event { time_ps: now, actor, kind, slot, a: at, b });
        if let Some(semaphore) = semaphore {
            let value = moved.count_ones();
            let effect = Effect::add(semaphore, value);
            let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
            self.apply(&effect, value, (actor, slot), now, wake, out)?;
        }
        Ok(())
    }

    fn reset_queue<S: Sink>(&mut self, number: u8, engine: Engine, out: &mut Out<'_, S>) {
        let slot = self.engine(engine).pc;
        let core = self.index;
        let Some(rings) = self.rings.get_mut(usize::from(number)) else { return };
        if rings.in_flight > 0 {
            out.remarks.add(core, Some(engine), slot, RemarkKind::ResetInFlight(number));
        }
        rings.reset();
    }

    /// A transfer that has no rings of its own: it moves its bytes and adds to its semaphore.
    /// Spec: docs/format/simulator.md "Dynamic transfers" [modelled].
    pub(crate) fn start_direct<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        record: &Direct2d,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        let target = record.target();
        let bytes = u64::from(target.rows) * u64::from(target.row_bytes);
        let number = self.queues.iter().position(|q| q.is_dynamic && q.owner == engine);
        let number = number.unwrap_or(self.queues.len());
        let descriptors = u64::from(target.rows).div_ceil(16);
        let busy = shared.timing.transfer_ps(descriptors, bytes / 16);
        let start = now.max(self.rings.get(number).map_or(0, |rings| rings.free_at));
        let end = start.saturating_add(busy);
        if let Some(rings) = self.rings.get_mut(number) {
            rings.free_at = end;
            rings.direct = rings.direct.saturating_add(1);
        }
        let done = end.saturating_add(u64::from(shared.timing.dma.start_ns) * 1000);
        let slot = self.engine(engine).pc;
        let (actor, kind) = (Actor::dma(self.index), EventKind::TransferStart);
        let place = u32::try_from(number).unwrap_or(u32::MAX);
        out.event(Event { time_ps: now, actor, kind, slot: place, a: slot, b: bytes });
        if record.increment != 0 {
            let effect = Effect::add(record.semaphore, record.increment.into());
            self.push(done, Pending::Effect { effect, actor, slot: place }, out);
        }
    }
}
