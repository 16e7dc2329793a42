//! Painting of display lists into SVG and canvas. Uses `web-sys` and [`crate::layout`] only.
