//! Exports: a file of the timeline for the disk, or handed to Perfetto's page.

use super::App;
use crate::dom::{Listener, document, on, window};
use crate::layout::action::{Action, ExportTo, TimelineAction};
use crate::panel::timer::Timer;
use crate::panel::transport::Fail;
use debug_api::{ExportFormat, ExportRequest};
use js_sys::{ArrayBuffer, Object, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, Blob, HtmlElement, MessageEvent, Url, Window};

/// Perfetto's page.
const PERFETTO: &str = "https://ui.perfetto.dev";
/// Milliseconds between two questions whether it listens, and how many are asked.
const PING_MS: u32 = 100;
const PINGS: u32 = 600;

/// A trace on its way to Perfetto's page; dropping it gives it up.
#[derive(Default)]
pub struct Handover {
    parts: RefCell<Option<(Timer, Listener)>>,
}

impl App {
    /// Exports the timeline.
    pub(super) fn export(&self, mut request: ExportRequest, to: ExportTo) {
        let address = window().map(|window| window.location());
        let path = address.as_ref().and_then(|at| at.pathname().ok()).unwrap_or_default();
        let origin = address.and_then(|at| at.origin().ok()).unwrap_or_default();
        // An address of a file that only this page has open would lead nowhere.
        let views =
            path.rsplit_once('/').map(|(views, _)| views).filter(|at| at.starts_with("/f/"));
        request.link = views.map(|views| format!("{origin}{views}"));
        // A page may be opened while the click is being handled, not later.
        let page = match to {
            ExportTo::Disk => None,
            ExportTo::Perfetto => match open_perfetto() {
                Some(page) => Some(page),
                None => {
                    let message = "The browser keeps this page from opening another one: allow \
                                   pop-ups for it, or save the file and open it in Perfetto.";
                    return self.exported(Err(Fail::own("page.popup", message)));
                }
            },
        };
        let Ok(controller) = AbortController::new() else { return };
        let me = self.me.clone();
        spawn_local(async move {
            let Some(app) = me.upgrade() else { return };
            let transport = app.transport.borrow().clone();
            app.one_more();
            let made = transport.export(&request, &controller.signal()).await;
            app.one_less();
            let done = match (made, page) {
                (Ok(blob), None) => save(&blob, &file_name(&request)).map(Some),
                (Ok(blob), Some(page)) => app.hand_over(&blob, page, &request).await.map(|()| None),
                (Err(fail), _) => Err(fail),
            };
            if let Some(done) = done.transpose() {
                app.exported(done);
            }
        });
    }

    fn exported(&self, done: Result<String, Fail>) {
        let words = done.unwrap_or_else(|fail| format!("{} [{}]", fail.message, fail.code));
        self.dispatch(Action::Timeline(TimelineAction::Exported(words)));
    }

    /// Asks Perfetto's page whether it listens, until it does, and gives it the trace.
    async fn hand_over(
        &self,
        blob: &Blob,
        page: Window,
        request: &ExportRequest,
    ) -> Result<(), Fail> {
        let buffer = JsFuture::from(blob.array_buffer()).await;
        let buffer = buffer.ok().and_then(|buffer| buffer.dyn_into::<ArrayBuffer>().ok());
        let buffer = buffer.ok_or_else(|| Fail::own("page.memory", "The trace is too large."))?;
        let Some(own) = window() else { return Ok(()) };
        let message = message(&buffer, request);
        let listener = {
            let (me, page) = (self.me.clone(), page.clone());
            on(&own, "message", move |event| {
                let Some(event) = event.dyn_ref::<MessageEvent>() else { return };
                if event.origin() != PERFETTO || event.data().as_string().as_deref() != Some("PONG")
                {
                    return;
                }
                let Some(app) = me.upgrade() else { return };
                let given = page.post_message(&message, PERFETTO);
                app.end_handover();
                app.exported(match given {
                    Ok(()) => Ok("Perfetto has the trace.".to_owned()),
                    Err(_) => Err(Fail::own("page.perfetto", "Perfetto took no trace.")),
                });
            })
        };
        let asked = Rc::new(Cell::new(0));
        let timer = {
            let (me, asked) = (self.me.clone(), Rc::clone(&asked));
            Timer::new(move || {
                let Some(app) = me.upgrade() else { return };
                let gone = page.closed().unwrap_or(true);
                asked.set(asked.get() + 1);
                if gone || asked.get() > PINGS {
                    app.end_handover();
                    let message =
                        "Perfetto's page did not answer; save the file and open it there.";
                    app.exported(Err(Fail::own("page.perfetto", message)));
                    return;
                }
                let _ = page.post_message(&"PING".into(), PERFETTO);
                if let Some((timer, _)) = app.handover.parts.borrow().as_ref() {
                    timer.start(PING_MS);
                }
            })
        };
        timer.start(PING_MS);
        *self.handover.parts.borrow_mut() = Some((timer, listener));
        Ok(())
    }

    /// Ends the handover after whoever called this has returned: it may be one of its parts.
    fn end_handover(&self) {
        let parts = self.handover.parts.borrow_mut().take();
        spawn_local(async move { drop(parts) });
    }
}

fn open_perfetto() -> Option<Window> {
    window()?.open_with_url_and_target(PERFETTO, "_blank").ok().flatten()
}

fn message(buffer: &ArrayBuffer, request: &ExportRequest) -> Object {
    let (outer, inner) = (Object::new(), Object::new());
    let set = |object: &Object, key: &str, value: &JsValue| {
        let _ = Reflect::set(object, &key.into(), value);
    };
    set(&inner, "buffer", buffer);
    let title = request.scope.s.clone().unwrap_or_else(|| "timeline".to_owned());
    set(&inner, "title", &format!("{title} in neffscope").into());
    set(&inner, "fileName", &file_name(request).into());
    set(&outer, "perfetto", &inner);
    outer
}

fn file_name(request: &ExportRequest) -> String {
    let end = ExportFormat::parse(&request.format).map_or("bin", ExportFormat::extension);
    let name = request.scope.s.as_deref().unwrap_or("timeline");
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    format!("{}.{end}", name.chars().take(64).map(safe).collect::<String>())
}

/// Has the browser save a file; returns what to tell.
fn save(blob: &Blob, name: &str) -> Result<String, Fail> {
    let failed = || Fail::own("page.save", "The browser does not save the file.");
    let address = Url::create_object_url_with_blob(blob).map_err(|_| failed())?;
    let link = document().and_then(|document| document.create_element("a").ok());
    let link = link.ok_or_else(failed)?;
    let set = |key: &str, value: &str| link.set_attribute(key, value);
    set("href", &address).and_then(|()| set("download", name)).map_err(|_| failed())?;
    link.dyn_ref::<HtmlElement>().ok_or_else(failed)?.click();
    let _ = Url::revoke_object_url(&address);
    Ok(format!("Saved as {name}."))
}
