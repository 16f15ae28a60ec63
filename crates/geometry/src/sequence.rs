//! Points that fill a unit cube evenly, without chance.

/// Lattices with different shifts, whose means tell how well the mean over all points is known.
pub(crate) const SHIFTS: usize = 16;

/// Solutions of `x^(d+1) = x + 1` for one, two and three dimensions: powers of their inverses make additive recurrences
/// with low discrepancy (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
const ROOTS: [f64; 3] = [1.618_033_988_749_895, 1.324_717_957_244_746, 1.220_744_084_605_759_6];

/// Point `index` of a sequence in `unit.len()` dimensions, 1 to 3, moved by one of the [`SHIFTS`].
pub(crate) fn even(index: usize, shift: usize, unit: &mut [f64]) {
    let root = ROOTS[unit.len() - 1];
    let mut power = 1.0;
    for (axis, value) in unit.iter_mut().enumerate() {
        power /= root;
        // Bits of a hash of the shift and the axis, so that shifts have nothing to do with the lattice.
        let moved = mixed((shift * 3 + axis) as u64) as f64 / (1u64 << 53) as f64;
        let sum = moved + (index as f64 + 0.5) * power;
        *value = sum - sum.floor();
    }
}

/// 53 bits of the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
fn mixed(value: u64) -> u64 {
    let mut bits = value.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) >> 11
}

/// The share of points that are hit, and three standard errors of it, from the hits among `each` points per shift.
pub(crate) fn share(hits: &[usize; SHIFTS], each: usize) -> (f64, f64) {
    let points = (each * SHIFTS) as f64;
    let mean = hits.iter().sum::<usize>() as f64 / points;
    let squares: f64 = hits.iter().map(|&hit| (hit as f64 / each as f64 - mean).powi(2)).sum();
    let error = 3.0 * (squares / (SHIFTS * (SHIFTS - 1)) as f64).sqrt();
    // A part that is smaller than one point's share can hide from all of them.
    (mean, error.max(1.0 / points))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_of_a_quarter_disk_is_within_three_standard_errors() {
        let mut hits = [0; SHIFTS];
        for (shift, hits) in hits.iter_mut().enumerate() {
            for index in 0..4096 {
                let mut unit = [0.0; 2];
                even(index, shift, &mut unit);
                assert!(unit.iter().all(|value| (0.0..1.0).contains(value)));
                *hits += usize::from(unit[0] * unit[0] + unit[1] * unit[1] < 1.0);
            }
        }
        let (mean, error) = share(&hits, 4096);
        assert!((mean - std::f64::consts::FRAC_PI_4).abs() < error && error < 1e-3, "{mean} {error}");
    }
}
