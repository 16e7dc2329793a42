//! Bodies of the fuzz targets: plain functions with an oracle, also called by ordinary tests.

use neff::debug::{Coverage, DebugLayers, DmaOrigins, SourceMap};
use neff::{Findings, Limits};
use records::{Engine, SlotIndex};

/// Opens bytes as a NEFF and decodes everything in it. Nothing may panic, and doing it twice gives
/// the same answer.
///
/// # Panics
///
/// When the two answers differ.
#[allow(clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn open_neff(data: &[u8]) {
    let (first, second) = (everything(data), everything(data));
    assert!(first == second, "two readings of the same bytes differ");
}

/// A text of all that can be decoded, findings included.
fn everything(data: &[u8]) -> String {
    // Small limits keep a hostile input from taking the fuzzer's memory.
    let limits =
        Limits { inflated_bytes: 16 << 20, ratio_from_bytes: 1 << 20, ..Limits::default() };
    let mut findings = Findings::new();
    let package = match neff::open(data, &limits, &mut findings) {
        Ok(package) => package,
        Err(error) => return format!("{} {error} {:?} {findings:?}", error.code(), error.place()),
    };
    let mut text = format!("{:?} {:?}", package.header(), package.digest());
    for member in package.members() {
        text.push_str(&format!("{} {}\n", member.name, package.bytes_of(member).len()));
    }
    let mut layers = DebugLayers::new();
    for subgraph in package.subgraphs() {
        text.push_str(&format!("{:?}\n", subgraph.definition));
        for engine in Engine::ALL {
            let slots = package.slots(subgraph.engine(engine)).len();
            let map = SourceMap::build(&package, subgraph, engine, &mut layers, &mut findings);
            let dma = DmaOrigins::build(&package, subgraph, engine, &mut layers, &mut findings);
            let chain = map.chain(SlotIndex(u32::try_from(slots / 2).unwrap_or(0)));
            text.push_str(&format!(
                "{engine} {slots} {:?} {chain:?} {:?}\n",
                Coverage::of(&map),
                dma.block("q_gradient_in", 0)
            ));
        }
    }
    text.push_str(&format!("{findings:?}"));
    text
}
