//! What the server-rendered pages show, as plain data: the fields that the templates name.
//!
//! Handlers fill these from answers of `debug_api` and render them; nothing here asks a question.
//! All texts are finished for a reader (thousands separated, units printed) and are escaped by the
//! templates, since names come from files. Every page is useful without script; where script runs,
//! the application replaces what stands in `<main>`.

use crate::log_form::LogForm;
use askama::Template;

/// The frame of every page.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// Title of the tab.
    pub title: String,
    /// `start`, `view` or `local`.
    pub page: String,
    /// `regions` or `code`; empty on the start page.
    pub view: String,
    /// Session of a view page; empty elsewhere.
    pub session: String,
    /// Version of the program, as in `0.1.0`.
    pub version: String,
    /// Whether the browser bundle is part of this build.
    pub bundle: bool,
    /// Whether the session has no executable, so that the application asks for no program.
    pub alone: bool,
    /// Whether the server takes files only with its token.
    pub token: bool,
    /// Address of the script that sets the theme before anything is drawn.
    pub theme: String,
    /// Addresses of the style sheets, in order.
    pub styles: Vec<String>,
    /// Address of the boot module.
    pub boot: String,
    /// File, subgraph, engine, region, slot.
    pub crumbs: Vec<Crumb>,
    /// Views that exist, in the order of their keys.
    pub rail: Vec<RailItem>,
    /// Left part of the status bar.
    pub status: Vec<StatusItem>,
    /// Keys of the address that a form has not, in words.
    pub unused: Vec<String>,
}

impl Shell {
    /// The five kinds of provenance, for the legend of the status bar.
    pub fn legend(&self) -> [ProvenanceName; 5] {
        ["file", "observed", "inferred", "modelled", "configured"]
            .map(|name| ProvenanceName { key: provenance_key(name), name })
    }
}

/// A kind of provenance with the key of its glyph.
#[derive(Clone, Copy, Debug)]
pub struct ProvenanceName {
    /// `file obs inf mod cfg`.
    pub key: &'static str,
    /// The word in full.
    pub name: &'static str,
}

/// A part of the breadcrumb.
#[derive(Clone, Debug, Default)]
pub struct Crumb {
    /// Text.
    pub label: String,
    /// Where it leads; empty for a part that is no link.
    pub href: String,
}

/// A view in the rail.
#[derive(Clone, Debug, Default)]
pub struct RailItem {
    /// `regions` or `code`; names the icon too.
    pub view: String,
    /// Text under the icon.
    pub label: String,
    /// Key that opens the view.
    pub key: String,
    /// Where it leads, with the selection kept.
    pub href: String,
    /// Whether it is the view that is shown.
    pub on: bool,
}

/// A text in the status bar.
#[derive(Clone, Debug, Default)]
pub struct StatusItem {
    /// Text.
    pub text: String,
    /// `ok`, `warn`, `err`, or empty.
    pub class: String,
}

/// The start page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "start.html")]
pub struct StartPage {
    /// Frame; `page` is `start`.
    pub shell: Shell,
    /// Opened files, newest first.
    pub files: Vec<FileRow>,
    /// Largest upload in words, as in `up to 1 GiB`.
    pub limit: String,
    /// Command line that opens a file, as in `neffscope serve FILE`.
    pub command: String,
    /// Why the last file was refused; empty if none was.
    pub problem: String,
    /// The box for a runtime log.
    pub log: LogForm,
}

/// An opened file.
#[derive(Clone, Debug, Default)]
pub struct FileRow {
    /// Name, or the names of files seen together.
    pub name: String,
    /// First view of the file; empty for one that has none.
    pub href: String,
    /// `NEFF`, `NTFF`, `profile`, or the number of files.
    pub kind: String,
    /// Target and logical core size, as in `trn2 · LNC 2`.
    pub target: String,
    /// Names of the subgraphs, or their number.
    pub holds: String,
    /// Size, as in `62,464 B`.
    pub bytes: String,
    /// Slots of the five engines, as in `12 · 5 · 7 · 2 · 3`.
    pub slots: String,
    /// Findings in words, as in `1 warning`; empty if there is none.
    pub findings: String,
    /// Severity of the worst finding: `info`, `warning` or `error`.
    pub worst: String,
    /// Digest verdict: `matches` or `differs`.
    pub digest: String,
}

impl FileRow {
    /// Class of the badge that counts the findings.
    pub fn badge(&self) -> &'static str {
        match self.worst.as_str() {
            "error" => "seve",
            "warning" => "sevw",
            _ => "sevi",
        }
    }
}

/// The Regions and Code views.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "view.html")]
pub struct ViewPage {
    /// Frame; `page` is `view`, or `local` without content.
    pub shell: Shell,
    /// The document; none for a file that only the browser holds.
    pub content: Option<ViewContent>,
}

/// A subgraph in one document.
#[derive(Clone, Debug, Default)]
pub struct ViewContent {
    /// Name of the file.
    pub file: String,
    /// Target, profile and size in one line.
    pub summary: String,
    /// The subgraphs, as links.
    pub subgraphs: Vec<Choice>,
    /// Weakest provenance of the images, the word in full.
    pub provenance: String,
    /// Why it is no stronger, one sentence each.
    pub notes: Vec<String>,
    /// Findings about the file and the images.
    pub findings: Vec<FindingRow>,
    /// What a capture without its executable lacks; empty where there is a program.
    pub alone: String,
    /// The images of such a capture.
    pub captured: Vec<CapturedRow>,
    /// The five engines.
    pub engines: Vec<EngineRow>,
    /// The engine of the code rows.
    pub engine: String,
    /// Code rows.
    pub rows: Vec<CodeRow>,
    /// Why there are no rows.
    pub empty: String,
    /// Rows shown, as in `rows 0–63 of 90`.
    pub range: String,
    /// Rows before these; empty at the start.
    pub previous: String,
    /// Rows after these; empty at the end.
    pub next: String,
}

impl ViewContent {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// An image of a capture.
#[derive(Clone, Debug, Default)]
pub struct CapturedRow {
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Device address of its first slot.
    pub base: String,
    /// Slots.
    pub slots: String,
    /// Patch rows.
    pub patches: String,
    /// Digest of its bytes.
    pub md5: String,
}

/// One of several links.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Text.
    pub label: String,
    /// Where it leads.
    pub href: String,
    /// Whether it is the one shown.
    pub on: bool,
}

/// A finding.
#[derive(Clone, Debug, Default)]
pub struct FindingRow {
    /// Stable code.
    pub code: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// Sentence.
    pub message: String,
    /// Where it is, in words; may be empty.
    pub place: String,
}

impl FindingRow {
    /// Class of the banner.
    pub fn class(&self) -> &'static str {
        match self.severity.as_str() {
            "error" => "err",
            "warning" => "warn",
            _ => "info",
        }
    }

    /// Name of the icon.
    pub fn icon(&self) -> &'static str {
        match self.severity.as_str() {
            "error" => "error",
            "warning" => "warning",
            _ => "info",
        }
    }
}

/// An engine's image.
#[derive(Clone, Debug, Default)]
pub struct EngineRow {
    /// `PE ACT POOL DVE SP`.
    pub engine: String,
    /// Code of this engine.
    pub href: String,
    /// Whether its code is shown.
    pub on: bool,
    /// Records in the NEFF.
    pub neff_slots: String,
    /// Slots of the image.
    pub image_slots: String,
    /// Bytes of the image.
    pub bytes: String,
    /// Runs in image order.
    pub regions: Vec<RegionCell>,
    /// Number of INSERT rows.
    pub inserts: String,
    /// Number of DELETE rows.
    pub deletes: String,
    /// Number of MODIFY rows.
    pub modifies: String,
}

/// A run of slots of one region.
#[derive(Clone, Debug, Default)]
pub struct RegionCell {
    /// `PREAMBLE MODEL_SWITCH MAIN POSTAMBLE FUNCTION`.
    pub name: String,
    /// First and last slot, as in `62–72`.
    pub slots: String,
}

impl RegionCell {
    /// Key of the region's hue.
    pub fn key(&self) -> &'static str {
        region_key(&self.name)
    }

    /// Whether the runtime builds the region, so that it is drawn hatched.
    pub fn hatched(&self) -> bool {
        region_hatched(&self.name)
    }
}

/// A display row of the code table.
#[derive(Clone, Debug, Default)]
pub struct CodeRow {
    /// Whether the row opens a region; then only `mnemonic` (its name) and `operands` count.
    pub divider: bool,
    /// Region name.
    pub region: String,
    /// Image slot; a dash for a deleted record.
    pub slot: String,
    /// NEFF IP; a middle dot for a slot that has none.
    pub ip: String,
    /// First eight bytes as two words of digits.
    pub hex: String,
    /// Mnemonic, or the divider's title.
    pub mnemonic: String,
    /// Wait in words; empty if none.
    pub wait: String,
    /// Update in words; empty if none.
    pub update: String,
    /// Operands, or the divider's summary.
    pub operands: String,
    /// Provenance of the bytes, the word in full.
    pub provenance: String,
    /// Whether the runtime makes the slot.
    pub synthesized: bool,
    /// Whether the record is deleted.
    pub deleted: bool,
    /// Whether it is the selected slot.
    pub selected: bool,
    /// The view with this slot selected; may be empty.
    pub href: String,
}

impl CodeRow {
    /// Class of the table row.
    pub fn class(&self) -> &'static str {
        match (self.selected, self.deleted, self.synthesized) {
            (true, ..) => "sel",
            (_, true, _) => "del",
            (_, _, true) => "syn",
            _ => "rec",
        }
    }

    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }

    /// Key of the region's hue.
    pub fn region_key(&self) -> &'static str {
        region_key(&self.region)
    }

    /// Whether the region is drawn hatched.
    pub fn region_hatched(&self) -> bool {
        region_hatched(&self.region)
    }
}

/// A page that could not be shown.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    /// Frame; `page` is `start`.
    pub shell: Shell,
    /// HTTP status.
    pub status: u16,
    /// Stable code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// Where; may be empty.
    pub place: String,
    /// What to do next.
    pub next: String,
    /// Where that leads; empty for nowhere but the start page.
    pub link: String,
    /// What the link says.
    pub link_text: String,
}

/// Key of a provenance in class names and glyphs: `file obs inf mod cfg`.
pub fn provenance_key(name: &str) -> &'static str {
    match name {
        "observed" => "obs",
        "inferred" => "inf",
        "modelled" => "mod",
        "configured" => "cfg",
        _ => "file",
    }
}

/// Key of a region in class names: `pre msw main post fn`, and `pad` for anything else.
pub fn region_key(name: &str) -> &'static str {
    match name {
        "PREAMBLE" => "pre",
        "MODEL_SWITCH" => "msw",
        "MAIN" => "main",
        "POSTAMBLE" => "post",
        "FUNCTION" => "fn",
        _ => "pad",
    }
}

fn region_hatched(name: &str) -> bool {
    matches!(name, "PREAMBLE" | "MODEL_SWITCH" | "POSTAMBLE")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_are_escaped() {
        let page = StartPage {
            files: vec![FileRow { name: "<b>&\"x".to_owned(), ..FileRow::default() }],
            ..StartPage::default()
        };
        let html = page.render().unwrap_or_default();
        assert!(html.contains("&#60;b&#62;&#38;&#34;x"), "{html}");
        assert!(!html.contains("<b>&\"x"));
    }

    #[test]
    fn pages_obey_the_content_policy() {
        let content = ViewContent {
            findings: vec![FindingRow { severity: "error".to_owned(), ..FindingRow::default() }],
            engines: vec![EngineRow {
                engine: "PE".to_owned(),
                regions: vec![RegionCell { name: "MAIN".to_owned(), ..RegionCell::default() }],
                ..EngineRow::default()
            }],
            rows: vec![CodeRow { divider: true, ..CodeRow::default() }, CodeRow::default()],
            ..ViewContent::default()
        };
        let pages = [
            StartPage::default().render(),
            ViewPage { content: Some(content), ..ViewPage::default() }.render(),
            ViewPage::default().render(),
            ErrorPage::default().render(),
        ];
        for html in pages.map(Result::unwrap_or_default) {
            assert!(html.contains("<main id=\"main\""), "{html}");
            assert!(!html.contains("style="), "a style attribute");
            assert!(!html.contains("onclick"), "an inline handler");
            let scripts = html.matches("<script").count();
            // The theme's script stands alone in its kind: it has to run before the first paint.
            let modules = html.matches("<script type=\"module\" src=").count();
            let early = html.matches("<script src=").count();
            assert_eq!((early, scripts), (1, early + modules), "an inline script");
        }
    }

    #[test]
    fn every_glyph_in_use_is_defined() {
        let html = [
            include_str!("../templates/base.html"),
            include_str!("../templates/start.html"),
            include_str!("../templates/view.html"),
            include_str!("../templates/error.html"),
        ]
        .concat();
        let icons = include_str!("../templates/icons.html");
        for (at, _) in html.match_indices("<use ") {
            let tail = html.get(at..).unwrap_or_default();
            let name = tail.split("href=\"#").nth(1).and_then(|t| t.split('"').next());
            let name = name.unwrap_or_default();
            assert!(name.contains("{{") || icons.contains(&format!("id=\"{name}\"")), "{name}");
        }
    }
}
