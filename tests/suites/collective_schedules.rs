//! Schedules of collectives against worked examples, closed formulas, and their effect on numbers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use device_image::collectives::algorithm::{MAX_RANKS, does, takes};
use device_image::collectives::doubling::{gathered, halving};
use device_image::collectives::tsync::{Block, Clock, PROTOCOL};
use device_image::collectives::{
    Act, Algorithm, Operation, Schedule, ScheduleError, Shape, Source, Step, Wait, schedule,
};
use support::collective_run::{by_semaphores, by_steps};
use support::fixtures::figure;

fn made(algorithm: Algorithm, operation: Operation, ranks: u32) -> Schedule {
    schedule(algorithm, operation, ranks, Shape::default()).unwrap()
}

fn with_locals(
    algorithm: Algorithm,
    operation: Operation,
    ranks: u32,
    locals: u32,
) -> Result<Schedule, ScheduleError> {
    schedule(algorithm, operation, ranks, Shape { locals: Some(locals), ..Shape::default() })
}

/// Chunks that a rank sends in a step, and those that are written to it.
fn traffic(step: &Step, rank: u32) -> (Vec<u32>, Vec<u32>) {
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for moved in step.acts.iter().flat_map(|act| &act.moves) {
        if moved.sources.iter().any(|place| place.rank == rank) {
            sent.extend(moved.chunks.iter());
        }
        if moved.targets.iter().any(|place| place.rank == rank) {
            received.extend(moved.chunks.iter());
        }
    }
    (sent, received)
}

#[test]
fn ring_of_four_as_worked_out() {
    let all_reduce = made(Algorithm::Ring, Operation::AllReduce, 4);
    let of_zero: Vec<(Vec<u32>, Vec<u32>)> =
        all_reduce.steps.iter().map(|step| traffic(step, 0)).collect();
    let sent: Vec<u32> = of_zero.iter().map(|(sent, _)| sent[0]).collect();
    let received: Vec<u32> = of_zero.iter().map(|(_, received)| received[0]).collect();
    assert_eq!(sent, [3, 2, 1, 0, 3, 2]);
    assert_eq!(received, [2, 1, 0, 3, 2, 1]);
    assert!(all_reduce.steps.iter().all(|step| step.source == Source::Observed));
    // Leaf calls of rank 0 in the host's order: send of its last neighbour's chunk, then
    // receive-reduce-send, then its own chunk, then forwards, then the last arrival.
    let leaves: Vec<&str> = all_reduce
        .steps
        .iter()
        .flat_map(|step| &step.acts)
        .filter(|act| act.rank == 0 && act.leaf != "await")
        .map(|act| act.leaf)
        .collect();
    let reduce = "receive-reduce-send";
    let own = "receive-reduce-copy-send";
    let gather = ["receive-send", "receive-send", "receive", "reset-send-credit"];
    assert_eq!(leaves, [&["post", "send", reduce, reduce, own], gather.as_slice()].concat());
    // A send waits for the credit, moves, waits for the end of the transfer, and posts; the prologue
    // gives the first credit to the rank before.
    let first: Vec<_> = all_reduce.steps[0].acts.iter().filter(|act| act.rank == 0).collect();
    let names = |act: &Act| {
        let waits = |list: &[Wait]| -> Vec<_> {
            list.iter().map(|wait| (wait.semaphore.kind.name(), wait.at_least)).collect()
        };
        let posts: Vec<_> =
            act.posts.iter().map(|post| (post.semaphore.kind.name(), post.rank)).collect();
        (waits(&act.waits), waits(&act.after), posts)
    };
    assert_eq!(names(first[0]), (vec![], vec![], vec![("send_sema", 3)]));
    let send = (vec![("send_sema", 1)], vec![("dma_compl_sema", 1)], vec![("recv_sema", 1)]);
    assert_eq!(names(first[1]), send);
    assert_eq!(names(first[2]), (vec![("recv_sema", 1)], vec![], vec![("send_sema", 3)]));
}

#[test]
fn rings_by_the_formula() {
    for n in 2..=9_u32 {
        for (operation, steps) in [
            (Operation::AllReduce, 2 * (n - 1)),
            (Operation::AllGather, n - 1),
            (Operation::ReduceScatter, n - 1),
        ] {
            let ring = made(Algorithm::Ring, operation, n);
            assert_eq!((ring.steps.len(), ring.hops()), (steps as usize, steps as usize));
            for (at, step) in ring.steps.iter().enumerate() {
                let at = at as i64;
                let reduces = operation != Operation::AllGather && at < i64::from(n - 1);
                let s = if operation == Operation::AllReduce { at % i64::from(n - 1) } else { at };
                for r in 0..n {
                    let of = |number: i64| number.rem_euclid(i64::from(n)) as u32;
                    let lag = i64::from(reduces);
                    let (sent, received) = traffic(step, r);
                    assert_eq!(sent, [of(i64::from(r) - lag - s)], "n {n} step {at} rank {r}");
                    assert_eq!(received, [of(i64::from(r) - 1 - lag - s)]);
                }
            }
            // 2 (n - 1) / n of the buffer for a reduction, half of it for the others, in chunks.
            assert_eq!(ring.crossing(), u64::from(steps * n));
        }
    }
}

#[test]
fn halving_and_doubling() {
    let of = |rank, round, send| halving(3, rank, round, send).iter().collect::<Vec<u32>>();
    assert_eq!(of(0, 0, true), [1, 3, 5, 7]);
    assert_eq!(of(0, 0, false), [0, 2, 4, 6]);
    assert_eq!(of(0, 1, true), [2, 6]);
    assert_eq!(of(0, 2, true), [4]);
    assert_eq!(of(0, 2, false), [0]);
    for k in [3, 4, 5_u32] {
        let n = 1_u32 << k;
        for operation in [Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter] {
            let made = made(Algorithm::InterRdh, operation, n);
            let phases = if operation == Operation::AllReduce { 2 } else { 1 };
            assert_eq!(made.steps.len() as u32, phases * k);
            // (n - 1) / n of the buffer a phase.
            assert_eq!(made.crossing(), u64::from(phases * (n - 1) * n));
        }
        for rank in 0..n {
            for round in 0..k {
                // By residues: what is kept agrees with the rank in the bits up to this round's,
                // what is sent agrees with the partner.
                let (all, modulus) = (0..n, 2 << round);
                let like = |other: u32| {
                    all.clone().filter(move |chunk| chunk % modulus == other % modulus)
                };
                let partner = rank ^ (1 << round);
                assert!(halving(k, rank, round, false).iter().eq(like(rank)));
                assert!(halving(k, rank, round, true).iter().eq(like(partner)));
                let span = 1 << (k - round);
                let had = (0..n).filter(|chunk| chunk % span == rank % span);
                assert!(gathered(k, rank, round).iter().eq(had));
            }
        }
    }
    let source = |algorithm| made(algorithm, Operation::AllReduce, 16).steps[0].source;
    assert_eq!(source(Algorithm::InterRdh).word(), "observed");
    assert_eq!(source(Algorithm::IntraRdh).provenance(), records::Provenance::Modelled);
}

#[test]
fn rings_of_pairs_and_of_nodes() {
    for n in (2..=64).step_by(2) {
        let h = n / 2;
        let hops = |operation| made(Algorithm::Kangaring, operation, n).hops() as u32;
        assert_eq!(hops(Operation::AllReduce), n - 2);
        assert_eq!(hops(Operation::AllGather), h - 1);
        assert_eq!(hops(Operation::ReduceScatter), h - 1);
    }
    for (nodes, locals) in [(2, 2), (2, 8), (4, 4), (3, 5), (8, 2), (8, 8)] {
        let all =
            with_locals(Algorithm::Hierarchical, Operation::AllReduce, nodes * locals, locals)
                .unwrap();
        assert_eq!(all.steps.len() as u32, 2 * (locals - 1) + 2 * (nodes - 1));
        let inter = all.steps.iter().filter(|step| step.leg == "inter").count() as u32;
        assert_eq!(inter, 2 * (nodes - 1));
    }
    let single = made(Algorithm::SingleCycleRing, Operation::AllReduce, 8);
    assert!(single.notes[0].contains("approximate"));
    assert_eq!(single.steps[0].source.word(), "standard knowledge");
    assert_eq!(single.steps[0].source.provenance(), records::Provenance::Modelled);
}

/// Groups of 4 in 4 groups: traffic by the closed forms, waits by the table of groups.
#[test]
fn meshes() {
    for (n, locals) in [(4, 4), (8, 4), (16, 4), (64, 4), (12, 3), (6, 1)] {
        let crossing = |algorithm, operation| {
            let made = with_locals(algorithm, operation, n, locals).unwrap();
            made.crossing()
        };
        let ranks = u64::from(n);
        let once = ranks * (ranks - 1);
        assert_eq!(crossing(Algorithm::Mesh, Operation::AllGather), once);
        assert_eq!(crossing(Algorithm::Mesh, Operation::ReduceScatter), once);
        // One group of all goes in a single step.
        let reduced = if n == locals { once * ranks } else { 2 * once };
        assert_eq!(crossing(Algorithm::Mesh, Operation::AllReduce), reduced);
        assert_eq!(crossing(Algorithm::SingleStepMesh, Operation::AllReduce), once * ranks);
        assert_eq!(crossing(Algorithm::LatencyOptMesh, Operation::AllReduce), 2 * once);
        assert_eq!(crossing(Algorithm::LatencyOptMesh, Operation::AllGather), once);
        assert_eq!(crossing(Algorithm::BwOptMesh, Operation::AllGather), once);
        let pod = made(Algorithm::TwoStepPodMesh, Operation::AllReduce, n);
        assert_eq!(pod.crossing(), 2 * once);
    }
    let events = |made: &Schedule| -> Vec<u8> {
        made.steps.iter().filter_map(|step| step.event).map(|event| event.0).collect()
    };
    let reduce = |algorithm, ranks| made(algorithm, Operation::AllReduce, ranks);
    let gather = |algorithm| made(algorithm, Operation::AllGather, 16);
    assert_eq!(events(&reduce(Algorithm::SingleStepMesh, 2)), [2, 8, 0, 4, 5]);
    let single = reduce(Algorithm::SingleStepMesh, 12);
    assert_eq!(events(&single), [2, 1, 7, 3, 10, 0, 4, 5]);
    assert_eq!(events(&reduce(Algorithm::Mesh, 16)), [2, 1, 3, 8, 10, 6, 11, 0, 4, 5]);
    // One node of two ranks, and of eight.
    assert_eq!(events(&reduce(Algorithm::Mesh, 2)), [2, 8, 0, 4, 5]);
    let node = with_locals(Algorithm::Mesh, Operation::AllReduce, 8, 8).unwrap();
    assert_eq!(events(&node), [2, 1, 7, 3, 10, 0, 4, 5]);
    assert_eq!(events(&reduce(Algorithm::LatencyOptMesh, 16)), [2, 8, 9, 10, 3, 11, 0, 4, 5]);
    assert_eq!(events(&gather(Algorithm::LatencyOptMesh)), [1, 2, 3, 11, 0, 4, 5]);
    assert_eq!(events(&gather(Algorithm::BwOptMesh)), [1, 2, 3, 11, 7, 0, 4, 5]);
    let shape = Shape { locals: Some(4), switched: true, ..Shape::default() };
    let switched = schedule(Algorithm::SingleStepMesh, Operation::AllReduce, 16, shape).unwrap();
    assert_eq!(events(&switched), [3, 11, 10, 0, 4, 5]);
    // 12 ranks are 3 groups of 4: group size, groups, 1, local devices, group size, group size; the
    // barriers of functions wait for all.
    for step in &single.steps {
        let mut waits: Vec<u32> =
            step.acts.iter().flat_map(|act| &act.waits).map(|wait| wait.at_least).collect();
        waits.dedup();
        let expected =
            [4, 3, 1, 3, 4, 4, 12, 12][single.steps.iter().position(|one| one == step).unwrap()];
        assert_eq!(waits, [expected], "{}", step.phase);
    }
}

/// All schedules that there are for a number of ranks; of large numbers with a few sizes of groups.
fn all_of(ranks: u32) -> Vec<Schedule> {
    let divisors: Vec<u32> = (1..=ranks).filter(|one| ranks.is_multiple_of(*one)).collect();
    let few = |locals: &u32| ranks <= 20 || [1, 4, ranks / 2].contains(locals);
    let mut found = Vec::new();
    for algorithm in Algorithm::ALL {
        let forms = if algorithm == Algorithm::SingleStepMesh { 2 } else { 1 };
        for operation in Operation::ALL {
            for locals in divisors.iter().copied().filter(few) {
                for switched in [false, true].into_iter().take(forms) {
                    let shape = Shape { locals: Some(locals), switched, ..Shape::default() };
                    let made = schedule(algorithm, operation, ranks, shape);
                    // Where ranks have no groups, one size of group is as good as another.
                    found.extend(made.ok().filter(|one| one.locals == locals));
                }
            }
        }
    }
    found
}

#[test]
fn every_rank_ends_with_the_result() {
    let mut checked = 0;
    let mut algorithms = std::collections::BTreeSet::new();
    for ranks in 2..=64 {
        for made in all_of(ranks) {
            let what = format!(
                "{} {} of {ranks} in groups of {}",
                made.algorithm.name(),
                made.operation.name(),
                made.locals
            );
            by_steps(&made).unwrap_or_else(|error| panic!("{what}: {error}"));
            if ranks <= 20 || ranks.is_multiple_of(16) {
                by_semaphores(&made, u64::from(ranks) * 77)
                    .unwrap_or_else(|error| panic!("{what} by semaphores: {error}"));
            }
            algorithms.insert(made.algorithm);
            checked += 1;
        }
    }
    assert_eq!(figure("schedules whose data was checked"), Some(checked));
    assert_eq!(figure("most ranks of these"), Some(64));
    assert_eq!(algorithms.len(), 11);
}

/// All pairs of legs, of nodes that they take.
#[test]
fn hierarchies_of_all_legs() {
    let (mut checked, mut refused) = (0, 0);
    for (nodes, locals) in [(2, 2), (2, 4), (3, 6), (4, 4), (8, 4), (8, 8), (2, 16), (16, 4)] {
        for intra in Algorithm::ALL {
            for inter in Algorithm::ALL {
                for operation in Operation::ALL {
                    let legs = (Some(intra), Some(inter));
                    let shape = Shape { locals: Some(locals), legs, ..Shape::default() };
                    let made = schedule(Algorithm::Hierarchical, operation, nodes * locals, shape);
                    let Ok(made) = made else {
                        refused += 1;
                        continue;
                    };
                    checked += 1;
                    let what = format!("{} of {nodes} x {locals}: {legs:?}", operation.name());
                    by_steps(&made).unwrap_or_else(|error| panic!("{what}: {error}"));
                    for seed in 1..6 {
                        by_semaphores(&made, seed * 0x9E37_79B9)
                            .unwrap_or_else(|error| panic!("{what} by semaphores: {error}"));
                    }
                }
            }
        }
    }
    // Inside: ring and mesh always, kangaring for even places (all here), RDH for 4, 8, 16 (six of
    // eight). Between: ring and mesh always, RDH from 8 nodes on (three of eight), the single cycle
    // for an all-reduce.
    let with_rdh = |operation: u32| {
        let inter = |nodes: u32| 2 + u32::from(nodes >= 8) + operation;
        let pairs = [(2, 3), (2, 4), (3, 3), (4, 4), (8, 4), (8, 4), (2, 4), (16, 4)];
        pairs.into_iter().map(|(nodes, intra)| intra * inter(nodes)).sum::<u32>()
    };
    assert_eq!(checked, with_rdh(1) + 2 * with_rdh(0));
    assert_eq!(checked + refused, 8 * 11 * 11 * 5);
    let leg = |intra, inter| {
        let shape = Shape { locals: Some(4), legs: (intra, inter), ..Shape::default() };
        let made = schedule(Algorithm::Hierarchical, Operation::AllReduce, 16, shape);
        made.map_err(|error| error.code())
    };
    assert_eq!(leg(Some(Algorithm::BwOptMesh), None).err(), Some("collectives.leg"));
    assert_eq!(leg(None, Some(Algorithm::InterRdh)).err(), Some("collectives.leg"));
    // RDH in the node: a handshake and two rounds, rings of four nodes between, and back.
    let steps = leg(Some(Algorithm::IntraRdh), None).unwrap().steps;
    let phases: Vec<&str> = steps.iter().map(|step| step.phase).collect();
    let mut expected = vec!["handshake", "reduce-scatter", "reduce-scatter"];
    expected.extend(["reduce-scatter"; 3]);
    expected.extend(["all-gather"; 3]);
    expected.extend(["handshake", "all-gather", "all-gather"]);
    assert_eq!(phases, expected);
}

#[test]
fn exchanges_between_ranks() {
    let all = made(Algorithm::Mesh, Operation::AllToAll, 8);
    // Each of 8 ranks gives 7 chunks away.
    assert_eq!((all.crossing(), all.hops()), (56, 1));
    let events: Vec<u8> =
        all.steps.iter().filter_map(|step| step.event).map(|event| event.0).collect();
    assert_eq!(events, [2, 1, 3, 22, 0, 4, 5]);
    let pair = made(Algorithm::Ring, Operation::Permute, 2);
    // Both send their two chunks to the other.
    assert_eq!((pair.steps.len(), pair.crossing()), (1, 4));
    assert!(!does(Algorithm::Ring, Operation::AllToAll));
    assert!(!does(Algorithm::Mesh, Operation::Permute));
    for made in [all, pair] {
        let words: Vec<&str> = made.steps.iter().map(|step| step.source.word()).collect();
        assert!(!words.contains(&"observed"), "{words:?}");
    }
}

/// Every step says how it is known, in one of three words.
#[test]
fn steps_are_tagged() {
    let mut words = std::collections::BTreeSet::new();
    for made in all_of(8).iter().chain(&all_of(16)) {
        words.extend(made.steps.iter().map(|step| step.source.word()));
    }
    assert!(words.into_iter().eq(["inferred", "observed", "standard knowledge"]));
    let pairs = made(Algorithm::Kangaring, Operation::AllReduce, 8);
    let syncs: Vec<_> = pairs.steps.iter().flat_map(|step| &step.acts).collect();
    let waits = |name: &str| {
        syncs.iter().flat_map(|act| &act.waits).any(|wait| wait.semaphore.kind.name() == name)
    };
    assert!(waits("kring_peer_semas.mine") && waits("recv_sema") && waits("send_sema"));
    let at_peers = syncs.iter().flat_map(|act| &act.posts);
    let at_peers = at_peers.filter(|post| post.through == Some("kring_peer_semas.peers[0]"));
    // Every such post is to the partner.
    assert!(at_peers.clone().count() > 8);
    for act in &syncs {
        for post in act.posts.iter().filter(|post| post.through.is_some()) {
            assert_eq!(post.rank, act.rank ^ 1);
        }
    }
}

#[test]
fn any_order_that_semaphores_allow_is_right() {
    for ranks in [2, 3, 4, 6, 8, 12] {
        for made in all_of(ranks) {
            for seed in 1..40 {
                let name = made.algorithm.name();
                by_semaphores(&made, seed * 0x9E37_79B9)
                    .unwrap_or_else(|error| panic!("{name} of {ranks}: {error}"));
            }
        }
    }
}

/// The check must notice what is wrong, else it proves nothing.
#[test]
fn a_wrong_schedule_is_noticed() {
    let good = made(Algorithm::Ring, Operation::AllReduce, 5);
    let mut lost = good.clone();
    lost.steps.remove(2);
    assert!(by_steps(&lost).is_err());
    assert!(by_semaphores(&lost, 3).unwrap_err().contains("nobody can go on"));
    let mut unposted = good.clone();
    unposted.steps[0].acts[0].posts.clear();
    assert!(by_steps(&unposted).is_ok());
    assert!(by_semaphores(&unposted, 3).is_err());
    let mut copied = good.clone();
    copied.steps[1].acts[0].moves[0].adds = false;
    assert!(by_steps(&copied).is_err());
    // Without waits for arrivals some order is wrong.
    let mut unheld = good;
    for act in unheld.steps.iter_mut().flat_map(|step| &mut step.acts) {
        act.waits.clear();
    }
    assert!((1..50).any(|seed| by_semaphores(&unheld, seed * 0x9E37_79B9).is_err()));
}

#[test]
fn what_there_is_no_schedule_for() {
    let code = |algorithm, operation, ranks, locals| {
        let shape = Shape { locals, ..Shape::default() };
        schedule(algorithm, operation, ranks, shape).map_err(|error| error.code()).err()
    };
    let all = Operation::AllReduce;
    for ranks in [0, 1, MAX_RANKS + 1, u32::MAX] {
        for algorithm in Algorithm::ALL {
            assert!(code(algorithm, all, ranks, None).is_some(), "{algorithm:?} {ranks}");
        }
    }
    assert_eq!(code(Algorithm::Kangaring, all, 7, None), Some("collectives.ranks"));
    assert_eq!(code(Algorithm::InterRdh, all, 4, None), Some("collectives.ranks"));
    assert_eq!(code(Algorithm::InterRdh, all, 12, None), Some("collectives.ranks"));
    assert_eq!(code(Algorithm::IntraRdh, all, 32, None), Some("collectives.ranks"));
    assert_eq!(code(Algorithm::Hierarchical, all, 7, None), Some("collectives.ranks"));
    assert_eq!(code(Algorithm::Hierarchical, all, 8, Some(8)), Some("collectives.ranks"));
    assert_eq!(code(Algorithm::Mesh, all, 8, Some(3)), Some("collectives.locals"));
    assert_eq!(code(Algorithm::Mesh, all, 8, Some(0)), Some("collectives.locals"));
    let scatter = Operation::ReduceScatter;
    assert_eq!(code(Algorithm::BwOptMesh, scatter, 8, None), Some("collectives.operation"));
    assert!(!does(Algorithm::SingleCycleRing, scatter));
    assert_eq!(takes(Algorithm::Ring, 128), Ok(()));
    for algorithm in Algorithm::ALL {
        assert_eq!(Algorithm::of_name(algorithm.name()), Some(algorithm));
        assert_eq!(Algorithm::ALL[usize::from(algorithm.value())], algorithm);
    }
}

#[test]
fn clocks_of_blocks_are_aligned() {
    let clock = |init| Clock { init, actual_increment: 1024, expected_increment: 714 };
    // Two events at the same time although the counters differ by 10,000; a third 71.4 ns earlier.
    let (pe, act, top_sp) = (clock(5_000_000), clock(4_990_000), clock(9_000_512));
    assert_eq!(pe.picoseconds(5_204_800), Some(142_800));
    assert_eq!(act.picoseconds(5_194_800), Some(142_800));
    assert_eq!(top_sp.picoseconds(9_102_912), Some(71_400));
    assert_eq!(pe.nanoseconds(5_204_800).as_deref(), Some("142.800"));
    assert_eq!(top_sp.nanoseconds(9_102_912).as_deref(), Some("71.400"));
    let even = Clock { init: 123, actual_increment: 1000, expected_increment: 1000 };
    assert_eq!(even.picoseconds(2_123), Some(2_000));
    assert_eq!(even.wall_nanoseconds(2_123, 1_000_000), Some(1_000_002));
    // Before the common instant: signed, and toward zero.
    assert_eq!(pe.picoseconds(4_999_999), Some(0));
    assert_eq!(pe.picoseconds(5_000_000 - 204_800), Some(-142_800));
    assert_eq!(pe.nanoseconds(5_000_000 - 1_024).as_deref(), Some("-0.714"));
    // Large counters need more than 64 bits between: 2^63 * 714 / 1024.
    assert_eq!(clock(0).picoseconds(1 << 63), Some(6_431_140_267_885_068_288));
    assert_eq!(Clock { expected_increment: u32::MAX, ..clock(0) }.picoseconds(u64::MAX), None);
    assert_eq!(Clock { actual_increment: 0, ..clock(0) }.picoseconds(1), None);
    let engines: Vec<_> = (0..=32_u8).filter_map(Block::of_subtype).map(Block::name).collect();
    assert_eq!(engines, ["PE", "ACT", "POOL", "DVE", "SP"]);
    assert_eq!(Block::of_subtype(6), Some(Block::Pe));
    assert_eq!(Block::of_subtype(22), Some(Block::Sp));
    assert!(PROTOCOL[0].what.contains("doorbell"));
}
