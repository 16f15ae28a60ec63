//! Incomplete elliptic integrals: lengths along ellipses.

/// R_F and R_D of B. C. Carlson, "Numerical computation of real or complex elliptic integrals" (1995), algorithms 1 and 3,
/// at (x, y, 1): x and y not below zero, and at most one of them zero.
fn carlson(mut x: f64, mut y: f64) -> (f64, f64) {
    let mut z = 1.0;
    let mut sum = 0.0;
    let mut power = 1.0;
    // Every round divides the differences by four, and the series below leaves their sixth power.
    for _ in 0..40 {
        let mean = (x + y + 3.0 * z) / 5.0;
        let spread = (mean - x).abs().max((mean - y).abs()).max((mean - z).abs());
        if spread < 1e-3 * mean {
            break;
        }
        let lambda = (x * y).sqrt() + (x * z).sqrt() + (y * z).sqrt();
        sum += power / (z.sqrt() * (z + lambda));
        power *= 0.25;
        (x, y, z) = (0.25 * (x + lambda), 0.25 * (y + lambda), 0.25 * (z + lambda));
    }
    let mean = (x + y + z) / 3.0;
    let (a, b) = (1.0 - x / mean, 1.0 - y / mean);
    let c = -a - b;
    let (e2, e3) = (a * b - c * c, a * b * c);
    let first = (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / mean.sqrt();

    let mean = (x + y + 3.0 * z) / 5.0;
    let (a, b) = (1.0 - x / mean, 1.0 - y / mean);
    let c = -(a + b) / 3.0;
    let product = a * b;
    let e2 = product - 6.0 * c * c;
    let e3 = (3.0 * product - 8.0 * c * c) * c;
    let e4 = 3.0 * (product - c * c) * c * c;
    let e5 = product * c * c * c;
    let series =
        1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0
            + 3.0 * e5 / 26.0;
    let second = 3.0 * sum + power * series / (mean * mean.sqrt());
    (first, second)
}

/// The integral of `sqrt(cosine_part·cos² + sine_part·sin²)` from zero to an angle within the first quarter.
pub(crate) fn arc(cosine_part: f64, sine_part: f64, angle: f64) -> f64 {
    if angle <= 0.0 || cosine_part + sine_part == 0.0 {
        return 0.0;
    }
    if sine_part > cosine_part {
        // Carlson's form below wants a modulus between zero and one: measure from the other end of the quarter.
        let quarter = std::f64::consts::FRAC_PI_2;
        return arc(sine_part, cosine_part, quarter) - arc(sine_part, cosine_part, quarter - angle);
    }
    let (sine, cosine) = angle.sin_cos();
    let modulus = 1.0 - sine_part / cosine_part;
    let x = (cosine * cosine).max(f64::MIN_POSITIVE);
    let (first, second) = carlson(x, (1.0 - modulus * sine * sine).max(x));
    cosine_part.sqrt() * sine * (first - modulus * sine * sine * second / 3.0)
}

/// The angle of the first quarter at which [`arc`] has reached `share` of what it is for the whole quarter.
pub(crate) fn angle_at(cosine_part: f64, sine_part: f64, share: f64) -> f64 {
    let quarter = std::f64::consts::FRAC_PI_2;
    if sine_part > cosine_part {
        // As in `arc`, once instead of in every step.
        return quarter - angle_at(sine_part, cosine_part, 1.0 - share);
    }
    let wanted = share * arc(cosine_part, sine_part, quarter);
    let (mut low, mut high) = (0.0, quarter);
    let mut angle = share * quarter;
    // Newton's method, and a bisection where it would leave what is known.
    for _ in 0..100 {
        let over = arc(cosine_part, sine_part, angle) - wanted;
        if over > 0.0 {
            high = angle;
        } else {
            low = angle;
        }
        let (sine, cosine) = angle.sin_cos();
        let speed = (cosine_part * cosine * cosine + sine_part * sine * sine).sqrt();
        let mut next = angle - over / speed;
        if !(low < next && next < high) {
            next = 0.5 * (low + high);
        }
        let step = (next - angle).abs();
        angle = next;
        if step <= 1e-15 {
            break;
        }
    }
    angle
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

    /// By Simpson's rule on so many panels that its error is rounding.
    fn by_quadrature(cosine_part: f64, sine_part: f64, angle: f64) -> f64 {
        let panels = 200_000;
        let width = angle / f64::from(panels);
        let speed = |t: f64| (cosine_part * t.cos().powi(2) + sine_part * t.sin().powi(2)).sqrt();
        let sum: f64 = (0..panels)
            .map(|panel| {
                let left = f64::from(panel) * width;
                speed(left) + 4.0 * speed(left + 0.5 * width) + speed(left + width)
            })
            .sum();
        sum * width / 6.0
    }

    #[test]
    fn lengths_agree_with_quadrature() {
        for (cosine_part, sine_part) in
            [(1.0, 1.0), (4.0, 1.0), (1.0, 9.0), (1.0, 1e-4), (1e-4, 1.0), (2.0, 0.0)]
        {
            for angle in [0.1, FRAC_PI_4, 1.5, FRAC_PI_2] {
                let wanted = by_quadrature(cosine_part, sine_part, angle);
                let found = arc(cosine_part, sine_part, angle);
                assert!((found - wanted).abs() < 1e-10 * (1.0 + wanted), "{cosine_part} {sine_part} {angle}");
            }
        }
        // The quarter of an ellipse with semi-axes 2 and 1 (Abramowitz and Stegun, table 17.1: E(3/4) = 1.21105603).
        assert!((arc(4.0, 1.0, FRAC_PI_2) - 2.0 * 1.211_056_027_568_459_5).abs() < 1e-14);
    }

    #[test]
    fn an_angle_has_the_share_it_was_asked_for() {
        for (cosine_part, sine_part) in [(1.0, 1.0), (100.0, 1.0), (1.0, 1e6), (1e-6, 1.0)] {
            for share in [0.0, 1e-9, 0.2, 0.5, 0.999] {
                let angle = angle_at(cosine_part, sine_part, share);
                let found = arc(cosine_part, sine_part, angle) / arc(cosine_part, sine_part, FRAC_PI_2);
                assert!((found - share).abs() < 1e-12, "{cosine_part} {sine_part} {share} {found}");
            }
        }
    }
}
