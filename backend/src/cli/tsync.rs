//! The command about counters of several blocks.

use super::args::OutputArgs;
use super::stop::Stop;
use super::{print, question};
use clap::Args;
use debug_api::{Request, Session, TsyncRequest};
use std::path::Path;

#[derive(Debug, Args)]
pub struct TsyncArgs {
    /// BLOCK:INIT:ACTUAL:EXPECTED:T each. BLOCK is EVT_SEM SP PE ACT DVE POOL HAM_AND_ERR DMA or
    /// TOP_SP; INIT its counter at the common instant; ACTUAL what each tick adds, EXPECTED its
    /// picoseconds; T the counter of the event
    #[arg(required = true, value_name = "READING")]
    pub readings: Vec<String>,
    /// Wall-clock nanoseconds of the host at the common instant
    #[arg(long, value_name = "NS", allow_negative_numbers = true)]
    pub host_ns: Option<i64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `tsync`: about no file.
pub fn tsync(args: TsyncArgs) -> Result<u8, Stop> {
    let request = Request::Tsync(TsyncRequest { readings: args.readings, host_ns: args.host_ns });
    let session = Session::new(Vec::new());
    let answer = question(&session, Path::new("tsync"), &args.output, &request)?;
    print(None, &answer, &args.output)
}
