//! An opened NEFF: the package, its findings, and what is computed from it once and kept.

use crate::answer::{CoverageInfo, Finding};
use crate::convert::{finding, neff_error};
use crate::engines::SubgraphImages;
use crate::error::ApiError;
use crate::links::Links;
use crate::ntff_file::NtffFile;
use crate::pair::PairImages;
use crate::pairing::{self, Signs};
use crate::program::SubgraphProgram;
use crate::sources::Sources;
use device_image::Profile;
use kbin::{Kbin, Options};
use neff::debug::DebugLayers;
use neff::doc::BuildInfo;
use neff::{Findings, Limits, Package};
use records::{Engine, Slot};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// An opened NEFF. Opening reads the container; everything else is computed when first asked for
/// and kept, so a value of this type grows with use (see [`NeffFile::weight`]).
pub struct NeffFile {
    name: String,
    bytes: u64,
    package: Package,
    findings: Findings,
    tool_version: OnceLock<Option<String>>,
    kept: Mutex<Kept>,
    /// Debug layers of all subgraphs, each decoded once; they share one limit.
    layers: Mutex<DebugLayers>,
}

/// Images of one program kept at a time; each profile and core is one.
const KEPT_IMAGES: usize = 16;

/// What was computed, by subgraph index.
#[derive(Default)]
struct Kept {
    programs: BTreeMap<usize, Arc<SubgraphProgram>>,
    sources: BTreeMap<usize, Arc<Sources>>,
    links: BTreeMap<usize, Arc<Links>>,
    /// Also by what the file leaves open.
    kbins: BTreeMap<(usize, Options), Arc<Kbin>>,
    /// In the order in which they were built.
    images: Vec<(ImageKey, Arc<SubgraphImages>)>,
    /// The same for pairs.
    pairs: Vec<(PairKey, Arc<PairImages>)>,
}

/// Subgraph, profile, core, and the capture. An entry whose capture is gone is dropped.
struct PairKey {
    image: ImageKey,
    capture: Weak<()>,
    /// What the session calls the capture, which findings name.
    called: String,
}

/// Subgraph, key of the profile, core.
type ImageKey = (usize, String, Option<u32>);

/// The folder of a member with the slash behind it; empty at the top.
fn folder_of(member: &str) -> String {
    member.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"))
}

impl NeffFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// The container's own codes for a NEFF that cannot be read; `...-limit` codes where a limit
    /// was hit.
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ApiError> {
        let mut findings = Findings::new();
        let package =
            neff::open(&bytes, limits, &mut findings).map_err(|error| neff_error(&error))?;
        Ok(Self {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            package,
            findings,
            tool_version: OnceLock::new(),
            kept: Mutex::default(),
            layers: Mutex::default(),
        })
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The container.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// What was odd while opening.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What was odd about the documents of a subgraph: values that could not be read have a default
    /// in everything that is computed from them.
    pub fn findings_of(&self, index: usize) -> Vec<Finding> {
        let Some(subgraph) = self.package.subgraphs().get(index) else { return Vec::new() };
        let folder = folder_of(&subgraph.definition_member);
        let own = |at: &neff::Place| {
            let member = at.member.as_deref().unwrap_or_default();
            at.subgraph.as_deref() == Some(subgraph.name.as_str())
                || (!folder.is_empty() && member.starts_with(&folder))
                || member == subgraph.definition_member
        };
        self.odd(|code| code.starts_with("json."), own)
    }

    /// What was odd while opening, more than facts, with some codes and at some places.
    fn odd(&self, told: impl Fn(&str) -> bool, own: impl Fn(&neff::Place) -> bool) -> Vec<Finding> {
        let odd =
            self.findings.as_slice().iter().filter(|one| {
                told(one.code) && one.severity != neff::Severity::Info && own(&one.at)
            });
        odd.map(finding).collect()
    }

    /// What was odd while opening and shapes the tree of records of a subgraph: values that could not
    /// be read, also in its graph list, and members that are named and not there.
    pub fn tree_findings(&self, index: usize) -> Vec<Finding> {
        let Some(subgraph) = self.package.subgraphs().get(index) else { return Vec::new() };
        let folder = folder_of(&subgraph.definition_member);
        let own = |at: &neff::Place| {
            let member = at.member.as_deref().unwrap_or_default();
            let is_near = match folder.as_str() {
                "" => !member.is_empty() && !member.contains('/'),
                own => member.starts_with(own),
            };
            is_near
                || member == subgraph.kelf
                || at.subgraph.as_deref() == Some(subgraph.name.as_str())
        };
        self.odd(|code| code.starts_with("json.") || code == "member.missing", own)
    }

    /// Bytes of memory that this file holds, roughly: the archive, and as much again for what is
    /// computed from it.
    pub fn weight(&self) -> u64 {
        self.package.tar_bytes().saturating_mul(2).saturating_add(1 << 16)
    }

    /// The five streams of a subgraph, in engine-code order; empty past the last subgraph.
    pub fn streams(&self, index: usize) -> [&[Slot]; 5] {
        match self.package.subgraphs().get(index) {
            Some(subgraph) => Engine::ALL.map(|engine| self.package.slots(subgraph.engine(engine))),
            None => [&[]; 5],
        }
    }

    /// Queues, blocks and names of a subgraph.
    pub fn program(&self, index: usize) -> Arc<SubgraphProgram> {
        self.keep(index, |kept| &mut kept.programs, || SubgraphProgram::of(&self.package, index))
    }

    /// The tree of records of a subgraph, with its checks; `None` past the last subgraph.
    pub fn kbin(&self, index: usize) -> Option<Arc<Kbin>> {
        self.kbin_with(index, Options::default())
    }

    /// The same with a choice for what the file leaves open.
    pub fn kbin_with(&self, index: usize, options: Options) -> Option<Arc<Kbin>> {
        if let Some(found) = self.kept().kbins.get(&(index, options)) {
            return Some(Arc::clone(found));
        }
        let mut built = Kbin::build(&self.package, index, &options)?;
        built.check_patterns();
        let built = Arc::new(built);
        Some(Arc::clone(self.kept().kbins.entry((index, options)).or_insert(built)))
    }

    /// Debug layers of a subgraph.
    pub fn sources(&self, index: usize) -> Arc<Sources> {
        // Subgraphs with the same definition have the same files, hence the same sources.
        let subgraphs = self.package.subgraphs();
        let member = subgraphs.get(index).map(|subgraph| &subgraph.definition_member);
        let same = |other: &neff::Subgraph| Some(&other.definition_member) == member;
        let first = subgraphs.iter().position(same).unwrap_or(index);
        self.keep(
            first,
            |kept| &mut kept.sources,
            || {
                let mut layers = self.layers.lock().unwrap_or_else(PoisonError::into_inner);
                Sources::of(&self.package, first, &mut layers)
            },
        )
    }

    /// Who raises what in a subgraph.
    pub fn links(&self, index: usize) -> Arc<Links> {
        let program = self.program(index);
        self.keep(
            index,
            |kept| &mut kept.links,
            || Links::of(self.streams(index), |engine, slot| program.transfer(engine, slot)),
        )
    }

    /// The images of a subgraph under a profile, which `key` tells apart from all others, and on a
    /// core (the profile's default where absent).
    ///
    /// # Errors
    /// As [`SubgraphImages::build`].
    pub fn images(
        &self,
        index: usize,
        profile: &Profile,
        key: &str,
        core: Option<u32>,
    ) -> Result<Arc<SubgraphImages>, ApiError> {
        let key = (index, key.to_owned(), core);
        if let Some((_, found)) = self.kept().images.iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(found));
        }
        let program = self.program(index);
        let built = SubgraphImages::build(&program.subgraph, self.streams(index), profile, core)?;
        let built = Arc::new(built);
        let mut kept = self.kept();
        if kept.images.len() >= KEPT_IMAGES {
            kept.images.remove(0);
        }
        kept.images.push((key, Arc::clone(&built)));
        Ok(built)
    }

    /// The images of a subgraph with those of a capture; `None` if the capture has no such
    /// subgraph. A profile comes with the key that tells it from others; without one the capture's
    /// runtime picks it.
    ///
    /// # Errors
    /// As [`PairImages::build`].
    pub fn pair(
        &self,
        index: usize,
        (capture, called): (&NtffFile, &str),
        profile: Option<(&Profile, &str)>,
        core: Option<u32>,
    ) -> Result<Option<Arc<PairImages>>, ApiError> {
        let image = (index, profile.map_or("", |(_, key)| key).to_owned(), core);
        let life = capture.life();
        let known = |(key, _): &&(PairKey, Arc<PairImages>)| {
            key.image == image && key.called == called && key.capture.ptr_eq(&life)
        };
        if let Some((_, found)) = self.kept().pairs.iter().find(known) {
            return Ok(Some(Arc::clone(found)));
        }
        let name = self.package.subgraphs().get(index).map(|subgraph| subgraph.name.as_str());
        let of_core = name.and_then(|name| pairing::core_capture(called, capture.capture(), name));
        let Some(mut of_core) = of_core else { return Ok(None) };
        of_core.damage = capture.damage();
        let signs = Signs::of(&self.package, capture.capture());
        let program = self.program(index);
        let streams = self.streams(index);
        let built = PairImages::build(
            &program.subgraph,
            streams,
            &of_core,
            signs,
            profile.map(|(profile, _)| profile),
            core,
        )?;
        let built = Arc::new(built);
        let mut kept = self.kept();
        kept.pairs.retain(|(key, _)| key.capture.strong_count() > 0);
        if kept.pairs.len() >= KEPT_IMAGES {
            kept.pairs.remove(0);
        }
        let key = PairKey { image, capture: life, called: called.to_owned() };
        kept.pairs.push((key, Arc::clone(&built)));
        Ok(Some(built))
    }

    /// How far the slots of each engine lead through the debug layers.
    pub fn coverage(&self) -> Vec<CoverageInfo> {
        let subgraphs = self.package.subgraphs().iter().enumerate();
        subgraphs
            .flat_map(|(index, subgraph)| self.sources(index).coverage(&subgraph.name))
            .collect()
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kept value of a subgraph, or a new one. It is made without the lock, so that slow work
    /// does not hold up other questions; of two made at once the first stays.
    fn keep<T>(
        &self,
        index: usize,
        map: impl Fn(&mut Kept) -> &mut BTreeMap<usize, Arc<T>>,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        if let Some(found) = map(&mut self.kept()).get(&index) {
            return Arc::clone(found);
        }
        let made = Arc::new(make());
        Arc::clone(map(&mut self.kept()).entry(index).or_insert(made))
    }

    /// `tool_version` of info.json, if the file has one.
    pub fn tool_version(&self) -> Option<String> {
        self.tool_version
            .get_or_init(|| {
                // What is odd about it does not matter to anything else that is shown.
                let mut ignored = Findings::new();
                let info = self.package.document("info.json", &mut ignored, BuildInfo::read);
                info.ok()?.tool_version
            })
            .clone()
    }
}
