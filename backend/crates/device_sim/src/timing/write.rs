//! A timing model as the text that it can be read from again.

use super::{CLASSES, Cost, GenerationTiming, Timing};
use device_image::Generation;
use records::Engine;
use std::fmt::Write;

/// Appends a formatted line; writing to a string does not fail.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        let _ = writeln!($out, $($arg)*);
    }};
}

impl Timing {
    /// The model as a TOML text. What has no name, a cost of an operation code that no generation
    /// has, is left out.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        line!(out, "name = {}", quoted(&self.name));
        line!(out, "about = {}", quoted(&self.about));
        for generation in [Generation::Sunda, Generation::Cayman, Generation::Mariana] {
            generation_text(&mut out, generation.name(), self.of(generation));
        }
        out
    }
}

fn generation_text(out: &mut String, name: &str, of: &GenerationTiming) {
    line!(out, "\n[{name}.clock_fs]");
    for (engine, fs) in Engine::ALL.into_iter().zip(of.clock_fs) {
        line!(out, "{engine} = {fs}");
    }
    line!(out, "DMA = {}", of.dma_clock_fs);
    let wire = &of.wire;
    line!(out, "\n[{name}.wire]\nsemaphore_ns = {}", wire.semaphore_ns);
    line!(out, "remote_ns = {}\nhost_ns = {}", wire.remote_ns, wire.host_ns);
    line!(out, "table_ns = {}\nrequest_ns = {}", wire.table_ns, wire.request_ns);
    line!(out, "\n[{name}.dma]\nstart_ns = {}", of.dma.start_ns);
    line!(out, "descriptor_ns = {}", of.dma.descriptor_ns);
    line!(out, "ring_bytes_per_us = {}", of.dma.ring_bytes_per_us);
    line!(out, "\n[{name}.link]\nhop_ns = {}", of.link.hop_ns);
    line!(out, "bytes_per_us = {}", of.link.bytes_per_us);
    for (class, cost) in CLASSES.into_iter().zip(of.class_costs()) {
        cost_text(out, name, "class", class, *cost);
    }
    for (opcode, cost) in of.own_costs() {
        if let Some(info) = opcode.info() {
            cost_text(out, name, "opcode", info.mnemonic, cost);
        }
    }
}

fn cost_text(out: &mut String, of: &str, kind: &str, name: &str, cost: Cost) {
    line!(out, "\n[{of}.{kind}.{name}]\nissue = {}\nstart = {}", cost.issue, cost.start);
    line!(out, "element_milli = {}", cost.element_milli);
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::{Opcode, Provenance};

    #[test]
    fn what_is_written_is_read_again() {
        let mut timing = Timing::built_in().unwrap();
        let cost = Cost { issue: 7, start: 11, element_milli: 1300 };
        timing.of_mut(Generation::Sunda).set_cost(Opcode(0x46), cost);
        timing.about = "a \"quoted\" \\ text\n".to_owned();
        let again = Timing::parse(&timing.to_text()).unwrap();
        assert_eq!(again, Timing { provenance: Provenance::Configured, ..timing });
    }
}
