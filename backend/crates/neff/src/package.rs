//! An opened NEFF: the header, the members, the subgraphs and their five instruction streams.

use std::sync::Arc;

use records::neff_header::{NEFF_HEADER_BYTES, RawNeffHeader};
use records::{Engine, Slot};

use crate::archive::{self, Member};
use crate::budget::Budget;
use crate::diagnostic::{Findings, Place, Severity};
use crate::digest::Digest;
use crate::doc::{self, Definition, DmaBlock, EngineDocument, HostGraph, Kelf};
use crate::error::{NeffError, Space};
use crate::header::{self, ARCHIVE_OFFSET};
use crate::json::{self, Node};
use crate::limits::Limits;
use crate::payload::{Compression, GzipEnds, Payload};
use crate::reader::Reader;
use crate::target::Target;

/// Header, digest and members of a file, without its documents.
pub(crate) fn unpack(
    bytes: &[u8],
    limits: &Limits,
    findings: &mut Findings,
) -> Result<Package, NeffError> {
    let (header, stored) = header::split(bytes, limits, findings)?;
    let header = *header;
    let payload = Payload::unpack(stored, limits, findings)?;
    let digest = Digest::of(&header, stored, findings);
    let (space, base) = match payload.compression {
        Compression::Gzip => (Space::Inflated, 0),
        Compression::None => (Space::File, ARCHIVE_OFFSET),
    };
    let members = archive::members(&payload.tar, space, base, limits, findings)?;
    let mut by_name: Vec<usize> = (0..members.len()).collect();
    by_name.sort_by_key(|index| members.get(*index).map(|member| member.name.as_str()));
    Ok(Package {
        header,
        digest,
        payload,
        members,
        by_name,
        limits: *limits,
        graph: None,
        kelfs: Vec::new(),
        subgraphs: Vec::new(),
        listed_subgraphs: 0,
    })
}

/// An opened NEFF. It owns the inflated archive; members are views of it.
#[derive(Clone, Debug)]
pub struct Package {
    header: RawNeffHeader,
    digest: Digest,
    payload: Payload,
    members: Vec<Member>,
    by_name: Vec<usize>,
    limits: Limits,
    pub(crate) graph: Option<HostGraph>,
    pub(crate) kelfs: Vec<Kelf>,
    pub(crate) subgraphs: Vec<Subgraph>,
    pub(crate) listed_subgraphs: usize,
}

/// One subgraph: the program of one physical core.
#[derive(Clone, Debug, PartialEq)]
pub struct Subgraph {
    /// Name, `sg00`. Unique in the package.
    pub name: String,
    /// Member of the graph list that names it; empty if none does.
    pub kelf: String,
    /// Target of that graph list.
    pub target: Target,
    /// Member of its definition.
    pub definition_member: String,
    /// Folder of the definition with its `/`, or nothing: names in documents are relative to it.
    pub prefix: String,
    /// The definition; empty if it is missing or damaged, which is a finding.
    /// Subgraphs that name the same member share it.
    pub definition: Arc<Definition>,
    /// Programs, in order PE ACT POOL DVE SP.
    pub engines: [EngineProgram; 5],
}

/// One engine's program in a subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineProgram {
    /// Engine.
    pub engine: Engine,
    /// Member of its document; `None` if there is none.
    pub json_member: Option<String>,
    /// Head of its document; empty if there is none.
    /// Programs that name the same member share it.
    pub document: Arc<EngineDocument>,
    /// Name of the instruction stream as the engine document writes it, or as the definition
    /// does; `None` if neither names one.
    pub bin: Option<String>,
    /// Member of the instruction stream; `None` if the archive has none of that name.
    pub bin_member: Option<String>,
    /// Offset of the stream in the inflated archive; 0 for an empty program.
    pub offset: u64,
    /// Bytes of the stream.
    pub bytes: u64,
}

impl EngineProgram {
    /// Whole slots in the stream.
    pub fn n_slots(&self) -> u64 {
        self.bytes / records::SLOT_BYTES as u64
    }

    /// Bytes behind the last whole slot, 0 to 63.
    pub fn trailing_bytes(&self) -> u64 {
        self.bytes % records::SLOT_BYTES as u64
    }
}

impl Package {
    /// The header, as it lies in the file.
    pub fn header(&self) -> &RawNeffHeader {
        &self.header
    }

    /// The header's digest beside the computed one.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// How the archive is stored.
    pub fn compression(&self) -> Compression {
        self.payload.compression
    }

    /// Header and trailer of the gzip member; `None` for a bare tar.
    pub fn gzip(&self) -> Option<&GzipEnds> {
        self.payload.gzip.as_ref()
    }

    /// Bytes of the archive as stored, zero tail included.
    pub fn stored_bytes(&self) -> u64 {
        self.payload.stored_bytes
    }

    /// Bytes of the tar.
    pub fn tar_bytes(&self) -> u64 {
        self.payload.tar.len() as u64
    }

    /// Zero bytes behind the gzip member; 0 for a bare tar.
    pub fn zero_tail_bytes(&self) -> u64 {
        self.payload.zero_tail_bytes
    }

    /// The whole tar.
    pub fn tar(&self) -> &[u8] {
        &self.payload.tar
    }

    /// The limits that the file was opened with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Members in file order: regular files, empty ones too.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The member of a name.
    pub fn member(&self, name: &str) -> Option<&Member> {
        let index = self
            .by_name
            .binary_search_by(|index| {
                self.members.get(*index).map_or("", |member| member.name.as_str()).cmp(name)
            })
            .ok()?;
        self.members.get(*self.by_name.get(index)?)
    }

    /// Bytes of a member.
    pub fn bytes_of(&self, member: &Member) -> &[u8] {
        self.range(member.offset, member.bytes)
    }

    /// Bytes of the member of a name; an error names the member if there is none.
    pub fn bytes(&self, name: &str) -> Result<&[u8], NeffError> {
        self.member(name)
            .map(|member| self.bytes_of(member))
            .ok_or_else(|| NeffError::MemberMissing { member: name.to_owned() })
    }

    /// Where a byte of the inflated archive is in the file; `None` if it is compressed.
    pub fn file_offset(&self, archive_offset: u64) -> Option<u64> {
        match self.payload.compression {
            Compression::None => archive_offset.checked_add(NEFF_HEADER_BYTES as u64),
            Compression::Gzip => None,
        }
    }

    /// The host graph; `None` if it is missing or damaged.
    pub fn graph(&self) -> Option<&HostGraph> {
        self.graph.as_ref()
    }

    /// The graph lists, in the order in which the host graph names them.
    pub fn kelfs(&self) -> &[Kelf] {
        &self.kelfs
    }

    /// Subgraphs, in the order of the graph lists.
    pub fn subgraphs(&self) -> &[Subgraph] {
        &self.subgraphs
    }

    /// Subgraphs that the file lists, those beyond the limit `subgraphs` too.
    pub fn listed_subgraphs(&self) -> usize {
        self.listed_subgraphs
    }

    /// The subgraph of a name.
    pub fn subgraph(&self, name: &str) -> Option<&Subgraph> {
        self.subgraphs.iter().find(|subgraph| subgraph.name == name)
    }

    /// Bytes of an engine's stream, trailing ones included; empty for an empty program.
    pub fn stream(&self, program: &EngineProgram) -> &[u8] {
        self.range(program.offset, program.bytes)
    }

    /// Whole slots of an engine's stream.
    pub fn slots(&self, program: &EngineProgram) -> &[Slot] {
        Slot::slice_of(self.stream(program)).0
    }

    fn range(&self, offset: u64, bytes: u64) -> &[u8] {
        let range = || {
            let start = usize::try_from(offset).ok()?;
            let end = start.checked_add(usize::try_from(bytes).ok()?)?;
            self.payload.tar.get(start..end)
        };
        range().unwrap_or(&[])
    }

    /// DMA blocks of an engine's program, decoded now. Empty where the document has none.
    pub fn dma_blocks(&self, program: &EngineProgram, findings: &mut Findings) -> Vec<DmaBlock> {
        let (Some(member), Some(span)) = (&program.json_member, program.document.dma) else {
            return Vec::new();
        };
        let node =
            self.bytes(member).ok().and_then(|bytes| Node::within(bytes, span.offset, span.bytes));
        match node {
            Some(node) => {
                let budget = Budget::of(&self.limits);
                doc::dma::blocks(node, &mut Reader::new(member, &self.limits, budget, findings))
            }
            None => Vec::new(),
        }
    }

    /// Parses the JSON member of a name and reads it with `read`. What is odd about its values
    /// becomes findings; what makes it unreadable is the error.
    pub fn document<T>(
        &self,
        name: &str,
        findings: &mut Findings,
        read: impl FnOnce(Node<'_>, &mut Reader<'_>) -> Result<T, NeffError>,
    ) -> Result<T, NeffError> {
        self.document_within(name, &mut Budget::of(&self.limits), findings, read)
    }

    /// As [`Package::document`], with what is left for the whole file.
    pub(crate) fn document_within<T>(
        &self,
        name: &str,
        budget: &mut Budget,
        findings: &mut Findings,
        read: impl FnOnce(Node<'_>, &mut Reader<'_>) -> Result<T, NeffError>,
    ) -> Result<T, NeffError> {
        let bytes = self.bytes(name)?;
        let node = json::parse(name, bytes, &self.limits, budget)?;
        let mut reader = Reader::new(name, &self.limits, *budget, findings);
        let document = read(node, &mut reader);
        *budget = reader.budget();
        document
    }
}

impl Subgraph {
    /// Program of an engine.
    pub fn engine(&self, engine: Engine) -> &EngineProgram {
        engine.of(&self.engines)
    }

    /// Member name of a file that a document of this subgraph names.
    pub fn resolve(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}

/// Turns an error about one document into a finding, so that the rest can be shown.
pub(crate) fn note(error: &NeffError, findings: &mut Findings) {
    findings.push(Severity::Error, error.code(), error.place(), error.to_string());
}

/// A finding that a named member is absent.
pub(crate) fn note_absent(
    severity: Severity,
    member: &str,
    named_by: &str,
    findings: &mut Findings,
) {
    findings.push(
        severity,
        "member.missing",
        Place::member(member),
        format!("`{named_by}` names this member, which is not in the archive"),
    );
}
