//! The JSON documents of a NEFF as typed values.
//!
//! Every document keeps what it does not know in `extra`, in file order, and tolerates what real
//! files lack. Values of the wrong type are findings; the rest of the document is kept.

pub mod graph;
pub mod kelf;
pub mod variable;
pub mod queue;
pub mod definition;
pub mod engine;
pub mod dma;
pub mod tensor_map;
pub mod activation;
pub mod facts;
pub mod ucode;

pub use activation::{ActInfo, ActProfile, ActSet, ActSetEntry, ExponentIndex};
pub use definition::{Carveout, Definition, EngineFiles, Fp8Conversion};
pub use dma::{DmaBlock, DmaDescriptor, DmaOp, DmaSide};
pub use engine::{DveTables, EngineDocument, Span};
pub use facts::{BuildInfo, Metric};
pub use graph::{GraphNode, HostGraph};
pub use kelf::{Graph, Kelf};
pub use queue::{DynamicDma, Queue, RingType};
pub use tensor_map::MappedTensor;
pub use ucode::{ExtIsaLibrary, UcodeFunction, UcodeManifest};
pub use variable::{VarKind, Variable};

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Fields, Reader};

/// The fields of a whole document, which has to be an object.
fn document<'a>(node: Node<'a>, reader: &mut Reader<'_>) -> Result<Fields<'a>, NeffError> {
    let shape = NeffError::JsonShape {
        member: reader.member().to_owned(),
        at: node.offset(),
        found: node.kind(),
        expected: "an object",
    };
    if !node.text().starts_with('{') {
        return Err(shape);
    }
    reader.object(node, "the document").ok_or(shape)
}
