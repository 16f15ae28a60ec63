//! More points where residuals are large (Wu, Zhu, Tan, Kartha, Lu 2023).

use kernel::Points;

/// Candidates per point that is wanted.
pub const POOL: usize = 4;

/// How often a candidate with a residual of no size is taken, against one of mean size: half of the points
/// stay where the domain has them.
const FLOOR: f64 = 1.0;

/// Takes `count` of the candidates, or a few less: each with a chance that grows with the size of its
/// residuals, of which `residuals` holds the same number for each. No candidate is taken twice.
pub fn choose(candidates: &Points, residuals: &[f64], count: usize) -> Points {
    let each = residuals.len() / candidates.len().max(1);
    let size = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let sizes: Vec<f64> = residuals.chunks_exact(each.max(1)).map(size).collect();
    let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
    let chance = |size: f64| if mean > 0.0 { size / mean + FLOOR } else { 1.0 };
    let stride = sizes.iter().map(|&size| chance(size)).sum::<f64>() / count.max(1) as f64;
    let mut chosen = Points::new(candidates.width());
    // Candidates come in an order that has nothing to do with their place: every so much of their added
    // chances, one is taken.
    let mut added = 0.5 * stride;
    for (index, &size) in sizes.iter().enumerate() {
        added += chance(size).min(stride);
        if added >= stride {
            added -= stride;
            chosen.push(candidates.row(index));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::counter::Stream;

    fn line(count: usize) -> Points {
        let mut points = Points::new(1);
        (0..count).for_each(|index| points.push(&[index as f64]));
        points
    }

    #[test]
    fn points_gather_where_residuals_are_large() {
        let candidates = line(4000);
        // One in four candidates, anywhere among them, has all of the residual.
        let chance = Stream::new(1, 2);
        let large: Vec<bool> = (0..4000).map(|index| chance.uniform(index) < 0.25).collect();
        let residuals: Vec<f64> = large.iter().map(|&large| if large { -2.0 } else { 0.0 }).collect();
        let chosen = choose(&candidates, &residuals, 1000);
        assert!((990..=1000).contains(&chosen.len()), "{}", chosen.len());
        let large = chosen.iter().filter(|row| large[row[0] as usize]).count();
        // Chances 5 and 1, three of the small ones for each large one: five eighths.
        assert!((600..=650).contains(&large), "{large}");
    }

    #[test]
    fn without_residuals_points_are_spread_evenly_and_all_candidates_may_be_taken() {
        let candidates = line(100);
        let even: Vec<f64> = choose(&candidates, &[0.0; 200], 25).iter().map(|row| row[0]).collect();
        assert!(even.windows(2).all(|pair| pair[1] - pair[0] == 4.0), "{even:?}");
        assert_eq!(choose(&candidates, &[1.0; 100], 100).len(), 100);
        assert_eq!(choose(&line(0), &[], 10).len(), 0);
    }
}
