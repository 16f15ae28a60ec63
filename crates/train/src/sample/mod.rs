//! Where the points of each term come from: sequences, places of the box, data tables.

mod condition;
mod draw;
mod sobol;
mod sobol_table;

pub use draw::draw;
pub use sobol::Sobol;

pub(crate) use draw::affine;
