//! Vectors as long as the parameters that stay on the device, in memory of their own, and a matrix beside them.
//!
//! `owner` is what others see; `kept` has the kernels, and where the vectors are.

mod kept;
mod owner;

pub(super) use kept::text;
pub(super) use owner::DeviceVectors;
