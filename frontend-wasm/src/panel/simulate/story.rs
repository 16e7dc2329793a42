//! How the run ended: the outcome, the cause, the wait graph, what stands still, findings.

use super::{drawing, link, more as parts_of, times};
use crate::dom::{El, div, el, span};
use crate::layout::format::count;
use crate::layout::simulate::{RunBox, graph, words};
use crate::layout::state::SizeClass;
use crate::paint::glyph::{button, engine_glyph, symbol, sync};
use crate::panel::dialog::finding;
use debug_api::RunChoices;
use debug_api::answer::{PosterInfo, SimulateAnswer, StuckInfo};

/// Stuck slots that are listed.
const MOST_STUCK: usize = 64;
/// Posters of one of them.
const MOST_POSTERS: usize = 6;
/// Findings that are listed.
const MOST_FINDINGS: usize = 64;

/// The parts, for a width of the window.
pub fn parts(own: &RunBox, size: SizeClass) -> Vec<El> {
    let row = match size {
        SizeClass::Narrow => 2,
        SizeClass::Medium => 3,
        SizeClass::Wide => 4,
    };
    if own.busy && own.answer.is_none() {
        let text = "Engines, rings and host are stepped until all is done, nothing can happen any \
                    more, or the events run out.";
        return vec![gap("The program runs.", text)];
    }
    if let Some(why) = &own.refused {
        let text = span("tx", "").child(el("b").text("The program did not run. ")).and_text(why);
        return vec![div("banner err").child(symbol("ic", "v-error")).child(text)];
    }
    let Some(answer) = &own.answer else {
        let text = "Simulate runs the program on modelled engines, DMA rings and host: it tells \
                    whether the program comes to an end, and if it stands still, which wait is the \
                    cause and who could end it. Rings can be stalled, posts dropped and cores \
                    delayed to see what follows. All times are those of our timing model.";
        let go = div("row").child(button("btn sm").attr("data-do", "go").text("Simulate now"));
        return vec![gap("The program has not run yet.", text).child(go)];
    };
    let mut out = vec![outcome(own, answer)];
    out.extend(fault(answer));
    if !answer.stuck.is_empty() {
        out.extend(waits(answer, row));
        out.push(el("h3").class("rh").text("What stands still"));
        let cause = answer.cause.as_ref().map_or(&[][..], |cause| cause.stuck.as_slice());
        let ranks = words::has_ranks(answer);
        let mut order: Vec<usize> = cause.to_vec();
        order.extend((0..answer.stuck.len()).filter(|at| !cause.contains(at)));
        let listed = order.iter().take(MOST_STUCK).filter_map(|at| {
            answer
                .stuck
                .get(*at)
                .map(|one| stuck(one, cause.contains(at), answer.cores.len() > 1, ranks))
        });
        out.push(el("ul").class("rlist1").children(listed));
        out.extend(more(answer.stuck.len(), MOST_STUCK, "engine"));
    }
    out.extend(answer.ties.iter().flat_map(parts_of::ties));
    if !answer.top_sps.is_empty() {
        out.extend(parts_of::top_sps(&answer.top_sps));
    }
    out.extend(answer.calibration.iter().flat_map(parts_of::calibration));
    out.extend(answer.cores.iter().map(|core| times::bars(core, answer)));
    if !answer.diagnostics.is_empty() {
        out.push(el("h3").class("rh").text("Findings"));
        let list = answer.diagnostics.iter().take(MOST_FINDINGS).map(finding);
        out.push(div("rfind").children(list));
        out.extend(more(answer.diagnostics.len(), MOST_FINDINGS, "finding"));
    }
    out
}

fn gap(title: &str, text: &str) -> El {
    div("gap").child(el("b").text(title)).child(el("br")).and_text(text)
}

fn more(all: usize, shown: usize, noun: &str) -> Option<El> {
    let left = all.saturating_sub(shown);
    (left > 0).then(|| el("p").class("rmore t3").text(&format!("and {}", count(left as u64, noun))))
}

fn outcome(own: &RunBox, answer: &SimulateAnswer) -> El {
    let (class, icon) = words::severity(answer);
    let mut text = span("tx", "").child(el("b").text(&format!("{}.", words::outcome(answer))));
    for sentence in &answer.words {
        text = text.and_text(&format!(" {sentence}"));
    }
    if let Some(cause) = &answer.cause {
        text = text.and_text(" ").child(span("code", &format!("run.{}", cause.kind)));
    }
    let made = div(&format!("banner {class} rout")).child(symbol("ic", icon)).child(text);
    if !own.ran.as_ref().is_some_and(RunChoices::breaks) {
        return made;
    }
    made.child(button("btn sm").attr("data-do", "repair").text("Run without what is broken"))
}

fn fault(answer: &SimulateAnswer) -> Option<El> {
    let fault = answer.fault.as_ref()?;
    let open = link(&fault.place, &format!("{} in Code", words::place(&fault.place)));
    Some(el("p").class("rline").and_text("The record that cannot run: ").child(open))
}

fn waits(answer: &SimulateAnswer, row: usize) -> Vec<El> {
    let picture = graph::picture(answer, row);
    if picture.nodes.is_empty() {
        return Vec::new();
    }
    let label = format!(
        "Who waits for whom, {} drawn. {}",
        count(picture.nodes.len() as u64, "node"),
        answer.words.join(" ")
    );
    let scroll = div("rscroll").attr("tabindex", "0").attr("role", "region");
    let scroll = scroll.attr("aria-label", "Wait graph").child(drawing::drawing(&picture, &label));
    let mut note =
        "An arrow leads from who waits to who could end the wait; red is the cause, the \
                    others wait because of it."
            .to_owned();
    let (nodes, edges) = picture.left_out;
    let parts = [(nodes, "node"), (edges, "wait")];
    let parts = parts.into_iter().filter(|(left, _)| *left > 0);
    let parts: Vec<String> = parts.map(|(left, noun)| count(left as u64, noun)).collect();
    if !parts.is_empty() {
        note.push_str(&format!(
            " Not drawn: {} beside the cause; the list below has them.",
            parts.join(" and ")
        ));
    }
    vec![
        el("h3").class("rh").text("Who waits for whom"),
        scroll,
        el("p").class("rline t3").text(&note),
    ]
}

fn stuck(one: &StuckInfo, is_cause: bool, several: bool, ranks: bool) -> El {
    let place = words::place(&one.place);
    let place = match (several, ranks) {
        (false, _) => place,
        (true, false) => format!("{} {place}", one.subgraph),
        (true, true) => format!("rank {} {} {place}", one.rank, one.subgraph),
    };
    let mut head = div("rhead1").child(engine_glyph(&one.engine)).child(link(&one.place, &place));
    let condition = words::condition(one);
    if !condition.is_empty() {
        head = head.child(sync(true, &condition));
    }
    if let Some(value) = one.value {
        head = head.child(span("rval mono", &format!("is {value}")));
    }
    // A wait on a register does not say itself what it needs.
    let said = one.wait.as_ref().and_then(|wait| wait.value).is_some();
    if let Some(needs) = one.needs.filter(|_| !said) {
        head = head.child(span("t3", &format!("needs {needs}")));
    }
    head = head.child(span("grow", ""));
    if is_cause {
        head = head.child(span("badge seve", "cause"));
    }
    head = head.child(span("t3", &one.reason));
    let mut made = el("li").class(if is_cause { "rstuck cause" } else { "rstuck" }).child(head);
    made = made.child(el("p").text(&one.words));
    made = posters(made, &one.waits_for);
    if let Some(also) = &one.also {
        made = made.child(
            el("p").text(&format!("Its second wait does not hold either: {}.", also.reason)),
        );
        made = posters(made, &also.waits_for);
    }
    made
}

fn posters(made: El, all: &[PosterInfo]) -> El {
    if all.is_empty() {
        return made;
    }
    let list = all.iter().take(MOST_POSTERS).map(|one| {
        let mut item = el("li").and_text(&words::capital(&one.words));
        if let Some(place) = &one.place {
            item = item.and_text(" ").child(link(place, &words::place(place)));
        }
        item
    });
    let list = el("ul").class("rpost").children(list);
    let left = all.len().saturating_sub(MOST_POSTERS);
    let made = made.child(list);
    match left {
        0 => made,
        left => made.child(el("p").class("t3").text(&format!("and {left} more who could post"))),
    }
}
