//! The box for a runtime log as a dialog: paste, read, and go where a line leads.

use super::Dispatch;
use super::dialog::{finding, keep_tab};
use crate::dom::{
    El, Listener, append, by_id, closest, data_number, div, el, on, replace_children, set_attr,
    set_hidden, set_text, span,
};
use crate::layout::action::Action;
use crate::layout::log::{self, LogItem, LogRow, Spot};
use crate::layout::state::{About, Overlay, State};
use crate::paint::glyph::{self, button, icon};
use debug_api::answer::{At, Finding, LogAnswer, LogLine};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement, KeyboardEvent};

/// The dialog.
pub struct LogPanel {
    root: Element,
    input: Element,
    send: Element,
    body: Element,
    open: bool,
    drawn: Drawn,
    _listeners: Vec<Listener>,
}

/// What the lower part shows.
#[derive(Clone, Default)]
struct Drawn {
    answer: Option<Rc<LogAnswer>>,
    waiting: bool,
    problem: Option<String>,
}

impl Drawn {
    fn same(&self, other: &Self) -> bool {
        let answers = match (&self.answer, &other.answer) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        answers && self.waiting == other.waiting && self.problem == other.problem
    }
}

impl LogPanel {
    /// Builds it, hidden.
    pub fn new(dispatch: Dispatch) -> Self {
        let input = el("textarea")
            .class("logtext mono")
            .attr("id", "log-input")
            .attr("data-first", "")
            .attr("spellcheck", "false")
            .attr("autocomplete", "off")
            .attr("aria-label", "Text of the log")
            .attr("placeholder", "Paste lines of a Neuron runtime log")
            .build();
        let send = button("btn pri").attr("type", "submit").text("Read the log").build();
        let clear = button("btn").attr("data-clear", "").text("Clear");
        let keys = span("row t3", "").child(el("kbd").class("kbd").text("Ctrl Enter"));
        let form = el("form")
            .attr("novalidate", "")
            .node(&input)
            .child(div("row logrow").node(&send).child(clear).child(keys))
            .build();
        let body = div("db").attr("tabindex", "0").attr("role", "region");
        let body = body.attr("aria-label", "What was read").build();
        let close = button("btn sm ghost sq").attr("data-close", "").attr("aria-label", "Close");
        let title = el("h2").attr("id", "log-title").text("Runtime log");
        let sheet = div("dlg log")
            .attr("role", "dialog")
            .attr("aria-modal", "true")
            .attr("aria-labelledby", "log-title")
            .attr("tabindex", "-1")
            .child(div("dh").child(title).child(close.child(icon("close"))))
            .node(&form)
            .node(&body);
        let root = div("scrim").child(sheet).build();
        set_hidden(&root, true);
        if let Some(overlay) = by_id("overlay") {
            append(&overlay, &root);
        }
        let listeners = listen(&root, &form, &input, &dispatch);
        let drawn = Drawn::default();
        Self { root, input, send, body, open: false, drawn, _listeners: listeners }
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let open = state.overlay == Overlay::Log;
        set_hidden(&self.root, !open);
        if self.open != open {
            self.open = open;
            set_value(&self.input, if open { &state.log.text } else { "" });
            self.drawn = Drawn::default();
            replace_children(&self.body, None);
        }
        if !open {
            return;
        }
        let notice = state.notices.iter().find(|notice| notice.about == About::Log);
        let now = Drawn {
            answer: state.log.answer.clone(),
            waiting: state.log.waiting,
            problem: notice.map(|notice| notice.message.clone()),
        };
        if self.drawn.same(&now) {
            return;
        }
        if state.log.text.is_empty() {
            set_value(&self.input, "");
        }
        set_text(&self.send, if now.waiting { "Reading" } else { "Read the log" });
        set_attr(&self.send, "aria-disabled", if now.waiting { "true" } else { "false" });
        let mut parts: Vec<El> = Vec::new();
        parts.extend(notice.map(|notice| {
            finding(&Finding {
                code: notice.code.clone(),
                severity: notice.severity.clone(),
                message: notice.message.clone(),
                at: At::default(),
            })
        }));
        if let Some(answer) = &now.answer {
            parts.extend(answer.diagnostics.iter().map(finding));
            parts.push(el("p").class("none").text(&log::summary(answer)));
            parts.extend(bases(answer));
            parts.push(el("ol").class("loglines").children(items(answer)));
            parts.extend(codes(answer));
        } else if notice.is_none() && !now.waiting {
            let text = "Device PCs, NEFF IPs, feature masks, missing notifications and status codes \
                are found in it. Nothing of it is kept.";
            parts.push(el("p").class("none").text(text));
        }
        replace_children(&self.body, parts);
        self.drawn = now;
    }
}

fn set_value(input: &Element, text: &str) {
    if let Some(input) = input.dyn_ref::<HtmlTextAreaElement>() {
        input.set_value(text);
    }
}

fn listen(root: &Element, form: &Element, input: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let read = {
        let (field, send) = (input.clone(), dispatch.clone());
        move || {
            if let Some(field) = field.dyn_ref::<HtmlTextAreaElement>() {
                send(Action::LogRead(field.value()));
            }
        }
    };
    let press = {
        let (own, send) = (root.clone(), dispatch.clone());
        on(root, "click", move |event| {
            let outside = event.target().as_ref() == Some(own.as_ref());
            if outside || closest(&event, "[data-close]").is_some() {
                send(Action::CloseOverlay);
            } else if closest(&event, "[data-clear]").is_some() {
                send(Action::LogClear);
            } else if let Some(base) = closest(&event, "[data-base]") {
                send(Action::LogBase(number(&base, "base")));
            } else if let Some(spot) = closest(&event, "[data-spot]") {
                send(Action::LogGo(number(&spot, "row"), number(&spot, "spot")));
            }
        })
    };
    let submit = {
        let read = read.clone();
        on(form, "submit", move |event| {
            event.prevent_default();
            read();
        })
    };
    let enter = on(input, "keydown", move |event| {
        let key = event.dyn_ref::<KeyboardEvent>();
        if key.is_some_and(|key| key.key() == "Enter" && (key.ctrl_key() || key.meta_key())) {
            event.prevent_default();
            read();
        }
    });
    vec![press, submit, enter, keep_tab(root)]
}

fn number(element: &Element, name: &str) -> usize {
    data_number(element, name).and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
}

/// The bases that were solved for, each with a button where it can be used.
fn bases(answer: &LogAnswer) -> Vec<El> {
    if answer.solved.is_empty() {
        return Vec::new();
    }
    let row = |(at, solved): (usize, &debug_api::answer::SolvedBase)| {
        let what = el("b").class("mono").text(&solved.what());
        let text = div("tx").child(what).and_text(" ").child(glyph::provenance(solved.provenance));
        let text = text
            .child(div("t2").text(&solved.from_what()))
            .child(div("t2").text(&solved.how_sure(&answer.solved)));
        let used = solved.profile.as_ref().map(|_| {
            let name = format!("Use this base for {}", solved.engine);
            button("btn sm").attr("data-base", &at.to_string()).text(&name)
        });
        div("lsolved").child(glyph::engine(&solved.engine)).child(text).children(used)
    };
    let title = el("h3").class("cap").text("Bases that fit this log");
    let how = el("p").class("none").text(LogAnswer::SOLVED);
    [title, how].into_iter().chain(answer.solved.iter().enumerate().map(row)).collect()
}

/// The lines, those without a PC, an IP or a code folded.
fn items(answer: &LogAnswer) -> Vec<El> {
    let mut rows = 0;
    let item = |item: LogItem<'_>| match item {
        LogItem::Row(row) => {
            rows += 1;
            line(rows - 1, &row)
        }
        LogItem::Fold { words, lines, .. } => {
            let numbered = |line: &LogLine| format!("{:>6}  {}", line.line, line.text);
            let text = lines.iter().map(numbered).collect::<Vec<_>>().join("\n");
            let pre = el("pre").class("mono").attr("tabindex", "0").text(&text);
            let summary = el("summary").text(&words);
            el("li").class("lfold").child(el("details").child(summary).child(pre))
        }
    };
    log::items(answer).into_iter().map(item).collect()
}

fn line(at: usize, row: &LogRow<'_>) -> El {
    let head = div("lh")
        .child(span("mono t3", &row.line.line.to_string()))
        .child(span("badge", &row.line.kind));
    let spots = row.spots.iter().enumerate().map(|(number, spot)| place(at, number, spot));
    let body = div("lb")
        .child(el("code").class("lt").text(&row.line.text))
        .children(spots)
        .child(el("p").class("ls").text(&row.says));
    el("li").child(head).child(body)
}

fn place(row: usize, number: usize, spot: &Spot<'_>) -> El {
    let go = button("lgo")
        .attr("data-row", &row.to_string())
        .attr("data-spot", &number.to_string())
        .child(glyph::engine(&spot.place.e))
        .child(el("b").text(&spot.label))
        .child(glyph::provenance(spot.provenance))
        .child(span("mono t2", &spot.detail))
        .child(span("t2", &spot.note));
    div("lp").child(go)
}

/// The status codes, explained.
fn codes(answer: &LogAnswer) -> Vec<El> {
    if answer.codes.is_empty() {
        return Vec::new();
    }
    let rows = answer.codes.iter().flat_map(|code| {
        let name = format!("{} {}", code.code, code.name);
        let text = format!("{} {}", code.meaning, code.advice);
        [el("dt").class("mono").text(&name), el("dd").text(&text)]
    });
    let title = el("h3").class("cap").text("Status codes");
    vec![title, el("dl").class("logcodes").children(rows)]
}
