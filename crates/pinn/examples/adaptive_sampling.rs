//! Compares ways to place points: `cargo run --release -p pinnace --example adaptive_sampling -- burgers,allen-cahn adam:5000,gauss-newton:100 0,1`
//! trains each problem with each optimizer for so many steps, from each seed, with each list of `sampling`, and writes one JSON object per
//! training: the mean square of the residual at 1,048,576 points that no training visits, the relative L2 error, the share of the time in
//! which points were drawn or chosen anew, steps and seconds. A fourth
//! argument names lists, `"uniform, fixed;rad;r3"`; without it all are tried. Windows, exact conditions and networks are those of the files. Seeds come
//! one after the other, so that what is there of a run that was ended early compares all lists.

#![expect(clippy::print_stdout, reason = "an example has nobody else to print for it")]

use pinnace::sample::PointSequence;
use pinnace::{Experiment, Points, Quiet, TrainError};
use std::sync::atomic::AtomicBool;

/// Points at which residuals are measured: the same for all.
const MEASURED: u32 = 1 << 20;

/// A name, a list of `sampling`, and what else it needs.
type List = (&'static str, &'static str, &'static [&'static str]);

const LISTS: [List; 12] = [
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut list = |usual: &str, between: char| -> Vec<String> {
        arguments
            .next()
            .unwrap_or_else(|| usual.to_owned())
            .split(between)
            .map(|it| it.trim().to_owned())
            .collect()
    };
    let (problems, optimizers, seeds) = (list("burgers", ','), list("adam", ','), list("0", ','));
    let all = LISTS.map(|(name, ..)| name).join(";");
    let lists = list(&all, ';').iter().map(|name| listed(name)).collect::<Result<Vec<List>, String>>()?;
    for seed in &seeds {
        for problem in &problems {
            for optimizer in &optimizers {
                for list in &lists {
                    measure(problem, optimizer, seed, *list)?;
                }
            }
        }
    }
    Ok(())
}

/// The list of this name.
fn listed(name: &str) -> Result<List, String> {
    let known = || LISTS.map(|(name, ..)| name).join(";");
    let found = LISTS.into_iter().find(|(known, ..)| *known == name);
    found.ok_or_else(|| format!("there is no list `{name}`: choose from \"{}\"", known()))
}

/// Trains once and writes what came of it. `optimizer` is a name, and the number of steps if another than usual: `adam:20000`.
fn measure(
    problem: &str,
    optimizer: &str,
    seed: &str,
    (name, sampling, more): List,
) -> Result<(), TrainError> {
    let (optimizer, steps) = match optimizer.split_once(':') {
        Some((optimizer, steps)) => (optimizer, steps),
        None if optimizer == "adam" => (optimizer, "5000"),
        None => (optimizer, "100"),
    };
    let own: &[&str] = match optimizer {
        "adam" => &["training.learning_rate=1e-2", "training.schedule=cosine", "training.resample=100"],
        _ => &["training.resample=1"],
    };
    let mut overrides: Vec<String> =
        [own, &["training.points=1024"], more].concat().iter().map(|&it| it.to_owned()).collect();
    overrides.push(format!("training.optimizer={optimizer}"));
    overrides.push(format!("training.budget={steps} steps"));
    overrides.push(format!("training.sampling={sampling}"));
    overrides.push(format!("training.seed={seed}"));
    let experiment = Experiment::open(problem, &overrides)?;
    let trained = experiment.train(&AtomicBool::new(false), &mut Quiet)?;
    let sizes = experiment.residual_sizes(&trained.parameters, &places(&experiment))?;
    let square = sizes.iter().map(|size| size * size).sum::<f64>() / sizes.len() as f64;
    let error = trained.errors.iter().flatten().find_map(|error| error.relative_l2).unwrap_or(f64::NAN);
    println!(
        "{{\"problem\":\"{problem}\",\"optimizer\":\"{optimizer}\",\"sampling\":\"{name}\",\"seed\":{seed},\
         \"mean_square\":{square:e},\"error\":{error:e},\"renewing\":{:.3e},\"steps\":{},\"seconds\":{:.1}}}",
        trained.renewing.unwrap_or(0.0),
        trained.steps,
        trained.seconds
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
