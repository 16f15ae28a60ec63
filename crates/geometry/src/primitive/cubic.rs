//! Cubic polynomials between points of the plane.

/// `a + b·t + c·t² + d·t³` for t from zero to one, by coordinate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cubic {
    factors: [[f64; 4]; 2],
}

impl Cubic {
    pub(crate) fn point(&self, t: f64) -> [f64; 2] {
        self.factors.map(|[a, b, c, d]| a + t * (b + t * (c + t * d)))
    }

    /// The derivative by t.
    pub(crate) fn slope(&self, t: f64) -> [f64; 2] {
        self.factors.map(|[_, b, c, d]| b + t * (2.0 * c + t * 3.0 * d))
    }

    /// Where one of the coordinates turns back, within the interval.
    pub(crate) fn turns(&self) -> Vec<f64> {
        let mut turns = Vec::new();
        for [_, b, c, d] in self.factors {
            turns.extend(roots(b, 2.0 * c, 3.0 * d).into_iter().filter(|t| 0.0 < *t && *t < 1.0));
        }
        turns
    }

    /// The largest `point·direction`.
    pub(crate) fn highest(&self, direction: [f64; 2]) -> f64 {
        let [x, y] = self.factors;
        let [_, b, c, d]: [f64; 4] =
            std::array::from_fn(|power| direction[0] * x[power] + direction[1] * y[power]);
        let turns = roots(b, 2.0 * c, 3.0 * d).into_iter().filter(|t| 0.0 < *t && *t < 1.0);
        turns
            .chain([0.0, 1.0])
            .map(|t| {
                let [x, y] = self.point(t);
                direction[0] * x + direction[1] * y
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Where the second coordinate has a value, in an interval in which it rises or falls all the way past that.
    pub(crate) fn at_height(&self, height: f64, span: [f64; 2], rising: bool) -> f64 {
        let [mut low, mut high] = span;
        let mut t = 0.5 * (low + high);
        for _ in 0..100 {
            let over = self.point(t)[1] - height;
            if (over > 0.0) == rising {
                high = t;
            } else {
                low = t;
            }
            let mut next = t - over / self.slope(t)[1];
            if !(low <= next && next <= high) {
                next = 0.5 * (low + high);
            }
            let step = (next - t).abs();
            t = next;
            if step <= 1e-16 {
                break;
            }
        }
        t
    }

    /// The distance to a point, if it is less than the one known, found to the given accuracy.
    pub(crate) fn nearer(&self, point: [f64; 2], known: f64, accuracy: f64) -> f64 {
        // Second derivatives are linear: the largest one is at an end.
        let bend = [0.0, 1.0].map(|t| {
            let [x, y] = self.factors.map(|[_, _, c, d]| 2.0 * c + 6.0 * d * t);
            (x * x + y * y).sqrt()
        });
        let bend = bend[0].max(bend[1]);
        let mut least = known;
        let mut open = vec![([0.0, 1.0], [self.point(0.0), self.point(1.0)])];
        while let Some(([from, to], [start, end])) = open.pop() {
            let width = to - from;
            // A curve is this close to its chord, as linear interpolation is to its function.
            let sag = bend * width * width / 8.0;
            let (distance, share) = from_chord(point, start, end);
            if distance - sag >= least {
                continue;
            }
            let foot = self.point(from + share * width);
            least = least.min((foot[0] - point[0]).hypot(foot[1] - point[1]));
            if sag > accuracy && distance - sag < least {
                let middle = 0.5 * (from + to);
                let half = self.point(middle);
                let (left, right) = (([from, middle], [start, half]), ([middle, to], [half, end]));
                // The more promising half is looked at first.
                open.extend(if share < 0.5 { [right, left] } else { [left, right] });
            }
        }
        least
    }
}

/// The distance to a segment, and where on it the nearest point is.
fn from_chord(point: [f64; 2], start: [f64; 2], end: [f64; 2]) -> (f64, f64) {
    let (run, rise) = (end[0] - start[0], end[1] - start[1]);
    let (x, y) = (point[0] - start[0], point[1] - start[1]);
    let square = run * run + rise * rise;
    let share = if square > 0.0 { ((x * run + y * rise) / square).clamp(0.0, 1.0) } else { 0.0 };
    ((x - share * run).hypot(y - share * rise), share)
}

/// Real roots of `a + b·t + c·t²`.
fn roots(a: f64, b: f64, c: f64) -> Vec<f64> {
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 {
        return Vec::new();
    }
    // The sum without cancellation; the other root follows from the product of both.
    let sum = -0.5 * (b + discriminant.sqrt().copysign(b));
    [sum / c, a / sum].into_iter().filter(|root| root.is_finite()).collect()
}

/// The closed cubic spline through points. Neighbours differ.
pub(crate) fn periodic(points: &[[f64; 2]]) -> Vec<Cubic> {
    let count = points.len();
    let next = |index: usize| (index + 1) % count;
    let widths: Vec<f64> = (0..count)
        .map(|index| {
            let [from, to] = [points[index], points[next(index)]];
            (to[0] - from[0]).hypot(to[1] - from[1])
        })
        .collect();
    let slopes = [0, 1].map(|axis| {
        let values: Vec<f64> = points.iter().map(|point| point[axis]).collect();
        slopes(&values, &widths)
    });
    (0..count)
        .map(|index| {
            let factors = [0, 1].map(|axis| {
                let (from, rise) = (points[index][axis], points[next(index)][axis] - points[index][axis]);
                let start = widths[index] * slopes[axis][index];
                let end = widths[index] * slopes[axis][next(index)];
                [from, start, 3.0 * rise - 2.0 * start - end, start + end - 2.0 * rise]
            });
            Cubic { factors }
        })
        .collect()
}

/// First derivatives that make second derivatives continuous: a cyclic system with three diagonals, by elimination
/// without it and the correction of Sherman and Morrison for the two corners.
fn slopes(values: &[f64], widths: &[f64]) -> Vec<f64> {
    let count = values.len();
    let before = |index: usize| (index + count - 1) % count;
    let inverse: Vec<f64> = widths.iter().map(|width| 1.0 / width).collect();
    let rate = |index: usize| (values[(index + 1) % count] - values[index]) * inverse[index] * inverse[index];
    let corner = inverse[count - 1];
    let mut diagonal: Vec<f64> =
        (0..count).map(|index| 2.0 * (inverse[before(index)] + inverse[index])).collect();
    // The matrix is what remains plus the corner times (1, 0, …, 0, 1) by itself.
    diagonal[0] -= corner;
    diagonal[count - 1] -= corner;
    let right: Vec<f64> = (0..count).map(|index| 3.0 * (rate(before(index)) + rate(index))).collect();
    let mut ends = vec![0.0; count];
    ends[0] = 1.0;
    ends[count - 1] = 1.0;
    let plain = eliminated(&diagonal, &inverse[..count - 1], right);
    let corrected = eliminated(&diagonal, &inverse[..count - 1], ends);
    let factor =
        corner * (plain[0] + plain[count - 1]) / (1.0 + corner * (corrected[0] + corrected[count - 1]));
    plain.iter().zip(&corrected).map(|(plain, corrected)| plain - factor * corrected).collect()
}

/// The solution of a symmetric system with three diagonals, which dominates by its diagonal.
fn eliminated(diagonal: &[f64], beside: &[f64], mut right: Vec<f64>) -> Vec<f64> {
    let count = diagonal.len();
    let mut pivots = diagonal.to_vec();
    for index in 1..count {
        let factor = beside[index - 1] / pivots[index - 1];
        pivots[index] -= factor * beside[index - 1];
        right[index] -= factor * right[index - 1];
    }
    right[count - 1] /= pivots[count - 1];
    for index in (0..count - 1).rev() {
        right[index] = (right[index] - beside[index] * right[index + 1]) / pivots[index];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spline_runs_through_its_points_with_two_derivatives() {
        let points = [[0.0, 0.0], [1.0, 0.2], [1.5, 1.0], [0.4, 1.6], [-0.3, 0.9]];
        let cubics = periodic(&points);
        for (index, cubic) in cubics.iter().enumerate() {
            let next = &cubics[(index + 1) % 5];
            let width = |index: usize| {
                let [from, to]: [[f64; 2]; 2] = [points[index % 5], points[(index + 1) % 5]];
                (to[0] - from[0]).hypot(to[1] - from[1])
            };
            let (own, others) = (width(index), width(index + 1));
            for (axis, value) in points[index].iter().enumerate() {
                assert_eq!(cubic.point(0.0)[axis], *value);
                assert!((cubic.point(1.0)[axis] - next.point(0.0)[axis]).abs() < 1e-14);
                assert!((cubic.slope(1.0)[axis] / own - next.slope(0.0)[axis] / others).abs() < 1e-13);
                let [[_, _, c, d], [_, _, after, _]] = [cubic.factors[axis], next.factors[axis]];
                let (end, start) = ((2.0 * c + 6.0 * d) / own / own, 2.0 * after / others / others);
                assert!((end - start).abs() < 1e-12, "{end} {start}");
            }
        }
    }
}
