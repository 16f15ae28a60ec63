//! Smooth functions that are zero on a plane or a quadric.

use crate::placement::Placement;
use crate::vector::{Vector, dot};

/// `constant + Σ linear_i x_i + Σ square_ij x_i x_j`.
#[derive(Clone, PartialEq, Debug)]
pub struct Quadric {
    /// The value at the origin.
    pub constant: f64,
    /// One factor per coordinate.
    pub linear: Vec<f64>,
    /// A symmetric matrix by rows; empty when the function is linear.
    pub square: Vec<Vec<f64>>,
}

impl Quadric {
    /// The function's value.
    pub fn value(&self, point: &[f64]) -> f64 {
        let mut value = self.constant;
        for (factor, x) in self.linear.iter().zip(point) {
            value += factor * x;
        }
        for (row, x) in self.square.iter().zip(point) {
            for (factor, y) in row.iter().zip(point) {
                value += factor * x * y;
            }
        }
        value
    }

    /// Whether the function is linear, so that it is zero on a plane, a line or a point.
    pub fn is_plane(&self) -> bool {
        self.square.is_empty()
    }
}

/// A function in the frame of a primitive: `constant + linear·x + Σ square_i x_i²`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct LocalQuadric {
    pub(crate) constant: f64,
    pub(crate) linear: Vector,
    pub(crate) square: Vector,
}

impl LocalQuadric {
    /// The depth below a plane: `(point - x)·normal`.
    pub(crate) fn plane(point: Vector, normal: Vector) -> LocalQuadric {
        LocalQuadric { constant: dot(point, normal), linear: normal.map(|value| -value), square: [0.0; 3] }
    }

    /// `s/2·(1 - Σ (x_i/a_i)²)` over the semi-axes that are finite, where s is their geometric mean: the gradient is as
    /// long as one on a circle or sphere, and about that elsewhere.
    pub(crate) fn round(semi_axes: Vector) -> LocalQuadric {
        let finite = semi_axes.iter().filter(|axis| axis.is_finite());
        let logarithms: f64 = finite.clone().map(|axis| axis.ln()).sum();
        let equal = finite.clone().all(|axis| *axis == semi_axes[0]);
        // The logarithm would cost the last digits of a radius.
        let mean = if equal { semi_axes[0] } else { (logarithms / finite.count() as f64).exp() };
        let square = semi_axes.map(|axis| if axis.is_finite() { -0.5 * mean / axis / axis } else { 0.0 });
        LocalQuadric { constant: 0.5 * mean, linear: [0.0; 3], square }
    }

    /// The same function of points of the world, with gradients of the same length.
    pub(crate) fn placed(&self, placement: &Placement, dimension: usize) -> Quadric {
        // In the primitive's frame a point is M·x - m.
        let scale = placement.scale();
        let shift = placement.inwards([0.0; 3]).map(|value| -value);
        let columns: Vec<Vector> = (0..dimension)
            .map(|axis| {
                let mut direction = [0.0; 3];
                direction[axis] = 1.0;
                placement.turn_back(direction).map(|value| value / scale)
            })
            .collect();
        let bent: Vector = std::array::from_fn(|index| self.square[index] * shift[index]);
        let slope: Vector = std::array::from_fn(|index| self.linear[index] - 2.0 * bent[index]);
        let constant = scale * (self.constant - dot(self.linear, shift) + dot(bent, shift));
        let linear = columns.iter().map(|column| scale * dot(*column, slope)).collect();
        // The product of the two columns comes first: the matrix is symmetric to the last bit.
        let entry = |one: &Vector, other: &Vector| {
            scale * dot(self.square, std::array::from_fn(|index| one[index] * other[index]))
        };
        let row = |one: &Vector| columns.iter().map(|other| entry(one, other)).collect();
        let square =
            if self.square == [0.0; 3] { Vec::new() } else { columns.iter().map(row).collect::<Vec<_>>() };
        Quadric { constant, linear, square }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::turned_axes;
    use crate::vector::unit;

    #[test]
    fn a_placed_function_has_the_scaled_values_of_its_own_frame() {
        let local = LocalQuadric { constant: 0.3, linear: [1.0, -2.0, 0.5], square: [-0.2, 0.7, 1.5] };
        let axes = turned_axes(unit([1.0, 1.0, 2.0]).unwrap(), 1.1);
        let placement = Placement::about([0.5, -1.0, 2.0], axes, 3.0).then(&Placement::at([1.0, 2.0, 3.0]));
        let placed = local.placed(&placement, 3);
        for point in [[0.1, 0.2, 0.3], [-4.0, 2.0, 1.0]] {
            let own = placement.inwards(point);
            let squares: f64 = (0..3).map(|index| local.square[index] * own[index] * own[index]).sum();
            let wanted = 3.0 * (local.constant + dot(local.linear, own) + squares);
            assert!((placed.value(&point) - wanted).abs() < 1e-13 * (1.0 + wanted.abs()));
        }
        for (row, line) in placed.square.iter().enumerate() {
            for (column, value) in line.iter().enumerate() {
                assert_eq!(*value, placed.square[column][row]);
            }
        }
    }
}
