//! Exports, from the server or from the worker.

use super::{Fail, Http, Transport, broken, fetch, no_file, refused, unreadable};
use debug_api::{ExportRequest, SimulateRequest};
use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Blob, RequestInit};

/// Choices of a run in a query.
pub(super) fn run_text(run: Option<&SimulateRequest>) -> Option<String> {
    run.and_then(|run| serde_json::to_string(run).ok())
}

impl Transport {
    /// Has the timeline written in the form of another tool.
    ///
    /// # Errors
    /// As [`Transport::ask`].
    pub async fn export(
        &self,
        request: &ExportRequest,
        signal: &AbortSignal,
    ) -> Result<Blob, Fail> {
        match self {
            Self::None => Err(no_file()),
            Self::Http(http) => http.export(request, signal).await,
            Self::Worker(local) => {
                let body = serde_json::to_string(request)
                    .map_err(|error| Fail::own("page.question", error.to_string()))?;
                let bytes = local.call("export", &body.into(), None, signal).await?;
                let made = Blob::new_with_buffer_source_sequence(&Array::of1(&bytes));
                made.map_err(|_| Fail::own("page.memory", "The trace is too large."))
            }
        }
    }
}

impl Http {
    async fn export(&self, request: &ExportRequest, signal: &AbortSignal) -> Result<Blob, Fail> {
        let init = RequestInit::new();
        init.set_signal(Some(signal));
        let encode = |text: &str| String::from(js_sys::encode_uri_component(text));
        let (format, scope) = (encode(&request.format), &request.scope);
        let parts = [
            ("s", scope.s.clone()),
            ("profile", scope.profile.clone()),
            ("core", scope.core.map(|core| core.to_string())),
            ("ntff", scope.ntff.map(|file| file.to_string())),
            ("modelled", scope.modelled.then(|| "true".to_owned())),
            ("run", run_text(request.run.as_deref())),
            ("link", request.link.clone()),
        ];
        let given = parts.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let query: Vec<_> = given.map(|(key, value)| format!("{key}={}", encode(value))).collect();
        let query = query.join("&");
        let path = format!("/api/v1/sessions/{}/export/{format}?{query}", self.session);
        let response = fetch(&path, &init, signal).await?;
        if !response.ok() {
            let text = response.text().map_err(|_| unreadable())?;
            let text = JsFuture::from(text).await.map_err(|error| broken(&error, signal))?;
            return Err(refused(&text.as_string().unwrap_or_default(), response.status()));
        }
        let blob = JsFuture::from(response.blob().map_err(|_| unreadable())?).await;
        blob.map_err(|error| broken(&error, signal))?.dyn_into().map_err(|_| unreadable())
    }
}
