//! Where the network's last layer has to reach beyond the points at hand.

use equation::taylor::Architecture;
use kernel::Points;
use linear::tree::sum;
use linear::{Cholesky, Symmetric};
use rayon::prelude::*;

/// Points that a thread takes at a time.
const SHARE: usize = 256;

/// The variance of the last layer's linear model at every candidate: φᵀ (ΦᵀΦ/n + λ·mean(diagonal)·I)⁻¹ φ, where φ is what the layer sees there
/// (its inputs and a one), and the rows of Φ are what it sees at the n points at hand. Large where no combination of those points
/// looks like the candidate: in gaps between them and at their rim. Its mean over the points themselves is at most the length of φ.
///
/// Found on the host in f64, whichever device trains: points do not depend on it.
pub(crate) fn variances(
    architecture: &Architecture,
    weights: &[f64],
    at_hand: &Points,
    candidates: &Points,
    damping: f64,
) -> Vec<f64> {
    let width = architecture.last_width();
    let known = inputs(architecture, weights, at_hand);
    let mut gram = Symmetric::new(width, 0);
    let rows: Vec<Vec<f64>> = (0..width)
        .into_par_iter()
        .map(|row| {
            let products = |column: usize| known.chunks_exact(width).map(move |phi| phi[row] * phi[column]);
            (0..=row).map(|column| sum(products(column)) / at_hand.len().max(1) as f64).collect()
        })
        .collect();
    rows.iter().enumerate().for_each(|(row, numbers)| gram.set_row(row, numbers));
    let mut factor = Cholesky::new(width);
    if !factor.factorize(&gram, damping * gram.trace() / width as f64) {
        // No number of a network that has gone wrong tells points apart.
        return vec![1.0; candidates.len()];
    }
    let seen = inputs(architecture, weights, candidates);
    let variance = |phi: &[f64]| {
        let mut solved = phi.to_vec();
        factor.solve(&mut solved);
        phi.iter().zip(&solved).map(|(one, other)| one * other).sum::<f64>().max(0.0)
    };
    seen.par_chunks_exact(width).with_min_len(SHARE).map(variance).collect()
}

/// What the last layer sees at all points, one after the other.
fn inputs(architecture: &Architecture, weights: &[f64], points: &Points) -> Vec<f64> {
    let width = architecture.last_width();
    let mut inputs = vec![0.0; points.len() * width];
    inputs.par_chunks_mut(SHARE * width).enumerate().for_each(|(block, rows)| {
        let mut scratch = architecture.last_scratch();
        for (index, phi) in rows.chunks_exact_mut(width).enumerate() {
            architecture.last_inputs(weights, points.row(block * SHARE + index), &mut scratch, phi);
        }
    });
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::taylor::plan;

    fn line(from: f64, to: f64, count: usize) -> Points {
        let place = |index: usize| from + (to - from) * (index as f64 + 0.5) / count as f64;
        Points::from_rows(1, (0..count).map(place).collect())
    }

    #[test]
    fn candidates_beyond_the_points_at_hand_are_the_least_certain() {
        let text = "title = \"T\"\n[domain]\nx = [-1, 1]\n[unknowns]\nu = {}\n[equations]\na = \"u_xx = 1\"\n\
                    [conditions]\nends = { on = \"boundary\", equation = \"u = 0\" }\n[network]\nwidth = 9\ndepth = 2\n";
        let problem = equation::parse::parse(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
        let plan = plan(&problem).expect("a plan");
        let parameters = plan.initialize(1);
        let (known, all) = (line(-1.0, 0.0, 100), line(-1.0, 1.0, 200));
        let found = variances(&plan.architecture, &parameters, &known, &all, 1e-6);
        let mean =
            |range: std::ops::Range<usize>| found[range.clone()].iter().sum::<f64>() / range.len() as f64;
        assert!(mean(150..200) > 10.0 * mean(0..100), "{} {}", mean(150..200), mean(0..100));
        // Where the points are, the variances are the diagonal of a projection, damped.
        let own = variances(&plan.architecture, &parameters, &known, &known, 1e-12);
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!(mean <= 10.0 + 1e-6 && mean > 3.0, "{mean}");
        let broken = vec![f64::NAN; parameters.len()];
        assert_eq!(variances(&plan.architecture, &broken, &known, &all, 1e-6), vec![1.0; 200]);
    }
}
