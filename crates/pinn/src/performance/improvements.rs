//! The improvements that `ultra` measures. None changes what training is: numbers have at least the digits of f32, and loss and
//! gradient are compared with those in f64 while training.

use super::improve::{Alternative, Improvement};
use crate::{Experiment, TrainError};
use equation::decide::quoted;
use equation::problem::{Affinity, Order, Precision, Tiles};
use train::Hardware;

/// Numbers with at least the digits of f32, for methods that follow the gradient.
pub(super) struct Numbers;

impl Improvement for Numbers {
    fn key(&self) -> &'static str {
        "training.precision"
    }

    fn present(&self, experiment: &Experiment) -> String {
        quoted(experiment.precision().name())
    }

    fn alternatives(&self, experiment: &Experiment) -> Result<Vec<Alternative>, TrainError> {
        let follows = |method: equation::problem::Method| method.traits().order == Order::First;
        if !experiment.settled().iter().all(|phase| follows(phase.method)) {
            return Ok(Vec::new());
        }
        let device = experiment.device();
        let candidates: &[Precision] = match device.hardware() {
            Hardware::Cpu => &[Precision::F32],
            Hardware::Accelerator => &[Precision::Fp16x3, Precision::Bf16x6],
        };
        let others = candidates.iter().filter(|precision| **precision != experiment.precision());
        Ok(others
            .map(|&precision| Alternative {
                value: quoted(precision.name()),
                experiment: experiment.clone().comparing_gradients().on(device, precision),
            })
            .collect())
    }
}

/// How many threads compute.
pub(super) struct Threads;

impl Improvement for Threads {
    fn key(&self) -> &'static str {
        "performance.threads"
    }

    fn present(&self, experiment: &Experiment) -> String {
        experiment.machine_use().threads.to_string()
    }

    fn alternatives(&self, experiment: &Experiment) -> Result<Vec<Alternative>, TrainError> {
        let all = experiment.machine_use().threads;
        let halves = std::iter::successors(Some(all / 2), |threads| Some(threads / 2));
        let fewer = halves.take_while(|threads| *threads > 0 && is_cpu(experiment));
        Ok(fewer
            .map(|threads| Alternative {
                value: threads.to_string(),
                experiment: experiment.clone().with_threads(threads),
            })
            .collect())
    }
}

/// Whether each thread stays on a core.
pub(super) struct Cores;

impl Improvement for Cores {
    fn key(&self) -> &'static str {
        "performance.affinity"
    }

    fn present(&self, experiment: &Experiment) -> String {
        experiment.machine_use().affinity.written()
    }

    fn alternatives(&self, experiment: &Experiment) -> Result<Vec<Alternative>, TrainError> {
        let spread = Alternative {
            value: Affinity::Spread.written(),
            experiment: experiment.clone().with_affinity(Affinity::Spread),
        };
        Ok(is_cpu(experiment).then_some(spread).into_iter().collect())
    }
}

/// How many points a block of a GPU works on at a time.
pub(super) struct TileSizes;

impl Improvement for TileSizes {
    fn key(&self) -> &'static str {
        "performance.tiles"
    }

    fn present(&self, experiment: &Experiment) -> String {
        experiment.tiles().written()
    }

    fn alternatives(&self, experiment: &Experiment) -> Result<Vec<Alternative>, TrainError> {
        let sizes = experiment.compile(&experiment.stage(0)?.plan)?.tile_choices();
        let stated = |points| {
            let tiles = Tiles::Points(points);
            Alternative { value: tiles.written(), experiment: experiment.clone().with_tiles(tiles) }
        };
        Ok(sizes.into_iter().map(stated).collect())
    }
}

fn is_cpu(experiment: &Experiment) -> bool {
    experiment.device().hardware() == Hardware::Cpu
}
