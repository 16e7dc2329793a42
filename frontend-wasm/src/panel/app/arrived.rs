//! Answers as they come over the wire, read into what the state takes.

use crate::layout::action::Arrived;
use crate::layout::json::read_json;
use crate::layout::lone::NO_NEFF;
use crate::layout::state::Purpose;
use crate::panel::transport::Fail;
use serde::de::DeserializeOwned;
use std::rc::Rc;

/// What `info` says of a file that is no executable is the document of that file's kind.
fn of_other_kind(texts: &[String], fail: Fail) -> Fail {
    #[derive(serde::Deserialize)]
    struct Header {}
    #[derive(serde::Deserialize)]
    struct Any {
        #[serde(default)]
        header: Option<Header>,
    }
    let text = texts.first().map_or("", String::as_str);
    match read_json::<Any>(text) {
        Ok(Any { header: None }) => Fail::own(NO_NEFF, "No executable is open."),
        _ => fail,
    }
}

/// Reads the documents of a question.
///
/// # Errors
/// A document has another form than this page expects.
pub fn read(purpose: Purpose, texts: &[String]) -> Result<Arrived, Fail> {
    fn one<T: DeserializeOwned>(texts: &[String]) -> Result<Rc<T>, Fail> {
        parse(texts.first().map_or("", String::as_str))
    }
    fn parse<T: DeserializeOwned>(text: &str) -> Result<Rc<T>, Fail> {
        read_json(text).map(Rc::new).map_err(|error| {
            Fail::own(
                "page.answer",
                format!(
                    "An answer has another form than this page expects ({error}). Reload the page."
                ),
            )
        })
    }
    Ok(match purpose {
        Purpose::Info => Arrived::Info(one(texts).map_err(|fail| of_other_kind(texts, fail))?),
        Purpose::Regions => Arrived::Regions(one(texts)?),
        Purpose::AllRegions => {
            Arrived::AllRegions(texts.iter().map(|text| parse(text)).collect::<Result<_, _>>()?)
        }
        Purpose::Slot => Arrived::Slot(one(texts)?),
        Purpose::Source => Arrived::Source(one(texts)?),
        Purpose::Goto => Arrived::Goto(one(texts)?),
        Purpose::Pc => Arrived::Pc(one(texts)?),
        Purpose::Profiles => Arrived::Profiles(one(texts)?),
        Purpose::Files => Arrived::Files(one(texts)?),
        Purpose::Diff => Arrived::Diff(one(texts)?),
        Purpose::Log => Arrived::Log(one(texts)?),
        Purpose::Records => Arrived::Records(one(texts)?),
        Purpose::Record => Arrived::Record(one(texts)?),
        Purpose::Kbin => Arrived::Kbin(one(texts)?),
        Purpose::KbinRecord => Arrived::KbinRecord(one(texts)?),
        Purpose::Index => Arrived::Index(one(texts)?),
        Purpose::Variable => Arrived::Variable(one(texts)?),
        Purpose::Queue => Arrived::Queue(one(texts)?),
        Purpose::Transfer => Arrived::Transfer(one(texts)?),
        Purpose::Dump => Arrived::Dump(one(texts)?),
        Purpose::DumpStruct => Arrived::DumpStruct(one(texts)?),
        Purpose::Members => Arrived::Members(one(texts)?),
        Purpose::Bytes => Arrived::Bytes(one(texts)?),
        Purpose::Fields => Arrived::Fields(one(texts)?),
        Purpose::Memory => {
            Arrived::Memory(texts.iter().map(|text| parse(text)).collect::<Result<_, _>>()?)
        }
        Purpose::Places => Arrived::Places(one(texts)?),
        Purpose::AddressMap => Arrived::AddressMap(one(texts)?),
        Purpose::Address => Arrived::Address(one(texts)?),
        Purpose::Uses => Arrived::Uses(one(texts)?),
        Purpose::Scratchpad => Arrived::Scratchpad(one(texts)?),
        Purpose::Capture => Arrived::Capture(one(texts)?),
        Purpose::Collectives => Arrived::Collectives(one(texts)?),
        Purpose::MoreCollectives => Arrived::MoreCollectives(one(texts)?),
        Purpose::Entry => Arrived::Entry(one(texts)?),
        Purpose::Schedule => Arrived::Schedule(one(texts)?),
        Purpose::Decode => Arrived::Decode(one(texts)?),
        Purpose::Encode => Arrived::Encode(one(texts)?),
        Purpose::Timeline => Arrived::Timeline(one(texts)?),
        Purpose::TimelineSums => Arrived::TimelineSums(one(texts)?),
        Purpose::TimelineEvent => Arrived::TimelineEvent(one(texts)?),
        Purpose::TimelineExecutions => Arrived::TimelineExecutions(one(texts)?),
        Purpose::TimelineTable => Arrived::TimelineTable(one(texts)?),
        Purpose::TimelineTile => {
            return Err(Fail::own("page.answer", "What is drawn does not come as a document."));
        }
        Purpose::Run => Arrived::Run(one(texts)?),
    })
}
