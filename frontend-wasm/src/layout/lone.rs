//! A capture that is open without its executable: what it has, and what its NEFF would add.

use super::format::{count, thousands};
use super::state::{Page, State, View};
use debug_api::answer::{FilesAnswer, NtffSubgraph};

/// Code of a question about a program where there is none.
pub const NO_NEFF: &str = "file.no-neff";

/// What a view of a program says where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lone {
    /// What is missing.
    pub what: String,
    /// What the capture has, a sentence each.
    pub has: Vec<String>,
    /// What opening the NEFF beside it adds to this view.
    pub adds: String,
    /// What to do, and where the capture is shown already.
    pub next: String,
}

/// Name of a capture that is open without an executable.
pub fn capture(files: &FilesAnswer) -> Option<&str> {
    let has = |kind: &str| files.files.iter().find(|file| file.kind == kind);
    if has("neff").is_some() { None } else { has("ntff").map(|file| file.name.as_str()) }
}

/// Whether nothing but memory dumps can be shown; the server's pages show them.
pub fn is_dump(state: &State) -> bool {
    let files = state.files.as_deref().map_or(&[][..], |files| files.files.as_slice());
    let has = |kind: &str| files.iter().any(|file| file.kind == kind);
    has("dump") && !has("neff") && !has("ntff")
}

/// Whether another view is another page of the server: a memory dump that is open alone, and a page
/// without a program as long as its files are unknown.
pub fn views_are_pages(state: &State) -> bool {
    state.page == Page::View && (is_dump(state) || (state.alone && state.files.is_none()))
}

/// Whether files are open and none of them is an executable.
pub fn is_alone(state: &State) -> bool {
    let files = state.files.as_deref().map_or(&[][..], |files| files.files.as_slice());
    !files.is_empty() && files.iter().all(|file| file.kind != "neff")
}

/// What to show in place of the program's panes; `None` where there is a program, or where the view
/// shows the capture itself.
pub fn lone(state: &State) -> Option<Lone> {
    let name = capture(state.files.as_deref()?)?;
    let (view, adds) = match state.view {
        View::Regions => (
            "Regions",
            "these images to scale with their regions and patches, and the images that \
              are built from the program beside them",
        ),
        View::Code => {
            ("Code", "every record of these images with its NEFF IP and its line of source")
        }
        View::Structs => ("Structs", "the records that a loader makes of the program"),
        View::Collectives => {
            ("Collectives", "the program\u{2019}s collectives with their control entries")
        }
        View::Run => ("Run", "a modelled run of its images, and who waits for whom in it"),
        View::Bytes | View::Memory | View::Timeline => return None,
    };
    let has = match &state.memory.capture {
        Some(capture) => capture.subgraphs.iter().map(core).collect(),
        None => Vec::new(),
    };
    Some(Lone {
        what: format!("{name} is open alone, and the program that it was taken of is in a NEFF."),
        has,
        adds: format!("With the NEFF beside it, {view} shows {adds}."),
        next: "Drop the .neff on this page, or give both files to neffscope serve. Timeline, Memory and Bytes \
               show what the capture has."
            .to_owned(),
    })
}

/// What was captured of one core.
fn core(core: &NtffSubgraph) -> String {
    let images: Vec<String> = core
        .images
        .iter()
        .map(|image| format!("{} {} slots", image.engine, thousands(image.bytes / 64)))
        .collect();
    let images = match images.is_empty() {
        true => "no images".to_owned(),
        false => format!("the device images {}", images.join(", ")),
    };
    let rows = count(core.patches.len() as u64, "patch row");
    let records = count(core.trace.records, "trace record");
    format!("It has of {}: {images}; {rows}; {records}.", core.name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use debug_api::answer::FileInfo;
    use std::rc::Rc;

    fn files(kinds: &[&str]) -> FilesAnswer {
        let file = |kind: &&str| FileInfo {
            name: format!("run.{kind}"),
            bytes: 1,
            kind: (*kind).to_owned(),
        };
        FilesAnswer { schema: 1, files: kinds.iter().map(file).collect(), pairs: Vec::new() }
    }

    #[test]
    fn a_view_is_a_page_for_a_dump_and_while_the_files_of_a_lone_one_are_unknown() {
        let of = |page, alone, kinds: Option<&[&str]>| {
            let files = kinds.map(|kinds| Rc::new(files(kinds)));
            views_are_pages(&State { page, alone, files, ..State::default() })
        };
        assert!(of(Page::View, true, None) && of(Page::View, true, Some(&["dump"])));
        assert!(!of(Page::View, true, Some(&["ntff"])) && !of(Page::View, false, None));
        assert!(!of(Page::View, false, Some(&["neff", "dump"])));
        assert!(!of(Page::Local, true, None) && !of(Page::Local, true, Some(&["dump"])));
    }

    #[test]
    fn views_of_a_program_say_what_the_neff_adds() {
        let at = |view, kinds: &[&str]| {
            let files = Some(Rc::new(files(kinds)));
            lone(&State { view, files, ..State::default() })
        };
        for view in [View::Regions, View::Code, View::Structs, View::Collectives, View::Run] {
            let said = at(view, &["ntff"]).unwrap();
            assert!(said.what.starts_with("run.ntff is open alone"));
            assert!(said.adds.starts_with("With the NEFF beside it, ") && !said.next.is_empty());
            assert_eq!(at(view, &["neff", "ntff"]), None);
            let of =
                |kinds: &[&str]| State { files: Some(Rc::new(files(kinds))), ..State::default() };
            assert!(is_alone(&of(&["ntff"])) && is_alone(&of(&["dump", "ntff"])));
            assert!(!is_alone(&of(&["ntff", "neff"])) && !is_alone(&of(&[])));
            assert_eq!(at(view, &["dump"]), None);
            assert!(is_dump(&of(&["dump", "profile"])) && !is_dump(&of(&["dump", "neff"])));
            assert!(!is_dump(&of(&["dump", "ntff"])) && !is_dump(&of(&[])));
        }
        for view in [View::Timeline, View::Memory, View::Bytes] {
            assert_eq!(at(view, &["ntff"]), None, "they show the capture itself");
        }
        assert_eq!(lone(&State::default()), None);
    }
}
