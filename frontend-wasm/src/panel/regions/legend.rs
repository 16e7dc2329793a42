//! The legend under the strips: the regions that occur, and how many patch rows there are.

use crate::dom::{div, el, replace_children, span};
use crate::layout::format::{count, thousands};
use crate::layout::marks::PatchKind;
use crate::paint::glyph::{patch, swatch};
use debug_api::answer::RegionsAnswer;
use std::rc::Rc;
use web_sys::Element;

const REGIONS: [&str; 5] = ["PREAMBLE", "MODEL_SWITCH", "MAIN", "FUNCTION", "POSTAMBLE"];
const PATCHES: [(&str, PatchKind); 3] =
    [("INSERT", PatchKind::Insert), ("DELETE", PatchKind::Delete), ("MODIFY", PatchKind::Modify)];

/// The legend.
pub struct Legend {
    root: Element,
    drawn: Vec<Rc<RegionsAnswer>>,
}

impl Legend {
    /// An empty one.
    pub fn new() -> Self {
        Self { root: div("legend").build(), drawn: Vec::new() }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, answers: &[Rc<RegionsAnswer>]) {
        let same = self.drawn.len() == answers.len()
            && self.drawn.iter().zip(answers).all(|(a, b)| Rc::ptr_eq(a, b));
        if same {
            return;
        }
        self.drawn = answers.to_vec();
        let engines = || answers.iter().flat_map(|answer| &answer.engines);
        let mut parts = Vec::new();
        for name in REGIONS {
            if engines().flat_map(|engine| &engine.runs).any(|run| run.region == name) {
                parts.push(span("", "").child(swatch(name, 14)).and_text(name));
            }
        }
        let hint = "hatched = built by the runtime, solid = in your file";
        parts.push(span("t3 hide-m cut", hint).attr("title", hint));
        parts.push(span("grow", ""));
        for (name, kind) in PATCHES {
            let rows = engines().flat_map(|engine| &engine.patches).filter(|p| p.kind == name);
            let (n, slots) = rows.fold((0_u64, 0_u64), |(n, s), p| (n + 1, s + p.count));
            let title = format!("{} of {}", count(n, "patch row"), count(slots, "slot"));
            let text = format!("{name} {}", thousands(n));
            parts.push(el("span").attr("title", &title).child(patch(kind)).and_text(&text));
        }
        replace_children(&self.root, parts);
    }
}

impl Default for Legend {
    fn default() -> Self {
        Self::new()
    }
}
