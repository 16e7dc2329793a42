//! Description of a NEFF fixture: the text from which `neff_builder` makes the file.
//!
//! The format is documented in `fixtures/README.md`.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

/// A whole case: header, archive, members, and the damage done to the result.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Case {
    /// One sentence: what the case shows.
    pub summary: String,
    /// Where the described content comes from.
    pub source: String,
    /// Name of a case to start from; its members come first.
    pub base: Option<String>,
    /// Header fields.
    pub header: HeaderText,
    /// How members are packed.
    pub archive: ArchiveText,
    /// Names of members of the base case to leave out.
    pub remove: Vec<String>,
    /// Members in file order. One that has the name of a base member replaces it there, unless it
    /// is marked `again`.
    #[serde(rename = "member")]
    pub members: Vec<MemberText>,
    /// Folders to copy under another name, behind the members.
    #[serde(rename = "copy")]
    pub copies: Vec<Copy>,
    /// Sort the members by name at the end, the host graph last.
    pub sorted: bool,
    /// Changes to the finished bytes.
    #[serde(rename = "damage")]
    pub damages: Vec<Damage>,
    /// A capture that belongs to the file, stored beside it.
    pub capture: Option<CaptureText>,
}

/// Replaces the first occurrence of a text in a member's description.
///
/// # Panics
///
/// If there is no such member, or no such text in it.
#[allow(clippy::panic, clippy::unwrap_used, reason = "a suite fails by panicking")]
pub fn change(case: &mut Case, member: &str, from: &str, to: &str) {
    let member = case.members.iter_mut().find(|one| one.name == member).unwrap();
    for text in [&mut member.text, &mut member.hex].into_iter().flatten() {
        if text.contains(from) {
            *text = text.replacen(from, to, 1);
            return;
        }
    }
    panic!("no `{from}` in {}", member.name);
}

/// A capture that belongs to the NEFF of its case; its images are those that a profile builds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureText {
    /// Version, 4 or 5.
    pub version: u8,
    /// Profile that builds the images; by target if left out.
    pub profile: Option<String>,
    /// Version of the runtime.
    pub runtime: [u64; 3],
    /// Physical core of the first subgraph.
    #[serde(default)]
    pub core: u32,
    /// Bytes behind a UUID without a zero byte.
    #[serde(default)]
    pub uuid_overrun: Vec<u8>,
}

/// Header fields; what is left out is as in a file of a current compiler.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeaderText {
    /// Archive and digest scheme, 2 if left out.
    pub pkg_version: Option<u64>,
    /// Header size, 0x400 if left out.
    pub header_size: Option<u64>,
    /// Archive size, the true one if left out.
    pub data_size: Option<u64>,
    /// Major version, 2 if left out.
    pub major: Option<u64>,
    /// Minor version, 0 if left out.
    pub minor: Option<u64>,
    /// Build version, empty if left out.
    pub build_version: Option<String>,
    /// Number of cores, 1 if left out.
    pub num_tpb: Option<u32>,
    /// `match` (default), or hexadecimal digits.
    pub hash: Option<String>,
    /// Byte that fills the hash behind 16 bytes of MD5, 0 if left out.
    pub hash_fill: Option<u8>,
    /// Sixteen bytes in hyphenated form.
    pub uuid: Option<String>,
    /// Network name, `file.neff` if left out.
    pub name: Option<String>,
    /// Cores requested, 1 if left out.
    pub requested_tpb_count: Option<u32>,
    /// Cores of the first node, 1 if left out.
    pub first_node_tpb: Option<u8>,
    /// Feature bits, 0 if left out.
    pub feature_bits: Option<u64>,
    /// Logical core size, 1 if left out.
    pub lnc_size: Option<u32>,
}

/// How members are packed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArchiveText {
    /// `gzip` (default) or `none`.
    pub compression: Option<String>,
    /// `ustar` (default), `gnu` or `pax`.
    pub dialect: Option<String>,
    /// Bytes that the tar is padded to with zeros behind its two zero blocks.
    pub tar_bytes: Option<u64>,
    /// Zero bytes behind the gzip member.
    pub zero_tail: Option<u64>,
    /// Leave out the zero blocks at the end.
    pub no_end: bool,
}

/// One entry of the tar. Its content is one of `text`, `hex`, `slots`, `nest` and `debug`, or
/// nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemberText {
    /// Name.
    pub name: String,
    /// Content as text.
    pub text: Option<String>,
    /// Content as hexadecimal digits; blanks do not matter.
    pub hex: Option<String>,
    /// Content as 64-byte records, see `slot_text`.
    pub slots: Option<Vec<String>>,
    /// JSON arrays nested this deep.
    pub nest: Option<usize>,
    /// Content as a debug member.
    pub debug: Option<DebugText>,
    /// Blanks are added at the end up to this length.
    pub pad_to: Option<usize>,
    /// Type flag of the entry, `0` if left out.
    pub kind: Option<char>,
    /// Target of a link.
    pub link: String,
    /// Size to write in the header instead of the true one.
    pub claimed_size: Option<u64>,
    /// Write a wrong checksum.
    pub bad_checksum: bool,
    /// Add it although a member of that name is there.
    pub again: bool,
}

/// A debug member.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DebugText {
    /// Description.
    pub description: String,
    /// Next layer up.
    pub parent: Option<String>,
    /// The compiler's number of the engine.
    pub engine: Option<u64>,
    /// Source files.
    pub files: Vec<String>,
    /// Records.
    pub records: Vec<DebugRecordText>,
}

/// A record of a debug member; absent fields are not written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DebugRecordText {
    /// Id.
    pub id: Option<u64>,
    /// Name.
    pub name: Option<String>,
    /// Ids in the next layer up.
    pub parents: Vec<u64>,
    /// Ids that it waits for.
    pub waits_for: Vec<u64>,
    /// Kind.
    pub flavor: Option<u64>,
    /// Attributes: key, value.
    pub attributes: Vec<(String, String)>,
    /// A whole body as hexadecimal digits, instead of the fields above.
    pub hex: Option<String>,
}

/// A folder to copy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// Start of the names to copy.
    pub from: String,
    /// What replaces it.
    pub to: String,
}

/// A change to finished bytes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Damage {
    /// `tar` (before compression), `payload` (before the header is made) or `file`.
    pub stage: String,
    /// Where `hex` is written; behind the end if left out.
    pub offset: Option<usize>,
    /// Bytes to write.
    #[serde(default)]
    pub hex: String,
    /// Length to cut to, after writing.
    pub cut_to: Option<usize>,
}

impl Case {
    /// Replaces text in a member's description, where it stands first; whether it stands there.
    pub fn change(&mut self, member: &str, from: &str, to: &str) -> bool {
        let member = self.members.iter_mut().find(|one| one.name == member);
        let texts = member.map(|member| [&mut member.text, &mut member.hex]);
        for text in texts.into_iter().flatten().flatten() {
            if text.contains(from) {
                *text = text.replacen(from, to, 1);
                return true;
            }
        }
        false
    }

    /// Reads `cases/<name>/case.toml` and the case that it starts from.
    pub fn read(cases: &Path, name: &str) -> Result<Self> {
        let path = cases.join(name).join("case.toml");
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut case: Self =
            toml::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        if let Some(base) = case.base.take() {
            ensure!(base != name, "case {name} starts from itself");
            case = case.on(Self::read(cases, &base)?);
        }
        for Copy { from, to } in std::mem::take(&mut case.copies) {
            let copied: Vec<MemberText> = case
                .members
                .iter()
                .filter_map(|member| {
                    let rest = member.name.strip_prefix(&from)?;
                    Some(MemberText { name: format!("{to}{rest}"), ..member.clone() })
                })
                .collect();
            // A member that is there already is meant to differ from the copy.
            for member in copied {
                if !case.members.iter().any(|other| other.name == member.name) {
                    case.members.push(member);
                }
            }
        }
        if case.sorted {
            case.members.sort_by_key(|member| (member.name == "neff.json", member.name.clone()));
        }
        Ok(case)
    }

    /// This case laid over another one.
    fn on(self, mut base: Self) -> Self {
        base.members.retain(|member| !self.remove.contains(&member.name));
        for member in self.members {
            match base.members.iter_mut().find(|other| other.name == member.name) {
                Some(other) if !member.again => *other = member,
                _ => base.members.push(member),
            }
        }
        base.header.lay_over(self.header);
        base.archive.lay_over(self.archive);
        base.damages.extend(self.damages);
        Self {
            summary: self.summary,
            source: self.source,
            copies: self.copies,
            sorted: self.sorted || base.sorted,
            capture: self.capture.or(base.capture),
            ..base
        }
    }
}

macro_rules! lay_over {
    ($self:ident, $other:ident: $($field:ident),+) => {
        $(if $other.$field.is_some() {
            $self.$field = $other.$field;
        })+
    };
}

impl HeaderText {
    fn lay_over(&mut self, other: Self) {
        lay_over!(self, other: pkg_version, header_size, data_size, major, minor, build_version,
            num_tpb, hash, hash_fill, uuid, name, requested_tpb_count, first_node_tpb,
            feature_bits, lnc_size);
    }
}

impl ArchiveText {
    fn lay_over(&mut self, other: Self) {
        lay_over!(self, other: compression, dialect, tar_bytes, zero_tail);
        self.no_end |= other.no_end;
    }
}

/// Bytes of hexadecimal digits; blanks and line ends between them do not matter.
pub fn hex_bytes(text: &str) -> Result<Vec<u8>> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| c.to_digit(16).with_context(|| format!("`{c}` is no hexadecimal digit")))
        .collect::<Result<_>>()?;
    ensure!(digits.len().is_multiple_of(2), "`{text}` has an odd number of digits");
    Ok(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
}
