//! `pinnace explain`

use crate::args::Explain;
use crate::{decisions, exit, schedule, warnings};
use pinnace::decide::Settings;
use pinnace::largest::{Confirmed, Largest, at_once};
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
    if choices.schedule {
        writeln!(output, "{}", schedule::lines(&experiment).join("\n"))?;
        return Ok(exit::DONE);
    }
    if choices.largest {
        for line in largest(&experiment, choices)? {
            writeln!(output, "{line}")?;
        }
        return Ok(exit::DONE);
    }
    let text = experiment.plan().explain(experiment.problem());
    writeln!(output, "{}\n", text.trim_end())?;
    let decided = decisions::lines(&experiment);
    if !decided.is_empty() {
        writeln!(output, "{}\n", decided.join("\n"))?;
    }
    writeln!(output, "{}\n", sampling(&experiment).join("\n"))?;
    writeln!(output, "{}\n", decisions::performance(&experiment).join("\n"))?;
    if !experiment.plan().architecture.is_chain() {
        writeln!(output, "{LAYER_BY_LAYER}\n")?;
    }
    writeln!(output, "{}", host_memory(&experiment)?)?;
    if choices.device.is_some() && experiment.device() == Device::Cuda {
        for line in device_memory(experiment, choices)? {
            writeln!(output, "{line}")?;
        }
    }
    Ok(exit::DONE)
}

/// What a GPU makes of networks other than chains.
const LAYER_BY_LAYER: &str = "on a GPU: steps go through this network layer by layer; only chains of hidden layers (`kind = \"mlp\"`, without \
                              `factorized` and `adaptive`) go through one kernel";

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
        let sum = match settings.accumulate {
            1 => String::new(),
            accumulate => format!(", {accumulate} of which a step adds up"),
        };
        let batch = settings.batch.map_or_else(String::new, |batch| format!(", in batches of {batch}{sum}"));
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

/// The largest steps of all phases: by plan, and as steps take it.
fn largest(experiment: &Experiment, choices: &Explain) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for (phase, settings) in experiment.settled().iter().enumerate() {
        let title = format!("phase {}, {}", phase + 1, settings.method.title());
        let Some(found) = experiment.largest_step(phase).map_err(TrainError::from)? else {
            lines.push(format!(
                "{title}: memory holds no step, or this system does not tell how much there is"
            ));
            continue;
        };
        let Largest { points, all, need, available, share } = &found;
        let (percent, there) = (100.0 * share, show(*available));
        let step = if *all { format!("all {points} points") } else { format!("{points} points per step") };
        lines.push(format!(
            "{title}: {step} fit into {percent:.0} % of the {there} that are available: planned {need}"
        ));
        lines.push(match experiment.confirm_step(phase, *points)? {
            None => "  not confirmed: this system does not count what a process has taken".to_owned(),
            Some(Confirmed { points, planned, measured }) => format!(
                "  2 steps of {points} points took {} of host memory; {} were planned for them ({:+.1} %)",
                show(measured),
                show(planned),
                100.0 * (measured as f64 / planned as f64 - 1.0)
            ),
        });
        lines.extend(on_device(experiment, settings, choices)?);
    }
    Ok(lines)
}

/// How many points a GPU takes at a time.
fn on_device(experiment: &Experiment, settings: &Settings, choices: &Explain) -> anyhow::Result<Vec<String>> {
    if experiment.device() != Device::Cuda {
        return Ok(Vec::new());
    }
    let mut objective = experiment.clone().within(choices.gpu.memory_limit).objective()?;
    let (plan, share) = (experiment.plan(), experiment.memory_threshold());
    let found =
        at_once(objective.kernel(), (experiment.problem(), plan), experiment.tables(), settings, share)?;
    Ok(Vec::from([match found {
        Some((points, plan)) => format!(
            "  the GPU takes {points} points at a time in {:.0} % of what it has free ({} planned); more come in chunks, which changes no bit",
            100.0 * share,
            show(plan.bytes() as u64)
        ),
        None => {
            "  the GPU gets its points from the host, in chunks where they are too many for it".to_owned()
        }
    }]))
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
    let experiment = match choices.gpu.compile {
        Some(compile) => experiment.compiled(compile),
        None => experiment,
    };
    let experiment = experiment.within(choices.gpu.memory_limit).with_steps(0);
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
