//! What users may write on the command line.

use crate::age::read_age;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use pinnace::run::SECONDS_PER_CHECKPOINT;
use pinnace::{Budget, ChosenDevice, CompileMode, Precision, read_bytes};
use std::path::PathBuf;
use std::time::Duration;

/// Turns a text file that states a differential equation into a trained network.
#[derive(Debug, Parser)]
#[command(name = "pinnace", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a problem and report how good the solution is
    Train(Train),
    /// Continue a run where it stands, bit for bit as if it had never been interrupted
    Resume(Resume),
    /// Draw a run: solution, reference and error, cuts, loss
    Plot(Plot),
    /// Show how a problem is read: equations, derivative channels, costs, memory
    Explain(Explain),
    /// Show and draw the shape that a problem is about: pieces of the boundary, conditions there, points
    Geometry(GeometryArguments),
    /// List the built-in problems
    List,
    /// Write a problem file to start from
    New(New),
    /// Measure a trained run: errors, residuals, values and derivatives anywhere
    Evaluate(Evaluate),
    /// Write the solution or the network of a run for other programs
    Export(Export),
    /// Show, draw or write the reference solution of a problem
    Reference(ReferenceArguments),
    /// Show what Pinnace finds on this machine
    Doctor,
    /// Show what is cached (compiled kernels, reference solutions), or remove it
    Cache(CacheArguments),
    /// Measure speed and accuracy
    #[command(subcommand)]
    Bench(Bench),
    /// Print a script that completes commands in a shell
    Completions(Completions),
    /// Print the manual page, or write those of all commands
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct CacheArguments {
    #[command(subcommand)]
    pub(crate) action: Option<CacheAction>,

    /// Print a JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CacheAction {
    /// Remove all entries, or some of them; never files that Pinnace has not made
    Clear {
        /// Remove only what was not used for so long, such as 30d, 12h or 2w
        #[arg(long, value_name = "AGE", value_parser = read_age, conflicts_with = "to")]
        older: Option<Duration>,

        /// Remove what was not used for the longest time, until no more than this is left, such as 500MB
        #[arg(long, value_name = "BYTES", value_parser = read_bytes)]
        to: Option<usize>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Time one training step: loss, gradient of all weights, Adam update
    Step(BenchStep),
    /// Time one iteration of Gauss-Newton on dense normal equations, in f64
    Iteration(Iteration),
    /// Train problems with several seeds and compare their error over time with what others have published
    Accuracy(AccuracyArguments),
    /// Time training of one problem with more and more points, on a device and on the CPU beside it
    Scaling(Scaling),
}

#[derive(Debug, Args)]
pub(crate) struct AccuracyArguments {
    /// Built-in problems or files [default: all built-in problems]
    #[arg(value_name = "PROBLEM", value_hint = ValueHint::AnyPath)]
    pub(crate) problems: Vec<String>,

    /// Train from seeds 0 to N-1
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: u64,

    /// Time or steps of each training, such as 60s, 5min or "300 steps" [default: the problem's own]
    #[arg(long)]
    pub(crate) budget: Option<Budget>,

    /// Optimizers to compare; a plus runs one after the other: gauss-newton,adam+lbfgs [default: the problem's own]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) optimizer: Vec<String>,

    /// Override a key of every problem; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Where to compute: auto, cuda, cpu or reference
    #[arg(long, default_value = "auto")]
    pub(crate) device: ChosenDevice,

    /// Precision: f64 or f32
    #[arg(long, default_value = "f64")]
    pub(crate) precision: Precision,

    /// Trainings at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: u16,

    /// Threads of each training [default: all, shared out over the jobs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Write accuracy.jsonl and the pictures into this folder
    #[arg(long, value_name = "DIR", default_value = "accuracy")]
    pub(crate) out: PathBuf,

    /// Complete what an earlier call began in the same folder
    #[arg(long)]
    pub(crate) resume: bool,

    /// Draw no pictures
    #[arg(long)]
    pub(crate) no_plots: bool,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,

    /// Show progress as plain lines even on a terminal
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) plain: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Scaling {
    /// Points inside the domain, such as 1K,50K,1M; each condition has a tenth of them
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = count, default_value = "1K,5K,10K,50K,100K,1M,10M")]
    pub(crate) points: Vec<usize>,

    /// Steps of Adam [default: 2000, and 100 for 10M points]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,

    /// Where to compute: auto, cuda, cpu or reference
    #[arg(long, default_value = "auto")]
    pub(crate) device: ChosenDevice,

    /// Precision [default: the fastest that is as accurate as f32]
    #[arg(long)]
    pub(crate) precision: Option<Precision>,

    #[command(flatten)]
    pub(crate) gpu: GpuArguments,

    /// Also measure the CPU for so many seconds; 0 omits it
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    pub(crate) cpu_seconds: f64,

    /// Print one JSON object per line instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is measured.
#[derive(Debug, Args)]
pub(crate) struct Measured {
    /// burgers, ns2d or wave3d (defined as in benches/peers), a built-in problem, or a file's path
    #[arg(long, default_value = "burgers")]
    pub(crate) problem: String,

    /// Points inside the domain [default: the problem's]
    #[arg(long, value_name = "N")]
    pub(crate) points: Option<usize>,

    /// Neurons per layer [default: the problem's]
    #[arg(long, value_name = "N")]
    pub(crate) width: Option<usize>,

    /// Hidden layers [default: the problem's]
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<usize>,

    /// Where to compute: auto, cuda, cpu or reference
    #[arg(long, default_value = "auto")]
    pub(crate) device: ChosenDevice,

    #[command(flatten)]
    pub(crate) gpu: GpuArguments,

    /// Threads [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,

    /// Start from the points and weights that benches/peers/common.py --dump wrote into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) case: Option<PathBuf>,

    /// Print one JSON object instead of the report
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchStep {
    #[command(flatten)]
    pub(crate) measured: Measured,

    /// In which numbers to compute: f32 or f64
    #[arg(long, default_value = "f32")]
    pub(crate) precision: Precision,
}

#[derive(Debug, Args)]
pub(crate) struct Iteration {
    #[command(flatten)]
    pub(crate) measured: Measured,
}

#[derive(Debug, Args)]
pub(crate) struct ProblemArguments {
    /// A built-in problem's name (see `pinnace list`), a problem file's path, or - for standard input
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) problem: String,

    /// Override a key of the problem file, such as training.points=20000; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Train {
    #[command(flatten)]
    pub(crate) chosen: ProblemArguments,

    /// Where to compute: auto, cuda, cpu or reference
    #[arg(long, default_value = "auto")]
    pub(crate) device: ChosenDevice,

    /// Precision: f64 or f32; on a GPU also fp16x3, bf16x6, bf16x3, tf32, bf16 or fp16
    /// [default: f64; on a GPU with Adam alone fp16x3, which is as accurate as f32]
    #[arg(long)]
    pub(crate) precision: Option<Precision>,

    /// Use this seed; short for --set training.seed=N
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

    /// Time or steps, such as 60s, 5min or "300 steps, 60 s"; short for --set training.budget=...
    #[arg(long, conflicts_with = "steps")]
    pub(crate) budget: Option<Budget>,

    /// Take this many steps, whatever the budgets say; 0 measures the untrained network
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub(crate) steps: Option<u64>,

    /// Start from the trained parameters of another run, whose network has the same shape
    #[arg(long, value_name = "RUN")]
    pub(crate) from: Option<PathBuf>,

    /// Write the run into this folder [default: runs/PROBLEM-TIME]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Write no run: only the report remains
    #[arg(long, conflicts_with = "out")]
    pub(crate) no_run: bool,

    /// Treat warnings about the problem as errors: exit code 2, nothing is written
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) manner: Manner,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run's folder
    pub(crate) run: PathBuf,

    /// Override a key of the section training, for good, such as training.budget="20000 steps"; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Time or steps of each phase, such as 60s, 5min or "300 steps, 60 s", including what was spent before; short for --set training.budget=...
    #[arg(long, conflicts_with = "steps")]
    pub(crate) budget: Option<Budget>,

    /// Take this many steps in all, those before included; short for --set training.steps=N
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub(crate) steps: Option<u64>,

    #[command(flatten)]
    pub(crate) manner: Manner,
}

/// What only a GPU has.
#[derive(Debug, Args)]
pub(crate) struct GpuArguments {
    /// Limit of GPU memory, such as 2GB; points that do not fit are processed in chunks [default: all free memory]
    #[arg(long, value_name = "BYTES", value_parser = read_bytes)]
    pub(crate) memory_limit: Option<usize>,

    /// How a GPU's kernels are chosen and launched: default (one by one), reduce-overhead (many steps recorded as one) or max-autotune (with a search for the fastest) [default: reduce-overhead]
    #[arg(long, value_name = "MODE")]
    pub(crate) compile: Option<CompileMode>,
}

/// How training saves and speaks.
#[derive(Debug, Args)]
pub(crate) struct Manner {
    #[command(flatten)]
    pub(crate) gpu: GpuArguments,

    /// Save a checkpoint every so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = SECONDS_PER_CHECKPOINT, allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) checkpoint_every: f64,

    /// Threads that find the batches of the next steps, where steps visit batches; 0 finds each when its step begins. The result is the same [default: 1, on a GPU up to 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=256))]
    pub(crate) workers: Option<u16>,

    /// Draw no pictures into the run's folder
    #[arg(long)]
    pub(crate) no_plots: bool,

    /// End with one JSON object on stdout instead of the report
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,

    /// Show progress as plain lines even on a terminal
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) plain: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// The run's folder, or one of its checkpoints
    pub(crate) run: PathBuf,

    /// Write the pictures into this folder [default: the run's]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Points along coordinates, such as t=201,x=512; with a decimal point a value, such as x=0.5 [default: the problem's test grid, or 201]
    #[arg(long, value_name = "NAME=N,…")]
    pub(crate) grid: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) chosen: ProblemArguments,

    /// Print the CUDA source that training on a GPU compiles
    #[arg(long, group = "machine")]
    pub(crate) cuda: bool,

    /// Tell what is decided there and which memory training would take, on the host and, as `train` does, on a GPU
    #[arg(long, group = "machine")]
    pub(crate) device: Option<ChosenDevice>,

    /// Print the problem file alone, with everything stated that it leaves open
    #[arg(long, conflicts_with = "cuda")]
    pub(crate) stated: bool,

    /// Precision of that source or device: f64, f32, fp16x3, bf16x6, bf16x3, tf32, bf16 or fp16 [default: f64 for the source, that of training for a device]
    #[arg(long, requires = "machine")]
    pub(crate) precision: Option<Precision>,

    /// End with exit code 2 where the problem has a warning
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) gpu: GpuArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GeometryArguments {
    #[command(flatten)]
    pub(crate) chosen: ProblemArguments,

    /// Draw it into this PNG file [default: PROBLEM-geometry.png]
    #[arg(long, value_name = "PNG", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,

    /// Draw so many points inside [default: those that training begins with]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) points: Option<usize>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The file to write, with or without .toml; one that exists is left alone
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) name: String,

    /// Start from a copy of this built-in problem instead of the explained template
    #[arg(long, value_name = "PROBLEM")]
    pub(crate) like: Option<String>,
}

/// Which trained network, and where and how to compute it.
#[derive(Debug, Args)]
pub(crate) struct TrainedArguments {
    /// The folder of a run, or one of its checkpoints
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) run: PathBuf,

    /// Points along every coordinate, such as t=201,x=512; with a decimal point a value, such as x=0.5 [default: the problem's test grid]
    #[arg(long, value_name = "GRID")]
    pub(crate) grid: Option<String>,

    /// Derivatives beside the unknowns, such as u_x,u_xx
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) derivatives: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) trained: TrainedArguments,

    /// Evaluate at the points of this CSV or NPY file instead of a grid
    #[arg(long, value_name = "FILE", conflicts_with = "grid", value_hint = ValueHint::FilePath)]
    pub(crate) points: Option<PathBuf>,

    /// Write a table of all values to this .csv or .npy file; - is stdout, as CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,

    /// Print one JSON object instead of the report
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) trained: TrainedArguments,

    /// What to write
    #[arg(long)]
    pub(crate) format: ExportFormat,

    /// Where to write it [default: into the run's folder]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) out: Option<PathBuf>,

    /// For vtk: time as a series of files, or as an axis of one [default: series]
    #[arg(long)]
    pub(crate) time: Option<ExportTime>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A folder with one NumPy array per coordinate and field
    Npy,
    /// One table of text
    Csv,
    /// Image data for ParaView
    Vtk,
    /// The network's weights and wiring
    Safetensors,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ExportTime {
    /// One file per moment and a .pvd file that lists them
    Series,
    /// The last axis of one .vti file
    Axis,
}

#[derive(Debug, Args)]
pub(crate) struct ReferenceArguments {
    #[command(flatten)]
    pub(crate) chosen: ProblemArguments,

    /// Points along every coordinate, such as t=201,x=512; with a decimal point a value, such as x=0.5 [default: the problem's test grid]
    #[arg(long, value_name = "GRID")]
    pub(crate) grid: Option<String>,

    /// Draw it as reference.png into this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) plot: Option<PathBuf>,

    /// Write its values
    #[arg(long)]
    pub(crate) format: Option<FieldFormat>,

    /// Where to write them [default: PROBLEM-reference, with an ending that says the format]
    #[arg(long, value_name = "PATH", requires = "format", value_hint = ValueHint::AnyPath)]
    pub(crate) out: Option<PathBuf>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum FieldFormat {
    /// A folder with one NumPy array per coordinate and field
    Npy,
    /// One table of text
    Csv,
    /// Image data for ParaView, time as a series of files
    Vtk,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// For which shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
}

fn count(text: &str) -> Result<usize, String> {
    let units = [("K", 1000), ("M", 1_000_000)];
    let unit = units.into_iter().find_map(|(name, size)| Some((text.trim().strip_suffix(name)?, size)));
    let (number, size) = unit.unwrap_or((text.trim(), 1));
    match number.parse::<usize>().ok().and_then(|number| number.checked_mul(size)) {
        Some(count) if count > 0 && u32::try_from(count).is_ok() => Ok(count),
        Some(_) | None => Err("a number of points such as 500, 10K or 1M is needed".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        Ok(_) | Err(_) => Err("a number of seconds, 0 or more, is needed".to_owned()),
    }
}
