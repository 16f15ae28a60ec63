//! Which taxa thrive where, and the reads that come of it.

use super::Recipe;
use crate::counters::Stream;
use crate::tree::Tree;
use rayon::prelude::*;

/// How fast the places where relatives thrive drift apart, per substitution (Ornstein, Uhlenbeck 1930).
const PULL: f64 = 8.0;

/// Standard deviation of the logarithm of how frequent taxa are, and of its scatter from sample to sample.
const FREQUENCY: f64 = 1.2;
const SCATTER: f64 = 0.7;

/// Standard deviation of the logarithm of the number of reads.
const DEPTH: f64 = 0.5;

/// Places of the gradient that are tried to find where a sample lies.
const TRIED: usize = 401;

/// Where taxa thrive.
pub(super) struct Niches {
    /// For every tip: the middle of its niche, the logarithm of its frequency there.
    taxa: Vec<(f64, f64)>,
    /// Standard deviation of a niche.
    width: f64,
}

impl Niches {
    pub(super) fn along(tree: &Tree, recipe: &Recipe, stream: Stream) -> Niches {
        let mut places = vec![0.0; tree.nodes()];
        for node in 0..tree.nodes() {
            let own = stream.normal(node as u64);
            places[node] = match tree.parent(node) {
                None => own,
                Some(parent) => {
                    let kept = libm::exp(-PULL * tree.length(node));
                    kept * places[parent] + (1.0 - kept * kept).sqrt() * own
                }
            };
        }
        // Normal numbers become uniform ones, so that every place of the gradient has its taxa; a little beyond its ends, too.
        let share = |normal: f64| 0.5 * (1.0 + libm::erf(normal / std::f64::consts::SQRT_2));
        let frequencies = stream.named("frequencies");
        let taxa = tree
            .tips()
            .map(|tip| (1.2 * share(places[tip]) - 0.1, FREQUENCY * frequencies.normal(tip as u64)));
        Niches { taxa: taxa.collect(), width: recipe.breadth / 2.5 }
    }

    /// The logarithm of how frequent a taxon is at a place.
    fn weight(&self, (middle, frequency): (f64, f64), place: f64) -> f64 {
        let away = (place - middle) / self.width;
        frequency - 0.5 * away * away
    }

    /// Taxa and reads of every sample.
    pub(super) fn reads(&self, recipe: &Recipe, gradient: &[f64], stream: Stream) -> Vec<Vec<(u32, u32)>> {
        let sample = |(sample, &place): (usize, &f64)| {
            let own = stream.with(sample as u64);
            let scatter = own.named("scatter");
            let mut sum = 0.0;
            let sums: Vec<f64> = self
                .taxa
                .iter()
                .enumerate()
                .map(|(taxon, niche)| {
                    sum += libm::exp(self.weight(*niche, place) + SCATTER * scatter.normal(taxon as u64));
                    sum
                })
                .collect();
            let depth = recipe.depth as f64 * libm::exp(DEPTH * own.named("depth").normal(0));
            let depth = (depth.round() as u64).clamp(1, u64::from(u32::MAX));
            let reads = own.named("reads");
            let mut counts = vec![0u32; self.taxa.len()];
            for read in 0..depth {
                let wanted = reads.uniform(read) * sum;
                let taxon = sums.partition_point(|sum| *sum <= wanted).min(self.taxa.len() - 1);
                counts[taxon] += 1;
            }
            let found = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            found.map(|(taxon, &count)| (taxon as u32, count)).collect()
        };
        gradient.par_iter().enumerate().map(sample).collect()
    }

    /// The place of the gradient at which the reads of each sample are the most likely, were there no scatter.
    pub(super) fn places(&self, counts: &[Vec<(u32, u32)>]) -> Vec<f64> {
        let tried: Vec<f64> = (0..TRIED).map(|step| step as f64 / (TRIED - 1) as f64).collect();
        let all = |place: &f64| {
            libm::log(self.taxa.iter().map(|niche| libm::exp(self.weight(*niche, *place))).sum())
        };
        let all: Vec<f64> = tried.par_iter().map(all).collect();
        let likely = |row: &Vec<(u32, u32)>, step: usize| -> f64 {
            // Fourth roots of counts: scatter makes frequent taxa as uncertain as rare ones.
            let part = |&(taxon, count): &(u32, u32)| {
                f64::from(count).sqrt().sqrt()
                    * (self.weight(self.taxa[taxon as usize], tried[step]) - all[step])
            };
            row.iter().map(part).sum()
        };
        let best = |row: &Vec<(u32, u32)>| {
            let step = (0..TRIED).max_by(|one, other| likely(row, *one).total_cmp(&likely(row, *other)));
            tried[step.unwrap_or(0)]
        };
        counts.par_iter().map(best).collect()
    }
}
