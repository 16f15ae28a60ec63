//! Vectors that stay on a device.

use crate::cases::{Case, parameters, points};
use crate::weighing::over;
use equation::counter::Stream;
use kernel::Kernel;
use linear::{Change, Packed, RankTwo};

/// Everything that they are good for.
pub(crate) fn vectors(case: &Case, kernel: &mut Kernel) {
    products_and_sums(case, kernel);
    evaluations_at_vectors(case, kernel);
    matrices(case, kernel);
}

fn noise(size: usize, number: u64) -> Vec<f64> {
    let noise = Stream::new(5, number);
    (0..size).map(|place| noise.normal(place as u64)).collect()
}

fn assert_near(got: &[f64], wanted: &[f64], size: usize) {
    let tolerance = 8.0 * f64::EPSILON * size as f64;
    for (got, wanted) in got.iter().zip(wanted) {
        assert!((got - wanted).abs() <= tolerance * wanted.abs().max(1.0), "{got} instead of {wanted}");
    }
}

/// Products and sums of vectors.
fn products_and_sums(case: &Case, kernel: &mut Kernel) {
    let size = case.plan.parameter_count();
    let vectors: Vec<Vec<f64>> = (0..4).map(|number| noise(size, number)).collect();
    kernel.reserve_vectors(5, false).expect("memory");
    for (number, vector) in vectors.iter().enumerate() {
        kernel.put_vector(number, vector).expect("a vector");
    }
    let dot = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum::<f64>();
    let pairs = [[0, 1], [2, 2], [3, 0]];
    assert_near(&kernel.dots(&pairs).expect("vectors"), &pairs.map(|[a, b]| dot(a, b)), size);
    // More of them than fit into one launch; the sum replaces a summand.
    let summands: Vec<(f64, usize)> =
        (0..900).map(|n| (1e-3 * n as f64, 1 + n % 2)).chain([(2.0, 0)]).collect();
    kernel.combine(0, &summands).expect("vectors");
    let factor = |place: usize| summands.iter().filter(|(_, own)| *own == place).map(|(f, _)| f).sum::<f64>();
    let wanted: Vec<f64> = (0..size)
        .map(|at| 2.0 * vectors[0][at] + factor(1) * vectors[1][at] + factor(2) * vectors[2][at])
        .collect();
    let mut got = vec![f64::NAN; size];
    kernel.fetch_vector(0, &mut got).expect("a vector");
    assert_near(&got, &wanted, 900);
}

/// Losses and gradients at a vector are, bit for bit, those at the same parameters.
fn evaluations_at_vectors(case: &Case, kernel: &mut Kernel) {
    let (points, parameters) = (points(case, 33), parameters(case));
    let (mut wanted, mut got) = (vec![0.0; parameters.len()], vec![f64::NAN; parameters.len()]);
    let losses = kernel
        .evaluate(over(&case.plan, &points), &parameters, &mut wanted)
        .expect("arguments that fit")
        .clone();
    kernel.reserve_vectors(2, false).expect("memory");
    kernel.put_vector(0, &parameters).expect("a vector");
    assert_eq!(kernel.evaluate_at(over(&case.plan, &points), 0, 1).expect("vectors"), &losses);
    kernel.fetch_vector(1, &mut got).expect("a vector");
    assert_eq!(got, wanted);
}

/// A matrix that stays changes as on the host, and comes back as it was.
fn matrices(case: &Case, kernel: &mut Kernel) {
    let size = case.plan.parameter_count();
    let (u, v, vector) = (noise(size, 1), noise(size, 2), noise(size, 3));
    kernel.reserve_vectors(4, true).expect("memory");
    kernel.put_matrix(None).expect("a matrix");
    for (number, numbers) in [&u, &v, &vector].into_iter().enumerate() {
        kernel.put_vector(number, numbers).expect("a vector");
    }
    let mut matrix = Packed::identity(size, 1.0);
    let (factor, weights) = (0.9, [0.3, -0.2, 0.5]);
    let (mut wanted, mut got) = (vec![0.0; size], vec![f64::NAN; size]);
    for _ in 0..3 {
        let change = Change { factor, weights, vectors: [0, 1] };
        kernel.change_and_multiply(Some(change), 2, 3).expect("a matrix");
        kernel.fetch_vector(3, &mut got).expect("a vector");
        let update = RankTwo { factor, weights, vectors: [&u, &v] };
        matrix.update_and_multiply(Some(update), &vector, &mut wanted);
        assert_near(&got, &wanted, 10 * size);
    }
    let mut numbers = vec![f64::NAN; matrix.numbers().len()];
    kernel.fetch_matrix(&mut numbers).expect("a matrix");
    assert_near(&numbers, matrix.numbers(), 10);
    kernel.put_matrix(Some(&numbers)).expect("a matrix");
    kernel.change_and_multiply(None, 2, 3).expect("a matrix");
    let mut again = vec![f64::NAN; size];
    kernel.fetch_vector(3, &mut again).expect("a vector");
    assert_eq!(again, got, "what was fetched is what was there");
}
