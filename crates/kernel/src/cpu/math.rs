//! Exponential, hyperbolic tangent, sine, cosine and the normal distribution as straight-line code that vectorises.
//! Their errors are measured in the tests below.

use linear::Float;

#[inline(always)]
fn polynomial<T: Float, const FMA: bool>(coefficients: &[T], x: T) -> T {
    let mut sum = T::ZERO;
    for &coefficient in coefficients.iter().rev() {
        sum = sum.mul_add::<FMA>(x, coefficient);
    }
    sum
}

/// `2^n` and `exp(r) - 1` with `exp(x) = 2^n·exp(r)`, for x from the lowest exponent to 0.
#[inline(always)]
fn split_exponential<T: Float, const FMA: bool>(x: T) -> (T, T) {
    let x = x.max(T::LOWEST_EXPONENT);
    let n = (x * T::from_f64(std::f64::consts::LOG2_E)).round();
    let r = (-n).mul_add::<FMA>(T::LN_2[1], (-n).mul_add::<FMA>(T::LN_2[0], x));
    let minus_one = (r * r).mul_add::<FMA>(polynomial::<T, FMA>(T::EXPONENTIAL, r), r);
    (n.exp2_integer(), minus_one)
}

/// `exp(x)` for x <= 0; 0 is rounded up to the smallest normal number.
#[inline(always)]
pub(crate) fn exponential<T: Float, const FMA: bool>(x: T) -> T {
    let (scale, minus_one) = split_exponential::<T, FMA>(x);
    scale.mul_add::<FMA>(minus_one, scale)
}

/// `tanh(z)` and its slope `1 - tanh(z)²`, the slope without cancellation when saturated.
#[inline(always)]
pub(crate) fn tanh<T: Float, const FMA: bool>(z: T) -> (T, T) {
    let (scale, minus_one) = split_exponential::<T, FMA>(T::from_f64(-2.0) * z.abs());
    let e = scale.mul_add::<FMA>(minus_one, scale);
    let e_minus_one = scale.mul_add::<FMA>(minus_one, scale - T::ONE);
    let r = T::ONE / (T::ONE + e);
    ((-e_minus_one * r).copysign(z), T::from_f64(4.0) * e * r * r)
}

/// `sigmoid(z)` and its slope, the slope without cancellation when saturated.
#[inline(always)]
pub(crate) fn sigmoid<T: Float, const FMA: bool>(z: T) -> (T, T) {
    let e = exponential::<T, FMA>(-z.abs());
    let r = T::ONE / (T::ONE + e);
    (if z < T::ZERO { e * r } else { r }, e * r * r)
}

/// `sin(x)` and `cos(x)`; full precision while |x| stays below some thousands.
#[inline(always)]
pub(crate) fn sine_cosine<T: Float, const FMA: bool>(x: T) -> (T, T) {
    let quarter = (x * T::from_f64(std::f64::consts::FRAC_2_PI)).round();
    let r = (-quarter).mul_add::<FMA>(T::HALF_PI[0], x);
    let r = (-quarter).mul_add::<FMA>(T::HALF_PI[1], r);
    let r = (-quarter).mul_add::<FMA>(T::HALF_PI[2], r);
    let r2 = r * r;
    let s = (r * r2).mul_add::<FMA>(polynomial::<T, FMA>(T::SINE, r2), r);
    let c = r2.mul_add::<FMA>(polynomial::<T, FMA>(T::COSINE, r2), T::ONE);
    // quarter mod 4, by a floor that is a rounding: the fractions are 0, 1/4, 1/2, 3/4.
    let floor = quarter.mul_add::<FMA>(T::from_f64(0.25), T::from_f64(-0.375)).round();
    let turn = (-floor).mul_add::<FMA>(T::from_f64(4.0), quarter);
    let odd = turn == T::ONE || turn == T::from_f64(3.0);
    let (sine, cosine) = if odd { (c, s) } else { (s, c) };
    let sine = if turn > T::from_f64(1.5) { -sine } else { sine };
    let cosine = if turn == T::ONE || turn == T::from_f64(2.0) { -cosine } else { cosine };
    (sine, cosine)
}

/// The normal distribution `Φ(z)` and its density: the density times what is smooth beside it in the tail, and one less that
/// above zero.
#[inline(always)]
pub(crate) fn normal<T: Float, const FMA: bool>(z: T) -> (T, T) {
    let a = z.abs();
    let density = exponential::<T, FMA>(T::from_f64(-0.5) * z * z) * T::from_f64(INVERSE_ROOT_TWO_PI);
    let r = T::ONE / (a + T::from_f64(4.0));
    let t = (a - T::from_f64(4.0)) * r;
    // In halves: a loop over all coefficients is too long to be unrolled, and then nothing runs in vectors.
    let [even, odd] = T::NORMAL_TAIL.map(|half| polynomial::<T, FMA>(half, t * t));
    let tail = density * r * odd.mul_add::<FMA>(t, even);
    (if z < T::ZERO { tail } else { T::ONE - tail }, density)
}

/// 1/√(2π)
const INVERSE_ROOT_TWO_PI: f64 = 0.398_942_280_401_432_7;

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest relative error of `f` against f64's own functions over a range, and the same for
    /// absolute errors, in units of the last place of one.
    fn worst<T: Float>(range: (f64, f64), f: impl Fn(T) -> T, truth: impl Fn(f64) -> f64) -> (f64, f64) {
        let epsilon = if T::LANES == 16 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let count = 100_000;
        let mut worst = (0.0f64, 0.0f64);
        for n in 0..=count {
            let x = T::from_f64(range.0 + (range.1 - range.0) * f64::from(n) / f64::from(count));
            let (got, wanted) = (f(x).to_f64(), truth(x.to_f64()));
            let error = (got - wanted).abs();
            if wanted != 0.0 {
                worst.0 = worst.0.max(error / wanted.abs() / epsilon);
            }
            worst.1 = worst.1.max(error / epsilon);
        }
        worst
    }

    fn check_all<T: Float, const FMA: bool>(lowest: f64) {
        let (relative, _) = worst::<T>((lowest, 0.0), exponential::<T, FMA>, f64::exp);
        assert!(relative < 2.0, "exp: {relative} units");
        for range in [(-20.0, 20.0), (-0.01, 0.01), (0.3, 0.9)] {
            let (relative, _) = worst::<T>(range, |z| tanh::<T, FMA>(z).0, f64::tanh);
            assert!(relative < 4.0, "tanh: {relative} units");
        }
        let slope = |z: f64| 1.0 / (z.cosh() * z.cosh());
        let (relative, _) = worst::<T>((-18.0, 18.0), |z| tanh::<T, FMA>(z).1, slope);
        // The argument's own rounding is amplified by |z|: 36 half units at the ends.
        assert!(relative < 8.0, "tanh': {relative} units");
        let logistic = |z: f64| 1.0 / (1.0 + (-z).exp());
        let (relative, _) = worst::<T>((-30.0, 30.0), |z| sigmoid::<T, FMA>(z).0, logistic);
        assert!(relative < 4.0, "sigmoid: {relative} units");
        let (_, absolute) = worst::<T>((-1000.0, 1000.0), |x| sine_cosine::<T, FMA>(x).0, f64::sin);
        assert!(absolute < 2.0, "sin: {absolute} units");
        let (_, absolute) = worst::<T>((-1000.0, 1000.0), |x| sine_cosine::<T, FMA>(x).1, f64::cos);
        assert!(absolute < 2.0, "cos: {absolute} units");
        let (relative, _) = worst::<T>((-0.7, 0.7), |x| sine_cosine::<T, FMA>(x).0, f64::sin);
        assert!(relative < 2.0, "sin near zero: {relative} units");
    }

    /// Against the error function of a library, with what the rounding of its argument does taken away. The rounding of the
    /// square under the exponential is amplified, by half a unit times z²/2.
    fn check_normal<T: Float, const FMA: bool>(lowest: f64) {
        let distribution = |z: f64| {
            // 1/√2 in two parts.
            let root = [std::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17];
            let x = -z * root[0];
            let rest = (-z).mul_add(root[0], -x) - z * root[1];
            0.5 * libm::erfc(x) - (-x * x).exp() * rest / std::f64::consts::PI.sqrt()
        };
        let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        for range in [(-2.0, 2.0), (-0.01, 0.01), (2.0, 40.0)] {
            let (relative, _) = worst::<T>(range, |z| normal::<T, FMA>(z).0, distribution);
            assert!(relative < 8.0, "normal distribution in {range:?}: {relative} units");
        }
        for end in [4.0, 8.0, lowest] {
            let allowed = 8.0 + end * end / 4.0;
            let (relative, _) = worst::<T>((-end, -1.0), |z| normal::<T, FMA>(z).0, distribution);
            assert!(relative < allowed, "normal tail to {end}: {relative} units");
            let (relative, _) = worst::<T>((-end, end), |z| normal::<T, FMA>(z).1, density);
            assert!(relative < allowed, "normal density to {end}: {relative} units");
        }
        // Where the density is no normal number any more, nothing is wrong by more than the smallest one.
        for z in [-60.0, -1e4, 60.0, 1e4] {
            let (p, q) = normal::<T, FMA>(T::from_f64(z));
            let wanted = if z < 0.0 { 0.0 } else { 1.0 };
            assert!((p.to_f64() - wanted).abs() < 1e-37 && q.to_f64() < 1e-37, "{z}: {p:?} {q:?}");
        }
    }

    #[test]
    fn the_normal_distribution_is_accurate_to_a_few_units_in_the_last_place() {
        check_normal::<f32, true>(13.0);
        check_normal::<f32, false>(13.0);
        check_normal::<f64, true>(37.0);
        check_normal::<f64, false>(37.0);
    }

    #[test]
    fn every_function_is_accurate_to_a_few_units_in_the_last_place() {
        check_all::<f32, true>(-87.0);
        check_all::<f32, false>(-87.0);
        check_all::<f64, true>(-708.0);
        check_all::<f64, false>(-708.0);
    }
}
