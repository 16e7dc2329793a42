//! The tree of one subgraph as values: small, with ranges of the archive instead of copies. Its
//! bytes are made when somebody asks for them.

use std::collections::BTreeSet;

use records::kbin::activation::RawActProfile;
use records::kbin::names::{ArchType, BackingBuf, DescOp, Dtype, MrType, RingType};
use records::kbin::sets::{RawCarveout, RawFp8Config};
use records::{Engine, Provenance};

use super::notes::Notes;
use super::numbers::{Origin, Origins};
use crate::need::Need;

/// Slots of `engine[]` in the loader's order, which is alphabetical by key.
/// Spec: docs/format/kbin.md "Instruction block" [observed].
pub const ENGINE_ORDER: [Engine; 5] =
    [Engine::Act, Engine::Dve, Engine::Pe, Engine::Pool, Engine::Sp];

/// Bytes from one partition of the state buffer to the next, as offsets count.
/// Spec: docs/format/kbin.md "Checks of access patterns" [observed].
pub const STRIDE: u64 = 1 << 18;
/// Partitions of the state buffer.
pub const PARTITIONS: u64 = 128;

/// The tree of one subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct Kbin {
    /// Name of the subgraph.
    pub subgraph: String,
    /// Member of its definition.
    pub definition: String,
    /// Members of the engines' documents, by engine code; nothing for an engine without one.
    pub documents: [String; 5],
    /// Generation, 0 if a loader would refuse it.
    pub target: ArchType,
    /// File, or configured where the file leaves it open.
    pub target_from: Provenance,
    /// Code of each engine, in the order of [`ENGINE_ORDER`].
    pub code: [Code; 5],
    /// Variables, ascending by id.
    pub variables: Vec<Variable>,
    /// Places of those whose name an earlier one has.
    pub repeated: BTreeSet<usize>,
    /// Queues, by name.
    pub queues: Vec<Queue>,
    /// Activation sets.
    pub act_sets: Vec<ActSet>,
    /// Semaphore of table loads; 0 without sets.
    pub act_semaphore: (u32, Origin),
    /// DVE tables: opcode, control fast, control slow, datapath.
    pub dve: Option<[(Option<Content>, Origin); 4]>,
    /// Reserved areas; `None` if the definition has no such key.
    pub carveouts: Option<Vec<Carveout>>,
    /// Groups, subgroups, participants.
    pub groups: Vec<Vec<Vec<u32>>>,
    /// Whether the file's groups were understood.
    pub groups_from: Origin,
    /// Tables of pairs (source, target).
    pub pairs: Vec<Vec<(u64, u64)>>,
    /// Whether the file's pairs were understood.
    pub pairs_from: Origin,
    /// Micro-code libraries.
    pub libs: Vec<Library>,
    /// Streams of collectives.
    pub num_streams: (u64, Origin),
    /// Conversion of 8-bit floating point, with the origins of [`FP8_FIELDS`].
    pub fp8: (RawFp8Config, Origins),
    /// What a loader would say, and findings.
    pub notes: Notes,
}

/// Bytes of [`RawFp8Config`] whose values have an origin.
pub const FP8_FIELDS: [u64; 6] = [0, 4, 8, 12, 13, 14];

/// A range of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Member.
    pub member: String,
    /// First byte in it.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Code of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Engine.
    pub engine: Engine,
    /// Bytes that are copied, which need not be whole records.
    pub bytes: u64,
    /// Whole records, which are counted.
    pub n_records: u64,
    /// Where the bytes are; `None` for an empty block.
    pub content: Option<Content>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Name. Untrusted.
    pub name: String,
    /// Offset of its object in the definition.
    pub at: u64,
    /// Id, and whether the file gives it.
    pub id: u32,
    /// File; modelled where the file has no ids.
    pub id_from: Provenance,
    /// Kind.
    pub kind: MrType,
    /// File; inferred for `dge-table`, modelled for an unknown type.
    pub kind_from: Provenance,
    /// Bytes; 0 where the file has none.
    pub size: u64,
    /// Whether the file gives a size.
    pub has_size: bool,
    /// Alignment in bytes; 0 where the file has none.
    pub alignment: u64,
    /// Element type as written.
    pub dtype: String,
    /// Bytes of an element, where the file says so.
    pub element_size: Option<u64>,
    /// Dimensions as written, maybe more than there is room for.
    pub shape: Vec<u64>,
    /// What fills it.
    pub content: Option<Content>,
    /// The union.
    pub arm: Arm,
    /// What a device print says.
    pub debug: Option<DebugTensor>,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Variable {
    /// Bytes of its record whose values have an origin.
    pub const FIELDS: [u64; 9] = [16, 24, 36, 56, 120, 128, 136, 140, 32];

    /// Notes the origin of a field.
    pub fn put(&mut self, at: u64, origin: Origin) {
        self.origins.put(&Self::FIELDS, at, origin);
    }
}

/// What a device print of a tensor says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebugTensor {
    /// Text in front of the values.
    pub text: String,
    /// Pipe.
    pub pipe: u32,
    /// Origins of both.
    pub from: (Origin, Origin),
}

/// The union of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arm {
    /// Zero.
    None,
    /// A pointer.
    Pointer {
        /// Variable that it points to.
        id: u32,
        /// Whether that one is an input or output.
        io: bool,
    },
    /// A range of a scratchpad.
    Virtual {
        /// First byte.
        offset: u64,
        /// Which scratchpad.
        backing: BackingBuf,
        /// File; observed for the default; modelled for an unknown text.
        backing_from: Provenance,
    },
    /// A list of variables.
    List(Vec<u32>),
    /// A variable of another subgraph.
    Remote {
        /// Subgraph, counted within the virtual core.
        subgraph: u32,
        /// Id there.
        id: u32,
        /// Whether it was found.
        found: bool,
    },
}

/// A DMA queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Name. Untrusted.
    pub name: String,
    /// Offset of its object in the definition.
    pub at: u64,
    /// What the ring is for.
    pub ring_type: RingType,
    /// File; inferred for `dynamic`, modelled for an unknown type.
    pub ring_type_from: Provenance,
    /// Engine that triggers it; `None` if the file names none.
    pub owner: Option<Engine>,
    /// Hardware queues of the set.
    pub queue_set_count: u32,
    /// Hardware queues that rows are dealt out to.
    pub hardware_queues: u64,
    /// Semaphores as written, maybe more than there is room for.
    pub semaphores: Vec<u32>,
    /// Scratch of descriptor generation: offset and size in a partition.
    pub scratch: (u32, u32),
    /// Ring instances.
    pub rings: Vec<Ring>,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Queue {
    /// Bytes of its record whose values have an origin.
    pub const FIELDS: [u64; 5] = [8, 12, 16, 276, 280];
}

/// An instance of a queue's ring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ring {
    /// Name. Untrusted.
    pub name: String,
    /// Where it comes from.
    pub name_from: Origin,
    /// Blocks, in the order in which a loader meets them.
    pub blocks: Vec<Block>,
    /// Descriptors of all blocks.
    pub descriptors: Vec<Descriptor>,
}

/// A block: descriptors that one trigger starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Id.
    pub id: u32,
    /// Engine whose document holds it; `None` for one at graph level.
    pub engine: Option<Engine>,
    /// First descriptor in the ring.
    pub first: u32,
    /// Descriptors.
    pub count: u32,
    /// Priority class.
    pub priority: u8,
    /// Function that starts here.
    pub function: Option<String>,
    /// What the compiler calls it.
    pub comment: Option<String>,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Block {
    /// Bytes of a descriptor that its block fills.
    pub const FIELDS: [u64; 3] = [5_432, 5_440, 5_448];
}

/// One side of a descriptor. Offset, innermost size and steps are bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// First byte in the variable.
    pub offset: u64,
    /// Sizes, innermost first.
    pub sizes: Vec<u64>,
    /// Steps, innermost first.
    pub steps: Vec<i64>,
    /// Element type; INVALID where none is written.
    pub dtype: Dtype,
}

/// A descriptor.
#[derive(Clone, Debug, PartialEq)]
pub struct Descriptor {
    /// Offset of its object in the engine's document.
    pub at: u64,
    /// Block, counted in its ring.
    pub block: u32,
    /// Operation.
    pub op: DescOp,
    /// File; modelled for an unknown text; observed where the file has none.
    pub op_from: Provenance,
    /// Whether the two sides have different element types on purpose.
    pub is_cast: bool,
    /// Target variable, by place in the tree's list.
    pub to_variable: Option<u32>,
    /// Target.
    pub to: Side,
    /// Source variables, by place in the tree's list; all with the pattern of `from`.
    pub from_variables: Vec<Option<u32>>,
    /// Sources.
    pub from: Side,
    /// Tiling dimensions.
    pub tiling: u32,
    /// Descriptors of each hardware queue that it needs.
    pub need: Need,
    /// What a computing transfer or a transpose needs.
    pub compute: Compute,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Descriptor {
    /// First byte of the target.
    pub const TO: u64 = 8;
    /// First byte of the first source; all have the pattern of that one.
    pub const FROM: u64 = 168;
    /// First byte of what is in the middle of the compute area.
    pub const ARM: u64 = 5_296;
    /// Bytes of its record whose values have an origin: both sides, tiling, scales or constant.
    pub const FIELDS: [u64; 12] = [16, 32, 96, 160, 176, 192, 256, 320, 5_288, 5_296, 5_300, 5_304];
}

/// What an operation needs beside its sides.
#[derive(Clone, Debug, PartialEq)]
pub enum Compute {
    /// Nothing.
    None,
    /// Scales of the sources, with their element type.
    Scale(Dtype, Vec<f32>),
    /// A constant, with its element type and bits.
    Constant(Dtype, u32),
    /// Only the number of sources and targets.
    Plain,
    /// A transpose: letters, shape, bytes of an element. Its bytes are not published.
    Transpose(String, Vec<u64>, Option<u32>),
}

/// An activation set.
#[derive(Clone, Debug, PartialEq)]
pub struct ActSet {
    /// Name.
    pub name: String,
    /// Bucket table.
    pub bkt: Option<Content>,
    /// Control table.
    pub ctl: Option<Content>,
    /// Document of the set, if there is one.
    pub document: Option<String>,
    /// Profiles; a record has room for 25.
    pub profiles: Vec<Profile>,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl ActSet {
    /// Bytes of its record whose values have an origin.
    pub const FIELDS: [u64; 6] = [0, 256, 264, 272, 280, 2_184];
}

/// The profile of an activation function.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// As it lies in its set.
    pub raw: RawActProfile,
    /// Numbers of the file whose place in it is not published.
    pub unplaced: Vec<(String, i128)>,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Profile {
    /// Bytes of it whose values have an origin.
    pub const FIELDS: [u64; 16] = [0, 4, 8, 9, 10, 12, 16, 20, 48, 52, 56, 60, 64, 68, 72, 73];
}

/// A reserved area of the state buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carveout {
    /// As it lies in its record.
    pub raw: RawCarveout,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Carveout {
    /// Bytes of it whose values have an origin.
    pub const FIELDS: [u64; 5] = [0, 8, 16, 24, 32];
}

/// A micro-code library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// Name: the library's member, or `all` for the default one.
    pub name: String,
    /// The library; `None` where it is not in the archive.
    pub content: Option<Content>,
    /// 6, or 0 for a built-in one.
    pub flags: u32,
    /// `cpu_id`.
    pub cpu_id: u8,
    /// `total_cpus`.
    pub total_cpus: u8,
    /// Functions; their number is a byte.
    pub functions: Vec<Function>,
    /// File; modelled for the default one.
    pub from: Provenance,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Library {
    /// Bytes of its record whose values have an origin.
    pub const FIELDS: [u64; 7] = [0, 8, 16, 20, 21, 24, 32];
}

/// A function of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// Operation code.
    pub opcode: u8,
    /// Further operation code.
    pub sub_opcode: u8,
    /// Origins of [`Self::FIELDS`].
    pub origins: Origins,
}

impl Function {
    /// Bytes of its row whose values have an origin.
    pub const FIELDS: [u64; 3] = [0, 256, 257];
}
