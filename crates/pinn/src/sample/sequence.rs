//! Points of the unit cube in the order that a problem file asks for.

use super::latin::counter;
use super::lattice::{Lattice, Spacing};
use super::{Halton, LatinHypercube, Sobol};
use equation::counter::Stream;
use equation::problem::Sampler;

/// Points of the unit cube, each a pure function of (stream, index).
#[derive(Clone, Debug)]
pub enum PointSequence {
    /// Low discrepancy.
    Sobol(Sobol),
    /// Independent of each other.
    Uniform(Stream),
    /// One in each interval of each coordinate.
    LatinHypercube(LatinHypercube),
    /// Low discrepancy, in bases that are primes.
    Halton(Halton),
    /// A regular grid.
    Lattice(Lattice),
}

impl PointSequence {
    /// As many points as the sequence of a sampler has.
    pub fn length(sampler: Sampler) -> u64 {
        match sampler {
            Sampler::LatinHypercube => u64::from(u32::MAX),
            // Numbers tell no more of them apart.
            Sampler::Sobol
            | Sampler::Uniform
            | Sampler::Halton
            | Sampler::Hammersley
            | Sampler::Grid
            | Sampler::Chebyshev => Sobol::LENGTH,
        }
    }

    /// Whether the points of a sampler depend on how many are wanted.
    pub(super) fn depends_on_count(sampler: Sampler) -> bool {
        match sampler {
            Sampler::Sobol | Sampler::Uniform | Sampler::Halton => false,
            Sampler::LatinHypercube | Sampler::Hammersley | Sampler::Grid | Sampler::Chebyshev => true,
        }
    }

    /// The sequence of a sampler in `dimensions` dimensions, of which `count` points are wanted, at most [`Self::length`].
    pub fn new(sampler: Sampler, dimensions: usize, count: usize, stream: Stream) -> Self {
        match sampler {
            Sampler::Sobol => PointSequence::Sobol(Sobol::scrambled(dimensions, stream)),
            Sampler::Uniform => PointSequence::Uniform(stream),
            Sampler::LatinHypercube => {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                PointSequence::LatinHypercube(LatinHypercube::new(count, stream))
            }
            Sampler::Halton => PointSequence::Halton(Halton::new(dimensions, stream)),
            Sampler::Hammersley => {
                PointSequence::Halton(Halton::hammersley(dimensions, count as u64, stream))
            }
            Sampler::Grid => PointSequence::Lattice(Lattice::new(Spacing::Even, dimensions, count)),
            Sampler::Chebyshev => PointSequence::Lattice(Lattice::new(Spacing::Chebyshev, dimensions, count)),
        }
    }

    /// Writes point `index` into `point`, each number strictly inside (0, 1).
    pub fn point(&self, index: u64, point: &mut [f64]) {
        match self {
            PointSequence::Sobol(sobol) => sobol.point(index, point),
            PointSequence::Uniform(stream) => {
                for (dimension, coordinate) in point.iter_mut().enumerate() {
                    let bits = stream.bits(counter(dimension, index));
                    // With 52 digits the half fits behind them, and nothing is rounded to one.
                    *coordinate = ((bits >> 12) as f64 + 0.5) * (-52.0f64).exp2();
                }
            }
            PointSequence::LatinHypercube(cubes) => cubes.point(index, point),
            PointSequence::Halton(halton) => halton.point(index, point),
            PointSequence::Lattice(lattice) => lattice.point(index, point),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_do_not_depend_on_which_were_asked_for_before() {
        for sampler in
            [Sampler::Sobol, Sampler::Uniform, Sampler::LatinHypercube, Sampler::Halton, Sampler::Hammersley]
        {
            let sequence = |seed| PointSequence::new(sampler, 3, 64, Stream::new(seed, 8));
            let at = |sequence: &PointSequence, index| {
                let mut point = [0.0; 3];
                sequence.point(index, &mut point);
                point
            };
            let forwards: Vec<_> = (0..200).map(|index| at(&sequence(1), index)).collect();
            let one = sequence(1);
            assert!((0..200).rev().all(|index: u64| at(&one, index) == forwards[index as usize]));
            assert!((0..200).all(|index: u64| at(&sequence(2), index) != forwards[index as usize]));
            assert!(forwards.iter().flatten().all(|&x| 0.0 < x && x < 1.0));
        }
    }

    #[test]
    fn uniform_points_have_the_moments_of_uniform_numbers() {
        let sequence = PointSequence::new(Sampler::Uniform, 2, 0, Stream::new(5, 5));
        let (count, mut point) = (20_000u32, [0.0; 2]);
        let (mut mean, mut product) = (0.0, 0.0);
        for index in 0..count {
            sequence.point(u64::from(index), &mut point);
            mean += point[0] / f64::from(count);
            product += point[0] * point[1] / f64::from(count);
        }
        // Five standard deviations, which are sqrt(1/12) and sqrt(7/144) over the root of the count.
        assert!((mean - 0.5).abs() < 5.0 * (1.0f64 / 12.0).sqrt() / f64::from(count).sqrt());
        assert!((product - 0.25).abs() < 5.0 * (7.0f64 / 144.0).sqrt() / f64::from(count).sqrt());
    }
}
