//! Points inside a box.

use super::blocks::Blocks;
use super::{PointSequence, affine};
use equation::problem::Coordinate;
use geometry::{LANES, Lane};
use linear::{Level, VectorWork};
use rayon::prelude::*;
use std::ops::Range;

/// Points that a thread draws in one go.
const UNIT: usize = 1024;

/// Rows of so many numbers for the points of a range; those behind the coordinates are ones.
pub(super) fn rows(
    coordinates: &[Coordinate],
    sequence: &PointSequence,
    range: Range<usize>,
    width: usize,
) -> Vec<f64> {
    let blocks = Blocks::new(sequence, coordinates.len(), range.len() as u64);
    let mut rows = vec![1.0; range.len() * width];
    rows.par_chunks_mut(UNIT * width).enumerate().for_each(|(unit, rows)| {
        let first = range.start + unit * UNIT;
        Level::best().run(Unit { coordinates, blocks: &blocks, first, rows, width });
    });
    rows
}

/// Rows of points that follow one another.
struct Unit<'u> {
    coordinates: &'u [Coordinate],
    blocks: &'u Blocks<'u>,
    first: usize,
    rows: &'u mut [f64],
    width: usize,
}

impl VectorWork for Unit<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Unit { coordinates, blocks, mut first, mut rows, width } = self;
        let mut lanes: Vec<Lane> = vec![[0.0; LANES]; coordinates.len()];
        while !rows.is_empty() {
            // Blocks begin at multiples of their length, a part of a draw anywhere.
            let skipped = first % LANES;
            blocks.fill((first - skipped) as u64, &mut lanes);
            let count = (LANES - skipped).min(rows.len() / width);
            let (own, rest) = std::mem::take(&mut rows).split_at_mut(count * width);
            for (place, row) in own.chunks_exact_mut(width).enumerate() {
                for (value, (lane, coordinate)) in row.iter_mut().zip(lanes.iter().zip(coordinates)) {
                    *value = affine(coordinate, lane[skipped + place]);
                }
            }
            (first, rows) = (first + count, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::counter::Stream;
    use equation::parse::parse;
    use equation::problem::Sampler;

    #[test]
    fn any_part_of_a_draw_in_a_box_has_the_points_of_its_sequence_bit_for_bit() {
        let text = "[domain]\nt = [0, 2]\nx = [-1, 3]\n[unknowns]\nu = {}\n[equations]\na = \"u_t = 0\"\n\
                    [conditions]\nstart = { on = \"t = 0\", equation = \"u = 0\" }\n";
        let problem = parse(text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file")));
        let coordinates = &problem.domain.coordinates;
        for sampler in [Sampler::Sobol, Sampler::Uniform, Sampler::LatinHypercube, Sampler::Grid] {
            let sequence = PointSequence::new(sampler, 2, 20_000, Stream::new(1, 2));
            for range in [0..1, 0..64, 63..65, 100..5000, 0..20_000] {
                let drawn = rows(coordinates, &sequence, range.clone(), 3);
                assert_eq!(drawn.len(), 3 * range.len());
                for (row, index) in drawn.chunks(3).zip(range) {
                    let mut place = [0.0; 2];
                    sequence.point(index as u64, &mut place);
                    assert_eq!(row, [2.0 * place[0], -1.0 + 4.0 * place[1], 1.0], "{sampler:?} {index}");
                }
            }
        }
    }
}
