//! Questions about bytes: what has them, pages of them, their structure and their offsets.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use serde_json::{Value, json};
use support::asking::{ask, code, session};
use support::golden::case_dir;

fn file(case: &str, name: &str) -> Vec<u8> {
    std::fs::read(case_dir(case).join(name)).unwrap()
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// In an archive that is not compressed every member is where its offset in the file says, and its
/// pages, put together, are its bytes.
#[test]
fn members_of_a_bare_tar_are_where_they_say() {
    let bytes = file("bare-tar", "input.neff");
    let session = session(&[("bare.neff", &bytes)]);
    let list = ask(&session, &json!({"ask": "members"}));
    assert_eq!(list["compression"], "none");
    let sources = list["sources"].as_array().unwrap();
    assert_eq!(list["total"], json!(sources.len()));
    let members = sources.iter().filter(|source| source["of"] == "member");
    let mut seen = 0;
    for source in members {
        seen += 1;
        let (at, size) =
            (source["file_offset"].as_u64().unwrap(), source["bytes"].as_u64().unwrap());
        assert_eq!(source["archive_offset"].as_u64().unwrap() + 1024, at);
        let mut hex = String::new();
        for from in (0..size.max(1)).step_by(1000) {
            let question = json!({
                "ask": "bytes", "of": "member", "name": source["name"], "from": from, "count": 1000
            });
            let page = ask(&session, &question);
            assert_eq!((&page["total"], &page["file_offset"]), (&json!(size), &json!(at)));
            hex.push_str(page["hex"].as_str().unwrap());
        }
        let own = &bytes[at as usize..(at + size) as usize];
        assert_eq!(hex, digits(own), "{}", source["name"]);
    }
    assert!(seen > 5);
    let header = ask(&session, &json!({"ask": "bytes", "of": "header"}));
    assert_eq!(header["hex"], digits(&bytes[..1024]));
    // pkg_version 1 and major version 1, as the case's description says.
    assert_eq!(
        (&header["fields"][0]["name"], &header["fields"][0]["value"]),
        (&json!("pkg_version"), &json!(1))
    );
    assert_eq!(
        (&header["fields"][3]["offset"], &header["fields"][3]["value"]),
        (&json!(24), &json!(1))
    );
}

#[test]
fn a_compressed_archive_has_no_offsets_in_the_file() {
    let session = session(&[("functions.neff", &file("functions", "input.neff"))]);
    let stream = ask(&session, &json!({"ask": "bytes", "of": "stream", "e": "POOL", "from": 64}));
    assert_eq!(stream["file_offset"], Value::Null);
    assert!(stream["no_file_offset"].as_str().unwrap().contains("gzip"));
    assert_eq!(stream["structure"], "slots");
    // The stream is a member: the same bytes at the same place of the archive.
    let list = ask(&session, &json!({"ask": "members", "find": "pool.bin"}));
    assert_eq!(list["total"], 1);
    let member = &list["sources"][0];
    assert_eq!(member["archive_offset"], stream["archive_offset"]);
    let named = json!({"ask": "bytes", "of": "member", "name": member["name"], "from": 64});
    assert_eq!(ask(&session, &named)["hex"], stream["hex"]);
}

/// A field by its name, as (offset, bytes, value).
fn field(page: &Value, name: &str) -> (u64, u64, Value) {
    let of = |field: &&Value| field["name"] == name;
    let found = page["fields"].as_array().unwrap().iter().find(of).expect(name);
    let number = |key: &str| found[key].as_u64().unwrap();
    (number("offset"), number("bytes"), found["value"].clone())
}

/// RFC 1952: magic 1f 8b, method 8; at the end CRC-32 and the size of what was compressed.
#[test]
fn both_ends_of_the_gzip_member_are_read() {
    let bytes = file("functions", "input.neff");
    let stored = &bytes[1024..];
    let session = session(&[("functions.neff", &bytes)]);
    let page = ask(&session, &json!({"ask": "bytes", "of": "gzip", "at": 0}));
    let ten = page["total"].as_u64().unwrap() as usize;
    assert_eq!((ten, &page["file_offset"]), (10, &json!(1024)));
    assert_eq!(page["hex"], digits(&stored[..10]));
    assert_eq!(field(&page, "method"), (2, 1, json!(8)));
    let os = stored[9];
    assert_eq!(field(&page, "os"), (9, 1, json!(os)));
    let question = json!({"ask": "bytes", "of": "gzip", "name": "trailer", "at": 0});
    let end = ask(&session, &question);
    let first = bytes.len() - 8;
    assert_eq!((&end["total"], &end["file_offset"]), (&json!(8), &json!(first)));
    assert_eq!(end["hex"], digits(&bytes[first..]));
    let tar = ask(&session, &json!({"ask": "bytes", "of": "tar", "count": 0}))["total"].clone();
    assert_eq!(field(&end, "isize"), (4, 4, tar));
    let crc = u32::from_le_bytes(bytes[first..first + 4].try_into().unwrap());
    assert_eq!(field(&end, "crc32"), (0, 4, json!(format!("{crc:#x}"))));
    // A tar as it is has no such ends, and a member has no other.
    let question = json!({"ask": "bytes", "of": "gzip", "name": "middle"});
    assert_eq!(code(&session, &question), "bytes.unknown");
    let bare = support::asking::session(&[("bare.neff", &file("bare-tar", "input.neff"))]);
    assert_eq!(code(&bare, &json!({"ask": "bytes", "of": "gzip"})), "bytes.unknown");
}

/// Each member's own header: name, size and checksum by the rules of ustar, read here by hand.
#[test]
fn the_header_of_each_tar_entry_is_read() {
    let session = session(&[("functions.neff", &file("functions", "input.neff"))]);
    let list = ask(&session, &json!({"ask": "members"}));
    let members: Vec<&Value> =
        list["sources"].as_array().unwrap().iter().filter(|one| one["of"] == "member").collect();
    assert!(members.len() > 10);
    for member in members {
        let data = member["archive_offset"].as_u64().unwrap();
        let header = data - 512;
        let at = json!({"ask": "bytes", "of": "tar", "from": header, "count": 512, "at": header});
        let page = ask(&session, &at);
        let hex = page["hex"].as_str().unwrap();
        let byte = |at: usize| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap();
        let octal = |from: usize, bytes: usize| {
            let digits = (from..from + bytes).map(byte).filter(u8::is_ascii_digit);
            digits.fold(0, |all, digit| all * 8 + u64::from(digit - b'0'))
        };
        assert_eq!(field(&page, "name"), (header, 100, member["name"].clone()));
        assert_eq!(field(&page, "size"), (header + 124, 12, json!(octal(124, 12))));
        assert_eq!(octal(124, 12), member["bytes"].as_u64().unwrap());
        // The sum of all bytes, those of the checksum itself as blanks.
        let sum: u64 = (0..512)
            .map(|at| if (148..156).contains(&at) { 32 } else { u64::from(byte(at)) })
            .sum();
        assert_eq!(field(&page, "chksum").2, json!(sum), "{}", member["name"]);
        let fields = page["fields"].as_array().unwrap();
        let text = fields.iter().find(|one| one["name"] == "chksum").unwrap()["text"].clone();
        assert_eq!(text, "it holds");
    }
}

/// Elements and fields of slots agree with `slots` and cover each slot without a gap.
#[test]
fn slots_have_elements_and_fields() {
    let session = session(&[("functions.neff", &file("functions", "input.neff"))]);
    let slots = ask(&session, &json!({"ask": "slots", "e": "POOL"}));
    let total = slots["total"].as_u64().unwrap();
    for slot in 0..total {
        let question = json!({
            "ask": "bytes", "of": "stream", "e": "POOL", "from": slot * 64, "count": 64,
            "at": slot * 64 + 63
        });
        let page = ask(&session, &question);
        let expected = &slots["slots"][slot as usize];
        assert_eq!(page["hex"], expected["hex"]);
        assert_eq!(page["parts"].as_array().unwrap().len(), 1);
        assert_eq!(page["parts"][0]["name"], format!("slot {slot}"));
        let mnemonic = expected["mnemonic"].as_str().unwrap();
        assert!(page["parts"][0]["text"].as_str().unwrap().starts_with(mnemonic));
        let mut next = slot * 64;
        for field in page["fields"].as_array().unwrap() {
            assert_eq!(field["offset"], next, "slot {slot}");
            next += field["bytes"].as_u64().unwrap();
        }
        assert_eq!(next, slot * 64 + 64);
    }
    // A window across two slots has both.
    let page = ask(
        &session,
        &json!({"ask": "bytes", "of": "stream", "e": "POOL", "from": 60, "count": 8}),
    );
    let names: Vec<&Value> = page["parts"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(names, ["slot 0", "slot 1"]);
}

#[test]
fn images_and_records_have_bytes_with_their_provenance() {
    let session = session(&[("functions.neff", &file("functions", "input.neff"))]);
    let image = ask(&session, &json!({"ask": "image", "e": "POOL"}));
    let page = ask(&session, &json!({"ask": "bytes", "of": "image", "e": "POOL", "count": 0}));
    assert_eq!((&page["total"], &page["provenance"]), (&image["bytes"], &image["provenance"]));
    assert_eq!((&page["hex"], &page["parts"]), (&json!(""), &json!([])));
    let record = json!({"ask": "record", "e": "POOL", "name": "functions.1"});
    let record = ask(&session, &record);
    let bytes = json!({"ask": "bytes", "of": "record", "e": "POOL", "name": "functions.1"});
    let bytes = ask(&session, &bytes);
    assert_eq!((&bytes["hex"], &bytes["fields"]), (&record["hex"], &record["fields"]));
    assert_eq!(bytes["structure"], "record");
}

/// The head of a capture keeps what was in its writer's memory to itself.
#[test]
fn the_memory_of_a_writer_is_not_shown() {
    let (neff, mut ntff) = (file("pair-sunda", "input.neff"), file("pair-sunda", "input.ntff"));
    ntff[8..128].fill(0x5A);
    let session = session(&[("a.neff", &neff), ("run.ntff", &ntff)]);
    let list = ask(&session, &json!({"ask": "members", "find": "head"}));
    let source = list["sources"].as_array().unwrap().iter().find(|one| one["of"] == "capture");
    assert_eq!(source.unwrap()["f"], 1);
    let head = ask(&session, &json!({"ask": "bytes", "f": 1, "of": "capture", "name": "head"}));
    let expected = digits(&ntff[..8]) + &"00".repeat(120);
    assert_eq!((&head["hex"], &head["withheld"]), (&json!(expected), &json!([[8, 128]])));
    assert_eq!(head["fields"][2]["value"], Value::Null);

    // Images and slices of a capture lie in the file where they say.
    let list = ask(&session, &json!({"ask": "members", "f": 0}));
    let parts = list["sources"].as_array().unwrap().iter().filter(|one| one["of"] == "capture");
    let mut kinds = std::collections::BTreeSet::new();
    for part in parts {
        let (at, size) = (part["file_offset"].as_u64().unwrap(), part["bytes"].as_u64().unwrap());
        let question = json!({
            "ask": "bytes", "f": 1, "of": "capture", "name": part["name"], "count": 32
        });
        let page = ask(&session, &question);
        assert_eq!(page["total"], json!(size));
        if part["name"] != "head" {
            let end = at + size.min(32);
            assert_eq!(page["hex"], digits(&ntff[at as usize..end as usize]), "{part}");
        }
        kinds.insert(part["structure"].as_str().unwrap().to_owned());
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["head", "raw", "slots", "trace"]);
}

#[test]
fn what_is_not_there_is_told() {
    let session = session(&[("sg00.neff", &file("sg00", "input.neff"))]);
    for (question, code) in [
        (json!({"ask": "bytes", "of": "tea"}), "request.invalid"),
        (json!({"ask": "bytes", "of": "member"}), "request.invalid"),
        (json!({"ask": "bytes", "of": "member", "name": "nothing"}), "bytes.unknown"),
        (json!({"ask": "bytes", "of": "record", "name": "nothing"}), "record.unknown"),
        (json!({"ask": "bytes", "of": "header", "from": 1025}), "bytes.past-end"),
        (json!({"ask": "bytes", "of": "header", "at": u64::MAX}), "bytes.past-end"),
        (json!({"ask": "bytes", "of": "capture", "name": "head"}), "file.no-ntff"),
    ] {
        assert_eq!(ask(&session, &question)["error"]["code"], code, "{question}");
    }
    let end = ask(&session, &json!({"ask": "bytes", "of": "header", "from": 1024}));
    assert_eq!(end["hex"], "");
}

/// A searched text is found in names, types and values, and links lead somewhere.
#[test]
fn records_are_found_by_value_and_lead_on() {
    let session = session(&[("functions.neff", &file("functions", "input.neff"))]);
    let find = |text: &str| ask(&session, &json!({"ask": "records", "e": "POOL", "find": text}));
    let found = find("ACCUMULATE");
    assert_eq!((&found["total"], &found["records"][0]["name"]), (&json!(1), &json!("functions.1")));
    assert_eq!(found["records"][0]["hit"], "function_name accumulate");
    assert_eq!(find("itf_block_t")["total"], 4);
    assert_eq!(find("no such thing")["total"], 0);

    let all = ask(&session, &json!({"ask": "records", "e": "POOL"}));
    let mut kinds = [0; 3];
    for record in all["records"].as_array().unwrap() {
        let one = json!({"ask": "record", "e": "POOL", "name": record["name"]});
        let one = ask(&session, &one);
        let of_fields = one["fields"].as_array().unwrap().iter();
        let links = of_fields.filter_map(|field| field["links"].as_array()).flatten();
        for link in links.chain(one["links"].as_array().unwrap()) {
            let answer = if let Some(name) = link["record"].as_str() {
                kinds[0] += 1;
                ask(&session, &json!({"ask": "record", "e": "POOL", "name": name}))
            } else if link["place"].is_object() {
                kinds[1] += 1;
                let place = &link["place"];
                let slot = json!({"ask": "slot", "e": place["e"], "slot": place["image_slot"], "ip": place["neff_ip"]});
                ask(&session, &slot)
            } else {
                kinds[2] += 1;
                let to = link;
                ask(
                    &session,
                    &json!({"ask": "bytes", "of": to["of"], "e": to["e"], "at": to["offset"]}),
                )
            };
            assert!(answer["error"].is_null(), "{} {link}: {answer}", record["name"]);
        }
    }
    assert!(kinds.iter().all(|count| *count > 3), "{kinds:?}");
}
