//! The Structs view without script: records of the runtime and of a loader, variables, queues,
//! transfers, structs of a memory dump.

use crate::format::{clean, thousands, touched};
use crate::listing::{FieldRow, Line, Listing, PAGE_LINES, absent, field_row, more};
use crate::page_model::FindingRow;
use crate::page_parts::finding_rows;
use crate::view_query::{ViewQuery, query_text};
use debug_api::answer::{
    Answer, Finding, GateInfo, QueueAnswer, RecordsAnswer, SlotUse, TransferAnswer, VariableAnswer,
    is_runtime_record,
};
use debug_api::{ApiError, Request, Scope, Session};
use std::borrow::Cow;

/// Slots and descriptors of a page.
const ROWS: usize = 100;

/// Structs of a memory dump, and the one that the address names.
fn dump_structs(
    id: &str,
    session: &Session,
    scope: &Scope,
    query: &ViewQuery,
) -> Result<Listing, ApiError> {
    let question = |name: Option<String>, count| Request::Dump {
        scope: scope.clone(),
        generation: None,
        offset: 0,
        names_only: name.is_none(),
        name,
        from: 0,
        count,
        find: None,
    };
    let Answer::Dump(list) = session.ask(&question(None, Some(PAGE_LINES)))? else {
        return Ok(Listing::default());
    };
    let first = list.structs.first().map(|one| one.name.clone());
    let open = query.rec.clone().or(first).unwrap_or_default();
    let mut told = None;
    let one = match open.as_str() {
        "" => None,
        _ => match session.ask(&question(Some(open.clone()), None)) {
            Ok(Answer::Dump(one)) => one.structs.into_iter().next(),
            Ok(_) => None,
            Err(error) => {
                told = Some(absent(&open, &error)?);
                None
            }
        },
    };
    let shown = list.structs.len() as u64;
    Ok(Listing {
        title: clean(&open),
        summary: format!(
            "{} structs of a firmware's context at the start of {}, in the layout of {} ({})",
            thousands(list.total),
            clean(&list.file),
            list.generation,
            list.generation_provenance.name()
        ),
        provenance: list.provenance.name().to_owned(),
        findings: told
            .into_iter()
            .flat_map(|told| told.findings)
            .chain(finding_rows(&list.diagnostics, &[]))
            .collect(),
        fields: one.iter().flat_map(|one| &one.fields).map(field_row).collect(),
        dump: Vec::new(),
        lines: list
            .structs
            .iter()
            .map(|one| Line {
                label: clean(&one.name),
                href: format!(
                    "/f/{id}/structs{}",
                    query_text(query, None, Some(("rec", one.name.clone())))
                ),
                kind: clean(&one.kind),
                bytes: thousands(one.bytes),
                place: format!("file {:#x}", one.offset),
                on: one.name == open,
            })
            .collect(),
        more: more(list.total, shown),
    })
}

/// The runtime's records of one engine, and the one that the address names; structs of a dump where
/// there is no executable.
pub fn structs(
    id: &str,
    session: &Session,
    scope: &Scope,
    query: &ViewQuery,
) -> Result<Listing, ApiError> {
    let files = session.files();
    if files.iter().all(|file| file.as_neff().is_none())
        && files.iter().any(|f| f.as_dump().is_some())
    {
        return dump_structs(id, session, scope, query);
    }
    let count = Some(PAGE_LINES);
    let list = Request::Records { scope: scope.clone(), from: 0, count, find: None };
    let Answer::Records(list) = session.ask(&list)? else { return Ok(Listing::default()) };
    let open = query.rec.clone().unwrap_or_else(|| "eib".to_owned());
    let (kbin, left) = kbin_lines(id, session, scope, query)?;
    let lines = runtime_lines(id, &list, query, &open).chain(kbin).collect();
    let shown = list.records.len() as u64;
    let more = if left.is_empty() { more(list.total, shown) } else { left };
    if is_kbin(&open) {
        let page = page(session, scope, &open).or_else(|error| absent(&open, &error))?;
        return Ok(Listing { lines, more, ..page });
    }
    let one = Request::Record { scope: scope.clone(), name: open.clone() };
    let one = match session.ask(&one) {
        Ok(Answer::Record(one)) => one,
        Ok(_) => return Ok(Listing::default()),
        Err(error) => return Ok(Listing { lines, more, ..absent(&open, &error)? }),
    };
    Ok(Listing {
        title: format!("{} {}", list.engine, clean(&open)),
        summary: format!(
            "{}, {} bytes. {} records that the runtime keeps of {} {}, profile {}; patch lists {}",
            clean(&one.record.kind),
            thousands(one.record.bytes),
            thousands(list.total),
            clean(&list.subgraph),
            list.engine,
            clean(&list.profile),
            list.patch_lists
        ),
        provenance: list.provenance.name().to_owned(),
        findings: Vec::new(),
        fields: one.fields.iter().map(field_row).collect(),
        dump: Vec::new(),
        lines,
        more,
    })
}

fn runtime_lines(
    id: &str,
    list: &RecordsAnswer,
    query: &ViewQuery,
    open: &str,
) -> impl Iterator<Item = Line> {
    list.records.iter().map(move |record| Line {
        label: clean(&record.name),
        href: format!(
            "/f/{id}/structs{}",
            query_text(query, None, Some(("rec", record.name.clone())))
        ),
        kind: clean(&record.kind),
        bytes: thousands(record.bytes),
        place: record.model_offset.map_or("-".to_owned(), |at| format!("model_t +{at:#x}")),
        on: record.name == open,
    })
}

/// Whether a name is not that of a record of the runtime.
fn is_kbin(name: &str) -> bool {
    !is_runtime_record(name)
}

/// Lines of the other two trees: records of a loader, queues and variables.
fn kbin_lines(
    id: &str,
    session: &Session,
    scope: &Scope,
    query: &ViewQuery,
) -> Result<(Vec<Line>, String), ApiError> {
    let (scope, count) = (own(scope), Some(PAGE_LINES));
    let list = Request::Kbin {
        scope: scope.clone(),
        record: None,
        from: 0,
        count,
        find: None,
        at: None,
        hex_from: None,
        hex_bytes: None,
    };
    let Answer::Kbin(tree) = session.ask(&list)? else { return Ok(Default::default()) };
    let index = Request::Index { scope, from: 0, count, find: None };
    let Answer::Index(index) = session.ask(&index)? else { return Ok(Default::default()) };
    let shown = (tree.records.len() + index.records.len()) as u64;
    let records = tree.records.iter().chain(&index.records);
    let lines = records.map(|record| Line {
        label: clean(&record.name),
        href: format!(
            "/f/{id}/structs{}",
            query_text(query, None, Some(("rec", record.name.clone())))
        ),
        kind: clean(&record.kind),
        bytes: thousands(record.bytes),
        place: "-".to_owned(),
        on: query.rec.as_ref() == Some(&record.name),
    });
    Ok((lines.collect(), more(tree.total + index.total, shown)))
}

/// The page of a record of a loader, a variable, a queue or a transfer.
fn page(session: &Session, scope: &Scope, name: &str) -> Result<Listing, ApiError> {
    let scope = own(scope);
    let request = match name.split_once('.') {
        Some(("variable", rest)) => {
            Request::Variable { scope, name: Some(rest.to_owned()), id: None }
        }
        Some(("queue", rest)) => Request::Queue { scope, name: rest.to_owned() },
        Some(("transfer", rest)) => Request::Transfer { scope, name: rest.to_owned() },
        _ => Request::Kbin {
            scope,
            record: Some(name.to_owned()),
            from: 0,
            count: None,
            find: None,
            at: None,
            hex_from: None,
            hex_bytes: Some(0),
        },
    };
    let title = clean(name);
    Ok(match session.ask(&request)? {
        Answer::Variable(answer) => Listing { title, ..variable(&answer) },
        Answer::Queue(answer) => Listing { title, ..queue(&answer) },
        Answer::Transfer(answer) => Listing { title, ..transfer(&answer) },
        Answer::Kbin(mut answer) => {
            let record = answer.records.pop();
            let part = record.as_ref().and_then(|record| record.part.as_ref());
            let fields = part.map_or(&[][..], |part| &part.fields);
            let facts = record.as_ref().map_or(String::new(), |record| {
                format!("{}, {} bytes", clean(&record.kind), thousands(record.bytes))
            });
            Listing {
                title: format!("{} {title}", clean(&answer.subgraph)),
                summary: format!("{facts}. A record that a loader makes of the program"),
                provenance: "observed".to_owned(),
                findings: answer.diagnostics.iter().map(finding).collect(),
                fields: fields.iter().map(field_row).collect(),
                ..Listing::default()
            }
        }
        _ => Listing::default(),
    })
}

/// A loader's records are of a subgraph, not of an engine or a profile.
fn own(scope: &Scope) -> Scope {
    let (device, library) = (scope.device.clone(), scope.library.clone());
    Scope { f: scope.f, s: scope.s.clone(), device, library, ..Scope::default() }
}

fn finding(finding: &Finding) -> FindingRow {
    FindingRow {
        code: finding.code.clone(),
        severity: finding.severity.clone(),
        message: clean(&finding.message),
        place: match (&finding.at.member, finding.at.offset) {
            (Some(member), Some(at)) => format!("{} at {at:#x}", clean(member)),
            (Some(member), None) => clean(member),
            _ => String::new(),
        },
    }
}

fn row(name: &str, value: String, meaning: String, provenance: &str) -> FieldRow {
    FieldRow {
        name: clean(name),
        kind: "-".to_owned(),
        offset: "-".to_owned(),
        bytes: "-".to_owned(),
        value: clean(&value),
        meaning: clean(&meaning),
        provenance: provenance.to_owned(),
    }
}

fn slots<'a>(list: &'a [SlotUse], provenance: &'a str) -> impl Iterator<Item = FieldRow> + 'a {
    list.iter().take(ROWS).map(move |slot| {
        let block = slot.queue.as_ref().zip(slot.block);
        let block = block.map_or(String::new(), |(queue, block)| format!("{queue} block {block}"));
        let ip = slot.at.neff_ip.unwrap_or(0);
        row("slot", format!("{} IP {ip}", slot.at.e), format!("{} {block}", slot.role), provenance)
    })
}

/// Gates and findings of one object as rows.
fn words(gates: &[GateInfo], findings: &[Finding]) -> Vec<FindingRow> {
    let gates = gates.iter().map(|gate| FindingRow {
        code: gate.code.clone(),
        severity: if gate.stops { "error" } else { "info" }.to_owned(),
        message: format!(
            "a loader {} {}",
            if gate.stops { "stops with" } else { "says" },
            clean(&gate.text)
        ),
        ..FindingRow::default()
    });
    gates.chain(findings.iter().map(finding)).collect()
}

fn variable(answer: &VariableAnswer) -> Listing {
    let mut fields: Vec<FieldRow> = answer.fields.iter().map(field_row).collect();
    if let Some(place) = &answer.place {
        let address = place.address.as_deref().unwrap_or("no address");
        let meaning = "place in device memory when the file is loaded alone".to_owned();
        let name = place.provenance.name();
        fields.push(row("place", format!("{} {address}", place.place), meaning, name));
    }
    fields.extend(answer.descriptors.iter().take(ROWS).map(|one| {
        let what = format!("{} {} of queue {}", one.role, one.op, one.queue);
        row("descriptor", format!("{}[{}]", one.record, one.row), what, "file")
    }));
    fields.extend(slots(&answer.slots, "file"));
    fields.extend(slots(&answer.buffer_slots, "inferred"));
    Listing {
        summary: format!(
            "{} variable {} of {}: {} descriptors, {} slots",
            answer.kind,
            answer.id,
            clean(&answer.subgraph),
            thousands(answer.total_descriptors),
            thousands(answer.total_slots)
        ),
        provenance: "file".to_owned(),
        findings: words(&answer.gates, &answer.diagnostics),
        fields,
        ..Listing::default()
    }
}

fn queue(answer: &QueueAnswer) -> Listing {
    let mut fields: Vec<FieldRow> = answer
        .rings
        .iter()
        .map(|ring| {
            let what = format!("{} descriptors, {} blocks", ring.descriptors, ring.blocks);
            row("ring", ring.record.clone(), what, "file")
        })
        .collect();
    fields.extend(answer.contributors.iter().map(|part| {
        let what = format!("in {} descriptors of {}", part.descriptors, part.variable);
        row("needs", thousands(part.elements), what, "inferred")
    }));
    fields.extend(slots(&answer.triggers, "file"));
    Listing {
        summary: format!(
            "{} queue of {}: {} of {} descriptors in each hardware queue",
            answer.ring_type,
            answer.owner.as_deref().unwrap_or("no engine"),
            thousands(answer.elements),
            thousands(answer.limit)
        ),
        provenance: "inferred".to_owned(),
        findings: words(&answer.gates, &answer.diagnostics),
        fields,
        ..Listing::default()
    }
}

fn transfer(answer: &TransferAnswer) -> Listing {
    let sides = answer.sides.iter().map(|side| {
        let range = touched(side.start, side.end, side.touches.as_deref());
        let of = side.variable.as_deref();
        let of = of.map_or(Cow::Borrowed("an unknown variable"), debug_api::plain::name);
        let meaning = format!("sizes {:?}, steps {:?}", side.sizes, side.steps);
        row(&side.role, format!("{range} of {of}"), meaning, "file")
    });
    let faults = answer.faults.iter().map(|fault| FindingRow {
        code: fault.code.clone(),
        severity: fault.severity.clone(),
        message: clean(&fault.message),
        place: String::new(),
    });
    Listing {
        summary: format!(
            "{}, {} descriptors in each hardware queue",
            answer.op,
            thousands(answer.elements)
        ),
        provenance: answer.provenance.name().to_owned(),
        findings: faults.collect(),
        fields: sides.collect(),
        ..Listing::default()
    }
}
