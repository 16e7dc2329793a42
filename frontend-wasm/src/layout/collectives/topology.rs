//! The ranks of a schedule as a drawing: where each stands, and the transfers of one step.

use debug_api::answer::{ScheduleAnswer, ScheduleStep};
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

/// Size of the drawing.
pub const SIZE: (f64, f64) = (400.0, 372.0);
/// Radius of a circle of ranks.
const RADIUS: f64 = 150.0;
/// Room for a ring of groups.
const ROOM: f64 = 172.0;
/// Greatest and smallest radius of a rank.
const NODE: (f64, f64) = (15.0, 2.5);
/// A rank of this radius has its number inside.
const INSIDE: f64 = 9.5;
/// Distance of two numbers beside small ranks: of two digits, of three.
const LABEL: (f64, f64) = (16.0, 24.0);
/// More transfers than these are drawn only where the chosen rank takes part.
pub const MOST_ARROWS: usize = 600;
/// With at most so many transfers each has its chunks beside it.
const LABELED: usize = 24;
/// With more transfers than these only those of the chosen rank stand out.
const CROWDED: usize = 64;
/// With more ranks than these groups are grids, since circles have no room for numbers.
const CIRCLES: u32 = 32;
/// Room between two groups of a grid, in cells, and the height of a group's name.
const BETWEEN: (f64, f64) = (0.7, 13.0);
/// Largest distance of two ranks in a grid.
const CELL: f64 = 26.0;
/// Length of an arrow's head, and half of its width.
const HEAD: (f64, f64) = (7.0, 3.4);

/// A rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Place in the group.
    pub place: u32,
    /// Center.
    pub x: f64,
    /// Center.
    pub y: f64,
    /// Radius.
    pub r: f64,
    /// Where its number stands; `None` for none.
    pub label: Option<(f64, f64)>,
    /// Whether it moves, waits or posts in the step.
    pub acts: bool,
}

/// What a transfer is to the chosen rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// It takes no part.
    Other,
    /// It receives.
    In,
    /// It sends.
    Out,
}

/// Data on its way from one rank to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrow {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// What it is to the chosen rank.
    pub side: Side,
    /// The line as a path.
    pub path: String,
    /// The head as points of a polygon.
    pub head: String,
    /// Chunks in a few characters and where they stand; `None` where there are too many arrows.
    pub label: Option<(String, f64, f64)>,
}

/// A group of ranks: a node, chip or rack.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// 0-based.
    pub index: u32,
    /// Center.
    pub x: f64,
    /// Center.
    pub y: f64,
    /// Radius around its ranks; of a rectangle, half of the shorter side.
    pub r: f64,
    /// Half of its width and of its height.
    pub half: (f64, f64),
    /// Radius of its corners: that of a circle, or less.
    pub corner: f64,
    /// Its name and where it stands; `None` where there is no room.
    pub label: Option<(String, f64, f64)>,
}

/// The drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Ranks.
    pub nodes: Vec<Node>,
    /// Groups; none where the algorithm knows none.
    pub groups: Vec<Group>,
    /// Transfers, those of the chosen rank last, so that they lie above.
    pub arrows: Vec<Arrow>,
    /// Transfers of the step.
    pub transfers: usize,
    /// Whether the arrows are posts to semaphores, since nothing moves.
    pub posts: bool,
    /// Whether there is room for text in the middle.
    pub hollow: bool,
    /// Whether so many transfers are drawn that only those of the chosen rank stand out.
    pub crowded: bool,
    /// Whether numbers inside of ranks are small.
    pub small: bool,
}

/// Where a rank stands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    x: f64,
    y: f64,
    r: f64,
    label: Option<(f64, f64)>,
}

/// The drawing of a step, seen from a rank.
pub fn picture(head: &ScheduleAnswer, step: Option<&ScheduleStep>, me: u32) -> Picture {
    let (spots, groups) = spots(head);
    let moved = step.map(transfers).unwrap_or_default();
    let total = moved.len();
    // Where nothing moves, who posts to whom is what happens.
    let is_posts = total == 0;
    let transfers = if is_posts { step.map(posts).unwrap_or_default() } else { moved };
    let labeled = !is_posts && total <= LABELED;
    let few = transfers.len() <= MOST_ARROWS;
    let mut arrows: Vec<Arrow> = transfers
        .into_iter()
        .filter(|((from, to), _)| few || *from == me || *to == me)
        .filter_map(|((from, to), chunks)| {
            let (a, b) = (spot(&spots, from)?, spot(&spots, to)?);
            let side = if from == me {
                Side::Out
            } else if to == me {
                Side::In
            } else {
                Side::Other
            };
            let (path, head, at) = curve(a, b);
            let label = labeled.then(|| (chunk_text(&chunks), at.0, at.1));
            Some(Arrow { from, to, side, path, head, label })
        })
        .collect();
    arrows.sort_by_key(|arrow| arrow.side);
    let acting =
        |place: u32| step.is_some_and(|step| step.acts.iter().any(|act| act.rank == place));
    let ring = groups.is_empty() && head.algorithm != "kangaring" && head.ranks > 2;
    let hollow = ring && arrows.iter().all(|arrow| are_neighbors(arrow, head.ranks));
    let nodes = spots.iter().zip(0..).map(|(spot, place)| Node {
        place,
        x: spot.x,
        y: spot.y,
        r: spot.r,
        label: spot.label,
        acts: acting(place),
    });
    let nodes: Vec<Node> = nodes.collect();
    let crowded = arrows.len() > CROWDED;
    let small = nodes.iter().any(|one| one.r < INSIDE && one.label == Some((one.x, one.y)));
    Picture { nodes, groups, arrows, transfers: total, posts: is_posts, hollow, crowded, small }
}

fn spot(spots: &[Spot], place: u32) -> Option<&Spot> {
    spots.get(usize::try_from(place).ok()?)
}

fn are_neighbors(arrow: &Arrow, ranks: u32) -> bool {
    let apart = (arrow.to + ranks).saturating_sub(arrow.from) % ranks.max(1);
    apart == 1 || apart + 1 == ranks
}

/// Pairs of ranks between which data moves, with the chunks.
fn transfers(step: &ScheduleStep) -> BTreeMap<(u32, u32), Vec<u32>> {
    let mut out: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for one in step.acts.iter().flat_map(|act| &act.moves) {
        for from in &one.from {
            for to in one.to.iter().filter(|to| to.rank != from.rank) {
                let list = out.entry((from.rank, to.rank)).or_default();
                let chunks = (0..one.count.min(1_024))
                    .map(|index| one.first.saturating_add(index.saturating_mul(one.stride)));
                list.extend(chunks);
            }
        }
    }
    out
}

/// Pairs of ranks of which one posts to the other.
fn posts(step: &ScheduleStep) -> BTreeMap<(u32, u32), Vec<u32>> {
    let pairs = step.acts.iter().flat_map(|act| {
        let others = act.posts.iter().filter(|post| post.rank != act.rank);
        others.map(|post| ((act.rank, post.rank), Vec::new()))
    });
    pairs.collect()
}

fn chunk_text(chunks: &[u32]) -> String {
    match chunks {
        [] => String::new(),
        [one] => format!("c{one}"),
        [a, b] => format!("c{a}, {b}"),
        list => format!("{} chunks", list.len()),
    }
}

fn spots(head: &ScheduleAnswer) -> (Vec<Spot>, Vec<Group>) {
    let (ranks, locals) = (head.ranks, head.locals.max(1));
    let (cx, cy) = (SIZE.0 / 2.0, SIZE.1 / 2.0);
    if head.algorithm == "kangaring" && ranks.is_multiple_of(2) {
        return (pairs(ranks, cx, cy), Vec::new());
    }
    let n_groups = ranks / locals;
    if locals == 1 || n_groups < 2 || !ranks.is_multiple_of(locals) {
        return (circle(cx, cy, RADIUS, ranks), Vec::new());
    }
    if ranks > CIRCLES {
        return grids(n_groups, locals);
    }
    let (centers, radius): (Vec<(f64, f64)>, f64) = if n_groups == 2 {
        (vec![(cx - 98.0, cy), (cx + 98.0, cy)], 72.0)
    } else {
        // Neighbouring groups touch each other but for a gap.
        let sine = (PI / f64::from(n_groups)).sin();
        let around = ((ROOM * sine - 8.0) / (1.0 + sine)).max(4.0);
        let centers = (0..n_groups).map(|index| on_circle(cx, cy, ROOM - around, index, n_groups));
        (centers.collect(), (around - 14.0).max(3.0))
    };
    let mut out = Vec::new();
    let mut groups = Vec::new();
    for (index, (x, y)) in (0..).zip(&centers) {
        out.extend(circle(*x, *y, radius, locals));
        let r = radius + 14.0;
        let name = match r > 50.0 {
            true => format!("group {index}"),
            false => index.to_string(),
        };
        let label = (r > 24.0).then_some((name, *x, *y + 4.0));
        groups.push(Group { index, x: *x, y: *y, r, half: (r, r), corner: r, label });
    }
    (out, groups)
}

/// Groups as grids of ranks, row by row, and the groups themselves row by row; as many in a row as
/// leave the most room.
fn grids(n_groups: u32, locals: u32) -> (Vec<Spot>, Vec<Group>) {
    let wide = f64::from(locals).sqrt().ceil() as u32;
    let high = locals.div_ceil(wide.max(1));
    // The distance of two ranks with so many groups in a row.
    let cell = |across: u32| {
        let down = n_groups.div_ceil(across);
        let x = (SIZE.0 - 8.0) / (f64::from(across) * (f64::from(wide) + BETWEEN.0));
        let y = ((SIZE.1 - 8.0) / f64::from(down) - BETWEEN.1) / (f64::from(high) + BETWEEN.0);
        x.min(y).min(CELL)
    };
    let across = (1..=n_groups).max_by(|a, b| cell(*a).total_cmp(&cell(*b))).unwrap_or(1);
    let cell = cell(across).max(2.0 * NODE.1);
    let down = n_groups.div_ceil(across);
    let r = (cell * 0.36).clamp(NODE.1, NODE.0);
    // Of a group with the room around it.
    let width = cell * (f64::from(wide) + BETWEEN.0);
    let height = cell * (f64::from(high) + BETWEEN.0) + BETWEEN.1;
    let left = (SIZE.0 - width * f64::from(across)) / 2.0;
    let top = (SIZE.1 - height * f64::from(down)) / 2.0;
    let (mut spots, mut groups) = (Vec::new(), Vec::new());
    for index in 0..n_groups {
        let x = left + width * (f64::from(index % across) + 0.5);
        let middle = top + height * (f64::from(index / across) + 0.5);
        let y = middle + BETWEEN.1 / 2.0;
        for local in 0..locals {
            let column = f64::from(local % wide) - f64::from(wide - 1) / 2.0;
            let row = f64::from(local / wide) - f64::from(high - 1) / 2.0;
            let (x, y) = (x + column * cell, y + row * cell);
            // Three digits need some room.
            spots.push(Spot { x, y, r, label: (r >= 6.0).then_some((x, y)) });
        }
        let half = (cell * f64::from(wide) / 2.0 + 1.0, cell * f64::from(high) / 2.0 + 1.0);
        let name = if half.0 > 30.0 { format!("group {index}") } else { index.to_string() };
        let label = Some((name, x, y - half.1 - 3.0));
        groups.push(Group { index, x, y, r: half.0.min(half.1), half, corner: 4.0, label });
    }
    (spots, groups)
}

fn on_circle(cx: f64, cy: f64, radius: f64, index: u32, count: u32) -> (f64, f64) {
    let angle = 2.0 * PI * f64::from(index) / f64::from(count.max(1)) - FRAC_PI_2;
    (cx + radius * angle.cos(), cy + radius * angle.sin())
}

/// Ranks clockwise from the top.
fn circle(cx: f64, cy: f64, radius: f64, count: u32) -> Vec<Spot> {
    let apart = 2.0 * PI * radius / f64::from(count.max(1));
    let r = (apart * 0.36).clamp(NODE.1, NODE.0);
    let beside = radius + r + 11.0;
    let around = 2.0 * PI * beside / f64::from(count.max(1));
    let wide = if count > 100 { LABEL.1 } else { LABEL.0 };
    let every = (wide / around).ceil().max(1.0) as u32;
    // Beside a small circle there is no room for numbers.
    let roomy = radius > 60.0;
    (0..count)
        .map(|index| {
            let (x, y) = on_circle(cx, cy, radius, index, count);
            let label = if r >= INSIDE {
                Some((x, y))
            } else if roomy && index.is_multiple_of(every) {
                Some(on_circle(cx, cy, beside, index, count))
            } else {
                None
            };
            Spot { x, y, r, label }
        })
        .collect()
}

/// Pairs of ranks: primaries, the even ones, on the outer circle, secondaries inside of them.
fn pairs(ranks: u32, cx: f64, cy: f64) -> Vec<Spot> {
    let half = ranks / 2;
    let apart = 2.0 * PI * (RADIUS - 42.0) / f64::from(half.max(1));
    let r = (apart * 0.36).clamp(NODE.1, NODE.0);
    (0..ranks)
        .map(|rank| {
            let radius = if rank.is_multiple_of(2) { RADIUS } else { RADIUS - 42.0 };
            let (x, y) = on_circle(cx, cy, radius, rank / 2, half);
            let outside = rank
                .is_multiple_of(2)
                .then(|| on_circle(cx, cy, RADIUS + r + 11.0, rank / 2, half));
            let label = if r >= INSIDE { Some((x, y)) } else { outside };
            Spot { x, y, r, label }
        })
        .collect()
}

/// A line from one rank to another that bends to its left, so that two ways between two ranks lie
/// apart and a ring turns outward; its head; and the middle, a little outside.
fn curve(a: &Spot, b: &Spot) -> (String, String, (f64, f64)) {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let length = dx.hypot(dy).max(1.0);
    // Left of the way, in a drawing whose y goes down.
    let (nx, ny) = (dy / length, -dx / length);
    let bend = (length * 0.16).min(30.0);
    let (mx, my) = ((a.x + b.x) / 2.0 + nx * bend, (a.y + b.y) / 2.0 + ny * bend);
    let (sx, sy) = toward(a, (mx, my), a.r + 1.5);
    let (tx, ty) = toward(b, (mx, my), b.r + 1.5);
    // Short ways have small heads.
    let scale = (length / 24.0).clamp(0.45, 1.0);
    let (hx, hy) = toward(b, (mx, my), b.r + 1.5 + HEAD.0 * scale);
    let (ux, uy) = ((tx - hx) / (HEAD.0 * scale), (ty - hy) / (HEAD.0 * scale));
    let (wx, wy) = (-uy * HEAD.1 * scale, ux * HEAD.1 * scale);
    let path = format!("M{sx:.1} {sy:.1}Q{mx:.1} {my:.1} {hx:.1} {hy:.1}");
    let head =
        format!("{tx:.1},{ty:.1} {:.1},{:.1} {:.1},{:.1}", hx + wx, hy + wy, hx - wx, hy - wy);
    // The curve itself is half way to its handle.
    let out = bend / 2.0 + 14.0;
    let at = ((a.x + b.x) / 2.0 + nx * out, (a.y + b.y) / 2.0 + ny * out);
    (path, head, at)
}

fn toward(from: &Spot, to: (f64, f64), by: f64) -> (f64, f64) {
    let (dx, dy) = (to.0 - from.x, to.1 - from.y);
    let length = dx.hypot(dy).max(0.001);
    (from.x + dx / length * by, from.y + dy / length * by)
}
