//! Answers `ntff`, and `info` about a capture.

use crate::answer::{
    At, FileInfo, Finding, NtffAnswer, NtffClock, NtffField, NtffImage, NtffMemory, NtffNumber,
    NtffPatch, NtffQueue, NtffRings, NtffSlice, NtffSubgraph, NtffTrace, NtffUnknown, Provenance,
    SCHEMA,
};
use crate::convert::{findings, hex, hex_bytes, provenance};
use crate::file::{FileKind, OpenFile};
use crate::names;
use crate::ntff_file::NtffFile;
use neff::ntff::{Capture, RuntimeVersion, SubgraphCapture, SubgraphTrace, Trace, uuid_text};
use records::Engine;
use records::ntff::{QueueSource, QueueType, RingKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Fields without a known meaning that are listed.
const UNKNOWN_LISTED: usize = 1000;

/// Entries of one table of one core that are listed. Known captures have a few hundred at most.
const LISTED: usize = 65_536;

/// Everything that is known of a capture by itself.
pub fn ntff(files: &[Arc<OpenFile>], file: &NtffFile) -> NtffAnswer {
    let (capture, walked) = (file.capture(), file.walked());
    let runtime = capture.runtime.as_ref();
    let mut diagnostics = findings(file.findings().as_slice());
    diagnostics.extend(findings(walked.findings.as_slice()));
    diagnostics.extend(capture.subgraphs.iter().flat_map(left_out));
    diagnostics.extend(long_table("notification queues", capture.queues.len(), At::default()));
    let summaries = walked.trace.subgraphs.iter().zip(&walked.md5);
    NtffAnswer {
        schema: SCHEMA,
        file: FileInfo {
            name: names::of_ntff(files, file),
            bytes: file.bytes(),
            kind: FileKind::Ntff.name().to_owned(),
        },
        version: capture.version,
        uuid: uuid_text(&capture.uuid),
        uuid_bytes: capture.uuid.len() as u64,
        uuid_hex: hex_bytes(&capture.uuid),
        name: capture.name.clone(),
        instance_type: capture.instance_type.clone(),
        runtime_version: runtime.map(RuntimeVersion::to_string),
        runtime_commit: runtime.map(|one| one.commit.clone()).filter(|text| !text.is_empty()),
        driver_version: capture.driver_version.map(|numbers| dotted(&numbers)),
        collectives_version: capture.collectives_version.map(|numbers| dotted(&numbers)),
        versions_provenance: Provenance::Inferred,
        logical_core_size: capture.logical_core_size,
        epoch_seconds: capture.epoch_seconds,
        queues: capture
            .queues
            .iter()
            .take(LISTED)
            .map(|queue| NtffQueue {
                source: source(queue.source),
                queue: queue_name(queue.queue),
                bytes: queue.bytes,
            })
            .collect(),
        subgraphs: capture
            .subgraphs
            .iter()
            .zip(summaries)
            .map(|(core, (summary, md5))| subgraph(capture, core, &walked.trace, *summary, md5))
            .collect(),
        unexplained: [("3", capture.field_3), ("10", capture.field_10), ("14.4", capture.field_14)]
            .into_iter()
            .filter_map(|(field, value)| {
                Some(NtffNumber { field: field.to_owned(), value: value? })
            })
            .collect(),
        unknown_fields: unknown(capture),
        diagnostics,
        provenance: Provenance::File,
    }
}

/// A finding for each table of a core that is longer than what is listed.
fn left_out(core: &SubgraphCapture) -> Vec<Finding> {
    let rows = core.patches.iter().map(|list| list.rows.len()).sum();
    let tables = [
        ("images", core.images.len()),
        ("patch rows", rows),
        ("slices", core.slices.len()),
        ("rings", core.rings.len()),
        ("memory categories", core.memory.len()),
        ("clocks", core.clocks.dma.len().saturating_add(core.clocks.top_sp.len())),
    ];
    let at = || At { subgraph: Some(core.name.clone()), offset: Some(core.at), ..At::default() };
    tables.into_iter().filter_map(|(what, length)| long_table(what, length, at())).collect()
}

fn long_table(what: &str, length: usize, at: At) -> Option<Finding> {
    (length > LISTED).then(|| Finding {
        code: "ntff.listed".to_owned(),
        severity: "info".to_owned(),
        message: format!("the capture has {length} {what}; at most {LISTED} are listed"),
        at,
    })
}

fn subgraph(
    capture: &Capture,
    core: &SubgraphCapture,
    trace: &Trace,
    summary: SubgraphTrace,
    md5: &[[u8; 16]],
) -> NtffSubgraph {
    let ns = |ps: Option<i128>| u64::try_from(trace.ns(ps?)?).ok();
    NtffSubgraph {
        name: core.name.clone(),
        core: core.core,
        images: core
            .images
            .iter()
            .zip(md5)
            .take(LISTED)
            .map(|(image, md5)| NtffImage {
                engine: engine(image.engine(), image.engine_code),
                base: hex(image.base.get()),
                bytes: image.bytes.len(),
                file_offset: image.bytes.start,
                md5: hex_bytes(md5),
                whole: image.is_whole(),
            })
            .collect(),
        patches: core
            .patches
            .iter()
            .flat_map(|list| {
                let engine = engine(list.engine(), list.engine_code);
                list.rows.iter().map(move |row| NtffPatch {
                    engine: engine.clone(),
                    offset: row.offset,
                    count: row.count,
                    kind: row
                        .kind_name()
                        .map_or_else(|| format!("type {}", row.kind), str::to_owned),
                })
            })
            .take(LISTED)
            .collect(),
        trace: NtffTrace {
            records: summary.records,
            first_ns: ns(summary.first_ps),
            last_ns: ns(summary.last_ps),
            unknown: summary.unknown,
            untimed: summary.untimed,
            after_overflow: summary.after_overflow,
        },
        slices: core
            .slices
            .iter()
            .take(LISTED)
            .map(|slice| NtffSlice {
                source: source(slice.source),
                queue: queue_name(slice.queue),
                offset: slice.offset,
                bytes: slice.bytes,
                records: slice.n_records(),
            })
            .collect(),
        rings: rings(core),
        memory: core.memory.iter().take(LISTED).map(|memory| memory_use(capture, memory)).collect(),
        clocks: core
            .clocks
            .named()
            .take(LISTED)
            .map(|(clock, values)| NtffClock {
                clock,
                initial: values.initial,
                actual: values.actual,
                expected: values.expected,
            })
            .collect(),
        execution_ps: core.execution_ps,
    }
}

/// One row for each queue; its rings differ in their DMA engine only.
fn rings(core: &SubgraphCapture) -> Vec<NtffRings> {
    let mut queues: BTreeMap<(&str, u64, RingKind), NtffRings> = BTreeMap::new();
    for ring in &core.rings {
        let row = queues.entry((&ring.name, ring.queue, ring.kind)).or_insert_with(|| NtffRings {
            name: ring.name.clone(),
            queue: ring.queue,
            kind: named(ring.kind.name(), ring.kind.0),
            rings: 0,
            first_engine: ring.engine,
            last_engine: ring.engine,
            blocks: ring.blocks.len() as u64,
        });
        row.rings += 1;
        row.first_engine = row.first_engine.min(ring.engine);
        row.last_engine = row.last_engine.max(ring.engine);
    }
    queues.into_values().take(LISTED).collect()
}

fn memory_use(capture: &Capture, memory: &neff::ntff::MemoryUse) -> NtffMemory {
    let unknown = RuntimeVersion::default();
    let known = memory.known_name(capture.runtime.as_ref().unwrap_or(&unknown));
    NtffMemory {
        category: match memory.name {
            Some(_) => memory.category,
            None => Some(memory.category.unwrap_or(0)),
        },
        name: known.map(|(name, _)| name.to_owned()),
        name_provenance: known.map_or(Provenance::File, |(_, from)| provenance(from)),
        bytes: memory.bytes,
    }
}

fn unknown(capture: &Capture) -> NtffUnknown {
    let fields = capture.unknown.iter().take(UNKNOWN_LISTED).map(|field| NtffField {
        message: field.message.to_owned(),
        number: field.number,
        wire_type: field.wire_type,
        offset: field.bytes.start,
        bytes: field.bytes.len(),
    });
    NtffUnknown { count: capture.n_unknown, fields: fields.collect() }
}

fn dotted(numbers: &[u64]) -> String {
    let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
    texts.join(".")
}

fn engine(engine: Option<Engine>, code: u64) -> String {
    engine.map_or_else(|| format!("code {code}"), |engine| engine.name().to_owned())
}

fn source(source: QueueSource) -> String {
    named(source.name(), source.0)
}

fn queue_name(queue: QueueType) -> String {
    named(queue.name(), queue.0)
}

fn named(name: Option<&str>, number: u64) -> String {
    name.map_or_else(|| number.to_string(), str::to_owned)
}
