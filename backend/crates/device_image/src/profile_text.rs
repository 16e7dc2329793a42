//! The text of a profile: TOML in, a [`Profile`] or an error with its place out. This is the only
//! place of the crate where text enters.
//! Spec: docs/format/profiles.md "Files" [observed].

mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use records::{Engine, Provenance};
use serde::Deserialize;
use shown::{MAX_NAME, MAX_TEXT, MAX_TITLE, printable};
use toml::Spanned;

use crate::capability::{Capabilities, Capability};
use crate::condition::{self, Condition};
use crate::expr::{Expr, shortened};
use crate::profile::{
    BUILT_IN, Buffer, Defaults, GIVEN_NAMES, Profile, ProfileError, ProfileErrorKind, Step, Symbol,
    Trigger, is_cache_line,
};
use crate::program::Generation;
use crate::record_text::{Form, Line, Target};
use crate::text_place::PlaceIndex;

/// Most steps that a profile may have.
const MAX_STEPS: usize = 1_000;
/// Most record lines that a profile may have, those of single engines included.
const MAX_LINES: usize = 20_000;
/// Most symbols that a profile may have.
const MAX_SYMBOLS: usize = 1_000;
/// Most bytes of a profile's text.
pub const MAX_PROFILE_BYTES: usize = 4 << 20;

/// A mistake with the bytes of the text that it is in.
struct Mistake {
    span: Option<Range<usize>>,
    kind: ProfileErrorKind,
}

type Text = Spanned<String>;

impl Mistake {
    fn at(span: Range<usize>, kind: ProfileErrorKind) -> Self {
        Self { span: Some(span), kind }
    }
}

impl Profile {
    /// The built-in profile of a name.
    pub fn built_in(name: &str) -> Result<Self, ProfileError> {
        let entry = BUILT_IN.into_iter().find(|entry| entry.0 == name);
        let unknown = ProfileErrorKind::UnknownName(name.to_owned());
        let (_, text) = entry.ok_or(ProfileError { at: None, kind: unknown })?;
        Self::parse(text)
    }

    /// Parses the text of a profile.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let placed = |mistake: Mistake| ProfileError {
            at: mistake.span.map(|span| crate::profile::TextPlace::of(text, span.start)),
            kind: mistake.kind,
        };
        if text.len() > MAX_PROFILE_BYTES {
            let kind = ProfileErrorKind::TooLong { found: text.len(), most: MAX_PROFILE_BYTES };
            return Err(ProfileError { at: None, kind });
        }
        let raw: RawProfile = toml::from_str(text).map_err(|error| placed(toml_mistake(&error)))?;
        let places = PlaceIndex::new(text);
        raw.build(&places).map_err(placed)
    }
}

/// A missing key is reported at the table that lacks it, one of the whole text at none.
fn toml_mistake(error: &toml::de::Error) -> Mistake {
    let message = error.message();
    let key = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
    let Some(key) = key else {
        return Mistake { span: error.span(), kind: ProfileErrorKind::Toml(message.to_owned()) };
    };
    let span = error.span().filter(|span| span.start > 0);
    let of = if span.is_some() { "the table" } else { "the profile" };
    Mistake { span, kind: ProfileErrorKind::MissingKey { of, key: key.to_owned() } }
}

impl RawProfile {
    fn build(self, places: &PlaceIndex<'_>) -> Result<Profile, Mistake> {
        self.check_texts()?;
        let of_profile = provenance(&self.provenance)?;
        let steps = || self.preamble.iter().chain(&self.postamble);
        for (what, found, most) in [
            ("steps", steps().count(), MAX_STEPS),
            ("record lines", steps().map(RawStep::lines).sum(), MAX_LINES),
            ("symbols", self.symbols.len(), MAX_SYMBOLS),
        ] {
            if found > most {
                let kind = ProfileErrorKind::TooMany { what, found, most };
                return Err(Mistake { span: None, kind });
            }
        }
        let starts: Vec<usize> = self
            .preamble
            .iter()
            .enumerate()
            .filter_map(|(at, step)| step.program_start.then_some(at))
            .collect();
        let [program_start] = starts[..] else {
            let second = starts.get(1).and_then(|at| self.preamble.get(*at));
            let span = second.map(|step| step.id.span());
            return Err(Mistake { span, kind: ProfileErrorKind::ProgramStart(starts.len()) });
        };
        check_ids(self.preamble.iter().chain(&self.postamble))?;
        check_names(&self.symbols)?;
        let generation = word(
            "generation",
            &self.generation,
            |word| Generation::ALL.into_iter().find(|generation| generation.name() == word),
            || Generation::ALL.map(Generation::name).join(" "),
        )?;
        let cache_line = *self.cache_line.get_ref();
        if cache_line != 0 && !is_cache_line(cache_line) {
            let kind = ProfileErrorKind::Number {
                what: "cache_line",
                found: u64::from(cache_line),
                expected: "0, or a power of two from 64 to 32768",
            };
            return Err(Mistake::at(self.cache_line.span(), kind));
        }
        let trigger = |text: &Text| line("trigger", text, places);
        let capabilities = capabilities(generation, &self.capabilities)?;
        let trigger = Trigger {
            io: trigger(&self.trigger.io)?,
            data: trigger(&self.trigger.data)?,
            groups: ranged("groups", self.trigger.groups, 16, "1 to 16")?,
        };
        let preamble_steps = self.preamble.len();
        let ids: BTreeSet<String> = self
            .preamble
            .iter()
            .chain(&self.postamble)
            .map(|step| step.id.get_ref().clone())
            .collect();
        let steps = self.preamble.into_iter().chain(self.postamble);
        let steps =
            steps.map(|step| step.build(of_profile, &ids, places)).collect::<Result<_, _>>()?;
        Ok(Profile {
            generation,
            defaults: self.inputs.build(places)?,
            symbols: self
                .symbols
                .into_iter()
                .map(|symbol| symbol.build(places))
                .collect::<Result<_, _>>()?,
            trigger,
            collective_slots: ranged("collective_slots", self.collective_slots, 1024, "1 to 1024")?,
            cache_line,
            capabilities,
            name: self.name.into_inner(),
            runtime: self.runtime.into_inner(),
            provenance: of_profile,
            about: self.about.into_inner(),
            steps,
            preamble_steps,
            program_start,
        })
    }
}

impl RawProfile {
    /// Names and texts are shown: they are printable and of bounded length.
    fn check_texts(&self) -> Result<(), Mistake> {
        printable("`name`", &self.name, 1, MAX_NAME)?;
        printable("`runtime`", &self.runtime, 0, MAX_NAME)?;
        printable("`about`", &self.about, 0, MAX_TEXT)?;
        for symbol in &self.symbols {
            printable("`name` of a value", &symbol.name, 1, MAX_NAME)?;
        }
        for step in self.preamble.iter().chain(&self.postamble) {
            printable("`id`", &step.id, 1, MAX_NAME)?;
            printable("`title`", &step.title, 0, MAX_TITLE)?;
            printable("`text`", &step.text, 0, MAX_TEXT)?;
        }
        Ok(())
    }
}

fn check_ids<'a>(steps: impl Iterator<Item = &'a RawStep>) -> Result<(), Mistake> {
    let mut ids = BTreeSet::new();
    for step in steps {
        if !ids.insert(step.id.get_ref()) {
            let kind = ProfileErrorKind::DuplicateStep(step.id.get_ref().clone());
            return Err(Mistake::at(step.id.span(), kind));
        }
    }
    Ok(())
}

/// A value with the name of an input, or of another value, would silently take its place.
fn check_names(symbols: &[RawSymbol]) -> Result<(), Mistake> {
    let mut names = BTreeSet::from(GIVEN_NAMES);
    for symbol in symbols {
        if !names.insert(symbol.name.get_ref()) {
            let kind = ProfileErrorKind::TakenName(shortened(symbol.name.get_ref()));
            return Err(Mistake::at(symbol.name.span(), kind));
        }
    }
    Ok(())
}

fn capabilities(
    generation: Generation,
    given: &BTreeMap<String, Spanned<toml::Value>>,
) -> Result<Capabilities, Mistake> {
    let mut all = Capabilities::preset(generation);
    for (name, value) in given {
        let span = value.span();
        let wrong = |found: String, expected: &str| {
            let (what, expected) = ("capability", expected.to_owned());
            Mistake::at(span.clone(), ProfileErrorKind::Word { what, found, expected })
        };
        let is = |value: &toml::Value| format!("{}` = `{}", shortened(name), value.type_str());
        if name == "memory-base" {
            let base = value.get_ref().as_integer().and_then(|base| u64::try_from(base).ok());
            let base =
                base.ok_or_else(|| wrong(is(value.get_ref()), "`memory-base` with a number"))?;
            all.set_memory_base(base);
            continue;
        }
        let capability = Capability::of_word(name).ok_or_else(|| {
            let words = Capability::ALL.map(Capability::word).join(" ");
            wrong(shortened(name), &format!("memory-base {words}"))
        })?;
        let there = value.get_ref().as_bool();
        let there = there.ok_or_else(|| wrong(is(value.get_ref()), "true or false"))?;
        let newer = generation == Generation::Mariana;
        if capability == Capability::LegacyOrdering && newer && there {
            let kind = ProfileErrorKind::Capability {
                capability: capability.word(),
                generation: generation.name(),
            };
            return Err(Mistake::at(span, kind));
        }
        all.set(capability, there);
    }
    Ok(all)
}

fn word<T>(
    what: &'static str,
    text: &Text,
    find: impl Fn(&str) -> Option<T>,
    expected: impl Fn() -> String,
) -> Result<T, Mistake> {
    find(text.get_ref()).ok_or_else(|| {
        let found = shortened(text.get_ref());
        Mistake::at(text.span(), ProfileErrorKind::Word { what, found, expected: expected() })
    })
}

/// A number from 1 to `most`.
fn ranged(
    what: &'static str,
    number: Spanned<u32>,
    most: u32,
    expected: &'static str,
) -> Result<u32, Mistake> {
    let found = *number.get_ref();
    if (1..=most).contains(&found) {
        return Ok(found);
    }
    let kind = ProfileErrorKind::Number { what, found: u64::from(found), expected };
    Err(Mistake::at(number.span(), kind))
}

fn provenance(text: &Text) -> Result<Provenance, Mistake> {
    let all = [Provenance::Observed, Provenance::Inferred, Provenance::Modelled];
    let expected = || all.map(Provenance::name).join(" ");
    word("provenance", text, |word| all.into_iter().find(|value| value.name() == word), expected)
}

fn symbol_expr(name: &str, text: &Text) -> Result<Expr, Mistake> {
    Expr::parse(text.get_ref()).map_err(|error| {
        Mistake::at(text.span(), ProfileErrorKind::Symbol { name: name.to_owned(), error })
    })
}

fn line(step: &str, text: &Text, places: &PlaceIndex<'_>) -> Result<Line, Mistake> {
    let at = Some(places.place(text.span().start));
    Line::parse(text.get_ref()).map(|line| Line { at, ..line }).map_err(|error| {
        Mistake::at(text.span(), ProfileErrorKind::Line { step: step.to_owned(), error })
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfile {
    name: Text,
    generation: Text,
    #[serde(default = "no_text")]
    runtime: Text,
    provenance: Text,
    about: Text,
    inputs: RawInputs,
    symbols: Vec<RawSymbol>,
    trigger: RawTrigger,
    #[serde(default = "default_collective_slots")]
    collective_slots: Spanned<u32>,
    #[serde(default = "default_cache_line")]
    cache_line: Spanned<u32>,
    #[serde(default)]
    capabilities: BTreeMap<String, Spanned<toml::Value>>,
    preamble: Vec<RawStep>,
    postamble: Vec<RawStep>,
}

fn no_text() -> Text {
    Spanned::new(0..0, String::new())
}

fn default_collective_slots() -> Spanned<u32> {
    Spanned::new(0..0, 3)
}

fn default_cache_line() -> Spanned<u32> {
    Spanned::new(0..0, 0)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInputs {
    core: Text,
    request_page: u64,
    dve_table: [u64; 2],
    act_table: [u64; 2],
    rings: u64,
    queue_step: u64,
    ring_step: u64,
}

impl RawInputs {
    fn build(self, places: &PlaceIndex<'_>) -> Result<Defaults, Mistake> {
        Ok(Defaults {
            core_at: Some(places.place(self.core.span().start)),
            core: symbol_expr("core", &self.core)?,
            request_page: self.request_page,
            dve_table: self.dve_table,
            act_table: self.act_table,
            rings: self.rings,
            queue_step: self.queue_step,
            ring_step: self.ring_step,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTrigger {
    io: Text,
    data: Text,
    #[serde(default = "default_groups")]
    groups: Spanned<u32>,
}

fn default_groups() -> Spanned<u32> {
    Spanned::new(0..0, 1)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "keys of the file are engine names")]
struct RawSymbol {
    name: Text,
    value: Option<Text>,
    PE: Option<Text>,
    ACT: Option<Text>,
    POOL: Option<Text>,
    DVE: Option<Text>,
    SP: Option<Text>,
}

impl RawSymbol {
    fn build(self, index: &PlaceIndex<'_>) -> Result<Symbol, Mistake> {
        let of_engine = [self.PE, self.ACT, self.POOL, self.DVE, self.SP];
        let mut values = [const { None }; 5];
        let mut places = [None; 5];
        for ((value, place), own) in values.iter_mut().zip(&mut places).zip(of_engine) {
            let text = own.as_ref().or(self.value.as_ref());
            *place = text.map(|text| index.place(text.span().start));
            *value = text.map(|text| symbol_expr(self.name.get_ref(), text)).transpose()?;
        }
        Ok(Symbol { name: self.name.into_inner(), values, places })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "keys of the file are engine names")]
struct RawStep {
    id: Text,
    title: Text,
    text: Text,
    provenance: Option<Text>,
    order: Option<u32>,
    engines: Option<Vec<Text>>,
    gate: Option<Text>,
    buffer: Option<Text>,
    #[serde(default)]
    for_each_queue: bool,
    #[serde(default)]
    opens_row: bool,
    #[serde(default)]
    model_switch: bool,
    #[serde(default)]
    program_start: bool,
    #[serde(default)]
    records: Vec<Text>,
    PE: Option<Vec<Text>>,
    ACT: Option<Vec<Text>>,
    POOL: Option<Vec<Text>>,
    DVE: Option<Vec<Text>>,
    SP: Option<Vec<Text>>,
}

impl RawStep {
    fn lines(&self) -> usize {
        let own = [&self.PE, &self.ACT, &self.POOL, &self.DVE, &self.SP];
        own.into_iter().flatten().map(Vec::len).sum::<usize>() + self.records.len()
    }

    fn build(
        self,
        of_profile: Provenance,
        ids: &BTreeSet<String>,
        places: &PlaceIndex<'_>,
    ) -> Result<Step, Mistake> {
        let id = self.id.get_ref().clone();
        let only = match &self.engines {
            Some(names) => {
                let expected = || Engine::ALL.map(Engine::name).join(" ");
                let engine = |name| word("engine", name, |word| word.parse().ok(), expected);
                Some(names.iter().map(engine).collect::<Result<Vec<Engine>, _>>()?)
            }
            None => None,
        };
        let own = [self.PE, self.ACT, self.POOL, self.DVE, self.SP];
        let mut lines = [const { Vec::new() }; 5];
        for ((engine, own), lines) in Engine::ALL.into_iter().zip(own).zip(&mut lines) {
            let takes_part = only.as_ref().is_none_or(|only| only.contains(&engine));
            let texts = own.as_ref().or(takes_part.then_some(&self.records));
            for text in texts.into_iter().flatten() {
                let line = line(&id, text, places)?;
                if let Form::Branch { target: Target::Step(target), .. } = &line.form
                    && !ids.contains(target)
                {
                    let (step, target) = (id.clone(), target.clone());
                    let kind = ProfileErrorKind::MissingTarget { step, target };
                    return Err(Mistake::at(text.span(), kind));
                }
                lines.push(line);
            }
        }
        let gate = self.gate.as_ref().map(|text| {
            Condition::parse(text.get_ref()).map_err(|found| {
                let (what, expected) = ("condition", condition::words());
                Mistake::at(text.span(), ProfileErrorKind::Word { what, found, expected })
            })
        });
        let buffer = |text: &Text| {
            let expected = || Buffer::ALL.map(Buffer::word).join(" ");
            let find = |word: &str| Buffer::ALL.into_iter().find(|buffer| buffer.word() == word);
            word("buffer", text, find, expected)
        };
        let on: Vec<Engine> = Engine::ALL
            .into_iter()
            .zip(&lines)
            .filter_map(|(engine, lines)| (!lines.is_empty()).then_some(engine))
            .collect();
        Ok(Step {
            gate: gate.transpose()?,
            buffer: self.buffer.as_ref().map(buffer).transpose()?,
            provenance: self.provenance.as_ref().map_or(Ok(of_profile), provenance)?,
            order: self.order,
            engines: (on.len() < Engine::ALL.len()).then_some(on),
            id,
            title: self.title.into_inner(),
            text: self.text.into_inner(),
            for_each_queue: self.for_each_queue,
            opens_row: self.opens_row,
            model_switch: self.model_switch,
            lines,
        })
    }
}
