//! What a loader says about one object of a definition, and what is odd about it.

use crate::answer::{Finding, GateInfo};
use crate::convert::finding;
use crate::error::{ApiError, ErrorKind};
use crate::neff_file::NeffFile;
use crate::request::Scope;
use kbin::lowering::notes::{About, Gate};
use kbin::{Kbin, Options};
use records::kbin::names::ArchType;

/// Findings about one object that an answer lists.
const MOST: usize = 64;

/// Gates and findings about one object.
#[derive(Debug, Default)]
pub struct Words {
    /// The loader's texts.
    pub gates: Vec<GateInfo>,
    /// Findings.
    pub diagnostics: Vec<Finding>,
}

impl Words {
    /// About the object at a byte of the definition; `names` tells which findings have it as a part.
    pub fn of(
        (file, index): (&NeffFile, usize),
        tree: &Kbin,
        at: u64,
        names: impl Fn(&About) -> bool,
    ) -> Self {
        let here = tree.place(at);
        // Offset 0 is the whole document.
        let is_here = |offset: Option<u64>, member: &Option<String>| {
            at > 0 && offset == here.offset && *member == here.member
        };
        let own = |place: &neff::Place| is_here(place.offset, &place.member);
        let gates = tree.notes.gates.iter().filter(|gate| own(&gate.at));
        let findings = tree.notes.findings.as_slice().iter().enumerate();
        let about = findings.filter(|(index, finding)| {
            own(&finding.at) || tree.notes.about.get(index).is_some_and(&names)
        });
        let of_documents = file.tree_findings(index).into_iter();
        let of_documents = of_documents.filter(|one| is_here(one.at.offset, &one.at.member));
        Self {
            gates: gates.take(MOST).map(gate_info).collect(),
            diagnostics: about
                .map(|(_, one)| finding(one))
                .chain(of_documents)
                .take(MOST)
                .collect(),
        }
    }
}

/// Generations that a device can be of.
const GENERATIONS: [ArchType; 3] = [ArchType::SUNDA, ArchType::CAYMAN, ArchType::MARIANA];

/// What a question says about things that the file leaves open.
///
/// # Errors
/// `device.unknown`, `library.unknown`.
pub fn loader_options(scope: &Scope) -> Result<Options, ApiError> {
    let known = |text: &str| {
        GENERATIONS.into_iter().find(|one| generation_name(Some(*one)).eq_ignore_ascii_case(text))
    };
    let unknown = |code, what, text: &str, more| {
        let shown: String = text.chars().take(64).collect();
        let message = format!(
            "{what} `{shown}` is no known generation, expected sunda, cayman{more} mariana"
        );
        ApiError::new(ErrorKind::BadRequest, code, message)
    };
    let mut options = Options::default();
    if let Some(text) = &scope.device {
        let wrong = || unknown("device.unknown", "the device", text, " or");
        options.device = known(text).ok_or_else(wrong)?;
    }
    match scope.library.as_deref() {
        None => {}
        Some(text) if text.eq_ignore_ascii_case("none") => options.default_library = None,
        Some(text) => {
            let wrong = || unknown("library.unknown", "the default library of", text, ", none or");
            options.default_library = Some(known(text).ok_or_else(wrong)?);
        }
    }
    Ok(options)
}

/// Name of a generation; `none` without one.
pub fn generation_name(of: Option<ArchType>) -> String {
    of.and_then(ArchType::name).unwrap_or("none").to_lowercase()
}

/// A gate as documents have it.
pub fn gate_info(gate: &Gate) -> GateInfo {
    GateInfo { text: gate.text.clone(), stops: gate.stops, code: gate.code.to_owned() }
}

/// What a loader makes of a tree, as a word and a sentence. Findings alone decide nothing: of many it
/// is not published what a loader does.
pub fn verdict(tree: &Kbin, diagnostics: &[Finding]) -> (&'static str, String) {
    let notes = &tree.notes;
    let errors = diagnostics.iter().filter(|one| one.severity == "error").count();
    if notes.gates.iter().any(|gate| gate.stops) {
        return ("refused", "a loader stops; the rest of the tree is shown".to_owned());
    }
    if let Some(first) = notes.refusals.first() {
        let why = format!("a loader refuses it: {}; the rest of the tree is shown", first.why);
        return ("refused", why);
    }
    match (errors, notes.gates.is_empty()) {
        (0, true) => ("loads", "a loader has nothing to say".to_owned()),
        (0, false) => {
            ("loads", "a loader loads it, and says what stands in the findings".to_owned())
        }
        (1, _) => (
            "unknown",
            "no known check of a loader refuses it; what it makes of the error in the findings is \
             not published"
                .to_owned(),
        ),
        _ => (
            "unknown",
            format!(
                "no known check of a loader refuses it; what it makes of the {errors} errors in the \
                 findings is not published"
            ),
        ),
    }
}
