//! How many points per second are drawn in a box, and inside a shape of ten pieces: a plate with nine holes.

use super::machine;
use crate::BenchError;
use equation::problem::Sampler;
use kernel::Kernel;
use pinnace::sample::{Draw, draw, recipe};
use pinnace::{Device, Experiment, Hardware, Precision};
use std::path::Path;
use std::time::Instant;

/// Draws of which the median counts, and how many a device makes for each of them before it is asked.
const ROUNDS: usize = 7;
const DRAWS: u64 = 8;

/// Where points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointsIn {
    /// Two coordinates.
    Box,
    /// The same, and inside of a plate with nine holes.
    Plate,
}

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct PointsSettings {
    /// Points of a draw.
    pub points: usize,
    /// Where they lie.
    pub place: PointsIn,
    /// Which sequence.
    pub sampler: Sampler,
    /// Where they are drawn.
    pub device: Device,
}

/// What was measured.
#[derive(Clone, Debug, serde::Serialize)]
pub struct PointsReport {
    /// `box`, or `plate` with nine holes.
    pub place: &'static str,
    /// Which sequence.
    pub sampler: &'static str,
    /// Points of a draw.
    pub points: usize,
    /// Where they are drawn.
    pub device: &'static str,
    /// What it calls itself.
    pub machine: String,
    /// Of a draw; the median of several.
    pub seconds: f64,
    /// Points over seconds.
    pub points_per_second: f64,
}

impl PointsIn {
    /// Both.
    const ALL: [PointsIn; 2] = [PointsIn::Box, PointsIn::Plate];

    fn name(self) -> &'static str {
        match self {
            PointsIn::Box => "box",
            PointsIn::Plate => "plate",
        }
    }

    /// A problem whose points these are.
    fn problem(self) -> String {
        let holes: String =
            (0..9).map(|hole| format!(" - disk([{}, {}], 0.1)", hole % 3, hole / 3)).collect();
        let shape = match self {
            PointsIn::Box => String::new(),
            PointsIn::Plate => {
                format!("[geometry]\nshape = \"rectangle([-0.5, -0.5], [2.5, 2.5]){holes}\"\n")
            }
        };
        let axis = "{ range = [-0.5, 2.5], open = true }";
        // The ansatz is there because something has to make the solution one: nothing is trained.
        format!(
            "[domain]\nx = {axis}\ny = {axis}\n{shape}[unknowns]\nu = {{}}\n[equations]\nflat = \"laplacian(u) = 1\"\n\
             [ansatz]\nu = \"x*N\"\n[network]\nwidth = 8\ndepth = 1\n[training]\npoints = 100\n"
        )
    }
}

/// What is measured: every sequence that devices have in shapes, everywhere.
pub fn point_kinds() -> impl Iterator<Item = (PointsIn, Sampler)> {
    let samplers = [Sampler::Sobol, Sampler::Uniform];
    PointsIn::ALL.into_iter().flat_map(move |place| samplers.map(|sampler| (place, sampler)))
}

/// Measures one sequence in one place.
pub fn bench_points(settings: &PointsSettings) -> Result<PointsReport, BenchError> {
    let PointsSettings { points, place, sampler, device } = *settings;
    let experiment = Experiment::from_text(place.name(), &place.problem(), Path::new("."), &[])?;
    let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
    let wanted = |number: u64| Draw { sampler, seed: 1, number, interior: points };
    let mut times = Vec::new();
    match device.hardware() {
        Hardware::Accelerator => {
            let found = recipe(problem, plan, tables, wanted(0));
            let recipe = found.map_err(|obstacle| BenchError::HostPoints { obstacle })?;
            let mut kernel = Kernel::compile(plan, device, Precision::F64)?;
            for _ in 0..=ROUNDS {
                let begin = Instant::now();
                kernel.draw_only(&recipe, DRAWS)?;
                times.push(begin.elapsed().as_secs_f64() / DRAWS as f64);
            }
        }
        Hardware::Cpu => {
            for number in 0..=ROUNDS as u64 {
                let begin = Instant::now();
                let sets = draw(problem, plan, tables, wanted(number))?;
                times.push(begin.elapsed().as_secs_f64());
                assert_eq!(sets[0].len(), points, "all of them");
            }
        }
    }
    // The first one has more to do.
    let mut times = times.split_off(1);
    times.sort_by(f64::total_cmp);
    let seconds = times[times.len() / 2];
    Ok(PointsReport {
        place: place.name(),
        sampler: sampler.name(),
        points,
        device: device.name(),
        machine: machine::name(device),
        seconds,
        points_per_second: points as f64 / seconds,
    })
}
