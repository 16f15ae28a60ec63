//! Jacobian rows, and products with the Jacobian from either side, on every engine.

use crate::cases::{Case, case, parameters, points};
use crate::weighing::{over, total};
use equation::counter::Stream;
use kernel::{Device, Kernel, Points, Precision};
use linear::{Cholesky, Gram, NormalEquations};

const FILES: [&str; 5] =
    ["inverse.toml", "ansatz-nonlinear.toml", "navier-stokes.toml", "variable-diffusion.toml", "orders.toml"];

/// Rows of all terms, one matrix per term.
fn rows(kernel: &mut Kernel, case: &Case, points: &[Points], parameters: &[f64]) -> Vec<Vec<f64>> {
    let of_term = |(term, points): (usize, &Points)| {
        let count = points.len() * case.plan.terms[term].residuals.len();
        let mut rows = vec![f64::NAN; count * parameters.len()];
        kernel.jacobian(term, points, parameters, &mut rows).expect("arguments that fit");
        rows
    };
    points.iter().enumerate().map(of_term).collect()
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |size, number| size.max(number.abs()))
}

fn assert_close(what: &str, got: &[f64], wanted: &[f64], tolerance: f64) {
    let size = largest(wanted).max(1e-3);
    for (place, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        let error = (got - wanted).abs() / size;
        assert!(error <= tolerance, "{what}: number {place} is {got} instead of {wanted}");
    }
}

#[test]
fn rows_are_those_of_the_interpreter() {
    for file in FILES {
        for network in [
            &["network.depth=2"][..],
            &["network.kind=modified-mlp"],
            &["network.kind=piratenet", "network.depth=1", "network.factorized=true"],
            &["network.kind=separable", "network.adaptive=layer"],
        ] {
            let case = case(file, network);
            let (points, parameters) = (points(&case, 13), parameters(&case));
            let mut oracle =
                Kernel::compile(&case.plan, Device::Reference, Precision::F64).expect("a kernel");
            let wanted = rows(&mut oracle, &case, &points, &parameters);
            for precision in [Precision::F64, Precision::F32] {
                let mut kernel = Kernel::compile(&case.plan, Device::Cpu, precision).expect("a kernel");
                let got = rows(&mut kernel, &case, &points, &parameters);
                for (got, wanted) in got.iter().zip(&wanted) {
                    assert_close(&case.name, got, wanted, case.tolerance(precision));
                }
            }
        }
    }
}

#[test]
fn products_from_either_side_are_those_of_the_rows() {
    let wired: [&[&str]; 2] = [
        &["network.kind=piratenet", "network.depth=1", "network.adaptive=layer"],
        &["network.kind=separable"],
    ];
    let cases = FILES.map(|file| case(file, &[])).into_iter();
    for case in cases.chain(wired.map(|network| case("inverse.toml", network))) {
        let (points, parameters) = (points(&case, 70), parameters(&case));
        let noise = Stream::new(21, 4);
        let direction: Vec<f64> = (0..parameters.len()).map(|index| noise.normal(index as u64)).collect();
        for device in [Device::Reference, Device::Cpu] {
            let mut kernel = Kernel::compile(&case.plan, device, Precision::F64).expect("a kernel");
            for (term, rows) in rows(&mut kernel, &case, &points, &parameters).iter().enumerate() {
                let rows: Vec<&[f64]> = rows.chunks_exact(parameters.len()).collect();
                let dot = |row: &&[f64]| row.iter().zip(&direction).map(|(a, b)| a * b).sum();
                let wanted: Vec<f64> = rows.iter().map(dot).collect();
                let mut along = vec![f64::NAN; rows.len()];
                let set = &points[term];
                kernel.jacobian_times(term, set, &parameters, &direction, &mut along).expect("arguments");
                let tolerance = case.tolerance(Precision::F64) * parameters.len() as f64;
                assert_close(&case.name, &along, &wanted, tolerance);

                let seeds: Vec<f64> =
                    (0..rows.len()).map(|index| noise.normal(9999 + index as u64)).collect();
                let mut wanted = vec![0.0; parameters.len()];
                for (row, seed) in rows.iter().zip(&seeds) {
                    wanted.iter_mut().zip(*row).for_each(|(sum, slope)| *sum += seed * slope);
                }
                let mut gradient = vec![f64::NAN; parameters.len()];
                kernel.transposed_times(term, set, &parameters, &seeds, &mut gradient).expect("arguments");
                assert_close(
                    &case.name,
                    &gradient,
                    &wanted,
                    case.tolerance(Precision::F64) * rows.len() as f64,
                );
            }
        }
    }
}

#[test]
fn normal_equations_are_those_of_the_weighted_rows() {
    for file in FILES {
        let case = case(file, &[]);
        // More than two blocks, and not a whole number of them.
        let (points, parameters) = (points(&case, 1100), parameters(&case));
        let size = parameters.len();
        for device in [Device::Reference, Device::Cpu] {
            let mut kernel = Kernel::compile(&case.plan, device, Precision::F64).expect("a kernel");
            let all_rows = rows(&mut kernel, &case, &points, &parameters);
            let (mut square, mut slope) = (vec![0.0; size * size], vec![0.0; size]);
            for (number, (term, rows)) in case.plan.terms.iter().zip(&all_rows).enumerate() {
                let mut residuals = vec![0.0; rows.len() / size];
                let set = &points[number];
                kernel.residuals(number, set, &parameters, &mut residuals).expect("arguments that fit");
                for (place, row) in rows.chunks_exact(size).enumerate() {
                    let weight = term.residuals[place % term.residuals.len()].weight / set.len() as f64;
                    for (i, left) in row.iter().enumerate() {
                        slope[i] += weight * left * residuals[place];
                        row.iter()
                            .enumerate()
                            .for_each(|(j, right)| square[i * size + j] += weight * left * right);
                    }
                }
            }
            let mut gradient = vec![0.0; size];
            let wanted = kernel
                .evaluate(over(&case.plan, &points), &parameters, &mut gradient)
                .expect("arguments")
                .clone();
            assert_eq!(
                kernel.sums(&points, &parameters).expect("arguments").squares.len(),
                wanted.squares.len()
            );
            let alone = total(&case.plan, kernel.sums(&points, &parameters).expect("arguments"));
            assert!((alone - total(&case.plan, &wanted)).abs() <= 1e-13 * total(&case.plan, &wanted));

            let mut normal = NormalEquations::new(size);
            // Twice: nothing may be left of the first time.
            for _ in 0..2 {
                let losses = kernel
                    .normal_equations(over(&case.plan, &points), &parameters, &mut normal)
                    .expect("arguments");
                assert!(
                    (total(&case.plan, losses) - total(&case.plan, &wanted)).abs()
                        <= 1e-13 * total(&case.plan, &wanted)
                );
            }
            for column in 0..size {
                assert_close(
                    &case.name,
                    normal.matrix().column(column),
                    &square[column * size + column..][..size - column],
                    1e-11,
                );
            }
            let slopes: Vec<f64> = (0..size).map(|row| normal.slope(row)).collect();
            assert_close(&case.name, &slopes, &slope, 1e-11);
            let doubled: Vec<f64> = slopes.iter().map(|slope| 2.0 * slope).collect();
            assert_close(&case.name, &doubled, &gradient, 1e-11);
        }
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let case = case("burgers.toml", &[]);
    let (points, parameters) = (points(&case, 3), parameters(&case));
    let mut kernel = Kernel::compile(&case.plan, Device::Cpu, Precision::F64).expect("a kernel");
    assert!(kernel.jacobian(9, &points[0], &parameters, &mut []).is_err());
    assert!(kernel.jacobian(0, &points[0], &parameters, &mut [0.0]).is_err());
    assert!(kernel.jacobian_times(0, &points[0], &parameters, &[1.0], &mut [0.0; 3]).is_err());
    assert!(kernel.transposed_times(0, &points[0], &parameters, &[1.0], &mut [0.0]).is_err());
}

#[test]
fn factors_solve_damped_normal_equations_of_any_size() {
    for (width, depth) in [(1, 1), (3, 2), (9, 2), (16, 2), (24, 2)] {
        let network = [format!("network.width={width}"), format!("network.depth={depth}")];
        let case = case("burgers.toml", &network.each_ref().map(String::as_str));
        let (points, parameters) = (points(&case, 700), parameters(&case));
        let size = parameters.len();
        let mut kernel = Kernel::compile(&case.plan, Device::Cpu, Precision::F64).expect("a kernel");
        let mut normal = NormalEquations::new(size);
        kernel
            .normal_equations(over(&case.plan, &points), &parameters, &mut normal)
            .expect("arguments that fit");
        let mean = (0..size).map(|column| normal.matrix().column(column)[0]).sum::<f64>() / size as f64;
        let mut factor = Cholesky::new(size);
        assert!(!factor.factorize(normal.matrix(), -3.0 * mean), "a negative matrix has no factor");
        assert!(factor.factorize(normal.matrix(), 1e-3 * mean));
        let slopes: Vec<f64> = (0..size).map(|row| normal.slope(row)).collect();
        let mut step = slopes.clone();
        factor.solve(&mut step);
        let mut product = vec![0.0; size];
        for column in 0..size {
            product[column] += 1e-3 * mean * step[column];
            for (below, number) in normal.matrix().column(column).iter().enumerate() {
                product[column + below] += number * step[column];
                if below > 0 {
                    product[column] += number * step[column + below];
                }
            }
        }
        assert_close(&format!("{size} parameters"), &product, &slopes, 1e-9);
    }
}

/// All rows of the least-squares problem, one after the other: J, and r.
fn weighted(kernel: &mut Kernel, case: &Case, points: &[Points], at: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (mut jacobian, mut all) = (Vec::new(), Vec::new());
    let matrices = rows(kernel, case, points, at);
    for (number, ((term, set), matrix)) in case.plan.terms.iter().zip(points).zip(&matrices).enumerate() {
        let mut residuals = vec![0.0; set.len() * term.residuals.len()];
        kernel.residuals(number, set, at, &mut residuals).expect("arguments that fit");
        for (place, (row, residual)) in matrix.chunks_exact(at.len()).zip(&residuals).enumerate() {
            let scale = (term.residuals[place % term.residuals.len()].weight / set.len() as f64).sqrt();
            jacobian.push(row.iter().map(|number| scale * number).collect());
            all.push(scale * residual);
        }
    }
    (jacobian, all)
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[test]
fn products_of_rows_with_each_other_and_with_vectors_are_those_of_the_weighted_rows() {
    for file in FILES {
        // More than one block and one chunk, and not a whole number of them.
        let case = case(file, &["network.width=20", "network.depth=3"]);
        let (points, parameters) = (points(&case, 130), parameters(&case));
        let size = parameters.len();
        for device in [Device::Reference, Device::Cpu] {
            let mut kernel = Kernel::compile(&case.plan, device, Precision::F64).expect("a kernel");
            let (jacobian, residuals) = weighted(&mut kernel, &case, &points, &parameters);
            let count = kernel.row_count(&points);
            assert_eq!(count, jacobian.len());
            let mut gradient = vec![0.0; size];
            let found =
                kernel.evaluate(over(&case.plan, &points), &parameters, &mut gradient).expect("arguments");
            let all = total(&case.plan, found);

            let mut gram = Gram::new(size, count);
            for _ in 0..2 {
                let losses = kernel
                    .gram(over(&case.plan, &points), &parameters, &mut gram)
                    .expect("arguments that fit");
                assert!((total(&case.plan, losses) - all).abs() <= 1e-13 * all);
            }
            assert_close(&case.name, gram.residuals(), &residuals, 1e-12);
            for (column, left) in jacobian.iter().enumerate() {
                let wanted: Vec<f64> = jacobian[column..].iter().map(|right| dot(left, right)).collect();
                assert_close(&case.name, gram.matrix().column(column), &wanted, 1e-11);
            }

            let (mut diagonal, mut rows) = (vec![0.0; size], vec![0.0; count]);
            let losses = kernel
                .diagonal(over(&case.plan, &points), &parameters, &mut diagonal, &mut rows)
                .expect("arguments");
            assert!((total(&case.plan, losses) - all).abs() <= 1e-13 * all);
            assert_close(&case.name, &rows, &residuals, 1e-12);
            let square = |column: usize| jacobian.iter().map(|row| row[column] * row[column]).sum();
            assert_close(&case.name, &diagonal, &(0..size).map(square).collect::<Vec<f64>>(), 1e-11);
            kernel.rows(over(&case.plan, &points), &parameters, &mut rows).expect("arguments that fit");
            assert_close(&case.name, &rows, &residuals, 1e-12);

            let noise = Stream::new(5, 6);
            let direction: Vec<f64> = (0..size).map(|index| noise.normal(index as u64)).collect();
            kernel
                .rows_along(over(&case.plan, &points), &parameters, &direction, &mut rows)
                .expect("arguments that fit");
            let wanted: Vec<f64> = jacobian.iter().map(|row| dot(row, &direction)).collect();
            assert_close(&case.name, &rows, &wanted, 1e-10);
            // The matrix that was kept gives the same products.
            gram.along(&direction, &mut rows);
            assert_close(&case.name, &rows, &wanted, 1e-11);
            gram.back(&residuals, &mut diagonal);
            let doubled: Vec<f64> = diagonal.iter().map(|slope| 2.0 * slope).collect();
            assert_close(&case.name, &doubled, &gradient, 1e-11);
            kernel
                .rows_back(over(&case.plan, &points), &parameters, &residuals, &mut diagonal)
                .expect("arguments that fit");
            let doubled: Vec<f64> = diagonal.iter().map(|slope| 2.0 * slope).collect();
            assert_close(&case.name, &doubled, &gradient, 1e-11);
        }
    }
}
