//! Axes: that they keep the distances they were made from.

use cohort::{OrdinationError, Rows, SquareMatrix, ordinate};

/// Distances between points, in as many samples as there are.
fn between(points: &[Vec<f64>]) -> SquareMatrix {
    let distance = |one: &Vec<f64>, other: &Vec<f64>| {
        one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
    };
    let mut matrix = SquareMatrix::new(points.len());
    let numbers: Vec<f64> =
        points.iter().flat_map(|one| points.iter().map(move |other| distance(one, other))).collect();
    matrix.take(0, points.len(), &numbers).expect("memory can be written");
    matrix
}

#[test]
fn points_in_space_are_found_again_up_to_where_the_axes_point() {
    for count in [4, 30, 600] {
        let points: Vec<Vec<f64>> = (0..count)
            .map(|point| {
                let place = f64::from(point);
                vec![9.0 * (1.3 * place).sin(), 4.0 * (2.1 * place + 1.0).cos(), (0.7 * place * place).sin()]
            })
            .collect();
        let distances = between(&points);
        let found = ordinate(&distances, 10).expect("they lie apart");
        assert_eq!(found.coordinates.len(), 3, "{count}: {:?}", found.values);
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9 && found.residual < 1e-9);
        let axes: Vec<Vec<f64>> = (0..points.len())
            .map(|point| found.coordinates.iter().map(|axis| axis[point]).collect())
            .collect();
        let again = between(&axes);
        let off = distances.numbers().iter().zip(again.numbers()).map(|(one, other)| (one - other).abs());
        assert!(off.fold(0.0, f64::max) < 1e-7, "{count}");
        let squares: Vec<f64> =
            found.coordinates.iter().map(|axis| axis.iter().map(|x| x * x).sum()).collect();
        assert!(squares.iter().zip(&found.values).all(|(square, value)| (square / value - 1.0).abs() < 1e-9));
    }
}

#[test]
fn samples_that_are_all_as_far_apart_have_axes_of_the_same_length() {
    let count = 6;
    let mut matrix = SquareMatrix::new(count);
    let numbers: Vec<f64> =
        (0..count * count).map(|place| if place / count == place % count { 0.0 } else { 1.0 }).collect();
    matrix.take(0, count, &numbers).expect("memory can be written");
    let found = ordinate(&matrix, 10).expect("they lie apart");
    assert_eq!(found.values.len(), count - 1);
    assert!(found.values.iter().all(|value| (value - 0.5).abs() < 1e-12), "{:?}", found.values);
}

#[test]
fn neither_threads_nor_chance_change_axes() {
    let points: Vec<Vec<f64>> =
        (0..80).map(|point| vec![f64::from(point * point % 37), f64::from(point % 11)]).collect();
    let found = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| ordinate(&between(&points), 5).expect("they lie apart"))
    };
    assert_eq!(found(1), found(3));
}

#[test]
fn one_sample_or_one_place_has_no_axes() {
    assert_eq!(ordinate(&SquareMatrix::new(1), 3), Err(OrdinationError::TooFew));
    assert_eq!(ordinate(&SquareMatrix::new(5), 3), Err(OrdinationError::NoSpread));
}
