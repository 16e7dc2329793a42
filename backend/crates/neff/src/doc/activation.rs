//! `act_info.json` and the documents of activation sets.

use serde_json::Value;

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Fields, Reader};

/// The catalog of activation sets: all that the compiler knows, of which the archive holds only
/// those in use.
/// Spec: docs/format/documents.md "Activation sets" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActInfo {
    /// `pwp_file_keys`.
    pub file_keys: Vec<String>,
    /// Sets.
    pub sets: Vec<ActSetEntry>,
    /// Unknown keys.
    pub extra: Extra,
}

/// One set of the catalog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActSetEntry {
    /// Name.
    pub name: Option<String>,
    /// Bucket file.
    pub bkt_bin: Option<String>,
    /// Control file.
    pub ctrl_bin: Option<String>,
    /// Document of the set.
    pub profile_json: Option<String>,
    /// Functions with their number of points.
    pub functions: Vec<(String, u64)>,
    /// Unknown keys.
    pub extra: Extra,
}

impl ActInfo {
    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        let file_keys = reader.texts(&mut fields, "pwp_file_keys");
        let items = fields
            .take("act_func_sets")
            .and_then(|node| reader.array(node, "`act_func_sets`"))
            .unwrap_or_default();
        let mut sets = Vec::new();
        for item in items {
            let Some(mut set) = reader.object(item, "an activation set") else { continue };
            sets.push(ActSetEntry {
                name: reader.text(&mut set, "name"),
                bkt_bin: reader.text(&mut set, "bkt_bin"),
                ctrl_bin: reader.text(&mut set, "ctrl_bin"),
                profile_json: reader.text(&mut set, "profile_json"),
                functions: numbers_by_name(&mut set, "act", reader),
                extra: reader.rest(set),
            });
        }
        Ok(Self { file_keys, sets, extra: reader.rest(fields) })
    }

    /// The set of a name.
    pub fn set(&self, name: &str) -> Option<&ActSetEntry> {
        self.sets.iter().find(|set| set.name.as_deref() == Some(name))
    }
}

/// The document of one activation set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActSet {
    /// Bucket file.
    pub bkt_bin: Option<String>,
    /// Control file.
    pub ctl_bin: Option<String>,
    /// Entries of the bucket file, 32 bytes each.
    pub bkt_entry_cnt: Option<u64>,
    /// Entries of the control file, 32 bytes each.
    pub ctl_entry_cnt: Option<u64>,
    /// Profile of each function.
    pub profiles: Vec<ActProfile>,
    /// First bucket of each function.
    pub func_to_bkt_start_idx: Vec<(String, u64)>,
    /// First control entry of each function.
    pub func_to_ctl_start_idx: Vec<(String, u64)>,
    /// First bucket by function and exponent: one number, or one for each sign.
    pub func_exp_to_bkt_start_idx: Vec<ExponentIndex>,
    /// First control entry by function and exponent.
    pub func_exp_to_ctl_start_idx: Vec<ExponentIndex>,
    /// Unknown keys.
    pub extra: Extra,
}

/// Where the entries of one function start, for each exponent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExponentIndex {
    /// Name of the function.
    pub function: String,
    /// Exponent, and the first entry: one number, or one for each sign (negative, positive).
    pub exponents: Vec<(i64, Vec<u64>)>,
}

/// Profile of one activation function. Thresholds and results are bit patterns of 32-bit floating
/// point numbers, written as integers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActProfile {
    /// Offset in the member.
    pub offset: u64,
    /// `func_name`.
    pub func_name: Option<String>,
    /// `func_id`.
    pub func_id: Option<u32>,
    /// All other whole numbers by their key, in file order; truth values are 0 and 1.
    pub values: Vec<(String, i128)>,
    /// What is no whole number.
    pub extra: Extra,
}

impl ActProfile {
    /// A value by its key.
    pub fn value(&self, key: &str) -> Option<i128> {
        self.values.iter().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

impl ActSet {
    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        let profiles = fields
            .take("profile_meta_data")
            .and_then(|node| reader.array(node, "`profile_meta_data`"))
            .unwrap_or_default();
        Ok(Self {
            bkt_bin: reader.text(&mut fields, "bkt_bin"),
            ctl_bin: reader.text(&mut fields, "ctl_bin"),
            bkt_entry_cnt: reader.u64(&mut fields, "bkt_entry_cnt"),
            ctl_entry_cnt: reader.u64(&mut fields, "ctl_entry_cnt"),
            profiles: profiles.into_iter().filter_map(|node| profile(node, reader)).collect(),
            func_to_bkt_start_idx: numbers_by_name(&mut fields, "func_to_bkt_start_idx", reader),
            func_to_ctl_start_idx: numbers_by_name(&mut fields, "func_to_ctl_start_idx", reader),
            func_exp_to_bkt_start_idx: by_exponent(
                &mut fields,
                "func_exp_to_bkt_start_idx",
                reader,
            ),
            func_exp_to_ctl_start_idx: by_exponent(
                &mut fields,
                "func_exp_to_ctl_start_idx",
                reader,
            ),
            extra: reader.rest(fields),
        })
    }
}

fn profile(node: Node<'_>, reader: &mut Reader<'_>) -> Option<ActProfile> {
    let mut fields = reader.object(node, "an activation profile")?;
    let mut profile = ActProfile {
        offset: fields.offset(),
        func_name: reader.text(&mut fields, "func_name"),
        func_id: reader.u32(&mut fields, "func_id"),
        ..ActProfile::default()
    };
    for (key, value) in reader.rest(fields) {
        let number = match &value {
            Value::Bool(flag) => Some(i128::from(*flag)),
            Value::Number(number) => {
                number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from))
            }
            _ => None,
        };
        match number {
            Some(number) => profile.values.push((key, number)),
            None => {
                profile.extra.insert(key, value);
            }
        }
    }
    Some(profile)
}

fn numbers_by_name(
    fields: &mut Fields<'_>,
    key: &str,
    reader: &mut Reader<'_>,
) -> Vec<(String, u64)> {
    let mut list = Vec::new();
    let Some(node) = fields.take(key).filter(|node| !node.is_null()) else { return list };
    for (name, node) in reader.named(node, &format!("`{key}`")) {
        match node.as_u64() {
            Some(number) => list.push((name, number)),
            None => reader.wrong(&node, &format!("`{name}` of `{key}`"), "a number"),
        }
    }
    list
}

fn by_exponent(fields: &mut Fields<'_>, key: &str, reader: &mut Reader<'_>) -> Vec<ExponentIndex> {
    let mut list = Vec::new();
    let Some(node) = fields.take(key).filter(|node| !node.is_null()) else { return list };
    for (name, node) in reader.named(node, &format!("`{key}`")) {
        let mut exponents = Vec::new();
        for (exponent, node) in reader.named(node, &format!("`{name}` of `{key}`")) {
            let numbers = node
                .items()
                .and_then(|items| items.iter().map(|item| item.as_u64()).collect::<Option<_>>());
            match (exponent.parse(), numbers) {
                (Ok(exponent), Some(numbers)) => exponents.push((exponent, numbers)),
                _ => reader.wrong(
                    &node,
                    &format!("exponent `{exponent}` of `{name}` of `{key}`"),
                    "an array of numbers under a whole number",
                ),
            }
        }
        list.push(ExponentIndex { function: name, exponents });
    }
    list
}
