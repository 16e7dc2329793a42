//! A value of a profile's text with the bytes of the text that it stands in.
//!
//! Without the feature `toml` no text is read, only the built-in profiles as JSON; then the places
//! are empty.

#[cfg(feature = "toml")]
pub use toml::Spanned;

#[cfg(not(feature = "toml"))]
pub use plain::Spanned;

#[cfg(not(feature = "toml"))]
mod plain {
    use serde::Deserialize;
    use std::ops::Range;

    /// A value whose place is not known.
    #[derive(Clone, Debug, Deserialize)]
    #[serde(transparent)]
    pub struct Spanned<T>(T);

    impl<T> Spanned<T> {
        /// A value; the place is dropped.
        pub fn new(_: Range<usize>, value: T) -> Self {
            Self(value)
        }

        /// An empty place.
        pub fn span(&self) -> Range<usize> {
            0..0
        }

        /// The value.
        pub fn get_ref(&self) -> &T {
            &self.0
        }

        /// The value itself.
        pub fn into_inner(self) -> T {
            self.0
        }
    }
}
