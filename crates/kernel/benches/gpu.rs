//! Training steps on a GPU, one JSON object per line: `gpu [FILTER]`. A step is loss, gradient and update; those
//! that stay on the device are timed 200 at a time, those that come back to the host one by one. Every case is
//! measured again with 0.6 of its memory, which halves the blocks.

use equation::counter::Stream;
use equation::parse::parse_with;
use equation::taylor::{Plan, plan};
use kernel::{Device, Kernel, KernelError, Points, Precision, Visits, Weighted};
use linear::{Moments, Series, Update};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

const BURGERS: &str = include_str!("../../../benches/problems/burgers.toml");
const NAVIER_STOKES: &str = include_str!("../../../benches/problems/ns2d.toml");
const WAVE: &str = include_str!("../../../benches/problems/wave3d.toml");

/// Points of every condition; the peers' number.
const CONDITION: usize = 256;

/// Problem, text, width, depth, points.
const CASES: [(&str, &str, usize, usize, usize); 14] = [
    ("burgers", BURGERS, 128, 4, 1_000),
    ("burgers", BURGERS, 64, 4, 1_000),
    ("burgers", BURGERS, 20, 8, 1_000),
    ("burgers", BURGERS, 20, 4, 1_000),
    ("burgers", BURGERS, 32, 3, 1_000),
    ("burgers", BURGERS, 128, 4, 2_000),
    ("burgers", BURGERS, 128, 4, 10_000),
    ("burgers", BURGERS, 128, 4, 100_000),
    ("burgers", BURGERS, 64, 4, 100_000),
    ("burgers", BURGERS, 20, 8, 10_000),
    ("burgers", BURGERS, 256, 4, 100_000),
    ("ns2d", NAVIER_STOKES, 128, 5, 100_000),
    ("wave3d", WAVE, 128, 4, 100_000),
    ("burgers", BURGERS, 128, 4, 1_000_000),
];

const ADAM: Update =
    Update::Adam { rate: 1e-3, mean_decay: 0.9, square_decay: 0.999, floor: 1e-8, decay: 0.0, decaying: 0 };

fn planned(text: &str, width: usize, depth: usize) -> Arc<Plan> {
    let settings = [format!("network.width={width}"), format!("network.depth={depth}")];
    let problem = parse_with(text, &settings).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    plan(&problem).expect("a plan")
}

fn points(plan: &Plan, interior: usize) -> Vec<Points> {
    let draw = |(number, term): (usize, &Arc<equation::taylor::Term>)| {
        let noise = Stream::new(1, number as u64);
        let width = term.row.width();
        let mut points = Points::new(width);
        for index in 0..if number == 0 { interior } else { CONDITION } {
            let row: Vec<f64> =
                (0..width).map(|place| noise.uniform((index * width + place) as u64)).collect();
            points.push(&row);
        }
        points
    };
    plan.terms.iter().enumerate().map(draw).collect()
}

/// The factors of residuals in means over points.
fn factors(plan: &Plan, points: &[Points]) -> Vec<f64> {
    let counts = plan.terms.iter().zip(points).flat_map(|(term, set)| vec![set.len(); term.residuals.len()]);
    kernel::factors(&plan.weights(), &counts.collect::<Vec<_>>())
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn measure(
    output: &mut impl Write,
    (name, text, width, depth, count): (&str, &str, usize, usize, usize),
    (precision, share): (Precision, f64),
) -> Result<(), KernelError> {
    let plan = planned(text, width, depth);
    let points = points(&plan, count);
    let mut parameters = plan.initialize(0);
    let mut gradient = vec![0.0; parameters.len()];
    let begin = Instant::now();
    let mut kernel = Kernel::compile(&plan, Device::Cuda, precision)?;
    let factors = factors(&plan, &points);
    let over = Weighted { points: &points, factors: &factors };
    let loss = kernel.evaluate(over, &parameters, &mut gradient)?.weighted(&factors);
    let first = begin.elapsed().as_secs_f64();
    if share < 1.0 {
        kernel.limit_device_bytes(Some((kernel.device_bytes() as f64 * share) as usize));
    }

    let steps = if count > 200_000 { 20 } else { 200 };
    let once = |kernel: &mut Kernel, gradient: &mut [f64]| {
        let begin = Instant::now();
        kernel.evaluate(over, &parameters, gradient)?;
        Ok(begin.elapsed().as_secs_f64() * 1e3)
    };
    let evaluations: Result<Vec<f64>, KernelError> =
        (0..steps / 4).map(|_| once(&mut kernel, &mut gradient)).collect();

    let (mut moments, mut history) = (Moments::new(parameters.len()), Vec::new());
    let rates = vec![1e-4; steps];
    let mut times = Vec::new();
    for _ in 0..6 {
        let begin = Instant::now();
        let series = Series { update: ADAM, rates: &rates, bound: None };
        kernel.run_steps(
            (Visits::Points(&points), &factors),
            series,
            &mut moments,
            &mut parameters,
            &mut history,
        )?;
        times.push(begin.elapsed().as_secs_f64() * 1e3 / steps as f64);
    }
    let products: u64 = (plan.terms.iter().zip(&points))
        .map(|(term, set)| (term.cost.forward_products + term.cost.reverse_products) * set.len() as u64)
        .sum();
    let step = median(times.split_off(1));
    _ = writeln!(
        output,
        "{{\"problem\":\"{name}\",\"width\":{width},\"depth\":{depth},\"points\":{count},\"precision\":\"{precision}\",\
         \"step_ms\":{step:.5},\"evaluate_ms\":{:.5},\"first_s\":{first:.3},\"product_tflops\":{:.2},\
         \"memory_share\":{share},\"device_mb\":{:.1},\"loss\":{loss:.12e},\"last_loss\":{:.12e}}}",
        median(evaluations?),
        products as f64 / step * 1e-9,
        kernel.device_bytes() as f64 * 1e-6,
        history.last().map_or(f64::NAN, |visited| visited.loss)
    );
    Ok(())
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let mut output = std::io::stdout().lock();
    if let Err(reason) = kernel::cuda::describe() {
        _ = writeln!(output, "skipped: no CUDA device ({reason})");
        return;
    }
    for case in CASES {
        for precision in [Precision::F32, Precision::Bf16x6, Precision::Bf16x3, Precision::F64] {
            let (name, _, width, depth, count) = case;
            let label = format!("{name}-{width}x{depth}-{count}-{precision}");
            for share in [1.0, 0.6] {
                if label.contains(&filter)
                    && let Err(error) = measure(&mut output, case, (precision, share))
                {
                    _ = writeln!(output, "{{\"case\":\"{label}\",\"error\":\"{error:?}\"}}");
                }
            }
        }
    }
}
