//! Answers `slot`: everything about one slot for the details drawer.

use super::change::change;
use super::pc::{no_such_ip, slot_provenance, sources, step};
use super::started::{direct, started};
use super::view::View;
use crate::answer::{
    Fact, FactSection, FieldInfo, LinkInfo, PlaceRef, Provenance, SCHEMA, SlotAnswer,
};
use crate::convert::{hex, hex_bytes, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::links::{Links, Post, Raised, Waiter};
use crate::plain::quoted;
use crate::request::Scope;
use crate::sync_names;
use device_image::collectives::trigger::{Trigger, is_trigger, triggers};
use device_image::inputs::Inputs;
use device_image::sync_events::{self, Window};
use device_image::{Generation, IpPlace, Origin};
use kbin::disasm;
use neff::Findings;
use records::payload::Confidence;
use records::sync_mode::UpdateKind;
use records::{DevicePc, Engine, NeffIp, Opcode, Slot, SlotIndex};
use std::sync::Arc;

/// Most entries of a list of dependencies.
const MAX_LINKS: usize = 50;
/// Transfers of one trigger that are listed.
const MAX_DRAWN: usize = 8;

/// What is being described: an image slot, its record, or both.
struct Subject<'a> {
    view: &'a View<'a>,
    /// Image slot; none for a deleted record.
    slot: Option<u32>,
    /// NEFF IP; none for a slot that the runtime made.
    ip: Option<u32>,
    /// Bytes shown.
    bytes: Slot,
    /// The record in the stream.
    record: Option<Slot>,
    place: PlaceRef,
}

/// Everything about a slot, by image slot or by NEFF IP.
pub fn slot(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    slot: Option<u32>,
    ip: Option<u32>,
) -> Result<SlotAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let subject = subject(&view, slot, ip)?;
    let program = view.file.program(view.index);
    let links = view.file.links(view.index);
    let bytes = subject.bytes;
    let (sentence, operands) = program
        .with_names(|names| (disasm::sentence(&bytes, names), disasm::operands(&bytes, names)));
    let depends = subject.depends(&links);
    let (needed, needed_total) = subject.needed(&links);
    let opcode = Opcode(bytes.opcode_byte());
    Ok(SlotAnswer {
        schema: SCHEMA,
        opcode: bytes.opcode_byte(),
        mnemonic: opcode
            .mnemonic()
            .map_or_else(|| format!("OPCODE {:#04x}", bytes.opcode_byte()), str::to_owned),
        sentence,
        text: disasm::text(&bytes),
        hex: hex_bytes(bytes.bytes()),
        provenance: subject.slot.map_or(Provenance::File, |slot| slot_provenance(&view, slot)),
        deleted: subject.slot.is_none(),
        neff_hex: subject
            .record
            .filter(|record| *record != bytes)
            .map(|record| hex_bytes(record.bytes())),
        sections: subject.sections(&operands, &depends),
        fields: fields(&bytes),
        source: subject.ip.map(|ip| sources(&view, ip - 1)).unwrap_or_default(),
        depends,
        needed,
        needed_total,
        step: subject.slot.and_then(|slot| step(&view, SlotIndex(slot))),
        change: change(&view, subject.slot, subject.ip),
        place: subject.place,
    })
}

fn subject<'a>(
    view: &'a View<'a>,
    slot: Option<u32>,
    ip: Option<u32>,
) -> Result<Subject<'a>, ApiError> {
    let image = &view.image().image;
    let stream = view.stream(view.engine);
    let slot = match (slot, ip) {
        (Some(slot), _) => Some(slot),
        (None, Some(ip)) => match view.image().map.image_slots(NeffIp(ip)) {
            IpPlace::Slots(slots) => Some(slots.start),
            IpPlace::Deleted(_) => None,
            IpPlace::Outside => {
                return Err(no_such_ip(view.engine, view.subgraph, ip, stream.len()));
            }
        },
        (None, None) => Some(0),
    };
    let Some(slot) = slot else {
        let ip = ip.unwrap_or(0);
        let record = NeffIp(ip).slot().and_then(|slot| stream.get(slot.get() as usize)).copied();
        let bytes =
            record.ok_or_else(|| no_such_ip(view.engine, view.subgraph, ip, stream.len()))?;
        let place = view.place_of_ip(view.engine, ip);
        return Ok(Subject { view, slot: None, ip: Some(ip), bytes, record: Some(bytes), place });
    };
    let bytes = image.slots.get(slot as usize).copied().ok_or_else(|| {
        let n = image.slots.len();
        let message = format!(
            "the image of {} in {} has {n} slots, there is none with index {slot}",
            view.engine, view.subgraph
        );
        ApiError::new(ErrorKind::NotFound, "slot.outside", message)
    })?;
    let ip = match image.info.get(slot as usize).map(|info| info.origin) {
        Some(Origin::Record(ip)) => Some(ip.get()),
        _ => None,
    };
    let record = ip.and_then(|ip| stream.get(ip.checked_sub(1)? as usize)).copied();
    let place = view.place_of_slot(view.engine, slot);
    Ok(Subject { view, slot: Some(slot), ip, bytes, record, place })
}

impl Subject<'_> {
    fn sections(&self, operands: &str, depends: &[LinkInfo]) -> Vec<FactSection> {
        let mut sections =
            vec![FactSection { title: "Place".to_owned(), facts: self.place_facts() }];
        let waits = disasm::wait_words(&self.bytes);
        if !waits.is_empty() {
            let mut facts = vec![fact("Condition", waits, "wait", self.bytes_provenance())];
            if let Some(link) = depends.first() {
                let place = &link.place;
                let ip = place.neff_ip.map(|ip| format!(" IP {ip}")).unwrap_or_default();
                let mut raised =
                    fact("Raised by", format!("{}{ip}", place.e), "text", link.provenance);
                raised.note = Some(link.text.clone());
                raised.place = Some(place.clone());
                facts.push(raised);
            }
            facts.extend(self.sync_facts(false));
            sections.push(FactSection { title: "Wait".to_owned(), facts });
        }
        let updates = disasm::update_words(&self.bytes);
        if !updates.is_empty() {
            let mut facts = vec![fact("Action", updates, "update", self.bytes_provenance())];
            facts.extend(self.sync_facts(true));
            sections.push(FactSection { title: "Update".to_owned(), facts });
        }
        if !operands.is_empty() {
            let facts =
                vec![fact("In short", operands.to_owned(), "mono", self.bytes_provenance())];
            sections.push(FactSection { title: "Operands".to_owned(), facts });
        }
        if let Some(facts) = self.transfer_facts() {
            sections.push(FactSection { title: "Transfer".to_owned(), facts });
        }
        if let Some(facts) = self.collective_facts() {
            sections.push(FactSection { title: "Collective".to_owned(), facts });
        }
        sections
    }

    /// Name and device address of each event or semaphore that the record waits for, or changes.
    fn sync_facts(&self, updates: bool) -> Vec<Fact> {
        let view = self.view;
        let (program, links) = (view.file.program(view.index), view.file.links(view.index));
        let (generation, inputs) = (view.images.generation, &view.images.inputs);
        let mut facts: Vec<Fact> = Vec::new();
        for of in sync_names::of_record(&self.bytes) {
            if of.update.is_some() != updates {
                continue;
            }
            let (name, from) = sync_names::name(&program, &links, of);
            let text = of.text();
            if facts.iter().any(|fact| fact.note.as_deref() == Some(text.as_str())) {
                continue;
            }
            let mut named = fact("Name", name, "text", from);
            named.note = Some(text);
            facts.push(named);
            let window = match of.update {
                _ if of.event => Window::Event,
                None => Window::Read,
                Some(UpdateKind::Increment | UpdateKind::Add) => Window::Increment,
                Some(UpdateKind::Decrement | UpdateKind::Subtract) => Window::Decrement,
                Some(_) => Window::Set,
            };
            let at = sync_events::address(generation, inputs.core, window, u16::from(of.id));
            if let Some(at) = at.map(hex) {
                let from = provenance(inputs.provenance_of(Inputs::CORE));
                let mut place = fact("Address", at.clone(), "address", from);
                place.note = Some(format!("{}, core {}", window.name(), inputs.core));
                place.address = Some(at);
                facts.push(place);
            }
            facts.extend(of.update.and_then(|update| cell(generation, update)));
        }
        facts
    }

    fn bytes_provenance(&self) -> Provenance {
        self.slot.map_or(Provenance::File, |slot| slot_provenance(self.view, slot))
    }

    fn place_facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let (base, base_from) = self.view.base(self.view.engine);
        let placed = |provenance| {
            if base_from == Provenance::Modelled { Provenance::Modelled } else { provenance }
        };
        if let (Some(slot), Some(pc)) = (self.slot, &self.place.device_pc) {
            facts.push(fact("Device PC", pc.clone(), "address", placed(Provenance::Observed)));
            facts.push(fact("Base", hex(base.get()), "address", base_from));
            let mut image =
                fact("Image", hex(u64::from(slot) * 64), "address", Provenance::Observed);
            image.note = Some(format!("slot {slot}"));
            facts.push(image);
        } else if let Some(offset) = self.place.image_offset {
            let mut image = fact("Image", "no slot".to_owned(), "text", Provenance::Observed);
            image.note = Some(format!("deleted at {offset:#x}"));
            facts.push(image);
        }
        match self.ip {
            Some(ip) => {
                let mut neff = fact("NEFF IP", ip.to_string(), "mono", Provenance::Observed);
                neff.note = self.runtime_note(ip);
                facts.push(neff);
                facts.push(self.file_fact(ip));
            }
            None => {
                let mut neff = fact("NEFF IP", "–".to_owned(), "mono", Provenance::Observed);
                neff.note = Some("the runtime makes this slot".to_owned());
                facts.push(neff);
            }
        }
        if let Some(region) = &self.place.region {
            // A capture has bytes; what its regions are called is a conclusion.
            let captured = self.view.image().captured;
            let of = if captured { Provenance::Inferred } else { Provenance::Observed };
            facts.push(fact("Region", region.clone(), "text", of));
        }
        facts
    }

    fn runtime_note(&self, ip: u32) -> Option<String> {
        let slot = self.slot?;
        let pc = DevicePc(self.view.base_pc().get().wrapping_add(u64::from(slot) * 64));
        Some(match self.view.image().map.runtime(self.view.base_pc(), pc) {
            Ok(runtime) if runtime.literal == ip => "exact and runtime agree".to_owned(),
            Ok(runtime) if runtime.literal != runtime.neff_ip => {
                format!("the runtime says {:#x}", runtime.literal)
            }
            Ok(runtime) => format!("the runtime says {}", runtime.neff_ip),
            Err(error) => format!("the runtime says: {error}"),
        })
    }

    fn file_fact(&self, ip: u32) -> Fact {
        let subgraphs = self.view.file.package().subgraphs();
        let member = subgraphs
            .get(self.view.index)
            .and_then(|subgraph| subgraph.engine(self.view.engine).bin.clone())
            .unwrap_or_else(|| "stream".to_owned());
        let offset = u64::from(ip.saturating_sub(1)) * 64;
        let mut file = fact("File", hex(offset), "address", Provenance::File);
        file.note = Some(format!("in {member}"));
        file
    }

    fn transfer_facts(&self) -> Option<Vec<Fact>> {
        let record = self.record?;
        if let Some(name) = self.ip.and_then(|ip| direct(self.view.engine, &record, ip)) {
            return Some(vec![drawn("its drawing".to_owned(), name)]);
        }
        let block = self.view.file.sources(self.view.index).dma(self.view.engine, &record)?;
        let tree = self.view.file.kbin(self.view.index);
        let started = tree.as_ref().and_then(|tree| {
            started(tree, self.view.engine, &record, MAX_DRAWN).map(|all| (tree, all))
        });
        let mut queue = fact("Queue", block.queue, "mono", Provenance::File);
        let page = started.as_ref().and_then(|(tree, all)| tree.queues.get(all.queue));
        queue.record = page.map(|queue| format!("queue.{}", quoted(&queue.name)));
        queue.note = Some(format!("block {}", block.block));
        let mut facts = vec![queue];
        match block.comment {
            Some(comment) => facts.push(fact("Block", comment, "mono", Provenance::File)),
            None => {
                let mut missing = fact("Block", "?".to_owned(), "mono", Provenance::File);
                missing.note = Some("the engine JSON has no such block".to_owned());
                facts.push(missing);
            }
        }
        let program = self.view.file.program(self.view.index);
        if let Some(post) = program.transfer(self.view.engine, &record) {
            let text = format!("sem[{}] += {} when the transfer ends", post.semaphore, post.rings);
            facts.push(fact("Posts", text, "update", Provenance::Observed));
        }
        let (_, started) = started.unzip();
        if let Some(all) = started {
            let shown = all.drawings.len() as u64;
            for name in all.drawings {
                let text = name.trim_start_matches("transfer.").to_owned();
                facts.push(drawn(text, name));
            }
            if let (Some(last), true) = (facts.last_mut(), all.total > shown) {
                last.note = Some(format!("and {} more", all.total - shown));
            }
        }
        Some(facts)
    }

    /// Operation of a record that starts a collective, and the entries that it stages.
    fn collective_facts(&self) -> Option<Vec<Fact>> {
        let slot = self.ip?.checked_sub(1)?;
        let record = self.record?;
        if !is_trigger(record.opcode_byte()) {
            return None;
        }
        let file = self.view.file;
        let subgraph = file.package().subgraphs().get(self.view.index)?;
        let all = triggers(file.package(), subgraph, &mut Findings::new());
        let own = |one: &Trigger| one.engine == self.view.engine && one.slot == slot;
        let (index, trigger) = (0..).zip(&all).find(|(_, one)| own(one))?;
        let kind = fact(
            "Operation",
            trigger.kind.name().to_owned(),
            "text",
            provenance(trigger.kind_from),
        );
        let mut entry = fact("Entry", format!("entry {index}"), "text", Provenance::Inferred);
        entry.note = Some("of the control table of each TOP_SP".to_owned());
        entry.collective = Some(index);
        Some(vec![kind, entry])
    }

    fn depends(&self, links: &Links) -> Vec<LinkInfo> {
        let Some(record) = self.record else { return Vec::new() };
        let mut list = Vec::new();
        for (semaphore, reach) in Links::waits_of(&record) {
            let via = Some(format!("sem[{semaphore}] reaches {reach}"));
            match links.raised(semaphore, reach) {
                Some(Raised::By(post)) => list.push(self.post_link(post, via)),
                Some(Raised::AnyOf(posts)) => {
                    list.extend(posts.iter().map(|post| self.post_link(post, via.clone())));
                }
                Some(Raised::Never { .. }) | None => {}
            }
        }
        list.truncate(MAX_LINKS);
        list
    }

    fn needed(&self, links: &Links) -> (Vec<LinkInfo>, u64) {
        let Some(ip) = self.ip else { return (Vec::new(), 0) };
        let mut list = Vec::new();
        let mut total = 0;
        for (semaphore, post) in links.posts_of(self.view.engine, ip.saturating_sub(1)) {
            let waiters = links.needed(semaphore, &post);
            total += waiters.len() as u64;
            let room = MAX_LINKS.saturating_sub(list.len());
            list.extend(waiters.iter().take(room).map(|waiter| self.waiter_link(waiter)));
        }
        (list, total)
    }

    fn post_link(&self, post: &Post, via: Option<String>) -> LinkInfo {
        let text = self.name_of(post.engine, post.slot);
        let text = if post.transfer { format!("{text} (transfer ends)") } else { text };
        LinkInfo {
            place: self.view.place_of_ip(post.engine, post.slot + 1),
            text,
            via,
            provenance: Provenance::Inferred,
        }
    }

    fn waiter_link(&self, waiter: &Waiter) -> LinkInfo {
        LinkInfo {
            place: self.view.place_of_ip(waiter.engine, waiter.slot + 1),
            text: self.name_of(waiter.engine, waiter.slot),
            via: Some(format!("sem[{}] reaches {}", waiter.semaphore, waiter.reach)),
            provenance: Provenance::Inferred,
        }
    }

    fn name_of(&self, engine: Engine, slot: u32) -> String {
        let record = self.view.stream(engine).get(slot as usize);
        let Some(record) = record else { return String::new() };
        match crate::program::trigger(record) {
            Some((queue, block)) => format!("{queue} block {block}"),
            None => Opcode(record.opcode_byte())
                .mnemonic()
                .map_or_else(|| format!("OPCODE {:#04x}", record.opcode_byte()), str::to_owned),
        }
    }
}

/// A transfer that the slot starts, with its drawing.
fn drawn(text: String, name: String) -> Fact {
    Fact { record: Some(name), ..fact("Moves", text, "mono", Provenance::File) }
}

/// The cell that a ring copies to make the same update.
fn cell(generation: Generation, update: UpdateKind) -> Option<Fact> {
    let (address, sure) = sync_events::cell_of(generation, update)?;
    let mut cell = fact("By ring", hex(address), "address", provenance(sure));
    cell.note = Some("cell that a ring copies there to do the same".to_owned());
    cell.address = Some(hex(address));
    Some(cell)
}

fn fact(name: &str, value: String, style: &str, provenance: Provenance) -> Fact {
    Fact {
        name: name.to_owned(),
        value,
        note: None,
        style: style.to_owned(),
        provenance,
        place: None,
        record: None,
        address: None,
        collective: None,
    }
}

fn fields(slot: &Slot) -> Vec<FieldInfo> {
    disasm::fields(slot)
        .into_iter()
        .map(|field| FieldInfo {
            offset: field.offset,
            bytes: field.bytes,
            name: field.meaning.to_owned(),
            value: field.value,
            kind: field.kind.name().to_owned(),
            provenance: match field.confidence {
                Confidence::Observed => provenance(records::Provenance::Observed),
                Confidence::Inferred | Confidence::Unknown => Provenance::Inferred,
            },
        })
        .collect()
}
