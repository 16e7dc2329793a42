//! The command about collectives: the plan of files, or the program of an algorithm.

use super::args::{OutputArgs, number};
use super::stop::{Stop, maybe_small, small};
use super::{open_all, print, question};
use clap::Args;
use debug_api::{CollectivesRequest, Request, ScheduleRequest, Scope, Session};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct CollectivesArgs {
    /// NEFF files; several are ranks 0, 1, ... of one job and are compared. None: the program of
    /// --algorithm for --ranks
    #[arg(required_unless_present_all = ["algorithm", "ranks"])]
    pub files: Vec<PathBuf>,
    /// Subgraph of each file, by name or 0-based index (default: the first)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH", conflicts_with = "ranks")]
    pub s: Option<String>,
    /// Physical core of the subgraph (default: its index)
    #[arg(long, value_parser = number, conflicts_with = "ranks")]
    pub core: Option<u64>,
    /// Rank that runs the one file
    #[arg(long, value_name = "N", value_parser = number, conflicts_with = "ranks")]
    pub rank: Option<u64>,
    /// Ranks of the job, where the file does not say
    #[arg(long, value_name = "N", value_parser = number, conflicts_with = "ranks")]
    pub world: Option<u64>,
    /// Ranks of a node (default: 64)
    #[arg(long, value_name = "N", value_parser = number, conflicts_with = "ranks")]
    pub ranks_per_node: Option<u64>,
    /// Channels of an operation (default: one for each TOP_SP)
    #[arg(long, value_name = "N", value_parser = number, conflicts_with = "ranks")]
    pub channels: Option<u64>,
    /// Generation of the chip: sunda, cayman or mariana (default: that of the file)
    #[arg(long, value_name = "G", conflicts_with = "ranks")]
    pub generation: Option<String>,
    /// Algorithm of all collectives (default: a modelled choice): ring hierarchical mesh kangaring
    /// single-cycle-ring intra-rdh single-step-mesh inter-rdh two-step-pod-mesh latency-opt-mesh
    /// bw-opt-mesh
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,
    /// Without files: ranks of the program of --algorithm, 2 to 128
    #[arg(long, value_name = "N", value_parser = number, conflicts_with = "files", requires = "algorithm")]
    pub ranks: Option<u64>,
    /// Without files: all-reduce, all-gather, reduce-scatter, all-to-all or permute
    #[arg(long, value_name = "NAME", requires = "ranks")]
    pub operation: Option<String>,
    /// Without files: ranks of a node, chip or rack
    #[arg(long, value_name = "N", value_parser = number, requires = "ranks")]
    pub locals: Option<u64>,
    /// Without files: groups are joined by switches
    #[arg(long, requires = "ranks")]
    pub switched: bool,
    /// Without files: algorithm of a hierarchical one inside a node (default: ring)
    #[arg(long, value_name = "NAME", requires = "ranks")]
    pub intra: Option<String>,
    /// Without files: algorithm of a hierarchical one between nodes (default: ring)
    #[arg(long, value_name = "NAME", requires = "ranks")]
    pub inter: Option<String>,
    /// First 0-based collective, or step
    #[arg(long, default_value = "0", value_parser = number)]
    pub from: u64,
    /// Number of them
    #[arg(long, value_parser = number)]
    pub count: Option<u64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `collectives`.
pub fn collectives(args: CollectivesArgs) -> Result<u8, Stop> {
    let from = small(args.from, "--from")?;
    let count = maybe_small(args.count, "--count")?;
    if let (Some(algorithm), Some(ranks)) = (&args.algorithm, args.ranks) {
        let request = Request::Schedule(ScheduleRequest {
            algorithm: algorithm.clone(),
            ranks: small(ranks, "--ranks")?,
            operation: args.operation,
            locals: maybe_small(args.locals, "--locals")?,
            switched: args.switched,
            intra: args.intra,
            inter: args.inter,
            from,
            count,
        });
        let session = Session::new(Vec::new());
        let answer = question(&session, Path::new("collectives"), &args.output, &request)?;
        return print(None, &answer, &args.output);
    }
    let files = open_all(&args.files)?;
    let request = Request::Collectives(CollectivesRequest {
        scope: Scope { s: args.s, core: maybe_small(args.core, "--core")?, ..Scope::default() },
        rank: maybe_small(args.rank, "--rank")?,
        world: maybe_small(args.world, "--world")?,
        ranks_per_node: maybe_small(args.ranks_per_node, "--ranks-per-node")?,
        channels: maybe_small(args.channels, "--channels")?,
        algorithm: args.algorithm,
        generation: args.generation,
        from,
        count,
    });
    let session = Session::new(files);
    let path = args.files.first().map_or(Path::new("collectives"), |path| path);
    let answer = question(&session, path, &args.output, &request)?;
    print(Some((&session, path)), &answer, &args.output)
}
