//! Writes `input.neff` of every fixture case from its description. `cargo xtask bless` runs it.
#![allow(clippy::print_stdout, reason = "the changed cases are this program's output")]

fn main() -> anyhow::Result<()> {
    for name in support::rebuild_fixtures(&support::workspace_root())? {
        println!("rebuilt fixtures/cases/{name}/input.neff");
    }
    Ok(())
}
