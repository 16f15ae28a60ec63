//! A state in a phase that has changed: what of it still means something, and what begins anew.

use super::{Settings, Snapshot, Stopped, Strain};
use equation::problem::Optimizer as Method;
use equation::taylor::Plan;
use std::fmt;
use train::State;
use train::optimize::optimizer;
use train::{Descent, Pace};

/// Something that begins anew where a run goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Renewal {
    /// Another method takes over.
    Method {
        /// In which phase, from 0.
        phase: usize,
        /// The one before, where it is known.
        from: Option<Method>,
        /// The one that takes over.
        to: Method,
        /// Steps taken in the run before.
        step: u64,
    },
    /// The loss is another function: points or their weights are chosen otherwise.
    Loss {
        /// In which phase, from 0.
        phase: usize,
        /// Steps taken in the run before.
        step: u64,
    },
}

impl fmt::Display for Renewal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Renewal::Method { phase, from, to, step } => {
                let from = from.map_or("the method before", Method::title);
                let (phase, to) = (phase + 1, to.title());
                write!(
                    formatter,
                    "phase {phase} goes on with {to} after step {step}: what {from} has learned about the loss is dropped, the parameters and the counts of steps stay"
                )
            }
            Renewal::Loss { phase, step } => write!(
                formatter,
                "phase {} goes on after step {step} with points or weights chosen as it now says: they are drawn anew",
                phase + 1
            ),
        }
    }
}

impl Snapshot {
    /// Makes this a state of a phase with the settings `after`; `before` are those that it was trained with, where they
    /// are known, and whether conditions had as many points. What a method remembers is kept as long as the method can go
    /// on from it. What begins anew is told.
    pub(crate) fn renew(
        &mut self,
        before: Option<(&Settings, bool)>,
        after: &Settings,
        plan: &Plan,
    ) -> Option<Renewal> {
        let (phase, step) = (self.phase, self.steps);
        let mut method = optimizer(after.method, plan.parameter_count(), plan.architecture.weight_count());
        if !self.optimizer.is_empty() && method.restore(&self.optimizer).is_err() {
            self.begin_method();
            let from = before.map(|(settings, _)| settings.method);
            return Some(Renewal::Method { phase, from, to: after.method, step });
        }
        let (settings, same_conditions) = before?;
        let weighs = |settings: &Settings| (settings.balance, settings.attention);
        let draws = |settings: &Settings| {
            let Settings { sampler, adaptive, causal, resample, .. } = *settings;
            (sampler, adaptive, causal, resample)
        };
        let fits =
            |settings: &Settings| settings.points == after.points && self.interior <= after.most_points;
        if same_conditions
            && weighs(settings) == weighs(after)
            && draws(settings) == draws(after)
            && fits(settings)
        {
            return None;
        }
        if !self.optimizer.is_empty() {
            method.forget_loss();
            self.optimizer = method.save();
        }
        if !fits(settings) {
            self.interior = 0;
        }
        self.forget_loss(settings.balance != after.balance);
        Some(Renewal::Loss { phase, step })
    }

    /// Starts the phase's method afresh where the parameters are. Steps and seconds count on, so that budgets and step
    /// lengths stay what the file says.
    fn begin_method(&mut self) {
        self.before_method = self.phase_step;
        self.optimizer = State::default();
        // As many points as the method wants, and the weights that it finds.
        self.interior = 0;
        self.forget_loss(true);
        // Another method may find a way where this one found none.
        if let Some(Stopped::GradientVanished { .. } | Stopped::NoDescent { .. }) = self.stopped {
            self.stopped = None;
        }
    }

    /// Drops what was measured of a loss that is another one from now on.
    fn forget_loss(&mut self, weights: bool) {
        self.points.clear();
        // As many draws as steps at least: whoever draws by the number of the step finds those before in the past.
        self.draw = self.draw.max(self.phase_step);
        self.attention.clear();
        (self.strain, self.pace) = (Strain::default(), Pace::START);
        if weights && !self.weights.is_empty() {
            self.weights.clear();
            self.descent.link();
        }
        let Descent { first, lowest, last, .. } = self.descent;
        self.descent = Descent { first, lowest, last, end: None };
    }
}
