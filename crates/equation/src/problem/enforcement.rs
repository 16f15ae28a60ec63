//! What became of every condition, and why, for people.

use crate::expression::{Derivative, Field, Leaf, Names, Overflow};
use crate::problem::{Problem, Unknown};

/// How one equation of a condition is made to hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Enforcement {
    /// The condition's key in the file.
    pub condition: String,
    /// The equation as written.
    pub equation: String,
    /// The weight that the file states for it.
    pub weight: Option<f64>,
    /// Which coordinates its pieces fix, and where; empty where it relates two ends.
    pub fixed: Vec<(usize, f64)>,
    /// Which pieces of the boundary of a shape it holds on.
    pub surfaces: Vec<usize>,
    /// How.
    pub treatment: Treatment,
}

/// How an equation of a condition is made to hold.
#[derive(Clone, PartialEq, Debug)]
pub enum Treatment {
    /// By the ansatz of this unknown, whatever the network does.
    Exact {
        /// By position.
        unknown: usize,
    },
    /// By its term in the loss.
    Penalty(PenaltyReason),
}

/// Why an equation is not built into an ansatz.
#[derive(Clone, PartialEq, Debug)]
pub enum PenaltyReason {
    /// The file states that this condition is a penalty.
    Stated,
    /// The file turns it off for this unknown.
    Off {
        /// By position.
        unknown: usize,
    },
    /// The file writes the unknown's ansatz itself.
    OwnAnsatz {
        /// By position.
        unknown: usize,
    },
    /// It ties two places together.
    Wrapped,
    /// It ties two sides of an interface together.
    TwoSides,
    /// It is not `a·u = f` with a number `a`, nor that for the slope of `u` across the face.
    NotPrescribed,
    /// What it prescribes depends on scalars that are trained.
    Trained,
    /// What it prescribes comes from a file.
    Tabulated,
    /// It holds elsewhere than on whole faces of the box.
    Partial,
    /// The network takes this coordinate for a circle, which has no ends.
    Periodic {
        /// Which coordinate.
        axis: usize,
    },
    /// Time comes in windows, and later ones begin with what the one before has found.
    Windows,
    /// It prescribes a slope where nothing prescribes the value.
    SlopeAlone,
    /// What it prescribes has kinks or jumps.
    Kink,
    /// What it prescribes changes over a small part of a coordinate.
    Steep {
        /// Which coordinate.
        axis: usize,
        /// Into how many such parts it can be divided, about.
        part: f64,
        /// Where along it they change fastest.
        at: f64,
    },
    /// What it starts changes many times over until the end of time.
    Fast,
    /// What it prescribes, or a derivative of that, is infinite or no number.
    NotFinite {
        /// Differentiated along this coordinate …
        axis: usize,
        /// … so many times.
        order: usize,
        /// Where.
        place: Vec<f64>,
    },
    /// What it prescribes is not smooth when it is continued around a periodic coordinate.
    Jump {
        /// Differentiated along this coordinate …
        axis: usize,
        /// … so many times.
        order: usize,
        /// At the low end.
        low: f64,
        /// At the high end.
        high: f64,
    },
    /// It contradicts another condition where they meet.
    Clash {
        /// The other condition.
        other: String,
        /// What they disagree on …
        unknown: usize,
        /// … differentiated.
        derivative: Derivative,
        /// Where.
        place: Vec<f64>,
        /// What it asks for.
        own: f64,
        /// What the other asks for.
        others: f64,
    },
    /// Too many coordinates have data at their ends.
    TooManyAxes {
        /// How many.
        axes: usize,
    },
    /// Too many equations prescribe the unknown.
    TooManyEquations {
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The ansatz would cost more than it saves.
    TooLarge {
        /// Distinct subexpressions.
        nodes: usize,
        /// The limit.
        limit: usize,
    },
    /// A piece of the boundary has no smooth function that vanishes on it.
    NoLevel {
        /// Which piece.
        piece: String,
    },
    /// What vanishes on a piece of the boundary vanishes inside the shape, too.
    Crosses {
        /// Which piece.
        piece: String,
    },
    /// Other values are prescribed on a piece of the boundary that it meets.
    Meets {
        /// Which piece.
        piece: String,
    },
    /// An expression grew out of bounds.
    Overflow(Overflow),
}

/// A condition that is stated to be exact and cannot be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "conditions.{condition}.exact: `{equation}` cannot be built into an ansatz: {why}; write `exact = false`, or leave it out"
)]
pub struct NotExact {
    /// The condition's key in the file.
    pub condition: String,
    /// The equation as written.
    pub equation: String,
    /// Why, in the words of the problem file.
    pub why: String,
}

/// What became of the conditions, for people: a line per unknown that meets some by construction, and one
/// per equation that stays a penalty.
pub fn report(problem: &Problem) -> Vec<String> {
    let mut lines = Vec::new();
    for (position, unknown) in problem.unknowns.iter().enumerate() {
        let exact =
            |enforcement: &&Enforcement| enforcement.treatment == Treatment::Exact { unknown: position };
        let mut names: Vec<String> =
            problem.enforcements.iter().filter(exact).map(|it| format!("`{}`", it.condition)).collect();
        names.dedup();
        if unknown.ansatz.is_some() && !names.is_empty() {
            let formula = formula(problem, position);
            lines.push(format!("{} exact by construction: {formula}", names.join(", ")));
        }
    }
    for Enforcement { condition, equation, treatment, .. } in &problem.enforcements {
        if let Treatment::Penalty(reason) = treatment {
            lines.push(format!("`{condition}` ({equation}) stays a penalty: {}", reason.sentence(problem)));
        }
    }
    for unknown in problem.unknowns.iter().filter(|unknown| unknown.unit != 1.0) {
        let (name, unit) = (&unknown.name, short(unknown.unit));
        lines.push(format!("{name} is scaled by {unit}, the size of conditions and sources"));
    }
    lines.extend(notes(problem));
    lines
}

/// What a file states about its conditions without effect, and what is strange about its shapes, for people.
pub fn notes(problem: &Problem) -> Vec<String> {
    let geometry = problem.domain.geometry.as_ref();
    let mut lines = geometry.map_or_else(Vec::new, |geometry| geometry.notes.clone());
    let is_exact = |it: &Enforcement| matches!(it.treatment, Treatment::Exact { .. });
    let others_exact =
        |name: &str| problem.enforcements.iter().all(|it| it.condition != name || is_exact(it));
    let exact = |it: &&Enforcement| it.weight.is_some() && others_exact(&it.condition);
    let mut idle: Vec<String> =
        problem.enforcements.iter().filter(exact).map(|it| format!("`{}`", it.condition)).collect();
    idle.dedup();
    if !idle.is_empty() {
        lines.push(format!(
            "the stated weight of {} has no effect: the condition is a hard constraint",
            idle.join(", ")
        ));
    }
    lines
}

/// Data that change over a smaller part of a coordinate than one in so many jump, for people and for networks.
const JUMP: f64 = 1e4;

impl PenaltyReason {
    /// The reason in the words of the problem file.
    pub fn sentence(&self, problem: &Problem) -> String {
        let coordinate = |axis: usize| &problem.domain.coordinates[axis].name;
        let name = |unknown: usize| &problem.unknowns[unknown].name;
        match self {
            PenaltyReason::Stated => "the file states that it is one".to_owned(),
            PenaltyReason::Off { unknown } => format!("hard constraints are off for {}", name(*unknown)),
            PenaltyReason::OwnAnsatz { unknown } => format!("{} has an ansatz of its own", name(*unknown)),
            PenaltyReason::Wrapped => "it relates two ends".to_owned(),
            PenaltyReason::TwoSides => "it relates two sides".to_owned(),
            PenaltyReason::NotPrescribed => "it does not prescribe the value of one unknown".to_owned(),
            PenaltyReason::Trained => "it depends on parameters that are trained".to_owned(),
            PenaltyReason::Tabulated => "what it prescribes comes from a file".to_owned(),
            PenaltyReason::Partial => "it does not hold on whole faces of the box".to_owned(),
            PenaltyReason::Periodic { axis } => format!("{} is periodic and has no ends", coordinate(*axis)),
            PenaltyReason::Windows => "each time window starts from the end of the previous one".to_owned(),
            PenaltyReason::SlopeAlone => {
                "it prescribes a derivative where no hard constraint prescribes the value".to_owned()
            }
            PenaltyReason::Fast => {
                "the field changes rapidly: many oscillations over the time interval".to_owned()
            }
            PenaltyReason::Steep { axis, part, at } if *part > JUMP => {
                format!("its data jump at {} = {}: too steep", coordinate(*axis), short(*at))
            }
            PenaltyReason::Steep { axis, part, .. } => {
                format!("its data change over 1/{part:.0} of {}: too steep", coordinate(*axis))
            }
            PenaltyReason::Kink => "its data may have kinks".to_owned(),
            PenaltyReason::NotFinite { axis, order, place } => {
                let subject = differentiated(*order, coordinate(*axis));
                format!("{subject} is not finite at {}", point(place))
            }
            PenaltyReason::Jump { axis, order, low, high } => {
                let (subject, axis) = (differentiated(*order, coordinate(*axis)), coordinate(*axis));
                let (low, high) = (short(*low), short(*high));
                format!("{subject} jumps at the ends of the periodic {axis}, from {high} to {low}")
            }
            PenaltyReason::Clash { other, unknown, derivative, place, own, others } => {
                let field = Field { unknown: *unknown as u16, derivative: *derivative, site: 0 };
                let field = problem.leaf(Leaf::Field(field));
                let (place, own, others) = (point(place), short(*own), short(*others));
                format!("it requires {field} = {own} at {place}, where `{other}` requires {others}")
            }
            PenaltyReason::TooManyAxes { axes } => {
                format!("too many faces: {axes} coordinates have conditions at their ends")
            }
            PenaltyReason::TooManyEquations { count, limit } => {
                format!("{count} equations prescribe its unknown, more than {limit}")
            }
            PenaltyReason::TooLarge { nodes, limit } => {
                format!("its ansatz would have {nodes} parts, more than {limit}")
            }
            PenaltyReason::NoLevel { piece } => {
                format!("no smooth function is known that vanishes on `{piece}` and nowhere inside")
            }
            PenaltyReason::Crosses { piece } => {
                format!("the continuation of `{piece}` passes through the inside of the shape")
            }
            PenaltyReason::Meets { piece } => {
                format!("other values are prescribed on the boundary that `{piece}` meets")
            }
            PenaltyReason::Overflow(overflow) => overflow.to_string(),
        }
    }
}

/// An unknown in terms of the network's output, on one line of a terminal.
pub(crate) fn formula(problem: &Problem, unknown: usize) -> String {
    /// Letters that are shown.
    const LONGEST: usize = 100;
    let Unknown { name, ansatz, .. } = &problem.unknowns[unknown];
    let formula = ansatz.map_or_else(|| "N".to_owned(), |ansatz| problem.pool.print(ansatz, problem));
    format!("{name} = {}", clipped(formula, LONGEST))
}

/// A formula on one line of a terminal, with so many letters at most.
pub(crate) fn clipped(formula: String, longest: usize) -> String {
    match formula.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &formula[..end]),
        None => formula,
    }
}

fn differentiated(order: usize, axis: &str) -> String {
    match order {
        0 => "the prescribed value".to_owned(),
        1 => format!("the derivative of its data along {axis}"),
        _ => format!("the derivative of order {order} of its data along {axis}"),
    }
}

fn point(place: &[f64]) -> String {
    let numbers: Vec<String> = place.iter().map(|&number| short(number)).collect();
    format!("({})", numbers.join(", "))
}

/// A number as briefly as four digits allow.
fn short(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{number:.1e}");
    }
    // Rounded first, so that 0.30000000000000004 is 0.3 and -0.00004 is 0.
    let rounded = (number * 1e4).round() / 1e4 + 0.0;
    format!("{rounded}")
}
