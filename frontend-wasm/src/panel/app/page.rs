//! The page: which panels stand where, and which of them have to be drawn.

use crate::dom::{append, by_id, div, set_attr};
use crate::layout::action::Dirty;
use crate::layout::lone::lone;
use crate::layout::state::{Page, Pane, State, View};
use crate::panel::Dispatch;
use crate::panel::bytes::BytesPanel;
use crate::panel::code::CodePanel;
use crate::panel::collectives::CollectivesPanel;
use crate::panel::dialog::DialogPanel;
use crate::panel::drawer::DrawerPanel;
use crate::panel::frame::FramePanel;
use crate::panel::goto::GotoPanel;
use crate::panel::local::LocalPanel;
use crate::panel::log::LogPanel;
use crate::panel::memory::MemoryPanel;
use crate::panel::notice::NoticePanel;
use crate::panel::palette::PalettePanel;
use crate::panel::regions::RegionsPanel;
use crate::panel::simulate::RunPanel;
use crate::panel::source::SourcePanel;
use crate::panel::start::{OpenFile, StartPanel};
use crate::panel::structs::StructsPanel;
use crate::panel::timeline::TimelinePanel;
use crate::panel::token::TokenPanel;
use std::rc::Rc;

/// All panels of the page.
pub struct Panels {
    frame: FramePanel,
    goto: Option<GotoPanel>,
    palette: PalettePanel,
    dialog: DialogPanel,
    token: TokenPanel,
    log: LogPanel,
    notice: NoticePanel,
    /// The panes, once a file is open.
    work: Option<Work>,
    /// The start page's own controls.
    start: Option<StartPanel>,
    /// What a local page shows as long as no file is open.
    local: Option<LocalPanel>,
}

/// The panes of an open file.
struct Work {
    regions: RegionsPanel,
    code: CodePanel,
    source: SourcePanel,
    drawer: DrawerPanel,
    structs: StructsPanel,
    bytes: BytesPanel,
    memory: MemoryPanel,
    collectives: CollectivesPanel,
    timeline: TimelinePanel,
    run: RunPanel,
    /// Whether the fields are those of the Structs view.
    structs_shown: bool,
}

impl Panels {
    /// Takes over the document.
    pub fn new(page: Page, dispatch: &Dispatch, opener: &OpenFile) -> Self {
        let start = (page == Page::Start)
            .then(|| StartPanel::attach(dispatch.clone(), Rc::clone(opener)))
            .flatten();
        Self {
            frame: FramePanel::new(dispatch.clone()),
            goto: None,
            palette: PalettePanel::new(dispatch.clone()),
            dialog: DialogPanel::new(dispatch.clone()),
            token: TokenPanel::new(dispatch.clone()),
            log: LogPanel::new(dispatch.clone()),
            notice: NoticePanel::new(dispatch.clone()),
            work: None,
            start,
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
            self.token.render(state);
            self.log.render(state);
        }
        if dirty.meets(NoticePanel::READS) {
            self.notice.render(state);
        }
        if let Some(local) = self.local.as_mut() {
            local.render(state);
        }
        if let Some(start) = self.start.as_mut().filter(|_| state.page == Page::Start) {
            start.render(state);
        }
        let Some(work) = self.work.as_mut() else { return };
        // What is not on the screen is drawn when it comes: a change of the view makes all dirty.
        match state.view {
            View::Structs if dirty.meets(StructsPanel::READS) => work.structs.render(state),
            View::Bytes if dirty.meets(BytesPanel::READS) => work.bytes.render(state),
            View::Memory if dirty.meets(MemoryPanel::READS) => work.memory.render(state),
            View::Collectives if dirty.meets(CollectivesPanel::READS) => {
                work.collectives.render(state);
            }
            View::Timeline if dirty.meets(TimelinePanel::READS) => work.timeline.render(state),
            View::Run if dirty.meets(RunPanel::READS) => work.run.render(state),
            _ => {}
        }
        if !state.view.has_slots() {
            return;
        }
        if dirty.meets(RegionsPanel::READS) {
            work.regions.render(state);
        }
        if dirty.meets(CodePanel::READS) {
            work.code.render(state);
        }
        if dirty.meets(SourcePanel::READS) {
            work.source.render(state);
        }
        if dirty.meets(DrawerPanel::READS) {
            work.drawer.render(state);
        }
    }

    /// Focus to the tab stop of a pane.
    pub fn focus(&self, pane: Pane) {
        let Some(work) = &self.work else { return };
        match pane {
            Pane::Regions => work.regions.focus(),
            Pane::Code => work.code.focus(),
            Pane::Source => work.source.focus(),
            Pane::Drawer => work.drawer.focus(),
            Pane::Records => work.structs.focus(false),
            Pane::Fields if work.structs_shown => work.structs.focus(true),
            Pane::Fields => work.bytes.focus_fields(),
            Pane::Members => work.bytes.focus_list(),
            Pane::Bytes => work.bytes.focus_bytes(),
            Pane::Memory => work.memory.focus(),
            Pane::MemoryDetails => work.memory.focus_details(),
            Pane::Entries => work.collectives.focus(),
            Pane::EntryFields => work.collectives.focus_fields(),
            Pane::Topology => work.collectives.focus_topology(),
            Pane::Timeline => work.timeline.focus(),
            Pane::TimelineDetails => work.timeline.focus_details(),
            Pane::Run => work.run.focus(),
            Pane::RunState => work.run.focus_state(),
        }
    }

    /// Puts the panes into the document when there is something to show in them. Until then the
    /// document that the server rendered stays.
    fn take_over(&mut self, state: &State, dispatch: &Dispatch) {
        if state.page != Page::Start {
            self.start = None;
        }
        if state.page != Page::Start && self.goto.is_none() {
            self.goto = GotoPanel::new(dispatch.clone());
        }
        if state.page == Page::Local && !state.opened && self.local.is_none() {
            self.local = LocalPanel::new(dispatch.clone());
        }
        if let Some(work) = &mut self.work {
            work.structs_shown = state.view == View::Structs;
            return;
        }
        // Bytes and measured memory can be shown of a file without a program too.
        let alone = match state.view {
            View::Bytes => state.bytes.list.is_some(),
            View::Memory => state.memory.capture.is_some(),
            View::Timeline => state.timeline.answer.is_some(),
            _ => false,
        };
        // A capture that is open alone says what it lacks, once it is known what it has.
        let alone = alone || (lone(state).is_some() && state.memory.capture.is_some());
        if state.regions.is_none() && !alone {
            return;
        }
        let Some(main) = by_id("main") else { return };
        self.local = None;
        let work = Work {
            regions: RegionsPanel::new(dispatch.clone()),
            code: CodePanel::new(dispatch.clone()),
            source: SourcePanel::new(dispatch.clone()),
            drawer: DrawerPanel::new(dispatch.clone()),
            structs: StructsPanel::new(dispatch.clone()),
            bytes: BytesPanel::new(dispatch.clone()),
            memory: MemoryPanel::new(dispatch.clone()),
            collectives: CollectivesPanel::new(dispatch.clone()),
            timeline: TimelinePanel::new(dispatch.clone()),
            run: RunPanel::new(dispatch.clone()),
            structs_shown: state.view == View::Structs,
        };
        let panes = div("work v-code").build();
        let roots = [
            work.regions.root(),
            work.code.root(),
            work.source.root(),
            work.drawer.root(),
            work.structs.root(),
            work.bytes.root(),
            work.memory.root(),
            work.collectives.root(),
            work.timeline.root(),
            work.run.root(),
        ];
        roots.into_iter().for_each(|root| append(&panes, root));
        main.set_text_content(None);
        set_attr(&main, "class", "main app");
        append(&main, self.notice.banners());
        append(&main, &panes);
        append(&main, work.regions.floating());
        self.work = Some(work);
    }
}
