//! Latin hypercubes (McKay, Beckman, Conover 1979). A point is a pure function of (stream, index).

use equation::counter::{Stream, permuted};

/// Rounds of a Feistel network that make its permutation look random to whoever sees both ends.
const ROUNDS: u64 = 4;

/// Hypercubes of `count` points, one after the other: each coordinate has one point of a cube in each
/// of its `count` intervals.
#[derive(Clone, Copy, Debug)]
pub struct LatinHypercube {
    count: u32,
    stream: Stream,
}

impl LatinHypercube {
    /// Cubes of `count` points (at least one) out of a stream of random numbers.
    pub fn new(count: u32, stream: Stream) -> Self {
        LatinHypercube { count: count.max(1), stream }
    }

    /// Writes point `index` into `point`, each number strictly inside (0, 1).
    pub fn point(&self, index: u64, point: &mut [f64]) {
        let count = u64::from(self.count);
        let (cube, number) = ((index / count) as u32, (index % count) as u32);
        for (dimension, coordinate) in point.iter_mut().enumerate() {
            let within = self.stream.bits(counter(dimension, index)) >> 32;
            let within = (within as f64 + 0.5) * (-32.0f64).exp2();
            let interval = f64::from(self.interval(dimension, cube, number));
            // Rounding could reach one from below.
            *coordinate = ((interval + within) / f64::from(self.count)).min(1.0 - 0.5 * f64::EPSILON);
        }
    }

    /// The interval of a cube's point: for each dimension a permutation of 0..count.
    fn interval(&self, dimension: usize, cube: u32, number: u32) -> u32 {
        let bits = |round: u64, right: u64| {
            let family = 1 << 63 | (dimension as u64) << 52 | round << 48 | u64::from(cube) << 16;
            self.stream.bits(family | right)
        };
        permuted(u64::from(number), u64::from(self.count), ROUNDS, bits) as u32
    }
}

/// The number of a stream that belongs to a coordinate of a point.
#[inline(always)]
pub(super) fn counter(dimension: usize, index: u64) -> u64 {
    match index >> 32 {
        0 => (dimension as u64) << 32 | index,
        // Later points have a family that the first 2^32 do not meet.
        _ => 1 << 62 | (dimension as u64) << 52 | index,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interval_of_every_dimension_has_one_point_of_each_cube() {
        for count in [1, 2, 3, 16, 17, 100, 1000, 4097] {
            let cubes = LatinHypercube::new(count, Stream::new(3, 4));
            let mut point = [0.0; 3];
            for cube in 0..2 {
                let mut intervals = [const { Vec::new() }; 3];
                for number in 0..count {
                    cubes.point(u64::from(cube * count + number), &mut point);
                    for (intervals, coordinate) in intervals.iter_mut().zip(point) {
                        assert!(0.0 < coordinate && coordinate < 1.0);
                        intervals.push((coordinate * f64::from(count)) as u32);
                    }
                }
                // Different dimensions pair their intervals differently.
                assert!(count < 16 || intervals[0] != intervals[1] && intervals[1] != intervals[2]);
                for mut intervals in intervals {
                    intervals.sort_unstable();
                    assert!(intervals.into_iter().eq(0..count), "{count} points");
                }
            }
        }
    }

    #[test]
    fn dimensions_are_not_correlated() {
        let count = 4096;
        let cube = LatinHypercube::new(count, Stream::new(9, 1));
        let mut point = [0.0; 4];
        let mut sums = [[0.0; 4]; 4];
        for index in 0..count {
            cube.point(u64::from(index), &mut point);
            for a in 0..4 {
                for b in 0..4 {
                    sums[a][b] += 12.0 * (point[a] - 0.5) * (point[b] - 0.5) / f64::from(count);
                }
            }
        }
        for (a, sums) in sums.into_iter().enumerate() {
            for (b, sum) in sums.into_iter().enumerate() {
                let expected = if a == b { 1.0 } else { 0.0 };
                // Five standard deviations of a correlation of random permutations.
                assert!((sum - expected).abs() < 5.0 / f64::from(count).sqrt(), "{a} {b}: {sum}");
            }
        }
    }
}
