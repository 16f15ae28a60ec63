//! The rule of Gauss and Legendre.

use std::f64::consts::PI;

/// Nodes in `(0, 1)` with weights whose sum is one: exact for polynomials of degree below twice the count.
pub fn gauss(count: usize) -> Vec<(f64, f64)> {
    /// Newton's method doubles the digits from a start that has three.
    const STEPS: usize = 6;
    let node = |index: usize| {
        let mut x = (PI * (index as f64 + 0.75) / (count as f64 + 0.5)).cos();
        let mut slope = 0.0;
        for _ in 0..STEPS {
            let [value, before] = legendre(count, x);
            slope = count as f64 * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    match count {
        0 => Vec::new(),
        1 => vec![(0.5, 1.0)],
        _ => (0..count).map(node).collect(),
    }
}

/// The polynomials of a degree and of the degree before it.
fn legendre(degree: usize, x: f64) -> [f64; 2] {
    let mut pair = [1.0, 0.0];
    for order in 1..=degree {
        let order = order as f64;
        pair = [((2.0 * order - 1.0) * x * pair[0] - (order - 1.0) * pair[1]) / order, pair[0]];
    }
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        for count in 1..=40 {
            let rule = gauss(count);
            assert!(rule.is_sorted_by(|one, next| one.0 < next.0));
            for degree in 0..2 * count {
                let found: f64 = rule.iter().map(|(x, weight)| weight * x.powi(degree as i32)).sum();
                let exact = 1.0 / (degree as f64 + 1.0);
                assert!((found - exact).abs() < 1e-14, "{count} nodes, degree {degree}: {found}");
            }
        }
    }
}
