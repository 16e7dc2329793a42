//! The neffscope command.
fn main() {}
