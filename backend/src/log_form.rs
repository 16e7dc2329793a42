//! The box that takes the text of a runtime log, on the start page and on a page of its own.

/// The box that takes the text of a runtime log.
#[derive(Clone, Debug, Default)]
pub struct LogForm {
    /// Files that the lines can be looked up in.
    pub files: Vec<LogChoice>,
    /// Text that is in it.
    pub text: String,
}

/// A file to look lines up in.
#[derive(Clone, Debug, Default)]
pub struct LogChoice {
    /// Session; empty for none.
    pub id: String,
    /// Name.
    pub name: String,
    /// Whether it is chosen.
    pub on: bool,
}
