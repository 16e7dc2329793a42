//! Stage "identify": functions and blocks of an engine stream.
//!
//! A stream is cut into functions by FUNCTION_BEGIN records and into blocks by labels. Function 0
//! is MAIN and needs no begin record.
//! Spec: docs/format/image.md "Functions and blocks" [observed].

use std::collections::BTreeMap;
use std::ops::Range;

use neff::{Findings, Place, Severity};
use records::Slot;

use crate::layout::SLOT;
use crate::program::Program;

/// Pseudo opcodes that the image builder knows. Any opcode with the top bits 110 is a pseudo.
/// Spec: docs/format/image.md "Expansion" [observed].
pub mod op {
    /// DMA trigger by queue name and block id.
    pub const DMA_TRIGGER: u8 = 0xC1;
    /// Rearm of a queue by name.
    pub const DMA_REARM: u8 = 0xC2;
    /// Barrier of DMA metadata.
    pub const DMA_BARRIER: u8 = 0xC3;
    /// All-reduce trigger of the older form.
    pub const ALL_REDUCE: u8 = 0xC7;
    /// Collective trigger.
    pub const COLLECTIVE: u8 = 0xC8;
    /// Embedding update.
    pub const EMBEDDING_UPDATE: u8 = 0xCA;
    /// Send or receive.
    pub const SEND_RECV: u8 = 0xCB;
    /// Branch label.
    pub const LABEL: u8 = 0xCC;
    /// Tensor store.
    pub const TENSOR_STORE: u8 = 0xCD;
    /// Tensor load.
    pub const TENSOR_LOAD: u8 = 0xCE;
    /// Start of a function.
    pub const FUNCTION_BEGIN: u8 = 0xD1;
    /// Return from a function.
    pub const FUNCTION_RETURN: u8 = 0xD2;
    /// Call of a function by name.
    pub const FUNCTION_CALL: u8 = 0xD3;
    /// Barrier of the five engines.
    pub const SYNC_BARRIER: u8 = 0xD5;
    /// Barrier with the peer core.
    pub const CORE_BARRIER: u8 = 0xD8;
    /// Collective trigger with an extension record.
    pub const COLLECTIVE2: u8 = 0xD9;
    /// Extension of the record before it.
    pub const EXTENSION: u8 = 0xDA;
    /// Prefetch hint for a branch.
    pub const BRANCH_PREFETCH: u8 = 0xDD;
    /// Instruction with a sub code; 1 leaves the program.
    pub const INSTRUCTION: u8 = 0xDF;
    /// Conditional or unconditional branch; no pseudo.
    pub const BRANCH: u8 = 0xA9;

    /// Whether an opcode is a pseudo of the runtime: 0xC0 to 0xDF.
    pub const fn is_pseudo(opcode: u8) -> bool {
        opcode >> 5 == 6
    }

    /// Whether an opcode starts a collective operation.
    pub const fn is_collective(opcode: u8) -> bool {
        matches!(opcode, ALL_REDUCE | COLLECTIVE | SEND_RECV | COLLECTIVE2)
    }
}

/// Calls of unknown names that one stream lists before it only counts them.
const CALLS_LISTED: u64 = 100;
/// Longest function name in a record, in bytes.
const NAME_BYTES: Range<usize> = 0x0C..0x30;

/// A function of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// 0 for MAIN, then by appearance.
    pub id: u32,
    /// Name; empty for MAIN.
    pub name: String,
    /// Its records as stream slots, the begin record included.
    pub records: Range<u32>,
    /// Whether a return resets the semaphores.
    pub reset_semaphores: bool,
    /// Register of the low half of the return address.
    pub return_low: u8,
    /// Register of the high half.
    pub return_high: u8,
    /// Its blocks in order; they tile the records.
    pub blocks: Vec<Block>,
}

/// A block of a function: records from one label to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Function that it belongs to.
    pub function: u32,
    /// Number in its function, from 0.
    pub id: u32,
    /// Number among the blocks of the stream that trigger a collective operation, from 0; `None`
    /// for a block without one.
    pub collective_id: Option<u32>,
    /// Its records as stream slots, the label included.
    pub records: Range<u32>,
}

impl Block {
    /// Whether it triggers a collective operation.
    pub const fn has_collectives(&self) -> bool {
        self.collective_id.is_some()
    }

    /// First byte in the stream.
    pub const fn begin_offset(&self) -> u64 {
        self.records.start as u64 * SLOT
    }

    /// One past the last byte in the stream.
    pub const fn end_offset(&self) -> u64 {
        self.records.end as u64 * SLOT
    }

    fn at(function: u32, id: u32, start: u32) -> Self {
        Self { function, id, collective_id: None, records: start..start }
    }
}

/// Function table of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Functions {
    /// At least MAIN; by id.
    pub list: Vec<Function>,
    /// Number of blocks that trigger a collective operation.
    pub collective_blocks: u32,
    /// Whether the stream leaves the program explicitly.
    pub explicit_exit: bool,
    /// Function index by name; the first of a name counts.
    by_name: BTreeMap<String, usize>,
}

impl Functions {
    /// MAIN.
    pub fn main(&self) -> Option<&Function> {
        self.list.first()
    }

    /// Index of the function with a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Finds functions and blocks. A function name that comes twice and a call of an unknown name
    /// are findings.
    pub fn identify(program: Program<'_>, findings: &mut Findings) -> Self {
        let slots = program.slots;
        let mut all = Self {
            list: Vec::new(),
            collective_blocks: 0,
            explicit_exit: false,
            by_name: BTreeMap::new(),
        };
        let mut current = Function {
            id: 0,
            name: String::new(),
            records: 0..0,
            reset_semaphores: false,
            return_low: 0,
            return_high: 0,
            blocks: Vec::new(),
        };
        let mut block = Block::at(0, 0, 0);
        let mut calls = Vec::new();
        for (at, slot) in (0_u32..).zip(slots) {
            match slot.opcode_byte() {
                op::FUNCTION_BEGIN => {
                    let id = current.id + 1;
                    let next = function_of(slot, id, at);
                    all.close(std::mem::replace(&mut current, next), block, at);
                    block = Block::at(id, 0, at);
                    all.enter_name(&current, program, findings);
                    check_name(slot, program.place(at), findings);
                }
                op::LABEL => {
                    block.records.end = at;
                    let next = Block::at(current.id, block.id + 1, at);
                    current.blocks.push(std::mem::replace(&mut block, next));
                }
                op::FUNCTION_CALL => calls.push(at),
                op::INSTRUCTION if slot.u8_at(0x0C) == 1 => all.explicit_exit = true,
                opcode if op::is_collective(opcode) && !block.has_collectives() => {
                    block.collective_id = Some(all.collective_blocks);
                    all.collective_blocks += 1;
                }
                _ => {}
            }
        }
        let end = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        all.close(current, block, end);
        all.check_calls(&calls, program, findings);
        all
    }

    fn close(&mut self, mut function: Function, mut block: Block, end: u32) {
        block.records.end = end;
        function.records.end = end;
        function.blocks.push(block);
        self.list.push(function);
    }

    fn enter_name(&mut self, function: &Function, program: Program<'_>, findings: &mut Findings) {
        let index = function.id as usize;
        if function.name.is_empty() {
            findings.push(
                Severity::Warning,
                "image.function-unnamed",
                program.place(function.records.start),
                format!(
                    "function {} has an empty name; calls without a name go to it",
                    function.id
                ),
            );
        }
        if let Some(first) = self.by_name.get(&function.name) {
            findings.push(
                Severity::Error,
                "image.function-duplicate",
                program.place(function.records.start),
                format!(
                    "function `{}` is defined again; calls go to function {first}",
                    function.name
                ),
            );
            return;
        }
        self.by_name.insert(function.name.clone(), index);
    }

    fn check_calls(&self, calls: &[u32], program: Program<'_>, findings: &mut Findings) {
        let mut unknown = 0_u64;
        let mut last = 0;
        for &at in calls {
            let name = program.slots.get(at as usize).map(name_in).unwrap_or_default();
            if self.find(&name).is_some() {
                continue;
            }
            unknown += 1;
            last = at;
            if unknown <= CALLS_LISTED {
                findings.push(
                    Severity::Error,
                    "image.function-unknown",
                    program.place(at),
                    format!("call of function `{name}`, which the stream does not define"),
                );
            }
        }
        if unknown > CALLS_LISTED {
            findings.push(
                Severity::Error,
                "image.function-unknown",
                program.place(last),
                format!(
                    "{} more calls of functions that the stream does not define; this is the last",
                    unknown - CALLS_LISTED
                ),
            );
        }
    }
}

/// A name that fills its field has no NUL behind it, and one that is no UTF-8 is shown with
/// replacement characters: two such names can look alike.
fn check_name(slot: &Slot, place: Place, findings: &mut Findings) {
    let field = slot.bytes().get(NAME_BYTES).unwrap_or(&[]);
    let name = field.split(|byte| *byte == 0).next().unwrap_or(field);
    if let Err(error) = std::str::from_utf8(name) {
        let message = format!(
            "the name of a function is no UTF-8 from its byte {} on; it is shown and compared with \
             a replacement character in its place",
            error.valid_up_to()
        );
        findings.push(Severity::Warning, "image.function-name", place, message);
    } else if name.len() == field.len() {
        let message = format!(
            "the name of a function fills its {} bytes, expected a NUL behind it: it may be cut",
            field.len()
        );
        findings.push(Severity::Warning, "image.function-name", place, message);
    }
}

/// The function name in a record, up to its NUL.
pub(crate) fn name_in(slot: &Slot) -> String {
    let field = slot.bytes().get(NAME_BYTES).unwrap_or(&[]);
    text_of(field)
}

/// Text up to the first NUL.
pub(crate) fn text_of(field: &[u8]) -> String {
    let end = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(field.get(..end).unwrap_or(field)).into_owned()
}

fn function_of(slot: &Slot, id: u32, at: u32) -> Function {
    Function {
        id,
        name: name_in(slot),
        records: at..at,
        reset_semaphores: slot.u8_at(0x30) != 0,
        return_low: slot.u8_at(0x31),
        return_high: slot.u8_at(0x32),
        blocks: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Generation, Subgraph};
    use records::Engine;
    use records::build::Draft;

    fn identify(slots: &[Slot], engine: Engine, findings: &mut Findings) -> Functions {
        let subgraph = Subgraph::without_queues(Generation::Cayman);
        Functions::identify(Program { subgraph: &subgraph, engine, slots }, findings)
    }

    fn record(opcode: u8) -> Slot {
        Draft::new(opcode).slot()
    }

    fn named(opcode: u8, name: &str) -> Slot {
        Draft::new(opcode).bytes(0x0C, name.as_bytes()).slot()
    }

    /// The field of a name has 0x30 - 0x0C = 36 bytes.
    #[test]
    fn names_without_an_end_or_without_utf_8_are_findings() {
        let of = |name: &[u8]| {
            let begin = Draft::new(op::FUNCTION_BEGIN).bytes(0x0C, name).slot();
            let mut findings = Findings::new();
            identify(&[begin], Engine::Pe, &mut findings);
            findings.as_slice().iter().map(|finding| finding.code.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(&[b'f'; 35]), [""; 0]);
        assert_eq!(of(&[b'f'; 36]), ["image.function-name"]);
        assert_eq!(of(b"f\xff"), ["image.function-name"]);
    }

    #[test]
    fn functions_and_blocks_tile_the_stream() {
        let begin =
            Draft::of(named(op::FUNCTION_BEGIN, "f")).u8(0x30, 1).u8(0x31, 6).u8(0x32, 7).slot();
        let slots = [
            record(0xB1),
            record(op::LABEL),
            record(op::COLLECTIVE),
            named(op::FUNCTION_CALL, "f"),
            begin,
            record(op::LABEL),
            record(op::FUNCTION_RETURN),
        ];
        let mut findings = Findings::new();
        let all = identify(&slots, Engine::Pe, &mut findings);
        assert!(findings.as_slice().is_empty());
        let windows: Vec<_> = all.list.iter().map(|function| function.records.clone()).collect();
        assert_eq!(windows, [0..4, 4..7]);
        let blocks: Vec<_> =
            all.list.iter().flat_map(|f| &f.blocks).map(|block| block.records.clone()).collect();
        assert_eq!(blocks, [0..1, 1..4, 4..5, 5..7]);
        assert_eq!((all.collective_blocks, all.explicit_exit), (1, false));
        let ids: Vec<_> = all
            .list
            .iter()
            .flat_map(|f| &f.blocks)
            .map(|block| (block.function, block.id, block.collective_id))
            .collect();
        assert_eq!(ids, [(0, 0, None), (0, 1, Some(0)), (1, 0, None), (1, 1, None)]);
        let block = &all.list[0].blocks[1];
        assert_eq!((block.begin_offset(), block.end_offset()), (0x40, 0x100));
        let f = &all.list[1];
        assert_eq!((f.name.as_str(), f.reset_semaphores), ("f", true));
        assert_eq!((f.return_low, f.return_high, all.find("f")), (6, 7, Some(1)));
    }

    #[test]
    fn an_empty_stream_has_one_function_with_one_empty_block() {
        let all = identify(&[], Engine::Sp, &mut Findings::new());
        assert_eq!(all.list.len(), 1);
        assert_eq!(all.list[0].blocks, [Block::at(0, 0, 0)]);
    }

    #[test]
    fn unknown_calls_beyond_the_first_hundred_are_counted() {
        let slots = vec![named(op::FUNCTION_CALL, "g"); 250];
        let mut findings = Findings::new();
        identify(&slots, Engine::Act, &mut findings);
        let list = findings.as_slice();
        assert_eq!(list.len(), 101);
        assert!(list[100].message.starts_with("150 more calls"));
        let at = &list[100].at;
        assert_eq!((at.engine, at.offset), (Some("ACT"), Some(249 * 64)));
        assert_eq!(at.subgraph.as_deref(), Some("sg00"));
    }

    #[test]
    fn a_name_that_comes_twice_and_an_unknown_call_are_findings() {
        let slots = [
            named(op::FUNCTION_CALL, "g"),
            named(op::FUNCTION_BEGIN, "f"),
            named(op::FUNCTION_BEGIN, "f"),
        ];
        let mut findings = Findings::new();
        let all = identify(&slots, Engine::Act, &mut findings);
        let codes: Vec<_> = findings.as_slice().iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["image.function-duplicate", "image.function-unknown"]);
        assert_eq!((all.list.len(), all.find("f")), (3, Some(1)));
    }
}
