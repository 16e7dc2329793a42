//! The Memory view without script: the plan of device memory as tables.

use crate::format::{binary_units, clean, thousands};
use crate::page_model::{FindingRow, Shell, provenance_key};
use crate::page_parts::finding_rows;
use crate::view_query::ViewQuery;
use askama::Template;
use debug_api::answer::memory_words::at_least;
use debug_api::answer::{Answer, MemoryAnswer, MemoryFailure, NtffAnswer};
use debug_api::convert::parse_bytes;
use debug_api::{ApiError, Request, Scope, Session};

/// Rows of a table in a page.
const PAGE_ROWS: usize = 256;

/// The page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "memory.html")]
pub struct MemoryPage {
    /// Frame.
    pub shell: Shell,
    /// Content.
    pub memory: MemoryContent,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct MemoryContent {
    /// What it is about.
    pub title: String,
    /// Facts in a sentence.
    pub summary: String,
    /// Fits, or what fails first and by how much; empty without a program.
    pub verdict: String,
    /// Code of a setting that is refused; empty with a plan.
    pub code: String,
    /// The same view without settings.
    pub link: String,
    /// Kind of the banner: `ok`, `warn` or `err`.
    pub kind: &'static str,
    /// Why a loader refuses it, and what could not be read.
    pub grounds: Vec<String>,
    /// What would make it fit; empty where it does.
    pub remedies: String,
    /// Findings.
    pub findings: Vec<FindingRow>,
    /// Bytes by category.
    pub categories: Vec<CategoryRow>,
    /// Whether a capture measured too.
    pub measured: bool,
    /// Pages of the scratchpad.
    pub pages: Vec<[String; 5]>,
    /// Variables with their places.
    pub variables: Vec<VariableRow>,
    /// How many more there are; empty if none.
    pub more: String,
}

/// A category.
#[derive(Clone, Debug, Default)]
pub struct CategoryRow {
    /// Where, HBM or core.
    pub place: String,
    /// Name.
    pub name: String,
    /// Computed bytes, or that nothing computes them.
    pub bytes: String,
    /// Provenance, the word in full; empty where nothing is computed.
    pub provenance: String,
    /// Bytes in the capture.
    pub measured: String,
    /// Why nothing computes it.
    pub reason: String,
}

impl CategoryRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// A variable.
#[derive(Clone, Debug, Default)]
pub struct VariableRow {
    /// Name.
    pub name: String,
    /// Subgraph.
    pub subgraph: String,
    /// Bytes.
    pub bytes: String,
    /// Place in a word.
    pub place: String,
    /// Page and offset in it.
    pub page: String,
    /// Device address.
    pub address: String,
    /// Provenance, the word in full.
    pub provenance: String,
}

impl VariableRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// The plan under the choices of an address. What is no size there is not used, with a finding; what
/// the question refuses is told on the page.
///
/// # Errors
/// As the question, but for what it refuses about memory.
pub fn content(
    session: &Session,
    scope: &Scope,
    query: &ViewQuery,
) -> Result<MemoryContent, ApiError> {
    let mut unread = Vec::new();
    let mut number = |name: &str, text: &Option<String>| {
        let text = text.as_ref().filter(|text| !text.is_empty())?;
        let read = parse_bytes(text);
        if read.is_none() {
            let what = "no number of bytes below 2^64";
            unread.push(crate::view_query::unused(name, text, what));
        }
        read
    };
    let (page_size, hbm) = (number("page", &query.page), number("hbm", &query.hbm));
    let one = query.load.as_deref() == Some("one");
    let mode = query.mode.clone().filter(|mode| mode != "both");
    let request = Request::Memory {
        scope: Scope {
            s: scope.s.clone().filter(|_| one),
            profile: scope.profile.clone(),
            core: scope.core,
            ntff: scope.ntff,
            modelled: scope.modelled,
            ..Scope::default()
        },
        mode,
        page_size,
        generation: query.r#gen.clone(),
        hbm,
        runtime: None,
        driver: None,
        from: 0,
        count: u32::try_from(PAGE_ROWS).ok(),
    };
    match session.ask(&request) {
        Ok(Answer::Memory(plan)) => {
            let mut made = of_plan(&plan);
            made.findings.splice(0..0, unread);
            Ok(made)
        }
        Ok(_) => Ok(MemoryContent::default()),
        Err(error) if error.code == "file.no-neff" => {
            match session.ask(&Request::Ntff { f: None })? {
                Answer::Ntff(capture) => Ok(of_capture(&capture)),
                _ => Err(error),
            }
        }
        Err(error) if error.code.starts_with("memory.") => Ok(refused(&error, unread)),
        Err(error) => Err(error),
    }
}

/// A setting of the address that the runtime, or the question, refuses.
fn refused(error: &ApiError, findings: Vec<FindingRow>) -> MemoryContent {
    MemoryContent {
        title: "Device memory".to_owned(),
        summary: "There is no plan with these settings".to_owned(),
        verdict: format!("{}.", clean(&error.message)),
        kind: "err",
        code: error.code.to_owned(),
        findings,
        ..MemoryContent::default()
    }
}

fn of_plan(plan: &MemoryAnswer) -> MemoryContent {
    let shown = plan.variables.rows.len() as u64;
    let left = plan.variables.total.saturating_sub(shown);
    let mut categories: Vec<CategoryRow> = Vec::new();
    for hbm in plan.hbms.iter().filter(|hbm| !hbm.categories.is_empty()) {
        categories.extend(hbm.categories.iter().map(|one| CategoryRow {
            place: format!("HBM {}", hbm.index),
            name: clean(&one.name),
            bytes: one.amount(bytes_text).unwrap_or_else(|| "not computed".to_owned()),
            provenance: one.provenance.map_or("", |how| how.name()).to_owned(),
            measured: one.measured_bytes.map_or("–".to_owned(), bytes_text),
            reason: String::new(),
        }));
    }
    categories.extend(plan.not_computed.iter().map(|one| CategoryRow {
        place: "each".to_owned(),
        name: one.name.clone(),
        bytes: "not computed".to_owned(),
        reason: one.reason.clone(),
        measured: "–".to_owned(),
        ..CategoryRow::default()
    }));
    let least = plan.least_hbm_text(bytes_text);
    let cap = plan.page_cap.iter().map(|cap| format!("{}.", cap.sentence()));
    MemoryContent {
        code: String::new(),
        link: String::new(),
        title: "Device memory".to_owned(),
        summary: format!(
            "{} scratchpad with pages of {}, {}: {} needed on core {} with HBM {}, {}{} pages, {} overlapping \
             pairs, {} private variables of {}",
            plan.mode,
            binary_units(plan.page_size),
            plan.generation,
            plan.need_amount(bytes_text),
            plan.core,
            plan.hbm,
            at_least(plan.need_at_least),
            thousands(plan.n_pages),
            thousands(plan.overlaps),
            thousands(plan.n_private),
            bytes_text(plan.private_bytes)
        ),
        verdict: verdict(plan),
        kind: match plan.verdict.as_str() {
            "fits" => "ok",
            "unknown" => "warn",
            _ => "err",
        },
        grounds: plan
            .refusal_texts()
            .into_iter()
            .chain(plan.unread_texts())
            .chain(cap)
            .chain((!least.is_empty()).then_some(least))
            .collect(),
        remedies: plan
            .remedies
            .iter()
            .map(|one| one.text.clone())
            .collect::<Vec<_>>()
            .join(", or "),
        findings: finding_rows(&plan.diagnostics, &[]),
        categories,
        measured: plan.measured.is_some(),
        pages: plan
            .pages
            .iter()
            .take(PAGE_ROWS)
            .map(|page| {
                [
                    page.index.to_string(),
                    format!("{:#x}", page.offset),
                    thousands(page.used_bytes),
                    thousands(page.n_variables),
                    page.references.to_string(),
                ]
            })
            .collect(),
        variables: plan
            .variables
            .rows
            .iter()
            .map(|row| VariableRow {
                name: clean(&row.name),
                subgraph: format!("{}{}", of_file(plan, row.file), clean(&row.subgraph)),
                bytes: thousands(row.size),
                place: row.place.clone(),
                page: match (row.page, row.in_page_offset) {
                    (Some(page), Some(at)) => format!("{page} + {at:#x}"),
                    _ => "–".to_owned(),
                },
                address: row.address.clone().unwrap_or_else(|| {
                    let why = row.reason.as_deref().unwrap_or_default();
                    format!("– {}", why.replace('-', " "))
                }),
                provenance: row.provenance.name().to_owned(),
            })
            .collect(),
        more: if left > 0 {
            format!("and {} more variables", thousands(left))
        } else {
            String::new()
        },
    }
}

/// What a capture measured, without a program.
fn of_capture(capture: &NtffAnswer) -> MemoryContent {
    let rows = capture.subgraphs.iter().flat_map(|core| {
        core.memory.iter().map(|one| CategoryRow {
            place: clean(&core.name),
            name: clean(one.name.as_deref().unwrap_or("category without a name")),
            bytes: "not computed".to_owned(),
            measured: bytes_text(one.bytes),
            reason: "the program is in its NEFF, which is not open".to_owned(),
            ..CategoryRow::default()
        })
    });
    MemoryContent {
        title: "Measured device memory".to_owned(),
        summary: format!("What {} says was in use", clean(&capture.file.name)),
        categories: rows.collect(),
        measured: true,
        findings: finding_rows(&capture.diagnostics, &[]),
        ..MemoryContent::default()
    }
}

/// Refused or unknown, else fits, or what fails first.
fn verdict(plan: &MemoryAnswer) -> String {
    let hbm = binary_units(plan.hbm_bytes);
    let fit = match plan.failures.first() {
        _ if plan.memory_verdict == "unknown" => "What it needs is not known.".to_owned(),
        _ if plan.memory_verdict == "fits" => format!("Fits in HBMs of {hbm}."),
        Some(first) => {
            let file = of_file(plan, first.file);
            format!("Does not fit in HBMs of {hbm}. First fails {file}{}", failure(first))
        }
        None => format!("Does not fit in HBMs of {hbm}."),
    };
    match plan.verdict.as_str() {
        "refused" => {
            format!("Does not load: a loader stops before memory is counted. Memory alone: {fit}")
        }
        "unknown" => "Not known whether it fits: what it needs could not be read.".to_owned(),
        _ => fit,
    }
}

/// The name of a file in front of what is in it, where several are loaded.
fn of_file(plan: &MemoryAnswer, file: usize) -> String {
    let name = plan.files.iter().find(|one| one.file == file && plan.files.len() > 1);
    name.map_or(String::new(), |one| format!("{} ", clean(&one.name)))
}

fn failure(one: &MemoryFailure) -> String {
    let of = one.subgraph.as_deref().map_or(String::new(), |name| format!("{}, ", clean(name)));
    let status = one.status_name.as_deref().unwrap_or("the runtime ends");
    let amounts = one.amounts(bytes_text);
    let amounts = if amounts.is_empty() { amounts } else { format!(": {amounts}") };
    format!("{of}{}{amounts} [{status}].", clean(&one.what))
}

/// `16,777,216 B (16 MiB)`.
fn bytes_text(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    format!("{} B ({})", thousands(bytes), binary_units(bytes))
}
