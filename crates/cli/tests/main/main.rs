//! The program as people call it, and the rules of the house: one binary for all tests, which links once.

mod accuracy;
mod caches;
mod cohorts;
mod commands;
mod evaluate;
mod geometry;
mod hostile;
mod house_rules;
mod memory;
mod pictures;
mod recovery;
mod references;
mod reports;
mod rooms;
mod runs;
mod starting;
mod trust;
