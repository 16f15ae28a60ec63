//! The Sobol sequence with nested uniform scrambling (Owen 1995). A point is a pure function of
//! (seed, stream, index).

use super::sobol_table::DIRECTIONS;
use equation::counter::Stream;

/// Binary digits per coordinate of the first 2^32 points.
pub(super) const BITS: u32 = 32;

/// Binary digits per coordinate of all later points, as many as a number has, and the logarithm of the sequence's length.
const MOST_BITS: u32 = 52;

/// Digits that one block of 64 random bits scrambles: a binary tree of 6 levels has 63 nodes.
pub(super) const LEVELS: u32 = 6;

/// A low-discrepancy sequence in up to [`Sobol::MAX_DIMENSIONS`] dimensions.
#[derive(Clone, Debug)]
pub struct Sobol {
    /// Direction numbers per dimension, whose first digit is the highest bit.
    pub(super) directions: Vec<[u64; MOST_BITS as usize]>,
    pub(super) scramble: Option<Stream>,
}

impl Sobol {
    /// As many dimensions as the table of direction numbers has.
    pub const MAX_DIMENSIONS: usize = DIRECTIONS.len() + 1;

    /// As many points as there are.
    pub const LENGTH: u64 = 1 << MOST_BITS;

    /// The sequence in `dimensions` dimensions, scrambled by a stream of random numbers.
    ///
    /// # Panics
    /// Above [`Self::MAX_DIMENSIONS`]; the parser admits no problem with more coordinates.
    pub fn scrambled(dimensions: usize, stream: Stream) -> Self {
        Sobol { scramble: Some(stream), ..Self::plain(dimensions) }
    }

    /// The published sequence itself, in Gray code order; its point 0 is the origin.
    ///
    /// # Panics
    /// Above [`Self::MAX_DIMENSIONS`].
    pub fn plain(dimensions: usize) -> Self {
        assert!(dimensions <= Self::MAX_DIMENSIONS, "{dimensions} dimensions");
        Sobol { directions: (0..dimensions).map(all_directions).collect(), scramble: None }
    }

    /// Writes point `index`, of [`Self::LENGTH`], into `point`, one number strictly inside (0, 1) per dimension: the centre
    /// of its cell, of width 2^-32 for the first 2^32 points and of 2^-52 for later ones, which fall between them.
    pub fn point(&self, index: u64, point: &mut [f64]) {
        for (dimension, coordinate) in point.iter_mut().enumerate() {
            *coordinate = if index >> BITS == 0 {
                (f64::from(self.digits(index as u32, dimension)) + 0.5) * (-f64::from(BITS)).exp2()
            } else {
                (self.more_digits(index, dimension) as f64 + 0.5) * (-f64::from(MOST_BITS)).exp2()
            };
        }
    }

    /// Digits of the sequence that is not scrambled, of which the first is the highest bit.
    pub(super) fn plain_digits(&self, index: u64, dimension: usize) -> u64 {
        let (mut gray, mut digits) = (index ^ (index >> 1), 0);
        while gray != 0 {
            digits ^= self.directions[dimension][gray.trailing_zeros() as usize];
            gray &= gray - 1;
        }
        digits
    }

    /// One coordinate as 32 binary digits after the point.
    fn digits(&self, index: u32, dimension: usize) -> u32 {
        let plain = (self.plain_digits(u64::from(index), dimension) >> BITS) as u32;
        match self.scramble {
            Some(stream) => scramble(stream, dimension, plain),
            None => plain,
        }
    }

    /// One coordinate as 52 binary digits after the point. The first 32 are scrambled as those of other points are.
    fn more_digits(&self, index: u64, dimension: usize) -> u64 {
        let plain = self.plain_digits(index, dimension);
        let Some(stream) = self.scramble else { return plain >> (u64::BITS - MOST_BITS) };
        let mut digits = u64::from(scramble(stream, dimension, (plain >> BITS) as u32)) << BITS;
        let mut first = BITS;
        while first < MOST_BITS {
            let levels = LEVELS.min(MOST_BITS - first);
            let prefix = 1u64 << first | plain >> (u64::BITS - first);
            // No prefix of a point among the first 2^32 has the highest bit.
            let tree = stream.bits(1 << 63 | (dimension as u64) << MOST_BITS | prefix);
            let path = ((plain << first) >> (u64::BITS - levels)) as u32;
            let flips =
                (0..levels).map(|level| (tree >> node(path, level, levels) & 1) << (levels - 1 - level));
            digits |= (u64::from(path) ^ flips.sum::<u64>()) << (u64::BITS - first - levels);
            first += levels;
        }
        digits >> (u64::BITS - MOST_BITS)
    }
}

/// Which bit of a tree decides about a digit, where a path of all digits of the tree leads.
#[inline(always)]
pub(super) fn node(path: u32, level: u32, levels: u32) -> u32 {
    (1 << level) - 1 + (path >> (levels - level))
}

/// The direction numbers of a dimension for the first 2^32 points.
pub(super) fn directions(dimension: usize) -> [u32; BITS as usize] {
    let all = all_directions(dimension);
    std::array::from_fn(|bit| (all[bit] >> BITS) as u32)
}

/// The direction numbers of a dimension by the recurrence of Joe and Kuo (2008), equation 3.
fn all_directions(dimension: usize) -> [u64; MOST_BITS as usize] {
    let mut directions = [0; MOST_BITS as usize];
    let Some(previous) = dimension.checked_sub(1) else {
        return std::array::from_fn(|bit| 1 << (u64::BITS - 1 - bit as u32));
    };
    let (polynomial, initial) = DIRECTIONS[previous];
    let degree = initial.len();
    for bit in 0..MOST_BITS as usize {
        directions[bit] = match initial.get(bit) {
            Some(&integer) => u64::from(integer) << (u64::BITS - 1 - bit as u32),
            None => {
                let oldest = directions[bit - degree];
                (1..degree)
                    .filter(|back| polynomial >> (degree - back) & 1 == 1)
                    .fold(oldest ^ (oldest >> degree), |sum, back| sum ^ directions[bit - back])
            }
        };
    }
    directions
}

/// Flips each digit by a random bit that depends on all digits before it.
fn scramble(stream: Stream, dimension: usize, digits: u32) -> u32 {
    let mut flips = 0u32;
    let mut first = 0;
    while first < BITS {
        let levels = LEVELS.min(BITS - first);
        // The digits before `first`, with a leading one so that every prefix has its own number.
        let prefix = 1u64 << first | (u64::from(digits) >> (BITS - first));
        let tree = stream.bits((dimension as u64) << 33 | prefix);
        let path = (digits << first) >> (BITS - levels);
        for level in 0..levels {
            flips |= ((tree >> node(path, level, levels) & 1) as u32) << (BITS - 1 - first - level);
        }
        first += levels;
    }
    digits ^ flips
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrambled(dimensions: usize) -> Sobol {
        Sobol::scrambled(dimensions, Stream::new(11, 5))
    }

    #[test]
    fn plain_points_are_the_published_ones() {
        let sobol = Sobol::plain(128);
        let quarter = 1u32 << 29;
        let first: Vec<Vec<u32>> =
            (0..5).map(|index| (0..4).map(|d| sobol.digits(index, d) / quarter).collect()).collect();
        // In eighths: 0, 1/2, (3/4, 1/4, 1/4, 1/4), (1/4, 3/4, 3/4, 3/4), (3/8, 3/8, 5/8, 7/8).
        assert_eq!(first, [[0, 0, 0, 0], [4, 4, 4, 4], [6, 2, 2, 2], [2, 6, 6, 6], [3, 3, 5, 7]]);
        // Point 1000 by another implementation that reads the same published table.
        let later: Vec<u32> =
            [0, 1, 2, 10, 50, 99, 127].iter().map(|&dimension| sobol.digits(1000, dimension)).collect();
        assert_eq!(later, [943718400, 415236096, 2227175424, 364904448, 1514143744, 801112064, 2336227328]);
    }

    #[test]
    fn powers_of_two_points_fill_every_stratum_of_every_dimension_once() {
        for sobol in [Sobol::plain(128), scrambled(128)] {
            for logarithm in [1u32, 4, 9] {
                for dimension in 0..128 {
                    let mut strata: Vec<u32> = (0..1 << logarithm)
                        .map(|index| sobol.digits(index, dimension) >> (BITS - logarithm))
                        .collect();
                    strata.sort_unstable();
                    assert!(strata.into_iter().eq(0..1 << logarithm), "2^{logarithm} in {dimension}");
                }
            }
        }
    }

    #[test]
    fn the_first_two_dimensions_are_a_net_in_base_two() {
        for sobol in [Sobol::plain(2), scrambled(2)] {
            for logarithm in 0..=10u32 {
                // Every way of cutting the square into 2^logarithm equal boxes.
                for across in 0..=logarithm {
                    let up = logarithm - across;
                    let mut boxes: Vec<u64> = (0..1 << logarithm)
                        .map(|index| {
                            let (x, y) = (sobol.digits(index, 0), sobol.digits(index, 1));
                            u64::from(x) >> (BITS - across) << up | u64::from(y) >> (BITS - up)
                        })
                        .collect();
                    boxes.sort_unstable();
                    assert!(boxes.into_iter().eq(0..1 << logarithm), "{across} x {up}");
                }
            }
        }
    }

    #[test]
    fn beyond_four_billion_points_the_sequence_goes_on_and_its_later_points_fall_between_the_first() {
        let start = 1u64 << BITS;
        for sobol in [Sobol::plain(128), scrambled(128)] {
            for dimension in [0, 1, 127] {
                let mut at = [0.0; 128];
                let mut strata: Vec<u64> = (0..512)
                    .map(|index| {
                        sobol.point(start + index, &mut at);
                        (at[dimension] * 512.0) as u64
                    })
                    .collect();
                strata.sort_unstable();
                assert!(strata.into_iter().eq(0..512), "dimension {dimension}");
            }
        }
        // In base two, the sequence in one dimension has every cell of 2^-32 once before it has one a second time.
        let (sobol, mut at, mut seen) = (scrambled(1), [0.0], std::collections::BTreeSet::new());
        for index in [start, start + 1, 3 * start + 7, 1 << 40, Sobol::LENGTH - 1] {
            sobol.point(index, &mut at);
            assert!(0.0 < at[0] && at[0] < 1.0);
            assert!(seen.insert(at[0].to_bits()));
            // No earlier point is there: those are the centres of cells.
            assert_ne!((at[0] * start as f64).fract(), 0.5);
        }
        // In dimension 0 point 2^32 differs from the one before in digit 33 alone: it lies in the same cell, scrambled alike.
        let mut before = [0.0];
        sobol.point(start, &mut at);
        sobol.point(start - 1, &mut before);
        assert_eq!((at[0] * start as f64).floor(), (before[0] * start as f64).floor());
    }

    #[test]
    fn scrambling_depends_on_the_seed_and_keeps_points_inside() {
        let other = Sobol::scrambled(3, Stream::new(12, 5));
        let (mut point, mut differs) = ([0.0; 3], [0.0; 3]);
        for index in 0..1000 {
            scrambled(3).point(index, &mut point);
            other.point(index, &mut differs);
            assert!(point.iter().all(|&x| 0.0 < x && x < 1.0));
            assert_ne!(point, differs);
        }
    }

    #[test]
    fn scrambled_points_integrate_a_smooth_function_far_better_than_random_ones() {
        let sobol = scrambled(5);
        let mut point = [0.0; 5];
        let count = 4096;
        let sum: f64 = (0..count)
            .map(|index| {
                sobol.point(index, &mut point);
                point.iter().map(|x| 1.0 + (x - 0.5)).product::<f64>()
            })
            .sum();
        // Random points have a standard error of sqrt((13/12)^5 - 1)/64 = 0.011.
        assert!((sum / count as f64 - 1.0).abs() < 1e-4);
    }
}
