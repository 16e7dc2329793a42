//! What a plan of memory tells where numbers are no exact answer: lower bounds, the page table's end,
//! the least HBM, variables without an address, numbers that are no numbers. Each file is the case
//! `memory` with one change; its numbers are worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::answer::MemoryAnswer;
use serde_json::{Value, json};
use support::asking::{ask_text as ask, case as bytes_of, session};
use support::case::change;
use support::fixtures::case;
use support::neff_builder::build;
use support::workspace_root;

const DEF: &str = "sg00/def.json";
const MIB: u64 = 1 << 20;
const PLAIN: &str = r#"{"ask":"memory"}"#;

fn changed(changes: &[(&str, &str)], question: &str) -> Value {
    let mut case = case(&workspace_root(), "memory").unwrap();
    for (from, to) in changes {
        change(&mut case, DEF, from, to);
    }
    ask(&session(&[("m.neff", build(&case).unwrap())]), question)
}

fn findings<'a>(answer: &'a Value, code: &str) -> Vec<&'a Value> {
    answer["diagnostics"].as_array().unwrap().iter().filter(|one| one["code"] == code).collect()
}

fn category<'a>(answer: &'a Value, subgraph: usize, name: &str) -> &'a Value {
    let all = answer["subgraphs"][subgraph]["categories"].as_array().unwrap();
    all.iter().find(|one| one["name"] == name).unwrap()
}

fn typed(answer: &Value) -> MemoryAnswer {
    serde_json::from_value(answer.clone()).unwrap()
}

#[test]
fn sums_without_what_could_not_be_read_are_lower_bounds() {
    // What is not a size, the category that it counts in, whether the scratchpad hangs on it.
    let table = [
        (r#""size": 209715200"#, "scratchpad", true),
        (r#""size": 8388608"#, "scratchpad", false),
        (r#""size": 4194304"#, "tensor", false),
    ];
    for (size, name, need) in table {
        let answer = changed(&[(size, r#""size": -1"#)], PLAIN);
        assert_eq!(answer["need_at_least"], if need { json!(true) } else { Value::Null }, "{size}");
        let sure = if need { "modelled" } else { "observed" };
        assert_eq!(answer["provenance"], sure, "{size}");
        let own = category(&answer, 0, name);
        assert_eq!((&own["at_least"], &own["provenance"]), (&json!(true), &json!("modelled")));
        // Others stay exact.
        let weight = category(&answer, 0, "weight");
        assert_eq!(
            (&weight["at_least"], &weight["provenance"]),
            (&Value::Null, &json!("observed"))
        );
        let listed = answer["categories_at_least"].as_array().unwrap();
        assert!(listed.contains(&json!(name)), "{listed:?}");
        assert_eq!(listed.contains(&json!("shared scratchpad")), need, "{listed:?}");
        assert_eq!(
            (&answer["hbms"][2]["at_least"], &answer["hbms"][1]["at_least"]),
            (&json!(true), &Value::Null)
        );
        let plan = typed(&answer);
        let text = plan.need_amount(|bytes| bytes.to_string());
        assert_eq!(text, if need { "at least 1365245952" } else { "1365245952" }, "{size}");
        let least = plan.least_hbm_text(|bytes| bytes.to_string());
        assert!(least.starts_with("What could be read needs HBMs of at least "), "{least}");
        let rows = &plan.subgraphs[0].categories;
        let row = rows.iter().find(|one| one.name == name).unwrap();
        assert!(row.amount(|bytes| bytes.to_string()).unwrap().starts_with("at least "));
    }
    // A variable of the other subgraph is in the pages that the first one carries.
    let mut other = case(&workspace_root(), "memory").unwrap();
    change(&mut other, "sg01/def.json", r#""size": 94371840"#, r#""size": 1.5"#);
    let answer = ask(&session(&[("m.neff", build(&other).unwrap())]), PLAIN);
    assert_eq!(answer["need_at_least"], true);
    assert_eq!(category(&answer, 0, "shared scratchpad")["at_least"], true);
    assert_eq!(category(&answer, 1, "shared scratchpad")["at_least"], Value::Null);
    // Nothing of a whole table is known.
    let answer = changed(&[("\"var\": {", "\"var\": {\"tea\": 5,")], PLAIN);
    for name in ["weight", "tensor", "shared scratchpad", "scratchpad"] {
        assert_eq!(category(&answer, 0, name)["at_least"], true, "{name}");
    }
    let exact = changed(&[], PLAIN);
    for key in ["need_at_least", "categories_at_least", "page_cap"] {
        assert_eq!(exact[key], Value::Null, "{key}");
    }
}

#[test]
fn the_end_of_the_page_table_says_which_pages_would_do() {
    // scores begins at 0 of a slice behind the first page; behind it the slice of sg01 has one more.
    let size = |mib: u64| format!("\"size\": {}", mib * MIB);
    let table = [
        (1_024 * 512, 1_026, Some(1_024 * MIB), "pages of 1024 MiB would be enough"),
        (1_022 * 3_584, 7_156, Some(3_584 * MIB), "pages of 3584 MiB would be enough"),
        (1_024 * 3_584, 7_170, None, "no documented page size, 512 MiB to 3584 MiB, is enough"),
    ];
    for (mib, pages, enough, text) in table {
        let answer = changed(&[(r#""size": 209715200"#, &size(mib))], PLAIN);
        let cap = &answer["page_cap"];
        assert_eq!((&cap["requested"], &cap["most"]), (&json!(pages), &json!(1024)), "{cap}");
        assert_eq!(cap["enough_page_size"], json!(enough), "{cap}");
        let told = cap["text"].as_str().unwrap();
        assert!(told.starts_with(&format!("{pages} pages of 512 MiB are needed")), "{told}");
        assert!(told.ends_with(text), "{told}");
        // The driver is not asked: nothing is short of memory.
        let failure = &answer["failures"][0];
        assert_eq!((&failure["bytes"], &failure["short_bytes"]), (&json!(0), &json!(0)));
        assert_eq!((&answer["fits"], &answer["least_hbm_bytes"]), (&json!(false), &Value::Null));
        assert_eq!(typed(&answer).failures[0].amounts(|bytes| bytes.to_string()), "");
        let remedies = answer["remedies"].as_array().unwrap();
        assert_eq!(remedies.is_empty(), enough.is_none(), "{remedies:?}");
        if let Some(page) = enough {
            assert_eq!(
                (&remedies[0]["kind"], &remedies[0]["page_size"]),
                (&json!("paged-hbm"), &json!(page))
            );
            // With both it fits.
            let hbm = &remedies[0]["bytes"];
            let question = json!({"ask": "memory", "page_size": page, "hbm": hbm}).to_string();
            let with = changed(&[(r#""size": 209715200"#, &size(mib))], &question);
            assert_eq!((&with["fits"], &with["page_cap"]), (&json!(true), &Value::Null));
        }
    }
}

#[test]
fn the_least_hbm_does_and_a_block_less_does_not() {
    let answer = changed(&[], PLAIN);
    let least = answer["least_hbm_bytes"].as_u64().unwrap();
    // Two of the three pages lie in the small pool of 1 GiB, which has to begin at 4 MiB; the third, 300
    // + 8 + 4 + 4 MiB, the firmware's 16 MiB and ten images of at most 8 KiB at 32 KiB each before it.
    assert_eq!(least % (4 * MIB), 0);
    let bytes = (1_024 + 512 + 316 + 16) * MIB;
    assert!(least > bytes && least <= bytes + 4 * MIB, "{least}");
    let with = |hbm: u64| changed(&[], &json!({"ask": "memory", "hbm": hbm}).to_string());
    let enough = with(least);
    assert_eq!((&enough["fits"], &enough["least_hbm_bytes"]), (&json!(true), &json!(least)));
    let short = with(least - 4096);
    assert_eq!((&short["fits"], &short["least_hbm_bytes"]), (&json!(false), &json!(least)));
    let hbm = |answer: &Value| -> u64 {
        let all = answer["remedies"].as_array().unwrap().iter();
        let mut own = all.filter(|one| one["kind"] == "hbm");
        own.next().unwrap()["bytes"].as_u64().unwrap()
    };
    assert_eq!(hbm(&short), least);
    // A block more moves the small pool so that it takes one page only; the next 4 MiB do.
    let odd = with(least + 4096);
    assert_eq!((&odd["fits"], &odd["least_hbm_bytes"]), (&json!(false), &json!(least)));
    assert_eq!(hbm(&odd), least + 4 * MIB);
    assert_eq!(with(least + 4 * MIB)["fits"], true);
    let text = typed(&enough).least_hbm_text(|bytes| format!("{bytes} bytes"));
    assert_eq!(text, format!("The least that would do are HBMs of {least} bytes."));
    assert_eq!(typed(&short).least_hbm_text(|bytes| bytes.to_string()), "", "a remedy says it");
}

#[test]
fn variables_without_an_address_say_why() {
    let one = session(&[("mixed.neff", bytes_of("mixed")), ("m.neff", bytes_of("memory"))]);
    let mut reasons = std::collections::BTreeMap::new();
    for file in [0, 1] {
        let answer = ask(&one, &json!({"ask": "memory", "f": file}).to_string());
        for row in answer["variables"]["rows"].as_array().unwrap() {
            assert_eq!(row["address"].is_null(), row["reason"].is_string(), "{row}");
            if let Some(reason) = row["reason"].as_str() {
                reasons.insert(row["place"].as_str().unwrap().to_owned(), reason.to_owned());
            }
        }
    }
    assert_eq!(reasons["at-execute"], "bound-at-execution");
    assert_eq!(reasons["not-staged"], "type-unknown");
}

#[test]
fn a_list_that_begins_behind_its_end_says_so() {
    let one = session(&[("m.neff", bytes_of("memory"))]);
    let from = |from: u64| ask(&one, &json!({"ask": "memory", "from": from}).to_string());
    let total = from(0)["variables"]["total"].as_u64().unwrap();
    assert!(findings(&from(total - 1), "memory.from").is_empty());
    for beyond in [total, 4_294_967_295] {
        let answer = from(beyond);
        let found = findings(&answer, "memory.from");
        let text = format!(
            "no place is listed from variable {beyond} on: there are {total} variables, 0 to {}",
            total - 1
        );
        assert_eq!(found[0]["message"], text);
    }
    let error = one.ask_text(r#"{"ask":"memory","from":4294967296}"#).unwrap_err();
    assert_eq!(error.code, "request.invalid");
}

#[test]
fn an_address_that_is_nowhere_says_so() {
    let none = session::<&[u8]>(&[]);
    let of = |address: &str, generation: &str| {
        ask(
            &none,
            &json!({"ask": "address", "address": address, "generation": generation}).to_string(),
        )
    };
    let nowhere = of("0xffffffffffffffff", "sunda");
    assert_eq!(nowhere["reason"], "no region of sunda is known at 0xffffffffffffffff");
    assert_eq!(of("0x1000000", "cayman")["reason"], Value::Null);
    for bad in ["-1", "0x10000000000000000", "1.5", ""] {
        let question = json!({"ask": "address", "address": bad, "generation": "sunda"}).to_string();
        assert_eq!(none.ask_text(&question).unwrap_err().code, "request.invalid", "{bad}");
    }
}

#[test]
fn numbers_that_are_written_as_text_are_told_of() {
    let table = [
        (r#""size": 209715200"#, r#""size": "209715200""#, "size"),
        (
            r#""backing_variable_off": 104857600"#,
            r#""backing_variable_off": "104857600""#,
            "backing_variable_off",
        ),
        (r#""size": 8388608"#, r#""size": 8388608, "alignment": "4096""#, "alignment"),
    ];
    let plain = changed(&[], PLAIN);
    for (from, to, key) in table {
        let answer = changed(&[(from, to)], PLAIN);
        let found = findings(&answer, "json.number-text");
        assert_eq!(found.len(), 1, "{key}");
        let text = found[0]["message"].as_str().unwrap();
        assert!(text.starts_with(&format!("`{key}` of variable ")), "{text}");
        assert!(text.ends_with("expected a number from 0 to 2^64 - 1; it is read as that number"));
        assert_eq!(found[0]["at"]["member"], DEF);
        assert!(found[0]["at"]["offset"].as_u64().unwrap() > 0);
        // The number is the right one.
        assert_eq!((&answer["need_bytes"], &answer["fits"]), (&plain["need_bytes"], &json!(true)));
    }
    // Text that is no decimal number, and numbers that are no sizes, stand for none.
    for (value, code) in [
        ("\"0x40\"", "json.type"),
        ("\" 64\"", "json.type"),
        ("\"-64\"", "json.negative"),
        ("-64", "json.negative"),
        ("-0", "json.type"),
        ("64.0", "json.type"),
        ("6.4e1", "json.type"),
        ("1e400", "json.type"),
        ("18446744073709551616", "json.type"),
        ("true", "json.type"),
        ("[64]", "json.type"),
    ] {
        let to = format!("\"size\": {value}");
        let answer = changed(&[(r#""size": 209715200"#, &to)], PLAIN);
        let found = findings(&answer, code);
        assert_eq!(found.len(), 1, "{value}: {}", answer["diagnostics"]);
        let text = found[0]["message"].as_str().unwrap();
        assert!(text.ends_with("expected a number from 0 to 2^64 - 1"), "{text}");
        assert_eq!(
            (&answer["verdict"], &answer["need_at_least"]),
            (&json!("unknown"), &json!(true))
        );
    }
}
