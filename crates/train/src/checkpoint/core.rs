//! The loop's own numbers as named arrays.

use crate::{Descent, Pace, Snapshot, State, StateError, Stopped};

/// What they are called.
const NAMES: [&str; 15] = [
    "phase",
    "phase_step",
    "phase_evaluations",
    "phase_seconds",
    "step",
    "evaluations",
    "seconds",
    "pace",
    "pace_counts",
    "loss",
    "before_method",
    "descent",
    "scope",
    "stopped",
    "stopped_gradient",
];

/// Whether an array of this name is one of them.
pub(super) fn is_core(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The single numbers of a snapshot.
pub(super) fn write_core(snapshot: &Snapshot) -> State {
    let state = State::default()
        .with_counts("phase", [snapshot.phase as u64])
        .with_counts("phase_step", [snapshot.phase_step])
        .with_counts("phase_evaluations", [snapshot.phase_evaluations])
        .with_numbers("phase_seconds", [snapshot.phase_seconds])
        .with_counts("step", [snapshot.steps])
        .with_counts("evaluations", [snapshot.evaluations])
        .with_numbers("seconds", [snapshot.seconds])
        .with_numbers("pace", [snapshot.pace.sum, snapshot.pace.before])
        .with_counts("pace_counts", [snapshot.pace.count, snapshot.pace.flat])
        .with_numbers("loss", [snapshot.loss])
        .with_counts("before_method", [snapshot.before_method])
        .with_numbers("descent", descent(snapshot.descent))
        .with_numbers("scope", [snapshot.scope]);
    let Some(stopped) = snapshot.stopped else { return state };
    let (kind, end) = match stopped {
        Stopped::Steps => (0, None),
        Stopped::Seconds => (1, None),
        Stopped::Loss => (2, None),
        Stopped::TargetError => (3, None),
        Stopped::GradientVanished { step, gradient } => (4, Some((step, gradient))),
        Stopped::NoDescent { step, gradient } => (5, Some((step, gradient))),
        Stopped::Interrupted => (6, None),
        Stopped::Plateau => (7, None),
        Stopped::Noise => (8, None),
    };
    let (step, gradient) = end.unwrap_or_default();
    state.with_counts("stopped", [kind, step]).with_numbers("stopped_gradient", [gradient])
}

/// The loss at the end comes last, where there is one.
fn descent(Descent { first, lowest, last, end }: Descent) -> Vec<f64> {
    [first, lowest, last].into_iter().chain(end).collect()
}

/// Older checkpoints know nothing of it.
fn read_descent(state: &State) -> Result<Descent, StateError> {
    match state.numbers("descent") {
        Ok(&[first, lowest, last]) => Ok(Descent { first, lowest, last, end: None }),
        Ok(&[first, lowest, last, end]) => Ok(Descent { first, lowest, last, end: Some(end) }),
        Err(StateError::Missing { .. }) => Ok(Descent::START),
        Ok(_) => Err(StateError::Value { name: "descent".to_owned() }),
        Err(error) => Err(error),
    }
}

pub(super) fn read_core(snapshot: Snapshot, state: &State) -> Result<Snapshot, StateError> {
    let stopped = match state.counts("stopped") {
        Err(_) => None,
        Ok(&[kind, step]) => {
            let gradient = state.number("stopped_gradient")?;
            Some(match kind {
                0 => Stopped::Steps,
                1 => Stopped::Seconds,
                2 => Stopped::Loss,
                3 => Stopped::TargetError,
                4 => Stopped::GradientVanished { step, gradient },
                5 => Stopped::NoDescent { step, gradient },
                6 => Stopped::Interrupted,
                7 => Stopped::Plateau,
                8 => Stopped::Noise,
                _ => return Err(StateError::Value { name: "stopped".to_owned() }),
            })
        }
        Ok(_) => return Err(StateError::Value { name: "stopped".to_owned() }),
    };
    let pair = |name: &str| match state.numbers(name)? {
        &[first, second] => Ok((first, second)),
        _ => Err(StateError::Value { name: name.to_owned() }),
    };
    let (sum, before) = pair("pace")?;
    let &[count, flat] = state.counts("pace_counts")? else {
        return Err(StateError::Value { name: "pace_counts".to_owned() });
    };
    Ok(Snapshot {
        phase: state.count_up_to("phase", usize::MAX)?,
        phase_step: state.count("phase_step")?,
        phase_evaluations: state.count("phase_evaluations")?,
        phase_seconds: state.number("phase_seconds")?,
        steps: state.count("step")?,
        evaluations: state.count("evaluations")?,
        seconds: state.number("seconds")?,
        pace: Pace { sum, count, before, flat },
        loss: state.number("loss")?,
        before_method: state.count("before_method").unwrap_or(0),
        scope: state.number("scope").unwrap_or(1.0),
        descent: read_descent(state)?,
        stopped,
        ..snapshot
    })
}
