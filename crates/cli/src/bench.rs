//! `pinnace bench`

use crate::args::{BenchPoints, BenchStep, Iteration, Measured};
use crate::exit;
use crate::terminal::tell_of_device;
use bench::{
    IterationReport, PointsSettings, StepReport, StepSettings, bench_iteration, bench_points, bench_step,
    point_kinds,
};
use pinnace::Precision;
use pinnace::memory::megabytes;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn step(choices: &BenchStep, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    exit::check_gpu(&choices.measured.gpu, choices.measured.device.device)?;
    tell_of_device(&choices.measured.device);
    let report = bench_step(&settings(&choices.measured, choices.precision))?;
    if choices.measured.json {
        writeln!(output, "{}", serde_json::to_string(&report)?)?;
    } else {
        write(&report, output)?;
    }
    Ok(exit::DONE)
}

pub(crate) fn iteration(choices: &Iteration, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    exit::check_gpu(&choices.measured.gpu, choices.measured.device.device)?;
    tell_of_device(&choices.measured.device);
    let report = bench_iteration(&settings(&choices.measured, Precision::F64))?;
    if choices.measured.json {
        writeln!(output, "{}", serde_json::to_string(&report)?)?;
    } else {
        write_iteration(&report, output)?;
    }
    Ok(exit::DONE)
}

pub(crate) fn points(choices: &BenchPoints, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    tell_of_device(&choices.device);
    let (device, points) = (choices.device.device, choices.points);
    if !choices.json {
        writeln!(output, "{points} points of two coordinates on {device}; the plate has nine holes")?;
    }
    for (place, sampler) in point_kinds() {
        let report = bench_points(&PointsSettings { points, place, sampler, device })?;
        if choices.json {
            writeln!(output, "{}", serde_json::to_string(&report)?)?;
        } else {
            let millions = report.points_per_second / 1e6;
            writeln!(
                output,
                "  {:6} {:8} {:10.3} ms {millions:10.1} million points per second",
                report.place,
                report.sampler,
                1e3 * report.seconds
            )?;
        }
        output.flush()?;
    }
    Ok(exit::DONE)
}

fn settings(measured: &Measured, precision: Precision) -> StepSettings {
    StepSettings {
        problem: measured.problem.clone(),
        points: measured.points,
        width: measured.width,
        depth: measured.depth,
        device: measured.device.device,
        precision,
        memory_limit: measured.gpu.memory_limit,
        compile: measured.gpu.compile.unwrap_or_default(),
        threads: measured.threads.map(usize::from),
        case: measured.case.clone(),
    }
}

fn write_iteration(report: &IterationReport, output: &mut impl Write) -> anyhow::Result<()> {
    let IterationReport { problem, width, depth, points, parameters, device, threads, iterations, .. } =
        report;
    writeln!(
        output,
        "{problem} {width}x{depth}, {parameters} parameters, {points} points, {device} f64, {threads} threads"
    )?;
    let [plain, training] = iterations;
    writeln!(output, "  plain          {:.2} ms ({plain} iterations)", report.plain_ms)?;
    writeln!(output, "  as in training {:.2} ms ({training} iterations)", report.training_ms)?;
    writeln!(output, "  first loss     {:.15e}", report.loss0)?;
    writeln!(output, "  after 5 plain  {:.15e}", report.loss5)?;
    writeln!(output, "  after 5        {:.15e}", report.training_loss5)?;
    Ok(())
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
    let host = |bytes: u64| megabytes(bytes as usize);
    let peak = report.peak_bytes.map_or("not available".to_owned(), host);
    writeln!(output, "  memory         {peak} at most, {} of it points", host(report.point_bytes))?;
    if let Some(memory) = report.device_memory {
        let size = |bytes: Option<usize>| bytes.map_or("not measured".to_owned(), megabytes);
        writeln!(
            output,
            "  on the device  {} planned, {} at peak; {} used before, including the context",
            megabytes(memory.planned_bytes),
            size(memory.peak_bytes),
            size(memory.context_bytes)
        )?;
    }
    writeln!(output, "  first loss     {:.15e}", report.loss0)?;
    writeln!(output, "  gradient norm  {:.15e}", report.gradnorm0)?;
    writeln!(output, "  after 5 steps  {:.15e}", report.loss5)?;
    Ok(())
}
