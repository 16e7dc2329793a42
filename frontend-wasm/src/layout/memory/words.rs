//! Sizes that people type and read, and what the plan says in sentences.

use crate::layout::format::{bytes_unit, count, parse_number, thousands};
use debug_api::answer::memory_words::at_least;
use debug_api::answer::{AddressRegion, MemoryAnswer, MemoryFailure, VariableSpan};

use debug_api::convert::bytes_with;

pub use debug_api::convert::parse_bytes;

/// `16,777,216 B`, or the binary unit where it is exact: `512 MiB`.
pub fn size(bytes: u64) -> String {
    bytes_unit(bytes).map_or_else(|| format!("{bytes} B"), |text| text.replace(".0 ", " "))
}

/// Bytes of a category, with two decimals from 1 GiB on.
pub fn size_fine(bytes: u64) -> String {
    if bytes >= 1 << 30 {
        return bytes_with(bytes, 2).unwrap_or_default();
    }
    if bytes == 0 { "0 B".to_owned() } else { size(bytes) }
}

/// Whether an address lies in a region.
pub fn holds(region: &AddressRegion, address: u64) -> bool {
    let start = parse_number(&region.start);
    start.is_some_and(|start| address >= start && address - start < region.bytes)
}

/// The verdict in a sentence: refused or unknown, else fits, or what fails first and by how much.
pub fn verdict(plan: &MemoryAnswer) -> String {
    let (one, several) = (plan.files.len() < 2, plan.files.len());
    let what = if one { "This model".to_owned() } else { format!("{several} models") };
    match plan.verdict.as_str() {
        "refused" => {
            let load = if one { "does not load" } else { "do not all load" };
            format!("{what} {load}: a loader stops before memory is counted.")
        }
        "unknown" => {
            let fit = if one { "it fits" } else { "they fit" };
            format!("It is not known whether {fit}: what is needed could not be read.")
        }
        _ => fit(plan, &what),
    }
}

/// What is said of memory alone where something else decides the verdict; empty where it decides.
pub fn memory_alone(plan: &MemoryAnswer) -> String {
    let what = if plan.files.len() < 2 { "it" } else { "they" };
    match (plan.verdict.as_str(), plan.memory_verdict.as_str()) {
        ("refused", "unknown") => "What it would need is not known.".to_owned(),
        ("refused", _) => format!("Memory alone: {}", fit(plan, what)),
        ("unknown", _) => {
            let least = plan.least_hbm_text(size);
            format!("Without what could not be read, the rest has room. {least}").trim_end().into()
        }
        _ => String::new(),
    }
}

/// Whether memory suffices.
fn fit(plan: &MemoryAnswer, what: &str) -> String {
    if plan.memory_verdict != "short" {
        let least = plan.hbms.iter().filter(|hbm| hbm.used_bytes > 0);
        let least = least.map(|hbm| hbm.free_bytes).min();
        let left = least.map_or(String::new(), |free| format!(", {} stay free", size_fine(free)));
        let fit = if plan.files.len() > 1 { "fit" } else { "fits" };
        let least = plan.least_hbm_text(size);
        let least = if least.is_empty() { least } else { format!(" {least}") };
        return format!("{what} {fit} in HBMs of {}{left}.{least}", size(plan.hbm_bytes));
    }
    let does = if plan.files.len() > 1 { "do" } else { "does" };
    let first = plan.failures.first().map_or(String::new(), |failure| {
        let file = plan.files.iter().find(|file| file.file == failure.file);
        let file = file.filter(|_| plan.files.len() > 1);
        let of = file.map_or(String::new(), |file| format!(" of {}", file.name));
        format!(" First fails{of}: {}.", failure_text(failure))
    });
    let more = plan.n_failures.saturating_sub(1);
    let more = if more > 0 { format!(" Then {} more.", thousands(more)) } else { String::new() };
    let cap = plan.page_cap.as_ref().map_or(String::new(), |cap| format!(" {}.", cap.sentence()));
    let least = plan.least_hbm_text(size);
    let least = if least.is_empty() { least } else { format!(" {least}") };
    let size = size(plan.hbm_bytes);
    format!("{what} {does} not fit in HBMs of {size}.{first}{more}{cap}{least}")
}

/// One failure in words.
pub fn failure_text(failure: &MemoryFailure) -> String {
    let of = failure.subgraph.as_ref().map_or(String::new(), |name| format!("{name}, "));
    let status = match (failure.status, &failure.status_name) {
        (Some(status), Some(name)) => format!(" [{status} {name}]"),
        (Some(status), None) => format!(" [{status}]"),
        _ => " [the runtime ends]".to_owned(),
    };
    let asked = match failure.amounts(size_fine) {
        none if none.is_empty() => none,
        amounts => format!(": {amounts}"),
    };
    format!("{of}{}{asked}{status}", failure.what)
}

/// What would make it fit, in a sentence; empty where it fits.
pub fn remedies(plan: &MemoryAnswer) -> String {
    let list: Vec<&str> = plan.remedies.iter().map(|one| one.text.as_str()).collect();
    match list.as_slice() {
        _ if plan.memory_verdict != "short" => String::new(),
        [] => "No documented page size, contiguous mode or HBM size that was tried makes it fit."
            .to_owned(),
        list => format!("It would fit with {}.", list.join(", or with ")),
    }
}

/// Where a variable is used: `PE 12–40 (3), SP 5`; says so where nothing is known.
pub fn spans(spans: &[VariableSpan]) -> String {
    if spans.is_empty() {
        return "no record is known to use it".to_owned();
    }
    let texts = spans.iter().map(|span| {
        let ips = crate::layout::format::range(u64::from(span.first_ip), u64::from(span.last_ip));
        format!("{} IP {ips}", span.engine)
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// What the order of a pair means.
pub const fn order(order: &str) -> &'static str {
    match order.as_bytes() {
        b"apart" => "one after the other",
        b"together" => "uses are mixed",
        _ => "on several engines, their order is not known",
    }
}

/// Pages and need in a sentence.
pub fn need(plan: &MemoryAnswer) -> String {
    let virtual_variables = count(plan.n_virtual, "virtual variable");
    if plan.need_bytes == 0 {
        let refused = plan.diagnostics.iter().any(|one| one.code == "memory.refused");
        let unread = plan.n_unread > 0 && plan.n_virtual > 0;
        return match plan.n_virtual {
            0 => "no virtual variables, no pages".to_owned(),
            _ if refused => format!("{virtual_variables}, no pages: they cannot be planned"),
            _ if unread => format!("{virtual_variables}, what they need could not be read"),
            _ => format!("{virtual_variables} without bytes, no pages"),
        };
    }
    let pages = format!("{}{}", at_least(plan.need_at_least), count(plan.n_pages, "page"));
    format!(
        "{} in {pages} of {} on core {}",
        plan.need_amount(size),
        size(plan.page_size),
        plan.core
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_where_they_can_be() {
        assert_eq!(size(512 << 20), "512 MiB");
        assert_eq!(size(1000), "1000 B");
        assert_eq!(size_fine(3 << 29), "1.50 GiB");
        assert_eq!(size_fine(5 << 40), "5.00 TiB");
        assert_eq!(size_fine(u64::MAX), "16.00 EiB");
        assert_eq!(size_fine(0), "0 B");
    }
}
