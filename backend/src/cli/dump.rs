//! The commands about firmware memory and control entries.

use super::dump_args::{DumpArgs, EncodeArgs, SpadArgs, SpadCommand, TableArgs};
use super::stop::{Stop, write_out};
use super::{print, question, read};
use crate::format;
use debug_api::answer::Answer;
use debug_api::request::EntryValue;
use debug_api::{DumpFile, Limits, OpenFile, Request, Scope, Session};
use std::path::Path;
use std::sync::Arc;

/// A file that is taken for a dump whatever it is called.
fn open(path: &Path) -> Result<Session, Stop> {
    let bytes = read(path, Limits::default().upload_bytes)?;
    let file = DumpFile::new(&format::display_name(path), bytes);
    Ok(Session::new(vec![Arc::new(OpenFile::Dump(file))]))
}

/// `dump`: structs of a context, its text, or the printing functions.
pub fn dump(args: DumpArgs) -> Result<u8, Stop> {
    let DumpArgs { file, generation, offset, text, text_json, model_name, base, name, .. } = args;
    let Some(path) = file.filter(|_| !args.printers) else {
        let session = Session::new(Vec::new());
        let none = Path::new("printers");
        let answer = question(&session, none, &args.output, &Request::Printers {})?;
        return print(None, &answer, &args.output);
    };
    if args.read {
        let bytes = read(&path, Limits::default().upload_bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let none = Session::new(Vec::new());
        let request = Request::DumpRead { text, generation };
        let answer = question(&none, &path, &args.output, &request)?;
        return print(None, &answer, &args.output);
    }
    let session = open(&path)?;
    let scope = Scope { base, ..Scope::default() };
    if text || text_json {
        let request = Request::DumpText { scope, generation, offset, model_name };
        let answer = question(&session, &path, &args.output, &request)?;
        if let (Answer::DumpText(text), true, false) = (&answer, text_json, args.output.json) {
            write_out(&text.strict)?;
            return Ok(0);
        }
        return print(None, &answer, &args.output);
    }
    let request = Request::Dump {
        scope,
        generation,
        offset,
        name,
        from: 0,
        count: None,
        find: None,
        names_only: false,
    };
    let answer = question(&session, &path, &args.output, &request)?;
    print(None, &answer, &args.output)
}

/// `spad-ctrl`: entries of words, words of values, or a table.
pub fn spad_ctrl(args: SpadArgs) -> Result<u8, Stop> {
    let none = Session::new(Vec::new());
    let here = Path::new("spad-ctrl");
    match args.command {
        SpadCommand::Decode(args) => {
            let request =
                Request::SpadCtrl { words: args.words, algo_names: args.names.algo_names };
            let answer = question(&none, here, &args.names.output, &request)?;
            print(None, &answer, &args.names.output)
        }
        SpadCommand::Encode(args) => {
            let output = &args.names.output;
            let answer = question(&none, here, output, &encode(&args))?;
            print(None, &answer, output)
        }
        SpadCommand::Dump(TableArgs { file, offset, count, names }) => {
            let session = open(&file)?;
            let scope = Scope::default();
            let algo_names = names.algo_names;
            let request = Request::SpadTable { scope, offset, count, algo_names };
            let answer = question(&session, &file, &names.output, &request)?;
            print(None, &answer, &names.output)
        }
    }
}

fn encode(args: &EncodeArgs) -> Request {
    let fields = [
        ("cc_op", &args.cc_op),
        ("algo_type", &args.algo_type),
        ("algo_sub_type", &args.algo_sub_type),
        ("trigger_next", &args.trigger_next),
        ("reporter", &args.reporter),
        ("ring_wait_complete", &args.ring_wait_complete),
        ("ring_send_complete", &args.ring_send_complete),
        ("safe_mode", &args.safe_mode),
        ("unique_tensors", &args.unique_tensors),
        ("channel_list", &args.channel_list),
        ("sema_shift_offset", &args.sema_shift_offset),
        ("sema_mask", &args.sema_mask),
        ("reserved_header", &args.reserved_header),
        ("reserved_flags", &args.reserved_flags),
        ("reserved_byte", &args.reserved_byte),
    ];
    let given = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), EntryValue::Text(value.clone()?))));
    Request::SpadCtrlEncode { fields: given.collect(), algo_names: args.names.algo_names.clone() }
}
