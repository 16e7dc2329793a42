//! Answers `transfer`: which bytes a descriptor or a direct transfer touches.

use super::kbin::tree;
use super::kbin_links::{in_member, variable_page};
use super::started::{place, starters};
use crate::answer::{PlaceRef, RecordLink, SCHEMA, TransferAnswer, TransferFault, TransferSide};
use crate::convert::provenance;
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::neff_file::NeffFile;
use crate::request::Scope;
use kbin::Kbin;
use kbin::direct::Direct;
use kbin::lowering::model::{Side, Variable};
use kbin::need::{Need, SEEN_QUEUES};
use kbin::patterns::{Transfer, room};
use kbin::reach::{NoReach, Reach, out_of_bounds, ranges, shared, touched};
use kbin::record::RecordId;
use records::kbin::names::MrType;
use records::{Engine, Provenance};
use std::sync::Arc;

/// Ranges of one answer.
const MOST_RANGES: usize = 4_096;

/// One transfer.
///
/// # Errors
/// `transfer.unknown`.
pub fn transfer(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
) -> Result<TransferAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    let found = name.rsplit_once('.').and_then(|(of, number)| {
        let number: usize = number.parse().ok()?;
        match of.parse::<Engine>().ok() {
            Some(engine) => direct(file, index, &tree, engine, number),
            None => descriptor(file, index, &tree, of, number),
        }
    });
    let found = found.ok_or_else(|| unknown(&tree, "transfer.unknown", "transfer", name))?;
    Ok(TransferAnswer { name: name.to_owned(), ..found })
}

/// A descriptor of a ring.
fn descriptor(
    file: &NeffFile,
    index: usize,
    tree: &Kbin,
    record: &str,
    row: usize,
) -> Option<TransferAnswer> {
    let id = tree.record_of_name(record)?;
    let RecordId::Ring(queue_at, ring_at) = id else { return None };
    let queue = tree.queues.get(queue_at)?;
    let ring = queue.rings.get(ring_at)?;
    let descriptor = ring.descriptors.get(row)?;
    let block = ring.blocks.get(descriptor.block as usize);
    let place = tree.place_in(block.and_then(|block| block.engine), descriptor.at);
    let who = format!("descriptor {row} of `{}`", ring.name);
    let shape = tree.shape(id)?;
    let record = RecordLink {
        record: Some(record.to_owned()),
        offset: shape.header + row as u64 * shape.stride,
        ..RecordLink::default()
    };
    let links = vec![record, in_member("in the file", &place)];
    let made = Made {
        transfer: Transfer::of(&who, descriptor),
        links,
        need: descriptor.need,
        provenance: Provenance::File,
    };
    let (total_triggers, triggers) = block
        .map(|block| starters(file, index, tree, (queue_at, ring_at), block))
        .unwrap_or_default();
    Some(TransferAnswer {
        total_triggers,
        triggers,
        kind: "descriptor".to_owned(),
        op: match descriptor.is_cast {
            true => "CAST".to_owned(),
            false => descriptor.op.name().unwrap_or("INVALID").to_owned(),
        },
        queue: Some(queue.name.clone()),
        block: block.map(|block| block.id),
        comment: block.and_then(|block| block.comment.clone()),
        ..made.answer(tree)
    })
}

/// A direct transfer of a stream, by its NEFF IP.
fn direct(
    file: &NeffFile,
    index: usize,
    tree: &Kbin,
    engine: Engine,
    ip: usize,
) -> Option<TransferAnswer> {
    let at = ip.checked_sub(1)?;
    let slot = file.streams(index).get(engine.index())?.get(at)?;
    let program = file.program(index);
    let direct = program.with_names(|names| Direct::of(slot, tree, names.table))?;
    let from = [direct.from_variable];
    let who = format!("the transfer of {} IP {ip}", engine.name());
    let place = place(tree, engine, at);
    let stream = RecordLink {
        label: "its bytes".to_owned(),
        of: Some("stream".to_owned()),
        e: Some(engine.name().to_owned()),
        offset: at as u64 * 64,
        bytes: Some(64),
        ..RecordLink::default()
    };
    let made = Made {
        transfer: direct.transfer(&who, &from),
        links: vec![to_place(&place), stream],
        need: direct.need(SEEN_QUEUES),
        provenance: Provenance::File,
    };
    Some(TransferAnswer {
        kind: "direct".to_owned(),
        op: if direct.is_cast { "CAST" } else { "COPY" }.to_owned(),
        at: Some(place),
        ..made.answer(tree)
    })
}

/// A transfer and what leads to it.
struct Made<'a> {
    transfer: Transfer<'a>,
    links: Vec<RecordLink>,
    need: Need,
    provenance: Provenance,
}

impl Made<'_> {
    fn answer(&self, tree: &Kbin) -> TransferAnswer {
        let transfer = &self.transfer;
        let variable = |at: Option<u32>| tree.variables.get(at? as usize);
        let sources = transfer.from_variables.iter().map(|at| ("source", *at, transfer.from));
        let sides = sources.chain(std::iter::once(("target", transfer.to_variable, transfer.to)));
        let meets = transfer.to_variable.is_some()
            && transfer.from_variables.contains(&transfer.to_variable);
        let both = meets.then(|| ranges(transfer.from).zip(ranges(transfer.to))).flatten();
        let both = both.map_or(Vec::new(), |(from, to)| shared(&from, &to));
        let own = self.links.last().cloned();
        let faults = tree.transfer_faults(transfer).into_iter().map(|fault| TransferFault {
            code: fault.code.to_owned(),
            severity: fault.severity().name().to_owned(),
            links: own
                .clone()
                .into_iter()
                .chain(fault.variables.iter().filter_map(|at| variable(Some(*at))).map(|one| {
                    let label = format!("{} in the file", one.name);
                    in_member(&label, &tree.place(one.at))
                }))
                .collect(),
            message: fault.message,
        });
        TransferAnswer {
            schema: SCHEMA,
            subgraph: tree.subgraph.clone(),
            name: String::new(),
            kind: String::new(),
            op: String::new(),
            queue: None,
            block: None,
            comment: None,
            at: None,
            elements: self.need.most(),
            elements_provenance: provenance(self.need.provenance),
            links: self.links.clone(),
            sides: sides
                .map(|(role, at, of)| TransferSide {
                    page: variable(at).map(|_| variable_page(tree, at.unwrap_or(0) as usize)),
                    ..side(role, variable(at), of)
                })
                .collect(),
            shared: spans(&both),
            faults: faults.collect(),
            total_triggers: 0,
            triggers: Vec::new(),
            provenance: provenance(self.provenance),
        }
    }
}

fn side(role: &str, variable: Option<&Variable>, side: &Side) -> TransferSide {
    let reach = Reach::of(side);
    let room = variable.and_then(room);
    let clip = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
    TransferSide {
        role: role.to_owned(),
        variable: variable.map(|one| one.name.clone()),
        page: None,
        id: variable.map(|one| one.id),
        kind: variable.map(|one| one.kind.name().unwrap_or("INVALID").to_owned()),
        room,
        state_buffer: variable.is_some_and(|one| one.kind == MrType::SB),
        dtype: side.dtype.bytes().and_then(|_| side.dtype.name()).map(str::to_owned),
        element_bytes: side.dtype.bytes(),
        variable_element_bytes: variable.and_then(|one| one.element_size),
        offset: side.offset,
        sizes: side.sizes.clone(),
        steps: side.steps.clone(),
        start: reach.and_then(|reach| byte(reach.start)),
        end: reach.and_then(|reach| byte(reach.end)),
        touches: beyond(side),
        bytes: reach.and_then(|reach| u64::try_from(reach.bytes).ok()),
        runs: reach.map(|reach| clip(reach.runs)),
        ranges: ranges(side).map_or(Vec::new(), |all| spans(&all)),
        out_of_bounds: room.is_some_and(|room| out_of_bounds(side, room)),
    }
}

fn spans(all: &[(i128, i128)]) -> Vec<[i64; 2]> {
    let spans = all.iter().take(MOST_RANGES);
    spans.filter_map(|(start, end)| Some([byte(*start)?, byte(*end)?])).collect()
}

/// A byte of a pattern as documents have it; `None` beyond all files.
pub fn byte(value: i128) -> Option<i64> {
    i64::try_from(value).ok()
}

/// What a side touches in words, where [`byte`] does not hold it.
pub fn beyond(side: &Side) -> Option<String> {
    let is_beyond = match Reach::checked(side) {
        Ok(reach) => byte(reach.start).is_none() || byte(reach.end).is_none(),
        Err(reason) => reason != NoReach::Empty,
    };
    is_beyond.then(|| touched(side))
}

/// A link to a record of a stream.
pub fn to_place(place: &PlaceRef) -> RecordLink {
    let ip = place.neff_ip.unwrap_or(0);
    RecordLink {
        label: format!("{} IP {ip}", place.e),
        place: Some(place.clone()),
        ..RecordLink::default()
    }
}

/// An error about a name that the program does not have.
pub fn unknown(tree: &Kbin, code: &'static str, what: &str, name: &str) -> ApiError {
    let shown: String = name.chars().take(64).collect();
    let message = format!("{} has no {what} `{shown}`", tree.subgraph);
    ApiError::new(ErrorKind::NotFound, code, message)
}
