//! kbin
