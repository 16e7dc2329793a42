//! The whole context of a TOP_SP's firmware, per generation, and where each of its structs lies.

use super::algorithm::{
    EVENTS, EVENTS_SUNDA, RawAlgoConfigs, RawAlgoConfigsSunda, RawAlgoCtx, RawMeshEvent,
    RawRingChannel, RawRingRow,
};
use super::barrier::{RawBarrierConfigs, RawHostBarrier};
use super::device::{RawDevConfigs, RawTsync};
use super::program::{
    RawBasicBlockConfigs, RawBasicBlockCtx, RawNeffConfigs, RawNeffCtx, RawOpCtx,
};
use crate::error::DecodeError;
use crate::kbin::{Form, Layout, kbin_record};

/// A generation as the firmware numbers it.
/// Spec: docs/format/collectives.md "Generations" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextArch {
    /// 0x05.
    Sunda,
    /// 0x0C.
    Cayman,
    /// 0x14.
    Mariana,
    /// 0x1C.
    MarianaPlus,
}

impl ContextArch {
    /// All of them, by id.
    pub const ALL: [Self; 4] = [Self::Sunda, Self::Cayman, Self::Mariana, Self::MarianaPlus];

    /// Id that the firmware's printer takes.
    pub const fn id(self) -> u8 {
        match self {
            Self::Sunda => 0x05,
            Self::Cayman => 0x0C,
            Self::Mariana => 0x14,
            Self::MarianaPlus => 0x1C,
        }
    }

    /// `sunda cayman mariana mariana-plus`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sunda => "sunda",
            Self::Cayman => "cayman",
            Self::Mariana => "mariana",
            Self::MarianaPlus => "mariana-plus",
        }
    }

    /// The generation of a name, in any case, with `_` as good as `-`; `None` for a name that is
    /// none.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The generation of an id; `None` for an id that the printer does not know.
    pub fn of_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.id() == id)
    }

    /// Layout of its context.
    pub const fn layout(self) -> &'static Layout {
        match self {
            Self::Sunda => &RawContextSunda::LAYOUT,
            _ => &RawContext::LAYOUT,
        }
    }

    /// Bytes of its context.
    pub const fn context_bytes(self) -> usize {
        self.layout().bytes
    }

    /// Mesh events of its context.
    pub const fn events(self) -> usize {
        match self {
            Self::Sunda => EVENTS_SUNDA,
            _ => EVENTS,
        }
    }
}

kbin_record! {
    /// A context on sunda.
    /// Spec: docs/format/collectives.md "Context" [observed].
    RawContextSunda 0x32c8 "ncfw_ctx_top_sp" "Context" {
        0x0000 algo_configs: RawAlgoConfigsSunda = Form::Record(&RawAlgoConfigsSunda::LAYOUT), Observed File "" "algorithms, configured";
        0x2228 neff_configs: RawNeffConfigs = Form::Record(&RawNeffConfigs::LAYOUT), Observed File "" "executable, configured";
        0x3030 dev_configs: RawDevConfigs = Form::Record(&RawDevConfigs::LAYOUT), Observed File "" "device";
        0x3060 neff: RawNeffCtx = Form::Record(&RawNeffCtx::LAYOUT), Observed File "" "executable, running";
        0x30c0 algo: RawAlgoCtx = Form::Record(&RawAlgoCtx::LAYOUT), Observed File "" "algorithms, running";
    }
}

kbin_record! {
    /// A context on cayman and later.
    /// Spec: docs/format/collectives.md "Context" [observed].
    RawContext 0x44e8 "ncfw_ctx_top_sp" "Context" {
        0x0000 algo_configs: RawAlgoConfigs = Form::Record(&RawAlgoConfigs::LAYOUT), Observed File "" "algorithms, configured";
        0x3448 neff_configs: RawNeffConfigs = Form::Record(&RawNeffConfigs::LAYOUT), Observed File "" "executable, configured";
        0x4250 dev_configs: RawDevConfigs = Form::Record(&RawDevConfigs::LAYOUT), Observed File "" "device";
        0x4280 neff: RawNeffCtx = Form::Record(&RawNeffCtx::LAYOUT), Observed File "" "executable, running";
        0x42e0 algo: RawAlgoCtx = Form::Record(&RawAlgoCtx::LAYOUT), Observed File "" "algorithms, running";
    }
}

/// A context of any generation, viewed in place.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Generation.
    pub arch: ContextArch,
    /// Ring channels, configured.
    pub channels: &'a [RawRingChannel],
    /// Mesh events, configured.
    pub events: &'a [RawMeshEvent],
    /// What stands for the hierarchical configuration.
    pub stub: u64,
    /// Executable, configured.
    pub neff_configs: &'a RawNeffConfigs,
    /// Device.
    pub dev_configs: &'a RawDevConfigs,
    /// Executable, running.
    pub neff: &'a RawNeffCtx,
    /// Algorithms, running.
    pub algo: &'a RawAlgoCtx,
}

impl<'a> Context<'a> {
    /// Views the first bytes as a context. Errors if there are too few; no value is rejected.
    pub fn of(arch: ContextArch, bytes: &'a [u8]) -> Result<Self, DecodeError> {
        match arch {
            ContextArch::Sunda => RawContextSunda::of(bytes).map(|(raw, _)| Self {
                arch,
                channels: &raw.algo_configs.channels,
                events: &raw.algo_configs.events,
                stub: raw.algo_configs.stub.get(),
                neff_configs: &raw.neff_configs,
                dev_configs: &raw.dev_configs,
                neff: &raw.neff,
                algo: &raw.algo,
            }),
            _ => RawContext::of(bytes).map(|(raw, _)| Self {
                arch,
                channels: &raw.algo_configs.channels,
                events: &raw.algo_configs.events,
                stub: raw.algo_configs.stub.get(),
                neff_configs: &raw.neff_configs,
                dev_configs: &raw.dev_configs,
                neff: &raw.neff,
                algo: &raw.algo,
            }),
        }
    }
}

/// A struct of a context, or a row of structs one behind the other.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Parts of its name; a row's members are numbered behind them.
    pub path: &'static [&'static str],
    /// First byte in the context.
    pub offset: usize,
    /// How many, `None` for a struct that is no row.
    pub count: Option<usize>,
    /// Layout of one.
    pub layout: &'static Layout,
    /// Fields that are left to places of their own.
    pub without: &'static [&'static str],
}

/// One struct of a context.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Name, with dots: `configs.algo.ring.channels.0`.
    pub name: String,
    /// First byte in the context.
    pub offset: usize,
    /// Its layout.
    pub layout: &'static Layout,
    /// Fields that structs of their own show.
    pub without: &'static [&'static str],
}

impl Struct {
    /// The byte of the context behind it.
    pub const fn end(&self) -> usize {
        self.offset.saturating_add(self.layout.bytes)
    }
}

const fn one(path: &'static [&'static str], offset: usize, layout: &'static Layout) -> Place {
    Place { path, offset, count: None, layout, without: &[] }
}

impl ContextArch {
    /// Where the structs of a context lie, in the order of its printer.
    pub fn places(self) -> [Place; 14] {
        let (events, neff, dev, algo_configs) = match self {
            Self::Sunda => (EVENTS_SUNDA, 0x2228, 0x3030, &RawAlgoConfigsSunda::LAYOUT),
            _ => (EVENTS, 0x3448, 0x4250, &RawAlgoConfigs::LAYOUT),
        };
        let (neff_ctx, algo_ctx) = (dev + 0x30, dev + 0x90);
        let row =
            |path, offset, count, layout| Place { count: Some(count), ..one(path, offset, layout) };
        [
            Place {
                without: &["channels", "events"],
                ..one(&["configs", "algo"], 0, algo_configs)
            },
            row(&["configs", "algo", "ring", "channels"], 0, 32, &RawRingChannel::LAYOUT),
            row(&["configs", "algo", "mesh", "events"], 0x1280, events, &RawMeshEvent::LAYOUT),
            Place {
                without: &["barrier_configs", "basic_block_configs"],
                ..one(&["configs", "neff"], neff, &RawNeffConfigs::LAYOUT)
            },
            one(&["configs", "neff", "barrier_configs"], neff + 2200, &RawBarrierConfigs::LAYOUT),
            one(
                &["configs", "neff", "barrier_configs", "host_barrier"],
                neff + 2200,
                &RawHostBarrier::LAYOUT,
            ),
            one(
                &["configs", "neff", "basic_block_configs"],
                neff + 2496,
                &RawBasicBlockConfigs::LAYOUT,
            ),
            Place { without: &["tsync"], ..one(&["configs", "dev"], dev, &RawDevConfigs::LAYOUT) },
            one(&["configs", "dev", "tsync"], dev, &RawTsync::LAYOUT),
            Place {
                without: &["op", "basic_block"],
                ..one(&["neff"], neff_ctx, &RawNeffCtx::LAYOUT)
            },
            one(&["neff", "op"], neff_ctx, &RawOpCtx::LAYOUT),
            one(&["neff", "basic_block"], neff_ctx + 0x20, &RawBasicBlockCtx::LAYOUT),
            row(&["algo", "ring", "channels"], algo_ctx, 32, &RawRingRow::LAYOUT),
            Place { without: &["channels"], ..one(&["algo"], algo_ctx, &RawAlgoCtx::LAYOUT) },
        ]
    }

    /// Every struct of a context, rows apart.
    pub fn structs(self) -> Vec<Struct> {
        let mut all = Vec::new();
        for place in self.places() {
            let path = place.path.join(".");
            let layout = place.layout;
            let without = place.without;
            match place.count {
                None => all.push(Struct { name: path, offset: place.offset, layout, without }),
                Some(count) => all.extend((0..count).map(|index| Struct {
                    name: format!("{path}.{index}"),
                    offset: place.offset + index * layout.bytes,
                    layout,
                    without,
                })),
            }
        }
        all
    }
}

/// Reads a table of entries: whole ones, and the bytes left over.
pub fn entries(bytes: &[u8]) -> (Vec<super::SpadCtrlEntry>, &[u8]) {
    let (whole, rest) = bytes.as_chunks::<{ super::entry::ENTRY_BYTES }>();
    (whole.iter().map(|bytes| super::SpadCtrlEntry::from_bytes(*bytes)).collect(), rest)
}
