//! What a step costs in each form of its linear equations, and which form is cheapest.

use super::TRIED;
use super::correct::can_be_judged;
use crate::{Extent, Hardware};
use linear::{Cholesky, Gram, NormalEquations, Subspace, Unknowns, sketched};
use method::Solver;
use std::ops::Range;

/// The most memory that matrices may take, in bytes.
const MOST_BYTES: usize = 4 << 30;

/// The same on a device with memory of its own, by which `auto` chooses.
const MOST_BYTES_ON_DEVICES: usize = 32 << 30;

/// Steps that are tried: from two origins with every damping.
const STEPS: f64 = 2.0 * TRIED.len() as f64;

/// J·v is a pass forward, back and forward, Jᵀ·v one forward and back: so many evaluations with gradient, together.
const PRODUCTS: f64 = 7.0 / 3.0;

impl Extent {
    /// Operations of one step, by this way of solving; the best way's for [`Solver::Auto`].
    pub fn flops(self, solver: Solver) -> f64 {
        let (parameters, rows) = (self.parameters as f64, self.rows as f64);
        let factors = TRIED.len() as f64 / 3.0;
        // A row of the Jacobian costs a backward pass of its own, and one write and product per number.
        let jacobian = self.evaluation + 4.0 * rows * parameters;
        match solver {
            Solver::Auto => self.flops(self.best()),
            Solver::NormalEquations => jacobian + rows * parameters.powi(2) + factors * parameters.powi(3),
            Solver::Woodbury => jacobian + parameters * rows.powi(2) + factors * rows.powi(3),
            Solver::ConjugateGradients => jacobian + self.iterations(Unknowns::Diagonal),
            Solver::Subspace => {
                let unknowns = Subspace::unknowns_for(self.parameters) as f64;
                jacobian + rows * unknowns.powi(2) + factors * unknowns.powi(3)
            }
            Solver::Sketch => {
                let sums = sketched(self.rows) as f64;
                jacobian
                    + parameters * sums.powi(2)
                    + factors * sums.powi(3)
                    + self.iterations(Unknowns::sketch(self.rows))
            }
        }
    }

    /// Operations of as many conjugate gradients as steps may take.
    fn iterations(self, unknowns: Unknowns) -> f64 {
        STEPS * unknowns.patience().most as f64 * PRODUCTS * self.evaluation
    }

    /// Whether steps of sketched equations are faster on a GPU than others, by the rates of an H200, for networks as large as
    /// those for which their lower quality was seen not to matter.
    fn is_faster_sketched(self) -> bool {
        /// Operations of dense linear algebra, and bytes of rows, per second.
        const RATES: (f64, f64) = (3e13, 3e12);
        const LEAST_PARAMETERS: usize = 1 << 15;
        let (parameters, rows, sums) = (self.parameters as f64, self.rows as f64, sketched(self.rows) as f64);
        let passes = 2.0 * Unknowns::sketch(self.rows).patience().most as f64;
        let read = passes * (rows + sums) * parameters * size_of::<f64>() as f64;
        let seconds = read / RATES.1 + parameters * sums.powi(2) / RATES.0;
        let dense = self.flops(Solver::Woodbury).min(self.flops(Solver::NormalEquations));
        self.parameters >= LEAST_PARAMETERS && seconds < dense / RATES.0
    }

    /// Whether steps in random subspaces are better than others on a device, for networks of sizes for which that was seen: on
    /// CPUs where they cost a fraction of exact ones, on a GPU where it would sketch rows.
    fn is_better_in_subspaces(self, device: Hardware) -> bool {
        const PARAMETERS: Range<usize> = 1 << 12..1 << 17;
        /// What a step may cost of an exact one, which comes closer.
        const FRACTION: f64 = 0.2;
        let dense = self.flops(Solver::Woodbury).min(self.flops(Solver::NormalEquations));
        let faster = match device {
            Hardware::Cpu => self.flops(Solver::Subspace) < FRACTION * dense,
            Hardware::Accelerator => self.is_faster_sketched(),
        };
        faster && PARAMETERS.contains(&self.parameters)
    }

    /// Bytes that its matrices take.
    pub fn bytes(self, solver: Solver) -> usize {
        let Extent { parameters, rows, .. } = self;
        let factors = |size: usize| TRIED.len().saturating_mul(Cholesky::bytes(size));
        match solver {
            Solver::Auto => self.bytes(self.best()),
            Solver::NormalEquations => {
                NormalEquations::bytes(parameters, rows).saturating_add(factors(parameters))
            }
            Solver::Woodbury => Gram::bytes(parameters, rows).saturating_add(factors(rows)),
            Solver::Subspace => {
                let unknowns = Subspace::unknowns_for(parameters);
                let wide = NormalEquations::BLOCK * parameters * size_of::<f64>();
                let equations = NormalEquations::bytes(unknowns, rows);
                wide.saturating_add(equations).saturating_add(factors(unknowns))
            }
            Solver::ConjugateGradients => {
                (8 * size_of::<f64>()).saturating_mul(parameters.saturating_add(rows))
            }
            Solver::Sketch => {
                let sums = sketched(rows);
                Gram::bytes(parameters, sums).saturating_add(factors(sums))
            }
        }
    }

    /// The same with the factor that corrects the ends of steps, where there is one.
    pub fn bytes_with_corrector(self, solver: Solver) -> usize {
        let Extent { parameters, rows, .. } = self;
        let unknowns = match solver {
            Solver::Auto => return self.bytes_with_corrector(self.best()),
            Solver::NormalEquations => parameters,
            Solver::Woodbury => rows,
            Solver::Subspace => Subspace::unknowns_for(parameters),
            Solver::Sketch => sketched(rows),
            Solver::ConjugateGradients => 0,
        };
        let factor = if can_be_judged(self) { Cholesky::bytes(unknowns) } else { 0 };
        self.bytes(solver).saturating_add(factor)
    }

    /// What a device that solves equations by itself has as unknowns, at a turn. Where both matrices are too large for it, rows
    /// are sketched.
    pub fn unknowns_for_devices(self, solver: Solver, turn: u64) -> Unknowns {
        match solver {
            Solver::NormalEquations => Unknowns::Parameters,
            Solver::Woodbury => Unknowns::Rows,
            Solver::ConjugateGradients => Unknowns::Diagonal,
            Solver::Sketch => Unknowns::sketch(self.rows),
            Solver::Subspace => Unknowns::subspace(self.parameters, turn),
            Solver::Auto => self.unknowns_for_devices(self.best_on(Hardware::Accelerator), turn),
        }
    }

    /// Steps in subspaces where those are better, otherwise the cheapest way that has room; sketched equations, whose steps are
    /// not as good, and conjugate gradients alone where no others have.
    pub fn best(self) -> Solver {
        self.best_on(Hardware::Cpu)
    }

    /// The same on a device.
    pub fn best_on(self, device: Hardware) -> Solver {
        let most = match device {
            Hardware::Cpu => MOST_BYTES,
            Hardware::Accelerator => MOST_BYTES_ON_DEVICES,
        };
        let fits = |solver: &Solver| self.bytes(*solver) <= most;
        if fits(&Solver::Subspace) && self.is_better_in_subspaces(device) {
            return Solver::Subspace;
        }
        if device == Hardware::Accelerator && fits(&Solver::Sketch) && self.is_faster_sketched() {
            return Solver::Sketch;
        }
        let dense = [Solver::NormalEquations, Solver::Woodbury].into_iter().filter(fits);
        let best = dense.min_by(|&one, &other| self.flops(one).total_cmp(&self.flops(other)));
        best.or(Some(Solver::Sketch).filter(fits)).unwrap_or(Solver::ConjugateGradients)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_form_that_has_room_is_taken() {
        let best = |parameters: usize, rows: usize| {
            // A dense network's: six operations per weight and channel.
            let evaluation = 18.0 * parameters as f64 * rows as f64;
            Extent { parameters, rows, evaluation }.best()
        };
        assert_eq!(best(1341, 4608), Solver::NormalEquations);
        assert_eq!(best(12_737, 2304), Solver::Subspace);
        assert_eq!(best(12_737, 300), Solver::Woodbury, "few rows cost little");
        assert_eq!(best(150_000, 2304), Solver::Woodbury, "not seen to be better");
        assert_eq!(best(150_000, 40_000), Solver::Sketch);
        assert_eq!(best(1_000_000, 1000), Solver::ConjugateGradients, "no room for 8 GB");
    }

    #[test]
    fn devices_take_the_smaller_matrix_while_they_have_room_for_it() {
        let unknowns = |parameters: usize, rows: usize, solver: Solver| {
            Extent { parameters, rows, evaluation: 0.0 }.unknowns_for_devices(solver, 0)
        };
        assert_eq!(unknowns(1341, 4608, Solver::Auto), Unknowns::Parameters);
        assert_eq!(unknowns(50_000, 2304, Solver::Auto), Unknowns::Rows);
        assert_eq!(unknowns(500_000, 400_000, Solver::Auto), Unknowns::sketch(400_000));
        assert_eq!(unknowns(50_000, 8192, Solver::Auto), Unknowns::subspace(50_000, 0), "a GPU is faster so");
        assert_eq!(unknowns(12_737, 8192, Solver::Auto), Unknowns::Rows, "seen on one problem only");
        assert_eq!(unknowns(1341, 4608, Solver::Woodbury), Unknowns::Rows);
        assert_eq!(unknowns(1341, 4608, Solver::ConjugateGradients), Unknowns::Diagonal);
    }
}
