//! Steady flow of a viscous fluid in a box with a moving lid, by Chebyshev collocation.

use super::chebyshev::{Chebyshev, Matrix};
use super::corner::{Corner, Inertia, Side, Stream};
use super::dense;
use rayon::prelude::*;

/// Newton's steps for one Reynolds number, at most.
const STEPS: usize = 30;

/// A step that changes the stream function by less than this part is the last.
const SETTLED: f64 = 1e-13;

/// A step that is no longer than this may be rounding.
const ROUNDING: f64 = 1e-9;

/// The speed of the lid.
#[derive(Clone, Debug)]
pub(super) struct Lid {
    /// At the points of a grid.
    pub(super) speeds: Vec<f64>,
    /// At both ends.
    pub(super) corners: [Corner; 2],
}

impl Lid {
    /// From the speed and its slope.
    pub(super) fn new(points: &[f64], speed: impl Fn(f64) -> f64, slope: impl Fn(f64) -> f64) -> Lid {
        let corners = [
            Corner { side: Side::Left, value: speed(0.0), slope: slope(0.0) },
            Corner { side: Side::Right, value: speed(1.0), slope: -slope(1.0) },
        ];
        Lid { speeds: points.iter().map(|&x| speed(x)).collect(), corners }
    }
}

/// A field at all points of a grid, the second coordinate running fastest.
type Field = Vec<f64>;

/// The flow without what the corners add to it, which is known in closed form.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Flow {
    /// The degree of its polynomials along each coordinate.
    pub(super) degree: usize,
    pub(super) corners: [Corner; 2],
    pub(super) viscosity: f64,
    /// Velocity along x and y, and pressure.
    pub(super) fields: [Field; 3],
    /// The stream function, which another solution may start from.
    pub(super) stream: Field,
}

/// What Newton's steps work with.
struct Grid {
    chebyshev: Chebyshev,
    derivatives: [Matrix; 4],
    /// What the corners add, at all points; zero at the corners themselves.
    known: Vec<Stream>,
    /// Inertia that is balanced by a part of that.
    balanced: Vec<Inertia>,
    lid: Lid,
}

impl Flow {
    /// Solves for a Reynolds number from a coarser solution, or else approached from lower numbers. `None` where
    /// Newton's steps do not settle.
    pub(super) fn solve(
        degree: usize,
        reynolds: f64,
        speed: impl Fn(f64) -> f64,
        slope: impl Fn(f64) -> f64,
        from: Option<&Flow>,
    ) -> Option<Flow> {
        let chebyshev = Chebyshev::new(degree);
        let slow = Grid::new(Lid::new(&chebyshev.points, speed, slope), chebyshev, 0.0);
        let grid = Grid::new(slow.lid.clone(), slow.chebyshev.clone(), reynolds);
        if let Some(coarse) = from {
            let mut stream = coarse.stream_at(&grid.chebyshev.points);
            grid.newton(1.0 / reynolds, &mut stream)?;
            return Some(grid.flow(1.0 / reynolds, stream));
        }
        let mut stream = vec![0.0; grid.count() * grid.count()];
        let lower = (0..).map(|halvings| reynolds / f64::powi(2.0, halvings)).take_while(|&low| low > 100.0);
        let mut numbers: Vec<f64> = lower.collect();
        numbers.push(reynolds.min(100.0));
        numbers.dedup();
        // The correction by inertia belongs to one Reynolds number.
        for reynolds in numbers.into_iter().rev() {
            slow.newton(1.0 / reynolds, &mut stream)?;
        }
        let known = slow.known.iter().zip(&grid.known);
        stream.iter_mut().zip(known).for_each(|(value, (slow, all))| *value += slow.value - all.value);
        grid.newton(1.0 / reynolds, &mut stream)?;
        Some(grid.flow(1.0 / reynolds, stream))
    }

    /// The stream function on another grid.
    fn stream_at(&self, points: &[f64]) -> Field {
        let (chebyshev, count) = (Chebyshev::new(self.degree), self.degree + 1);
        let weights: Vec<Vec<f64>> = points.iter().map(|&place| chebyshev.interpolation(place)).collect();
        let sum = |weights: &[f64], value: &dyn Fn(usize) -> f64| -> f64 {
            weights.iter().enumerate().map(|(place, weight)| weight * value(place)).sum()
        };
        let lines: Vec<Field> = weights
            .iter()
            .map(|weights| (0..count).map(|j| sum(weights, &|i| self.stream[i * count + j])).collect())
            .collect();
        lines.iter().flat_map(|line| weights.iter().map(|weights| sum(weights, &|j| line[j]))).collect()
    }
}

impl Grid {
    /// With the correction by inertia for this Reynolds number; without it where that is zero.
    fn new(lid: Lid, chebyshev: Chebyshev, reynolds: f64) -> Grid {
        let derivatives = chebyshev.derivatives();
        let points = &chebyshev.points;
        let known = points.iter().flat_map(|&x| points.iter().map(move |&y| (x, y)));
        let known = known.map(|(x, y)| {
            let mut sum = Stream::default();
            let mut balanced = Inertia::default();
            for corner in lid.corners {
                sum = sum.plus(corner.stream(x, y), 1.0);
                if reynolds > 0.0 {
                    let inertia = corner.inertia(x, y);
                    sum = sum.plus(inertia.stream, reynolds);
                    balanced.torque += inertia.torque;
                    balanced.force.iter_mut().zip(inertia.force).for_each(|(sum, part)| *sum += part);
                }
            }
            // Nothing is asked of the equation in the corners themselves.
            if sum.xx.is_finite() { (sum, balanced) } else { Default::default() }
        });
        let (known, balanced) = known.unzip();
        Grid { chebyshev, derivatives, known, balanced, lid }
    }

    fn count(&self) -> usize {
        self.chebyshev.points.len()
    }

    /// A derivative of a field, so often along x and y.
    fn derive(&self, field: &[f64], along_x: usize, along_y: usize) -> Field {
        let count = self.count();
        let matrix = |order: usize| order.checked_sub(1).map(|position| &self.derivatives[position]);
        let mut field = field.to_vec();
        if let Some(matrix) = matrix(along_x) {
            field = (0..count * count)
                .map(|place| {
                    (0..count).map(|k| matrix[place / count][k] * field[k * count + place % count]).sum()
                })
                .collect();
        }
        if let Some(matrix) = matrix(along_y) {
            let row = |place: usize| &field[place / count * count..][..count];
            field = (0..count * count)
                .map(|place| matrix[place % count].iter().zip(row(place)).map(|(a, b)| a * b).sum())
                .collect();
        }
        field
    }

    /// Takes the stream function, less what the corners add, to the solution.
    fn newton(&self, viscosity: f64, stream: &mut Field) -> Option<()> {
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            let (rows, right) = self.linearised(viscosity, stream);
            let change = dense::solve(rows, right)?;
            stream.iter_mut().zip(&change).for_each(|(value, change)| *value += change);
            let largest = |field: &[f64]| field.iter().map(|value| value.abs()).fold(0.0, f64::max);
            let step = largest(&change) / largest(stream).max(1.0);
            // Steps get much shorter until they are nothing but rounding.
            if step < SETTLED || (step < ROUNDING && step > 0.1 * last) {
                return Some(());
            }
            last = step;
        }
        None
    }

    /// Newton's equations: ν ΔΔψ = ψ_y Δψ_x - ψ_x Δψ_y inside, ψ = 0 and its normal derivative on the walls.
    fn linearised(&self, viscosity: f64, stream: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let (count, last) = (self.count(), self.count() - 1);
        let [first, second, third, fourth] = &self.derivatives;
        let sum = |fields: &[(f64, Field)]| -> Field {
            (0..count * count)
                .map(|place| fields.iter().map(|(factor, field)| factor * field[place]).sum())
                .collect()
        };
        let derive = |along_x, along_y| self.derive(stream, along_x, along_y);
        let (x, y) = (derive(1, 0), derive(0, 1));
        let laplacian_x = sum(&[(1.0, derive(3, 0)), (1.0, derive(1, 2))]);
        let laplacian_y = sum(&[(1.0, derive(2, 1)), (1.0, derive(0, 3))]);
        let biharmonic = sum(&[(1.0, derive(4, 0)), (2.0, derive(2, 2)), (1.0, derive(0, 4))]);
        let row = |place: usize| {
            let (i, j) = (place / count, place % count);
            let known = &self.known[place];
            let mut row = vec![0.0; count * count];
            if i == 0 || i == last || j == 0 || j == last {
                row[place] = 1.0;
                return (row, -known.value - stream[place]);
            }
            // Next to lid and bottom stand their slopes; next to the walls the walls', but for the points
            // nearest to the corners, where the other slopes already say what the walls' are.
            if j == 1 || j + 1 == last {
                let edge = if j == 1 { 0 } else { last };
                row[i * count..(i + 1) * count].copy_from_slice(&first[edge]);
                let speed = if edge == last { self.lid.speeds[i] } else { 0.0 };
                let place = i * count + edge;
                return (row, speed - self.known[place].y - y[place]);
            }
            if i == 1 || i + 1 == last {
                let edge = if i == 1 { 0 } else { last };
                (0..count).for_each(|k| row[k * count + j] = first[edge][k]);
                let place = edge * count + j;
                return (row, -self.known[place].x - x[place]);
            }
            let (psi_x, psi_y) = (x[place] + known.x, y[place] + known.y);
            let (zeta_x, zeta_y) =
                (laplacian_x[place] + known.laplacian_x, laplacian_y[place] + known.laplacian_y);
            for k in 0..count {
                for l in 0..count {
                    let mut entry = 2.0 * viscosity * second[i][k] * second[j][l]
                        - psi_y * first[i][k] * second[j][l]
                        + psi_x * second[i][k] * first[j][l];
                    if l == j {
                        entry += viscosity * fourth[i][k] - psi_y * third[i][k] + zeta_y * first[i][k];
                    }
                    if k == i {
                        entry += viscosity * fourth[j][l] + psi_x * third[j][l] - zeta_x * first[j][l];
                    }
                    row[k * count + l] = entry;
                }
            }
            let inertia = psi_y * zeta_x - psi_x * zeta_y - self.balanced[place].torque;
            let residual = viscosity * biharmonic[place] - inertia;
            (row, -residual)
        };
        (0..count * count).into_par_iter().map(row).unzip()
    }

    /// Velocities and pressure of a stream function.
    fn flow(&self, viscosity: f64, stream: Field) -> Flow {
        let count = self.count();
        let derive = |along_x, along_y| self.derive(&stream, along_x, along_y);
        let (x, y, xx, xy, yy) = (derive(1, 0), derive(0, 1), derive(2, 0), derive(1, 1), derive(0, 2));
        let (third, mixed_y) = (derive(3, 0), derive(1, 2));
        let (mixed_x, third_y) = (derive(2, 1), derive(0, 3));
        // ∇p = ν Δu - (u·∇)u; what the corners add is balanced by pressure that is known.
        let force = |place: usize| {
            let known = &self.known[place];
            let (u, v) = (y[place] + known.y, -x[place] - known.x);
            let (xx, xy, yy) = (xx[place] + known.xx, xy[place] + known.xy, yy[place] + known.yy);
            let [across, up] = self.balanced[place].force;
            [
                viscosity * (mixed_x[place] + third_y[place]) - u * xy - v * yy + across,
                -viscosity * (third[place] + mixed_y[place]) + u * xx + v * xy + up,
            ]
        };
        let forces: Vec<[f64; 2]> = (0..count * count).map(force).collect();
        let integral = self.integration();
        let integrate = |values: &dyn Fn(usize) -> f64, to: usize| -> f64 {
            (0..count).map(|k| integral[to][k] * values(k)).sum()
        };
        // Along the middle, far from the corners, and from there up and down.
        let middle = count / 2;
        let along: Vec<f64> = (0..count).map(|i| integrate(&|k| forces[k * count + middle][0], i)).collect();
        let mut pressure = vec![0.0; count * count];
        for i in 0..count {
            let up = |to: usize| integrate(&|k| forces[i * count + k][1], to);
            let start = along[i] - up(middle);
            (0..count).for_each(|j| pressure[i * count + j] = start + up(j));
        }
        let fields = [y, x.iter().map(|x| -x).collect(), pressure];
        Flow { degree: count - 1, corners: self.lid.corners, viscosity, fields, stream }
    }

    /// Integrals from 0 to every point, by the values at all points.
    fn integration(&self) -> Matrix {
        let count = self.count();
        let derivative = &self.derivatives[0];
        // The polynomial whose derivative has these values and that is zero at zero; its derivative at
        // zero is one condition too many, as it is of one degree less.
        let column = |k: usize| {
            let mut rows: Vec<Vec<f64>> = derivative.clone();
            rows[0] = (0..count).map(|i| f64::from(u8::from(i == 0))).collect();
            let right = (0..count).map(|i| f64::from(u8::from(i == k && i > 0))).collect();
            dense::solve(rows, right).unwrap_or_else(|| vec![f64::NAN; count])
        };
        let columns: Vec<Vec<f64>> = (0..count).map(column).collect();
        (0..count).map(|i| columns.iter().map(|column| column[i]).collect()).collect()
    }
}
