//! Points of a regular grid: evenly spaced, or denser towards the ends as Chebyshev's nodes are.

/// How the points of one dimension lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spacing {
    /// The middles of equal cells.
    Even,
    /// The zeros of a Chebyshev polynomial.
    Chebyshev,
}

/// About as many points as are wanted, the same number along every dimension. Every draw has the same points.
#[derive(Clone, Debug)]
pub struct Lattice {
    spacing: Spacing,
    /// Points along each dimension.
    sides: Vec<u64>,
    count: u64,
}

impl Lattice {
    /// For `count` points in so many dimensions.
    pub fn new(spacing: Spacing, dimensions: usize, count: usize) -> Self {
        let count = count.max(1) as u64;
        let side = (count as f64).powf(1.0 / dimensions.max(1) as f64);
        let mut sides = vec![(side.floor() as u64).max(1); dimensions];
        // One more along as many dimensions as it takes to have all points.
        for dimension in 0..dimensions {
            if sides.iter().map(|side| *side as f64).product::<f64>() >= count as f64 {
                break;
            }
            sides[dimension] += 1;
        }
        Lattice { spacing, sides, count }
    }

    /// Writes point `index` into `point`, each number strictly inside (0, 1).
    pub fn point(&self, index: u64, point: &mut [f64]) {
        let cells = self.sides.iter().fold(1u64, |cells, side| cells.saturating_mul(*side));
        // Where the grid has more cells than points, those that are left out are spread over it.
        let index = index % self.count.max(1);
        let mut rest = (u128::from(index) * u128::from(cells) / u128::from(self.count)) as u64;
        for (value, &side) in point.iter_mut().zip(&self.sides).rev() {
            let middle = ((rest % side) as f64 + 0.5) / side as f64;
            rest /= side;
            *value = match self.spacing {
                Spacing::Even => middle,
                Spacing::Chebyshev => 0.5 - 0.5 * (std::f64::consts::PI * middle).cos(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_points_differ_and_fill_the_cube() {
        for spacing in [Spacing::Even, Spacing::Chebyshev] {
            for (dimensions, count) in [(1, 7), (2, 100), (2, 90), (3, 1000), (3, 700)] {
                let lattice = Lattice::new(spacing, dimensions, count);
                let mut seen = BTreeSet::new();
                let mut mean = vec![0.0; dimensions];
                for index in 0..count {
                    let mut point = vec![0.0; dimensions];
                    lattice.point(index as u64, &mut point);
                    assert!(point.iter().all(|value| 0.0 < *value && *value < 1.0));
                    seen.insert(point.iter().map(|value| value.to_bits()).collect::<Vec<u64>>());
                    mean.iter_mut().zip(&point).for_each(|(mean, value)| *mean += value / count as f64);
                }
                assert_eq!(seen.len(), count, "{spacing:?} {dimensions} {count}");
                assert!(mean.iter().all(|mean| (mean - 0.5).abs() < 0.06), "{mean:?}");
            }
        }
    }

    #[test]
    fn nodes_of_chebyshev_are_the_zeros_of_the_polynomial() {
        let lattice = Lattice::new(Spacing::Chebyshev, 1, 5);
        for index in 0..5 {
            let mut point = [0.0];
            lattice.point(index, &mut point);
            let angle = (2.0 * point[0] - 1.0).acos();
            assert!((5.0 * angle).cos().abs() < 1e-12);
        }
    }
}
