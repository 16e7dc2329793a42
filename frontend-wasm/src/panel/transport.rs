//! How questions reach whoever answers them: the server, or a worker of this page.
//!
//! Both give the same documents and the same errors, so nothing above this file knows which it is.

mod export;

use crate::dom::window;
use crate::layout::json::read_json;
use crate::layout::state::{About, Notice};
use debug_api::answer::At;
use debug_api::{Block, ColumnsRequest, Request};
use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortSignal, File, MessageEvent, RequestInit, Response, Worker, WorkerOptions, WorkerType,
};

/// Why there is no answer.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Fail {
    /// Stable code.
    pub code: String,
    /// Sentence for a person.
    pub message: String,
    /// Where in the input.
    #[serde(default)]
    pub at: Box<At>,
    /// Whether the question was given up on purpose, which is nothing to tell.
    #[serde(skip)]
    pub aborted: bool,
}

impl Fail {
    /// A failure of this page or of the way to the server.
    pub fn own(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), ..Self::default() }
    }

    /// The failure of an error document; of any other text, what can be said about it.
    pub fn parse(text: &str, otherwise: &str) -> Self {
        #[derive(Deserialize)]
        struct Document {
            error: Fail,
        }
        match read_json::<Document>(text) {
            Ok(document) => document.error,
            Err(_) => Self::own("page.answer", otherwise),
        }
    }

    /// The banner that tells of it.
    pub fn notice(&self, about: About) -> Notice {
        let mut message = self.message.clone();
        if let Some(member) = &self.at.member
            && !message.contains(member.as_str())
        {
            message = format!("{member}: {message}");
        }
        if let Some(offset) = self.at.offset
            && !message.contains("0x")
        {
            message = format!("{message} (byte offset {offset:#x})");
        }
        Notice { about, severity: "error".to_owned(), code: self.code.clone(), message }
    }
}

/// Who answers.
#[derive(Clone)]
pub enum Transport {
    /// Nobody: no file is open.
    None,
    /// A session of the server.
    Http(Rc<Http>),
    /// The worker of this page.
    Worker(Rc<Local>),
}

impl Transport {
    /// Asks a question; the answer is its JSON document.
    ///
    /// # Errors
    /// What the server or the worker says, or that it cannot be reached.
    pub async fn ask(&self, request: &Request, signal: &AbortSignal) -> Result<String, Fail> {
        let body = serde_json::to_string(request)
            .map_err(|error| Fail::own("page.question", error.to_string()))?;
        match self {
            Self::None => Err(no_file()),
            Self::Http(http) => http.ask(&body, signal).await,
            Self::Worker(local) => {
                let what = if matches!(request, Request::Simulate(_)) { "run" } else { "ask" };
                let text = local.call(what, &body.into(), None, signal).await?;
                Ok(text.as_string().unwrap_or_default())
            }
        }
    }

    /// Asks for rows.
    ///
    /// # Errors
    /// As [`Transport::ask`]; `page.rows` for bytes that are no block of this version.
    pub async fn rows(
        &self,
        request: &ColumnsRequest,
        signal: &AbortSignal,
    ) -> Result<Block, Fail> {
        let bytes = match self {
            Self::None => return Err(no_file()),
            Self::Http(http) => http.rows(request, signal).await?,
            Self::Worker(local) => {
                let body = serde_json::to_string(request)
                    .map_err(|error| Fail::own("page.question", error.to_string()))?;
                Uint8Array::new(&local.call("columns", &body.into(), None, signal).await?).to_vec()
            }
        };
        Block::decode(&bytes).map_err(|error| Fail::own("page.rows", error.to_string()))
    }
}

/// A session of the server.
pub struct Http {
    /// Session id.
    pub session: String,
    /// Version of the page's assets: answers of this version may be kept by the browser.
    pub version: String,
}

impl Http {
    async fn ask(&self, body: &str, signal: &AbortSignal) -> Result<String, Fail> {
        let init = RequestInit::new();
        init.set_method("POST");
        init.set_body(&body.into());
        init.set_signal(Some(signal));
        let headers = Object::new();
        let _ = Reflect::set(&headers, &"content-type".into(), &"application/json".into());
        init.set_headers(&headers);
        let path = format!("/api/v1/sessions/{}/ask", self.session);
        let response = fetch(&path, &init, signal).await?;
        let text = response.text().map_err(|_| unreadable())?;
        let text = JsFuture::from(text).await.map_err(|error| broken(&error, signal))?;
        let text = text.as_string().unwrap_or_default();
        if response.ok() {
            return Ok(text);
        }
        Err(refused(&text, response.status()))
    }

    async fn rows(&self, request: &ColumnsRequest, signal: &AbortSignal) -> Result<Vec<u8>, Fail> {
        let init = RequestInit::new();
        init.set_signal(Some(signal));
        let path = format!("/api/v1/sessions/{}/columns?{}", self.session, self.query(request));
        let response = fetch(&path, &init, signal).await?;
        if !response.ok() {
            let text = response.text().map_err(|_| unreadable())?;
            let text = JsFuture::from(text).await.map_err(|error| broken(&error, signal))?;
            return Err(refused(&text.as_string().unwrap_or_default(), response.status()));
        }
        let buffer = response.array_buffer().map_err(|_| unreadable())?;
        let buffer = JsFuture::from(buffer).await.map_err(|error| broken(&error, signal))?;
        Ok(Uint8Array::new(&buffer).to_vec())
    }

    fn query(&self, request: &ColumnsRequest) -> String {
        let scope = &request.scope;
        let number = |number: Option<String>| number.unwrap_or_default();
        let parts = [
            ("what", request.what.clone()),
            ("s", scope.s.clone().unwrap_or_default()),
            ("e", scope.e.clone().unwrap_or_default()),
            ("profile", scope.profile.clone().unwrap_or_default()),
            ("core", number(scope.core.map(|core| core.to_string()))),
            ("base", scope.base.clone().unwrap_or_default()),
            ("ntff", number(scope.ntff.map(|file| file.to_string()))),
            ("modelled", number(scope.modelled.then(|| "true".to_owned()))),
            ("from", request.from.to_string()),
            ("count", request.count.to_string()),
            ("level", number((request.level > 0).then(|| request.level.to_string()))),
            ("v", self.version.clone()),
        ];
        let encode = |text: &str| String::from(js_sys::encode_uri_component(text));
        let run = export::run_text(request.run.as_deref());
        let parts = parts.into_iter().chain([("run", run.unwrap_or_default())]);
        let parts: Vec<(&str, String)> = parts.collect();
        let pairs = parts.iter().filter(|(_, value)| !value.is_empty());
        pairs.map(|(key, value)| format!("{key}={}", encode(value))).collect::<Vec<_>>().join("&")
    }
}

/// Questions to the worker that wait for their answer: what to call with it, and the message.
type Waiting = Rc<RefCell<BTreeMap<u32, (Function, Function, Object)>>>;

/// The worker of this page, with the file that it has opened.
pub struct Local {
    worker: RefCell<Worker>,
    version: String,
    waiting: Waiting,
    next: Cell<u32>,
    /// What it has opened, as it was told: a worker that takes its place opens it again.
    opened: RefCell<Vec<Object>>,
    /// The run that it was asked for last.
    run: Cell<Option<u32>>,
    listen: [Closure<dyn FnMut(MessageEvent)>; 2],
}

impl Drop for Local {
    fn drop(&mut self) {
        self.worker.borrow().terminate();
    }
}

impl Local {
    /// Starts a worker.
    ///
    /// # Errors
    /// The browser has no module workers.
    pub fn start(version: &str) -> Result<Self, Fail> {
        let worker = new_worker(version)?;
        let waiting = Waiting::default();
        let answers = {
            let waiting = Rc::clone(&waiting);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let get = |key: &str| Reflect::get(&event.data(), &key.into()).unwrap_or_default();
                let id = get("id").as_f64().unwrap_or(0.0);
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "own ids"
                )]
                let found = waiting.borrow_mut().remove(&(id as u32));
                if let Some((resolve, reject, _)) = found {
                    let _ = if get("error").is_undefined() {
                        resolve.call1(&JsValue::NULL, &get("value"))
                    } else {
                        reject.call1(&JsValue::NULL, &event.data())
                    };
                }
            })
        };
        let broken = {
            let waiting = Rc::clone(&waiting);
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let why = Object::new();
                // An exception has a message; a script that does not come has none.
                if Reflect::get(&event, &"message".into()).is_ok_and(|text| text.is_undefined()) {
                    let _ = Reflect::set(&why, &"unloaded".into(), &"worker.js".into());
                }
                for (_, reject, _) in std::mem::take(&mut *waiting.borrow_mut()).into_values() {
                    let _ = reject.call1(&JsValue::NULL, &why);
                }
            })
        };
        let local = Self {
            worker: RefCell::new(worker),
            version: version.to_owned(),
            waiting,
            next: Cell::new(1),
            opened: RefCell::default(),
            run: Cell::new(None),
            listen: [answers, broken],
        };
        local.attend();
        Ok(local)
    }

    /// Has the worker's answers come here.
    fn attend(&self) {
        let [answers, broken] = &self.listen;
        let worker = self.worker.borrow();
        worker.set_onmessage(Some(answers.as_ref().unchecked_ref()));
        worker.set_onerror(Some(broken.as_ref().unchecked_ref()));
    }

    /// Ends the run that is under way, if there is one. A worker cannot be told while it runs, so
    /// another one takes its place: it opens the same files and answers what else was asked.
    pub fn end_run(&self) {
        let run = self.run.take();
        let found = run.and_then(|run| self.waiting.borrow_mut().remove(&run));
        let Some((_, reject, _)) = found else { return };
        if let Ok(worker) = new_worker(&self.version) {
            self.worker.replace(worker).terminate();
            self.attend();
            let worker = self.worker.borrow();
            let opened = self.opened.borrow();
            let asked = self.waiting.borrow();
            for message in opened.iter().chain(asked.values().map(|(.., message)| message)) {
                let _ = worker.post_message(message);
            }
        }
        let _ = reject.call0(&JsValue::NULL);
    }

    /// Opens a file; the answer is its `info` document.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub async fn open(&self, file: &File, signal: &AbortSignal) -> Result<String, Fail> {
        let name = file.name();
        let text = self.call("open", &name.into(), Some(file), signal).await?;
        Ok(text.as_string().unwrap_or_default())
    }

    /// Opens a further file beside the first.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub async fn add(&self, file: &File, signal: &AbortSignal) -> Result<String, Fail> {
        let name = file.name();
        let text = self.call("add", &name.into(), Some(file), signal).await?;
        Ok(text.as_string().unwrap_or_default())
    }

    async fn call(
        &self,
        what: &str,
        argument: &JsValue,
        file: Option<&File>,
        signal: &AbortSignal,
    ) -> Result<JsValue, Fail> {
        let id = self.next.get();
        self.next.set(id.wrapping_add(1).max(1));
        let message = Object::new();
        let set = |key: &str, value: &JsValue| Reflect::set(&message, &key.into(), value);
        let _ = set("id", &id.into());
        let _ = set("what", &what.into());
        let _ = set("argument", argument);
        if let Some(file) = file {
            let _ = set("file", file);
        }
        let waiting = Rc::clone(&self.waiting);
        let promise = Promise::new(&mut |resolve, reject| {
            waiting.borrow_mut().insert(id, (resolve, reject, message.clone()));
        });
        if what == "run" {
            let _ = set("what", &"ask".into());
            self.run.set(Some(id));
        }
        if self.worker.borrow().post_message(&message).is_err() {
            return Err(Fail::own("page.worker", "The worker of this page takes no message."));
        }
        let answer = JsFuture::from(promise).await;
        if answer.is_ok() && file.is_some() {
            let mut opened = self.opened.borrow_mut();
            if what == "open" {
                opened.clear();
            }
            opened.push(message);
        }
        if signal.aborted() {
            return Err(Fail { aborted: true, ..Fail::default() });
        }
        answer.map_err(|why| failed(&why))
    }
}

fn new_worker(version: &str) -> Result<Worker, Fail> {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    let path = format!("/static/worker.js?v={version}");
    Worker::new_with_options(&path, &options).map_err(|_| {
        Fail::own("page.worker", "This browser starts no worker. Open the file on the server.")
    })
}

/// Why a worker does not answer: `error` is an error document, or `unloaded` says what kept its
/// program from being loaded; without either the worker has ended.
fn failed(why: &JsValue) -> Fail {
    let text = |key: &str| Reflect::get(why, &key.into()).ok().and_then(|value| value.as_string());
    if let Some(document) = text("error") {
        return Fail::parse(&document, &document);
    }
    match text("unloaded") {
        Some(reason) => {
            let message = format!(
                "The part of neffscope that reads files in the browser could not be loaded \
                 ({reason}). Is the server still running? Try again once it is, or reload the page."
            );
            Fail::own("page.worker-load", message)
        }
        None => {
            let message = "The worker of this page ended, most likely for want of memory. Open \
                           the file on the server instead.";
            Fail::own("page.worker", message)
        }
    }
}

/// Whether a server takes files with this token.
///
/// # Errors
/// `request.token` if not; otherwise what keeps it from telling.
pub async fn check_token(token: &str, signal: &AbortSignal) -> Result<(), Fail> {
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_signal(Some(signal));
    let headers = Object::new();
    let bearer = format!("Bearer {token}");
    let _ = Reflect::set(&headers, &"authorization".into(), &bearer.into());
    init.set_headers(&headers);
    let response = fetch("/api/v1/token", &init, signal).await?;
    if response.ok() {
        return Ok(());
    }
    let text = response.text().map_err(|_| unreadable())?;
    let text = JsFuture::from(text).await.map_err(|error| broken(&error, signal))?;
    Err(refused(&text.as_string().unwrap_or_default(), response.status()))
}

/// Joins files of the server, by their ids, to one session; returns its id.
///
/// # Errors
/// A file is no longer open, or the server cannot be reached.
pub async fn join(ids: &[String], signal: &AbortSignal) -> Result<String, Fail> {
    #[derive(Deserialize)]
    struct Joined {
        id: String,
    }
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_signal(Some(signal));
    init.set_body(&serde_json::json!({ "files": ids }).to_string().into());
    let headers = Object::new();
    let _ = Reflect::set(&headers, &"content-type".into(), &"application/json".into());
    init.set_headers(&headers);
    let response = fetch("/api/v1/sessions", &init, signal).await?;
    let text = response.text().map_err(|_| unreadable())?;
    let text = JsFuture::from(text).await.map_err(|error| broken(&error, signal))?;
    let text = text.as_string().unwrap_or_default();
    match read_json::<Joined>(&text) {
        Ok(joined) if response.ok() => Ok(joined.id),
        _ => Err(refused(&text, response.status())),
    }
}

async fn fetch(path: &str, init: &RequestInit, signal: &AbortSignal) -> Result<Response, Fail> {
    let window = window().ok_or_else(no_file)?;
    let response = JsFuture::from(window.fetch_with_str_and_init(path, init)).await;
    let response = response.map_err(|error| broken(&error, signal))?;
    response.dyn_into::<Response>().map_err(|_| unreadable())
}

fn refused(text: &str, status: u16) -> Fail {
    Fail::parse(text, &format!("The server answered with status {status} and without a reason."))
}

fn broken(_: &JsValue, signal: &AbortSignal) -> Fail {
    let message = "The server does not answer. Is it still running? Reload the page once it is.";
    Fail { aborted: signal.aborted(), ..Fail::own("page.network", message) }
}

fn unreadable() -> Fail {
    Fail::own("page.answer", "The server's answer cannot be read.")
}

fn no_file() -> Fail {
    Fail::own("page.file", "No file is open.")
}

/// A list as the browser takes it.
pub fn array(items: impl IntoIterator<Item = JsValue>) -> Array {
    items.into_iter().collect()
}
