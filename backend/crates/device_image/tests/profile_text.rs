//! Profiles as text: what a user's own profile may say, and what its mistakes are called.

#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use device_image::profile::{BUILT_IN, Profile, ProfileError};
use device_image::{Generation, Inputs, Options, Program, Subgraph, assemble};
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
    Profile::parse(&SMALL.replace(from, to)).unwrap_err()
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
    assert!(matches!(error("name =", "nom ="), ProfileError::Text(_)));
    assert!(matches!(error("= \"cayman\"", "= \"tonga\""), ProfileError::Word { .. }));
    assert!(matches!(error("= \"modelled\"", "= \"file\""), ProfileError::Word { .. }));
    assert!(matches!(error("BR(@start)", "BR(@nowhere)"), ProfileError::MissingTarget { .. }));
    assert!(matches!(error("\"back\"", "\"start\""), ProfileError::DuplicateStep(_)));
    assert!(matches!(error("program_start = true", ""), ProfileError::ProgramStart(0)));
    assert!(matches!(error("W1(D, P)", "W1(D)"), ProfileError::Line { .. }));
    assert!(matches!(error("B * 2", "B *"), ProfileError::Symbol { .. }));
    assert!(matches!(error("\"SP\"]", "\"XY\"]"), ProfileError::Word { .. }));
    assert!(matches!(Profile::built_in("mine"), Err(ProfileError::UnknownName(_))));
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
