//! One function for each question.

mod view;
mod info;
mod ntff;
mod slots;
mod profiles;
mod diff;
mod image;
mod record_links;
mod records;
mod kbin_links;
mod kbin_about;
mod kbin_rows;
mod kbin;
mod dump;
mod dump_read;
mod started;
mod transfer;
mod bytes_stored;
mod bytes_parts;
mod kbin_page;
mod bytes;
mod members;
mod pc;
mod code;
mod change;
mod slot;
mod source;
mod log;
mod scratchpad;
mod lifetimes;
mod memory_set_up;
mod memory_model;
mod memory_verdict;
mod memory_sums;
mod memory_view;
mod memory_places;
mod memory;
mod address;
mod schedule;
mod tsync;
mod no_rank;
mod collective_barrier;
mod collectives_view;
mod collectives;
mod spad;
mod placement;
mod timeline_view;
mod simulate_choices;
mod simulate_end;
mod simulate_findings;
mod simulate_places;
mod simulate_run;
mod simulate_ties;
mod simulate_calibrate;
mod simulate;
mod timeline_source;
mod variable;
mod queue;
mod index;
mod goto;
mod timeline_links;
mod timeline;
mod timeline_state;
mod timeline_columns;
mod export;

use crate::answer::Answer;
use crate::columns::Block;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::kept_runs::KeptRuns;
use crate::request::{ColumnsRequest, Request, Scope};
use crate::scope;
use std::sync::Arc;

/// Answers a question that its asker may give up meanwhile: a run tells its events so
/// far, and ends when it is told `false`.
pub fn answer_until(
    files: &[Arc<OpenFile>],
    runs: &KeptRuns,
    request: &Request,
    progress: &dyn Fn(u64) -> bool,
) -> Result<Answer, ApiError> {
    match request {
        Request::Simulate(request) => {
            Ok(Answer::Simulate(Box::new(simulate::simulate(files, request, progress)?)))
        }
        request => answer(files, runs, request),
    }
}

/// Answers a question about some files.
pub fn answer(
    files: &[Arc<OpenFile>],
    runs: &KeptRuns,
    request: &Request,
) -> Result<Answer, ApiError> {
    Ok(match request {
        Request::Info { f, deep } => match scope::described(files, *f)?.as_ref() {
            OpenFile::Neff(file) => Answer::Info(Box::new(info::info(files, file, *deep))),
            OpenFile::Ntff(file) => Answer::Ntff(Box::new(ntff::ntff(files, file))),
            OpenFile::Profile(_) => Answer::Profiles(profiles::profiles(files)),
            OpenFile::Dump(file) => Answer::Dump(Box::new(dump::summary(files, file))),
            OpenFile::Source(_) => Answer::Files(info::files(files)),
        },
        Request::Ntff { f } => Answer::Ntff(Box::new(ntff::ntff(files, scope::ntff(files, *f)?))),
        Request::Files {} => Answer::Files(info::files(files)),
        Request::Slots { scope, from, count } => {
            Answer::Slots(slots::slots(files, scope, *from, *count)?)
        }
        Request::Image { scope } => Answer::Image(Box::new(image::image(files, scope)?)),
        Request::Records { scope, from, count, find } => {
            let find = find.as_deref();
            Answer::Records(Box::new(records::list(files, scope, *from, *count, find)?))
        }
        Request::Members { scope, from, count, find } => {
            let find = find.as_deref();
            Answer::Members(Box::new(members::members(files, scope, *from, *count, find)?))
        }
        Request::Bytes { scope, of, name, from, count, at } => {
            let window = bytes::Window { from: *from, count: *count, at: *at };
            let name = name.as_deref();
            Answer::Bytes(Box::new(bytes::bytes(files, scope, of, name, window)?))
        }
        Request::Record { scope, name } => {
            Answer::Record(Box::new(records::record(files, scope, name)?))
        }
        Request::Kbin { scope, record, from, count, find, at, hex_from, hex_bytes } => {
            let part = kbin::Part {
                from: *from,
                count: *count,
                at: *at,
                hex_from: *hex_from,
                hex_bytes: *hex_bytes,
            };
            let answer = match record {
                Some(name) => kbin::record(files, scope, name, part)?,
                None => kbin::list(files, scope, part, find.as_deref())?,
            };
            Answer::Kbin(Box::new(answer))
        }
        Request::Variable { scope, name, id } => {
            Answer::Variable(Box::new(variable::variable(files, scope, name.as_deref(), *id)?))
        }
        Request::Queue { scope, name } => {
            Answer::Queue(Box::new(queue::queue(files, scope, name)?))
        }
        Request::Index { scope, from, count, find } => {
            Answer::Index(index::index(files, scope, *from, *count, find.as_deref())?)
        }
        Request::Transfer { scope, name } => {
            Answer::Transfer(Box::new(transfer::transfer(files, scope, name)?))
        }
        Request::Regions { scope } => Answer::Regions(Box::new(image::regions(files, scope)?)),
        Request::Diff { scope, from, count } => {
            Answer::Diff(Box::new(diff::diff(files, scope, *from, *count)?))
        }
        Request::Pc { scope, pc } => Answer::Pc(Box::new(pc::pc(files, scope, pc)?)),
        Request::Ip { scope, ip } => Answer::Ip(Box::new(pc::ip(files, scope, *ip)?)),
        Request::Profiles {} => Answer::Profiles(profiles::profiles(files)),
        Request::Slot { scope, slot, ip } => {
            Answer::Slot(Box::new(slot::slot(files, scope, *slot, *ip)?))
        }
        Request::Source { scope, ip, limit } => {
            Answer::Source(Box::new(source::source(files, scope, *ip, *limit)?))
        }
        Request::Memory { .. } => Answer::Memory(Box::new(memory::memory(files, request)?)),
        Request::Scratchpad { mode, page_size, pages, offset, size } => {
            Answer::Scratchpad(scratchpad::scratchpad(mode, *page_size, *pages, (*offset, *size))?)
        }
        Request::Address { scope, address, generation } => Answer::Address(Box::new(
            address::address(files, scope, address, generation.as_deref())?,
        )),
        Request::Collectives(request) => {
            Answer::Collectives(Box::new(collectives::collectives(files, request)?))
        }
        Request::Schedule(request) => Answer::Schedule(Box::new(schedule::schedule(request)?)),
        Request::Tsync(request) => Answer::Tsync(tsync::tsync(request)?),
        Request::AddressMap { scope, generation } => {
            Answer::AddressMap(Box::new(address::map(files, scope, generation.as_deref())?))
        }
        Request::SpadCtrl { words, algo_names } => {
            Answer::Spad(Box::new(spad::decode(words, algo_names.as_deref())?))
        }
        Request::SpadCtrlEncode { fields, algo_names } => {
            Answer::Spad(Box::new(spad::encode(fields, algo_names.as_deref())?))
        }
        Request::SpadTable { scope, offset, count, algo_names } => {
            let file = scope::dump(files, scope.f)?;
            Answer::Spad(Box::new(spad::table(
                files,
                file,
                *offset,
                *count,
                algo_names.as_deref(),
            )?))
        }
        Request::Dump { .. } => Answer::Dump(Box::new(dump::dump(files, request)?)),
        Request::DumpRead { text, generation } => {
            Answer::DumpRead(Box::new(dump_read::read(text, generation.as_deref())?))
        }
        Request::DumpText { .. } => Answer::DumpText(Box::new(dump::text(files, request)?)),
        Request::Simulate(request) => {
            Answer::Simulate(Box::new(simulate::simulate(files, request, &|_| true)?))
        }
        Request::Timeline(request) => {
            Answer::Timeline(Box::new(timeline::timeline(files, runs, request)?))
        }
        Request::TimelineEvents(request) => {
            Answer::TimelineEvents(Box::new(timeline::events(files, runs, request)?))
        }
        Request::TimelineState(request) => {
            Answer::TimelineState(Box::new(timeline_state::state(files, runs, request)?))
        }
        Request::Printers {} => Answer::Printers(dump::printers()),
        Request::Goto { scope, text } => Answer::Goto(goto::goto(files, scope, text)?),
        Request::Log { scope, text } => Answer::Log(Box::new(log::log(files, scope, text)?)),
    })
}

/// A block of rows.
///
/// # Errors
/// `request.invalid` for rows that are not served; else as questions.
pub fn columns(
    files: &[Arc<OpenFile>],
    runs: &KeptRuns,
    request: &ColumnsRequest,
) -> Result<Block, ApiError> {
    match request.what.as_str() {
        "code" => code::code(files, request),
        "diff" => diff::rows(files, request),
        "timeline" => timeline_columns::runs(files, runs, request),
        other => {
            let shown: String = other.chars().take(64).collect();
            Err(ApiError::bad_request(format!(
                "there are no columns `{shown}`; there are: code, diff, timeline"
            )))
        }
    }
}

pub use export::export;

/// The bytes of an image.
pub fn image_bytes(files: &[Arc<OpenFile>], scope: &Scope) -> Result<Vec<u8>, ApiError> {
    let view = view::View::of(files, scope)?;
    if view.image().is_missing() {
        let why = pc::not_built(&view.findings(Some(view.engine)));
        return Err(ApiError::new(crate::error::ErrorKind::Undecodable, "image.none", why));
    }
    Ok(view.image().image.bytes().to_vec())
}

/// The bytes of a record.
pub fn record_bytes(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
) -> Result<Vec<u8>, ApiError> {
    records::bytes(files, scope, name)
}

/// The bytes of some rows of a record of the tree, as a range.
pub fn kbin_rows_span(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
    from: u64,
    count: Option<u64>,
) -> Result<std::ops::Range<u64>, ApiError> {
    kbin::rows_span(files, scope, name, from, count)
}

/// Bytes of a record of the tree, from a byte on; at most 64 MiB at a time.
pub fn kbin_bytes(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
    from: u64,
) -> Result<Vec<u8>, ApiError> {
    kbin::bytes(files, scope, name, from)
}
