//! Journeys through the Regions pane's part of the state.

use super::LABELS;
use super::tests::Page1;
use crate::layout::action::{Action, Arrived, Effect, FocusOn};
use crate::layout::state::{About, Notice, Purpose, StripsWish};
use crate::layout::store;
use debug_api::Request;
use debug_api::answer::ProfilesAnswer;
use std::rc::Rc;

#[test]
fn a_mark_selects_its_patch_and_opens_the_details() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.state.drawer_open = false;
    page.take();
    let (s, e) = ("sg00".to_owned(), "ACT".to_owned());
    // The DELETE is third in the list of the engine, and second from the start of the image.
    page.act(Action::SelectPatch { s, e, index: 2 });
    assert_eq!(page.place(), ("ACT", None, Some(2), Some(7)));
    assert!(page.state.drawer_open);
    let effects = page.take();
    assert!(effects.contains(&Effect::Say("Patch 2 of 3: DELETE 1 in MAIN".to_owned())));
    let (s, e) = ("sg00".to_owned(), "ACT".to_owned());
    page.act(Action::SelectPatch { s, e, index: 1 });
    assert_eq!(page.place().1, Some(6), "the first slot of the inserted ones");
}

#[test]
fn the_walk_goes_around_and_says_so() {
    let mut page = Page1::ready("e=PE&slot=6");
    page.take();
    page.act(Action::Run("patch-next"));
    assert_eq!(page.place().3, Some(1));
    let around = "Past the last patch of PE: at the first again.";
    assert_eq!(page.state.toast.as_ref().map(|toast| toast.text.as_str()), Some(around));
    let said = format!("{around} Patch 1 of 3: INSERT 3 in PREAMBLE");
    assert!(page.take().contains(&Effect::Say(said)));
    page.act(Action::Run("patch-previous"));
    assert_eq!(page.place().3, Some(11));
    page.state.toast = None;
    page.act(Action::Run("patch-previous"));
    assert_eq!((page.place().3, page.state.toast.is_none()), (Some(7), true));
}

#[test]
fn marks_can_be_hidden_and_the_address_says_so() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.act(Action::Run("patches"));
    assert!(page.state.patches_hidden);
    let path = "/f/abc/regions?v=1&s=sg00&e=PE&slot=3&marks=0".to_owned();
    assert_eq!(page.address(), Some((path, false)));
    assert!(Page1::ready("e=PE&marks=0").state.patches_hidden);
}

#[test]
fn each_wish_about_the_window_counts() {
    let mut page = Page1::ready("");
    let before = page.state.strips.serial;
    page.act(Action::Run("zoom-in"));
    page.act(Action::Run("zoom-selection"));
    assert_eq!(page.state.strips.serial, before + 2);
    assert_eq!(page.state.strips.wish, StripsWish::Selection);
}

#[test]
fn slots_in_view_are_named_by_rows_of_every_engine() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.take();
    page.act(Action::StripsSeen(2, 5));
    let asked: Vec<(u32, Option<String>)> = page
        .take()
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Rows(image, 0, request) => Some((image, request.scope.e)),
            _ => None,
        })
        .collect();
    let engines: Vec<_> = asked.iter().map(|(_, e)| e.as_deref().unwrap_or_default()).collect();
    assert_eq!(engines, ["PE", "ACT", "POOL", "DVE", "SP"]);
    let mut numbers: Vec<u32> = asked.iter().map(|(image, _)| *image).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), 5);
    assert!(numbers.iter().all(|image| image & LABELS != 0));
    // Nothing is asked twice, and what arrives is kept beside the rows of the Code pane.
    page.act(Action::StripsSeen(2, 5));
    assert!(!page.take().iter().any(|effect| matches!(effect, Effect::Rows(..))));
    let block = Box::new(store::tests::block(0, 13));
    page.act(Action::Rows { image: asked[1].0, chunk: 0, block });
    let key = ("sg00".to_owned(), "ACT".to_owned());
    assert!(page.state.labels.get(&key).is_some_and(|rows| rows.get(6).is_some()));
    assert!(!page.state.rows.has_any());
}

#[test]
fn the_profile_is_asked_for_once_and_closed_by_escape() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.take();
    page.act(Action::Run("profile"));
    let effects = page.take();
    let asks = |effect: &Effect| matches!(effect, Effect::Ask(_, _, Request::Profiles {}, 0));
    assert!(effects.iter().any(asks));
    assert!(effects.contains(&Effect::Focus(FocusOn::Profile)));
    let answer = ProfilesAnswer { schema: 1, profiles: Vec::new(), diagnostics: Vec::new() };
    page.answer(Purpose::Profiles, Arrived::Profiles(Rc::new(answer)));
    page.act(Action::Run("close"));
    assert!(!page.state.profile_open && page.state.selection.is_some());
    page.act(Action::Run("profile"));
    assert!(!page.take().iter().any(asks));
    page.act(Action::SetCore(Some(5)));
    assert_eq!(page.state.build.core, Some(5));
}

#[test]
fn a_pc_that_cannot_be_read_shows_the_default_place_and_what_to_do() {
    let mut page = Page1::ready("e=PE&pc=zzz");
    let asked = page.state.asked.get(&Purpose::Pc).copied().unwrap_or(0);
    let notice = Notice {
        about: About::Slot,
        severity: "error".to_owned(),
        code: "request.invalid".to_owned(),
        message: "device PC `zzz` is no number below 2^64".to_owned(),
    };
    page.act(Action::Failed { asked, notice });
    assert_eq!(page.place().1, Some(3), "the start of MAIN");
    let notice = page.state.notices.last();
    assert_eq!(notice.map(|notice| notice.about), Some(About::Address), "until the next place");
    let message = notice.map_or("", |notice| notice.message.as_str());
    assert!(message.contains("`zzz` is no number below 2^64. The default place is shown; press G"));
}
