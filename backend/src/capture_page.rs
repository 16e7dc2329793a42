//! The pages of a capture and of a memory dump that are open without an executable: what they have, and
//! what a NEFF adds.

use crate::format::{clean, thousands};
use crate::page_frame::{rail, shell, view_title};
use crate::page_model::{CapturedRow, Crumb, ViewContent, ViewPage};
use crate::page_parts::finding_rows;
use debug_api::Session;
use debug_api::answer::{DumpAnswer, NtffAnswer, NtffSubgraph};

/// The page under any view of a program.
pub fn capture_page(id: &str, view: &str, ntff: &NtffAnswer) -> ViewPage {
    let mut shell = shell("view", id, view);
    shell.alone = true;
    let name = clean(&ntff.file.name);
    shell.title = view_title(id, &name, view);
    shell.crumbs.push(Crumb { label: name.clone(), href: format!("/f/{id}/{view}") });
    shell.rail = rail(&format!("/f/{id}"), view, "");
    let records: u64 = ntff.subgraphs.iter().map(|core| core.trace.records).sum();
    let of: Vec<String> = ntff.subgraphs.iter().map(|core| clean(&core.name)).collect();
    let content = ViewContent {
        file: name,
        summary: format!(
            "A capture of {} with {} and {} records.",
            clean(&ntff.name),
            of.join(" and "),
            thousands(records)
        ),
        provenance: "file".to_owned(),
        findings: finding_rows(&ntff.diagnostics, &[]),
        captured: ntff.subgraphs.iter().flat_map(rows).collect(),
        alone: "The program that it was taken of is in a NEFF. Open both together to see regions, code \
                and source of these images: give both files on the start page at once, or to \
                neffscope serve. Timeline, Memory and Bytes show what the capture has."
            .to_owned(),
        ..ViewContent::default()
    };
    ViewPage { shell, content: Some(content) }
}

/// Name of the view that shows a session first: structs of a dump that is open alone.
pub fn first_view_of(session: &Session) -> &'static str {
    if is_dump_alone(session) { "structs" } else { "regions" }
}

/// Whether a session has a memory dump, and nothing that is loaded into device memory.
pub fn is_dump_alone(session: &Session) -> bool {
    let files = session.files();
    files.iter().any(|file| file.as_dump().is_some())
        && files.iter().all(|file| file.as_neff().is_none() && file.as_ntff().is_none())
}

/// A memory dump without an executable: its structs and bytes have views, a program has not.
pub fn dump_page(id: &str, view: &str, dump: &DumpAnswer) -> ViewPage {
    let mut shell = shell("view", id, view);
    shell.alone = true;
    let name = clean(&dump.file);
    shell.title = view_title(id, &name, view);
    shell.crumbs.push(Crumb { label: name, href: format!("/f/{id}/{view}") });
    shell.rail = rail(&format!("/f/{id}"), view, "");
    let content = ViewContent {
        file: dump.file.clone(),
        summary: format!(
            "A memory dump with {} structs of a firmware's context, in the layout of {}.",
            thousands(dump.total),
            dump.generation
        ),
        alone:
            "It holds no program, so there are no regions and no code. Structs and Bytes show it."
                .to_owned(),
        provenance: dump.generation_provenance.name().to_owned(),
        findings: finding_rows(&dump.diagnostics, &[]),
        ..ViewContent::default()
    };
    ViewPage { shell, content: Some(content) }
}

/// The images of a core.
fn rows(core: &NtffSubgraph) -> Vec<CapturedRow> {
    let row = |image: &debug_api::answer::NtffImage| CapturedRow {
        subgraph: clean(&core.name),
        engine: clean(&image.engine),
        base: image.base.clone(),
        slots: thousands(image.bytes / 64),
        patches: thousands(
            core.patches.iter().filter(|patch| patch.engine == image.engine).count() as u64,
        ),
        md5: image.md5.clone(),
    };
    core.images.iter().map(row).collect()
}
