//! One line of a log, without its neighbors: kind and values.

use super::codes;
use super::ids;
use super::line::{Features, Kind, Lead, Line, Phase, Point};
use super::rules;
use super::scan::{Number, cut, id_of, value_of, words};
use crate::answer::Provenance;
use records::Engine;

/// Longest further value that is kept, in bytes.
const VALUE_BYTES: usize = 256;

/// Reads a line that has no controls in it.
pub fn read(text: &str, number: u32) -> Line {
    let lower = text.to_ascii_lowercase();
    let (device, core) = ids::device_core(&lower);
    let features = features(&lower);
    let mut line = Line {
        number,
        text: text.to_owned(),
        level: ids::level(text),
        component: ids::component(text).map(|(_, name)| name),
        points: ids::points(text, &lower),
        device,
        core,
        rank: ids::rank(&lower),
        model: ids::model(text, &lower),
        status: codes::find(text, &lower),
        features,
        values: values(text, &lower),
        ..Line::default()
    };
    line.remarks = ids::odd_numbers(&lower);
    classify(&mut line, &lower);
    if line.lead == Some(Lead::Name) {
        line.instruction = instruction(text, &lower);
    }
    match line.kind {
        Kind::MissingNotification => missing_engine(&mut line, &lower),
        Kind::OutOfBounds => oob_engine(&mut line),
        Kind::ErrorNotification => line.points.retain(|point| point.device_pc.is_some()),
        _ => {}
    }
    line
}

fn classify(line: &mut Line, lower: &str) {
    let point = line.point();
    let found = if line.features.is_some() {
        let says = "Feature bits of a NEFF against the mask of a runtime, which refuses bits outside of it.";
        let next = "Compare the bits in the header; take a newer runtime or an older compiler.";
        Some((Kind::FeatureMask, Provenance::Observed, says, next))
    } else {
        let rule = rules::find(lower);
        line.lead = rule.and_then(|rule| rule.lead);
        rule.map(|rule| (rule.kind, rule.format, rule.says, rule.next))
    };
    let (kind, format, says, next) = found.unwrap_or_else(|| {
        let placed = point.device_pc.is_some() || point.engine.is_some() && point.neff_ip.is_some();
        let ip = point.neff_ip.is_some() && lower.contains("neff");
        if placed || ip {
            (Kind::EnginePc, Provenance::Inferred, "Where an engine stands.", "")
        } else if line.status.is_some() {
            let says = "A call of the runtime ended with this status.";
            (Kind::Status, Provenance::Observed, says, "")
        } else if point.engine.is_some() && !line.remarks.is_empty() {
            let says = "Where an engine stands, but the number is none.";
            let next = "Copy the number anew, as it stands in the log.";
            (Kind::EnginePc, Provenance::Inferred, says, next)
        } else if line.device.is_some() || line.core.is_some() {
            (Kind::Device, Provenance::Observed, "A line about this device or core.", "")
        } else {
            (Kind::Other, Provenance::Inferred, "", "")
        }
    });
    (line.kind, line.format, line.says, line.next) = (kind, format, says, next);
}

/// The feature bits of a line, if it speaks of features and has a mask.
fn features(lower: &str) -> Option<Features> {
    if !lower.contains("feature") {
        return None;
    }
    let mask = |keys: &[&str]| value_of(lower, keys).filter(|n: &Number| n.hex).map(|n| n.value);
    let named = mask(&["features", "feature_bits", "feature bits", "feature mask", "feature"]);
    let supported = mask(&[
        "currently supporting",
        "supporting",
        "supported features",
        "supported mask",
        "supported",
        "runtime mask",
        "mask",
    ]);
    let supported = supported.filter(|mask| named != Some(*mask) || lower.contains("support"));
    (named.is_some() || supported.is_some()).then_some(Features { named, supported })
}

/// `(end:3)`, or `(1:0)` of older runtimes: the engine is the code behind the colon. A line can name
/// several.
/// Spec: docs/format/logs.md "Missing notifications" [inferred: codes as elsewhere].
fn missing_engine(line: &mut Line, lower: &str) {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mut points: Vec<Point> = Vec::new();
    let pairs = lower.split('(').skip(1).filter_map(|inside| inside.split_once(')'));
    for (phase, code) in pairs.filter_map(|(pair, _)| pair.split_once(':')).take(MAX_MISSING) {
        let missing = match phase.trim() {
            "0" | "start" => Phase::Start,
            "1" | "end" => Phase::End,
            other if digits(other) => {
                line.remarks.push(format!(
                    "The number {} in front of the colon is neither 0, the start, nor 1, the end.",
                    cut(other, 20)
                ));
                continue;
            }
            _ => continue,
        };
        let code = code.trim();
        let engine = code.parse().ok().and_then(Engine::from_code);
        if engine.is_none() && digits(code) {
            line.remarks.push(format!(
                "No engine has the code {}; the codes are 0 to 4: PE ACT POOL DVE SP.",
                cut(code, 20)
            ));
        }
        points.push(Point {
            engine,
            engine_inferred: engine.is_some(),
            missing: Some(missing),
            ..Point::default()
        });
    }
    let phases: Vec<Phase> = points.iter().filter_map(|point| point.missing).collect();
    if let Some(first) = phases.first().copied() {
        line.values.push(("missing", first.word().to_owned()));
        if phases.iter().all(|phase| *phase == first) {
            line.says = match first {
                Phase::Start => NO_START,
                Phase::End => NO_END,
            };
        }
    }
    points.retain(|point| point.engine.is_some());
    if !phases.is_empty() {
        line.points = points;
    }
}

/// Most missing reports of one line.
const MAX_MISSING: usize = 16;

const NO_START: &str =
    "An engine did not report the start of the execution: it stands in front of its program.";
const NO_END: &str =
    "An engine did not report the end of the execution: it began and did not get there.";

/// The instruction that a line of the compiler names: `Instruction: NAME`, `instruction NAME`.
fn instruction(text: &str, lower: &str) -> Option<String> {
    const SIGNS: [char; 6] = [' ', ':', '=', '"', '\'', '`'];
    ["instruction name", "instruction"].iter().find_map(|key| {
        words(lower, key).find_map(|(at, _)| {
            let rest = text.get(at + key.len()..)?.trim_start_matches(SIGNS);
            let end = rest.find(|c: char| c.is_whitespace() || "\"'`,;()".contains(c));
            let name = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches('.');
            let digit = name.bytes().any(|byte| byte.is_ascii_digit());
            (digit && name.len() <= VALUE_BYTES).then(|| name.to_owned())
        })
    })
}

/// Out-of-bounds lines name no engine. The notifications that they are made from carry the tag of
/// POOL. Spec: docs/format/logs.md "Out of bounds" [inferred].
fn oob_engine(line: &mut Line) {
    for point in &mut line.points {
        if point.engine.is_none() && point.neff_ip.is_some() && point.device_pc.is_none() {
            point.engine = Some(Engine::Pool);
            point.engine_inferred = true;
        }
    }
}

/// Further values that say more than their number.
fn values(text: &str, lower: &str) -> Vec<(&'static str, String)> {
    let mut values: Vec<(&'static str, String)> = Vec::new();
    let mut add = |name, value: Option<String>| values.extend(value.map(|value| (name, value)));
    let dec = |keys: &[&str]| value_of(lower, keys).map(|n| n.value.to_string());
    add("operation", dec(&["collectives operation"]));
    add("expected", dec(&["expected"]));
    add("received", dec(&["received"]).filter(|_| lower.contains("expected")));
    add("opcode", dec(&["operator code"]));
    add("error id", dec(&["error_id"]));
    add("requested", dec(&["requested"]));
    add("max", dec(&["max allowed", "max"]).filter(|_| lower.contains("requested")));
    add("nec_dev", id_of(lower, "nec_dev").map(|id| id.to_string()));
    add("logical core", id_of(lower, "lnc").map(|id| id.to_string()));
    add("metadata", value_of(lower, &["metadata"]).map(|n| format!("{:#x}", n.value)));
    add("timeout", behind(text, lower, "timeout (", &[')']));
    add("action", behind(text, lower, "action=", &[';', ' ', ',']));
    add("error", behind(text, lower, "error string:", &[';', ',']));
    add("usage", behind(text, lower, "usage: ", &[')']));
    let size = behind(text, lower, "failed to allocate ", &[' ', '\t', ',']);
    add("size", size.filter(|size| size.starts_with(|c: char| c.is_ascii_digit())));
    add("reason", behind(text, lower, "reason: ", &['.', ';']));
    add("location", behind(text, lower, "memory location: ", &[' ']));
    add("queue size", dec(&["size"]).filter(|_| lower.contains("queue")));
    add("member", member(text));
    for row in lower.split('\n').skip(1) {
        // `* tensors: 13.170GB`, the rows of a usage list.
        let Some((name, size)) = row.trim().strip_prefix('*').and_then(|row| row.split_once(':'))
        else {
            continue;
        };
        let row = match name.trim() {
            "total" => "total",
            "model code" => "model code",
            "model constants" => "model constants",
            "tensors" => "tensors",
            "shared scratchpad" => "shared scratchpad",
            "nonshared scratchpad" => "nonshared scratchpad",
            "runtime" => "runtime",
            "dma rings" => "dma rings",
            "collectives" => "collectives",
            _ => continue,
        };
        add(row, Some(cut(size.trim(), VALUE_BYTES).to_owned()));
    }
    values
}

/// The text behind a phrase up to one of the ends.
fn behind(text: &str, lower: &str, phrase: &str, ends: &[char]) -> Option<String> {
    let at = lower.find(phrase)? + phrase.len();
    let rest = text.get(at..)?.trim_start();
    let end = rest.find(|c: char| ends.contains(&c) || c == '\n').unwrap_or(rest.len());
    let value = cut(rest.get(..end)?.trim(), VALUE_BYTES);
    (!value.is_empty()).then(|| value.to_owned())
}

/// A document that a line names: `kelf-0.json`, `sg00/def.json`.
fn member(text: &str) -> Option<String> {
    let (at, _) = words(text, "json")
        .find(|(at, _)| text.get(..*at).is_some_and(|head| head.ends_with('.')))?;
    let head = text.get(..at)?;
    let start =
        head.rfind(|c: char| c.is_whitespace() || "\"'(:=".contains(c)).map_or(0, |at| at + 1);
    let name = text.get(start..at + 4)?;
    (name.len() > 5 && name.len() <= VALUE_BYTES).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Line {
        read(text, 1)
    }

    #[test]
    fn features_are_two_masks() {
        let line = of("NEFF:neff_parse    NEFF version: 2.0, features: 0x100 are not supported.  \
            Currently supporting: 0x80000000000000ff");
        assert_eq!(line.kind, Kind::FeatureMask);
        let expected = Features { named: Some(0x100), supported: Some(0x8000_0000_0000_00ff) };
        assert_eq!(line.features, Some(expected));
    }

    #[test]
    fn an_out_of_bounds_line_has_an_ip_on_pool() {
        let line = of("TDRV:generate_custom_notification_msg  nd0:nc1:h_model.id1001: Received \
            notification generated at runtime: failed to run scatter/gather (indirect memory \
            copy), due to out-of-bound access. isa instruction line number = 11. model name = \
            /m/token.neff");
        assert_eq!(line.kind, Kind::OutOfBounds);
        assert_eq!((line.device, line.core), (Some(0), Some(1)));
        assert_eq!(line.model.as_deref(), Some("/m/token.neff"));
        let point = line.point();
        assert_eq!((point.engine, point.neff_ip), (Some(Engine::Pool), Some(11)));
        assert!(point.engine_inferred);
    }

    #[test]
    fn missing_notifications_name_an_engine() {
        let line = of("TDRV:exec_consume_tpb_status_notifications  Missing infer_status \
            notification: (end:1)");
        assert_eq!(line.kind, Kind::MissingNotification);
        assert_eq!(line.point().engine, Some(Engine::Act));
        assert_eq!(line.value("missing"), Some("end"));
        let older = of("Missing infer_status notification: (0:2)");
        assert_eq!(older.point().engine, Some(Engine::Pool));
        assert_eq!(older.value("missing"), Some("start"));
        assert_eq!(of("Missing infer_status notification: (end:9)").point().engine, None);
    }

    #[test]
    fn a_line_can_miss_several_engines() {
        let line = of("Missing infer_status notification: (end:4) (end:0)");
        let engines: Vec<_> = line.points.iter().filter_map(|point| point.engine).collect();
        assert_eq!(engines, [Engine::Sp, Engine::Pe]);
        assert!(line.says.contains("the end") && !line.says.contains("start"));
        assert!(of("Missing infer_status notification: (start:1)").says.contains("the start"));
        for (text, part) in [("(end:99)", "code 99"), ("(9:9)", "number 9 in front")] {
            let line = of(&format!("Missing infer_status notification: {text}"));
            assert_eq!(line.point().engine, None);
            assert!(line.remarks.len() == 1 && line.remarks[0].contains(part), "{line:?}");
        }
    }

    #[test]
    fn instructions_of_the_compiler_are_named() {
        for (text, name) in [
            ("instruction I-21-0 cannot be allocated in SB", "I-21-0"),
            (
                "=== BIR error === Reason: Access pattern out of bound. Instruction: pool_I-6634-tc \
                 Opcode: TensorCopy",
                "pool_I-6634-tc",
            ),
        ] {
            assert_eq!(of(text).instruction.as_deref(), Some(name), "{text}");
        }
        let line = of("=== BIR error === Reason: Access pattern out of bound. Instruction: a1");
        assert_eq!(line.value("reason"), Some("Access pattern out of bound"));
    }

    #[test]
    fn kinds_of_real_lines() {
        for (text, kind) in [
            ("NMGR:dlr_infer  Inference completed with err: 1006. mode->h_nn=1001", Kind::Status),
            ("inference timeout (600000 ms) on Neuron Device 0 NC 0, waiting", Kind::Timeout),
            ("[ND 0][NC 0] execution timeout (30000 ms) on model m.neff", Kind::Timeout),
            ("Failed to load NN: /tmp/x.neff, err: 4", Kind::LoadFailure),
            ("Failed to stage graph: kelf-0.json to NeuronCore", Kind::LoadFailure),
            ("nrt_load: status=2, error message=\"Invalid argument\".", Kind::LoadFailure),
            ("Failure: NRT_RESOURCE in nrt_load()", Kind::LoadFailure),
            ("Failed to allocate 43.325MB (usage: dma rings) on ND 0:NC 1, current", Kind::Memory),
            ("[nec_dev 2] replica groups (0/1) does not have myself 2", Kind::Collective),
            ("mismatching number of cc ops, expected 3 received 6.", Kind::Collective),
            (
                "Error notifications found on NC:0; action=INFER_ERROR; error_id=8",
                Kind::ErrorNotification,
            ),
            ("[MLA 0][NC 0] DMA TX engine 0 is in an abort state", Kind::Hardware),
            ("Could not open the nd1", Kind::Device),
            ("Neuron Runtime 2.22.14.0 built on Sep  4 2024", Kind::Other),
            ("ACT pc 0x3c0000040", Kind::EnginePc),
            ("PE PC 0x1ffffffffffffffff", Kind::EnginePc),
            (
                "TDRV:tdrv_one_tmpbuf_reserve   Number of ONE TMPBUF pages requested exceeded the \
                 max number of pages allowed (requested: 18, max allowed: 16).",
                Kind::Memory,
            ),
            (
                "TDRV:dma_queue_init_batch_execute  failed to init dma queue batch. One or more of \
                 the queues may have exceeded queue descriptor limits",
                Kind::Memory,
            ),
            ("neuron:udma_q_init_validate: queue8 size(16777216) too large", Kind::Memory),
            (
                "=== BIR error === Reason: Access pattern out of bound. Instruction: a-1 Opcode: x",
                Kind::Compile,
            ),
            ("WARNING: Missing additional dynamic DMA metadata, reported DMA", Kind::Capture),
            ("Unsupported topology: supported 1/2/8/16/x32 cores", Kind::Collective),
            ("core barrier names differ between LNC cores", Kind::Collective),
            ("NTFF version 4 not supported (1 - 3)", Kind::Capture),
            ("instruction I-21-0 cannot be allocated in SB", Kind::Compile),
            ("Could not find a matching NEFF for your HLO in this directory.", Kind::LoadFailure),
            ("validate_neff_cc_ops expected 3 received 6", Kind::Collective),
            ("nrt_tensor_allocate status=4", Kind::Memory),
            ("262126 error notifications, FP underflow", Kind::ErrorNotification),
            ("HW_ERR_DMA_ABORT", Kind::Hardware),
            ("Event double set", Kind::ErrorNotification),
        ] {
            assert_eq!(of(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn values_are_named() {
        let line = of("Failed to stage graph: kelf-b.json to NeuronCore");
        assert_eq!(line.value("member"), Some("kelf-b.json"));
        let line = of("mismatching number of cc ops, expected 3 received 6.");
        assert_eq!((line.value("expected"), line.value("received")), (Some("3"), Some("6")));
        let line = of("execution timeout (30000 ms) on model m.neff");
        assert_eq!(line.value("timeout"), Some("30000 ms"));
        let line = of("Failed to allocate DMA ring of 16777216 descriptors");
        assert_eq!(line.value("size"), None);
        let line = of("Failed to allocate 43.325MB (usage: dma rings) on ND 0:NC 1");
        assert_eq!(line.value("size"), Some("43.325MB"));
        let line = of("TMPBUF pages requested exceeded it (requested: 18, max allowed: 16).");
        assert_eq!((line.value("requested"), line.value("max")), (Some("18"), Some("16")));
    }
}
