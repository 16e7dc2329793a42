//! The Memory view: what is asked, what was answered, and which part of it is shown.

pub mod words;
pub mod map;
pub mod marks;
pub mod card;
pub mod lives;
pub mod bar;
mod events;

use debug_api::answer::{
    AddressAnswer, AddressMapAnswer, MapRegion, MemoryAnswer, MemoryVariable, NtffAnswer,
    PlacedVariable, ScratchpadAnswer, VariableAnswer,
};
use debug_api::{Request, Scope};
use std::rc::Rc;

pub use events::MemoryAction;

/// Documented sizes of a scratchpad page, in bytes.
pub const PAGE_SIZES: [u64; 7] = [1 << 29, 2 << 29, 3 << 29, 4 << 29, 5 << 29, 6 << 29, 7 << 29];
/// Generations of chips.
pub const GENERATIONS: [&str; 3] = ["sunda", "cayman", "mariana"];
/// Variables that one question brings.
pub const ROWS_AT_ONCE: u32 = 4_096;

/// A part of the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// HBM, scratchpad, lifetimes.
    #[default]
    Plan,
    /// All variables as a table.
    Variables,
    /// The address map.
    Addresses,
    /// Where a range of a scratchpad is.
    Calculator,
}

impl Part {
    /// All parts with the name of the address bar and the title.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Plan, "plan", "Plan"),
        (Self::Variables, "variables", "Variables"),
        (Self::Addresses, "addresses", "Addresses"),
        (Self::Calculator, "scratchpad", "Calculator"),
    ];

    /// Name in the address bar.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(part, ..)| *part == self).map_or("plan", |(_, name, _)| name)
    }

    /// The part of a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name, _)| *name == text).map(|(part, ..)| *part)
    }
}

/// Which page maps are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Pages of the size that is set.
    #[default]
    Paged,
    /// One region.
    Contiguous,
    /// Both, side by side; what is said about fitting is that of paged.
    Both,
}

impl Shown {
    /// Name in the address bar.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paged => "paged",
            Self::Contiguous => "contiguous",
            Self::Both => "both",
        }
    }

    /// The choice of a name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Paged, Self::Contiguous, Self::Both].into_iter().find(|one| one.name() == text)
    }
}

/// How models are loaded: everything that changes the plan. Its default is that of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// Bytes of a page.
    pub page_size: Option<u64>,
    /// Generation.
    pub generation: Option<String>,
    /// Bytes of each HBM.
    pub hbm: Option<u64>,
    /// Whether only the selected subgraph is loaded.
    pub one: bool,
}

/// A variable of the session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VarRef {
    /// File.
    pub file: usize,
    /// Subgraph.
    pub subgraph: String,
    /// Id.
    pub id: u32,
}

impl VarRef {
    /// The reference of a variable on a page.
    pub fn of(variable: &MemoryVariable) -> Self {
        Self { file: variable.file, subgraph: variable.subgraph.clone(), id: variable.id }
    }

    /// The reference of a row of the table.
    pub fn of_row(row: &PlacedVariable) -> Self {
        Self { file: row.file, subgraph: row.subgraph.clone(), id: row.id }
    }

    /// `0.sg00.12`, as the address bar has it.
    pub fn text(&self) -> String {
        format!("{}.{}.{}", self.file, self.subgraph, self.id)
    }

    /// Reads that text.
    pub fn parse(text: &str) -> Option<Self> {
        let (file, rest) = text.split_once('.')?;
        let (subgraph, id) = rest.rsplit_once('.')?;
        Some(Self { file: file.parse().ok()?, subgraph: subgraph.to_owned(), id: id.parse().ok()? })
    }
}

/// The fields of the calculator, as they are typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calc {
    /// `paged` or `contiguous`.
    pub mode: String,
    /// Bytes of a page.
    pub page_size: String,
    /// Pages that have memory.
    pub pages: String,
    /// First byte.
    pub offset: String,
    /// Bytes.
    pub size: String,
}

impl Default for Calc {
    fn default() -> Self {
        Self {
            mode: "paged".to_owned(),
            page_size: "512 MiB".to_owned(),
            pages: "2".to_owned(),
            offset: "0".to_owned(),
            size: "4096".to_owned(),
        }
    }
}

/// A field of the calculator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalcField {
    /// Mode.
    Mode,
    /// Bytes of a page.
    PageSize,
    /// Pages.
    Pages,
    /// First byte.
    Offset,
    /// Bytes.
    Size,
}

impl CalcField {
    /// Its label.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(one, ..)| *one == self).map_or("", |(_, _, label)| label)
    }

    /// What may stand in it.
    pub const fn expected(self) -> &'static str {
        debug_api::convert::EXPECTED[match self {
            Self::Mode => return "paged or contiguous",
            Self::PageSize => 0,
            Self::Pages => 1,
            Self::Offset => 2,
            Self::Size => 3,
        }]
    }

    /// The field that a refused question is about, by the code of the refusal.
    pub fn of_code(code: &str) -> Option<Self> {
        match code {
            "memory.mode" => Some(Self::Mode),
            "memory.page-size" => Some(Self::PageSize),
            "memory.pages" => Some(Self::Pages),
            _ => None,
        }
    }

    /// All fields with their id and label.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Mode, "calc-mode", "Mode"),
        (Self::PageSize, "calc-page", "Page size"),
        (Self::Pages, "calc-pages", "Pages"),
        (Self::Offset, "calc-offset", "Offset"),
        (Self::Size, "calc-size", "Size"),
    ];
}

impl Calc {
    /// A field.
    pub fn get(&self, field: CalcField) -> &str {
        match field {
            CalcField::Mode => &self.mode,
            CalcField::PageSize => &self.page_size,
            CalcField::Pages => &self.pages,
            CalcField::Offset => &self.offset,
            CalcField::Size => &self.size,
        }
    }

    /// Changes a field. With the mode the page size changes to what a runtime has in it, unless it
    /// was set to something else.
    pub fn set(&mut self, field: CalcField, text: String) {
        if field == CalcField::Mode {
            let usual = |mode: &str| if mode == "contiguous" { "64 MiB" } else { "512 MiB" };
            if words::parse_bytes(&self.page_size) == words::parse_bytes(usual(&self.mode)) {
                self.page_size = usual(&text).to_owned();
            }
        }
        *match field {
            CalcField::Mode => &mut self.mode,
            CalcField::PageSize => &mut self.page_size,
            CalcField::Pages => &mut self.pages,
            CalcField::Offset => &mut self.offset,
            CalcField::Size => &mut self.size,
        } = text;
    }

    /// The question, or what is wrong with the first field that cannot be read.
    ///
    /// # Errors
    /// A sentence about that field.
    pub fn request(&self) -> Result<Request, String> {
        let read = |field: CalcField| {
            words::parse_bytes(self.get(field))
                .ok_or_else(|| format!("Nothing is asked while {} cannot be read.", field.label()))
        };
        Ok(Request::Scratchpad {
            mode: self.mode.clone(),
            page_size: read(CalcField::PageSize)?,
            pages: read(CalcField::Pages)?,
            offset: read(CalcField::Offset)?,
            size: read(CalcField::Size)?,
        })
    }

    /// What is wrong with a field that is no number, and what was expected.
    pub fn unreadable(&self, field: CalcField) -> Option<String> {
        let text = self.get(field);
        if field == CalcField::Mode || words::parse_bytes(text).is_some() {
            return None;
        }
        let shown: String = text.chars().take(40).collect();
        let what = if shown.trim().is_empty() {
            "It is empty.".to_owned()
        } else if shown.trim_start().starts_with(['-', '\u{2212}']) {
            format!("`{shown}` is below 0.")
        } else {
            format!("`{shown}` is no number below 2^64.")
        };
        Some(format!("{what} Expected: {}.", field.expected()))
    }
}

/// The plan in both modes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plans {
    /// With pages.
    pub paged: Rc<MemoryAnswer>,
    /// As one region.
    pub contiguous: Rc<MemoryAnswer>,
}

impl Plans {
    /// Whether the runtime gives one region where it is asked for.
    pub fn has_region(&self) -> bool {
        self.contiguous.mode == "contiguous"
    }
}

/// State of the view.
#[derive(Clone, Debug, Default)]
pub struct MemoryBox {
    /// Part that is shown.
    pub part: Part,
    /// Page maps that are shown.
    pub shown: Shown,
    /// How models are loaded.
    pub setup: Setup,
    /// HBM that is shown; that of the plan's core if absent.
    pub bank: Option<u32>,
    /// Whether the page map is as wide as whole pages even where only their beginning is used.
    pub whole: bool,
    /// Engine of the chart of lifetimes; empty for the first one that has any.
    pub engine: String,
    /// Variable that is selected.
    pub picked: Option<VarRef>,
    /// Variable under the pointer.
    pub hover: Option<VarRef>,
    /// Searched text: of variables, or of regions.
    pub find: String,
    /// What the plan was asked for.
    pub asked: Option<(Scope, Setup)>,
    /// The plan.
    pub plans: Option<Plans>,
    /// What is measured, where only a capture is open.
    pub capture: Option<Rc<NtffAnswer>>,
    /// All variables, as far as they have arrived.
    pub rows: Rc<Vec<PlacedVariable>>,
    /// How many there are.
    pub total: u64,
    /// Rows that fit the searched text.
    pub found: Rc<Vec<usize>>,
    /// Cursor in the found rows or regions.
    pub cursor: usize,
    /// Generation whose map was asked for.
    pub map_asked: Option<(Scope, Option<String>)>,
    /// The map.
    pub map: Option<Rc<AddressMapAnswer>>,
    /// Address that is looked up.
    pub address: Option<String>,
    /// What it was asked for.
    pub place_asked: Option<(Scope, Option<String>, String)>,
    /// What it is.
    pub place: Option<Rc<AddressAnswer>>,
    /// Variable whose uses were asked for.
    pub uses_asked: Option<VarRef>,
    /// Its uses.
    pub uses: Option<Rc<VariableAnswer>>,
    /// The calculator.
    pub calc: Calc,
    /// Question that was asked last.
    pub calc_asked: Option<Calc>,
    /// Its answer, or why there is none.
    pub calc_answer: Option<Result<Rc<ScratchpadAnswer>, String>>,
    /// The field that the runtime does not take, with its reason.
    pub calc_refused: Option<(CalcField, String)>,
    /// Counts up with each wish to see the cursor.
    pub reveal: u32,
    /// Whether the cursor goes to the last variable as soon as all have arrived.
    pub to_last: bool,
}

impl MemoryBox {
    /// The plan whose verdict counts.
    pub fn plan(&self) -> Option<&Rc<MemoryAnswer>> {
        let plans = self.plans.as_ref()?;
        Some(match self.shown {
            Shown::Contiguous => &plans.contiguous,
            Shown::Paged | Shown::Both => &plans.paged,
        })
    }

    /// HBM that is shown: that of the core of the plan unless another one was chosen.
    pub fn bank(&self) -> u32 {
        self.bank.or_else(|| Some(self.plan()?.hbm)).unwrap_or(0)
    }

    /// The plans whose page maps are shown.
    pub fn maps(&self) -> Vec<&Rc<MemoryAnswer>> {
        match (&self.plans, self.shown) {
            (None, _) => Vec::new(),
            (Some(plans), Shown::Paged) => vec![&plans.paged],
            (Some(plans), Shown::Contiguous) => vec![&plans.contiguous],
            // The same plan twice, where the runtime gives no region.
            (Some(plans), Shown::Both) if !plans.has_region() => vec![&plans.paged],
            (Some(plans), Shown::Both) => vec![&plans.paged, &plans.contiguous],
        }
    }

    /// A variable of a plan, if it is virtual and the plan lists it.
    pub fn on_page(plan: &MemoryAnswer, wanted: &VarRef) -> Option<MemoryVariable> {
        let pages = plan.pages.iter().flat_map(|page| &page.variables);
        let pairs = plan.overlap_pairs.iter().flat_map(|pair| [&pair.a, &pair.b]);
        let mut all = pages.chain(&plan.private).chain(pairs);
        all.find(|one| {
            one.id == wanted.id && one.file == wanted.file && one.subgraph == wanted.subgraph
        })
        .cloned()
    }

    /// The row of a variable.
    pub fn row(&self, wanted: &VarRef) -> Option<&PlacedVariable> {
        self.rows.iter().find(|row| {
            row.id == wanted.id && row.file == wanted.file && row.subgraph == wanted.subgraph
        })
    }

    /// What is wrong with a field of the calculator.
    pub fn calc_problem(&self, field: CalcField) -> Option<String> {
        let refused = self.calc_refused.as_ref().filter(|(one, _)| *one == field);
        let refused = refused.map(|(_, why)| format!("{why}. Expected: {}.", field.expected()));
        self.calc.unreadable(field).or(refused)
    }

    /// The regions that fit the searched text, or that hold the address that is looked up.
    pub fn regions(&self) -> Vec<&MapRegion> {
        let Some(map) = &self.map else { return Vec::new() };
        let address = super::format::parse_number(self.find.trim())
            .filter(|_| self.find.trim().starts_with("0x"));
        let words: Vec<String> = self.find.split_whitespace().map(str::to_lowercase).collect();
        let fits = |one: &&MapRegion| match address {
            Some(address) => words::holds(&one.region, address),
            None => {
                let text = format!("{} {}", one.region.name, one.region.kind).to_lowercase();
                words.iter().all(|word| text.contains(word.as_str()))
            }
        };
        map.regions.iter().filter(fits).collect()
    }
}

/// The rows whose variable, subgraph or place has all words of a text.
pub fn found(rows: &[PlacedVariable], text: &str) -> Vec<usize> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let fits = |row: &PlacedVariable| {
        let own = format!("{} {} {} {}", row.name, row.subgraph, row.place, row.id).to_lowercase();
        words.iter().all(|word| own.contains(word.as_str()))
    };
    (0..rows.len()).filter(|at| words.is_empty() || rows.get(*at).is_some_and(fits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_has_a_name_in_the_address() {
        let one = VarRef { file: 1, subgraph: "sg.00".to_owned(), id: 12 };
        assert_eq!(one.text(), "1.sg.00.12");
        assert_eq!(VarRef::parse("1.sg.00.12"), Some(one));
        assert_eq!(VarRef::parse("sg00.12"), None);
    }

    #[test]
    fn the_calculator_refuses_what_is_no_size() {
        let mut calc = Calc::default();
        calc.set(CalcField::PageSize, "512 MiB".to_owned());
        calc.set(CalcField::Offset, "0x600".to_owned());
        let request = Request::Scratchpad {
            mode: "paged".to_owned(),
            page_size: 512 << 20,
            pages: 2,
            offset: 0x600,
            size: 4096,
        };
        assert_eq!(calc.request(), Ok(request));
        // In contiguous mode pages have 64 MiB; a size that was typed stays.
        calc.set(CalcField::Mode, "contiguous".to_owned());
        assert_eq!(calc.page_size, "64 MiB");
        calc.set(CalcField::PageSize, "1 GiB".to_owned());
        calc.set(CalcField::Mode, "paged".to_owned());
        assert_eq!(calc.page_size, "1 GiB");
        calc.set(CalcField::Size, "-1".to_owned());
        assert_eq!(
            calc.unreadable(CalcField::Size).unwrap_or_default(),
            "`-1` is below 0. Expected: a number of bytes below 2^64, such as 4096, 0x1000 or 64 MiB."
        );
        let waits = "Nothing is asked while Size cannot be read.";
        assert_eq!(calc.request().err().unwrap_or_default(), waits);
        assert_eq!(calc.unreadable(CalcField::Offset), None);
        calc.set(CalcField::Size, "16 EiB".to_owned());
        assert!(calc.unreadable(CalcField::Size).is_some_and(|text| text.contains("below 2^64")));
        calc.set(CalcField::Size, String::new());
        assert!(calc.unreadable(CalcField::Size).is_some_and(|text| text.contains("It is empty")));
    }
}
