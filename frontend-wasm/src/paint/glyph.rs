//! Identities as small drawings: engines, provenance, patches, severity, regions, sync chips, and
//! addresses with their groups. Each has a shape or a pattern besides its hue.
//!
//! The shapes are symbols of the page's shell (backend/templates/icons.html).

use crate::dom::{El, el, span, svg};
use crate::layout::format::{
    engine_key, hex_groups, provenance_key, provenance_words, region_hatched, region_key,
};
use crate::layout::link;
use crate::layout::marks::PatchKind;
use debug_api::Provenance;

/// A symbol in a drawing of its own; hidden from assistive technology.
pub fn symbol(class: &str, id: &str) -> El {
    let glyph = svg("svg").class(class).attr("aria-hidden", "true");
    glyph.child(svg("use").attr("href", &format!("#{id}")))
}

/// An icon of 16 px: `check close copy file link search ...`.
pub fn icon(name: &str) -> El {
    symbol("ic", &format!("i-{name}"))
}

/// Glyph of an engine.
pub fn engine_glyph(name: &str) -> El {
    let key = engine_key(name);
    symbol(&format!("f-{key}"), &format!("e-{key}"))
}

/// Glyph and name of an engine.
pub fn engine(name: &str) -> El {
    span("eng", "").child(engine_glyph(name)).and_text(name)
}

/// Glyph of a provenance, with its meaning as a tooltip.
pub fn provenance(of: Provenance) -> El {
    let key = provenance_key(of);
    svg("svg")
        .class(&format!("qg g-{key}"))
        .attr("role", "img")
        .attr("aria-label", of.name())
        .child(svg("title").text(provenance_words(of)))
        .child(svg("use").attr("href", &format!("#q-{key}")))
}

/// Swatch of a region, hatched where the runtime builds it.
pub fn swatch(region: &str, width: u32) -> El {
    let width = width.to_string();
    let rect = || svg("rect").attr("width", &width).attr("height", "10");
    let glyph = svg("svg")
        .attr("viewBox", &format!("0 0 {width} 10"))
        .attr("aria-hidden", "true")
        .child(rect().attr("rx", "1.5").class(&format!("r-{}", region_key(region))));
    if region_hatched(region) { glyph.child(rect().attr("fill", "url(#h-ins)")) } else { glyph }
}

/// Key of a patch kind in class names and symbols.
pub const fn patch_key(kind: PatchKind) -> &'static str {
    match kind {
        PatchKind::Insert => "ins",
        PatchKind::Delete => "del",
        PatchKind::Modify => "mod",
    }
}

/// Glyph of a patch kind, 10 px.
pub fn patch(kind: PatchKind) -> El {
    let key = patch_key(kind);
    symbol(&format!("pg p-{key}"), &format!("p-{key}"))
}

/// A wait or update as a chip.
pub fn sync(wait: bool, text: &str) -> El {
    let (class, id) = if wait { ("sem wait", "s-wait") } else { ("sem upd", "s-upd") };
    span(class, "").child(symbol("", id)).child(span("cut", text))
}

/// An address: weak prefix, groups of four from the right. Copying gives one token.
pub fn address(text: &str) -> El {
    let Some(digits) = text.strip_prefix("0x") else { return span("ad", text) };
    let groups = hex_groups(digits).into_iter().map(|group| span("hx", group));
    span("ad", "").child(span("ox", "0x")).children(groups)
}

/// The bar of a link hue, 23 px high.
pub fn link_bar(hue: u8) -> El {
    let bar = span("bar", "");
    if hue == 0 {
        return bar;
    }
    let path = svg("path").class(&format!("f-{hue}")).attr("d", &link::bar_path(hue, 0, 23));
    let drawing = svg("svg").attr("width", "5").attr("height", "23").attr("viewBox", "0 0 5 23");
    bar.child(drawing.attr("aria-hidden", "true").child(path))
}

/// A button with classes.
pub fn button(class: &str) -> El {
    el("button").attr("type", "button").class(class)
}
