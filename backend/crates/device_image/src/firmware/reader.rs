//! The printer's text back to memory: each printed value where it came from, and which bits of the
//! memory the text tells. What the printer leaves out stays open.
//! Spec: docs/format/collectives.md "Text read back" [inferred].

use std::collections::BTreeMap;

use neff::{Findings, Place, Severity};
use records::collectives::{ContextArch, Struct};

use super::fields::{DumpField, DumpValue, fields};
use super::leaves::{Leaf, Named, TextError, leaves};

/// Objects that may stand alone, with where they are in a context.
const ALONE: [(&str, &[&str]); 8] = [
    ("ctrl_entry", &["neff", "op", "ctrl_entry"]),
    ("header", &["neff", "op", "ctrl_entry", "header"]),
    ("cc_op", &["neff", "op", "ctrl_entry", "cc_op"]),
    ("op", &["neff", "op"]),
    ("basic_block", &["neff", "basic_block"]),
    ("dev", &["configs", "dev"]),
    ("tsync", &["configs", "dev", "tsync"]),
    ("barrier_configs", &["configs", "neff", "barrier_configs"]),
];

/// Parts of names that the text has otherwise than the structs.
const OTHERWISE: [(&str, &str); 8] = [
    ("ncfw_ctx_top_sp.", ""),
    ("ctrl_entry.header.", "ctrl_entry."),
    ("ctrl_entry.cc_op.ring.", "ctrl_entry."),
    ("ctrl_entry.cc_op.mesh.", "ctrl_entry."),
    ("ctrl_entry.cc_op.", "ctrl_entry."),
    ("hierarchical.__stub", "stub"),
    ("hierarchical.run_state", "hierarchical_run_state"),
    ("mesh.event_index", "mesh_event_index"),
];

/// A context as far as a text tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedContext {
    /// Generation: that of the number of mesh events, else what was asked for, else cayman.
    pub arch: ContextArch,
    /// Whether the text itself tells the generation's layout.
    pub tells_arch: bool,
    /// Value of `model_name`, inside or outside of the context.
    pub model_name: Option<String>,
    /// Address of the context, if the members that print their own place are there.
    pub base: Option<u64>,
    /// Its bytes; 0 where nothing is told.
    pub bytes: Vec<u8>,
    /// Bits that the text tells.
    pub known: Vec<u8>,
    /// Values that were read.
    pub values: usize,
}

impl PrintedContext {
    /// The bytes of a struct and the bits of them that are told.
    pub fn of(&self, one: &Struct) -> (&[u8], &[u8]) {
        let range = one.offset..one.end();
        (self.bytes.get(range.clone()).unwrap_or(&[]), self.known.get(range).unwrap_or(&[]))
    }
}

/// Reads a text of the printer.
///
/// # Errors
/// Where it is no such text.
pub fn read(
    text: &str,
    asked: Option<ContextArch>,
    findings: &mut Findings,
) -> Result<PrintedContext, TextError> {
    let all = leaves(text)?;
    let named: Vec<(String, &Named)> = all.iter().map(|one| (canonical(&one.name), one)).collect();
    let last_event = named.iter().filter_map(|(name, _)| {
        name.strip_prefix("configs.algo.mesh.events.")?.split('.').next()?.parse::<usize>().ok()
    });
    let n_events = last_event.max().map(|last| last + 1);
    let told = n_events.and_then(|count| {
        let is = |arch: &ContextArch| arch.events() == count;
        asked.filter(is).or_else(|| ContextArch::ALL.into_iter().find(is))
    });
    let arch = asked.or(told).unwrap_or(ContextArch::Cayman);
    if let (Some(told), Some(count)) = (told, n_events)
        && told.events() != arch.events()
    {
        let message = format!(
            "the text has {count} mesh events, as {} has; {} has {}",
            told.name(),
            arch.name(),
            arch.events()
        );
        findings.push(Severity::Warning, "dump.layout", Place::file(0), message);
    }
    let bytes = vec![0; arch.context_bytes()];
    let mut made = PrintedContext {
        arch,
        tells_arch: told.is_some(),
        model_name: None,
        base: None,
        known: bytes.clone(),
        bytes,
        values: 0,
    };
    let places = places(arch, &made.bytes);
    for (name, one) in named {
        made.take(&name, one, &places, findings);
    }
    Ok(made)
}

/// The name of a value as the structs have it.
fn canonical(name: &str) -> String {
    let first = name.split('.').next().unwrap_or(name);
    let alone = ALONE.iter().find(|(key, _)| *key == first);
    let mut name = match alone {
        Some((key, whole)) => name.replacen(key, &whole.join("."), 1),
        None => name.to_owned(),
    };
    for (from, to) in OTHERWISE {
        if let Some(at) = name.find(from) {
            name.replace_range(at..at + from.len(), to);
        }
    }
    name
}

/// The fields of a context by their names, with rows as `name.0`.
fn places(arch: ContextArch, bytes: &[u8]) -> BTreeMap<String, DumpField> {
    let mut out = BTreeMap::new();
    for one in arch.structs() {
        let own = bytes.get(one.offset..one.end()).unwrap_or(&[]);
        for field in fields(one.layout, own, one.offset as u64, one.without) {
            let name = field.name.replace('[', ".").replace(']', "");
            out.insert(format!("{}.{name}", one.name), field);
        }
    }
    out
}

impl PrintedContext {
    fn take(
        &mut self,
        name: &str,
        one: &Named,
        places: &BTreeMap<String, DumpField>,
        findings: &mut Findings,
    ) {
        let mut tell = |code, message| {
            findings.push(Severity::Warning, code, Place::file(one.at as u64), message);
        };
        let last = name.rsplit('.').next().unwrap_or(name);
        let number = match &one.leaf {
            Leaf::Text(text) if last == "model_name" => {
                self.model_name = Some(text.clone());
                self.values += 1;
                return;
            }
            Leaf::Text(text) => {
                let shown: String = text.chars().take(40).collect();
                let message = format!("{} is `{shown}`, expected a number", one.name);
                return tell("dump.text-value", message);
            }
            Leaf::Number(number) => *number,
        };
        // Two members print their own place, three the number of their row.
        if let Some(offset) = match last {
            "pring_base_addr" => Some(0x408),
            "pring_total_desc_num" => Some(0x410),
            _ => None,
        } {
            let start = places.get("configs.neff.basic_block_configs.switch_completed");
            let start = start.map_or(0, |field| field.offset - 0x400);
            let base = number.wrapping_sub(start + offset);
            if self.base.is_some_and(|before| before != base) {
                let message = format!("{} gives {base:#x} as the context's address", one.name);
                return tell("dump.text-place", message);
            }
            self.base = Some(base);
            self.values += 1;
            return;
        }
        if matches!(last, "channel_id" | "peer_id") {
            let row = name.rsplit('.').nth(1).and_then(|row| row.parse().ok());
            if row.is_some_and(|row: u64| row != number) {
                let message = format!("{} is {number}, its row gives another one", one.name);
                return tell("dump.text-place", message);
            }
            self.values += 1;
            return;
        }
        let Some(field) = field_of(name, places) else {
            return tell("dump.text-name", format!("{} is no member that is known", one.name));
        };
        self.put(one, &field, number, &mut tell);
    }

    fn put(
        &mut self,
        one: &Named,
        field: &DumpField,
        number: u64,
        tell: &mut dyn FnMut(&'static str, String),
    ) {
        let (low, width) = field.bits.unwrap_or((0, u32::try_from(field.bytes * 8).unwrap_or(64)));
        let mask = u64::MAX.checked_shr(64 - width.clamp(1, 64)).unwrap_or(0);
        if number > mask {
            let message = format!("{} is {number:#x}, expected at most {mask:#x}", one.name);
            return tell("dump.text-value", message);
        }
        let start = usize::try_from(field.offset).unwrap_or(usize::MAX);
        let bytes = usize::try_from(field.bytes).unwrap_or(0).min(8);
        let mut differs = false;
        for index in 0..bytes {
            let shift = 8 * index as u32;
            let part = |word: u64| (word.checked_shl(low).unwrap_or(0) >> shift) as u8;
            let (new, told) = (part(number), part(mask));
            let at = start.saturating_add(index);
            if let (Some(byte), Some(known)) = (self.bytes.get_mut(at), self.known.get_mut(at)) {
                differs |= (*byte ^ new) & told & *known != 0;
                *byte = *byte & !told | new & told;
                *known |= told;
            }
        }
        self.values += 1;
        if differs {
            let message = format!("{} is {number:#x}, which another view of it is not", one.name);
            tell("dump.text-views", message);
        }
    }
}

/// The field that a printed member is. Some rows have their numbers in the key, `slot_spad_base_0` and
/// `dma_apb_bcast_0.mask`; some fields are several numbers.
fn field_of(name: &str, places: &BTreeMap<String, DumpField>) -> Option<DumpField> {
    if let Some(field) = places.get(name) {
        return Some(field.clone());
    }
    for row in ["slot_spad_base_", "slot_spad_addr_", "direct_trigger_sema_", "dma_apb_bcast_"] {
        if name.contains(row) {
            let dotted = format!("{}.", row.trim_end_matches('_'));
            return places.get(&name.replacen(row, &dotted, 1)).cloned();
        }
    }
    let (row, index) = name.rsplit_once('.')?;
    let field = places.get(row)?;
    let DumpValue::Numbers(numbers) = &field.value else { return None };
    let index = index.parse::<u64>().ok().filter(|index| *index < numbers.len() as u64)?;
    let bytes = field.bytes / numbers.len() as u64;
    Some(DumpField { offset: field.offset + index * bytes, bytes, ..field.clone() })
}
