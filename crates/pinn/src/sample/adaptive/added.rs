//! Points that are only added, where residuals are largest (RAR: Lu, Meng, Mao, Karniadakis 2021).

/// The `count` largest of some sizes; of equal ones, the first.
pub(crate) fn largest(sizes: &[f64], count: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&one, &other| sizes[other].total_cmp(&sizes[one]).then(one.cmp(&other)));
    let mut taken = vec![false; sizes.len()];
    order.into_iter().take(count).for_each(|index| taken[index] = true);
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_largest_are_taken_and_of_equal_ones_the_first() {
        let taken = largest(&[1.0, 5.0, 3.0, 5.0, 0.0, 3.0], 3);
        assert_eq!(taken, [false, true, true, true, false, false]);
        assert_eq!(largest(&[1.0, 2.0], 5), [true, true]);
        assert_eq!(largest(&[], 5), [false; 0]);
    }
}
