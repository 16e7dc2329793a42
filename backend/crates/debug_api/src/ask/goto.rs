//! Answers `goto`: what a typed text can mean.

use super::view::{View, in_other_subgraph};
use crate::answer::{GotoAnswer, GotoTarget, PlaceRef, Provenance, SCHEMA};
use crate::convert::hex;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::Scope;
use device_image::{Generation, PcPlace};
use kbin::disasm;
use records::{DevicePc, Engine, NeffIp, Opcode};
use std::sync::Arc;

/// Most candidates of an answer.
const MAX_TARGETS: usize = 20;

const HINT: &str = "device PC or address 0x..., ip 12, slot 64, offset 0x1000, file.py:58, a mnemonic, or a \
    record name; PE, ACT, POOL, DVE or SP in front picks the engine";

/// Candidates for a text, best first.
pub fn goto(files: &[Arc<OpenFile>], scope: &Scope, text: &str) -> Result<GotoAnswer, ApiError> {
    let text: String = text.trim().chars().take(200).collect();
    let (engine, rest) = engine_prefix(&text);
    let scope = match engine {
        Some(engine) => Scope { e: Some(engine.name().to_owned()), ..scope.clone() },
        None => scope.clone(),
    };
    let view = View::of(files, &scope)?;
    let mut finder = Finder {
        files,
        scope: &scope,
        view: &view,
        asked: engine,
        targets: Vec::new(),
        reasons: Vec::new(),
    };
    if !rest.is_empty() {
        finder.find(rest);
    } else if engine.is_some() {
        finder.slot(0);
    }
    finder.targets.truncate(MAX_TARGETS);
    let Finder { targets, reasons, .. } = finder;
    let hint = if targets.is_empty() && !reasons.is_empty() {
        format!("{}.", reasons.join("; "))
    } else {
        HINT.to_owned()
    };
    Ok(GotoAnswer { schema: SCHEMA, text, targets, hint })
}

fn engine_prefix(text: &str) -> (Option<Engine>, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word.parse() {
        Ok(engine) => (Some(engine), rest.trim_start()),
        Err(_) => (None, text),
    }
}

struct Finder<'a> {
    files: &'a [Arc<OpenFile>],
    scope: &'a Scope,
    view: &'a View<'a>,
    /// Engine that the text names.
    asked: Option<Engine>,
    targets: Vec<GotoTarget>,
    /// Why numbers lead nowhere.
    reasons: Vec<String>,
}

impl Finder<'_> {
    fn find(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        let word = |names: &[&str]| {
            let rest = names.iter().find_map(|name| lower.strip_prefix(name))?;
            number(rest.trim_start_matches([' ', '=', ':']))
        };
        if let Some(ip) = word(&["ip", "neff ip"]) {
            self.ip(ip);
        } else if let Some(slot) = word(&["slot"]) {
            self.slot(slot);
        } else if let Some(offset) = word(&["offset", "image"]) {
            self.offset(offset);
        } else if let Some(pc) = word(&["pc"]) {
            self.pc(pc);
        } else if let Some(address) = word(&["hbm", "address", "addr"]) {
            self.address(address);
        } else if let Some(value) = number(&lower) {
            self.pc(value);
            if lower.starts_with("0x") {
                self.offset(value);
                self.address(value);
            } else {
                self.slot(value);
                self.ip(value);
            }
        } else if let Some((file, line)) = file_line(text) {
            self.line(file, line);
        } else {
            self.names(&lower);
        }
    }

    fn push(
        &mut self,
        kind: &str,
        label: String,
        detail: String,
        place: PlaceRef,
        provenance: Provenance,
    ) {
        let (kind, place, address) = (kind.to_owned(), Some(place), None);
        self.targets.push(GotoTarget { kind, label, detail, place, address, provenance });
    }

    /// What an address is on the other generations, which have no program here.
    fn elsewhere(&self, text: &str, own: &str) -> String {
        let mut out = String::new();
        for generation in Generation::ALL.into_iter().filter(|one| one.name() != own) {
            let name = generation.name().to_owned();
            let Ok(answer) = super::address::address(self.files, self.scope, text, Some(&name))
            else {
                continue;
            };
            let path: Vec<&str> = answer.regions.iter().map(|one| one.name.as_str()).collect();
            let (Some(offset), false) = (answer.offset, path.is_empty()) else { continue };
            let more = answer.detail.map(|more| format!(": {more}")).unwrap_or_default();
            let path = path.join(" \u{203a} ");
            out.push_str(&format!("; on {name} {path} + {offset:#x}{more}"));
        }
        out
    }

    /// What a device address is: variable, region, event, register. An address in an engine's image
    /// is a PC too.
    fn address(&mut self, address: u64) {
        let text = hex(address);
        let asked = super::address::address(self.files, self.scope, &text, None);
        let Ok(answer) = asked else { return };
        let path: Vec<&str> = answer.regions.iter().map(|one| one.name.as_str()).collect();
        let inside = answer.offset.map(|offset| format!(" + {offset:#x}")).unwrap_or_default();
        let mut detail = format!("{}{inside}", path.join(" \u{203a} "));
        if let Some(more) = &answer.detail {
            detail = format!("{detail}: {more}");
        }
        let region = answer.regions.last().map(|one| one.provenance);
        let mut provenance = region.unwrap_or(Provenance::Observed);
        if let Some(variable) = &answer.variable {
            let name: String = variable.name.chars().take(60).collect();
            detail = format!("{name} + {:#x} in {}, {detail}", variable.offset, variable.subgraph);
            provenance = provenance.max(variable.provenance);
        }
        for one in answer.memory.iter().filter(|one| one.adds()) {
            detail = format!("{}, {detail}", one.words());
            provenance = provenance.max(one.provenance);
        }
        if path.is_empty() {
            detail = format!("no region of {} is known there", answer.generation);
            detail.push_str(&self.elsewhere(&text, &answer.generation));
        }
        self.targets.push(GotoTarget {
            kind: "address".to_owned(),
            label: format!("Device address {text}"),
            detail,
            place: None,
            address: Some(text),
            provenance,
        });
    }

    /// A PC in the image of any engine, the preferred one first.
    fn pc(&mut self, pc: u64) {
        let own = self.view.engine;
        let others = Engine::ALL.into_iter().filter(|engine| *engine != own);
        for engine in std::iter::once(own).chain(others) {
            let (base, from) = self.view.base(engine);
            let map = &self.view.images.engine(engine).map;
            let found = map.locate(DevicePc(base.get()), DevicePc(pc));
            if let PcPlace::Inside { slot, .. } = found.place {
                let place = self.view.place_of_slot(engine, slot.get());
                let label = format!("{engine} device PC {}", hex(pc));
                let detail = format!("{}, base {}", describe(&place), hex(base.get()));
                self.push("pc", label, detail, place, from);
            }
        }
        if self.targets.iter().all(|target| target.kind != "pc") {
            self.pc_elsewhere(pc);
        }
    }

    /// A PC in the image of another subgraph.
    fn pc_elsewhere(&mut self, pc: u64) {
        let engine = self.asked;
        let found = in_other_subgraph(self.files, self.scope, self.view.index, engine, pc);
        if let Some(place) = found {
            let label = format!("{} {} device PC {}", place.s, place.e, hex(pc));
            let captured = self.view.pair.as_ref().is_some_and(|pair| pair.is_captured());
            let from = if captured { Provenance::File } else { Provenance::Modelled };
            self.push("pc", label, describe(&place), place, from);
        } else {
            let engine = self.view.engine;
            let base = hex(self.view.base(engine).0.get());
            let pc = hex(pc);
            self.reasons
                .push(format!("device PC {pc} is in no image: that of {engine} starts at {base}"));
        }
    }

    fn offset(&mut self, offset: u64) {
        if let Some(slot) = self.slot_of(offset / 64, || format!("offset {}", hex(offset))) {
            let engine = self.view.engine;
            let place = self.view.place_of_slot(engine, slot);
            let label = format!("{engine} image offset {}", hex(offset));
            self.push("offset", label, describe(&place), place, Provenance::Observed);
        }
    }

    fn slot(&mut self, slot: u64) {
        if let Some(slot) = self.slot_of(slot, || format!("slot {slot}")) {
            let engine = self.view.engine;
            let place = self.view.place_of_slot(engine, slot);
            let label = format!("{engine} image slot {slot}");
            self.push("slot", label, describe(&place), place, Provenance::Observed);
        }
    }

    /// The slot if the image has it; else the reason that it has not is kept.
    fn slot_of(&mut self, slot: u64, what: impl Fn() -> String) -> Option<u32> {
        let slots = self.view.image().image.slots.len();
        let found = u32::try_from(slot).ok().filter(|slot| (*slot as usize) < slots);
        if found.is_none() {
            let engine = self.view.engine;
            let has = match slots.checked_sub(1) {
                Some(last) => format!("has slots 0 to {last}"),
                None => "has no slots".to_owned(),
            };
            self.reasons.push(format!("{} is outside the image of {engine}, which {has}", what()));
        }
        found
    }

    fn ip(&mut self, ip: u64) {
        let engine = self.view.engine;
        let stream = self.view.stream(engine);
        let slot = u32::try_from(ip).ok().and_then(|ip| NeffIp(ip).slot());
        let record = slot.and_then(|slot| stream.get(slot.get() as usize));
        if record.is_none() {
            let has = match stream.len() {
                0 => "has no records".to_owned(),
                records => format!("has the IPs 1 to {records}"),
            };
            self.reasons
                .push(format!("NEFF IP {ip} is not in the stream of {engine}, which {has}"));
        }
        if let (Some(record), Ok(ip)) = (record, u32::try_from(ip)) {
            let place = self.view.place_of_ip(engine, ip);
            let label = format!("{engine} NEFF IP {ip}");
            self.push("ip", label, disasm::text(record), place, Provenance::Observed);
        }
    }

    /// First record of each engine at a source line.
    fn line(&mut self, file: &str, line: u32) {
        let sources = self.view.file.sources(self.view.index);
        for map in &sources.maps {
            let ids = &map.slot_ids().line;
            let wanted = map.lines().iter().position(|known| {
                known.line == line && (known.file() == file || known.path.ends_with(file))
            });
            let Some(wanted) = wanted.and_then(|wanted| u32::try_from(wanted).ok()) else {
                continue;
            };
            let mut slots = ids.iter().zip(1_u32..).filter(|(id, _)| **id == wanted);
            if let Some((_, ip)) = slots.next() {
                let more = slots.count();
                let place = self.view.place_of_ip(map.engine, ip);
                let label = format!("{}:{line}", file.rsplit('/').next().unwrap_or(file));
                let detail = format!("{} NEFF IP {ip}, and {more} more slots", map.engine);
                self.push("line", label, detail, place, Provenance::File);
            }
        }
    }

    /// Records whose mnemonic or debug name has the text, the preferred engine first.
    fn names(&mut self, lower: &str) {
        let own = self.view.engine;
        let others = Engine::ALL.into_iter().filter(|engine| *engine != own);
        let sources = self.view.file.sources(self.view.index);
        for engine in std::iter::once(own).chain(others) {
            let Some(map) = sources.map(engine) else { continue };
            let ids = map.slot_ids();
            let mut last = u32::MAX;
            for (record, ip) in self.view.stream(engine).iter().zip(1_u32..) {
                if self.targets.len() >= MAX_TARGETS {
                    return;
                }
                let mnemonic = Opcode(record.opcode_byte()).mnemonic().unwrap_or("");
                let bir = ids.bir.get(ip as usize - 1).copied().unwrap_or(u32::MAX);
                let fits_mnemonic = mnemonic.to_ascii_lowercase().contains(lower);
                // One hit for each compiler instruction is enough.
                let name = (bir != last && !fits_mnemonic)
                    .then(|| map.chain(records::SlotIndex(ip - 1)))
                    .and_then(|chain| {
                        chain
                            .into_iter()
                            .filter_map(|record| record.text)
                            .find(|name| name.to_ascii_lowercase().contains(lower))
                    });
                last = bir;
                if !fits_mnemonic && name.is_none() {
                    continue;
                }
                let place = self.view.place_of_ip(engine, ip);
                let label = format!("{engine} NEFF IP {ip}");
                let detail = match name {
                    Some(name) => format!("{mnemonic} · {name}"),
                    None => disasm::text(record),
                };
                self.push("symbol", label, detail, place, Provenance::File);
            }
        }
    }
}

fn describe(place: &PlaceRef) -> String {
    let slot = place.image_slot.map(|slot| format!("slot {slot}")).unwrap_or_default();
    let region = place.region.as_deref().unwrap_or("");
    match place.neff_ip {
        Some(ip) => format!("{region} {slot}, NEFF IP {ip}"),
        None => format!("{region} {slot}"),
    }
}

fn number(text: &str) -> Option<u64> {
    crate::convert::number("", text).ok()
}

fn file_line(text: &str) -> Option<(&str, u32)> {
    let (file, line) = text.rsplit_once(':')?;
    Some((file, line.parse().ok()?)).filter(|(file, _)| !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_may_stand_in_front() {
        assert_eq!(engine_prefix("sp 0x40"), (Some(Engine::Sp), "0x40"));
        assert_eq!(engine_prefix("PE"), (Some(Engine::Pe), ""));
        assert_eq!(engine_prefix("0x40"), (None, "0x40"));
    }

    #[test]
    fn files_end_in_a_line() {
        assert_eq!(file_line("a/b.py:58"), Some(("a/b.py", 58)));
        assert_eq!(file_line(":58"), None);
        assert_eq!(file_line("b.py"), None);
    }
}
