//! Answers `info` and `files`.

use crate::answer::{
    ArchiveInfo, BuildInfo, DigestInfo, EngineInfo, FileInfo, FilesAnswer, HeaderInfo, InfoAnswer,
    MemberInfo, PairInfo, Provenance, SCHEMA, SubgraphInfo,
};
use crate::convert::{finding, findings, hex, hex_bytes};
use crate::file::{FileKind, OpenFile};
use crate::names;
use crate::neff_file::NeffFile;
use crate::pairing::Signs;
use neff::Severity;
use records::neff_header::feature_names;
use std::sync::Arc;

/// Everything that is known of a file without looking at an instruction.
pub fn info(files: &[Arc<OpenFile>], file: &NeffFile, deep: bool) -> InfoAnswer {
    let package = file.package();
    let coverage = if deep { file.coverage() } else { Vec::new() };
    let mut diagnostics = findings(file.findings().as_slice());
    if deep {
        for index in 0..package.subgraphs().len() {
            diagnostics.extend(findings(file.program(index).findings.as_slice()));
            diagnostics.extend(findings(file.sources(index).findings.as_slice()));
            // The tree is kept: whoever asks for its records does not build it again.
            let tree = file.kbin(index);
            let of_tree = tree.iter().flat_map(|tree| tree.notes.findings.as_slice());
            diagnostics.extend(of_tree.filter(|one| one.severity == Severity::Error).map(finding));
        }
        // Layers and documents that subgraphs share are damaged once.
        let mut seen = std::collections::BTreeSet::new();
        diagnostics
            .retain(|finding| seen.insert(serde_json::to_string(finding).unwrap_or_default()));
    }
    InfoAnswer {
        schema: SCHEMA,
        file: FileInfo {
            name: names::of_neff(files, file),
            bytes: file.bytes(),
            kind: FileKind::Neff.name().to_owned(),
        },
        header: header(file),
        digest: digest(package.digest()),
        archive: ArchiveInfo {
            compression: package.compression().name().to_owned(),
            stored_bytes: package.stored_bytes(),
            tar_bytes: package.tar_bytes(),
            zero_tail_bytes: package.zero_tail_bytes(),
            members: package
                .members()
                .iter()
                .map(|member| MemberInfo { name: member.name.clone(), bytes: member.bytes })
                .collect(),
        },
        subgraphs: package.subgraphs().iter().map(subgraph).collect(),
        build: BuildInfo {
            tool_version: file.tool_version(),
            target: package.subgraphs().first().and_then(|first| chip_name(&first.target.text)),
            target_provenance: Provenance::Observed,
        },
        deep,
        coverage,
        diagnostics,
        provenance: Provenance::File,
    }
}

/// The files of a session.
pub fn files(files: &[Arc<OpenFile>]) -> FilesAnswer {
    FilesAnswer {
        schema: SCHEMA,
        files: files
            .iter()
            .zip(names::labels(files))
            .map(|(file, name)| file_info(file, name))
            .collect(),
        pairs: pairs(files),
    }
}

fn pairs(files: &[Arc<OpenFile>]) -> Vec<PairInfo> {
    let mut list = Vec::new();
    let kinds = || files.iter().enumerate();
    for (neff, file) in kinds().filter_map(|(at, file)| Some((at, file.as_neff()?))) {
        for (ntff, capture) in kinds().filter_map(|(at, file)| Some((at, file.as_ntff()?))) {
            let signs = Signs::of(file.package(), capture.capture());
            let Signs { name, uuid, structure, part: _, unknown: _ } = signs;
            list.push(PairInfo { neff, ntff, name, uuid, structure, pair: signs.is_pair() });
        }
    }
    list
}

/// The chip that a target text means, in words; `None` for a text that no table has.
/// Spec: docs/format/container.md "Target" [observed].
pub fn chip_name(target: &str) -> Option<String> {
    let name = match target {
        "sunda" | "v2" | "" => "trn1 (sunda)",
        "cayman" | "v3" => "trn2 (cayman)",
        "mariana" | "v4" => "trn3 (mariana)",
        "*" => "any",
        _ => return None,
    };
    Some(name.to_owned())
}

fn file_info(file: &OpenFile, name: String) -> FileInfo {
    FileInfo { name, bytes: file.bytes(), kind: file.kind().name().to_owned() }
}

fn header(file: &NeffFile) -> HeaderInfo {
    let raw = file.package().header();
    HeaderInfo {
        pkg_version: raw.pkg_version.get(),
        header_size: raw.header_size.get(),
        data_size: raw.data_size.get(),
        version_major: raw.version_major.get(),
        version_minor: raw.version_minor.get(),
        build_version: raw.build_version_text().into_owned(),
        num_tpb: raw.num_tpb.get(),
        hash: hex_bytes(&raw.hash),
        uuid: raw.uuid_text(),
        name: raw.name_text().into_owned(),
        requested_tpb_count: raw.requested_tpb_count.get(),
        tpb_per_node: raw.tpb_per_node.to_vec(),
        feature_bits: hex(raw.feature_bits.get()),
        features: feature_names(raw.feature_bits.get())
            .into_iter()
            .map(std::borrow::Cow::into_owned)
            .collect(),
        lnc_size: raw.lnc_size.get(),
    }
}

fn digest(digest: &neff::Digest) -> DigestInfo {
    DigestInfo {
        algorithm: digest.algorithm.name().to_owned(),
        stored: hex_bytes(&digest.stored),
        computed: hex_bytes(&digest.computed),
        verdict: digest.verdict().to_owned(),
    }
}

fn subgraph(subgraph: &neff::Subgraph) -> SubgraphInfo {
    SubgraphInfo {
        name: subgraph.name.clone(),
        target: subgraph.target.text.clone(),
        engines: subgraph
            .engines
            .iter()
            .map(|program| EngineInfo {
                engine: program.engine.name().to_owned(),
                slots: program.n_slots(),
                bin: program.bin.clone(),
                trailing_bytes: program.trailing_bytes(),
            })
            .collect(),
    }
}
