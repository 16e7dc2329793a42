//! Whether a model fits, where something else decides: files that a loader refuses, values that could
//! not be read, sums beyond 2^64, alignments that nothing can have, modes that the runtime does not
//! give. Each file is the case `memory` with one change; its numbers are worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use serde_json::{Value, json};
use support::asking::{ask_text as ask, session};
use support::case::{Case, change};
use support::fixtures::case;
use support::neff_builder::build;
use support::workspace_root;

const DEF: &str = "sg00/def.json";
const KELF: &str = "kelf-0.json";

/// Member, text in it, and what it becomes.
type Change<'a> = (&'a str, &'a str, &'a str);

fn memory_of(case: &Case, question: &str) -> Value {
    ask(&session(&[("m.neff", build(case).unwrap())]), question)
}

fn changed(changes: &[Change<'_>], question: &str) -> Value {
    let mut case = case(&workspace_root(), "memory").unwrap();
    for (member, from, to) in changes {
        change(&mut case, member, from, to);
    }
    memory_of(&case, question)
}

/// Verdict, verdict on memory alone, and yes or no.
fn verdicts(answer: &Value) -> [Value; 3] {
    ["verdict", "memory_verdict", "fits"].map(|key| answer[key].clone())
}

const PLAIN: &str = r#"{"ask":"memory"}"#;

#[test]
fn what_a_loader_refuses_does_not_fit() {
    let nine = r#""var_id": 3, "shape": [1, 1, 1, 1, 1, 1, 1, 1, 1],"#;
    let table: [(Change<'_>, Option<&str>); 9] = [
        ((DEF, r#""type": "output""#, r#""type": "input""#), Some("no Outputs")),
        (
            (DEF, r#""var_id": 8"#, r#""var_id": 12"#),
            Some("Unexpected var_ids set! max=12, size=9"),
        ),
        ((DEF, r#""var_id": 3,"#, ""), Some("missing <var_id>")),
        (
            (DEF, r#""var_id": 3,"#, r#""var_id": 3, "dtype": "abcdefghijklmnop","#),
            Some("Device print dtype abcdefghijklmnop has 16 char"),
        ),
        ((DEF, r#""var_id": 3,"#, nine), Some("Device print only supports shape dimentions")),
        ((KELF, "cayman", "tea"), Some("Invalid target = 0")),
        (
            (
                DEF,
                r#""dma_queue": {},"#,
                r#""runtime_statebuffer_reservation": [{"type": "mine"}],"#,
            ),
            Some("Invalid runtime_statebuffer_reservation type mine"),
        ),
        (
            (
                DEF,
                r#""dma_queue": {},"#,
                r#""runtime_statebuffer_reservation": [{"type": "evtaccel", "offset": 0}],"#,
            ),
            None,
        ),
        (("neff.json", r#""func_name": "__kelf""#, r#""func_name": "__tea""#), None),
    ];
    for (change, text) in table {
        let answer = changed(&[change], PLAIN);
        assert_eq!(
            verdicts(&answer),
            [json!("refused"), json!("fits"), json!(false)],
            "{change:?}"
        );
        let first = &answer["refusals"][0];
        assert_eq!(first["text"], json!(text), "{change:?}: {first}");
        assert_eq!((&answer["n_refusals"], &first["provenance"]), (&json!(1), &json!("observed")));
        // What is known is shown: three pages as without the change.
        assert_eq!(answer["n_pages"], 3, "{change:?}");
    }
    // The need of an unknown type is not known either, and that it is refused is concluded.
    let answer = changed(&[(DEF, "tmp-buf", "tea")], PLAIN);
    assert_eq!(verdicts(&answer), [json!("refused"), json!("unknown"), json!(false)]);
    assert_eq!(answer["refusals"][0]["provenance"], "inferred");
    let answer = changed(&[(DEF, r#""type": "tmp-buf","#, "")], PLAIN);
    assert_eq!(answer["refusals"][0]["text"], "Failed to parse, key: type");
    // A question about the other subgraph is about the same file.
    let changes = [(DEF, r#""type": "output""#, r#""type": "input""#)];
    let other = changed(&changes, r#"{"ask":"memory","s":"sg01"}"#);
    assert_eq!((&other["verdict"], &other["n_refusals"]), (&json!("refused"), &json!(1)));
    assert_eq!(other["refusals"][0]["at"]["subgraph"], "sg00");
    // Refused, and too large: both are told.
    let short = changed(&changes, r#"{"ask":"memory","hbm":1073741824}"#);
    assert_eq!(verdicts(&short), [json!("refused"), json!("short"), json!(false)]);
    assert_eq!(changed(&[], PLAIN)["refusals"], Value::Null);
    assert_eq!(verdicts(&changed(&[], PLAIN)), [json!("fits"), json!("fits"), json!(true)]);
}

/// The case with so many subgraphs for a logical core of so many physical ones.
fn with_subgraphs(count: usize, cores: u64) -> Case {
    let mut case = case(&workspace_root(), "memory").unwrap();
    case.header.lnc_size = Some(u32::try_from(cores).unwrap());
    let graphs: Vec<String> = (0..count)
        .map(|at| format!(r#"{{"definition": "sg01/def.json", "name": "sg{at:02}"}}"#))
        .collect();
    let kelf = case.members.iter_mut().find(|one| one.name == KELF).unwrap();
    let text =
        format!(r#"{{"graphs": [{}], "version": "0.5", "target": "cayman"}}"#, graphs.join(", "));
    kelf.text = Some(text);
    case
}

#[test]
fn subgraphs_and_cores_have_to_agree() {
    // Subgraphs, cores, what is said: one subgraph always loads, two on two cores do.
    let table = [
        (1, 1, None),
        (1, 2, None),
        (2, 2, None),
        (2, 1, Some(json!("Insufficient number of pncs, required 2, available 1"))),
        (3, 1, Some(json!("Insufficient number of pncs, required 3, available 1"))),
        (3, 2, Some(json!("Insufficient number of pncs, required 3, available 2"))),
        (2, 4, Some(Value::Null)),
        (200, 2, Some(json!("Insufficient number of pncs, required 200, available 2"))),
    ];
    for (count, cores, expected) in table {
        let answer = memory_of(&with_subgraphs(count, cores), PLAIN);
        let what = format!("{count} subgraphs, {cores} cores");
        let Some(text) = expected else {
            assert_eq!(answer["fits"], true, "{what}");
            continue;
        };
        assert_eq!(
            (&answer["verdict"], &answer["fits"]),
            (&json!("refused"), &json!(false)),
            "{what}"
        );
        assert_eq!(
            (&answer["refusals"][0]["text"], &answer["n_refusals"]),
            (&text, &json!(1)),
            "{what}"
        );
        assert_eq!(answer["refusals"][0]["at"]["offset"], 0x228, "{what}");
        // The view has its rows all the same; as many subgraphs as the limit are read.
        assert_eq!(answer["subgraphs"].as_array().unwrap().len(), count.min(64), "{what}");
    }
    // The first programs of the long list have images, those for cores that are not there have none.
    let many = memory_of(&with_subgraphs(200, 2), PLAIN);
    let unread = many["unread"].as_array().unwrap();
    assert!(
        unread[0]["what"].as_str().unwrap().starts_with("no image of its engines"),
        "{unread:?}"
    );
}

#[test]
fn what_could_not_be_read_is_not_known_to_fit() {
    let size = r#""size": 209715200"#;
    let offset = r#""backing_variable_off": 104857600"#;
    let table: [(Change<'_>, &str, &str); 9] = [
        ((DEF, size, r#""size": -1"#), "scores", "has a size that is no number"),
        ((DEF, size, r#""size": "200 MiB""#), "scores", "has a size that is no number"),
        ((DEF, size, r#""size": 1.5"#), "scores", "has a size that is no number"),
        ((DEF, size, r#""size": 18446744073709551616"#), "scores", "has a size that is no number"),
        ((DEF, size, r#""size": null"#), "scores", "has no size"),
        ((DEF, r#""size": 8388608"#, r#""size": -8388608"#), "scratch", "has a size"),
        ((DEF, offset, r#""backing_variable_off": -1"#), "gathered", "has an offset"),
        (
            (DEF, r#""size": 8388608"#, r#""size": 8388608, "alignment": "page""#),
            "scratch",
            "has an alignment",
        ),
        ((DEF, r#""var": {"#, r#""var": {"tea": 5,"#), "", "one entry of the table of variables"),
    ];
    for (change, name, what) in table {
        let answer = changed(&[change], PLAIN);
        let expected = [json!("unknown"), json!("unknown"), Value::Null];
        assert_eq!(verdicts(&answer), expected, "{change:?}");
        let unread = &answer["unread"][0];
        assert_eq!((&unread["name"], &unread["subgraph"]), (&json!(name), &json!("sg00")));
        assert!(unread["what"].as_str().unwrap().starts_with(what), "{unread}");
        assert_eq!(answer["n_unread"], 1);
        // What does not fit without it does not fit with it.
        let short = changed(&[change], r#"{"ask":"memory","hbm":1073741824}"#);
        assert_eq!(verdicts(&short), [json!("short"), json!("short"), json!(false)], "{change:?}");
    }
    // Nothing of a definition that is no document, or that is not there.
    for (member, from, to) in [(DEF, "\"var\": {", "\"var\" {"), (KELF, DEF, "sg00/tea.json")] {
        let answer = changed(&[(member, from, to)], PLAIN);
        let expected = [json!("refused"), json!("unknown"), json!(false)];
        assert_eq!(verdicts(&answer), expected, "{member}");
        assert_eq!(answer["unread"][0]["what"], "its definition could not be read");
    }
    // A pointer needs no memory of its own, a table neither.
    let pointer = r#""var_id": 3, "type": "pointer", "size": 8,"#;
    let answer = changed(&[(DEF, r#""var_id": 3,"#, pointer)], PLAIN);
    assert_eq!(answer["unread"], Value::Null);
    // The only virtual variable has no size: it is still one.
    let none = r#"{"SB": {"type": "state-buffer", "var_id": 0}, "y": {"type": "output", "size": 4, "var_id": 1},
        "v": {"type": "virtual", "size": -4, "var_id": 2}}"#;
    let mut one = with_subgraphs(1, 1);
    let def = one.members.iter_mut().find(|one| one.name == "sg01/def.json").unwrap();
    def.text = Some(format!(r#"{{"sp": "SP.json", "dma_queue": {{}}, "var": {none}}}"#));
    let answer = memory_of(&one, PLAIN);
    assert_eq!((&answer["n_virtual"], &answer["n_pages"]), (&json!(1), &json!(0)));
    assert_eq!(answer["verdict"], "unknown");
}

#[test]
fn sums_beyond_64_bits_are_told() {
    let half = 1_u64 << 63;
    let wide = format!(r#""size": {half}"#);
    let category = |answer: &Value, name: &str| {
        let all = answer["subgraphs"][0]["categories"].as_array().unwrap().clone();
        all.into_iter().find(|one| one["name"] == name).unwrap()
    };
    let said = |answer: &Value| -> Vec<String> {
        let all = answer["diagnostics"].as_array().unwrap().iter();
        let own = all.filter(|one| one["code"] == "memory.sum");
        own.map(|one| one["message"].as_str().unwrap().to_owned()).collect()
    };
    // An input and an output of 2^63 bytes: 2^64.
    let both = [(DEF, r#""size": 4194304"#, &*wide), (DEF, r#""size": 4194304"#, &*wide)];
    let answer = changed(&both, PLAIN);
    let tensor = category(&answer, "tensor");
    assert_eq!((&tensor["bytes"], &tensor["exceeds"]), (&json!(u64::MAX), &json!(true)));
    assert_eq!(tensor["provenance"], "modelled");
    assert!(said(&answer).iter().any(|text| text.contains("sg00") && text.contains("tensor")));
    assert_eq!(answer["fits"], false);
    // One of them is exact.
    let answer = changed(&both[..1], PLAIN);
    let tensor = category(&answer, "tensor");
    assert_eq!((&tensor["bytes"], &tensor["exceeds"]), (&json!(half + 4_194_304), &Value::Null));
    assert_eq!((&tensor["provenance"], said(&answer).len()), (&json!("observed"), 0));
    // A virtual variable that ends at 2^64: there is no such need.
    let far = format!(r#""backing_variable_off": {}"#, u64::MAX - 125_829_120 + 1);
    let answer = changed(&[(DEF, r#""backing_variable_off": 104857600"#, &far)], PLAIN);
    // What ends beyond is named with its place; the slice behind it has none.
    let ends: Vec<&Value> = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["code"] == "memory.beyond")
        .collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    let text = ends[0]["message"].as_str().unwrap();
    let sum = format!("{} + 125829120 bytes: beyond 2^64", u64::MAX - 125_829_120 + 1);
    let end = "`gathered` of sg00 ends at byte 18446744073709551616 of the local slice";
    assert!(text.contains(end) && text.contains(&sum), "{text}");
    assert!(text.ends_with("core 4 needs at least 18446744073709551615 bytes"), "{text}");
    assert_eq!(ends[0]["at"]["member"], DEF);
    assert!(ends[0]["at"]["offset"].as_u64().unwrap() > 0);
    assert!(ends[1]["message"].as_str().unwrap().starts_with("the local slice of sg01"));
    assert_eq!(ends[1]["at"]["member"], "sg01/def.json");
    assert_eq!((&answer["need_bytes"], &answer["need_at_least"]), (&json!(u64::MAX), &json!(true)));
    assert_eq!((&answer["fits"], &answer["provenance"]), (&json!(false), &json!("modelled")));
    let codes: Vec<&Value> =
        answer["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&json!("memory.refused")), "{codes:?}");
}

#[test]
fn what_is_asked_for_explains_what_is_short() {
    // The driver takes alignments up to 2^31 - 1, so a runtime asks for 2^40 bytes more instead.
    let scratch = r#""size": 8388608"#;
    let wide = r#""size": 64, "alignment": 1099511627776"#;
    let answer = changed(&[(DEF, scratch, wide)], PLAIN);
    let failure = &answer["failures"][0];
    let asked = (1_u64 << 40) + 64;
    assert_eq!((&failure["bytes"], &failure["alignment"]), (&json!(asked), &Value::Null));
    let largest = failure["largest_free_bytes"].as_u64().unwrap();
    assert_eq!(failure["short_bytes"], asked - largest);
    assert!(
        failure["what"].as_str().unwrap().contains("64 bytes for scratchpad at an alignment of")
    );
    // What it asks for more counts where the rest of it does.
    let plain = changed(&[(DEF, scratch, r#""size": 64"#)], PLAIN);
    let of = |answer: &Value| answer["subgraphs"][0]["categories"].as_array().unwrap().clone();
    let named = |answer: &Value| of(answer).into_iter().find(|one| one["name"] == "scratchpad");
    let (padded, without) = (named(&answer).unwrap(), named(&plain).unwrap());
    let more = padded["bytes"].as_u64().unwrap() - without["bytes"].as_u64().unwrap();
    assert_eq!((more, &padded["provenance"]), (1 << 40, &json!("modelled")));
    assert_eq!(without["provenance"], "observed");
    // With 2^63 the sum is no number for a size of 2^63: nothing was asked for, nothing is short.
    let beyond = r#""size": 9223372036854775808, "alignment": 9223372036854775808"#;
    let answer = changed(&[(DEF, scratch, beyond)], PLAIN);
    let failure = &answer["failures"][0];
    assert_eq!((&failure["bytes"], &failure["short_bytes"]), (&json!(0), &json!(0)));
    assert!(failure["what"].as_str().unwrap().contains("exceed 2^64"), "{failure}");
    // 1 GiB aligned: of 24 GiB less pools, 22 GiB begin at one; 22.5 are half a GiB short.
    let aligned = r#""size": 24159191040, "alignment": 1073741824"#;
    let answer =
        changed(&[(DEF, scratch, aligned)], r#"{"ask":"memory","s":"sg00","mode":"contiguous"}"#);
    let failure = &answer["failures"][0];
    assert_eq!(
        (&failure["bytes"], &failure["alignment"]),
        (&json!(24_159_191_040_u64), &json!(1 << 30))
    );
    // The region takes 12 pages of 64 MiB from the end, so that 21.25 GiB are left of those.
    assert_eq!(failure["largest_free_bytes"], (22_u64 << 30) - 12 * (64 << 20));
    assert_eq!(failure["short_bytes"], 24_159_191_040 - ((22_u64 << 30) - 12 * (64 << 20)));
}

#[test]
fn a_logical_core_of_one_core_stays_paged() {
    let question = r#"{"ask":"memory","mode":"contiguous","page_size":536870912}"#;
    let case = with_subgraphs(1, 1);
    let answer = memory_of(&case, question);
    // SP-43: paged, with the page size of the question.
    assert_eq!((&answer["mode"], &answer["mode_asked"]), (&json!("paged"), &json!("contiguous")));
    assert_eq!(
        (&answer["mode_provenance"], &answer["page_size"]),
        (&json!("observed"), &json!(512 << 20))
    );
    assert_eq!(answer["notes"], json!(["Contiguous Scratchpad feature is disabled on LNC 1"]));
    let codes: Vec<&Value> =
        answer["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&json!("memory.mode-gate")), "{codes:?}");
    assert!(!codes.contains(&&json!("memory.page-size-unused")), "{codes:?}");
    // It is the same plan as that of paged.
    let paged = memory_of(&case, r#"{"ask":"memory","mode":"paged","page_size":536870912}"#);
    for key in ["pages", "private", "hbms", "variables", "slices", "need_bytes"] {
        assert_eq!(answer[key], paged[key], "{key}");
    }
    // SUNDA has no such gate, nor have logical cores of two.
    let sunda = r#"{"ask":"memory","mode":"contiguous","generation":"sunda"}"#;
    let two = memory_of(&with_subgraphs(1, 2), question);
    for answer in [memory_of(&case, sunda), two] {
        assert_eq!((&answer["mode"], &answer["mode_asked"]), (&json!("contiguous"), &Value::Null));
        assert_eq!((&answer["page_size"], &answer["notes"]), (&json!(64 << 20), &json!([])));
    }
    // Nothing is remedied by a mode that the runtime does not give.
    let short = memory_of(&case, r#"{"ask":"memory","page_size":1048576,"hbm":67108864}"#);
    let kinds: Vec<&Value> =
        short["remedies"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert!(!kinds.contains(&&json!("contiguous")), "{kinds:?}");
}

#[test]
fn virtual_variables_lie_at_whole_4_kib() {
    // The first page of the first core begins behind the firmware's 16 MiB of its HBM.
    let mut odd = case(&workspace_root(), "every-record").unwrap();
    let text = odd.members.iter().find_map(|one| {
        let text = one.text.as_deref()?;
        let at = text.find("\"backing_variable_off\": ")?;
        let rest = text.get(at..)?;
        let end = rest.find([',', '}', '\n'])?;
        Some((one.name.clone(), rest.get(..end)?.to_owned()))
    });
    let (member, from) = text.unwrap();
    for (offset, refused) in [(4_095, true), (4_096, false), (1, true), (0, false)] {
        change(&mut odd, &member, &from, &format!("\"backing_variable_off\": {offset}"));
        let answer = memory_of(&odd, PLAIN);
        let found = answer["refusals"].as_array().cloned().unwrap_or_default();
        let own: Vec<&Value> =
            found.iter().filter(|one| one["code"] == "memory.unaligned").collect();
        assert_eq!(own.len(), usize::from(refused), "{offset}: {answer}");
        let list = answer["diagnostics"].as_array().unwrap();
        let told =
            list.iter().any(|one| one["code"] == "memory.unaligned" && one["severity"] == "error");
        assert_eq!(told, refused, "{offset}");
        if let [one] = own[..] {
            assert_eq!(one["text"], "need to be 4K aligned. Required by EFA for CC buffers");
            assert_eq!(one["provenance"], "inferred");
            assert_eq!(answer["verdict"], "refused");
            // The page of the variable says it too.
            let name = one["why"].as_str().unwrap().split('`').nth(1).unwrap();
            let variable = memory_of(&odd, &json!({ "ask": "variable", "name": name }).to_string());
            assert_eq!(variable["gates"][0]["text"], one["text"]);
            assert_eq!(variable["diagnostics"][0]["code"], "memory.unaligned");
        }
        change(&mut odd, &member, &format!("\"backing_variable_off\": {offset}"), &from);
    }
}

#[test]
fn page_sizes_are_judged_on_slices_packed_for_them() {
    // The case's private variable crosses at 1 GiB only where its slice lies with 512 MiB pages.
    let answer = changed(&[], PLAIN);
    assert_eq!(answer["advice"]["enough_page_size"], 1_u64 << 30);
    let large = changed(&[], r#"{"ask":"memory","page_size":1073741824}"#);
    assert_eq!(large["n_private"], 0);
}

#[test]
fn what_a_loader_refuses_stands_among_the_findings_of_the_file() {
    let mut odd = case(&workspace_root(), "memory").unwrap();
    let long = r#""var_id": 3, "dtype": "abcdefghijklmnop","#;
    change(&mut odd, DEF, r#""var_id": 3,"#, long);
    let has = |question: &str| {
        let answer = memory_of(&odd, question);
        let list = answer["diagnostics"].as_array().unwrap();
        list.iter().filter(|one| one["code"] == "kbin.dtype-text").count()
    };
    assert_eq!(has(r#"{"ask":"info","deep":true}"#), 1);
    // So does the page of the variable; others have none of it.
    assert_eq!(has(r#"{"ask":"variable","id":3}"#), 1);
    assert_eq!(has(r#"{"ask":"variable","id":2}"#), 0);
    let own = memory_of(&odd, r#"{"ask":"variable","id":3}"#);
    assert_eq!(own["gates"][0]["text"], "Device print dtype abcdefghijklmnop has 16 char");
    // A look at the file alone builds no tree.
    assert_eq!(has(r#"{"ask":"info"}"#), 0);
}

#[test]
fn instances_of_queues_and_known_types_are_no_surprise() {
    let file = build(&case(&workspace_root(), "every-record").unwrap()).unwrap();
    let answer = ask(&session(&[("m.neff", file)]), r#"{"ask":"info","deep":true}"#);
    let list = answer["diagnostics"].as_array().unwrap();
    let codes: Vec<&str> = list.iter().filter_map(|one| one["code"].as_str()).collect();
    assert!(!codes.contains(&"image.block-queue"), "{codes:?}");
    assert!(!codes.contains(&"image.queue-kind"), "{codes:?}");
    // Blocks of its instances are blocks of the queue: one is found under either name.
    assert!(codes.contains(&"image.queue-instances"), "{codes:?}");
    let case = case(&workspace_root(), "every-record").unwrap();
    let (bytes, mut findings) = (build(&case).unwrap(), neff::Findings::new());
    let package = neff::open(&bytes, &neff::Limits::default(), &mut findings).unwrap();
    let subgraph = device_image::from_neff::subgraph(&package, 0, &mut findings).unwrap();
    let by_name = subgraph.queue("q_data").unwrap();
    assert_eq!(subgraph.queue("q_data_b"), Some(by_name));
    assert_eq!(by_name.1.instances, ["q_data_a", "q_data_b"]);
    assert!(!by_name.1.blocks.is_empty());
}
