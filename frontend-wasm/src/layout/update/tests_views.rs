//! Journeys through the Structs and Bytes views.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::tests::{regions, slot_answer};
use super::update;
use crate::layout::action::{Action, Arrived, BytesAction, Effect, FocusOn, StructsAction};
use crate::layout::bytes::tests::page;
use crate::layout::bytes::{BytesOf, BytesRef};
use crate::layout::state::{Page, Pane, Purpose, State, View};
use crate::layout::structs::RowKind;
use crate::layout::trail;
use crate::layout::url;
use debug_api::answer::{
    BytesAnswer, DumpAnswer, DumpStruct, FileInfo, FilesAnswer, IndexAnswer, KbinAnswer, PlaceRef,
    RecordAnswer, RecordFieldInfo, RecordInfo, RecordLink, RecordPart, RecordValueInfo,
    RecordsAnswer,
};
use debug_api::{Provenance, Request};
use std::rc::Rc;

fn info(name: &str) -> RecordInfo {
    RecordInfo {
        name: name.to_owned(),
        kind: "t".to_owned(),
        bytes: 16,
        model_offset: None,
        hit: None,
        total_hits: 0,
        hits: Vec::new(),
        rows: None,
        part: None,
    }
}

fn field(name: &str, offset: u64, links: Vec<RecordLink>) -> RecordFieldInfo {
    RecordFieldInfo {
        name: name.to_owned(),
        offset,
        bytes: 8,
        value: RecordValueInfo::Number(1),
        kind: "u64".to_owned(),
        unit: None,
        spec: None,
        meaning: "words".to_owned(),
        provenance: Provenance::Observed,
        why: None,
        text: None,
        tag: None,
        link: None,
        links,
    }
}

fn records(names: &[&str], from: u64, total: u64) -> RecordsAnswer {
    RecordsAnswer {
        schema: 1,
        subgraph: "sg00".to_owned(),
        engine: "PE".to_owned(),
        profile: "p".to_owned(),
        provenance: Provenance::Modelled,
        from,
        total,
        records: names.iter().map(|name| info(name)).collect(),
        rooms: Vec::new(),
        patch_lists: "kept".to_owned(),
        usage_tag: 3,
        alignment: 0x8000,
        diagnostics: Vec::new(),
    }
}

fn record(name: &str) -> RecordAnswer {
    let to = |name: &str| RecordLink {
        label: name.to_owned(),
        record: Some(name.to_owned()),
        ..RecordLink::default()
    };
    let place = PlaceRef {
        s: "sg00".to_owned(),
        e: "PE".to_owned(),
        image_slot: Some(4),
        ..PlaceRef::default()
    };
    RecordAnswer {
        schema: 1,
        subgraph: "sg00".to_owned(),
        engine: "PE".to_owned(),
        profile: "p".to_owned(),
        record: info(name),
        spec: "page".to_owned(),
        links: vec![RecordLink {
            label: "slot 4".to_owned(),
            place: Some(place),
            ..RecordLink::default()
        }],
        hex: "00".repeat(16),
        fields: vec![field("a", 0, Vec::new()), field("b_c", 8, vec![to("functions.0")])],
    }
}

/// A page with its effects.
struct Here {
    state: State,
    effects: Vec<Effect>,
}

impl Here {
    fn open(view: View, query: &str) -> Self {
        let state = State {
            page: Page::View,
            view,
            session: "abc".to_owned(),
            letter_keys: true,
            ..State::default()
        };
        let mut here = Self { state, effects: Vec::new() };
        here.act(Action::Start(query.to_owned()));
        here.answer(Purpose::Regions, Arrived::Regions(Rc::new(regions("sg00"))));
        here
    }

    fn act(&mut self, action: Action) {
        self.effects.extend(update(&mut self.state, action).list);
    }

    fn structs(&mut self, action: StructsAction) {
        self.act(Action::Structs(action));
    }

    fn bytes(&mut self, action: BytesAction) {
        self.act(Action::Bytes(action));
    }

    fn run(&mut self, id: &'static str) {
        self.act(Action::Run(id));
    }

    fn answer(&mut self, purpose: Purpose, answer: Arrived) {
        let asked = self.state.asked.get(&purpose).copied().expect("a question");
        self.act(Action::Answer { asked, answer: Box::new(answer) });
    }

    /// The last question of a purpose since the last look.
    fn asked(&mut self, purpose: Purpose) -> Option<Request> {
        let list = std::mem::take(&mut self.effects);
        list.into_iter().rev().find_map(|effect| match effect {
            Effect::Ask(what, _, request, _) if what == purpose => Some(request),
            _ => None,
        })
    }

    fn address(&self) -> String {
        url::path(&self.state)
    }

    fn jumps(&self) -> usize {
        let jump = |effect: &&Effect| matches!(effect, Effect::Address(_, true));
        self.effects.iter().filter(jump).count()
    }
}

fn in_structs() -> Here {
    let mut here = Here::open(View::Structs, "");
    let names = ["eib", "functions", "functions.0", "functions.0.blocks.0"];
    here.answer(Purpose::Records, Arrived::Records(Rc::new(records(&names, 0, 4))));
    here.answer(Purpose::Record, Arrived::Record(Rc::new(record("eib"))));
    here.effects.clear();
    here
}

#[test]
fn a_pointer_leads_to_its_record_and_the_address_follows() {
    let mut here = in_structs();
    here.structs(StructsAction::Field(1));
    assert!(here.address().ends_with("&rec=eib&at=0x8"), "{}", here.address());
    let labels = |here: &Here| -> Vec<String> {
        trail::crumbs(&here.state).into_iter().map(|crumb| crumb.label).collect()
    };
    assert_eq!(labels(&here), ["sg00", "PE", "eib", "b_c @0x8"]);
    here.structs(StructsAction::Link(Some(1), 0));
    assert_eq!((here.state.structs.name.as_str(), here.jumps()), ("functions.0", 1));
    let Some(Request::Record { name, .. }) = here.asked(Purpose::Record) else { panic!() };
    assert_eq!(name, "functions.0");
    here.answer(Purpose::Record, Arrived::Record(Rc::new(record("functions.0"))));
    assert_eq!(labels(&here), ["sg00", "PE", "functions", "0"]);
    assert_eq!(
        here.state.structs.record_at(here.state.structs.cursor).unwrap().name,
        "functions.0"
    );
    // The link of the record itself leads to its slot in the Code view.
    here.structs(StructsAction::Link(None, 0));
    assert_eq!((here.state.view, here.state.selection.slot), (View::Code, Some(4)));
    // Back restores record and field, once the record is there.
    let query = "v=1&s=sg00&e=PE&slot=4&rec=eib&at=0x9".to_owned();
    here.act(Action::Restore { view: Some(View::Structs), query });
    here.answer(Purpose::Record, Arrived::Record(Rc::new(record("eib"))));
    assert_eq!((here.state.structs.name.as_str(), here.state.structs.field), ("eib", Some(1)));
}

#[test]
fn records_of_a_loader_have_rows_and_lead_to_bytes() {
    let mut here = in_structs();
    let kbin = |from: u64, record: RecordInfo| KbinAnswer {
        verdict: String::new(),
        verdict_text: String::new(),
        schema: 1,
        subgraph: "sg00".to_owned(),
        target: "cayman".to_owned(),
        target_provenance: Provenance::File,
        default_library: "sunda".to_owned(),
        default_library_provenance: Provenance::Modelled,
        from,
        total: 1,
        total_hits: 0,
        records: vec![record],
        note: None,
        gates: Vec::new(),
        diagnostics: Vec::new(),
        links: Vec::new(),
    };
    here.answer(Purpose::Kbin, Arrived::Kbin(Rc::new(kbin(0, info("mem_ref_set")))));
    assert_eq!(here.state.structs.rows.len(), 8, "three headings and five records");
    here.run("record-last");
    let Some(Request::Kbin { record, from, .. }) = here.asked(Purpose::KbinRecord) else {
        panic!()
    };
    assert_eq!((record.as_deref(), from), (Some("mem_ref_set"), 0));
    let shown = |from: u64| {
        let link = RecordLink {
            member: Some("a.bin".to_owned()),
            offset: 0x40,
            bytes: Some(8),
            ..RecordLink::default()
        };
        let own = RecordFieldInfo { link: Some(link), ..field("row", 100, Vec::new()) };
        let part = RecordPart {
            from,
            fields: vec![own],
            links: Vec::new(),
            hex_from: 0,
            hex: String::new(),
        };
        kbin(from, RecordInfo { rows: Some(200), part: Some(part), ..info("mem_ref_set") })
    };
    here.answer(Purpose::KbinRecord, Arrived::KbinRecord(Rc::new(shown(0))));
    here.structs(StructsAction::Rows(64));
    let Some(Request::Kbin { from, .. }) = here.asked(Purpose::KbinRecord) else { panic!() };
    assert_eq!(from, 64);
    here.answer(Purpose::KbinRecord, Arrived::KbinRecord(Rc::new(shown(64))));
    assert_eq!(here.asked(Purpose::KbinRecord), None, "once is enough");
    here.structs(StructsAction::Link(Some(0), 0));
    assert_eq!((here.state.view, here.state.bytes.selection()), (View::Bytes, (0x40, 0x48)));
    assert_eq!(here.state.bytes.of.name.as_deref(), Some("a.bin"));
}

#[test]
fn arrows_walk_the_tree_and_enter_goes_to_the_fields() {
    let mut here = in_structs();
    here.state.pane = Pane::Records;
    // eib, functions, functions.0, its block.
    for expected in ["functions", "functions.0", "functions.0.blocks.0"] {
        here.run("record-next");
        assert_eq!(here.state.structs.name, expected);
    }
    assert_eq!(here.jumps(), 0, "steps replace");
    here.run("record-out");
    assert_eq!(here.state.structs.name, "functions.0", "a leaf goes to its parent");
    here.run("record-out");
    assert_eq!(here.state.structs.rows.len(), 6, "and a parent closes");
    here.run("record-in");
    assert_eq!(here.state.structs.rows.len(), 7);
    here.answer(Purpose::Record, Arrived::Record(Rc::new(record("functions.0"))));
    here.run("record-open");
    assert_eq!((here.state.pane, here.state.structs.field), (Pane::Fields, Some(0)));
    here.run("record-next");
    assert_eq!(here.state.structs.field, Some(1));
    here.run("record-bytes");
    assert_eq!(here.state.view, View::Bytes);
    let of = &here.state.bytes.of;
    assert_eq!((of.of.as_str(), of.name.as_deref()), ("record", Some("functions.0")));
    assert_eq!(here.state.bytes.selection(), (8, 16), "the bytes of the field");
}

#[test]
fn a_search_asks_again_and_pages_follow_each_other() {
    let mut here = in_structs();
    here.structs(StructsAction::Find(" acc ".to_owned()));
    let Some(Request::Records { find, from, .. }) = here.asked(Purpose::Records) else { panic!() };
    assert_eq!((find.as_deref(), from), (Some("acc"), 0));
    here.answer(Purpose::Records, Arrived::Records(Rc::new(records(&["a", "b"], 0, 3))));
    let Some(Request::Records { find, from, .. }) = here.asked(Purpose::Records) else { panic!() };
    assert_eq!((find.as_deref(), from), (Some("acc"), 2));
    here.answer(Purpose::Records, Arrived::Records(Rc::new(records(&["c"], 2, 3))));
    assert_eq!(here.state.structs.rows.len(), 6);
    // Another engine asks anew, with the text.
    here.act(Action::SetEngine("SP".to_owned()));
    let Some(Request::Records { scope, find, .. }) = here.asked(Purpose::Records) else { panic!() };
    assert_eq!((scope.e.as_deref(), find.as_deref()), (Some("SP"), Some("acc")));
    here.run("search");
    assert!(here.effects.contains(&Effect::Focus(FocusOn::Search)));
}

#[test]
fn enter_opens_the_first_hit_once_it_is_there() {
    let mut here = in_structs();
    let before = here.state.structs.name.clone();
    here.structs(StructsAction::Find("acc".to_owned()));
    here.structs(StructsAction::First);
    assert_eq!(here.state.structs.name, before, "what is shown are the rows of no search");
    here.answer(Purpose::Records, Arrived::Records(Rc::new(records(&["hit", "b"], 0, 2))));
    assert_eq!(here.state.structs.name, "hit");
    assert!(!here.state.structs.wants_first);
    // The tree above has nothing: the next one that has.
    here.structs(StructsAction::Find("mem".to_owned()));
    here.structs(StructsAction::First);
    let index = IndexAnswer {
        schema: 1,
        subgraph: "sg00".to_owned(),
        from: 0,
        total: 1,
        records: vec![info("variable.mem")],
    };
    here.answer(Purpose::Index, Arrived::Index(Rc::new(index)));
    assert_eq!(here.state.structs.name, "hit", "the tree above has not arrived");
    here.answer(Purpose::Records, Arrived::Records(Rc::new(records(&[], 0, 0))));
    assert_eq!(here.state.structs.name, "variable.mem");
    // Another text takes the wish back; an empty one has no hits.
    here.structs(StructsAction::Find("x".to_owned()));
    here.structs(StructsAction::First);
    here.structs(StructsAction::Find(String::new()));
    here.structs(StructsAction::First);
    assert!(!here.state.structs.wants_first);
}

#[test]
fn a_page_is_shown_from_another_view() {
    let mut here = Here::open(View::Code, "");
    here.structs(StructsAction::Show("transfer.ring.q.0.1".to_owned()));
    assert_eq!(here.state.view, View::Structs);
    assert_eq!(here.state.structs.name, "transfer.ring.q.0.1");
    let pushes = here.effects.iter().filter(|one| matches!(one, Effect::Address(_, true)));
    assert_eq!(pushes.count(), 1);
}

fn dump(structs: &[(&str, u64)], fields: Vec<RecordFieldInfo>) -> DumpAnswer {
    let structs: Vec<DumpStruct> = structs
        .iter()
        .map(|(name, at)| DumpStruct {
            name: (*name).to_owned(),
            kind: "t".to_owned(),
            offset: *at,
            context_offset: *at,
            bytes: 48,
            fields: fields.clone(),
            ..DumpStruct::default()
        })
        .collect();
    DumpAnswer {
        schema: 1,
        file: "top.bin".to_owned(),
        file_bytes: 0x44E8,
        generation: "cayman".to_owned(),
        generation_provenance: Provenance::Inferred,
        arch_id: "0xc".to_owned(),
        offset: 0,
        context_bytes: 0x44E8,
        mesh_events: 108,
        from: 0,
        total: structs.len() as u64,
        structs,
        diagnostics: Vec::new(),
        provenance: Provenance::File,
    }
}

#[test]
fn structs_of_a_dump_are_a_tree_of_their_own() {
    let mut here = in_structs();
    assert_eq!(here.asked(Purpose::Dump), None, "no dump is open");
    let file = |name: &str, kind: &str| FileInfo {
        name: name.to_owned(),
        bytes: 1,
        kind: kind.to_owned(),
    };
    let files = vec![file("a.neff", "neff"), file("top.bin", "dump")];
    let files = FilesAnswer { schema: 1, files, pairs: Vec::new() };
    here.answer(Purpose::Files, Arrived::Files(Rc::new(files)));
    let Some(Request::Dump { names_only, name, .. }) = here.asked(Purpose::Dump) else { panic!() };
    assert_eq!((names_only, name), (true, None));
    let heads = |here: &Here| {
        here.state.structs.rows.iter().filter(|row| row.what == RowKind::Head).count()
    };
    assert_eq!(heads(&here), 3, "its heading comes with its first page");
    let list = dump(&[("configs.dev", 0x4250), ("configs.dev.tsync", 0x4250)], Vec::new());
    here.answer(Purpose::Dump, Arrived::Dump(Rc::new(list)));
    assert_eq!(heads(&here), 4);
    let row = here.state.structs.row_of("dump.configs.dev").unwrap();
    here.structs(StructsAction::Row(row));
    let Some(Request::Dump { name, .. }) = here.asked(Purpose::DumpStruct) else { panic!() };
    assert_eq!(name.as_deref(), Some("configs.dev"));
    let one = dump(&[("configs.dev", 0x4250)], vec![field("tpb_ctrl_ack", 36, Vec::new())]);
    here.answer(Purpose::DumpStruct, Arrived::DumpStruct(Rc::new(one)));
    here.structs(StructsAction::Field(0));
    let labels: Vec<String> =
        trail::crumbs(&here.state).into_iter().map(|crumb| crumb.label).collect();
    assert_eq!(labels, ["top.bin", "dump.configs.dev", "tpb_ctrl_ack @0x24"]);
    here.run("record-bytes");
    let of = &here.state.bytes.of;
    assert_eq!((of.of.as_str(), of.name.as_deref()), ("dump", Some("cayman@0x0")));
    assert_eq!(here.state.bytes.selection(), (0x4250 + 36, 0x4250 + 44));
}

fn in_bytes(query: &str, answer: BytesAnswer) -> Here {
    let mut here = Here::open(View::Bytes, query);
    here.answer(Purpose::Bytes, Arrived::Bytes(Rc::new(answer)));
    here.effects.clear();
    here
}

#[test]
fn an_address_names_bytes_and_a_selection() {
    let query = "v=1&e=PE&of=member&name=a.bin&at=0x10&len=0x4";
    let here = in_bytes(query, page(0, 8192, 8192, "raw"));
    assert_eq!(here.state.bytes.selection(), (16, 20));
    assert!(here.address().contains("&of=member&name=a.bin&at=0x10&len=0x4"), "{}", here.address());
    let labels: Vec<String> =
        trail::crumbs(&here.state).into_iter().map(|crumb| crumb.label).collect();
    assert_eq!(labels, ["a.bin", "0x10..0x14, 4 bytes"]);
}

#[test]
fn keys_move_select_and_copy() {
    let mut here = in_bytes("of=member&name=a.bin", page(0, 64, 64, "raw"));
    here.state.pane = Pane::Bytes;
    here.run("byte-down");
    here.run("extend-next");
    here.run("extend-down");
    assert_eq!(here.state.bytes.selection(), (16, 34));
    here.run("copy-hex");
    let expected = ["00"; 18].join(" ");
    assert!(here.effects.contains(&Effect::Copy(expected, "Hex")));
    here.run("byte-last");
    here.run("copy-offset");
    assert!(here.effects.contains(&Effect::Copy("a.bin+0x3f".to_owned(), "Address")));
    here.run("byte-row-start");
    assert_eq!(here.state.bytes.cursor, 48);
    here.run("as-text");
    assert!(here.address().ends_with("&as=text"));
    // Esc first lets go of the selection.
    here.run("extend-next");
    here.run("close");
    assert_eq!(here.state.bytes.selection(), (49, 50));
}

#[test]
fn fields_and_pages_are_asked_for_as_the_window_moves() {
    let mut slots = page(0, 8192, 1 << 20, "slots");
    slots.fields = vec![field("opcode", 0, Vec::new())];
    let mut here = in_bytes("of=stream", slots);
    here.bytes(BytesAction::Byte(70, false));
    let Some(Request::Bytes { at, count, .. }) = here.asked(Purpose::Fields) else { panic!() };
    assert_eq!((at, count), (Some(70), Some(0)));
    here.bytes(BytesAction::Seen(0x4000, 0x4200));
    let Some(Request::Bytes { from, count, .. }) = here.asked(Purpose::Bytes) else { panic!() };
    assert_eq!((from, count), (0, Some(0x6000)), "with the cursor, and a page on both sides");
    // A slot of a stream is a record of the program.
    here.run("byte-code");
    assert_eq!((here.state.view, here.state.selection.ip), (View::Code, Some(2)));
}

#[test]
fn the_bytes_follow_the_slot_that_was_selected() {
    let mut here = Here::open(View::Code, "e=PE&slot=3");
    here.answer(Purpose::Slot, Arrived::Slot(Rc::new(slot_answer(Some(3), Some(1), 6))));
    here.run("view-bytes");
    assert_eq!(here.state.bytes.of.of, "image");
    assert_eq!(here.state.bytes.selection(), (192, 256));
    let to = BytesRef {
        of: BytesOf { of: "image".to_owned(), ..BytesOf::default() },
        e: Some("SP".to_owned()),
        at: 64,
        bytes: 1,
    };
    here.bytes(BytesAction::Open(to));
    assert_eq!((here.state.selection.e.as_str(), here.state.bytes.cursor), ("SP", 64));
}
