//! Time in windows: a problem as several, one after the other, each beginning where the one before ended.

use super::{Budget, Place, Problem, Role, Training};
use crate::expression::{Expression, Leaf};
use std::iter;

/// Shares of the first window, where every other has one: it starts from untrained weights, and what it misses all
/// others miss.
const FIRST: usize = 3;

/// How time is to be cut into windows.
#[derive(Clone, PartialEq, Debug)]
pub enum Parts {
    /// Into this many of the same length; at least one.
    Equal(usize),
    /// At these times, which ascend inside of its interval.
    At(Vec<f64>),
}

impl Parts {
    /// How many windows there are; at least one.
    pub fn count(&self) -> usize {
        match self {
            Parts::Equal(count) => *count,
            Parts::At(times) => times.len() + 1,
        }
    }
}

/// Time cut into windows.
#[derive(Clone, PartialEq, Debug)]
pub struct Windows {
    /// The coordinate that is time.
    pub axis: usize,
    /// Where windows begin and end, ascending: one more than windows.
    pub cuts: Vec<f64>,
}

impl Windows {
    /// How many there are: at least two.
    pub fn count(&self) -> usize {
        self.cuts.len() - 1
    }

    /// Where a window begins and ends.
    pub fn interval(&self, number: usize) -> (f64, f64) {
        (self.cuts[number], self.cuts[number + 1])
    }

    /// The window that a time belongs to: where two meet, the earlier one.
    pub fn at(&self, time: f64) -> usize {
        let ends = &self.cuts[1..self.count()];
        ends.partition_point(|&end| end < time)
    }
}

/// What keeps time from being cut into windows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tie {
    /// There is no time.
    NoTime,
    /// Time has no start: the network takes it for a circle, or a condition ties its ends together.
    Circle,
    /// Scalars are trained, which belong to all windows at once.
    Parameters,
    /// Measurements belong to any time.
    Data,
    /// A condition of later times.
    Later {
        /// Which.
        condition: usize,
    },
    /// A condition that holds at some times only.
    Filter {
        /// Which.
        condition: usize,
    },
    /// An ansatz that holds at the first start only.
    Ansatz {
        /// The field that it is of.
        unknown: usize,
    },
    /// An integral over time, or a value at some time.
    Elsewhere,
    /// No condition says how it begins.
    NoStart,
}

impl Problem {
    /// The coordinate that is time.
    pub fn time(&self) -> Option<usize> {
        self.domain.coordinates.iter().position(|coordinate| coordinate.role == Role::Time)
    }

    /// The time windows; `None` where there is but one.
    pub fn windows(&self) -> Option<Windows> {
        let (axis, count) = (self.time()?, self.training.windows.count());
        let time = &self.domain.coordinates[axis];
        let inside: Vec<f64> = match &self.training.windows {
            Parts::Equal(count) => {
                let parts = (1..*count).map(|number| number as f64 / *count as f64);
                parts.map(|part| time.low + (time.high - time.low) * part).collect()
            }
            Parts::At(times) => times.clone(),
        };
        let cuts = iter::once(time.low).chain(inside).chain([time.high]);
        (count > 1).then(|| Windows { axis, cuts: cuts.collect() })
    }

    /// What keeps time from being cut into windows, if anything does.
    pub(crate) fn tie(&self) -> Option<Tie> {
        let Some(axis) = self.time() else { return Some(Tie::NoTime) };
        let low = self.domain.coordinates[axis].low;
        let depends = |expression: Expression| {
            self.pool.mentions(expression, |leaf| leaf == Leaf::Coordinate(axis as u16))
        };
        if !self.parameters.is_empty() {
            return Some(Tie::Parameters);
        }
        if !self.data.is_empty() {
            return Some(Tie::Data);
        }
        if self.network.periodic.iter().any(|periodic| periodic.axis == axis) {
            return Some(Tie::Circle);
        }
        let places = self.conditions.iter().flat_map(|condition| &condition.elsewhere).chain(&self.elsewhere);
        if places.flatten().any(|(fixed, _)| *fixed == axis) {
            return Some(Tie::Elsewhere);
        }
        let mut begins = false;
        for (condition, stated) in self.conditions.iter().enumerate() {
            let pieces = match &stated.place {
                Place::Wrap { axis: around } if *around == axis => return Some(Tie::Circle),
                Place::Wrap { .. } | Place::Interface { .. } => continue,
                Place::Pieces(pieces) => pieces,
            };
            if pieces.iter().filter_map(|piece| piece.filter).any(depends) {
                return Some(Tie::Filter { condition });
            }
            let mut times = pieces.iter().flat_map(|piece| &piece.fixed).filter(|(fixed, _)| *fixed == axis);
            begins |= times.clone().next().is_some();
            if times.any(|(_, time)| *time != low) {
                return Some(Tie::Later { condition });
            }
        }
        let formulas = self.unknowns.iter().map(|unknown| unknown.ansatz);
        let timed = formulas.enumerate().find(|(_, ansatz)| ansatz.is_some_and(depends));
        timed.map(|(unknown, _)| Tie::Ansatz { unknown }).or((!begins).then_some(Tie::NoStart))
    }

    /// The problem of one window: its own part of time and of all budgets, and a start that its points
    /// bring along. Every equation `F = 0` of the start becomes `F - c = 0`, where `c` is a column of the
    /// points' rows: zero in the first window, in later ones what `F` is in the window before.
    pub fn window(&self, windows: &Windows, number: usize) -> Problem {
        let mut problem = self.clone();
        let (begin, end) = windows.interval(number);
        let time = &mut problem.domain.coordinates[windows.axis];
        let start = std::mem::replace(&mut time.low, begin);
        time.high = end;
        problem.training = self.training.of_window(number);
        for condition in &mut problem.conditions {
            let Place::Pieces(pieces) = &mut condition.place else { continue };
            let places = pieces.iter_mut().flat_map(|piece| &mut piece.fixed);
            let starts = places.filter(|(axis, place)| *axis == windows.axis && *place == start);
            if starts.map(|(_, place)| *place = begin).count() == 0 {
                continue;
            }
            for (column, equation) in condition.equations.iter_mut().enumerate() {
                let before = problem.pool.leaf(Leaf::Column(column as u16));
                equation.residual = problem.pool.subtract(equation.residual, before);
            }
        }
        problem
    }
}

impl Training {
    /// The part of a window: its share of the steps and seconds that are stated.
    fn of_window(&self, number: usize) -> Training {
        let all = FIRST + self.windows.count() - 1;
        let (before, own) = if number == 0 { (0, FIRST) } else { (FIRST + number - 1, 1) };
        // Differences of rounded sums sum to the whole.
        let share = |steps: u64| {
            let until = |shares: usize| (u128::from(steps) * shares as u128 / all as u128) as u64;
            until(before + own) - until(before)
        };
        let mut training =
            Training { windows: Parts::Equal(1), steps: self.steps.map(share), ..self.clone() };
        for budget in training.phases.iter_mut().filter_map(|phase| phase.budget.as_mut()) {
            let seconds = budget.seconds.map(|seconds| seconds * own as f64 / all as f64);
            *budget = Budget { steps: budget.steps.map(share), seconds, ..*budget };
        }
        training
    }
}
