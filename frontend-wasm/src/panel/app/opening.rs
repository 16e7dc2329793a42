//! Opening a file: read by the worker of this page, or sent to the server.

use super::App;
use super::boot::{keep_token, tab_token};
use super::effects::sleep;
use crate::dom::{Listener, el, on};
use crate::layout::action::{Action, Effect};
use crate::layout::state::{About, Opening as State, Page};
use crate::layout::token::Problem;
use crate::panel::start;
use crate::panel::transport::{Fail, Local, Transport, check_token, read_json};
use debug_api::answer::InfoAnswer;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AbortController, File, HtmlInputElement, ProgressEvent, XmlHttpRequest};

/// Milliseconds before progress is worth showing.
const SLOW_MS: u32 = 300;

/// Status of a request without the token that it needs.
const UNAUTHORIZED: u16 = 401;

/// What is on its way in.
#[derive(Default)]
pub struct Opening {
    controller: Option<AbortController>,
    worker: Option<Rc<Local>>,
    upload: Option<XmlHttpRequest>,
    /// The file that is being sent, or that waits for the server's token.
    file: Option<File>,
    listeners: Vec<Listener>,
    picker: Option<HtmlInputElement>,
    picked: Option<Listener>,
}

impl App {
    /// Opens a file, in this browser or on the server.
    pub(super) fn open(&self, file: File, upload: bool) {
        self.cancel_opening();
        // The server refuses a wrong token before it reads a file, and a browser that is still
        // sending may miss the reason; so the token is checked by a request of its own.
        if upload && self.state.borrow().token.needed {
            let name = file.name();
            self.opening.borrow_mut().file = Some(file);
            match tab_token() {
                Some(token) => self.check_token(token, false),
                None => self.dispatch(Action::TokenWanted(name, None)),
            }
            return;
        }
        self.begin(file, upload);
    }

    /// Asks the server whether it takes this token, then sends the file that waits for it.
    pub(super) fn check_token(&self, token: String, typed: bool) {
        let Ok(controller) = AbortController::new() else { return };
        let me = self.me.clone();
        spawn_local(async move {
            let answer = check_token(&token, &controller.signal()).await;
            let Some(app) = me.upgrade() else { return };
            let file = app.opening.borrow().file.clone();
            match answer {
                Ok(()) => {
                    keep_token(Some(&token));
                    app.dispatch(Action::TokenTaken);
                    if let Some(file) = file {
                        app.begin(file, true);
                    }
                }
                Err(fail) if fail.code == "request.token" => {
                    let problem = Problem::refused(typed);
                    if typed {
                        app.dispatch(Action::TokenRefused(problem));
                    } else {
                        app.want_token(file, Some(problem));
                    }
                }
                Err(fail) if typed => {
                    app.dispatch(Action::TokenRefused(Problem::new(&fail.code, &fail.message)));
                }
                Err(fail) => app.refuse(&fail),
            }
        });
    }

    /// Asks for the token, which the server has not taken or not seen; the file waits.
    fn want_token(&self, file: Option<File>, problem: Option<Problem>) {
        keep_token(None);
        if let Some(file) = file {
            let name = file.name();
            self.cancel_opening();
            self.opening.borrow_mut().file = Some(file);
            self.dispatch(Action::TokenWanted(name, problem));
        }
    }

    fn begin(&self, file: File, upload: bool) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a file size")]
        let bytes = file.size() as u64;
        let (name, done) = (file.name(), 0);
        self.dispatch(Action::Opening(State { name, bytes, done, upload, slow: false }));
        let Ok(controller) = AbortController::new() else { return };
        self.opening.borrow_mut().controller = Some(controller.clone());
        if upload {
            self.send(&file);
            self.opening.borrow_mut().file = Some(file);
        } else {
            self.read(file, controller.clone());
        }
        let me = self.me.clone();
        spawn_local(async move {
            sleep(SLOW_MS).await;
            if let Some(app) = me.upgrade().filter(|_| !controller.signal().aborted()) {
                app.dispatch(Action::OpeningSlow);
            }
        });
    }

    /// Stops whatever is on its way in.
    pub(super) fn cancel_opening(&self) {
        let mut opening = self.opening.borrow_mut();
        if let Some(controller) = opening.controller.take() {
            controller.abort();
        }
        // Dropping the worker ends it, also in the middle of a file.
        opening.worker = None;
        opening.file = None;
        if let Some(upload) = opening.upload.take() {
            let _ = upload.abort();
        }
        opening.listeners.clear();
    }

    /// Opens the browser's file picker: the start page's own, which knows where files are read,
    /// elsewhere one for reading in this browser.
    pub(super) fn pick(&self) {
        if self.start_page() {
            start::pick();
            return;
        }
        let mut opening = self.opening.borrow_mut();
        if opening.picker.is_none() {
            let picker = el("input").attr("type", "file").build();
            let Ok(picker) = picker.dyn_into::<HtmlInputElement>() else { return };
            let (me, own) = (self.me.clone(), picker.clone());
            opening.picked = Some(on(&picker, "change", move |_| {
                let file = own.files().and_then(|files| files.get(0));
                // The same file can be chosen again.
                own.set_value("");
                if let (Some(app), Some(file)) = (me.upgrade(), file) {
                    app.open(file, false);
                }
            }));
            opening.picker = Some(picker);
        }
        let picker = opening.picker.clone();
        drop(opening);
        if let Some(picker) = picker {
            picker.click();
        }
    }

    /// Whether the page is the start page.
    pub(super) fn start_page(&self) -> bool {
        self.state.borrow().page == Page::Start
    }

    fn read(&self, file: File, controller: AbortController) {
        let local = match Local::start(&self.version) {
            Ok(local) => Rc::new(local),
            Err(fail) => return self.refuse(&fail),
        };
        self.opening.borrow_mut().worker = Some(Rc::clone(&local));
        let me = self.me.clone();
        spawn_local(async move {
            let answer = local.open(&file, &controller.signal()).await;
            let Some(app) = me.upgrade() else { return };
            let info = answer.and_then(|text| {
                read_json::<InfoAnswer>(&text)
                    .map_err(|error| Fail::own("page.answer", error.to_string()))
            });
            match info {
                Ok(info) => {
                    let mut opening = app.opening.borrow_mut();
                    opening.worker = None;
                    opening.controller = None;
                    drop(opening);
                    *app.transport.borrow_mut() = Transport::Worker(local);
                    app.carry_out(Effect::ForgetRows);
                    app.dispatch(Action::OpenedLocal(Rc::new(info)));
                }
                Err(fail) if fail.aborted => {}
                Err(fail) => app.refuse(&fail),
            }
        });
    }

    fn send(&self, file: &File) {
        let Ok(request) = XmlHttpRequest::new() else { return };
        let name = String::from(js_sys::encode_uri_component(&file.name()));
        let path = format!("/api/v1/files?name={name}");
        if request.open_with_async("POST", &path, true).is_err() {
            return self.refuse(&Fail::own("page.network", "The server cannot be reached."));
        }
        if let Some(token) = tab_token() {
            let _ = request.set_request_header("authorization", &format!("Bearer {token}"));
        }
        let with = |run: fn(&App, &XmlHttpRequest)| {
            let (me, request) = (self.me.clone(), request.clone());
            move |_| {
                if let Some(app) = me.upgrade() {
                    run(&app, &request);
                }
            }
        };
        let mut listeners = vec![
            on(&request, "load", with(App::sent)),
            on(
                &request,
                "error",
                with(|app, _| {
                    let message = "The server does not answer. The file was not opened; try again, or \
                               read it in this browser only.";
                    app.refuse(&Fail::own("page.network", message));
                }),
            ),
        ];
        if let Ok(upload) = request.upload() {
            let me = self.me.clone();
            listeners.push(on(&upload, "progress", move |event| {
                if let (Some(app), Some(event)) = (me.upgrade(), event.dyn_ref::<ProgressEvent>()) {
                    #[allow(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "bytes"
                    )]
                    app.dispatch(Action::OpeningProgress(event.loaded() as u64));
                }
            }));
        }
        let sent = request.send_with_opt_blob(Some(file));
        let mut opening = self.opening.borrow_mut();
        opening.listeners = listeners;
        opening.upload = Some(request);
        drop(opening);
        if sent.is_err() {
            self.refuse(&Fail::own("page.network", "The browser did not send the file."));
        }
    }

    fn sent(&self, request: &XmlHttpRequest) {
        #[derive(serde::Deserialize)]
        struct Opened {
            id: String,
        }
        let text = request.response_text().ok().flatten().unwrap_or_default();
        let file = self.opening.borrow_mut().file.take();
        if request.status().is_ok_and(|status| status == UNAUTHORIZED) {
            let problem = tab_token().map(|_| Problem::refused(false));
            return self.want_token(file, problem);
        }
        match read_json::<Opened>(&text) {
            Ok(opened) => {
                self.opening.borrow_mut().controller = None;
                self.dispatch(Action::OpenedRemote(opened.id));
            }
            Err(_) => {
                let status = request.status().unwrap_or(0);
                let otherwise = format!("The server refused the file with status {status}.");
                self.refuse(&Fail::parse(&text, &otherwise));
            }
        }
    }

    fn refuse(&self, fail: &Fail) {
        let mut opening = self.opening.borrow_mut();
        if let Some(controller) = opening.controller.take() {
            controller.abort();
        }
        opening.worker = None;
        opening.upload = None;
        opening.file = None;
        drop(opening);
        self.dispatch(Action::OpeningFailed(fail.notice(About::Open)));
    }
}
