//! The seam between optimizers and everything that makes a loss: kernel, points, and later
//! micro-batches and other ranks.

use equation::problem::Solver;
use equation::taylor::Plan;
use kernel::cuda::{CudaError, MemoryPlan};
use kernel::{Dimension, Kernel, KernelError, Points, Sums, Visited, Visits, Weighted};
use linear::clip::Clipping;
use linear::{Attempt, Bend, Change, Course, Gram, NormalEquations, Series, Subspace, Unknowns};
use method::LossScale;
use std::sync::Arc;
use train::optimize::Optimizer;
use train::{
    Deviation, Extent, LeastSquares, Linearized, Loss, Losses, OnDevice, Refusal, Room, TriedStep, Vectors,
};

/// A loss as a function of the parameters.
#[derive(Debug)]
pub struct Objective {
    kernel: Kernel,
    points: Vec<Points>,
    /// Of every residual.
    weights: Vec<f64>,
    /// Each weight over the number of points of its term.
    factors: Vec<f64>,
    losses: Losses,
    /// By which a device makes the gradients of its own steps shorter.
    clipping: Option<Clipping>,
    /// What the loss is multiplied by where gradients are in half precision.
    loss_scale: Option<LossScale>,
}

/// How large a gradient is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct GradientExtent {
    /// As a vector.
    pub(crate) norm: f64,
    /// The largest of its slopes, without signs.
    pub(crate) largest: f64,
    /// Their mean, without signs.
    pub(crate) mean: f64,
}

impl GradientExtent {
    fn of(gradient: &[f64]) -> Self {
        let sizes = || gradient.iter().map(|slope| slope.abs());
        GradientExtent {
            norm: sizes().map(|size| size * size).sum::<f64>().sqrt(),
            largest: sizes().fold(0.0, f64::max),
            mean: sizes().sum::<f64>() / gradient.len().max(1) as f64,
        }
    }
}

impl Objective {
    /// The loss over these points: one set per term of the kernel's plan.
    pub fn new(kernel: Kernel, points: Vec<Points>) -> Self {
        let weights = kernel.plan().weights();
        let factors = factors(kernel.plan(), &weights, points.iter().map(Points::len));
        Objective {
            kernel,
            points,
            weights,
            factors,
            losses: Losses::default(),
            clipping: None,
            loss_scale: None,
        }
    }

    /// Continues with other points.
    pub fn set_points(&mut self, points: Vec<Points>) {
        self.points = points;
        self.settle_factors();
    }

    /// Continues with other points of some terms, by position.
    pub(crate) fn set_points_of(&mut self, sets: Vec<(usize, Points)>) {
        for (term, points) in sets {
            if let Some(own) = self.points.get_mut(term) {
                *own = points;
            }
        }
        self.settle_factors();
    }

    /// The sums of squares at the points at hand.
    pub(crate) fn sums(&mut self, parameters: &[f64]) -> Result<Sums, Refusal> {
        self.kernel.sums(&self.points, parameters).map_err(refused).cloned()
    }

    /// The losses that sums make which were found piece by piece.
    pub(crate) fn losses_of(&mut self, sums: &Sums) -> Result<Losses, Refusal> {
        weigh(&mut self.losses, sums, &self.weights).cloned()
    }

    fn settle_factors(&mut self) {
        self.factors = factors(self.kernel.plan(), &self.weights, self.points.iter().map(Points::len));
    }

    /// The points of every term.
    pub fn points(&self) -> &[Points] {
        &self.points
    }

    /// Changes the points of a term one after the other; their number stays.
    pub(crate) fn change_points(&mut self, term: usize, each: impl FnMut(&mut [f64])) {
        if let Some(points) = self.points.get_mut(term) {
            points.for_each_mut(each);
        }
    }

    /// The residuals of a term at its points, point by point.
    pub(crate) fn residuals(&mut self, term: usize, parameters: &[f64]) -> Result<Vec<f64>, KernelError> {
        let points = &self.points[term];
        let mut residuals = vec![0.0; points.len() * self.kernel.plan().terms[term].residuals.len()];
        self.kernel.residuals(term, points, parameters, &mut residuals)?;
        Ok(residuals)
    }

    /// Points that one evaluation visits.
    pub fn point_count(&self) -> usize {
        self.points.iter().map(Points::len).sum()
    }

    /// The squared lengths of the gradients of every residual at some of its points.
    pub(crate) fn gradient_squares(
        &mut self,
        parameters: &[f64],
        most: usize,
    ) -> Result<Vec<Vec<f64>>, KernelError> {
        self.kernel.gradient_squares(&self.points, parameters, most)
    }

    /// How large the gradient of every residual's mean square is, without its weight. Terms are evaluated one after the other, once for each of their
    /// residuals: all together visit every point as often as its term has residuals.
    pub(crate) fn gradient_sizes(&mut self, parameters: &[f64]) -> Result<Vec<GradientExtent>, KernelError> {
        let plan = Arc::clone(self.kernel.plan());
        let mut gradient = vec![0.0; parameters.len()];
        let mut sizes = Vec::new();
        let nothing: Vec<Points> = self.points.iter().map(|points| Points::new(points.width())).collect();
        for (number, term) in plan.terms.iter().enumerate() {
            let mut points = nothing.clone();
            points[number] = self.points[number].clone();
            let first: usize = plan.terms[..number].iter().map(|term| term.residuals.len()).sum();
            for own in 0..term.residuals.len() {
                let mut weights = vec![0.0; self.weights.len()];
                weights[first + own] = 1.0;
                let factors = factors(&plan, &weights, points.iter().map(Points::len));
                let over = Weighted { points: &points, factors: &factors };
                self.kernel.evaluate(over, parameters, &mut gradient)?;
                sizes.push(GradientExtent::of(&gradient));
            }
        }
        Ok(sizes)
    }

    /// Weighs residuals otherwise than the plan; as the plan, where there are no weights.
    pub(crate) fn set_weights(&mut self, weights: &[f64]) -> Result<(), KernelError> {
        let own = self.kernel.plan().weights();
        let (expected, found) = (own.len(), weights.len());
        if ![0, expected].contains(&found) {
            return Err(KernelError::Misfit { shape: Dimension::Weights, expected, found });
        }
        self.weights = if weights.is_empty() { own } else { weights.to_vec() };
        self.settle_factors();
        Ok(())
    }

    /// Takes steps of a method's own rule, of these lengths, where the device does; ends early after a loss below
    /// a bound, or before one that is no basis for a step, which is then returned. `visits` says where points
    /// come from, given the objective's own.
    pub fn run_steps<'run>(
        &'run mut self,
        visits: impl FnOnce(&'run [Points]) -> Visits<'run>,
        optimizer: &mut dyn Optimizer,
        (rates, bound): (&[f64], Option<f64>),
        parameters: &mut [f64],
        history: &mut Vec<Losses>,
    ) -> Result<Option<Losses>, Refusal> {
        let (update, carried) = optimizer.update().ok_or(Refusal::NoRule)?;
        let (visits, series) = (visits(&self.points), Series { update, rates, bound });
        let factors = factors(self.kernel.plan(), &self.weights, visits.counts().into_iter());
        let mut visited = Vec::new();
        let refused = self
            .kernel
            .run_steps((visits, &factors), series, carried, parameters, &mut visited)
            .map_err(refused)?;
        let losses = |Visited { loss, sums }: Visited| {
            // The total is the one that the device decided by.
            Losses { total: loss, ..Losses::of(&sums.squares, &sums.counts, &self.weights) }
        };
        history.clear();
        history.extend(visited.into_iter().map(losses));
        Ok(refused.map(losses))
    }

    /// The memory that such steps take on a device with memory of its own, at points that it draws or at the
    /// objective's own.
    pub fn plan_memory(&mut self, drawn: Option<Visits<'_>>) -> Result<Option<MemoryPlan>, KernelError> {
        self.kernel.plan_memory(drawn.unwrap_or(Visits::Points(&self.points)))
    }

    /// The memory that Gauss-Newton's equations take there at the objective's own points; `None` where the device has no room
    /// for them, or no memory of its own.
    pub fn plan_equations(&mut self, solver: Solver) -> Result<Option<MemoryPlan>, KernelError> {
        let unknowns = self.extent().unknowns_for_devices(solver, 0);
        match self.kernel.plan_equations(&self.points, unknowns) {
            Err(KernelError::Cuda(CudaError::Memory { .. })) => Ok(None),
            planned => planned,
        }
    }

    /// Continues with another kernel of the same plan.
    pub(crate) fn set_kernel(&mut self, kernel: Kernel) {
        self.kernel = kernel;
        self.kernel.expect_clipping(self.clipping.as_ref());
    }

    /// Multiplies the loss on the way to gradients in half precision; `None` as the device does.
    pub(crate) fn set_loss_scale(&mut self, scale: Option<LossScale>) {
        self.loss_scale = scale;
        self.kernel.set_loss_scale(scale.map(LossScale::factor));
    }

    /// What it is multiplied by.
    pub(crate) fn loss_scale(&self) -> Option<LossScale> {
        self.loss_scale
    }

    /// Takes note of a step without an overflow.
    pub(crate) fn note_good_step(&mut self) {
        let Some(scale) = self.loss_scale else { return };
        let next = scale.after_step();
        match next.exponent == scale.exponent {
            true => self.loss_scale = Some(next),
            false => self.set_loss_scale(Some(next)),
        }
    }

    /// Whether loss and gradient are finite in another kernel.
    pub(crate) fn is_finite_in(&self, mut other: Kernel, parameters: &[f64]) -> Result<bool, KernelError> {
        let over = Weighted { points: &self.points, factors: &self.factors };
        let mut gradient = vec![0.0; parameters.len()];
        let loss = other.evaluate(over, parameters, &mut gradient)?.weighted(&self.factors);
        Ok((loss + gradient.iter().map(|slope| slope * slope).sum::<f64>()).is_finite())
    }

    /// Makes room for rules by which a device makes the gradients of its own steps shorter.
    pub(crate) fn expect_clipping(&mut self, clipping: Option<&Clipping>) {
        self.clipping = clipping.cloned();
        self.kernel.expect_clipping(clipping);
    }

    /// How far loss and gradient at some of the points are from those of another kernel; `None` where those are not finite.
    pub(crate) fn deviation(
        &mut self,
        exact: &mut Kernel,
        parameters: &[f64],
        most: usize,
    ) -> Result<Option<Deviation>, KernelError> {
        let points: Vec<Points> = self.points.iter().map(|points| points.spread(most)).collect();
        let factors = factors(self.kernel.plan(), &self.weights, points.iter().map(Points::len));
        let over = Weighted { points: &points, factors: &factors };
        let [mut wanted, mut found] = [vec![0.0; parameters.len()], vec![0.0; parameters.len()]];
        let own = exact.evaluate(over, parameters, &mut wanted)?.weighted(&factors);
        // A point among few counts for more than among many: at the scale of many its gradient would overflow.
        let shares = points.iter().zip(&self.points).filter(|(_, all)| !all.is_empty());
        let shares = shares.map(|(some, all)| some.len() as f64 / all.len() as f64);
        let share = shares.fold(1.0, f64::min).log2().floor().exp2();
        self.kernel.set_loss_scale(self.loss_scale.map(|scale| scale.factor() * share));
        let other = self.kernel.evaluate(over, parameters, &mut found).map(|sums| sums.weighted(&factors));
        self.kernel.set_loss_scale(self.loss_scale.map(LossScale::factor));
        let other = other?;
        let length = |numbers: &mut dyn Iterator<Item = f64>| numbers.map(|it| it * it).sum::<f64>().sqrt();
        let scale = length(&mut wanted.iter().copied());
        let off = length(&mut wanted.iter().zip(&found).map(|(wanted, found)| wanted - found));
        let relative = |off: f64, scale: f64| if off == 0.0 { 0.0 } else { off / scale };
        let deviation =
            Deviation { loss: relative((own - other).abs(), own), gradient: relative(off, scale) };
        Ok((own.is_finite() && scale.is_finite()).then_some(deviation))
    }

    /// The kernel, for predictions.
    pub fn kernel(&mut self) -> &mut Kernel {
        &mut self.kernel
    }
}

impl Loss for Objective {
    /// On `Ok`, every mean square is finite too.
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        let losses = weigh(
            losses,
            kernel.evaluate(Weighted { points, factors }, parameters, gradient).map_err(refused)?,
            weights,
        )?;
        let norm: f64 = gradient.iter().map(|slope| slope * slope).sum();
        if norm.is_finite() { Ok(losses) } else { Err(Refusal::Gradient) }
    }

    fn eval_any(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        for overflows in 0.. {
            let Objective { kernel, points, weights, factors, losses, .. } = self;
            let sums =
                kernel.evaluate(Weighted { points, factors }, parameters, gradient).map_err(refused)?;
            losses.set(&sums.squares, &sums.counts, weights);
            let Some(scale) = self.loss_scale else { break };
            let square: f64 = gradient.iter().map(|slope| slope * slope).sum();
            if self.losses.total.is_finite() && square.is_finite() {
                break;
            }
            // Whatever gradients are multiplied by, a loss stays as it is.
            if let Some(position) = self.losses.first_non_finite() {
                return Err(Refusal::Residual(position));
            }
            if overflows == LossScale::TRIES {
                return Err(Refusal::Gradient);
            }
            self.set_loss_scale(Some(scale.halved()));
        }
        Ok(&self.losses)
    }

    /// Residuals are small differences of terms of order one or more: where a term is rounded by
    /// epsilon, the square of a residual r moves by 2·epsilon·max(r, r²).
    fn noise(&self, loss: f64) -> f64 {
        /// Of the terms of a residual, one after the other through the layers.
        const ROUNDINGS: f64 = 16.0;
        let epsilon = self.kernel.precision().epsilon();
        2.0 * ROUNDINGS * epsilon * loss.max(loss.sqrt())
    }

    fn least_squares(&mut self) -> Option<&mut dyn LeastSquares> {
        Some(self)
    }

    fn vectors(&mut self) -> Option<&mut dyn Vectors> {
        if self.kernel.keeps_vectors() { Some(self) } else { None }
    }
}

impl Vectors for Objective {
    fn reserve(&mut self, count: usize, matrix: bool) -> Result<Room, Refusal> {
        match self.kernel.reserve_vectors(count, matrix) {
            Ok(()) => Ok(Room::Enough),
            Err(KernelError::Cuda(CudaError::Memory { bytes })) => Ok(Room::TooLittle { bytes }),
            Err(error) => Err(refused(error)),
        }
    }

    fn put(&mut self, vector: usize, numbers: &[f64]) -> Result<(), Refusal> {
        self.kernel.put_vector(vector, numbers).map_err(refused)
    }

    fn fetch(&mut self, vector: usize, numbers: &mut [f64]) -> Result<(), Refusal> {
        self.kernel.fetch_vector(vector, numbers).map_err(refused)
    }

    fn dots(&mut self, pairs: &[[usize; 2]]) -> Result<Vec<f64>, Refusal> {
        self.kernel.dots(pairs).map_err(refused)
    }

    fn combine(&mut self, to: usize, summands: &[(f64, usize)]) -> Result<(), Refusal> {
        self.kernel.combine(to, summands).map_err(refused)
    }

    fn eval(&mut self, at: usize, gradient: usize) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        weigh(
            losses,
            kernel.evaluate_at(Weighted { points, factors }, at, gradient).map_err(refused)?,
            weights,
        )
    }

    fn multiply(&mut self, change: Option<Change>, vector: usize, product: usize) -> Result<(), Refusal> {
        self.kernel.change_and_multiply(change, vector, product).map_err(refused)
    }

    fn put_matrix(&mut self, numbers: Option<&[f64]>) -> Result<(), Refusal> {
        self.kernel.put_matrix(numbers).map_err(refused)
    }

    fn fetch_matrix(&mut self, numbers: &mut [f64]) -> Result<(), Refusal> {
        self.kernel.fetch_matrix(numbers).map_err(refused)
    }
}

impl LeastSquares for Objective {
    fn extent(&self) -> Extent {
        let terms = self.kernel.plan().terms.iter().zip(&self.points);
        Extent {
            parameters: self.kernel.plan().parameter_count(),
            rows: self.kernel.row_count(&self.points),
            evaluation: terms.map(|(term, points)| term.cost.flops() as f64 * points.len() as f64).sum(),
        }
    }

    fn normal_equations(
        &mut self,
        parameters: &[f64],
        normal: &mut NormalEquations,
    ) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        weigh(
            losses,
            kernel.normal_equations(Weighted { points, factors }, parameters, normal).map_err(refused)?,
            weights,
        )
    }

    fn gram(&mut self, parameters: &[f64], gram: &mut Gram) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        weigh(losses, kernel.gram(Weighted { points, factors }, parameters, gram).map_err(refused)?, weights)
    }

    fn diagonal(
        &mut self,
        parameters: &[f64],
        diagonal: &mut [f64],
        rows: &mut [f64],
    ) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        weigh(
            losses,
            kernel.diagonal(Weighted { points, factors }, parameters, diagonal, rows).map_err(refused)?,
            weights,
        )
    }

    fn sketch(&mut self, parameters: &[f64], gram: &mut Gram, rows: &mut [f64]) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        weigh(
            losses,
            kernel.sketch(Weighted { points, factors }, parameters, gram, rows).map_err(refused)?,
            weights,
        )
    }

    fn subspace_equations(
        &mut self,
        parameters: &[f64],
        equations: (&Subspace, &mut NormalEquations),
        rows: &mut [f64],
    ) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, factors, losses, .. } = self;
        weigh(
            losses,
            kernel
                .subspace_equations(Weighted { points, factors }, parameters, equations, rows)
                .map_err(refused)?,
            weights,
        )
    }

    fn along(&mut self, parameters: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        self.kernel
            .rows_along(
                Weighted { points: &self.points, factors: &self.factors },
                parameters,
                direction,
                rows,
            )
            .map_err(refused)
    }

    fn back(&mut self, parameters: &[f64], rows: &[f64], slope: &mut [f64]) -> Result<(), Refusal> {
        self.kernel
            .rows_back(Weighted { points: &self.points, factors: &self.factors }, parameters, rows, slope)
            .map_err(refused)
    }

    fn rows(&mut self, parameters: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        self.kernel
            .rows(Weighted { points: &self.points, factors: &self.factors }, parameters, rows)
            .map_err(refused)
    }

    fn curvature(&mut self, parameters: &[f64], direction: &[f64], rows: &mut [f64]) -> Result<(), Refusal> {
        let reach = Bend::USUAL.reach;
        let [mut ahead, mut behind] = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
        for (length, part) in [(reach, &mut ahead), (-reach, &mut behind)] {
            let at: Vec<f64> =
                parameters.iter().zip(direction).map(|(from, along)| from + length * along).collect();
            self.kernel
                .rows(Weighted { points: &self.points, factors: &self.factors }, &at, part)
                .map_err(refused)?;
        }
        let factor = 1.0 / (reach * reach);
        for ((row, ahead), behind) in rows.iter_mut().zip(&ahead).zip(&behind) {
            *row = factor * ahead - 2.0 * factor * *row + factor * behind;
        }
        Ok(())
    }

    fn losses(&mut self, parameters: &[f64]) -> Result<&Losses, Refusal> {
        let Objective { kernel, points, weights, losses, .. } = self;
        weigh(losses, kernel.sums(points, parameters).map_err(refused)?, weights)
    }

    fn on_device(&mut self) -> Option<&mut dyn OnDevice> {
        if self.kernel.solves_equations() { Some(self) } else { None }
    }
}

impl OnDevice for Objective {
    fn linearize(
        &mut self,
        parameters: &[f64],
        momentum: Option<&[f64]>,
        unknowns: Unknowns,
    ) -> Result<Linearized, Refusal> {
        let over = Weighted { points: &self.points, factors: &self.factors };
        let kernel::LinearizedSums { sums, mean, slope } =
            self.kernel.linearize(over, parameters, momentum, unknowns).map_err(refused)?;
        let losses = weigh(&mut self.losses, &sums, &self.weights)?.clone();
        Ok(Linearized { losses, mean, slope })
    }

    fn try_steps(&mut self, attempts: &[Attempt], course: Course) -> Result<Vec<TriedStep>, Refusal> {
        let tried = self.kernel.try_steps(&self.points, attempts, course).map_err(refused)?;
        let losses = |sums: Sums| Losses::of(&sums.squares, &sums.counts, &self.weights);
        let step = |kernel::TriedSums { predicted, sums }| TriedStep { predicted, losses: losses(sums) };
        Ok(tried.into_iter().map(step).collect())
    }

    fn take_step(&mut self, number: usize, parameters: &mut [f64]) -> Result<(), Refusal> {
        self.kernel.take_step(number, parameters).map_err(refused)
    }
}

/// What a kernel's failure means for whoever takes steps.
pub(crate) fn refused(error: KernelError) -> Refusal {
    match error {
        KernelError::Cuda(CudaError::Memory { bytes }) => Refusal::NoRoom { bytes },
        other => Refusal::Device(Arc::new(other)),
    }
}

/// The factors of residuals with these weights in means over so many points per term.
fn factors(plan: &Plan, weights: &[f64], counts: impl Iterator<Item = usize>) -> Vec<f64> {
    let each = plan.terms.iter().zip(counts);
    let counts: Vec<usize> =
        each.flat_map(|(term, count)| std::iter::repeat_n(count, term.residuals.len())).collect();
    kernel::factors(weights, &counts)
}

/// Means of sums, and the loss that they make; refuses what is no number.
fn weigh<'own>(losses: &'own mut Losses, sums: &Sums, weights: &[f64]) -> Result<&'own Losses, Refusal> {
    losses.set(&sums.squares, &sums.counts, weights);
    match losses.first_non_finite() {
        Some(residual) => Err(Refusal::Residual(residual)),
        None if losses.total.is_finite() => Ok(losses),
        None => Err(Refusal::Gradient),
    }
}
