//! The command `kbin`: the tree of records of a subgraph, one record, one variable, one queue,
//! one transfer.

use super::args::KbinArgs;
use super::stop::{Stop, WRITE, maybe_small};
use super::{open_file, print, question, scope};
use debug_api::{Request, Session};
use std::io::Write;

/// Rows of a record that are shown if no number is given.
const ROWS: u32 = 4_096;

/// Runs the command and gives the exit status.
pub fn kbin(args: &KbinArgs) -> Result<u8, Stop> {
    let scope = args.loader.choose(scope(&args.place, None, None)?);
    let (path, output) = (&args.place.file, &args.place.output);
    let count = maybe_small(args.count, "--count")?;
    let session = Session::new(vec![open_file(path)?]);
    let kbin = |record: Option<String>| Request::Kbin {
        scope: scope.clone(),
        count: count.or_else(|| record.as_ref().map(|_| ROWS)),
        record,
        from: args.from,
        find: args.search.clone(),
        at: None,
        hex_from: None,
        hex_bytes: None,
    };
    let request = match (&args.variable, &args.queue, &args.transfer) {
        (Some(text), _, _) => {
            // A name that is a number counts as a name first.
            let by_name =
                Request::Variable { scope: scope.clone(), name: Some(text.clone()), id: None };
            match text.parse().ok().filter(|_| session.ask(&by_name).is_err()) {
                Some(id) => Request::Variable { scope: scope.clone(), name: None, id: Some(id) },
                None => by_name,
            }
        }
        (None, Some(name), _) => Request::Queue { scope: scope.clone(), name: name.clone() },
        (None, None, Some(name)) => Request::Transfer { scope: scope.clone(), name: name.clone() },
        (None, None, None) => kbin(args.record.clone()),
    };
    let answer = question(&session, path, output, &request)?;
    if let (Some(out), Some(name)) = (&args.bytes, &args.record) {
        let failed = |error| Stop::Io(out.clone(), WRITE, error);
        let question = |error| Stop::Question(path.clone(), error, output.json);
        let span = session.kbin_rows_span(&scope, name, args.from, args.count).map_err(question)?;
        let mut file = std::fs::File::create(out).map_err(failed)?;
        let mut at = span.start;
        while at < span.end {
            let mut bytes = session.kbin_bytes(&scope, name, at).map_err(question)?;
            if bytes.is_empty() {
                break;
            }
            bytes.truncate(usize::try_from(span.end - at).unwrap_or(usize::MAX));
            file.write_all(&bytes).map_err(failed)?;
            at += bytes.len() as u64;
        }
    }
    print(Some((&session, path)), &answer, output)
}
