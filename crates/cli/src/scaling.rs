//! `pinnace bench scaling`

use crate::args::Scaling;
use crate::exit;
use crate::terminal::tell_of_device;
use bench::{ScalingReport, ScalingSettings, bench_scaling};
use std::io::Write;
use std::process::ExitCode;

/// Steps, and how few for so many points that they would take too long.
const STEPS: u64 = 2000;
const FEW_STEPS: (usize, u64) = (10_000_000, 100);

pub(crate) fn scaling(choices: &Scaling, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let device = choices.device.device;
    exit::check_gpu(&choices.gpu, device)?;
    tell_of_device(&choices.device);
    let compile = choices.gpu.compile.unwrap_or_default();
    let usual = || device.fastest_as_accurate_as_f32(compile);
    let precision = choices.precision.unwrap_or_else(usual);
    if !choices.json {
        writeln!(output, "wave equation in two dimensions, 100x4, Adam, {device} in {precision}")?;
        writeln!(
            output,
            "{:>10} {:>6} {:>10} {:>9} {:>9} {:>10} {:>10} {:>9} {:>10} {:>6} {:>12} {:>7}",
            "points",
            "steps",
            "seconds",
            "ms/step",
            "Gflop/s",
            "planned MB",
            "taken MB",
            "plan/peak",
            "off MB",
            "busy",
            "CPU seconds",
            "faster"
        )?;
    }
    for &points in &choices.points {
        let usual = if points >= FEW_STEPS.0 { FEW_STEPS.1 } else { STEPS };
        let report = bench_scaling(&ScalingSettings {
            points,
            steps: choices.steps.unwrap_or(usual),
            device,
            precision,
            memory_limit: choices.gpu.memory_limit,
            compile,
            processor_seconds: choices.cpu_seconds,
        })?;
        if choices.json {
            writeln!(output, "{}", serde_json::to_string(&report)?)?;
        } else {
            write(&report, output)?;
        }
        output.flush()?;
    }
    if !choices.json {
        writeln!(
            output,
            "off: memory of mode `off`; ~: extrapolated from fewer steps; -: not measured here"
        )?;
    }
    Ok(exit::DONE)
}

fn write(report: &ScalingReport, output: &mut impl Write) -> anyhow::Result<()> {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let memory = report.device_memory;
    let megabytes = |bytes: usize| format!("{:.1}", bytes as f64 / 1e6);
    let processor = report.processor.map(|processor| {
        let mark = if processor.extrapolated { "~" } else { "" };
        (format!("{mark}{:.2}", processor.seconds), format!("{:.1}x", processor.ratio))
    });
    let (seconds, faster) = processor.unzip();
    writeln!(
        output,
        "{:>10} {:>6} {:>10.3} {:>9.4} {:>9.0} {:>10} {:>10} {:>9} {:>10} {:>6} {:>12} {:>7}",
        report.points,
        report.steps,
        report.seconds,
        1e3 * report.seconds / report.steps as f64,
        report.flops * 1e-9,
        or_dash(memory.map(|memory| megabytes(memory.planned_bytes))),
        or_dash(memory.and_then(|memory| memory.peak_bytes).map(megabytes)),
        or_dash(memory.and_then(|memory| memory.planned_share).map(|share| format!("{share:.3}"))),
        or_dash(report.off_bytes.map(megabytes)),
        or_dash(report.busy.map(|share| format!("{:.0} %", 100.0 * share))),
        or_dash(seconds),
        or_dash(faster)
    )?;
    Ok(())
}
