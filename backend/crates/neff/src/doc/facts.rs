//! `info.json`, `metrics.json` and `hlo_stats.json`: facts about the build, which loading ignores.

use serde_json::Value;

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Reader};

/// `info.json`: which compiler made the file.
/// Spec: docs/format/documents.md "Facts about the build" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuildInfo {
    /// Compiler version.
    pub tool_version: Option<String>,
    /// `kelp_version`.
    pub kelp_version: Option<String>,
    /// Network name, equal to the header's.
    pub name: Option<String>,
    /// `num_tpb`.
    pub num_tpb: Option<u64>,
    /// `num_tpb_requested`.
    pub num_tpb_requested: Option<u64>,
    /// `num_tpb_per_node`.
    pub num_tpb_per_node: Option<Vec<u64>>,
    /// Unknown keys.
    pub extra: Extra,
}

impl BuildInfo {
    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        Ok(Self {
            tool_version: reader.text(&mut fields, "tool_version"),
            kelp_version: reader.text(&mut fields, "kelp_version"),
            name: reader.text(&mut fields, "name"),
            num_tpb: reader.u64(&mut fields, "num_tpb"),
            num_tpb_requested: reader.u64(&mut fields, "num_tpb_requested"),
            num_tpb_per_node: reader.u64_list(&mut fields, "num_tpb_per_node"),
            extra: reader.rest(fields),
        })
    }
}

/// One number that a compiler reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Name.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Unit; empty in `hlo_stats.json`, which has none.
    pub unit: String,
}

/// Reads `metrics.json`, an array of named values.
pub fn metrics(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Vec<Metric>, NeffError> {
    let Some(items) = node.items() else {
        return Err(NeffError::JsonShape {
            member: reader.member().to_owned(),
            at: node.offset(),
            found: node.kind(),
            expected: "an array of metrics",
        });
    };
    let mut list = Vec::new();
    for item in items {
        let Some(mut fields) = reader.object(item, "a metric") else { continue };
        let name = reader.text(&mut fields, "MetricName").unwrap_or_default();
        let Some(value) = reader.f64(&mut fields, "Value") else { continue };
        let unit = reader.text(&mut fields, "Unit").unwrap_or_default();
        list.push(Metric { name, value, unit });
    }
    Ok(list)
}

/// Reads `hlo_stats.json`, an object of numbers; -1 stands for unknown.
pub fn hlo_stats(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Vec<Metric>, NeffError> {
    let fields = super::document(node, reader)?;
    let mut list = Vec::new();
    for (name, value) in reader.rest(fields) {
        if let Value::Number(number) = &value
            && let Some(value) = number.as_f64()
        {
            list.push(Metric { name, value, unit: String::new() });
        }
    }
    Ok(list)
}
