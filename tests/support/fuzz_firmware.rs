//! Fuzz body of firmware memory: any bytes are a dump in each generation, and a table of entries.

use device_image::firmware::text::{TextForm, print};
use device_image::firmware::{FirmwareDump, SpadTable, likely_arch, tree};
use neff::Findings;
use records::collectives::{ContextArch, SpadCtrlEntry};

/// Takes the first two bytes for the place of the context. Structs and findings lie inside, fields
/// cover each struct, the strict text is JSON, entries come back, and twice gives the same.
///
/// # Panics
///
/// When one of these does not hold.
#[allow(clippy::unwrap_used, clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    let Some((&[low, high], bytes)) = data.split_first_chunk::<2>() else { return };
    // Most places are near the start; a few lie behind the end.
    let offset = u64::from(low) | u64::from(high & 1) << 16;
    for arch in ContextArch::ALL {
        let dump = FirmwareDump { bytes, arch, offset };
        let mut findings = Findings::new();
        dump.check(&mut findings);
        let mut again = Findings::new();
        dump.check(&mut again);
        assert_eq!(findings, again);
        let context_end = offset + arch.context_bytes() as u64;
        for one in findings.as_slice() {
            let at = one.at.offset.unwrap();
            assert!((offset..context_end).contains(&at), "{one:?}");
        }
        for one in dump.structs() {
            let start = dump.start(&one);
            assert!(start + one.layout.bytes as u64 <= bytes.len() as u64);
            let fields = dump.fields(&one);
            let mut next = start;
            for field in &fields {
                assert!(field.offset <= start + one.layout.bytes as u64);
                let gap_is_told = !one.without.is_empty();
                assert!(field.offset <= next || gap_is_told, "{} {}", one.name, field.name);
                next = next.max(field.offset + field.bytes);
            }
            assert!(next <= start + one.layout.bytes as u64);
        }
        if let Some(context) = dump.context() {
            let tree = tree::context(&context, "a \"name\"\n", offset);
            let strict = print(&tree, TextForm::Strict);
            let json: serde_json::Value = serde_json::from_str(&strict.text).unwrap();
            assert_eq!(json["model_name"], "a \"name\"\n");
            let printed = &json["ncfw_ctx_top_sp"]["neff"]["op"]["ctrl_entry"];
            let entry = context.neff.op.ctrl_entry.entry();
            assert_eq!(word(printed), entry.printed().0);
            assert_eq!(print(&tree, TextForm::Firmware).status, 0);
        }
    }
    assert_eq!(likely_arch(bytes, offset), likely_arch(bytes, offset));
    let mut findings = Findings::new();
    let count = (high > 127).then_some(u64::from(high) * 5);
    let table = SpadTable::read(bytes, offset, count, &mut findings);
    let stored: Vec<u8> = table.entries.iter().flat_map(|entry| entry.to_bytes()).collect();
    let start = usize::try_from(offset).unwrap().min(bytes.len());
    assert!(bytes[start..].starts_with(&stored));
    for entry in &table.entries {
        assert_eq!(SpadCtrlEntry::of_fields(&entry.fields()), Ok(*entry));
    }
}

/// The word of a printed entry, by the formula.
fn word(printed: &serde_json::Value) -> u64 {
    let op = &printed["cc_op"];
    let number = |value: &serde_json::Value| value.as_u64().unwrap_or(u64::MAX);
    let channels = number(&op["ring"]["channel_list"]);
    let mesh = &op["mesh"];
    let halves = number(&mesh["sema_shift_offset"]) + number(&mesh["sema_mask"]) * 65_536;
    assert_eq!(channels, halves, "both views are the same bytes");
    number(&printed["header"]["cc_op"])
        + number(&op["algo_type"]) * 256
        + number(&op["algo_sub_type"]) * 4096
        + number(&op["trigger_next"]) * 32_768
        + number(&op["reporter"]) * 65_536
        + number(&op["ring_wait_complete"]) * 131_072
        + number(&op["ring_send_complete"]) * 262_144
        + channels * 4_294_967_296
}
