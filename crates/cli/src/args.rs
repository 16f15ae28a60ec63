//! What users may write on the command line.

use clap::{Args, Parser, Subcommand};
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
    /// Show what a problem becomes: equations, derivative channels, costs
    Explain(Explain),
    /// List the built-in problems
    List,
    /// Show what Pinnace finds on this machine
    Doctor,
    /// Measure speed
    #[command(subcommand)]
    Bench(Bench),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Time one training step: loss, gradient of all weights, Adam update
    Step(Step),
}

#[derive(Debug, Args)]
pub(crate) struct Step {
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

    /// In which numbers to compute: f32 or f64
    #[arg(long, default_value = "f32")]
    pub(crate) precision: Precision,

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
pub(crate) struct Chosen {
    /// A built-in problem's name (see `pinnace list`) or a problem file's path
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

    /// Write the run into this folder [default: runs/<problem>-<time>]
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

    /// Override a key of [training], for good, such as training.budget="20000 steps"; may be repeated
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
    #[arg(long, value_name = "SECONDS", default_value_t = SECONDS_PER_CHECKPOINT, value_parser = seconds)]
    pub(crate) checkpoint_every: f64,

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
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) chosen: Chosen,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds >= 0.0 => Ok(seconds),
        Ok(_) | Err(_) => Err("a number of seconds, 0 or more, is needed".to_owned()),
    }
}
