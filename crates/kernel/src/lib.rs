//! .
pub mod cpu;
