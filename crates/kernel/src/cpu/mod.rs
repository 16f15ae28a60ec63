//! The CPU engine: tiles of points that stay in cache through the whole network, forward and back.

mod activation;
mod engine;
mod factors;
mod fast;
mod features;
mod gather;
mod jacobian;
mod layout;
mod math;
mod network;
mod product;
mod program;
mod term;
mod tile;
mod weights;

pub(crate) use engine::Cpu;
