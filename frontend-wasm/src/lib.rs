//! The browser application.
