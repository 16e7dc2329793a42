//! The table of what differs between generations: its 61 slots by name, and what the functions in it
//! answer, as far as that is known.
//! Spec: docs/format/memory.md "Table of a generation" [observed].

use crate::address_map::bases;
use crate::dmem::HbmShape;
use crate::program::Generation;
use crate::sync_events::{SyncEvent, TABLE, block_offset, id};

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

/// What the function or data of a slot gives on a generation; `None` where nobody says.
/// Spec: docs/format/memory.md "Address map" and "Events" [observed].
pub fn answer(generation: Generation, slot: &str) -> Option<String> {
    let shape = HbmShape::of(generation);
    let hex = |value: u64| format!("{value:#x}");
    Some(match slot {
        "num_tpb" => bases::cores(generation).to_string(),
        "tpb_per_hbm" => shape.cores_each.to_string(),
        "num_topsp" => bases::top_sps(generation).to_string(),
        "default_hbm" => {
            let each = (0..bases::cores(generation)).map(|core| shape.default_channel(core));
            each.map(|hbm| hbm.to_string()).collect::<Vec<_>>().join(" ")
        }
        "ens_base" => format!("core + {}", hex(block_offset(generation))),
        "get_evt_accel_addr" => {
            let clear = bases::accelerator(generation, false);
            let set = bases::accelerator(generation, true);
            format!("clear {}, set {}", hex(clear), hex(set))
        }
        "get_evt_addr" => format!("core + {} + 4 x id", hex(block_offset(generation))),
        "sem_read_addr" => format!("core + {} + 4 x id", hex(block_offset(generation) + 0x1000)),
        "sem_inc_addr" => format!("core + {} + 4 x id", hex(block_offset(generation) + 0x1800)),
        "add_ev_wait" => "a record of 64 bytes, mode 0x07".to_owned(),
        "add_ev_set" => "a record of 64 bytes, mode 0x11".to_owned(),
        "add_ev_clr" => "a record of 64 bytes, mode 0x12".to_owned(),
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
        let of = |generation, slot| answer(generation, slot).unwrap_or_default();
        assert_eq!(of(Generation::Sunda, "num_tpb"), "2");
        assert_eq!(of(Generation::Cayman, "default_hbm"), "0 0 1 1 2 2 3 3");
        assert_eq!(of(Generation::Sunda, "default_hbm"), "0 1");
        assert_eq!(
            of(Generation::Mariana, "get_evt_accel_addr"),
            "clear 0x9000000000, set 0x9400000000"
        );
        assert_eq!(of(Generation::Sunda, "sem_inc_addr"), "core + 0x2701800 + 4 x id");
        assert_eq!(answer(Generation::Cayman, "bcast"), None);
    }
}
