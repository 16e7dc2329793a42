//! debug_api
