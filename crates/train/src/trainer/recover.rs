//! What the loop does where something went wrong.

use super::Task;
use super::run::Session;
use crate::optimize::Optimizer;
use crate::stability::{Action, Found, Guarded, Incident, Recovery, Story};
use crate::{Event, Sink, Snapshot};

/// Incidents of a run that are looked into: a search for what went wrong first takes as long as many steps.
const MOST_STORIES: usize = 5;

impl Session<'_> {
    /// Skips the step at hand, or goes back to a good state; false where neither is possible.
    pub(super) fn recover<T: Task>(
        &mut self,
        recovery: Recovery,
        optimizer: &mut Guarded,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) -> Result<bool, T::Error> {
        let Recovery { found, skips } = recovery;
        // Before anything changes: afterwards all may be well.
        let story = self.story(&found, task, now);
        (now.optimizer, now.task) = (optimizer.save(), task.save());
        sink.troubled(now);
        let fresh = skips && task.other_points(now)?;
        let action = if fresh {
            optimizer.skip();
            Action::Skipped
        } else {
            match optimizer.go_back(now) {
                Some([kept, left]) => {
                    // The same points may be at fault whatever the parameters.
                    if let Found::Fault(_) = found {
                        task.other_points(now)?;
                    }
                    Action::Restored { kept, left }
                }
                None => return Ok(false),
            }
        };
        // What is remembered of a loss at other points or parameters is void.
        optimizer.forget_loss();
        self.tell(found, action, (optimizer.rate_factor(), story), now, sink);
        Ok(true)
    }

    /// Tells that a gradient was mended, where it was.
    pub(super) fn tell_of_mending<T: Task>(
        &mut self,
        optimizer: &mut Guarded,
        task: &mut T,
        now: &mut Snapshot,
        sink: &mut dyn Sink,
    ) {
        let Some((found, action, before)) = optimizer.mended() else { return };
        let after = std::mem::replace(&mut now.parameters, before);
        let story = self.story(&found, task, now);
        now.parameters = after;
        self.tell(found, action, (optimizer.rate_factor(), story), now, sink);
    }

    /// Tells of something that went wrong.
    pub(super) fn tell(
        &mut self,
        found: Found,
        action: Action,
        (rate_factor, story): (f64, Option<Story>),
        now: &Snapshot,
        sink: &mut dyn Sink,
    ) {
        let (step, stage, phase) = (now.steps, now.finished.len(), now.phase);
        sink.event(&Event::Incident(Incident { step, stage, phase, found, action, rate_factor, story }));
    }

    /// Where it went wrong first, at the parameters at hand.
    fn story<T: Task>(&mut self, found: &Found, task: &mut T, now: &Snapshot) -> Option<Story> {
        let Found::Fault(fault) = found else { return None };
        if self.stories == MOST_STORIES {
            return None;
        }
        self.stories += 1;
        task.story(fault, now)
    }
}
