//! What the open file says about a line, in words.

use super::Context;
use crate::answer::LogFeatures;
use crate::convert::hex;
use crate::log::codes::status;
use crate::log::{Features, Kind, Line};
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
                file.name()
            ));
        }
    }
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
