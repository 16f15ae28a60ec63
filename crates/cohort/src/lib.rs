//! Cohorts: tables of reads, trees, metadata, and distances between samples.
//!
//! [`Table::open`] and [`Tree::open`] read files, [`Phylogeny::of`] brings both together, [`unifrac`] and [`faith`] compute.
//! Nothing here prints or exits, and no result depends on the number of threads.
//!
//! ```
//! use cohort::{Metric, Missing, Phylogeny, SquareMatrix, Table, Tree, Work};
//!
//! let table = Table::parse_text("#OTU ID\tone\ttwo\nA\t3\t0\nB\t1\t2\nC\t0\t2\n")?;
//! let tree = Tree::parse("((A:1,B:1):1,C:3);")?;
//! let (table, phylogeny, _) = Phylogeny::of(table, &tree, Missing::Refuse)?;
//! let mut distances = SquareMatrix::new(table.samples().len());
//! cohort::unifrac(&table, &phylogeny, Metric::Unweighted, &Work::default(), &mut distances)?;
//! assert_eq!(distances.row(0)[1], 4.0 / 6.0);
//! # Ok::<(), cohort::CohortError>(())
//! ```

#![forbid(unsafe_code)]

mod counters;
mod describe;
mod error;
mod export;
mod few;
mod matrix;
mod metadata;
mod ordination;
mod place;
mod rarefy;
mod sequence;
pub mod synthesize;
mod table;
mod tree;
mod unifrac;

pub use describe::{Description, TreeDescription, describe};
pub use error::CohortError;
pub use export::{NpyFile, write_coordinates, write_npy, write_series, write_tsv};
pub use few::Few;
pub use matrix::{Rows, SquareMatrix};
pub use metadata::{Column, Metadata, MetadataError, MetadataMistake};
pub use ordination::{Ordination, OrdinationError, ordinate};
pub use place::Place;
pub use rarefy::{RarefyError, Shallow, rarefy};
pub use sequence::{Sequence, SequenceMistake};
pub use table::{CountFault, Table, TableError, TableMistake};
pub use tree::{Branch, Missing, NewickFault, Phylogeny, Tree, TreeError, TreeMistake};
pub use unifrac::{MemoryError, Metric, MetricError, Slower, Work, band_bytes, faith, slower, unifrac};
