//! A capture (NTFF) from its description, written byte by byte: the suites that read captures do
//! not share code with this writer.

/// A whole capture. A number that is 0 and a text that is empty are left out, as in real files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NtffText {
    /// Version byte of the head.
    pub version: u8,
    /// Field 1: name in the header of the NEFF.
    pub name: String,
    /// Field 2: UUID, of any length.
    pub uuid: Vec<u8>,
    /// Field 3.
    pub field_3: u64,
    /// Field 4: captured cores.
    pub cores: Vec<CoreText>,
    /// Field 5: logical core size.
    pub logical_core_size: u64,
    /// Field 7: seconds since 1970.
    pub epoch_seconds: u64,
    /// Field 8: runtime version.
    pub runtime: [u64; 3],
    /// Field 8.5: commit of the runtime.
    pub commit: String,
    /// Field 9: instance type.
    pub instance_type: String,
    /// Field 10.
    pub field_10: u64,
    /// Field 11: driver version.
    pub driver: [u64; 2],
    /// Field 12: version of the collectives library.
    pub collectives: [u64; 3],
    /// Field 13: source, queue type and bytes of notification queues.
    pub queues: Vec<[u64; 3]>,
    /// Field 14.4.
    pub field_14: u64,
    /// Bytes of further fields, put behind the others.
    pub extra: Vec<u8>,
}

/// One captured core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreText {
    /// Field 1: name of the subgraph.
    pub name: String,
    /// Field 3: physical core.
    pub core: u64,
    /// Field 4: images.
    pub images: Vec<ImageText>,
    /// Field 6: slices, each with its bytes. They are laid one behind the other into the tail.
    pub slices: Vec<SliceText>,
    /// Field 7: rings.
    pub rings: Vec<RingText>,
    /// Field 10: clocks.
    pub clocks: ClocksText,
    /// Field 11: category, bytes, name.
    pub memory: Vec<(u64, u64, String)>,
    /// Field 14: execution time in picoseconds.
    pub execution_ps: u64,
    /// Field 15: empty message.
    pub field_15: bool,
    /// Bytes of further fields, put behind the others.
    pub extra: Vec<u8>,
}

/// Fields 4 and 5 of a core: image and patch rows of one engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageText {
    /// Engine code.
    pub engine: u64,
    /// Device base.
    pub base: u64,
    /// Bytes of the image.
    pub bytes: Vec<u8>,
    /// Byte offset, slots and type of patch rows.
    pub rows: Vec<[u64; 3]>,
}

/// Field 6 of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceText {
    /// Queue type.
    pub queue: u64,
    /// Source.
    pub source: u64,
    /// Records.
    pub bytes: Vec<u8>,
    /// Offset and size to write instead of the true ones.
    pub claimed: Option<(u64, u64)>,
}

/// Field 7 of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RingText {
    /// DMA engine.
    pub engine: u64,
    /// Queue.
    pub queue: u64,
    /// Ring kind.
    pub kind: u64,
    /// Name.
    pub name: String,
    /// Field 5.
    pub field_5: i64,
    /// Field 7.
    pub field_7: u64,
    /// Block id, packets, read and write descriptors.
    pub blocks: Vec<[u64; 4]>,
}

/// Field 10 of a core: initial count, actual and expected increment of each clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClocksText {
    /// PE, ACT, DVE, POOL, SP, events, throttle: fields 1 to 7. `None` is not written.
    pub named: [Option<[u64; 3]>; 7],
    /// Field 8.
    pub dma: Vec<[u64; 3]>,
    /// Field 9.
    pub top_sp: Vec<[u64; 3]>,
}

impl ClocksText {
    /// Version 5: one clock of 1 ps for everything.
    pub fn common() -> Self {
        let clock = [0, 1, 1];
        Self { named: [Some(clock); 7], dma: vec![clock; 16], top_sp: vec![clock] }
    }
}

/// The file that a description stands for.
pub fn ntff(text: &NtffText) -> Vec<u8> {
    let mut tail = Vec::new();
    let message = message(text, &mut tail);
    let mut file = head(text.version, message.len());
    file.extend_from_slice(&message);
    file.extend_from_slice(&tail);
    file
}

/// One core with images and rings, and no records: the other half of a NEFF.
pub fn ntff_of(
    version: u8,
    uuid: &[u8],
    name: &str,
    core: u64,
    images: Vec<ImageText>,
    rings: Vec<RingText>,
) -> NtffText {
    let runtime = if version == 4 { [2, 25, 57] } else { [2, 27, 23] };
    let clocks = if version == 4 { ClocksText::default() } else { ClocksText::common() };
    let core =
        CoreText { name: name.to_owned(), core, images, rings, clocks, ..CoreText::default() };
    NtffText { version, uuid: uuid.to_vec(), cores: vec![core], runtime, ..NtffText::default() }
}

/// A record of the tail from its fields.
pub fn record(m0: u16, m1: u8, head: u8, m2: u32, time: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&m0.to_le_bytes());
    bytes[2] = m1;
    bytes[3] = head;
    bytes[4..8].copy_from_slice(&m2.to_le_bytes());
    bytes[8..].copy_from_slice(&time.to_le_bytes());
    bytes
}

/// The head: garbage behind the length in version 4, four entries {3, 3, 0, 0} in version 5.
fn head(version: u8, message_bytes: usize) -> Vec<u8> {
    let mut head = (message_bytes as u64).to_le_bytes().to_vec();
    head.rotate_right(1);
    head[0] = version;
    match version {
        4 => head.extend(b"SECRET of the writer's memory ".iter().cycle().take(120)),
        5 => {
            head.resize(0x10, 0);
            for _ in 0..4 {
                head.extend_from_slice(&[3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
            }
            head.resize(128, 0);
        }
        _ => head.resize(128, 0),
    }
    head
}

fn message(text: &NtffText, tail: &mut Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    put_text(&mut out, 1, &text.name);
    if !text.uuid.is_empty() {
        put_bytes(&mut out, 2, &text.uuid);
    }
    put_number(&mut out, 3, text.field_3);
    if !text.cores.is_empty() {
        let mut inner = Vec::new();
        for core in &text.cores {
            put_bytes(&mut inner, 1, &core_message(core, tail));
        }
        let mut middle = Vec::new();
        put_bytes(&mut middle, 4, &inner);
        put_bytes(&mut out, 4, &middle);
    }
    put_number(&mut out, 5, text.logical_core_size);
    put_number(&mut out, 7, text.epoch_seconds);
    let mut runtime = numbers(&text.runtime);
    put_text(&mut runtime, 5, &text.commit);
    put_filled(&mut out, 8, &runtime);
    put_text(&mut out, 9, &text.instance_type);
    put_number(&mut out, 10, text.field_10);
    put_filled(&mut out, 11, &numbers(&text.driver));
    put_filled(&mut out, 12, &numbers(&text.collectives));
    for queue in &text.queues {
        put_bytes(&mut out, 13, &numbers(queue));
    }
    let mut field_14 = Vec::new();
    put_number(&mut field_14, 4, text.field_14);
    put_filled(&mut out, 14, &field_14);
    out.extend_from_slice(&text.extra);
    out
}

fn core_message(core: &CoreText, tail: &mut Vec<u8>) -> Vec<u8> {
    let mut out = Vec::new();
    put_text(&mut out, 1, &core.name);
    put_number(&mut out, 3, core.core);
    for image in &core.images {
        let mut body = numbers(&[image.engine, image.base]);
        put_bytes(&mut body, 3, &image.bytes);
        put_bytes(&mut out, 4, &body);
    }
    for image in &core.images {
        let mut body = numbers(&[image.engine]);
        for row in &image.rows {
            put_bytes(&mut body, 2, &numbers(row));
        }
        put_bytes(&mut out, 5, &body);
    }
    for slice in &core.slices {
        let mut body = numbers(&[slice.queue, 0, slice.source]);
        let real = (tail.len() as u64, slice.bytes.len() as u64);
        let (offset, bytes) = slice.claimed.unwrap_or(real);
        put_number(&mut body, 5, offset);
        put_number(&mut body, 6, bytes);
        put_bytes(&mut out, 6, &body);
        tail.extend_from_slice(&slice.bytes);
    }
    for ring in &core.rings {
        let mut body = numbers(&[ring.engine, ring.queue, ring.kind]);
        put_text(&mut body, 4, &ring.name);
        put_number(&mut body, 5, ring.field_5 as u64);
        put_number(&mut body, 7, ring.field_7);
        for block in &ring.blocks {
            put_bytes(&mut body, 8, &numbers(block));
        }
        put_bytes(&mut out, 7, &body);
    }
    put_filled(&mut out, 10, &clocks(&core.clocks));
    for (category, bytes, name) in &core.memory {
        let mut body = numbers(&[*category, *bytes]);
        put_text(&mut body, 3, name);
        put_bytes(&mut out, 11, &body);
    }
    put_number(&mut out, 14, core.execution_ps);
    if core.field_15 {
        put_bytes(&mut out, 15, &[]);
    }
    out.extend_from_slice(&core.extra);
    out
}

fn clocks(clocks: &ClocksText) -> Vec<u8> {
    let mut out = Vec::new();
    for (tag, clock) in (1..).zip(&clocks.named) {
        if let Some(clock) = clock {
            put_bytes(&mut out, tag, &numbers(clock));
        }
    }
    for clock in &clocks.dma {
        put_bytes(&mut out, 8, &numbers(clock));
    }
    for clock in &clocks.top_sp {
        put_bytes(&mut out, 9, &numbers(clock));
    }
    out
}

/// Numbers as fields 1 and up.
fn numbers(list: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for (tag, number) in (1..).zip(list) {
        put_number(&mut out, tag, *number);
    }
    out
}

/// A varint field, left out if 0.
pub fn put_number(out: &mut Vec<u8>, tag: u64, number: u64) {
    if number != 0 {
        varint(out, tag << 3);
        varint(out, number);
    }
}

/// A field of bytes.
pub fn put_bytes(out: &mut Vec<u8>, tag: u64, body: &[u8]) {
    varint(out, tag << 3 | 2);
    varint(out, body.len() as u64);
    out.extend_from_slice(body);
}

fn put_filled(out: &mut Vec<u8>, tag: u64, body: &[u8]) {
    if !body.is_empty() {
        put_bytes(out, tag, body);
    }
}

fn put_text(out: &mut Vec<u8>, tag: u64, text: &str) {
    put_filled(out, tag, text.as_bytes());
}

/// A number in base 128, lowest digits first.
pub fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes worked out by hand.
    #[test]
    fn known_capture() {
        let image = ImageText { engine: 2, base: 0x8000, bytes: vec![0xB1], rows: vec![[0, 1, 2]] };
        let mut text = ntff_of(5, &[0xAA], "sg00", 4, vec![image], vec![]);
        text.runtime = [0; 3];
        text.cores[0].clocks = ClocksText::default();
        let file = ntff(&text);
        assert_eq!(file[..16], [5, 38, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(file[0x40..0x50], [3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        // Fields that are zero are absent: here the row's offset.
        let message = [
            0x12, 1, 0xAA, // UUID
            0x22, 33, 0x22, 31, 0x0A, 29, // one core
            0x0A, 4, b's', b'g', b'0', b'0', 0x18, 4, // its name and number
            0x22, 9, 0x08, 2, 0x10, 0x80, 0x80, 0x02, 0x1A, 1, 0xB1, // image of POOL
            0x2A, 8, 0x08, 2, 0x12, 4, 0x10, 1, 0x18, 2, // its row
        ];
        assert_eq!(file[128..], message);
    }
}
