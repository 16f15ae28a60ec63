//! Quasi-Newton methods on functions that are known.

use super::broyden::Broyden;
use super::curvature::Move;
use super::memory::CurvatureMemory;
use super::memory::{dot, norm};
use super::*;

/// A function with its gradient, and how often it was asked.
struct Analytic<F> {
    function: F,
    losses: Losses,
    evaluations: u64,
    noise: f64,
}

fn analytic<F: FnMut(&[f64], &mut [f64]) -> f64>(function: F) -> Analytic<F> {
    let losses = Losses { total: 0.0, mean_squares: Vec::new(), weights: Vec::new() };
    Analytic { function, losses, evaluations: 0, noise: f64::EPSILON }
}

impl<F: FnMut(&[f64], &mut [f64]) -> f64> Loss for Analytic<F> {
    fn eval(&mut self, parameters: &[f64], gradient: &mut [f64]) -> Result<&Losses, Refusal> {
        self.evaluations += 1;
        self.losses.total = (self.function)(parameters, gradient);
        if self.losses.total.is_finite() { Ok(&self.losses) } else { Err(Refusal::Residual(0)) }
    }

    fn noise(&self, loss: f64) -> f64 {
        self.noise * loss
    }
}

fn rosenbrock(at: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut sum = 0.0;
    for i in 0..at.len() - 1 {
        let (across, along) = (at[i + 1] - at[i] * at[i], 1.0 - at[i]);
        sum += 100.0 * across * across + along * along;
        gradient[i] -= 400.0 * across * at[i] + 2.0 * along;
        gradient[i + 1] += 200.0 * across;
    }
    sum
}

/// Steps of L-BFGS until it stops by itself, which it does, and how it does.
fn run(loss: &mut dyn Loss, parameters: &mut [f64], memory: usize) -> (u64, u64, f64, bool) {
    run_method(QuasiNewton::limited(parameters.len(), memory), loss, parameters)
}

fn run_method(mut method: QuasiNewton, loss: &mut dyn Loss, parameters: &mut [f64]) -> (u64, u64, f64, bool) {
    let mut total = 0;
    for step in 0..100_000 {
        match method.step(loss, parameters, f64::NAN).unwrap() {
            StepOutcome::Taken { evaluations, .. } => total += evaluations,
            StepOutcome::GradientVanished { gradient, evaluations } => {
                return (step, total + evaluations, gradient, true);
            }
            StepOutcome::NoDescent { gradient, evaluations } => {
                return (step, total + evaluations, gradient, false);
            }
        }
    }
    panic!("it never stops");
}

#[test]
fn a_curved_valley_is_followed_to_its_end() {
    for count in [2, 10, 100] {
        let mut loss = analytic(rosenbrock);
        let mut parameters: Vec<f64> = (0..count).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let (steps, evaluations, gradient, _) = run(&mut loss, &mut parameters, 10);
        assert!(rosenbrock(&parameters, &mut vec![0.0; count]) < 1e-20, "{count}: {parameters:?}");
        assert!(gradient < 1e-9, "{count}: {gradient}");
        assert_eq!(evaluations, loss.evaluations);
        assert!(steps < 60 * (count as u64 + 1), "{count}: {steps} steps");
    }
}

#[test]
fn with_the_exact_curvature_of_every_axis_a_quadratic_takes_one_more_step() {
    // After one exact pair per axis the recursion is the inverse Hessian itself.
    let curvatures = [1.0, 4.0, 9.0, 100.0];
    let mut memory = CurvatureMemory::new(4, 4);
    for (axis, curvature) in curvatures.into_iter().enumerate() {
        let unit = move |length: f64| (0..4).map(move |i| if i == axis { length } else { 0.0 });
        memory.push(unit(0.5), unit(0.5 * curvature));
    }
    let mut vector = curvatures.map(|curvature| 3.0 * curvature);
    memory.apply(&mut vector);
    assert!(vector.iter().all(|number| (number - 3.0).abs() < 1e-14), "{vector:?}");
}

#[test]
fn a_quadratic_is_solved_in_about_as_many_steps_as_it_has_axes() {
    let curvatures = [1.0, 3.0, 10.0, 30.0, 100.0];
    let mut loss = analytic(|at: &[f64], gradient: &mut [f64]| {
        for i in 0..5 {
            gradient[i] = curvatures[i] * at[i];
        }
        0.5 * dot(at, gradient)
    });
    let mut method = QuasiNewton::limited(5, 5);
    let mut parameters = [1.0; 5];
    for _ in 0..25 {
        method.step(&mut loss, &mut parameters, f64::NAN).unwrap();
    }
    // The searches are not exact, so five steps do not suffice; steepest descent is at 1e-1 here.
    assert!(norm(&parameters) < 1e-5, "{parameters:?}");
}

#[test]
fn a_refused_pair_leaves_the_others_and_the_oldest_makes_room() {
    let mut memory = CurvatureMemory::new(1, 2);
    for product in [1.0, 2.0] {
        memory.push([1.0].into_iter(), [product].into_iter());
    }
    memory.push([1.0].into_iter(), [-1.0].into_iter());
    let products = |memory: &CurvatureMemory| -> Vec<f64> {
        let saved = memory.save(State::default());
        saved.numbers("memory_products").expect("they are saved").iter().rev().copied().collect()
    };
    assert_eq!(products(&memory), [2.0, 1.0]);
    memory.push([1.0].into_iter(), [3.0].into_iter());
    assert_eq!(products(&memory), [3.0, 2.0]);
}

#[test]
fn a_flat_loss_is_reported_as_a_vanished_gradient() {
    let mut loss = analytic(|_: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        1.0
    });
    let (steps, evaluations, gradient, vanished) = run(&mut loss, &mut [0.0; 3], 5);
    assert_eq!((steps, evaluations, gradient, vanished), (0, 1, 0.0, true));
}

#[test]
fn the_wall_of_a_loss_is_not_crossed() {
    // Finite for positive numbers only; the first trial is far outside.
    let mut loss = analytic(|at: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0 - 1e-3 / at[0];
        if at[0] > 0.0 { at[0] - 1e-3 * at[0].ln() } else { f64::NAN }
    });
    let mut parameters = [0.5];
    run(&mut loss, &mut parameters, 5);
    assert!((parameters[0] - 1e-3).abs() < 1e-8, "{parameters:?}");
}

#[test]
fn noise_in_the_loss_ends_the_search_only_at_the_level_that_the_gradient_can_reach() {
    let mut count = 0u64;
    let mut loss = analytic(move |at: &[f64], gradient: &mut [f64]| {
        count += 1;
        // As single precision has it: an offset hides small differences of the loss.
        let wobble = 1e-7 * ((count * 7919 % 101) as f64 / 50.0 - 1.0);
        rosenbrock(at, gradient) + 1.0 + wobble
    });
    loss.noise = 2e-7;
    let mut parameters = [-1.2, 1.0, -1.2, 1.0];
    let (_, _, gradient, _) = run(&mut loss, &mut parameters, 10);
    // Stopping at the first unclear comparison of losses would leave a distance of 1e-2.
    assert!(gradient < 1e-4, "{gradient} {parameters:?}");
    assert!(parameters.iter().all(|number| (number - 1.0).abs() < 1e-4), "{parameters:?}");
}

#[test]
fn after_the_loss_has_changed_nothing_is_remembered() {
    let mut method = QuasiNewton::limited(2, 5);
    let mut parameters = [-1.2, 1.0];
    let mut first = analytic(rosenbrock);
    for _ in 0..5 {
        method.step(&mut first, &mut parameters, f64::NAN).unwrap();
    }
    let mut fresh = (QuasiNewton::limited(2, 5), parameters);
    method.forget_loss();
    for _ in 0..5 {
        let bowl = |at: &[f64], gradient: &mut [f64]| {
            gradient.copy_from_slice(&[2.0 * at[0], 20.0 * at[1]]);
            at[0] * at[0] + 10.0 * at[1] * at[1]
        };
        method.step(&mut analytic(bowl), &mut parameters, f64::NAN).unwrap();
        fresh.0.step(&mut analytic(bowl), &mut fresh.1, f64::NAN).unwrap();
    }
    assert_eq!(parameters, fresh.1);
}

/// A step and the gradients around it, for a curvature to learn from.
fn learn(broyden: &mut Broyden, gradients: [&[f64]; 2], length: f64) -> Vec<f64> {
    let [before, after] = gradients;
    let from = vec![0.0; before.len()];
    let mut direction = from.clone();
    broyden.apply(before, &mut direction);
    direction.iter_mut().for_each(|number| *number = -*number);
    let to: Vec<f64> = direction.iter().map(|along| length * along).collect();
    broyden.learn(&Move { from: &from, to: &to, before, after, direction: &direction, length });
    to
}

#[test]
fn a_dense_curvature_explains_the_last_step_and_knows_its_own_product() {
    let mut broyden = Broyden::new(4);
    let gradients =
        [[1.0, -2.0, 3.0, 0.5], [0.4, -0.3, 1.0, 0.6], [0.1, 0.2, -0.3, 0.7], [0.2, 0.1, 0.2, -0.1]];
    for pair in gradients.windows(2) {
        let step = learn(&mut broyden, [&pair[0], &pair[1]], 0.7);
        let (mut known, mut found) = ([0.0; 4], [0.0; 4]);
        broyden.apply(&pair[1], &mut known);
        broyden.forget_gradient();
        let change: Vec<f64> = pair[1].iter().zip(&pair[0]).map(|(after, before)| after - before).collect();
        broyden.apply(&change, &mut found);
        let close = |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(
            close(&found, &step),
            "the inverse Hessian turns the change into the step: {found:?} {step:?}"
        );
        broyden.forget_gradient();
        broyden.apply(&pair[1], &mut found);
        assert!(close(&found, &known), "{found:?} {known:?}");
    }
}

#[test]
fn self_scaled_broyden_follows_a_curved_valley_to_its_end() {
    for count in [2, 10, 100] {
        let mut parameters: Vec<f64> = (0..count).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
        let mut loss = analytic(rosenbrock);
        let (steps, evaluations, gradient, _) =
            run_method(QuasiNewton::self_scaled(count), &mut loss, &mut parameters);
        assert!(rosenbrock(&parameters, &mut vec![0.0; count]) < 1e-20, "{count}: {parameters:?}");
        assert!(gradient < 1e-9, "{count}: {gradient}");
        assert_eq!(evaluations, loss.evaluations);
        assert!(steps < 40 * count as u64, "{count}: {steps} steps");
    }
}

#[test]
fn self_scaled_broyden_solves_a_badly_scaled_quadratic_long_before_lbfgs() {
    let count = 30;
    let curvature = |place: usize| 10f64.powf(6.0 * place as f64 / 29.0);
    let mut loss = analytic(|at: &[f64], gradient: &mut [f64]| {
        (0..count).for_each(|place| gradient[place] = curvature(place) * at[place]);
        0.5 * dot(at, gradient)
    });
    let [dense, limited] =
        [QuasiNewton::self_scaled(count), QuasiNewton::limited(count, 10)].map(|mut method| {
            let mut parameters = vec![1.0; count];
            for _ in 0..120 {
                method.step(&mut loss, &mut parameters, f64::NAN).unwrap();
            }
            norm(&parameters)
        });
    assert!(dense < 1e-6 && limited > 1e-2, "{dense} {limited}");
}

#[test]
fn a_dense_curvature_outlives_a_change_of_the_loss() {
    let mut method = QuasiNewton::self_scaled(2);
    let mut parameters = [-1.2, 1.0];
    for _ in 0..10 {
        method.step(&mut analytic(rosenbrock), &mut parameters, f64::NAN).unwrap();
    }
    method.forget_loss();
    assert!(!method.host.curvature.is_empty());
    let bowl = |at: &[f64], gradient: &mut [f64]| {
        gradient.copy_from_slice(&[2.0 * at[0], 20.0 * at[1]]);
        at[0] * at[0] + 10.0 * at[1] * at[1]
    };
    for _ in 0..20 {
        method.step(&mut analytic(bowl), &mut parameters, f64::NAN).unwrap();
    }
    assert!(norm(&parameters) < 1e-6, "{parameters:?}");
}
