//! The table of what differs between generations: its 61 slots by name, and what the functions in it
//! answer, as far as that is known.
//! Spec: docs/format/memory.md "Table of a generation" [observed].

use crate::address_map::bases;
use crate::dmem::HbmShape;
use crate::program::Generation;
use crate::sync_events::{SyncEvent, TABLE, block_offset, id};
use records::Provenance;

/// Slots of the table of register offsets.
/// Spec: docs/format/memory.md "Table of a generation" [observed].
pub const REGISTER_OFFSETS: [&str; 9] = [
    "tpb_mem",
    "top_apb",
    "csr_apb",
    "notific_apb",
    "tpb_addr",
    "apb_base",
    "apb_pcie_base",
    "apb_dma_base",
    "dve_seed",
];

/// Names of the slots of a field: its own, or those of the table that it is.
pub fn slots_of(field: &str, bytes: u64) -> Vec<String> {
    let count = usize::try_from(bytes / 8).unwrap_or(1);
    match (field, count) {
        (_, 0 | 1) => vec![field.to_owned()],
        ("tpb_reg_offset", _) => {
            REGISTER_OFFSETS.iter().map(|name| format!("{field}.{name}")).collect()
        }
        _ => (0..count).map(|at| format!("{field}.{at}")).collect(),
    }
}

/// What the function or data of a slot gives on a generation, and how sure that is; `None` where
/// nobody says.
/// Spec: docs/format/memory.md "Table of a generation" [observed; some inferred].
pub fn answer(generation: Generation, slot: &str) -> Option<(String, Provenance)> {
    let known = geometry(generation, slot).or_else(|| events(generation, slot));
    let observed = known.map(|text| (text, Provenance::Observed));
    observed.or_else(|| Some((inferred(generation, slot)?, Provenance::Inferred)))
}

/// Counts and bases that the driver's source gives.
fn geometry(generation: Generation, slot: &str) -> Option<String> {
    let shape = HbmShape::of(generation);
    let is_sunda = generation == Generation::Sunda;
    let cores = 0..bases::cores(generation);
    Some(match slot {
        "dma_per_tpb" => bases::DMA_ENGINES_OF_CORE.to_string(),
        "dma_queues_per_engine" => bases::DMA_QUEUES.to_string(),
        "num_tpb" => bases::cores(generation).to_string(),
        "tpb_per_hbm" => shape.cores_each.to_string(),
        "num_topsp" => bases::top_sps(generation).to_string(),
        "default_hbm" => {
            let each = cores.map(|core| shape.default_channel(core));
            each.map(|hbm| hbm.to_string()).collect::<Vec<_>>().join(" ")
        }
        "tpbs_from_hbm" => {
            let hbms = 0..u32::try_from(shape.bases.len()).unwrap_or(0);
            let of = |hbm: u32| {
                let own = cores.clone().filter(|core| shape.default_channel(*core) == hbm);
                own.map(|core| core.to_string()).collect::<Vec<_>>().join(" ")
            };
            hbms.map(|hbm| format!("HBM {hbm}: {}", of(hbm))).collect::<Vec<_>>().join(", ")
        }
        "tpb_mem_bar" if is_sunda => "0x4000000 x core".to_owned(),
        "tpb_mem_bar" => "0xd0000000 + 0x4000000 x core".to_owned(),
        "sdma_base" if is_sunda => {
            let base = |core: u32| bases::dma_control(generation, 16 * core).unwrap_or(0);
            format!("{:#x} + 0x7000 x i, core 1 {:#x}", base(0), base(1))
        }
        "sdma_base" => "engine + 0x40000".to_owned(),
        "h2d_engine_id" => {
            let ids = bases::h2d_engines(generation).iter().map(u32::to_string);
            ids.collect::<Vec<_>>().join(", ")
        }
        _ => return None,
    })
}

/// Events, semaphores and the records about them.
fn events(generation: Generation, slot: &str) -> Option<String> {
    let block = block_offset(generation);
    Some(match slot {
        "get_evt_accel_addr" => {
            let clear = bases::accelerator(generation, false);
            let set = bases::accelerator(generation, true);
            format!("clear {clear:#x}, set {set:#x}")
        }
        "get_evt_addr" => format!("core + {block:#x} + 4 x id"),
        "sem_read_addr" if generation == Generation::Sunda => {
            format!("core + {:#x} + 4 x id", block + 0x1000)
        }
        "sem_inc_addr" => format!("core + {:#x} + 4 x id", block + 0x1800),
        "add_ev_wait" => "a record of 64 bytes, mode 0x07".to_owned(),
        "add_ev_set" => "a record of 64 bytes, mode 0x11".to_owned(),
        "add_ev_clr" => "a record of 64 bytes, mode 0x12".to_owned(),
        "instr_block_caps" => "a table of 32 bytes".to_owned(),
        "sync_events" => format!("a table of {} bytes", TABLE.len()),
        _ => return None,
    })
}

/// What follows from facts about the generation that are given elsewhere, or are less sure.
fn inferred(generation: Generation, slot: &str) -> Option<String> {
    let block = block_offset(generation);
    let is_sunda = generation == Generation::Sunda;
    let engine = |id: u32| bases::dma_base(generation, id).unwrap_or(0);
    Some(match slot {
        "num_seng" if !is_sunda => "4".to_owned(),
        "tpb_per_seng" if !is_sunda => "2".to_owned(),
        "csr_apb_bar" if is_sunda => "0x30000000".to_owned(),
        "csr_apb_bar" => "IO 0x0 and 0x40000000, SE 0x80000000 + 0x10000000 x n".to_owned(),
        "notific_apb_bar" if is_sunda => "0x30535000, core 1 0x30c35000".to_owned(),
        "notific_apb_bar" => {
            "0x6001000 + 0x180000 x (core % 2) + 0x400000 x (core / 2 % 2), cores 4 to 7 0x40000000 \
             further"
                .to_owned()
        }
        "ens_base" => format!("core + {block:#x}"),
        "sem_read_addr" => format!("core + {:#x} + 4 x id", block + 0x1000),
        "udma_relbase" if is_sunda => {
            let (first, second) = (engine(0), engine(16));
            format!("{first:#x} + 0x40000 x i, core 1 {second:#x}")
        }
        "udma_relbase" => {
            let of = |seng: u32| format!("{:#x}", engine(32 * seng));
            let bases: Vec<String> = (0..4).map(of).collect();
            format!("SE 0 to 3 {} + 0x100000 x (id % 32)", bases.join(", "))
        }
        "is_h2d" => {
            let ids = bases::h2d_engines(generation).iter().map(u32::to_string);
            format!("true for {}", ids.collect::<Vec<_>>().join(", "))
        }
        "data_tail_increment" if !is_sunda => "queue + 0xe0".to_owned(),
        "embedded_sem" if generation == Generation::Mariana => "bit 31 of len_ctrl".to_owned(),
        "tpb_reg_offset.tpb_addr" => {
            let each = (0..bases::cores(generation)).filter_map(|core| {
                bases::core_base(generation, core).map(|base| format!("{base:#x}"))
            });
            each.collect::<Vec<_>>().join(", ")
        }
        "get_inf_init_start" => format!("event {}", id(&TABLE, SyncEvent::InitStart)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::memory::RawArchOps;

    #[test]
    fn the_table_has_47_names_and_61_slots() {
        let fields = RawArchOps::TYPE.fields;
        assert_eq!(fields.len(), 47);
        let slots: Vec<String> =
            fields.iter().flat_map(|field| slots_of(field.name, u64::from(field.bytes))).collect();
        assert_eq!(slots.len(), 61);
        assert_eq!(slots[31], "instr_block_caps");
        assert_eq!(
            (slots[35].as_str(), slots[43].as_str()),
            ("tpb_reg_offset.tpb_mem", "tpb_reg_offset.dve_seed")
        );
        assert_eq!(
            (slots[46].as_str(), slots[60].as_str()),
            ("seq_refill.0", "get_inf_init_start")
        );
    }

    #[test]
    fn answers_differ_between_generations() {
        let of = |generation, slot| answer(generation, slot).map_or_else(String::new, |one| one.0);
        assert_eq!(of(Generation::Sunda, "num_tpb"), "2");
        assert_eq!(of(Generation::Cayman, "default_hbm"), "0 0 1 1 2 2 3 3");
        assert_eq!(of(Generation::Sunda, "default_hbm"), "0 1");
        assert_eq!(
            of(Generation::Mariana, "get_evt_accel_addr"),
            "clear 0x9000000000, set 0x9400000000"
        );
        assert_eq!(of(Generation::Sunda, "sem_inc_addr"), "core + 0x2701800 + 4 x id");
        assert_eq!(answer(Generation::Cayman, "bcast"), None);
        let (sunda, cayman) = (Generation::Sunda, Generation::Cayman);
        for generation in Generation::ALL {
            assert_eq!(of(generation, "dma_per_tpb"), "16");
            assert_eq!(of(generation, "dma_queues_per_engine"), "16");
        }
        assert_eq!(of(cayman, "tpbs_from_hbm"), "HBM 0: 0 1, HBM 1: 2 3, HBM 2: 4 5, HBM 3: 6 7");
        assert_eq!(of(sunda, "tpbs_from_hbm"), "HBM 0: 0, HBM 1: 1");
        assert_eq!(
            (of(sunda, "h2d_engine_id"), of(cayman, "h2d_engine_id")),
            ("33".to_owned(), "129, 131".to_owned())
        );
        assert_eq!(of(sunda, "sdma_base"), "0xffff0400000 + 0x7000 x i, core 1 0xffff0b00000");
        assert_eq!(of(sunda, "udma_relbase"), "0xffff0000000 + 0x40000 x i, core 1 0xffff0700000");
        assert_eq!(
            of(cayman, "udma_relbase"),
            "SE 0 to 3 0x1002000000, 0x5004000000, 0x801002000000, 0x805004000000 + 0x100000 x (id % 32)"
        );
        // What is only concluded, or said with less confidence, is told as inferred.
        let sure = |generation, slot| answer(generation, slot).map(|one| one.1);
        assert_eq!(sure(sunda, "sem_read_addr"), Some(Provenance::Observed));
        assert_eq!(sure(cayman, "sem_read_addr"), Some(Provenance::Inferred));
        assert_eq!(sure(cayman, "data_tail_increment"), Some(Provenance::Inferred));
        assert_eq!(sure(sunda, "data_tail_increment"), None);
        assert_eq!(sure(cayman, "get_inf_init_start"), Some(Provenance::Inferred));
    }
}
