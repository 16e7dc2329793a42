//! Fuzz body of collectives plans: any bytes become records, groups and ranks of one or two
//! programs; the plan must be bounded, the same twice, and agree with itself.

use crate::case::Case;
use crate::fixtures::{case, workspace_root};
use debug_api::{Limits, OpenFile, Session};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Most records of a program.
const RECORDS: usize = 64;

fn base() -> &'static Case {
    static BASE: OnceLock<Case> = OnceLock::new();
    #[allow(clippy::unwrap_used, reason = "the case is part of the project")]
    BASE.get_or_init(|| case(&workspace_root(), "collective-all-reduce-2").unwrap())
}

/// A program with the given records and groups.
fn program(records: &[u8], groups: &str) -> Option<Vec<u8>> {
    let mut made = base().clone();
    made.archive.tar_bytes = None;
    made.archive.compression = Some("none".to_owned());
    for member in &mut made.members {
        if member.name == "sg00/pe.bin" {
            let record = |bytes: &[u8]| {
                let words: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                words.join(" ")
            };
            member.slots = Some(
                records
                    .chunks(18)
                    .take(RECORDS)
                    .map(|bytes| {
                        // A collective's code nine times out of ten, small numbers where ids stand.
                        let mut bytes = bytes.to_vec();
                        let codes = [0xC7, 0xC8, 0xC8, 0xCB, 0xD9, 0xDA];
                        if let Some(first) = bytes.first_mut().filter(|first| **first < 230) {
                            *first = codes
                                .get(usize::from(*first) % codes.len())
                                .copied()
                                .unwrap_or(0xC8);
                        }
                        let (head, rest) = bytes.split_at(bytes.len().min(4));
                        format!("{} @0c {}", record(head), record(rest))
                    })
                    .collect(),
            );
        }
        if let (Some(text), true) = (&mut member.text, member.name == "sg00/def.json") {
            *text = text.replace("[[[0, 1]]]", groups).replace("\"#rank_world_size\": 2,", "");
        }
    }
    crate::neff_builder::build(&made).ok()
}

/// The first byte is the number of ranks, the next eight are two groups, the rest records; an odd
/// first byte makes two programs of them.
///
/// # Panics
///
/// When a plan contradicts itself.
#[allow(clippy::unwrap_used, clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    let Some((&[first, a, b, c, d, e, f, g, h], rest)) = data.split_first_chunk::<9>() else {
        return;
    };
    let small = |byte: u8| if byte > 250 { u32::MAX } else { u32::from(byte % 12) };
    let [a, b, c, d, e, f, g, h] = [a, b, c, d, e, f, g, h].map(small);
    let groups = format!("[[[{a}, {b}], [{c}]], [[{d}, {e}, {f}], [{g}, {h}]]]");
    let (one, two) = rest.split_at(if first % 2 == 1 { rest.len() / 2 } else { rest.len() });
    let mut files = Vec::new();
    for records in [one, two].into_iter().take(1 + usize::from(first % 2)) {
        let Some(bytes) = program(records, &groups) else { return };
        let Ok(file) = OpenFile::open("rank.neff", bytes, &Limits::default()) else { return };
        files.push(Arc::new(file));
    }
    let session = Session::new(files);
    let ask = format!(
        r#"{{"ask":"collectives","channels":{},"world":{},"count":100}}"#,
        first % 40,
        1 + first % 9
    );
    let text = session.ask_text(&ask).unwrap();
    assert_eq!(text, session.ask_text(&ask).unwrap(), "the same question has the same answer");
    let answer: Value = serde_json::from_str(&text).unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let triggers = list(answer.get("triggers").unwrap());
    assert!(triggers.len() <= RECORDS);
    let tables = list(answer.get("top_sps").unwrap());
    let channels = answer.get("channels").and_then(Value::as_u64).unwrap();
    for (index, trigger) in triggers.iter().enumerate() {
        let mut reporters = 0;
        let mut lists = 0_u64;
        let mut works = 0;
        for table in &tables {
            // As many entries as collectives on every TOP_SP, linked both ways.
            let entries = list(table.get("entries").unwrap());
            assert_eq!(entries.len(), triggers.len());
            let entry = entries.get(index).unwrap();
            let back = entry.get("trigger").unwrap();
            for key in ["index", "engine", "slot", "neff_ip"] {
                assert_eq!(back.get(key), trigger.get(key));
            }
            let is = |key: &str| entry.get(key).and_then(Value::as_bool).unwrap_or(false);
            reporters += u32::from(is("reporter"));
            works += u32::from(!is("nop"));
            let channels = entry.get("channel_list").and_then(Value::as_str);
            if let Some(hex) = channels.and_then(|hex| hex.strip_prefix("0x")) {
                let bits = u64::from_str_radix(hex, 16).unwrap();
                assert_eq!(bits & lists, 0, "a channel has one owner");
                lists |= bits;
            }
        }
        assert!(reporters <= 1);
        assert_eq!(reporters == 1, works > 0, "who works, reports once");
        assert!(lists.count_ones() as u64 <= channels.max(1));
    }
    if answer.get("difference").is_some_and(|one| !one.is_null()) {
        let values = list(answer.pointer("/difference/values").unwrap());
        let first = values.first().and_then(|one| one.get("value"));
        assert!(values.iter().any(|one| one.get("value") != first), "a difference differs");
    }
}
