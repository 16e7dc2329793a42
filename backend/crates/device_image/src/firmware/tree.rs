//! A context as the tree that its printer writes: keys, order, number formats, and which function
//! prints what.
//! Spec: docs/format/collectives.md "Printed text" [observed; the order of some members medium].

use records::collectives::algorithm::{RawAlgoCtx, RawMeshEvent, RawNeighbour, RawRingChannel};
use records::collectives::barrier::{RawBarrierConfigs, RawBarrierStep, RawDeviceBarrier};
use records::collectives::device::{RawApbBcast, RawDevConfigs};
use records::collectives::program::{RawBasicBlockConfigs, RawNeffConfigs, RawNeffCtx};
use records::collectives::{Context, SpadCtrlEntry};

use super::text::{Member, Node, member, number};

/// What an address stands in: the plain form.
fn flat(address: u64) -> Node {
    Node::Call("addr (leaf)", Box::new(soc(address)))
}

fn soc(address: u64) -> Node {
    Node::Object(vec![member("soc_addr", Node::Address(address))])
}

/// What the address of a semaphore stands in: one level deeper.
fn nested(address: u64) -> Node {
    Node::Object(vec![member("addr", soc(address))])
}

fn call(family: &'static str, members: Vec<Member>) -> Node {
    Node::Call(family, Box::new(Node::Object(members)))
}

fn call_list(family: &'static str, nodes: Vec<Node>) -> Node {
    Node::Call(family, Box::new(Node::List(nodes)))
}

/// Six members of one loop.
fn slots<'a>(
    key: &'static str,
    addresses: impl IntoIterator<Item = &'a u64>,
) -> impl Iterator<Item = Member> {
    let all: Vec<u64> = addresses.into_iter().copied().collect();
    all.into_iter().enumerate().map(move |(index, address)| Member {
        key: format!("{key}_{index}"),
        numbered: true,
        node: flat(address),
    })
}

/// A whole context. `base` is where the context is taken to lie: the two `pring` members print
/// their own place.
pub fn context(context: &Context<'_>, model_name: &str, base: u64) -> Node {
    let configs = call(
        "configs",
        vec![
            member("algo", algo_configs(context)),
            member("neff", neff_configs(context, base)),
            member("dev", dev_configs(context.dev_configs)),
        ],
    );
    let root = call(
        "root context",
        vec![
            member("configs", configs),
            member("neff", neff(context.neff)),
            member("algo", algo(context.algo)),
        ],
    );
    Node::Object(vec![
        member("model_name", Node::Text(model_name.to_owned())),
        member("ncfw_ctx_top_sp", root),
    ])
}

/// A control entry: all that is printed of it.
pub fn ctrl_entry(entry: SpadCtrlEntry) -> Node {
    let fields = entry.fields();
    let bit = |key: &str, value: bool| number(key, u64::from(value));
    let header = call("spad_ctrl_entry_header", vec![bit("cc_op", fields.cc_op)]);
    let ring = Node::Object(vec![number("channel_list", fields.channel_list())]);
    let mesh = Node::Object(vec![
        number("sema_shift_offset", fields.sema_shift_offset()),
        number("sema_mask", fields.sema_mask()),
    ]);
    let cc_op = vec![
        number("algo_type", fields.algo_type),
        number("algo_sub_type", fields.algo_sub_type),
        bit("trigger_next", fields.trigger_next),
        bit("reporter", fields.reporter),
        bit("ring_wait_complete", fields.ring_wait_complete),
        bit("ring_send_complete", fields.ring_send_complete),
        member("ring", ring),
        member("mesh", mesh),
    ];
    call(
        "spad_ctrl_entry",
        vec![member("header", header), member("cc_op", call("spad_ctrl_cc_op_entry", cc_op))],
    )
}

/// The device.
pub fn dev_configs(raw: &RawDevConfigs) -> Node {
    let tsync = &raw.tsync;
    let tsync = call(
        "dev_tsync",
        vec![
            member("dma_apb_rsvd_addr", flat(tsync.dma_apb_rsvd_addr.get())),
            member("eng_tpb", nested(tsync.eng_tpb.get())),
            member("timestamp_local", nested(tsync.timestamp_local.get())),
            member("timestamp_tpb", nested(tsync.timestamp_tpb.get())),
            number("timestamp_tpb_val", tsync.timestamp_tpb_val.get()),
        ],
    );
    call(
        "dev_configs",
        vec![
            member("tsync", tsync),
            member("tpb_id", Node::Pointer(raw.tpb_id().into())),
            member("seng_id", Node::Pointer(raw.seng_id().into())),
            member("dev_id", Node::Pointer(raw.dev_id().into())),
            number("tpb_ctrl_ack", raw.tpb_ctrl_ack.get()),
        ],
    )
}

fn algo_configs(context: &Context<'_>) -> Node {
    let channels = context.channels.iter().enumerate().map(|(at, one)| channel(at, one));
    let channels = Node::List(channels.collect());
    let events = Node::List(context.events.iter().map(event).collect());
    let stub = member("__stub", Node::Address(context.stub));
    call(
        "algo configs",
        vec![
            member("ring", call("ring_configs", vec![member("channels", channels)])),
            member("mesh", call("mesh configs", vec![member("events", events)])),
            member("hierarchical", call("hierarchical configs", vec![stub])),
        ],
    )
}

/// A ring channel; what is printed as its number is that of its row.
pub fn channel(row: usize, raw: &RawRingChannel) -> Node {
    let peers = raw.kring_peer_semas.peers.iter().enumerate().map(|(peer, address)| {
        Node::Object(vec![number("peer_id", peer as u64), member("addr", soc(address.get()))])
    });
    let peers = vec![
        member("mine", nested(raw.kring_peer_semas.mine.get())),
        member("peers", Node::List(peers.collect())),
    ];
    call(
        "ring_channels_configs",
        vec![
            member("next_neigh", neighbour(&raw.next_neigh)),
            member("prev_neigh", neighbour(&raw.prev_neigh)),
            member("recv_sema", nested(raw.recv_sema.get())),
            member("send_sema", nested(raw.send_sema.get())),
            member("post_sema", nested(raw.post_sema.get())),
            member("dma_compl_sema", nested(raw.dma_compl_sema.get())),
            member("kring_peer_semas", call("kring_peer_semas", peers)),
            member("dma_apb_bcast", broadcast(&raw.dma_apb_bcast)),
            number("channel_id", row as u64),
            number("spad_slot_idx", raw.spad_slot_idx),
            number("fold_n", raw.fold_n),
            number("kangaring_is_primary", raw.kangaring_is_primary),
            number("kangaring_num_peers", raw.kangaring_num_peers),
        ],
    )
}

fn neighbour(raw: &RawNeighbour) -> Node {
    let used = raw.net_idx_addrs.iter().take(raw.fold_n.into());
    let used = used.map(|address| Node::Address(address.get())).collect();
    call(
        "ring neighbor",
        vec![
            number("fold_n", raw.fold_n),
            number("type", raw.type_),
            member("net_idx_addrs", call_list("soc_addr array", used)),
        ],
    )
}

fn broadcast(raw: &RawApbBcast) -> Node {
    call(
        "dma_channel_apb_bcast",
        vec![
            member("m2s_tail_ptr", flat(raw.m2s_tail_ptr.get())),
            member("s2m_tail_ptr", flat(raw.s2m_tail_ptr.get())),
            number("mask", raw.mask.get()),
        ],
    )
}

/// A mesh event.
pub fn event(raw: &RawMeshEvent) -> Node {
    let casts = raw.dma_apb_bcast.iter().enumerate();
    let mut members: Vec<Member> =
        casts.map(|(at, one)| member(&format!("dma_apb_bcast_{at}"), broadcast(one))).collect();
    let posts = raw.direct_trigger_sema.iter().enumerate();
    members.extend(
        posts.map(|(at, one)| member(&format!("direct_trigger_sema_{at}"), nested(one.get()))),
    );
    members.extend([
        member("event_wait_sema", nested(raw.event_wait_sema.get())),
        number("wait_val", raw.wait_val.get()),
        number("event_type", raw.event_type),
        number("dma_trigger", raw.dma_trigger),
        number("direct_trigger", raw.direct_trigger),
        number("wait_event", raw.wait_event),
    ]);
    call("mesh events", members)
}

fn neff_configs(context: &Context<'_>, base: u64) -> Node {
    let raw = context.neff_configs;
    let queues = raw.dma_alloc_bitmap.iter().map(|one| {
        Node::Object(vec![
            number("queue_id", one.queue_id.get()),
            number("dma_engines_bitmap", one.dma_engines_bitmap.get()),
        ])
    });
    let mut members = vec![
        member("dma_alloc_bitmap", call_list("dma_alloc_bitmap", queues.collect())),
        member("barrier_configs", barriers(&raw.barrier_configs)),
        member("basic_block_configs", blocks(context, base)),
    ];
    members.extend(slots("slot_spad_base", &raw.slot_spad_base.map(|one| one.get())));
    members.push(member("ctrl_spad_base", flat(raw.ctrl_spad_base.get())));
    members.extend(flags(raw));
    call("neff_configs", members)
}

fn flags(raw: &RawNeffConfigs) -> [Member; 8] {
    [
        member("trigger", nested(raw.trigger.get())),
        member("trigger_next", nested(raw.trigger_next.get())),
        member("complete", nested(raw.complete.get())),
        member("complete_prev", nested(raw.complete_prev.get())),
        member("tpb_stop_sema", nested(raw.tpb_stop_sema.get())),
        number("op_num", raw.op_num.get()),
        member("leader", Node::Pointer(raw.is_leader().into())),
        number("tpb_compl_addr_num", raw.tpb_compl_addr_num),
    ]
}

fn barriers(raw: &RawBarrierConfigs) -> Node {
    let host = raw.host_barrier().map(|view| {
        vec![
            member("barrier_start", nested(view.barrier_start.get())),
            member("barrier_done", nested(view.barrier_done.get())),
        ]
    });
    call(
        "barrier parent",
        vec![
            member("execute_device_barrier", Node::Pointer(raw.is_device().into())),
            member("host_barrier", call("host barrier", host.unwrap_or_default())),
            member("device_barrier", device_barrier(&raw.device_barrier)),
        ],
    )
}

fn semaphores(family: &'static str, addresses: [u64; 4]) -> Node {
    let bare = |address| Node::Object(vec![member("addr", soc(address))]);
    call_list(family, addresses.into_iter().map(bare).collect())
}

fn device_barrier(raw: &RawDeviceBarrier) -> Node {
    let steps = Node::List(raw.steps.iter().map(step).collect());
    let sync = raw.dma_sync_sema.map(|one| one.get());
    call(
        "device barrier",
        vec![
            member("steps", steps),
            member("dma_sync_sema", semaphores("barrier DMA sync semaphores", sync)),
            member("dma_apb_bcast", broadcast(&raw.dma_apb_bcast)),
            member("start_network_proxy", flat(raw.start_network_proxy.get())),
            number("dma_sync_sema_value", raw.dma_sync_sema_value.get()),
            number("tdrbp_low", raw.tdrbp_low.get()),
            number("tdrbp_high", raw.tdrbp_high.get()),
            number("desc_count", raw.desc_count.get()),
            number("dma_engines_bitmap", raw.dma_engines_bitmap.get()),
            number("queue_id", raw.queue_id),
        ],
    )
}

fn step(raw: &RawBarrierStep) -> Node {
    let targets = raw.target_sema_val.iter().map(|one| Node::Number(one.get().into())).collect();
    let waits = raw.barrier_sema.map(|one| one.get());
    call(
        "barrier step",
        vec![
            member("barrier_sema", semaphores("barrier semaphores", waits)),
            number("m2s_val", raw.m2s_val.get()),
            number("s2m_val", raw.s2m_val.get()),
            member("target_sema_val", call_list("barrier target values", targets)),
        ],
    )
}

fn blocks(context: &Context<'_>, base: u64) -> Node {
    let raw: &RawBasicBlockConfigs = &context.neff_configs.basic_block_configs;
    let rows = raw.rows().iter().map(|row| {
        Node::Object(vec![
            number("desc_count", row.desc_count.get()),
            number("reset_section_desc_count", row.reset_section_desc_count),
        ])
    });
    // Where the member lies, which is what is printed of it.
    let place = |field: u64| {
        let places = context.arch.places();
        let at = places.iter().find(|one| one.path.last() == Some(&"basic_block_configs"));
        let offset = at.map_or(0, |one| one.offset as u64);
        Node::Pointer(base.wrapping_add(offset + field))
    };
    call(
        "basic_block_configs",
        vec![
            member("table", call_list("basic_block_table", rows.collect())),
            member("switch_completed", nested(raw.switch_completed.get())),
            member("pring_base_addr", place(0x408)),
            member("pring_total_desc_num", place(0x410)),
        ],
    )
}

fn neff(raw: &RawNeffCtx) -> Node {
    let op = &raw.op;
    let done = op.tpb_compl.iter().map(|one| Node::Object(vec![member("addr", soc(one.get()))]));
    let op = call(
        "op_ctx",
        vec![
            member("ctrl_entry", ctrl_entry(op.ctrl_entry.entry())),
            member("tpb_compl", Node::List(done.collect())),
            number("id", op.id.get()),
            number("reporter", op.reporter),
        ],
    );
    let block = &raw.basic_block;
    let mut members = vec![
        number("curr_id", block.curr_id.get()),
        member("ctrl_spad_addr", flat(block.ctrl_spad_addr.get())),
    ];
    members.extend(slots("slot_spad_addr", &block.slot_spad_addr.map(|one| one.get())));
    call(
        "neff_ctx",
        vec![
            number("barrier_completed", raw.barrier_completed),
            member("op", op),
            member("basic_block", call("basic_block_ctx", members)),
        ],
    )
}

fn algo(raw: &RawAlgoCtx) -> Node {
    let rows = raw.channels.iter().map(|row| {
        Node::Object(vec![
            number("recv_cnt", row.recv_cnt.get()),
            number("send_credit", row.send_credit.get()),
            number("repeat_cnt", row.repeat_cnt.get()),
            number("m2s_val", row.m2s_val.get()),
            number("s2m_val", row.s2m_val.get()),
            number("slot_idx", row.slot_idx),
            number("run_state", row.run_state),
        ])
    });
    let ring = vec![member("channels", Node::List(rows.collect()))];
    let state = vec![number("run_state", raw.hierarchical_run_state)];
    let index = vec![number("event_index", raw.mesh_event_index.get())];
    call(
        "algo ctx",
        vec![
            member("ring", call("ring_ctx (runtime)", ring)),
            member("hierarchical", call("hierarchical ctx", state)),
            member("mesh", call("mesh ctx", index)),
        ],
    )
}
