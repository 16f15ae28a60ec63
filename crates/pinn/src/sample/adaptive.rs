//! More points where residuals are large (Wu, Zhu, Tan, Kartha, Lu 2023).

use super::{Draw, draw, neighbours};
use crate::TrainError;
use crate::table::Tables;
use equation::counter::Stream;
use equation::problem::Problem;
use equation::taylor::{Plan, Source};
use kernel::Points;
use linear::tree::sum;

/// Candidates per point that is wanted.
pub(crate) const CANDIDATES_PER_POINT: usize = 4;

/// How often a candidate with a residual of no size is taken, against one of mean size: half of the points
/// stay where the domain has them.
const FLOOR: f64 = 1.0;

/// The points of a draw, with several candidates for each point inside the domain. Those come in an order in which
/// neighbours lie near one another, for [`choose`].
pub fn candidates(
    problem: &Problem,
    plan: &Plan,
    tables: &Tables,
    wanted: Draw,
) -> Result<Vec<Points>, TrainError> {
    let mut sets = draw(
        problem,
        plan,
        tables,
        Draw { interior: wanted.interior.saturating_mul(CANDIDATES_PER_POINT), ..wanted },
    )?;
    for (term, points) in plan.terms.iter().zip(&mut sets) {
        if term.source == Source::Interior {
            *points = neighbours::in_order(&problem.domain.coordinates, points);
        }
    }
    Ok(sets)
}

/// Takes `count` of the candidates, or a few less: each with a chance that grows with the size of its
/// residuals, of which `residuals` holds the same number for each. No candidate is taken twice.
///
/// The added chances are cut into as many equal pieces, and one candidate is taken from each, at a random place in it:
/// where candidates are ordered by their place, every region gets its share. A fixed place would not do, since sequences that fill
/// the domain evenly have a rhythm.
pub fn choose(candidates: &Points, residuals: &[f64], count: usize, chance: Stream) -> Points {
    let each = residuals.len() / candidates.len().max(1);
    let size = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let sizes: Vec<f64> = residuals.chunks_exact(each.max(1)).map(size).collect();
    let mean = sum(sizes.iter().copied()) / sizes.len().max(1) as f64;
    let share = |size: f64| if mean > 0.0 { size / mean + FLOOR } else { 1.0 };
    let piece = sum(sizes.iter().map(|&size| share(size))) / count.max(1) as f64;
    let mut chosen = Points::new(candidates.width());
    let (mut added, mut pieces) = (0.0, 0);
    let mut next = chance.uniform(0) * piece;
    for (index, &size) in sizes.iter().enumerate() {
        added += share(size);
        if added > next {
            chosen.push(candidates.row(index));
        }
        while added > next {
            pieces += 1;
            next = (pieces as f64 + chance.uniform(pieces)) * piece;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANCE: fn() -> Stream = || Stream::new(3, 4);

    fn line(count: usize) -> Points {
        let mut points = Points::new(1);
        (0..count).for_each(|index| points.push(&[index as f64]));
        points
    }

    #[test]
    fn points_gather_where_residuals_are_large() {
        let candidates = line(4000);
        // The last quarter of the candidates has all of the residual.
        let residuals: Vec<f64> = (0..4000).map(|index| if index < 3000 { 0.0 } else { -2.0 }).collect();
        let chosen = choose(&candidates, &residuals, 1000, CHANCE());
        // A candidate's share can be more than half of a piece: some would be taken twice.
        assert!((850..=1000).contains(&chosen.len()), "{}", chosen.len());
        let large = chosen.iter().filter(|row| row[0] >= 3000.0).count();
        // Chances 5 and 1, three of the small ones for each large one: five eighths, less those that would be twice.
        assert!((480..=630).contains(&large), "{large}");
    }

    #[test]
    fn without_residuals_every_region_gets_its_share_and_all_candidates_may_be_taken() {
        let candidates = line(100);
        let even: Vec<f64> =
            choose(&candidates, &[0.0; 200], 25, CHANCE()).iter().map(|row| row[0]).collect();
        assert!(even.iter().enumerate().all(|(piece, at)| (at / 4.0) as usize == piece), "{even:?}");
        assert!((1..4).all(|rest| even.iter().any(|at| *at as usize % 4 == rest)), "no rhythm: {even:?}");
        assert_eq!(choose(&candidates, &[1.0; 100], 100, CHANCE()).len(), 100);
        assert_eq!(choose(&line(0), &[], 10, CHANCE()).len(), 0);
    }
}
