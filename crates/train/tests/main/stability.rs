//! Whatever goes wrong, wherever, under every policy: what happens then.

use crate::line::{Line, LineError, SIZE, Trouble, TroubledPlace};
use method::{Budget, Guard, Method, Policy, Spikes};
use std::sync::atomic::AtomicBool;
use train::stability::{Action, Found, Incident};
use train::trainer::{Surroundings, TrainingOutcome, train};
use train::{Event, Sink, Snapshot};

const START: [f64; SIZE] = [0.7, 1.0, 0.0, 0.0];
/// Steps of every training here, one of which goes wrong after so many.
const STEPS: u64 = 60;
const BEFORE: u64 = 20;

#[derive(Default)]
struct Heard {
    incidents: Vec<Incident>,
    steps: u64,
    proofs: usize,
    /// Keeps the state after so many steps.
    keep: Option<u64>,
    kept: Option<Snapshot>,
}

impl Sink for Heard {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Incident(incident) => self.incidents.push(incident.clone()),
            Event::Step(_) => self.steps += 1,
            _ => {}
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        self.keep.is_some()
    }

    fn state(&mut self, state: &Snapshot) {
        if self.keep == Some(state.steps) {
            self.kept = Some(state.clone());
        }
    }

    fn troubled(&mut self, _state: &Snapshot) {
        self.proofs += 1;
    }
}

fn line(policy: Policy) -> Line {
    let budget = Budget { steps: Some(STEPS), ..Budget::default() };
    Line::new(&[(Method::Adam, budget)]).guarded(Guard::new(policy))
}

fn trained(task: &mut Line, now: &mut Snapshot, heard: &mut Heard) -> Result<TrainingOutcome, LineError> {
    train(task, now, Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 }, heard)
}

fn run(mut task: Line) -> (Result<TrainingOutcome, LineError>, Snapshot, Heard) {
    let (mut now, mut heard) = (Snapshot::start(START.to_vec()), Heard::default());
    let outcome = trained(&mut task, &mut now, &mut heard);
    (outcome, now, heard)
}

fn trouble(place: TroubledPlace, value: f64) -> Trouble {
    Trouble { place, value, after: BEFORE }
}

/// What a policy is expected to do about a value at a place.
fn expected(policy: Policy, place: TroubledPlace, value: f64) -> &'static str {
    let lost = matches!(place, TroubledPlace::Weights | TroubledPlace::OptimizerState);
    match policy {
        Policy::Stop => "stops",
        _ if lost => "restores",
        Policy::Restore => "restores",
        Policy::Skip => "skips",
        Policy::Replace | Policy::Zero | Policy::Scale => "mends",
        // Both the loss and its slopes are no numbers, or the one is infinite and the other none.
        Policy::Adaptive => match place {
            TroubledPlace::Gradient | TroubledPlace::Loss if value.is_nan() => "skips",
            TroubledPlace::Gradient | TroubledPlace::Loss => "mends",
            TroubledPlace::Measurement if value.is_nan() => "skips",
            TroubledPlace::Point => "skips",
            TroubledPlace::Measurement => "any",
            TroubledPlace::Weights | TroubledPlace::OptimizerState => "restores",
        },
    }
}

#[test]
fn whatever_goes_wrong_wherever_every_policy_does_what_it_says() {
    for policy in Policy::ALL {
        for place in TroubledPlace::ALL {
            // A square of the last overflows.
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
                let case = format!("{policy:?} {place:?} {value}");
                // tanh takes any finite or infinite place and weight, and a loss of 1e300 is a number.
                let harmless =
                    matches!((place, value.is_nan()), (TroubledPlace::Point | TroubledPlace::Weights, false))
                        || (place == TroubledPlace::Loss && value == 1e300)
                        || (place == TroubledPlace::OptimizerState && value == 1e300);
                if harmless {
                    continue;
                }
                let (outcome, now, heard) = run(line(policy).troubled(trouble(place, value)));
                let actions: Vec<Action> = heard.incidents.iter().map(|incident| incident.action).collect();
                let wanted = expected(policy, place, value);
                if wanted == "stops" {
                    assert!(matches!(outcome, Err(LineError::Refused { .. })), "{case}: {outcome:?}");
                    assert!(heard.incidents.is_empty() && heard.proofs == 1, "{case}");
                    continue;
                }
                let outcome = outcome.unwrap_or_else(|error| panic!("{case}: {error}"));
                assert!(now.is_finite() && outcome.losses.total < 1.0, "{case}: {outcome:?} {now:?}");
                assert_eq!(actions.len(), 1, "{case}: {actions:?}");
                let did = match actions[0] {
                    Action::Skipped => "skips",
                    Action::Restored { kept: 0, .. } => "restores",
                    Action::Replaced | Action::Zeroed | Action::Scaled => "mends",
                    Action::Told | Action::Restored { .. } => "something else",
                };
                assert!(wanted == did || wanted == "any", "{case}: {actions:?}");
                assert!(matches!(heard.incidents[0].found, Found::Fault(_)), "{case}");
                assert_eq!(heard.proofs, usize::from(did != "mends"), "{case}");
                assert_eq!(now.steps, STEPS, "{case}: a step that is not taken does not count");
                let factor = if did == "restores" { 0.5 } else { 1.0 };
                assert_eq!(heard.incidents[0].rate_factor, factor, "{case}");
            }
        }
    }
}

#[test]
fn a_step_that_is_skipped_leaves_no_trace_but_other_points() {
    let skipped = run(line(Policy::Skip).troubled(trouble(TroubledPlace::Gradient, f64::NAN)));
    assert_eq!(skipped.2.steps, STEPS);
    // The same points again are no other step: a state is restored.
    let task = line(Policy::Skip).fixed().troubled(trouble(TroubledPlace::Gradient, f64::NAN));
    let (outcome, _, heard) = run(task);
    assert!(outcome.is_ok());
    assert_eq!(heard.incidents[0].action, Action::Restored { kept: 0, left: 9 });
}

#[test]
fn what_is_wrong_from_the_start_at_all_points_ends_training_after_so_many_tries() {
    let mut task = line(Policy::Adaptive);
    let (mut now, mut heard) = (Snapshot::start(vec![f64::NAN; SIZE]), Heard::default());
    let outcome = trained(&mut task, &mut now, &mut heard);
    assert!(matches!(outcome, Err(LineError::Refused { step: 0, .. })), "{outcome:?}");
    assert!(heard.incidents.is_empty(), "there is nothing to go back to: {:?}", heard.incidents);
}

#[test]
fn a_learning_rate_of_a_million_is_brought_down_as_far_as_tries_go() {
    for policy in [Policy::Restore, Policy::Adaptive] {
        let (outcome, now, heard) = run(line(policy).with_rate(1e6));
        assert!(outcome.is_ok() && now.is_finite(), "{policy:?}: {outcome:?}");
        let restored = |incident: &&Incident| matches!(incident.action, Action::Restored { .. });
        assert_eq!(heard.incidents.iter().filter(restored).count(), 10, "{policy:?}: {:?}", heard.incidents);
        assert!(matches!(heard.incidents[0].found, Found::Diverged { .. }), "{policy:?}");
        let last = heard.incidents.iter().rfind(restored).map(Incident::sentence).expect("ten of them");
        assert!(last.ends_with("no state is restored any more"), "{last}");
        let mildly = run(line(policy).with_rate(60.0));
        let losses = mildly.0.expect("it trains").losses.total;
        assert!(losses < 100.0, "{policy:?}: half as often as is needed: {losses}, {:?}", mildly.2.incidents);
    }
    for policy in [Policy::Stop, Policy::Skip, Policy::Replace, Policy::Zero, Policy::Scale] {
        let (outcome, now, heard) = run(line(policy).with_rate(1e6));
        assert!(outcome.is_ok() && now.descent.has_diverged(), "{policy:?}: it is told, and nothing is done");
        assert!(heard.incidents.iter().all(|incident| incident.action == Action::Told), "{policy:?}");
    }
}

#[test]
fn spikes_are_told_and_restored_where_that_is_wanted() {
    // Found after steps enough to know what is usual.
    let spike = Trouble { place: TroubledPlace::Loss, value: 1e9, after: 40 };
    for (spikes, action) in
        [(Spikes::Tell, Action::Told), (Spikes::Restore, Action::Restored { kept: 0, left: 9 })]
    {
        let guard = Guard { spikes, ..Guard::new(Policy::Stop) };
        let (outcome, _, heard) = run(line(Policy::Stop).guarded(guard).troubled(spike));
        assert!(outcome.is_ok());
        let found =
            heard.incidents.iter().any(|it| matches!(it.found, Found::Spike { .. }) && it.action == action);
        assert!(found, "{:?}", heard.incidents);
    }
}

#[test]
fn nothing_changes_where_nothing_goes_wrong() {
    let all = Policy::ALL.map(|policy| run(line(policy)).1.parameters);
    assert!(all.iter().all(|parameters| *parameters == all[0]));
}

#[test]
fn continued_after_an_incident_training_ends_with_the_same_bits() {
    let task = || line(Policy::Adaptive).troubled(trouble(TroubledPlace::Weights, f64::NAN));
    let (mut now, mut heard) =
        (Snapshot::start(START.to_vec()), Heard { keep: Some(BEFORE + 5), ..Heard::default() });
    trained(&mut task(), &mut now, &mut heard).expect("it trains");
    assert_eq!(heard.incidents.len(), 1);
    let mut state = heard.kept.expect("it was kept");
    trained(&mut line(Policy::Adaptive), &mut state, &mut Heard::default()).expect("it goes on");
    assert_eq!(state, now);
}

#[test]
fn a_gradient_that_is_mended_right_after_a_run_was_continued_is_as_long_as_without() {
    let task = |after| {
        line(Policy::Scale).troubled(Trouble { after, ..trouble(TroubledPlace::Gradient, f64::INFINITY) })
    };
    let (mut now, mut heard) =
        (Snapshot::start(START.to_vec()), Heard { keep: Some(BEFORE), ..Heard::default() });
    trained(&mut task(BEFORE), &mut now, &mut heard).expect("it trains");
    assert_eq!(heard.incidents[0].action, Action::Scaled);
    let (mut state, mut rest) = (heard.kept.expect("it was kept"), Heard::default());
    // Evaluations are counted anew.
    trained(&mut task(0), &mut state, &mut rest).expect("it goes on");
    assert_eq!(rest.incidents[0].action, Action::Scaled);
    assert_eq!(state, now);
}
