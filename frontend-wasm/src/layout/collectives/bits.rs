//! The eight bytes of an entry as cells, and which field each of them belongs to.

use debug_api::answer::{SpadAnswer, SpadBits, SpadEntry};

/// Width of a bit in the table, distance of two, and of two bytes.
const SMALL: (f64, f64, f64) = (5.5, 7.0, 60.0);
/// The same of the first four bytes in the large drawing.
const HEAD: (f64, f64, f64) = (18.4, 20.4, 171.2);
/// The same of the last four.
const UNION: (f64, f64, f64) = (10.0, 11.6, 100.8);
/// Widths of both large drawings.
pub const WIDTHS: (f64, f64) = (676.8, 395.2);
/// Width of the bits of a row.
pub const ROW_WIDTH: f64 = 476.0;
/// Bits of the first four bytes.
pub const HEAD_BITS: u32 = 32;

/// One bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Number in the word.
    pub bit: u32,
    /// Left edge, from the start of its drawing.
    pub x: f64,
    /// Width.
    pub width: f64,
    /// Whether it is set; `None` where that is not known.
    pub set: Option<bool>,
    /// Class of its hue; `cb-res` for reserved bits.
    pub hue: &'static str,
    /// Field.
    pub field: String,
}

/// A bracket below the bits of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Bracket {
    /// Field.
    pub field: String,
    /// Left edge.
    pub x: f64,
    /// Width.
    pub width: f64,
    /// Class of its hue.
    pub hue: &'static str,
}

/// Class of a field's hue.
pub fn hue(name: &str) -> &'static str {
    match name {
        "cc_op" => "cb-op",
        "algo_type" => "cb-type",
        "algo_sub_type" => "cb-sub",
        "trigger_next" => "cb-next",
        "reporter" | "ring_wait_complete" | "ring_send_complete" | "safe_mode"
        | "unique_tensors" => "cb-flag",
        "channel_list" => "cb-chan",
        "sema_shift_offset" => "cb-shift",
        "sema_mask" => "cb-mask",
        _ => "cb-res",
    }
}

/// The view of the last four bytes under the names that the answer has: `ring`, `mesh`, `both`, or
/// nothing.
pub fn view<'a>(answer: &SpadAnswer, entry: &'a SpadEntry) -> Option<&'a str> {
    let reading = entry.readings.iter().find(|reading| reading.names == answer.algo_names)?;
    reading.view.as_deref()
}

/// The fields in the order of their bits. Of the two views of the last bytes the one that does not
/// count comes last.
pub fn ordered<'a>(entry: &'a SpadEntry, view: Option<&str>) -> Vec<&'a SpadBits> {
    let is_second = |one: &SpadBits| is_other_view(&one.name, view);
    let first = entry.bits.iter().filter(|one| !is_second(one));
    first.chain(entry.bits.iter().filter(|one| is_second(one))).collect()
}

/// Whether a field is of the view of the last bytes that does not count.
pub fn is_other_view(name: &str, view: Option<&str>) -> bool {
    match view {
        Some("mesh") => name == "channel_list",
        _ => name.starts_with("sema_"),
    }
}

/// The 64 bits with the field that each belongs to. Bits from 32 on have places of their own.
pub fn cells(bits: &[SpadBits], view: Option<&str>, word: u64, known: u64) -> Vec<Cell> {
    let place = |bit: u32| if bit < HEAD_BITS { (HEAD, bit) } else { (UNION, bit - HEAD_BITS) };
    made(bits, view, word, known, place)
}

/// The 64 bits of a row of the table.
pub fn row(bits: &[SpadBits], view: Option<&str>, word: u64, known: u64) -> Vec<Cell> {
    made(bits, view, word, known, |bit| (SMALL, bit))
}

fn made(
    bits: &[SpadBits],
    view: Option<&str>,
    word: u64,
    known: u64,
    place: impl Fn(u32) -> ((f64, f64, f64), u32),
) -> Vec<Cell> {
    (0..64)
        .map(|bit| {
            let field = field_of(bits, view, bit);
            let ((width, step, byte), at) = place(bit);
            Cell {
                bit,
                x: f64::from(at / 8) * byte + f64::from(at % 8) * step,
                width,
                set: (known >> bit & 1 == 1).then_some(word >> bit & 1 == 1),
                hue: field.map_or("cb-res", |field| hue(&field.name)),
                field: field.map_or_else(String::new, |field| field.name.clone()),
            }
        })
        .collect()
}

/// The field of a bit in the view that counts.
fn field_of<'a>(bits: &'a [SpadBits], view: Option<&str>, bit: u32) -> Option<&'a SpadBits> {
    bits.iter().find(|field| {
        (field.low..field.low + field.width).contains(&bit) && !is_other_view(&field.name, view)
    })
}

/// Brackets of the fields below the cells of one drawing; reserved bits have none.
pub fn brackets(cells: &[Cell]) -> Vec<Bracket> {
    let mut out: Vec<Bracket> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.hue != "cb-res") {
        match out.last_mut().filter(|last| last.field == cell.field) {
            Some(last) => last.width = cell.x + cell.width - last.x,
            None => out.push(Bracket {
                field: cell.field.clone(),
                x: cell.x,
                width: cell.width,
                hue: cell.hue,
            }),
        }
    }
    out
}

/// Where a field is: `bit 15`, `bits 8–11`.
pub fn places(field: &SpadBits) -> String {
    match field.width {
        1 => format!("bit {}", field.low),
        width => format!("bits {}\u{2013}{}", field.low, field.low + width - 1),
    }
}

/// Whether all bits of a field are known.
pub fn is_known(field: &SpadBits, known: u64) -> bool {
    let ones = u64::MAX.checked_shr(64 - field.width).unwrap_or(0);
    let mask = ones.checked_shl(field.low).unwrap_or(0);
    known & mask == mask
}

/// Value of a field: `2`, `0xff00`, or `?`.
pub fn value(field: &SpadBits, known: u64) -> String {
    if !is_known(field, known) {
        return "?".to_owned();
    }
    match field.name.as_str() {
        "channel_list" | "sema_mask" => format!("{:#x}", field.value),
        _ if field.reserved && field.value > 0 => format!("{:#x}", field.value),
        _ => field.value.to_string(),
    }
}

/// The next or previous field of a list of names, around the end.
pub fn stepped(names: &[&str], now: Option<&str>, by: isize) -> Option<String> {
    let count = isize::try_from(names.len()).ok().filter(|count| *count > 0)?;
    let at = now.and_then(|now| names.iter().position(|name| *name == now));
    let next = match at {
        Some(at) => (isize::try_from(at).ok()? + by).rem_euclid(count),
        None if by < 0 => count - 1,
        None => 0,
    };
    names.get(usize::try_from(next).ok()?).map(|name| (*name).to_owned())
}
