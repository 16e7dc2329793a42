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

/// How many findings are about each record and page, and whether one of them is an error. A finding
/// about a transfer is one about its ring.
pub fn findings(answer: &KbinAnswer) -> BTreeMap<String, (u64, bool)> {
    let mut out: BTreeMap<String, (u64, bool)> = BTreeMap::new();
    for (finding, links) in answer.diagnostics.iter().zip(&answer.links) {
        let names = links.iter().filter_map(|link| link.record.as_deref()).map(|name| {
            let ring = name.strip_prefix("transfer.").and_then(|own| own.rsplit_once('.'));
            ring.map_or(name, |(ring, _)| ring).to_owned()
        });
        for name in names.collect::<BTreeSet<String>>() {
            let (count, is_error) = out.entry(name).or_default();
            *count += 1;
            *is_error |= finding.severity == "error";
        }
    }
    out
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
    /// Findings about a record or page, by its name: how many, and whether one is an error.
    pub findings: Rc<BTreeMap<String, (u64, bool)>>,
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

/// The name under which all found fields of a record are shown.
pub fn all_hits(name: &str) -> String {
    format!("hits {name}")
}

/// Whether a record was found for one field alone, which its own row shows.
pub fn is_alone(record: &RecordInfo) -> bool {
    record.total_hits == 1 && record.hit.is_some()
}
