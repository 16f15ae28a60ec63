//! The whole pipeline behind one noun.

use crate::grid::check as check_grid;
use crate::problems::BuiltIn;
use crate::sample::{Draw, draw};
use crate::table::{ReferenceTable, Sources, Tables};
use crate::trainer::{Choice, Snapshot, extent, settle};
use crate::{Fallback, TrainError, problem_file};
use equation::constrain::constrain;
use equation::parse::{Diagnostics, parse_with, resolve};
use equation::problem::Enforcement;
use equation::problem::report;
use equation::problem::{Initialization, Optimizer, Order, Parts, Phase, Problem};
use equation::taylor::{Plan, plan};
use kernel::cuda::{CompileMode, CudaError};
use kernel::{ChosenDevice, Device, Kernel, Points, Precision};
use reference::{Facts, Truth};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use train::Hardware;
use train::optimize::most_parameters;

/// A problem that is ready to be trained: parsed, planned, its data read, its reference known. What
/// can be found wrong before training has been looked for.
#[derive(Clone, Debug)]
pub struct Experiment {
    name: String,
    origin: Origin,
    problem: Problem,
    plan: Plan,
    pub(crate) tables: Tables,
    pub(crate) truths: Vec<Option<Truth>>,
    device: Device,
    precision: Precision,
    /// Bytes that it may take on a device with memory of its own.
    memory_limit: Option<usize>,
    compile: CompileMode,
    /// Why it does not run on a GPU, where the best device was asked for.
    without_gpu: Option<CudaError>,
    /// The least and the most, where the width was chosen between them.
    widths: Option<(usize, usize)>,
}

/// Where a problem comes from.
#[derive(Clone, Debug)]
struct Origin {
    text: String,
    overrides: Vec<String>,
    /// Where data files are found.
    sources: Sources,
}

impl Experiment {
    /// Opens a built-in problem by name, or else a problem file by path; `-` is standard input.
    /// `overrides` are `section.key=value` texts laid over it.
    pub fn open(name: &str, overrides: &[String]) -> Result<Self, TrainError> {
        if let Some(built_in) = BuiltIn::find(name) {
            let file = format!("{name} (built in)");
            let sources = Sources { within: built_in.files, folder: PathBuf::from(".") };
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
        let text = problem_file::open(path)
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
        Self::from_sources(file, text, Sources { within: &[], folder: folder.to_owned() }, overrides)
    }

    fn from_sources(
        file: &str,
        text: &str,
        sources: Sources,
        overrides: &[String],
    ) -> Result<Self, TrainError> {
        let mut problem = parse_with(text, overrides)
            .map_err(|diagnostics| TrainError::Problem { file: file.to_owned(), diagnostics })?;
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if problem.title.trim().is_empty() {
            problem.title.clone_from(&name);
        }
        // References look for the start among the conditions, from which it is about to disappear.
        let truths = Truth::all(&problem, &reference::solved_before())?;
        let problem = constrain(problem);
        let plan = plan(&problem)?;
        let tables = Tables::read(&problem, &sources)?;
        check_grid(&problem)?;
        // A condition that holds nowhere is found now, before anyone has waited for training.
        let fewer = with_few_points(&problem);
        for settings in settle(&problem, &plan, Device::Cpu, Precision::F64) {
            let parameters = plan.parameter_count();
            if let Some(most) = most_parameters(settings.method).filter(|most| parameters > *most) {
                return Err(TrainError::TooLarge { parameters, most });
            }
            draw(&fewer, &plan, &tables, Draw { interior: 0, ..settings.draw(&problem, 0) })?;
        }
        let (device, precision) = (Device::Cpu, Precision::F64);
        let origin = Origin { text: text.to_owned(), overrides: overrides.to_vec(), sources };
        let (memory_limit, compile) = (None, CompileMode::default());
        Ok(Experiment {
            name,
            origin,
            problem,
            plan,
            tables,
            truths,
            device,
            precision,
            memory_limit,
            compile,
            without_gpu: None,
            widths: None,
        })
    }

    /// The numbers to compute in where nobody says: on a GPU methods that follow the gradient need no more digits than
    /// f32 has, and are many times as fast; all others need f64.
    pub fn suitable_precision(&self, device: Device) -> Precision {
        let phases = settle(&self.problem, &self.plan, device, Precision::F64);
        let follows = |method: Optimizer| method.traits().order == Order::First;
        match device.hardware() {
            Hardware::Accelerator if phases.iter().all(|phase| follows(phase.method)) => {
                device.fastest_as_accurate_as_f32(self.compile)
            }
            Hardware::Accelerator | Hardware::Processor => Precision::F64,
        }
    }

    /// Chooses where and in which numbers to compute.
    pub fn on(self, device: Device, precision: Precision) -> Self {
        Experiment { device, precision, ..self }
    }

    /// The same where a user chose the device; training tells why `auto` is no GPU.
    pub fn on_chosen(self, chosen: &ChosenDevice, precision: Precision) -> Self {
        Experiment { without_gpu: chosen.without_gpu.clone(), ..self.on(chosen.device, precision) }
    }

    /// What is known before the first step to be slower than it could be.
    pub(crate) fn fallback(&self) -> Option<Fallback> {
        let reason = self.without_gpu.clone()?;
        Some(Fallback::Device { used: self.device, reason })
    }

    /// Bounds the bytes that training takes on a device with memory of its own: points come in chunks where they
    /// are too many for it.
    pub fn within(self, memory_limit: Option<usize>) -> Self {
        Experiment { memory_limit, ..self }
    }

    /// Chooses how much is done before the first step on a GPU to make the others fast.
    pub fn compiled(self, compile: CompileMode) -> Self {
        Experiment { compile, ..self }
    }

    /// Makes training take `steps` steps, unless its method comes to an end before; short for
    /// `training.steps`.
    pub fn with_steps(mut self, steps: u64) -> Self {
        // Integers of problem files end there.
        let steps = steps.min(i64::MAX as u64);
        self.origin.overrides.push(format!("training.steps={steps}"));
        self.problem.training.steps = Some(steps);
        self
    }

    /// Makes its network this wide, out of the widths that the problem leaves open; short for `network.width`.
    pub(crate) fn with_width(mut self, width: usize) -> Result<Self, TrainError> {
        self.origin.overrides.push(format!("network.width={width}"));
        let network = &mut self.problem.network;
        self.widths = Some((network.least_width, network.width));
        (network.width, network.least_width) = (width, width);
        self.plan = plan(&self.problem)?;
        Ok(self)
    }

    /// Makes training go through these phases in place of its own.
    pub fn in_phases(mut self, phases: Vec<Phase>) -> Self {
        self.problem.training.phases = phases;
        self
    }

    /// Gives it another name.
    pub fn called(self, name: &str) -> Self {
        Experiment { name: name.to_owned(), ..self }
    }

    /// What users call it: the name of the built-in problem, or of the file without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The problem file that states by itself what this experiment trains, overrides included. `rename`
    /// says by which path each data file is found from its new place.
    pub(crate) fn resolved(&self, rename: &mut dyn FnMut(&str) -> String) -> Result<String, Diagnostics> {
        let mut overrides = self.origin.overrides.clone();
        // Chosen once: a later version may choose otherwise.
        overrides.extend(self.chosen_windows().map(|(count, _)| format!("training.windows={count}")));
        overrides.extend(self.chosen_waves().into_iter().flat_map(|(_, keys)| keys));
        if self.suits_this_device_alone() {
            let pinned: Vec<String> =
                overrides.iter().cloned().chain(["training.optimizer=gauss-newton".to_owned()]).collect();
            if let Ok(text) = resolve(&self.origin.text, &pinned, &self.problem.title, rename) {
                return Ok(text);
            }
        }
        resolve(&self.origin.text, &overrides, &self.problem.title, rename)
    }

    /// Whether a method was chosen that the processor would not get: a run must go on with it wherever it is continued.
    fn suits_this_device_alone(&self) -> bool {
        let [phase] = &self.problem.training.phases[..] else { return false };
        let chosen = |device| Choice::of(extent(&self.problem, &self.plan), device, self.precision);
        phase.optimizer == Optimizer::Auto
            && matches!(chosen(self.device), Choice::GaussNewton { .. })
            && !matches!(chosen(Device::Cpu), Choice::GaussNewton { .. })
    }

    /// Where data files are found.
    pub(crate) fn sources(&self) -> &Sources {
        &self.origin.sources
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Its plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Its data.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// What `optimizer = "auto"` becomes, and why; `None` where the file names its optimizers.
    pub fn choice(&self) -> Option<Choice> {
        let open = self.problem.training.phases.iter().any(|phase| phase.optimizer == Optimizer::Auto);
        open.then(|| Choice::of(extent(&self.problem, &self.plan), self.device, self.precision))
    }

    /// The width of its network, and the least and the most that it was chosen from by the time that is stated; `None`
    /// where there was no choice.
    pub fn chosen_width(&self) -> Option<(usize, (usize, usize))> {
        self.widths.map(|widths| (self.problem.network.width, widths))
    }

    /// The windows of time that were chosen where the file does not say, as it would, and why; `None` where there is
    /// one, or the file says.
    pub fn chosen_windows(&self) -> Option<(String, String)> {
        match &self.problem.training.windows {
            Parts::Periods { count, swings } => {
                Some((count.to_string(), format!("the solution swings about {swings:.1} times")))
            }
            Parts::Doubling { times, growth } => Some((
                format!("{times:?}"),
                format!("small changes grow to e times their size {growth:.0} times over, by how they start"),
            )),
            Parts::Equal(_) | Parts::At(_) => None,
        }
    }

    /// Across how many periods the solution reaches, and the keys of the network that were chosen for that; `None` where
    /// there are few, or the file says.
    pub fn chosen_waves(&self) -> Option<(f64, Vec<String>)> {
        let network = &self.problem.network;
        let (Some(ripples), Initialization::Siren { frequency }) = (network.ripples, network.initialization)
        else {
            return None;
        };
        let keys = [
            "activation=sin".to_owned(),
            "initialization=siren".to_owned(),
            format!("frequency={frequency}"),
        ];
        Some((ripples, keys.map(|key| format!("network.{key}")).to_vec()))
    }

    /// What became of its conditions, a line each: exact by construction, or a penalty and why.
    pub fn conditions(&self) -> Vec<String> {
        report(&self.problem)
    }

    /// How every equation of its conditions is made to hold.
    pub fn enforcements(&self) -> &[Enforcement] {
        &self.problem.enforcements
    }

    /// The methods that train it, one after the other, as people call them.
    pub fn methods(&self) -> Vec<&'static str> {
        let phases = settle(&self.problem, &self.plan, self.device, self.precision);
        phases.iter().map(|phase| phase.method.title()).collect()
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

    /// The kernel of a plan, as this experiment computes.
    pub(crate) fn compile<'plan>(&self, plan: &'plan Plan) -> Result<Kernel<'plan>, TrainError> {
        let mut kernel = Kernel::compile(plan, self.device, self.precision)?;
        kernel.limit_device_bytes(self.memory_limit);
        kernel.set_compile_mode(self.compile);
        Ok(kernel)
    }

    /// Finds a reference that cannot be had now, before anyone has waited for training.
    pub(crate) fn settle_references(&self) -> Result<(), TrainError> {
        for (unknown, truth) in self.truths.iter().enumerate() {
            truth.as_ref().map_or(Ok(()), |truth| truth.settle(&self.problem, unknown))?;
        }
        Ok(())
    }

    /// The true values of the unknown at position `unknown`, where the problem gives them for any point.
    pub fn exact(&self, unknown: usize, points: &Points) -> Option<Vec<f64>> {
        let truth = self.truths.get(unknown)?.as_ref()?;
        Some(truth.values(&self.problem, points))
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

/// The problem with no more points on its conditions than are enough to see whether these hold anywhere.
fn with_few_points(problem: &Problem) -> Cow<'_, Problem> {
    const ENOUGH: usize = 1 << 16;
    let stated = problem.conditions.iter().filter_map(|condition| condition.points);
    if stated.chain([problem.training.condition_points]).all(|points| points <= ENOUGH) {
        return Cow::Borrowed(problem);
    }
    let mut fewer = problem.clone();
    fewer.training.condition_points = fewer.training.condition_points.min(ENOUGH);
    for condition in &mut fewer.conditions {
        condition.points = condition.points.map(|points| points.min(ENOUGH));
    }
    Cow::Owned(fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_states_the_method_that_only_its_device_would_choose() {
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
        assert!(!stated(256, Device::Cpu) && !stated(20, Device::Cuda));
    }
}
