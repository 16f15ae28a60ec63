//! Arguments about cohorts.

use clap::{ArgGroup, Args, Subcommand, ValueEnum, ValueHint};
use cohort::{Metric, Missing, Shallow};
use pinnace::read_bytes;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("results").required(true).multiple(true).args(["out", "faith", "pcoa", "plot"]))]
pub(crate) struct UnifracArguments {
    /// Reads: BIOM 2.1 or 1.0, or text with a line per taxon, also compressed with gzip
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) table: PathBuf,

    /// A rooted tree in Newick's format whose tips are the taxa
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) tree: PathBuf,

    /// unweighted, weighted, normalized, generalized or variance-adjusted
    #[arg(long, default_value = "unweighted")]
    pub(crate) metric: Metric,

    /// Exponent of the generalized metric, from 0 (as unweighted as it gets) to 1 (normalized) [default: 0.5]
    #[arg(long, value_name = "ALPHA")]
    pub(crate) alpha: Option<f64>,

    /// Write distances to this .npy or .tsv file; beside .npy, the names of samples to FILE.samples.txt
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,

    /// Write each pair once instead of a square
    #[arg(long, requires = "out")]
    pub(crate) condensed: bool,

    /// Write Faith's phylogenetic diversity of every sample to this .tsv file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) faith: Option<PathBuf>,

    /// Write principal coordinates of the samples to this .tsv file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) pcoa: Option<PathBuf>,

    /// Coordinates per sample
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub(crate) axes: u16,

    /// Draw the samples along their principal coordinates into this .png file
    #[arg(long, value_name = "PNG", value_hint = ValueHint::FilePath)]
    pub(crate) plot: Option<PathBuf>,

    /// Properties of the samples: a line per sample, separated by tabs
    #[arg(long, value_name = "FILE", requires = "colour", value_hint = ValueHint::FilePath)]
    pub(crate) metadata: Option<PathBuf>,

    /// The column of the metadata that colours the picture
    #[arg(long, value_name = "COLUMN", requires_all = ["metadata", "plot"])]
    pub(crate) colour: Option<String>,

    #[command(flatten)]
    pub(crate) reads: ReadArguments,

    /// What becomes of taxa that are not in the tree
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub(crate) not_in_tree: Policy,

    /// Limit of memory, such as 2GB: distances are computed in bands and go straight to an .npy file [default: what is fast]
    #[arg(long, value_name = "BYTES", value_parser = read_bytes)]
    pub(crate) memory_limit: Option<usize>,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// Which reads of a table.
#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// Draw so many reads of every sample without replacement [default: all]
    #[arg(long, value_name = "READS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rarefy: Option<u64>,

    /// What is drawn follows from it
    #[arg(long, value_name = "N", default_value_t = 0, requires = "rarefy")]
    pub(crate) seed: u64,

    /// Another draw of the same seed
    #[arg(long, value_name = "N", default_value_t = 0, requires = "rarefy")]
    pub(crate) draw: u64,

    /// What becomes of samples without reads, or with fewer than are drawn
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub(crate) shallow: Policy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Policy {
    /// End with a list of them
    Error,
    /// Leave them out, and say so
    Drop,
}

impl From<Policy> for Missing {
    fn from(policy: Policy) -> Missing {
        match policy {
            Policy::Error => Missing::Refuse,
            Policy::Drop => Missing::Drop,
        }
    }
}

impl From<Policy> for Shallow {
    fn from(policy: Policy) -> Shallow {
        match policy {
            Policy::Error => Shallow::Refuse,
            Policy::Drop => Shallow::Drop,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CohortCommand {
    /// Show what a table, a tree and metadata hold, and whether they belong together
    Show(CohortShow),
    /// Draw the same number of reads of every sample, without replacement
    Rarefy(CohortRarefy),
    /// Make up a cohort of which everything is known: tree, sequences, reads along a hidden gradient, a target
    Synthesize(CohortSynthesize),
}

#[derive(Debug, Args)]
pub(crate) struct CohortShow {
    /// Reads: BIOM 2.1 or 1.0, or text, also compressed with gzip
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) table: PathBuf,

    /// A rooted tree in Newick's format
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) tree: Option<PathBuf>,

    /// Properties of the samples: a line per sample, separated by tabs
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) metadata: Option<PathBuf>,

    /// A column of the metadata that has to be a number for every sample
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    pub(crate) target: Option<String>,

    /// End with an error where the names of taxa are no sequences
    #[arg(long)]
    pub(crate) sequences: bool,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CohortRarefy {
    /// Reads: BIOM 2.1 or 1.0, or text, also compressed with gzip
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) table: PathBuf,

    /// Draw so many reads of every sample
    #[arg(long, value_name = "READS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) depth: u64,

    /// What is drawn follows from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Another draw of the same seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) draw: u64,

    /// What becomes of samples with fewer reads
    #[arg(long, value_name = "WHAT", default_value = "error")]
    pub(crate) shallow: Policy,

    /// Write the table to this .biom (BIOM 1.0) or .tsv file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CohortSynthesize {
    /// Samples
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) samples: usize,

    /// Tips of the tree
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) taxa: usize,

    /// Bases per sequence
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) bases: usize,

    /// Reads per sample, in the middle
    #[arg(long, value_name = "READS", default_value_t = 2000)]
    pub(crate) depth: u64,

    /// The part of all taxa that thrives at any place of the gradient, above 0, at most 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.3)]
    pub(crate) breadth: f64,

    /// Standard deviation of the target around what the gradient says; the target reaches from 10 to 70
    #[arg(long, value_name = "SIGMA", default_value_t = 2.0)]
    pub(crate) noise: f64,

    /// Everything random follows from it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write table.biom, tree.nwk, metadata.tsv and truth.json into this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,

    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}
