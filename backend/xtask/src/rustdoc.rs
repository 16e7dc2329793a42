//! The check of the documentation: it builds, and no link in it is broken.
//!
//! A reference to a format page ends with a confidence tag in brackets (`[observed]`), which
//! rustdoc takes for a link to an item of that name. So its warnings are read here, and only those
//! about tags are passed over.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace;

/// What may stand in brackets behind a reference.
const TAGS: [&str; 6] = ["file", "observed", "inferred", "medium", "modelled", "configured"];

/// Builds the documentation of all packages. Errors: it does not build, or a warning is left.
pub fn check() -> Result<()> {
    let arguments = ["doc", "--locked", "--workspace", "--no-deps", "--message-format=json"];
    let mut child = workspace::cargo(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo doc")?;
    let messages = child.stdout.take().context("no output to read")?;
    let mut problems = 0;
    for line in BufReader::new(messages).lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        if let Some(text) = problem(&message) {
            eprintln!("{text}");
            problems += 1;
        }
    }
    if !child.wait()?.success() || problems > 0 {
        bail!("{problems} problems in the documentation");
    }
    Ok(())
}

/// The text of a message that is a warning or an error, and not about a tag.
fn problem(message: &Value) -> Option<&str> {
    let text = message["message"]["message"].as_str()?;
    let about_tag = TAGS.iter().any(|tag| text == format!("unresolved link to `{tag}`"));
    let counts = matches!(message["message"]["level"].as_str(), Some("warning" | "error"));
    // The closing line "3 warnings emitted" has no code and no place.
    let placed = message["message"]["spans"].as_array().is_some_and(|spans| !spans.is_empty());
    if about_tag || !counts || !placed {
        return None;
    }
    message["message"]["rendered"].as_str().or(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(level: &str, text: &str, spans: &[u8]) -> Value {
        json!({"reason": "compiler-message",
            "message": {"level": level, "message": text, "spans": spans, "rendered": text}})
    }

    #[test]
    fn only_tags_are_passed_over() {
        let broken = message("warning", "unresolved link to `Slot`", &[1]);
        assert_eq!(problem(&broken), Some("unresolved link to `Slot`"));
        assert_eq!(problem(&message("warning", "unresolved link to `observed`", &[1])), None);
        assert_eq!(problem(&message("warning", "1 warning emitted", &[])), None);
        assert_eq!(problem(&json!({"reason": "compiler-artifact"})), None);
    }
}
