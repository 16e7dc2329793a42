//! Journeys through the state: what a person does, and what follows from it.

use super::update;
use crate::layout::action::{Action, Arrived, Dirty, Effect, FocusOn, Move, Target};
use crate::layout::place;
use crate::layout::state::{
    About, Hover, Notice, Overlay, Page, Pane, Purpose, SizeClass, State, Theme, View,
};
use crate::layout::store;
use debug_api::answer::{
    EngineRegions, GotoAnswer, GotoTarget, PcAnswer, PlaceRef, RegionsAnswer, SlotAnswer,
    SourceAnswer,
};
use debug_api::{Provenance, Request};
use std::rc::Rc;

pub(super) fn regions(subgraph: &str) -> RegionsAnswer {
    let engine = |name: &str| EngineRegions { engine: name.to_owned(), ..place::tests::small() };
    RegionsAnswer {
        schema: 1,
        subgraph: subgraph.to_owned(),
        subgraphs: vec!["sg00".to_owned(), "sg01".to_owned()],
        target: "trn2".to_owned(),
        profile: "cayman-r2.27".to_owned(),
        profiles: vec!["cayman-r2.27".to_owned(), "sunda-r2.25".to_owned()],
        core: 4,
        provenance: Provenance::Modelled,
        engines: ["PE", "ACT", "POOL", "DVE", "SP"].into_iter().map(engine).collect(),
        ..RegionsAnswer::default()
    }
}

pub(super) fn slot_answer(slot: Option<u32>, ip: Option<u32>, row: u64) -> SlotAnswer {
    SlotAnswer {
        schema: 1,
        place: PlaceRef {
            s: "sg00".to_owned(),
            e: "PE".to_owned(),
            image_slot: slot,
            neff_ip: ip,
            row: Some(row),
            ..PlaceRef::default()
        },
        opcode: 1,
        mnemonic: "LDWEIGHTS".to_owned(),
        sentence: String::new(),
        text: "LDWEIGHTS".to_owned(),
        hex: "01".repeat(64),
        provenance: Provenance::File,
        deleted: slot.is_none(),
        neff_hex: None,
        sections: Vec::new(),
        fields: Vec::new(),
        source: Vec::new(),
        depends: Vec::new(),
        needed: Vec::new(),
        needed_total: 0,
        step: None,
        change: None,
    }
}

fn source_answer(ip: Option<u32>) -> SourceAnswer {
    SourceAnswer {
        texts: Vec::new(),
        schema: 1,
        subgraph: "sg00".to_owned(),
        engine: "PE".to_owned(),
        neff_ip: ip,
        nodes: Vec::new(),
        left_out: 0,
        slots: 4,
        bir: 0,
        penguin: 0,
        line: 0,
        missing: Vec::new(),
        provenance: Provenance::File,
    }
}

/// A page with its state, its effects since the last look, and ready answers.
pub(super) struct Page1 {
    pub(super) state: State,
    effects: Vec<Effect>,
    dirty: Dirty,
}

impl Page1 {
    pub(super) fn open(query: &str) -> Self {
        Self::open_in(View::default(), query)
    }

    pub(super) fn open_in(view: View, query: &str) -> Self {
        let state = State {
            page: Page::View,
            view,
            session: "abc".to_owned(),
            letter_keys: true,
            drawer_open: true,
            drawer_wide: true,
            ..State::default()
        };
        let mut page = Self { state, effects: Vec::new(), dirty: Dirty::NONE };
        page.act(Action::Start(query.to_owned()));
        page
    }

    /// A page whose regions have arrived.
    pub(super) fn ready(query: &str) -> Self {
        let mut page = Self::open(query);
        let name = page.state.selection.s.clone();
        let name = if name.is_empty() { "sg00" } else { name.as_str() };
        page.answer(Purpose::Regions, Arrived::Regions(Rc::new(regions(name))));
        page
    }

    pub(super) fn act(&mut self, action: Action) {
        let effects = update(&mut self.state, action);
        self.effects.extend(effects.list);
        self.dirty = self.dirty.and(effects.dirty);
    }

    pub(super) fn answer(&mut self, purpose: Purpose, answer: Arrived) {
        let asked = self.state.asked.get(&purpose).copied().unwrap_or(0);
        self.act(Action::Answer { asked, answer: Box::new(answer) });
    }

    pub(super) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// The last address and whether it made an entry.
    pub(super) fn address(&mut self) -> Option<(String, bool)> {
        self.take().into_iter().rev().find_map(|effect| match effect {
            Effect::Address(path, push) => Some((path, push)),
            _ => None,
        })
    }

    pub(super) fn place(&self) -> (&str, Option<u32>, Option<u32>, Option<u64>) {
        let at = &self.state.selection;
        (at.e.as_str(), at.slot, at.ip, at.row)
    }
}

#[test]
fn a_page_without_a_place_starts_at_main() {
    let mut page = Page1::open("");
    let asked: Vec<Effect> = page.take();
    assert!(matches!(asked[0], Effect::Ask(Purpose::Info, ..)));
    assert!(matches!(asked[1], Effect::Ask(Purpose::Regions, ..)));
    page.answer(Purpose::Regions, Arrived::Regions(Rc::new(regions("sg00"))));
    assert_eq!(page.place(), ("PE", Some(3), None, Some(6)));
    assert_eq!(page.address(), Some(("/f/abc/regions?v=1&s=sg00&e=PE&slot=3".to_owned(), false)));
}

#[test]
fn the_address_is_restored() {
    let page = Page1::ready("v=1&s=sg01&e=ACT&slot=4");
    assert_eq!(page.state.selection.s, "sg01");
    assert_eq!(page.place(), ("ACT", Some(4), None, Some(8)));
    assert!(page.effects.iter().any(|effect| {
        matches!(effect, Effect::Ask(Purpose::Slot, _, Request::Slot { slot: Some(4), .. }, 0))
    }));
    assert!(page.effects.iter().any(|effect| matches!(effect, Effect::Rows(_, 0, _))));
}

#[test]
fn an_ip_finds_its_slot_when_the_details_arrive() {
    let mut page = Page1::ready("e=PE&ip=3");
    assert_eq!(page.place(), ("PE", None, Some(3), None));
    page.take();
    let answer = slot_answer(Some(4), Some(3), 8);
    page.answer(Purpose::Slot, Arrived::Slot(Rc::new(answer)));
    assert_eq!(page.place(), ("PE", Some(4), Some(3), Some(8)));
    assert_eq!(page.state.reveal.row, 8);
    assert_eq!(page.address(), Some(("/f/abc/regions?v=1&s=sg00&e=PE&slot=4".to_owned(), false)));
}

#[test]
fn a_deleted_record_has_its_row_at_once() {
    let mut page = Page1::ready("e=PE&ip=2");
    assert_eq!(page.place(), ("PE", None, Some(2), Some(7)));
    assert_eq!(page.address(), Some(("/f/abc/regions?v=1&s=sg00&e=PE&ip=2".to_owned(), false)));
}

#[test]
fn a_pc_of_the_address_is_looked_up() {
    let mut page = Page1::ready("e=PE&pc=0x1100");
    assert!(page.take().iter().any(|effect| {
        matches!(effect, Effect::Ask(Purpose::Pc, _, Request::Pc { pc, .. }, 0) if pc == "0x1100")
    }));
    let document = serde_json::json!({
        "schema": 1, "subgraph": "sg00", "engine": "PE", "device_pc": "0x1100", "base": "0x1000",
        "base_provenance": "configured", "profile": "cayman-r2.27", "image_offset": 0x100,
        "image_slot": 4, "region": "MAIN", "runtime": { "error": "" }, "agrees": true,
        "source": [], "provenance": "observed",
    });
    let answer = serde_json::from_value::<PcAnswer>(document);
    assert!(answer.is_ok(), "a document of `pc`: {answer:?}");
    let Ok(mut answer) = answer else { return };
    answer.place = Some(slot_answer(Some(4), Some(3), 8).place);
    page.answer(Purpose::Pc, Arrived::Pc(Rc::new(answer.clone())));
    assert_eq!(page.place(), ("PE", Some(4), Some(3), Some(8)));

    let mut page = Page1::ready("e=PE&pc=0x9");
    answer.place = None;
    answer.reason = Some("it is below the image".to_owned());
    page.answer(Purpose::Pc, Arrived::Pc(Rc::new(answer)));
    assert_eq!(page.place().1, Some(3), "the start of MAIN instead");
    let notice = page.state.notices.last().map(|notice| notice.code.as_str());
    assert_eq!(notice, Some("address.pc"));
}

#[test]
fn what_an_address_gets_wrong_is_said() {
    let page = Page1::ready("e=GPU&slot=4");
    assert_eq!(page.place(), ("PE", Some(3), None, Some(6)));
    assert_eq!(page.state.notices[0].code, "address.part");
    let page = Page1::ready("e=PE&slot=900");
    assert_eq!(page.place().1, Some(3));
    assert_eq!(page.state.notices[0].code, "address.place");
    assert!(page.state.notices[0].message.contains("PE has 8 slots"));
}

#[test]
fn jumps_make_history_and_steps_do_not() {
    let mut page = Page1::ready("");
    page.take();
    let target = Target { e: "SP".to_owned(), slot: Some(5), ..Target::default() };
    page.act(Action::Select(target, Move::Jump));
    assert_eq!(page.address(), Some(("/f/abc/regions?v=1&s=sg00&e=SP&slot=5".to_owned(), true)));
    page.act(Action::Run("slot-next"));
    assert_eq!(page.place(), ("SP", Some(6), None, Some(11)), "the divider at row 10 is skipped");
    assert_eq!(page.address(), Some(("/f/abc/regions?v=1&s=sg00&e=SP&slot=6".to_owned(), false)));
    page.act(Action::Run("slot-previous"));
    page.act(Action::Run("slot-previous"));
    page.act(Action::Run("slot-previous"));
    assert_eq!(page.place(), ("SP", None, Some(2), Some(7)), "the deleted record is a stop too");
    page.act(Action::Run("first-slot"));
    assert_eq!(page.place().1, Some(0));
    page.act(Action::Run("slot-previous"));
    assert_eq!(page.place().1, Some(0), "there is nothing before the first slot");
    page.act(Action::Run("last-slot"));
    assert_eq!(page.place().1, Some(7));
}

#[test]
fn back_returns_without_writing_a_new_entry() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.act(Action::SetEngine("ACT".to_owned()));
    page.take();
    let query = "v=1&s=sg00&e=PE&slot=3".to_owned();
    page.act(Action::Restore { view: Some(View::Code), query });
    assert_eq!(page.place().0, "PE");
    assert_eq!(page.state.view, View::Code);
    let pushed = page.effects.iter().any(|effect| matches!(effect, Effect::Address(_, true)));
    assert!(!pushed);
    let asked =
        page.effects.iter().any(|effect| matches!(effect, Effect::Ask(Purpose::Regions, ..)));
    assert!(!asked, "the images are the same");
}

#[test]
fn an_engine_is_left_and_found_again_at_the_same_place() {
    let mut page = Page1::ready("e=PE&slot=5");
    page.act(Action::SetEngine("ACT".to_owned()));
    assert_eq!(page.place(), ("ACT", Some(3), None, Some(6)));
    page.act(Action::SetEngine("PE".to_owned()));
    assert_eq!(page.place(), ("PE", Some(5), None, Some(9)));
}

#[test]
fn another_profile_keeps_the_record_and_not_the_slot() {
    let mut page = Page1::ready("e=PE&slot=4");
    page.answer(Purpose::Slot, Arrived::Slot(Rc::new(slot_answer(Some(4), Some(3), 8))));
    page.take();
    page.act(Action::SetProfile(Some("sunda-r2.25".to_owned())));
    let asked = page.take();
    assert!(asked.iter().any(|effect| matches!(
        effect,
        Effect::Ask(Purpose::Regions, _, Request::Regions { scope }, _)
            if scope.profile.as_deref() == Some("sunda-r2.25")
    )));
    page.answer(Purpose::Regions, Arrived::Regions(Rc::new(regions("sg00"))));
    assert_eq!(page.place(), ("PE", None, Some(3), None));
    assert!(page.state.rows.serial() > 1, "rows of the new image");
}

#[test]
fn late_answers_are_dropped() {
    let mut page = Page1::ready("e=PE&slot=3");
    let old = page.state.asked.get(&Purpose::Slot).copied().unwrap_or(0);
    page.act(Action::SetEngine("ACT".to_owned()));
    let answer = Box::new(Arrived::Slot(Rc::new(slot_answer(Some(3), Some(1), 6))));
    page.act(Action::Answer { asked: old, answer });
    assert!(page.state.slot.is_none());
    assert!(page.state.slot_stale);
}

#[test]
fn old_details_stay_until_new_ones_arrive() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.answer(Purpose::Slot, Arrived::Slot(Rc::new(slot_answer(Some(3), Some(1), 6))));
    assert!(!page.state.slot_stale);
    page.act(Action::Run("slot-next"));
    assert!(page.state.slot.is_some());
    assert!(page.state.slot_stale);
}

#[test]
fn rows_name_the_ip_and_bring_the_source() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.take();
    // Row 6 of this block has slot 6 and IP 7; only the slot decides whether it is the selection.
    let block = store::tests::block(0, 13);
    page.act(Action::Rows { image: 1, chunk: 0, block: Box::new(block) });
    assert_eq!(page.place().2, None, "another slot stands in that row");
    assert!(page.dirty.meets(Dirty::CODE));
    page.answer(Purpose::Slot, Arrived::Slot(Rc::new(slot_answer(Some(3), Some(1), 6))));
    assert_eq!(page.place().2, Some(1));
    assert!(page.take().iter().any(|effect| {
        matches!(effect, Effect::Ask(Purpose::Source, _, Request::Source { ip: Some(1), .. }, 0))
    }));
    page.answer(Purpose::Source, Arrived::Source(Rc::new(source_answer(Some(1)))));
    assert!(page.state.source.is_some());
}

#[test]
fn a_failed_question_is_a_banner_until_it_succeeds() {
    let mut page = Page1::ready("e=PE&slot=3");
    let asked = page.state.asked.get(&Purpose::Slot).copied().unwrap_or(0);
    let notice = Notice {
        about: About::Slot,
        severity: "error".to_owned(),
        code: "page.network".to_owned(),
        message: "The server does not answer.".to_owned(),
    };
    page.act(Action::Failed { asked, notice });
    assert_eq!(page.state.notices.len(), 1);
    assert!(page.state.toast.is_none());
    page.act(Action::Run("slot-next"));
    page.answer(Purpose::Slot, Arrived::Slot(Rc::new(slot_answer(None, Some(2), 7))));
    assert!(page.state.notices.is_empty());
}

#[test]
fn patches_are_visited_and_spoken() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.take();
    page.act(Action::Run("patch-next"));
    assert_eq!(page.place(), ("PE", None, Some(2), Some(7)));
    let effects = page.take();
    assert!(effects.contains(&Effect::Say("Patch 2 of 3: DELETE 1 in MAIN".to_owned())));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Address(_, true))));
    page.act(Action::Run("patch-previous"));
    assert_eq!(page.place().3, Some(1));
}

#[test]
fn the_go_to_box_follows_enter_even_before_the_answer() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.act(Action::Run("goto"));
    assert!(page.state.goto.open);
    page.act(Action::GotoText("ip 4".to_owned()));
    page.take();
    page.act(Action::GotoEnter(None));
    assert_eq!(page.place().1, Some(3), "nothing yet");
    let place = slot_answer(Some(5), Some(4), 9).place;
    let target = GotoTarget {
        address: None,
        kind: "ip".to_owned(),
        label: "PE IP 4".to_owned(),
        detail: "slot 5".to_owned(),
        place: Some(place),
        provenance: Provenance::File,
    };
    let answer = |text: &str| GotoAnswer {
        schema: 1,
        text: text.to_owned(),
        targets: vec![target.clone()],
        hint: String::new(),
    };
    page.answer(Purpose::Goto, Arrived::Goto(Rc::new(answer("ip 4"))));
    assert_eq!(page.place(), ("PE", Some(5), Some(4), Some(9)));
    assert!(!page.state.goto.open);
    let effects = page.take();
    assert!(effects.contains(&Effect::Focus(FocusOn::Pane(Pane::Code))));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Address(_, true))));
}

#[test]
fn a_go_to_text_that_starts_with_a_sign_becomes_a_command() {
    let mut page = Page1::ready("");
    page.act(Action::Run("goto"));
    page.act(Action::GotoText(">theme: dark".to_owned()));
    assert_eq!(page.state.overlay, Overlay::Palette);
    assert_eq!(page.state.palette.text, "theme: dark");
    page.act(Action::PaletteEnter(None));
    assert_eq!(page.state.theme, Theme::Dark);
    assert_eq!(page.state.overlay, Overlay::None);
}

#[test]
fn escape_closes_what_is_nearest() {
    let mut page = Page1::ready("e=PE&slot=3");
    page.act(Action::Run("keys"));
    page.act(Action::Run("close"));
    assert_eq!(page.state.overlay, Overlay::None);
    assert!(page.state.selection.is_some());
    page.act(Action::GotoOpen(true));
    page.act(Action::Run("close"));
    assert!(!page.state.goto.open);
    page.act(Action::Run("close"));
    assert!(!page.state.selection.is_some());
    assert_eq!(page.state.cursor, 6, "the row cursor stays");
}

#[test]
fn panes_are_visited_in_order() {
    let mut page = Page1::ready("");
    page.state.pane = Pane::Drawer;
    page.act(Action::Run("pane-next"));
    assert_eq!(page.state.pane, Pane::Regions);
    page.act(Action::Run("pane-previous"));
    assert_eq!(page.state.pane, Pane::Drawer);
    page.act(Action::Resized(SizeClass::Narrow));
    page.act(Action::Run("pane-next"));
    assert_eq!(page.state.pane, Pane::Regions);
}

#[test]
fn hover_is_only_drawn_when_it_changes() {
    let mut page = Page1::ready("");
    let hover =
        Hover { pane: Pane::Code, group: None, e: "PE".to_owned(), slot: Some(3), ip: None };
    page.dirty = Dirty::NONE;
    page.act(Action::Hover(Some(hover.clone())));
    assert_eq!(page.dirty, Dirty::HOVER);
    page.dirty = Dirty::NONE;
    page.act(Action::Hover(Some(hover)));
    assert_eq!(page.dirty, Dirty::NONE);
}

#[test]
fn a_dropped_file_keeps_the_place_of_the_address_after_a_reload() {
    let state = State { page: Page::Local, letter_keys: true, ..State::default() };
    let mut page = Page1 { state, effects: Vec::new(), dirty: Dirty::NONE };
    page.act(Action::Start("v=1&s=sg00&e=SP&slot=4".to_owned()));
    assert!(page.take().is_empty(), "there is nobody to ask");
    let info: debug_api::answer::InfoAnswer = info();
    page.act(Action::OpenedLocal(Rc::new(info)));
    page.answer(Purpose::Regions, Arrived::Regions(Rc::new(regions("sg00"))));
    assert_eq!(page.place(), ("SP", Some(4), None, Some(8)));
    assert_eq!(page.address(), Some(("/local/regions?v=1&s=sg00&e=SP&slot=4".to_owned(), false)));
}

fn info() -> debug_api::answer::InfoAnswer {
    use debug_api::answer::{ArchiveInfo, BuildInfo, DigestInfo, FileInfo, HeaderInfo, InfoAnswer};
    let text = String::new;
    InfoAnswer {
        schema: 1,
        file: FileInfo { name: "a.neff".to_owned(), bytes: 1, kind: "neff".to_owned() },
        header: HeaderInfo {
            pkg_version: 2,
            header_size: 1_024,
            data_size: 0,
            version_major: 2,
            version_minor: 0,
            build_version: text(),
            num_tpb: 1,
            hash: text(),
            uuid: text(),
            name: text(),
            requested_tpb_count: 1,
            tpb_per_node: Vec::new(),
            feature_bits: text(),
            features: Vec::new(),
            lnc_size: 1,
        },
        digest: DigestInfo { algorithm: text(), stored: text(), computed: text(), verdict: text() },
        archive: ArchiveInfo {
            compression: text(),
            stored_bytes: 0,
            tar_bytes: 0,
            zero_tail_bytes: 0,
            members: Vec::new(),
        },
        subgraphs: Vec::new(),
        build: BuildInfo::default(),
        deep: true,
        coverage: Vec::new(),
        diagnostics: Vec::new(),
        provenance: Provenance::File,
    }
}
