//! Painting of display lists and identities into SVG. Uses `web-sys` through [`crate::dom`], and
//! [`crate::layout`].

pub mod glyph;

pub mod strips;

pub mod timeline;
