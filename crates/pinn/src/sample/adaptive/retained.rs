//! Points that stay while their residuals are large (R3: Daw, Bu, Wang, Perdikaris, Karpatne 2023).

use linear::tree::sum;

/// Which points stay: those above the mean, so that some always go.
pub(crate) fn retained(sizes: &[f64]) -> Vec<bool> {
    let mean = sum(sizes.iter().copied()) / sizes.len().max(1) as f64;
    sizes.iter().map(|size| *size > mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_above_the_mean_stay_and_others_go() {
        assert_eq!(retained(&[0.0, 1.0, 5.0, 2.0]), [false, false, true, false]);
        assert_eq!(retained(&[2.0; 3]), [false; 3], "where all are alike, all are drawn anew");
        assert_eq!(retained(&[]), [false; 0]);
    }
}
