//! Journeys through a session with a capture.

use super::DIFFS;
use super::tests::{Page1, regions};
use crate::layout::action::{Action, Arrived, Beside, Effect};
use crate::layout::state::{About, Purpose, View};
use crate::layout::store;
use debug_api::answer::{
    Agreement, CaptureInfo, ChangeCounts, ChangeRun, DiffAnswer, FileInfo, FilesAnswer, PairInfo,
    RegionsAnswer,
};
use debug_api::{Provenance, Request};
use std::rc::Rc;

fn capture() -> CaptureInfo {
    CaptureInfo { file: "run.ntff".to_owned(), runtime: "2.27.23".to_owned(), core: 4 }
}

fn captured(on: bool) -> Arrived {
    let answer = RegionsAnswer { capture: Some(capture()), captured: on, ..regions("sg00") };
    Arrived::Regions(Rc::new(answer))
}

/// 3 same, captured slot 3 against built slot 3 rewritten, 4 same, one slot only built.
fn diff() -> DiffAnswer {
    let run = |change: &str, real, modelled, slots| ChangeRun {
        change: change.to_owned(),
        real,
        modelled,
        slots,
        region: "MAIN".to_owned(),
    };
    DiffAnswer {
        schema: 1,
        subgraph: "sg00".to_owned(),
        engine: "PE".to_owned(),
        profile: "cayman-r2.27".to_owned(),
        capture: capture(),
        agreement: Agreement { slots: 8, same: 7, aligned: 7 },
        modelled_slots: 9,
        counts: ChangeCounts { same: 7, rewritten: 1, only_real: 0, only_modelled: 1 },
        total: 4,
        runs: vec![
            run("same", 0, 0, 3),
            run("rewritten", 3, 3, 1),
            run("same", 4, 4, 4),
            run("only-modelled", 8, 8, 1),
        ],
        provenance: Provenance::Inferred,
    }
}

fn opened(query: &str) -> Page1 {
    let mut page = Page1::open(query);
    page.answer(Purpose::Regions, captured(true));
    page
}

#[test]
fn the_source_of_the_image_is_part_of_every_question_and_of_the_address() {
    let mut page = opened("e=PE&slot=4");
    page.take();
    page.act(Action::Run("image"));
    assert!(page.take().iter().any(|effect| matches!(
        effect,
        Effect::Ask(Purpose::Regions, _, Request::Regions { scope }, _) if scope.modelled
    )));
    page.answer(Purpose::Regions, captured(false));
    let (path, pushed) = page.address().unwrap_or_default();
    assert_eq!(path, "/f/abc/regions?v=1&s=sg00&e=PE&slot=4&image=modelled");
    assert!(pushed, "Back shows the captured image again");
    let again = opened("e=PE&slot=4&image=modelled&ntff=2");
    assert!(again.state.build.modelled);
    assert_eq!(again.state.build.ntff, Some(2));
}

#[test]
fn without_a_capture_there_is_nothing_to_compare() {
    let mut page = Page1::ready("e=PE&slot=4");
    page.act(Action::Run("compare"));
    assert!(!page.state.compare.open);
    let toast = page.state.toast.as_ref().map(|toast| toast.text.clone()).unwrap_or_default();
    assert!(toast.contains("there is no profile (NTFF) of this file"), "{toast}");
}

#[test]
fn differences_are_walked_and_select_their_slots() {
    let mut page = opened("e=PE&slot=2");
    page.take();
    page.act(Action::Run("compare"));
    assert!(page.take().iter().any(|effect| matches!(
        effect,
        Effect::Ask(Purpose::Diff, _, Request::Diff { from: 0, .. }, 0)
    )));
    page.answer(Purpose::Diff, Arrived::Diff(Rc::new(diff())));
    assert_eq!(page.state.compare.cursor, 2, "at the selected slot");
    let asked = page.take();
    assert!(asked.iter().any(|effect| matches!(
        effect,
        Effect::Rows(image, 0, request) if image & DIFFS != 0 && request.what == "diff"
    )));
    page.act(Action::Run("patch-next"));
    assert_eq!((page.state.compare.cursor, page.place().1), (3, Some(3)));
    let said = "Difference 1 of 2: 1 of other bytes in MAIN".to_owned();
    assert!(page.take().contains(&Effect::Say(said)));
    // A slot that only the built image has cannot be selected in the captured one.
    page.act(Action::Run("patch-next"));
    assert_eq!((page.state.compare.cursor, page.place().1), (8, Some(3)));
    assert!(page.take().contains(&Effect::Say("Slot 8 of the built image only".to_owned())));
    page.act(Action::Run("patch-next"));
    assert_eq!(page.state.compare.cursor, 3);
    assert!(page.state.toast.is_some(), "around the end");
    page.act(Action::Run("slot-next"));
    assert_eq!((page.state.compare.cursor, page.place().1), (4, Some(4)));
}

#[test]
fn equal_records_can_be_folded_and_the_address_keeps_it() {
    let mut page = opened("e=PE&slot=4&compare=diff");
    page.answer(Purpose::Diff, Arrived::Diff(Rc::new(diff())));
    assert_eq!(page.state.compare.plan.rows(), 4);
    page.act(Action::Run("compare-only"));
    assert_eq!(page.state.compare.plan.rows(), 9);
    let (path, _) = page.address().unwrap_or_default();
    assert!(path.ends_with("&compare=1"), "{path}");
}

#[test]
fn long_answers_come_in_parts() {
    let mut page = opened("e=PE&slot=2&compare=1");
    let first = DiffAnswer { runs: diff().runs[..2].to_vec(), ..diff() };
    page.take();
    page.answer(Purpose::Diff, Arrived::Diff(Rc::new(first)));
    assert!(page.take().iter().any(|effect| matches!(
        effect,
        Effect::Ask(Purpose::Diff, _, Request::Diff { from: 2, .. }, 0)
    )));
    let rest = DiffAnswer { runs: diff().runs[2..].to_vec(), ..diff() };
    page.answer(Purpose::Diff, Arrived::Diff(Rc::new(rest)));
    assert_eq!(page.state.compare.plan.records(), 9);
    let image = page.state.compare.rows.serial();
    page.act(Action::Rows { image, chunk: 0, block: Box::new(store::tests::block(0, 9)) });
    assert!(page.state.compare.rows.get(8).is_some());
}

fn file(name: &str, kind: &str) -> FileInfo {
    FileInfo { name: name.to_owned(), bytes: 1, kind: kind.to_owned() }
}

#[test]
fn a_view_that_needs_no_program_asks_for_one_only_if_there_is_one() {
    let start = || Page1::open_in(View::Timeline, "");
    let files = |files: Vec<FileInfo>| {
        Arrived::Files(Rc::new(FilesAnswer { schema: 1, files, pairs: Vec::new() }))
    };
    let asks = |page: &Page1| {
        [Purpose::Info, Purpose::Regions, Purpose::Timeline]
            .map(|purpose| page.state.asked.contains_key(&purpose))
    };
    let mut alone = start();
    assert_eq!(asks(&alone), [false, false, false]);
    alone.answer(Purpose::Files, files(vec![file("run.ntff", "ntff")]));
    assert_eq!(asks(&alone), [false, false, true]);
    alone.take();
    alone.act(Action::Run("view-code"));
    assert_eq!(asks(&alone), [false, false, true], "Code says what it lacks, nothing is asked");
    let is_code =
        |effect: &Effect| matches!(effect, Effect::Address(path, true) if path.contains("/code?"));
    assert!(alone.take().iter().any(is_code), "the address names the view");
    alone.act(Action::Run("add-neff"));
    assert!(alone.take().contains(&Effect::PickBeside(Beside::Program)));

    let mut pair = start();
    pair.answer(Purpose::Files, files(vec![file("a.neff", "neff"), file("run.ntff", "ntff")]));
    assert_eq!(asks(&pair), [true, true, false], "the timeline waits for the images");
}

#[test]
fn a_capture_of_another_program_is_told_of() {
    let mut page = Page1::ready("e=PE&slot=4");
    let pair =
        PairInfo { neff: 0, ntff: 1, name: true, uuid: false, structure: false, pair: false };
    let answer = FilesAnswer {
        schema: 1,
        files: vec![file("a.neff", "neff"), file("run.ntff", "ntff")],
        pairs: vec![pair],
    };
    page.answer(Purpose::Files, Arrived::Files(Rc::new(answer)));
    let notice = page.state.notices.iter().find(|notice| notice.about == About::Pair);
    let message = notice.map(|notice| notice.message.as_str()).unwrap_or_default();
    assert!(message.starts_with("run.ntff is no capture of a.neff: its UUID, slots and"));
    assert_eq!(notice.map(|notice| notice.code.as_str()), Some("pair.none"));
}

#[test]
fn a_profile_that_was_added_is_asked_for() {
    let mut page = Page1::ready("e=PE&slot=4");
    page.act(Action::Run("add-capture"));
    assert!(page.take().contains(&Effect::PickBeside(Beside::Capture)));
    page.act(Action::FilesAdded);
    let asked: Vec<Purpose> = page
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Ask(purpose, ..) => Some(purpose),
            _ => None,
        })
        .collect();
    assert_eq!(asked, [Purpose::Files, Purpose::Regions]);
    page.answer(Purpose::Regions, captured(true));
    assert_eq!(page.place().1, Some(4));
    assert!(page.state.shows_capture());
}
