//! A state in a phase that has changed: what of it still means something, and what begins anew.

use super::roles::roles;
use super::{GeneralisationGap, Settings, TaskState};
use equation::taylor::Plan;
use train::folder::Renewal;
use train::stability::carry;
use train::trainer::Stepping;
use train::{Descent, Pace, Snapshot, State, StateError, Stopped};

/// Makes this a state of a phase with the settings `after`; `before` are those that it was trained with, where they
/// are known, and whether conditions had as many points. An optimizer's state is kept as long as the method can go
/// on from it. What begins anew is told.
pub(crate) fn renew(
    now: &mut Snapshot,
    before: Option<(&Settings, bool)>,
    (after, stepping): (&Settings, &Stepping),
    plan: &Plan,
) -> Result<Option<Renewal>, StateError> {
    let (phase, step) = (now.phase, now.steps);
    let mut task = TaskState::of(&now.task)?;
    let mut method = stepping.make(&roles(plan));
    if !now.optimizer.is_empty() && method.restore(&now.optimizer).is_err() {
        begin_method(now, &mut task);
        now.task = task.save(&task.points);
        let from = before.map(|(settings, _)| settings.method.title().to_owned());
        return Ok(Some(Renewal::Method { phase, from, to: stepping.title().to_owned(), step }));
    }
    let Some((settings, same_conditions)) = before else { return Ok(None) };
    let weighs = |settings: &Settings| (settings.balance, settings.residual_weights);
    let draws = |settings: &Settings| (settings.sampling.clone(), settings.resample, settings.visited());
    let fits = |settings: &Settings| settings.points == after.points && task.interior <= after.most_points;
    if same_conditions
        && weighs(settings) == weighs(after)
        && draws(settings) == draws(after)
        && fits(settings)
    {
        return Ok(None);
    }
    if !now.optimizer.is_empty() {
        method.forget_loss();
        now.optimizer = carry(&now.optimizer, method.save());
    }
    if !fits(settings) {
        task.interior = 0;
    }
    forget_loss(now, &mut task, settings.balance != after.balance);
    now.task = task.save(&task.points);
    Ok(Some(Renewal::Loss { phase, step }))
}

/// Starts the phase's method afresh where the parameters are. Steps and seconds count on, so that budgets and step
/// lengths stay what the file says.
fn begin_method(now: &mut Snapshot, task: &mut TaskState) {
    now.before_method = now.phase_step;
    now.optimizer = State::default();
    // As many points as the method wants, and the weights that it finds.
    task.interior = 0;
    forget_loss(now, task, true);
    // Another method may find a way where this one found none.
    if let Some(Stopped::GradientVanished { .. } | Stopped::NoDescent { .. }) = now.stopped {
        now.stopped = None;
    }
}

/// Drops what was measured of a loss that is another one from now on.
fn forget_loss(now: &mut Snapshot, task: &mut TaskState, weights: bool) {
    task.points.clear();
    task.chosen_at.clear();
    task.drawn_part = None;
    task.cells.clear();
    task.trial = None;
    // As many draws as steps at least: whoever draws by the number of the step finds those before in the past.
    task.draw = task.draw.max(now.phase_step);
    task.residual_weights.clear();
    (task.gap, now.pace) = (GeneralisationGap::default(), Pace::START);
    if weights && !task.weights.is_empty() {
        task.weights.clear();
        task.balance.clear();
        task.looked = None;
        now.descent.link();
    }
    let Descent { first, lowest, last, .. } = now.descent;
    now.descent = Descent { first, lowest, last, end: None };
}
