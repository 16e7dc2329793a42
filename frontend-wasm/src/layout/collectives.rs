//! The Collectives view: what is asked, what was answered, which entry, step and rank are shown.

pub mod bits;
pub mod words;
pub mod topology;
pub mod address;
mod events;

use debug_api::answer::{
    CollectiveTrigger, CollectivesAnswer, PlannedEntry, ScheduleAnswer, ScheduleStep, SpadAnswer,
    TopSpTable,
};
use debug_api::{CollectivesRequest, ScheduleRequest, Scope};
use std::collections::BTreeMap;
use std::rc::Rc;

pub use events::CollectivesAction;

/// Collectives that one question brings.
pub const AT_ONCE: u32 = 512;
/// Readings of the algorithm's number: the default one, the other one.
pub const NAMES: [&str; 2] = ["enc_alg_type", "enc_pattern"];
/// Algorithms that can be asked for.
pub const ALGORITHMS: [&str; 11] = [
    "ring",
    "hierarchical",
    "mesh",
    "kangaring",
    "single-cycle-ring",
    "intra-rdh",
    "single-step-mesh",
    "inter-rdh",
    "two-step-pod-mesh",
    "latency-opt-mesh",
    "bw-opt-mesh",
];

/// A part of the lower right side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// What is planned for the selected entry.
    #[default]
    Plan,
    /// What ranks do at the step.
    Step,
    /// The ranks of the session side by side.
    Ranks,
    /// What is odd.
    Findings,
}

impl Part {
    /// All parts with the name of the address bar and the title.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Plan, "plan", "Plan"),
        (Self::Step, "step", "Step"),
        (Self::Ranks, "ranks", "Ranks"),
        (Self::Findings, "findings", "Findings"),
    ];

    /// Name in the address bar.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(part, ..)| *part == self).map_or("plan", |(_, name, _)| name)
    }

    /// The part of a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name, _)| *name == text).map(|(part, ..)| *part)
    }
}

/// What the files do not say. Its default is that of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Algorithm of all collectives.
    pub algorithm: Option<String>,
    /// Ranks of the job.
    pub world: Option<u32>,
    /// Ranks of a node.
    pub node: Option<u32>,
    /// Channels of an operation.
    pub channels: Option<u32>,
}

/// A number of the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupField {
    /// Ranks of the job.
    World,
    /// Ranks of a node.
    Node,
    /// Channels.
    Channels,
}

impl SetupField {
    /// All with their id, label, and the greatest value that makes sense.
    pub const ALL: [(Self, &'static str, &'static str, u32); 3] = [
        (Self::World, "coll-world", "Ranks", 65_536),
        (Self::Node, "coll-node", "Ranks a node", 65_536),
        (Self::Channels, "coll-channels", "Channels", 1_024),
    ];
}

impl Setup {
    /// A number.
    pub const fn get(&self, field: SetupField) -> Option<u32> {
        match field {
            SetupField::World => self.world,
            SetupField::Node => self.node,
            SetupField::Channels => self.channels,
        }
    }

    /// Changes a number.
    pub fn set(&mut self, field: SetupField, value: Option<u32>) {
        *match field {
            SetupField::World => &mut self.world,
            SetupField::Node => &mut self.node,
            SetupField::Channels => &mut self.channels,
        } = value;
    }
}

/// An entry of a control table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryAt {
    /// Index in the table, which is that of the collective.
    pub index: u64,
    /// TOP_SP.
    pub top_sp: u32,
}

impl EntryAt {
    /// `3.0`, as the address bar has it: entry 3 of TOP_SP 0.
    pub fn text(self) -> String {
        format!("{}.{}", self.index, self.top_sp)
    }

    /// Reads that text. Without a TOP_SP it is that of the first.
    pub fn parse(text: &str) -> Option<(u64, Option<u32>)> {
        match text.split_once('.') {
            Some((index, top_sp)) => Some((index.parse().ok()?, Some(top_sp.parse().ok()?))),
            None => Some((text.parse().ok()?, None)),
        }
    }
}

/// What a schedule was asked for, without its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleKey {
    /// Algorithm.
    pub algorithm: String,
    /// Operation.
    pub operation: String,
    /// Ranks.
    pub ranks: u32,
    /// Ranks of a node, where they are set.
    pub locals: Option<u32>,
}

impl ScheduleKey {
    /// The question for the steps from one on.
    pub fn request(&self, from: u64) -> ScheduleRequest {
        ScheduleRequest {
            algorithm: self.algorithm.clone(),
            ranks: self.ranks,
            operation: Some(self.operation.clone()),
            locals: self.locals,
            switched: false,
            intra: None,
            inter: None,
            from: u32::try_from(from).unwrap_or(u32::MAX),
            // As many as a page can take in at once.
            count: Some((2_048 / self.ranks.max(1)).clamp(1, 256)),
        }
    }
}

/// A schedule, as far as it has arrived.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// What it is of.
    pub key: ScheduleKey,
    /// The last answer; its steps are in `steps`.
    pub head: Option<Rc<ScheduleAnswer>>,
    /// Steps by number.
    pub steps: BTreeMap<u64, Rc<ScheduleStep>>,
    /// First step of the question that is on its way.
    pub asked: Option<u64>,
    /// Why there is none.
    pub refused: Option<String>,
}

/// The decoder: a word as it is typed, and what it is.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// Whether it takes the place of the table.
    pub open: bool,
    /// Text as it is typed.
    pub text: String,
    /// What was asked last.
    pub asked: Option<(String, String)>,
    /// What it is, or why it is none.
    pub answer: Option<Result<Rc<SpadAnswer>, String>>,
    /// A value that could not be set: field and reason.
    pub refused: Option<(String, String)>,
}

/// State of the view.
#[derive(Clone, Debug, Default)]
pub struct CollectivesBox {
    /// Part of the lower right side.
    pub part: Part,
    /// What the files do not say.
    pub setup: Setup,
    /// Whether the numbers of algorithms are read as patterns.
    pub patterns: bool,
    /// TOP_SP whose entries are listed; all if `None`.
    pub top_sp: Option<u32>,
    /// Searched text.
    pub find: String,
    /// Rank whose plan is shown, where several executables are open.
    pub rank: u32,
    /// Entry that an address asks for, until it is there: index and TOP_SP.
    pub wanted: Option<(u64, Option<u32>)>,
    /// Entry that is selected.
    pub picked: Option<EntryAt>,
    /// Field that is selected, by its name.
    pub field: Option<String>,
    /// Field under the pointer.
    pub hover: Option<String>,
    /// Step of the schedule.
    pub step: u64,
    /// Place in the group of the rank whose acts are told; the own one if `None`.
    pub node: Option<u32>,
    /// What the plan was asked for.
    pub asked: Option<CollectivesRequest>,
    /// The plan: head, TOP_SPs, findings, the first collectives.
    pub plan: Option<Rc<CollectivesAnswer>>,
    /// Collectives, as far as they have arrived.
    pub triggers: Rc<Vec<CollectiveTrigger>>,
    /// Tables of the TOP_SPs, as far as they have arrived.
    pub tables: Rc<Vec<TopSpTable>>,
    /// Entries that are listed.
    pub rows: Rc<Vec<EntryAt>>,
    /// Counts up with each wish to see the selected row.
    pub reveal: u32,
    /// What the selected entry was asked for: its bytes, names.
    pub entry_asked: Option<(String, String)>,
    /// The selected entry bit by bit.
    pub entry: Option<Rc<SpadAnswer>>,
    /// The schedule of the selected collective.
    pub schedule: Schedule,
    /// The decoder.
    pub decoder: Decoder,
}

impl CollectivesBox {
    /// The reading that is chosen.
    pub const fn names(&self) -> &'static str {
        if self.patterns { NAMES[1] } else { NAMES[0] }
    }

    /// Forgets what has arrived; what is chosen stays.
    pub fn forget(&mut self) {
        let old = std::mem::take(self);
        let at = old.picked.map(|at| (at.index, Some(at.top_sp)));
        let asked = Decoder { asked: None, answer: None, refused: None, ..old.decoder };
        *self = Self {
            part: old.part,
            setup: old.setup,
            patterns: old.patterns,
            top_sp: old.top_sp,
            find: old.find,
            rank: old.rank,
            wanted: old.wanted.or(at),
            field: old.field,
            step: old.step,
            node: old.node,
            decoder: asked,
            ..Self::default()
        };
    }

    /// The question for the plan, from a collective on.
    pub fn request(&self, scope: Scope, several: bool, from: u32) -> CollectivesRequest {
        CollectivesRequest {
            scope,
            rank: several.then_some(self.rank),
            world: self.setup.world,
            ranks_per_node: self.setup.node,
            channels: self.setup.channels,
            algorithm: self.setup.algorithm.clone(),
            generation: None,
            from,
            count: Some(AT_ONCE),
        }
    }

    /// The selected collective.
    pub fn trigger(&self) -> Option<&CollectiveTrigger> {
        self.trigger_at(self.picked?.index)
    }

    /// A collective.
    pub fn trigger_at(&self, index: u64) -> Option<&CollectiveTrigger> {
        self.triggers.get(usize::try_from(index).ok()?)
    }

    /// An entry.
    pub fn entry_at(&self, at: EntryAt) -> Option<&PlannedEntry> {
        let table = self.tables.iter().find(|table| table.index == at.top_sp)?;
        table.entries.get(usize::try_from(at.index).ok()?)
    }

    /// The table of a TOP_SP.
    pub fn table(&self, top_sp: u32) -> Option<&TopSpTable> {
        self.tables.iter().find(|table| table.index == top_sp)
    }

    /// Row of the selected entry.
    pub fn row(&self) -> Option<usize> {
        let picked = self.picked?;
        self.rows.iter().position(|row| *row == picked)
    }

    /// The schedule that the selected collective has; `None` if there is none to draw.
    pub fn schedule_key(&self) -> Option<ScheduleKey> {
        let trigger = self.trigger()?;
        let algorithm = trigger.algorithm.clone()?;
        let ranks = trigger.n_ranks.filter(|ranks| (2..=128).contains(ranks))?;
        let (operation, locals) = (trigger.operation.clone(), trigger.locals);
        Some(ScheduleKey { algorithm, operation, ranks, locals })
    }

    /// The step that is shown, once it is there.
    pub fn step_shown(&self) -> Option<&Rc<ScheduleStep>> {
        self.schedule.steps.get(&self.step)
    }

    /// Place in the group of the rank that is looked at: the chosen one, else that of the rank whose
    /// plan it is, else the first.
    pub fn node_shown(&self) -> u32 {
        self.node.unwrap_or_else(|| {
            let rank = self.plan.as_ref().and_then(|plan| plan.rank);
            let ranks = self.trigger().map(|trigger| trigger.ranks.as_slice()).unwrap_or_default();
            let at = rank.and_then(|rank| match ranks.is_empty() {
                true => usize::try_from(rank).ok(),
                false => ranks.iter().position(|one| *one == rank),
            });
            at.and_then(|at| u32::try_from(at).ok()).unwrap_or(0)
        })
    }

    /// What the bits are drawn of: the decoder's word or the selected entry.
    pub fn shown(&self) -> Option<&Rc<SpadAnswer>> {
        if self.decoder.open {
            return self.decoder.answer.as_ref().and_then(|answer| answer.as_ref().ok());
        }
        self.entry.as_ref()
    }

    /// Whether the decoder has the selected entry's word, of which the plan leaves bits open.
    pub fn starts_open(&self) -> bool {
        let entry = self.picked.and_then(|at| self.entry_at(at));
        entry.is_some_and(|entry| words::known(entry) != u64::MAX && self.decoder.text == entry.raw)
    }

    /// The bits of what is shown that are known.
    pub fn known(&self) -> u64 {
        let planned = self.picked.filter(|_| !self.decoder.open);
        let entry = planned.and_then(|at| self.entry_at(at));
        entry.map_or(u64::MAX, words::known)
    }
}

/// The number of a collective in a group as the job counts it; its place where the group is not
/// named.
pub fn rank_of(trigger: &CollectiveTrigger, place: u32) -> u32 {
    let named = usize::try_from(place).ok().and_then(|place| trigger.ranks.get(place));
    named.copied().unwrap_or(place)
}

/// The entries of tables that are listed: by collective, then by TOP_SP. All words of the text must
/// be in the row.
pub fn rows(
    triggers: &[CollectiveTrigger],
    tables: &[TopSpTable],
    top_sp: Option<u32>,
    text: &str,
) -> Vec<EntryAt> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let mut out = Vec::new();
    for (index, trigger) in triggers.iter().enumerate() {
        for table in tables.iter().filter(|table| top_sp.is_none_or(|one| one == table.index)) {
            let Some(entry) = table.entries.get(index) else { continue };
            let at = EntryAt { index: entry.index, top_sp: table.index };
            if words.is_empty() || words::fits(trigger, table, entry, &words) {
                out.push(at);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
