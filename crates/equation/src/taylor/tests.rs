use super::*;
use crate::parse::parse_with;
use std::sync::Arc;

const HEAT: &str = r#"
[domain]
t = [0, 1]
x = [-1, 3]
[parameters]
k = { start = 0.3, min = 0.1, max = 0.9 }
low = { start = 2, min = 1 }
high = { start = -2, max = 1 }
[unknowns]
u = {}
[equations]
heat = "u_t = k*u_xx + low*u - high*u^2"
[conditions]
start = { on = "t = 0", equation = "u = 0" }
walls = { on = "x = -1, x = 3", equation = "u = 0" }
[network]
width = 12
depth = 3
"#;

fn planned(overrides: &[&str]) -> Arc<Plan> {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    let problem = parse_with(HEAT, &overrides).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    plan(&problem).expect("a plan")
}

/// Largest magnitude and variance of a tensor's starting values.
fn spread(plan: &Plan, tensor: &str) -> (f64, f64) {
    let weights = plan.initialize(5);
    let tensor = plan.architecture.tensors.iter().find(|found| found.name == tensor).expect("a tensor");
    let values = &weights[tensor.offset..][..tensor.shape[0] * tensor.shape[1]];
    let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    (largest, values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64)
}

#[test]
fn starting_weights_have_the_variance_of_their_scheme() {
    // 40·40 uniform numbers: the variance estimate is good to five deviations of 2 %.
    let near = |got: f64, wanted: f64| (got - wanted).abs() < 0.12 * wanted;
    let plan = planned(&["network.width=40"]);
    let ((weights, _), (biases, _)) = (spread(&plan, "layer1.weight"), spread(&plan, "layer1.bias"));
    assert!(weights > 1.0 * (6.0f64 / 42.0).sqrt() && biases > 0.9 && biases <= 1.0, "{weights} {biases}");
    let plan = planned(&["network.width=40", "network.initialization=glorot"]);
    let (largest, variance) = spread(&plan, "layer2.weight");
    assert!(near(variance, 2.0 / 80.0) && largest <= (6.0f64 / 80.0).sqrt(), "glorot: {variance}");
    assert_eq!(spread(&plan, "layer2.bias").0, 0.0);
    let plan = planned(&["network.width=40", "network.initialization=he"]);
    assert!(near(spread(&plan, "layer2.weight").1, 2.0 / 40.0));
    let siren =
        ["network.width=40", "network.activation=sin", "network.initialization=siren", "network.frequency=7"];
    let plan = planned(&siren);
    assert!(near(spread(&plan, "layer2.weight").1, 2.0 / 40.0));
    let (largest, _) = spread(&plan, "layer1.weight");
    assert!(largest <= 7.0 / 2.0 && largest > 0.9 * 7.0 / 2.0, "siren's first layer: {largest}");
}

#[test]
fn random_factors_change_how_a_network_trains_and_not_what_it_is_at_first() {
    let (plain, factorized) =
        (planned(&["network.width=40"]), planned(&["network.width=40", "network.factorized=true"]));
    let row = [0.3, 0.4];
    let [wanted, found] = [&plain, &factorized].map(|plan| value(plan, &plan.initialize(5), row));
    assert!((wanted - found).abs() < 1e-13, "{found} for {wanted}");
    let weights = factorized.initialize(5);
    let architecture = &factorized.architecture;
    let tensor = architecture.tensors.iter().find(|tensor| tensor.name == "layer2.factors").expect("factors");
    let logarithms: Vec<f64> = weights[tensor.offset..][..40].iter().map(|factor| factor.ln()).collect();
    let mean = logarithms.iter().sum::<f64>() / 40.0;
    // Five deviations of a mean of 40 numbers.
    assert!((mean - 1.0).abs() < 5.0 * 0.1 / 40.0f64.sqrt(), "{mean}");
    let variance = logarithms.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / 39.0;
    assert!(variance > 0.005 * 0.5 && variance < 0.01 * 2.2, "{variance}");
    // Factors follow all matrices, and nothing draws them towards zero.
    let first = architecture.tensors.iter().find(|tensor| tensor.name == "layer1.factors").expect("factors");
    assert_eq!(architecture.decaying_count(), first.offset);
    assert_eq!(plain.architecture.decaying_count(), first.offset);
    assert_eq!(architecture.weight_count(), first.offset + 3 * 40);
}

#[test]
fn slopes_start_at_one() {
    let wanted = value(&planned(&[]), &planned(&[]).initialize(5), [0.3, 0.4]);
    for (adaptive, count) in [("layer", 1), ("neuron", 12)] {
        let plan = planned(&[&format!("network.adaptive={adaptive}")]);
        let extra = plan.architecture.weight_count() - planned(&[]).architecture.weight_count();
        assert_eq!(extra, 3 * count, "{adaptive}");
        assert_eq!(value(&plan, &plan.initialize(5), [0.3, 0.4]), wanted, "{adaptive}");
    }
}

#[test]
fn a_piratenet_starts_as_a_linear_function_of_its_features() {
    let plan = planned(&["network.kind=piratenet"]);
    let mut weights = plan.initialize(5);
    let bend = |weights: &[f64]| {
        let [left, middle, right] = [-0.2, 0.2, 0.6].map(|x| value(&plan, weights, [0.3, x]));
        (left + right - 2.0 * middle).abs()
    };
    assert!(bend(&weights) < 1e-14);
    let share = plan.architecture.tensors.iter().find(|tensor| tensor.name == "block3.share");
    weights[share.expect("a share").offset] = 0.5;
    assert!(bend(&weights) > 1e-6);
}

#[test]
fn a_separable_network_is_a_sum_of_products_of_functions_of_one_coordinate() {
    let plan = planned(&["network.kind=separable", "network.rank=1"]);
    let weights = plan.initialize(5);
    let bias = plan.architecture.tensors.iter().find(|tensor| tensor.name == "output.bias").expect("a bias");
    let at = |t: f64, x: f64| value(&plan, &weights, [t, x]) - weights[bias.offset];
    let (straight, crossed) = (at(0.1, -0.3) * at(0.8, 0.7), at(0.1, 0.7) * at(0.8, -0.3));
    assert!((straight - crossed).abs() < 1e-12 * straight.abs(), "{straight} {crossed}");
    assert!((at(0.1, -0.3) - at(0.8, 0.7)).abs() > 1e-3);
}

/// The network's first output at a place.
fn value(plan: &Plan, weights: &[f64], row: [f64; 2]) -> f64 {
    let mut found = [0.0];
    Interpreter::new(&plan.architecture, &plan.prediction).residuals(weights, &row, &mut found);
    found[0]
}

#[test]
fn a_seed_gives_the_same_weights_again_and_another_seed_others() {
    let plan = planned(&[]);
    assert_eq!(plan.initialize(1), plan.initialize(1));
    assert_ne!(plan.initialize(1), plan.initialize(2));
}

#[test]
fn bounded_scalars_start_where_they_should_and_cannot_leave() {
    let plan = planned(&[]);
    let mut parameters = plan.initialize(0);
    let values = plan.scalar_values(&parameters);
    for (value, start) in values.iter().zip([0.3, 2.0, -2.0]) {
        assert!((value - start).abs() < 1e-12, "{values:?}");
    }
    let count = parameters.len();
    for extreme in [-20.0, 15.0] {
        parameters[count - 3..].fill(extreme);
        let [k, low, high] = plan.scalar_values(&parameters)[..] else { panic!("three scalars") };
        assert!((0.1..=0.9).contains(&k) && low >= 1.0 && high <= 1.0, "{k} {low} {high}");
    }
}

#[test]
fn inputs_are_mapped_to_the_unit_interval_unless_asked_not_to() {
    let at = |plan: &Plan, feature: usize, place: f64| {
        let feature = &plan.architecture.features[feature];
        feature.phase + feature.slopes[0].1 * place
    };
    let plan = planned(&[]);
    assert_eq!([at(&plan, 1, -1.0), at(&plan, 1, 1.0), at(&plan, 1, 3.0)], [-1.0, 0.0, 1.0]);
    let plan = planned(&["network.normalize=false"]);
    assert_eq!(at(&plan, 1, 3.0), 3.0);
}

#[test]
fn a_point_costs_six_squares_of_the_width_per_channel_and_layer() {
    let plan = planned(&[]);
    let term = &plan.terms[0];
    assert_eq!(term.channels.len(), 3);
    let hidden = 2 * 6 * 12 * 12 * 3;
    let (first, last) = (4 * 2 * 12, 6 * 12 * 3);
    let products = term.cost.forward_products + term.cost.reverse_products;
    assert_eq!(products, hidden + first + last);
    // Features, three dense and three activated layers, the output: all channels in f64.
    assert_eq!(term.cost.stored_bytes(8), 8 * 3 * (2 + 6 * 12 + 1));
}

#[test]
fn activations_and_their_derivatives_are_those_of_closed_forms() {
    use crate::problem::Activation::{Gelu, Silu, Sin, Tanh};
    let z: f64 = 0.7;
    let close = |got: f64, wanted: f64| assert!((got - wanted).abs() < 1e-14, "{got} {wanted}");
    close(derivatives(Tanh, z)[0], z.tanh());
    close(derivatives(Tanh, z)[1], 1.0 / z.cosh().powi(2));
    close(derivatives(Sin, z)[3], -z.cos());
    close(derivatives(Silu, z)[0], z / (1.0 + (-z).exp()));
    close(derivatives(Gelu, z)[0], 0.5 * z * (1.0 + libm::erf(z / 2.0f64.sqrt())));
    // Far out tanh' is 4·exp(-2z), not the zero that 1 - tanh² rounds to.
    let far = derivatives(Tanh, 25.0)[1];
    assert!((far / (4.0 * (-50.0f64).exp()) - 1.0).abs() < 1e-12);
}

#[test]
fn explain_shows_channels_reasons_costs_and_programs() {
    let problem = parse_with(HEAT, &[]).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let text = plan(&problem).expect("a plan").explain(&problem);
    for wanted in [
        "u_t = k*u_xx + low*u - high*u^2",
        "{u, x, L}",
        "chain rule of L",
        "h_L = s1·z_L",
        "flop for value and gradient",
        "residual program",
        "adjoint program",
        "holds on       t = 0",
        "d loss/d unbounded(k)",
    ] {
        assert!(text.contains(wanted), "`{wanted}` is missing from\n{text}");
    }
}

#[test]
fn carried_weights_are_the_same_function_where_an_interval_has_moved() {
    let networks = [
        &[][..],
        &["network.kind=modified-mlp"],
        &["network.kind=residual"],
        &["network.kind=piratenet", "network.factorized=true"],
        &["network.kind=separable", "network.periodic=[\"x\"]"],
        &["network.normalize=false"],
        &["network.fourier={features=5, scale=0.7}"],
        &["network.periodic=[\"x\"]", "network.fourier={features=3}"],
    ];
    for network in networks {
        // Waves keep their lengths in intervals of the same length only.
        let fourier = network.iter().any(|key| key.contains("fourier"));
        let interval = if fourier { "domain.t=[0.7, 1.7]" } else { "domain.t=[0.7, 1.0]" };
        let later = [interval, "conditions.start.on=t = 0.7"];
        let (before, after) = (planned(network), planned(&[network, &later].concat()));
        let mut weights = before.initialize(3);
        let rows = [[0.2, -0.5], [0.9, 0.4], [1.6, 2.5]];
        let wanted = rows.map(|row| value(&before, &weights, row));
        after.architecture.carry(&before.architecture, &mut weights);
        for (row, wanted) in rows.into_iter().zip(wanted) {
            let found = value(&after, &weights, row);
            assert!((found - wanted).abs() < 1e-13, "{network:?}: {found} for {wanted}");
        }
    }
}
