//! The breadcrumb of the Structs and Bytes views, down to the field.

use super::lone::is_dump;
use super::state::{State, View};
use super::structs::TreeKind;

/// A part of the breadcrumb and where it leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crumb {
    /// What it says.
    pub label: String,
    /// Record that it shows.
    pub record: Option<String>,
    /// Bytes that it selects, first and end.
    pub bytes: Option<(u64, u64)>,
}

/// The breadcrumb behind the file's name; none in views that have their own.
pub fn crumbs(state: &State) -> Vec<Crumb> {
    match state.view {
        View::Structs => structs(state),
        View::Bytes => bytes(state),
        View::Memory => memory(state),
        View::Collectives => collectives(state),
        View::Run => run(state),
        View::Regions | View::Code | View::Timeline => Vec::new(),
    }
}

/// Subgraph, engine, each record above the one that is shown, its field.
pub fn structs(state: &State) -> Vec<Crumb> {
    let plain = |label: &str| Crumb { label: label.to_owned(), ..Crumb::default() };
    let view = &state.structs;
    let kind = TreeKind::of_name(&view.name);
    let dump = view.dump.as_ref().map_or("dump", |dump| dump.file.as_str());
    if is_dump(state) {
        // The file's name stands before; the page names structs without a word for the dump.
        let whole = Crumb { record: Some(view.name.clone()), ..plain(&view.name) };
        return if view.name.is_empty() { Vec::new() } else { vec![whole] };
    }
    let mut out = vec![plain(if kind == TreeKind::Dump { dump } else { &state.selection.s })];
    if kind == TreeKind::Runtime {
        out.push(plain(&state.selection.e));
    }
    let known = |name: &str| {
        view.trees.iter().any(|tree| tree.records.iter().any(|record| record.name == name))
    };
    let name = view.name.as_str();
    if TreeKind::of_name(name) == TreeKind::Index {
        // Names of variables and queues are whole, whatever dots they have.
        let (kind, rest) = name.split_once('.').unwrap_or(("", name));
        out.push(plain(kind));
        match rest.rsplit_once('.').filter(|_| kind == "transfer") {
            Some((record, row)) if record.starts_with("ring.") => {
                let link = Some(record.to_owned());
                out.push(Crumb { label: record.to_owned(), record: link, bytes: None });
                out.push(plain(&format!("descriptor {row}")));
            }
            Some((engine, ip)) => out.push(plain(&format!("{engine} IP {ip}"))),
            None => out.push(plain(rest)),
        }
        return out;
    }
    let mut last = 0;
    let ends = name.match_indices('.').map(|(at, _)| at).chain([name.len()]);
    for end in ends {
        let head = name.get(..end).unwrap_or(name);
        if end == name.len() || known(head) {
            out.push(Crumb {
                label: name.get(last..end).unwrap_or(head).to_owned(),
                record: Some(head.to_owned()),
                bytes: None,
            });
            last = end + 1;
        }
    }
    let record = view.record.as_ref().filter(|record| record.record.name == view.name);
    if let Some(field) = record.zip(view.field).and_then(|(record, at)| record.fields.get(at)) {
        out.push(Crumb {
            label: format!("{} @{:#x}", field.name, field.offset),
            ..Crumb::default()
        });
    }
    out
}

/// The part of the Memory view, and what is selected in it.
pub fn memory(state: &State) -> Vec<Crumb> {
    use super::memory::Part;
    let view = &state.memory;
    let plain = |label: String| Crumb { label, ..Crumb::default() };
    let title = Part::ALL.iter().find(|(part, ..)| *part == view.part);
    let mut out = vec![plain("Memory".to_owned())];
    out.extend(title.map(|(_, _, title)| plain((*title).to_owned())));
    let chosen = match view.part {
        Part::Addresses => view.address.clone(),
        _ => view.picked.as_ref().map(|picked| match view.row(picked) {
            Some(row) => row.name.clone(),
            None => format!("{} variable {}", picked.subgraph, picked.id),
        }),
    };
    out.extend(chosen.map(plain));
    out
}

/// Rank, subgraph, TOP_SP and entry of the Collectives view, or its decoder.
pub fn collectives(state: &State) -> Vec<Crumb> {
    let view = &state.collectives;
    let plain = |label: String| Crumb { label, ..Crumb::default() };
    let mut out = vec![plain("Collectives".to_owned())];
    if view.decoder.open {
        out.push(plain("Decoder".to_owned()));
        return out;
    }
    let several = view.plan.as_ref().filter(|plan| !plan.ranks.is_empty());
    out.extend(several.and_then(|plan| plan.rank).map(|rank| plain(format!("rank {rank}"))));
    out.extend(view.plan.as_ref().map(|plan| plain(plan.subgraph.clone())));
    if let Some(picked) = view.picked {
        out.push(plain(format!("TOP_SP {}", picked.top_sp)));
        out.push(plain(format!("entry {}", picked.index)));
    }
    out
}

/// What runs, and how the run ended.
pub fn run(state: &State) -> Vec<Crumb> {
    let plain = |label: String| Crumb { label, ..Crumb::default() };
    let mut out = vec![plain("Run".to_owned())];
    if let Some(answer) = &state.run.answer {
        out.push(plain(answer.outcome.clone()));
    }
    out
}

/// What the bytes are of, the element, the field or the selection.
pub fn bytes(state: &State) -> Vec<Crumb> {
    let view = &state.bytes;
    let total = view.total();
    let mut out =
        vec![Crumb { label: label(state), bytes: (total > 0).then_some((0, total)), record: None }];
    if let Some(part) = view.part_at(view.cursor) {
        out.push(Crumb {
            label: part.name.clone(),
            bytes: Some((part.offset, part.offset + part.bytes)),
            record: None,
        });
    }
    let (first, end) = view.selection();
    let field = view.field_at(first).and_then(|field| view.fields.get(field));
    out.push(match field.filter(|field| end <= field.offset.saturating_add(field.bytes)) {
        Some(field) => Crumb {
            label: format!("{} @{:#x}", field.name, field.offset),
            bytes: Some((field.offset, field.offset.saturating_add(field.bytes))),
            record: None,
        },
        None => Crumb {
            label: match end - first {
                1 => format!("@{first:#x}"),
                _ => debug_api::plain::range(first, end),
            },
            bytes: Some((first, end)),
            record: None,
        },
    });
    out
}

/// What the bytes are of, in a word that a copy can carry.
pub fn label(state: &State) -> String {
    let (of, at) = (&state.bytes.of, &state.selection);
    match (of.of.as_str(), &of.name) {
        ("image" | "stream", _) => format!("{}/{} {}", at.s, at.e, of.of),
        ("record", Some(name)) => format!("{}/{} {name}", at.s, at.e),
        ("kbin", Some(name)) => format!("{} {name}", at.s),
        (_, Some(name)) => name.clone(),
        (other, None) => other.to_owned(),
    }
}
