//! What the last layer of a network is a linear function of.

use super::activation::derivatives;
use super::architecture::{Architecture, Layer};

impl Architecture {
    /// How many numbers [`Self::last_inputs`] writes: the neurons of the last hidden layer, and a one for the bias.
    pub fn last_width(&self) -> usize {
        let inputs = self.layers.last().map_or(0, |layer| match *layer {
            Layer::Dense { input, .. } => self.widths[input],
            layer => self.widths[layer.output()],
        });
        inputs + 1
    }

    /// Memory for [`Self::last_inputs`].
    pub fn last_scratch(&self) -> Vec<Vec<f64>> {
        self.widths.iter().map(|&width| vec![0.0; width]).collect()
    }

    /// What the last layer sees at a place: its outputs are linear in these numbers, of which the last is one.
    pub fn last_inputs(&self, weights: &[f64], place: &[f64], scratch: &mut [Vec<f64>], inputs: &mut [f64]) {
        for (value, feature) in scratch[0].iter_mut().zip(&self.features) {
            let slopes = feature.slopes.iter().map(|&(axis, slope)| slope * place[axis]);
            *value = feature.wave.derivatives(feature.phase + slopes.sum::<f64>())[0];
        }
        let Some((last, layers)) = self.layers.split_last() else { return };
        for layer in layers {
            match *layer {
                Layer::Dense { input, output, weights: start, bias } => {
                    let (before, after) = scratch.split_at_mut(output);
                    let width = self.widths[output];
                    after[0].copy_from_slice(&weights[bias..bias + width]);
                    let rows = weights[start..].chunks_exact(width.max(1));
                    for (value, row) in before[input].iter().zip(rows) {
                        after[0].iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
                    }
                }
                Layer::Activate { input, output, activation } => {
                    let (before, after) = scratch.split_at_mut(output);
                    let values = before[input].iter().map(|value| derivatives(activation, *value)[0]);
                    after[0].iter_mut().zip(values).for_each(|(to, value)| *to = value);
                }
                Layer::Gate { gate, first, second, output } => {
                    let (before, after) = scratch.split_at_mut(output);
                    for (neuron, to) in after[0].iter_mut().enumerate() {
                        let share = before[gate][neuron];
                        *to = share * before[first][neuron] + (1.0 - share) * before[second][neuron];
                    }
                }
                Layer::Add { left, right, output } => {
                    let (before, after) = scratch.split_at_mut(output);
                    let sums = before[left].iter().zip(&before[right]).map(|(left, right)| left + right);
                    after[0].iter_mut().zip(sums).for_each(|(to, sum)| *to = sum);
                }
                Layer::Scale { input, output, factors, shared } => {
                    let (before, after) = scratch.split_at_mut(output);
                    for (neuron, (to, value)) in after[0].iter_mut().zip(&before[input]).enumerate() {
                        *to = weights[factors + if shared { 0 } else { neuron }] * value;
                    }
                }
                Layer::Blend { first, second, output, share } => {
                    let (before, after) = scratch.split_at_mut(output);
                    let both = before[first].iter().zip(&before[second]);
                    let blends = both.map(|(first, second)| second + weights[share] * (first - second));
                    after[0].iter_mut().zip(blends).for_each(|(to, blend)| *to = blend);
                }
                Layer::Multiply { left, right, output } => {
                    let (before, after) = scratch.split_at_mut(output);
                    let products = before[left].iter().zip(&before[right]).map(|(left, right)| left * right);
                    after[0].iter_mut().zip(products).for_each(|(to, product)| *to = product);
                }
                Layer::Select { input, output, first } => {
                    let (before, after) = scratch.split_at_mut(output);
                    after[0].copy_from_slice(&before[input][first..first + self.widths[output]]);
                }
            }
        }
        let input = match *last {
            Layer::Dense { input, .. } => input,
            layer => layer.output(),
        };
        let (one, neurons) = inputs.split_last_mut().expect("a one at least");
        neurons.copy_from_slice(&scratch[input]);
        *one = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;
    use crate::taylor::{Interpreter, plan};

    #[test]
    fn the_networks_output_is_linear_in_what_its_last_layer_sees() {
        for kind in ["mlp", "modified-mlp", "residual", "piratenet", "separable"] {
            let text = format!(
                "title = \"T\"\n[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {{}}\nv = {{}}\n[equations]\n\
                 a = \"u_t = v_x\"\nb = \"v_t = u_x\"\n[conditions]\nstart = {{ on = \"t = 0\", equations = [\"u = x\", \"v = 0\"] }}\n\
                 [network]\nkind = \"{kind}\"\nadaptive = \"neuron\"\nwidth = 7\ndepth = 4\nperiodic = [\"x\"]\n[training]\nhard_constraints = \"off\"\n"
            );
            let problem = parse(&text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
            let plan = plan(&problem).expect("a plan");
            let (parameters, place) = (plan.initialize(3), [0.3, 0.7]);
            let architecture = &plan.architecture;
            let (mut scratch, mut inputs) =
                (architecture.last_scratch(), vec![0.0; architecture.last_width()]);
            architecture.last_inputs(&parameters, &place, &mut scratch, &mut inputs);
            assert_eq!(inputs.len(), 8, "{kind}");
            let mut found = [0.0; 2];
            Interpreter::new(architecture, &plan.prediction).residuals(&parameters, &place, &mut found);
            // Its weights have one row for each input.
            let named = |name: &str| {
                let mut tensors = architecture.tensors.iter();
                tensors.find(|tensor| tensor.name == name).expect("a last layer")
            };
            let (weights, bias) = (named("output.weight"), named("output.bias"));
            for (output, found) in found.into_iter().enumerate() {
                let linear: f64 = (0..7)
                    .map(|neuron| inputs[neuron] * parameters[weights.offset + 2 * neuron + output])
                    .sum::<f64>()
                    + inputs[7] * parameters[bias.offset + output];
                assert!((linear - found).abs() < 1e-13, "{kind}: {linear} {found}");
            }
        }
    }
}
