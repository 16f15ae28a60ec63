//! What users may write on the command line.

mod bench;
mod cohort;
mod number;
mod precision;

pub(crate) use bench::{
    AccuracyArguments, Bench, BenchPoints, BenchStep, Iteration, Measured, Regress, Scaling,
};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
pub(crate) use cohort::{
    CohortCommand, CohortRarefy, CohortShow, CohortSynthesize, ReadArguments, UnifracArguments,
};
use number::{count, read_age, seconds, time};
use pinnace::run::SECONDS_PER_CHECKPOINT;
use pinnace::{Budget, ChosenDevice, CompileMode, PerformanceLevel, Precision, read_bytes};
pub(crate) use precision::WantedPrecision;
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
    /// Check gradients: by differences of the loss, and those of a device beside the interpreter's
    Check(Check),
    /// Show and draw the shape that a problem is about: pieces of the boundary, conditions there, points
    Geometry(GeometryArguments),
    /// List the built-in problems
    List,
    /// Write a problem file to start from
    New(New),
    /// Measure a trained run: errors, residuals, values and derivatives anywhere
    Evaluate(Evaluate),
    /// Estimate the error of a run by training a second network from another seed
    Verify(Verify),
    /// Write the solution or the network of a run for other programs
    Export(Export),
    /// Show, draw or write the reference solution of a problem
    Reference(ReferenceArguments),
    /// Distances between samples of a microbial cohort along a tree, diversity, principal coordinates
    Unifrac(UnifracArguments),
    /// Show, draw from or make up cohorts: tables of reads, trees, metadata
    #[command(subcommand)]
    Cohort(CohortCommand),
    /// Show what Pinnace finds on this machine
    Doctor,
    /// Show what is cached (compiled kernels, reference solutions, tables), or remove it
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

    /// Precision: f64 or f32; on a GPU also fp16x3, bf16x6, bf16x3, tf32, bf16 or fp16; auto times those that are accurate
    /// enough [default: f64; on a GPU with Adam alone fp16x3, which is as accurate as f32]
    #[arg(long, value_name = "PRECISION")]
    pub(crate) precision: Option<WantedPrecision>,

    /// How much is done to be fast: basic, advanced, ultra (alternatives are timed first) or custom;
    /// short for --set performance.level=LEVEL
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<PerformanceLevel>,

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

    /// Stop where a loss or a gradient is infinite or no number for the first time, and tell where: which term, point, layer and neuron
    #[arg(long)]
    pub(crate) anomaly: bool,

    /// Treat warnings about a new problem as errors: exit code 2, nothing is written. End with exit code 4 where the solution cannot be trusted
    #[arg(long, conflicts_with = "no_estimate")]
    pub(crate) strict: bool,

    /// Estimate no error: budgets of time go into training alone, which otherwise leaves 13 % for the estimate
    #[arg(long)]
    pub(crate) no_estimate: bool,

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

    /// Draw how the learning rate changes over every phase
    #[arg(long, conflicts_with_all = ["cuda", "stated"])]
    pub(crate) schedule: bool,

    /// Find the largest number of points per step that memory holds, and take steps to see whether the plan is right
    #[arg(long, conflicts_with_all = ["cuda", "stated", "schedule"])]
    pub(crate) largest: bool,

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
pub(crate) struct Check {
    /// A built-in problem's name, a problem file's path, or the folder of a run
    #[arg(value_name = "PROBLEM|RUN", value_hint = ValueHint::AnyPath)]
    pub(crate) what: String,

    /// Override a key of the problem file, such as network.width=40; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Which device: auto, cuda, cpu or reference [default: auto, or that of the run]
    #[arg(long)]
    pub(crate) device: Option<ChosenDevice>,

    /// Numbers to check besides f64, such as f32 [default: those of training, and those that it may go on in]
    #[arg(long)]
    pub(crate) precision: Option<Precision>,

    /// At most so many points of every term
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = count)]
    pub(crate) points: usize,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,
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
pub(crate) struct Verify {
    /// The run's folder, or one of its checkpoints
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) run: PathBuf,

    /// Time for the second network, such as 60s or 5min [default: as long as the run took]
    #[arg(long, value_parser = time)]
    pub(crate) budget: Option<f64>,

    /// End with exit code 4 where the solution cannot be trusted
    #[arg(long)]
    pub(crate) strict: bool,

    /// Print one JSON object instead of the report
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress
    #[arg(long)]
    pub(crate) quiet: bool,
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
