//! The text of a timing model.

use super::{
    CLASSES, Cost, DmaCost, GenerationTiming, Link, MAX_NUMBER, MAX_TIMING_BYTES, Timing,
    TimingError, Wire,
};
use records::opcode::OPCODES;
use records::{Engine, Provenance};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTiming {
    name: String,
    about: String,
    sunda: RawGeneration,
    cayman: RawGeneration,
    mariana: RawGeneration,
}

/// A generation with its own numbers, or with those of another one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGeneration {
    like: Option<String>,
    clock_fs: Option<BTreeMap<String, u64>>,
    wire: Option<RawWire>,
    dma: Option<RawDma>,
    link: Option<RawLink>,
    #[serde(default)]
    class: BTreeMap<String, RawCost>,
    #[serde(default)]
    opcode: BTreeMap<String, RawCost>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWire {
    semaphore_ns: u32,
    remote_ns: u32,
    host_ns: u32,
    table_ns: u32,
    request_ns: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDma {
    start_ns: u32,
    descriptor_ns: u32,
    ring_bytes_per_us: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLink {
    hop_ns: u32,
    bytes_per_us: u32,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCost {
    issue: u32,
    start: u32,
    element_milli: u32,
}

impl Timing {
    /// Reads a user's timing model; its provenance is configured.
    ///
    /// # Errors
    /// What is wrong, with the byte where that is known.
    pub fn parse(text: &str) -> Result<Self, TimingError> {
        if text.len() > MAX_TIMING_BYTES {
            return Err(plain(format!("a timing model has at most {MAX_TIMING_BYTES} bytes")));
        }
        let raw: RawTiming = toml::from_str(text).map_err(|error| TimingError {
            at: error.span().map(|span| span.start),
            message: error.message().to_owned(),
        })?;
        if raw.name.is_empty() || raw.name.chars().count() > 64 || raw.about.chars().count() > 1000
        {
            return Err(plain("a name has 1 to 64 characters, `about` at most 1000"));
        }
        let sunda = raw.sunda.build("sunda", &[])?;
        let cayman = raw.cayman.build("cayman", &[("sunda", &sunda)])?;
        let mariana = raw.mariana.build("mariana", &[("sunda", &sunda), ("cayman", &cayman)])?;
        let (name, about) = (raw.name, raw.about);
        Ok(Self { name, about, provenance: Provenance::Configured, sunda, cayman, mariana })
    }
}

impl RawGeneration {
    fn build(
        self,
        of: &str,
        earlier: &[(&str, &GenerationTiming)],
    ) -> Result<GenerationTiming, TimingError> {
        let mut made = match self.like.as_deref() {
            None => None,
            Some(name) => {
                let found = earlier.iter().find(|(known, _)| *known == name);
                let (_, timing) = found.ok_or_else(|| {
                    plain(format!("{of} is like `{name}`, which is no generation before it"))
                })?;
                Some((*timing).clone())
            }
        };
        let missing = |what: &str| plain(format!("{of} has no `{what}` and is like no other"));
        let clocks = match self.clock_fs {
            Some(clocks) => Some(clock_periods(of, &clocks)?),
            None => None,
        };
        let base = made.take().unwrap_or_else(GenerationTiming::empty);
        let is_new = self.like.is_none();
        let (clock_fs, dma_clock_fs) = match clocks {
            Some(clocks) => clocks,
            None if is_new => return Err(missing("clock_fs")),
            None => (base.clock_fs, base.dma_clock_fs),
        };
        let wire = match self.wire {
            Some(raw) => raw.build(of)?,
            None if is_new => return Err(missing("wire")),
            None => base.wire,
        };
        let dma = match self.dma {
            Some(raw) => raw.build(of)?,
            None if is_new => return Err(missing("dma")),
            None => base.dma,
        };
        let link = match self.link {
            Some(raw) => raw.build(of)?,
            None if is_new => return Err(missing("link")),
            None => base.link,
        };
        let mut classes = base.classes;
        for (name, raw) in &self.class {
            let at = CLASSES.iter().position(|class| class == name);
            let place = at.and_then(|at| classes.get_mut(at)).ok_or_else(|| {
                plain(format!("{of} has a class `{name}`; the classes are {}", CLASSES.join(" ")))
            })?;
            *place = raw.build(of, name)?;
        }
        if let Some(class) =
            CLASSES.iter().find(|class| is_new && !self.class.contains_key(**class))
        {
            return Err(missing(&format!("class.{class}")));
        }
        let mut opcodes = base.opcodes;
        for (name, raw) in &self.opcode {
            let known = OPCODES.iter().find(|info| info.mnemonic == name);
            let info = known.ok_or_else(|| plain(format!("{of} has no opcode `{name}`")))?;
            opcodes.insert(info.opcode.0, raw.build(of, name)?);
        }
        Ok(GenerationTiming { clock_fs, dma_clock_fs, wire, dma, link, opcodes, classes })
    }
}

impl GenerationTiming {
    fn empty() -> Self {
        Self {
            clock_fs: [1_000_000; 5],
            dma_clock_fs: 1_000_000,
            wire: Wire::default(),
            dma: DmaCost::default(),
            link: Link::default(),
            opcodes: BTreeMap::new(),
            classes: [Cost::default(); 6],
        }
    }
}

fn clock_periods(of: &str, clocks: &BTreeMap<String, u64>) -> Result<([u64; 5], u64), TimingError> {
    let period = |name: &str| match clocks.get(name).copied() {
        Some(fs @ 1..=MAX_NUMBER) => Ok(fs),
        found => Err(plain(format!(
            "{of}.clock_fs.{name} is {}, expected 1 to {MAX_NUMBER} femtoseconds",
            found.map_or_else(|| "missing".to_owned(), |fs| fs.to_string())
        ))),
    };
    if let Some(name) = clocks.keys().find(|name| *name != "DMA" && name.parse::<Engine>().is_err())
    {
        return Err(plain(format!("{of}.clock_fs.{name}: the clocks are PE ACT POOL DVE SP DMA")));
    }
    let mut all = [0; 5];
    for (place, engine) in all.iter_mut().zip(Engine::ALL) {
        *place = period(engine.name())?;
    }
    Ok((all, period("DMA")?))
}

impl RawCost {
    fn build(self, of: &str, name: &str) -> Result<Cost, TimingError> {
        let Self { issue, start, element_milli } = self;
        check(of, name, &[issue, start, element_milli])?;
        Ok(Cost { issue, start, element_milli })
    }
}

impl RawWire {
    fn build(self, of: &str) -> Result<Wire, TimingError> {
        let Self { semaphore_ns, remote_ns, host_ns, table_ns, request_ns } = self;
        check(of, "wire", &[semaphore_ns, remote_ns, host_ns, table_ns, request_ns])?;
        Ok(Wire { semaphore_ns, remote_ns, host_ns, table_ns, request_ns })
    }
}

impl RawDma {
    fn build(self, of: &str) -> Result<DmaCost, TimingError> {
        let Self { start_ns, descriptor_ns, ring_bytes_per_us } = self;
        check(of, "dma", &[start_ns, descriptor_ns, ring_bytes_per_us])?;
        rate(of, "dma.ring_bytes_per_us", ring_bytes_per_us)?;
        Ok(DmaCost { start_ns, descriptor_ns, ring_bytes_per_us })
    }
}

impl RawLink {
    fn build(self, of: &str) -> Result<Link, TimingError> {
        let Self { hop_ns, bytes_per_us } = self;
        check(of, "link", &[hop_ns, bytes_per_us])?;
        rate(of, "link.bytes_per_us", bytes_per_us)?;
        Ok(Link { hop_ns, bytes_per_us })
    }
}

fn check(of: &str, name: &str, numbers: &[u32]) -> Result<(), TimingError> {
    match numbers.iter().find(|number| u64::from(**number) > MAX_NUMBER) {
        Some(number) => {
            Err(plain(format!("{of}.{name} has {number}, a number is at most {MAX_NUMBER}")))
        }
        None => Ok(()),
    }
}

fn rate(of: &str, name: &str, number: u32) -> Result<(), TimingError> {
    if number == 0 {
        return Err(plain(format!("{of}.{name} is 0: nothing would ever arrive")));
    }
    Ok(())
}

fn plain(message: impl Into<String>) -> TimingError {
    TimingError { at: None, message: message.into() }
}
