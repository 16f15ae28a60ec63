//! Gradients that a device makes shorter between the launch that adds up and the one that moves.

use super::places::MOST;
use crate::cuda::CudaError;
use crate::cuda::context::DeviceContext;
use crate::cuda::machine::{Region, Shape, ToLoad, given};
use crate::cuda::program::{NUMBERS, Other, PlanArguments, kernel, tables};
use linear::clip::{ClipRule, Clipping, LEAST_UNIT, Limit, Unit};
use method::Clip;
use std::fmt::Write;

/// Of the one block that does it.
const THREADS: usize = 256;

/// The kernel.
const CLIP: &str = "clip";

given! {
    /// What the kernel is given; as `Arguments` in `device/step/clip.cuh`.
    pub(super) struct ClipArguments laid out as ClipWords {
        result: Region<f64>,
        parameters: Region<f64>,
        factors: Region<f64>,
        unscale: f64,
        count: u64,
        squares: u64,
        progress: Region<u64>,
        index: u64,
        rules: Region<f64>,
        rule_count: u64,
        parts: Region<f64>,
        memory: Region<f64>,
        shortened: Region<f64>,
    }
}

/// Numbers of a rule; as `Rule` there.
const RULE: usize = 8;

/// Numbers of a part; as `Part` there.
const PART: usize = 3;

/// What a rule remembers besides norms: how many there are, and where the oldest is, or an average and whether there is one.
const HEAD: usize = 2;

/// What a rule does; as the constants of these names there.
#[derive(Clone, Copy)]
enum Kind {
    Value,
    Parts,
    Units,
    Whole,
    Mean,
    Percentile,
    Average,
}

/// Rules as the kernel reads them.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ClipTable {
    rules: Vec<f64>,
    parts: Vec<f64>,
    memory: Vec<f64>,
}

impl ClipTable {
    pub(super) fn of(clipping: &Clipping) -> Self {
        let mut table = ClipTable::default();
        clipping.rules().iter().for_each(|rule| table.add(rule, clipping));
        table
    }

    fn add(&mut self, rule: &ClipRule, clipping: &Clipping) {
        let parts = clipping.parts();
        let ranges = |ranges: &[std::ops::Range<usize>]| -> Vec<Unit> {
            ranges.iter().map(|range| Unit { first: range.start, count: range.len(), stride: 1 }).collect()
        };
        let (kind, numbers, units) = match rule {
            ClipRule::Fixed(Clip::Value { limit }) => (Kind::Value, [*limit, 0.0, 0.0], Vec::new()),
            ClipRule::Fixed(Clip::Norm { limit }) => (Kind::Parts, [*limit, 0.0, 0.0], ranges(&parts.arrays)),
            ClipRule::Fixed(Clip::Layer { limit }) => {
                (Kind::Parts, [*limit, 0.0, 0.0], ranges(&parts.layers))
            }
            ClipRule::Fixed(Clip::Relative { ratio }) => {
                (Kind::Units, [*ratio, 0.0, 0.0], parts.units.clone())
            }
            ClipRule::Fixed(Clip::GlobalNorm { limit }) => (Kind::Whole, [*limit, 0.0, 0.0], Vec::new()),
            // Those follow norms.
            ClipRule::Fixed(Clip::Adaptive { .. } | Clip::Percentile { .. } | Clip::Average { .. }) => return,
            ClipRule::Moving(Limit::Mean { factor, .. }) => (Kind::Mean, [*factor, 0.0, 0.0], Vec::new()),
            ClipRule::Moving(Limit::Percentile { percentile, .. }) => {
                (Kind::Percentile, [*percentile, 0.0, 0.0], Vec::new())
            }
            ClipRule::Moving(Limit::Average { decay, factor, floor, .. }) => {
                (Kind::Average, [*decay, *factor, *floor], Vec::new())
            }
        };
        let window = match rule {
            ClipRule::Moving(limit) => window(limit),
            ClipRule::Fixed(_) => 0,
        };
        let [places, memory] = [self.parts.len() / PART, self.memory.len()].map(|place| place as f64);
        self.rules.push(f64::from(kind as u8));
        self.rules.extend(numbers);
        self.rules.extend([memory, window as f64, places, units.len() as f64]);
        self.parts.extend(
            units.iter().flat_map(|unit| [unit.first, unit.count, unit.stride].map(|place| place as f64)),
        );
        if let ClipRule::Moving(limit) = rule {
            let known = limit.save();
            let begin = self.memory.len();
            match limit {
                // Whether there is an average, and which.
                Limit::Average { .. } => {
                    self.memory.extend([known.len() as f64, known.first().copied().unwrap_or(0.0)]);
                }
                Limit::Mean { .. } | Limit::Percentile { .. } => {
                    self.memory.extend([known.len() as f64, 0.0]);
                    self.memory.extend(known);
                }
            }
            self.memory.resize(begin + HEAD + window, 0.0);
        }
    }

    /// Numbers on the device: the table, and whether the gradient of each step of a call was made shorter.
    pub(super) fn words(&self) -> usize {
        self.rules.len() + self.parts.len() + self.memory.len() + MOST
    }
}

/// Norms that a limit remembers.
fn window(limit: &Limit) -> usize {
    match limit {
        Limit::Mean { window, .. } | Limit::Percentile { window, .. } => *window,
        Limit::Average { .. } => 0,
    }
}

/// The rules of a series of steps, on the device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct DeviceClipping {
    module: Other,
    arguments: ClipArguments,
}

impl DeviceClipping {
    /// Brings rules to a region that is as long as [`ClipTable::words`].
    pub(super) fn bring(
        context: &mut DeviceContext,
        module: Other,
        table: &ClipTable,
        (region, plan): (Region<f64>, &PlanArguments),
    ) -> Result<Self, CudaError> {
        let counts = [table.rules.len(), table.parts.len(), table.memory.len(), MOST];
        let [rules, parts, memory, shortened] = region.split(counts);
        let numbers = table.rules.iter().chain(&table.parts).chain(&table.memory);
        context.memory.send(region, numbers.map(|number| number.to_bits()))?;
        let arguments = ClipArguments {
            result: plan.result,
            parameters: plan.parameters,
            factors: plan.factors,
            unscale: plan.unscale,
            count: context.plan().parameter_count() as u64,
            squares: tables(context.plan()) as u64,
            progress: plan.progress,
            index: 0,
            rules,
            rule_count: (table.rules.len() / RULE) as u64,
            parts,
            memory,
            shortened,
        };
        Ok(DeviceClipping { module, arguments })
    }

    /// Queues them for a step, which has arguments of its own.
    pub(super) fn queue(&self, context: &DeviceContext, step: &PlanArguments) -> Result<(), CudaError> {
        let PlanArguments { parameters, index, .. } = *step;
        let arguments = ClipArguments { parameters, index, ..self.arguments };
        context.program.launch_other(self.module, CLIP, 1, &arguments)
    }

    /// Takes note of whether the gradients of so many steps of the last call were made shorter.
    pub(super) fn note_steps(
        &self,
        context: &mut DeviceContext,
        clipping: &mut Clipping,
        taken: usize,
    ) -> Result<(), CudaError> {
        let mut shortened = vec![0.0; taken];
        context.memory.fetch(self.arguments.shortened, &mut shortened)?;
        shortened.into_iter().for_each(|flag| clipping.note_step(flag != 0.0));
        Ok(())
    }

    /// Brings back what rules remember.
    pub(super) fn fetch(
        &self,
        context: &mut DeviceContext,
        clipping: &mut Clipping,
    ) -> Result<(), CudaError> {
        let mut memory = vec![0.0; self.arguments.memory.count()];
        context.memory.fetch(self.arguments.memory, &mut memory)?;
        let mut rest = &memory[..];
        for rule in clipping.rules_mut() {
            let ClipRule::Moving(limit) = rule else { continue };
            let (own, others) = rest.split_at(HEAD + window(limit));
            limit.restore(&remembered(limit, own));
            rest = others;
        }
        Ok(())
    }
}

/// What a limit remembers, as [`Limit::save`] says it.
fn remembered(limit: &Limit, own: &[f64]) -> Vec<f64> {
    let (head, norms) = own.split_at(HEAD);
    match limit {
        Limit::Average { .. } => head[1..].iter().copied().filter(|_| head[0] != 0.0).collect(),
        Limit::Mean { .. } | Limit::Percentile { .. } => {
            let (count, oldest) = (head[0] as usize, head[1] as usize);
            norms.iter().cycle().skip(oldest).take(count).copied().collect()
        }
    }
}

/// The text of the kernel.
pub(in crate::cuda) fn text() -> String {
    let mut text =
        String::from("// Gradients that are made shorter, made by pinnace.\ntypedef double number;\n");
    for (name, value) in [("THREADS", THREADS), ("WORKSPACE_BYTES", THREADS * size_of::<f64>())] {
        _ = writeln!(text, "constexpr int {name} = {value};");
    }
    _ = writeln!(text, "constexpr double LEAST_UNIT = {LEAST_UNIT:?};");
    for part in [NUMBERS, include_str!("../device/step/clip.cuh")] {
        text.push('\n');
        text += part;
    }
    text + &kernel(CLIP, "    clip_gradient(arguments);\n")
}

/// Loads the kernel.
pub(super) fn load(context: &mut DeviceContext) -> Result<Other, CudaError> {
    let shape = Shape { threads: THREADS, shared: 0, each: 1 };
    let text = text();
    let wanted = ToLoad { text: &text, shape, kernels: &[CLIP], staging: &[], tables: &[] };
    Ok(context.program.load_all(&[], &[wanted])?.remove(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::machine::assert_twins;

    #[test]
    fn the_kernel_reads_what_it_is_given() {
        let words = |bytes: usize| bytes * size_of::<f64>();
        let sizes = [("sizeof(Rule)", words(RULE)), ("sizeof(Part)", words(PART))];
        let kinds = [
            ("VALUE", Kind::Value),
            ("PARTS", Kind::Parts),
            ("UNITS", Kind::Units),
            ("WHOLE", Kind::Whole),
            ("MEAN", Kind::Mean),
            ("PERCENTILE", Kind::Percentile),
            ("AVERAGE", Kind::Average),
        ];
        let kinds = kinds.map(|(name, kind)| (name, kind as usize));
        let constants: Vec<(&str, usize)> = sizes.into_iter().chain(kinds).collect();
        assert_twins::<ClipArguments>(&text(), &constants);
    }
}
