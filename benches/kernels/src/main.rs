//! The pieces of a step: `cargo run --release --manifest-path benches/kernels/Cargo.toml -- --bench`. Throughput of products is in multiply-adds, of
//! everything else in points.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use equation::counter::Stream;
use equation::parse::parse_with;
use equation::taylor::{Plan, plan};
use kernel::{Device, Kernel, Points, Precision, Weighted};
use linear::{Accumulation, Float, Level, Scalars, Size, multiply};
use std::sync::Arc;

const BURGERS: &str = include_str!("../../problems/burgers.toml");

fn planned(overrides: &[String]) -> Arc<Plan> {
    let problem = parse_with(BURGERS, overrides).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    plan(&problem).expect("a plan")
}

fn points(plan: &Plan, count: usize) -> Vec<Points> {
    let draw = |term: &Arc<equation::taylor::Term>| {
        let noise = Stream::new(1, 1);
        let width = term.row.width();
        let mut points = Points::new(width);
        for index in 0..count {
            let row: Vec<f64> =
                (0..width).map(|place| noise.uniform((index * width + place) as u64)).collect();
            points.push(&row);
        }
        points
    };
    plan.terms.iter().map(draw).collect()
}

/// A layer's forward product, W by W, on the rows of one tile.
fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("product");
    let rows = 120;
    for width in [32, 64, 128, 256] {
        group.throughput(Throughput::Elements((rows * width * width) as u64));
        for level in Level::ALL.into_iter().filter(|level| level.available()) {
            let name = |precision: &str| BenchmarkId::new(format!("{precision} {level}"), width);
            group.bench_function(name("f32"), |bencher| bencher.iter(product::<f32>(level, rows, width)));
            group.bench_function(name("f64"), |bencher| bencher.iter(product::<f64>(level, rows, width)));
        }
    }
    group.finish();
}

fn product<T: Float>(level: Level, rows: usize, width: usize) -> impl FnMut() {
    let a = vec![T::from_f64(0.5); rows * width];
    let b = vec![T::from_f64(0.25); width * width];
    let mut c = vec![T::ZERO; rows * width];
    move || {
        let scalars = Scalars { numbers: &a, row: width, column: 1 };
        let size = Size { rows, columns: width, inner: width };
        multiply(level, size, scalars, (&b, width), (&mut c, width), Accumulation::Zero);
        std::hint::black_box(&c);
    }
}

/// Loss and gradient, per activation, precision and width.
fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loss and gradient");
    let count = 4096;
    group.sample_size(20).throughput(Throughput::Elements(count as u64));
    for (activation, width) in
        [("tanh", 20), ("tanh", 64), ("tanh", 128), ("sin", 64), ("silu", 64), ("gelu", 64)]
    {
        let settings = [format!("network.activation={activation}"), format!("network.width={width}")];
        let plan = planned(&settings);
        let (points, parameters) = (points(&plan, count), plan.initialize(0));
        let mut gradient = vec![0.0; parameters.len()];
        let counts =
            plan.terms.iter().zip(&points).flat_map(|(term, set)| vec![set.len(); term.residuals.len()]);
        let factors = kernel::factors(&plan.weights(), &counts.collect::<Vec<_>>());
        let over = Weighted { points: &points, factors: &factors };
        for precision in [Precision::F32, Precision::F64] {
            let mut kernel = Kernel::compile(&plan, Device::Cpu, precision).expect("a kernel");
            let name = BenchmarkId::new(format!("{activation} {precision}"), width);
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    kernel.evaluate(over, &parameters, &mut gradient).map(|sums| sums.weighted(&factors))
                });
            });
        }
    }
    group.finish();
}

/// Jacobian rows of a small network in f64, as Gauss-Newton needs them.
fn jacobians(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("jacobian");
    let plan = planned(&["network.width=20".to_owned()]);
    let (points, parameters) = (points(&plan, 1024), plan.initialize(0));
    let mut rows = vec![0.0; 1024 * parameters.len()];
    let mut kernel = Kernel::compile(&plan, Device::Cpu, Precision::F64).expect("a kernel");
    group.sample_size(20).throughput(Throughput::Elements(1024));
    group.bench_function("rows f64 20x4", |bencher| {
        bencher.iter(|| kernel.jacobian(0, &points[0], &parameters, &mut rows));
    });
    group.finish();
}

criterion_group!(kernels, products, steps, jacobians);
criterion_main!(kernels);
