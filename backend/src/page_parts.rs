//! Parts of the pages: one row of a table or one line of text from one value of an answer.

use crate::format::{clean, slot_range, thousands};
use crate::page_model::{CodeRow, FindingRow, RegionCell};
use debug_api::Block;
use debug_api::answer::{EngineRegions, Finding, InfoAnswer, Provenance};
use std::fmt::Write;

/// Runs of an engine that a page names.
const MAX_RUNS: usize = 12;
/// Findings that a page lists.
const MAX_FINDINGS: usize = 200;

/// The first runs of an image; a program of thousands of functions does not fill the page.
pub fn region_cells(row: &EngineRegions) -> Vec<RegionCell> {
    let mut cells: Vec<RegionCell> = row
        .runs
        .iter()
        .take(MAX_RUNS)
        .map(|run| RegionCell { name: run.region.clone(), slots: slot_range(run.slot, run.slots) })
        .collect();
    if let Some(more) = row.runs.len().checked_sub(MAX_RUNS).filter(|more| *more > 0) {
        cells.push(RegionCell {
            name: "more".to_owned(),
            slots: format!("{} runs", thousands(more as u64)),
        });
    }
    cells
}

/// A display row of the code table; `link` gives the address of the view with one more key.
pub fn code_row(
    block: &Block,
    row: usize,
    selected: Option<u64>,
    link: &impl Fn(Option<&str>, Option<(&str, String)>) -> String,
) -> CodeRow {
    let kind = block.u8("kind", row);
    let slot = block.u32("slot", row);
    let ip = block.u32("ip", row);
    let provenance = Provenance::from_code(block.u8("prov", row));
    let hex = block.slot("bytes", row).iter().take(8).fold(String::new(), |mut hex, byte| {
        if hex.len() == 8 {
            hex.push(' ');
        }
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let region = ["PREAMBLE", "MODEL_SWITCH", "MAIN", "POSTAMBLE", "FUNCTION"]
        .get(usize::from(block.u8("region", row)))
        .copied()
        .unwrap_or("");
    CodeRow {
        divider: kind == 2,
        region: region.to_owned(),
        slot: if kind == 0 { slot.to_string() } else { "–".to_owned() },
        ip: if ip > 0 { ip.to_string() } else { "·".to_owned() },
        hex,
        mnemonic: block.text("mnemonic", row).to_owned(),
        wait: block.text("wait", row).to_owned(),
        update: block.text("update", row).to_owned(),
        operands: block.text("operands", row).to_owned(),
        provenance: provenance.name().to_owned(),
        synthesized: kind == 0 && ip == 0,
        deleted: kind == 1,
        selected: selected == Some(block.from + row as u64),
        href: match kind {
            0 => link(None, Some(("slot", slot.to_string()))),
            1 => link(None, Some(("ip", ip.to_string()))),
            _ => String::new(),
        },
    }
}

/// Findings of two lists, at most 200 of them.
pub fn finding_rows(first: &[Finding], second: &[Finding]) -> Vec<FindingRow> {
    first
        .iter()
        .chain(second)
        .take(MAX_FINDINGS)
        .map(|finding| {
            let at = &finding.at;
            let mut place: Vec<String> =
                [&at.member, &at.subgraph, &at.engine].into_iter().flatten().cloned().collect();
            place.extend(at.offset.map(|offset| format!("{offset:#x}")));
            FindingRow {
                code: finding.code.clone(),
                severity: finding.severity.clone(),
                message: clean(&finding.message),
                place: clean(&place.join(" ")),
            }
        })
        .collect()
}

/// Chip and logical core size in words.
pub fn target_text(info: &InfoAnswer) -> String {
    let target = info.subgraphs.first().map_or("", |subgraph| subgraph.target.as_str());
    let name: String = info.build.target.as_deref().unwrap_or(target).chars().take(40).collect();
    let name = clean(&name);
    format!("{name} · LNC {}", info.header.lnc_size)
}

/// What the digest says, in words.
pub fn digest_text(info: &InfoAnswer) -> String {
    match info.digest.verdict.as_str() {
        "match" => "digest matches".to_owned(),
        _ => format!("digest is not the {} of the payload", info.digest.algorithm.to_uppercase()),
    }
}

/// How many findings there are of the worst severity above `info`, in words, and that severity.
pub fn worst_findings(list: &[Finding]) -> (String, String) {
    let worst = ["error", "warning"]
        .into_iter()
        .find(|severity| list.iter().any(|finding| finding.severity == *severity));
    match worst {
        Some(severity) => {
            let noted = list.iter().filter(|finding| finding.severity == severity).count();
            let plural = if noted == 1 { "" } else { "s" };
            (format!("{noted} {severity}{plural}"), severity.to_owned())
        }
        None => ("none".to_owned(), String::new()),
    }
}
