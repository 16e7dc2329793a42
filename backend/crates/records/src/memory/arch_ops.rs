//! The table of functions and data that differ between generations of chips.

use zerocopy::little_endian::U64;

use crate::assembly::runtime_record;

runtime_record! {
    /// One entry for each thing that a generation does its own way; an empty function entry ends
    /// the runtime. 61 slots of 8 bytes under 47 names, two of them tables of their own.
    /// Spec: docs/format/memory.md "Records" [observed].
    RawArchOps 488 "tdrv_arch_ops" {
        0x000 dma_per_tpb: U64 = Pointer Observed "engines of DMA for each core";
        0x008 dma_queues_per_engine: U64 = Pointer Observed "queues of a DMA engine";
        0x010 num_seng: U64 = Pointer Observed "number of SE blocks";
        0x018 tpb_per_seng: U64 = Pointer Observed "cores of an SE block";
        0x020 num_tpb: U64 = Pointer Observed "cores of a device";
        0x028 tpb_per_hbm: U64 = Pointer Observed "cores that share an HBM";
        0x030 num_topsp: U64 = Pointer Observed "number of TOP_SP";
        0x038 default_hbm: U64 = Pointer Observed "default HBM of a core";
        0x040 tpbs_from_hbm: U64 = Pointer Observed "cores of an HBM";
        0x048 dma_queue_table: U64 = Pointer Observed "table of DMA queues";
        0x050 completion_location: U64 = Pointer Observed "where completion is written";
        0x058 seed_workspace: U64 = Pointer Observed "workspace of random seeds";
        0x060 cc_dma_props: U64 = Pointer Observed "DMA properties of collectives";
        0x068 tpb_mem_bar: U64 = Pointer Observed "host window of a core";
        0x070 csr_apb_bar: U64 = Pointer Observed "host window of registers";
        0x078 notific_apb_bar: U64 = Pointer Observed "host window of notifications";
        0x080 sdma_misc_base: U64 = Pointer Observed "base of DMA extras";
        0x088 ens_base: U64 = Pointer Observed "base of the event block";
        0x090 nx_core_type: U64 = Pointer Observed "type of the sequencer core";
        0x098 q7_core_type: U64 = Pointer Observed "type of the Q7 core";
        0x0a0 embedded_sem: U64 = Pointer Observed "semaphores inside descriptors";
        0x0a8 dve_dynamic_config: U64 = Pointer Observed "dynamic configuration of DVE";
        0x0b0 act_tables_init: U64 = Pointer Observed "set-up of activation tables";
        0x0b8 bcast: U64 = Pointer Observed "broadcast";
        0x0c0 sdma_base: U64 = Pointer Observed "base of DMA control";
        0x0c8 udma_relbase: U64 = Pointer Observed "relative base of a DMA engine";
        0x0d0 bar_adjust: U64 = Pointer Observed "change of window addresses";
        0x0d8 h2d_engine_id: U64 = Pointer Observed "engine of host transfers";
        0x0e0 is_h2d: U64 = Pointer Observed "whether an engine is for host transfers";
        0x0e8 misc_relbase: U64 = Pointer Observed "relative base of extras";
        0x0f0 data_tail_increment: U64 = Pointer Observed "register that starts descriptors";
        0x0f8 instr_block_caps: U64 = Pointer Observed "capabilities, data";
        0x100 sim_debug_flags: U64 = Pointer Observed "flags of the simulator";
        0x108 get_evt_accel_addr: U64 = Pointer Observed "address of the event accelerator";
        0x110 get_evt_addr: U64 = Pointer Observed "address of an event";
        0x118 tpb_reg_offset: [U64; 9] = Opaque Observed "nine register offsets of a core";
        0x160 sem_inc_addr: U64 = Pointer Observed "address that increments a semaphore";
        0x168 sem_read_addr: U64 = Pointer Observed "address that reads a semaphore";
        0x170 seq_refill: [U64; 7] = Opaque Observed "seven functions of instruction fetch";
        0x1a8 csr_register: U64 = Pointer Observed "registers are announced";
        0x1b0 csr_regions: U64 = Pointer Observed "regions of registers";
        0x1b8 csr_deregister: U64 = Pointer Observed "registers are withdrawn";
        0x1c0 add_ev_wait: U64 = Pointer Observed "appends an event wait";
        0x1c8 add_ev_set: U64 = Pointer Observed "appends an event set";
        0x1d0 add_ev_clr: U64 = Pointer Observed "appends an event clear";
        0x1d8 sync_events: U64 = Pointer Observed "reserved events, data";
        0x1e0 get_inf_init_start: U64 = Pointer Observed "event that starts an initialization";
    }
}
