//! The scratchpad calculator: where a range of a scratchpad is.

use crate::dom::{
    El, Listener, append, div, el, find, on, replace_children, set_attr, set_hidden, set_opt_attr,
    set_text, span,
};
use crate::layout::action::{Action, MemoryAction};
use crate::layout::memory::words::size;
use crate::layout::memory::{CalcField, PAGE_SIZES};
use crate::layout::state::State;
use crate::paint::glyph::{provenance, symbol};
use crate::panel::Dispatch;
use debug_api::answer::{Finding, ScratchpadAnswer};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement};

/// The answer that is drawn.
type Told = Option<Result<Rc<ScratchpadAnswer>, String>>;

/// The form.
pub struct CalcForm {
    root: Element,
    fields: Vec<(CalcField, Element, Element)>,
    answer: Element,
    told: Option<Told>,
    _listeners: Vec<Listener>,
}

impl CalcForm {
    /// Builds the form.
    pub fn new(dispatch: &Dispatch) -> Self {
        let sizes = PAGE_SIZES.iter().map(|bytes| el("option").attr("value", &size(*bytes)));
        let form = el("form").class("mform").attr("aria-label", "Scratchpad calculator").build();
        append(&form, &el("datalist").attr("id", "calc-sizes").children(sizes).build());
        let mut fields = Vec::new();
        for (field, id, label) in CalcField::ALL {
            let input = match field {
                CalcField::Mode => el("select").class("inp").children(
                    ["paged", "contiguous"].map(|mode| el("option").attr("value", mode).text(mode)),
                ),
                _ => {
                    let input = el("input").class("inp mono").attr("type", "text");
                    let input = input.attr("autocomplete", "off").attr("spellcheck", "false");
                    if field == CalcField::PageSize {
                        input.attr("list", "calc-sizes")
                    } else {
                        input
                    }
                }
            };
            let input = input.attr("id", id).attr("data-calc", id).build();
            let why = span("fwhy", "").attr("id", &format!("{id}-why")).attr("hidden", "").build();
            let row = div("fld").child(el("label").attr("for", id).text(label)).node(&input);
            append(&form, &row.node(&why).build());
            fields.push((field, input, why));
        }
        let answer = div("mans").attr("role", "status").build();
        let lead = el("p").class("t2").text(
            "What the runtime answers for a range of a scratchpad: the page and the place in it, or that \
             there is none. Sizes take units, such as 512 MiB.",
        );
        let root = div("mcalc").child(el("h3").text("Scratchpad calculator")).child(lead);
        let root = root.node(&form).node(&answer).build();
        let listeners = ["input", "change"].map(|kind| {
            let (send, own) = (dispatch.clone(), fields.clone());
            on(&form, kind, move |event| {
                let Some(target) = event.target() else { return };
                for (field, input, _) in &own {
                    let own: &web_sys::EventTarget = input;
                    if *own == target {
                        let action = MemoryAction::Calc(*field, value(input));
                        send(Action::Memory(action));
                    }
                }
            })
        });
        let submit = on(&form, "submit", |event| event.prevent_default());
        let listeners = listeners.into_iter().chain([submit]).collect();
        Self { root, fields, answer, told: None, _listeners: listeners }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the offset.
    pub fn focus(&self) {
        let input = find(&self.root, "#calc-offset");
        if let Some(input) = input.and_then(|input| input.dyn_into::<HtmlElement>().ok()) {
            let _ = input.focus();
        }
    }

    /// Brings the form up to date.
    pub fn render(&mut self, state: &State) {
        let memory = &state.memory;
        for (field, input, why) in &self.fields {
            let text = memory.calc.get(*field);
            if value(input) != text {
                set(input, text);
            }
            let problem = memory.calc_problem(*field);
            set_hidden(why, problem.is_none());
            set_text(why, problem.as_deref().unwrap_or_default());
            let id = problem.as_ref().map(|_| why.id());
            set_opt_attr(input, "aria-describedby", id.as_deref());
            set_opt_attr(input, "aria-invalid", problem.as_ref().map(|_| "true"));
        }
        let same = match (&self.told, &memory.calc_answer) {
            (Some(Some(Ok(old))), Some(Ok(new))) => Rc::ptr_eq(old, new),
            (Some(Some(Err(old))), Some(Err(new))) => old == new,
            (Some(None), None) => true,
            _ => false,
        };
        if !same {
            self.told = Some(memory.calc_answer.clone());
            let answer = memory.calc_answer.as_ref();
            let odd = answer.and_then(|one| one.as_ref().ok()).into_iter();
            let odd = odd.flat_map(|one| &one.diagnostics).map(odd_size);
            replace_children(&self.answer, answer.map(told).into_iter().chain(odd));
            let bad = matches!(memory.calc_answer, Some(Err(_)));
            set_attr(&self.answer, "data-bad", if bad { "yes" } else { "no" });
        }
    }
}

/// What is odd about the page size.
fn odd_size(finding: &Finding) -> El {
    let text = span("tx", "").and_text(&finding.message).and_text(" ");
    div("banner warn")
        .child(symbol("ic", "v-warning"))
        .child(text.child(span("code", &finding.code)))
}

fn told(answer: &Result<Rc<ScratchpadAnswer>, String>) -> El {
    let banner =
        |class: &str, icon: &str| div(&format!("banner {class}")).child(symbol("ic", icon));
    match answer {
        Err(text) => banner("err", "v-error").child(span("tx", text)),
        Ok(answer) => match (answer.page, answer.in_page_offset) {
            (Some(page), Some(at)) => banner("ok", "i-check")
                .child(
                    span("tx", "")
                        .child(el("b").text(&format!("Page {page}, byte {at:#x}")))
                        .and_text(&format!(" of it ({}).", answer.mode)),
                )
                .child(span("grow", ""))
                .child(provenance(answer.provenance)),
            _ => {
                let why = answer.reason.clone().unwrap_or_default();
                let text = format!(": {why}. The runtime gives the variable memory of its own.");
                let head = el("b").text("Not found");
                banner("warn", "v-warning")
                    .child(span("tx", "").child(head).and_text(&text))
                    .child(span("grow", ""))
                    .child(provenance(answer.provenance))
            }
        },
    }
}

fn value(input: &Element) -> String {
    if let Some(input) = input.dyn_ref::<HtmlInputElement>() {
        return input.value();
    }
    input.dyn_ref::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default()
}

fn set(input: &Element, text: &str) {
    if let Some(input) = input.dyn_ref::<HtmlInputElement>() {
        input.set_value(text);
    } else if let Some(select) = input.dyn_ref::<HtmlSelectElement>() {
        select.set_value(text);
    }
}
