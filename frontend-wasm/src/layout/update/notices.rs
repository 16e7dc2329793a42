//! Banners and the line at the bottom.

use crate::layout::action::{Dirty, Effect, Effects};
use crate::layout::state::{About, Notice, State, Toast};

/// Shows a banner.
pub(super) fn notice(
    state: &mut State,
    about: About,
    severity: &str,
    code: &str,
    message: &str,
    out: &mut Effects,
) {
    let (severity, code) = (severity.to_owned(), code.to_owned());
    put_notice(state, Notice { about, severity, code, message: message.to_owned() }, out);
}

/// Shows a banner in place of the one about the same.
pub(super) fn put_notice(state: &mut State, notice: Notice, out: &mut Effects) {
    // An address can have faults of several kinds.
    let stays = |old: &Notice| {
        old.about != notice.about || (old.about == About::Address && old.code != notice.code)
    };
    state.notices.retain(stays);
    out.push(Effect::Say(format!("{}: {}", notice.severity, notice.message)));
    state.notices.push(notice);
    out.mark(Dirty::NOTICE);
}

/// Takes the banner about something away.
pub(super) fn dismiss(state: &mut State, about: About, out: &mut Effects) {
    if state.notices.iter().any(|notice| notice.about == about) {
        state.notices.retain(|notice| notice.about != about);
        out.mark(Dirty::NOTICE);
    }
}

/// Shows a line for some seconds.
pub(super) fn toast(state: &mut State, text: &str, out: &mut Effects) {
    state.serial = state.serial.wrapping_add(1).max(1);
    state.toast = Some(Toast { text: text.to_owned(), serial: state.serial });
    out.mark(Dirty::NOTICE);
    out.push(Effect::ToastTimer(state.serial));
}
