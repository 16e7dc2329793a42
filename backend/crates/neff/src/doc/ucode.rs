//! Manifests of micro-code libraries, and the extended instruction set's default library.

use crate::json::Node;
use crate::reader::{Extra, Fields, Reader};

/// A micro-code library as its manifest describes it.
/// Spec: docs/format/documents.md "Micro-code libraries" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UcodeManifest {
    /// Member of the manifest; the definition if it stands there.
    pub member: String,
    /// Offset in that member; 0 for a manifest inside the definition.
    pub offset: u64,
    /// Member with the library, relative to the subgraph's folder.
    pub library: Option<String>,
    /// `ulib_to_ucode_version`.
    pub version: Option<String>,
    /// `opcode`; -123 stands for 0x85.
    pub opcode: Option<i64>,
    /// `cpu_id`.
    pub cpu_id: Option<u64>,
    /// `total_cpus`.
    pub total_cpus: Option<u64>,
    /// Functions.
    pub functions: Vec<UcodeFunction>,
    /// Unknown keys.
    pub extra: Extra,
}

/// A function of a library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UcodeFunction {
    /// Offset in the member that holds it.
    pub offset: u64,
    /// Name.
    pub name: String,
    /// Operation code.
    pub opcode: Option<u64>,
    /// Further operation code.
    pub sub_opcode: Option<u64>,
    /// Unknown keys, and values of the wrong type.
    pub extra: Extra,
}

/// The default library of the extended instruction set, as the definition asks for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtIsaLibrary {
    /// `add_lib`.
    pub add_lib: Option<bool>,
    /// Functions.
    pub functions: Vec<UcodeFunction>,
}

fn manifest(fields: Fields<'_>, reader: &mut Reader<'_>) -> UcodeManifest {
    let mut fields = fields;
    UcodeManifest {
        member: reader.member().to_owned(),
        offset: fields.offset(),
        library: reader.text(&mut fields, "library"),
        version: reader.text(&mut fields, "ulib_to_ucode_version"),
        opcode: reader.i64(&mut fields, "opcode"),
        cpu_id: reader.u64(&mut fields, "cpu_id"),
        total_cpus: reader.u64(&mut fields, "total_cpus"),
        functions: functions(&mut fields, reader),
        extra: reader.rest(fields),
    }
}

/// Objects with a name, or bare names.
fn functions(fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> Vec<UcodeFunction> {
    let Some(node) = fields.take("functions").filter(|node| !node.is_null()) else {
        return Vec::new();
    };
    let mut list = Vec::new();
    for item in reader.array(node, "`functions`").unwrap_or_default() {
        if let Some(name) = item.as_text() {
            let (offset, name) = (item.offset(), name.into_owned());
            list.push(UcodeFunction { offset, name, ..UcodeFunction::default() });
            continue;
        }
        let Some(mut item) = reader.object(item, "a function") else { continue };
        list.push(UcodeFunction {
            offset: item.offset(),
            name: reader.text(&mut item, "name").unwrap_or_default(),
            opcode: reader.u64(&mut item, "opcode"),
            sub_opcode: reader.u64(&mut item, "sub_opcode"),
            extra: reader.rest(item),
        });
    }
    list
}

/// The manifests of a document: one, or an array of them.
pub fn manifests(node: Node<'_>, reader: &mut Reader<'_>) -> Vec<UcodeManifest> {
    let items = match node.items() {
        Some(items) => items,
        None => vec![node],
    };
    let objects = items.into_iter().filter_map(|item| {
        let fields = reader.object(item, "a library manifest")?;
        Some(manifest(fields, reader))
    });
    objects.collect()
}

/// What a definition says about the default library.
pub fn ext_isa_library(node: Node<'_>, reader: &mut Reader<'_>) -> Option<ExtIsaLibrary> {
    let mut fields = reader.object(node, "`ext_isa_ucode_lib_def`")?;
    Some(ExtIsaLibrary {
        add_lib: reader.bool(&mut fields, "add_lib"),
        functions: functions(&mut fields, reader),
    })
}
