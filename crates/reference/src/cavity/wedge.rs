//! Functions of a wedge: a power of the distance times sines and cosines of multiples of the angle, whose factors are
//! polynomials of the angle.

/// `(a + bθ + cθ²)·cos nθ + (a + bθ + cθ²)·sin nθ`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Harmonic {
    pub(super) multiple: f64,
    pub(super) cosine: [f64; 3],
    pub(super) sine: [f64; 3],
}

impl Harmonic {
    fn slope(self) -> Harmonic {
        let Harmonic { multiple, cosine, sine } = self;
        let slope = |[_, linear, square]: [f64; 3], other: [f64; 3], factor: f64| {
            [linear + factor * other[0], 2.0 * square + factor * other[1], factor * other[2]]
        };
        Harmonic { multiple, cosine: slope(cosine, sine, multiple), sine: slope(sine, cosine, -multiple) }
    }

    fn at(self, angle: f64) -> f64 {
        let factor = |[constant, linear, square]: [f64; 3]| constant + angle * (linear + angle * square);
        let (sine, cosine) = (self.multiple * angle).sin_cos();
        factor(self.cosine) * cosine + factor(self.sine) * sine
    }
}

/// `r^power` times a function of the angle, given by its value and derivatives at one angle.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Wedge {
    power: i32,
    angle: f64,
    slopes: Vec<f64>,
}

impl Wedge {
    /// With so many derivatives as velocities and what drives them need.
    pub(super) fn new(power: i32, harmonics: &[Harmonic], angle: f64) -> Wedge {
        let mut harmonics = harmonics.to_vec();
        let slopes = (0..4).map(|_| {
            let value = harmonics.iter().map(|harmonic| harmonic.at(angle)).sum();
            harmonics.iter_mut().for_each(|harmonic| *harmonic = harmonic.slope());
            value
        });
        Wedge { power, angle, slopes: slopes.collect() }
    }

    /// The derivative along the wall of angle 0.
    pub(super) fn x(&self) -> Wedge {
        self.along(0.0)
    }

    /// The derivative along the wall of angle π/2.
    pub(super) fn y(&self) -> Wedge {
        self.along(-std::f64::consts::FRAC_PI_2)
    }

    /// `m·cos(θ + turn)·F - sin(θ + turn)·F'`, and the derivatives of that.
    fn along(&self, turn: f64) -> Wedge {
        let quarter = |turns: usize| self.angle + turn + std::f64::consts::FRAC_PI_2 * turns as f64;
        // A derivative adds a quarter of a turn to sine and cosine.
        let slope = |order: usize| -> f64 {
            let mut ways = 1.0;
            let mut sum = 0.0;
            for part in 0..=order {
                let [value, next] = [0, 1].map(|more| self.slopes[order - part + more]);
                sum +=
                    ways * (f64::from(self.power) * quarter(part).cos() * value - quarter(part).sin() * next);
                ways *= (order - part) as f64 / (part + 1) as f64;
            }
            sum
        };
        let slopes = (0..self.slopes.len() - 1).map(slope).collect();
        Wedge { power: self.power - 1, angle: self.angle, slopes }
    }

    /// The Laplacian.
    pub(super) fn laplacian(&self) -> Wedge {
        let square = f64::from(self.power * self.power);
        let slopes = self.slopes.iter().zip(&self.slopes[2..]).map(|(value, bend)| bend + square * value);
        Wedge { power: self.power - 2, angle: self.angle, slopes: slopes.collect() }
    }

    /// The value so far from the corner.
    pub(super) fn at(&self, distance: f64) -> f64 {
        distance.powi(self.power) * self.slopes[0]
    }
}
