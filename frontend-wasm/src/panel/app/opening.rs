//! Opening a file: read by the worker of this page, or sent to the server.

use super::App;
use super::boot::{keep_refused, keep_token, tab_token};
use super::effects::sleep;
use super::taking::{Took, described, take};
use crate::dom::{Listener, el, on};
use crate::layout::action::{Action, Beside, Brings, Effect};
use crate::layout::json::read_json;
use crate::layout::lone::is_alone;
use crate::layout::refused;
use crate::layout::state::{About, Opening as State, Page};
use crate::layout::token::Problem;
use crate::panel::start::{self, listed, wants_upload};
use crate::panel::transport::{Fail, Local, Transport, check_token, join};
use debug_api::FileKind;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AbortController, File, HtmlInputElement, ProgressEvent, XmlHttpRequest};

/// Milliseconds before progress is worth showing.
const SLOW_MS: u32 = 300;

/// Status of a request without the token that it needs.
const UNAUTHORIZED: u16 = 401;

/// What the picker accepts for a file that goes beside the open one.
const fn accept(what: Option<Beside>) -> &'static str {
    match what {
        Some(Beside::Program) => ".neff",
        Some(Beside::Capture) => ".ntff",
        Some(Beside::Profile) => ".toml",
        Some(Beside::Source) => "text/*,.py,.cc,.cpp,.h,.rs,.mlir",
        None => "",
    }
}

/// What is on its way in.
#[derive(Default)]
pub struct Opening {
    controller: Option<AbortController>,
    worker: Option<Rc<Local>>,
    upload: Option<XmlHttpRequest>,
    /// The file that is being sent, or that waits for the server's token.
    file: Option<File>,
    /// Files that follow it.
    rest: Vec<File>,
    /// Ids of files that belong to the same session: sent before, or open.
    ids: Vec<String>,
    /// How many of the ids were open before.
    before: usize,
    /// What became of the files that were sent.
    took: Took,
    listeners: Vec<Listener>,
    picker: Option<HtmlInputElement>,
    picked: Option<Listener>,
}

impl App {
    /// Opens files, in this browser or on the server; `add` puts them beside what is open.
    pub(super) fn open(&self, mut files: Vec<File>, upload: bool, add: bool) {
        self.cancel_opening();
        files.sort_by_key(|file| FileKind::beside(&file.name()).is_some());
        if files.is_empty() {
            return;
        }
        let file = files.remove(0);
        let ids = if add { vec![self.state.borrow().session.clone()] } else { Vec::new() };
        let mut opening = self.opening.borrow_mut();
        (opening.rest, opening.before, opening.ids) = (files, ids.len(), ids);
        drop(opening);
        if add && !upload {
            self.opening.borrow_mut().rest.insert(0, file);
            self.add_here();
            return;
        }
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

    /// Opens files that a person gives to a page. Captures, profiles, dumps and source text alone go
    /// with the file that is open; so does everything where no executable is open yet.
    pub(super) fn take_in(&self, files: Vec<File>) {
        let beside = files.iter().all(|file| FileKind::beside(&file.name()).is_some());
        let goes_beside = {
            let state = self.state.borrow();
            state.opened && (beside || is_alone(&state))
        };
        if goes_beside {
            self.add(files);
        } else {
            self.open(files, self.start_page() && wants_upload(), false);
        }
    }

    /// Puts files beside the open one, where that one is.
    pub(super) fn add(&self, files: Vec<File>) {
        let upload = self.state.borrow().page == Page::View;
        self.open(files, upload, true);
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
            let mut opening = self.opening.borrow_mut();
            let (rest, ids) = (std::mem::take(&mut opening.rest), std::mem::take(&mut opening.ids));
            let took = std::mem::take(&mut opening.took);
            drop(opening);
            self.cancel_opening();
            let mut opening = self.opening.borrow_mut();
            (opening.file, opening.rest, opening.ids, opening.took) = (Some(file), rest, ids, took);
            drop(opening);
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
        opening.rest.clear();
        opening.ids.clear();
        opening.took = Took::default();
        if let Some(upload) = opening.upload.take() {
            let _ = upload.abort();
        }
        opening.listeners.clear();
    }

    /// Opens the browser's file picker: the start page's own, which knows where files are read,
    /// elsewhere one for reading in this browser.
    pub(super) fn pick(&self, beside: Option<Beside>) {
        if self.start_page() {
            start::pick();
            return;
        }
        let mut opening = self.opening.borrow_mut();
        if opening.picker.is_none() {
            let picker = el("input").attr("type", "file").attr("multiple", "").build();
            let Ok(picker) = picker.dyn_into::<HtmlInputElement>() else { return };
            let (me, own) = (self.me.clone(), picker.clone());
            opening.picked = Some(on(&picker, "change", move |_| {
                let files = listed(own.files());
                // The same file can be chosen again.
                own.set_value("");
                let Some(app) = me.upgrade().filter(|_| !files.is_empty()) else { return };
                if own.accept().is_empty() {
                    app.take_in(files);
                } else {
                    app.add(files);
                }
            }));
            opening.picker = Some(picker);
        }
        let picker = opening.picker.clone();
        drop(opening);
        if let Some(picker) = picker {
            picker.set_accept(accept(beside));
            picker.click();
        }
    }

    /// Whether the page is the start page.
    pub(super) fn start_page(&self) -> bool {
        self.state.borrow().page == Page::Start
    }

    fn read(&self, file: File, controller: AbortController) {
        let mut files = vec![file];
        files.append(&mut self.opening.borrow_mut().rest);
        let local = match Local::start(&self.version) {
            Ok(local) => Rc::new(local),
            Err(fail) => return self.refuse(&fail),
        };
        self.opening.borrow_mut().worker = Some(Rc::clone(&local));
        let me = self.me.clone();
        spawn_local(async move {
            let signal = controller.signal();
            let took = take(&local, &files, false, &signal).await;
            let Some(app) = me.upgrade() else { return };
            let (took, info) = match took {
                Ok(took) => match took.names.first().cloned() {
                    Some(first) => (took, described(&local, &first, &signal).await),
                    None => return app.refuse_all(took, None),
                },
                Err(fail) => (Took::default(), Err(fail)),
            };
            match info {
                Ok(info) => {
                    app.bring(&took);
                    let mut opening = app.opening.borrow_mut();
                    opening.worker = None;
                    opening.controller = None;
                    drop(opening);
                    *app.transport.borrow_mut() = Transport::Worker(local);
                    app.carry_out(Effect::ForgetRows);
                    app.dispatch(Action::OpenedLocal(Rc::new(info)));
                    app.dispatch(Action::FilesRefused(refused::shown(took.refused)));
                }
                Err(fail) if fail.aborted => {}
                Err(fail) => app.refuse_all(took, Some(&fail)),
            }
        });
    }

    /// Adds files to the worker that holds the open one.
    fn add_here(&self) {
        let Transport::Worker(local) = self.transport.borrow().clone() else { return };
        let files = std::mem::take(&mut self.opening.borrow_mut().rest);
        let Ok(controller) = AbortController::new() else { return };
        self.opening.borrow_mut().controller = Some(controller.clone());
        let me = self.me.clone();
        spawn_local(async move {
            let took = take(&local, &files, true, &controller.signal()).await;
            let Some(app) = me.upgrade() else { return };
            match took {
                Ok(took) if took.names.is_empty() => app.refuse_all(took, None),
                Ok(took) => {
                    app.bring(&took);
                    app.dispatch(Action::FilesAdded);
                    app.dispatch(Action::FilesRefused(refused::shown(took.refused)));
                }
                Err(fail) if fail.aborted => {}
                Err(fail) => app.refuse(&fail),
            }
        });
    }

    /// Joins the files that were sent to one session and goes there.
    fn join(&self, ids: Vec<String>) {
        let Ok(controller) = AbortController::new() else { return };
        self.opening.borrow_mut().controller = Some(controller.clone());
        let me = self.me.clone();
        spawn_local(async move {
            let answer = join(&ids, &controller.signal()).await;
            let Some(app) = me.upgrade() else { return };
            match answer {
                Ok(id) => app.opened_remote(id),
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
        let name = file.map(|file| file.name()).unwrap_or_default();
        let noted = match read_json::<Opened>(&text) {
            Ok(opened) => {
                let mut opening = self.opening.borrow_mut();
                opening.ids.push(opened.id);
                opening.took.names.push(name);
                Ok(())
            }
            Err(_) => {
                let status = request.status().unwrap_or(0);
                let otherwise = format!("The server refused the file with status {status}.");
                let fail = Fail::parse(&text, &otherwise);
                self.opening.borrow_mut().took.refuse(&name, fail)
            }
        };
        match noted {
            Ok(()) => self.sent_one(),
            Err(fail) => self.refuse(&fail),
        }
    }

    /// Goes on after a file was sent: with the next one, or to what is open now.
    fn sent_one(&self) {
        let mut opening = self.opening.borrow_mut();
        opening.controller = None;
        if !opening.rest.is_empty() {
            let next = opening.rest.remove(0);
            drop(opening);
            return self.begin(next, true);
        }
        let (ids, took) = (opening.ids.clone(), opening.took.clone());
        let none = ids.len() == opening.before;
        drop(opening);
        if none {
            return self.refuse_all(took, None);
        }
        match ids.as_slice() {
            [one] => self.opened_remote(one.clone()),
            _ => self.join(ids),
        }
    }

    /// Goes to a session of the server, which shows the banners of the files that it lacks.
    fn opened_remote(&self, id: String) {
        let took = std::mem::take(&mut self.opening.borrow_mut().took);
        self.bring(&took);
        keep_refused(&refused::shown(took.refused));
        self.dispatch(Action::OpenedRemote(id));
    }

    /// Tells what the open files bring beside executables.
    fn bring(&self, took: &Took) {
        let profile = took.last(FileKind::Profile).cloned();
        let capture = took.last(FileKind::Ntff).is_some();
        self.dispatch(Action::Brings(Brings { profile, capture }));
    }

    fn refuse(&self, fail: &Fail) {
        let took = std::mem::take(&mut self.opening.borrow_mut().took);
        self.refuse_all(took, Some(fail));
    }

    /// Nothing was opened: why not, file by file.
    fn refuse_all(&self, took: Took, fail: Option<&Fail>) {
        let mut opening = self.opening.borrow_mut();
        if let Some(controller) = opening.controller.take() {
            controller.abort();
        }
        opening.worker = None;
        opening.upload = None;
        opening.file = None;
        opening.rest.clear();
        drop(opening);
        let mut notices = took.refused;
        notices.extend(fail.map(|fail| fail.notice(About::Open)));
        self.dispatch(Action::FilesRefused(refused::shown(notices)));
    }
}
