//! What a plan of memory says in sentences that all views share.

use super::{
    MemoryAnswer, MemoryCategory, MemoryFailure, MemoryPageCap, MemoryRefusal, MemoryUnread,
};

/// Sentences of one kind.
const MOST: usize = 6;

impl MemoryAnswer {
    /// Why a loader refuses what is loaded, one sentence each.
    pub fn refusal_texts(&self) -> Vec<String> {
        let text = |one: &MemoryRefusal| {
            let of = self.of_file(one.file);
            let why = if of.is_empty() { sentence(&one.why) } else { one.why.clone() };
            match &one.text {
                Some(text) => format!("{of}{why}: \u{201c}{text}\u{201d}."),
                None => format!("{of}{why}; the loader's text is not published."),
            }
        };
        listed(self.refusals.iter().map(text), self.n_refusals, "reasons")
    }

    /// Bytes that the scratchpad needs, in the words of a function for sizes: `at least 5 MiB`.
    pub fn need_amount(&self, size: impl Fn(u64) -> String) -> String {
        format!("{}{}", at_least(self.need_at_least), size(self.need_bytes))
    }

    /// From which size of the HBMs on it fits, in one sentence; empty where remedies say it.
    pub fn least_hbm_text(&self, size: impl Fn(u64) -> String) -> String {
        match (self.memory_verdict.as_str(), self.least_hbm_bytes) {
            ("fits", Some(0)) => "It needs no device memory.".to_owned(),
            ("fits", Some(bytes)) => {
                format!("The least that would do are HBMs of {}.", size(bytes))
            }
            ("unknown", Some(bytes)) => {
                format!("What could be read needs HBMs of at least {}.", size(bytes))
            }
            ("short", None) => "No size of the HBMs up to 64 TiB would do.".to_owned(),
            _ => String::new(),
        }
    }

    /// What could not be read, one sentence each.
    pub fn unread_texts(&self) -> Vec<String> {
        let text = |one: &MemoryUnread| {
            let of = self.of_file(one.file);
            match one.id {
                Some(_) => format!("{of}`{}` of {} {}.", one.name, one.subgraph, one.what),
                None => format!("{of}{}: {}.", one.subgraph, one.what),
            }
        };
        listed(self.unread.iter().map(text), self.n_unread, "values")
    }

    /// `name: ` where several files are loaded.
    fn of_file(&self, file: usize) -> String {
        let several = self.files.len() > 1;
        let found = self.files.iter().find(|one| several && one.file == file);
        found.map_or(String::new(), |one| format!("{}: ", one.name))
    }
}

/// `at least ` before a lower bound.
pub const fn at_least(is_lower: bool) -> &'static str {
    if is_lower { "at least " } else { "" }
}

impl MemoryCategory {
    /// Computed bytes in the words of a function for sizes: `at least 5 MiB`, `over 2^64 bytes`; `None`
    /// for what nothing computes.
    pub fn amount(&self, size: impl Fn(u64) -> String) -> Option<String> {
        let bytes = self.bytes?;
        if self.exceeds {
            return Some("over 2^64 bytes".to_owned());
        }
        Some(format!("{}{}", at_least(self.at_least), size(bytes)))
    }
}

impl MemoryFailure {
    /// What was asked for and what there is, in the words of a function for sizes; empty where the
    /// driver was not asked.
    pub fn amounts(&self, size: impl Fn(u64) -> String) -> String {
        if self.bytes == 0 {
            return String::new();
        }
        let (at, aligned) = match self.alignment {
            0 => (String::new(), ""),
            alignment => {
                (format!(" at a multiple of {}", size(alignment)), " from an aligned address on")
            }
        };
        let lack = match self.short_bytes {
            0 => "but the driver takes none of it".to_owned(),
            short => format!("{} short", size(short)),
        };
        format!(
            "{} asked for{at} on HBM {}, {} free, {} in one piece{aligned}, {lack}",
            size(self.bytes),
            self.hbm,
            size(self.free_bytes),
            size(self.largest_free_bytes)
        )
    }
}

impl MemoryPageCap {
    /// The text as a sentence begins.
    pub fn sentence(&self) -> String {
        sentence(&self.text)
    }
}

/// A text that begins as a sentence does.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn listed(texts: impl Iterator<Item = String>, all: u64, what: &str) -> Vec<String> {
    let mut out: Vec<String> = texts.take(MOST).collect();
    let left = all.saturating_sub(out.len() as u64);
    if left > 0 {
        out.push(format!("And {} more {what}.", left));
    }
    out
}
