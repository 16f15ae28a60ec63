//! `pinnace completions` and `pinnace man`: what shells and readers are told about the arguments.

use crate::args::{Arguments, Completions, Man};
use crate::exit;
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use pinnace::BUILT_IN;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn completions(choices: &Completions, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    // The generator panics where it cannot write: a closed pipe is met here instead.
    let mut script = Vec::new();
    clap_complete::generate(choices.shell, &mut knowing_problems(), "pinnace", &mut script);
    output.write_all(&script)?;
    Ok(exit::DONE)
}

/// The arguments, with the names of the built-in problems where a problem is wanted. Only for
/// completions: any path is a problem too.
fn knowing_problems() -> Command {
    let names = BUILT_IN.iter().map(|problem| problem.name);
    let parser = PossibleValuesParser::new(names);
    let mut command = Arguments::command();
    for name in ["train", "explain"] {
        command = command.mut_subcommand(name, |found| {
            found.mut_arg("problem", |argument| argument.value_parser(parser.clone()))
        });
    }
    command.mut_subcommand("new", |found| found.mut_arg("like", |argument| argument.value_parser(parser)))
}

pub(crate) fn man(choices: &Man, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let command = Arguments::command();
    match &choices.out {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(command, folder))
                .with_context(|| format!("cannot write {}", folder.display()))?;
        }
        None => clap_mangen::Man::new(command).render(output)?,
    }
    Ok(exit::DONE)
}
