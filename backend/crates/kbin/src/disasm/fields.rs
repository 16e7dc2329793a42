//! The byte map of a record: every byte once, in order.

use super::value::{Style, write_hex, write_value};
use records::payload::{Confidence, FieldDef, FieldKind, layout_of};
use records::sync::{SYNC_PAIR_AT, Sync, UpdateKind, WaitKind};
use records::{Head, Opcode, SLOT_BYTES, Slot, Update, Wait};

/// A run of bytes of a record with its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// First byte.
    pub offset: u8,
    /// Number of bytes.
    pub bytes: u8,
    /// Name in lower case with underscores; `unread` for bytes without a meaning.
    pub name: &'static str,
    /// Value as text.
    pub value: String,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// How sure the meaning is.
    pub confidence: Confidence,
    /// What it is about.
    pub kind: FieldKind,
}

impl Field {
    /// Whether nothing is known to read these bytes.
    pub fn is_reserved(&self) -> bool {
        self.kind == FieldKind::Unread
    }
}

/// The fields of a record. They cover the 64 bytes in order, each byte once; bytes without a
/// meaning are runs of [`FieldKind::Unread`].
/// Spec: docs/format/streams.md "Record head", "Payloads" [the confidence is in each field].
pub fn fields(slot: &Slot) -> Vec<Field> {
    let head = Head::of(slot);
    let mut map = Map { slot, fields: Vec::with_capacity(24), end: 0 };
    let name = head.opcode.mnemonic().unwrap_or("unassigned");
    let value = format!("{:#04x} {name}", head.opcode.0);
    map.push(0, 1, "opcode", value, "what the record does", FieldKind::Opcode);
    if head.opcode != Opcode::PSEUDO_EXTENSION {
        push_head(&mut map, head);
    }
    if head.opcode == Opcode::EVENT_SEMAPHORE {
        push_pair(&mut map);
    }
    for field in layout_of(slot) {
        map.push_def(field);
    }
    map.fill_to(SLOT_BYTES);
    map.fields
}

fn push_head(map: &mut Map<'_>, head: &Head) {
    let sync = Sync::of(map.slot);
    let number = |byte: u8| byte.to_string();
    map.push(1, 1, "words", number(head.words), "size in 4-byte words", FieldKind::Head);
    let debug = match head.debug_cmd {
        0 => "0 none".to_owned(),
        1 => "1 notify".to_owned(),
        3 => "3 start".to_owned(),
        5 => "5 end".to_owned(),
        7 => "7 start and end".to_owned(),
        9 => "9 instruction field".to_owned(),
        other => number(other),
    };
    map.push(2, 1, "debug_cmd", debug, "when the record notifies", FieldKind::Head);
    let hint = format!("{:#x}", head.debug_hint);
    map.push(3, 1, "debug_hint", hint, "bit 0 marks a function", FieldKind::Head);
    push_wait(map, 4, sync.wait);
    push_update(map, 6, sync.update);
    let by_wait = sync.wait.is_some_and(wait_uses_value);
    let by_update = sync.update.is_some_and(update_uses_value);
    let (kind, meaning) = match (by_wait, by_update) {
        (true, true) => (FieldKind::Wait, "value of the wait and of the update"),
        (true, false) => (FieldKind::Wait, "value of the wait"),
        (false, true) => (FieldKind::Update, "value of the update"),
        (false, false) => (FieldKind::Head, "value of a wait or an update, not used here"),
    };
    let value = head.semaphore_value.to_string();
    map.push(8, 4, "semaphore_value", value, meaning, kind);
}

fn push_pair(map: &mut Map<'_>) {
    let sync = Sync::of(map.slot);
    push_wait(map, SYNC_PAIR_AT, sync.wait2);
    push_update(map, SYNC_PAIR_AT + 2, sync.update2);
    let mut value = |at: usize, name, meaning, used: bool, kind| {
        let text = map.slot.u32_at(at).to_string();
        map.push(at, 4, name, text, meaning, if used { kind } else { FieldKind::Head });
    };
    let used = sync.wait2.is_some_and(wait_uses_value);
    value(SYNC_PAIR_AT + 4, "wait_value", "value of the second wait", used, FieldKind::Wait);
    let used = sync.update2.is_some_and(update_uses_value);
    value(SYNC_PAIR_AT + 8, "update_value", "value of the second update", used, FieldKind::Update);
}

fn push_wait(map: &mut Map<'_>, at: usize, wait: Option<Wait>) {
    let (mode, kind) = match wait {
        None => ("0 none".to_owned(), FieldKind::Head),
        Some(wait) => (mode_text(wait.mode.0, wait.parts().op), FieldKind::Wait),
    };
    map.push(at, 1, "wait_mode", mode, "what the record waits for", kind);
    let index = map.slot.u8_at(at + 1);
    let target = match wait.and_then(|wait| wait.mode.kind()) {
        Some(WaitKind::Semaphore { .. }) => format!("sem[{index}]"),
        Some(WaitKind::Event { .. }) => format!("event[{index}]"),
        None => index.to_string(),
    };
    map.push(at + 1, 1, "wait_index", target, "semaphore or event of the wait", kind);
}

fn push_update(map: &mut Map<'_>, at: usize, update: Option<Update>) {
    let (mode, kind) = match update {
        None => ("0 none".to_owned(), FieldKind::Head),
        Some(update) => (mode_text(update.mode.0, update.parts().op), FieldKind::Update),
    };
    map.push(at, 1, "update_mode", mode, "what the record changes", kind);
    let index = map.slot.u8_at(at + 1);
    let target = match update.and_then(|update| update.mode.kind()) {
        Some(UpdateKind::EventSet | UpdateKind::EventClear) => format!("event[{index}]"),
        Some(_) => format!("sem[{index}]"),
        None => index.to_string(),
    };
    map.push(at + 1, 1, "update_index", target, "semaphore or event of the update", kind);
}

fn mode_text(mode: u8, op: Option<&str>) -> String {
    let register = if op.is_some() && mode & 0x80 != 0 { " register" } else { "" };
    format!("{mode:#x} {}{register}", op.unwrap_or("unknown"))
}

fn wait_uses_value(wait: Wait) -> bool {
    wait.parts().value.is_some()
}

fn update_uses_value(update: Update) -> bool {
    update.parts().value.is_some()
}

/// The list under construction; bytes that are skipped become unread runs.
struct Map<'slot> {
    slot: &'slot Slot,
    fields: Vec<Field>,
    end: usize,
}

impl Map<'_> {
    fn push(
        &mut self,
        offset: usize,
        bytes: usize,
        name: &'static str,
        value: String,
        meaning: &'static str,
        kind: FieldKind,
    ) {
        let confidence = Confidence::Observed;
        self.add(offset, bytes, |offset, bytes| Field {
            offset,
            bytes,
            name,
            value,
            meaning,
            confidence,
            kind,
        });
    }

    fn push_def(&mut self, def: &FieldDef) {
        let mut value = String::new();
        // Writing into a String does not fail.
        let _ = write_value(&mut value, def, self.slot, Style::Screen);
        self.add(usize::from(def.offset), usize::from(def.bytes), |offset, bytes| Field {
            offset,
            bytes,
            name: def.name,
            value,
            meaning: def.meaning,
            confidence: def.confidence,
            kind: def.kind,
        });
    }

    fn add(&mut self, offset: usize, bytes: usize, make: impl FnOnce(u8, u8) -> Field) {
        self.fill_to(offset);
        // Layouts ascend, so a field never starts before the end of the one before it.
        if offset == self.end && offset + bytes <= SLOT_BYTES {
            self.fields.push(make(offset as u8, bytes as u8));
            self.end = offset + bytes;
        }
    }

    fn fill_to(&mut self, end: usize) {
        if end <= self.end {
            return;
        }
        let run = self.slot.0.get(self.end..end).unwrap_or(&[]);
        let mut value = String::new();
        if run.iter().all(|&byte| byte == 0) {
            value.push('0');
        } else {
            let _ = write_hex(&mut value, run);
        }
        self.fields.push(Field {
            offset: self.end as u8,
            bytes: (end - self.end) as u8,
            name: "unread",
            value,
            meaning: "no known meaning",
            confidence: Confidence::Unknown,
            kind: FieldKind::Unread,
        });
        self.end = end;
    }
}
