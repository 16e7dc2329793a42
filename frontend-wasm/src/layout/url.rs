//! The state in the address bar: short, readable, complete.
//!
//! `/f/{id}/{view}?v=1&s=sg00&e=PE&slot=64`. Places are stable names (engine and slot, or engine
//! and IP for a deleted record), never row numbers. What has its default is left out. Reading
//! takes what it can and tells what it could not.

use super::bytes::BytesOf;
use super::collectives::address::CollectivesAddress;
use super::format::parse_number;
use super::loader::Loader;
use super::memory::words::parse_bytes;
use super::memory::{Part, Setup, Shown, VarRef};
use super::simulate::RunAddress;
use super::state::{ENGINES, RegionsMode, Selection, SourceFilter, State, Theme, View};
use super::timeline::address::TimelineAddress;
use debug_api::address_keys;

/// Version of the query.
pub const VERSION: u32 = 1;

/// What an address says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Subgraph.
    pub s: Option<String>,
    /// Engine.
    pub e: Option<String>,
    /// Image slot.
    pub slot: Option<u32>,
    /// NEFF IP.
    pub ip: Option<u32>,
    /// Device PC, to be looked up.
    pub pc: Option<String>,
    /// Runtime profile.
    pub profile: Option<String>,
    /// Physical core.
    pub core: Option<u32>,
    /// Device base.
    pub base: Option<String>,
    /// Theme, where the link fixes it.
    pub theme: Option<Theme>,
    /// Whether all cores are shown.
    pub all_cores: bool,
    /// Slots that the Regions pane draws.
    pub regions_mode: RegionsMode,
    /// Whether the patch marks are left out.
    pub patches_hidden: bool,
    /// Whether the built image is shown where there is a captured one.
    pub modelled: bool,
    /// File of the session that is the capture.
    pub ntff: Option<usize>,
    /// Whether captured and built records are compared.
    pub compare: bool,
    /// Whether equal records are folded there.
    pub only: bool,
    /// Layers that the Source pane shows.
    pub source_filter: SourceFilter,
    /// Whether the selected slot shows its bytes.
    pub expanded: bool,
    /// Record of the Structs view.
    pub rec: Option<String>,
    /// What the file leaves open to its loader.
    pub loader: Loader,
    /// Field of it, or the first selected byte of the Bytes view.
    pub at: Option<u64>,
    /// Whose bytes the Bytes view shows.
    pub of: BytesOf,
    /// Selected bytes; 1 where absent.
    pub len: Option<u64>,
    /// Whether bytes are shown as text.
    pub text: bool,
    /// Part of the Memory view.
    pub part: Part,
    /// Page maps of the Memory view.
    pub mode: Shown,
    /// How models are loaded there.
    pub setup: Setup,
    /// HBM that is shown there.
    pub bank: Option<u32>,
    /// Whether its page map shows whole pages.
    pub whole: bool,
    /// Variable that is selected there.
    pub var: Option<VarRef>,
    /// Device address that is looked up there.
    pub addr: Option<String>,
    /// What the Collectives view shows.
    pub collectives: CollectivesAddress,
    /// What the Timeline view shows.
    pub timeline: TimelineAddress,
    /// What the Run view chooses, and whether it ran so.
    pub run: RunAddress,
}

/// Reads a query (without the question mark). The second value names each part that could not be
/// used, in words.
pub fn parse(query: &str) -> (Address, Vec<String>) {
    let mut address = Address::default();
    let (mut problems, mut no_engine) = (Vec::new(), false);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, value) = (decode(key), decode(value));
        if value.is_empty() {
            continue;
        }
        let text = || Some(value.clone());
        let mut bad = |want: &str| problems.push(format!("{key}={value} is no {want}"));
        match key.as_str() {
            "v" => match value.parse::<u32>() {
                Ok(version) if version <= VERSION => {}
                Ok(version) => problems.push(format!(
                    "the address was made by a newer neffscope (v={version}, this one reads {VERSION})"
                )),
                Err(_) => bad("version"),
            },
            "s" => address.s = text(),
            "e" => match value.to_ascii_uppercase() {
                e if ENGINES.contains(&e.as_str()) => address.e = Some(e),
                _ => {
                    no_engine = true;
                    bad(&format!("engine; the engines are {}", ENGINES.join(" ")));
                }
            },
            "slot" => match number(&value) {
                Some(slot) => address.slot = Some(slot),
                None => bad("slot number"),
            },
            "ip" => match number(&value) {
                Some(ip) if ip > 0 => address.ip = Some(ip),
                _ => bad("NEFF IP, which counts from 1"),
            },
            "pc" => address.pc = text(),
            "profile" => address.profile = text(),
            "core" => match number(&value) {
                Some(core) => address.core = Some(core),
                None => bad("core number"),
            },
            "base" => address.base = text(),
            "theme" => match Theme::parse(&value) {
                Some(theme) => address.theme = Some(theme),
                None => bad("theme"),
            },
            "cores" => address.all_cores = value == "all",
            "slots" => match value.as_str() {
                "image" => address.regions_mode = RegionsMode::Image,
                "neff" => address.regions_mode = RegionsMode::Neff,
                "both" => address.regions_mode = RegionsMode::Both,
                _ => bad("choice of slots"),
            },
            "src" => match value.as_str() {
                "all" => address.source_filter = SourceFilter::All,
                "bir" => address.source_filter = SourceFilter::Bir,
                "hlo" => address.source_filter = SourceFilter::Hlo,
                "line" => address.source_filter = SourceFilter::Line,
                _ => bad("source layer"),
            },
            "image" => match value.as_str() {
                "modelled" => address.modelled = true,
                "captured" => address.modelled = false,
                _ => bad("choice of image"),
            },
            "ntff" => match value.parse() {
                Ok(file) => address.ntff = Some(file),
                Err(_) => bad("file number"),
            },
            "compare" => (address.compare, address.only) = (value != "0", value == "diff"),
            "marks" => address.patches_hidden = value == "0",
            "bytes" => address.expanded = value == "1",
            "rec" => address.rec = text(),
            "of" => address.of.of = value.clone(),
            "name" => address.of.name = text(),
            "f" => match value.parse() {
                Ok(f) => address.of.f = Some(f),
                Err(_) => bad("file number"),
            },
            "at" => match parse_number(&value) {
                Some(at) => address.at = Some(at),
                None => bad("byte"),
            },
            "len" => match parse_number(&value) {
                Some(len) if len > 0 => address.len = Some(len),
                _ => bad("number of bytes"),
            },
            "as" => address.text = value == "text",
            "part" => match Part::parse(&value) {
                Some(part) => address.part = part,
                None => bad("part of the Memory view"),
            },
            "mode" => match Shown::parse(&value) {
                Some(mode) => address.mode = mode,
                None => bad("scratchpad mode"),
            },
            "page" => match parse_bytes(&value) {
                Some(bytes) => address.setup.page_size = Some(bytes),
                None => bad("page size"),
            },
            "gen" => address.setup.generation = text(),
            "hbm" => match parse_bytes(&value) {
                Some(bytes) => address.setup.hbm = Some(bytes),
                None => bad("size of an HBM"),
            },
            "load" => address.setup.one = value == "one",
            "scale" => address.whole = value == "page",
            "bank" => match number(&value) {
                Some(bank) => address.bank = Some(bank),
                None => bad("number of an HBM"),
            },
            "var" => match VarRef::parse(&value) {
                Some(var) => address.var = Some(var),
                None => bad("variable"),
            },
            "addr" => match parse_number(&value) {
                Some(_) => address.addr = text(),
                None => bad("device address"),
            },
            // The server's pages count rows.
            "from" => {}
            key if address.run.read(key, &value) => {}
            key => {
                let loader = address.loader.read(key, &value);
                let known = loader.or_else(|| address.collectives.read(key, &value));
                match known.or_else(|| address.timeline.read(key, &value)) {
                    Some(Err(want)) => bad(want),
                    Some(Ok(())) => {}
                    None => problems.extend(address_keys::unknown(key)),
                }
            }
        }
    }
    if no_engine {
        // Slots and IPs count on their engine only.
        (address.slot, address.ip) = (None, None);
    }
    (address, problems)
}

impl Address {
    /// The address of a state.
    pub fn of(state: &State) -> Self {
        let Selection { s, e, slot, ip, .. } = &state.selection;
        let (structs, bytes) = (state.view == View::Structs, state.view == View::Bytes);
        let (first, end) = state.bytes.selection();
        let named = |text: &String| (!text.is_empty()).then(|| text.clone());
        Self {
            s: named(s),
            e: named(e),
            slot: *slot,
            ip: if slot.is_some() { None } else { *ip },
            pc: None,
            profile: state.build.profile.clone(),
            core: state.build.core,
            base: state.build.base.clone(),
            theme: state.theme_in_link.then_some(state.theme),
            all_cores: state.all_cores,
            regions_mode: state.regions_mode,
            patches_hidden: state.patches_hidden,
            modelled: state.build.modelled,
            ntff: state.build.ntff,
            compare: state.compare.open,
            only: state.compare.open && state.compare.only,
            source_filter: state.source_filter,
            expanded: state.expanded && (slot.is_some() || ip.is_some()),
            rec: if structs { named(&state.structs.name) } else { None },
            loader: state.structs.loader.clone(),
            at: match state.view {
                View::Structs => state.structs.field_offset(),
                View::Bytes => Some(first),
                _ => None,
            },
            of: if bytes { state.bytes.of.clone() } else { BytesOf::default() },
            len: (bytes && end - first > 1).then_some(end - first),
            text: bytes && state.bytes.text,
            collectives: match state.view {
                View::Collectives => CollectivesAddress::of(&state.collectives),
                _ => CollectivesAddress::default(),
            },
            timeline: match state.view {
                View::Timeline => TimelineAddress::of(&state.timeline),
                _ => TimelineAddress::default(),
            },
            run: match state.view {
                View::Run => RunAddress::of(&state.run),
                View::Timeline => RunAddress::of_last(&state.run),
                _ => RunAddress::default(),
            },
            ..Self::of_memory(state)
        }
    }

    /// What the Memory view adds.
    fn of_memory(state: &State) -> Self {
        if state.view != View::Memory {
            return Self::default();
        }
        let memory = &state.memory;
        let addresses = memory.part == Part::Addresses;
        Self {
            part: memory.part,
            mode: memory.shown,
            setup: memory.setup.clone(),
            bank: memory.bank,
            whole: memory.whole,
            var: memory.picked.clone().filter(|_| !addresses),
            addr: memory.address.clone().filter(|_| addresses),
            ..Self::default()
        }
    }

    /// The query, without a question mark; parts with their default are left out.
    pub fn query(&self) -> String {
        let mut out = format!("v={VERSION}");
        let mut add = |key: &str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                out.push('&');
                out.push_str(key);
                out.push('=');
                encode_into(&mut out, &value);
            }
        };
        add("s", self.s.clone());
        add("e", self.e.clone());
        add("slot", self.slot.map(|slot| slot.to_string()));
        add("ip", self.ip.map(|ip| ip.to_string()));
        add("pc", self.pc.clone());
        add("profile", self.profile.clone());
        add("core", self.core.map(|core| core.to_string()));
        add("base", self.base.clone());
        add("theme", self.theme.map(|theme| theme.name().to_owned()));
        add("cores", self.all_cores.then(|| "all".to_owned()));
        let mode = match self.regions_mode {
            RegionsMode::Image => None,
            RegionsMode::Neff => Some("neff"),
            RegionsMode::Both => Some("both"),
        };
        add("slots", mode.map(str::to_owned));
        add("image", self.modelled.then(|| "modelled".to_owned()));
        add("ntff", self.ntff.map(|file| file.to_string()));
        let compare = self.compare.then_some(if self.only { "diff" } else { "1" });
        add("compare", compare.map(str::to_owned));
        add("marks", self.patches_hidden.then(|| "0".to_owned()));
        let filter = match self.source_filter {
            SourceFilter::All => None,
            SourceFilter::Bir => Some("bir"),
            SourceFilter::Hlo => Some("hlo"),
            SourceFilter::Line => Some("line"),
        };
        add("src", filter.map(str::to_owned));
        add("bytes", self.expanded.then(|| "1".to_owned()));
        add("rec", self.rec.clone());
        self.loader.write(&mut add);
        add("of", Some(self.of.of.clone()));
        add("name", self.of.name.clone());
        add("f", self.of.f.map(|f| f.to_string()));
        add("at", self.at.map(|at| format!("{at:#x}")));
        add("len", self.len.map(|len| format!("{len:#x}")));
        add("as", self.text.then(|| "text".to_owned()));
        let part = (self.part != Part::default()).then(|| self.part.name().to_owned());
        add("part", part);
        let mode = (self.mode != Shown::default()).then(|| self.mode.name().to_owned());
        add("mode", mode);
        add("page", self.setup.page_size.map(|bytes| bytes.to_string()));
        add("gen", self.setup.generation.clone());
        add("hbm", self.setup.hbm.map(|bytes| bytes.to_string()));
        add("load", self.setup.one.then(|| "one".to_owned()));
        add("bank", self.bank.map(|bank| bank.to_string()));
        add("scale", self.whole.then(|| "page".to_owned()));
        add("var", self.var.as_ref().map(VarRef::text));
        add("addr", self.addr.clone());
        self.timeline.write(&mut add);
        self.collectives.write(&mut add);
        self.run.write(add);
        out
    }
}

/// Path and query of a state: what the address bar shows.
pub fn path(state: &State) -> String {
    let view = state.view.name();
    let query = Address::of(state).query();
    if state.session.is_empty() {
        format!("/local/{view}?{query}")
    } else {
        let mut out = "/f/".to_owned();
        encode_into(&mut out, &state.session);
        format!("{out}/{view}?{query}")
    }
}

/// The view that a path names: its last component.
pub fn view_of_path(path: &str) -> Option<View> {
    View::parse(path.rsplit('/').next()?)
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Percent-encodes all but unreserved characters.
/// A text as a value of a query.
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    encode_into(&mut out, text);
    out
}

fn encode_into(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// Decodes percent sequences and `+`; a broken sequence stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = |at: usize| after.get(at).and_then(|digit| char::from(*digit).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                rest = after.get(2..).unwrap_or(&[]);
            }
            (b'+', ..) => {
                bytes.push(b' ');
                rest = after;
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
