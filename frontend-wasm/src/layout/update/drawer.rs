//! The details beside the panes: open in a wide window unless they were closed, below 1280 px only
//! when someone asks for them.

use super::run;
use crate::layout::action::{Dirty, Effect, Effects};
use crate::layout::state::{Pane, SizeClass, State, View};

/// Shows or hides the details. Where they stand below the rest they are gone to instead.
pub(super) fn toggle(state: &mut State, out: &mut Effects) {
    if state.details_follow() {
        let pane = if state.view == View::Run { Pane::RunState } else { Pane::Topology };
        run::focus(state, pane, out);
        return;
    }
    let open = !state.drawer_open;
    set(state, open, out);
    if state.size_class == SizeClass::Wide {
        state.drawer_wide = open;
        let text = if open { "open" } else { "closed" };
        out.push(Effect::Store("drawer", text.to_owned()));
    } else if open && let Some(pane) = state.view.details_pane() {
        // A sheet covers what was asked from, so the focus goes along.
        run::focus(state, pane, out);
    }
}

/// Another width: what a wide window had comes back with it, a narrower one starts without.
pub(super) fn resized(state: &mut State, class: SizeClass, out: &mut Effects) {
    let before = state.size_class;
    if before == class {
        return;
    }
    state.size_class = class;
    out.mark(Dirty::ALL);
    if class == SizeClass::Wide {
        set(state, state.drawer_wide, out);
    } else if before == SizeClass::Wide {
        set(state, false, out);
    }
}

/// Opens or closes them; the focus does not stay in what is hidden.
fn set(state: &mut State, open: bool, out: &mut Effects) {
    if state.drawer_open == open {
        return;
    }
    state.drawer_open = open;
    out.mark(Dirty::ALL);
    if !state.has_details() && state.view.details_pane() == Some(state.pane) {
        run::focus(state, state.view.pane(), out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Page1;
    use crate::layout::action::{Action, Effect, FocusOn};
    use crate::layout::commands::panes;
    use crate::layout::state::{Pane, SizeClass, View};

    #[test]
    fn narrower_windows_have_no_details_until_they_are_asked_for() {
        let mut page = Page1::ready("");
        assert!(page.state.has_details());
        for class in [SizeClass::Medium, SizeClass::Narrow] {
            page.act(Action::Resized(SizeClass::Wide));
            page.act(Action::Resized(class));
            assert!(!page.state.has_details(), "{class:?}");
            page.take();
            page.act(Action::Run("drawer"));
            assert!(page.state.has_details(), "{class:?}");
            let effects = page.take();
            assert!(effects.contains(&Effect::Focus(FocusOn::Pane(Pane::Drawer))));
            assert!(!effects.iter().any(|one| matches!(one, Effect::Store("drawer", _))));
            // A sheet stays open between two narrow widths.
            let other =
                [SizeClass::Narrow, SizeClass::Medium][usize::from(class == SizeClass::Narrow)];
            page.act(Action::Resized(other));
            assert!(page.state.has_details());
            // Closed, the focus is back in the view.
            page.act(Action::Run("drawer"));
            assert_eq!(page.state.pane, page.state.view.pane());
        }
        page.act(Action::Resized(SizeClass::Wide));
        assert!(page.state.has_details(), "a wide window has them again");
    }

    #[test]
    fn closed_in_a_wide_window_they_stay_closed() {
        let mut page = Page1::ready("");
        page.take();
        page.act(Action::Run("drawer"));
        assert!(page.take().contains(&Effect::Store("drawer", "closed".to_owned())));
        page.act(Action::Resized(SizeClass::Medium));
        page.act(Action::Run("drawer"));
        page.act(Action::Resized(SizeClass::Wide));
        assert!(!page.state.has_details());
    }

    #[test]
    fn what_stands_below_the_rest_is_gone_to() {
        for (view, pane) in [(View::Collectives, Pane::Topology), (View::Run, Pane::RunState)] {
            let mut page = Page1::ready("");
            page.act(Action::SetView(view));
            page.act(Action::Resized(SizeClass::Medium));
            assert!(panes(&page.state).contains(&pane));
            page.take();
            page.act(Action::Run("drawer"));
            assert!(panes(&page.state).contains(&pane), "nothing is hidden");
            assert!(page.take().contains(&Effect::Focus(FocusOn::Pane(pane))));
        }
    }

    #[test]
    fn views_without_details_have_none() {
        assert_eq!(View::Structs.details_pane(), None);
        assert_eq!(View::Bytes.details_pane(), None);
        assert_eq!(View::Memory.details_pane(), Some(Pane::MemoryDetails));
        assert_eq!(View::Code.details_pane(), Some(Pane::Drawer));
    }
}
