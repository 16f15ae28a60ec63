//! The order in which sums over points are added up: leaves and a balanced binary tree that depend on the problem alone.
//!
//! Items (points, tiles, blocks of rows) are divided into leaves of consecutive ones. A leaf is added up in the order of its
//! items, from zero; then leaves are added in pairs, pairs in pairs, and so on. Whoever has any consecutive leaves can add
//! up what the tree adds up of them, and no cut of the leaves changes a bit of the whole: not threads, not ranks. Left
//! folds do not have that, and sums in the order of arrival do not even repeat (ReproRed: Stelz, Hübner and Stamatakis 2026).

mod nodes;
mod shape;
mod sum;

pub use nodes::{Meeting, Nodes, combine};
pub use shape::{Leaves, Tree, TreeNode};
pub use sum::{Sum, sum};
