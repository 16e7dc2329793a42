//! Bases that the pairs of a log are solved for.

use super::Context;
use crate::answer::{LogPair, Provenance, SolvedBase};
use crate::built_in::built_in_profile;
use crate::convert::hex;
use crate::engines::SubgraphImages;
use crate::log::Line;
use crate::log::solve::{Candidate, MAX_PAIRS, Pair, solve};
use device_image::PcMap;
use device_image::profile::BUILT_IN;
use records::Engine;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most groups of lines that are solved for.
const MAX_GROUPS: usize = 32;

/// Lines whose engine has one image: subgraph, engine, device, core.
pub type Group = (usize, Option<Engine>, Option<u32>, Option<u32>);

/// What was solved for one group.
struct Solved {
    group: Group,
    engine: Engine,
    subgraph: String,
    pairs: Vec<(u32, Pair)>,
    profiles: Vec<String>,
    candidates: Vec<Candidate>,
    /// Whether another base is surer.
    known: bool,
}

/// All that was solved.
pub struct Bases {
    solved: Vec<Solved>,
}

/// A base to look PCs up with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedBase {
    /// Engine.
    pub engine: Engine,
    /// Profile to build the image with; `None` for that of the question.
    pub profile: Option<String>,
    /// Device address of the first slot of MAIN.
    pub main_start: u64,
}

impl Bases {
    /// Solves for every group of lines with pairs.
    pub fn solve(context: &Context<'_>, lines: &[Line]) -> Self {
        let mut groups: BTreeMap<Group, Vec<(u32, Pair)>> = BTreeMap::new();
        for line in lines {
            let Some(subgraph) = context.subgraph_of(line) else { continue };
            for point in &line.points {
                let (Some(device_pc), Some(neff_ip)) = (point.device_pc, point.neff_ip) else {
                    continue;
                };
                // The engine of the question stands in only where the question names one.
                let asked = context.scope.e.as_deref().and_then(|name| name.parse().ok());
                let group = (subgraph, point.engine.or(asked), line.device, line.core);
                if groups.len() >= MAX_GROUPS && !groups.contains_key(&group) {
                    continue;
                }
                let pairs = groups.entry(group).or_default();
                let pair = Pair { device_pc, neff_ip };
                if pairs.len() < MAX_PAIRS && !pairs.iter().any(|(_, known)| *known == pair) {
                    pairs.push((line.number, pair));
                }
            }
        }
        let solved = groups
            .into_iter()
            .filter_map(|(group, pairs)| Solved::of(context, group, pairs))
            .collect();
        Self { solved }
    }

    /// The base to use for lines of a group.
    pub fn used(&self, group: Group) -> Option<UsedBase> {
        let (subgraph, engine, device, core) = group;
        let same = |solved: &&Solved| {
            let engines = engine.is_none() && solved.group.1.is_none()
                || engine.is_some_and(|engine| engine == solved.engine);
            solved.group.0 == subgraph && engines
        };
        // A line that names no core has the base of the group that names none, else of the only
        // one.
        let exact = |solved: &&Solved| (solved.group.2, solved.group.3) == (device, core);
        let mut fitting = self.solved.iter().filter(same);
        let found = self.solved.iter().filter(same).find(exact).or_else(|| {
            let first = fitting.next()?;
            let free = (device, core) == (None, None) || first.group.2.is_none();
            (free && fitting.next().is_none()).then_some(first)
        })?;
        found.used()
    }

    /// The documents, in the order of the groups.
    pub fn documents(&self) -> Vec<SolvedBase> {
        self.solved.iter().flat_map(Solved::documents).collect()
    }

    /// Whether places of an engine are computed with a base that is surer than a solved one: that of
    /// a capture, or that of the question.
    fn is_known(context: &Context<'_>, subgraph: usize, engine: Engine) -> bool {
        let asked: Engine =
            context.scope.e.as_deref().and_then(|e| e.parse().ok()).unwrap_or(Engine::Pe);
        let given = context.scope.base.is_some() && asked == engine;
        let view = context.view(subgraph);
        given || view.is_some_and(|view| view.base(engine).1 != Provenance::Modelled)
    }
}

impl Solved {
    fn of(context: &Context<'_>, group: Group, pairs: Vec<(u32, Pair)>) -> Option<Self> {
        let list: Vec<Pair> = pairs.iter().map(|(_, pair)| *pair).collect();
        let images = images(context, group.0);
        let fit = |engine: Engine| {
            let maps: Vec<&PcMap> =
                images.iter().map(|images| &images.engine(engine).map).collect();
            solve(&maps, &list)
        };
        let agreeing = |found: &[Candidate]| found.first().map_or(0, Candidate::agreeing);
        let (engine, candidates) = match group.1 {
            Some(engine) => (engine, fit(engine)),
            None => {
                // One pair fits too many engines; several must name one.
                let mut all: Vec<_> =
                    Engine::ALL.into_iter().map(|engine| (engine, fit(engine))).collect();
                all.sort_by_key(|(_, found)| std::cmp::Reverse(agreeing(found)));
                let mut all = all.into_iter();
                let best = all.next()?;
                let next = all.next().map_or(0, |(_, found)| agreeing(&found));
                if agreeing(&best.1) < 2 || agreeing(&best.1) == next {
                    return None;
                }
                best
            }
        };
        Some(Self {
            known: Bases::is_known(context, group.0, engine),
            group,
            engine,
            subgraph: context.subgraph_name(group.0),
            profiles: images.iter().map(|images| images.profile.clone()).collect(),
            pairs,
            candidates,
        })
    }

    /// The first candidate, if all pairs fit it, or two and more than half of them.
    fn used(&self) -> Option<UsedBase> {
        let best = self.candidates.first()?;
        let (fit, all) = (best.agreeing(), self.pairs.len());
        if fit < all && (fit < 2 || fit * 2 <= all) {
            return None;
        }
        let profile = best.map.and_then(|map| self.profiles.get(map)).cloned();
        Some(UsedBase { engine: self.engine, profile, main_start: best.main_start() })
    }

    fn documents(&self) -> Vec<SolvedBase> {
        let used = self.used().is_some() && !self.known;
        let document = |(index, candidate): (usize, &Candidate)| SolvedBase {
            subgraph: self.subgraph.clone(),
            engine: self.engine.name().to_owned(),
            device: self.group.2,
            core: self.group.3,
            profile: candidate.map.and_then(|map| self.profiles.get(map)).cloned(),
            base: hex(candidate.base),
            preamble_slots: candidate.preamble_slots,
            preamble_step: candidate.map.is_none().then_some(512),
            pairs: self.pairs.len() as u64,
            agreeing: candidate.agreeing() as u64,
            lines: self.pairs.iter().map(|(line, _)| *line).collect(),
            disagreeing: self
                .pairs
                .iter()
                .zip(&candidate.fits)
                .filter(|(_, fits)| !**fits)
                .map(|((line, pair), _)| LogPair {
                    line: *line,
                    device_pc: hex(pair.device_pc),
                    neff_ip: pair.neff_ip,
                })
                .collect(),
            in_use: used && index == 0,
            provenance: Provenance::Inferred,
        };
        self.candidates.iter().enumerate().map(document).collect()
    }
}

/// The images of the question, then those under the other profiles of the generation if the
/// question leaves that open. A profile that cannot be evaluated is left out.
fn images(context: &Context<'_>, subgraph: usize) -> Vec<Arc<SubgraphImages>> {
    let Some(view) = context.view(subgraph) else { return Vec::new() };
    let mut all = vec![Arc::clone(&view.images)];
    if context.scope.profile.is_some() || view.pair.is_some() {
        return all;
    }
    let generation = view.file.program(subgraph).subgraph.generation;
    for (name, _) in BUILT_IN {
        let other = view.images.profile != name;
        let profile = built_in_profile(name).ok();
        if let Some(profile) = profile.filter(|profile| other && profile.generation == generation) {
            all.extend(view.file.images(subgraph, &profile, name, context.scope.core));
        }
    }
    all
}
