use super::*;

/// A function with its gradient.
struct Known<F> {
    function: F,
    losses: Losses,
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Loss for Known<F> {
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        self.losses.total = (self.function)(parameters, gradient);
        if self.losses.total.is_finite() { Ok(&self.losses) } else { Err(Refusal::Residual(0)) }
    }

    fn noise(&self, loss: f64) -> f64 {
        f64::EPSILON * loss
    }
}

fn known<F: FnMut(&[f64], &mut [f64]) -> f64>(function: F) -> Known<F> {
    Known { function, losses: Losses::default() }
}

const SETTINGS: NewtonSettings = NewtonSettings { damping: 1e-9, rank: 8, every: 5 };

/// Curvatures from 1 to 1e-6.
fn bowl(at: &[f64], gradient: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for (number, (at, slope)) in at.iter().zip(gradient).enumerate() {
        let bend = 10f64.powf(-0.25 * number as f64);
        *slope = bend * (at - 1.0);
        sum += 0.5 * *slope * (at - 1.0);
    }
    sum
}

fn steps(method: &mut NysNewtonCg, loss: &mut dyn Loss, parameters: &mut [f64], count: usize) -> f64 {
    for _ in 0..count {
        match method.step(loss, parameters, f64::NAN).expect("a step") {
            StepOutcome::Taken { .. } => {}
            StepOutcome::GradientVanished { .. } | StepOutcome::NoDescent { .. } => break,
        }
    }
    loss.eval(parameters, &mut vec![0.0; parameters.len()]).expect("a number").total
}

#[test]
fn a_badly_scaled_bowl_is_descended_in_a_few_steps() {
    let mut parameters = vec![0.0; 25];
    let mut method = NysNewtonCg::new(25, SETTINGS);
    let end = steps(&mut method, &mut known(bowl), &mut parameters, 6);
    assert!(end < 1e-10, "{end:e}");
}

/// Rosenbrock's: a curved valley, beside which the loss bends down.
fn valley(at: &[f64], gradient: &mut [f64]) -> f64 {
    let (across, along) = (at[1] - at[0] * at[0], 1.0 - at[0]);
    gradient[0] = -400.0 * across * at[0] - 2.0 * along;
    gradient[1] = 200.0 * across;
    100.0 * across * across + along * along
}

#[test]
fn a_curved_valley_is_followed_to_its_end_from_either_side() {
    for start in [[-1.2, 1.0], [0.0, 3.0]] {
        let mut parameters = start;
        let settings = NewtonSettings { rank: 2, damping: 1e-4, every: 1 };
        let end = steps(&mut NysNewtonCg::new(2, settings), &mut known(valley), &mut parameters, 60);
        assert!(end < 1e-12, "{end:e} at {parameters:?}");
    }
}

#[test]
fn the_preconditioner_has_the_largest_eigenvalues() {
    let (parameters, mut evaluations) = (vec![0.0; 25], 0);
    let mut loss = known(bowl);
    let mut bent = Bent::new(&mut loss, &parameters, &mut evaluations);
    let Nystrom { vectors, values } = Nystrom::of(&mut bent, 12, 3).expect("finite gradients");
    assert_eq!(evaluations, 24);
    assert!(
        (values[0] - 1.0).abs() < 1e-3 && (values[3] / 10f64.powf(-0.75) - 1.0).abs() < 0.05,
        "{values:?}"
    );
    assert!(vectors.row(0)[0].abs() > 0.999);
    let nystrom = Nystrom { vectors, values };
    let mut first = vec![0.0; 25];
    first[0] = 1.0;
    let found = nystrom.solve(1e-9, &first);
    let last = nystrom.values[nystrom.values.len() - 1];
    assert!((found[0] / last - 1.0).abs() < 0.05, "{} {last}", found[0]);
}

#[test]
fn a_state_goes_on_bit_for_bit_and_another_loss_begins_anew() {
    let end = |halt: usize| {
        let mut parameters = vec![0.5; 25];
        let settings = NewtonSettings { damping: 1e-2, rank: 3, every: 4 };
        let mut method = NysNewtonCg::new(25, settings);
        steps(&mut method, &mut known(bowl), &mut parameters, halt);
        let mut other = NysNewtonCg::new(25, settings);
        other.restore(&method.save()).expect("its own state");
        steps(&mut other, &mut known(bowl), &mut parameters, 9 - halt);
        (parameters, other.save())
    };
    let whole = end(0);
    assert!([1, 4, 5].into_iter().all(|halt| end(halt) == whole));
    let mut method = NysNewtonCg::new(25, SETTINGS);
    method.restore(&whole.1).expect("the same size");
    method.forget_loss();
    assert!(method.preconditioner.is_none() && method.direction.iter().all(|part| *part == 0.0));
    assert!(NysNewtonCg::new(24, SETTINGS).restore(&whole.1).is_err());
    assert!(method.restore(&crate::optimize::Adam::new(25).save()).is_err());
}

#[test]
fn where_nothing_lowers_the_loss_the_method_says_so() {
    let mut flat = NysNewtonCg::new(2, SETTINGS);
    let outcome = flat
        .step(
            &mut known(|_: &[f64], gradient: &mut [f64]| {
                gradient.fill(0.0);
                1.0
            }),
            &mut [0.0; 2],
            0.0,
        )
        .map(|outcome| matches!(outcome, StepOutcome::GradientVanished { .. }));
    assert!(outcome.expect("no refusal"));
    // A gradient that promises what the loss does not keep.
    let mut liar = NysNewtonCg::new(2, SETTINGS);
    let mut loss = known(|at: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[-2.0 * at[0] - 1.0, 0.0]);
        1.0 + at[0]
    });
    let mut parameters = [0.0; 2];
    let outcome = liar
        .step(&mut loss, &mut parameters, 0.0)
        .map(|outcome| matches!(outcome, StepOutcome::NoDescent { .. }));
    assert!(outcome.expect("no refusal") && parameters == [0.0; 2]);
}
