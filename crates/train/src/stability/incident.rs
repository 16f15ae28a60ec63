//! What is told of something that went wrong in training, and of what was done about it.

use super::Fault;
use serde::Serialize;

/// Something that went wrong between two steps.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Incident {
    /// Steps taken in the run before.
    pub step: u64,
    /// In which stage, from 0.
    pub stage: usize,
    /// In which phase, from 0.
    pub phase: usize,
    /// What was found.
    pub found: Found,
    /// What was done about it.
    pub action: Action,
    /// What the learning rate is multiplied by from here on.
    pub rate_factor: f64,
    /// Where it went wrong first, as far as that was looked for: of the first incidents of a run alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
}

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Found {
    /// A loss or a gradient is no basis for a step.
    Fault(Fault),
    /// The loss is far above the first one.
    Diverged {
        /// The loss.
        loss: f64,
        /// In multiples of the first.
        times: f64,
    },
    /// The loss is far above those of the steps before.
    Spike {
        /// The loss.
        loss: f64,
        /// In multiples of their median.
        times: f64,
    },
}

/// What was done about it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub enum Action {
    /// Nothing.
    Told,
    /// The step was not taken: other points come next.
    Skipped,
    /// A good state was restored.
    Restored {
        /// Steps of the phase after which it was kept.
        kept: u64,
        /// How often that can still be done in the phase.
        left: u64,
    },
    /// Slopes that are not finite were replaced.
    Replaced,
    /// The gradient was set to zero.
    Zeroed,
    /// Slopes that are not finite were set to zero, and the others scaled to the last norm.
    Scaled,
}

/// Where something went wrong first, in the task's own words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Story {
    /// For people: one line.
    pub line: String,
    /// The same for programs.
    pub data: serde_json::Value,
}

/// How often something went wrong, by what was done about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Incidents {
    /// Losses far above those before, about which nothing was done.
    pub told: u64,
    /// Steps that were not taken.
    pub skipped: u64,
    /// States that were restored.
    pub restored: u64,
    /// Gradients that were mended.
    pub mended: u64,
}

impl Incidents {
    /// Counts another one.
    pub fn note(&mut self, incident: &Incident) {
        let count = match incident.action {
            Action::Told => &mut self.told,
            Action::Skipped => &mut self.skipped,
            Action::Restored { .. } => &mut self.restored,
            Action::Replaced | Action::Zeroed | Action::Scaled => &mut self.mended,
        };
        *count += 1;
    }

    /// All of them.
    pub fn total(self) -> u64 {
        self.told + self.skipped + self.restored + self.mended
    }
}

impl Incident {
    /// One line for people.
    pub fn sentence(&self) -> String {
        let found = match &self.found {
            Found::Fault(fault) => match (&self.story, fault.residual) {
                (Some(story), _) => story.line.clone(),
                (None, Some(_)) => "the loss is not finite".to_owned(),
                (None, None) if fault.overflow => {
                    "the gradient of the loss is too large: its square is not finite".to_owned()
                }
                (None, None) => "the gradient of the loss is not finite".to_owned(),
            },
            Found::Diverged { loss, times } => {
                format!("the loss is {loss:.1e}, {} times its first value", rough(*times))
            }
            Found::Spike { loss, times } => {
                format!("the loss is {loss:.1e}, {} times the median of the steps before", rough(*times))
            }
        };
        let action = match self.action {
            Action::Told => String::new(),
            Action::Skipped => "; the step was skipped".to_owned(),
            Action::Restored { kept, left } => format!(
                "; the state after step {kept} of the phase was restored, the learning rate is {} times the stated one from here on{}",
                self.rate_factor,
                if left == 0 { "; that was the last of `tries`: no state is restored any more" } else { "" }
            ),
            Action::Replaced => "; slopes that are not finite were replaced".to_owned(),
            Action::Zeroed => "; the gradient was set to zero".to_owned(),
            Action::Scaled => "; slopes that are not finite were set to zero".to_owned(),
        };
        format!("step {}: {found}{action}", self.step)
    }
}

/// A number that people read, whatever its size.
fn rough(number: f64) -> String {
    if number < 1e5 { format!("{number:.0}") } else { format!("{number:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_told_with_two_digits() {
        let said = |times: f64| {
            let found = Found::Diverged { loss: 3e17, times };
            let (action, rate_factor) = (Action::Restored { kept: 0, left: 1 }, 0.5);
            Incident { step: 4, stage: 0, phase: 0, found, action, rate_factor, story: None }.sentence()
        };
        assert!(
            said(20_424_612_873_774.8).contains("the loss is 3.0e17, 2.0e13 times its"),
            "{}",
            said(2e13)
        );
        assert!(said(123.4).contains("123 times its"));
    }
}
