//! Takes points by chance.

use equation::counter::Stream;
use kernel::Points;
use linear::tree::sum;

/// Takes exactly `count` of the candidates, or all of them if there are no more: each with a chance that grows with its share, which is
/// at least zero. No candidate is taken twice. Which ones are taken is told one by one.
///
/// Those whose chance would be more than one are taken for certain. The added chances of the others are cut into as many equal pieces
/// as points are left, and one candidate is taken from each, at a random place in it: where candidates are ordered by their place, every
/// region gets its share. A fixed place would not do, since sequences that fill the domain evenly have a rhythm. Where
/// two places lie in one candidate, the next one that is free is taken as well.
pub(crate) fn pick(shares: &[f64], count: usize, chance: Stream) -> Vec<bool> {
    if shares.len() <= count {
        return vec![true; shares.len()];
    }
    let (mut taken, piece) = certain(shares, count);
    let mut left = count - taken.iter().filter(|taken| **taken).count();

    let (mut added, mut pieces, mut owed) = (0.0, 0, 0);
    let mut next = chance.uniform(0) * piece;
    for (share, taken) in shares.iter().zip(&mut taken).filter(|(_, taken)| !**taken) {
        added += share;
        while added > next {
            owed += 1;
            pieces += 1;
            next = (pieces as f64 + chance.uniform(pieces)) * piece;
        }
        if owed > 0 && left > 0 {
            *taken = true;
            owed -= 1;
            left -= 1;
        }
    }
    // What is owed at the end has no next one: those before.
    taken.iter_mut().rev().filter(|taken| !**taken).take(left).for_each(|taken| *taken = true);
    taken
}

/// Those of the candidates that were taken.
pub(crate) fn taken(candidates: &Points, taken: &[bool]) -> Points {
    let rows = candidates.iter().zip(taken).filter(|(_, taken)| **taken);
    Points::from_rows(candidates.width(), rows.flat_map(|(row, _)| row).copied().collect())
}

/// Which candidates have so large a share that one of `count` points falls to each for certain, and the share of the others that one point
/// falls to. What such a candidate has too much goes to all others, not to its neighbours.
fn certain(shares: &[f64], count: usize) -> (Vec<bool>, f64) {
    let mut taken = vec![false; shares.len()];
    loop {
        let rest = || shares.iter().zip(&taken).map(|(share, taken)| if *taken { 0.0 } else { *share });
        let left = count - taken.iter().filter(|taken| **taken).count();
        let piece = sum(rest()) / left.max(1) as f64;
        let more = rest().filter(|share| *share > 0.0 && *share >= piece).count();
        // Of what is no number nothing is certain.
        if more == 0 || more >= left {
            return (taken, piece);
        }
        let large = shares.iter().zip(&mut taken).filter(|(share, _)| **share >= piece);
        large.for_each(|(_, taken)| *taken = true);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{shares, sizes};
    use super::*;

    const CHANCE: fn() -> Stream = || Stream::new(3, 4);

    /// Takes candidates by their residuals, as training does by default.
    fn choose(candidates: &Points, residuals: &[f64], count: usize, chance: Stream) -> Points {
        let shares = shares(&sizes(residuals, candidates.len()), 1.0, 1.0);
        taken(candidates, &pick(&shares, count, chance))
    }

    fn line(count: usize) -> Points {
        let mut points = Points::new(1);
        (0..count).for_each(|index| points.push(&[index as f64]));
        points
    }

    #[test]
    fn more_points_are_taken_where_residuals_are_large() {
        let candidates = line(4000);
        // The last quarter of the candidates has all of the residual.
        let residuals: Vec<f64> = (0..4000).map(|index| if index < 3000 { 0.0 } else { -2.0 }).collect();
        let chosen = choose(&candidates, &residuals, 1000, CHANCE());
        assert_eq!(chosen.len(), 1000);
        let large = chosen.iter().filter(|row| row[0] >= 3000.0).count();
        // Chances 5 and 1, three of the small ones for each large one: five eighths.
        assert!((610..=640).contains(&large), "{large}");
    }

    #[test]
    fn exactly_as_many_are_taken_as_wanted_and_none_twice() {
        let candidates = line(4000);
        for power in 0..12 {
            let residuals: Vec<f64> =
                (0..4000).map(|index| (f64::from(index * 37 % 4001) / 4000.0).powi(1 << power)).collect();
            for count in [1, 2, 999, 1000, 3999, 4000, 5000] {
                let chosen = choose(&candidates, &residuals, count, CHANCE());
                assert_eq!(chosen.len(), count.min(4000), "{power}");
                assert!(chosen.iter().zip(chosen.iter().skip(1)).all(|(one, next)| one[0] < next[0]));
            }
        }
        for strange in [f64::NAN, f64::INFINITY, f64::MAX] {
            assert_eq!(choose(&candidates, &[strange; 4000], 1000, CHANCE()).len(), 1000);
        }
    }

    #[test]
    fn what_a_peak_cannot_hold_is_spread_over_the_domain() {
        let candidates = line(4000);
        // A fortieth of the candidates has all of the residual, and half of the chances: 500 points for 100 candidates.
        let peak = 1000..1100;
        let residuals: Vec<f64> = (0..4000).map(|index| f64::from(u8::from(peak.contains(&index)))).collect();
        let chosen = choose(&candidates, &residuals, 1000, CHANCE());
        let within = |range: std::ops::Range<usize>| {
            chosen.iter().filter(|row| range.contains(&(row[0] as usize))).count()
        };
        assert_eq!(within(peak), 100, "all of them");
        for start in [0, 500, 1100, 1600, 2100, 2600, 3100, 3500] {
            // 900 points for 3900 candidates: 115.4 in 500.
            let here = within(start..start + 500);
            assert!((112..=119).contains(&here), "{here} from {start}");
        }
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
