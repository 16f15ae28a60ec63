//! Reasons not to believe a solution, or its estimate: facts, and what to try.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A reason not to believe a solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Doubt {
    /// Its loss rose far above where it began.
    Diverged,
    /// Nothing was found to compare it with.
    Unseen,
    /// There is no second opinion.
    Alone {
        /// Why.
        why: String,
    },
    /// So few steps were taken that there is no part of them for a second opinion.
    Short {
        /// How many.
        steps: u64,
    },
    /// Conditions are missing.
    Missing {
        /// At so many faces and pieces.
        places: usize,
    },
    /// Another network solves the same equations, and is another function.
    Ambiguous {
        /// How far it is away, relative to this one.
        difference: f64,
    },
    /// It solves the equations where it was trained, and not between these points.
    FewPoints {
        /// The residual between them in multiples of that at them.
        ratio: f64,
    },
    /// The equations hold badly.
    Residual {
        /// The largest residual beside the largest term of its equation.
        relative: f64,
    },
    /// Time has many oscillation periods, and few windows.
    ManyPeriods {
        /// How many.
        periods: f64,
        /// Time windows.
        windows: usize,
    },
    /// It was still moving when training ended.
    Moving {
        /// How far it has moved in the second half of training, relative to itself.
        moved: f64,
    },
    /// It is as accurate as its numbers.
    Rounding,
}

impl Doubt {
    /// What to try.
    pub fn advice(&self) -> &'static str {
        match self {
            Doubt::Diverged => "a smaller training.learning_rate, or another optimizer",
            Doubt::Unseen => "`pinnace verify RUN --budget 60s`",
            Doubt::Alone { .. } => "`pinnace verify RUN --budget 60s`, which trains a second network",
            Doubt::Short { .. } => "more time (--budget)",
            Doubt::Missing { .. } => "state what holds there, as the warning says",
            Doubt::Ambiguous { .. } => {
                "look whether a condition is missing or has a typing error; or more time"
            }
            Doubt::FewPoints { .. } => "more training.points, or leave their number open",
            Doubt::Residual { .. } => "more time (--budget), or a larger network (--set network.width=40)",
            Doubt::ManyPeriods { .. } => "leave training.windows open, or state a window for each period",
            Doubt::Moving { .. } => "more time: `pinnace resume RUN --budget ...`",
            Doubt::Rounding => "--precision f64",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Diverged => f.write_str("training has diverged"),
            Doubt::Unseen => f.write_str("training was too short to compare its end with anything before"),
            Doubt::Alone { why } => write!(f, "there is no second network to compare with: {why}"),
            Doubt::Short { steps } => {
                let plural = if *steps == 1 { " was" } else { "s were" };
                write!(
                    f,
                    "only {steps} step{plural} taken: too few for a second network that gets a tenth of them"
                )
            }
            Doubt::Missing { places } => {
                let plural =
                    if *places == 1 { "place of the boundary has" } else { "places of the boundary have" };
                write!(
                    f,
                    "{places} {plural} no condition where one is needed: the equations have many solutions"
                )
            }
            Doubt::Ambiguous { difference } => write!(
                f,
                "a network from another seed solves the equations too, and differs by {}",
                percent(*difference)
            ),
            Doubt::FewPoints { ratio } => write!(
                f,
                "residuals between the points of training are {ratio:.0} times those at them: there are too few points"
            ),
            Doubt::Residual { relative } => {
                write!(
                    f,
                    "the equations do not hold: a residual is {} of their largest term",
                    percent(*relative)
                )
            }
            Doubt::ManyPeriods { periods, windows } => write!(
                f,
                "about {periods:.0} oscillation periods in time are more than {windows} time window{} can hold",
                if *windows == 1 { "" } else { "s" }
            ),
            Doubt::Moving { moved } => write!(
                f,
                "the solution was still moving: by {} in the second half of training",
                percent(*moved)
            ),
            Doubt::Rounding => f.write_str("the error is that of the numbers in which it was computed"),
        }
    }
}

/// A part of the whole, for people.
fn percent(part: f64) -> String {
    match 100.0 * part {
        percent if percent >= 10.0 => format!("{percent:.0} %"),
        percent if percent >= 0.1 => format!("{percent:.1} %"),
        percent => format!("{percent:.0e} %"),
    }
}
