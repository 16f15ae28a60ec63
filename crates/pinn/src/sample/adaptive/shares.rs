//! Chances by priorities.

use linear::tree::sum;

/// The size of what each of `count` points has the same number of: the root of the sum of squares.
pub(crate) fn sizes(numbers: &[f64], count: usize) -> Vec<f64> {
    let each = (numbers.len() / count.max(1)).max(1);
    let size = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    numbers.chunks_exact(each).map(size).collect()
}

/// The share of each point in the chances: its size to the power, over the mean of that, plus the floor. All are alike where there
/// is nothing to tell them apart.
pub(crate) fn shares(sizes: &[f64], power: f64, floor: f64) -> Vec<f64> {
    if power == 1.0 {
        return over_mean(sizes.to_vec(), floor);
    }
    // In terms of the largest, no power is too large for a number.
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    over_mean(sizes.iter().map(|size| (size / largest).powf(power)).collect(), floor)
}

fn over_mean(raised: Vec<f64>, floor: f64) -> Vec<f64> {
    let mean = sum(raised.iter().copied()) / raised.len().max(1) as f64;
    let share = |size: f64| if mean > 0.0 { size / mean + floor } else { 1.0 };
    raised.into_iter().map(share).collect()
}

/// The shares of several priorities together: each has as much to say as the others.
pub(crate) fn mix(parts: &[Vec<f64>]) -> Vec<f64> {
    let count = parts.first().map_or(0, Vec::len);
    (0..count).map(|point| parts.iter().map(|part| part[point]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_the_size_to_a_power_over_its_mean_plus_the_floor() {
        assert_eq!(shares(&[1.0, 3.0], 1.0, 1.0), [1.5, 2.5]);
        let squares = shares(&[1.0, 3.0], 2.0, 0.0);
        assert!((squares[0] - 0.2).abs() < 1e-15 && (squares[1] - 1.8).abs() < 1e-15, "{squares:?}");
        assert_eq!(shares(&[0.0, 0.0], 2.0, 0.0), [1.0, 1.0]);
        let steep = shares(&[1e300, 1e299, 0.0], 50.0, 0.5);
        assert!(steep.iter().all(|share| share.is_finite()) && steep[2] == 0.5, "{steep:?}");
    }

    #[test]
    fn several_equations_count_together_and_several_priorities_add_up() {
        assert_eq!(sizes(&[3.0, 4.0, 0.0, -2.0], 2), [5.0, 2.0]);
        assert_eq!(sizes(&[], 0), [0.0; 0]);
        assert_eq!(mix(&[vec![1.0, 2.0], vec![0.5, 0.25]]), [1.5, 2.25]);
    }
}
