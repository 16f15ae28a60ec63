//! What users may write behind `pinnace bench`.

use super::GpuArguments;
use super::number::{count, seconds, share};
use clap::{Args, Subcommand, ValueHint};
use pinnace::{Budget, ChosenDevice, Precision};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Time one training step: loss, gradient of all weights, Adam update
    Step(BenchStep),
    /// Time one iteration of Gauss-Newton on dense normal equations, in f64
    Iteration(Iteration),
    /// Take measurements of a file again; ends with exit code 3 where one got slower beyond noise
    Regress(Regress),
    /// Train problems with several seeds and compare their error over time with what others have published
    Accuracy(AccuracyArguments),
    /// Count points drawn per second: in a box, and inside a shape of ten pieces
    Points(BenchPoints),
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
pub(crate) struct BenchPoints {
    /// Points of a draw, such as 10M
    #[arg(long, value_name = "N", default_value = "10M", value_parser = count)]
    pub(crate) points: usize,

    /// Where to draw: auto, cuda or cpu
    #[arg(long, default_value = "auto")]
    pub(crate) device: ChosenDevice,

    /// Print one JSON object per line instead of the table
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
pub(crate) struct Regress {
    /// Lines that bench step --json and bench iteration --json printed on this machine
    #[arg(value_name = "BASELINE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: PathBuf,

    /// Share of a time that counts as noise in any case
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,

    /// Rounds of a measurement that is slower, before it is called so
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) rounds: u8,

    /// Print one JSON object per measurement instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Iteration {
    #[command(flatten)]
    pub(crate) measured: Measured,
}
