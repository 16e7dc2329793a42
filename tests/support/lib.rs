//! Support for the test suites.
