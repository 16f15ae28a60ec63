//! Cohorts from files to distances.

mod distances;
mod oracle;
mod ordination;
mod peers;
mod rarefaction;
mod readers;
mod robustness;
mod synthesis;
mod trees;
