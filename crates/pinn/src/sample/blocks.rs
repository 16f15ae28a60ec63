//! Points of a sequence by blocks of as many as vectors like best: the numbers of [`PointSequence::point`], bit for bit.
//!
//! Sobol points are cheap by blocks: the digits of 64 consecutive points, from a multiple of 64, differ only in the first six,
//! which take every value once. So scrambling visits trees that lie side by side, and all paths in them are the same but for the first.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators are calls that may stay calls in functions with other instructions"
)]

use super::latin::counter;
use super::sequence::PointSequence;
use super::sobol::{BITS, LEVELS, Sobol, node};
use equation::counter::Stream;
use geometry::{LANES, Lane};

/// The first digits, which differ within a block: the logarithm of the number of lanes.
const VARIED: u32 = LANES.trailing_zeros();

/// Points from which on the trees below the first twelve digits are kept: for fewer it takes longer to have them than it saves.
const WORTH_KEEPING: u64 = 1 << 16;

/// A sequence, prepared for many of its points.
#[derive(Debug)]
pub(super) struct Blocks<'s> {
    sequence: &'s PointSequence,
    /// What scrambling needs in each dimension of a Sobol sequence.
    sobol: Vec<Scrambling>,
}

/// The scrambling of one dimension.
#[derive(Debug)]
struct Scrambling {
    stream: Stream,
    dimension: usize,
    /// The first six digits of each of the first points.
    order: [u8; LANES],
    /// What is flipped of the first six digits, by these.
    first: [u64; LANES],
    /// The trees below them, by the same.
    second: [u64; LANES],
    /// What is flipped of the first twelve digits, and the trees below them: by the second six digits, then by the first.
    kept: Vec<([u64; LANES], [u64; LANES])>,
}

impl<'s> Blocks<'s> {
    /// For so many points.
    pub(super) fn new(sequence: &'s PointSequence, dimensions: usize, points: u64) -> Self {
        let sobol = match sequence {
            PointSequence::Sobol(own) => {
                (0..dimensions).filter_map(|dimension| Scrambling::new(own, dimension, points)).collect()
            }
            PointSequence::Uniform(_)
            | PointSequence::LatinHypercube(_)
            | PointSequence::Halton(_)
            | PointSequence::Lattice(_) => Vec::new(),
        };
        Blocks { sequence, sobol }
    }

    /// The points from `first` on, a multiple of [`LANES`], one lane per dimension.
    #[inline(always)]
    pub(super) fn fill(&self, first: u64, lanes: &mut [Lane]) {
        match self.sequence {
            PointSequence::Sobol(own) if first >> BITS == 0 && self.sobol.len() == lanes.len() => {
                for dimension in 0..lanes.len() {
                    let plain = own.plain_digits(first, dimension) >> BITS;
                    self.sobol[dimension].fill(plain as u32, &mut lanes[dimension]);
                }
            }
            PointSequence::Uniform(stream) => {
                for dimension in 0..lanes.len() {
                    let (start, values) = (counter(dimension, first), &mut lanes[dimension]);
                    // A block lies within the first 2^32 points, or beyond them.
                    let bits = stream.bits_of(&from(start, 0));
                    for lane in 0..LANES {
                        values[lane] = (whole(bits[lane] >> 12) + 0.5) * (1.0 / (1u64 << 52) as f64);
                    }
                }
            }
            PointSequence::Sobol(_)
            | PointSequence::LatinHypercube(_)
            | PointSequence::Halton(_)
            | PointSequence::Lattice(_) => self.one_by_one(first, lanes),
        }
    }

    #[inline(never)]
    fn one_by_one(&self, first: u64, lanes: &mut [Lane]) {
        let mut point = vec![0.0; lanes.len()];
        for lane in 0..LANES {
            self.sequence.point(first + lane as u64, &mut point);
            lanes.iter_mut().zip(&point).for_each(|(values, value)| values[lane] = *value);
        }
    }
}

/// As many numbers, a power of two apart.
#[inline(always)]
fn from(start: u64, shift: u32) -> [u64; LANES] {
    let mut numbers = [0; LANES];
    for lane in 0..LANES {
        numbers[lane] = start + ((lane as u64) << shift);
    }
    numbers
}

/// A whole number below 2^52, which the digits of the mantissa hold: every vector unit can do that.
#[inline(always)]
fn whole(number: u64) -> f64 {
    const UNIT: f64 = (1u64 << 52) as f64;
    f64::from_bits(UNIT.to_bits() | number) - UNIT
}

impl Scrambling {
    /// `None` of a sequence that is not scrambled.
    fn new(own: &Sobol, dimension: usize, points: u64) -> Option<Scrambling> {
        let stream = own.scramble?;
        let order = std::array::from_fn(|index| {
            (own.plain_digits(index as u64, dimension) >> (u64::BITS - VARIED)) as u8
        });
        let number = |first: u32, prefix: u64| (dimension as u64) << 33 | 1 << first | prefix;
        let top = stream.bits(number(0, 0));
        let first = std::array::from_fn(|digits| flips::<6>([top; LANES], 0, digits as u32)[0]);
        let second = stream.bits_of(&std::array::from_fn(|digits| number(VARIED, digits as u64)));
        let mut scrambling = Scrambling { stream, dimension, order, first, second, kept: Vec::new() };
        if points >= WORTH_KEEPING {
            scrambling.kept = (0..1 << VARIED).map(|digits| scrambling.next(digits)).collect();
        }
        Some(scrambling)
    }

    /// What is flipped of the first twelve digits, and the trees below them, where the second six are these.
    #[inline(always)]
    fn next(&self, digits: u32) -> ([u64; LANES], [u64; LANES]) {
        let mut flipped = flips::<6>(self.second, VARIED, digits);
        for lane in 0..LANES {
            flipped[lane] |= self.first[lane];
        }
        (flipped, self.trees(2 * VARIED, u64::from(digits)))
    }

    /// The trees below so many digits, of which those after the first six are these.
    #[inline(always)]
    fn trees(&self, first: u32, digits: u64) -> [u64; LANES] {
        let base = (self.dimension as u64) << 33 | 1 << first | digits;
        self.stream.bits_of(&from(base, first - VARIED))
    }

    /// The coordinates of a block whose first point has these digits before it is scrambled.
    #[inline(always)]
    fn fill(&self, plain: u32, lane: &mut Lane) {
        let rest = plain & (u32::MAX >> VARIED);
        // The digits of the point after `first` of them.
        let path = |first: u32| (plain << first) >> (BITS - LEVELS.min(BITS - first));
        let second = path(VARIED);
        let computed;
        let (flipped, trees) = match self.kept.get(second as usize) {
            Some(kept) => kept,
            None => {
                computed = self.next(second);
                &computed
            }
        };
        let third = flips::<6>(*trees, 12, path(12));
        let fourth = flips::<6>(self.trees(18, u64::from(rest >> 14)), 18, path(18));
        let fifth = flips::<6>(self.trees(24, u64::from(rest >> 8)), 24, path(24));
        let last = flips::<2>(self.trees(30, u64::from(rest >> 2)), 30, path(30));
        let mut values: Lane = [0.0; LANES];
        for index in 0..LANES {
            let flipped = flipped[index] | third[index] | fourth[index] | fifth[index] | last[index];
            let digits = flipped ^ ((index as u64) << (BITS - VARIED) | u64::from(rest));
            values[index] = (whole(digits) + 0.5) * (1.0 / (1u64 << BITS) as f64);
        }
        let turn = plain >> (BITS - VARIED);
        for index in 0..LANES {
            lane[index] = values[(u32::from(self.order[index]) ^ turn) as usize % LANES];
        }
    }
}

/// What trees flip of the digits from number `first` on, where these are the path through all of them.
#[inline(always)]
fn flips<const DIGITS: usize>(trees: [u64; LANES], first: u32, path: u32) -> [u64; LANES] {
    let mut nodes = [0; DIGITS];
    for level in 0..DIGITS {
        nodes[level] = node(path, level as u32, DIGITS as u32);
    }
    let mut flips = [0; LANES];
    for lane in 0..LANES {
        let mut own = 0;
        for level in 0..DIGITS {
            own |= (trees[lane] >> nodes[level] & 1) << (BITS - 1 - first - level as u32);
        }
        flips[lane] = own;
    }
    flips
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::problem::Sampler;

    #[test]
    fn blocks_have_the_points_of_the_sequence_bit_for_bit() {
        let starts =
            [0, 64, 4096 - 64, 4096, 1 << 16, (1 << 18) - 64, (1 << 26) + 192, (1 << 32) - 64, 1 << 32];
        for sampler in [
            Sampler::Sobol,
            Sampler::Uniform,
            Sampler::LatinHypercube,
            Sampler::Halton,
            Sampler::Hammersley,
            Sampler::Grid,
            Sampler::Chebyshev,
        ] {
            let sequence = PointSequence::new(sampler, 3, 70_000, Stream::new(7, 0x5a << 56 | 3));
            for points in [1000, 1_000_000] {
                let blocks = Blocks::new(&sequence, 3, points);
                for start in starts {
                    let (mut lanes, mut point) = ([[0.0; LANES]; 3], [0.0; 3]);
                    blocks.fill(start, &mut lanes);
                    for lane in 0..LANES {
                        sequence.point(start + lane as u64, &mut point);
                        let got: [f64; 3] = std::array::from_fn(|dimension| lanes[dimension][lane]);
                        assert_eq!(got, point, "{sampler:?}, point {}", start + lane as u64);
                    }
                }
            }
        }
    }
}
