//! Opening a file, in this browser or on the server.

use super::{ask, ask_regions, dismiss};
use crate::layout::action::{Action, Dirty, Effect, Effects};
use crate::layout::state::{About, Page, Purpose, Selection, State, Wanted};
use crate::layout::store::RowStore;
use crate::layout::url;
use debug_api::Request;

/// Actions of opening.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    out.mark(Dirty::NOTICE);
    match action {
        Action::Opening(opening) => {
            dismiss(state, About::Open, out);
            state.opening = Some(opening);
        }
        Action::Brings(brings) => state.brings = brings,
        Action::OpeningProgress(done) => {
            if let Some(opening) = &mut state.opening {
                opening.done = done;
            }
        }
        Action::OpeningSlow => {
            if let Some(opening) = &mut state.opening {
                opening.slow = true;
                out.push(Effect::Say(format!("Opening {}", opening.name)));
            }
        }
        Action::OpeningCancel => {
            state.opening = None;
            out.push(Effect::CancelOpening);
            out.push(Effect::Say("Opening was canceled".to_owned()));
        }
        Action::FilesRefused(notices) => {
            state.opening = None;
            for notice in &notices {
                out.push(Effect::Say(format!("{}: {}", notice.severity, notice.message)));
            }
            state.notices.extend(notices);
        }
        Action::OpenedLocal(info) => {
            let name = info.file.name.clone();
            let again = state.page == Page::Local && !state.opened;
            let brings = std::mem::take(&mut state.brings).profile;
            forget_file(state);
            state.info = Some(info);
            state.page = Page::Local;
            state.session.clear();
            state.opened = true;
            out.mark(Dirty::ALL);
            out.push(Effect::Say(format!("{name} is open")));
            // The place of the address belongs to a file that was dropped again after a reload.
            let wanted = if again { std::mem::take(&mut state.wanted) } else { Wanted::default() };
            let e = if wanted.e.is_empty() { "PE".to_owned() } else { wanted.e.clone() };
            state.wanted = Wanted { pending: true, e, jump: false, ..wanted };
            if brings.is_some() {
                state.build.profile = brings;
            }
            if !again {
                out.push(Effect::Address(format!("/local/{}", state.view.name()), true));
            }
            ask(state, Purpose::Files, Request::Files {}, 0, out);
            ask_regions(state, out);
        }
        Action::OpenedRemote(id) => {
            state.opening = None;
            let brings = std::mem::take(&mut state.brings).profile;
            if brings.is_some() {
                state.build.profile.clone_from(&brings);
            }
            // A file that was added keeps the place.
            let path = if state.page == Page::View && state.opened {
                let mut at = State { session: id, ..state.clone() };
                // Another profile moves the slots; a record of the stream keeps its IP.
                if brings.is_some() && at.selection.ip.is_some() {
                    at.selection.slot = None;
                }
                url::path(&at)
            } else {
                let profile = brings.map(|name| format!("?profile={}", url::encoded(&name)));
                format!("/f/{id}{}", profile.unwrap_or_default())
            };
            out.push(Effect::Navigate(path));
        }
        _ => {}
    }
}

/// Drops everything about the file that was open.
fn forget_file(state: &mut State) {
    let serial = state.rows.serial();
    state.opening = None;
    state.info = None;
    state.regions = None;
    state.all_regions = Vec::new();
    state.slot = None;
    state.slot_stale = false;
    state.source = None;
    state.rows_before = RowStore::default();
    state.rows = RowStore::after(serial);
    state.places.clear();
    state.labels = Default::default();
    state.profile_open = false;
    state.compare = Default::default();
    state.files = None;
    state.profiles = None;
    state.asked.clear();
    state.notices.retain(|notice| notice.about == About::Address);
    state.goto = Default::default();
    state.log = Default::default();
    state.structs = Default::default();
    state.collectives.forget();
    state.run.forget();
    state.bytes = Default::default();
    state.selection = Selection { e: "PE".to_owned(), ..Selection::default() };
    state.hover = None;
}
