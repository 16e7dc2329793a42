//! The trees of the Structs view as rows: which record stands below which, what is open, and where a
//! searched text was found.

use super::structs::{RowKind, TREES, Tree, TreeKind, TreeRow, all_hits, is_alone};
use debug_api::answer::RecordInfo;
use std::collections::{BTreeMap, BTreeSet};

/// More children than these are closed at first.
const OPEN_CHILDREN: usize = 40;

/// The rows of all trees. While something is searched for, everything found is shown.
pub fn rows(trees: &[Tree], turned: &BTreeSet<String>, searching: bool) -> Vec<TreeRow> {
    let mut out = Vec::new();
    for (number, tree) in trees.iter().enumerate() {
        // Most sessions have no dump.
        if TREES.get(number) == Some(&TreeKind::Dump) && !tree.known {
            continue;
        }
        out.push(TreeRow { tree: number, what: RowKind::Head, depth: 0, open: None, skip: 0 });
        let is_flat = TREES.get(number) == Some(&TreeKind::Index);
        let below = if is_flat { flat(&tree.records) } else { children(&tree.records) };
        let none = Vec::new();
        let mut open: Vec<(usize, u8, usize)> =
            below.get(&None).unwrap_or(&none).iter().rev().map(|at| (*at, 1, 0)).collect();
        if is_flat {
            // The kind says whether it is a queue or a variable.
            for (at, _, skip) in &mut open {
                let name = tree.records.get(*at).map_or("", |record| record.name.as_str());
                *skip = name.find('.').map_or(0, |dot| dot + 1);
            }
        }
        while let Some((at, depth, skip)) = open.pop() {
            let own = below.get(&Some(at)).unwrap_or(&none);
            let name = tree.records.get(at).map_or("", |record| record.name.as_str());
            let shown = searching || (own.len() <= OPEN_CHILDREN) != turned.contains(name);
            out.push(TreeRow {
                tree: number,
                what: RowKind::Record(at),
                depth,
                open: (!own.is_empty()).then_some(shown),
                skip,
            });
            if let (true, Some(record)) = (searching, tree.records.get(at)) {
                push_hits(&mut out, (number, at, depth.saturating_add(1).min(6)), record, turned);
            }
            if shown {
                let deeper = depth.saturating_add(1).min(6);
                open.extend(own.iter().rev().map(|at| (*at, deeper, name.len() + 1)));
            }
        }
        let left = tree.total.saturating_sub(tree.records.len() as u64);
        if tree.known && left > 0 {
            out.push(TreeRow {
                tree: number,
                what: RowKind::More(left),
                depth: 1,
                open: None,
                skip: 0,
            });
        }
    }
    out
}

/// Fields of a found record that are shown at first.
const HITS_AT_ONCE: usize = 8;

/// The rows of what was found in a record: of tree, record and depth.
fn push_hits(
    out: &mut Vec<TreeRow>,
    (tree, at, depth): (usize, usize, u8),
    record: &RecordInfo,
    turned: &BTreeSet<String>,
) {
    if is_alone(record) {
        return;
    }
    let mut push = |what| out.push(TreeRow { tree, what, depth, open: None, skip: 0 });
    let all = turned.contains(&all_hits(&record.name));
    let shown = if all { record.hits.len() } else { record.hits.len().min(HITS_AT_ONCE) };
    (0..shown).for_each(|hit| push(RowKind::Hit(at, hit)));
    let left = record.total_hits.saturating_sub(shown as u64);
    if left > 0 {
        push(RowKind::MoreHits(at, left, shown < record.hits.len()));
    }
}

/// A tree that is a list.
fn flat(records: &[RecordInfo]) -> BTreeMap<Option<usize>, Vec<usize>> {
    BTreeMap::from([(None, (0..records.len()).collect())])
}

/// The children of each record: a record stands below the longest beginning of its name, cut at
/// dots, that is a name too.
fn children(records: &[RecordInfo]) -> BTreeMap<Option<usize>, Vec<usize>> {
    let names: BTreeMap<&str, usize> =
        records.iter().enumerate().map(|(at, record)| (record.name.as_str(), at)).collect();
    let mut out: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        let mut rest = record.name.as_str();
        let mut parent = None;
        while let Some((head, _)) = rest.rsplit_once('.') {
            parent = names.get(head).copied().filter(|other| *other != at);
            if parent.is_some() {
                break;
            }
            rest = head;
        }
        out.entry(parent).or_default().push(at);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use debug_api::answer::RecordHit;

    fn tree(names: &[&str], total: u64) -> Tree {
        let record = |name: &&str| RecordInfo {
            name: (*name).to_owned(),
            kind: "t".to_owned(),
            bytes: 8,
            model_offset: None,
            hit: None,
            total_hits: 0,
            hits: Vec::new(),
            rows: None,
            part: None,
        };
        Tree { asked: None, records: names.iter().map(record).collect(), total, known: true }
    }

    fn shown(trees: &[Tree], turned: &[&str], searching: bool) -> Vec<(String, u8, Option<bool>)> {
        let turned = turned.iter().map(|name| (*name).to_owned()).collect();
        let name = |row: &TreeRow| match row.what {
            RowKind::Head => "#".to_owned(),
            RowKind::More(left) => format!("+{left}"),
            RowKind::Record(at) => trees[row.tree].records[at].name.clone(),
            RowKind::Hit(at, hit) => trees[row.tree].records[at].hits[hit].field.clone(),
            RowKind::MoreHits(_, left, more) => format!("+{left} {more}"),
        };
        rows(trees, &turned, searching).iter().map(|row| (name(row), row.depth, row.open)).collect()
    }

    fn row(name: &str, depth: u8, open: Option<bool>) -> (String, u8, Option<bool>) {
        (name.to_owned(), depth, open)
    }

    #[test]
    fn names_make_the_tree() {
        // Blocks stand below their function although no record is called `functions.0.blocks`;
        // rows of a list come last in stored order and still stand below their list.
        let names = [
            "eib",
            "patch",
            "patch.PE",
            "functions",
            "functions.0",
            "functions.0.blocks.0",
            "patch.PE.0",
        ];
        let trees = [tree(&names, 9)];
        let all = [
            row("#", 0, None),
            row("eib", 1, None),
            row("patch", 1, Some(true)),
            row("patch.PE", 2, Some(true)),
            row("patch.PE.0", 3, None),
            row("functions", 1, Some(true)),
            row("functions.0", 2, Some(true)),
            row("functions.0.blocks.0", 3, None),
            row("+2", 1, None),
        ];
        assert_eq!(shown(&trees, &[], false), all);
        let closed = shown(&trees, &["patch"], false);
        assert_eq!(closed[2], row("patch", 1, Some(false)));
        assert_eq!(closed[3].0, "functions");
        assert_eq!(shown(&trees, &["patch"], true), all, "found things are not hidden");
    }

    #[test]
    fn long_lists_are_closed_at_first() {
        let mut names = vec!["list".to_owned()];
        names.extend((0..41).map(|at| format!("list.{at}")));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let trees = [tree(&names, 42)];
        assert_eq!(shown(&trees, &[], false), [row("#", 0, None), row("list", 1, Some(false))]);
        assert_eq!(shown(&trees, &["list"], false).len(), 43);
    }

    #[test]
    fn found_fields_stand_below_their_record() {
        let mut one = tree(&["a", "b"], 2);
        let hit = |at: u64| RecordHit {
            row: Some(at),
            field: format!("mem[{at}].size"),
            offset: at * 8,
            bytes: 8,
            value: "64".to_owned(),
        };
        one.records[0].hit = Some("x 1".to_owned());
        one.records[0].total_hits = 1;
        one.records[0].hits = vec![hit(0)];
        one.records[1].total_hits = 30;
        one.records[1].hits = (0..10).map(hit).collect();
        let trees = [one];
        let found = shown(&trees, &[], true);
        // The only field of a stands on its own row; of b eight are shown.
        assert_eq!(found.len(), 1 + 1 + 1 + 8 + 1);
        assert_eq!(found[3], row("mem[0].size", 2, None));
        assert_eq!(found[11], row("+22 true", 2, None));
        let all = shown(&trees, &["hits b"], true);
        assert_eq!((all.len(), all[13].clone()), (14, row("+20 false", 2, None)));
        assert_eq!(shown(&trees, &[], false).len(), 3);
    }

    #[test]
    fn rows_say_what_their_parents_do_not() {
        let trees = [tree(&["f", "f.0", "f.0.blocks.1", "patch.PE"], 4)];
        let all = rows(&trees, &BTreeSet::new(), false);
        let names = all.iter().filter_map(|row| match row.what {
            RowKind::Record(at) => trees[0].records[at].name.get(row.skip..),
            _ => None,
        });
        assert_eq!(names.collect::<Vec<_>>(), ["f", "0", "blocks.1", "patch.PE"]);
    }
}
