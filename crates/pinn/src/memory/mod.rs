//! Memory of the host: what a training or an evaluation needs, against what there is, before anything is written.
//!
//! `available` (what the operating system still gives), `need` (a sum by purpose, and the refusal), `training` (what phases
//! of training take).

mod available;
mod need;

pub use available::available;
pub use need::{MemoryError, Need, Part, Purpose, show};
