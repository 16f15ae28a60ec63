//! Cohorts that are made up, so that everything about them is known.
//!
//! A tree grows at random, sequences evolve along it, and so does the place on a hidden gradient where a taxon thrives: relatives
//! thrive in similar places. Every sample lies somewhere on the gradient and has reads of what thrives there. A target follows the
//! gradient, with noise of a known size: no model can be better than that.

mod abundance;
mod evolution;
mod growth;

use crate::counters::Stream;
use crate::table::{Table, TableError};
use crate::tree::{Tree, TreeError};
use serde::Serialize;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// What a cohort is to be.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Recipe {
    /// Samples.
    pub samples: usize,
    /// Tips of the tree; those without any reads are not in the table.
    pub taxa: usize,
    /// Bases per sequence.
    pub bases: usize,
    /// Reads per sample, in the middle: half of the samples have between 0.7 and 1.4 times as many.
    pub depth: u64,
    /// The part of all taxa that thrives at any place of the gradient, about.
    pub breadth: f64,
    /// Standard deviation of the target around what the gradient says.
    pub noise: f64,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe { samples: 500, taxa: 300, bases: 100, depth: 2000, breadth: 0.3, noise: 2.0, seed: 0 }
    }
}

/// A cohort cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// A number that makes no cohort.
    #[error("{key} is {got}: {wanted}")]
    Number {
        /// Which.
        key: &'static str,
        /// Its value.
        got: f64,
        /// What it has to be.
        wanted: &'static str,
    },
    /// There are fewer sequences of this length than taxa.
    #[error("{taxa} different sequences of {bases} bases are needed: take longer ones")]
    TooShort {
        /// Sequences.
        taxa: usize,
        /// Their length.
        bases: usize,
    },
    /// It cannot be written.
    #[error("{} cannot be written: {cause}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

/// A cohort of which everything is known.
#[derive(Clone, PartialEq, Debug)]
pub struct Synthetic {
    /// What it was made by.
    pub recipe: Recipe,
    /// Reads.
    pub table: Table,
    /// All taxa, also those without reads. Tips are named by their sequences.
    pub tree: Tree,
    /// Where each sample lies on the gradient, from 0 to 1.
    pub gradient: Vec<f64>,
    /// The target: 10 + 60·gradient + noise.
    pub target: Vec<f64>,
    /// Root mean square error of the target where the gradient is known: no model has less, on average.
    pub bound: f64,
    /// The same where the gradient is found from the reads by who knows how they were made (but not what scattered them): what can
    /// be had.
    pub informed: f64,
}

/// The target at both ends of the gradient.
const TARGET: (f64, f64) = (10.0, 70.0);

impl Recipe {
    fn check(&self) -> Result<(), RecipeError> {
        let number = |key, got, fine, wanted| match fine {
            true => Ok(()),
            false => Err(RecipeError::Number { key, got, wanted }),
        };
        let limit = u32::MAX as usize / 4;
        number("samples", self.samples as f64, (2..limit).contains(&self.samples), "2 or more are needed")?;
        number("taxa", self.taxa as f64, (2..limit).contains(&self.taxa), "2 or more are needed")?;
        number("bases", self.bases as f64, (1..100_000).contains(&self.bases), "1 to 99999 are needed")?;
        let depth = (1..1 << 31).contains(&self.depth);
        number("depth", self.depth as f64, depth, "1 read or more, below 2147483648, is needed")?;
        number(
            "breadth",
            self.breadth,
            self.breadth > 0.0 && self.breadth <= 1.0,
            "above 0, at most 1, is needed",
        )?;
        number("noise", self.noise, self.noise >= 0.0 && self.noise.is_finite(), "0 or more is needed")?;
        // Half of all sequences at most: the others are to be found by chance.
        let few = self.bases < 30 && (1u64 << (2 * self.bases)) / 2 < self.taxa as u64;
        match few {
            true => Err(RecipeError::TooShort { taxa: self.taxa, bases: self.bases }),
            false => Ok(()),
        }
    }

    /// Makes the cohort: a pure function of the recipe.
    pub fn make(&self) -> Result<Synthetic, RecipeError> {
        self.check()?;
        let stream = Stream::new(self.seed).named("cohort");
        let mut tree = growth::grow(self.taxa, stream.named("tree"));
        evolution::evolve(&mut tree, self.bases, stream.named("sequences"));
        let gradient: Vec<f64> =
            (0..self.samples as u64).map(|sample| stream.named("gradient").uniform(sample)).collect();
        let niches = abundance::Niches::along(&tree, self, stream.named("niches"));
        let counts = niches.reads(self, &gradient, stream.named("reads"));
        let names = (0..self.samples)
            .map(|sample| format!("sample{:0width$}", sample + 1, width = digits(self.samples)));
        let taxa: Vec<String> = tree.tips().map(|tip| tree.name(tip).to_owned()).collect();
        let (low, high) = TARGET;
        let scatter = |sample: usize| self.noise * stream.named("target").normal(sample as u64);
        let meant = |place: f64| low + (high - low) * place;
        let target: Vec<f64> =
            gradient.iter().enumerate().map(|(sample, place)| meant(*place) + scatter(sample)).collect();
        let found = niches.places(&counts);
        let squares = found.iter().zip(&target).map(|(place, target)| (meant(*place) - target).powi(2));
        let informed = (squares.sum::<f64>() / self.samples as f64).sqrt();
        let table = Table::of_counts(names.collect(), taxa, &counts);
        Ok(Synthetic { recipe: *self, table, tree, gradient, target, bound: self.noise, informed })
    }
}

/// Digits of the largest number of so many.
fn digits(count: usize) -> usize {
    count.to_string().len()
}

/// What is known of a cohort, for programs.
#[derive(Serialize)]
struct Truth<'a> {
    recipe: &'a Recipe,
    target: &'static str,
    /// Of the target, as root mean square error.
    best_possible_error: f64,
    informed_error: f64,
    gradient: &'a [f64],
}

impl Synthetic {
    /// Writes `table.biom`, `tree.nwk`, `metadata.tsv` and `truth.json` into a folder.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, RecipeError> {
        let at = |name: &str| folder.join(name);
        let write = |path: &Path, cause| RecipeError::Write { path: path.to_owned(), cause };
        std::fs::create_dir_all(folder).map_err(|cause| write(folder, cause))?;
        let paths = ["table.biom", "tree.nwk", "metadata.tsv", "truth.json"].map(at);
        let [table, tree, metadata, truth] = &paths;
        self.table.write_biom(table).map_err(of_table)?;
        self.tree.write(tree).map_err(of_tree)?;
        store::replace(metadata, self.metadata().as_bytes()).map_err(|cause| write(metadata, cause))?;
        let known = Truth {
            recipe: &self.recipe,
            target: "age",
            best_possible_error: self.bound,
            informed_error: self.informed,
            gradient: &self.gradient,
        };
        let text = serde_json::to_string_pretty(&known).map_err(|error| write(truth, error.into()))?;
        store::replace(truth, text.as_bytes()).map_err(|cause| write(truth, cause))?;
        Ok(paths.to_vec())
    }

    /// The target as `age`, and the third of the gradient as `stage`.
    fn metadata(&self) -> String {
        let mut text = "sample\tage\tstage\n".to_owned();
        for (sample, name) in self.table.samples().iter().enumerate() {
            let stage = ["early", "middle", "late"][((3.0 * self.gradient[sample]) as usize).min(2)];
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name}\t{:.4}\t{stage}", self.target[sample]);
        }
        text
    }
}

fn of_table(error: TableError) -> RecipeError {
    match error {
        TableError::Write { path, cause } | TableError::Read { path, cause } => {
            RecipeError::Write { path, cause }
        }
        TableError::Mistake { path, mistake } => {
            RecipeError::Write { path, cause: io::Error::other(mistake.to_string()) }
        }
    }
}

fn of_tree(error: TreeError) -> RecipeError {
    match error {
        TreeError::Write { path, cause } | TreeError::Read { path, cause } => {
            RecipeError::Write { path, cause }
        }
        other @ (TreeError::Mistake { .. } | TreeError::NotInTree { .. } | TreeError::NoneInTree { .. }) => {
            RecipeError::Write { path: PathBuf::new(), cause: io::Error::other(other.to_string()) }
        }
    }
}
