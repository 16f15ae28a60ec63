//! Steps that visit a part of the points inside: every point once in an epoch, in an order that is another one in each.

use super::task::Equations;
use equation::counter::Stream;
use equation::taylor::Source;
use kernel::Points;

/// The family that orders come from.
const ORDERS: u64 = 0x5e << 56;

/// Points in the order of an epoch.
#[derive(Debug)]
pub(super) struct Epoch {
    number: u64,
    order: Vec<usize>,
}

impl Epoch {
    /// So many points, shuffled (Fisher, Yates 1938; Durstenfeld 1964): a function of the arguments.
    fn new(seed: u64, number: u64, count: usize) -> Self {
        let stream = Stream::new(Stream::new(seed, ORDERS).bits(number), 0);
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            // A product of 64 bits and the range, of which the upper half counts: no remainder prefers small numbers.
            let other = (u128::from(stream.bits(last as u64)) * (last as u128 + 1)) >> 64;
            order.swap(last, other as usize);
        }
        Epoch { number, order }
    }

    /// The points of a step of the epoch.
    fn batch(&self, size: usize, step: u64) -> &[usize] {
        let start = (step as usize).saturating_mul(size).min(self.order.len());
        &self.order[start..(start + size).min(self.order.len())]
    }
}

impl Equations<'_> {
    /// Which term has the points that come in batches, and how many a batch has.
    fn batched(&self) -> Option<(usize, usize)> {
        let inside = self.plan.terms.iter().position(|term| term.source == Source::Interior)?;
        Some((inside, self.settings().batch?))
    }

    /// Takes the objective's points for those of which steps visit batches.
    pub(super) fn keep_all(&mut self) {
        self.all = self.batched().map(|(number, _)| self.objective.points()[number].clone());
    }

    /// All points of a term, of which the objective may have a batch.
    pub(super) fn all_points(&self, number: usize) -> &Points {
        match (&self.all, self.batched()) {
            (Some(all), Some((batched, _))) if batched == number => all,
            _ => &self.objective.points()[number],
        }
    }

    /// Gives the objective the batch of a step of the phase; whether there are batches.
    pub(super) fn next_batch(&mut self, step: u64) -> bool {
        let (Some((number, size)), Some(all)) = (self.batched(), &self.all) else { return false };
        if size >= all.len() {
            return false;
        }
        let steps = all.len().div_ceil(size) as u64;
        let (epoch, within) = (step / steps, step % steps);
        let seed = self.problem.training.seed;
        let fits = |known: &&Epoch| known.number == epoch && known.order.len() == all.len();
        if self.epoch.as_ref().filter(fits).is_none() {
            self.epoch = Some(Epoch::new(seed, epoch, all.len()));
        }
        let Some(order) = &self.epoch else { return false };
        let rows = order.batch(size, within).iter().flat_map(|&point| all.row(point)).copied();
        let batch = Points::from_rows(all.width(), rows.collect());
        self.objective.set_points_of(number, batch);
        true
    }

    /// Gives the objective all points.
    pub(super) fn put_all(&mut self) {
        if let (Some((number, _)), Some(all)) = (self.batched(), self.all.clone()) {
            self.objective.set_points_of(number, all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_visits_every_point_once_and_every_epoch_in_another_order() {
        for (count, size) in [(10, 3), (1000, 64), (7, 7), (1, 5)] {
            let epoch = Epoch::new(3, 5, count);
            let steps = count.div_ceil(size) as u64;
            let mut seen: Vec<usize> = (0..steps).flat_map(|step| epoch.batch(size, step)).copied().collect();
            assert!(epoch.batch(size, steps).is_empty());
            assert_eq!(seen, epoch.order);
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
            assert_eq!(Epoch::new(3, 5, count).order, epoch.order);
        }
        assert_ne!(Epoch::new(3, 5, 100).order, Epoch::new(3, 6, 100).order);
        assert_ne!(Epoch::new(3, 5, 100).order, Epoch::new(4, 5, 100).order);
    }

    #[test]
    fn all_places_are_as_likely_for_all_points() {
        let mut counts = [[0; 4]; 4];
        for number in 0..8000 {
            Epoch::new(1, number, 4)
                .order
                .iter()
                .enumerate()
                .for_each(|(place, &point)| counts[place][point] += 1);
        }
        // Five standard deviations of 8000 tries with a chance of one in four.
        let most = 5.0 * (8000.0f64 * 0.25 * 0.75).sqrt();
        assert!(counts.iter().flatten().all(|&count| (f64::from(count) - 2000.0).abs() < most), "{counts:?}");
    }
}
