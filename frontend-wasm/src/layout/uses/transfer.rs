//! The page of a transfer.

use super::super::drawing::{bands, number};
use super::super::format::thousands;
use super::{Line, Sheet, headed, queue_page, reach, slots, to};
use debug_api::Provenance;
use debug_api::answer::{RecordLink, TransferAnswer, TransferFault, TransferSide};
use debug_api::plain::name as shown_name;
use std::borrow::Cow;

/// The page of a transfer.
pub fn transfer(answer: &TransferAnswer) -> Sheet {
    let mut lines = Vec::new();
    let mut faults = Vec::new();
    if !answer.faults.is_empty() {
        lines.push(Line::head("Findings", thousands(answer.faults.len() as u64)));
    }
    for one in &answer.faults {
        faults.push((lines.len(), one.clone()));
        lines.push(fault(one));
    }
    for side in &answer.sides {
        lines.extend(side_lines(side));
    }
    if answer.at.is_none() {
        lines.push(headed("Slots that start it", answer.total_triggers, answer.triggers.len()));
        slots(&mut lines, &answer.triggers, Provenance::File);
    }
    lines.push(Line::head("Cost", ""));
    let about = "descriptors in each hardware queue, on the side with more of them";
    lines.push(
        Line::fact("needs", thousands(answer.elements), about)
            .from(answer.elements_provenance)
            .line(),
    );
    let (place, title) = match (&answer.at, answer.name.rsplit_once('.')) {
        (Some(at), _) => {
            ("direct transfer".to_owned(), format!("{} IP {}", at.e, at.neff_ip.unwrap_or(0)))
        }
        (None, Some((record, row))) => ("descriptor".to_owned(), format!("{record}[{row}]")),
        (None, None) => (answer.kind.clone(), answer.name.clone()),
    };
    let mut facts = vec![answer.op.clone()];
    facts.extend(answer.block.map(|block| format!("block {block}")));
    facts.extend(answer.comment.clone());
    let mut links: Vec<RecordLink> = answer.links.clone();
    links.extend(answer.queue.iter().map(|queue| to(queue, queue_page(queue), 0)));
    Sheet {
        name: format!("transfer.{}", answer.name),
        title,
        kind: place,
        facts,
        links,
        lines,
        bands: bands(answer),
        faults,
        meter: None,
    }
}

fn fault(fault: &TransferFault) -> Line {
    let value = match fault.code.as_str() {
        "kbin.pattern-bounds" => "out of bounds",
        "kbin.pattern-overlap" => "writes what it reads or wrote",
        "kbin.pattern-unchecked" => "too long to compare",
        "kbin.pattern-rank" => "sizes and steps differ",
        "kbin.element-size" => "other element size",
        "kbin.pattern-bytes" => "unequal bytes",
        code => code,
    };
    Line::fact(&fault.severity, value, fault.message.clone())
        .to(fault.links.clone())
        .from(Provenance::Inferred)
        .bad(true)
        .line()
}

fn side_lines(side: &TransferSide) -> Vec<Line> {
    let title = if side.role == "source" { "Source" } else { "Target" };
    let mut lines =
        vec![Line::head(title, side.variable.as_deref().map_or(Cow::Borrowed(""), shown_name))];
    let named = side.variable.as_ref().zip(side.page.clone());
    let named = named.map(|(name, page)| to(name, page, 0));
    let kind = side.kind.clone().unwrap_or_else(|| "a variable that is not there".to_owned());
    let missing = named.is_none();
    lines.push(Line::fact("variable", "", kind).to(named).bad(missing).line());
    let about = side
        .room
        .map_or("its size is not known".to_owned(), |room| format!("of {} bytes", thousands(room)));
    let bytes = reach(side.start, side.end, side.touches.as_deref());
    let bounds = Line::fact("touches", bytes, about).bad(side.out_of_bounds);
    lines.push(bounds.from(Provenance::Inferred).line());
    let offset = format!("{} bytes", thousands(side.offset));
    lines.push(Line::fact("offset", offset, "first byte of the pattern").line());
    for at in 0..side.sizes.len().max(side.steps.len()) {
        let unit = if at == 0 { " bytes" } else { "" };
        let size = side
            .sizes
            .get(at)
            .map_or("no size".to_owned(), |size| format!("{}{unit}", thousands(*size)));
        let step = side
            .steps
            .get(at)
            .map_or("no step".to_owned(), |step| format!("step {}", number(*step)));
        let value = format!("{size}, {step}");
        let about = match at {
            0 => "innermost: size in bytes, step in bytes",
            _ => "size, and step in bytes",
        };
        lines.push(Line::fact(&format!("dimension {at}"), value, about).line());
    }
    let (carries, about) = match (side.bytes, side.runs) {
        (None, None) => ("not known".to_owned(), "what it touches is not known, or nothing"),
        (bytes, runs) => (
            format!(
                "{} in {}",
                bytes.map_or("2^64 or more".to_owned(), thousands),
                runs.map_or("2^64 or more".to_owned(), thousands)
            ),
            "bytes carried, in contiguous runs",
        ),
    };
    lines.push(Line::fact("carries", carries, about).from(Provenance::Inferred).line());
    let dtype = side.dtype.clone().unwrap_or_else(|| "\u{2014}".to_owned());
    let differs = side.element_bytes.zip(side.variable_element_bytes).is_some_and(|(a, b)| a != b);
    let about = match (side.element_bytes, side.variable_element_bytes) {
        (Some(own), Some(other)) => format!("{own} bytes an element, the variable has {other}"),
        (Some(own), None) => format!("{own} bytes an element"),
        _ => "element type; none is written".to_owned(),
    };
    lines.push(Line::fact("elements", dtype, about).bad(differs).line());
    lines
}
