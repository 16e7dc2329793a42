//! The `info` and `files` documents.

use super::{Finding, Provenance};
use serde::{Deserialize, Serialize};

/// The `info` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InfoAnswer {
    /// Version of this document.
    pub schema: u32,
    /// The opened file.
    pub file: FileInfo,
    /// Fields of the 1,024-byte header.
    pub header: HeaderInfo,
    /// Stored against computed digest.
    pub digest: DigestInfo,
    /// The archive.
    pub archive: ArchiveInfo,
    /// Subgraphs in the order of the kelf.
    pub subgraphs: Vec<SubgraphInfo>,
    /// What built the file, as far as it says.
    pub build: BuildInfo,
    /// Whether debug layers and DMA blocks were decoded for this answer.
    pub deep: bool,
    /// How far the debug layers lead; empty unless `deep`.
    pub coverage: Vec<CoverageInfo>,
    /// All findings.
    pub diagnostics: Vec<Finding>,
    /// Everything here is read from the file unless a key says otherwise.
    pub provenance: Provenance,
}

/// Name, size and kind of an opened file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileInfo {
    /// Name without a path.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// `neff` or `ntff`.
    pub kind: String,
}

/// The header's fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderInfo {
    /// 1 or 2.
    pub pkg_version: u64,
    /// Bytes; 1,024.
    pub header_size: u64,
    /// Bytes of the payload as stored.
    pub data_size: u64,
    /// Format major.
    pub version_major: u64,
    /// Format minor.
    pub version_minor: u64,
    /// Compiler build text.
    pub build_version: String,
    /// NeuronCores.
    pub num_tpb: u32,
    /// All 64 digits.
    pub hash: String,
    /// Hyphenated.
    pub uuid: String,
    /// Network name.
    pub name: String,
    /// Cores requested.
    pub requested_tpb_count: u32,
    /// 64 per-node counts.
    pub tpb_per_node: Vec<u8>,
    /// Feature mask.
    pub feature_bits: String,
    /// Names of the set bits, in bit order.
    pub features: Vec<String>,
    /// Logical core size, 1 or 2.
    pub lnc_size: u32,
}

/// Stored and computed digest of the payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestInfo {
    /// `md5` or `sha256`.
    pub algorithm: String,
    /// The compared digits of the header.
    pub stored: String,
    /// Over the stored payload.
    pub computed: String,
    /// `match` or `differs`.
    pub verdict: String,
}

/// The archive after the header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveInfo {
    /// `gzip` or `none`.
    pub compression: String,
    /// Bytes as stored.
    pub stored_bytes: u64,
    /// Bytes of the tar.
    pub tar_bytes: u64,
    /// Zero bytes after the gzip member.
    pub zero_tail_bytes: u64,
    /// Regular members in archive order.
    pub members: Vec<MemberInfo>,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberInfo {
    /// Name without a leading `./`.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// One subgraph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubgraphInfo {
    /// Name, `sg00`.
    pub name: String,
    /// As written in the kelf.
    pub target: String,
    /// Always five, PE ACT POOL DVE SP.
    pub engines: Vec<EngineInfo>,
}

/// One engine stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    /// Engine name.
    pub engine: String,
    /// Whole 64-byte records.
    pub slots: u64,
    /// Member as named by the engine JSON; null if none.
    pub bin: Option<String>,
    /// Bytes after the last whole record, 0 to 63.
    pub trailing_bytes: u64,
}

/// What built the file; null where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildInfo {
    /// `tool_version` of info.json.
    pub tool_version: Option<String>,
    /// Target in words, `trn2 (cayman)`.
    pub target: Option<String>,
    /// Provenance of the target's name in words.
    pub target_provenance: Provenance,
}

/// How far an engine's slots lead through the debug layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageInfo {
    /// Subgraph.
    pub s: String,
    /// Engine.
    pub e: String,
    /// Slots of the stream.
    pub slots: u64,
    /// Slots with a compiler (BIR) record.
    pub bir: u64,
    /// Slots with a tensor operation.
    pub penguin: u64,
    /// Slots with a source line.
    pub line: u64,
}

/// The `files` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Files of the session, in order.
    pub files: Vec<FileInfo>,
    /// Every executable with every capture of the session, and how far they belong together.
    pub pairs: Vec<PairInfo>,
}

/// Signs that an executable and a capture belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairInfo {
    /// 0-based file that is the executable.
    pub neff: usize,
    /// 0-based file that is the capture.
    pub ntff: usize,
    /// The capture names the executable as its header does.
    pub name: bool,
    /// The UUIDs fit, as far as the capture kept its copy.
    pub uuid: bool,
    /// Slots, records and rows of every image add up.
    pub structure: bool,
    /// Whether they are taken for a pair without being told so.
    pub pair: bool,
}
