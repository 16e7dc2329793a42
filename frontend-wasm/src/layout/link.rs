//! The link bar in the gutter of a row: hue and pattern of its source group.
//!
//! Eight hues in two rounds of four patterns, so that neighbors in the order of the hues never
//! share a pattern and a bar can be told without its color.

/// Width of the bar in px.
pub const BAR_PX: u32 = 4;

/// The pattern of a hue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One bar.
    Solid,
    /// Dashes of 5, gaps of 3.
    Dashes,
    /// Dots of 4, 6 apart.
    Dots,
    /// Two thin bars.
    Double,
}

/// The pattern of hue 1 to 8; hues are handed out in the order 1 7 3 5 2 8 4 6.
pub const fn pattern(hue: u8) -> Pattern {
    match hue {
        7 | 8 => Pattern::Dashes,
        3 | 4 => Pattern::Dots,
        5 | 6 => Pattern::Double,
        _ => Pattern::Solid,
    }
}

/// The bar of a hue as a path of the given height, from x = `left`; empty for hue 0.
pub fn bar_path(hue: u8, left: u32, height: u32) -> String {
    let mut path = String::new();
    let right = left + BAR_PX;
    let mut bar = |x: u32, y: u32, width: u32, tall: u32| {
        path.push_str(&format!("M{x} {y}h{width}v{tall}h-{width}z"));
    };
    match pattern(hue) {
        _ if hue == 0 => {}
        Pattern::Solid => bar(left, 0, BAR_PX, height),
        Pattern::Dashes => {
            (0..height).step_by(8).for_each(|y| bar(left, y, BAR_PX, 5.min(height - y)))
        }
        Pattern::Double => {
            bar(left, 0, 1, height);
            bar(right - 1, 0, 1, height);
        }
        Pattern::Dots => {
            for y in (3..height).step_by(6) {
                path.push_str(&format!("M{left} {y}a2 2 0 1 0 4 0a2 2 0 1 0-4 0"));
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_in_the_order_of_the_hues_differ_in_pattern() {
        let order = [1, 7, 3, 5, 2, 8, 4, 6];
        for pair in order.windows(2) {
            assert_ne!(pattern(pair[0]), pattern(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn bars_have_the_measures_of_their_pattern() {
        assert_eq!(bar_path(0, 9, 23), "");
        assert_eq!(bar_path(1, 9, 23), "M9 0h4v23h-4z");
        assert_eq!(bar_path(7, 9, 23), "M9 0h4v5h-4zM9 8h4v5h-4zM9 16h4v5h-4z");
        assert_eq!(bar_path(5, 9, 23), "M9 0h1v23h-1zM12 0h1v23h-1z");
        assert_eq!(bar_path(3, 9, 23).matches('M').count(), 4);
    }
}
