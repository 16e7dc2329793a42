//! What an address says about the Collectives view.

use super::{CollectivesBox, EntryAt, NAMES, Part, Setup};

/// Parts of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectivesAddress {
    /// Part of the lower right side.
    pub part: Part,
    /// What the files do not say.
    pub setup: Setup,
    /// Whether the numbers of algorithms are read as patterns.
    pub patterns: bool,
    /// TOP_SP whose entries are listed.
    pub top_sp: Option<u32>,
    /// Rank whose plan is shown.
    pub rank: u32,
    /// Entry: index and TOP_SP.
    pub entry: Option<(u64, Option<u32>)>,
    /// Field of it.
    pub field: Option<String>,
    /// Step of its schedule.
    pub step: u64,
    /// Place in the group of the rank that is looked at.
    pub node: Option<u32>,
    /// Word in the decoder, where it is open.
    pub word: Option<String>,
}

impl CollectivesAddress {
    /// What the view adds to an address.
    pub fn of(view: &CollectivesBox) -> Self {
        Self {
            part: view.part,
            setup: view.setup.clone(),
            patterns: view.patterns,
            top_sp: view.top_sp,
            rank: view.rank,
            entry: view.picked.map(|at| (at.index, Some(at.top_sp))).or(view.wanted),
            field: view.field.clone(),
            step: view.step,
            node: view.node,
            word: view.decoder.open.then(|| view.decoder.text.trim().to_owned()),
        }
    }

    /// Takes a part of a query; `None` for a key that is not of this view, else what the value should
    /// have been where it is not.
    pub fn read(&mut self, key: &str, value: &str) -> Option<Result<(), &'static str>> {
        let number = value.parse::<u32>().ok();
        let set = |to: &mut Option<u32>, what: &'static str| {
            *to = number;
            if number.is_some() { Ok(()) } else { Err(what) }
        };
        Some(match key {
            "side" => match Part::parse(value) {
                Some(part) => {
                    self.part = part;
                    Ok(())
                }
                None => Err("part of the Collectives view"),
            },
            "alg" => {
                self.setup.algorithm = Some(value.to_owned());
                Ok(())
            }
            "world" => set(&mut self.setup.world, "number of ranks"),
            "pernode" => set(&mut self.setup.node, "number of ranks of a node"),
            "channels" => set(&mut self.setup.channels, "number of channels"),
            "names" => {
                self.patterns = [NAMES[1], "header"].contains(&value);
                Ok(())
            }
            "topsp" => set(&mut self.top_sp, "number of a TOP_SP"),
            "rank" => match number {
                Some(rank) => {
                    self.rank = rank;
                    Ok(())
                }
                None => Err("rank"),
            },
            "entry" => {
                self.entry = EntryAt::parse(value);
                if self.entry.is_some() { Ok(()) } else { Err("entry, such as 3 or 3.0") }
            }
            "field" => {
                self.field = Some(value.to_owned());
                Ok(())
            }
            "step" => match value.parse() {
                Ok(step) => {
                    self.step = step;
                    Ok(())
                }
                Err(_) => Err("step, which counts from 0"),
            },
            "who" => set(&mut self.node, "place in a group"),
            "word" => {
                // An empty word opens the decoder too; a query has no empty values.
                self.word = Some(if value == "none" { String::new() } else { value.to_owned() });
                Ok(())
            }
            _ => return None,
        })
    }

    /// Gives each part that has not its default.
    pub fn write(&self, mut add: impl FnMut(&str, Option<String>)) {
        let number = |value: Option<u32>| value.map(|value| value.to_string());
        add("side", (self.part != Part::default()).then(|| self.part.name().to_owned()));
        add("alg", self.setup.algorithm.clone());
        add("world", number(self.setup.world));
        add("pernode", number(self.setup.node));
        add("channels", number(self.setup.channels));
        add("names", self.patterns.then(|| NAMES[1].to_owned()));
        add("topsp", number(self.top_sp));
        add("rank", (self.rank != 0).then(|| self.rank.to_string()));
        let entry = self.entry.map(|(index, top_sp)| match top_sp {
            Some(top_sp) => EntryAt { index, top_sp }.text(),
            None => index.to_string(),
        });
        add("entry", entry);
        add("field", self.field.clone());
        add("step", (self.step != 0).then(|| self.step.to_string()));
        add("who", number(self.node));
        let word = self.word.as_deref().map(|word| if word.is_empty() { "none" } else { word });
        add("word", word.map(str::to_owned));
    }
}
