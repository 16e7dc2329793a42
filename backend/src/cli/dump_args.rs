//! The arguments of the commands about firmware memory and control entries.

use super::args::{OutputArgs, number};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct DumpArgs {
    /// Raw memory of a TOP_SP's firmware
    #[arg(required_unless_present = "printers")]
    pub file: Option<PathBuf>,
    /// Generation of the chip: sunda, cayman, mariana or mariana-plus (default: the one that fits
    /// best)
    #[arg(long, value_name = "G")]
    pub generation: Option<String>,
    /// First byte of the context in the file
    #[arg(long, value_name = "N", default_value = "0", value_parser = number)]
    pub offset: u64,
    /// Read the file as text of the firmware's printer, whole or one object of it, back into structs
    #[arg(long, conflicts_with_all = ["text", "text_json", "printers", "name", "base", "model_name"])]
    pub read: bool,
    /// Print the firmware printer's own text; its pointers make it no JSON
    #[arg(long, group = "a_text", conflicts_with = "printers")]
    pub text: bool,
    /// Print that text as JSON: pointers are plain numbers
    #[arg(long, group = "a_text", conflicts_with = "printers")]
    pub text_json: bool,
    /// Value of model_name in the text (default: the name of the file)
    #[arg(long, value_name = "TEXT", requires = "a_text")]
    pub model_name: Option<String>,
    /// Where the context lies in memory; two members of the text print their own place (default: 0)
    #[arg(long, value_name = "ADDR", requires = "a_text")]
    pub base: Option<String>,
    /// Show one struct, for example configs.dev.tsync
    #[arg(long = "struct", value_name = "NAME", conflicts_with_all = ["text", "text_json", "printers"])]
    pub name: Option<String>,
    /// List the printing functions of the firmware's library: addresses, sizes, counts of writes
    #[arg(long, conflicts_with_all = ["file", "generation", "offset"])]
    pub printers: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct SpadArgs {
    #[command(subcommand)]
    pub command: SpadCommand,
}

#[derive(Debug, Subcommand)]
pub enum SpadCommand {
    /// Entries of words, bit by bit
    Decode(DecodeArgs),
    /// The word of some values
    Encode(Box<EncodeArgs>),
    /// A table of entries in a memory dump
    Dump(TableArgs),
}

#[derive(Debug, Args)]
pub struct NamesArgs {
    /// Names of algo_type: enc_alg_type (the runtime's algorithms, the default) or enc_pattern (its
    /// patterns; `header` for short)
    #[arg(long = "algo-names", value_name = "NAMES")]
    pub algo_names: Option<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct DecodeArgs {
    /// 16 hex digits, the 8 bytes in memory order; with 0x the value of the word
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub names: NamesArgs,
}

#[derive(Debug, Args)]
pub struct TableArgs {
    /// Memory dump that holds the table
    pub file: PathBuf,
    /// First byte of the table
    #[arg(long, value_name = "N", default_value = "0", value_parser = number)]
    pub offset: u64,
    /// Entries (default: all that are there, at most 512)
    #[arg(long, value_name = "N", value_parser = number)]
    pub count: Option<u64>,
    #[command(flatten)]
    pub names: NamesArgs,
}

/// Fields are called as in the document; a dash is as good as a line.
#[derive(Debug, Args)]
pub struct EncodeArgs {
    /// The entry carries an operation: true or false (default: true)
    #[arg(long = "cc_op", alias = "cc-op", value_name = "BOOL")]
    pub cc_op: Option<String>,
    /// Algorithm: 0 to 15, or a name
    #[arg(long = "algo_type", alias = "algo-type", value_name = "N|NAME")]
    pub algo_type: Option<String>,
    /// Variant: 0 to 7
    #[arg(long = "algo_sub_type", alias = "algo-sub-type", value_name = "N")]
    pub algo_sub_type: Option<String>,
    /// Start the next entry when this one ends
    #[arg(long = "trigger_next", alias = "trigger-next", value_name = "BOOL")]
    pub trigger_next: Option<String>,
    /// This TOP_SP posts the completion
    #[arg(long, value_name = "BOOL")]
    pub reporter: Option<String>,
    /// Wait for the previous TOP_SP's completion
    #[arg(long = "ring_wait_complete", alias = "ring-wait-complete", value_name = "BOOL")]
    pub ring_wait_complete: Option<String>,
    /// Send the completion on
    #[arg(long = "ring_send_complete", alias = "ring-send-complete", value_name = "BOOL")]
    pub ring_send_complete: Option<String>,
    /// Part of a permute chain
    #[arg(long = "safe_mode", alias = "safe-mode", value_name = "BOOL")]
    pub safe_mode: Option<String>,
    /// Copied from the host's operation
    #[arg(long = "unique_tensors", alias = "unique-tensors", value_name = "BOOL")]
    pub unique_tensors: Option<String>,
    /// Ring view of the last four bytes: bit n for channel n
    #[arg(long = "channel_list", alias = "channel-list", value_name = "MASK")]
    pub channel_list: Option<String>,
    /// Mesh view of the last four bytes: shift
    #[arg(long = "sema_shift_offset", alias = "sema-shift-offset", value_name = "N")]
    pub sema_shift_offset: Option<String>,
    /// Mesh view of the last four bytes: mask
    #[arg(long = "sema_mask", alias = "sema-mask", value_name = "MASK")]
    pub sema_mask: Option<String>,
    /// Reserved bits 1 to 7 of byte 0
    #[arg(long = "reserved_header", alias = "reserved-header", value_name = "N")]
    pub reserved_header: Option<String>,
    /// Reserved bits 5 to 7 of byte 2
    #[arg(long = "reserved_flags", alias = "reserved-flags", value_name = "N")]
    pub reserved_flags: Option<String>,
    /// Reserved byte 3
    #[arg(long = "reserved_byte", alias = "reserved-byte", value_name = "N")]
    pub reserved_byte: Option<String>,
    #[command(flatten)]
    pub names: NamesArgs,
}
