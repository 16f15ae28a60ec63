//! Kernels that were written and loaded.

use super::emit::{
    KernelSource, KernelTarget, TileMeasure, Unfused, Variant, Work, measured, obstacle, source,
};
use super::rule::{MOVERS, Rule};
use super::{CompileMode, PlanArguments};
use crate::Precision;
use crate::cuda::CudaError;
use crate::cuda::machine::{Given, Machine, Module, Shape, ToLoad};
use equation::taylor::Plan;
use std::sync::Arc;

/// Places of the blocks' gradients that a block of so many threads adds up; as `REDUCED` in `device/step/update.cuh`.
pub(crate) fn reduced(threads: usize) -> usize {
    match threads {
        ..64 => 4,
        64..128 => 8,
        128..256 => 32,
        _ => 64,
    }
}

/// Sums of squares that follow a gradient.
pub(crate) fn tables(plan: &Plan) -> usize {
    plan.terms.iter().map(|term| term.residuals.len()).sum()
}

/// A plan's kernels, those that were needed so far.
#[derive(Debug)]
pub(crate) struct LoadedProgram {
    plan: Arc<Plan>,
    precision: Precision,
    machine: Machine,
    loaded: Vec<Loaded>,
    /// Kernels that are the same for every plan.
    others: Vec<Module>,
    mode: CompileMode,
    /// Points of a tile at most, where somebody says.
    tiles: Option<usize>,
    /// Those that suit so many points of every term.
    pub(super) chosen: Option<(Vec<usize>, Handle)>,
}

/// Kernels of one kind of work for one size of tile.
#[derive(Debug)]
struct Loaded {
    /// `None` where another room wrote them.
    wish: Option<Wish>,
    source: KernelSource,
    modules: Vec<Module>,
    /// What moves parameters by other rules than Adam's, as far as it was needed.
    movers: Vec<(Rule, Module)>,
}

/// Which kernels: what they do, points of a tile at most, which text.
pub(crate) type Wish = (Work, usize, Variant);

/// Loaded kernels of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Handle(usize);

/// Loaded kernels that are the same for every plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Other(usize);

impl LoadedProgram {
    /// Kernels are compiled when they are first needed.
    pub(crate) fn new(plan: Arc<Plan>, precision: Precision, machine: Machine) -> Self {
        let mode = CompileMode::default();
        let (loaded, others) = (Vec::new(), Vec::new());
        LoadedProgram { plan, precision, machine, loaded, others, mode, tiles: None, chosen: None }
    }

    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    pub(crate) fn precision(&self) -> Precision {
        self.precision
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    pub(crate) fn mode(&self) -> CompileMode {
        self.mode
    }

    /// Changes how kernels are chosen, from the next call on.
    pub(crate) fn set_mode(&mut self, mode: CompileMode) {
        (self.mode, self.chosen) = (mode, None);
    }

    /// Points of a tile at most, where somebody says.
    pub(crate) fn tiles(&self) -> Option<usize> {
        self.tiles
    }

    /// Says so from the next call on, or leaves it to the mode.
    pub(crate) fn set_tiles(&mut self, tiles: Option<usize>) {
        (self.tiles, self.chosen) = (tiles, None);
    }

    /// Bytes of a number in the plan's precision.
    pub(crate) fn number_bytes(&self) -> usize {
        match self.precision {
            Precision::F64 => size_of::<f64>(),
            Precision::F32
            | Precision::Bf16x6
            | Precision::Fp16x3
            | Precision::Bf16x3
            | Precision::Tf32
            | Precision::Bf16
            | Precision::Fp16 => size_of::<f32>(),
        }
    }

    /// Bytes of loaded kernels.
    pub(crate) fn image_bytes(&self) -> usize {
        let modules = self.loaded.iter().flat_map(|loaded| &loaded.modules).chain(&self.others);
        let movers = self.loaded.iter().flat_map(|loaded| loaded.movers.iter().map(|(_, module)| module));
        modules.chain(movers).map(Module::bytes).sum()
    }

    /// Why training steps are not fused, where they are not and nobody asked for that.
    pub(crate) fn unfused(&self) -> Option<Unfused> {
        let target = self.target(Variant::default());
        if self.mode == CompileMode::Off { None } else { obstacle(&self.plan, target) }
    }

    fn target(&self, variant: Variant) -> KernelTarget {
        let (shared, groups) = (self.machine.shared_bytes(), self.machine.groups());
        KernelTarget { precision: self.precision, shared, groups, variant }
    }

    /// The text of kernels that need not be loaded.
    pub(crate) fn text_of(&self, (work, points, variant): Wish) -> KernelSource {
        source(&self.plan, self.target(variant), work, points)
    }

    /// What kernels of loss and gradient with tiles of at most so many points take.
    pub(crate) fn measured(&self, points: usize) -> TileMeasure {
        measured(&self.plan, self.target(Variant::default()), points)
    }

    /// Kernels of some work with tiles of at most so many points.
    pub(crate) fn kernels(&mut self, work: Work, points: usize) -> Result<Handle, CudaError> {
        self.load((work, points, Variant::default()))
    }

    /// The same kernels for points that come in chunks.
    pub(crate) fn chunked(&mut self, kernels: Handle) -> Result<Handle, CudaError> {
        match self.loaded[kernels.0].wish {
            Some((work, points, variant)) => self.load((work, points, Variant { chunked: true, ..variant })),
            // Those of the unfused baseline add up as they go in any case.
            None => Ok(kernels),
        }
    }

    pub(super) fn load(&mut self, wish: Wish) -> Result<Handle, CudaError> {
        self.load_all(&[wish], &[])?;
        Ok(self.known(wish).expect("kernels that were just loaded"))
    }

    /// Loads those of the kernels that are not there yet, and texts that are the same for every plan, side by side.
    pub(crate) fn load_all(
        &mut self,
        wishes: &[Wish],
        others: &[ToLoad<'_>],
    ) -> Result<Vec<Other>, CudaError> {
        let missing = wishes.iter().filter(|wish| self.known(**wish).is_none());
        let sources: Vec<(Wish, KernelSource)> = missing.map(|&wish| (wish, self.text_of(wish))).collect();
        let texts: Vec<Vec<ToLoad<'_>>> = sources.iter().map(|(_, source)| source.to_load()).collect();
        let counts: Vec<usize> = texts.iter().map(Vec::len).collect();
        let all: Vec<ToLoad<'_>> = others.iter().copied().chain(texts.into_iter().flatten()).collect();
        let mut modules = self.machine.load(&all)?;
        let mut own = modules.split_off(others.len()).into_iter();
        for ((wish, source), count) in sources.into_iter().zip(counts) {
            let modules = own.by_ref().take(count).collect();
            self.loaded.push(Loaded { wish: Some(wish), source, modules, movers: Vec::new() });
        }
        let first = self.others.len();
        self.others.extend(modules);
        Ok((first..self.others.len()).map(Other).collect())
    }

    /// Loads kernels that another room wrote.
    pub(crate) fn load_written(&mut self, source: KernelSource) -> Result<Handle, CudaError> {
        let modules = self.machine.load(&source.to_load())?;
        self.loaded.push(Loaded { wish: None, source, modules, movers: Vec::new() });
        Ok(Handle(self.loaded.len() - 1))
    }

    /// Loads what moves parameters by a rule, unless it is there. The kernels of Adam stay what they are.
    pub(crate) fn load_rule(&mut self, Handle(kernels): Handle, rule: Rule) -> Result<(), CudaError> {
        let Loaded { source, movers, .. } = &self.loaded[kernels];
        if rule == Rule::Adam || movers.iter().any(|(known, _)| *known == rule) {
            return Ok(());
        }
        let text = rule.text(source);
        let mover = ToLoad {
            text: &text,
            shape: Shape { shared: 0, ..source.shape },
            kernels: &MOVERS,
            staging: &[],
            tables: &[],
        };
        let modules = self.machine.load(&[mover])?;
        self.loaded[kernels].movers.extend(modules.into_iter().map(|module| (rule, module)));
        Ok(())
    }

    fn known(&self, wish: Wish) -> Option<Handle> {
        self.loaded.iter().position(|loaded| loaded.wish == Some(wish)).map(Handle)
    }

    pub(crate) fn source(&self, kernels: Handle) -> &KernelSource {
        &self.loaded[kernels.0].source
    }

    /// What kernels do that were written here.
    pub(crate) fn work(&self, kernels: Handle) -> Option<Work> {
        self.loaded[kernels.0].wish.map(|(work, ..)| work)
    }

    /// Blocks that are worth launching at once.
    pub(crate) fn blocks(&self, kernels: Handle) -> usize {
        self.machine.blocks(self.source(kernels).shape.each)
    }

    /// The module that has a kernel.
    fn module(&self, kernels: Handle, name: &str) -> &Module {
        let found = self.loaded[kernels.0].modules.iter().find(|module| module.has(name));
        found.expect("every kernel that is launched was named when its module was loaded")
    }

    /// Queues a kernel on `blocks` blocks.
    pub(crate) fn launch(
        &self,
        kernels: Handle,
        name: &str,
        blocks: usize,
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        self.machine.launch(self.module(kernels, name), name, blocks, arguments)
    }

    /// Queues copies of parameters that kernels can read, where they do not read the parameters themselves.
    pub(crate) fn pack(&self, kernels: Handle, arguments: &PlanArguments) -> Result<(), CudaError> {
        let KernelSource { packed, shape, .. } = self.source(kernels);
        match packed.div_ceil(shape.threads).min(self.blocks(kernels)) {
            0 => Ok(()),
            blocks => self.launch(kernels, "pack", blocks, arguments),
        }
    }

    /// Queues what adds up the blocks' gradients.
    pub(crate) fn reduce(&self, kernels: Handle, arguments: &PlanArguments) -> Result<(), CudaError> {
        self.launch(kernels, "reduce", self.summing_blocks(kernels), arguments)
    }

    /// Queues what moves parameters by a rule that was loaded: after adding up, or by what is added up already.
    pub(crate) fn move_parameters(
        &self,
        kernels: Handle,
        (rule, added_up): (Rule, bool),
        arguments: &PlanArguments,
    ) -> Result<(), CudaError> {
        let name = if added_up { "apply" } else { "update" };
        let mover = self.loaded[kernels.0].movers.iter().find(|(known, _)| *known == rule);
        let module = mover.map_or_else(|| self.module(kernels, name), |(_, module)| module);
        self.machine.launch(module, name, self.summing_blocks(kernels), arguments)
    }

    /// Blocks that add up a gradient, and one more.
    fn summing_blocks(&self, kernels: Handle) -> usize {
        let KernelSource { gradient, shape, .. } = self.source(kernels);
        gradient / reduced(shape.threads) + 1
    }

    /// Queues a kernel that is the same for every plan.
    pub(crate) fn launch_other(
        &self,
        Other(other): Other,
        name: &str,
        blocks: usize,
        arguments: &impl Given,
    ) -> Result<(), CudaError> {
        self.machine.launch(&self.others[other], name, blocks, arguments)
    }
}
