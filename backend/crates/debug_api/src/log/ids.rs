//! Who a line speaks of: module of the runtime, device, core, rank, model, engines and points.

use super::line::Point;
use super::scan::{Number, cut, id_of, is_word, number, tokens, value_of, words};
use records::Engine;

/// Modules of the runtime that write logs.
/// Spec: docs/format/logs.md "Prefix" [observed].
const MODULES: [&str; 9] = ["TDRV", "NMGR", "KMGR", "NRT", "NEFF", "ENC", "HAL", "CCOM", "NRTD"];

const LEVELS: [&str; 8] =
    ["ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL", "CRITICAL"];

/// Most points of one line.
const MAX_POINTS: usize = 16;

/// Longest model name or component that is kept, in bytes.
const NAME_BYTES: usize = 512;

/// `TDRV:function` of a line, and where it begins.
pub fn component(raw: &str) -> Option<(usize, String)> {
    MODULES.iter().find_map(|module| {
        words(raw, module).find_map(|(at, rest)| {
            let rest = rest.strip_prefix(':')?;
            let end = rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len());
            let function = rest.get(..end).filter(|name| !name.is_empty())?;
            Some((at, format!("{module}:{}", cut(function, NAME_BYTES))))
        })
    })
}

/// The level of a line: the first of its upper-case words that is one.
pub fn level(raw: &str) -> Option<&'static str> {
    let name = tokens(raw).take(24).find_map(|(_, word)| LEVELS.iter().find(|name| **name == word));
    name.copied()
}

/// Neuron device and NeuronCore.
pub fn device_core(lower: &str) -> (Option<u32>, Option<u32>) {
    let device = ["nd", "neuron device", "mla"].iter().find_map(|key| id_of(lower, key));
    let core = ["nc", "neuroncore"].iter().find_map(|key| id_of(lower, key));
    (device, core)
}

/// Rank of the process: `[rank3]`, `rank 3`, `rank=3`.
pub fn rank(lower: &str) -> Option<u32> {
    id_of(lower, "rank").or_else(|| id_of(lower, "rank_id"))
}

/// Name or path of the model, as it is written.
pub fn model(raw: &str, lower: &str) -> Option<String> {
    const KEYS: [&str; 5] =
        ["model name", "model name is", "on model", "failed to load nn:", "model"];
    KEYS.iter().find_map(|key| {
        lower.match_indices(key).find_map(|(at, _)| {
            let rest = raw.get(at + key.len()..)?.trim_start_matches([' ', '=', ':', '"', '\'']);
            let end = rest.find([' ', ',', '"', '\'', '\t', '\n', ')']).unwrap_or(rest.len());
            let name = rest.get(..end)?.trim_end_matches(['.', ';']);
            // A bare word behind "model" is prose; a name has the ending or stands behind a key.
            let ending = name.to_ascii_lowercase().ends_with(".neff");
            (ending || (*key == "failed to load nn:" && !name.is_empty()))
                .then(|| cut(name, NAME_BYTES).to_owned())
        })
    })
}

/// Engines of a line with their places and lengths, and whether each was concluded.
fn engines(raw: &str, lower: &str) -> Vec<(usize, Engine, bool)> {
    let mut found: Vec<(usize, Engine, bool)> = Vec::new();
    let mut previous = "";
    for (at, word) in tokens(raw) {
        let is_key = |word: &str| matches!(word, "engine" | "eng" | "engine_type" | "eng_type");
        let behind_key = is_key(previous.to_ascii_lowercase().as_str());
        let behind = lower.get(at + word.len()..).unwrap_or("").trim_start();
        let before_key = behind.starts_with("engine") || behind.starts_with("eng ");
        let upper = word.bytes().all(|byte| byte.is_ascii_uppercase());
        if let Ok(engine) = word.parse::<Engine>()
            && (upper || behind_key || before_key)
        {
            found.push((at, engine, false));
        } else if behind_key && let Some(engine) = engine_code(word) {
            // DMA engines and other ones are counted too: only those of the core have codes.
            let head = lower.get(..at).unwrap_or("");
            let head = head.get(head.floor_char_boundary(at.saturating_sub(24))..).unwrap_or("");
            if !["dma", "tx ", "rx ", "topsp", "cc "].iter().any(|other| head.contains(other)) {
                found.push((at, engine, true));
            }
        }
        previous = word;
        if found.len() > MAX_POINTS {
            break;
        }
    }
    const NAMES: [(&str, Engine); 8] = [
        ("tensor engine", Engine::Pe),
        ("tensore", Engine::Pe),
        ("scalar engine", Engine::Act),
        ("scalare", Engine::Act),
        ("vector engine", Engine::Dve),
        ("vectore", Engine::Dve),
        ("gpsimd", Engine::Pool),
        ("sync engine", Engine::Sp),
    ];
    if found.is_empty() {
        for (name, engine) in NAMES {
            found.extend(words(lower, name).take(1).map(|(at, _)| (at, engine, true)));
        }
        found.sort_by_key(|(at, ..)| *at);
    }
    found
}

fn engine_code(word: &str) -> Option<Engine> {
    word.parse().ok().and_then(Engine::from_code)
}

const PC_KEYS: [&str; 8] = [
    "device_pc",
    "device pc",
    "device_ip",
    "device ip",
    "dev_pc",
    "program counter",
    "instruction pointer",
    "pc",
];

const IP_KEYS: [&str; 9] = [
    "neff_ip",
    "neff ip",
    "isa instruction line number",
    "isa instruction line",
    "isa_line",
    "isa line",
    "instruction line number",
    "neff instruction",
    "ip",
];

const BASE_KEYS: [&str; 4] = ["image base", "base address", "base_addr", "base"];

/// Device PC of a text. The PC of an exception of a processor inside the engine is none.
fn device_pc(lower: &str) -> Option<u64> {
    PC_KEYS.iter().find_map(|key| {
        words(lower, key).find_map(|(at, rest)| {
            let head = lower.get(..at).unwrap_or("");
            if head.trim_end().ends_with("exception") {
                return None;
            }
            number(rest).map(|number| number.value).or_else(|| bare_hex(rest))
        })
    })
}

/// Numbers behind the keys of a PC or an IP that cannot be one, a sentence for each.
pub fn odd_numbers(lower: &str) -> Vec<String> {
    let mut odd = Vec::new();
    for (keys, what, one_based) in
        [(&PC_KEYS[..], "device PC", false), (&IP_KEYS[..], "NEFF IP", true)]
    {
        let found = keys.iter().find_map(|key| {
            words(lower, key).find_map(|(_, rest)| match number(rest) {
                Some(number) => (one_based && number.value == 0)
                    .then(|| String::from("the number 0: NEFF IPs count from 1")),
                None => impossible(rest),
            })
        });
        odd.extend(found.map(|why| format!("Behind the {what} stands {why}.")));
    }
    odd
}

/// Why the digits at the start of a text are no number of 64 bits; `None` if none stand there.
fn impossible(text: &str) -> Option<String> {
    let text = text.trim_start_matches([' ', '\t', ':', '=', '(', '[']);
    let (text, negative) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let length = digits.chars().take_while(|c| c.is_digit(radix)).count();
    let (digits, behind) = digits.split_at_checked(length)?;
    let mut behind = behind.bytes();
    let ends = match behind.next() {
        Some(b'.') => !behind.next().is_some_and(is_word),
        Some(byte) => !is_word(byte),
        None => true,
    };
    if digits.is_empty() || !ends {
        return None;
    }
    if negative {
        return Some(String::from("a negative number, which no address is"));
    }
    let wide = u64::from_str_radix(digits, radix).is_err();
    wide.then(|| String::from("a number of 2^64 or more, which no address is"))
}

/// Hexadecimal digits without `0x`, six or more with a letter among them.
fn bare_hex(text: &str) -> Option<u64> {
    let rest = text.trim_start_matches([' ', ':', '=', '(', '[']);
    let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    let (digits, behind) = rest.split_at_checked(length)?;
    let ends = !behind.bytes().next().is_some_and(is_word);
    let letters = digits.bytes().any(|byte| byte.is_ascii_alphabetic());
    if length >= 6 && ends && letters { u64::from_str_radix(digits, 16).ok() } else { None }
}

/// Device PC and NEFF IP of a text. What is called `ip` and is too large for one is a device PC.
fn point(lower: &str) -> Point {
    let mut point = Point { device_pc: device_pc(lower), ..Point::default() };
    if let Some(Number { value, .. }) = value_of(lower, &IP_KEYS) {
        match u32::try_from(value) {
            Ok(ip) if ip > 0 => point.neff_ip = Some(ip),
            Ok(_) => {}
            Err(_) => point.device_pc = point.device_pc.or(Some(value)),
        }
    }
    point.base = value_of(lower, &BASE_KEYS).filter(|base| base.hex).map(|base| base.value);
    point
}

/// The points of a program that a line names: one for each engine that has a PC or an IP of its
/// own, else one for the whole line, else none.
pub fn points(raw: &str, lower: &str) -> Vec<Point> {
    let engines = engines(raw, lower);
    let mut points: Vec<Point> = Vec::new();
    if engines.len() > 1 {
        for (at, &(start, engine, inferred)) in engines.iter().enumerate().take(MAX_POINTS) {
            let end = engines.get(at + 1).map_or(lower.len(), |next| next.0);
            let part = lower.get(start..end).unwrap_or("");
            let mut found = point(part);
            found.device_pc = found.device_pc.or_else(|| address_behind(part));
            if found.device_pc.is_some() || found.neff_ip.is_some() {
                points.push(Point { engine: Some(engine), engine_inferred: inferred, ..found });
            }
        }
        if points.len() > 1 {
            return points;
        }
    }
    let mut whole = point(lower);
    if let Some(&(at, engine, inferred)) = engines.first() {
        whole.engine = Some(engine);
        whole.engine_inferred = inferred;
        whole.device_pc = whole.device_pc.or_else(|| address_behind(lower.get(at..)?));
    }
    let empty = whole.engine.is_none() && whole.device_pc.is_none() && whole.neff_ip.is_none();
    if empty { Vec::new() } else { vec![whole] }
}

/// `PE: 0x3c0000ac0`: an address directly behind the engine's name.
fn address_behind(text: &str) -> Option<u64> {
    let name = text.bytes().position(|byte| !is_word(byte))?;
    number(text.get(name..)?).filter(|number| number.hex).map(|number| number.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<Point> {
        points(line, &line.to_ascii_lowercase())
    }

    #[test]
    fn an_engine_has_a_pc_and_an_ip() {
        for line in [
            "PE pc=0x3c0000ac0 neff_ip=7",
            "engine pe: device PC 0x3c0000ac0, NEFF IP 7",
            "PE: 0x3c0000ac0 (ip 7)",
            "[ND 0][NC 1] PE stopped at pc 3c0000ac0, ip: 7",
        ] {
            let expected = Point {
                engine: Some(Engine::Pe),
                device_pc: Some(0x3_c000_0ac0),
                neff_ip: Some(7),
                ..Point::default()
            };
            assert_eq!(of(line), [expected], "{line}");
        }
    }

    #[test]
    fn one_line_can_name_all_engines() {
        let points = of("PE=0x1000 ACT=0x2000 POOL=0x3000 DVE=0x4000 SP=0x5000");
        let pcs: Vec<_> = points.iter().filter_map(|point| point.device_pc).collect();
        assert_eq!(pcs, [0x1000, 0x2000, 0x3000, 0x4000, 0x5000]);
        assert_eq!(points[4].engine, Some(Engine::Sp));
    }

    #[test]
    fn a_device_ip_is_a_pc() {
        let points = of("device_ip 0x8005c0400140 is out of bounds of main and function buffer");
        assert_eq!(points[0].device_pc, Some(0x8005_c040_0140));
        assert_eq!(of("ip 0x8005c0400140")[0].device_pc, Some(0x8005_c040_0140));
        assert_eq!(of("isa instruction line number = 11. model")[0].neff_ip, Some(11));
    }

    #[test]
    fn other_engines_and_pcs_are_left_alone() {
        assert_eq!(of("DMA TX engine 0 is in an abort state"), []);
        assert_eq!(of("Exception PC: 0x840001E8"), []);
        assert_eq!(of("please act on the pool of 3"), []);
        let coded = of("Error while waiting for timestamp program to end on TPB eng 3");
        assert_eq!((coded[0].engine, coded[0].engine_inferred), (Some(Engine::Dve), true));
    }

    #[test]
    fn numbers_that_cannot_be_are_named() {
        for (text, part) in [
            ("pe pc 0x10000000000000000", "2^64 or more"),
            ("pe pc 18446744073709551616", "2^64 or more"),
            ("isa instruction line number = 99999999999999999999. model", "2^64 or more"),
            ("pe pc -5", "negative"),
            ("act ip -1", "negative"),
            ("act ip 0", "count from 1"),
        ] {
            let odd = odd_numbers(text);
            assert!(odd.len() == 1 && odd[0].contains(part), "{text}: {odd:?}");
        }
        for text in ["pe pc 18446744073709551615", "ip=10.1.161.26", "ip 1", "pc of -", "ip 10.1."]
        {
            assert_eq!(odd_numbers(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn models_are_paths_of_neffs() {
        let of = |line: &str| model(line, &line.to_ascii_lowercase());
        assert_eq!(of("number = 11. model name = /a/b.neff").as_deref(), Some("/a/b.neff"));
        assert_eq!(of("Failed to load NN: /tmp/x.neff, err: 4").as_deref(), Some("/tmp/x.neff"));
        assert_eq!(of("on model module.neff, waiting").as_deref(), Some("module.neff"));
        assert_eq!(of("could not load the model status"), None);
    }

    #[test]
    fn prefixes_have_a_module_and_a_level() {
        let line = "2023-Jan-09 20:27:41.0593 15042:15042 ERROR  TDRV:exec_consume   Missing";
        assert_eq!(component(line).unwrap().1, "TDRV:exec_consume");
        assert_eq!(level(line), Some("ERROR"));
        assert_eq!(rank("[rank3]: error"), Some(3));
        assert_eq!(rank("check if ranks 0 and 1"), None);
    }
}
