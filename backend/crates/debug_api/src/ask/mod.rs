//! One function for each question.

mod info;

use crate::answer::Answer;
use crate::columns::Block;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::{ColumnsRequest, Request, Scope};
use crate::scope;
use std::sync::Arc;

/// Answers a question about some files.
pub fn answer(files: &[Arc<OpenFile>], request: &Request) -> Result<Answer, ApiError> {
    Ok(match request {
        Request::Info { f } => Answer::Info(Box::new(info::info(scope::file(files, *f)?))),
        Request::Files {} => Answer::Files(info::files(files)),
        _ => return Err(ApiError::bad_request("not yet")),
    })
}

/// A block of rows.
pub fn columns(files: &[Arc<OpenFile>], request: &ColumnsRequest) -> Result<Block, ApiError> {
    let _file = scope::file(files, request.scope.f)?;
    Err(ApiError::bad_request("not yet"))
}

/// The bytes of an image.
pub fn image_bytes(_file: &OpenFile, _scope: &Scope) -> Result<Vec<u8>, ApiError> {
    Err(ApiError::bad_request("not yet"))
}
