//! The Collectives view without script: collectives, control entries and findings as tables.

use crate::format::{clean, thousands};
use crate::page_model::{FindingRow, Shell, provenance_key};
use crate::page_parts::finding_rows;
use crate::view_query::ViewQuery;
use askama::Template;
use debug_api::answer::{
    Answer, BarrierInfo, BarrierPeer, BarrierStepInfo, CollectiveTrigger, CollectivesAnswer,
    PlannedEntry,
};
use debug_api::{ApiError, CollectivesRequest, Request, Scope, Session};

/// Collectives of a page.
const PAGE_ROWS: u32 = 128;

/// The page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "collectives.html")]
pub struct CollectivesPage {
    /// Frame.
    pub shell: Shell,
    /// Content.
    pub plan: CollectivesContent,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct CollectivesContent {
    /// Facts in a sentence.
    pub summary: String,
    /// Findings.
    pub findings: Vec<FindingRow>,
    /// Whether ranks agree; empty for one file.
    pub verdict: String,
    /// Whether they do.
    pub agrees: bool,
    /// Collectives.
    pub collectives: Vec<CollectiveRow>,
    /// Their entries.
    pub entries: Vec<EntryRow>,
    /// How many more collectives there are; empty if none.
    pub more: String,
    /// Steps of the device's barrier.
    pub barrier: Vec<BarrierRow>,
    /// What follows them, what the host does instead, and its plan.
    pub barrier_notes: Vec<String>,
}

/// A step of the device's barrier.
#[derive(Clone, Debug, Default)]
pub struct BarrierRow {
    /// Number.
    pub index: u32,
    /// Operation.
    pub op: String,
    /// Places in use, also behind switches.
    pub places: String,
    /// Who meets.
    pub meets: String,
    /// Who meets behind switches.
    pub switched: String,
    /// What it does.
    pub action: String,
    /// Provenance of the words, in full.
    pub provenance: String,
}

impl BarrierRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// A collective.
#[derive(Clone, Debug, Default)]
pub struct CollectiveRow {
    /// Index, which is that of its entries.
    pub index: u64,
    /// Engine.
    pub engine: String,
    /// NEFF IP.
    pub ip: u32,
    /// Operation.
    pub operation: String,
    /// Element type and number.
    pub amount: String,
    /// Ranks.
    pub ranks: String,
    /// What it reads.
    pub inputs: String,
    /// What it writes.
    pub outputs: String,
    /// Algorithm.
    pub algorithm: String,
    /// Why this one.
    pub why: String,
    /// Provenance of the algorithm, the word in full.
    pub provenance: String,
}

impl CollectiveRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// An entry.
#[derive(Clone, Debug, Default)]
pub struct EntryRow {
    /// Index.
    pub index: u64,
    /// TOP_SP.
    pub top_sp: u32,
    /// The bytes, 16 digits.
    pub raw: String,
    /// Algorithm or NOP.
    pub algorithm: String,
    /// Channels and flags.
    pub reads: String,
    /// Provenance, the word in full.
    pub provenance: String,
}

impl EntryRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// The plan under the choices of an address.
///
/// # Errors
/// As the question.
pub fn content(
    session: &Session,
    scope: &Scope,
    query: &ViewQuery,
) -> Result<CollectivesContent, ApiError> {
    let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse().ok());
    let several = session.files().iter().filter(|file| file.as_neff().is_some()).count() > 1;
    let request = CollectivesRequest {
        scope: Scope { s: scope.s.clone(), core: scope.core, ..Scope::default() },
        rank: number(&query.rank).filter(|_| several),
        world: number(&query.world),
        ranks_per_node: number(&query.pernode),
        channels: number(&query.channels),
        algorithm: query.alg.clone(),
        count: Some(PAGE_ROWS),
        ..CollectivesRequest::default()
    };
    match session.ask(&Request::Collectives(request))? {
        Answer::Collectives(plan) => Ok(of_plan(&plan)),
        _ => Ok(CollectivesContent::default()),
    }
}

fn of_plan(plan: &CollectivesAnswer) -> CollectivesContent {
    let left = plan.n_triggers.saturating_sub(plan.triggers.len() as u64);
    let entries = plan.top_sps.iter().flat_map(|table| {
        table.entries.iter().map(|entry| EntryRow {
            index: entry.index,
            top_sp: table.index,
            raw: entry.raw.clone(),
            algorithm: entry
                .algorithm
                .clone()
                .unwrap_or_else(|| if entry.nop { "NOP" } else { "not known" }.to_owned()),
            reads: reads(entry),
            provenance: entry.provenance.name().to_owned(),
        })
    });
    let mut entries: Vec<EntryRow> = entries.collect();
    entries.sort_by_key(|row| (row.index, row.top_sp));
    let (verdict, agrees) = match &plan.difference {
        _ if plan.ranks.is_empty() => (String::new(), true),
        Some(difference) => (format!("First difference: {}.", clean(&difference.message)), false),
        None => (format!("All {} ranks ask for the same.", plan.ranks.len()), true),
    };
    CollectivesContent {
        summary: format!(
            "{} collectives of {} on core {}, {}; {} TOP_SPs with a control entry for each, {} \
             channels. Entries are planned by our model: no public executable with collectives of \
             several ranks is known.",
            thousands(plan.n_triggers),
            clean(&plan.subgraph),
            plan.core,
            plan.generation,
            plan.top_sps.len(),
            plan.channels
        ),
        findings: finding_rows(&plan.diagnostics, &[]),
        verdict,
        agrees,
        collectives: plan.triggers.iter().map(collective).collect(),
        entries,
        barrier: plan.barrier.as_ref().map(barrier_rows).unwrap_or_default(),
        barrier_notes: plan.barrier.as_ref().map(barrier_notes).unwrap_or_default(),
        more: if left > 0 { format!("and {} more", thousands(left)) } else { String::new() },
    }
}

fn barrier_rows(info: &BarrierInfo) -> Vec<BarrierRow> {
    let meets = |step: &BarrierStepInfo| {
        let used = step.places.iter().filter(|place| place.kind != "unused");
        used.map(|place| place.kind.as_str()).collect::<Vec<_>>().join(" ")
    };
    let steps = info.steps.iter().zip(&info.switched_steps);
    let row = |(step, switched): (&BarrierStepInfo, &BarrierStepInfo)| BarrierRow {
        index: step.index,
        op: step.op.clone(),
        places: match step.group_size == switched.group_size {
            true => step.group_size.to_string(),
            false => format!("{} or {}", step.group_size, switched.group_size),
        },
        meets: meets(step),
        switched: meets(switched),
        action: step.action.clone(),
        provenance: step.action_provenance.name().to_owned(),
    };
    steps.map(row).collect()
}

fn barrier_notes(info: &BarrierInfo) -> Vec<String> {
    let of = info.provenance.name();
    let mut out = vec![
        format!("Then the device {}; it {} ({of}).", part(&info.after, 0), part(&info.after, 1)),
        format!(
            "Where execute_device_barrier is 0, {}; {} ({of}).",
            part(&info.host, 0),
            part(&info.host, 1)
        ),
    ];
    let list = |list: &[BarrierPeer]| {
        let one = |peer: &BarrierPeer| format!("{} {} bit {}", peer.rank, peer.kind, peer.bit);
        let words: Vec<String> = list.iter().map(one).collect();
        if words.is_empty() { "nobody".to_owned() } else { words.join(", ") }
    };
    out.extend(info.peers.iter().map(|set| {
        format!(
            "Peers of rank {} in groups {}: sends to {}; receives from {} ({}).",
            set.rank,
            set.group,
            list(&set.sends),
            list(&set.receives),
            set.provenance.name()
        )
    }));
    out
}

fn part(list: &[String], at: usize) -> &str {
    list.get(at).map_or("", String::as_str)
}

fn collective(one: &CollectiveTrigger) -> CollectiveRow {
    let names = |list: &[debug_api::answer::CollectiveOperand]| {
        let texts: Vec<String> = list
            .iter()
            .map(|side| side.name.as_deref().map_or_else(|| format!("id {}", side.id), clean))
            .collect();
        texts.join(", ")
    };
    let elements = one.elements.map_or("?".to_owned(), thousands);
    CollectiveRow {
        index: one.place.index,
        engine: one.place.engine.clone(),
        ip: one.place.neff_ip,
        operation: match one.peer {
            Some(peer) => format!("{} with rank {peer}", one.operation),
            None => one.operation.clone(),
        },
        amount: match (&one.dtype, one.bytes) {
            (Some(dtype), _) => format!("{dtype} x {elements}"),
            (None, Some(bytes)) => format!("{} B", thousands(bytes)),
            (None, None) => "?".to_owned(),
        },
        ranks: one.n_ranks.map_or("?".to_owned(), |ranks| ranks.to_string()),
        inputs: names(&one.inputs),
        outputs: names(&one.outputs),
        algorithm: one.algorithm.clone().unwrap_or_else(|| "none".to_owned()),
        why: clean(&one.why),
        provenance: one.algorithm_provenance.name().to_owned(),
    }
}

fn reads(entry: &PlannedEntry) -> String {
    if entry.nop {
        return "takes no part, keeps step".to_owned();
    }
    let mut out = match &entry.channel_list {
        Some(list) => vec![format!("channels {list}")],
        None => vec!["shift and mask not published".to_owned()],
    };
    let flags = [
        (entry.reporter, "reporter"),
        (entry.ring_wait_complete, "ring_wait_complete"),
        (entry.ring_send_complete, "ring_send_complete"),
        (entry.trigger_next, "trigger_next"),
    ];
    out.extend(flags.iter().filter(|(on, _)| *on).map(|(_, name)| (*name).to_owned()));
    out.join(", ")
}
