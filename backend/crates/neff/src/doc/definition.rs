//! `def.json`: the catalog of one subgraph.

use records::Engine;
use serde_json::Value;

use super::queue::Queue;
use super::variable::{VarKind, Variable};
use crate::diagnostic::Severity;
use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Fields, Reader};

/// The catalog of one subgraph. Lists are in file order.
/// Spec: docs/format/documents.md "def.json" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// `name`, usually `definition`.
    pub name: Option<String>,
    /// `version`, informative.
    pub version: Option<String>,
    /// `git_version`, informative.
    pub git_version: Option<String>,
    /// `debug_info`, informative.
    pub debug_info: Option<Value>,
    /// Files of each engine, in order PE ACT POOL DVE SP.
    pub engines: [EngineFiles; 5],
    /// Debug members of the DMA blocks.
    pub dma_debug: Vec<String>,
    /// Whether the document was read; if not, nothing can be said about its keys.
    pub is_read: bool,
    /// Whether it has a table of variables.
    pub has_variables: bool,
    /// Variables.
    pub variables: Vec<Variable>,
    /// Entries of the table of variables that could not be read as one, or that the limits left out;
    /// 1 for a table that is none.
    pub unread_variables: u64,
    /// DMA queues.
    pub queues: Vec<Queue>,
    /// Collective groups: topology, group, ranks. A file that leaves out the topology level has
    /// one.
    pub replica_groups: Vec<Vec<Vec<u32>>>,
    /// Indices of topologies that could not be read; they are empty in `replica_groups`.
    pub unread_groups: Vec<usize>,
    /// Send and receive pairs, as written.
    pub src_target_pairs: Option<Value>,
    /// Micro-code library: a manifest's name, or the manifest.
    pub ucode_lib: Option<Value>,
    /// Default library of the extended instruction set.
    pub ext_isa_ucode_lib_def: Option<Value>,
    /// Reserved areas of the state buffer; `None` if the key is absent.
    pub carveouts: Option<Vec<Carveout>>,
    /// Streams of collectives; `None` if absent.
    pub num_streams: Option<u64>,
    /// Conversion of 8-bit floating point numbers; `None` if absent.
    pub fp8: Option<Fp8Conversion>,
    /// Names of features.
    pub features: Vec<String>,
    /// Events that the runtime keeps for itself.
    pub runtime_event_count: Option<u64>,
    /// Semaphores that the runtime keeps for itself.
    pub runtime_semaphore_count: Option<u64>,
    /// `#rank_world_size`.
    pub rank_world_size: Option<u64>,
    /// DMA blocks at graph level, as written; [`super::dma::blocks`] reads such arrays.
    pub dma: Option<Value>,
    /// Unknown keys.
    pub extra: Extra,
}

/// Files of one engine, relative to the subgraph's folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineFiles {
    /// Engine document.
    pub json: Option<String>,
    /// Instruction stream, as the compiler notes it here; the engine document's own note counts.
    pub instr: Option<String>,
    /// Debug members of the stream's instructions.
    pub debug: Vec<String>,
    /// Debug members of the stream's slots.
    pub asm_debug: Vec<String>,
}

/// A reserved area of the state buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Carveout {
    /// Offset in the member.
    pub at: u64,
    /// Type text, `evtaccel`.
    pub kind: Option<String>,
    /// Byte offset in a partition.
    pub offset: Option<u64>,
    /// Bytes in a partition.
    pub size: Option<u64>,
    /// First partition.
    pub base_partition: Option<u64>,
    /// Number of partitions.
    pub partitions: Option<u64>,
    /// Unknown keys.
    pub extra: Extra,
}

/// How 8-bit floating point numbers are converted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fp8Conversion {
    /// Offset in the member.
    pub at: u64,
    /// `fp8_range_extension`.
    pub range_extension: Option<bool>,
    /// `ocp_sat`.
    pub ocp_sat: Option<bool>,
    /// `fp8_sis`.
    pub sis: Option<bool>,
    /// `fp8_sns`.
    pub sns: Option<bool>,
    /// `emax_fp8_e4m3`.
    pub emax_e4m3: Option<i64>,
    /// `emax_fp8_e5m2`.
    pub emax_e5m2: Option<i64>,
    /// Unknown keys.
    pub extra: Extra,
}

impl Definition {
    /// Files of an engine.
    pub fn engine(&self, engine: Engine) -> &EngineFiles {
        engine.of(&self.engines)
    }

    /// The variable of an id, by a linear search.
    pub fn variable(&self, var_id: u32) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.var_id == Some(var_id))
    }

    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        let mut definition = Self {
            name: reader.text(&mut fields, "name"),
            version: reader.text(&mut fields, "version"),
            git_version: reader.text(&mut fields, "git_version"),
            debug_info: value(&mut fields, "debug_info", reader),
            engines: Engine::ALL.map(|engine| engine_files(engine, &mut fields, reader)),
            dma_debug: reader.texts(&mut fields, "dma_dbg"),
            is_read: true,
            ..Self::default()
        };
        if let Some(node) = fields.take("var") {
            definition.has_variables = !node.is_null();
            let (named, entries) = reader.named_of(node, "`var`");
            definition.variables = named
                .into_iter()
                .filter_map(|(name, node)| Variable::read(name, node, reader))
                .collect();
            let read = definition.variables.len();
            definition.unread_variables = entries.saturating_sub(read) as u64;
        }
        if let Some(node) = fields.take("dma_queue") {
            definition.queues = reader
                .named(node, "`dma_queue`")
                .into_iter()
                .filter_map(|(name, node)| Queue::read(name, node, reader))
                .collect();
        }
        (definition.replica_groups, definition.unread_groups) = replica_groups(&mut fields, reader);
        definition.src_target_pairs = value(&mut fields, "src_target_pairs", reader);
        definition.ucode_lib = value(&mut fields, "ucode_lib", reader);
        definition.ext_isa_ucode_lib_def = value(&mut fields, "ext_isa_ucode_lib_def", reader);
        definition.dma = value(&mut fields, "dma", reader);
        definition.carveouts = carveouts(&mut fields, reader);
        definition.num_streams = num_streams(&mut fields, reader);
        definition.fp8 = fp8(&mut fields, reader);
        definition.features = reader.texts(&mut fields, "neff_features");
        definition.runtime_event_count = reader.u64(&mut fields, "runtime_event_count");
        definition.runtime_semaphore_count = reader.u64(&mut fields, "runtime_semaphore_count");
        definition.rank_world_size = reader.u64(&mut fields, "#rank_world_size");
        definition.check(fields.offset(), reader);
        definition.extra = reader.rest(fields);
        Ok(definition)
    }

    /// The loader's own checks over the variable table.
    fn check(&self, at: u64, reader: &mut Reader<'_>) {
        let mut ids: Vec<u32> = self.variables.iter().filter_map(|var| var.var_id).collect();
        ids.sort_unstable();
        let dense = ids.iter().enumerate().all(|(index, id)| index as u64 == u64::from(*id));
        if !self.variables.is_empty() && ids.is_empty() {
            let message = "no variable has an id; files of the first generation are like this";
            reader.report(Severity::Info, "var.no-ids", at, message);
        } else if !dense || ids.len() != self.variables.len() {
            let message = format!(
                "variable ids are not 0 to {}, each once; a loader refuses this",
                self.variables.len().saturating_sub(1)
            );
            reader.report(Severity::Error, "var.ids", at, message);
        }
        if !self.variables.iter().any(|variable| variable.kind == VarKind::Output) {
            let message = "no variable is an output; a loader refuses this";
            reader.report(Severity::Warning, "var.no-output", at, message);
        }
    }
}

fn engine_files(engine: Engine, fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> EngineFiles {
    let key = engine.key();
    EngineFiles {
        json: reader.text(fields, key),
        instr: reader.text(fields, &format!("{key}_instr")),
        debug: reader.texts(fields, &format!("{key}_dbg")),
        asm_debug: reader.texts(fields, &format!("{key}_asm_dbg")),
    }
}

fn value(fields: &mut Fields<'_>, key: &str, reader: &mut Reader<'_>) -> Option<Value> {
    fields.take(key).filter(|node| !node.is_null()).and_then(|node| reader.value(&node))
}

/// Topology, group, ranks, and which topologies could not be read; where the innermost level is
/// missing, one topology is meant. What could not be read stays among the unknown keys.
fn replica_groups(
    fields: &mut Fields<'_>,
    reader: &mut Reader<'_>,
) -> (Vec<Vec<Vec<u32>>>, Vec<usize>) {
    const EXPECTED: &str = "nested arrays of rank numbers";
    let Some(node) = fields.peek("replica_groups").filter(|node| !node.is_null()) else {
        return Default::default();
    };
    let ranks = |node: &Node<'_>| -> Option<Vec<u32>> {
        node.items()?.iter().map(|rank| rank.as_u64()?.try_into().ok()).collect()
    };
    let topology =
        |node: &Node<'_>| node.items()?.iter().map(ranks).collect::<Option<Vec<Vec<u32>>>>();
    let has = |node: &Node<'_>, arrays: bool| {
        node.items().is_some_and(|all| all.iter().any(|one| is_array(one) == arrays))
    };
    let is_flat = |outer: &[Node<'_>]| {
        outer.iter().any(|node| has(node, false)) && !outer.iter().any(|node| has(node, true))
    };
    let Some(outer) = node.items().filter(|outer| !is_flat(outer)) else {
        let Some(one) = topology(&node) else {
            reader.wrong(&node, "`replica_groups`", EXPECTED);
            return Default::default();
        };
        fields.take("replica_groups");
        return (vec![one], Vec::new());
    };
    let mut unread = Vec::new();
    let sets: Vec<Vec<Vec<u32>>> = outer
        .iter()
        .enumerate()
        .map(|(index, node)| {
            topology(node).unwrap_or_else(|| {
                unread.push(index);
                reader.wrong(node, &format!("topology {index} of `replica_groups`"), EXPECTED);
                Vec::new()
            })
        })
        .collect();
    if unread.is_empty() {
        fields.take("replica_groups");
    }
    if unread.len() == sets.len() { (Vec::new(), Vec::new()) } else { (sets, unread) }
}

fn is_array(node: &Node<'_>) -> bool {
    node.text().starts_with('[')
}

fn carveouts(fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> Option<Vec<Carveout>> {
    let key = "runtime_statebuffer_reservation";
    let node = fields.peek(key).filter(|node| !node.is_null())?;
    // What is no array stays among the unknown keys.
    let items = reader.array(node, "`runtime_statebuffer_reservation`")?;
    fields.take(key);
    let mut list = Vec::new();
    for item in items {
        let Some(mut item) = reader.object(item, "a state-buffer reservation") else { continue };
        list.push(Carveout {
            at: item.offset(),
            kind: reader.text(&mut item, "type"),
            offset: reader.u64(&mut item, "offset"),
            size: reader.u64(&mut item, "size"),
            base_partition: reader.u64(&mut item, "base_partition"),
            partitions: reader.u64(&mut item, "partitions"),
            extra: reader.rest(item),
        });
    }
    Some(list)
}

/// Written as `cc_streams.num_streams`, `num_streams` or `cc_stream`.
fn num_streams(fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> Option<u64> {
    let nested = fields.peek("cc_streams").and_then(|node| reader.object(node, "`cc_streams`"));
    if let Some(mut nested) = nested {
        let number = reader.u64(&mut nested, "num_streams");
        if reader.rest(nested).is_empty() {
            fields.take("cc_streams");
        }
        return number;
    }
    reader.u64(fields, "num_streams").or_else(|| reader.u64(fields, "cc_stream"))
}

fn fp8(fields: &mut Fields<'_>, reader: &mut Reader<'_>) -> Option<Fp8Conversion> {
    let node = fields.peek("fp8_conversion_config").filter(|node| !node.is_null())?;
    // What is no object stays among the unknown keys.
    let own = reader.object(node, "`fp8_conversion_config`")?;
    fields.take("fp8_conversion_config");
    let mut fields = own;
    Some(Fp8Conversion {
        at: fields.offset(),
        range_extension: reader.bool(&mut fields, "fp8_range_extension"),
        ocp_sat: reader.bool(&mut fields, "ocp_sat"),
        sis: reader.bool(&mut fields, "fp8_sis"),
        sns: reader.bool(&mut fields, "fp8_sns"),
        emax_e4m3: reader.i64(&mut fields, "emax_fp8_e4m3"),
        emax_e5m2: reader.i64(&mut fields, "emax_fp8_e5m2"),
        extra: reader.rest(fields),
    })
}
