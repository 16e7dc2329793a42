//! Which panes a layout shows.

use crate::layout::state::{Page, Pane, SizeClass, State, View};

/// The panes that a layout shows, in F6 order.
pub fn panes(state: &State) -> Vec<Pane> {
    use Pane::{
        Bytes, Code, Drawer, Entries, EntryFields, Fields, Members, Memory, MemoryDetails, Records,
        Regions, Run, RunState, Source, Timeline, TimelineDetails, Topology,
    };
    match (state.page, state.view) {
        (Page::Start, _) => return Vec::new(),
        (_, View::Structs) => return vec![Records, Fields],
        (_, View::Bytes) => return vec![Members, Bytes, Fields],
        (_, View::Memory) if state.has_details() => return vec![Memory, MemoryDetails],
        (_, View::Memory) => return vec![Memory],
        (_, View::Collectives) if state.has_details() => {
            return vec![Entries, EntryFields, Topology];
        }
        (_, View::Collectives) => return vec![Entries, EntryFields],
        (_, View::Timeline) if state.has_details() => return vec![Timeline, TimelineDetails],
        (_, View::Timeline) => return vec![Timeline],
        (_, View::Run) if state.has_details() => return vec![Run, RunState],
        (_, View::Run) => return vec![Run],
        _ => {}
    }
    let mut panes = match (state.size_class, state.view) {
        (SizeClass::Narrow, View::Regions) => vec![Regions],
        (SizeClass::Narrow, View::Code) => vec![Code],
        (SizeClass::Medium, View::Regions) => vec![Regions, Code],
        (SizeClass::Medium, View::Code) => vec![Code, Source],
        _ => vec![Regions, Code, Source],
    };
    if state.has_details() {
        panes.push(Drawer);
    }
    panes
}
