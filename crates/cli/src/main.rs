//! The command line of Pinnace: arguments, terminal, exit codes.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failure or a training
//! that diverged (the report is still printed), 2 wrong usage or a wrong problem file, 4 a solution that cannot be trusted where `--strict`
//! was given (the report is still printed), 130 interrupted (the report is still printed).

#![forbid(unsafe_code)]

mod accuracy;
mod args;
mod bench;
mod cache;
mod check;
mod clean;
mod cohort_command;
mod decisions;
mod doctor;
mod evaluate;
mod exit;
mod explain;
mod export;
mod geometry;
mod inspect;
mod json;
mod meter;
mod new;
mod notices;
mod plot;
mod reference;
mod regress;
mod report;
mod resume;
mod scaling;
mod schedule;
mod session;
mod shell;
mod terminal;
mod train;
mod trust;
mod unifrac;
mod verify;
mod warnings;

use args::{Arguments, Bench, Command};
use clap::Parser;
use clean::Clean;
use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::speak_of_panics();
    session::outlive_file_size_limits();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    exit::code(std::panic::catch_unwind(|| run(&arguments)))
}

fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut output = Clean(BufWriter::new(stdout().lock()));
    let code = match &arguments.command {
        Command::Train(choices) => train::train(choices, &mut output)?,
        Command::Resume(choices) => resume::resume(choices, &mut output)?,
        Command::Plot(choices) => plot::plot(choices, &mut output)?,
        Command::Explain(choices) => explain::explain(choices, &mut output)?,
        Command::Check(choices) => check::check(choices, &mut output)?,
        Command::Geometry(choices) => geometry::geometry(choices, &mut output)?,
        Command::List => inspect::list(&mut output)?,
        Command::Bench(Bench::Scaling(choices)) => scaling::scaling(choices, &mut output)?,
        Command::Bench(Bench::Points(choices)) => bench::points(choices, &mut output)?,
        Command::Bench(Bench::Step(choices)) => bench::step(choices, &mut output)?,
        Command::Bench(Bench::Iteration(choices)) => bench::iteration(choices, &mut output)?,
        Command::Bench(Bench::Regress(choices)) => regress::regress(choices, &mut output)?,
        Command::Bench(Bench::Accuracy(choices)) => accuracy::accuracy(choices, &mut output)?,
        Command::New(choices) => new::new(choices, &mut output)?,
        Command::Evaluate(choices) => evaluate::evaluate(choices, &mut output)?,
        Command::Verify(choices) => verify::verify(choices, &mut output)?,
        Command::Export(choices) => export::export(choices, &mut output)?,
        Command::Reference(choices) => reference::reference(choices, &mut output)?,
        Command::Completions(choices) => shell::completions(choices, &mut output)?,
        Command::Man(choices) => shell::man(choices, &mut output)?,
        Command::Unifrac(choices) => unifrac::unifrac_command(choices, &mut output)?,
        Command::Cohort(choices) => cohort_command::cohort_command(choices, &mut output)?,
        Command::Doctor => doctor::doctor(&mut output)?,
        Command::Cache(choices) => cache::cache(choices, &mut output)?,
    };
    output.flush()?;
    Ok(code)
}
