//! `schedule` of `[training]` and its phases: how the step length changes.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlNode, TomlTable, TomlValue};
use crate::parse::reader;
use crate::problem::{Decay, Peaks, Schedule};

/// A schedule by its name, or a table with its numbers.
pub(super) fn read(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Schedule> {
    let table = match &node.value {
        TomlValue::Text(_) => return reader::choice(node, &Schedule::USUAL, mistakes),
        TomlValue::Table(table) => table,
        other => {
            let message = format!("expected a schedule or a table, found {}", other.kind());
            let hint = "such as \"cosine\", or `{ kind = \"cosine\", warmup = 100 }`";
            mistakes.report_with(node.span, message, hint);
            return None;
        }
    };
    let Some(kind) = table.get("kind") else {
        mistakes.report_with(node.span, "this schedule has no `kind`", "such as `kind = \"cosine\"`");
        return None;
    };
    let usual = reader::choice(&kind.node, &Schedule::USUAL, mistakes)?;
    let numbers = usual.numbers();
    let keys: Vec<&str> = std::iter::once("kind").chain(numbers.iter().map(|(key, _)| *key)).collect();
    reader::only(table, &keys, "key", mistakes);
    Stated { table, mistakes }.schedule(usual)
}

/// The numbers that a table states.
struct Stated<'t> {
    table: &'t TomlTable,
    mistakes: &'t mut Mistakes,
}

impl Stated<'_> {
    /// A schedule with them.
    fn schedule(&mut self, usual: Schedule) -> Option<Schedule> {
        Some(match usual {
            Schedule::Constant => usual,
            Schedule::Step { factor, steps } => Schedule::Step {
                factor: self.below_one("factor", factor)?,
                steps: self.steps("steps", 1, steps)?,
            },
            Schedule::Exponential { factor, steps } => Schedule::Exponential {
                factor: self.below_one("factor", factor)?,
                steps: self.steps("steps", 1, steps)?,
            },
            Schedule::Cosine { warmup } => Schedule::Cosine { warmup: self.steps("warmup", 0, warmup)? },
            Schedule::Restarts { steps, growth, least } => Schedule::Restarts {
                steps: self.steps("steps", 1, steps)?,
                growth: self.number("growth", growth, |growth| growth >= 1.0, "be at least 1")?,
                least: self.share("least", least)?,
            },
            Schedule::Cyclical { peaks, steps, least } => Schedule::Cyclical {
                peaks: match peaks {
                    Peaks::Falling(factor) => Peaks::Falling(self.below_one("factor", factor)?),
                    Peaks::Equal | Peaks::Halved => peaks,
                },
                steps: self.steps("steps", 1, steps)?,
                least: self.share("least", least)?,
            },
            Schedule::OneCycle { rise, start, end } => Schedule::OneCycle {
                rise: self.below_one("rise", rise)?,
                start: self.share("start", start)?,
                end: self.share("end", end)?,
            },
            Schedule::Plateau(decay) => Schedule::Plateau(self.decay(decay)?),
            Schedule::Residual(decay) => Schedule::Residual(self.decay(decay)?),
            Schedule::GradientNorm { steps } => {
                Schedule::GradientNorm { steps: self.steps("steps", 1, steps)? }
            }
        })
    }

    fn decay(&mut self, usual: Decay) -> Option<Decay> {
        Some(Decay {
            factor: self.below_one("factor", usual.factor)?,
            patience: self.steps("patience", 1, usual.patience)?,
            threshold: self.share("threshold", usual.threshold)?,
            least: self.share("least", usual.least)?,
        })
    }

    fn steps(&mut self, key: &str, least: i64, usual: u64) -> Option<u64> {
        match self.table.get(key) {
            Some(entry) => {
                reader::count(&entry.node, least..=i64::MAX, self.mistakes).map(|steps| steps as u64)
            }
            None => Some(usual),
        }
    }

    fn below_one(&mut self, key: &str, usual: f64) -> Option<f64> {
        self.number(key, usual, |number| number > 0.0 && number < 1.0, "lie between 0 and 1")
    }

    fn share(&mut self, key: &str, usual: f64) -> Option<f64> {
        self.number(key, usual, |number| (0.0..1.0).contains(&number), "be at least 0 and below 1")
    }

    fn number(&mut self, key: &str, usual: f64, fits: impl Fn(f64) -> bool, must: &str) -> Option<f64> {
        let Some(entry) = self.table.get(key) else { return Some(usual) };
        let number = reader::number(&entry.node, self.mistakes)?;
        if !fits(number) {
            self.mistakes.report(entry.node.span, format!("`{key}` must {must}"));
            return None;
        }
        Some(number)
    }
}
