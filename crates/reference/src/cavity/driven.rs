//! A problem of a driven cavity with its solution, computed when it is first asked for.

use super::chebyshev::Chebyshev;
use super::corner::{Corner, Side, Stream};
use super::flow::Flow;
use equation::expression::{Derivative, Expression, Field, Leaf, Pool, evaluate};
use equation::problem::{Place, Problem};
use std::sync::OnceLock;
use store::{Cache, Key};

/// Degrees of the polynomials that are tried, one after the other.
const DEGREES: [usize; 6] = [16, 24, 32, 40, 48, 56];

/// The relative L2 difference that the velocities of two solutions may have.
const TOLERANCE: f64 = 1e-7;

/// Why a problem is no driven cavity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoCavity {
    /// Other coordinates.
    #[error("the coordinates are not x and y from 0 to 1")]
    Coordinates,
    /// Another unknown.
    #[error("the unknowns must be the velocities u and v and the pressure p")]
    Unknown,
    /// No number of Reynolds.
    #[error("there is no positive constant `Re`")]
    Reynolds,
    /// Nothing moves.
    #[error("no condition of the form `u = formula of x` holds on `y = 1`")]
    Lid,
}

/// What a solution is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Component {
    /// Velocity along x, `u`.
    Across,
    /// Velocity along y, `v`.
    Up,
    /// `p`, up to a constant.
    Pressure,
}

/// The steady flow in the unit square under a lid y = 1 that moves along x.
#[derive(Clone, Debug)]
pub struct Driven {
    pool: Pool,
    /// The lid's speed and its slope.
    lid: [Expression; 2],
    reynolds: f64,
    /// Positions of x and y.
    axes: [usize; 2],
    tolerance: f64,
    statement: String,
    cache: Cache,
    solution: OnceLock<Result<Settled, f64>>,
}

/// A flow, and by how much its components change with the degree.
#[derive(Clone, PartialEq, Debug)]
struct Settled {
    flow: Flow,
    changes: [f64; 3],
}

impl Driven {
    /// The problem in the form that is solved, if it has it. Nothing is solved yet. That its equations are
    /// those of a steady flow is taken for granted.
    pub fn new(problem: &Problem, tolerance: Option<f64>, cache: &Cache) -> Result<Self, NoCavity> {
        let axis = |name: &str| {
            let axis = problem.domain.find(name)?;
            let coordinate = &problem.domain.coordinates[axis];
            (coordinate.low == 0.0 && coordinate.high == 1.0).then_some(axis)
        };
        let (Some(x), Some(y), 2) = (axis("x"), axis("y"), problem.domain.len()) else {
            return Err(NoCavity::Coordinates);
        };
        let reynolds = problem.constants.iter().find(|(name, value)| name == "Re" && *value > 0.0);
        let (_, reynolds) = reynolds.ok_or(NoCavity::Reynolds)?;
        let mut pool = problem.pool.clone();
        let speed = lid(problem, &mut pool, x, y).ok_or(NoCavity::Lid)?;
        let slope = pool.differentiate(speed, x);
        let tolerance = tolerance.unwrap_or(TOLERANCE);
        let statement =
            format!("chebyshev-cavity 4, Re {reynolds:?}, {tolerance:e}, lid {}", pool.print(speed, problem));
        Ok(Driven {
            pool,
            lid: [speed, slope],
            reynolds: *reynolds,
            axes: [x, y],
            tolerance,
            statement,
            cache: cache.clone(),
            solution: OnceLock::new(),
        })
    }

    /// Finds it in the cache or solves it, at most once: seconds to a minute. `Err` is the last change.
    fn settled(&self) -> Result<&Settled, f64> {
        let solved = self.solution.get_or_init(|| {
            let key = Key::of(&[&self.statement]);
            let kept = self.cache.get(key).and_then(|bytes| Settled::from_bytes(&bytes));
            if let Some(settled) = kept {
                return Ok(settled);
            }
            let settled = self.settle()?;
            self.cache.put(key, &settled.to_bytes());
            Ok(settled)
        });
        solved.as_ref().map_err(|change| *change)
    }

    /// Solves with higher and higher degrees until the flow no longer changes.
    fn settle(&self) -> Result<Settled, f64> {
        let at = |formula: Expression| {
            move |x: f64| {
                evaluate(&self.pool, formula, &|leaf| match leaf {
                    Leaf::Coordinate(_) => x,
                    // The lid is a formula of x.
                    _ => f64::NAN,
                })
            }
        };
        let [speed, slope] = self.lid.map(at);
        let mut last: Option<Flow> = None;
        let mut change = f64::INFINITY;
        for degree in DEGREES {
            // A coarse grid may have no steady flow.
            let flow = Flow::solve(degree, self.reynolds, speed, slope, last.as_ref());
            let Some(flow) = flow else { continue };
            if let Some(coarse) = &last {
                let changes = Component::ALL.map(|component| coarse.distance(&flow, component));
                change = changes[0].max(changes[1]);
                if change <= self.tolerance {
                    return Ok(Settled { flow, changes });
                }
            }
            last = Some(flow);
        }
        Err(change)
    }

    /// The degree of the polynomials, and by how much a component changes from the next lower one, as a
    /// relative L2 difference. `Err` is the last change of velocities that do not settle.
    pub fn accuracy(&self, component: Component) -> Result<(usize, f64), f64> {
        self.settled().map(|settled| (settled.flow.degree, settled.changes[component as usize]))
    }

    /// Writes the values of a component at these points, quickly where consecutive ones share their x; NaN
    /// where there is no solution.
    pub fn values<'a>(
        &self,
        component: Component,
        places: impl Iterator<Item = &'a [f64]>,
        values: &mut [f64],
    ) {
        let Ok(Settled { flow, .. }) = self.settled() else { return values.fill(f64::NAN) };
        let chebyshev = Chebyshev::new(flow.degree);
        let mut column: Option<(f64, Vec<f64>)> = None;
        for (place, value) in places.zip(values) {
            let [x, y] = self.axes.map(|axis| place[axis]);
            let column = match &mut column {
                Some((at, column)) if *at == x => column,
                other => &mut other.insert((x, flow.column(&chebyshev, component, x))).1,
            };
            let smooth: f64 =
                chebyshev.interpolation(y).iter().zip(&*column).map(|(weight, value)| weight * value).sum();
            *value = smooth + flow.known(component, x, y);
        }
    }
}

/// What the condition on u at the lid says.
fn lid(problem: &Problem, pool: &mut Pool, x: usize, y: usize) -> Option<Expression> {
    let unknown = problem.unknowns.iter().position(|unknown| unknown.name == "u")?;
    let value = Leaf::Field(Field { unknown: unknown as u16, derivative: Derivative::NONE, site: 0 });
    let lid = |place: &Place| match place {
        Place::Pieces(pieces) => {
            pieces.iter().all(|piece| piece.filter.is_none() && piece.fixed.as_slice() == [(y, 1.0)])
        }
        Place::Wrap { .. } | Place::Interface { .. } => false,
    };
    let stated = problem.conditions.iter().filter(|condition| lid(&condition.place));
    stated.flat_map(|condition| &condition.equations).find_map(|equation| {
        let slope = pool.derivative(equation.residual, value);
        let factor = pool.as_number(slope).filter(|factor| *factor != 0.0)?;
        let field = pool.leaf(value);
        let formula = pool.combine(&[(equation.residual, -1.0 / factor), (field, 1.0)]);
        let only_x = |leaf| !matches!(leaf, Leaf::Coordinate(axis) if usize::from(axis) == x);
        (!pool.mentions(formula, only_x)).then_some(formula)
    })
}

impl Component {
    /// All of them, in the order of [`Flow::fields`].
    const ALL: [Component; 3] = [Component::Across, Component::Up, Component::Pressure];

    /// What an unknown of this name is.
    pub fn find(name: &str) -> Result<Component, NoCavity> {
        match name {
            "u" => Ok(Component::Across),
            "v" => Ok(Component::Up),
            "p" => Ok(Component::Pressure),
            _ => Err(NoCavity::Unknown),
        }
    }
}

impl Flow {
    /// What the corners add to a component.
    fn known(&self, component: Component, x: f64, y: f64) -> f64 {
        let part = |stream: Stream| match component {
            Component::Across => stream.y,
            Component::Up => -stream.x,
            Component::Pressure => self.viscosity * stream.pressure,
        };
        let corners = self.corners.iter();
        corners
            .map(|corner| part(corner.stream(x, y)) + part(corner.inertia(x, y).stream) / self.viscosity)
            .sum()
    }

    /// A component less what the corners add, at the points of the grid along y.
    fn column(&self, chebyshev: &Chebyshev, component: Component, x: f64) -> Vec<f64> {
        let count = self.degree + 1;
        let field = &self.fields[component as usize];
        let weights = chebyshev.interpolation(x);
        (0..count)
            .map(|j| weights.iter().enumerate().map(|(i, weight)| weight * field[i * count + j]).sum())
            .collect()
    }

    /// A component anywhere.
    pub(super) fn value(&self, component: Component, x: f64, y: f64) -> f64 {
        let chebyshev = Chebyshev::new(self.degree);
        let column = self.column(&chebyshev, component, x);
        let smooth: f64 =
            chebyshev.interpolation(y).iter().zip(column).map(|(weight, value)| weight * value).sum();
        smooth + self.known(component, x, y)
    }

    /// The relative L2 difference of a component at places off every grid; both less their means where it is the
    /// pressure.
    pub(super) fn distance(&self, finer: &Flow, component: Component) -> f64 {
        const PLACES: u32 = 400;
        let values = |flow: &Flow| -> Vec<f64> {
            let value = |place: u32| {
                let [x, y] = [0.618, 0.755].map(|ratio| (ratio * (f64::from(place) + 0.5)).fract());
                flow.value(component, x, y)
            };
            let values: Vec<f64> = (0..PLACES).map(value).collect();
            let mean = values.iter().sum::<f64>() / f64::from(PLACES);
            let level = if component == Component::Pressure { mean } else { 0.0 };
            values.into_iter().map(|value| value - level).collect()
        };
        let (coarse, fine) = (values(self), values(finer));
        let square = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
        let differences = square(&mut coarse.iter().zip(&fine).map(|(coarse, fine)| coarse - fine));
        (differences / square(&mut fine.iter().copied())).sqrt()
    }
}

impl Settled {
    fn to_bytes(&self) -> Vec<u8> {
        let Flow { degree, corners, viscosity, fields, stream } = &self.flow;
        let numbers = self.changes.into_iter().chain([*degree as f64, *viscosity]);
        let numbers = numbers.chain(corners.iter().flat_map(|corner| [corner.value, corner.slope]));
        numbers.chain(fields.iter().flatten().chain(stream).copied()).flat_map(f64::to_le_bytes).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Settled> {
        let (words, []) = bytes.as_chunks::<8>() else { return None };
        let numbers: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
        let (&[u, v, p, degree, viscosity, left, left_slope, right, right_slope], rest) =
            numbers.split_first_chunk::<9>()?;
        let size = (degree as usize + 1).checked_pow(2)?;
        if rest.len() != size.checked_mul(4)? {
            return None;
        }
        let corners = [
            Corner { side: Side::Left, value: left, slope: left_slope },
            Corner { side: Side::Right, value: right, slope: right_slope },
        ];
        let field = |number: usize| rest[number * size..(number + 1) * size].to_vec();
        let (fields, stream) = ([0, 1, 2].map(field), field(3));
        let flow = Flow { degree: degree as usize, corners, viscosity, fields, stream };
        Some(Settled { flow, changes: [u, v, p] })
    }
}
