//! A dump: where its structs are, and what is odd about what they hold.

use neff::{Diagnostic, Findings, Place, Severity};
use records::collectives::algorithm::{CHANNELS, NET_INDICES, RawMeshEvent, RawRingChannel};
use records::collectives::device::RawTsync;
use records::collectives::names::LAST_MESH_EVENT;
use records::collectives::program::{RawNeffConfigs, SLOTS};
use records::collectives::{AlgoNames, Context, ContextArch, Struct};

use super::fields::{DumpField, DumpValue, fields};
use super::table::SPAD_ENTRIES;

/// A context in the bytes of a dump.
#[derive(Clone, Copy, Debug)]
pub struct FirmwareDump<'a> {
    /// All bytes of the dump.
    pub bytes: &'a [u8],
    /// Generation.
    pub arch: ContextArch,
    /// First byte of the context.
    pub offset: u64,
}

impl<'a> FirmwareDump<'a> {
    /// The bytes from the context on.
    fn rest(&self) -> &'a [u8] {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX);
        self.bytes.get(start..).unwrap_or(&[])
    }

    /// The context, if all of it is there.
    pub fn context(&self) -> Option<Context<'a>> {
        Context::of(self.arch, self.rest()).ok()
    }

    /// The structs that are there as a whole.
    pub fn structs(&self) -> Vec<Struct> {
        let mut all = self.arch.structs();
        let have = self.rest().len();
        all.retain(|one| one.offset.saturating_add(one.layout.bytes) <= have);
        all
    }

    /// First byte of a struct in the dump.
    pub fn start(&self, of: &Struct) -> u64 {
        self.offset.saturating_add(of.offset as u64)
    }

    /// Bytes of a struct; empty where the dump ends before it does.
    pub fn bytes_of(&self, of: &Struct) -> &'a [u8] {
        let end = of.offset.saturating_add(of.layout.bytes);
        self.rest().get(of.offset..end).unwrap_or(&[])
    }

    /// Fields of a struct; offsets count from the start of the dump.
    pub fn fields(&self, of: &Struct) -> Vec<DumpField> {
        fields(of.layout, self.bytes_of(of), self.start(of), of.without)
    }

    /// A layout that fits better than the one that was asked for is a finding.
    pub fn check_layout(&self, findings: &mut Findings) {
        let other = match self.arch {
            ContextArch::Sunda => ContextArch::Cayman,
            _ => ContextArch::Sunda,
        };
        if fit(self.bytes, self.offset, other) > fit(self.bytes, self.offset, self.arch) {
            let message = format!(
                "the bytes at {:#x} fit the layout of {} better than that of {}, which is shown",
                self.offset,
                other.name(),
                self.arch.name()
            );
            findings.push(Severity::Warning, "dump.layout", Place::file(self.offset), message);
        }
    }

    /// What is odd.
    pub fn check(&self, findings: &mut Findings) {
        let mut checker = Checker { dump: self, findings };
        checker.is_whole();
        for one in self.structs() {
            checker.structure(&one);
        }
        if let Some(context) = self.context() {
            checker.program(&context);
        }
    }
}

/// The generation whose layout fits better: members of the executable and device that are never zero
/// in use speak for a layout, oddities against it. Of equals, sunda where only its shorter context is
/// there as a whole, else cayman.
pub fn likely_arch(bytes: &[u8], offset: u64) -> ContextArch {
    let [sunda, cayman] = [ContextArch::Sunda, ContextArch::Cayman].map(|arch| {
        let is_whole = FirmwareDump { bytes, arch, offset }.context().is_some();
        (fit(bytes, offset, arch), is_whole)
    });
    match sunda > cayman {
        true => ContextArch::Sunda,
        false => ContextArch::Cayman,
    }
}

/// How well a layout fits. A dump that ends early speaks for no layout: what is there decides.
fn fit(bytes: &[u8], offset: u64, arch: ContextArch) -> isize {
    let dump = FirmwareDump { bytes, arch, offset };
    let mut findings = Findings::new();
    dump.check(&mut findings);
    let is_against = |one: &Diagnostic| match one.code {
        TOO_SHORT => false,
        RESERVED => true,
        _ => one.severity != Severity::Info,
    };
    let against = findings.as_slice().iter().filter(|one| is_against(one)).count();
    let all = arch.structs();
    let named = |path: &[&str]| {
        let name = path.join(".");
        all.iter().find(|one| one.name == name).map_or(&[] as &[u8], |one| dump.bytes_of(one))
    };
    let neff = RawNeffConfigs::of(named(&["configs", "neff"])).map_or(0, |(neff, _)| {
        let n_entries = u64::from(neff.op_num.get());
        usize::from(neff.ctrl_spad_base.get() != 0)
            + usize::from((1..=SPAD_ENTRIES).contains(&n_entries))
    });
    let tsync = RawTsync::of(named(&["configs", "dev", "tsync"]))
        .map_or(0, |(tsync, _)| usize::from(tsync.timestamp_local.get() != 0));
    (4 * (neff + tsync)).cast_signed().saturating_sub_unsigned(against)
}

const RESERVED: &str = "dump.reserved";
const TOO_SHORT: &str = "dump.too-short";

struct Checker<'a, 'b> {
    dump: &'a FirmwareDump<'a>,
    findings: &'b mut Findings,
}

impl Checker<'_, '_> {
    fn push(&mut self, severity: Severity, code: &'static str, at: u64, message: String) {
        self.findings.push(severity, code, Place::file(at), message);
    }

    fn is_whole(&mut self) {
        let dump = self.dump;
        let (have, need) = (dump.rest().len(), dump.arch.context_bytes());
        let missing = dump.arch.structs();
        // Of the structs that are cut, the one whose bytes had begun last.
        let cut = missing
            .iter()
            .filter(|one| one.offset.saturating_add(one.layout.bytes) > have)
            .filter(|one| one.offset <= have)
            .max_by_key(|one| one.offset);
        if let Some(one) = cut {
            let message = format!(
                "the dump ends {have} bytes after the start of the context; {} at {:#x} needs {} \
                 bytes, and a context of {} has {need}",
                one.name,
                dump.start(one),
                one.layout.bytes,
                dump.arch.name(),
            );
            self.push(Severity::Error, TOO_SHORT, dump.start(one), message);
        }
        if have > 0 && dump.rest().iter().take(need).all(|byte| *byte == 0) {
            let message = format!("all bytes of the context at {:#x} are zero", dump.offset);
            self.push(Severity::Info, "dump.empty", dump.offset, message);
        }
    }

    fn structure(&mut self, one: &Struct) {
        let (bytes, start) = (self.dump.bytes_of(one), self.dump.start(one));
        let row = one.name.rsplit('.').next().and_then(|row| row.parse::<usize>().ok());
        let is = |path: &[&str]| one.name.starts_with(&path.join("."));
        if is(&["configs", "algo", "ring"]) {
            if let Ok((raw, _)) = RawRingChannel::of(bytes) {
                self.channel(row.unwrap_or(0), raw, start);
            }
        } else if is(&["configs", "algo", "mesh"])
            && let Ok((raw, _)) = RawMeshEvent::of(bytes)
        {
            self.event(row.unwrap_or(0), raw, start);
        }
        self.reserved(one);
    }

    /// Reserved bits and padding that are not zero: one finding for each struct.
    fn reserved(&mut self, one: &Struct) {
        let odd = |field: &DumpField| {
            field.is_reserved
                && match field.value {
                    DumpValue::Number(number) | DumpValue::Hex(number) => number != 0,
                    DumpValue::Flag(flag) => flag,
                    _ => false,
                }
        };
        let mut all = self.dump.fields(one);
        all.retain(odd);
        if let Some(first) = all.first() {
            let message = format!(
                "{} has {} reserved or padding fields that are not zero; the first is {}",
                one.name,
                all.len(),
                first.name
            );
            self.push(Severity::Info, RESERVED, first.offset, message);
        }
    }

    fn above(&mut self, (code, at): (&'static str, u64), what: &str, found: u8, most: usize) {
        if usize::from(found) > most {
            let message = format!("{what} is {found}, expected at most {most}");
            self.push(Severity::Warning, code, at, message);
        }
    }

    fn channel(&mut self, row: usize, raw: &RawRingChannel, at: u64) {
        let id = usize::from(raw.channel_id);
        if id >= CHANNELS {
            let message = format!("ring channel {row} has the id {id}; ids are 0 to 31");
            self.push(Severity::Error, "dump.channel-id", at + 140, message);
        } else if id != row && id != 0 {
            let message = format!("ring channel {row} has the id {id}; its row gives {row}");
            self.push(Severity::Info, "dump.channel-row", at + 140, message);
        }
        let name = |what: &str| format!("{what} of ring channel {row}");
        let (fold, slot, peers) = ("dump.fold", "dump.slot", "dump.peers");
        self.above(
            (fold, at + 24),
            &name("fold_n of next_neigh"),
            raw.next_neigh.fold_n,
            NET_INDICES,
        );
        self.above(
            (fold, at + 52),
            &name("fold_n of prev_neigh"),
            raw.prev_neigh.fold_n,
            NET_INDICES,
        );
        self.above((slot, at + 141), &name("spad_slot_idx"), raw.spad_slot_idx, SLOTS - 1);
        self.above((peers, at + 144), &name("kangaring_num_peers"), raw.kangaring_num_peers, 3);
        let mine = raw.kring_peer_semas.mine.get();
        let peer = raw.kring_peer_semas.peers.iter().position(|one| one.get() == mine);
        if let (true, Some(peer)) = (mine != 0, peer) {
            let message = format!(
                "ring channel {row} waits for {mine:#x}, which is its own peer {peer}: it would \
                 post what it waits for"
            );
            self.push(Severity::Warning, "dump.chain-circle", at + 96 + peer as u64 * 8, message);
        }
    }

    fn event(&mut self, row: usize, raw: &RawMeshEvent, at: u64) {
        let name = |what: &str| format!("{what} of mesh event {row}");
        let counts = "dump.event-counts";
        self.above((counts, at + 0x4D), &name("dma_trigger"), raw.dma_trigger, 2);
        self.above((counts, at + 0x4E), &name("direct_trigger"), raw.direct_trigger, 3);
        self.above((counts, at + 0x4F), &name("wait_event"), raw.wait_event, 1);
        let last = usize::from(LAST_MESH_EVENT);
        self.above(("dump.event-type", at + 0x4C), &name("event_type"), raw.event_type, last);
        let (wait, used) = (raw.event_wait_sema.get(), raw.direct_trigger.into());
        let posts = raw.direct_trigger_sema.iter().take(used);
        let own = posts.clone().position(|one| one.get() == wait);
        if let (true, true, Some(own)) = (wait != 0, raw.wait_event == 1, own) {
            let message = format!(
                "mesh event {row} waits for {wait:#x} and posts it itself, so it can only start \
                 when another one posts it"
            );
            self.push(Severity::Warning, "dump.chain-circle", at + 0x28 + own as u64 * 8, message);
        }
    }

    fn place(&self, last: &[&str]) -> u64 {
        let places = self.dump.arch.places();
        let found = places.iter().find(|one| one.path == last);
        self.dump.offset.saturating_add(found.map_or(0, |one| one.offset as u64))
    }

    fn program(&mut self, context: &Context<'_>) {
        let raw: &RawNeffConfigs = context.neff_configs;
        let at = self.place(&["configs", "neff"]);
        let entries = raw.op_num.get();
        if u64::from(entries) > SPAD_ENTRIES {
            let message = format!(
                "op_num is {entries}; the memory of the control table has {SPAD_ENTRIES} entries \
                 on cayman, and no more are known elsewhere"
            );
            self.push(Severity::Warning, "dump.count", at + 3584, message);
        }
        self.above(
            ("dump.completions", at + 3590),
            "tpb_compl_addr_num",
            raw.tpb_compl_addr_num,
            2,
        );
        let (done, before) = (raw.complete.get(), raw.complete_prev.get());
        if done != 0 && done == before {
            let message = format!(
                "complete and complete_prev are both {done:#x}: the TOP_SP would wait for the \
                 completion that it sends itself"
            );
            self.push(Severity::Warning, "dump.chain-circle", at + 3560, message);
        }
        let op = &context.neff.op;
        let here = self.place(&["neff", "op"]);
        let entry = op.ctrl_entry.entry().fields();
        if entry.cc_op && AlgoNames::AlgType.algorithm(entry.algo_type).is_none() {
            let message = format!(
                "the operation that runs has the algorithm {}, which has no name",
                entry.algo_type
            );
            self.push(Severity::Info, "dump.algorithm", here + 1, message);
        }
        if entry.cc_op && entries > 0 && op.id.get() >= entries {
            let message = format!(
                "the operation that runs is number {}, and the control table has {entries} entries",
                op.id.get()
            );
            self.push(Severity::Warning, "dump.op-index", here + 24, message);
        }
        if entry.cc_op && entry.reporter != (op.reporter != 0) {
            let message = format!(
                "reporter is {} beside an entry whose flag is {}",
                op.reporter,
                u8::from(entry.reporter)
            );
            self.push(Severity::Info, "dump.reporter", here + 28, message);
        }
    }
}
