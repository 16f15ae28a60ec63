//! Functions that are known by their values on a regular grid, and interpolated between.

mod spline;

use crate::expression::Derivative;

/// Coordinates that a grid can have: a point needs the values at 4 places along each.
pub const MOST_GRID_AXES: usize = 4;

/// Values that a grid can have.
pub const MOST_GRID_VALUES: usize = 1 << 24;

/// What lies between the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolation {
    /// Straight lines: values are never beyond those of the grid, first derivatives jump at its lines.
    Linear,
    /// A cubic spline, whose second derivatives are continuous; its ends have the slopes of the cubics through four values.
    Cubic,
}

impl Interpolation {
    /// As a problem file calls it.
    pub fn name(self) -> &'static str {
        match self {
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
        }
    }
}

/// The places of values along one coordinate, at equal distances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GridAxis {
    /// Which coordinate.
    pub axis: usize,
    /// Where the first value is.
    pub low: f64,
    /// Where the last value is.
    pub high: f64,
    /// How many there are: two or more.
    pub count: usize,
}

/// A function of some coordinates by its values on a grid. Beyond the ends of the grid it is what it is there.
#[derive(Clone, PartialEq)]
pub struct Interpolant {
    axes: Vec<GridAxis>,
    kind: Interpolation,
    /// Values, or coefficients of splines, of which there is one more at each end; the last coordinate's change fastest.
    numbers: Vec<f64>,
}

impl Interpolant {
    /// Values in the order of the coordinates, of which the last changes fastest; as many as the counts say.
    pub fn new(axes: Vec<GridAxis>, kind: Interpolation, values: Vec<f64>) -> Interpolant {
        let counts: Vec<usize> = axes.iter().map(|axis| axis.count).collect();
        let numbers = match kind {
            Interpolation::Linear => values,
            Interpolation::Cubic => spline::coefficients(&counts, values),
        };
        Interpolant { axes, kind, numbers }
    }

    /// Where its values are.
    pub fn axes(&self) -> &[GridAxis] {
        &self.axes
    }

    /// What lies between them.
    pub fn kind(&self) -> Interpolation {
        self.kind
    }

    /// The function, or a derivative of it, at a place by its coordinates.
    pub fn at(&self, coordinate: impl Fn(usize) -> f64, derivative: Derivative) -> f64 {
        if derivative.axes().iter().any(|axis| !self.axes.iter().any(|own| own.axis == usize::from(*axis))) {
            return 0.0;
        }
        let mut first = 0;
        let mut all = [([0.0; 4], 0usize); MOST_GRID_AXES];
        let width = match self.kind {
            Interpolation::Linear => 2,
            Interpolation::Cubic => 4,
        };
        let extra = width - 2;
        for (own, place) in self.axes.iter().zip(&mut all) {
            let order = derivative.axes().iter().filter(|axis| usize::from(**axis) == own.axis).count();
            let step = (own.high - own.low) / (own.count - 1) as f64;
            let along = ((coordinate(own.axis) - own.low) / step).clamp(0.0, (own.count - 1) as f64);
            if along.is_nan() {
                return f64::NAN;
            }
            let cell = (along as usize).min(own.count - 2);
            let mut weights = match self.kind {
                Interpolation::Linear => linear(along - cell as f64, order),
                Interpolation::Cubic => spline::weights(along - cell as f64, order),
            };
            let scale = step.powi(-(order as i32));
            weights.iter_mut().for_each(|weight| *weight *= scale);
            *place = (weights, own.count + extra);
            first = first * (own.count + extra) + cell;
        }
        self.sum(&all[..self.axes.len()], first, width)
    }

    /// The sum of the numbers around a place, each times its weights, the last coordinate innermost.
    fn sum(&self, all: &[([f64; 4], usize)], first: usize, width: usize) -> f64 {
        let Some((weights, _)) = all.first() else { return self.numbers[first] };
        let stride: usize = all[1..].iter().map(|(_, count)| count).product();
        (0..width).map(|place| weights[place] * self.sum(&all[1..], first + place * stride, width)).sum()
    }
}

/// What values at both ends of a cell count at a share of it, differentiated so often.
fn linear(share: f64, order: usize) -> [f64; 4] {
    match order {
        0 => [1.0 - share, share, 0.0, 0.0],
        1 => [-1.0, 1.0, 0.0, 0.0],
        _ => [0.0; 4],
    }
}

impl std::fmt::Debug for Interpolant {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Millions of numbers help nobody.
        let Interpolant { axes, kind, .. } = self;
        formatter.debug_struct("Interpolant").field("axes", axes).field("kind", kind).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(kind: Interpolation, counts: [usize; 2], function: impl Fn(f64, f64) -> f64) -> Interpolant {
        let axis = |axis: usize, low: f64, high: f64| GridAxis { axis, low, high, count: counts[axis] };
        let axes = vec![axis(0, -1.0, 2.0), axis(1, 0.5, 1.5)];
        let place = |own: &GridAxis, index: usize| {
            own.low + (own.high - own.low) * index as f64 / (own.count - 1) as f64
        };
        let values = (0..counts[0] * counts[1])
            .map(|index| function(place(&axes[0], index / counts[1]), place(&axes[1], index % counts[1])))
            .collect();
        Interpolant::new(axes, kind, values)
    }

    fn at(function: &Interpolant, x: f64, y: f64, axes: &[usize]) -> f64 {
        function.at(|axis| [x, y][axis], Derivative::new(axes).expect("few axes"))
    }

    #[test]
    fn straight_functions_and_cubics_are_met_with_their_derivatives() {
        let bilinear = sampled(Interpolation::Linear, [4, 3], |x, y| 1.0 + 2.0 * x - y + 3.0 * x * y);
        let cubic =
            sampled(Interpolation::Cubic, [5, 6], |x, y| (1.0 + x - 2.0 * x.powi(3)) * (y.powi(3) + y));
        for index in 0..200 {
            let (x, y) = (-1.0 + 3.0 * index as f64 / 199.0, 0.5 + (0.61803 * index as f64).fract());
            let close = |found: f64, wanted: f64| {
                assert!((found - wanted).abs() < 1e-11, "{found} instead of {wanted} at {x}, {y}")
            };
            close(at(&bilinear, x, y, &[]), 1.0 + 2.0 * x - y + 3.0 * x * y);
            close(at(&bilinear, x, y, &[0]), 2.0 + 3.0 * y);
            close(at(&bilinear, x, y, &[0, 1]), 3.0);
            close(at(&bilinear, x, y, &[1, 1]), 0.0);
            let (along, up) = (1.0 + x - 2.0 * x.powi(3), y.powi(3) + y);
            close(at(&cubic, x, y, &[]), along * up);
            close(at(&cubic, x, y, &[1]), along * (3.0 * y * y + 1.0));
            close(at(&cubic, x, y, &[0, 0]), -12.0 * x * up);
            close(at(&cubic, x, y, &[0, 1]), (1.0 - 6.0 * x * x) * (3.0 * y * y + 1.0));
            close(at(&cubic, x, y, &[2]), 0.0);
        }
    }

    #[test]
    fn second_derivatives_of_splines_are_continuous_and_all_meet_the_values() {
        let function = |x: f64, y: f64| (3.0 * x).sin() * (2.0 * y).exp();
        for kind in [Interpolation::Linear, Interpolation::Cubic] {
            let own = sampled(kind, [13, 7], function);
            for index in 0..13 {
                let x = -1.0 + 0.25 * index as f64;
                assert!((at(&own, x, 1.0, &[]) - function(x, 1.0)).abs() < 1e-12);
            }
        }
        let own = sampled(Interpolation::Cubic, [13, 7], function);
        for axes in [&[0][..], &[0, 0], &[0, 0, 1], &[1, 1]] {
            let (before, behind) = (at(&own, 0.25 - 1e-12, 0.8, axes), at(&own, 0.25 + 1e-12, 0.8, axes));
            assert!((before - behind).abs() < 1e-8 * before.abs().max(1.0), "{axes:?}: {before} {behind}");
        }
        let errors = [(13, 7), (25, 13)].map(|(across, up)| {
            let own = sampled(Interpolation::Cubic, [across, up], function);
            let points =
                (0..500).map(|index| (-1.0 + 3.0 * index as f64 / 499.0, 0.5 + (0.7 * index as f64).fract()));
            points.map(|(x, y)| (at(&own, x, y, &[]) - function(x, y)).abs()).fold(0.0, f64::max)
        });
        assert!(errors[1] < errors[0] / 10.0, "of fourth order: {errors:?}");
    }

    #[test]
    fn short_axes_and_places_outside_are_no_trouble() {
        for count in 2..5 {
            let own = sampled(Interpolation::Cubic, [count, 2], |x, y| x + y);
            assert!((at(&own, 0.3, 0.9, &[]) - 1.2).abs() < 1e-13, "{count}");
            assert!((at(&own, 5.0, 0.9, &[]) - 2.9).abs() < 1e-13);
            assert!(at(&own, f64::NAN, 0.9, &[]).is_nan());
        }
    }
}
