//! The Jacobian of one term: whole rows, or its product with a vector from either side.

use super::engine::{Cpu, tile_count, tile_range};
use super::gather::leaves;
use super::term::MOST_POINTS;
use super::tile::TileSums;
use super::weights::GradientTarget;
use crate::Points;
use linear::Float;
use rayon::prelude::*;
use std::ops::Range;

impl<T: Float> Cpu<T> {
    /// At the points of `range`: residuals, and one row for each, its derivative by every parameter.
    pub(crate) fn jacobian(
        &mut self,
        (term, points, range): (usize, &Points, Range<usize>),
        parameters: &[f64],
        out: &mut [f64],
        rows: &mut [f64],
    ) {
        self.fixed.prepare(parameters);
        let fixed = &self.fixed;
        let (shared, term) = (fixed.shared(), &fixed.terms[term]);
        let (residuals, width) = (term.term.residuals.len(), parameters.len());
        let parts = out.par_chunks_mut((term.points * residuals).max(1));
        let parts = parts.zip(rows.par_chunks_mut((term.points * residuals * width).max(1)));
        parts.enumerate().for_each(|(number, (out, rows))| {
            let start = range.start + number * term.points;
            let tile = start..(start + term.points).min(range.end);
            let mut scratch = fixed.own_scratch();
            rows.fill(0.0);
            scratch.forward(shared, term, points, tile.clone());
            // All of them first: the way back uses their registers.
            for residual in 0..residuals {
                scratch.copy_residual(term, residual, out.iter_mut().skip(residual).step_by(residuals));
            }
            for residual in 0..residuals {
                scratch.seed_one(term, residual);
                let rows = &mut rows[residual * width..];
                let mut target = GradientTarget::Rows { rows, stride: residuals * width, points: tile.len() };
                scratch.reverse(shared, term, &mut target);
            }
        });
    }

    /// The derivative of every residual at every point along a direction in parameter space.
    pub(crate) fn along(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        direction: &[f64],
        out: &mut [f64],
    ) {
        self.fixed.prepare(parameters);
        let fixed = &self.fixed;
        let (weights, scalars) = direction.split_at(fixed.plan.architecture.weight_count());
        fixed.layout.pack(weights, &mut self.direction.packed, &mut self.direction.transposed);
        let (shared, term) = (fixed.shared(), &fixed.terms[term]);
        let (residuals, direction) = (term.term.residuals.len(), &self.direction.packed);
        out.par_chunks_mut((term.points * residuals).max(1)).enumerate().for_each(|(number, out)| {
            let mut scratch = fixed.own_scratch();
            scratch.forward(shared, term, points, tile_range(term, points, number));
            for residual in 0..residuals {
                scratch.seed_one(term, residual);
                let mut products = [T::ZERO; MOST_POINTS];
                let products = &mut products[..term.points];
                scratch.reverse(shared, term, &mut GradientTarget::Along { direction, scalars, products });
                let places = out.iter_mut().skip(residual).step_by(residuals);
                places.zip(products).for_each(|(to, from)| *to = from.to_f64());
            }
        });
    }

    /// Writes the gradient of Σ seeds·residuals over all points of one term into `gradient`.
    pub(crate) fn transposed(
        &mut self,
        term: usize,
        points: &Points,
        parameters: &[f64],
        seeds: &[f64],
        gradient: &mut [f64],
    ) {
        self.fixed.prepare(parameters);
        let fixed = &self.fixed;
        let (shared, term) = (fixed.shared(), &fixed.terms[term]);
        let residuals = term.term.residuals.len();
        let tiles = tile_count(term, points);
        let each = |tile: usize, sums: &mut TileSums<T>| {
            let mut scratch = fixed.own_scratch();
            let range = tile_range(term, points, tile);
            scratch.forward(shared, term, points, range.clone());
            for residual in 0..residuals {
                scratch.seed(term, residual, |point, _| {
                    let inside = point < range.len();
                    let place = (range.start + point) * residuals + residual;
                    if inside { T::from_f64(seeds[place]) } else { T::ZERO }
                });
            }
            let TileSums { gradient, scalars, .. } = sums;
            scratch.reverse(shared, term, &mut GradientTarget::Sum { gradient, scalars });
        };
        self.gather.add_up(leaves(tiles), each, |total| {
            gradient.fill(0.0);
            let (weights_bar, scalars_bar) = gradient.split_at_mut(fixed.plan.architecture.weight_count());
            fixed.layout.unpack(&total.gradient, weights_bar);
            scalars_bar.copy_from_slice(&total.scalars);
        });
    }
}
