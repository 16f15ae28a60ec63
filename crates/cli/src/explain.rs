//! `pinnace explain`

use crate::args::Explain;
use crate::{exit, terminal, warnings};
use pinnace::{CompileMode, Device, Event, Experiment, MemoryPlan, Precision, Sink, kernel_text};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub(crate) fn explain(choices: &Explain, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let experiment = Experiment::open(&choices.chosen.problem, &choices.chosen.set)?;
    if choices.strict || choices.cuda {
        warnings::show(&experiment);
    }
    warnings::check(&experiment, choices.strict)?;
    exit::check_gpu(&choices.gpu, choices.device.unwrap_or(Device::Cpu))?;
    if choices.cuda {
        let precision = choices.precision.unwrap_or(Precision::F64);
        write!(output, "{}", kernel_text(experiment.plan(), precision))?;
        return Ok(exit::DONE);
    }
    let text = experiment.plan().explain(experiment.problem());
    writeln!(output, "{}", text.trim_end())?;
    if let Some(device) = choices.device {
        writeln!(output)?;
        for line in memory(experiment, choices, device)? {
            writeln!(output, "{line}")?;
        }
    }
    Ok(exit::DONE)
}

/// What training would say about memory. It is asked for by training that ends before its first step: kernels are compiled, for
/// their memory counts too.
fn memory(experiment: Experiment, choices: &Explain, device: Device) -> anyhow::Result<Vec<String>> {
    let precision = choices.precision.unwrap_or_else(|| experiment.suitable_precision(device));
    let compile = choices.gpu.compile.unwrap_or_default();
    let experiment = experiment.on(device, precision).compiled(compile).within(choices.gpu.memory_limit);
    let experiment = experiment.with_steps(0);
    let mut heard = Heard(None);
    experiment.train_from(&mut experiment.start(), &AtomicBool::new(false), &mut heard)?;
    let Some(plan) = heard.0 else {
        return Ok(vec![format!("memory: `{device}` takes what it needs, without a plan")]);
    };
    let mut lines = terminal::memory(&plan);
    if compile == CompileMode::ManySteps && plan.movers.is_none() {
        lines.push(
            "a launch per step: one for many needs points so few that every block has one tile".to_owned(),
        );
    }
    Ok(lines)
}

/// The first plan that was told.
struct Heard(Option<MemoryPlan>);

impl Sink for Heard {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Memory { plan } = event {
            self.0.get_or_insert_with(|| (*plan).clone());
        }
    }
}
