//! The Structs view: trees of records at the left, the fields of one at the right.
//!
//! A tree is a list of records with dotted names, by pages; which records stand below which follows
//! from the names alone. Further lists are further entries of [`TREES`].

use super::bytes::{BytesOf, BytesRef};
use super::dumps::{DUMP, dump_request};
use super::loader::Loader;
use super::state::Notice;
use super::uses::Sheet;
use super::value::links;
use debug_api::answer::{
    DumpAnswer, KbinAnswer, RecordAnswer, RecordHit, RecordInfo, RecordLink, RecordsAnswer,
    is_runtime_record,
};
use debug_api::{Request, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Records that are loaded without being asked for.
pub const LOADED_AT_ONCE: usize = 16_384;
/// More children than these are closed at first.
const OPEN_CHILDREN: usize = 40;

/// Rows of a record of a loader that are shown at once.
pub const ROWS_AT_ONCE: u64 = 64;

/// A list of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// What the runtime keeps about an assembled engine.
    Runtime,
    /// Queues and variables of a subgraph, and transfers, which no list has.
    Index,
    /// What a loader makes of a subgraph.
    Kbin,
    /// What a firmware has in a memory dump.
    Dump,
}

/// The trees of the view, in order.
pub const TREES: [TreeKind; 4] =
    [TreeKind::Runtime, TreeKind::Index, TreeKind::Kbin, TreeKind::Dump];

impl TreeKind {
    /// Its heading.
    pub fn title(self, subgraph: &str, engine: &str) -> String {
        match self {
            Self::Runtime => format!("Runtime records of {engine}"),
            Self::Index => format!("Queues and variables of {subgraph}"),
            Self::Kbin => format!("KBIN of {subgraph}"),
            Self::Dump => "Firmware memory".to_owned(),
        }
    }

    /// The tree that a record of a name belongs to.
    pub fn of_name(name: &str) -> Self {
        let head = name.split('.').next().unwrap_or(name);
        match head {
            "variable" | "queue" | "transfer" => Self::Index,
            DUMP => Self::Dump,
            _ if is_runtime_record(name) => Self::Runtime,
            _ => Self::Kbin,
        }
    }

    /// What of a scope its answers depend on.
    pub fn scope(self, scope: &Scope) -> Scope {
        match self {
            Self::Runtime => Scope { device: None, library: None, ..scope.clone() },
            Self::Index | Self::Kbin => {
                let (s, device) = (scope.s.clone(), scope.device.clone());
                Scope { s, device, library: scope.library.clone(), ..Scope::default() }
            }
            Self::Dump => Scope::default(),
        }
    }

    /// The question for a page of it.
    pub fn request(self, scope: Scope, from: u32, find: &str) -> Request {
        let find = (!find.trim().is_empty()).then(|| find.trim().to_owned());
        match self {
            Self::Runtime => Request::Records { scope, from, count: None, find },
            Self::Index => Request::Index { scope, from, count: None, find },
            Self::Kbin => Request::Kbin {
                scope,
                record: None,
                from: u64::from(from),
                count: None,
                find,
                at: None,
                hex_from: None,
                hex_bytes: None,
            },
            Self::Dump => dump_request(scope, None, from, find),
        }
    }

    /// The question for one record of it: rows from a number on, or from the one with a byte.
    pub fn one(self, scope: Scope, name: String, from: u64, at: Option<u64>) -> Request {
        match self {
            Self::Runtime => Request::Record { scope, name },
            Self::Index => match name.split_once('.') {
                Some(("variable", rest)) => {
                    Request::Variable { scope, name: Some(rest.to_owned()), id: None }
                }
                Some(("queue", rest)) => Request::Queue { scope, name: rest.to_owned() },
                Some((_, rest)) => Request::Transfer { scope, name: rest.to_owned() },
                None => Request::Transfer { scope, name },
            },
            Self::Kbin => Request::Kbin {
                scope,
                record: Some(name),
                from,
                count: u32::try_from(ROWS_AT_ONCE).ok(),
                find: None,
                at,
                hex_from: None,
                hex_bytes: Some(0),
            },
            Self::Dump => {
                let own = name.split_once('.').map_or("", |(_, own)| own).to_owned();
                dump_request(scope, Some(own), 0, None)
            }
        }
    }
}

/// One record of a loader as the view shows records.
pub fn of_kbin(answer: &KbinAnswer) -> Option<RecordAnswer> {
    let mut record = answer.records.first()?.clone();
    let part = record.part.take()?;
    Some(RecordAnswer {
        schema: answer.schema,
        subgraph: answer.subgraph.clone(),
        engine: String::new(),
        profile: String::new(),
        record,
        spec: part.fields.iter().find_map(|field| field.spec.clone()).unwrap_or_default(),
        links: part.links,
        hex: part.hex,
        fields: part.fields,
    })
}

/// What is loaded of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// What it was asked for last: scope and searched text.
    pub asked: Option<(Scope, String)>,
    /// Records in stored order.
    pub records: Vec<RecordInfo>,
    /// Records that there are, or that fit the searched text.
    pub total: u64,
    /// Whether its first page has arrived.
    pub known: bool,
}

/// A row of the trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// Tree.
    pub tree: usize,
    /// What it is.
    pub what: RowKind,
    /// Depth, 0 for a heading.
    pub depth: u8,
    /// `None` for a leaf, else whether what is below it is shown.
    pub open: Option<bool>,
    /// Bytes of the name that its parent has said already.
    pub skip: usize,
}

/// What a row of the trees is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Heading of a tree.
    Head,
    /// A record, by its number in the tree.
    Record(usize),
    /// Records that are not loaded.
    More(u64),
    /// A field in which the searched text was found: number of the record, number in its list.
    Hit(usize, usize),
    /// Fields of a record that are not shown, by the record's number: how many, and whether they are
    /// there to be shown.
    MoreHits(usize, u64, bool),
}

/// State of the view.
#[derive(Clone, Debug, Default)]
pub struct StructsBox {
    /// What the file leaves open, as the user chooses it.
    pub loader: Loader,
    /// Searched text.
    pub find: String,
    /// Whether the first record that fits it is to be opened once it is there.
    pub wants_first: bool,
    /// Trees, in the order of [`TREES`].
    pub trees: Vec<Tree>,
    /// Last page of the runtime's records: what it says beside the list.
    pub about: Option<Rc<RecordsAnswer>>,
    /// Last page of the loader's records.
    pub kbin: Option<Rc<KbinAnswer>>,
    /// Last page of a dump's structs.
    pub dump: Option<Rc<DumpAnswer>>,
    /// First row of the record that is shown, where it has rows.
    pub from: u64,
    /// Names that the user closed or opened against the rule.
    pub turned: BTreeSet<String>,
    /// The rows that are shown.
    pub rows: Rc<Vec<TreeRow>>,
    /// Cursor in the rows.
    pub cursor: usize,
    /// Record that is shown; empty for the first one.
    pub name: String,
    /// The record; the old one stays while a new one loads.
    pub record: Option<Rc<RecordAnswer>>,
    /// The page that is shown in its place: of a queue, a variable or a transfer.
    pub sheet: Option<Rc<Sheet>>,
    /// What the record was asked for: scope, name, first row.
    pub asked_record: Option<(Scope, String, u64)>,
    /// Cursor in the fields.
    pub field: Option<usize>,
    /// Byte whose field is wanted once the record is there.
    pub wanted_at: Option<u64>,
    /// Counts up with each wish to see the cursors.
    pub reveal: u32,
    /// Whether the record that is shown is to be seen in the trees once they have it.
    pub wants_row: bool,
    /// Why there is nothing to show.
    pub missing: Option<Notice>,
}

impl StructsBox {
    /// The record at a row.
    pub fn record_at(&self, row: usize) -> Option<&RecordInfo> {
        let row = self.rows.get(row)?;
        match row.what {
            RowKind::Record(at) => self.trees.get(row.tree)?.records.get(at),
            _ => None,
        }
    }

    /// The found field at a row: its record, and the field.
    pub fn hit_at(&self, row: usize) -> Option<(&RecordInfo, &RecordHit)> {
        let row = self.rows.get(row)?;
        let records = &self.trees.get(row.tree)?.records;
        match row.what {
            RowKind::Hit(record, hit) => {
                let record = records.get(record)?;
                Some((record, record.hits.get(hit)?))
            }
            // The only one stands on the row of its record.
            RowKind::Record(record) => {
                let record = records.get(record).filter(|record| is_alone(record))?;
                Some((record, record.hits.first()?))
            }
            _ => None,
        }
    }

    /// Names that could have been meant by one that is not there: those of its kind, else the first
    /// of each kind.
    pub fn names_like(&self, name: &str, most: usize) -> Vec<&str> {
        let head = |name: &str| name.split(['.', '[']).next().unwrap_or("").to_owned();
        let all = || self.trees.iter().flat_map(|tree| &tree.records);
        let own = head(name);
        let mut same: Vec<&str> =
            all().map(|one| one.name.as_str()).filter(|one| head(one) == own).collect();
        if same.is_empty() {
            let mut seen = BTreeSet::new();
            same =
                all().map(|one| one.name.as_str()).filter(|one| seen.insert(head(one))).collect();
        }
        same.truncate(most);
        same
    }

    /// Fields of the record, or lines of the page.
    pub fn n_fields(&self) -> usize {
        match &self.sheet {
            Some(sheet) => sheet.lines.len(),
            None => self.record.as_ref().map_or(0, |record| record.fields.len()),
        }
    }

    /// What a field, or what is shown as a whole, leads to.
    pub fn links_of(&self, field: Option<usize>) -> Vec<RecordLink> {
        match (&self.sheet, &self.record, field) {
            (Some(sheet), _, None) => sheet.links.clone(),
            (Some(sheet), _, Some(at)) => {
                sheet.lines.get(at).map_or(Vec::new(), |line| line.links().to_vec())
            }
            (None, Some(record), None) => record.links.clone(),
            (None, Some(record), Some(at)) => {
                record.fields.get(at).map_or(Vec::new(), |field| links(field).cloned().collect())
            }
            (None, None, _) => Vec::new(),
        }
    }

    /// Bytes of what a page is about: its first link that leads to some, at the cursor or as a whole.
    pub fn sheet_bytes(&self) -> Option<BytesRef> {
        let sheet = self.sheet.as_ref()?;
        let own = self.field.and_then(|field| sheet.lines.get(field));
        let mut links = own.map_or(&[][..], |line| line.links()).iter().chain(&sheet.links);
        links.find_map(|link| {
            let is_kbin = |name: &&String| TreeKind::of_name(name) == TreeKind::Kbin;
            let (of, name) = match (link.record.as_ref().filter(is_kbin), &link.member, &link.of) {
                (Some(name), ..) => ("kbin".to_owned(), Some(name.clone())),
                (None, Some(name), _) => ("member".to_owned(), Some(name.clone())),
                (None, None, of) => (of.clone()?, None),
            };
            let of = BytesOf { of, name, f: None };
            let bytes = link.bytes.unwrap_or(1);
            Some(BytesRef { of, e: link.e.clone(), at: link.offset, bytes })
        })
    }

    /// First byte of the field at the cursor.
    pub fn field_offset(&self) -> Option<u64> {
        if self.sheet.is_some() {
            return None;
        }
        Some(self.record.as_ref()?.fields.get(self.field?)?.offset)
    }

    /// The row of a record.
    pub fn row_of(&self, name: &str) -> Option<usize> {
        (0..self.rows.len()).find(|row| self.record_at(*row).is_some_and(|one| one.name == name))
    }
}

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

/// The name under which all found fields of a record are shown.
pub fn all_hits(name: &str) -> String {
    format!("hits {name}")
}

/// Whether a record was found for one field alone, which its own row shows.
pub fn is_alone(record: &RecordInfo) -> bool {
    record.total_hits == 1 && record.hit.is_some()
}

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
