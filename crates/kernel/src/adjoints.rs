//! Which buffer holds the adjoint of which signal, so that a reverse pass needs as few as possible.

use equation::taylor::{Architecture, Layer, Signal};

/// Buffers for the adjoints of a network's signals.
#[derive(Clone, Debug)]
pub(crate) struct Adjoints {
    /// The neurons that each buffer must hold.
    pub(crate) slots: Vec<usize>,
    /// Where the adjoint of the network's outputs is put.
    pub(crate) output: usize,
    /// One per layer, in the order of execution.
    pub(crate) layers: Vec<LayerBars>,
}

/// The adjoints that one layer reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct LayerBars {
    /// Where the adjoint of the output lies.
    pub(crate) output: usize,
    /// In the order of the layer's operands.
    pub(crate) operands: Vec<Bar>,
}

/// The adjoint of a signal, and whether the layer adds to what others wrote there before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub(crate) slot: usize,
    pub(crate) adds: bool,
}

/// What a layer reads.
pub(crate) fn operands(layer: &Layer) -> Vec<Signal> {
    match *layer {
        Layer::Dense { input, .. }
        | Layer::Activate { input, .. }
        | Layer::Scale { input, .. }
        | Layer::Select { input, .. } => vec![input],
        Layer::Gate { gate, first, second, .. } => vec![gate, first, second],
        Layer::Add { left, right, .. } | Layer::Multiply { left, right, .. } => vec![left, right],
        Layer::Blend { first, second, .. } => vec![first, second],
    }
}

impl Adjoints {
    /// The buffer with the adjoint of the features; any where nothing reads them.
    pub(crate) fn of_features(&self, architecture: &Architecture) -> usize {
        let layers = architecture.layers.iter().zip(&self.layers);
        let mut reading = layers.filter_map(|(layer, bars)| {
            let place = operands(layer).iter().position(|&signal| signal == 0)?;
            Some(bars.operands[place].slot)
        });
        reading.next().unwrap_or(0)
    }

    /// Hands out buffers in reverse order of execution, each as soon as it is free again. `widths` are
    /// those of the signals as the engine stores them.
    pub(crate) fn assign(architecture: &Architecture, widths: &[usize]) -> Adjoints {
        let mut assignment = Assignment { slots: Vec::new(), free: Vec::new(), of: vec![None; widths.len()] };
        let last = widths.len() - 1;
        let output_slot = assignment.take(last, widths[last]);
        let mut layers = Vec::with_capacity(architecture.layers.len());
        for layer in architecture.layers.iter().rev() {
            let own = assignment.of[layer.output()].expect("every signal is read by a later layer");
            let bar = |signal: Signal| match assignment.of[signal] {
                Some(slot) => Bar { slot, adds: true },
                None => Bar { slot: assignment.take(signal, widths[signal]), adds: false },
            };
            let operands = operands(layer).into_iter().map(bar).collect();
            assignment.free.push(own);
            layers.push(LayerBars { output: own, operands });
        }
        layers.reverse();
        Adjoints { slots: assignment.slots, output: output_slot, layers }
    }
}

/// Buffers for the values of signals that only later layers read: how wide each buffer is, and which one a signal has.
pub(crate) fn values(architecture: &Architecture, widths: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut assignment = Assignment { slots: Vec::new(), free: Vec::new(), of: vec![None; widths.len()] };
    let mut slots = vec![assignment.take(0, widths[0]); widths.len()];
    for (number, layer) in architecture.layers.iter().enumerate() {
        slots[layer.output()] = assignment.take(layer.output(), widths[layer.output()]);
        let later = &architecture.layers[number + 1..];
        for signal in operands(layer) {
            if !later.iter().any(|layer| operands(layer).contains(&signal)) {
                assignment.free.extend(assignment.of[signal].take());
            }
        }
    }
    (assignment.slots, slots)
}

struct Assignment {
    slots: Vec<usize>,
    free: Vec<usize>,
    of: Vec<Option<usize>>,
}

impl Assignment {
    fn take(&mut self, signal: Signal, width: usize) -> usize {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(0);
            self.slots.len() - 1
        });
        self.slots[slot] = self.slots[slot].max(width);
        self.of[signal] = Some(slot);
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse_with;
    use equation::taylor::plan;

    #[test]
    fn values_that_are_still_read_are_not_written_over() {
        let text = include_str!("../../equation/cases/burgers.toml");
        for kind in ["mlp", "modified-mlp", "residual", "piratenet", "separable"] {
            let settings = [format!("network.kind={kind}"), "network.depth=5".to_owned()];
            let plan = plan(&parse_with(text, &settings).expect("a problem")).expect("a plan");
            let architecture = &plan.architecture;
            let (widths, of) = values(architecture, &architecture.widths);
            // What every buffer holds at present.
            let mut held = vec![0; widths.len()];
            for layer in &architecture.layers {
                let own = layer.output();
                for signal in operands(layer) {
                    assert_eq!(held[of[signal]], signal, "{kind}: {layer:?} reads what it needs");
                    assert_ne!(of[signal], of[own], "{kind}: {layer:?} writes elsewhere");
                }
                held[of[own]] = own;
                assert!(widths[of[own]] >= architecture.widths[own]);
            }
            assert!(widths.len() <= 6, "{kind}: {} buffers", widths.len());
        }
    }
}
