//! What the images of a subgraph point to in device memory: rings, and the page of requests.

use device_image::Inputs;
use records::Provenance as Sureness;

/// Bytes of a ring and of the request page, as far apart as the profiles put them; how long they are
/// is not published.
pub const SET_UP_BYTES: u64 = 0x1000;

/// A ring, or the page of requests.
#[derive(Clone, Debug)]
pub struct SetUp {
    /// First address.
    pub start: u64,
    /// `ring` or `request-page`.
    pub kind: &'static str,
    /// The same in words.
    pub what: String,
    /// Its queue. Untrusted.
    pub queue: Option<String>,
    /// Where the address comes from.
    pub sure: Sureness,
    /// Core of the images.
    pub core: u32,
}

/// What images with these inputs point to.
pub fn set_up(inputs: &Inputs) -> Vec<SetUp> {
    let mut found = Vec::new();
    let mut add = |start: u64, kind, what: String, from: &str, queue: Option<&str>| {
        if start != 0 {
            let (sure, core) = (inputs.provenance_of(from), inputs.core);
            let queue = queue.map(str::to_owned);
            found.push(SetUp { start, kind, what, queue, sure, core });
        }
    };
    let page = Inputs::REQUEST_PAGE;
    add(inputs.request_page, "request-page", "page of execution requests".to_owned(), page, None);
    let tables = [(Inputs::DVE_TABLE, inputs.dve_table), (Inputs::ACT_TABLE, inputs.act_table)];
    for (name, bases) in tables {
        for (side, base) in ["read", "write"].into_iter().zip(bases) {
            add(base, "ring", format!("{name}, {side} side"), name, None);
        }
    }
    for (name, rings) in &inputs.rings {
        for (side, bases) in [("read", &rings.read), ("write", &rings.write)] {
            for (ring, base) in bases.iter().enumerate() {
                let what = format!("ring {ring}, {side} side, of queue");
                add(*base, "ring", what, name, Some(name));
            }
        }
    }
    found
}
