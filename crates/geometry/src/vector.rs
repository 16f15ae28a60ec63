//! Three numbers. Shapes of fewer dimensions leave the last ones zero.

/// A point or a direction.
pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(left: Vector, right: Vector) -> f64 {
    left[0] * right[0] + left[1] * right[1] + left[2] * right[2]
}

pub(crate) fn add(left: Vector, right: Vector) -> Vector {
    [left[0] + right[0], left[1] + right[1], left[2] + right[2]]
}

#[inline(always)]
pub(crate) fn subtract(left: Vector, right: Vector) -> Vector {
    [left[0] - right[0], left[1] - right[1], left[2] - right[2]]
}

pub(crate) fn times(vector: Vector, factor: f64) -> Vector {
    [vector[0] * factor, vector[1] * factor, vector[2] * factor]
}

/// `start + factor·direction`.
pub(crate) fn along(start: Vector, direction: Vector, factor: f64) -> Vector {
    add(start, times(direction, factor))
}

pub(crate) fn cross(left: Vector, right: Vector) -> Vector {
    [
        left[1] * right[2] - left[2] * right[1],
        left[2] * right[0] - left[0] * right[2],
        left[0] * right[1] - left[1] * right[0],
    ]
}

pub(crate) fn length(vector: Vector) -> f64 {
    dot(vector, vector).sqrt()
}

/// A vector of length one, or `None` for a vector that is too short to have a direction.
pub(crate) fn unit(vector: Vector) -> Option<Vector> {
    // Scaled first: the squares of very small or large numbers are not numbers any more.
    let largest = vector.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return None;
    }
    let scaled = vector.map(|value| value / largest);
    let length = length(scaled);
    Some(scaled.map(|value| value / length))
}

/// Three directions at right angles, right-handed, of which the last is the given unit vector.
pub(crate) fn frame(axis: Vector) -> [Vector; 3] {
    let mut smallest = 0;
    for index in 1..3 {
        if axis[index].abs() < axis[smallest].abs() {
            smallest = index;
        }
    }
    let mut other = [0.0; 3];
    other[smallest] = 1.0;
    let across = along(other, axis, -axis[smallest]);
    // At least sqrt(2/3) long, as the smallest component of a unit vector is below sqrt(1/3).
    let first = times(across, 1.0 / length(across));
    [first, cross(axis, first), axis]
}

/// The first coordinates of a slice; missing ones are zero.
pub(crate) fn padded(values: &[f64]) -> Vector {
    let mut vector = [0.0; 3];
    for (to, from) in vector.iter_mut().zip(values) {
        *to = *from;
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_orthonormal_and_right_handed() {
        for axis in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, -2.0, 3.0], [1e-200, 1e-201, 0.0]] {
            let axis = unit(axis).unwrap();
            let [first, second, third] = frame(axis);
            assert_eq!(third, axis);
            for (one, other) in [(first, second), (second, third), (third, first)] {
                assert!(dot(one, other).abs() < 1e-15 && (length(one) - 1.0).abs() < 1e-15);
            }
            assert!(dot(cross(first, second), third) > 0.999);
        }
        assert_eq!(frame([0.0, 0.0, 1.0])[0], [1.0, 0.0, 0.0]);
        assert_eq!(unit([0.0; 3]), None);
    }
}
