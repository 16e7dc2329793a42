//! Bulk rows as little-endian columns: the wire form of the Code view.
//!
//! A block is a head (magic `NSCB`, u16 wire version, u16 column count, u32 rows, u64 first row,
//! u64 total rows), a table with one entry a column (u8 name length, name, u8 type, u64 offset
//! from the block start, u64 length in bytes), then the columns. A reader skips columns and types
//! that it does not know. Text columns hold `rows + 1` u32 offsets followed by UTF-8.
//!
//! Columns of `code`, one row a display row of the Code view:
//!
//! | name | type | meaning |
//! |---|---|---|
//! | `kind` | u8 | 0 image slot, 1 deleted record, 2 region divider |
//! | `region` | u8 | 0 PREAMBLE, 1 MODEL_SWITCH, 2 MAIN, 3 POSTAMBLE, 4 FUNCTION |
//! | `slot` | u32 | 0-based image slot; for a divider its first slot; `u32::MAX` if none |
//! | `ip` | u32 | 1-based NEFF IP; 0 if none |
//! | `prov` | u8 | provenance code of the bytes |
//! | `patch` | u8 | 0 none, 1 in an INSERT run, 2 MODIFY, 3 DELETE; bit 7: first row of the run |
//! | `hue` | u8 | link hue 1 to 8 of the source group, 0 none |
//! | `bir`, `pen`, `line` | u32 | source group ids + 1; 0 none |
//! | `bytes` | slot | the 64 bytes of the image slot or of the deleted record; zero for dividers |
//! | `mnemonic` | text | enum name; for a divider the region (and function) |
//! | `wait`, `update` | text | in words, several joined with ` and `; empty if none |
//! | `operands` | text | short operands; for a divider its summary |
//!
//! Columns of `timeline`, one row a run of a track, by track and start; the head's `from` and
//! `total` are those of the request's buckets:
//!
//! | name | type | meaning |
//! |---|---|---|
//! | `lane` | u32 | number of the track |
//! | `start`, `end` | u64 | picoseconds since the first event |
//! | `busy` | u64 | picoseconds covered by its events |
//! | `largest` | u64 | longest event; of a counter the largest value |
//! | `first`, `count` | u32 | 0-based first event of the track, and how many |
//! | `value` | u32 | value after the last event, bytes, or cycles of the wait |
//! | `slot` | u32 | image slot of a single instruction; `u32::MAX` if none |
//! | `region` | u8 | its region as above; 255 if not known |
//! | `flags` | u8 | 1 no end, 2 no start, 4 records lost before |
//! | `name` | text | what a single event is; empty for several |

use std::collections::BTreeMap;

/// First four bytes of a block.
pub const MAGIC: [u8; 4] = *b"NSCB";
/// Version of the container. A reader refuses any other.
pub const WIRE_VERSION: u16 = 1;
/// Most rows of one block.
pub const MAX_ROWS: u32 = 4_096;
const HEAD_BYTES: usize = 28;

/// A column's values, one a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Type 1.
    U8(Vec<u8>),
    /// Type 2.
    U32(Vec<u32>),
    /// Type 3: 64 raw bytes a row.
    Slot(Vec<u8>),
    /// Type 4: UTF-8 text.
    Text(Vec<String>),
    /// Type 5.
    U64(Vec<u64>),
}

/// A run of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// 0-based first row.
    pub from: u64,
    /// Rows of the whole list.
    pub total: u64,
    /// Rows in this block.
    pub rows: u32,
    /// Columns by name.
    pub columns: BTreeMap<String, Column>,
}

/// A block could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The bytes are no block of columns.
    #[error("this is no block of columns")]
    Magic,
    /// Server and page differ in version.
    #[error("the server speaks column format {server}, this page {page}; reload the page")]
    Version {
        /// Version found.
        server: u16,
        /// Version understood.
        page: u16,
    },
    /// The block ends early or an offset leaves it.
    #[error("the block of columns is cut short in `{0}`")]
    Short(String),
}

impl Block {
    /// The bytes of this block. The same block always gives the same bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut table = Vec::new();
        let mut data = Vec::new();
        let table_bytes: usize = self.columns.keys().map(|name| name.len() + 18).sum();
        for (name, column) in &self.columns {
            let start = data.len();
            let kind = match column {
                Column::U8(values) => {
                    data.extend_from_slice(values);
                    1
                }
                Column::U32(values) => {
                    values.iter().for_each(|v| data.extend_from_slice(&v.to_le_bytes()));
                    2
                }
                Column::U64(values) => {
                    values.iter().for_each(|v| data.extend_from_slice(&v.to_le_bytes()));
                    5
                }
                Column::Slot(bytes) => {
                    data.extend_from_slice(bytes);
                    3
                }
                Column::Text(texts) => {
                    let mut at = 0_u32;
                    data.extend_from_slice(&at.to_le_bytes());
                    for text in texts {
                        at = at.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX));
                        data.extend_from_slice(&at.to_le_bytes());
                    }
                    texts.iter().for_each(|text| data.extend_from_slice(text.as_bytes()));
                    4
                }
            };
            let offset = (HEAD_BYTES + table_bytes + start) as u64;
            table.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
            table.extend_from_slice(name.as_bytes());
            table.push(kind);
            table.extend_from_slice(&offset.to_le_bytes());
            table.extend_from_slice(&((data.len() - start) as u64).to_le_bytes());
        }
        let mut out = Vec::with_capacity(HEAD_BYTES + table.len() + data.len());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&WIRE_VERSION.to_le_bytes());
        out.extend_from_slice(&u16::try_from(self.columns.len()).unwrap_or(0).to_le_bytes());
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.from.to_le_bytes());
        out.extend_from_slice(&self.total.to_le_bytes());
        out.extend_from_slice(&table);
        out.extend_from_slice(&data);
        out
    }

    /// Reads a block. Columns of unknown type are skipped.
    pub fn decode(bytes: &[u8]) -> Result<Self, BlockError> {
        let short = |what: &str| BlockError::Short(what.to_owned());
        if bytes.get(..4) != Some(&MAGIC[..]) {
            return Err(BlockError::Magic);
        }
        let u16_at = |at: usize| array_at(bytes, at).map(u16::from_le_bytes);
        let u32_at = |at: usize| array_at(bytes, at).map(u32::from_le_bytes);
        let u64_at = |at: usize| array_at(bytes, at).map(u64::from_le_bytes);
        let version = u16_at(4).ok_or_else(|| short("head"))?;
        if version != WIRE_VERSION {
            return Err(BlockError::Version { server: version, page: WIRE_VERSION });
        }
        let n_columns = u16_at(6).ok_or_else(|| short("head"))?;
        let rows = u32_at(8).ok_or_else(|| short("head"))?;
        let from = u64_at(12).ok_or_else(|| short("head"))?;
        let total = u64_at(20).ok_or_else(|| short("head"))?;
        let mut columns = BTreeMap::new();
        let mut at = HEAD_BYTES;
        for _ in 0..n_columns {
            let name_len = usize::from(*bytes.get(at).ok_or_else(|| short("table"))?);
            let name = bytes.get(at + 1..at + 1 + name_len).ok_or_else(|| short("table"))?;
            let name = String::from_utf8_lossy(name).into_owned();
            at += 1 + name_len;
            let kind = *bytes.get(at).ok_or_else(|| short("table"))?;
            let offset = u64_at(at + 1).ok_or_else(|| short("table"))?;
            let length = u64_at(at + 9).ok_or_else(|| short("table"))?;
            at += 17;
            let data = usize::try_from(offset)
                .ok()
                .zip(usize::try_from(length).ok())
                .and_then(|(offset, length)| bytes.get(offset..offset.checked_add(length)?))
                .ok_or_else(|| short(&name))?;
            if let Some(column) = decode_column(kind, data, rows).ok_or_else(|| short(&name))? {
                columns.insert(name, column);
            }
        }
        Ok(Self { from, total, rows, columns })
    }

    /// A u8 value; 0 where the column or row is missing.
    pub fn u8(&self, column: &str, row: usize) -> u8 {
        match self.columns.get(column) {
            Some(Column::U8(values)) => values.get(row).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// A u32 value; 0 where the column or row is missing.
    pub fn u32(&self, column: &str, row: usize) -> u32 {
        match self.columns.get(column) {
            Some(Column::U32(values)) => values.get(row).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// A u64 value; 0 where the column or row is missing.
    pub fn u64(&self, column: &str, row: usize) -> u64 {
        match self.columns.get(column) {
            Some(Column::U64(values)) => values.get(row).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// A text; empty where the column or row is missing.
    pub fn text(&self, column: &str, row: usize) -> &str {
        match self.columns.get(column) {
            Some(Column::Text(texts)) => texts.get(row).map_or("", String::as_str),
            _ => "",
        }
    }

    /// The 64 bytes of a row; empty where the column or row is missing.
    pub fn slot(&self, column: &str, row: usize) -> &[u8] {
        match self.columns.get(column) {
            Some(Column::Slot(bytes)) => bytes.get(row * 64..row * 64 + 64).unwrap_or(&[]),
            _ => &[],
        }
    }
}

fn decode_column(kind: u8, data: &[u8], rows: u32) -> Option<Option<Column>> {
    let rows = usize::try_from(rows).ok()?;
    Some(Some(match kind {
        1 => Column::U8(data.get(..rows)?.to_vec()),
        2 => {
            let data = data.get(..rows.checked_mul(4)?)?;
            Column::U32(
                data.chunks_exact(4)
                    .filter_map(|c| array_at(c, 0))
                    .map(u32::from_le_bytes)
                    .collect(),
            )
        }
        5 => {
            let data = data.get(..rows.checked_mul(8)?)?;
            let words = data.chunks_exact(8).filter_map(|c| array_at(c, 0));
            Column::U64(words.map(u64::from_le_bytes).collect())
        }
        3 => Column::Slot(data.get(..rows.checked_mul(64)?)?.to_vec()),
        4 => {
            let heap = data.get(rows.checked_add(1)?.checked_mul(4)?..)?;
            let offset = |row: usize| -> Option<usize> {
                usize::try_from(u32::from_le_bytes(array_at(data, row * 4)?)).ok()
            };
            let mut texts = Vec::with_capacity(rows);
            for row in 0..rows {
                let text = heap.get(offset(row)?..offset(row + 1)?)?;
                texts.push(String::from_utf8_lossy(text).into_owned());
            }
            Column::Text(texts)
        }
        _ => return Some(None),
    }))
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        let mut columns = BTreeMap::new();
        columns.insert("kind".to_owned(), Column::U8(vec![0, 1]));
        columns.insert("ip".to_owned(), Column::U32(vec![7, 0x0102_0304]));
        columns.insert("bytes".to_owned(), Column::Slot(vec![0xAB; 128]));
        columns.insert("text".to_owned(), Column::Text(vec!["µ".to_owned(), String::new()]));
        columns.insert("time".to_owned(), Column::U64(vec![1 << 40, u64::MAX]));
        Block { from: 5, total: 99, rows: 2, columns }
    }

    #[test]
    fn blocks_round_trip() {
        let bytes = block().encode();
        assert_eq!(&bytes[..4], b"NSCB");
        assert_eq!(Block::decode(&bytes), Ok(block()));
        assert_eq!(block().u32("ip", 1), 0x0102_0304);
        assert_eq!(block().text("text", 0), "µ");
        assert_eq!(block().u64("time", 0), 1 << 40);
        assert_eq!(block().slot("bytes", 1).len(), 64);
        assert_eq!(block().u8("absent", 0), 0);
    }

    #[test]
    fn a_block_cut_anywhere_is_an_error() {
        let bytes = block().encode();
        for end in 0..bytes.len() {
            assert!(Block::decode(&bytes[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = block().encode();
        bytes[4] = 9;
        assert_eq!(Block::decode(&bytes), Err(BlockError::Version { server: 9, page: 1 }));
    }
}
