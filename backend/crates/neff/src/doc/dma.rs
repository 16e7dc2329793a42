//! DMA blocks and their descriptors, decoded when somebody asks for them.

use serde_json::Value;

use crate::diagnostic::Severity;
use crate::json::Node;
use crate::reader::{Extra, Fields, Reader};

/// A block of descriptors that one trigger starts.
/// Spec: docs/format/documents.md "DMA blocks" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DmaBlock {
    /// Offset in the member.
    pub offset: u64,
    /// Queue: `queue`, or `instance_name`.
    pub queue: Option<String>,
    /// Id; a trigger names (queue, id).
    pub id: Option<u32>,
    /// `#comment`: name of the block's record in the DMA debug member.
    pub comment: Option<String>,
    /// Semaphore that the block posts to.
    pub semaphore: Option<u32>,
    /// Descriptors.
    pub descriptors: Vec<DmaDescriptor>,
    /// Other keys (`priority_class`, `function_start`, `section_start_desc`,
    /// `remote_semaphores` among them).
    pub extra: Extra,
}

/// Operation of a descriptor, by its number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DmaOp {
    /// `copy`, or no text.
    Copy,
    /// `fma`.
    Fma,
    /// `add`.
    Add,
    /// `min`.
    Min,
    /// `max`.
    Max,
    /// `transpose`.
    Transpose,
    /// `cast`: a copy between two element types.
    Cast,
    /// Any other text.
    Unknown,
}

impl DmaOp {
    fn parse(text: Option<&str>) -> Self {
        match text {
            None | Some("copy") => Self::Copy,
            Some("fma") => Self::Fma,
            Some("add") => Self::Add,
            Some("min") => Self::Min,
            Some("max") => Self::Max,
            Some("transpose") => Self::Transpose,
            Some("cast") => Self::Cast,
            Some(_) => Self::Unknown,
        }
    }
}

/// One side of a descriptor: a strided range of a variable. Offsets, the innermost size and the
/// steps are bytes; further sizes are counts. Innermost first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DmaSide {
    /// Name of the variable; the first one where several are listed.
    pub variable: String,
    /// Further variables of `from_arr`.
    pub more_variables: Vec<String>,
    /// Byte offset in the variable; 0 is meant where there is none.
    pub offset: Option<u64>,
    /// Sizes.
    pub sizes: Vec<u64>,
    /// Steps in bytes.
    pub steps: Vec<i64>,
    /// Element type.
    pub dtype: Option<String>,
}

/// One descriptor.
#[derive(Clone, Debug, PartialEq)]
pub struct DmaDescriptor {
    /// Offset in the member.
    pub offset: u64,
    /// Operation; a transpose writes none and is known by its `transpose_op`.
    pub op: DmaOp,
    /// Operation as written.
    pub op_text: Option<String>,
    /// Source.
    pub from: DmaSide,
    /// Target.
    pub to: DmaSide,
    /// `num_tiling_dimensions`.
    pub num_tiling_dimensions: Option<u32>,
    /// `transpose_op`, a permutation of dimension letters.
    pub transpose_op: Option<String>,
    /// `transpose_shape`.
    pub transpose_shape: Option<Vec<u64>>,
    /// `transpose_element_size`, bytes.
    pub transpose_element_size: Option<u32>,
    /// `scale`, a number as it is written: no digit is lost.
    pub scale: Option<String>,
    /// `scale_dtype`.
    pub scale_dtype: Option<String>,
    /// `constant`, of any type.
    pub constant: Option<Value>,
    /// `constant_dtype`.
    pub constant_dtype: Option<String>,
    /// Other keys.
    pub extra: Extra,
}

/// Reads an array of blocks. Blocks that are no objects are findings.
pub fn blocks(node: Node<'_>, reader: &mut Reader<'_>) -> Vec<DmaBlock> {
    let items = reader.array(node, "`dma`").unwrap_or_default();
    items.into_iter().filter_map(|item| block(item, reader)).collect()
}

fn block(node: Node<'_>, reader: &mut Reader<'_>) -> Option<DmaBlock> {
    let mut fields = reader.object(node, "a DMA block")?;
    let descriptors = fields
        .take("desc")
        .filter(|node| !node.is_null())
        .and_then(|node| reader.array(node, "`desc`"))
        .unwrap_or_default();
    let queue = reader.text(&mut fields, "queue");
    Some(DmaBlock {
        offset: fields.offset(),
        queue: queue.or_else(|| reader.text(&mut fields, "instance_name")),
        id: reader.u32(&mut fields, "id"),
        comment: reader.text(&mut fields, "#comment"),
        semaphore: reader.u32(&mut fields, "semaphore"),
        descriptors: descriptors.into_iter().filter_map(|node| descriptor(node, reader)).collect(),
        extra: reader.rest(fields),
    })
}

fn descriptor(node: Node<'_>, reader: &mut Reader<'_>) -> Option<DmaDescriptor> {
    let mut fields = reader.object(node, "a descriptor")?;
    let at = fields.offset();
    let op_text = reader.text(&mut fields, "op");
    let transpose_op = reader.text(&mut fields, "transpose_op");
    let op = match DmaOp::parse(op_text.as_deref()) {
        DmaOp::Copy if op_text.is_none() && transpose_op.is_some() => DmaOp::Transpose,
        op => op,
    };
    if op == DmaOp::Unknown {
        let message =
            format!("a descriptor has the unknown op `{}`", op_text.as_deref().unwrap_or(""));
        reader.report(Severity::Error, "dma.op", at, message);
    }
    let keys = ["from", "from_off", "from_sizes", "from_steps", "from_dtype"];
    let mut from = side(&mut fields, keys, reader);
    let mut listed = reader.texts(&mut fields, "from_arr");
    if from.variable.is_empty() && !listed.is_empty() {
        from.variable = listed.remove(0);
    }
    from.more_variables = listed;
    let to = side(&mut fields, ["to", "to_off", "to_sizes", "to_steps", "to_dtype"], reader);
    let ranks = [from.sizes.len(), from.steps.len(), to.sizes.len(), to.steps.len()];
    if ranks.iter().any(|rank| *rank != ranks[0]) {
        let message = format!(
            "a descriptor has {} source sizes, {} source steps, {} target sizes and {} target \
             steps, expected the same number of each",
            ranks[0], ranks[1], ranks[2], ranks[3]
        );
        reader.report(Severity::Warning, "dma.rank", at, message);
    }
    if from.sizes.iter().chain(&to.sizes).any(|size| *size == 0) {
        reader.report(Severity::Warning, "dma.size", at, "a descriptor has a size of 0");
    }
    Some(DmaDescriptor {
        offset: at,
        op,
        op_text,
        from,
        to,
        num_tiling_dimensions: reader.u32(&mut fields, "num_tiling_dimensions"),
        transpose_op,
        transpose_shape: reader.u64_list(&mut fields, "transpose_shape"),
        transpose_element_size: reader.u32(&mut fields, "transpose_element_size"),
        scale: match fields.peek("scale") {
            // A list stays among the unknown keys.
            Some(node) if node.items().is_some() => None,
            _ => reader.number(&mut fields, "scale"),
        },
        scale_dtype: reader.text(&mut fields, "scale_dtype"),
        constant: fields
            .take("constant")
            .filter(|node| !node.is_null())
            .and_then(|node| reader.value(&node)),
        constant_dtype: reader.text(&mut fields, "constant_dtype"),
        extra: reader.rest(fields),
    })
}

fn side(fields: &mut Fields<'_>, keys: [&str; 5], reader: &mut Reader<'_>) -> DmaSide {
    let [variable, offset, sizes, steps, dtype] = keys;
    DmaSide {
        variable: reader.text(fields, variable).unwrap_or_default(),
        more_variables: Vec::new(),
        offset: reader.u64(fields, offset),
        sizes: reader.u64_list(fields, sizes).unwrap_or_default(),
        steps: reader.i64_list(fields, steps).unwrap_or_default(),
        dtype: reader.text(fields, dtype),
    }
}
