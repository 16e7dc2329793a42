//! The token of a server that takes files only from those who have it: what is typed, what is said.

/// The dialog that asks for the token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenBox {
    /// Whether the server takes files only with its token, as far as the page knows.
    pub needed: bool,
    /// Name of the file that waits for the token.
    pub file: Option<String>,
    /// Whether the server is being asked about what was typed.
    pub checking: bool,
    /// Why the last token was not taken.
    pub problem: Option<Problem>,
}

/// Why a token is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable code.
    pub code: String,
    /// What happened and what to do, in a sentence.
    pub message: String,
}

impl Problem {
    /// A problem of this code.
    pub fn new(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), message: message.to_owned() }
    }

    /// The server has refused a token: one that was just typed, or the one that the tab has kept.
    pub fn refused(typed: bool) -> Self {
        Self::new(
            "request.token",
            if typed {
                "This is not the server's token. The right one was given to it when it was started."
            } else {
                "The server no longer takes the token of this tab. It may have been started anew."
            },
        )
    }
}

impl TokenBox {
    /// Why the dialog is there.
    pub fn lead(&self) -> String {
        let file = self.file.as_deref().unwrap_or("The file");
        format!(
            "This server takes files only with the token that it was started with. {file} is sent \
             once the token is right."
        )
    }
}

/// The token in what was typed.
///
/// # Errors
/// Nothing was typed, or something that cannot stand in a request.
pub fn read(text: &str) -> Result<String, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Problem::new("page.token", "Type the token first."));
    }
    if !text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        let message = "A token has letters, digits and signs of ASCII only. Copy it again.";
        return Err(Problem::new("page.token", message));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_what_a_header_can_carry() {
        assert_eq!(read(" t0k-EN_~ \n"), Ok("t0k-EN_~".to_owned()));
        assert_eq!(read("two words"), Ok("two words".to_owned()));
        for text in ["", "  ", "tök", "a\nb", "a\u{7f}", "\u{2019}"] {
            assert_eq!(read(text).map_err(|problem| problem.code), Err("page.token".to_owned()));
        }
    }

    #[test]
    fn the_dialog_names_the_file_that_waits() {
        let asked = TokenBox { file: Some("a.neff".to_owned()), ..TokenBox::default() };
        assert!(asked.lead().contains("a.neff is sent once"));
    }
}
