//! How often what changes in time alone turns on its way. Where there is no space, the way itself is cheap: it is followed
//! by Runge and Kutta's method, coarsely, and thrown away.

use super::start::InitialState;
use super::{in_time, orders};
use crate::expression::{Expression, Field, Leaf, Pool, evaluate};
use crate::problem::Problem;

/// Steps over all of time: forty for each of fifty periods.
const STEPS: usize = 2000;

/// Nodes of all equations, beyond which they are not followed.
const MOST_NODES: usize = 500;

/// Corrections of an implicit step, beyond which it is given up.
const MOST_CORRECTIONS: usize = 30;

/// A turn counts when the way back is this part of all of the way between the extremes.
const PART: f64 = 0.02;

/// Equations that are linear in the highest derivatives in time.
struct Motion<'problem> {
    pool: &'problem Pool,
    time: usize,
    /// Of every unknown, and where its values begin in a state.
    orders: Vec<usize>,
    begins: Vec<usize>,
    residuals: Vec<Expression>,
    /// What the highest derivative of an unknown changes in an equation, row by row.
    slopes: Vec<Vec<Expression>>,
}

/// Half the number of turns of the unknown that turns most often. `None` where it cannot be told.
pub(super) fn periods(problem: &Problem, time: usize) -> Option<f64> {
    let mut pool = problem.pool.clone();
    let (motion, state) = Motion::begin(problem, &mut pool, time)?;
    let coordinate = &problem.domain.coordinates[time];
    let ways = motion.follow(state, coordinate.low, coordinate.high)?;
    let most = motion.begins.iter().map(|&begin| count(ways.iter().map(|state| state[begin]))).max()?;
    Some(most as f64 / 2.0)
}

/// How large every unknown becomes on its way. `None` where it cannot be told.
pub(super) fn sizes(problem: &Problem, time: usize) -> Option<Vec<f64>> {
    let mut pool = problem.pool.clone();
    let (motion, state) = Motion::begin(problem, &mut pool, time)?;
    let coordinate = &problem.domain.coordinates[time];
    motion.follow_stiffly(state, coordinate.low, coordinate.high)
}

impl<'problem> Motion<'problem> {
    /// The equations, and the state that conditions prescribe at the start.
    fn begin(problem: &Problem, pool: &'problem mut Pool, time: usize) -> Option<(Self, Vec<f64>)> {
        let orders = orders(problem, time);
        if problem.domain.coordinates.len() > 1 || problem.equations.len() != orders.len() {
            return None;
        }
        let begin =
            InitialState::read(pool, problem, time).values(pool, problem.domain.coordinates[time].low);
        let motion = Motion::of(problem, pool, time, orders)?;
        let mut state = Vec::new();
        for (unknown, &order) in motion.orders.iter().enumerate() {
            for power in 0..order {
                let known = begin.iter().find(|(field, _)| {
                    usize::from(field.unknown) == unknown && in_time(*field, time) == power
                });
                state.push(known?.1);
            }
        }
        Some((motion, state))
    }

    fn of(problem: &Problem, pool: &'problem mut Pool, time: usize, orders: Vec<usize>) -> Option<Self> {
        let residuals: Vec<Expression> = problem.equations.iter().map(|equation| equation.residual).collect();
        let mut nodes = 0;
        pool.visit(&residuals, |_, _| nodes += 1);
        if nodes > MOST_NODES {
            return None;
        }
        let leaves = pool.leaves(&residuals);
        let highest = |(unknown, &order): (usize, &usize)| {
            leaves.iter().copied().find(|leaf| {
                matches!(leaf, Leaf::Field(field)
                    if usize::from(field.unknown) == unknown && in_time(*field, time) == order)
            })
        };
        let highest: Vec<Leaf> = orders.iter().enumerate().map(highest).collect::<Option<_>>()?;
        let slopes: Vec<Vec<Expression>> = (residuals.iter())
            .map(|&residual| highest.iter().map(|&leaf| pool.derivative(residual, leaf)).collect())
            .collect();
        let linear =
            slopes.iter().flatten().all(|&slope| !pool.mentions(slope, |leaf| highest.contains(&leaf)));
        let begins = orders.iter().scan(0, |next, &order| {
            let begin = *next;
            *next += order;
            Some(begin)
        });
        let begins = begins.collect();
        (linear && pool.overflow().is_none()).then_some(Motion {
            pool,
            time,
            orders,
            begins,
            residuals,
            slopes,
        })
    }

    /// States one after the other, from the first to the last moment.
    fn follow(&self, mut state: Vec<f64>, low: f64, high: f64) -> Option<Vec<Vec<f64>>> {
        let length = (high - low) / STEPS as f64;
        let mut ways = vec![state.clone()];
        for step in 0..STEPS {
            let moment = low + length * step as f64;
            let moved = |rate: &[f64], part: f64| -> Vec<f64> {
                state.iter().zip(rate).map(|(number, rate)| number + part * length * rate).collect()
            };
            let first = self.rate(moment, &state)?;
            let second = self.rate(moment + length / 2.0, &moved(&first, 0.5))?;
            let third = self.rate(moment + length / 2.0, &moved(&second, 0.5))?;
            let last = self.rate(moment + length, &moved(&third, 1.0))?;
            let mean =
                |place: usize| (first[place] + 2.0 * (second[place] + third[place]) + last[place]) / 6.0;
            let mean: Vec<f64> = (0..state.len()).map(mean).collect();
            state = moved(&mean, 1.0);
            if state.iter().any(|number| !number.is_finite()) {
                return None;
            }
            ways.push(state.clone());
        }
        Some(ways)
    }

    /// The largest absolute value of every unknown, by Euler's implicit method, which stays where it belongs however fast
    /// something decays.
    fn follow_stiffly(&self, mut state: Vec<f64>, low: f64, high: f64) -> Option<Vec<f64>> {
        let length = (high - low) / STEPS as f64;
        let mut largest = vec![0.0; self.begins.len()];
        for step in 0..=STEPS {
            for (largest, &begin) in largest.iter_mut().zip(&self.begins) {
                *largest = f64::max(*largest, state[begin].abs());
            }
            if step < STEPS {
                state = self.implicit_step(low + length * (step as f64 + 1.0), length, &state)?;
            }
        }
        Some(largest)
    }

    /// The state that is a step's length of its own rate away from `before`, by Newton's method.
    fn implicit_step(&self, moment: f64, length: f64, before: &[f64]) -> Option<Vec<f64>> {
        let mut state = before.to_vec();
        for _ in 0..MOST_CORRECTIONS {
            let rate = self.rate(moment, &state)?;
            let off = |place: usize| before[place] + length * rate[place] - state[place];
            let mut rows: Vec<Vec<f64>> = (0..state.len())
                .map(|place| vec![0.0; state.len()].into_iter().chain([off(place)]).collect())
                .collect();
            for column in 0..state.len() {
                // Small beside the number itself, and beside what a step makes of it.
                let nudge = 1e-6 * (state[column].abs() + (length * rate[column]).abs()).max(1e-12);
                let mut moved = state.clone();
                moved[column] += nudge;
                let changed = self.rate(moment, &moved)?;
                for (row, (changed, rate)) in rows.iter_mut().zip(changed.iter().zip(&rate)) {
                    row[column] = -length * (changed - rate) / nudge;
                }
                rows[column][column] += 1.0;
            }
            let change = solve(&mut rows)?;
            state.iter_mut().zip(&change).for_each(|(number, change)| *number += change);
            if state.iter().any(|number| !number.is_finite()) {
                return None;
            }
            let small = |(number, change): (&f64, &f64)| change.abs() <= 1e-3 * number.abs() + 1e-12;
            if state.iter().zip(&change).all(small) {
                return Some(state);
            }
        }
        None
    }

    /// How a state changes.
    fn rate(&self, moment: f64, state: &[f64]) -> Option<Vec<f64>> {
        let value = |expression: Expression| {
            evaluate(self.pool, expression, &|leaf| match leaf {
                Leaf::Coordinate(_) => moment,
                Leaf::Field(field) => self.known(field, state),
                _ => f64::NAN,
            })
        };
        let mut rows: Vec<Vec<f64>> = (self.slopes.iter().zip(&self.residuals))
            .map(|(slopes, &residual)| {
                slopes.iter().map(|&slope| value(slope)).chain([-value(residual)]).collect()
            })
            .collect();
        let highest = solve(&mut rows)?;
        let mut rate = vec![0.0; state.len()];
        for (unknown, (&begin, &order)) in self.begins.iter().zip(&self.orders).enumerate() {
            rate[begin..begin + order - 1].copy_from_slice(&state[begin + 1..begin + order]);
            rate[begin + order - 1] = highest[unknown];
        }
        Some(rate)
    }

    /// A field in a state whose highest derivatives are taken for zero.
    fn known(&self, field: Field, state: &[f64]) -> f64 {
        let (unknown, power) = (usize::from(field.unknown), in_time(field, self.time));
        if power < self.orders[unknown] { state[self.begins[unknown] + power] } else { 0.0 }
    }
}

/// Solves equations whose right sides are their last numbers, by elimination with the largest pivot of every column.
fn solve(rows: &mut [Vec<f64>]) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|&one, &other| rows[one][column].abs().total_cmp(&rows[other][column].abs()))?;
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        if pivot[column] == 0.0 || !pivot[column].is_finite() {
            return None;
        }
        for row in below {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(pivot).for_each(|(number, other)| *number -= factor * other);
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][size] - known) / rows[row][row];
    }
    Some(solution)
}

/// How often values turn around.
fn count(values: impl Iterator<Item = f64> + Clone) -> usize {
    let (low, high) = values
        .clone()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let enough = PART * (high - low);
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut rises, mut extrema) = (None, 0_usize);
    for value in values {
        (lowest, highest) = (lowest.min(value), highest.max(value));
        let turned = match rises {
            Some(true) => (highest - value > enough).then_some(false),
            Some(false) => (value - lowest > enough).then_some(true),
            None if highest - value > enough => Some(false),
            None if value - lowest > enough => Some(true),
            None => None,
        };
        if turned.is_some() {
            extrema += usize::from(rises.is_some());
            (rises, lowest, highest) = (turned, value, value);
        }
    }
    extrema
}
