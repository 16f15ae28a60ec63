//! Where steps that stay on the device have their lengths, losses and progress.

use crate::cuda::context::DeviceContext;
use crate::cuda::machine::Region;
use crate::cuda::memory::{MemoryPool, Regions, Tenant};
use crate::cuda::program::tables;
use equation::taylor::Plan;

/// Steps whose lengths and losses have room on the device.
pub(super) const MOST: usize = 512;

/// Words that tell how far a call has come, as `progress` in `device/shared/arguments.cuh`, and that fill up their line of the cache.
const PROGRESS: usize = 16;

/// Words of what a step is made of; as `Step` in `device/step/update.cuh`.
const STEP: usize = 3;

/// Words of an optimizer's running means, of a second copy of parameters and means, and of steps whose gradients are made shorter by
/// a table of so many words.
pub(super) fn words(plan: &Plan, clip: usize) -> [usize; 2] {
    [5 * plan.parameter_count(), step_words(plan, clip).into_iter().sum()]
}

/// Words of lengths of steps, of what was found before them, of progress, and of that table.
fn step_words(plan: &Plan, clip: usize) -> [usize; 4] {
    [STEP * MOST, MOST * (1 + tables(plan)), PROGRESS, clip]
}

/// Where those are.
pub(super) struct StepPlaces {
    pub(super) lengths: Region<f64>,
    pub(super) history: Region<f64>,
    pub(super) progress: Region<u64>,
    pub(super) clip: Region<f64>,
}

impl StepPlaces {
    pub(super) fn of(context: &DeviceContext, regions: &Regions, clip: usize) -> Self {
        let all: Region<u64> = context.memory.pool(Tenant::Calls, regions, MemoryPool::Steps);
        let [lengths, history, progress, clip] = all.split(step_words(context.plan(), clip));
        StepPlaces { lengths: lengths.cast(), history: history.cast(), progress, clip: clip.cast() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;
    use crate::cuda::chunks::JOB;
    use crate::cuda::machine::assert_twins;
    use crate::cuda::parts::PART;
    use crate::cuda::program::{KernelTarget, PlanArguments, Variant, Work, reduced, source};

    #[test]
    fn kernels_read_what_they_are_given() {
        let text = include_str!("../../../../equation/cases/burgers.toml");
        let problem = equation::parse::parse(text).expect("a valid case");
        let plan = equation::taylor::plan(&problem).expect("a plan");
        let variant = Variant::default();
        let target = KernelTarget { precision: Precision::F64, shared: 228 * 1024, groups: true, variant };
        let fused = source(&plan, target, Work::Evaluate, 16);
        let words = |bytes: usize| bytes * size_of::<u64>();
        let step = [("sizeof(Step)", words(STEP)), ("REDUCED", reduced(fused.shape.threads))];
        assert_twins::<PlanArguments>(&fused.text, &[]);
        let around = fused.around.expect("a text of their own");
        let drawing = [("sizeof(Job)", words(JOB)), ("sizeof(Part)", words(PART))];
        assert_twins::<PlanArguments>(&around, &[step, drawing].concat());
        // The same struct where numbers are smaller.
        let target = KernelTarget { precision: Precision::F32, ..target };
        let layers = source(&plan, target, Work::Evaluate, 16);
        assert_twins::<PlanArguments>(&layers.text, &[("REDUCED", reduced(layers.shape.threads))]);
    }
}
