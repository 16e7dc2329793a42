//! How much of an input is accepted. Every rejection names the limit that it hit.

/// Bounds that keep a hostile input from taking the machine down. All are inclusive maxima.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of an uploaded or opened file. Default 1 GiB.
    pub upload_bytes: u64,
    /// Bytes that the payload may inflate to. Default 2 GiB.
    pub inflated_bytes: u64,
    /// Inflated bytes per stored byte, checked once [`Limits::ratio_from_bytes`] are out.
    /// Default 200.
    pub ratio: u64,
    /// Inflated bytes below which the ratio is not looked at. Default 64 MiB.
    pub ratio_from_bytes: u64,
    /// Archive members, directories and links included. Default 20,000.
    pub members: usize,
    /// Bytes of one member name. Default 1,024.
    pub member_name_bytes: usize,
    /// Nesting of a JSON document. Default 64.
    pub json_depth: usize,
    /// Values of all JSON documents that are read while a file is opened. Default 8,000,000.
    pub json_values: usize,
    /// Entries of one table in a JSON document: nodes, variables, queues, blocks, descriptors of
    /// a block. What is beyond is left out with a finding. Default 262,144.
    pub json_rows: usize,
    /// Entries of all such tables of a file together. Default 1,000,000.
    pub file_rows: usize,
    /// Bytes of JSON text kept as it is: unknown keys, and values without a meaning of their own.
    /// What is beyond is left out with a finding. Default 4 MiB.
    pub extra_bytes: usize,
    /// Subgraphs, and graph lists. Default 64.
    pub subgraphs: usize,
    /// Bytes of all instruction streams, counted for each program that names one. Default 512 MiB.
    pub stream_bytes: u64,
    /// Records, files and listing lines of all debug members of a file. Default 1,000,000.
    pub debug_records: usize,
    /// Entries of the tables of a capture: images, patch rows, slices, rings, blocks, memory
    /// categories and unknown fields, larger ones counted several times. Default 2,000,000.
    pub capture_rows: usize,
    /// Simulator events. Default 1e9.
    pub simulator_events: u64,
    /// Bytes of a question other than one about a log. Default 1 MiB.
    pub question_bytes: u64,
    /// Bytes of a log's text; what is beyond is left out with a finding. Default 4 MiB.
    pub log_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            upload_bytes: 1 << 30,
            inflated_bytes: 2 << 30,
            ratio: 200,
            ratio_from_bytes: 64 << 20,
            members: 20_000,
            member_name_bytes: 1_024,
            json_depth: 64,
            json_values: 8_000_000,
            json_rows: 262_144,
            file_rows: 1_000_000,
            extra_bytes: 4 << 20,
            subgraphs: 64,
            stream_bytes: 512 << 20,
            debug_records: 1_000_000,
            capture_rows: 2_000_000,
            simulator_events: 1_000_000_000,
            question_bytes: 1 << 20,
            log_bytes: 4 << 20,
        }
    }
}
