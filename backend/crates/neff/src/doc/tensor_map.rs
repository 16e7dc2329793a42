//! `tensor_map.json`: what the framework calls each tensor. The files it names are mostly absent
//! and no loader opens them.

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Reader};

/// One tensor of the map.
/// Spec: docs/format/documents.md "tensor_map.json" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MappedTensor {
    /// Name: a variable's name.
    pub name: String,
    /// Offset in the member.
    pub offset: u64,
    /// Element type.
    pub dtype: Option<String>,
    /// Whether it is a constant.
    pub is_const: Option<bool>,
    /// `input` or `output`; absent for constants.
    pub kind: Option<String>,
    /// Name of the layer.
    pub layer_name: Option<String>,
    /// Letters of the device dimensions.
    pub sim_format: Option<String>,
    /// Device dimensions.
    pub sim_shape: Option<Vec<u64>>,
    /// Letters of the framework's dimensions.
    pub tf_format: Option<String>,
    /// The framework's dimensions.
    pub tf_shape: Option<Vec<u64>>,
    /// File with the values.
    pub tf_file: Option<String>,
    /// Other keys (`split_axis`, `split_indices_or_sections`, `split_npys` among them).
    pub extra: Extra,
}

/// Reads the document. Fails only if it is no object.
pub fn tensor_map(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Vec<MappedTensor>, NeffError> {
    if !node.text().starts_with('{') {
        return Err(NeffError::JsonShape {
            member: reader.member().to_owned(),
            at: node.offset(),
            found: node.kind(),
            expected: "an object keyed by tensor name",
        });
    }
    let mut list = Vec::new();
    for (name, node) in reader.named(node, "the document") {
        let Some(mut fields) = reader.object(node, &format!("tensor `{name}`")) else { continue };
        list.push(MappedTensor {
            name,
            offset: fields.offset(),
            dtype: reader.text(&mut fields, "dtype"),
            is_const: reader.bool(&mut fields, "is_const"),
            kind: reader.text(&mut fields, "kind"),
            layer_name: reader.text(&mut fields, "layer_name"),
            sim_format: reader.text(&mut fields, "sim_format"),
            sim_shape: reader.u64_list(&mut fields, "sim_shape"),
            tf_format: reader.text(&mut fields, "tf_format"),
            tf_shape: reader.u64_list(&mut fields, "tf_shape"),
            tf_file: reader.text(&mut fields, "tf_file"),
            extra: reader.rest(fields),
        });
    }
    Ok(list)
}
