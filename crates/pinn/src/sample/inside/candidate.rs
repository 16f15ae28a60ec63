//! Where candidates for points inside a shape lie: all over the box around it, or in cells that may meet it.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators are calls that may stay calls in functions with other instructions"
)]

use super::cover::Cover;
use crate::sample::PointSequence;
use crate::sample::blocks::Blocks;
use equation::problem::{Domain, Geometry};
use geometry::{LANES, Lane, LaneScratch, Lanes, Mask};
use std::sync::Arc;

/// Which candidates there are.
#[derive(Clone, Debug)]
pub(super) struct CandidateRegion<'p> {
    pub(super) domain: &'p Domain,
    pub(super) geometry: &'p Geometry,
    /// Cells in place of the whole box.
    pub(super) cover: Option<Arc<Cover>>,
}

impl CandidateRegion<'_> {
    /// Coordinates of the unit cube that a candidate follows from: with cells, the last one chooses among them: the first
    /// one of Hammersley's set goes from end to end within a draw, which should happen in all cells alike.
    pub(super) fn dimensions(&self) -> usize {
        self.domain.len() + usize::from(self.cover.is_some())
    }
}

/// Candidates of a sequence, prepared for many.
#[derive(Debug)]
pub(super) struct Candidates<'p> {
    region: &'p CandidateRegion<'p>,
    blocks: Blocks<'p>,
    lanes: Lanes<'p>,
    /// Where each coordinate begins, and its length.
    reaches: Vec<[f64; 2]>,
}

/// Memory of whoever looks at candidates.
#[derive(Debug)]
pub(super) struct CandidateScratch {
    /// Coordinates of the cube, and then of the domain.
    lanes: Vec<Lane>,
    space: [Lane; 3],
    masks: LaneScratch,
}

impl<'p> Candidates<'p> {
    /// Those of a sequence, of which about so many will be looked at.
    pub(super) fn new(region: &'p CandidateRegion<'p>, sequence: &'p PointSequence, count: u64) -> Self {
        let reaches = (0..region.domain.len()).map(|axis| {
            let (low, high) = region.domain.reach(axis);
            [low, high - low]
        });
        Candidates {
            region,
            blocks: Blocks::new(sequence, region.dimensions(), count),
            lanes: region.geometry.solid.lanes(),
            reaches: reaches.collect(),
        }
    }

    pub(super) fn scratch(&self) -> CandidateScratch {
        CandidateScratch {
            lanes: vec![[0.0; LANES]; self.region.dimensions()],
            space: [[0.0; LANES]; 3],
            masks: LaneScratch::default(),
        }
    }

    /// Candidates from `first` on, a multiple of [`LANES`]: their coordinates stand in the scratch, first those of the domain. Tells which
    /// of them lie inside.
    #[inline(always)]
    pub(super) fn block(&self, first: u64, scratch: &mut CandidateScratch) -> Mask {
        let CandidateScratch { lanes, space, masks } = scratch;
        self.blocks.fill(first, lanes);
        let axes = &self.region.geometry.axes;
        match &self.region.cover {
            None => {
                for axis in 0..self.reaches.len() {
                    let ([low, length], values) = (self.reaches[axis], &mut lanes[axis]);
                    for lane in 0..LANES {
                        // The expression of all boxes.
                        values[lane] = low + length * values[lane];
                    }
                }
            }
            Some(cover) => self.in_cells(cover, lanes),
        }
        let coordinates = &lanes[..self.reaches.len()];
        if self.region.geometry.family.is_some() {
            return self.in_family(coordinates);
        }
        for place in 0..axes.len() {
            space[place] = coordinates[axes[place]];
        }
        self.lanes.contain(&space[..axes.len()], masks)
    }

    /// Which places lie inside of the shapes of their own parameters.
    #[inline(never)]
    fn in_family(&self, coordinates: &[Lane]) -> Mask {
        let mut place = vec![0.0; coordinates.len()];
        std::array::from_fn(|lane| {
            place.iter_mut().zip(coordinates).for_each(|(own, values)| *own = values[lane]);
            if self.region.geometry.contains(&place) { u64::MAX } else { 0 }
        })
    }

    /// The coordinates of the last block.
    #[inline(always)]
    pub(super) fn coordinates<'s>(&self, scratch: &'s CandidateScratch) -> &'s [Lane] {
        &scratch.lanes[..self.reaches.len()]
    }

    /// From the unit cube to cells.
    #[inline(never)]
    fn in_cells(&self, cover: &Cover, lanes: &mut [Lane]) {
        let Some((choice, coordinates)) = lanes.split_last_mut() else { return };
        for (axis, (lane, [low, length])) in coordinates.iter_mut().zip(&self.reaches).enumerate() {
            match self.region.geometry.axes.iter().position(|&own| own == axis) {
                None => lane.iter_mut().for_each(|value| *value = low + length * *value),
                Some(place) => {
                    for (value, choice) in lane.iter_mut().zip(&*choice) {
                        *value = low + length * cover.stretched(*choice, place, *value);
                    }
                }
            }
        }
    }
}
