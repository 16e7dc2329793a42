//! The drawing as a picture in letters, read by eye and kept.

use super::*;
use crate::layout::timeline::tile::TileKey;

fn palette() -> Palette {
    Palette {
        pane: [0, 0, 0],
        raised: [1, 0, 0],
        hair: [2, 0, 0],
        engines: [[100, 0, 0]; 5],
        regions: [[0, 50, 0]; 5],
        other: [0, 60, 0],
        transfer: [0, 0, 80],
        counter: [0, 0, 200],
        error: [0, 200, 0],
        text: [9, 9, 9],
    }
}

/// One letter a pixel: the ground is a dot.
fn letters(raster: &Raster) -> Vec<String> {
    let letter = |pixel: &[u8]| match pixel {
        [0, 0, 0, 255] => '.',
        [1, 0, 0, 255] => '=',
        [2, 0, 0, 255] => '-',
        [100, 0, 0, 255] => 'P',
        [red, 0, 0, 255] if *red > 30 => 'p',
        [0, 50, 0, 255] => 'r',
        [0, 0, 80, 255] => 't',
        [0, 200, 0, 255] => 'e',
        [0, 16, 0, 255] => '\'',
        [0, 0, 200, 255] => 'C',
        [0, 0, 100, 255] => 'i',
        [0, 0, 44, 255] => 'c',
        _ => '?',
    };
    let rows = raster.pixels.chunks_exact(raster.width * 4);
    rows.map(|row| row.chunks_exact(4).map(letter).collect()).collect()
}

fn line(kind: LineKind, top: f64, height: f64) -> Line {
    Line { name: String::new(), kind, row: 0, lane: 0, lanes: 1, top, height, pinned: false }
}

fn draw(lines: &[Line], items: Vec<Item>, height: usize) -> Vec<String> {
    let key = TileKey { serial: 0, first: 0, count: 1, level: 0 };
    let tile = Tile { key: Some(key), lanes: vec![items] };
    let mut raster = Raster::new(32, height, palette().pane);
    let look = Look { span: Span { from: 0.0, to: 32.0 }, scroll: 0.0, ratio: 1.0 };
    raster.lines(lines, &tile, look, &palette(), &[4]);
    letters(&raster)
}

fn event(start: u64, end: u64, region: u8) -> Item {
    Item { start, end, busy: end - start, count: 1, slot: Some(0), region, ..Item::default() }
}

#[test]
fn program_runtime_bucket_and_open_end() {
    let bucket = Item { count: 9, busy: 2, ..event(12, 18, 255) };
    let open = Item { flags: 1, ..event(20, 30, 2) };
    let items = vec![event(0, 6, 2), event(6, 12, 0), bucket, open];
    let drawn = draw(&[line(LineKind::Engine, 0.0, 14.0)], items, 14);
    // Hatching runs down to the left, the frame has dashes, the last row is the line below.
    let empty = ".".repeat(32);
    let strip = [
        "PPPPP...rrr.pp..p...eeee''eee...",
        "PPPPP..rrr..p..pp...ee''''''e...",
        "PPPPP.rrr.....ppp...e''''''''...",
        "PPPPP.rr..r..pppp...e''''''e'...",
        "PPPPP.r..rr.pppp....''''''e'e...",
        "PPPPP...rrr.ppp.....'eeee''ee...",
    ];
    assert_eq!(drawn[..2], [empty.clone(), empty.clone()]);
    assert_eq!(drawn[2..8], strip);
    assert_eq!(drawn[8..13], vec![empty; 5]);
    assert_eq!(drawn[13], "-".repeat(32));
}

#[test]
fn a_counter_is_as_high_as_its_value() {
    let value = |start, end, value| Item { value, ..event(start, end, 255) };
    let items = vec![value(0, 10, 0), value(10, 20, 2), value(20, 32, 4)];
    let drawn = draw(&[line(LineKind::Counter, 0.0, 22.0)], items, 22);
    assert_eq!(drawn[9], ".".repeat(32));
    assert_eq!(drawn[10], "....................CCCCCCCCCCCC");
    assert_eq!(drawn[13], "..........CCCCCCCCCCiccccccccccc");
    assert_eq!(drawn[16], "..........iccccccccciccccccccccc");
}

#[test]
fn what_is_out_of_sight_is_not_drawn() {
    let lines = [line(LineKind::Engine, -40.0, 14.0), line(LineKind::Engine, 50.0, 14.0)];
    let mut raster = Raster::new(32, 14, palette().pane);
    let look = Look { span: Span { from: 0.0, to: 32.0 }, scroll: 0.0, ratio: 1.0 };
    let tile = Tile { key: None, lanes: vec![vec![event(0, 6, 2)]] };
    raster.lines(&lines, &tile, look, &palette(), &[]);
    assert_eq!(raster.filled, 0);
    let far = Tile { key: None, lanes: vec![vec![event(40, 60, 2)]] };
    raster.lines(&[line(LineKind::Engine, 0.0, 14.0)], &far, look, &palette(), &[]);
    assert_eq!(raster.filled, 1);
}

#[test]
fn a_row_that_stays_covers_what_is_scrolled_under_it() {
    let pinned = Line { pinned: true, lane: 1, ..line(LineKind::Engine, 0.0, 14.0) };
    let lines = [pinned, line(LineKind::Engine, 14.0, 14.0), line(LineKind::Engine, 28.0, 14.0)];
    let tile = Tile { key: None, lanes: vec![vec![event(0, 32, 2)], vec![event(0, 8, 2)]] };
    let mut raster = Raster::new(32, 28, palette().pane);
    // Scrolled by 7: half of the second line is under the first.
    let look = Look { span: Span { from: 0.0, to: 32.0 }, scroll: 7.0, ratio: 1.0 };
    raster.lines(&lines, &tile, look, &palette(), &[]);
    let drawn = letters(&raster);
    let (empty, own) = (".".repeat(32), format!("{}{}", "P".repeat(7), ".".repeat(25)));
    let whole = format!("{}.", "P".repeat(31));
    assert_eq!(drawn[..2], [empty.clone(), empty.clone()]);
    assert_eq!(drawn[2..8], vec![own; 6]);
    assert_eq!(drawn[8..13], vec![empty.clone(); 5]);
    assert_eq!(drawn[13], "-".repeat(32));
    // The second line's strip is at 14 + 2 - 7 = 9 to 15, of which 14 is left.
    assert_eq!(drawn[14], whole);
    assert_eq!(drawn[20], "-".repeat(32));
    assert_eq!(drawn[23..28], vec![whole; 5]);
}
