//! The arguments of the commands.

use clap::{ArgGroup, Args};
use debug_api::{Limits, Scope};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 1 if there is an error among the findings
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// NEFF or NTFF file
    pub file: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct NtffArgs {
    /// NTFF file
    pub file: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// NEFF file
    pub file: PathBuf,
    /// Subgraph, by name or 0-based index (default: the first)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    pub s: Option<String>,
    /// Engine: PE ACT POOL DVE SP, in any case (default: PE)
    #[arg(short = 'e', long = "engine", value_name = "ENGINE")]
    pub e: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct SlotsArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// First 0-based slot
    #[arg(long, default_value = "0", value_parser = number, allow_negative_numbers = true)]
    pub from: u64,
    /// Number of slots (default: all that follow)
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub count: Option<u64>,
}

#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// Runtime profile, by name or as the path of a .toml file (default: by target; see
    /// `neffscope profiles`)
    #[arg(long, value_name = "NAME|PATH")]
    pub profile: Option<String>,
    /// Physical core of the subgraph
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub core: Option<u64>,
    /// NTFF profile of a run: its captured image instead of a built one
    #[arg(long, value_name = "FILE")]
    pub ntff: Option<PathBuf>,
    /// With --ntff: the image built with the capture's values
    #[arg(long, requires = "ntff")]
    pub modelled: bool,
}

#[derive(Debug, Args)]
pub struct ImageArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// List the records that the runtime keeps about the program
    #[arg(long, conflicts_with = "record")]
    pub records: bool,
    /// Show one of these records, for example functions.0.blocks.0
    #[arg(long, value_name = "NAME")]
    pub record: Option<String>,
    /// Write the bytes of the image, or of the record, to this file
    #[arg(long, value_name = "OUT", conflicts_with = "records")]
    pub bytes: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LoaderArgs {
    /// Generation of the device, for programs whose target is any: sunda, cayman or mariana (default:
    /// cayman)
    #[arg(long, value_name = "G")]
    pub device: Option<String>,
    /// Generation whose programs get the default micro-code library: sunda, cayman, mariana or none
    /// (default: sunda; sources disagree)
    #[arg(long, value_name = "G|none")]
    pub default_library: Option<String>,
}

impl LoaderArgs {
    /// A question's scope with these choices.
    pub fn choose(&self, scope: Scope) -> Scope {
        Scope { device: self.device.clone(), library: self.default_library.clone(), ..scope }
    }
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("of"))]
pub struct BytesArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub loader: LoaderArgs,
    /// Member of the archive
    #[arg(long, value_name = "NAME", group = "of")]
    pub member: Option<String>,
    /// Record that the runtime keeps (see `neffscope image --records`)
    #[arg(long, value_name = "NAME", group = "of")]
    pub record: Option<String>,
    /// Record that a loader makes (see `neffscope kbin`)
    #[arg(long, value_name = "NAME", group = "of")]
    pub kbin: Option<String>,
    /// Part of a capture
    #[arg(long, value_name = "NAME", group = "of")]
    pub part: Option<String>,
    /// Header of the executable
    #[arg(long, group = "of")]
    pub header: bool,
    /// An end of the gzip member that holds the archive: header or trailer
    #[arg(long, value_name = "END", num_args = 0..=1, default_missing_value = "header", group = "of")]
    pub gzip: Option<String>,
    /// The whole archive, inflated
    #[arg(long, group = "of")]
    pub tar: bool,
    /// Stream of the engine
    #[arg(long, group = "of")]
    pub stream: bool,
    /// Device image of the engine
    #[arg(long, group = "of")]
    pub image: bool,
    /// First byte
    #[arg(long, default_value = "0", value_parser = number, allow_negative_numbers = true)]
    pub from: u64,
    /// Number of bytes, at most 65536 (default: 256)
    #[arg(long, default_value = "256", value_parser = number, allow_negative_numbers = true)]
    pub count: u64,
}

#[derive(Debug, Args)]
pub struct KbinArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub loader: LoaderArgs,
    /// Show one record, for example mem_ref_set or ring.qSPIO0.0
    #[arg(long, value_name = "NAME")]
    pub record: Option<String>,
    /// Search names and values in all records and their rows: a part of a name or text, or a number,
    /// decimal or with 0x in hex
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["record", "variable", "queue", "transfer"])]
    pub search: Option<String>,
    /// First 0-based record of the list, or first row behind the header of the one record
    #[arg(long, default_value = "0", value_parser = number, allow_negative_numbers = true)]
    pub from: u64,
    /// Number of records or rows; at most 4096 are shown, which is said
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub count: Option<u64>,
    /// Write the record's bytes to this file; pointers are 0 in them. With --from and --count only
    /// those rows, and the header if they begin with row 0
    #[arg(long, value_name = "OUT", requires = "record")]
    pub bytes: Option<PathBuf>,
    /// Show one variable, by name or id: its record, its descriptors, the slots that use it
    #[arg(long, value_name = "NAME|ID", conflicts_with_all = ["record", "queue"])]
    pub variable: Option<String>,
    /// Show one DMA queue: rings, descriptors and their limit, triggers
    #[arg(long, value_name = "NAME", conflicts_with = "record")]
    pub queue: Option<String>,
    /// Show which bytes one transfer touches: ring.<queue>.<n>.<descriptor>, or engine and NEFF IP
    /// of a direct one, SP.3
    #[arg(long, value_name = "NAME", conflicts_with_all = ["record", "queue", "variable"])]
    pub transfer: Option<String>,
}

#[derive(Debug, Args)]
pub struct ProfilesArgs {
    /// Profile file to list too
    #[arg(long, value_name = "PATH")]
    pub profile: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct PcArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Device PC
    #[arg(long, value_name = "ADDR")]
    pub pc: String,
    /// Device base of the engine's image (default: a modelled placement)
    #[arg(long, value_name = "ADDR")]
    pub base: Option<String>,
}

#[derive(Debug, Args)]
pub struct IpArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// 1-based NEFF IP
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub ip: u64,
    /// Device base of the engine's image (default: a modelled placement)
    #[arg(long, value_name = "ADDR")]
    pub base: Option<String>,
}

#[derive(Debug, Args)]
pub struct LogArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Text of a runtime log; `-` reads it from the standard input
    pub log: PathBuf,
    /// Print the lines without a PC, an IP or a code too, which are folded otherwise
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Device base of the image of ENGINE (PE if none is named), for lines that do not name their
    /// own
    #[arg(long, value_name = "ADDR")]
    pub base: Option<String>,
}

#[derive(Debug, Args)]
pub struct MemoryArgs {
    /// NEFF files that are loaded on one core group, one after the other
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// One subgraph of the first file, by name or 0-based index (default: all)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    pub s: Option<String>,
    /// Physical core of the subgraph, or of each file's first one, which the others follow (default:
    /// the one that the images are made for)
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub core: Option<u64>,
    /// How scratchpad pages are addressed: paged or contiguous (default: by --runtime, else paged)
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Bytes of a scratchpad page in paged mode (default: 512 MiB)
    #[arg(long, value_name = "BYTES", value_parser = number, allow_negative_numbers = true)]
    pub page_size: Option<u64>,
    /// Generation of the chip: sunda, cayman or mariana (default: that of the first file)
    #[arg(long, value_name = "G")]
    pub generation: Option<String>,
    /// Bytes of each HBM (default: those of the generation)
    #[arg(long, value_name = "BYTES", value_parser = number, allow_negative_numbers = true)]
    pub hbm: Option<u64>,
    /// Version of the runtime, for example 2.33: it chooses the mode
    #[arg(long, value_name = "VERSION")]
    pub runtime: Option<String>,
    /// Version of the driver (default: one that can do contiguous mode)
    #[arg(long, value_name = "VERSION", requires = "runtime")]
    pub driver: Option<String>,
    /// NTFF profile of a run: what it measured, beside what is computed
    #[arg(long, value_name = "FILE")]
    pub ntff: Option<PathBuf>,
    /// List the places of variables instead of the plan, from this 0-based one on
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub from: Option<u64>,
    /// Number of places in the list, at most 4,096 (default: 256)
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub count: Option<u64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct ScratchpadArgs {
    /// How pages are addressed: paged or contiguous
    #[arg(long, value_name = "MODE", default_value = "paged")]
    pub mode: String,
    /// Bytes of a page (default: 512 MiB, in contiguous mode 64 MiB)
    #[arg(long, value_name = "BYTES", value_parser = number, allow_hyphen_values = true)]
    pub page_size: Option<u64>,
    /// Pages that have memory
    #[arg(long, value_name = "N", value_parser = number, allow_hyphen_values = true)]
    pub pages: u64,
    /// First byte in the scratchpad
    #[arg(long, value_name = "BYTES", value_parser = number, allow_hyphen_values = true)]
    pub offset: u64,
    /// Bytes
    #[arg(long, value_name = "BYTES", value_parser = number, allow_hyphen_values = true)]
    pub size: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct AddressMapArgs {
    /// Generation of the chip: sunda, cayman or mariana
    #[arg(long, value_name = "G", default_value = "cayman")]
    pub generation: String,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct AddressArgs {
    /// NEFF file; may be left out with --generation, then only regions are told
    pub file: Option<PathBuf>,
    /// Subgraph, by name or 0-based index (default: the first)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    pub s: Option<String>,
    /// Engine: PE ACT POOL DVE SP, in any case (default: PE)
    #[arg(short = 'e', long = "engine", value_name = "ENGINE")]
    pub e: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Device address
    #[arg(long, value_name = "ADDR")]
    pub address: String,
    /// Generation of the chip: sunda, cayman or mariana (default: that of the file)
    #[arg(long, value_name = "G")]
    pub generation: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = limits_help())]
pub struct ServeArgs {
    /// Files to open at the start: executables, and captures or profiles to see them with
    pub files: Vec<PathBuf>,
    /// Address to listen on; anything but loopback needs a token
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address,
        default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7333))]
    pub listen: SocketAddr,
    /// Token that uploads must bear
    #[arg(long, env = "NEFFSCOPE_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Host name to answer under, beside loopback (repeatable)
    #[arg(long = "allow-host", value_name = "NAME")]
    pub hosts: Vec<String>,
    /// Most bytes of a file
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub limit_upload: Option<u64>,
    /// Most bytes that a file may inflate to
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub limit_inflated: Option<u64>,
    /// Most inflated bytes per stored byte
    #[arg(long, value_parser = number, allow_negative_numbers = true)]
    pub limit_ratio: Option<u64>,
}

/// A decimal or `0x` number.
pub fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| {
        format!("a whole number from 0 to {} is expected, decimal or with 0x in hex", u64::MAX)
    })
}

/// An address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "an IP address and a port up to 65535 are expected, such as 127.0.0.1:7333 or [::1]:7333; \
         port 0 is any that is free"
            .to_owned()
    })
}

fn limits_help() -> String {
    let limits = Limits::default();
    format!(
        "Limits (defaults):\n  --limit-upload {} bytes\n  --limit-inflated {} bytes\n  \
         --limit-ratio {} inflated bytes per stored byte, once {} are out\n  \
         {} members, {} bytes a member name, JSON depth {}\n  \
         {} bytes of a log, {} bytes of any other question",
        limits.upload_bytes,
        limits.inflated_bytes,
        limits.ratio,
        limits.ratio_from_bytes,
        limits.members,
        limits.member_name_bytes,
        limits.json_depth,
        limits.log_bytes,
        limits.question_bytes
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_or_hex() {
        assert_eq!(number("0x40"), Ok(64));
        assert_eq!(number("64"), Ok(64));
        assert!(number("0x").is_err());
        for wrong in ["-1", "x", "", "18446744073709551616"] {
            let said = number(wrong).unwrap_err();
            assert!(said.contains("from 0 to 18446744073709551615"), "{said}");
        }
    }

    #[test]
    fn an_address_has_a_port() {
        assert_eq!(address("127.0.0.1:80").unwrap().port(), 80);
        for wrong in ["localhost:80", "127.0.0.1", "127.0.0.1:99999", ""] {
            assert!(address(wrong).unwrap_err().contains("127.0.0.1:7333"), "{wrong}");
        }
    }
}
