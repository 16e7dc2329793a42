//! Profiles as text: what a user's own profile may say, and what its mistakes are called.

#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use device_image::profile::{BUILT_IN, Profile, ProfileErrorKind as ProfileError};
use device_image::{Capability, Generation, Inputs, Options, Program, Subgraph, assemble};
use neff::Findings;
use records::{Engine, Provenance};

const SMALL: &str = r#"
name = "mine"
generation = "cayman"
provenance = "modelled"
about = "a test"
symbols = [{ name = "B", value = "0x1000" }, { name = "D", value = "B * 2" }]
[inputs]
core = "SUBGRAPH"
request_page = 0x10
dve_table = [1, 2]
act_table = [3, 4]
rings = 0x100
queue_step = 0x10
ring_step = 1
[trigger]
io = "W1(B + Q, READS)"
data = "W1(B + Q, WRITES)"
[[preamble]]
id = "start"
title = "Start"
text = "Starts."
program_start = true
records = ["W1(D, P)"]
PE = ["NOP", "NOP"]
[[postamble]]
id = "back"
title = "Back"
text = "Goes back."
engines = ["PE", "SP"]
records = ["BR(@start)"]
"#;

fn error(from: &str, to: &str) -> ProfileError {
    assert!(SMALL.contains(from), "{from}");
    Profile::parse(&SMALL.replace(from, to)).unwrap_err().kind
}

#[test]
fn a_small_profile_builds_images() {
    let profile = Profile::parse(SMALL).unwrap();
    assert_eq!((profile.collective_slots, profile.trigger.groups), (3, 1));
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let slots = |engine| {
        let program = Program { subgraph: &subgraph, engine, slots: &[] };
        let mut findings = Findings::new();
        assemble(&profile, program, &inputs, Options::default(), &mut findings).unwrap().slots
    };
    let opcodes = |engine| slots(engine).iter().map(records::Slot::opcode_byte).collect::<Vec<_>>();
    assert_eq!(opcodes(Engine::Pe), [0xA4, 0xA4, 0xA9]);
    assert_eq!(opcodes(Engine::Sp), [0xA5, 0xA9]);
    assert_eq!(opcodes(Engine::Act), [0xA5]);
    let write = slots(Engine::Act)[0];
    assert_eq!((write.u64_at(0x10), write.u64_at(0x20)), (0x2000, 0x10));
    assert_eq!(slots(Engine::Pe)[2].u32_at(0x30) as i32, -128);
}

#[test]
fn mistakes_are_named() {
    assert!(matches!(error("name =", "nom ="), ProfileError::Toml(_)));
    assert!(matches!(error("= \"cayman\"", "= \"tonga\""), ProfileError::Word { .. }));
    assert!(matches!(error("= \"modelled\"", "= \"file\""), ProfileError::Word { .. }));
    assert!(matches!(error("BR(@start)", "BR(@nowhere)"), ProfileError::MissingTarget { .. }));
    assert!(matches!(error("\"back\"", "\"start\""), ProfileError::DuplicateStep(_)));
    assert!(matches!(error("program_start = true", ""), ProfileError::ProgramStart(0)));
    assert!(matches!(error("W1(D, P)", "W1(D)"), ProfileError::Line { .. }));
    assert!(matches!(error("B * 2", "B *"), ProfileError::Symbol { .. }));
    assert!(matches!(error("\"SP\"]", "\"XY\"]"), ProfileError::Word { .. }));
    let numbers = ["collective_slots = 0\n[inputs]", "collective_slots = 1025\n[inputs]"];
    for number in numbers {
        assert!(matches!(error("[inputs]", number), ProfileError::Number { .. }), "{number}");
    }
    assert!(matches!(error("[trigger]", "[trigger]\ngroups = 17"), ProfileError::Number { .. }));
    let lines = format!("PE = [\"NOP\"{}", ", \"NOP\"".repeat(20_000));
    let kind = error("PE = [\"NOP\"", &lines);
    assert!(matches!(kind, ProfileError::TooMany { what: "record lines", .. }), "{kind:?}");
    assert!(matches!(Profile::built_in("mine").unwrap_err().kind, ProfileError::UnknownName(_)));
}

/// A name without a value is an error of the image, with the step and the engine.
#[test]
fn an_unknown_name_is_told_with_its_step() {
    let profile = Profile::parse(&SMALL.replace("W1(D, P)", "W1(NOWHERE, P)")).unwrap();
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let program = Program { subgraph: &subgraph, engine: Engine::Dve, slots: &[] };
    let made = assemble(&profile, program, &inputs, Options::default(), &mut Findings::new());
    let text = made.unwrap_err().to_string();
    assert!(text.contains("`start` on DVE") && text.contains("NOWHERE"), "{text}");
}

#[test]
fn built_in_profiles_say_what_they_are() {
    for (name, _) in BUILT_IN {
        let text = std::fs::read_to_string(format!("profiles/{name}.toml")).unwrap();
        let profile = Profile::parse(&text).unwrap();
        // The built-in form is another text of the same profile.
        assert_eq!(Profile::built_in(name).unwrap(), profile);
        assert_eq!(profile.name, name);
        let modelled = profile.provenance == Provenance::Modelled;
        assert_eq!(modelled, name.starts_with("modelled-"));
        assert!(!profile.about.is_empty());
        assert_eq!(profile.runtime.is_empty(), modelled);
        for step in &profile.steps {
            assert!(!step.title.is_empty() && step.text.ends_with('.'), "{name} {}", step.id);
        }
    }
}

/// Each mistake is told with the line and column of the text that is wrong.
#[test]
fn mistakes_have_a_place_and_say_what_was_expected() {
    let place = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        let error = Profile::parse(&SMALL.replace(from, to)).unwrap_err();
        let at = error.at.unwrap();
        (at.line, at.column, error.to_string())
    };
    // Line 1 is empty, so `generation` is on line 3; its value begins at column 14.
    let (line, column, text) = place("\"cayman\"", "\"tonga\"");
    assert_eq!((line, column), (3, 14));
    assert!(text.contains("line 3, column 14") && text.contains("sunda cayman mariana"), "{text}");
    let (line, column, text) = place("[\"W1(D, P)\"]", "[\"NOP\", \"NOPE\"]");
    assert_eq!((line, column), (23, 19));
    assert!(text.contains("NOTIFY"), "{text}");
    let (line, _, text) = place("engines = [\"PE\", \"SP\"]", "gate = \"never\"");
    assert_eq!(line, 29);
    assert!(text.contains("several-cores") && text.contains("pool-library"), "{text}");
    let (line, column, _) = place("program_start = true", "program_start = 7");
    assert_eq!((line, column), (22, 17));
    let (line, column, text) = place("[\"BR(@start)\"]", "[\"BR(@nowhere)\"]");
    assert_eq!((line, column), (30, 12));
    assert!(text.contains("expected the id of a step"), "{text}");
    let (line, ..) = place("name = \"mine\"", "name = ");
    assert_eq!(line, 2);
}

#[test]
fn capabilities_of_a_file_override_the_preset() {
    let given =
        "[capabilities]\nbound-check = true\nhardware-dge = false\nmemory-base = 0x40\n[inputs]";
    let profile = Profile::parse(&SMALL.replace("[inputs]", given)).unwrap();
    let has = |capability| profile.capabilities.has(capability);
    assert!(has(Capability::BoundCheck) && !has(Capability::HardwareDge));
    assert!(has(Capability::LegacyOrdering), "the preset of cayman");
    assert_eq!(profile.capabilities.memory_base, 0x40);
    let wrong = |line: &str| {
        let text = SMALL.replace("[inputs]", &format!("[capabilities]\n{line}\n[inputs]"));
        Profile::parse(&text).unwrap_err().kind
    };
    assert!(matches!(wrong("teleport = true"), ProfileError::Word { .. }));
    assert!(matches!(wrong("bound-check = 1"), ProfileError::Word { .. }));
    assert!(matches!(wrong("memory-base = true"), ProfileError::Word { .. }));
    let mariana = SMALL.replace("\"cayman\"", "\"mariana\"");
    let mariana = mariana.replace("[inputs]", "[capabilities]\nlegacy-ordering = true\n[inputs]");
    let kind = Profile::parse(&mariana).unwrap_err().kind;
    assert!(matches!(kind, ProfileError::Capability { .. }));
    assert!(matches!(
        Profile::parse(&SMALL.replace("[inputs]", "cache_line = 96\n[inputs]")).map_err(|e| e.kind),
        Err(ProfileError::Toml(_) | ProfileError::Number { .. })
    ));
}

/// The published order of building, by its order keys, with what each step depends on.
#[test]
fn modelled_profiles_have_every_published_step_in_order() {
    let published = [
        ("gate", 346),
        ("switch-start", 367),
        ("queue-set-swap", 378),
        ("single-queue-swap", 387),
        ("table-queue-swap", 409),
        ("sequencer-configuration", 434),
        ("collectives-init", 460),
        ("dge-configuration", 513),
        ("dge-registers", 607),
        ("dge-notification", 642),
        ("feature-flags", 683),
        ("event-accelerator", 708),
        ("background-transpose", 743),
        ("fp8-conversion", 781),
        ("pool-library-configuration", 921),
        ("pool-library-load", 942),
        ("collectives-queues", 975),
        ("collectives-start", 1076),
        ("io-switch", 1114),
        ("args-table-swap", 1117),
        ("core-barrier", 1137),
        ("subgraph-barrier", 1148),
    ];
    for name in ["modelled-sunda", "modelled-cayman", "modelled-mariana"] {
        let profile = Profile::built_in(name).unwrap();
        let step = |id: &str| profile.steps.iter().find(|step| step.id == id).unwrap();
        for (id, order) in published {
            assert_eq!(step(id).order, Some(order), "{name} {id}");
        }
        // Captures show the gate after the set-up; all other steps stand in the published order.
        let orders = profile.steps.iter().filter(|step| step.id != "gate");
        let orders: Vec<u32> = orders.filter_map(|step| step.order).collect();
        assert!(orders.is_sorted(), "{name} {orders:?}");
        let gate = |id: &str| step(id).gate.as_ref().map_or("", |gate| gate.text());
        let only = |id: &str| step(id).engines.clone().unwrap();
        assert_eq!(only("pool-library-load"), [Engine::Pool]);
        assert_eq!(only("background-transpose"), [Engine::Pe]);
        assert_eq!(only("io-switch"), [Engine::Pe]);
        for id in ["collectives-init", "collectives-start"] {
            assert_eq!(only(id), [Engine::Sp]);
        }
        assert!(!only("fp8-conversion").contains(&Engine::Sp));
        assert_eq!(gate("pool-library-load"), "libraries");
        assert_eq!(gate("args-table-swap"), "POOL or args-swap-all");
        assert_eq!(gate("subgraph-barrier"), "several-subgraphs");
        assert_eq!(gate("bound-check"), "bound-check");
        // What no capture shows is a NOP that says so.
        for step in profile.steps.iter().filter(|step| step.text.contains("not published")) {
            assert_eq!(step.provenance, Provenance::Modelled, "{name} {}", step.id);
        }
    }
    // The order mode is for targets up to 3.
    let has_ordering = |name: &str| {
        Profile::built_in(name).unwrap().steps.iter().any(|step| step.id == "ordering")
    };
    assert!(has_ordering("modelled-cayman") && !has_ordering("modelled-mariana"));
}

/// Slots of a step on an engine under a modelled profile.
#[test]
fn gates_decide_by_engine_queues_capabilities_and_program() {
    let profile = Profile::built_in("modelled-cayman").unwrap();
    let slots = |subgraph: &Subgraph, engine, id: &str| {
        let inputs = Inputs::defaults(&profile, subgraph, None).unwrap();
        let program = Program { subgraph, engine, slots: &[] };
        let mut findings = Findings::new();
        let image =
            assemble(&profile, program, &inputs, Options::default(), &mut findings).unwrap();
        let of_step =
            |slot: &u32| image.step_of(records::SlotIndex(*slot)).is_some_and(|step| step.id == id);
        (0..image.slots.len() as u32).filter(of_step).count()
    };
    let plain = Subgraph::without_queues(Generation::Cayman);
    assert_eq!(slots(&plain, Engine::Pool, "pool-library-load"), 0);
    let libraries = Subgraph { libraries: true, ..plain.clone() };
    assert_eq!(slots(&libraries, Engine::Pool, "pool-library-load"), 2);
    assert_eq!(slots(&libraries, Engine::Dve, "pool-library-load"), 0);
    assert_eq!(slots(&plain, Engine::Pool, "args-table-swap"), 1);
    assert_eq!(slots(&plain, Engine::Pe, "args-table-swap"), 0, "only POOL on cayman");
    assert_eq!(slots(&plain, Engine::Pe, "core-barrier"), 0);
    let pair = Subgraph { cores: 2, ..plain.clone() };
    assert_eq!(slots(&pair, Engine::Pe, "core-barrier"), 2);
    assert_eq!(slots(&plain, Engine::Pe, "ordering"), 1);
    assert_eq!(slots(&plain, Engine::Pool, "bound-check"), 0, "no capability in the preset");
    assert_eq!(slots(&plain, Engine::Pe, "fp8-conversion"), 6);
}

/// A profile can ask for more slots than any memory holds; a region has a limit over all its steps.
#[test]
fn a_region_has_room_for_so_many_slots() {
    let step = |n: usize| {
        let lines = vec!["\"SEMS(0, 255)\""; 200].join(", ");
        format!("[[preamble]]\nid = \"s{n}\"\ntitle = \"\"\ntext = \"\"\nrecords = [{lines}]\n")
    };
    let with = |steps: usize| {
        let steps: String = (0..steps).map(step).collect();
        Profile::parse(&SMALL.replace("[[postamble]]", &format!("{steps}[[postamble]]"))).unwrap()
    };
    let built = |profile: &Profile| {
        let subgraph = Subgraph::without_queues(Generation::Cayman);
        let inputs = Inputs::defaults(profile, &subgraph, None).unwrap();
        let program = Program { subgraph: &subgraph, engine: Engine::Sp, slots: &[] };
        let mut findings = Findings::new();
        assemble(profile, program, &inputs, Options::default(), &mut findings)
            .map(|image| image.slots.len())
            .map_err(|error| error.to_string())
    };
    // One slot in front, 51,200 of one step, the branch behind.
    assert_eq!(built(&with(1)), Ok(1 + 200 * 256 + 1));
    let error = built(&with(2)).unwrap_err();
    assert!(error.contains("`s1`") && error.contains("65536"), "{error}");
}

/// A name that every recipe has cannot be defined, nor one twice; both would hide a value silently.
#[test]
fn names_of_values_are_their_own() {
    for name in ["CORE", "P", "Q", "READS"] {
        let kind = error("name = \"D\"", &format!("name = \"{name}\""));
        assert_eq!(kind, ProfileError::TakenName(name.to_owned()));
    }
    let error = Profile::parse(&SMALL.replace("name = \"D\"", "name = \"B\"")).unwrap_err();
    let at = error.at.unwrap();
    // `symbols` is line 6; the second name begins after `symbols = [{ name = "B", value = "0x1000" }, { name = `.
    assert_eq!((at.line, at.column), (6, 55));
    assert!(error.to_string().contains("`B`: the name is taken"), "{error}");
}

/// A value is never cut to the width of its field.
#[test]
fn a_value_wider_than_its_field_is_an_error_of_the_step() {
    let built = |line: &str| {
        let profile = Profile::parse(&SMALL.replace("W1(D, P)", line)).unwrap();
        let subgraph = Subgraph::without_queues(Generation::Cayman);
        let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
        let program = Program { subgraph: &subgraph, engine: Engine::Dve, slots: &[] };
        assemble(&profile, program, &inputs, Options::default(), &mut Findings::new())
    };
    let slot = |line: &str| built(line).unwrap().slots[0];
    assert_eq!(slot("W1(D, P) b0C=0xff").u8_at(0x0C), 0xFF);
    assert_eq!(slot("W1(D, P) u32@10=0xffffffff").u32_at(0x10), 0xFFFF_FFFF);
    for (line, said) in [
        ("W1(D, P) b0C=0x1ff", "0x1ff does not fit 1 bytes"),
        ("W1(D, P) u16@10=0x10000", "0x10000 does not fit 2 bytes"),
        ("W1(D, P) u32@10=1<<32", "0x100000000 does not fit 4 bytes"),
        ("EVW(0x100)", "0x100 does not fit 1 bytes"),
        ("NOTIFY(0xff000000)", "expected 0 to 0xfeffffff"),
        ("SEMS(200, 3)", "first semaphore 200"),
        ("CLR(4, 3)", "first semaphore 4"),
        ("TABLE(99, 0, 0)", "DMA engine 99 is outside its range, expected 0 to 15"),
    ] {
        let text = built(line).unwrap_err().to_string();
        assert!(text.contains("`start` on DVE") && text.contains(said), "{line}: {text}");
        // The place is that of the line in the text of the profile.
        let source = SMALL.replace("W1(D, P)", line);
        let at = source.find(line).unwrap();
        let row = 1 + source[..at].matches('\n').count();
        assert!(text.starts_with(&format!("line {row}, column ")), "{line}: {text}");
    }
    // 0x01000000 + 0xfeffffff is the largest word.
    assert_eq!(slot("NOTIFY(0xfeffffff)").u32_at(0x24), 0xFFFF_FFFF);
}

/// Names are shown in every view: they are printable and of bounded length.
#[test]
fn names_are_printable() {
    let name = SMALL.lines().find(|line| line.starts_with("name")).unwrap();
    for (value, said) in [
        (String::new(), "0 characters"),
        ("m".repeat(65), "65 characters"),
        (String::from("\\u001b[31m"), "U+001B"),
        (String::from("\\u202e"), "U+202E"),
        (String::from("a\\nb"), "U+000A"),
    ] {
        let text = SMALL.replace(name, &format!("name = \"{value}\""));
        let error = Profile::parse(&text).unwrap_err();
        assert!(error.at.is_some() && error.to_string().contains(said), "{error}");
    }
    let text = SMALL.replace(name, &format!("name = \"{}\"", "µ".repeat(64)));
    assert_eq!(Profile::parse(&text).unwrap().name.chars().count(), 64);
    // A key that is missing is named, and the whole file has no place.
    let error = Profile::parse(&SMALL.replace(name, "")).unwrap_err();
    assert_eq!((error.at, error.to_string().contains("no `name`")), (None, true));
}
