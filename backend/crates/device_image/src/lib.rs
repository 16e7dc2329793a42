//! device_image
