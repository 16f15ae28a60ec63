//! What users may write on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use pinnace::run::SECONDS_PER_CHECKPOINT;
use pinnace::{Device, Precision};
use std::path::PathBuf;

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
    /// Show what a problem becomes: equations, derivative channels, costs
    Explain(Explain),
    /// List the built-in problems
    List,
    /// Write a problem file to start from
    New(New),
    /// Measure a trained run: errors, residuals, values and derivatives anywhere
    Evaluate(Evaluate),
    /// Write the solution or the network of a run for other programs
    Export(Export),
    /// Show what Pinnace finds on this machine
    Doctor,
    /// Measure speed
    #[command(subcommand)]
    Bench(Bench),
    /// Print a script that completes commands in a shell
    Completions(Completions),
    /// Print the manual page, or write those of all commands
    Man(Man),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Time one training step: loss, gradient of all weights, Adam update
    Step(Step),
    /// Time one iteration of Gauss-Newton on dense normal equations, in f64
    Iteration(Iteration),
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
    pub(crate) device: Device,

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
pub(crate) struct Step {
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
pub(crate) struct Chosen {
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
    pub(crate) chosen: Chosen,

    /// Where to compute: auto, cuda, cpu or reference
    #[arg(long, default_value = "auto")]
    pub(crate) device: Device,

    /// In which numbers to compute: f64 or f32
    #[arg(long, default_value = "f64")]
    pub(crate) precision: Precision,

    /// Use this seed; short for --set training.seed=N
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

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

    /// Take this many steps in all, those before included; short for --set training.steps=N
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=i64::MAX as u64))]
    pub(crate) steps: Option<u64>,

    #[command(flatten)]
    pub(crate) manner: Manner,
}

/// How training saves and speaks.
#[derive(Debug, Args)]
pub(crate) struct Manner {
    /// Save a checkpoint every so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = SECONDS_PER_CHECKPOINT, allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) checkpoint_every: f64,

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

    /// Points along coordinates, such as t=201,x=512 [default: the problem's test grid, or 201]
    #[arg(long, value_name = "NAME=N,…")]
    pub(crate) grid: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
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
pub(crate) struct Trained {
    /// The folder of a run, or one of its checkpoints
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) run: PathBuf,

    /// Points along every coordinate, such as t=201,x=512 [default: the problem's test grid]
    #[arg(long, value_name = "GRID")]
    pub(crate) grid: Option<String>,

    /// Derivatives beside the unknowns, such as u_x,u_xx
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) derivatives: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) trained: Trained,

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
    pub(crate) trained: Trained,

    /// What to write
    #[arg(long)]
    pub(crate) format: Format,

    /// Where to write it [default: into the run's folder]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) out: Option<PathBuf>,

    /// For vtk: time as a series of files, or as an axis of one [default: series]
    #[arg(long)]
    pub(crate) time: Option<Time>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
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
pub(crate) enum Time {
    /// One file per moment and a .pvd file that lists them
    Series,
    /// The last axis of one .vti file
    Axis,
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        Ok(_) | Err(_) => Err("a number of seconds, 0 or more, is needed".to_owned()),
    }
}
