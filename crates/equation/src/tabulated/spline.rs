//! Cubic splines in the basis of B-splines: with coefficients `c`, a value is `(c₋₁ + 4c₀ + c₁)/6`.

/// The coefficients of the spline through values on a grid: one more at each end of every coordinate.
pub(super) fn coefficients(counts: &[usize], values: Vec<f64>) -> Vec<f64> {
    let mut numbers = values;
    let mut shape = counts.to_vec();
    for axis in 0..shape.len() {
        numbers = along(&shape, axis, &numbers);
        shape[axis] += 2;
    }
    numbers
}

/// Coefficients along one coordinate of all lines of a grid.
fn along(shape: &[usize], axis: usize, numbers: &[f64]) -> Vec<f64> {
    let count = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let mut found = vec![0.0; outer * (count + 2) * inner];
    let mut line = vec![0.0; count];
    let mut scratch = vec![0.0; count];
    let mut own = vec![0.0; count + 2];
    for before in 0..outer {
        for behind in 0..inner {
            for (place, value) in line.iter_mut().enumerate() {
                *value = numbers[(before * count + place) * inner + behind];
            }
            solve(&line, &mut scratch, &mut own);
            for (place, coefficient) in own.iter().enumerate() {
                found[(before * (count + 2) + place) * inner + behind] = *coefficient;
            }
        }
    }
    found
}

/// Coefficients for values at the distance one, of which there are two or more.
fn solve(values: &[f64], scratch: &mut [f64], own: &mut [f64]) {
    let count = values.len();
    let slopes = [slope(values.iter().copied()), -slope(values.iter().rev().copied())];
    // The first and the last equation without the coefficients beyond the ends: 4c₀ + 2c₁ = 6f₀ + 2s.
    let right = |place: usize| match place {
        0 => 6.0 * values[0] + 2.0 * slopes[0],
        last if last + 1 == count => 6.0 * values[last] - 2.0 * slopes[1],
        _ => 6.0 * values[place],
    };
    let upper = |place: usize| if place == 0 { 2.0 } else { 1.0 };
    let lower = |place: usize| if place + 1 == count { 2.0 } else { 1.0 };
    let inner = &mut own[1..=count];
    let mut pivot = 4.0;
    inner[0] = right(0) / pivot;
    for place in 1..count {
        scratch[place] = upper(place - 1) / pivot;
        pivot = 4.0 - lower(place) * scratch[place];
        inner[place] = (right(place) - lower(place) * inner[place - 1]) / pivot;
    }
    for place in (1..count).rev() {
        inner[place - 1] -= scratch[place] * inner[place];
    }
    own[0] = own[2] - 2.0 * slopes[0];
    own[count + 1] = own[count - 1] + 2.0 * slopes[1];
}

/// The slope at the first value of the polynomial through the first four, or as many as there are.
fn slope(values: impl Iterator<Item = f64>) -> f64 {
    match values.take(4).collect::<Vec<f64>>()[..] {
        [a, b, c, d] => (-11.0 * a + 18.0 * b - 9.0 * c + 2.0 * d) / 6.0,
        [a, b, c] => (-3.0 * a + 4.0 * b - c) / 2.0,
        [a, b] => b - a,
        _ => 0.0,
    }
}

/// What the four coefficients around a cell count at a share of it, differentiated so often.
pub(super) fn weights(share: f64, order: usize) -> [f64; 4] {
    let (t, s) = (share, 1.0 - share);
    match order {
        0 => [
            s * s * s / 6.0,
            (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
            (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0,
            t * t * t / 6.0,
        ],
        1 => [-0.5 * s * s, 1.5 * t * t - 2.0 * t, 2.0 * s - 1.5 * s * s, 0.5 * t * t],
        2 => [s, 3.0 * t - 2.0, 3.0 * s - 2.0, t],
        3 => [-1.0, 3.0, -3.0, 1.0],
        _ => [0.0; 4],
    }
}
