//! How step lengths change, as data.

use std::fmt::Write;

/// How a step length changes over a phase.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Schedule {
    /// It does not.
    Constant,
    /// Multiplied by `factor` after every `steps` steps, at once.
    Step {
        /// Between 0 and 1.
        factor: f64,
        /// Steps per factor.
        steps: u64,
    },
    /// Multiplied by `factor` every `steps` steps, smoothly.
    Exponential {
        /// Between 0 and 1.
        factor: f64,
        /// Steps per factor.
        steps: u64,
    },
    /// Half a cosine from the full length to zero over the phase's steps, after a linear start.
    Cosine {
        /// Steps until the full length is reached.
        warmup: u64,
    },
    /// Half cosines one after the other, each from the full length (Loshchilov, Hutter 2017).
    Restarts {
        /// Steps of the first.
        steps: u64,
        /// Each takes so many times longer than the one before; at least 1.
        growth: f64,
        /// What each falls to, as a share of the full length.
        least: f64,
    },
    /// Up and down along straight lines (Smith 2017).
    Cyclical {
        /// How peaks change.
        peaks: Peaks,
        /// Steps from the least length to the full one, and as many back.
        steps: u64,
        /// The least length, as a share of the full one.
        least: f64,
    },
    /// Up once and down once over the phase's steps, along half cosines (Smith, Topin 2018).
    OneCycle {
        /// The share of the phase in which lengths rise.
        rise: f64,
        /// The first length, as a share of the full one.
        start: f64,
        /// The last one, likewise.
        end: f64,
    },
    /// Multiplied by a factor where losses hardly fall.
    Plateau(Decay),
    /// Multiplied by a factor where residuals at points that training never visits hardly fall.
    Residual(Decay),
    /// Divided by the root of 1 + Σ‖gradient‖²/‖first gradient‖², as in AdaGrad-Norm (Ward, Wu, Bottou 2019): it falls as long as gradients do not.
    GradientNorm {
        /// Steps with gradients as long as the first one after which the sum is 1.
        steps: u64,
    },
}

/// How peaks of a cyclical schedule change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Peaks {
    /// They do not.
    Equal,
    /// Every one is half as far above the least length as the one before.
    Halved,
    /// The distance from the least length is multiplied by this at every step; above 0, at most 1.
    Falling(f64),
}

/// A step length that falls where something else does not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decay {
    /// Between 0 and 1.
    pub factor: f64,
    /// Steps without a fall that are waited for.
    pub patience: u64,
    /// The smallest relative fall that counts as one.
    pub threshold: f64,
    /// The length never falls below this share of the full one.
    pub least: f64,
}

impl Decay {
    /// Where nobody says otherwise.
    pub const USUAL: Decay = Decay { factor: 0.5, patience: 1000, threshold: 0.01, least: 1e-4 };
}

/// What a schedule looks at while training goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Followed {
    /// The losses of the steps that were taken.
    Loss,
    /// The norm of the gradient.
    GradientNorm,
    /// Residuals at points that training never visits.
    Residual,
}

impl Schedule {
    /// The names of all of them, with the usual numbers.
    pub const USUAL: [(&'static str, Schedule); 12] = [
        ("constant", Schedule::Constant),
        ("step", Schedule::Step { factor: 0.5, steps: 1000 }),
        ("exponential", Schedule::Exponential { factor: 0.9, steps: 1000 }),
        ("cosine", Schedule::Cosine { warmup: 0 }),
        ("cosine-restarts", Schedule::Restarts { steps: 1000, growth: 2.0, least: 0.0 }),
        ("triangular", Schedule::Cyclical { peaks: Peaks::Equal, steps: 1000, least: 0.1 }),
        ("triangular2", Schedule::Cyclical { peaks: Peaks::Halved, steps: 1000, least: 0.1 }),
        ("exp-range", Schedule::Cyclical { peaks: Peaks::Falling(0.9999), steps: 1000, least: 0.1 }),
        ("one-cycle", Schedule::OneCycle { rise: 0.3, start: 0.04, end: 4e-6 }),
        ("plateau", Schedule::Plateau(Decay::USUAL)),
        ("residual", Schedule::Residual(Decay::USUAL)),
        ("gradient-norm", Schedule::GradientNorm { steps: 1000 }),
    ];

    /// As problem files write it.
    pub fn name(self) -> &'static str {
        match self {
            Schedule::Constant => "constant",
            Schedule::Step { .. } => "step",
            Schedule::Exponential { .. } => "exponential",
            Schedule::Cosine { .. } => "cosine",
            Schedule::Restarts { .. } => "cosine-restarts",
            Schedule::Cyclical { peaks: Peaks::Equal, .. } => "triangular",
            Schedule::Cyclical { peaks: Peaks::Halved, .. } => "triangular2",
            Schedule::Cyclical { peaks: Peaks::Falling(_), .. } => "exp-range",
            Schedule::OneCycle { .. } => "one-cycle",
            Schedule::Plateau(_) => "plateau",
            Schedule::Residual(_) => "residual",
            Schedule::GradientNorm { .. } => "gradient-norm",
        }
    }

    /// What it looks at while training goes on; `None` where it depends on steps and the clock alone.
    pub fn signal(self) -> Option<Followed> {
        match self {
            Schedule::Plateau(_) => Some(Followed::Loss),
            Schedule::Residual(_) => Some(Followed::Residual),
            Schedule::GradientNorm { .. } => Some(Followed::GradientNorm),
            Schedule::Constant
            | Schedule::Step { .. }
            | Schedule::Exponential { .. }
            | Schedule::Cosine { .. }
            | Schedule::Restarts { .. }
            | Schedule::Cyclical { .. }
            | Schedule::OneCycle { .. } => None,
        }
    }

    /// In how many steps it does something once, where that is no share of the phase and always the same.
    pub fn steps_at_once(self) -> Option<u64> {
        match self {
            Schedule::Step { steps, .. } | Schedule::Exponential { steps, .. } => Some(steps),
            Schedule::Restarts { steps, growth, .. } => (growth == 1.0).then_some(steps),
            Schedule::Cyclical { steps, .. } => Some(steps.saturating_mul(2)),
            Schedule::Constant
            | Schedule::Cosine { .. }
            | Schedule::OneCycle { .. }
            | Schedule::Plateau(_)
            | Schedule::Residual(_)
            | Schedule::GradientNorm { .. } => None,
        }
    }

    /// Its numbers, as problem files write them.
    pub fn numbers(self) -> Vec<(&'static str, ScheduleNumber)> {
        use ScheduleNumber::{Real, Steps};
        let decay = |Decay { factor, patience, threshold, least }: Decay| {
            vec![
                ("factor", Real(factor)),
                ("patience", Steps(patience)),
                ("threshold", Real(threshold)),
                ("least", Real(least)),
            ]
        };
        match self {
            Schedule::Constant => Vec::new(),
            Schedule::Step { factor, steps } | Schedule::Exponential { factor, steps } => {
                vec![("factor", Real(factor)), ("steps", Steps(steps))]
            }
            Schedule::Cosine { warmup } => vec![("warmup", Steps(warmup))],
            Schedule::Restarts { steps, growth, least } => {
                vec![("steps", Steps(steps)), ("growth", Real(growth)), ("least", Real(least))]
            }
            Schedule::Cyclical { peaks, steps, least } => {
                let mut numbers = vec![("steps", Steps(steps)), ("least", Real(least))];
                if let Peaks::Falling(factor) = peaks {
                    numbers.push(("factor", Real(factor)));
                }
                numbers
            }
            Schedule::OneCycle { rise, start, end } => {
                vec![("rise", Real(rise)), ("start", Real(start)), ("end", Real(end))]
            }
            Schedule::Plateau(own) | Schedule::Residual(own) => decay(own),
            Schedule::GradientNorm { steps } => vec![("steps", Steps(steps))],
        }
    }

    /// As problem files write it, with all numbers.
    pub fn written(self) -> String {
        let numbers = self.numbers();
        if numbers.is_empty() {
            return format!("\"{}\"", self.name());
        }
        let mut text = format!("{{ kind = \"{}\"", self.name());
        for (key, number) in numbers {
            // Writing to a string cannot fail.
            _ = match number {
                ScheduleNumber::Real(number) => write!(text, ", {key} = {number:?}"),
                ScheduleNumber::Steps(steps) => write!(text, ", {key} = {steps}"),
            };
        }
        text + " }"
    }
}

/// A number of a schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ScheduleNumber {
    /// Of any size.
    Real(f64),
    /// Of steps.
    Steps(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schedule_is_called_what_it_is_listed_as() {
        for (name, schedule) in Schedule::USUAL {
            assert_eq!(schedule.name(), name);
        }
        assert_eq!(Schedule::Constant.written(), "\"constant\"");
        let written = Schedule::Plateau(Decay::USUAL).written();
        let wanted =
            "{ kind = \"plateau\", factor = 0.5, patience = 1000, threshold = 0.01, least = 0.0001 }";
        assert_eq!(written, wanted);
    }
}
