//! Points inside shapes. Point i is the i-th candidate that lies inside: a function of its index, however many threads look and
//! whichever part of a draw is wanted.
//!
//! `candidate` (where candidates lie), `cover` (cells around thin shapes), `scan` (which of them are kept), `counts` (how many
//! there are before a candidate), `rows` (a part of a draw), `tested` (what a device has to know to find them by itself).

mod candidate;
mod counts;
mod cover;
mod rows;
mod scan;
mod tested;

pub use cover::CoverSummary;
pub(crate) use rows::summary;
pub(super) use rows::{InteriorWish, inside};
pub(super) use tested::tested;
