//! The opened files and sessions of a running server, bounded in memory.
//!
//! An id is derived from the content and the name of a file, so opening the same file again, or
//! restarting the server with it, gives the same address. Files named on the command line are
//! kept; others are dropped, least recently used first, when the bound is passed.

use crate::jobs::Jobs;
use crate::runs::Runs;
use debug_api::{ApiError, ErrorKind, FileKind, KeptRuns, Limits, OpenFile, Session};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of opened files kept in memory unless the user says otherwise: 4 GiB.
pub const DEFAULT_CAPACITY_BYTES: u64 = 4 << 30;
/// Sessions of several files that are remembered.
const MAX_SESSIONS: usize = 1_024;
/// Files of one session.
const MAX_FILES: usize = 64;

/// The opened files of a server.
pub struct Library {
    limits: Limits,
    capacity_bytes: u64,
    inner: Mutex<Inner>,
    runs: Runs,
    jobs: Jobs,
    traces: Arc<KeptRuns>,
}

#[derive(Default)]
struct Inner {
    clock: u64,
    files: BTreeMap<String, Entry>,
    /// Ids of the files of each session, and when it was made.
    sessions: BTreeMap<String, (u64, Vec<String>)>,
}

struct Entry {
    session: Arc<Session>,
    weight: u64,
    pinned: bool,
    used: u64,
    opened: u64,
}

/// A file, or files seen together, as the start page lists them.
pub struct Listed {
    /// Id of the file and of its own session, or of the session of several files.
    pub id: String,
    /// The session.
    pub session: Arc<Session>,
}

impl Library {
    /// An empty library with these limits and this bound in bytes.
    pub fn new(limits: Limits, capacity_bytes: u64) -> Self {
        Self {
            limits,
            capacity_bytes,
            inner: Mutex::default(),
            runs: Runs::default(),
            jobs: Jobs::default(),
            traces: Arc::default(),
        }
    }

    /// Runs that are under way.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Answers about runs.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The limits that files are opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Opens a file and returns its id. Without a kind it is found out. A file that is already open
    /// is not read again. Opening
    /// parses, so callers on an async thread go through a blocking one.
    ///
    /// # Errors
    /// What [`OpenFile::open`] says about the bytes.
    pub fn open(
        &self,
        name: &str,
        kind: Option<FileKind>,
        bytes: Vec<u8>,
        pinned: bool,
    ) -> Result<(String, Arc<Session>), ApiError> {
        let id = file_id(name, &bytes);
        if let Some(session) = self.session(&id) {
            return Ok((id, session));
        }
        let file = match kind {
            Some(kind) => OpenFile::open_as(kind, name, bytes, &self.limits)?,
            None => OpenFile::open(name, bytes, &self.limits)?,
        };
        let file = Arc::new(file);
        let weight = file.weight();
        let session = Arc::new(Session::keeping(vec![file], Arc::clone(&self.traces)));
        let mut inner = self.lock();
        inner.clock += 1;
        let now = inner.clock;
        let entry = Entry { session: Arc::clone(&session), weight, pinned, used: now, opened: now };
        inner.files.insert(id.clone(), entry);
        inner.evict(self.capacity_bytes, &id);
        Ok((id, session))
    }

    /// The session of an id, and marks its file as used.
    pub fn session(&self, id: &str) -> Option<Arc<Session>> {
        let mut inner = self.lock();
        inner.clock += 1;
        let now = inner.clock;
        if let Some(entry) = inner.files.get_mut(id) {
            entry.used = now;
            return Some(Arc::clone(&entry.session));
        }
        // A session holds no file by itself, so it does not keep what the bound drops.
        let ids = inner.sessions.get(id)?.1.clone();
        let mut files = Vec::with_capacity(ids.len());
        for id in &ids {
            let entry = inner.files.get_mut(id)?;
            entry.used = now;
            files.extend(entry.session.files().iter().map(Arc::clone));
        }
        Some(Arc::new(Session::keeping(files, Arc::clone(&self.traces))))
    }

    /// Joins opened files, or the files of sessions, into one session and returns its id.
    ///
    /// # Errors
    /// `session.empty` without files, `session.too-many` above 64, `session.unknown` for an id
    /// that is not an open file.
    pub fn join(&self, ids: &[String]) -> Result<String, ApiError> {
        // The id of a session stands for its files.
        let ids: Vec<String> = {
            let inner = self.lock();
            let files = |id: &String| match inner.sessions.get(id) {
                Some((_, files)) => files.clone(),
                None => vec![id.clone()],
            };
            ids.iter().flat_map(files).collect()
        };
        let ids = ids.as_slice();
        match ids {
            [] => {
                return Err(ApiError::new(
                    ErrorKind::BadRequest,
                    "session.empty",
                    "a session needs at least one file id",
                ));
            }
            _ if ids.len() > MAX_FILES => {
                return Err(ApiError::new(
                    ErrorKind::TooLarge,
                    "session.too-many",
                    format!("a session has at most {MAX_FILES} files, these are {}", ids.len()),
                ));
            }
            _ => {}
        }
        if let Some(id) = ids.iter().find(|id| !self.lock().files.contains_key(*id)) {
            let shown: String = id.chars().take(64).collect();
            return Err(ApiError::new(
                ErrorKind::NotFound,
                "session.unknown",
                format!("no file with the id `{shown}` is open"),
            ));
        }
        if let [one] = ids {
            return Ok(one.clone());
        }
        let id = short_id(blake3::hash(ids.join("\n").as_bytes()).as_bytes());
        let mut inner = self.lock();
        inner.clock += 1;
        let now = inner.clock;
        if inner.sessions.len() >= MAX_SESSIONS {
            let oldest = inner.sessions.iter().min_by_key(|(_, (made, _))| *made);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                inner.sessions.remove(&oldest);
            }
        }
        inner.sessions.insert(id.clone(), (now, ids.to_vec()));
        Ok(id)
    }

    /// Opened files, the latest first.
    pub fn list(&self) -> Vec<Listed> {
        let inner = self.lock();
        let mut files: Vec<(&String, &Entry)> = inner.files.iter().collect();
        files.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.opened));
        files
            .into_iter()
            .map(|(id, entry)| Listed { id: id.clone(), session: Arc::clone(&entry.session) })
            .collect()
    }

    /// Sessions of several files that are all open, the latest first, at most so many.
    pub fn list_sessions(&self, most: usize) -> Vec<Listed> {
        let inner = self.lock();
        let mut sessions: Vec<(&String, &(u64, Vec<String>))> = inner.sessions.iter().collect();
        sessions.sort_by_key(|(_, (made, _))| std::cmp::Reverse(*made));
        sessions
            .into_iter()
            .filter_map(|(id, (_, ids))| {
                let entries = ids.iter().map(|id| inner.files.get(id));
                let files = entries.collect::<Option<Vec<_>>>()?;
                let files = files.iter().flat_map(|entry| entry.session.files());
                let session = Arc::new(Session::new(files.map(Arc::clone).collect()));
                Some(Listed { id: id.clone(), session })
            })
            .take(most)
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn evict(&mut self, capacity: u64, keep: &str) {
        while self.files.values().map(|entry| entry.weight).sum::<u64>() > capacity {
            let oldest = self
                .files
                .iter()
                .filter(|(id, entry)| !entry.pinned && id.as_str() != keep)
                .min_by_key(|(_, entry)| entry.used)
                .map(|(id, _)| id.clone());
            match oldest {
                Some(id) => self.files.remove(&id),
                None => break,
            };
        }
    }
}

/// The id of a file: 26 base32 characters over its name and content.
pub fn file_id(name: &str, bytes: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(bytes);
    short_id(hasher.finalize().as_bytes())
}

/// The first 128 bits as lower-case RFC 4648 base32 without padding.
fn short_id(hash: &[u8; 32]) -> String {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut out = String::with_capacity(26);
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for byte in &hash[..16] {
        buffer = (buffer << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(ALPHABET[((buffer >> bits) & 31) as usize]));
        }
        buffer &= (1 << bits) - 1;
    }
    out.push(char::from(ALPHABET[((buffer << (5 - bits)) & 31) as usize]));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_26_base32_characters() {
        // RFC 4648: "fooba" is mzxw6ytb; the rest of the 16 bytes is zero.
        let mut hash = [0_u8; 32];
        hash[..5].copy_from_slice(b"fooba");
        let id = short_id(&hash);
        assert_eq!(id, "mzxw6ytbaaaaaaaaaaaaaaaaaa");
        assert_eq!(id.len(), 26);
    }

    #[test]
    fn the_name_is_part_of_the_id() {
        assert_ne!(file_id("a", b"x"), file_id("b", b"x"));
        assert_ne!(file_id("a", b"bx"), file_id("ab", b"x"));
        assert_eq!(file_id("a", b"x"), file_id("a", b"x"));
    }
}
