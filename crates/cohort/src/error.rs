//! Everything that can go wrong with a cohort.

use crate::metadata::MetadataError;
use crate::ordination::OrdinationError;
use crate::rarefy::RarefyError;
use crate::sequence::SequenceMistake;
use crate::synthesize::RecipeError;
use crate::table::{TableError, TableMistake};
use crate::tree::{TreeError, TreeMistake};
use crate::unifrac::{MemoryError, MetricError};

/// A cohort cannot be read, or nothing can be computed of it.
#[derive(Debug, thiserror::Error)]
pub enum CohortError {
    /// About the table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// About a table that is no file.
    #[error(transparent)]
    TableText(#[from] TableMistake),
    /// About the tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// About a tree that is no file.
    #[error(transparent)]
    TreeText(#[from] TreeMistake),
    /// About the metadata.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// About names that are to be sequences.
    #[error(transparent)]
    Sequence(#[from] SequenceMistake),
    /// About drawing reads.
    #[error(transparent)]
    Rarefy(#[from] RarefyError),
    /// About axes of distances.
    #[error(transparent)]
    Ordination(#[from] OrdinationError),
    /// About a cohort that is to be made.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// About the name of a metric.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// About a limit of memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// Results cannot be written.
    #[error("results cannot be written: {0}")]
    Output(#[from] std::io::Error),
}
