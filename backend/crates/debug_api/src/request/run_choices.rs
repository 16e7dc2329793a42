//! The choices of a run as a person types them and as an address keeps them.

use super::{Scope, SimulateRequest};

/// A choice that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunField {
    /// Key in an address.
    pub key: &'static str,
    /// Label.
    pub label: &'static str,
    /// What is taken where nothing is typed, or the form of the text.
    pub hint: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// The choices that are typed, in their order.
pub const RUN_FIELDS: [RunField; 7] = [
    RunField {
        key: "inferences",
        label: "Inferences",
        hint: "1",
        about: "How often the host starts the program: 1 to 1,000,000",
    },
    RunField {
        key: "seed",
        label: "Seed",
        hint: "none",
        about: "Shuffles what happens at the same instant; without one the order is stated",
    },
    RunField {
        key: "ranks",
        label: "Ranks",
        hint: "one alone",
        about: "Ranks that run together, 1 to 64: this executable on all of them, or, where several are \
                open, one on each. Without a number one rank runs and the others are in step",
    },
    RunField { key: "events", label: "Events", hint: "50000000", about: "Most events of the run" },
    RunField {
        key: "stall",
        label: "Stall rings",
        hint: "queue:ring",
        about: "Rings that do not move: QUEUE:RING, several with commas",
    },
    RunField {
        key: "drop",
        label: "Drop posts",
        hint: "semaphore:id:nth",
        about: "Posts that are lost: semaphore:ID:NTH or event:ID:NTH, SUBGRAPH: before it for one \
                subgraph, rankN/ before that for one rank; rankN:link:NTH for a post to another rank; \
                several with commas",
    },
    RunField {
        key: "delay",
        label: "Delay cores",
        hint: "subgraph:ns",
        about: "Cores that start late: SUBGRAPH:NS or rankN:NS, several with commas",
    },
];

/// Keys of what is broken on purpose.
const BROKEN: [&str; 3] = ["stall", "drop", "delay"];

/// The choices of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunChoices {
    /// Text of each of [`RUN_FIELDS`]; empty for its default.
    pub texts: [String; 7],
    /// Whether only the selected subgraph runs; else all of the file together.
    pub alone: bool,
    /// Whether each engine stops at the end of its MAIN.
    pub main_end: bool,
    /// Whether costs are fitted to the capture that is open too.
    pub calibrate: bool,
}

impl RunChoices {
    /// Takes a part of an address; `false` for a key that is not of a run.
    pub fn read(&mut self, key: &str, value: &str) -> bool {
        match key {
            "alone" => self.alone = value == "1",
            "calibrate" => self.calibrate = value == "1",
            "until" => self.main_end = value == "main-end",
            key => {
                let at = RUN_FIELDS.iter().position(|field| field.key == key);
                let Some(text) = at.and_then(|at| self.texts.get_mut(at)) else { return false };
                value.trim().clone_into(text);
            }
        }
        true
    }

    /// Gives each part that has not its default.
    pub fn write(&self, mut add: impl FnMut(&str, Option<String>)) {
        for (field, text) in RUN_FIELDS.iter().zip(&self.texts) {
            add(field.key, Some(text.clone()).filter(|text| !text.is_empty()));
        }
        add("alone", self.alone.then(|| "1".to_owned()));
        add("calibrate", self.calibrate.then(|| "1".to_owned()));
        add("until", self.main_end.then(|| "main-end".to_owned()));
    }

    /// The parts of a list: `stall`, `drop` or `delay`.
    pub fn list(&self, key: &str) -> Vec<&str> {
        let at = RUN_FIELDS.iter().position(|field| field.key == key);
        let text = at.and_then(|at| self.texts.get(at)).map_or("", String::as_str);
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect()
    }

    /// Puts a part into a list, or takes it out if it is there.
    pub fn toggle(&mut self, key: &str, part: &str) {
        let mut list = self.list(key);
        let before = list.len();
        list.retain(|one| *one != part);
        if list.len() == before {
            list.push(part);
        }
        let text = list.join(",");
        self.read(key, &text);
    }

    /// Whether something is broken on purpose.
    pub fn breaks(&self) -> bool {
        BROKEN.into_iter().any(|key| !self.list(key).is_empty())
    }

    /// The question. `capture` is the capture of the session that costs can be fitted to, by index.
    ///
    /// # Errors
    /// A sentence about a text that is no number where there has to be one, or a missing capture.
    pub fn request(&self, scope: Scope, capture: Option<usize>) -> Result<SimulateRequest, String> {
        let [inferences, seed, ranks, events, ..] = &self.texts;
        if self.calibrate && capture.is_none() {
            return Err("Costs are fitted to a capture, and none is open.".to_owned());
        }
        let list = |key: &str| self.list(key).into_iter().map(str::to_owned).collect();
        Ok(SimulateRequest {
            scope,
            inferences: number("Inferences", inferences)?,
            seed: number("Seed", seed)?,
            max_events: number("Events", events)?,
            until: self.main_end.then(|| "main-end".to_owned()),
            timing: None,
            calibrate: capture.filter(|_| self.calibrate),
            ranks: number("Ranks", ranks)?,
            stall: list("stall"),
            drop: list("drop"),
            delay: list("delay"),
        })
    }
}

fn number<T: std::str::FromStr>(label: &str, text: &str) -> Result<Option<T>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let shown: String = text.chars().take(40).collect();
    text.parse().map(Some).map_err(|_| format!("{label}: `{shown}` is no whole number."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_keeps_comes_back() {
        let mut choices = RunChoices::default();
        let parts = [
            ("inferences", "3"),
            ("stall", "q_load:3, q:a:4"),
            ("alone", "1"),
            ("until", "main-end"),
            ("ranks", "4"),
        ];
        for (key, value) in parts {
            assert!(choices.read(key, value), "{key}");
        }
        assert!(!choices.read("slot", "4"));
        let mut again = RunChoices::default();
        choices.write(|key, value| {
            if let Some(value) = value {
                assert!(again.read(key, &value));
            }
        });
        assert_eq!(again, choices);
        let request = choices.request(Scope::default(), None).unwrap();
        assert_eq!(request.inferences, Some(3));
        assert_eq!(request.stall, ["q_load:3", "q:a:4"]);
        assert_eq!(request.until.as_deref(), Some("main-end"));
        assert_eq!((request.seed, request.ranks), (None, Some(4)));
    }

    #[test]
    fn a_switch_goes_in_and_out_and_leaves_the_others() {
        let mut choices = RunChoices::default();
        assert!(choices.read("stall", "q_load:3, q:a:4"));
        assert!(choices.breaks());
        choices.toggle("stall", "q_store:0");
        choices.toggle("stall", "q_load:3");
        assert_eq!(choices.list("stall"), ["q:a:4", "q_store:0"]);
        choices.toggle("stall", "q:a:4");
        choices.toggle("stall", "q_store:0");
        assert!(!choices.breaks());
        assert_eq!(choices, RunChoices::default());
    }

    #[test]
    fn a_word_where_a_number_belongs_is_told() {
        let mut choices = RunChoices::default();
        assert!(choices.read("seed", "-1"));
        let told = choices.request(Scope::default(), None).unwrap_err();
        assert_eq!(told, "Seed: `-1` is no whole number.");
    }
}
