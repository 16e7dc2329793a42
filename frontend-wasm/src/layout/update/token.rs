//! The server's token: asked for, checked, and then the file goes.

use super::overlay;
use crate::layout::action::{Action, Dirty, Effect, Effects, FocusOn};
use crate::layout::state::{Overlay, State};
use crate::layout::token::{self, Problem};

/// Actions of the token.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    match action {
        Action::TokenWanted(file, problem) => {
            // The bar of a file that was being sent goes away while the question stands.
            state.opening = None;
            state.token.needed = true;
            state.token.file = Some(file);
            state.token.checking = false;
            state.token.problem = problem;
            out.mark(Dirty::NOTICE);
            overlay(state, Overlay::Token, out);
        }
        Action::TokenGiven(text) if !state.token.checking => match token::read(&text) {
            Ok(text) => {
                state.token.checking = true;
                state.token.problem = None;
                out.mark(Dirty::OVERLAY);
                out.push(Effect::CheckToken(text));
            }
            Err(problem) => refuse(state, problem, out),
        },
        Action::TokenTaken => {
            state.token.checking = false;
            state.token.problem = None;
            // The file goes now: closing the dialog is no reason to stop it.
            state.token.file = None;
            if state.overlay == Overlay::Token {
                overlay(state, Overlay::None, out);
            }
        }
        Action::TokenRefused(problem) if state.overlay == Overlay::Token => {
            refuse(state, problem, out);
        }
        Action::TokenRefused(_) => state.token.checking = false,
        _ => {}
    }
}

/// Says why, in the dialog, and puts the focus back into its field.
fn refuse(state: &mut State, problem: Problem, out: &mut Effects) {
    state.token.checking = false;
    state.token.problem = Some(problem);
    out.mark(Dirty::OVERLAY);
    out.push(Effect::Focus(FocusOn::Dialog));
}

#[cfg(test)]
mod tests {
    use super::super::update;
    use super::*;

    fn act(state: &mut State, action: Action) -> Vec<Effect> {
        update(state, action).list
    }

    fn asked() -> State {
        let mut state = State::default();
        let effects = act(&mut state, Action::TokenWanted("a.neff".to_owned(), None));
        assert_eq!(state.overlay, Overlay::Token);
        assert!(state.token.needed);
        assert!(effects.contains(&Effect::Focus(FocusOn::Dialog)));
        state
    }

    #[test]
    fn a_right_token_closes_the_dialog_and_the_file_goes() {
        let mut state = asked();
        let effects = act(&mut state, Action::TokenGiven(" t0k ".to_owned()));
        assert_eq!(effects, [Effect::CheckToken("t0k".to_owned())]);
        assert!(state.token.checking);
        // A second Enter does not ask again.
        assert_eq!(act(&mut state, Action::TokenGiven("t0k".to_owned())), []);
        let effects = act(&mut state, Action::TokenTaken);
        assert_eq!(state.overlay, Overlay::None);
        assert_eq!(effects, [Effect::Focus(FocusOn::Before)]);
        assert!(state.token.needed, "the next file is checked again");
    }

    #[test]
    fn a_wrong_token_is_said_in_the_dialog_which_stays() {
        let mut state = asked();
        assert_eq!(
            act(&mut state, Action::TokenGiven(String::new())),
            [Effect::Focus(FocusOn::Dialog)]
        );
        assert_eq!(state.token.problem.as_ref().map(|p| p.code.as_str()), Some("page.token"));
        let _ = act(&mut state, Action::TokenGiven("no".to_owned()));
        assert_eq!(state.token.problem, None);
        let _ = act(&mut state, Action::TokenRefused(Problem::refused(true)));
        assert_eq!(state.overlay, Overlay::Token);
        assert!(!state.token.checking);
        assert_eq!(state.token.problem, Some(Problem::refused(true)));
    }

    #[test]
    fn leaving_the_dialog_lets_the_file_go() {
        for leave in [Action::CloseOverlay, Action::Run("close"), Action::Run("palette")] {
            let mut state = asked();
            let _ = act(&mut state, Action::TokenGiven("t0k".to_owned()));
            let effects = act(&mut state, leave);
            assert!(effects.contains(&Effect::CancelOpening), "{effects:?}");
            assert_eq!(state.token.file, None);
            // The answer comes late: nothing is opened or closed by it.
            let overlay = state.overlay;
            assert_eq!(act(&mut state, Action::TokenRefused(Problem::refused(true))), []);
            assert_eq!(act(&mut state, Action::TokenTaken), []);
            assert_eq!((state.overlay, state.token.checking), (overlay, false));
        }
    }
}
