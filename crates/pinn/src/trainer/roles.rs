//! What the trainable numbers of a plan are, for methods that want to know.

use equation::taylor::{Layer, Plan};
use train::optimize::{AffineMap, Roles};

/// Weights first, layer by layer, then factors, shares and scalars, which nothing draws towards zero.
pub(crate) fn roles(plan: &Plan) -> Roles {
    let network = &plan.architecture;
    let last = network.widths.len() - 1;
    let map = |layer: &Layer| {
        let &Layer::Dense { input, output, weights, bias } = layer else { return None };
        let (inputs, outputs) = (network.widths[input], network.widths[output]);
        let biased = bias == weights + inputs * outputs;
        let hidden = network.features_in(input).is_none() && output != last;
        Some(AffineMap { first: weights, inputs, outputs, biased, hidden })
    };
    let mut maps: Vec<AffineMap> = network.layers.iter().filter_map(map).collect();
    maps.sort_unstable_by_key(|map| map.first);
    Roles { count: plan.parameter_count(), weights: network.decaying_count(), maps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_with_their_biases_are_all_weights_in_their_order() {
        for kind in ["mlp", "residual", "modified-mlp"] {
            let overrides = [format!("network.kind={kind}"), "network.width=7".to_owned()];
            let experiment = crate::Experiment::open("heat-inverse", &overrides).expect("a built-in problem");
            let Roles { count, weights, maps } = roles(experiment.plan());
            assert_eq!(count, experiment.plan().parameter_count());
            let mut next = 0;
            for map in &maps {
                assert_eq!(map.first, next);
                let [rows, columns] = map.with_bias();
                next += rows * columns;
            }
            assert_eq!((next, weights < count), (weights, true));
            let outer: Vec<usize> = maps.iter().filter(|map| !map.hidden).map(|map| map.inputs).collect();
            let first = if kind == "modified-mlp" { 3 } else { 1 };
            assert_eq!((outer.len(), outer[outer.len() - 1]), (first + 1, 7), "{kind}");
        }
    }
}
