//! Each fixture case through every stage: `info`, `slots`, `image` and `regions` against the accepted
//! documents, and `collectives` for cases about them; a file that cannot be opened against its accepted error.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use debug_api::{ApiError, CollectivesRequest, Limits, Request, Scope, Session};
use libtest_mimic::{Arguments, Failed, Trial};
use support::fixtures::{case_names, workspace_root};
use support::golden::{case_dir, compare};

const ENGINES: [&str; 5] = ["PE", "ACT", "POOL", "DVE", "SP"];

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::from_args();
    let trials = case_names(&workspace_root())?
        .into_iter()
        .map(|name| {
            Trial::test(name.clone(), move || {
                run(&name).map_err(|e| Failed::from(format!("{e:#}")))
            })
        })
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(name: &str) -> anyhow::Result<()> {
    let dir = case_dir(name);
    let bytes = std::fs::read(dir.join("input.neff"))?;
    let expected = dir.join("expected");
    let session = match Session::open("input.neff", bytes, &Limits::default()) {
        Ok(session) => session,
        Err(error) => return compare(&expected.join("error.json"), &pretty(&error)?),
    };
    let capture = dir.join("input.ntff");
    if capture.exists() {
        let session = Session::open("input.ntff", std::fs::read(capture)?, &Limits::default());
        let session = session.map_err(|error| anyhow::anyhow!("{error}"))?;
        let answer = session.ask(&Request::Ntff { f: None });
        let answer = answer.map_err(|error| anyhow::anyhow!("{error}"))?;
        // The NEFF's own stages are those of the case that it starts from.
        return compare(&expected.join("ntff.json"), &serde_json::to_string_pretty(&answer)?);
    }
    let document = |request: &Request| -> anyhow::Result<String> {
        match session.ask(request) {
            Ok(answer) => Ok(serde_json::to_string_pretty(&answer)?),
            Err(error) => pretty(&error),
        }
    };
    compare(&expected.join("info.json"), &document(&Request::Info { f: None, deep: true })?)?;
    // What a damaged file still shows is told by its findings; the stages have cases of their own.
    if name.starts_with("damaged-") {
        return Ok(());
    }
    if name.starts_with("collective-") {
        let request = CollectivesRequest::default();
        let plan = document(&Request::Collectives(request))?;
        return compare(&expected.join("collectives.json"), &plan);
    }
    for s in 0..session.subgraph_names(0).len() {
        let scope = Scope { s: Some(s.to_string()), ..Scope::default() };
        let regions = document(&Request::Regions { scope: scope.clone() })?;
        compare(&expected.join(format!("regions-{s}.json")), &regions)?;
        let kbin = Request::Kbin {
            scope: scope.clone(),
            record: None,
            from: 0,
            count: None,
            find: None,
            at: None,
            hex_from: None,
            hex_bytes: None,
        };
        compare(&expected.join(format!("kbin-{s}.json")), &document(&kbin)?)?;
        for engine in ENGINES {
            let scope = Scope { e: Some(engine.to_owned()), ..scope.clone() };
            let slots = Request::Slots { scope: scope.clone(), from: 0, count: None };
            compare(&expected.join(format!("slots-{s}-{engine}.json")), &document(&slots)?)?;
            let image = document(&Request::Image { scope })?;
            compare(&expected.join(format!("image-{s}-{engine}.json")), &image)?;
        }
    }
    Ok(())
}

fn pretty(error: &ApiError) -> anyhow::Result<String> {
    let value: serde_json::Value = serde_json::from_str(&error.to_json())?;
    Ok(serde_json::to_string_pretty(&value)?)
}
