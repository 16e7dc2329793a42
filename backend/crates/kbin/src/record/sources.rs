//! Where the values of a record come from and why, where that differs from program to program.

use records::Provenance;
use records::kbin::names::{ArchType, MrType};

use super::id::RecordId;
use crate::lowering::Kbin;
use crate::lowering::model::{
    ActSet, Arm, Block, Carveout, Descriptor, FP8_FIELDS, Function, Library, Profile, Queue,
    Variable,
};
use crate::lowering::numbers::{Origin, Origins};

/// Provenance of a field, by byte of its record or row, and why it is that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grounds {
    /// Byte.
    pub at: u64,
    /// The least that is to be said.
    pub provenance: Provenance,
    /// Why, in a few words; nothing where the layout's own meaning says enough.
    pub why: &'static str,
}

impl Grounds {
    fn new(at: u64, provenance: Provenance, why: &'static str) -> Self {
        Self { at, provenance, why }
    }

    fn of(at: u64, origin: Origin) -> Self {
        Self::new(at, origin.provenance(), origin.why())
    }
}

fn all(origins: Origins, fields: &[u64], base: u64) -> impl Iterator<Item = Grounds> {
    origins.list(fields).map(move |(at, origin)| Grounds::of(base + at, origin))
}

impl Kbin {
    /// Of the header, by byte; all other fields have that of their layout.
    pub(crate) fn header_from(&self, id: RecordId) -> Vec<Grounds> {
        match id {
            RecordId::Root => self.root_from(),
            RecordId::Engine(slot) => match self.code.get(slot) {
                // An absent engine's block has type and name all the same.
                Some(code) if self.document_of(code.engine).is_empty() => [0, 4, 260]
                    .map(|at| Grounds::new(at, Provenance::Modelled, "the file has no such engine"))
                    .to_vec(),
                _ => Vec::new(),
            },
            RecordId::MemRefSet => {
                let [(_, local), (_, shared)] = self.scratchpad_bytes();
                vec![Grounds::of(0, local), Grounds::of(8, shared)]
            }
            RecordId::Dma(at) => self.queues.get(at).map(queue_from).unwrap_or_default(),
            RecordId::Ring(at, ring) => {
                let ring = self.queues.get(at).and_then(|queue| queue.rings.get(ring));
                ring.map(|ring| vec![Grounds::of(0, ring.name_from)]).unwrap_or_default()
            }
            RecordId::DebugTensor(at) => {
                let debug = self.variables.get(at).and_then(|variable| variable.debug.as_ref());
                let from = debug.map(|debug| debug.from);
                from.map(|(text, pipe)| vec![Grounds::of(0, text), Grounds::of(512, pipe)])
                    .unwrap_or_default()
            }
            RecordId::ActSet(at) => self.act_sets.get(at).map(act_set_from).unwrap_or_default(),
            RecordId::DveConfig => {
                let tables = self.dve.iter().flatten().zip([0, 16, 32, 48]);
                let both = |((_, origin), at): (&(_, Origin), u64)| {
                    [Grounds::of(at, *origin), Grounds::of(at + 8, *origin)]
                };
                tables.flat_map(both).collect()
            }
            RecordId::UcodeLib(at) => {
                let Some(lib) = self.libs.get(at) else { return Vec::new() };
                let mut from: Vec<Grounds> = all(lib.origins, &Library::FIELDS, 0).collect();
                if lib.from == Provenance::Modelled {
                    let why = "a default library, which comes with the loader";
                    from.extend([0, 8, 20, 21, 24, 32].map(|at| Grounds::new(at, lib.from, why)));
                }
                from
            }
            _ => Vec::new(),
        }
    }

    fn root_from(&self) -> Vec<Grounds> {
        let why = match self.target_from {
            Provenance::File => "",
            Provenance::Configured => "the program leaves it to the device, which is configured",
            Provenance::Modelled => Origin::Unfit.why(),
            Provenance::Observed if self.target == ArchType::SUNDA => {
                "the file does not say, which stands for sunda"
            }
            _ => "the file names no generation that is known",
        };
        let mut from = vec![
            Grounds::of(320, self.act_semaphore.1),
            Grounds::of(352, self.groups_from),
            Grounds::of(368, self.pairs_from),
            Grounds::of(392, self.num_streams.1),
            Grounds::new(416, self.target_from, why),
        ];
        from.extend(all(self.fp8.1, &FP8_FIELDS, 400));
        from
    }

    fn document_of(&self, engine: records::Engine) -> &str {
        self.documents.get(engine.index()).map_or("", String::as_str)
    }

    /// Of a row, by byte relative to the row.
    pub(crate) fn row_from(&self, id: RecordId, row: usize) -> Vec<Grounds> {
        match id {
            RecordId::MemRefSet => self.variables.get(row).map(variable_from).unwrap_or_default(),
            RecordId::Ring(queue, ring) => {
                let ring = self.queues.get(queue).and_then(|queue| queue.rings.get(ring));
                let found = ring.and_then(|ring| {
                    let one = ring.descriptors.get(row)?;
                    Some((one, ring.blocks.get(one.block as usize)))
                });
                found.map(|(one, block)| descriptor_from(one, block)).unwrap_or_default()
            }
            RecordId::Carveouts => {
                let area = self.carveouts.as_ref().and_then(|areas| areas.get(row));
                area.map(|area| all(area.origins, &Carveout::FIELDS, 0).collect())
                    .unwrap_or_default()
            }
            RecordId::UcodeFunctions(at) => {
                let function = self.libs.get(at).and_then(|lib| lib.functions.get(row));
                function
                    .map(|function| all(function.origins, &Function::FIELDS, 0).collect())
                    .unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

fn queue_from(queue: &Queue) -> Vec<Grounds> {
    let mut from: Vec<Grounds> = all(queue.origins, &Queue::FIELDS, 0).collect();
    let ring = match queue.ring_type_from {
        Provenance::Modelled => "the file names no type that is known",
        _ => "",
    };
    from.push(Grounds::new(0, queue.ring_type_from, ring));
    if queue.owner.is_none() {
        from.push(Grounds::new(4, Provenance::Modelled, "the file names no engine"));
    }
    from
}

fn act_set_from(set: &ActSet) -> Vec<Grounds> {
    let mut from: Vec<Grounds> = all(set.origins, &ActSet::FIELDS, 0).collect();
    for (index, at) in (0..25_u64).map(|index| (index as usize, 284 + 76 * index)) {
        match set.profiles.get(index) {
            Some(profile) => from.extend(all(profile.origins, &Profile::FIELDS, at)),
            // Zero: the record has room for functions that the set does not have.
            None => from.extend(Profile::FIELDS.map(|byte| {
                Grounds::new(at + byte, Provenance::Observed, "room for a further function, zero")
            })),
        }
    }
    from
}

fn variable_from(variable: &Variable) -> Vec<Grounds> {
    let kind = match variable.kind_from {
        Provenance::Modelled => "the file names no type that is known",
        _ => "",
    };
    let id = match variable.id_from {
        Provenance::Modelled => "the file has no id for it; its place stands for one",
        _ => "",
    };
    let mut from =
        vec![Grounds::new(0, variable.kind_from, kind), Grounds::new(32, variable.id_from, id)];
    if variable.kind != MrType::BUFFER {
        let why = "only variables that are filled from a file have content";
        from.push(Grounds::new(128, Provenance::Observed, why));
    }
    if variable.arm == Arm::None {
        from.push(Grounds::new(136, Provenance::Observed, "this kind has no form of its own"));
    }
    if let Arm::Virtual { backing_from, .. } = variable.arm {
        let why = match backing_from {
            Provenance::File => "",
            Provenance::Observed => Origin::Default.why(),
            _ => "the number of the file's text is not published",
        };
        from.push(Grounds::new(144, backing_from, why));
    }
    from.extend(all(variable.origins, &Variable::FIELDS, 0).filter(|one| one.at != 32));
    from
}

fn descriptor_from(one: &Descriptor, block: Option<&Block>) -> Vec<Grounds> {
    let op = match one.op_from {
        Provenance::Observed => "the file does not say; a copy",
        Provenance::Modelled => "the file's text is not known",
        _ => "",
    };
    let mut from = vec![Grounds::new(4, one.op_from, op)];
    from.extend(block.into_iter().flat_map(|block| all(block.origins, &Block::FIELDS, 0)));
    if one.to_variable.is_none() {
        from.push(Grounds::of(Descriptor::TO, Origin::Missing));
    }
    for (source, variable) in (0_u64..).zip(&one.from_variables) {
        if variable.is_none() {
            from.push(Grounds::of(Descriptor::FROM + 160 * source, Origin::Missing));
        }
    }
    let sources = one.from_variables.len() as u64;
    for known in all(one.origins, &Descriptor::FIELDS, 0) {
        let is_source = (Descriptor::FROM..Descriptor::FROM + 160).contains(&known.at);
        let copies = if is_source { sources } else { 1 };
        from.extend((0..copies).map(|copy| Grounds { at: known.at + 160 * copy, ..known }));
    }
    from
}
