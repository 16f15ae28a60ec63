//! `pinnace completions` and `pinnace man`: what shells and readers are told about the arguments.

use crate::args::{Arguments, Completions, Man};
use crate::exit;
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use pinnace::BUILT_IN;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn completions(choices: &Completions, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    // The generator panics where it cannot write: a closed pipe is met here instead.
    let mut script = Vec::new();
    clap_complete::generate(choices.shell, &mut knowing_problems(), "pinnace", &mut script);
    let script = String::from_utf8(script).context("the script is not text")?;
    output.write_all(with_files(choices.shell, script).as_bytes())?;
    Ok(exit::DONE)
}

/// Commands whose first argument is a problem.
const OF_PROBLEMS: [&str; 3] = ["train", "explain", "geometry"];

/// The script, offering files beside the names of problems. Bash falls back to files by itself; zsh takes
/// a list of names for all there is, and fish is not told the names at all.
fn with_files(shell: Shell, script: String) -> String {
    let names: Vec<&str> = BUILT_IN.iter().map(|problem| problem.name).collect();
    let names = names.join(" ");
    match shell {
        Shell::Zsh => {
            let both = format!(
                "{{_alternative \"problems:built-in problem:({names})\" \"files:problem file:_files\"}}'"
            );
            script.replace(&format!("standard input:({names})'"), &format!("standard input:{both}"))
        }
        Shell::Fish => {
            let more = OF_PROBLEMS.map(|command| {
                format!(
                    "complete -c pinnace -n \"__fish_pinnace_using_subcommand {command}\" -a \"{names}\"\n"
                )
            });
            script + &more.concat()
        }
        _ => script,
    }
}

/// The arguments, with the names of the built-in problems where a problem is wanted. Only for
/// completions: any path is a problem too.
fn knowing_problems() -> Command {
    let names = BUILT_IN.iter().map(|problem| problem.name);
    let parser = PossibleValuesParser::new(names);
    let mut command = Arguments::command();
    for name in OF_PROBLEMS {
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
