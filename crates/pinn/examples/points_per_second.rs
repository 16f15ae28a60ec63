//! How many points per second are drawn inside a shape of ten pieces, a plate with nine holes; and how long a late part of a large draw takes.
//!
//! `cargo run --release -p pinnace --example points_per_second`
//!
//! The floor, in vector operations per candidate and coordinate: random bits take 80 for each block of Philox (ten rounds of two products
//! and six more), Sobol points three such blocks and 42 to flip digits, uniform points one; each disk takes 11.

#![expect(clippy::print_stdout, reason = "it is what the example is for")]

use equation::problem::Sampler;
use pinnace::sample::{Draw, draw, draw_part};
use pinnace::{Experiment, TrainError};
use std::path::Path;
use std::time::Instant;

/// Points of a draw of which a part is wanted.
const MANY: usize = 100_000_000;

/// Points per draw.
const POINTS: usize = 1_000_000;

/// Of so many draws, the fastest counts.
const DRAWS: u64 = 20;

fn main() -> Result<(), TrainError> {
    let holes: String = (0..9).map(|hole| format!(" - disk([{}, {}], 0.1)", hole % 3, hole / 3)).collect();
    let text = format!(
        "[domain]\nx = [-0.5, 2.5]\ny = [-0.5, 2.5]\n[geometry]\nshape = \"rectangle([-0.5, -0.5], [2.5, 2.5]){holes}\"\n\
         [unknowns]\nu = {{}}\n[equations]\nflat = \"laplacian(u) = 1\"\n\
         [conditions]\nedge = {{ on = \"boundary\", equation = \"dn(u) = 0\" }}\n[training]\npoints = 100\nhard_constraints = \"off\"\n"
    );
    let experiment = Experiment::from_text("plate", &text, Path::new("."), &[])?;
    for sampler in [Sampler::Sobol, Sampler::Uniform] {
        let mut best = f64::INFINITY;
        for number in 0..DRAWS {
            let wanted = Draw { sampler, seed: 1, number, interior: POINTS };
            let start = Instant::now();
            let sets = draw(experiment.problem(), experiment.plan(), experiment.tables(), wanted)?;
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(sets[0].len(), POINTS);
        }
        println!("{:16} {:6.1} million points per second", sampler.name(), POINTS as f64 / best / 1e6);
    }
    for time in ["first", "second"] {
        let wanted = Draw { sampler: Sampler::Sobol, seed: 2, number: 0, interior: MANY };
        let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
        let start = Instant::now();
        draw_part(problem, plan, tables, wanted, MANY - 10_000..MANY)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("the last 10,000 of {MANY} points, asked for the {time} time: {seconds:.4} s");
    }
    Ok(())
}
