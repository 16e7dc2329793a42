//! What a card beside the pointer says of a variable.

use super::map::{Block, What};
use super::words::{self, order, size};
use super::{MemoryBox, VarRef};
use crate::layout::format::{bytes_exact, thousands};
use debug_api::Provenance;
use debug_api::answer::{MemoryAnswer, MemoryVariable};

/// Variables that share bytes and are named.
const PAIRS: usize = 3;

/// A line of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is about.
    pub name: &'static str,
    /// What is said.
    pub text: String,
    /// Where it comes from.
    pub of: Provenance,
}

/// A card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Name of the variable, untrusted.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// The card of a variable of a plan; `None` where nothing of it has arrived.
pub fn card(memory: &MemoryBox, plan: &MemoryAnswer, wanted: &VarRef) -> Option<Card> {
    let on_page = MemoryBox::on_page(plan, wanted);
    let row = memory.row(wanted);
    let title = on_page.as_ref().map(|one| one.name.clone());
    let title = title.or_else(|| row.map(|row| row.name.clone()))?;
    let bytes = on_page.as_ref().map(|one| one.size).or_else(|| row.map(|row| row.size))?;
    let mut lines = Vec::new();
    let mut line = |name, text: String, of| lines.push(Line { name, text, of });
    line("Size", size_text(bytes), Provenance::File);
    let file = plan.files.iter().find(|one| one.file == wanted.file);
    let file = file.filter(|_| plan.files.len() > 1);
    let of_file = file.map_or(String::new(), |one| format!(" of {}", one.name));
    line("Subgraph", format!("{}{of_file}", wanted.subgraph), Provenance::File);
    if let Some(one) = &on_page {
        line("Place", place_text(plan, one), plan.provenance);
    }
    if let Some(row) = row {
        // The row of the other map may be one of a page, where this map has none.
        let address = row.address.clone().unwrap_or_else(|| "none".to_owned());
        line("Device", address, row.provenance);
        if let Some(category) = &row.category {
            line("Counts as", category.clone(), row.provenance);
        }
    }
    if let Some(one) = &on_page {
        line("Lifetime", words::spans(&one.spans), Provenance::Inferred);
    }
    let own = |one: &MemoryVariable| VarRef::of(one) == *wanted;
    let pairs = plan.overlap_pairs.iter().filter(|pair| own(&pair.a) || own(&pair.b));
    let pairs: Vec<_> = pairs.collect();
    for pair in pairs.iter().take(PAIRS) {
        let other = if own(&pair.a) { &pair.b } else { &pair.a };
        let text = format!("{} of {}, {}", size(pair.bytes), other.name, order(&pair.order));
        line("Shares", text, Provenance::Inferred);
    }
    if pairs.len() > PAIRS {
        let text = format!("and {} more", thousands((pairs.len() - PAIRS) as u64));
        line("Shares", text, Provenance::Inferred);
    }
    Some(Card { title, lines })
}

fn size_text(bytes: u64) -> String {
    let (short, exact) = (size(bytes), bytes_exact(bytes));
    if short.replace(' ', "") == exact.replace([',', ' '], "") {
        exact
    } else {
        format!("{short}, {exact}")
    }
}

/// Where a virtual variable is in its scratchpad.
fn place_text(plan: &MemoryAnswer, one: &MemoryVariable) -> String {
    let page_size = plan.page_size.max(1);
    let (page, within) = (one.offset / page_size, one.offset % page_size);
    if plan.mode == "contiguous" {
        let page = plan.n_pages.saturating_sub(page.saturating_add(1));
        return format!("page {page} + {within:#x}, {:#x} in the region", one.offset);
    }
    let end = within.saturating_add(one.size);
    if end > page_size {
        let last = one.offset.saturating_add(one.size.saturating_sub(1)) / page_size;
        return format!("would cross from page {page} into page {last}: memory of its own");
    }
    format!("page {page} + {within:#x}, {:#x} in the scratchpad", one.offset)
}

/// What is said of a bar in one line, for those who do not see the card.
pub fn said(block: &Block<'_>) -> String {
    let Some(one) = block.variable else { return "padding".to_owned() };
    match &block.what {
        What::Merged(many) => format!(
            "{} variables from {} on, too small to be told apart",
            thousands(*many),
            one.name
        ),
        what => {
            let more = match what {
                What::Private => "; crosses a page, so it has memory of its own",
                _ if !block.ends => "; continues on the next row",
                _ => "",
            };
            format!(
                "{}: {} at {:#x} in {}{more}",
                one.name,
                size(one.size),
                one.offset,
                one.subgraph
            )
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::Plans;
    use super::super::map::tests::{plan, variable};
    use super::*;
    use debug_api::answer::{OverlapPair, PlacedVariable, VariableSpan};
    use std::rc::Rc;

    const MIB: u64 = 1 << 20;

    fn text(card: &Card) -> Vec<String> {
        card.lines
            .iter()
            .map(|line| format!("{}: {} [{}]", line.name, line.text, line.of.name()))
            .collect()
    }

    fn memory(plan: MemoryAnswer) -> MemoryBox {
        let plan = Rc::new(plan);
        let row = PlacedVariable {
            file: 0,
            subgraph: "sg00".to_owned(),
            id: 1,
            name: "v1".to_owned(),
            size: 200 * MIB,
            place: "page".to_owned(),
            category: Some("shared scratchpad".to_owned()),
            page: Some(1),
            in_page_offset: Some(0),
            address: Some("0x1000".to_owned()),
            reason: None,
            provenance: Provenance::Modelled,
        };
        MemoryBox {
            plans: Some(Plans { paged: Rc::clone(&plan), contiguous: plan }),
            rows: Rc::new(vec![row]),
            ..MemoryBox::default()
        }
    }

    #[test]
    fn a_card_has_place_lifetime_and_what_shares_the_bytes() {
        let mut one = variable(1, 512 * MIB, 200 * MIB);
        one.spans =
            vec![VariableSpan { engine: "SP".to_owned(), first_ip: 3, last_ip: 9, uses: 2 }];
        let other = variable(2, 612 * MIB, 100 * MIB);
        let mut plan = plan(&[one.clone(), other.clone()]);
        plan.overlap_pairs =
            vec![OverlapPair { a: other, b: one.clone(), bytes: 100 * MIB, order: "apart".into() }];
        let memory = memory(plan.clone());
        let made = card(&memory, &plan, &VarRef::of(&one)).unwrap();
        assert_eq!(made.title, "v1");
        assert_eq!(
            text(&made),
            [
                "Size: 200 MiB, 209,715,200 B [file]",
                "Subgraph: sg00 [file]",
                "Place: page 1 + 0x0, 0x20000000 in the scratchpad [observed]",
                "Device: 0x1000 [modelled]",
                "Counts as: shared scratchpad [modelled]",
                "Lifetime: SP IP 3\u{2013}9 [inferred]",
                "Shares: 100 MiB of v2, one after the other [inferred]",
            ]
        );
        let nobody = VarRef { file: 3, ..VarRef::of(&one) };
        assert_eq!(card(&memory, &plan, &nobody), None);
    }

    #[test]
    fn a_card_of_a_private_variable_says_which_pages_it_would_cross() {
        let mut plan = plan(&[variable(9, 0, MIB)]);
        plan.private = vec![variable(3, 500 * MIB, 600 * MIB)];
        let memory = memory(plan.clone());
        let made = card(&memory, &plan, &VarRef::of(&plan.private[0])).unwrap();
        assert_eq!(made.lines[2].text, "would cross from page 0 into page 2: memory of its own");
        // In one region the last page has the first bytes.
        plan.mode = "contiguous".to_owned();
        plan.n_pages = 3;
        let made = card(&memory, &plan, &VarRef::of(&plan.private[0])).unwrap();
        assert_eq!(made.lines[2].text, "page 2 + 0x1f400000, 0x1f400000 in the region");
    }
}
