//! The whole pipeline behind one noun.

use crate::decide::{
    Settings, Settled, endless_warmups, idle, lasts, other_balance, rungs, settle, suitable, why_precision,
    without_batches, without_effect,
};
use crate::grid::check as check_grid;
use crate::problems::BuiltIn;
use crate::sample::{Draw, draw, with_few_points};
use crate::table::{DataSources, ReferenceTable, Tables};
use crate::{SlowWay, TrainError, problem_file};
use equation::decide::{Decision, Decisions, decide, quoted};
use equation::oscillation::periods_in_time;
use equation::parse::{Diagnostics, parse_with_files, resolve, states};
use equation::problem::{
    Budget, Enforcement, Guard, Method, Performance, PerformanceLevel, Phase, Policy, Problem, notes,
};
use equation::taylor::{Plan, plan};
use kernel::cuda::CudaError;
use kernel::{ChosenDevice, Device, Kernel, Points, Precision};
use method::{GradientCheck, Order};
use reference::{Facts, Truth};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use train::folder::open_regular;
use train::optimize::most_parameters;
use train::trainer::OwnOptimizer;
use train::{Hardware, Snapshot};

/// A problem that is ready to be trained: parsed, planned, its data read, its reference known. What
/// can be found wrong before training has been looked for.
#[derive(Clone, Debug)]
pub struct Experiment {
    name: String,
    origin: Origin,
    problem: Problem,
    plan: Arc<Plan>,
    pub(crate) tables: Tables,
    pub(crate) truths: Vec<Option<Truth>>,
    device: Device,
    precision: Precision,
    /// Bytes that it may take on a device with memory of its own.
    memory_limit: Option<usize>,
    /// What was measured, with what came of it.
    measured: Vec<Decision>,
    /// Why it does not run on a GPU, where the best device was asked for.
    without_gpu: Option<CudaError>,
    /// What was decided by the equations alone.
    by_equations: Decisions,
    /// Whether nobody says in which numbers to compute.
    precision_is_open: bool,
    /// What was decided about the width, once the time is known that it has.
    width: Option<Decision>,
    /// What training goes through, and what was decided about it.
    settled: Settled,
    /// All that was decided.
    decisions: Decisions,
    /// A method from outside that takes the steps.
    own: Option<OwnOptimizer>,
    /// Whether training ends with an estimate of its error.
    pub(crate) estimates: bool,
    /// Oscillation periods in time, where the equations tell, and the file states its windows.
    pub(crate) periods: Option<f64>,
}

/// Where a problem comes from.
#[derive(Clone, Debug)]
struct Origin {
    text: String,
    overrides: Vec<String>,
    /// Where data files are found.
    sources: DataSources,
}

impl Experiment {
    /// Opens a built-in problem by name, or else a problem file by path; `-` is standard input.
    /// `overrides` are `section.key=value` texts laid over it.
    pub fn open(name: &str, overrides: &[String]) -> Result<Self, TrainError> {
        if let Some(built_in) = BuiltIn::find(name) {
            let file = format!("{name} (built in)");
            let sources = DataSources { within: built_in.files, folder: PathBuf::from(".") };
            let experiment = Self::from_sources(&file, built_in.text, sources, overrides)?;
            return Ok(experiment.called(name));
        }
        let text = problem_file::read(name)?;
        if name == problem_file::STANDARD_INPUT {
            let experiment = Self::from_text("standard input", &text, Path::new("."), overrides)?;
            return Ok(experiment.called("stdin"));
        }
        let folder = Path::new(name).parent().unwrap_or(Path::new("."));
        Self::from_text(name, &text, folder, overrides)
    }

    /// Opens a problem file by path, whatever it is called.
    pub(crate) fn open_file(path: &Path, overrides: &[String]) -> Result<Self, TrainError> {
        let text = open_regular(path)
            .and_then(problem_file::text)
            .map_err(|cause| TrainError::Unreadable { path: path.to_owned(), cause })?;
        let folder = path.parent().unwrap_or(Path::new("."));
        Self::from_text(&path.to_string_lossy(), &text, folder, overrides)
    }

    /// Prepares the problem that `text` states; `file` is what its mistakes are reported under and, less
    /// its ending, the title of a problem that states none; data files are looked for in `folder`.
    pub fn from_text(
        file: &str,
        text: &str,
        folder: &Path,
        overrides: &[String],
    ) -> Result<Self, TrainError> {
        Self::from_sources(file, text, DataSources { within: &[], folder: folder.to_owned() }, overrides)
    }

    fn from_sources(
        file: &str,
        text: &str,
        sources: DataSources,
        overrides: &[String],
    ) -> Result<Self, TrainError> {
        let mut problem = parse_with_files(text, overrides, &sources)
            .map_err(|diagnostics| TrainError::Problem { file: file.to_owned(), diagnostics })?;
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if problem.title.trim().is_empty() {
            problem.title.clone_from(&name);
        }
        // References look for the start among the conditions, from which it is about to disappear.
        let truths = Truth::all(&problem, &reference::solved_before())?;
        let periods = if problem.open.windows { None } else { periods_in_time(&problem) };
        let (problem, by_equations) = decide(problem)?;
        let plan = plan(&problem)?;
        let tables = Tables::read(&problem, &sources)?;
        check_grid(&problem)?;
        // A condition that holds nowhere is found now, before anyone has waited for training.
        let fewer = with_few_points(&problem);
        let stated = problem.training.precision;
        let (device, precision) = (Device::Cpu, stated.unwrap_or(Precision::F64));
        let settled = settle(&problem, &plan, device, precision);
        for settings in &settled.phases {
            let parameters = plan.parameter_count();
            if let Some(most) = most_parameters(settings.method).filter(|most| parameters > *most) {
                return Err(TrainError::TooLarge { parameters, most });
            }
            draw(&fewer, &plan, &tables, Draw { interior: 0, ..settings.draw(&problem, 0) })?;
        }
        let origin = Origin { text: text.to_owned(), overrides: overrides.to_vec(), sources };
        let experiment = Experiment {
            name,
            origin,
            problem,
            plan,
            tables,
            truths,
            device,
            precision,
            memory_limit: None,
            measured: Vec::new(),
            without_gpu: None,
            by_equations,
            precision_is_open: stated.is_none(),
            width: None,
            settled,
            decisions: Decisions::default(),
            own: None,
            estimates: false,
            periods,
        };
        Ok(experiment.listed())
    }

    /// With one list of all that was decided.
    fn listed(mut self) -> Self {
        let Experiment { problem, device, precision, settled, .. } = &self;
        let (least, most) = (problem.network.least_width, problem.network.width);
        let open = || {
            let seconds = problem.training.phases.iter().any(|phase| phase.budget.is_some_and(in_seconds));
            let rest = match seconds && problem.training.steps.is_none() {
                true => "`train` times a step and narrows it if the stated time affords less",
                false => "no time is stated that it has to fit",
            };
            let why = format!("it is the widest from {least} to {most}: {rest}");
            Decision::new("network.width", most.to_string(), why)
        };
        let width = self.width.clone().or_else(|| (least < most).then(open));
        let why = || match (problem.performance.level, device.hardware()) {
            (Some(PerformanceLevel::Basic), Hardware::Accelerator) => {
                "level basic computes in f64".to_owned()
            }
            _ => why_precision(&settled.phases, *device),
        };
        let numbers = self
            .precision_is_open
            .then(|| Decision::new("training.precision", quoted(precision.name()), why()));
        let mut decisions = self.by_equations.clone();
        let later = width.into_iter().chain(numbers).chain(settled.decisions.iter().cloned());
        decisions.extend(later.filter(|decision| !self.is_measured(&decision.key)));
        decisions.extend(self.measured.iter().cloned());
        self.decisions = decisions;
        self
    }

    /// Settles what its training goes through anew: a change has made it another experiment.
    fn settled_anew(mut self) -> Self {
        self.settled = settle(&self.problem, &self.plan, self.device, self.precision);
        self.listed()
    }

    /// The numbers to compute in where nobody says.
    pub fn suitable_precision(&self, device: Device) -> Precision {
        self.clone().on_device(device).precision
    }

    /// Chooses where and in which numbers to compute.
    pub fn on(self, device: Device, precision: Precision) -> Self {
        let same = device == self.device && precision == self.precision;
        let there = Experiment { device, precision, precision_is_open: false, ..self };
        if same { there.listed() } else { there.settled_anew() }
    }

    /// Chooses where to compute, in the numbers that the file states or else that suit its methods there.
    pub fn on_device(self, device: Device) -> Self {
        if let Some(precision) = self.problem.training.precision {
            return self.on(device, precision);
        }
        let there = self.on(device, Precision::F64);
        let precision = match there.level() {
            PerformanceLevel::Basic => Precision::F64,
            PerformanceLevel::Advanced | PerformanceLevel::Ultra | PerformanceLevel::Custom => {
                suitable(&there.settled.phases, device, there.compile_mode())
            }
        };
        // Phases stay what they are: only where all methods are named it is another precision.
        Experiment { precision, precision_is_open: true, ..there }.listed()
    }

    /// The same where a user chose the device, and perhaps the numbers; training tells why `auto` is no GPU.
    pub fn on_chosen(self, chosen: &ChosenDevice, precision: Option<Precision>) -> Self {
        let there = match precision {
            Some(precision) => self.on(chosen.device, precision),
            None => self.on_device(chosen.device),
        };
        Experiment { without_gpu: chosen.without_gpu.clone(), ..there }
    }

    /// What is known before the first step to take a slower path.
    pub(crate) fn fallback(&self) -> Option<SlowWay> {
        let reason = self.without_gpu.clone()?;
        Some(SlowWay::Device { used: self.device, reason })
    }

    /// Bounds the bytes that training takes on a device with memory of its own: points come in chunks where they
    /// are too many for it.
    pub fn within(self, memory_limit: Option<usize>) -> Self {
        Experiment { memory_limit, ..self }
    }

    /// What is stated of how to compute.
    pub(crate) fn performance_stated(&mut self) -> &mut Performance {
        &mut self.problem.performance
    }

    /// With comparisons of gradients with those in f64, in phases that say nothing about that: for numbers that were chosen by time.
    #[must_use]
    pub(crate) fn comparing_gradients(mut self) -> Self {
        for phase in &mut self.problem.training.phases {
            phase.gradient_check.get_or_insert(GradientCheck::USUAL);
        }
        self
    }

    /// Whether its precision is stated.
    pub(crate) fn states_precision(&self) -> bool {
        !self.precision_is_open
    }

    /// Whether its file or an override has a key.
    pub(crate) fn is_written(&self, key: &str) -> bool {
        states(&self.origin.text, &self.origin.overrides, key)
    }

    /// What was measured, with what came of it.
    pub(crate) fn measured(&self) -> &[Decision] {
        &self.measured
    }

    /// With a choice that was measured, which its run states from then on.
    pub(crate) fn with_measured(mut self, decision: Decision) -> Self {
        self.measured.push(decision);
        self.listed()
    }

    /// Whether steps visit anything in batches.
    pub fn visits_batches(&self) -> bool {
        let phases = self.settled().iter().any(|settings| settings.batch.is_some());
        phases || self.problem.data.iter().any(|data| data.batch.is_some())
    }

    /// Refuses what a method cannot do with: batches of measurements, or too few digits.
    pub fn check_methods(&self) -> Result<(), TrainError> {
        self.check_batches()?;
        let own = self.own.is_some() || self.precision == Precision::F64;
        match self.settled().iter().find(|settings| settings.method.traits().needs_f64 && !own) {
            Some(settings) => {
                Err(TrainError::NeedsF64 { method: settings.method.title(), precision: self.precision })
            }
            None => Ok(()),
        }
    }

    /// Refuses batches of measurements for a method that compares losses at successive steps: it needs the same rows.
    pub fn check_batches(&self) -> Result<(), TrainError> {
        let stepwise = |settings: &&Settings| settings.method.traits().order != Order::First;
        let data = self.problem.data.iter().find(|data| data.batch.is_some());
        match data.zip(self.settled().iter().find(stepwise)) {
            Some((data, settings)) => {
                Err(TrainError::BatchOfData { data: data.name.clone(), method: settings.method.title() })
            }
            None => Ok(()),
        }
    }

    /// Makes training take `steps` steps, unless its method comes to an end before; short for
    /// `training.steps`.
    pub fn with_steps(mut self, steps: u64) -> Self {
        // Integers of problem files end there.
        let steps = steps.min(i64::MAX as u64);
        self.origin.overrides.push(format!("training.steps={steps}"));
        self.problem.training.steps = Some(steps);
        self.settled_anew()
    }

    /// Makes its network this wide, out of the widths that the problem leaves open, for a reason.
    pub(crate) fn with_width(mut self, width: usize, why: &str) -> Result<Self, TrainError> {
        let network = &mut self.problem.network;
        (network.width, network.least_width) = (width, width);
        self.width = Some(Decision::new("network.width", width.to_string(), why));
        self.plan = plan(&self.problem)?;
        Ok(self.settled_anew())
    }

    /// Makes a phase find so many points at a time, where it was left to memory how many.
    pub(crate) fn with_batch(mut self, phase: usize, batch: usize) -> Self {
        if let Some(phase) = self.problem.training.phases.get_mut(phase) {
            (phase.batch, phase.batch_by_memory) = (Some(batch), false);
        }
        self.settled_anew()
    }

    /// Makes training go through these phases in place of its own.
    pub fn in_phases(mut self, phases: Vec<Phase>) -> Self {
        self.problem.training.phases = phases;
        self.settled_anew()
    }

    /// Makes training end where a loss or a gradient is not finite for the first time, whatever the file says about that.
    pub fn stopping_at_faults(mut self) -> Self {
        for phase in &mut self.problem.training.phases {
            phase.guard = Some(Guard::new(Policy::Stop));
        }
        self.settled_anew()
    }

    /// Trains with steps of a method from outside, in all phases. What the file leaves open about points is decided as for a
    /// method that sees gradients alone.
    pub fn with_optimizer(mut self, own: OwnOptimizer) -> Self {
        let phases = &mut self.problem.training.phases;
        let key = |number: usize, count: usize| match count {
            1 => "training.optimizer".to_owned(),
            _ => format!("training.phase.{number}.optimizer"),
        };
        let keys: Vec<String> = (0..phases.len()).map(|number| key(number, phases.len())).collect();
        self.origin.overrides.extend(keys.into_iter().map(|key| format!("{key}=adam")));
        phases.iter_mut().for_each(|phase| phase.optimizer = Method::Adam);
        Experiment { own: Some(own), ..self }.settled_anew()
    }

    /// Chooses whether training ends with an estimate of its error, for which budgets of time leave some. Steps stay the same bits.
    #[must_use]
    pub fn estimating(self, estimates: bool) -> Self {
        Experiment { estimates, ..self }
    }

    /// The same problem from another seed, in other phases. Nobody knows references.
    pub(crate) fn reseeded(mut self, seed: u64, phases: Vec<Phase>) -> Result<Self, TrainError> {
        self.truths.iter_mut().for_each(|truth| *truth = None);
        self.tables.forget_references();
        let training = &mut self.problem.training;
        (training.seed, training.steps, self.estimates) = (seed, None, false);
        self.plan = plan(&self.problem)?;
        Ok(self.in_phases(phases))
    }

    /// The method from outside that takes the steps, if there is one.
    pub fn own_optimizer(&self) -> Option<&OwnOptimizer> {
        self.own.as_ref()
    }

    /// Gives it another name.
    pub fn called(self, name: &str) -> Self {
        Experiment { name: name.to_owned(), ..self }
    }

    /// What users call it: the name of the built-in problem, or of the file without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The problem file that states by itself what this experiment trains, overrides included, and in comments why it was
    /// decided so. `rename` says by which path each data file is found from its new place.
    pub(crate) fn resolved(&self, rename: &mut dyn FnMut(&str) -> String) -> Result<String, Diagnostics> {
        let lasting: Vec<&Decision> = self
            .decisions
            .iter()
            .filter(|decision| lasts(decision) || self.measured.contains(decision))
            .collect();
        // Chosen once: a later version may choose otherwise.
        self.stating(&lasting, rename)
    }

    /// The problem file that states all that was decided, too: trained again it gives the same, and nothing is decided.
    pub fn stated(&self) -> Result<String, Diagnostics> {
        self.stating(&self.decisions.iter().collect::<Vec<_>>(), &mut str::to_owned)
    }

    fn stating(
        &self,
        decisions: &[&Decision],
        rename: &mut dyn FnMut(&str) -> String,
    ) -> Result<String, Diagnostics> {
        let Origin { text, overrides, .. } = &self.origin;
        let stated = decisions.iter().map(|decision| decision.stated());
        let stated: Vec<String> = overrides.iter().cloned().chain(stated).collect();
        let resolved = resolve(text, &stated, &self.problem.title, rename)?;
        if decisions.is_empty() {
            return Ok(resolved);
        }
        let comments = decisions.iter().map(|decision| {
            // A comment ends with its line, and equations may have several.
            let line = decision.to_string().replace(char::is_control, " ");
            format!("# {line}\n")
        });
        let comments: String = comments.collect();
        Ok(format!("# What the file left open was decided, and is stated below:\n{comments}{resolved}"))
    }

    /// Where data files are found.
    pub(crate) fn sources(&self) -> &DataSources {
        &self.origin.sources
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Its plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Its data.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// All that was decided where the file leaves it open, with the reasons.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// What its training goes through, with nothing left open. Where time comes in windows, each is another problem and
    /// has its own.
    pub fn settled(&self) -> &[Settings] {
        &self.settled.phases
    }

    /// What should be known about its conditions and coefficients besides, a line each.
    pub fn notes(&self) -> Vec<String> {
        let mut lines = notes(&self.problem);
        lines.extend(self.tables.notes().iter().cloned());
        if self.plan.weighted_points().is_some() {
            let why = "residual-based weights: points with large residuals count more; losses are weighted, except in the report";
            lines.push(why.to_owned());
        }
        lines.extend(without_effect(&self.problem, self.settled()));
        lines.extend(other_balance(&self.problem, self.settled()));
        lines.extend(endless_warmups(self.settled()));
        lines.extend(without_batches(&self.problem, self.settled()));
        lines.extend(idle(&self.problem.performance, self.device.hardware()));
        lines
    }

    /// How every equation of its conditions is made to hold.
    pub fn enforcements(&self) -> &[Enforcement] {
        &self.problem.enforcements
    }

    /// The methods that train it, one after the other, as people call them.
    pub fn methods(&self) -> Vec<&'static str> {
        self.settled().iter().map(|phase| phase.method.title()).collect()
    }

    /// Where it will be computed.
    pub fn device(&self) -> Device {
        self.device
    }

    /// In which numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Training before its first step.
    pub fn start(&self) -> Snapshot {
        Snapshot::start(self.plan.initialize(self.problem.training.seed))
    }

    /// What training may go on in where its precision turns out to be too inaccurate.
    pub(crate) fn rungs(&self) -> Vec<Precision> {
        rungs(self.precision, self.device, self.compile_mode())
    }

    /// The kernel of a plan, as this experiment computes.
    pub(crate) fn compile(&self, plan: &Arc<Plan>) -> Result<Kernel, TrainError> {
        self.compile_in(plan, self.precision)
    }

    /// The same in other numbers.
    pub(crate) fn compile_in(&self, plan: &Arc<Plan>, precision: Precision) -> Result<Kernel, TrainError> {
        let mut kernel = Kernel::compile(plan, self.device, precision)?;
        kernel.limit_device_bytes(self.memory_limit);
        kernel.set_compile_mode(self.compile_mode());
        kernel.set_tiles(self.tiles().points());
        Ok(kernel)
    }

    /// Finds a reference that cannot be had now, before anyone has waited for training.
    pub(crate) fn settle_references(&self) -> Result<(), TrainError> {
        for (unknown, truth) in self.truths.iter().enumerate() {
            truth.as_ref().map_or(Ok(()), |truth| truth.settle(&self.problem, unknown))?;
        }
        Ok(())
    }

    /// The true values of the unknown at position `unknown`, where the problem gives them for any point. Outside of a shape they
    /// are no numbers, whatever a formula says.
    pub fn exact(&self, unknown: usize, points: &Points) -> Option<Vec<f64>> {
        let truth = self.truths.get(unknown)?.as_ref()?;
        Some(self.in_shape(points, 1, truth.values(&self.problem, points)))
    }

    /// What is known about the reference of an unknown, which is computed for it where it has to be; `None`
    /// where there is no reference.
    pub fn reference_facts(&self, unknown: usize) -> Result<Option<Facts>, TrainError> {
        if let Some(table) = self.reference_table(unknown) {
            return Ok(Some(Facts::of_table(table.points.len())));
        }
        let truth = self.truths.get(unknown).and_then(Option::as_ref);
        Ok(truth.map(|truth| truth.facts(&self.problem, unknown)).transpose()?)
    }

    /// The table of true values of an unknown, where the problem names one.
    pub fn reference_table(&self, unknown: usize) -> Option<&ReferenceTable> {
        self.tables.reference(unknown)
    }

    /// The values of all unknowns at points given by their coordinates, point by point.
    pub fn predict(&self, parameters: &[f64], points: &Points) -> Result<Vec<f64>, TrainError> {
        self.values(parameters, points, None)
    }
}

fn in_seconds(budget: Budget) -> bool {
    budget.seconds.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_states_gauss_newton_where_it_was_chosen() {
        let stated = |width: usize, device: Device| {
            let text = format!(
                "[domain]\nx = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\ndecay = \"u_x = -u\"\n[conditions]\n\
                 start = {{ on = \"x = 0\", equation = \"u = 1\" }}\n[network]\nwidth = {width}\ndepth = 4\n"
            );
            let experiment = Experiment::from_text("decay", &text, Path::new("."), &[]).expect("it is right");
            let run = experiment.on(device, Precision::F64).resolved(&mut str::to_owned);
            run.expect("a file").contains("optimizer = \"gauss-newton\"")
        };
        assert!(stated(256, Device::Cuda), "the processor would follow the gradient");
        assert!(!stated(256, Device::Cpu) && stated(20, Device::Cuda));
    }
}
