//! `pinnace explain`

use crate::args::Explain;
use crate::{decisions, exit, warnings};
use pinnace::decide::Settings;
use pinnace::memory::{available, show};
use pinnace::{Device, Event, Experiment, Note, Precision, Sink, TrainError, kernel_text};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub(crate) fn explain(choices: &Explain, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let experiment = Experiment::open(&choices.chosen.problem, &choices.chosen.set)?;
    if choices.strict || choices.cuda {
        warnings::show(&experiment);
    } else {
        warnings::show_of_points(&experiment);
    }
    warnings::check(&experiment, choices.strict)?;
    exit::check_gpu(&choices.gpu, choices.device.as_ref().map_or(Device::Cpu, |chosen| chosen.device))?;
    if choices.cuda {
        let precision = choices.precision.unwrap_or(Precision::F64);
        write!(output, "{}", kernel_text(experiment.plan(), precision))?;
        return Ok(exit::DONE);
    }
    let experiment = match &choices.device {
        Some(chosen) => experiment.on_chosen(chosen, choices.precision),
        None => experiment,
    };
    if choices.stated {
        write!(output, "{}", stated(&experiment, &choices.chosen.problem)?)?;
        return Ok(exit::DONE);
    }
    let text = experiment.plan().explain(experiment.problem());
    writeln!(output, "{}\n", text.trim_end())?;
    let decided = decisions::lines(&experiment);
    if !decided.is_empty() {
        writeln!(output, "{}\n", decided.join("\n"))?;
    }
    writeln!(output, "{}\n", sampling(&experiment).join("\n"))?;
    writeln!(output, "{}", host_memory(&experiment)?)?;
    if choices.device.is_some() && experiment.device() == Device::Cuda {
        for line in device_memory(experiment, choices)? {
            writeln!(output, "{line}")?;
        }
    }
    Ok(exit::DONE)
}

/// Where the points of every phase lie and how they move, as a problem file states it.
fn sampling(experiment: &Experiment) -> Vec<String> {
    let phases = experiment.settled();
    let line = |(number, settings): (usize, &Settings)| {
        let phase = if phases.len() > 1 { format!(" of phase {}", number + 1) } else { String::new() };
        let often = match settings.resample {
            None => "fixed points".to_owned(),
            Some(1) => "fresh points at every step".to_owned(),
            Some(steps) => format!("fresh points every {steps} steps"),
        };
        let batch = settings.batch.map_or_else(String::new, |batch| format!(", in batches of {batch}"));
        format!("sampling{phase}: {}, {} {often}{batch}", settings.sampling.written(), settings.points)
    };
    let tables = experiment.problem().data.iter();
    let tables =
        tables.filter_map(|data| Some(format!("data {}: in batches of {} rows", data.name, data.batch?)));
    phases.iter().enumerate().map(line).chain(tables).collect()
}

/// The problem file that leaves nothing open.
fn stated(experiment: &Experiment, file: &str) -> Result<String, TrainError> {
    let wrong = |diagnostics| TrainError::Problem { file: file.to_owned(), diagnostics };
    experiment.stated().map_err(wrong)
}

/// What training would take on the host, and what there is.
fn host_memory(experiment: &Experiment) -> anyhow::Result<String> {
    let (need, there) = (experiment.memory_need(), available().map_err(TrainError::from)?);
    let there = match (need.clone().check(there), there) {
        (Err(error), _) => return Ok(format!("host memory: {error}")),
        (Ok(()), Some(bytes)) => format!("; {} are available", show(bytes)),
        (Ok(()), None) => String::new(),
    };
    Ok(format!("host memory: at most about {need}{there}"))
}

/// What training would say about the memory of a GPU. It is asked for by training that ends before its first step: kernels are
/// compiled, for their memory counts too.
fn device_memory(experiment: Experiment, choices: &Explain) -> anyhow::Result<Vec<String>> {
    let compile = choices.gpu.compile.unwrap_or_default();
    let experiment = experiment.compiled(compile).within(choices.gpu.memory_limit);
    let experiment = experiment.with_steps(0);
    let mut heard = Heard(None);
    experiment.train_from(&mut experiment.start(), &AtomicBool::new(false), &mut heard)?;
    let Some(note) = heard.0 else {
        return Ok(vec![format!("memory: `{}` has no memory plan", experiment.device())]);
    };
    Ok(note.lines)
}

/// The first note about memory.
struct Heard(Option<Note>);

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        if let Event::Note(note) = event
            && note.kind == "memory"
        {
            self.0.get_or_insert_with(|| note.clone());
        }
    }
}
