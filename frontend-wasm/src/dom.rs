//! The small element builder: create, fill, listen, find.
//!
//! No `style` attribute and no inline handler (the page's content policy forbids both): fixed
//! sizes are classes, moving ones go through [`set_style`], which uses the CSS object model.
//! Text from files only ever enters as text nodes, hidden characters as escapes.

use debug_api::plain::printable_lines;
use std::borrow::Cow;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, Node, Window};

const SVG: &str = "http://www.w3.org/2000/svg";

/// The window. Outside a browser there is none.
pub fn window() -> Option<Window> {
    web_sys::window()
}

thread_local! {
    /// Looked up once: asking the browser for it takes longer than making an element.
    static DOCUMENT: Option<Document> = window().and_then(|window| window.document());
}

/// The document. Outside a browser there is none.
pub fn document() -> Option<Document> {
    DOCUMENT.with(Clone::clone)
}

/// An element under construction.
#[derive(Clone, Debug)]
pub struct El(Element);

/// An HTML element.
pub fn el(tag: &str) -> El {
    El(create(tag, None))
}

/// An SVG element.
pub fn svg(tag: &str) -> El {
    El(create(tag, Some(SVG)))
}

/// An HTML element with classes.
pub fn div(class: &str) -> El {
    el("div").class(class)
}

/// A `span` with classes and a text.
pub fn span(class: &str, text: &str) -> El {
    el("span").class(class).text(text)
}

impl El {
    /// Sets all classes at once.
    #[must_use]
    pub fn class(mut self, class: &str) -> Self {
        if !class.is_empty() {
            self = self.attr("class", class);
        }
        self
    }

    /// Whether it has a class.
    pub fn has_class(&self, class: &str) -> bool {
        self.0.class_list().contains(class)
    }

    /// Sets an attribute.
    #[must_use]
    pub fn attr(self, name: &str, value: &str) -> Self {
        set_attr(&self.0, name, value);
        self
    }

    /// Replaces the content by a text.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.0.set_text_content(Some(&printable_lines(text)));
        self
    }

    /// Appends a child.
    #[must_use]
    pub fn child(self, child: El) -> Self {
        append(&self.0, &child.0);
        self
    }

    /// Appends an element that is kept elsewhere too.
    #[must_use]
    pub fn node(self, child: &Node) -> Self {
        append(&self.0, child);
        self
    }

    /// Appends a text node.
    #[must_use]
    pub fn and_text(self, text: &str) -> Self {
        if let Some(document) = document() {
            append(&self.0, &document.create_text_node(&printable_lines(text)));
        }
        self
    }

    /// Appends all.
    #[must_use]
    pub fn children(self, children: impl IntoIterator<Item = El>) -> Self {
        for child in children {
            append(&self.0, &child.0);
        }
        self
    }

    /// The element so far.
    pub const fn element(&self) -> &Element {
        &self.0
    }

    /// The finished element.
    pub fn build(self) -> Element {
        self.0
    }
}

impl From<El> for Element {
    fn from(el: El) -> Self {
        el.0
    }
}

/// Appends a child; a refusal of the browser has no remedy and leaves the tree as it is.
pub fn append(parent: &Node, child: &Node) {
    let _ = parent.append_child(child);
}

/// Replaces all children.
pub fn replace_children(parent: &Element, children: impl IntoIterator<Item = El>) {
    parent.set_text_content(None);
    for child in children {
        append(parent, &child.0);
    }
}

/// Sets a text if it differs.
pub fn set_text(element: &Element, text: &str) {
    let text = printable_lines(text);
    if element.text_content().as_deref() != Some(&*text) {
        element.set_text_content(Some(&text));
    }
}

/// Sets an attribute.
pub fn set_attr(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, &shown(name, value));
}

/// What an attribute gets: those that are read aloud or shown have no hidden characters, the others
/// are keys and stay as they are.
fn shown<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    match name {
        "title" | "aria-label" | "placeholder" => printable_lines(value),
        _ => Cow::Borrowed(value),
    }
}

/// Sets an attribute or removes it.
pub fn set_opt_attr(element: &Element, name: &str, value: Option<&str>) {
    let _ = match value {
        Some(value) => element.set_attribute(name, &shown(name, value)),
        None => element.remove_attribute(name),
    };
}

/// Adds or removes a class.
pub fn set_class(element: &Element, class: &str, on: bool) {
    let _ = element.class_list().toggle_with_force(class, on);
}

/// Shows or hides by the `hidden` attribute.
pub fn set_hidden(element: &Element, hidden: bool) {
    set_opt_attr(element, "hidden", hidden.then_some(""));
}

/// Sets a style property through the object model.
pub fn set_style(element: &Element, property: &str, value: &str) {
    if let Some(html) = element.dyn_ref::<HtmlElement>() {
        let _ = html.style().set_property(property, value);
    }
}

/// The element with an id.
pub fn by_id(id: &str) -> Option<Element> {
    document()?.get_element_by_id(id)
}

/// First match inside an element.
pub fn find(root: &Element, selector: &str) -> Option<Element> {
    root.query_selector(selector).ok().flatten()
}

/// The nearest ancestor of an event's target (or itself) that matches.
pub fn closest(event: &Event, selector: &str) -> Option<Element> {
    let target = event.target()?;
    target.dyn_ref::<Element>()?.closest(selector).ok().flatten()
}

/// Gives the focus to an element. Where a browser refuses, the page works on without it.
pub fn focus_on(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// A `data-` attribute.
pub fn data(element: &Element, name: &str) -> Option<String> {
    element.get_attribute(&format!("data-{name}"))
}

/// A `data-` attribute as a number.
pub fn data_number(element: &Element, name: &str) -> Option<u64> {
    data(element, name)?.parse().ok()
}

/// A listener; dropping it takes it off.
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    closure: Closure<dyn FnMut(Event)>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        let function = self.closure.as_ref().unchecked_ref();
        let _ = self.target.remove_event_listener_with_callback(self.kind, function);
    }
}

/// Listens to an event. The listener lives as long as the returned value.
#[must_use]
pub fn on(
    target: &EventTarget,
    kind: &'static str,
    handler: impl FnMut(Event) + 'static,
) -> Listener {
    let closure = Closure::<dyn FnMut(Event)>::new(handler);
    let _ = target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref());
    Listener { target: target.clone(), kind, closure }
}

fn create(tag: &str, namespace: Option<&str>) -> Element {
    let made = DOCUMENT.with(|document| {
        let document = document.as_ref()?;
        Some(match namespace {
            Some(_) => document.create_element_ns(namespace, tag),
            None => document.create_element(tag),
        })
    });
    match made {
        Some(Ok(element)) => element,
        // Outside a browser, or with a tag that is no name: both are mistakes of this program.
        _ => wasm_bindgen::throw_str("no element could be created"),
    }
}
