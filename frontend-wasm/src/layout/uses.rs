//! Pages of the Structs view that are no records: a variable with all that uses it, a queue with
//! its limit, a transfer with its bytes. A page is a list of lines, so that keys work as in records.

use super::drawing::{Band, MarkKind, touched};
use super::format::{bytes_exact, count, percent, sum_of, thousands};
use super::value::{self, value_text};
use debug_api::Provenance;
use debug_api::answer::{
    BufferRange, PlacedVariable, QueueAnswer, RecordFieldInfo, RecordLink, RecordValueInfo,
    SlotUse, TransferFault, VariableAnswer,
};
use debug_api::plain::{name as shown_name, quoted, range};

mod transfer;
mod words;

pub use transfer::transfer;

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Name in the address, `variable.x`.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// Kind, in a word or two.
    pub kind: String,
    /// Facts under the title.
    pub facts: Vec<String>,
    /// Where it leads as a whole.
    pub links: Vec<RecordLink>,
    /// Lines.
    pub lines: Vec<Line>,
    /// What is drawn above the lines.
    pub bands: Vec<Band>,
    /// What is wrong, each with the line that has its links.
    pub faults: Vec<(usize, TransferFault)>,
    /// Used part and limit, drawn as a bar.
    pub meter: Option<(u64, u64)>,
}

/// A line of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Heading of a group, and a remark.
    Head(String, String),
    /// A fact.
    Fact(Box<Fact>),
}

/// A fact of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// What it is.
    pub label: String,
    /// The value.
    pub value: String,
    /// More about it.
    pub about: String,
    /// Where it leads.
    pub links: Vec<RecordLink>,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Whether something is wrong with it.
    pub bad: bool,
}

impl Line {
    fn head(title: &str, remark: impl Into<String>) -> Self {
        Self::Head(title.to_owned(), remark.into())
    }

    fn fact(label: &str, value: impl Into<String>, about: impl Into<String>) -> Fact {
        let (label, value, about) = (label.to_owned(), value.into(), about.into());
        Fact { label, value, about, ..Fact::default() }
    }

    /// Where it leads.
    pub fn links(&self) -> &[RecordLink] {
        match self {
            Self::Head(..) => &[],
            Self::Fact(fact) => &fact.links,
        }
    }

    /// The line in a sentence.
    pub fn spoken(&self) -> String {
        match self {
            Self::Head(title, remark) => format!("{title} {remark}"),
            Self::Fact(fact) => {
                let links: Vec<&str> = fact.links.iter().map(|link| link.label.as_str()).collect();
                format!("{}: {} {}. {}", fact.label, fact.value, links.join(", "), fact.about)
            }
        }
    }
}

impl Fact {
    fn to(mut self, links: impl IntoIterator<Item = RecordLink>) -> Self {
        self.links.extend(links);
        self
    }

    const fn from(mut self, provenance: Provenance) -> Self {
        self.provenance = provenance;
        self
    }

    const fn bad(mut self, bad: bool) -> Self {
        self.bad = bad;
        self
    }

    fn line(self) -> Line {
        Line::Fact(Box::new(self))
    }
}

/// A link to a record or page.
fn to(label: &str, record: String, offset: u64) -> RecordLink {
    RecordLink { label: label.to_owned(), record: Some(record), offset, ..RecordLink::default() }
}

/// A link to a record of a stream.
fn code(slot: &SlotUse) -> RecordLink {
    let label = format!("{} IP {}", slot.at.e, thousands(slot.at.neff_ip.unwrap_or(0).into()));
    RecordLink { label, place: Some(slot.at.clone()), ..RecordLink::default() }
}

/// How many of so many are shown, where not all are.
fn part(shown: usize, total: u64) -> String {
    if shown as u64 >= total {
        String::new()
    } else {
        format!("the first {}", thousands(shown as u64))
    }
}

/// What is touched; in the answer's own words where numbers do not hold it.
fn reach(start: Option<i64>, end: Option<i64>, touches: Option<&str>) -> String {
    match (start.zip(end), touches) {
        (_, Some(touches)) => touches.to_owned(),
        (Some((start, end)), None) => range(start, end),
        (None, None) => "no bytes".to_owned(),
    }
}

fn headed(title: &str, total: u64, shown: usize) -> Line {
    let note = part(shown, total);
    let note = if note.is_empty() { note } else { format!(", {note}") };
    Line::head(title, format!("{}{note}", thousands(total)))
}

fn slots(out: &mut Vec<Line>, list: &[SlotUse], provenance: Provenance) {
    for slot in list {
        let (label, verb) = match slot.role.as_str() {
            "source" => ("reads", "from it"),
            "target" => ("writes", "to it"),
            "both" => ("reads and writes", "it"),
            "direct" => ("moves", "bytes itself"),
            _ => ("triggers", ""),
        };
        let mut links = vec![code(slot)];
        let mut about = String::new();
        if let Some((queue, block)) = slot.queue.as_ref().zip(slot.block) {
            about = format!("triggers block {block} of {queue}");
            links.push(to(queue, queue_page(queue), 0));
        }
        if let Some(name) = &slot.transfer {
            links.push(to("drawn", format!("transfer.{name}"), 0));
            let touches = slot.touches.as_deref();
            about = match slot.start.is_some() || touches.is_some() {
                true => {
                    let bytes = reach(slot.start, slot.end, touches);
                    format!("a direct transfer {verb}, {bytes}")
                }
                false => "a direct transfer".to_owned(),
            };
        }
        if slot.out_of_bounds {
            about.push_str(", out of bounds");
        }
        out.push(
            Line::fact(label, "", about).to(links).from(provenance).bad(slot.out_of_bounds).line(),
        );
    }
}

/// The page of a variable.
pub fn variable(answer: &VariableAnswer) -> Sheet {
    let mut lines = words::words(&answer.gates, &answer.diagnostics);
    lines.push(Line::head("Record", ""));
    let own = |field: &&RecordFieldInfo| {
        let name = field.name.rsplit('.').next().unwrap_or("");
        !name.starts_with("pad") && name != "name" && value_text(field).is_some()
    };
    for field in answer.fields.iter().filter(own) {
        let label = field.name.rsplit('.').next().unwrap_or("");
        let value = value_text(field).unwrap_or_default();
        let unit = field.unit.as_ref().map_or(String::new(), |unit| format!(" {unit}"));
        let bytes = to(&format!("@{:#x}", field.offset), "mem_ref_set".to_owned(), field.offset);
        lines.push(
            Line::fact(label, value + &unit, value::meaning(field))
                .to([bytes])
                .to(field.link.clone())
                .from(field.provenance)
                .line(),
        );
    }
    lines.push(Line::head("Place in device memory", "loaded alone, with pages of 512 MiB"));
    match &answer.place {
        Some(place) => lines.extend(placed(place)),
        None => lines.push(Line::fact("place", "?", "the file cannot be loaded").line()),
    }
    lines.push(headed("DMA descriptors", answer.total_descriptors, answer.descriptors.len()));
    for one in &answer.descriptors {
        let block = format!("{} of {} block {}", one.op, one.queue, one.block);
        let drawn = format!("transfer.{}.{}", one.record, one.row);
        let row = format!("{}[{}]", one.record, one.row);
        let out = if one.out_of_bounds { ", out of bounds" } else { "" };
        let bytes = reach(one.start, one.end, one.touches.as_deref());
        lines.push(
            Line::fact(&one.role, "", format!("{block}, {bytes}{out}"))
                .to([
                    to(&row, one.record.clone(), RING_HEADER + one.row * DESCRIPTOR),
                    to("drawn", drawn, 0),
                    to(&one.queue, queue_page(&one.queue), 0),
                ])
                .bad(one.out_of_bounds)
                .line(),
        );
    }
    lines.push(headed("Slots that move it", answer.total_slots, answer.slots.len()));
    slots(&mut lines, &answer.slots, Provenance::File);
    if !answer.buffer.is_empty() {
        lines.push(headed("State buffer", answer.buffer.len() as u64, answer.buffer.len()));
        lines.extend(answer.buffer.iter().map(buffer));
        let shown = answer.buffer_slots.len();
        lines.push(headed("Slots that touch those bytes", answer.total_buffer_slots, shown));
        slots(&mut lines, &answer.buffer_slots, Provenance::Inferred);
        for line in lines.iter_mut().rev().take(shown) {
            if let Line::Fact(fact) = line {
                fact.about = "at some time; the bytes serve other variables too".to_owned();
            }
        }
    }
    if !answer.named_by.is_empty() {
        lines.push(Line::head("Named by", ""));
        let named = answer.named_by.iter().zip(&answer.named_by_pages);
        lines.extend(named.map(|(name, page)| {
            let link = to(name, page.clone(), 0);
            Line::fact("variable", "", "a pointer or list").to([link]).line()
        }));
    }
    Sheet {
        name: answer.page.clone(),
        title: shown_name(&answer.name).into_owned(),
        kind: format!("{} variable", answer.kind),
        facts: vec![
            format!("id {}", answer.id),
            count(answer.total_descriptors, "descriptor"),
            count(answer.total_slots, "slot"),
        ],
        links: vec![to("its mem_ref", "mem_ref_set".to_owned(), answer.offset)],
        bands: touches(answer),
        lines,
        ..Sheet::default()
    }
}

/// Which of its bytes transfers read and write.
fn touches(answer: &VariableAnswer) -> Vec<Band> {
    let size = answer.fields.iter().find(|field| field.name.ends_with("].size"));
    let room = size.and_then(|field| match field.value {
        RecordValueInfo::Number(bytes) if answer.kind != "SB" => Some(bytes),
        _ => None,
    });
    let of = |role: &str| -> Vec<[i64; 2]> {
        let own = |other: &str| other == role || other == "both";
        let descriptors = answer.descriptors.iter().filter(|one| own(&one.role));
        let slots = answer.slots.iter().filter(|one| own(&one.role));
        let descriptors = descriptors.filter_map(|one| Some([one.start?, one.end?]));
        descriptors.chain(slots.filter_map(|one| Some([one.start?, one.end?]))).collect()
    };
    let read = touched("read by", MarkKind::Source, room, &of("source"));
    read.into_iter().chain(touched("written by", MarkKind::Target, room, &of("target"))).collect()
}

/// Bytes before the first descriptor of a ring, and of a descriptor.
const RING_HEADER: u64 = 264;
const DESCRIPTOR: u64 = 5_456;

fn placed(place: &PlacedVariable) -> Vec<Line> {
    let words = match place.place.as_str() {
        "state-buffer" => "in the state buffer",
        "own" => "memory of its own",
        "private" => "no page takes it: memory of its own",
        "page" => "on a page of the scratchpad",
        "at-execute" => "given with each execution",
        "table" => "a table of addresses",
        "cell" => "a cell with an address",
        "remote" => "where the other subgraph has it",
        _ => "nowhere: nothing is staged",
    };
    let mut out = vec![Line::fact("place", words, "by kind").from(Provenance::Observed).line()];
    if let (Some(page), Some(at)) = (place.page, place.in_page_offset) {
        let value = format!("page {page} at {at:#x}");
        out.push(
            Line::fact("scratchpad", value, "page and byte in it")
                .from(Provenance::Observed)
                .line(),
        );
    }
    let address = place.address.clone().unwrap_or_else(|| "\u{2014}".to_owned());
    out.push(
        Line::fact("address", address, "by our model of the driver").from(place.provenance).line(),
    );
    out
}

fn buffer(part: &BufferRange) -> Line {
    let last = part.first_partition.saturating_add(part.partitions.saturating_sub(1));
    let value = range(part.start, part.end);
    let parts = format!("partitions {} to {last}", part.first_partition);
    let about = match part.role.as_str() {
        "filled" => format!("{parts}, filled from it"),
        _ => format!("{parts}, read for it"),
    };
    Line::fact(&part.role, value, about).from(Provenance::Inferred).line()
}

/// The page of a queue.
pub fn queue(answer: &QueueAnswer) -> Sheet {
    let over = answer.elements > answer.limit;
    let mut lines = words::words(&answer.gates, &answer.diagnostics);
    lines.push(Line::head("Limit", ""));
    let text = format!("{} of {}", sum_of(answer.elements), thousands(answer.limit));
    let about = match over {
        true => format!(
            "in each of {}: queue size too large",
            count(answer.hardware_queues, "hardware queue")
        ),
        false => format!(
            "in each of {}, {} of what it holds",
            count(answer.hardware_queues, "hardware queue"),
            percent(answer.elements, answer.limit)
        ),
    };
    lines.push(Line::fact("needs", text, about).from(answer.elements_provenance).bad(over).line());
    if answer.is_dynamic {
        let text = sum_of(answer.direct_elements);
        let about = "in each hardware queue for direct transfers; made as it goes, so none is held";
        lines.push(Line::fact("made", text, about).from(Provenance::Modelled).line());
    }
    if !answer.contributors.is_empty() {
        lines.push(Line::head("Variables that need most", ""));
    }
    lines.extend(answer.contributors.iter().map(|one| {
        let link = to(&one.variable, one.page.clone(), 0);
        let share = percent(one.elements, answer.elements.max(1));
        let about = format!("{share} of the queue, in {}", count(one.descriptors, "descriptor"));
        Line::fact("needs", sum_of(one.elements), about)
            .to([link])
            .from(answer.elements_provenance)
            .bad(one.elements > answer.limit)
            .line()
    }));
    lines.push(headed("Ring instances", answer.rings.len() as u64, answer.rings.len()));
    lines.extend(answer.rings.iter().map(|ring| {
        let size = bytes_exact(ring.bytes);
        let about = format!("{} of {}, {size}", count(ring.blocks, "block"), ring.name);
        let value = count(ring.descriptors, "descriptor");
        let mut links = vec![to(&ring.record, ring.record.clone(), 0)];
        if ring.descriptors > 0 {
            links.push(to("first drawn", format!("transfer.{}.0", ring.record), 0));
        }
        Line::fact("ring", value, about).to(links).line()
    }));
    let semaphores: Vec<String> = answer.semaphores.iter().map(u32::to_string).collect();
    lines.push(Line::head("Set-up", ""));
    let owner = answer.owner.as_deref().unwrap_or("?").to_owned();
    lines.push(Line::fact("owner", owner, "engine that triggers it").line());
    let rings = answer.queue_set_count.to_string();
    lines.push(Line::fact("hardware queues", rings, "in its set").line());
    let list = if semaphores.is_empty() { "\u{2014}".to_owned() } else { semaphores.join(", ") };
    lines.push(Line::fact("semaphores", list, "raised when a block ends").line());
    let title = if answer.is_dynamic { "Direct transfers" } else { "Slots that trigger it" };
    lines.push(headed(title, answer.total_triggers, answer.triggers.len()));
    slots(&mut lines, &answer.triggers, Provenance::File);
    Sheet {
        name: queue_page(&answer.name),
        title: shown_name(&answer.name).into_owned(),
        kind: format!("{} queue", answer.ring_type),
        facts: vec![
            count(answer.descriptors, "descriptor"),
            count(answer.rings.len() as u64, "ring instance"),
            count(answer.total_triggers, "slot"),
        ],
        links: vec![to("its record", answer.record.clone(), 0)],
        lines,
        meter: Some((answer.elements, answer.limit)),
        ..Sheet::default()
    }
}

/// The page of a queue by its name.
fn queue_page(name: &str) -> String {
    format!("queue.{}", quoted(name))
}

#[cfg(test)]
mod tests;
