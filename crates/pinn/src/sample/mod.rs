//! Where the points of each term come from: sequences, places of the box, data tables.

mod adaptive;
mod blocks;
mod condition;
mod draw;
mod halton;
mod in_box;
mod inside;
mod interface;
mod kept;
mod latin;
mod lattice;
mod neighbours;
mod recipe;
mod sequence;
mod shape;
mod sobol;
mod sobol_table;

pub use adaptive::{Cell, candidates};
pub(crate) use adaptive::{
    PriorityRange, Refinement, cell_shares, first_cells, largest, mean_square, mix, pick, refine, retained,
    shares, sizes, steepness, taken, variances,
};
pub use draw::{Draw, draw, draw_part};
pub use halton::Halton;
pub use inside::CoverSummary;
pub use latin::LatinHypercube;
pub use lattice::{Lattice, Spacing};
pub use recipe::{HostPoints, recipe};
pub(crate) use recipe::{recipe_in_order, recipe_inside};
pub use sequence::PointSequence;
pub use sobol::Sobol;

pub(crate) use condition::keeps;
pub(crate) use draw::{affine, completed, draw_inside, draw_ranges, with_few_points};
pub(crate) use inside::summary;
pub(crate) use kept::KeptPoints;
pub use kept::PointRoom;
pub(crate) use neighbours::order;
