//! Any bytes either become a table and points, or a fault that can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pinnace::table::TableFormat;

mod tables;

fuzz_target!(|bytes: &[u8]| tables::read(bytes, TableFormat::Npz));
