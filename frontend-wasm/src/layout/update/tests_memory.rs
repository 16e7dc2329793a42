//! Journeys through the Memory view.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use super::tests::regions;
use super::update;
use crate::layout::action::{Action, Arrived, Effect, MemoryAction};
use crate::layout::memory::map::tests::{plan, variable};
use crate::layout::memory::{Part, Shown};
use crate::layout::state::{Page, Purpose, State, View};
use debug_api::Provenance;
use debug_api::answer::{FileInfo, FilesAnswer, MemoryAnswer, PlacedVariable, PlacedVariables};
use std::rc::Rc;

/// A page with its effects.
struct Here {
    state: State,
    effects: Vec<Effect>,
}

impl Here {
    fn open() -> Self {
        let state = State {
            page: Page::View,
            view: View::Memory,
            session: "abc".to_owned(),
            letter_keys: true,
            ..State::default()
        };
        let mut here = Self { state, effects: Vec::new() };
        here.act(Action::Start(String::new()));
        let (name, kind) = ("a.neff".to_owned(), "neff".to_owned());
        let files = vec![FileInfo { name, bytes: 1, kind }];
        let files = FilesAnswer { schema: 1, files, pairs: Vec::new() };
        here.answer(Purpose::Files, Arrived::Files(Rc::new(files)));
        here.answer(Purpose::Regions, Arrived::Regions(Rc::new(regions("sg00"))));
        here
    }

    fn act(&mut self, action: Action) {
        self.effects.extend(update(&mut self.state, action).list);
    }

    fn answer(&mut self, purpose: Purpose, answer: Arrived) {
        let asked = self.state.asked.get(&purpose).copied().unwrap();
        self.act(Action::Answer { asked, answer: Box::new(answer) });
    }

    fn picked(&self) -> Option<u32> {
        self.state.memory.picked.as_ref().map(|one| one.id)
    }
}

/// A plan whose answer has some of so many places.
fn places(from: u32, to: u32, total: u64) -> Rc<MemoryAnswer> {
    let row = |id: u32| PlacedVariable {
        file: 0,
        subgraph: "sg00".to_owned(),
        id,
        name: format!("v{id}"),
        size: 64,
        place: "own".to_owned(),
        category: None,
        page: None,
        in_page_offset: None,
        address: None,
        reason: None,
        provenance: Provenance::Modelled,
    };
    let mut made = plan(&[variable(0, 0, 64)]);
    made.variables =
        PlacedVariables { total, from: u64::from(from), rows: (from..to).map(row).collect() };
    Rc::new(made)
}

#[test]
fn the_last_variable_is_the_last_of_all() {
    let mut here = Here::open();
    here.answer(Purpose::Memory, Arrived::Memory(vec![places(0, 4, 10), places(0, 0, 10)]));
    here.act(Action::Memory(MemoryAction::Part(Part::Variables)));
    here.act(Action::Run("memory-last"));
    // Not the last one of those that are there.
    assert_eq!((here.picked(), here.state.memory.cursor), (None, 0));
    here.answer(Purpose::Places, Arrived::Places(places(4, 8, 10)));
    assert_eq!(here.picked(), None);
    here.answer(Purpose::Places, Arrived::Places(places(8, 10, 10)));
    assert_eq!((here.picked(), here.state.memory.cursor), (Some(9), 9));
    here.act(Action::Run("memory-first"));
    assert_eq!(here.picked(), Some(0));

    // Another key while rows are still to come takes the wish back.
    let mut here = Here::open();
    here.answer(Purpose::Memory, Arrived::Memory(vec![places(0, 4, 6), places(0, 0, 6)]));
    here.act(Action::Memory(MemoryAction::Part(Part::Variables)));
    here.act(Action::Run("memory-last"));
    here.act(Action::Run("memory-next"));
    here.answer(Purpose::Places, Arrived::Places(places(4, 6, 6)));
    assert_eq!(here.picked(), Some(1));
}

#[test]
fn both_maps_are_one_where_the_runtime_gives_no_region() {
    let mut here = Here::open();
    let region = |mode: &str| Rc::new(MemoryAnswer { mode: mode.to_owned(), ..plan(&[]) });
    here.act(Action::Memory(MemoryAction::Shown(Shown::Both)));
    for (mode, maps) in [("contiguous", 2), ("paged", 1)] {
        here.state.memory.asked = None;
        here.act(Action::Memory(MemoryAction::Bank(0)));
        here.answer(Purpose::Memory, Arrived::Memory(vec![region("paged"), region(mode)]));
        assert_eq!(here.state.memory.maps().len(), maps, "{mode}");
    }
}
