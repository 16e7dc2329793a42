//! The page: which panels stand where, and which of them have to be drawn.

use super::boot::Opener;
use crate::layout::action::Dirty;
use crate::layout::state::{Page, Pane, State};
use crate::panel::Dispatch;
use crate::panel::code::CodePanel;
use crate::panel::dialog::DialogPanel;
use crate::panel::dom::{append, by_id, div, set_attr};
use crate::panel::frame::FramePanel;
use crate::panel::goto::GotoPanel;
use crate::panel::local::LocalPanel;
use crate::panel::notice::NoticePanel;
use crate::panel::palette::PalettePanel;
use web_sys::Element;

/// All panels of the page.
pub struct Panels {
    frame: FramePanel,
    goto: Option<GotoPanel>,
    palette: PalettePanel,
    dialog: DialogPanel,
    notice: NoticePanel,
    /// The panes, once a file is open.
    work: Option<Work>,
    /// What a local page shows as long as no file is open.
    local: Option<LocalPanel>,
}

/// The panes of an open file.
struct Work {
    code: CodePanel,
}

impl Panels {
    /// Takes over the document.
    pub fn new(_page: Page, dispatch: &Dispatch, _opener: &Opener) -> Self {
        Self {
            frame: FramePanel::new(dispatch.clone()),
            goto: None,
            palette: PalettePanel::new(dispatch.clone()),
            dialog: DialogPanel::new(dispatch.clone()),
            notice: NoticePanel::new(dispatch.clone()),
            work: None,
            local: None,
        }
    }

    /// Draws what reads a dirty part.
    pub fn render(&mut self, state: &State, dirty: Dirty, dispatch: &Dispatch) {
        self.take_over(state, dispatch);
        if dirty.meets(FramePanel::READS) {
            self.frame.render(state);
        }
        if let Some(goto) = self.goto.as_mut().filter(|_| dirty.meets(GotoPanel::READS)) {
            goto.render(state);
        }
        if dirty.meets(PalettePanel::READS) {
            self.palette.render(state);
            self.dialog.render(state);
        }
        if dirty.meets(NoticePanel::READS) {
            self.notice.render(state);
        }
        if let Some(local) = self.local.as_mut() {
            local.render(state);
        }
        if let Some(work) = self.work.as_mut()
            && dirty.meets(CodePanel::READS)
        {
            work.code.render(state);
        }
    }

    /// The element of a pane.
    pub fn pane(&self, pane: Pane) -> Option<&Element> {
        let work = self.work.as_ref()?;
        match pane {
            Pane::Code => Some(work.code.root()),
            _ => None,
        }
    }

    /// Focus to the row cursor.
    pub fn focus_code(&self) {
        if let Some(work) = &self.work {
            work.code.focus();
        }
    }

    /// Puts the panes into the document when there is something to show in them. Until then the
    /// document that the server rendered stays.
    fn take_over(&mut self, state: &State, dispatch: &Dispatch) {
        if state.page != Page::Start && self.goto.is_none() {
            self.goto = GotoPanel::new(dispatch.clone());
        }
        if state.page == Page::Local && !state.opened && self.local.is_none() {
            self.local = LocalPanel::new(dispatch.clone());
        }
        if self.work.is_some() || state.regions.is_none() {
            return;
        }
        let Some(main) = by_id("main") else { return };
        self.local = None;
        let work = Work { code: CodePanel::new(dispatch.clone()) };
        let panes = div("work v-code").build();
        append(&panes, work.code.root());
        main.set_text_content(None);
        set_attr(&main, "class", "main app");
        append(&main, self.notice.banners());
        append(&main, &panes);
        self.work = Some(work);
    }
}
