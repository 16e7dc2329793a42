//! What the open file says about a line, in words.

use super::Context;
use crate::answer::LogFeatures;
use crate::convert::hex;
use crate::log::codes::status;
use crate::log::{Features, Kind, Line};
use crate::names;
use device_image::Queue;
use neff::Severity;
use records::neff_header::feature_names;

/// Bit 63 is set in every mask and never looked at.
/// Spec: docs/format/container.md "Feature bits" [observed].
const UNUSED: u64 = 1 << 63;

/// Feature bits of a line beside those of the file.
pub fn features(context: &Context<'_>, features: Features) -> LogFeatures {
    let file = context.neff.map(|file| file.package().header().feature_bits.get());
    let outside = |bits: u64| match features.supported {
        Some(mask) => bits & !mask & !UNUSED,
        None => bits,
    };
    let names = |bits: u64| -> Vec<String> {
        feature_names(bits).into_iter().map(std::borrow::Cow::into_owned).collect()
    };
    LogFeatures {
        named: features.named.map(hex),
        supported: features.supported.map(hex),
        refused: names(outside(features.named.unwrap_or(0))),
        file: file.map(hex),
        file_refused: match features.supported {
            Some(_) => names(outside(file.unwrap_or(0))),
            None => Vec::new(),
        },
    }
}

/// Sentences about a line.
pub fn notes(context: &Context<'_>, line: &Line) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(code) = line.status {
        notes.push(match status(code) {
            Some(known) => format!("Status {code} is NRT_{}: {}", known.name, known.meaning),
            None => format!("Status {code} has no name that is known here."),
        });
    }
    if let Some(features) = line.features {
        feature_notes(context, features, &mut notes);
    }
    let Some(file) = context.neff else { return notes };
    if let Some(model) = &line.model {
        let name = model.rsplit(['/', '\\']).next().unwrap_or(model);
        if name != file.name() {
            let model = crate::log::scan::cut(name, 120);
            notes.push(format!(
                "The line names the model {model}; the open file is {}.",
                names::of_neff(context.files, file)
            ));
        }
    }
    package_notes(context, line, &mut notes);
    if line.kind == Kind::LoadFailure
        && let Some(member) = line.value("member")
    {
        let package = file.package();
        let end = format!("/{member}");
        let has = package.member(member).is_some()
            || package.members().iter().any(|known| known.name.ends_with(&end));
        let has = if has { "has" } else { "has no" };
        notes.push(format!("The open file {has} member {member}."));
    }
    notes
}

/// What of the file belongs beside a line of some forms.
fn package_notes(context: &Context<'_>, line: &Line, notes: &mut Vec<String>) {
    let Some(file) = context.neff else { return };
    let lower = line.text.to_ascii_lowercase();
    if lower.contains("allow_legacy_neff") {
        let target =
            context.subgraph_of(line).map(|at| file.program(at).subgraph.generation.name());
        notes.extend(target.map(|target| format!("The open file is for {target}.")));
    }
    if lower.contains("topology") {
        let cores = file.package().header().num_tpb.get();
        notes.push(format!("The open file asks for {cores} cores."));
    }
    if lower.contains("neff is invalid") || lower.contains("not load the model") {
        let all = file.findings().as_slice();
        let errors: Vec<_> =
            all.iter().filter(|finding| finding.severity == Severity::Error).collect();
        notes.push(match errors.first() {
            None => "The open file has no finding that is an error.".to_owned(),
            Some(first) => format!(
                "The open file has {} findings that are errors; the first is {}: {}.",
                errors.len(),
                first.code,
                first.message
            ),
        });
    }
    if line.kind == Kind::Capture
        && let Some(capture) = context.files.iter().find_map(|file| file.as_ntff())
    {
        let version = capture.capture().version;
        let called = names::of_ntff(context.files, capture);
        notes.push(format!("The open capture {called} has version {version}."));
    }
    if line.kind == Kind::Memory
        && lower.contains("queue")
        && let Some(subgraph) = context.subgraph_of(line)
    {
        let program = file.program(subgraph);
        let descriptors = |queue: &Queue| {
            let counts = queue.blocks.iter().map(|block| block.counts);
            counts.map(|n| u64::from(n.read) + u64::from(n.write)).sum::<u64>()
        };
        let queues = program.subgraph.queues.iter().map(|queue| (descriptors(queue), queue));
        if let Some((most, queue)) = queues.max_by_key(|(most, _)| *most).filter(|most| most.0 > 0)
        {
            notes.push(format!(
                "Of the open subgraph's queues {} of {} has the most descriptors: {most}.",
                queue.name, queue.owner
            ));
        }
    }
}

fn feature_notes(context: &Context<'_>, features: Features, notes: &mut Vec<String>) {
    let all = |bits: u64| feature_names(bits).join(" ");
    let (named, mask) = (features.named.unwrap_or(0), features.supported);
    if let Some(mask) = mask {
        let refused = named & !mask & !UNUSED;
        if refused != 0 {
            notes.push(format!("Refused: {}.", all(refused)));
        }
    } else if named != 0 {
        notes.push(format!("The bits are {}.", all(named)));
    }
    let Some(file) = context.neff else { return };
    let bits = file.package().header().feature_bits.get();
    if named != 0 && bits & named != named {
        notes.push(format!(
            "The open file has bits {}, not all of {}: the line is about another file.",
            hex(bits),
            hex(named)
        ));
    }
    if let Some(mask) = mask {
        let refused = bits & !mask & !UNUSED;
        notes.push(if refused == 0 {
            "This mask takes all bits of the open file.".to_owned()
        } else {
            format!("Of the open file's bits this mask refuses {}.", all(refused))
        });
    }
}
