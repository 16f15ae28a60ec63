//! Learning rates that follow what training finds.

use crate::line::{Line, SIZE};
use method::{Budget, Decay, Method, Schedule};
use std::sync::atomic::AtomicBool;
use train::trainer::{Surroundings, train};
use train::{Event, Sink, Snapshot};

const START: [f64; SIZE] = [0.7, 1.0, 0.0, 0.0];
const STEPS: u64 = 450;
const RATE: f64 = 0.2;
/// No fall is large enough to count.
const DECAY: Decay = Decay { factor: 0.5, patience: 100, threshold: 1.0 - 1e-9, least: 0.1 };

/// All that follow something.
const FOLLOWING: [Schedule; 3] =
    [Schedule::Plateau(DECAY), Schedule::Residual(DECAY), Schedule::GradientNorm { steps: 20 }];

fn line(schedule: Schedule) -> Line {
    let budget = Budget { steps: Some(STEPS), ..Budget::default() };
    Line::new(&[(Method::Adam, budget)]).scheduled(schedule).with_rate(RATE)
}

/// Keeps the learning rates, and some of the states.
#[derive(Default)]
struct Keeper {
    rates: Vec<f64>,
    states: Vec<Snapshot>,
}

impl Sink for Keeper {
    fn event(&mut self, event: &Event) {
        if let Event::Step(taken) = event {
            self.rates.push(taken.length);
        }
    }

    fn wants_state(&mut self, _seconds: f64) -> bool {
        true
    }

    fn state(&mut self, state: &Snapshot) {
        // Before and after looks, and between them.
        if [0, 99, 100, 101, 250, 299, 300, 301].contains(&state.steps) {
            self.states.push(state.clone());
        }
    }
}

fn trained(schedule: Schedule, now: &mut Snapshot) -> Keeper {
    let mut keeper = Keeper::default();
    let surroundings = Surroundings { stop: &AtomicBool::new(false), clock: &|| 0.0 };
    train(&mut line(schedule), now, surroundings, &mut keeper).expect("it trains");
    keeper
}

#[test]
fn learning_rates_follow_losses_residuals_and_gradients() {
    for schedule in FOLLOWING {
        let keeper = trained(schedule, &mut Snapshot::start(START.to_vec()));
        assert_eq!(keeper.rates.len() as u64, STEPS);
        let (first, last) = (keeper.rates[0], keeper.rates[STEPS as usize - 1]);
        assert!(first == RATE && (0.1 * RATE..RATE).contains(&last), "{schedule:?}: {first} {last}");
        assert!(keeper.rates.windows(2).all(|pair| pair[1] <= pair[0]), "{schedule:?}");
        let changes = keeper.rates.windows(2).enumerate().filter(|(_, pair)| pair[1] != pair[0]);
        assert!(changes.clone().all(|(before, _)| (before + 1) % 100 == 0), "{schedule:?}");
        assert!(changes.count() > 0);
    }
}

#[test]
fn what_a_learning_rate_follows_is_part_of_the_state() {
    for schedule in FOLLOWING {
        let mut whole = Snapshot::start(START.to_vec());
        let keeper = trained(schedule, &mut whole);
        assert_eq!(keeper.states.len(), 8);
        for mut state in keeper.states {
            let from = state.steps;
            let rest = trained(schedule, &mut state);
            assert_eq!(rest.rates, keeper.rates[from as usize..], "{schedule:?} from step {from}");
            assert_eq!(state.parameters, whole.parameters, "{schedule:?} from step {from}");
            assert_eq!(state.optimizer, whole.optimizer, "{schedule:?} from step {from}");
        }
    }
}
