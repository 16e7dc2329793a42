//! The document of one engine: `PE.json`, `Activation.json` and so on.
//!
//! Opening a NEFF reads only this head; the DMA blocks are decoded when somebody asks.

use serde_json::Value;

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Fields, Reader};

/// An engine's document without its DMA blocks.
/// Spec: docs/format/documents.md "Engine documents" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineDocument {
    /// `name`, usually the file's own name.
    pub name: Option<String>,
    /// Name of the instruction stream, relative to the subgraph's folder.
    pub instr: Option<String>,
    /// Name of the activation catalog.
    pub act_info: Option<String>,
    /// `act_semaphore`.
    pub act_semaphore: Option<u32>,
    /// Names of the activation sets in use.
    pub activation_function_sets: Vec<String>,
    /// Sets that older descriptions give as objects instead of names.
    pub activation_set_objects: Vec<Value>,
    /// Tables of the DVE.
    pub dve_tables: Vec<DveTables>,
    /// Where the array of DMA blocks is; `None` if the key is absent.
    pub dma: Option<Span>,
    /// Unknown keys.
    pub extra: Extra,
}

/// A range of a member's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Names of the DVE's tables, relative to the subgraph's folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DveTables {
    /// `opcode_table`.
    pub opcode: Option<String>,
    /// `datapath_table`.
    pub datapath: Option<String>,
    /// `control_table`, sunda.
    pub control: Option<String>,
    /// `control_fast_table`, cayman.
    pub control_fast: Option<String>,
    /// `control_slow_table`, cayman.
    pub control_slow: Option<String>,
    /// Unknown keys.
    pub extra: Extra,
}

impl DveTables {
    /// The names that are there.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.opcode, &self.datapath, &self.control, &self.control_fast, &self.control_slow]
            .into_iter()
            .filter_map(|name| name.as_deref())
    }
}

impl EngineDocument {
    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        let dma = fields
            .take("dma")
            .filter(|node| !node.is_null())
            .map(|node| Span { offset: node.offset(), bytes: node.text().len() as u64 });
        let (names, objects) = activation_sets(&mut fields, reader);
        Ok(Self {
            name: reader.text(&mut fields, "name"),
            instr: reader.text(&mut fields, "instr"),
            act_info: reader.text(&mut fields, "act_info"),
            act_semaphore: reader.u32(&mut fields, "act_semaphore"),
            activation_function_sets: names,
            activation_set_objects: objects,
            dve_tables: dve_tables(&mut fields, reader),
            dma,
            extra: reader.rest(fields),
        })
    }
}

fn activation_sets(fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> (Vec<String>, Vec<Value>) {
    let (mut names, mut objects) = (Vec::new(), Vec::new());
    let key = "activation_function_sets";
    let Some(node) = fields.take(key).filter(|node| !node.is_null()) else {
        return (names, objects);
    };
    for item in reader.array(node, "`activation_function_sets`").unwrap_or_default() {
        match item.as_text() {
            Some(name) => names.push(name.into_owned()),
            None if item.text().starts_with('{') => objects.extend(reader.value(&item)),
            None => reader.wrong(&item, "an activation set", "a name or an object"),
        }
    }
    (names, objects)
}

/// An array of objects in real files, a bare object in older descriptions.
fn dve_tables(fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> Vec<DveTables> {
    let Some(node) = fields.take("dve_tables").filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    let items = match node.items() {
        Some(items) => items,
        None => vec![node],
    };
    let mut list = Vec::new();
    for item in items {
        let Some(mut item) = reader.object(item, "an entry of `dve_tables`") else { continue };
        list.push(DveTables {
            opcode: reader.text(&mut item, "opcode_table"),
            datapath: reader.text(&mut item, "datapath_table"),
            control: reader.text(&mut item, "control_table"),
            control_fast: reader.text(&mut item, "control_fast_table"),
            control_slow: reader.text(&mut item, "control_slow_table"),
            extra: reader.rest(item),
        });
    }
    list
}
