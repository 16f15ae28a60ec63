//! Compares ways to place points: `cargo run --release -p pinnace --example adaptive_sampling -- burgers,allen-cahn adam,gauss-newton 0,1`
//! trains each problem with each optimizer, seed and list of `sampling`, and writes one JSON object per training: the mean square of
//! the residual at 131,072 points that no training visits, the relative L2 error, steps and seconds.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::sample::PointSequence;
use pinnace::{Experiment, Points, Quiet, TrainError};
use std::sync::atomic::AtomicBool;

/// Points at which residuals are measured: the same for all.
const MEASURED: u32 = 1 << 17;

/// Names, lists, and what else they need.
const LISTS: [(&str, &str, &[&str]); 12] = [
    ("uniform, fixed", "[\"uniform\"]", &["training.resample=0"]),
    ("uniform, drawn anew", "[\"uniform\"]", &[]),
    ("sobol, drawn anew", "[\"sobol\"]", &[]),
    ("rad", "[\"uniform\", \"rad\"]", &[]),
    ("rad, power 2", "[\"uniform\", { kind = \"rad\", power = 2 }]", &[]),
    ("gradient", "[\"uniform\", \"gradient\"]", &[]),
    ("uncertainty", "[\"uniform\", \"uncertainty\"]", &[]),
    ("rar", "[\"uniform\", \"rar\"]", HALF),
    ("rar-d", "[\"uniform\", \"rar-d\"]", HALF),
    ("r3", "[\"uniform\", \"r3\"]", &[]),
    ("hierarchical", "[\"uniform\", \"hierarchical\"]", &[]),
    ("rad, causal", "[\"uniform\", \"rad\", \"causal\"]", &[]),
];

/// Points that grow to the number that all others have from the start.
const HALF: &[&str] = &["training.points=512", "training.most_points=1024"];

fn main() -> Result<(), TrainError> {
    let mut arguments = std::env::args().skip(1);
    let mut list = |usual: &str| -> Vec<String> {
        arguments.next().unwrap_or_else(|| usual.to_owned()).split(',').map(str::to_owned).collect()
    };
    let (problems, optimizers, seeds) = (list("burgers"), list("adam"), list("0"));
    for seed in &seeds {
        for problem in &problems {
            for optimizer in &optimizers {
                for (name, sampling, more) in LISTS {
                    measure((problem, optimizer, seed), (name, sampling, more))?;
                }
            }
        }
    }
    Ok(())
}

fn measure(
    (problem, optimizer, seed): (&str, &str, &str),
    (name, sampling, more): (&str, &str, &[&str]),
) -> Result<(), TrainError> {
    let own: &[&str] = match optimizer {
        "adam" => &[
            "training.learning_rate=1e-2",
            "training.schedule=cosine",
            "training.resample=100",
            "training.budget=5000 steps",
        ],
        _ => &["training.resample=1", "training.budget=100 steps"],
    };
    let mut overrides: Vec<String> =
        [own, &["training.points=1024"], more].concat().iter().map(|&it| it.to_owned()).collect();
    overrides.push(format!("training.optimizer={optimizer}"));
    overrides.push(format!("training.sampling={sampling}"));
    overrides.push(format!("training.seed={seed}"));
    let experiment = Experiment::open(problem, &overrides)?;
    let trained = experiment.train(&AtomicBool::new(false), &mut Quiet)?;
    let sizes = experiment.residual_sizes(&trained.parameters, &places(&experiment))?;
    let square = sizes.iter().map(|size| size * size).sum::<f64>() / sizes.len() as f64;
    let error = trained.errors.iter().flatten().find_map(|error| error.relative_l2).unwrap_or(f64::NAN);
    println!(
        "{{\"problem\":\"{problem}\",\"optimizer\":\"{optimizer}\",\"sampling\":\"{name}\",\"seed\":{seed},\
         \"mean_square\":{square:e},\"error\":{error:e},\"steps\":{},\"seconds\":{:.1}}}",
        trained.steps, trained.seconds
    );
    Ok(())
}

/// Sobol points of a seed that no training has.
fn places(experiment: &Experiment) -> Points {
    let coordinates = &experiment.problem().domain.coordinates;
    let stream = equation::counter::Stream::new(0xfeed, 0xfeed);
    let sequence =
        PointSequence::new(equation::problem::Sampler::Sobol, coordinates.len(), MEASURED as usize, stream);
    let mut places = Points::new(coordinates.len());
    let mut place = vec![0.0; coordinates.len()];
    for index in 0..MEASURED {
        sequence.point(u64::from(index), &mut place);
        for (value, axis) in place.iter_mut().zip(coordinates) {
            *value = axis.low + (axis.high - axis.low) * *value;
        }
        places.push(&place);
    }
    places
}
