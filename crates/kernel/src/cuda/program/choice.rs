//! Which kernels take a step at so many points.

use super::emit::{TileMeasure, Variant, Work};
use super::loaded::{Handle, LoadedProgram};
use super::{price, tiles};
use crate::Precision;
use crate::cuda::CudaError;
use method::TILES;

impl LoadedProgram {
    /// The kernels whose tiles share out so many points of every term best.
    pub(crate) fn kernels_for(&mut self, counts: &[usize]) -> Result<Handle, CudaError> {
        if let Some(kernels) = self.chosen_for(counts) {
            return Ok(kernels);
        }
        let (best, variant) = self.best(counts);
        let kernels = self.load((Work::Evaluate, best, variant))?;
        self.choose(counts, kernels);
        Ok(kernels)
    }

    /// Those that were chosen for so many.
    pub(crate) fn chosen_for(&self, counts: &[usize]) -> Option<Handle> {
        self.chosen.as_ref().filter(|(known, _)| known == counts).map(|(_, kernels)| *kernels)
    }

    /// Takes these for so many.
    pub(crate) fn choose(&mut self, counts: &[usize], kernels: Handle) {
        self.chosen = Some((counts.to_vec(), kernels));
    }

    /// Loads what takes steps at so many points of every term, and what predicts, for training measures errors too.
    pub(crate) fn load_training(&mut self, counts: &[usize]) -> Result<(), CudaError> {
        let (points, variant) = self.best(counts);
        let size = tiles::for_any(self.plan(), &self.plan().prediction);
        let wanted = [(Work::Evaluate, points, variant), (Work::Fill, size, Variant::default())];
        self.load_all(&wanted, &[]).map(|_| ())
    }

    /// The tiles that share out so many points of every term best, and which text for them.
    fn best(&self, counts: &[usize]) -> (usize, Variant) {
        if let Some(stated) = self.tiles() {
            return (stated, self.variant(stated, counts));
        }
        let cost = |most: usize| {
            let measure = self.measured(most);
            let cost = price::cost(self.plan(), &measure, counts, self.machine().blocks(1));
            cost + price::update_cost(self.gradient_bytes(&measure, counts))
                + self.missed_cost(&measure, counts)
        };
        let costs = TILES.map(|most| (cost(most), most));
        let best = costs.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
        let best = best.map_or(tiles::FEWEST, |(_, most)| most);
        (best, self.variant(best, counts))
    }

    /// What sums cost that wait outside of the second-level cache.
    fn missed_cost(&self, measure: &TileMeasure, counts: &[usize]) -> f64 {
        let (tiles, number) = (measure.tiles(counts), self.number_bytes());
        let blocks = tiles.min(self.machine().blocks(measure.shape.each));
        let gradients = blocks.div_ceil(price::sharing(tiles, blocks, self.precision() == Precision::F64));
        let resident = (blocks * measure.scratch + gradients * measure.gradient) * number;
        price::missed_cost(tiles, measure.scratch * number, resident, self.machine().cache_bytes())
    }

    /// Bytes of all gradients, where every block has its own.
    fn gradient_bytes(&self, measure: &TileMeasure, counts: &[usize]) -> usize {
        let blocks = measure.tiles(counts).min(self.machine().blocks(measure.shape.each));
        blocks * measure.gradient * self.number_bytes()
    }

    /// Which text for tiles of at most so many points.
    fn variant(&self, most: usize, counts: &[usize]) -> Variant {
        let own = Variant::default();
        let merged = Variant { merged: true, ..own };
        let sources = [own, merged].map(|one| self.text_of((Work::Evaluate, most, one)));
        let multiprocessors = self.machine().blocks(1);
        let (variant, source) = match price::merges(self.plan(), &sources, counts, multiprocessors) {
            true => (merged, &sources[1]),
            false => (own, &sources[0]),
        };
        // Sums of layers that have no room beside another block's may have room then.
        let alone = source.scratch > 0 && source.tiles(counts) <= multiprocessors;
        let blocks = self.machine().blocks(source.shape.each);
        let sharing = price::sharing(source.tiles(counts), blocks, self.precision() == Precision::F64);
        let sharing = sharing.min(self.machine().sharing());
        let apart = !variant.merged && source.networks > 1 && price::apart(source.tiles(counts), blocks);
        Variant { alone, sharing, apart, ..variant }
    }

    /// The sizes that give different tiles.
    pub(crate) fn candidates(&self) -> Vec<usize> {
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        for size in TILES {
            let points = self.measured(size).points;
            if found.iter().all(|(_, known)| *known != points) {
                found.push((size, points));
            }
        }
        found.into_iter().map(|(size, _)| size).collect()
    }

    /// The kernels of loss and gradient with tiles of at most so many points.
    pub(crate) fn evaluating(&mut self, most: usize, counts: &[usize]) -> Result<Handle, CudaError> {
        self.load((Work::Evaluate, most, self.variant(most, counts)))
    }
}

#[cfg(test)]
mod tests {
    use crate::Precision;
    use crate::cuda::program::emit::{KernelTarget, Variant, Work, measured, source};
    use method::TILES;

    #[test]
    fn tiles_are_priced_by_what_their_kernels_take() {
        let cases = [
            include_str!("../../../../equation/cases/burgers.toml"),
            include_str!("../../../../equation/cases/inverse.toml"),
        ];
        for text in cases {
            let problem = equation::parse::parse(text).expect("a valid case");
            let plan = equation::taylor::plan(&problem).expect("a plan");
            for precision in
                [Precision::F64, Precision::F32, Precision::Tf32, Precision::Fp16x3, Precision::Bf16]
            {
                let target =
                    KernelTarget { precision, shared: 228 * 1024, groups: true, variant: Variant::default() };
                for most in TILES {
                    let written = source(&plan, target, Work::Evaluate, most);
                    assert_eq!(
                        measured(&plan, target, most),
                        written.measure(),
                        "{precision}, {most} points"
                    );
                }
            }
        }
    }
}
