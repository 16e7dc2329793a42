//! The start of the page: what the document and the stored settings say becomes the first state.

use super::page::Panels;
use super::{App, events};
use crate::dom::{data, document, window};
use crate::layout::action::Action;
use crate::layout::refused;
use crate::layout::state::{Notice, Page, SizeClass, State, Theme, View};
use crate::layout::token::TokenBox;
use crate::layout::url;
use crate::panel::start::OpenFile;
use crate::panel::transport::{Http, Transport};
use js_sys::{Function, Reflect};
use std::cell::RefCell;
use std::panic;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

thread_local! {
    static APP: RefCell<Option<Rc<App>>> = const { RefCell::new(None) };
}

/// Starts the application in the page. `assets` is the version of the page's files.
#[wasm_bindgen]
pub fn start(assets: String) {
    panic::set_hook(Box::new(|info| {
        web_sys::console::error_1(&JsValue::from_str(&info.to_string()));
    }));
    let Some(state) = first_state() else { return };
    let transport = match state.page {
        Page::View => {
            let session = state.session.clone();
            Transport::Http(Rc::new(Http { session, version: assets.clone() }))
        }
        Page::Start | Page::Local => Transport::None,
    };
    let page = state.page;
    let app = App::new(state, transport, assets);
    *app.panels.borrow_mut() = Some(Panels::new(page, &app.dispatcher(), &opener(&app)));
    *app.listeners.borrow_mut() = events::listen(&app);
    let query = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    app.dispatch(Action::Start(query.trim_start_matches('?').to_owned()));
    app.dispatch(Action::FilesRefused(kept_refused()));
    ask_keycaps(&app);
    APP.with(|kept| *kept.borrow_mut() = Some(app));
}

/// What the start page does with a file.
fn opener(app: &Rc<App>) -> OpenFile {
    let me = Rc::downgrade(app);
    Rc::new(move |files, upload| {
        if let Some(app) = me.upgrade() {
            app.open(files, upload, false);
        }
    })
}

fn first_state() -> Option<State> {
    let body = document()?.body()?;
    let text = |name: &str| data(&body, name).unwrap_or_default();
    let page = match text("page").as_str() {
        "view" => Page::View,
        "local" => Page::Local,
        _ => Page::Start,
    };
    let path = window()?.location().pathname().unwrap_or_default();
    let named = View::parse(&text("view")).or_else(|| url::view_of_path(&path));
    let size_class = size_class();
    let drawer_wide = stored("drawer").as_deref() != Some("closed");
    Some(State {
        page,
        view: named.unwrap_or_default(),
        session: text("session"),
        version: text("version"),
        alone: text("alone") == "yes",
        size_class,
        token: TokenBox { needed: text("token") == "needed", ..TokenBox::default() },
        theme: stored("theme").and_then(|name| Theme::parse(&name)).unwrap_or_default(),
        letter_keys: stored("letter-keys").as_deref() != Some("off"),
        drawer_open: size_class == SizeClass::Wide && drawer_wide,
        drawer_wide,
        rail_open: stored("rail").as_deref() != Some("closed"),
        ..State::default()
    })
}

/// The width class of the window.
pub fn size_class() -> SizeClass {
    let width = window().and_then(|window| window.inner_width().ok()).and_then(|w| w.as_f64());
    width.map_or(SizeClass::Wide, SizeClass::of_width)
}

/// A stored setting. A browser that stores nothing has none.
pub fn stored(name: &str) -> Option<String> {
    window()?.local_storage().ok()??.get_item(name).ok()?
}

/// The token that this tab keeps.
pub fn tab_token() -> Option<String> {
    window()?.session_storage().ok()??.get_item("upload-token").ok()?
}

/// Keeps a token for this tab, or forgets it.
pub fn keep_token(token: Option<&str>) {
    let Some(storage) = window().and_then(|window| window.session_storage().ok()).flatten() else {
        return;
    };
    let _ = match token {
        Some(token) => storage.set_item("upload-token", token),
        None => storage.remove_item("upload-token"),
    };
}

/// Keeps the banners of files that were not opened for the page that is loaded next.
pub fn keep_refused(notices: &[Notice]) {
    let storage = window().and_then(|window| window.session_storage().ok()).flatten();
    if let Some(storage) = storage.filter(|_| !notices.is_empty()) {
        let _ = storage.set_item("refused", &refused::write(notices));
    }
}

/// The banners that the page before has kept, once.
fn kept_refused() -> Vec<Notice> {
    let storage = window().and_then(|window| window.session_storage().ok()).flatten();
    let Some(storage) = storage else { return Vec::new() };
    let text = storage.get_item("refused").ok().flatten().unwrap_or_default();
    let _ = storage.remove_item("refused");
    refused::read(&text)
}

/// Asks the browser what the keyboard prints on the movement keys, where it tells.
fn ask_keycaps(app: &Rc<App>) {
    let Some(window) = window() else { return };
    let get = |object: &JsValue, key: &str| Reflect::get(object, &key.into()).ok();
    let Some(keyboard) = get(&window.navigator(), "keyboard").filter(JsValue::is_object) else {
        return;
    };
    let Some(map) = get(&keyboard, "getLayoutMap").and_then(|map| map.dyn_into::<Function>().ok())
    else {
        return;
    };
    let Some(promise) =
        map.call0(&keyboard).ok().and_then(|promise| promise.dyn_into::<js_sys::Promise>().ok())
    else {
        return;
    };
    let me = Rc::downgrade(app);
    wasm_bindgen_futures::spawn_local(async move {
        let Ok(map) = JsFuture::from(promise).await else { return };
        let Some(read) = get(&map, "get").and_then(|read| read.dyn_into::<Function>().ok()) else {
            return;
        };
        let caps = ["KeyJ", "KeyK"].into_iter().filter_map(|code| {
            let cap = read.call1(&map, &code.into()).ok()?.as_string()?;
            Some((code.to_owned(), cap))
        });
        if let Some(app) = me.upgrade() {
            app.dispatch(Action::Keycaps(caps.collect()));
        }
    });
}
