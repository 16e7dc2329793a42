//! The `ntff` answer as text for a terminal.

use super::findings_text;
use crate::format::{clean, line};
use debug_api::answer::{NtffAnswer, NtffSubgraph};
use std::fmt::Write;

/// The human form of what a capture holds.
pub(super) fn ntff_text(ntff: &NtffAnswer) -> String {
    let mut out = String::new();
    let file = &ntff.file;
    line!(out, "{}  {} bytes, {}", clean(&file.name), file.bytes, file.kind);
    line!(out, "  name      {}", clean(&ntff.name));
    line!(out, "  uuid      {} ({} bytes in the file)", ntff.uuid, ntff.uuid_bytes);
    line!(out, "  format    version {}", ntff.version);
    if let Some(runtime) = &ntff.runtime_version {
        let commit = ntff
            .runtime_commit
            .as_deref()
            .map_or(String::new(), |commit| format!(", commit {}", clean(commit)));
        line!(out, "  runtime   {runtime}{commit}");
    }
    let from = ntff.versions_provenance.name();
    for (what, version) in
        [("driver", &ntff.driver_version), ("collectives", &ntff.collectives_version)]
    {
        if let Some(version) = version {
            line!(out, "  {what:<9} {version} [{from}]");
        }
    }
    if !ntff.instance_type.is_empty() {
        line!(out, "  instance  {}", clean(&ntff.instance_type));
    }
    if let Some(size) = ntff.logical_core_size {
        line!(out, "  cores     logical core size {size}");
    }
    if let Some(seconds) = ntff.epoch_seconds {
        line!(out, "  captured  {seconds} s after 1970 began");
    }
    for queue in &ntff.queues {
        line!(out, "  queue     {} {}: {} bytes", queue.source, queue.queue, queue.bytes);
    }
    for subgraph in &ntff.subgraphs {
        subgraph_text(&mut out, subgraph);
    }
    if ntff.unknown_fields.count > 0 {
        line!(out, "  {} fields without a known meaning", ntff.unknown_fields.count);
    }
    findings_text(&mut out, &ntff.diagnostics);
    out
}

fn subgraph_text(out: &mut String, subgraph: &NtffSubgraph) {
    let core = subgraph.core.map_or(String::new(), |core| format!("  core {core}"));
    let time = subgraph
        .execution_ps
        .map_or(String::new(), |ps| format!("  executed in {}.{:03} ns", ps / 1000, ps % 1000));
    line!(out, "  {}{core}{time}", clean(&subgraph.name));
    for image in &subgraph.images {
        let rows = subgraph.patches.iter().filter(|row| row.engine == image.engine).count();
        let whole = if image.whole { "" } else { ", not whole" };
        line!(
            out,
            "    {:<5}{:>9} slots at {}  md5 {}  {rows} patch rows{whole}",
            image.engine,
            image.bytes / 64,
            image.base,
            image.md5
        );
    }
    let trace = &subgraph.trace;
    let times = match (trace.first_ns, trace.last_ns) {
        (Some(first), Some(last)) => format!(", {first} to {last} ns"),
        _ => String::new(),
    };
    line!(out, "    trace {} records{times}", trace.records);
    for slice in subgraph.slices.iter().filter(|slice| slice.records > 0) {
        line!(out, "      {} {}: {} records", slice.source, slice.queue, slice.records);
    }
    for ring in &subgraph.rings {
        line!(
            out,
            "    queue {:<3} {}: {} rings of kind {} on DMA engines {} to {}, {} blocks",
            ring.queue,
            clean(&ring.name),
            ring.rings,
            ring.kind,
            ring.first_engine,
            ring.last_engine,
            ring.blocks
        );
    }
    for memory in subgraph.memory.iter().filter(|memory| memory.bytes > 0) {
        let name = match (&memory.name, memory.category) {
            (Some(name), _) => clean(name),
            (None, Some(category)) => format!("category {category}"),
            (None, None) => String::new(),
        };
        let from = memory.name_provenance.name();
        line!(out, "    memory {name}: {} bytes [{from}]", memory.bytes);
    }
}
