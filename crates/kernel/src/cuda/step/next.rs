//! Points of the next step, brought while a step is under way. Two sets have room then: one is read, the other is written.

use super::prepare::{Prepared, Resident, Step};
use crate::Points;
use crate::cuda::CudaError;
use crate::cuda::chunks::Wanted;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::Region;
use crate::cuda::memory::{MemoryPool, Tenant};

/// The set that is not read at present.
#[derive(Debug, Default)]
pub(super) struct OtherSet {
    /// Whether each step visits points that the host has found for it.
    pub(super) wanted: bool,
    /// Which of the two places the set has that is read.
    pub(super) place: usize,
    /// Stamps of the points that the other one holds; empty where that is nothing.
    pub(super) stamps: Vec<u64>,
    /// What comes next, with the positions of its terms.
    pub(super) next: Vec<(usize, Points)>,
}

impl Step {
    /// Makes room for a second set of points, from the next call on, or for none.
    pub(crate) fn expect_batches(
        &mut self,
        context: &mut DeviceContext,
        wanted: bool,
    ) -> Result<(), CudaError> {
        if wanted != self.other.wanted {
            context.memory.set_ring(wanted)?;
            self.other.wanted = wanted;
            self.forget();
        }
        Ok(())
    }

    /// What steps after the next series visit of these terms.
    pub(crate) fn bring_next(&mut self, next: Vec<(usize, Points)>) {
        self.other.next = next;
    }

    /// Which of two places points have that are read.
    #[cfg(test)]
    pub(crate) fn place_of_points(&self) -> usize {
        self.other.place
    }

    /// Gives that back.
    pub(crate) fn take_next(&mut self) -> Vec<(usize, Points)> {
        std::mem::take(&mut self.other.next)
    }

    /// The points of a set that are wanted are read from now on, if the other place has them.
    pub(super) fn turn_to(&mut self, stamps: &[u64]) -> bool {
        let there = !stamps.is_empty() && self.other.stamps == stamps;
        if there {
            let before = std::mem::replace(&mut self.resident, Resident::Given(stamps.to_vec()));
            self.other.stamps = match before {
                Resident::Given(stamps) => stamps,
                Resident::Nothing | Resident::Drawn { .. } => Vec::new(),
            };
            self.other.place = 1 - self.other.place;
        }
        there
    }

    /// Begins to bring what comes next beside what is queued.
    pub(super) fn begin_next(
        &mut self,
        context: &mut DeviceContext,
        prepared: &Prepared,
        wanted: Wanted<'_>,
    ) -> Result<(), CudaError> {
        let ([chunk], true, Wanted::Given(points)) = (&prepared.chunks[..], prepared.two_sets, wanted) else {
            return Ok(());
        };
        let next = |term: usize| self.other.next.iter().find(|(own, _)| *own == term).map(|(_, next)| next);
        let fits = |(term, next): &(usize, Points)| next.len() == chunk.ranges[*term].len();
        if self.other.next.is_empty() || !self.other.next.iter().all(fits) {
            return Ok(());
        }
        let sets: Vec<&Points> =
            points.iter().enumerate().map(|(term, own)| next(term).unwrap_or(own)).collect();
        let stamps: Vec<u64> = sets.iter().map(|set| set.stamp()).collect();
        let both: Region<f64> = context.memory.pool(Tenant::Calls, &prepared.regions, MemoryPool::Points);
        let half = both.count() / 2;
        let mut rest = both.part((1 - self.other.place) * half, half);
        for (term, set) in sets.into_iter().enumerate() {
            if self.other.stamps.get(term) != Some(&stamps[term]) {
                context.memory.send_aside(rest, set.numbers())?;
            }
            rest = rest.from(set.numbers().len());
        }
        self.other.stamps = stamps;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cuda::engine::Cuda;
    use crate::cuda::stand_in;
    use crate::{Points, Precision, Visits};
    use equation::taylor::Plan;
    use linear::{Moments, Series, Update};
    use std::sync::Arc;

    const ADAM: Update = Update::Adam {
        rate: 1e-3,
        mean_decay: 0.9,
        square_decay: 0.999,
        floor: 1e-8,
        decay: 0.0,
        decaying: 0,
    };

    fn plan() -> Arc<Plan> {
        let text = include_str!("../../../../equation/cases/heat.toml");
        let problem = equation::parse::parse(text).expect("a valid case");
        equation::taylor::plan(&problem).expect("a plan")
    }

    fn points(plan: &Plan, term: usize, batch: usize) -> Points {
        let width = plan.terms[term].row.width();
        let number = |place: usize| 0.01 + 0.07 * ((place * 5 + batch * 3 + term) % 13) as f64;
        Points::from_rows(width, (0..9 * width).map(number).collect())
    }

    /// Takes steps, each with a batch of its own for the first term; where the sets lie that are read.
    fn steps(brings: bool) -> (Vec<u64>, Vec<usize>) {
        let plan = plan();
        let mut cuda = Cuda::new(Arc::clone(&plan), Precision::F64, stand_in(1 << 30)).expect("a machine");
        cuda.expect_batches(brings).expect("memory");
        let mut sets: Vec<Points> = (0..plan.terms.len()).map(|term| points(&plan, term, 0)).collect();
        let (mut parameters, mut moments) = (plan.initialize(0), Moments::new(plan.parameter_count()));
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for batch in 1..5 {
            let next = points(&plan, 0, batch);
            if brings {
                cuda.bring_next(vec![(0, next.clone())]);
            }
            let (series, mut history) = (Series { update: ADAM, rates: &[1e-3], bound: None }, Vec::new());
            let visits = (Visits::Points(&sets), &plan.weights()[..]);
            let taken = cuda.run_steps(visits, series, (&mut moments).into(), &mut parameters, &mut history);
            assert!(taken.expect("memory").is_none(), "a finite loss");
            found.extend(history.iter().map(|visited| visited.loss.to_bits()));
            places.push(cuda.place_of_points());
            sets[0] = cuda.take_next().pop().map_or(next, |(_, next)| next);
        }
        found.extend(parameters.iter().map(|parameter| parameter.to_bits()));
        (found, places)
    }

    #[test]
    fn points_that_are_brought_while_a_step_is_under_way_change_no_bit() {
        let (plain, brought) = (steps(false), steps(true));
        assert_eq!(plain.0, brought.0);
        assert_eq!((&plain.1[..], &brought.1[..]), (&[0, 0, 0, 0][..], &[0, 1, 0, 1][..]));
    }
}
