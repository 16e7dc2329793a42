//! backend

pub mod page_model;
