//! The CPU engine: tiles of points that stay in cache through the whole network, forward and back.

mod activation;
mod engine;
mod fast;
mod features;
mod float;
mod gemm;
mod jacobian;
mod layout;
mod level;
mod math;
mod network;
mod peak;
mod product;
mod program;
mod term;
mod tile;
mod weights;

pub(crate) use engine::Cpu;
pub use float::Float;
pub use gemm::{Scalars, Size, Start, multiply};
pub use level::Level;
pub(crate) use level::for_each_level;
pub use peak::peak_flops;
