//! The ranks of the session side by side, and what is odd.

use crate::dom::{El, div, el, span, svg};
use crate::layout::collectives::{CollectivesBox, words};
use crate::layout::format::count;
use crate::layout::state::State;
use crate::paint::glyph::{button, symbol};
use crate::panel::dialog::finding;
use debug_api::answer::{CollectivesAnswer, ComparedCollective};

/// Collectives of the grid.
const WIDE: usize = 16;
/// Differences that are listed.
const MOST: usize = 64;

/// The comparison.
pub fn parts(state: &State) -> Vec<El> {
    let own = &state.collectives;
    let Some(plan) = own.plan.as_ref().filter(|plan| !plan.ranks.is_empty()) else {
        let text = "Open the executables of all ranks in one session (drop several files at once, or \
                    one more): they are ranks 0, 1, 2 in their order, and this part shows the first \
                    place at which they do not ask for the same.";
        let gap = div("gap").child(el("b").text("One executable is open, which is one rank."));
        return vec![gap.child(el("br")).and_text(text)];
    };
    let mut out = vec![verdict(plan)];
    out.push(grid(own, plan));
    out.extend(differences(plan));
    out
}

fn verdict(plan: &CollectivesAnswer) -> El {
    match &plan.difference {
        Some(difference) => {
            let first = difference.values.iter().find_map(|value| value.place.as_ref());
            let mut text = span("tx", "")
                .child(el("b").text(&format!("First difference: {}.", difference.message)));
            if let Some(place) = first {
                let go = button("go").attr("data-go", &place.index.to_string());
                text = text.and_text(" ").child(go.text(&format!("Entry {}", place.index)));
            }
            div("banner warn").child(symbol("ic", "v-warning")).child(text)
        }
        None => {
            let text = format!("All {} ask for the same.", count(plan.ranks.len() as u64, "rank"));
            div("banner ok").child(symbol("ic", "i-check")).child(el("b").text(&text))
        }
    }
}

/// The collectives around the first difference, or around the selected one.
fn shown<'a>(own: &CollectivesBox, plan: &'a CollectivesAnswer) -> &'a [ComparedCollective] {
    let picked = own.picked.map(|at| at.index);
    let of_picked = plan.comparison.iter().position(|row| {
        let places = row.ranks.iter().filter_map(|cell| cell.place.as_ref());
        row.ranks.iter().any(|cell| cell.rank == own.rank)
            && places.clone().any(|place| Some(place.index) == picked)
    });
    let first = plan.difference.as_ref().and_then(|one| usize::try_from(one.index).ok());
    let at = of_picked.or(first).unwrap_or(0);
    let last = plan.comparison.len().saturating_sub(WIDE);
    let from = at.saturating_sub(WIDE / 2).min(last);
    let end = (from + WIDE).min(plan.comparison.len());
    plan.comparison.get(from..end).unwrap_or_default()
}

fn grid(own: &CollectivesBox, plan: &CollectivesAnswer) -> El {
    let columns = shown(own, plan);
    let head = columns
        .iter()
        .map(|column| el("th").attr("scope", "col").class("mono").text(&column.index.to_string()));
    let corner = el("th").attr("scope", "col").child(span("vh", "Rank"));
    let head = el("thead").child(el("tr").child(corner).children(head));
    let first = plan.difference.as_ref().map(|one| one.index);
    let rows = plan.ranks.iter().enumerate().map(|(at, rank)| {
        let name = el("th").attr("scope", "row").class(if rank.rank == own.rank {
            "mono on"
        } else {
            "mono"
        });
        let name = name.attr("title", &rank.name).text(&rank.rank.to_string());
        let cells = columns.iter().map(|column| {
            let cell = column.ranks.get(at);
            let place = cell.and_then(|cell| cell.place.as_ref());
            let differs = cell.is_some_and(|cell| !cell.differs.is_empty());
            let picked = place.is_some_and(|place| {
                rank.rank == own.rank && own.picked.map(|at| at.index) == Some(place.index)
            });
            let mut class = "cx".to_owned();
            for (name, on) in [
                (" dif", differs),
                (" on", picked),
                (" none", place.is_none()),
                (" first", differs && first == Some(column.index)),
            ] {
                class.push_str(if on { name } else { "" });
            }
            let what = match (place, differs) {
                (None, _) => "none",
                (Some(_), true) => "differs",
                (Some(_), false) => "same",
            };
            let label = format!("rank {}, collective {}: {what}", rank.rank, column.index);
            let one = button(&class).attr("aria-label", &label).attr("title", &label);
            let one = match place {
                Some(place) => one
                    .attr("data-go", &place.index.to_string())
                    .attr("data-rank", &rank.rank.to_string()),
                None => one.attr("disabled", ""),
            };
            el("td").child(one.child(sign(what)))
        });
        el("tr").child(name).children(cells)
    });
    let caption = format!(
        "{} \u{d7} {}",
        count(plan.comparison.len() as u64, "collective"),
        count(plan.ranks.len() as u64, "rank")
    );
    let title =
        el("h3").class("cap ccap").child(span("", "Across ranks")).child(span("", &caption));
    let table = el("table").class("cgrid").child(head).child(el("tbody").children(rows));
    let scroll = div("scrollx").attr("tabindex", "0").attr("role", "region");
    div("csec")
        .child(title)
        .child(scroll.attr("aria-label", "Collectives across ranks").child(table))
}

/// What a cell says, as a sign.
fn sign(what: &str) -> El {
    let drawing = svg("svg").attr("viewBox", "0 0 16 10").attr("aria-hidden", "true");
    if what == "differs" {
        let path = svg("path").attr("d", "M3 3.2h10M3 6.8h10M10.5 0.5l-5 9");
        return drawing.child(path);
    }
    drawing
}

fn differences(plan: &CollectivesAnswer) -> Option<El> {
    let all = plan.comparison.iter().flat_map(|row| {
        let cells = row.ranks.iter().filter(|cell| !cell.differs.is_empty());
        cells.flat_map(move |cell| cell.differs.iter().map(move |one| (row.index, cell, one)))
    });
    let rows: Vec<El> = all
        .take(MOST)
        .map(|(index, cell, one)| {
            let rank = el("td").class("mono");
            let name = format!("{}", cell.rank);
            let rank = match &cell.place {
                Some(place) => rank.child(
                    button("go mono")
                        .attr("data-go", &place.index.to_string())
                        .attr("data-rank", &name)
                        .attr("aria-label", &format!("rank {name}, collective {index}"))
                        .text(&name),
                ),
                None => rank.text(&name),
            };
            el("tr")
                .child(el("td").class("mono").text(&index.to_string()))
                .child(rank)
                .child(el("td").text(&one.field))
                .child(el("td").class("mono old").attr("title", &one.first).text(&one.first))
                .child(el("td").class("mono new").attr("title", &one.value).text(&one.value))
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let head = ["#", "Rank", "Field", "Rank 0", "This rank"];
    let head = head.map(|text| el("th").attr("scope", "col").text(text));
    let table = el("table").class("tbl dense cdiff");
    let table = table.child(el("thead").child(el("tr").children(head)));
    let title = el("h3").class("cap ccap").child(span("", "Against rank 0")).child(span("", ""));
    Some(div("csec").child(title).child(table.child(el("tbody").children(rows))))
}

/// What is odd, each with its place.
pub fn findings(state: &State) -> Vec<El> {
    let own = &state.collectives;
    let Some(plan) = &own.plan else { return Vec::new() };
    if plan.diagnostics.is_empty() {
        let text = "Tables have room, groups are whole, ranks agree as far as they are open.";
        return vec![
            div("gap").child(el("b").text("Nothing odd was found.")).child(el("br")).and_text(text),
        ];
    }
    let one = |one: &debug_api::answer::Finding| {
        let made = finding(one);
        match words::trigger_of(one, &plan.subgraph, &own.triggers) {
            Some(index) if place_is_known(plan) => {
                let go = button("go").attr("data-go", &index.to_string());
                made.child(span("grow", "")).child(go.text(&format!("Entry {index}")))
            }
            _ => made,
        }
    };
    plan.diagnostics.iter().map(one).collect()
}

/// Whether a place in a stream tells the collective: with several files it does not tell which.
fn place_is_known(plan: &CollectivesAnswer) -> bool {
    plan.ranks.is_empty()
}
