//! What neurons do.

use super::{Decision, quoted};
use crate::oscillation::periods_in_space;
use crate::problem::{Activation, Initialization, Neurons, Problem};
use std::f64::consts::PI;

/// Periods across the box up to which `tanh` finds a solution about as soon as sines do.
const FEW: f64 = 3.0;

/// Radians across half of the box that starting weights are made for at most: beyond, there would be more waves than a
/// network that nobody chose can hold.
const MOST_RADIANS: f64 = 100.0;

/// Takes sines, of the frequency that equations and conditions ask for, where the file says nothing about what neurons
/// do and the solution has many periods.
pub(super) fn decide(problem: &mut Problem) -> Vec<Decision> {
    let usual = problem.network.activation;
    let keep = |why: &str| vec![Decision::new("network.activation", quoted(usual.name()), why)];
    match problem.open.activation {
        Neurons::Stated => return Vec::new(),
        Neurons::Shaped => return keep("the file states the other parts of the network"),
        Neurons::Open => {}
    }
    let periods = periods_in_space(problem);
    if periods <= FEW {
        return keep(match problem.time() {
            Some(_) => "in problems with time, windows hold oscillations",
            None => "the solution is not seen to have more than three periods across the box",
        });
    }
    let frequency = (10.0 * (PI * periods).min(MOST_RADIANS)).round() / 10.0;
    problem.network.activation = Activation::Sin;
    problem.network.initialization = Initialization::Siren { frequency };
    let name = Activation::Sin.name();
    vec![
        Decision::new(
            "network.activation",
            quoted(name),
            format!("the solution has about {periods:.1} periods across the box"),
        ),
        Decision::new("network.initialization", quoted("siren"), "these starting weights are made for sines"),
        Decision::new(
            "network.frequency",
            format!("{frequency:?}"),
            "this is the solution's number of radians across half of the box",
        ),
    ]
}
