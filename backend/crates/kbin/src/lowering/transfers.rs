//! What is odd about the keys of a descriptor beside its sides: operands that its operation does not
//! have, or has and does not get.
//! Spec: docs/format/kbin.md "From queues" [inferred], "Descriptor" [observed].

use neff::Severity;
use neff::doc::DmaDescriptor;
use records::kbin::names::DescOp;

use super::notes::{Notes, shown};
use super::numbers::Source;

/// Looks at the operands of a descriptor.
pub fn operands(source: &DmaDescriptor, op: DescOp, from: &Source<'_>, notes: &mut Notes) {
    let mut say = |severity, code, message: String| {
        notes.find(severity, code, from.at.clone(), message);
    };
    let sources = 1 + source.from.more_variables.len();
    let is_scaled =
        source.scale.is_some() || from.extra.get("scale").is_some_and(|value| !value.is_null());
    let name = op.name().unwrap_or("INVALID");
    let unused = [
        ("scale", is_scaled && op != DescOp::FMA),
        ("constant", source.constant.is_some() && !matches!(op, DescOp::MIN | DescOp::MAX)),
        ("transpose_op", source.transpose_op.is_some() && op != DescOp::TRANSPOSE),
    ];
    for (key, _) in unused.iter().filter(|(_, is_unused)| *is_unused && op != DescOp::INVALID) {
        let message =
            format!("`{key}` of a descriptor has no place in a transfer of operation {name}");
        say(Severity::Warning, "kbin.desc-key", message);
    }
    if op == DescOp::FMA && is_scaled && source.scale_dtype.is_none() {
        let message = "a scale has no `scale_dtype`, expected float32".to_owned();
        say(Severity::Warning, "kbin.scale-dtype", message);
    }
    let scales = from.extra.get("scale").and_then(|value| value.as_array()).map(Vec::len);
    if let Some(scales) = scales.filter(|scales| op == DescOp::FMA && *scales != sources) {
        let message = format!("a descriptor has {scales} scales and {sources} sources");
        say(Severity::Error, "kbin.scales", message);
    }
    if matches!(op, DescOp::COPY | DescOp::TRANSPOSE) && sources > 1 {
        let message = format!("a transfer of operation {name} has {sources} sources, expected one");
        say(Severity::Warning, "kbin.sources", message);
    }
    if op == DescOp::TRANSPOSE {
        transpose(source, from, notes);
    }
}

/// Letters, element size and shape of a transpose. Which 12 of the 24 orders are taken is not
/// published.
fn transpose(source: &DmaDescriptor, from: &Source<'_>, notes: &mut Notes) {
    let mut say = |severity, code, message: String| {
        notes.find(severity, code, from.at.clone(), message);
    };
    let letters = source.transpose_op.as_deref().unwrap_or_default();
    let mut sorted: Vec<char> = letters.chars().take(5).collect();
    sorted.sort_unstable();
    if sorted != ['W', 'X', 'Y', 'Z'] {
        let message = match source.transpose_op {
            Some(_) => {
                format!("the transpose `{}` is no order of the letters W X Y Z", shown(letters))
            }
            None => "a transpose has no `transpose_op`, expected an order of W X Y Z".to_owned(),
        };
        say(Severity::Error, "kbin.transpose-op", message);
    }
    let element = source.transpose_element_size;
    if let Some(bytes) = element.filter(|bytes| !(1..=8).contains(bytes)) {
        let message = format!("a transpose has elements of {bytes} bytes, 1 to 8 are valid");
        say(Severity::Error, "kbin.transpose-size", message);
    } else if element.is_none() {
        let message =
            "a transpose has no `transpose_element_size`, expected 1 to 8 bytes".to_owned();
        say(Severity::Error, "kbin.transpose-size", message);
    }
    let product = |numbers: &[u64]| {
        numbers.iter().try_fold(1_u128, |all, one| all.checked_mul(u128::from(*one)))
    };
    let Some(shape) = &source.transpose_shape else {
        let message = "a transpose has no `transpose_shape`, expected four dimensions".to_owned();
        say(Severity::Error, "kbin.transpose-shape", message);
        return;
    };
    if shape.len() != 4 {
        let message =
            format!("the shape of a transpose has {} dimensions, expected four", shape.len());
        say(Severity::Error, "kbin.transpose-shape", message);
        return;
    }
    let elements = product(shape).zip(element.filter(|bytes| (1..=8).contains(bytes)));
    let bytes = elements.and_then(|(count, element)| count.checked_mul(u128::from(element)));
    let moved = product(&source.from.sizes).filter(|_| !source.from.sizes.is_empty());
    if let (Some(bytes), Some(moved)) = (bytes, moved)
        && bytes != moved
    {
        let message =
            format!("the shape of a transpose is {bytes} bytes, its source carries {moved}");
        say(Severity::Warning, "kbin.transpose-shape", message);
    }
}
