//! The page map by hand-made plans.

use super::*;
use debug_api::Provenance;
use debug_api::answer::{MemorySlice, PlacedVariables};

const MIB: u64 = 1 << 20;

/// A local variable of sg00.
pub fn variable(id: u32, offset: u64, size: u64) -> MemoryVariable {
    MemoryVariable {
        file: 0,
        subgraph: "sg00".to_owned(),
        id,
        name: format!("v{id}"),
        offset,
        size,
        slice: "local".to_owned(),
        spans: Vec::new(),
    }
}

/// A plan with pages of 512 MiB and these variables on them.
pub fn plan(variables: &[MemoryVariable]) -> MemoryAnswer {
    let page_size = 512 * MIB;
    let need = variables.iter().map(|one| one.offset + one.size).max().unwrap_or(0);
    let pages = (0..need.div_ceil(page_size)).map(|index| {
        let (start, end) = (index * page_size, (index + 1) * page_size);
        let on = variables.iter().filter(|one| one.offset < end && one.offset + one.size > start);
        let on: Vec<MemoryVariable> = on.cloned().collect();
        MemoryPage {
            index,
            subgraph: "sg00".to_owned(),
            offset: start,
            used_bytes: 1,
            n_variables: on.len() as u64,
            variables: on,
            references: 1,
        }
    });
    MemoryAnswer {
        schema: 1,
        files: Vec::new(),
        mode: "paged".to_owned(),
        mode_provenance: Provenance::Observed,
        page_size,
        generation: "cayman".to_owned(),
        hbm_bytes: 24 << 30,
        hbm: 0,
        n_cores: 8,
        core: 0,
        core_provenance: Provenance::Modelled,
        need_bytes: need,
        n_pages: need.div_ceil(page_size),
        pages: pages.collect(),
        slices: vec![MemorySlice {
            file: 0,
            subgraph: Some("sg00".to_owned()),
            offset: 0,
            bytes: need,
            padding_bytes: 0,
        }],
        private: Vec::new(),
        n_private: 0,
        private_bytes: 0,
        overlaps: 0,
        overlap_pairs: Vec::new(),
        categories: BTreeMap::new(),
        categories_at_least: Vec::new(),
        need_at_least: false,
        page_cap: None,
        least_hbm_bytes: None,
        measured: None,
        not_counted: Vec::new(),
        not_computed: Vec::new(),
        mode_asked: None,
        fits: Some(true),
        verdict: "fits".to_owned(),
        memory_verdict: "fits".to_owned(),
        refusals: Vec::new(),
        n_refusals: 0,
        unread: Vec::new(),
        n_unread: 0,
        n_virtual: variables.len() as u64,
        failures: Vec::new(),
        n_failures: 0,
        remedies: Vec::new(),
        advice: None,
        subgraphs: Vec::new(),
        hbms: Vec::new(),
        variables: PlacedVariables { total: 0, from: 0, rows: Vec::new() },
        notes: Vec::new(),
        provenance: Provenance::Observed,
        fits_provenance: Provenance::Modelled,
        diagnostics: Vec::new(),
    }
}

fn shown(row: &Row<'_>) -> Vec<(u32, usize, f64, f64)> {
    row.blocks
        .iter()
        .map(|one| (one.variable.as_ref().map_or(0, |one| one.id), one.lane, one.start, one.width))
        .collect()
}

#[test]
fn overlaps_stand_in_lanes_to_scale() {
    let plan = plan(&[
        variable(1, 0, 256 * MIB),
        variable(2, 128 * MIB, 128 * MIB),
        variable(3, 256 * MIB, 64 * MIB),
    ]);
    let (rows, _) = rows(&plan, None);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].lanes, 2);
    assert_eq!(shown(&rows[0]), [(1, 0, 0.0, 0.5), (2, 1, 0.25, 0.25), (3, 0, 0.5, 0.125)]);
}

#[test]
fn private_variables_are_drawn_where_they_would_cross() {
    let mut plan = plan(&[variable(1, 0, 100 * MIB)]);
    plan.private = vec![variable(2, 100 * MIB, 600 * MIB)];
    plan.pages.push(MemoryPage { index: 1, offset: 512 * MIB, ..plan.pages[0].clone() });
    plan.pages[1].variables.clear();
    let (rows, _) = rows(&plan, None);
    let second = &rows[1].blocks[0];
    assert_eq!((second.what.clone(), second.begins, second.ends), (What::Private, false, true));
    assert_eq!((second.start, second.width), (0.0, 188.0 / 512.0));
    assert!(!rows[0].blocks[1].ends);
    assert_eq!(order(&plan).iter().map(|one| one.id).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_region_has_few_rows_and_its_first_bytes_on_the_last_page() {
    let mut plan = plan(&[variable(1, 0, 70 * MIB)]);
    plan.mode = "contiguous".to_owned();
    plan.page_size = 64 * MIB;
    let page = plan.pages[0].clone();
    plan.pages = (0..9)
        .map(|at| MemoryPage { index: at, offset: (8 - at) * 64 * MIB, ..page.clone() })
        .collect();
    let (rows, _) = rows(&plan, None);
    assert_eq!(rows.len(), 2, "8 pages of 64 MiB on a row of 512 MiB");
    assert_eq!((rows[0].pages, rows[1].pages), ((1, 8), (0, 0)));
    assert_eq!(rows[0].cuts.len(), 7);
    assert_eq!((rows[1].bytes, rows[1].paged_bytes), (512 * MIB, 64 * MIB));
    assert_eq!(shown(&rows[0]), [(1, 0, 0.0, 70.0 / 512.0)], "named on two pages, drawn once");
    assert!(rows[1].blocks.is_empty());
    assert_eq!(pages_a_row(1_024, 64 * MIB), 64);
}

#[test]
fn narrow_neighbors_are_merged_and_counted() {
    let all: Vec<MemoryVariable> =
        (0..100).map(|id| variable(id, u64::from(id) * 4096, 4096)).collect();
    let all = plan(&all);
    let (rows, _) = rows(&all, None);
    assert_eq!(rows[0].blocks.len(), 1);
    assert_eq!(rows[0].blocks[0].what, What::Merged(100));
    let stacked: Vec<MemoryVariable> =
        (0..20).map(|id| variable(id, u64::from(id) * MIB, 200 * MIB)).collect();
    let stacked = plan(&stacked);
    let (rows, _) = super::rows(&stacked, None);
    assert_eq!(rows[0].lanes, 6);
    assert_eq!(rows[0].blocks[5].what, What::Merged(15));
}

#[test]
fn a_map_of_the_used_bytes_is_a_round_number_wide() {
    let few = plan(&[variable(1, 0, 9 * MIB), variable(2, 9 * MIB, MIB)]);
    assert_eq!(used_width(&rows(&few, None).0), Some(16 * MIB));
    assert_eq!(used_width(&rows(&plan(&[variable(1, 400 * MIB, MIB)]), None).0), None);
    assert_eq!(used_width(&rows(&plan(&[]), None).0), None);
    let (rows, _) = rows(&few, Some(16 * MIB));
    assert_eq!(shown(&rows[0]), [(1, 0, 0.0, 9.0 / 16.0), (2, 0, 9.0 / 16.0, 1.0 / 16.0)]);
}

#[test]
fn padding_stands_before_its_slice() {
    let mut plan = plan(&[variable(1, 0, 100 * MIB), variable(2, 512 * MIB, MIB)]);
    plan.slices.push(MemorySlice {
        file: 0,
        subgraph: Some("sg01".to_owned()),
        offset: 512 * MIB,
        bytes: MIB,
        padding_bytes: 412 * MIB,
    });
    let (rows, _) = rows(&plan, None);
    let padding = rows[0].blocks.iter().find(|one| one.what == What::Padding);
    assert_eq!(padding.map(|one| (one.start, one.width)), Some((100.0 / 512.0, 412.0 / 512.0)));
    assert!(rows[1].blocks.iter().all(|one| one.what != What::Padding));
}
