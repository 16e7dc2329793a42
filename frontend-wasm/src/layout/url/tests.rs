//! Addresses there and back.

use super::*;
use crate::layout::collectives::{Part as Side, Setup as CollSetup};
use crate::layout::state::Build;
use crate::layout::timeline::TraceSource;
use crate::layout::timeline::kept::Kept;
use crate::layout::timeline::scale::Unit;

#[test]
fn an_address_is_short_and_reads_back() {
    let state = State {
        session: "abc".to_owned(),
        view: View::Code,
        selection: Selection {
            s: "sg00".to_owned(),
            e: "PE".to_owned(),
            slot: Some(64),
            ip: Some(4),
            row: Some(70),
        },
        ..State::default()
    };
    assert_eq!(path(&state), "/f/abc/code?v=1&s=sg00&e=PE&slot=64");
    assert_eq!(view_of_path("/f/abc/code"), Some(View::Code));
    assert_eq!(view_of_path("/f/abc"), None);
    let (address, problems) = parse("v=1&s=sg00&e=pe&slot=0x40");
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(address, Address::of(&state));
}

#[test]
fn every_part_round_trips() {
    let mut choices = debug_api::RunChoices { alone: true, main_end: true, ..Default::default() };
    choices.toggle("stall", "a queue:3");
    choices.toggle("drop", "sg00:event:6:2");
    choices.read("seed", "7");
    let address = Address {
        s: Some("a b&c=ä".to_owned()),
        e: Some("SP".to_owned()),
        slot: None,
        ip: Some(2),
        pc: Some("0x100140".to_owned()),
        profile: Some("cayman-r2.27".to_owned()),
        core: Some(5),
        base: Some("0x1000".to_owned()),
        theme: Some(Theme::Dark),
        all_cores: true,
        regions_mode: RegionsMode::Both,
        patches_hidden: true,
        modelled: true,
        ntff: Some(2),
        compare: true,
        only: true,
        source_filter: SourceFilter::Hlo,
        expanded: true,
        rec: Some("functions.0".to_owned()),
        loader: Loader { device: Some("mariana"), library: Some("none") },
        at: Some(0x40),
        of: BytesOf { of: "member".to_owned(), name: Some("sg00/PE.bin".to_owned()), f: Some(1) },
        len: Some(4),
        text: true,
        part: Part::Addresses,
        mode: Shown::Both,
        setup: Setup {
            page_size: Some(1 << 30),
            generation: Some("mariana".to_owned()),
            hbm: Some(1 << 34),
            one: true,
        },
        bank: Some(3),
        whole: true,
        var: VarRef::parse("1.sg00.118"),
        addr: Some("0x2802700020".to_owned()),
        collectives: CollectivesAddress {
            part: Side::Ranks,
            setup: CollSetup {
                algorithm: Some("kangaring".to_owned()),
                world: Some(8),
                node: Some(4),
                channels: Some(16),
            },
            patterns: true,
            top_sp: Some(3),
            rank: 2,
            entry: Some((12, Some(3))),
            field: Some("algo_type".to_owned()),
            step: 7,
            node: Some(5),
            word: Some("0100".to_owned()),
        },
        timeline: TimelineAddress {
            trace: Some(TraceSource::Simulated),
            window: Some((10, 20)),
            range: Some((12, 15)),
            unit: Some(Unit::Cycles),
            table: true,
            kept: Kept { pins: vec!["S[5]".to_owned()], marks: vec![(7, 7)], now: None },
        },
        run: RunAddress { choices, run: true },
    };
    assert!(address.query().starts_with("v=1&s=a%20b%26c%3D%C3%A4&e=SP&ip=2&pc=0x100140"));
    assert_eq!(parse(&address.query()), (address, Vec::new()));
}

#[test]
fn a_deleted_record_is_named_by_its_ip() {
    let state = State {
        selection: Selection { ip: Some(2), ..Selection::default() },
        build: Build { core: Some(4), ..Build::default() },
        ..State::default()
    };
    assert_eq!(path(&state), "/local/regions?v=1&ip=2&core=4");
}

#[test]
fn what_cannot_be_used_is_named_and_the_rest_is_used() {
    let (address, problems) = parse("?v=9&slot=x&e=ACT&ip=0&zz=1".trim_start_matches('?'));
    assert_eq!(address.e.as_deref(), Some("ACT"));
    assert_eq!(address.slot, None);
    assert_eq!(problems.len(), 4);
    assert!(problems[0].contains("v=9"));
    assert_eq!(problems[1], "slot=x is no slot number");
    assert_eq!(problems[2], "ip=0 is no NEFF IP, which counts from 1");
    assert_eq!(problems[3], "`zz` is no key that this version knows");
}

#[test]
fn broken_percent_signs_stay() {
    assert_eq!(decode("a%2"), "a%2");
    assert_eq!(decode("100%"), "100%");
    assert_eq!(decode("%e2%82%ac+x"), "€ x");
}
