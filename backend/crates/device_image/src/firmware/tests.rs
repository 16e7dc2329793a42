//! The text of the printer byte for byte, counts of writes, findings with their places.

use super::check::likely_arch;
use super::text::{Member, TextForm, print, print_member};
use super::*;
use neff::Findings;
use records::collectives::{Context, ContextArch, SpadCtrlEntry};

/// The worked text of entry RING-2.
const RING_2: &str = r#""ctrl_entry": {
  "header": {
    "cc_op": 1
  },
  "cc_op": {
    "algo_type": 0,
    "algo_sub_type": 0,
    "trigger_next": 0,
    "reporter": 1,
    "ring_wait_complete": 1,
    "ring_send_complete": 0,
    "ring": {
      "channel_list": 15
    },
    "mesh": {
      "sema_shift_offset": 15,
      "sema_mask": 0
    }
  }
}
"#;

#[test]
fn the_text_of_an_entry() {
    let one = text::member("ctrl_entry", tree::ctrl_entry(SpadCtrlEntry(0x0000_000F_0003_0001)));
    assert_eq!(print_member(&one, 0, true, TextForm::Firmware), RING_2);
    assert_eq!(print_member(&one, 0, true, TextForm::Strict), RING_2);
}

/// The worked text of a device with made-up values.
const DEV: &str = r#""dev": {
  "tsync": {
    "dma_apb_rsvd_addr": {
      "soc_addr": "0x0000008280080000"
    },
    "eng_tpb": {
      "addr": {
        "soc_addr": "0x0000002802700000"
      }
    },
    "timestamp_local": {
      "addr": {
        "soc_addr": "0x0000008280000000"
      }
    },
    "timestamp_tpb": {
      "addr": {
        "soc_addr": "0x0000008280000004"
      }
    },
    "timestamp_tpb_val": 1024
  },
  "tpb_id": 0x3,
  "seng_id": 0x1,
  "dev_id": (nil),
  "tpb_ctrl_ack": 555819304992
}
"#;

#[test]
fn the_text_of_a_device_and_its_strict_form() {
    let mut bytes = [0_u8; 48];
    for (at, word) in [
        (0x00, 0x82_8008_0000_u64),
        (0x08, 0x28_0270_0000),
        (0x10, 0x82_8000_0000),
        (0x18, 0x82_8000_0004),
        (0x20, 1024),
        (0x24, 555_819_304_992),
    ] {
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes[0x2C] = 0x13;
    let raw = records::collectives::device::RawDevConfigs::of(&bytes).unwrap().0;
    let one = text::member("dev", tree::dev_configs(raw));
    assert_eq!(print_member(&one, 0, true, TextForm::Firmware), DEV);
    let strict = print_member(&one, 0, true, TextForm::Strict);
    let plain = DEV.replace("0x3,", "3,").replace("0x1,", "1,").replace("(nil)", "0");
    assert_eq!(strict, plain);
}

/// Numbers of writes from the sizes of the code, counted apart from this program.
#[test]
fn writes_of_the_counted_functions() {
    let counted: Vec<_> = writes::printers()
        .into_iter()
        .filter_map(|one| Some((one.printer.family, one.writes?, one.fits()?)))
        .collect();
    let expected = [
        ("spad_ctrl_entry_header", 9, true),
        ("spad_ctrl_cc_op_entry", 49, true),
        ("spad_ctrl_entry", 5, false),
        ("addr (leaf)", 7, true),
        ("kring_peer_semas", 33, true),
        ("ring_channels_configs", 65, true),
        ("dev_tsync", 39, true),
        ("dev_configs", 21, true),
        ("neff_configs", 68, true),
        ("op_ctx", 27, true),
        ("basic_block_ctx", 10, true),
        ("neff_ctx", 9, true),
    ];
    assert_eq!(counted, expected);
}

fn whole(arch: ContextArch) -> Vec<u8> {
    vec![0; arch.context_bytes()]
}

fn codes(bytes: &[u8], arch: ContextArch, offset: u64) -> Vec<(&'static str, u64)> {
    let mut findings = Findings::new();
    FirmwareDump { bytes, arch, offset }.check(&mut findings);
    findings.as_slice().iter().map(|one| (one.code, one.at.offset.unwrap())).collect()
}

#[test]
fn a_text_has_all_rows_and_the_tree_of_a_context() {
    for arch in ContextArch::ALL {
        let bytes = whole(arch);
        let context = Context::of(arch, &bytes).unwrap();
        let printed = print(&tree::context(&context, "m", 0x1000), TextForm::Firmware);
        assert_eq!(printed.status, 0);
        let lines: Vec<&str> = printed.text.lines().collect();
        assert_eq!(
            &lines[..4],
            &["{", "  \"model_name\": \"m\",", "  \"ncfw_ctx_top_sp\": {", "    \"configs\": {",]
        );
        assert_eq!(&lines[lines.len() - 3..], &["    }", "  }", "}"]);
        let count = |text: &str| printed.text.matches(text).count();
        assert_eq!(count("\"event_type\""), arch.events());
        assert_eq!(count("\"channel_id\""), 32);
        assert_eq!(count("\"recv_cnt\""), 32);
        assert_eq!(count("\"table\": [\n"), 1);
        let neff = if arch == ContextArch::Sunda { 0x2228 } else { 0x3448 };
        // The member's own place.
        let pring = format!("\"pring_base_addr\": {:#x},", 0x1000 + neff + 2496 + 0x408);
        assert_eq!(count(&pring), 1, "{pring}");
    }
}

#[test]
fn a_text_that_is_too_long_is_cut() {
    let long = text::Node::Object(vec![Member {
        key: "model_name".to_owned(),
        numbered: false,
        node: text::Node::Text("x".repeat(0x10_0000)),
    }]);
    let printed = print(&long, TextForm::Firmware);
    assert_eq!((printed.text.len(), printed.status), (0x10_0000, 28));
}

#[test]
fn a_dump_that_is_too_short_shows_what_is_whole() {
    let bytes = vec![0xFF; 200];
    let dump = FirmwareDump { bytes: &bytes, arch: ContextArch::Cayman, offset: 50 };
    let names: Vec<String> = dump.structs().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["configs.algo.ring.channels.0"]);
    assert!(dump.context().is_none());
    let found = codes(&bytes, ContextArch::Cayman, 50);
    assert_eq!(found[0], ("dump.too-short", 50 + 148));
    assert_eq!(codes(&bytes, ContextArch::Cayman, 1 << 40)[0].0, "dump.too-short");
}

#[test]
fn oddities_with_their_places() {
    let arch = ContextArch::Mariana;
    let mut bytes = vec![0; 16 + arch.context_bytes()];
    let mut put = |at: usize, new: &[u8]| bytes[16 + at..16 + at + new.len()].copy_from_slice(new);
    put(148 + 140, &[32]);
    put(2 * 148 + 140, &[5]);
    put(24, &[4]);
    put(141, &[6]);
    put(144, &[4]);
    put(88, &[7]);
    put(104, &[7]);
    put(0x1280 + 0x4D, &[3]);
    put(0x1280 + 0x4C, &[53]);
    put(0x3448 + 3584, &[1, 2]);
    put(0x3448 + 3590, &[3]);
    put(0x3448 + 3560, &[0xAA]);
    put(0x3448 + 3568, &[0xAA]);
    put(0x4280, &[1, 12, 1, 0]);
    put(0x4280 + 24, &[1, 2, 0, 0]);
    put(0x4280 + 28, &[1, 0xEE]);
    let found = codes(&bytes, arch, 16);
    let neff = 16 + 0x3448;
    let expected = [
        ("dump.fold", 16 + 24),
        ("dump.slot", 16 + 141),
        ("dump.peers", 16 + 144),
        ("dump.chain-circle", 16 + 104),
        ("dump.channel-id", 16 + 148 + 140),
        ("dump.channel-row", 16 + 2 * 148 + 140),
        ("dump.event-counts", 16 + 0x1280 + 0x4D),
        ("dump.event-type", 16 + 0x1280 + 0x4C),
        ("dump.reserved", 16 + 0x4280 + 29),
        ("dump.count", neff + 3584),
        ("dump.completions", neff + 3590),
        ("dump.chain-circle", neff + 3560),
        ("dump.algorithm", 16 + 0x4280 + 1),
        ("dump.op-index", 16 + 0x4280 + 24),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_likely_generation() {
    for arch in [ContextArch::Sunda, ContextArch::Cayman] {
        let mut bytes = vec![0; 0x5000];
        let neff = if arch == ContextArch::Sunda { 0x2228 } else { 0x3448 };
        // An executable of two operations.
        bytes[neff + 2192] = 0x40;
        bytes[neff + 3584] = 2;
        assert_eq!(likely_arch(&bytes, 0), arch);
    }
    assert_eq!(likely_arch(&whole(ContextArch::Sunda), 0), ContextArch::Sunda);
    // A dump of cayman that ends after the device's clock, and so has no whole context.
    let mut cut = vec![0; 0x4250 + 36];
    cut[0x3448 + 2192] = 0x40;
    cut[0x3448 + 3584] = 2;
    assert_eq!(likely_arch(&cut, 0), ContextArch::Cayman);
    let layout = |bytes: &[u8], arch| {
        let mut findings = Findings::new();
        FirmwareDump { bytes, arch, offset: 0 }.check_layout(&mut findings);
        findings.as_slice().iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(layout(&cut, ContextArch::Cayman), [""; 0]);
    assert_eq!(layout(&cut, ContextArch::Sunda), ["dump.layout"]);
    assert_eq!(likely_arch(&[], 0), ContextArch::Cayman);
}

#[test]
fn tables_say_what_is_missing() {
    let read = |bytes: &[u8], offset, count| {
        let mut findings = Findings::new();
        let table = SpadTable::read(bytes, offset, count, &mut findings);
        let found: Vec<(&str, u64)> =
            findings.as_slice().iter().map(|one| (one.code, one.at.offset.unwrap())).collect();
        (table.entries.len(), found)
    };
    let ring = [1, 0, 1, 0, 1, 0, 0, 0];
    assert_eq!(read(&ring.repeat(3), 8, None), (2, vec![]));
    assert_eq!(read(&ring.repeat(3)[..20], 0, None), (2, vec![("spad.cut-short", 16)]));
    assert_eq!(read(&ring.repeat(3), 0, Some(4)), (3, vec![("spad.cut-short", 24)]));
    assert_eq!(read(&ring.repeat(600), 0, None), (512, vec![]));
    assert_eq!(read(&ring.repeat(600), 0, Some(513)), (513, vec![("spad.count", 4096)]));
    assert_eq!(
        read(&ring, 100, Some(u64::MAX)),
        (0, vec![("spad.count", 100 + 4096), ("spad.cut-short", 100)])
    );
    let odd = [1, 0x80 | 12, 0xE0, 0, 0, 0, 0, 0];
    let found = vec![("spad.reserved", 0), ("spad.algorithm", 1), ("spad.chain-open", 1)];
    assert_eq!(read(&odd, 0, None), (1, found));
}

/// Memory whose every byte differs from its neighbours, with counts that are in range.
fn patterned(arch: ContextArch, seed: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        (0..arch.context_bytes()).map(|at| (at * 131 + at / 7 + seed * 29) as u8).collect();
    for row in 0..32 {
        for fold in [24, 52] {
            bytes[row * 148 + fold] = ((row + seed) % 4) as u8;
        }
    }
    bytes
}

/// What was read prints the same text again, for all generations, in both forms.
#[test]
fn a_text_is_read_back() {
    for (seed, arch) in ContextArch::ALL.into_iter().enumerate() {
        let bytes = patterned(arch, seed);
        let first = Context::of(arch, &bytes).unwrap();
        for form in [TextForm::Firmware, TextForm::Strict] {
            let text = print(&tree::context(&first, "a model", 0x8280_0000), form).text;
            let mut findings = Findings::new();
            let read = reader::read(&text, Some(arch), &mut findings).unwrap();
            assert_eq!(findings.as_slice(), []);
            assert_eq!(
                (read.model_name.as_deref(), read.base),
                (Some("a model"), Some(0x8280_0000))
            );
            assert!(read.tells_arch && read.values > 1_000);
            // Every bit that is told is that of the memory.
            let is_told = |(at, known): (usize, &u8)| (read.bytes[at] ^ bytes[at]) & known == 0;
            assert!(read.known.iter().enumerate().all(is_told));
            let again = Context::of(arch, &read.bytes).unwrap();
            assert_eq!(print(&tree::context(&again, "a model", 0x8280_0000), form).text, text);
            // The layout is that of the number of events.
            let without = reader::read(&text, None, &mut Findings::new()).unwrap();
            assert_eq!(without.arch.events(), arch.events());
        }
    }
}

/// RING-2 and the worked device: what is told, and which bits stay open, by hand.
#[test]
fn objects_alone_are_read_back() {
    let read = |text: &str| reader::read(text, None, &mut Findings::new()).unwrap();
    let entry = read(RING_2);
    assert_eq!(entry.bytes[0x4280..0x4288], [1, 0, 3, 0, 0x0F, 0, 0, 0]);
    assert_eq!(entry.known[0x4280..0x4288], [1, 0xFF, 7, 0, 0xFF, 0xFF, 0xFF, 0xFF]);
    assert_eq!(entry.known.iter().filter(|byte| **byte != 0).count(), 7);
    let dev = read(DEV);
    assert_eq!(dev.bytes[0x4250..0x4258], 0x82_8008_0000_u64.to_le_bytes());
    assert_eq!(dev.bytes[0x4268..0x4270], 0x82_8000_0004_u64.to_le_bytes());
    assert_eq!(dev.bytes[0x4274..0x427C], 555_819_304_992_u64.to_le_bytes());
    assert_eq!((dev.bytes[0x427C], dev.bytes[0x427D]), (0x13, 0));
    assert_eq!((dev.known[0x427C], dev.known[0x427D], dev.known[0x427E]), (0xFF, 0x0F, 0));
    // The same as strict JSON, in braces, and with the name of the model inside.
    let strict = DEV.replace("0x3,", "3,").replace("0x1,", "1,").replace("(nil)", "0");
    let inside =
        format!("{{\"ncfw_ctx_top_sp\": {{\"model_name\": \"m\", \"configs\": {{{DEV}}}}}}}");
    for (text, name) in [(format!("{{{strict}}}"), None), (inside, Some("m"))] {
        let other = read(&text);
        assert_eq!((&other.bytes, other.model_name.as_deref()), (&dev.bytes, name));
    }
}

#[test]
fn texts_that_are_none_or_contradict_themselves() {
    let error = |text: &str| reader::read(text, None, &mut Findings::new()).unwrap_err();
    assert_eq!((error("{").at, error("{").expected), (1, "a key in quotes"));
    for (text, at) in [
        ("{\"a\" 1}", 5),
        ("{\"a\": }", 6),
        ("{\"a\": 18446744073709551616}", 6),
        ("{\"a\": [1 2]}", 9),
        ("{\"a\": 1} x", 9),
        ("\"a", 2),
        ("nonsense", 0),
    ] {
        assert_eq!(error(text).at, at, "{text}");
    }
    assert_eq!(error(&"{\"a\":".repeat(100)).expected, "at most 64 levels");
    let found = |text: &str| {
        let mut findings = Findings::new();
        let read = reader::read(text, None, &mut findings).unwrap();
        let list: Vec<_> =
            findings.as_slice().iter().map(|one| (one.code, one.at.offset)).collect();
        (read.values, list)
    };
    assert_eq!(found("{}"), (0, vec![]));
    let value = ("dump.text-value", Some(26));
    assert_eq!(
        found("{\"cc_op\": {\"algo_type\": 16 }}"),
        (0, vec![("dump.text-value", Some(24))])
    );
    assert_eq!(found("{\"dev\": {\"tpb_id\":        \"x\"}}"), (0, vec![value]));
    assert_eq!(found("{\"tea\": 1}"), (0, vec![("dump.text-name", Some(8))]));
    let views = RING_2.replace("\"sema_shift_offset\": 15", "\"sema_shift_offset\": 14");
    let at = views.find("14").map(|at| at as u64);
    assert_eq!(found(&views), (10, vec![("dump.text-views", at)]));
    let ring = "{\"configs\": {\"algo\": {\"ring\": {\"channels\": [{\"channel_id\": 3}]}}}}";
    assert_eq!(found(ring), (0, vec![("dump.text-place", Some(59))]));
    // An address has no sign; the strict form's escapes are read, others stay as they are.
    let signed = "{\"dev\": {\"tsync\": {\"eng_tpb\": {\"addr\": {\"soc_addr\": \"0x+1\"}}}}}";
    assert_eq!(found(signed), (0, vec![("dump.text-value", Some(52))]));
    for (text, name) in [
        (r#"{"model_name": "\u0041\u000a\"\\"}"#, "A\n\"\\"),
        (r#"{"model_name": "\u+041 \ud800 \x"}"#, r"\u+041 \ud800 \x"),
    ] {
        let made = reader::read(text, None, &mut Findings::new()).unwrap();
        assert_eq!(made.model_name.as_deref(), Some(name));
    }
}
