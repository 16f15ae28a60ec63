//! The library from a problem file to a trained network: one binary for all tests, which links once.

mod adaptive;
mod batches;
mod changes;
mod coefficients;
mod decisions;
mod device;
mod divergence;
mod export;
mod golden;
mod manifest;
mod measurements;
mod narrow_shapes;
mod optimizers;
mod quantities;
mod references;
mod regions;
mod relative_residuals;
mod resume;
mod runs;
mod sampling;
mod shape_files;
mod tables;
mod training;
mod windows;
