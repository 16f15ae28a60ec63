//! `pinnace bench`

use crate::args::Step;
use crate::{bytes, exit};
use pinnace::bench::{StepReport, StepSettings, bench_step};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn step(choices: &Step, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    exit::check_gpu(&choices.gpu, choices.device)?;
    let report = bench_step(&StepSettings {
        problem: choices.problem.clone(),
        points: choices.points,
        width: choices.width,
        depth: choices.depth,
        device: choices.device,
        precision: choices.precision,
        memory_limit: choices.gpu.memory_limit,
        compile: choices.gpu.compile.unwrap_or_default(),
        threads: choices.threads.map(usize::from),
        case: choices.case.clone(),
    })?;
    if choices.json {
        writeln!(output, "{}", serde_json::to_string(&report)?)?;
    } else {
        write(&report, output)?;
    }
    Ok(exit::DONE)
}

fn write(report: &StepReport, output: &mut impl Write) -> anyhow::Result<()> {
    let StepReport { problem, width, depth, points, device, precision, threads, .. } = report;
    writeln!(output, "{problem} {width}x{depth}, {points} points, {device} {precision}, {threads} threads")?;
    writeln!(
        output,
        "  step           {:.3} ms (p10 {:.3}, p90 {:.3}, {} steps)",
        report.median_ms, report.p10_ms, report.p90_ms, report.steps
    )?;
    let speed = report.flops as f64 / report.median_ms / 1e6;
    let share =
        report.share_of_peak.map_or("an unknown part".to_owned(), |share| format!("{:.0} %", 100.0 * share));
    writeln!(
        output,
        "  speed          {speed:.1} Gflop/s; products at {share} of the {device}'s peak in {precision}"
    )?;
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let peak = report.peak_bytes.map_or("not available".to_owned(), megabytes);
    writeln!(output, "  memory         {peak} at most, {} of it points", megabytes(report.point_bytes))?;
    if let Some(memory) = report.device_memory {
        let size = |bytes: Option<usize>| bytes.map_or("not measured".to_owned(), bytes::show);
        writeln!(
            output,
            "  on the device  {} planned, {} taken at most; {} before, with the context",
            bytes::show(memory.planned_bytes),
            size(memory.peak_bytes),
            size(memory.context_bytes)
        )?;
    }
    writeln!(output, "  first loss     {:.15e}", report.loss0)?;
    writeln!(output, "  gradient norm  {:.15e}", report.gradnorm0)?;
    writeln!(output, "  after 5 steps  {:.15e}", report.loss5)?;
    Ok(())
}
