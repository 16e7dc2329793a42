//! What stands on and beside the rows of the page map: names in bars, the words of a row, and the
//! bytes that variables share.

use super::VarRef;
use super::map::{Block, Row, What};
use super::words::{self, size};
use crate::layout::format::{count, percent, range, thousands};
use debug_api::answer::{MemoryAnswer, OverlapPair};

/// Marks of shared bytes on one row; the table of pairs has all.
const MOST: usize = 200;
/// Shared bytes that are narrower than this part of a row are not marked.
const NARROW: f64 = 0.006;
/// Characters at the end of a name that stay: in a narrow bar, and more in a wider one.
const END: usize = 3;
const MORE: usize = 6;

/// A name in three parts, so that dots can stand in its middle: the first part gives way, the second
/// goes where the bar is narrow, the third stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The beginning.
    pub head: String,
    /// Characters before the last ones, of long names alone.
    pub middle: String,
    /// The last ones; empty where the name is as short as that.
    pub end: String,
}

/// The parts of a name, which are the whole name in a row.
pub fn parts(name: &str) -> Parts {
    let letters: Vec<char> = name.chars().collect();
    let end = if letters.len() > END + 1 { END } else { 0 };
    let more = if letters.len() > 2 * (END + MORE) { MORE } else { 0 };
    let at = letters.len() - end - more;
    let text = |from: usize, to: usize| letters.iter().skip(from).take(to - from).collect();
    Parts { head: text(0, at), middle: text(at, at + more), end: text(at + more, letters.len()) }
}

/// What a bar says behind the name, where it has room for it.
pub fn note(block: &Block<'_>) -> String {
    match (&block.what, block.variable) {
        (What::Private, _) => "memory of its own".to_owned(),
        (What::Variable, Some(one)) if !one.spans.is_empty() => words::spans(&one.spans),
        (What::Padding, _) => "padding".to_owned(),
        _ => String::new(),
    }
}

/// What is said beside a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowWords {
    /// `page 2`, or `pages 0–5`.
    pub name: String,
    /// Bytes of the pages.
    pub size: String,
    /// Bytes that some variable covers.
    pub used: String,
    /// The same as a part of the pages.
    pub fill: String,
    /// Loads that use it.
    pub references: String,
    /// All of it in a sentence.
    pub said: String,
}

/// The words of a row.
pub fn row_words(row: &Row<'_>) -> RowWords {
    let (first, last) = row.pages;
    let name = format!("{} {}", if first == last { "page" } else { "pages" }, range(first, last));
    let (whole, used) = (size(row.paged_bytes), size(row.used));
    let fill = percent(row.used, row.paged_bytes.max(1));
    let references = match row.references {
        (_, 0) => "not reserved".to_owned(),
        (few, most) if few == most => count(u64::from(few), "reference"),
        (few, most) => format!("{few}\u{2013}{most} references"),
    };
    let blocks = row.blocks.iter().filter(|one| one.what != What::Padding).count() as u64;
    let more = match row.unlisted {
        0 => String::new(),
        left => format!(", {} not drawn", thousands(left)),
    };
    let said = format!(
        "{name} of {whole}: {used} used, {fill}, {references}, {}{more}",
        count(blocks, "bar")
    );
    RowWords { name, size: whole, used, fill, references, said }
}

/// Bytes of a row that two variables share.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedBytes<'a> {
    /// The pair.
    pub pair: &'a OverlapPair,
    /// Start as a part of the row.
    pub start: f64,
    /// Width as a part of the row.
    pub width: f64,
    /// Lanes of the two.
    pub lanes: (usize, usize),
}

/// The bytes that variables of a row share, as far as both have bars of their own, and whether more
/// are there than are marked.
pub fn shared<'a>(plan: &'a MemoryAnswer, row: &Row<'_>) -> (Vec<SharedBytes<'a>>, bool) {
    let mut out: Vec<SharedBytes<'a>> = Vec::new();
    let bar = |wanted: VarRef| {
        let own = row.blocks.iter().filter(|one| one.what == What::Variable);
        let mut own = own.filter(|one| one.variable.map(VarRef::of).as_ref() == Some(&wanted));
        own.next()
    };
    for pair in &plan.overlap_pairs {
        let (Some(a), Some(b)) = (bar(VarRef::of(&pair.a)), bar(VarRef::of(&pair.b))) else {
            continue;
        };
        let start = a.start.max(b.start);
        let width = (a.start + a.width).min(b.start + b.width) - start;
        if width < NARROW || a.lane == b.lane {
            continue;
        }
        if out.len() == MOST {
            return (out, true);
        }
        let lanes = (a.lane.min(b.lane), a.lane.max(b.lane));
        out.push(SharedBytes { pair, start, width, lanes });
    }
    (out, false)
}

/// Class of the mark of an order.
pub const fn mark(order: &str) -> &'static str {
    match order.as_bytes() {
        b"apart" => "apart",
        b"together" => "mixed",
        _ => "unknown",
    }
}

/// The orders that pairs of a plan have, in the order of the key.
pub fn orders(plan: &MemoryAnswer) -> Vec<&'static str> {
    let has = |wanted: &&&str| plan.overlap_pairs.iter().any(|pair| mark(&pair.order) == **wanted);
    ["apart", "mixed", "unknown"].iter().filter(has).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::super::map::{rows, tests::plan, tests::variable};
    use super::*;
    use debug_api::answer::{MemoryVariable, VariableSpan};

    const MIB: u64 = 1 << 20;

    fn pair(a: &MemoryVariable, b: &MemoryVariable, order: &str) -> OverlapPair {
        OverlapPair { a: a.clone(), b: b.clone(), bytes: MIB, order: order.to_owned() }
    }

    /// A row as it stands on the screen, in so many characters: a line for each lane with the bars
    /// and as much of their names as fits, then a line with the shared bytes.
    fn picture(plan: &MemoryAnswer, row: &Row<'_>, width: usize) -> Vec<String> {
        let cells = |start: f64, wide: f64| {
            let at = |part: f64| (part * width as f64).round() as usize;
            (at(start), at(start + wide))
        };
        let mut lines = vec![vec!['.'; width]; row.lanes + 1];
        for block in &row.blocks {
            let (from, to) = cells(block.start, block.width);
            let name = block.variable.map_or(String::new(), |one| one.name.clone());
            let sign = match block.what {
                What::Variable => '=',
                What::Private => '~',
                What::Merged(_) => '#',
                What::Padding => '/',
            };
            let mut letters = name.chars();
            for cell in &mut lines[block.lane][from..to] {
                *cell = letters.next().unwrap_or(sign);
            }
        }
        for one in shared(plan, row).0 {
            let (from, to) = cells(one.start, one.width);
            let sign = mark(&one.pair.order).chars().next().unwrap_or(' ');
            lines[row.lanes][from..to].fill(sign);
        }
        lines.into_iter().map(|line| line.into_iter().collect()).collect()
    }

    #[test]
    fn a_map_stands_like_this() {
        let named = |id: u32, name: &str, offset: u64, size: u64| MemoryVariable {
            name: name.to_owned(),
            ..variable(id, offset * MIB, size * MIB)
        };
        let scores = named(1, "scores", 0, 200);
        let gathered = named(2, "gathered", 96, 120);
        let logits = named(3, "logits", 330, 60);
        let last = named(4, "last", 350, 30);
        let packed = named(5, "packed", 400, 300);
        let mut plan = plan(&[scores.clone(), gathered.clone(), logits.clone(), last.clone()]);
        plan.private = vec![packed.clone()];
        plan.overlap_pairs = vec![
            pair(&scores, &gathered, "apart"),
            pair(&logits, &last, "together"),
            pair(&logits, &packed, "unknown"),
        ];
        plan.slices[0].padding_bytes = 0;
        plan.slices.push(debug_api::answer::MemorySlice {
            file: 0,
            subgraph: Some("sg01".to_owned()),
            offset: 512 * MIB,
            bytes: MIB,
            padding_bytes: 32 * MIB,
        });
        let (all, _) = rows(&plan, None);
        assert_eq!(
            picture(&plan, &all[0], 64),
            [
                "scores===================................logits==.packed~~~~////",
                "............gathered=======.................last................",
                "............aaaaaaaaaaaaa...................mmmm................",
            ]
        );
        let row = row_words(&all[0]);
        assert_eq!((row.name.as_str(), row.size.as_str()), ("page 0", "512 MiB"));
        assert_eq!(row.references, "1 reference");
        assert_eq!(orders(&plan), ["apart", "mixed", "unknown"]);
    }

    #[test]
    fn a_name_keeps_its_end() {
        let all = |name: &str| {
            let Parts { head, middle, end } = parts(name);
            assert_eq!(format!("{head}{middle}{end}"), name);
            (head, middle, end)
        };
        let text = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(all(""), text("", "", ""));
        assert_eq!(all("part"), text("part", "", ""));
        assert_eq!(all("agreed"), text("agr", "", "eed"));
        assert_eq!(all("model.layers.31.mlp.act_17"), text("model.layers.31.m", "lp.act", "_17"));
        assert_eq!(all("äöüäöü"), text("äöü", "", "äöü"));
    }

    #[test]
    fn a_row_has_size_fill_and_references() {
        let mut plan = plan(&[variable(1, 0, 64 * MIB)]);
        plan.pages[0].used_bytes = 64 * MIB;
        let said = |plan: &MemoryAnswer| row_words(&rows(plan, None).0[0]).said;
        assert_eq!(said(&plan), "page 0 of 512 MiB: 64 MiB used, 13\u{202f}%, 1 reference, 1 bar");
        plan.pages[0].references = 0;
        plan.pages[0].n_variables = 2_001;
        assert_eq!(
            said(&plan),
            "page 0 of 512 MiB: 64 MiB used, 13\u{202f}%, not reserved, 1 bar, 2,000 not drawn"
        );
        plan.pages[0].references = 3;
        assert_eq!(row_words(&rows(&plan, None).0[0]).references, "3 references");
    }

    #[test]
    fn bars_say_their_lifetime_or_that_they_are_no_part_of_a_page() {
        let mut one = variable(1, 0, MIB);
        one.spans =
            vec![VariableSpan { engine: "SP".to_owned(), first_ip: 3, last_ip: 9, uses: 2 }];
        let mut plan = plan(&[one]);
        plan.private = vec![variable(2, 400 * MIB, 200 * MIB)];
        let (rows, _) = rows(&plan, None);
        let notes: Vec<String> = rows[0].blocks.iter().map(note).collect();
        assert_eq!(notes, ["SP IP 3\u{2013}9", "memory of its own"]);
    }
}
