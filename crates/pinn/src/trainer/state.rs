//! The state of training on equations between two steps, besides parameters and the optimizer's state.

use super::{Curriculum, MoveTrial};
use crate::sample::Cell;
use kernel::{Points, Precision};
use method::LossScale;
use train::{Array, Snapshot, State, StateError};

/// A task's state between two steps.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskState {
    /// Which draw of points is in use, counted through the run. Everything random about them follows
    /// from it and the seed.
    pub draw: u64,
    /// The points in use, one set per term, where they do not follow from the draw; empty where they do.
    pub points: Vec<Points>,
    /// The parameters at which the points inside were chosen, where those follow from them and the draw alone and are too many to
    /// be kept; empty otherwise.
    pub chosen_at: Vec<f64>,
    /// Points inside the domain; zero before the first step of a phase.
    pub interior: usize,
    /// What tells that they are too few.
    pub gap: GeneralisationGap,
    /// How far in time they reach.
    pub curriculum: Curriculum,
    /// The part of time that the points in use were drawn in; `None` before they are drawn, and where all of time always has its turn.
    pub drawn_part: Option<f64>,
    /// The weights of all residuals; empty where they are the plan's.
    pub weights: Vec<f64>,
    /// What the rule that weighs parts of the loss remembers.
    pub balance: Vec<f64>,
    /// The step of the phase at which it last looked at them.
    pub looked: Option<u64>,
    /// The weights of the points inside before their mean is taken out, one per residual, point by point; empty where
    /// all are equal.
    pub residual_weights: Vec<f64>,
    /// The cells that points lie in, where they lie in cells.
    pub cells: Vec<Cell>,
    /// The last move of points, where it may be taken back.
    pub trial: Option<MoveTrial>,
    /// The precision that it goes on in, where the chosen one was not accurate enough.
    pub precision: Option<Precision>,
    /// What the loss is multiplied by where gradients are in half precision.
    pub loss_scale: Option<LossScale>,
    /// Steps of the run by precision, in the order of [`Precision::ALL`]; empty where that is not looked at.
    pub taken_in: Vec<u64>,
    /// Batches of the phase that no step was taken with.
    pub passed_over: u64,
    /// What tells each table that stays in its file from others; empty where there is none.
    pub tables: Vec<u64>,
}

/// How much larger losses are at fresh points than at those that the step before was made for. A
/// network that only fits its points shows it here.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct GeneralisationGap {
    /// The loss after the last step, at its own points; zero where it is not known.
    pub after: f64,
    /// The logarithm of the ratio, smoothed over steps.
    pub mean: f64,
}

impl TaskState {
    /// Before the first step.
    pub const START: TaskState = TaskState {
        draw: 0,
        points: Vec::new(),
        chosen_at: Vec::new(),
        interior: 0,
        gap: GeneralisationGap { after: 0.0, mean: 0.0 },
        curriculum: Curriculum::START,
        drawn_part: None,
        weights: Vec::new(),
        balance: Vec::new(),
        looked: None,
        residual_weights: Vec::new(),
        cells: Vec::new(),
        trial: None,
        precision: None,
        loss_scale: None,
        taken_in: Vec::new(),
        passed_over: 0,
        tables: Vec::new(),
    };

    /// What a snapshot says of it.
    pub fn of(state: &State) -> Result<Self, StateError> {
        if state.is_empty() {
            return Ok(TaskState::START);
        }
        let wrong = |name: &str| StateError::Value { name: name.to_owned() };
        let pair = |name: &str| match state.numbers(name)? {
            &[first, second] => Ok((first, second)),
            _ => Err(wrong(name)),
        };
        let ((after, mean), (part, untrained)) = (pair("strain")?, pair("march")?);
        Ok(TaskState {
            draw: state.count("draw")?,
            points: points(state)?,
            chosen_at: state.numbers(CHOSEN_AT).unwrap_or_default().to_vec(),
            interior: state.count_up_to("interior", usize::MAX)?,
            gap: GeneralisationGap { after, mean },
            curriculum: Curriculum { part, untrained },
            drawn_part: state.numbers(DRAWN_PART).ok().and_then(|numbers| numbers.first().copied()),
            weights: state.numbers("weights").unwrap_or_default().to_vec(),
            balance: state.numbers(BALANCE).unwrap_or_default().to_vec(),
            looked: state.count(LOOKED).ok(),
            residual_weights: state.numbers("attention").unwrap_or_default().to_vec(),
            cells: cells(state, CELLS)?,
            trial: trial(state)?,
            precision: precision(state)?,
            loss_scale: loss_scale(state)?,
            taken_in: state.counts(TAKEN_IN).unwrap_or_default().to_vec(),
            passed_over: state.count(PASSED_OVER).unwrap_or(0),
            tables: state.counts(TABLES).unwrap_or_default().to_vec(),
        })
    }

    /// The same as named arrays, in which points are those of `points`.
    pub fn save(&self, points: &[Points]) -> State {
        let mut state = State::default()
            .with_counts("draw", [self.draw])
            .with_counts("interior", [self.interior as u64])
            .with_numbers("strain", [self.gap.after, self.gap.mean])
            .with_numbers("march", [self.curriculum.part, self.curriculum.untrained])
            .with_numbers("weights", self.weights.clone())
            .with_numbers("attention", self.residual_weights.clone());
        for (term, points) in points.iter().enumerate() {
            let numbers: Vec<f64> = points.iter().flatten().copied().collect();
            state.insert(format!("points.{term}"), Array::Numbers(numbers));
        }
        if !points.is_empty() {
            let widths: Vec<u64> = points.iter().map(|points| points.width() as u64).collect();
            state.insert(POINT_WIDTHS.to_owned(), Array::Counts(widths));
        }
        if !self.chosen_at.is_empty() {
            state.insert(CHOSEN_AT.to_owned(), Array::Numbers(self.chosen_at.clone()));
        }
        if !self.balance.is_empty() {
            state.insert(BALANCE.to_owned(), Array::Numbers(self.balance.clone()));
        }
        if let Some(step) = self.looked {
            state.insert(LOOKED.to_owned(), Array::Counts(vec![step]));
        }
        if !self.cells.is_empty() {
            state.insert(CELLS.to_owned(), Array::Counts(digits(&self.cells)));
        }
        if let Some(part) = self.drawn_part {
            state.insert(DRAWN_PART.to_owned(), Array::Numbers(vec![part]));
        }
        if let Some(place) = Precision::ALL.iter().position(|&one| Some(one) == self.precision) {
            state.insert(PRECISION.to_owned(), Array::Counts(vec![place as u64]));
        }
        if let Some(LossScale { exponent, good }) = self.loss_scale {
            let numbers = vec![f64::from(exponent), good as f64];
            state.insert(LOSS_SCALE.to_owned(), Array::Numbers(numbers));
        }
        if !self.taken_in.is_empty() {
            state.insert(TAKEN_IN.to_owned(), Array::Counts(self.taken_in.clone()));
        }
        if self.passed_over > 0 {
            state.insert(PASSED_OVER.to_owned(), Array::Counts(vec![self.passed_over]));
        }
        if !self.tables.is_empty() {
            state.insert(TABLES.to_owned(), Array::Counts(self.tables.clone()));
        }
        if let Some(MoveTrial { points, cells, validation, part }) = &self.trial {
            let numbers: Vec<f64> = points.iter().flatten().copied().collect();
            state.insert(TRIAL_POINTS.to_owned(), Array::Numbers(numbers));
            state.insert(TRIAL.to_owned(), Array::Numbers(vec![*validation, *part, points.width() as f64]));
            if !cells.is_empty() {
                state.insert(TRIAL_CELLS.to_owned(), Array::Counts(digits(cells)));
            }
        }
        state
    }

    /// Moves on to the start of another phase. The points stay as they are, as far as they follow from the draw. `now` is there
    /// already.
    pub(crate) fn next_phase(&mut self, now: &mut Snapshot) {
        if !self.weights.is_empty() {
            now.descent.link();
        }
        let (tables, taken_in) = (std::mem::take(&mut self.tables), std::mem::take(&mut self.taken_in));
        *self = TaskState {
            draw: self.draw,
            precision: self.precision,
            loss_scale: self.loss_scale,
            taken_in,
            tables,
            ..TaskState::START
        };
        if !now.finished.is_empty() {
            self.curriculum = Curriculum::WHOLE;
        }
    }
}

/// What the rule that weighs parts of the loss remembers.
const BALANCE: &str = "balance";

/// The parameters at which points were chosen.
const CHOSEN_AT: &str = "points.chosen_at";

/// When it last looked at them.
const LOOKED: &str = "balance.looked";

/// The part of time that points were drawn in.
const DRAWN_PART: &str = "march.drawn";

/// The place of the precision that training goes on in.
const PRECISION: &str = "precision";

/// The power of two that the loss is multiplied by, and steps since that changed.
const LOSS_SCALE: &str = "loss_scale";

/// Steps by precision.
const TAKEN_IN: &str = "precision.steps";

/// Batches that no step was taken with.
const PASSED_OVER: &str = "batches.passed_over";

/// One number for each table that stays in its file.
const TABLES: &str = "tables";

/// Depth and code of every cell.
const CELLS: &str = "cells";

/// The mean square at fixed points, the part of time, and numbers per point of a move that may be taken back.
const TRIAL: &str = "trial";

/// The points before it.
const TRIAL_POINTS: &str = "trial.points";

/// The cells before it.
const TRIAL_CELLS: &str = "trial.cells";

fn precision(state: &State) -> Result<Option<Precision>, StateError> {
    match state.count(PRECISION) {
        Err(StateError::Missing { .. }) => Ok(None),
        place => {
            let known = usize::try_from(place?).ok().and_then(|place| Precision::ALL.get(place).copied());
            known.map(Some).ok_or_else(|| StateError::Value { name: PRECISION.to_owned() })
        }
    }
}

fn loss_scale(state: &State) -> Result<Option<LossScale>, StateError> {
    let numbers = match state.numbers(LOSS_SCALE) {
        Err(StateError::Missing { .. }) => return Ok(None),
        numbers => numbers?,
    };
    match numbers {
        &[exponent, good]
            if exponent.abs() <= 1000.0 && (0.0..LossScale::PATIENCE as f64).contains(&good) =>
        {
            Ok(Some(LossScale { exponent: exponent as i32, good: good as u64 }))
        }
        _ => Err(StateError::Value { name: LOSS_SCALE.to_owned() }),
    }
}

fn digits(cells: &[Cell]) -> Vec<u64> {
    cells.iter().flat_map(|cell| [u64::from(cell.depth), cell.code]).collect()
}

/// The cells that a state has by some name, where it has any. They cover the box in order: anything else is wrong.
fn cells(state: &State, name: &str) -> Result<Vec<Cell>, StateError> {
    let digits = match state.counts(name) {
        Err(StateError::Missing { .. }) => return Ok(Vec::new()),
        digits => digits?,
    };
    let wrong = || StateError::Value { name: name.to_owned() };
    if !digits.len().is_multiple_of(2) {
        return Err(wrong());
    }
    let mut end = 0u64;
    let mut cells = Vec::with_capacity(digits.len() / 2);
    for pair in digits.chunks_exact(2) {
        let depth = u32::try_from(pair[0]).ok().filter(|depth| *depth <= Cell::DEEPEST).ok_or_else(wrong)?;
        let size = 1u64 << (Cell::DEEPEST - depth);
        if pair[1].checked_mul(size) != Some(end) {
            return Err(wrong());
        }
        end = end.checked_add(size).ok_or_else(wrong)?;
        cells.push(Cell { depth, code: pair[1] });
    }
    if end == 1 << Cell::DEEPEST { Ok(cells) } else { Err(wrong()) }
}

/// The move that may be taken back, where there is one.
fn trial(state: &State) -> Result<Option<MoveTrial>, StateError> {
    let numbers = match state.numbers(TRIAL) {
        Err(StateError::Missing { .. }) => return Ok(None),
        numbers => numbers?,
    };
    let wrong = || StateError::Value { name: TRIAL.to_owned() };
    let &[validation, part, width] = numbers else { return Err(wrong()) };
    let (rows, width) = (state.numbers(TRIAL_POINTS)?, width as usize);
    if width == 0 || !rows.len().is_multiple_of(width) {
        return Err(wrong());
    }
    let points = Points::from_rows(width, rows.to_vec());
    Ok(Some(MoveTrial { points, cells: cells(state, TRIAL_CELLS)?, validation, part }))
}

/// Numbers per point in every term.
const POINT_WIDTHS: &str = "point_widths";

/// The points that a state has, where it has any.
fn points(state: &State) -> Result<Vec<Points>, StateError> {
    let widths = match state.counts(POINT_WIDTHS) {
        Err(StateError::Missing { .. }) => return Ok(Vec::new()),
        widths => widths?,
    };
    let set = |(term, &width): (usize, &u64)| {
        let name = format!("points.{term}");
        let (numbers, width) = (state.numbers(&name)?, usize::try_from(width).unwrap_or(0));
        if width == 0 || !numbers.len().is_multiple_of(width) {
            return Err(StateError::Value { name });
        }
        let mut points = Points::new(width);
        numbers.chunks_exact(width).for_each(|row| points.push(row));
        Ok(points)
    };
    widths.iter().enumerate().map(set).collect()
}
