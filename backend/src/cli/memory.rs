//! The commands about device memory.

use super::args::{AddressArgs, AddressMapArgs, MemoryArgs, PlaceArgs, ScratchpadArgs};
use super::stop::{Stop, maybe_small, small, write_out};
use super::{ask_with, failed, open_all, open_file, print, question, scope};
use crate::text::places_text;
use debug_api::answer::Answer;
use debug_api::convert::default_page_bytes;
use debug_api::plain::printable_lines;
use debug_api::{Request, Scope, Session};
use std::path::Path;

/// `memory`: all files are loaded on one core group.
pub fn memory(args: MemoryArgs) -> Result<u8, Stop> {
    let mut files = open_all(&args.files)?;
    let capture = files.len();
    if let Some(path) = &args.ntff {
        files.push(open_file(path)?);
    }
    let scope = Scope {
        s: args.s,
        core: maybe_small(args.core, "--core")?,
        ntff: args.ntff.as_ref().map(|_| capture),
        ..Scope::default()
    };
    let request = Request::Memory {
        scope,
        mode: args.mode,
        page_size: args.page_size,
        generation: args.generation,
        hbm: args.hbm,
        runtime: args.runtime,
        driver: args.driver,
        from: small(args.from.unwrap_or(0), "--from")?,
        count: maybe_small(args.count, "--count")?,
    };
    let session = Session::new(files);
    let path = args.files.first().map_or(Path::new("memory"), |path| path);
    let answer = question(&session, path, &args.output, &request)?;
    let asked = Some((&session, path));
    // JSON has the plan and the rows.
    if let Answer::Memory(memory) = &answer
        && (args.from.is_some() || args.count.is_some())
        && !args.output.json
    {
        write_out(&printable_lines(&places_text(memory)))?;
        return failed(asked, &answer, &args.output);
    }
    print(asked, &answer, &args.output)
}

/// `scratchpad`: about no file.
pub fn scratchpad(args: &ScratchpadArgs) -> Result<u8, Stop> {
    let request = Request::Scratchpad {
        mode: args.mode.clone(),
        page_size: args.page_size.unwrap_or_else(|| default_page_bytes(&args.mode)),
        pages: args.pages,
        offset: args.offset,
        size: args.size,
    };
    let session = Session::new(Vec::new());
    let answer = question(&session, Path::new("scratchpad"), &args.output, &request)?;
    print(None, &answer, &args.output)
}

/// `address`: in a file's images and variables, or about no file where the generation is given.
pub fn address(args: AddressArgs) -> Result<u8, Stop> {
    let AddressArgs { file, s, e, output, profile, address, generation } = args;
    let Some(file) = file else {
        if generation.is_none() {
            let why = "address needs FILE, or --generation for the regions of a chip alone";
            return Err(Stop::Usage(why.to_owned()));
        }
        let request = Request::Address { scope: Scope::default(), address, generation };
        let session = Session::new(Vec::new());
        let answer = question(&session, Path::new("address"), &output, &request)?;
        return print(None, &answer, &output);
    };
    let place = PlaceArgs { file, s, e, output };
    let scope = scope(&place, Some(&profile), None)?;
    let request = Request::Address { scope, address, generation };
    ask_with(&place.file, &profile, &place.output, request)
}

/// `address-map`: about no file.
pub fn address_map(args: &AddressMapArgs) -> Result<u8, Stop> {
    let generation = Some(args.generation.clone());
    let request = Request::AddressMap { scope: Scope::default(), generation };
    let session = Session::new(Vec::new());
    let answer = question(&session, Path::new("address-map"), &args.output, &request)?;
    print(None, &answer, &args.output)
}
