//! Viscous Burgers from a sine: u_t + u·u_x = nu·u_xx, u(0, x) = -sin(pi x), u(t, ±1) = 0.

use std::f64::consts::PI;

/// How far beyond the last possible maximum of the integrand the integral goes, in units of its
/// variable z: the integrand has fallen below exp(-6.5²) = 4e-19 of its maximum there.
const MARGIN: f64 = 6.5;

/// The negative logarithm of the error of the trapezoidal rule, before the safety factor in
/// [`spacing`]: exp(-40) = 4e-18.
const ACCURACY: f64 = 40.0;

/// Nodes on either side up to which a value is computed; their number grows with time.
const MOST_NODES: f64 = 1e5;

/// The exact solution by the transform of Cole and Hopf,
///
/// u = -∫ sin(pi y) F dz / ∫ F dz with y = x - z sqrt(4 nu t), F = exp(-z² - cos(pi y)/(2 pi nu)),
///
/// to about 1e-15 for `t` up to 1 and every positive `viscosity`; no number at times so late that it would take for ever.
pub fn cole_hopf(viscosity: f64, t: f64, x: f64) -> f64 {
    let reach = reach(viscosity, t);
    quadrature(viscosity, t, x, reach, spacing(t))
}

/// Half the length of the integral. The exponent's slope is at most -2z + sqrt(t/nu), so it falls at
/// least like -(z - sqrt(t/(4 nu)))² beyond that point.
fn reach(viscosity: f64, t: f64) -> f64 {
    (t / (4.0 * viscosity)).sqrt() + MARGIN
}

/// The distance of nodes. Moved by `i a` into the complex plane the integrand grows by about
/// exp((1 + pi t) a²), so the rule's error is exp(-pi²/((1 + pi t) h²)); half the spacing that this
/// asks for leaves room for the terms beyond a².
fn spacing(t: f64) -> f64 {
    0.5 * PI / (ACCURACY * (1.0 + PI * t)).sqrt()
}

fn quadrature(viscosity: f64, t: f64, x: f64, reach: f64, spacing: f64) -> f64 {
    if t <= 0.0 {
        return -(PI * x).sin();
    }
    if reach / spacing > MOST_NODES {
        return f64::NAN;
    }
    let half = (reach / spacing).ceil() as i64;
    let width = (4.0 * viscosity * t).sqrt();
    let angle = |node: i64| PI * (x - width * spacing * node as f64);
    let exponent = |node: i64| {
        let z = spacing * node as f64;
        -z * z - angle(node).cos() / (2.0 * PI * viscosity)
    };
    // The largest exponent is taken out: exp of the others would overflow for small viscosities.
    let largest = (-half..=half).map(exponent).fold(f64::NEG_INFINITY, f64::max);
    let (above, below) = (-half..=half).fold((0.0, 0.0), |(above, below), node| {
        let weight = (exponent(node) - largest).exp();
        (above + angle(node).sin() * weight, below + weight)
    });
    -above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    const VISCOSITIES: [f64; 4] = [0.1, 0.01, 0.01 / PI, 0.001];

    fn places() -> impl Iterator<Item = (f64, f64)> {
        (0..=8).flat_map(|t| (-20..=20).map(move |x| (f64::from(t) / 8.0, f64::from(x) / 20.0)))
    }

    #[test]
    fn times_too_late_for_the_integral_have_no_value_instead_of_no_end() {
        assert!(cole_hopf(0.01 / PI, 1e60, 0.5).is_nan());
        assert!(cole_hopf(0.01 / PI, 100.0, 0.5).is_finite());
    }

    #[test]
    fn finer_and_wider_quadrature_changes_nothing() {
        for viscosity in VISCOSITIES {
            for (t, x) in places() {
                let reach = reach(viscosity, t);
                let finer = quadrature(viscosity, t, x, reach + 3.0, 0.4 * spacing(t));
                let value = cole_hopf(viscosity, t, x);
                assert!((value - finer).abs() < 1e-13, "nu {viscosity} t {t} x {x}: {value} {finer}");
            }
        }
    }

    #[test]
    fn it_starts_as_a_sine_and_stays_odd_and_zero_at_the_walls() {
        for viscosity in VISCOSITIES {
            for (t, x) in places() {
                let value = cole_hopf(viscosity, t, x);
                assert!((value + cole_hopf(viscosity, t, -x)).abs() < 1e-13);
                assert!(value.abs() <= 1.0);
            }
            assert!(cole_hopf(viscosity, 0.7, 1.0).abs() < 1e-13);
            assert_eq!(cole_hopf(viscosity, 0.0, 0.3), -(PI * 0.3).sin());
            // u_t is bounded by |u u_x| + nu |u_xx| < 5 at the start.
            assert!((cole_hopf(viscosity, 1e-9, 0.3) + (PI * 0.3).sin()).abs() < 1e-8);
        }
    }

    #[test]
    fn it_satisfies_the_equation() {
        let (viscosity, step) = (0.1, 1e-3);
        for (t, x) in [(0.2, 0.3), (0.5, -0.6), (0.9, 0.05)] {
            let at = |i: f64, j: f64| cole_hopf(viscosity, t + i * step, x + j * step);
            let first =
                |f: &dyn Fn(f64) -> f64| (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * step);
            let u_t = first(&|i| at(i, 0.0));
            let u_x = first(&|j| at(0.0, j));
            let second = 16.0 * (at(0.0, 1.0) + at(0.0, -1.0)) - at(0.0, 2.0) - at(0.0, -2.0);
            let u_xx = (second - 30.0 * at(0.0, 0.0)) / (12.0 * step * step);
            let residual = u_t + at(0.0, 0.0) * u_x - viscosity * u_xx;
            // Differences of order four leave about step⁴ · |u^(5)|/30 and rounding 1e-15/step².
            assert!(residual.abs() < 1e-8, "{residual}");
        }
    }
}
