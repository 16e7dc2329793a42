//! `cargo xtask bench`: runs the benchmarks and prints each as a ratio to its group's baseline.
//!
//! A group that has a peer or a limit to compare with names that benchmark `baseline`. Both are
//! measured in one run, so the ratio means the same on every machine.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace;

/// One measured benchmark.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    group: String,
    name: String,
    /// Mean time of one iteration, ns.
    mean_ns: f64,
    /// Elements or bytes of one iteration, if the benchmark says.
    per_iteration: Option<(f64, &'static str)>,
}

/// Runs `cargo bench` (further arguments go to it) and prints the table.
pub fn run(arguments: &[OsString]) -> Result<()> {
    let results = workspace::target().join("criterion");
    if results.is_dir() {
        fs::remove_dir_all(&results).context("cannot clear old results")?;
    }
    let mut command = workspace::cargo(["bench", "--locked", "--package", "tests", "--bench", "*"]);
    workspace::run(command.args(arguments))?;
    let mut measured = Vec::new();
    for folder in measured_folders(&results) {
        measured.push(read(&folder)?);
    }
    if measured.is_empty() {
        bail!("no benchmark left a result in {}", workspace::shown_path(&results));
    }
    measured.sort_by(|a, b| (&a.group, &a.name).cmp(&(&b.group, &b.name)));
    measured.iter().for_each(|one| println!("{}", line(one, &measured)));
    Ok(())
}

/// Folders named `new` with an estimate in them, at any depth.
fn measured_folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.ends_with("new") && path.join("estimates.json").is_file() {
            found.push(path);
        } else if path.is_dir() {
            found.extend(measured_folders(&path));
        }
    }
    found
}

fn read(folder: &Path) -> Result<Measured> {
    let document = |name: &str| -> Result<Value> {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok(serde_json::from_str(&text)?)
    };
    parse(&document("benchmark.json")?, &document("estimates.json")?)
        .with_context(|| format!("odd result in {}", folder.display()))
}

fn parse(benchmark: &Value, estimates: &Value) -> Option<Measured> {
    let text = |key: &str| benchmark[key].as_str().map(str::to_owned);
    let group = text("group_id")?;
    let names = [text("function_id"), text("value_str")];
    let name = names.into_iter().flatten().collect::<Vec<_>>().join("/");
    let amount = |key: &str| benchmark["throughput"][key].as_f64();
    let per_iteration = amount("Elements")
        .map(|n| (n, "elements"))
        .or_else(|| amount("Bytes").map(|n| (n, "bytes")));
    let mean_ns = estimates["mean"]["point_estimate"].as_f64()?;
    Some(Measured { group, name, mean_ns, per_iteration })
}

fn line(one: &Measured, all: &[Measured]) -> String {
    let mut line = format!("{}/{}: {:.0} ns", one.group, one.name, one.mean_ns);
    if let Some((amount, unit)) = one.per_iteration {
        line += &format!(", {:.1} M {unit}/s", amount * 1e3 / one.mean_ns);
    }
    let baseline = all.iter().find(|other| other.group == one.group && other.name == "baseline");
    if let Some(baseline) = baseline.filter(|baseline| *baseline != one) {
        line += &format!(", {:.4} x the time of the baseline", ratio(one, baseline));
    }
    line
}

/// Time against time: for the same amount of work where both say how much they do.
fn ratio(one: &Measured, baseline: &Measured) -> f64 {
    let time = |measured: &Measured| match (one.per_iteration, baseline.per_iteration) {
        (Some((_, a)), Some((_, b))) if a == b => {
            measured.mean_ns / measured.per_iteration.map_or(1.0, |(amount, _)| amount)
        }
        _ => measured.mean_ns,
    };
    time(one) / time(baseline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn measured(name: &str, mean: f64, bytes: u32) -> Option<Measured> {
        parse(
            &json!({"group_id": "open", "function_id": name, "throughput": {"Bytes": bytes}}),
            &json!({"mean": {"point_estimate": mean}}),
        )
    }

    #[test]
    fn a_ratio_compares_with_the_baseline_of_the_group() {
        let all: Vec<_> = [measured("info", 3000.0, 4000), measured("baseline", 2000.0, 4000)]
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(
            line(&all[0], &all),
            "open/info: 3000 ns, 1333.3 M bytes/s, 1.5000 x the time of the baseline"
        );
        assert_eq!(line(&all[1], &all), "open/baseline: 2000 ns, 2000.0 M bytes/s");
    }

    #[test]
    fn a_baseline_may_do_less_work() {
        let all: Vec<_> = [measured("fast", 1000.0, 100), measured("baseline", 1000.0, 1)]
            .into_iter()
            .flatten()
            .collect();
        assert!(line(&all[0], &all).ends_with(" 0.0100 x the time of the baseline"));
    }
}
