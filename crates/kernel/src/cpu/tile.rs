//! One tile of points through everything: coefficients, network, residuals, and back.

use super::layout::TapeLayout;
use super::network::{Shared, Site};
use super::program::{Columns, column, run};
use super::term::TermCode;
use super::weights::GradientTarget;
use crate::Points;
use equation::taylor::{Adjoint, Variable};
use linear::Float;
use std::ops::Range;

/// The memory of one thread: enough for a tile of any term.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    sites: Vec<Site<T>>,
    slots: Vec<Vec<T>>,
    row: Vec<T>,
    site_row: Vec<T>,
    scalars: Vec<T>,
    signals: Vec<T>,
    signals_bar: Vec<T>,
    seeds: Vec<T>,
    coefficient_seeds: Vec<T>,
    registers: Vec<T>,
}

/// What some tiles add up to.
#[derive(Debug)]
pub(crate) struct TileSums<T> {
    /// Packed gradient of the weights.
    pub(crate) gradient: Vec<T>,
    /// Gradient of the scalars.
    pub(crate) scalars: Vec<f64>,
    /// Sums of squares, one per residual of the plan.
    pub(crate) squares: Vec<f64>,
}

impl<T: Float> TileSums<T> {
    /// Zero, with so many packed weights, scalars and residuals.
    pub(crate) fn new([weights, scalars, squares]: [usize; 3]) -> Self {
        TileSums {
            gradient: vec![T::ZERO; weights],
            scalars: vec![0.0; scalars],
            squares: vec![0.0; squares],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.gradient.fill(T::ZERO);
        self.scalars.fill(0.0);
        self.squares.fill(0.0);
    }
}

impl<T: Float> Scratch<T> {
    pub(crate) fn new(layout: &TapeLayout, terms: &[TermCode<T>], scalars: usize) -> Self {
        let most = |f: &dyn Fn(&TermCode<T>) -> usize| vec![T::ZERO; terms.iter().map(f).max().unwrap_or(0)];
        let rows = terms.iter().map(TermCode::rows).max().unwrap_or(0);
        let sites = terms.iter().map(|term| term.term.row.sites).max().unwrap_or(1);
        let longest = |term: &TermCode<T>| {
            let term = &term.term;
            let programs = [
                &term.residual,
                &term.adjoint.program,
                &term.coefficients,
                &term.coefficients_adjoint.program,
            ];
            programs.map(|program| program.instructions.len()).into_iter().max().unwrap_or(0)
        };
        Scratch {
            sites: vec![Site::new(layout, terms); sites],
            slots: layout.slots.iter().map(|width| vec![T::ZERO; rows * width]).collect(),
            row: most(&|term| term.points * term.term.row.width()),
            site_row: most(&|term| term.points * term.term.row.width()),
            scalars: vec![T::ZERO; scalars],
            signals: most(&|term| term.points * term.term.signals.len()),
            signals_bar: most(&|term| term.points * term.term.signals.len()),
            seeds: most(&|term| term.points * term.term.residuals.len()),
            coefficient_seeds: most(&|term| term.points * term.term.channels.coefficients.len()),
            registers: most(&|term| term.points * longest(term)),
        }
    }

    /// Sets the trainable scalars of this step.
    pub(crate) fn set_scalars(&mut self, scalars: &[f64]) {
        self.scalars.iter_mut().zip(scalars).for_each(|(to, &from)| *to = T::from_f64(from));
    }

    /// Residuals at the points of `range`: column k of the registers that `each` is handed holds
    /// residual k. Points beyond the range repeat the last one.
    pub(crate) fn forward(
        &mut self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        points: &Points,
        range: Range<usize>,
    ) {
        let count = term.points;
        let row = term.term.row;
        for point in 0..count {
            let source = points.row((range.start + point).min(range.end - 1));
            for (place, &number) in source.iter().enumerate() {
                self.row[place * count + point] = T::from_f64(number);
            }
        }
        for (number, site) in self.sites[..row.sites].iter_mut().enumerate() {
            let length = row.coordinates * count;
            let coordinates = &self.row[number * length..(number + 1) * length];
            if term.varies {
                site_row(&mut self.site_row, &self.row, coordinates);
                let columns = Columns {
                    points: count,
                    row: &self.site_row,
                    scalars: &self.scalars,
                    signals: &[],
                    seeds: &[],
                };
                run(shared.level, &term.term.coefficients, columns, &mut self.registers);
                let outputs = &term.term.coefficients.outputs;
                for (place, &output) in outputs.iter().enumerate() {
                    for (point, &value) in column(&self.registers, count, output).iter().enumerate() {
                        site.coefficients[point * outputs.len() + place] = value;
                    }
                }
            }
            site.forward(shared, term, coordinates);
        }
        let width = shared.layout.padded[shared.layout.padded.len() - 1];
        for (place, signal) in term.term.signals.iter().enumerate() {
            let head = self.sites[usize::from(signal.site)].values.last().expect("a network has an output");
            let start = usize::from(signal.channel) * count * width + usize::from(signal.output);
            for point in 0..count {
                self.signals[place * count + point] = head[start + point * width];
            }
        }
        let columns = Columns {
            points: count,
            row: &self.row,
            scalars: &self.scalars,
            signals: &self.signals,
            seeds: &[],
        };
        run(shared.level, &term.term.residual, columns, &mut self.registers);
    }

    /// Residual `number` of the last [`Self::forward`].
    pub(crate) fn residual(&self, term: &TermCode<T>, number: usize) -> &[T] {
        column(&self.registers, term.points, term.term.residual.outputs[number])
    }

    /// Copies residual `number` of the last [`Self::forward`] to as many places as there are.
    pub(crate) fn copy_residual<'out>(
        &self,
        term: &TermCode<T>,
        number: usize,
        places: impl Iterator<Item = &'out mut f64>,
    ) {
        places.zip(self.residual(term, number)).for_each(|(place, value)| *place = value.to_f64());
    }

    /// Sets the adjoint of residual `number` at every point of the tile; `seed` is given the point and
    /// the residual there.
    pub(crate) fn seed(&mut self, term: &TermCode<T>, number: usize, seed: impl Fn(usize, T) -> T) {
        let count = term.points;
        let residual = column(&self.registers, count, term.term.residual.outputs[number]);
        for (point, &residual) in residual.iter().enumerate() {
            self.seeds[number * count + point] = seed(point, residual);
        }
    }

    /// Sets the adjoint of one residual to one at every point, and of all others to zero.
    pub(crate) fn seed_one(&mut self, term: &TermCode<T>, number: usize) {
        let count = term.points;
        self.seeds[..term.term.residuals.len() * count].fill(T::ZERO);
        self.seeds[number * count..][..count].fill(T::ONE);
    }

    /// Hands the gradient of Σ seed·residual to `target`.
    pub(crate) fn reverse(
        &mut self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        target: &mut GradientTarget<'_, T>,
    ) {
        let count = term.points;
        let width = shared.layout.padded[shared.layout.padded.len() - 1];
        let columns = Columns {
            points: count,
            row: &self.row,
            scalars: &self.scalars,
            signals: &self.signals,
            seeds: &self.seeds,
        };
        run(shared.level, &term.term.adjoint.program, columns, &mut self.registers);
        let weights = shared.architecture.weight_count();
        // The registers are used again for coefficients: the signals' adjoints move away first.
        for (variable, bar) in outputs(&term.term.adjoint, &self.registers, count) {
            match variable {
                Variable::Scalar(place) => target.scalar(weights, usize::from(place), bar),
                Variable::Signal(signal) => {
                    self.signals_bar[usize::from(signal) * count..][..count].copy_from_slice(bar);
                }
            }
        }
        for number in 0..term.term.row.sites {
            let head = &mut self.slots[shared.layout.output_slot];
            head[..term.rows() * width].fill(T::ZERO);
            for &variable in &term.term.adjoint.variables {
                let Variable::Signal(place) = variable else { continue };
                let signal = term.term.signals[usize::from(place)];
                if usize::from(signal.site) != number {
                    continue;
                }
                let start = usize::from(signal.channel) * count * width + usize::from(signal.output);
                for point in 0..count {
                    head[start + point * width] = self.signals_bar[usize::from(place) * count + point];
                }
            }
            let site = &mut self.sites[number];
            site.reverse(shared, term, &mut self.slots, target);
            if term.trains_coefficients {
                self.coefficients_adjoint(shared, term, number, target);
            }
        }
    }

    fn coefficients_adjoint(
        &mut self,
        shared: Shared<'_, T>,
        term: &TermCode<T>,
        number: usize,
        target: &mut GradientTarget<'_, T>,
    ) {
        let weights = shared.architecture.weight_count();
        let count = term.points;
        let each = term.term.channels.coefficients.len();
        let length = term.term.row.coordinates * count;
        site_row(&mut self.site_row, &self.row, &self.row[number * length..(number + 1) * length]);
        for place in 0..each {
            for point in 0..count {
                self.coefficient_seeds[place * count + point] =
                    self.sites[number].coefficients_bar[point * each + place];
            }
        }
        let columns = Columns {
            points: count,
            row: &self.site_row,
            scalars: &self.scalars,
            signals: &[],
            seeds: &self.coefficient_seeds,
        };
        run(shared.level, &term.term.coefficients_adjoint.program, columns, &mut self.registers);
        for (variable, bar) in outputs(&term.term.coefficients_adjoint, &self.registers, count) {
            let Variable::Scalar(place) = variable else { continue };
            target.scalar(weights, usize::from(place), bar);
        }
    }
}

/// The row with the coordinates of one site in front.
fn site_row<T: Copy>(target: &mut [T], row: &[T], coordinates: &[T]) {
    target.copy_from_slice(row);
    target[..coordinates.len()].copy_from_slice(coordinates);
}

fn outputs<'a, T>(
    adjoint: &'a Adjoint,
    registers: &'a [T],
    points: usize,
) -> impl Iterator<Item = (Variable, &'a [T])> {
    let outputs = adjoint.variables.iter().zip(&adjoint.program.outputs);
    outputs.map(move |(&variable, &output)| (variable, column(registers, points, output)))
}
