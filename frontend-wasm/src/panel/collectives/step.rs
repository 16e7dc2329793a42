//! What ranks do at the step: waits, transfers, their end, posts.

use crate::dom::{El, div, el, span};
use crate::layout::collectives::{CollectivesBox, rank_of, words};
use crate::layout::format::thousands;
use crate::paint::glyph::{provenance, sync};
use debug_api::answer::{CollectiveTrigger, ScheduleAct, ScheduleSync};

/// Acts that are listed; and transfers, waits or posts of one.
const MOST: (usize, usize) = (64, 8);

/// The acts of the step, those of the chosen rank first.
pub fn parts(own: &CollectivesBox) -> Vec<El> {
    let (Some(step), Some(trigger)) = (own.step_shown(), own.trigger()) else {
        let text = "The step of a schedule with the semaphores that ranks wait for and post.";
        return vec![div("gap").child(el("b").text("No step.")).child(el("br")).and_text(text)];
    };
    let me = own.node_shown();
    let (mine, others): (Vec<_>, Vec<_>) = step.acts.iter().partition(|act| act.rank == me);
    let rank = rank_of(trigger, me);
    let mut out =
        vec![titled(&format!("Rank {rank}"), &format!("{}, {}", step.phase, step.source))];
    if mine.is_empty() {
        out.push(div("cact").child(span("t3", "does nothing at this step")));
    }
    out.extend(mine.into_iter().map(|one| act(one, trigger, false)));
    if !others.is_empty() {
        let text = thousands(others.len() as u64);
        out.push(titled("Other ranks", &text));
        let more = others.len().saturating_sub(MOST.0);
        out.extend(others.into_iter().take(MOST.0).map(|one| act(one, trigger, true)));
        if more > 0 {
            let text = format!("and {} more; choose the rank above", thousands(more as u64));
            out.push(div("cact t3").text(&text));
        }
    }
    out
}

fn titled(title: &str, side: &str) -> El {
    el("h3").class("cap ccap").child(span("", title)).child(span("", side))
}

fn act(one: &ScheduleAct, trigger: &CollectiveTrigger, named: bool) -> El {
    let rank = |place: u32| rank_of(trigger, place);
    let mut head = div("cah");
    if named {
        let name = el("button").attr("type", "button").class("go mono");
        head = head.child(
            name.attr("data-node", &one.rank.to_string()).text(&format!("rank {}", rank(one.rank))),
        );
    }
    head = head.child(span("t2", &one.leaf));
    let mut made = div("cact").child(head);
    let wait =
        |wait: &'_ ScheduleSync| (true, words::wait(wait), wait.provenance, wait.source.clone());
    let waits = one.waits.iter().map(wait);
    let after = one.after.iter().map(wait);
    let posts = one
        .posts
        .iter()
        .map(|post| (false, words::post(post, rank), post.provenance, post.source.clone()));
    let line = |(is_wait, text, of, source): (bool, String, _, String)| {
        let said = if is_wait { "waits" } else { "posts" };
        div("cal")
            .child(span("t3", said))
            .child(sync(is_wait, &text))
            .child(span("grow", ""))
            .child(span("t3 cs", &source))
            .child(provenance(of))
    };
    made = made.children(waits.take(MOST.1).map(line));
    for one in one.moves.iter().take(MOST.1) {
        let text = words::transfer(one, rank);
        let text = span("mono cut", &text).attr("title", &text);
        made = made.child(div("cal").child(span("t3", "moves")).child(text));
    }
    let more = one.moves.len().saturating_sub(MOST.1);
    if more > 0 {
        let text = format!("and {} more transfers", thousands(more as u64));
        made = made.child(div("cal").child(span("t3", "")).child(span("t3", &text)));
    }
    made = made.children(after.map(line));
    let left = one.posts.len().saturating_sub(MOST.1);
    made = made.children(posts.take(MOST.1).map(line));
    if left > 0 {
        let text = format!("and {} more posts", thousands(left as u64));
        made = made.child(div("cal").child(span("t3", "")).child(span("t3", &text)));
    }
    made
}
