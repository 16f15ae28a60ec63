//! The network as safetensors: every weight by name, and the wiring in the metadata.

use super::{ExportError, file};
use crate::windows::Stage;
use crate::{Experiment, TrainError};
use equation::taylor::{Architecture, Layer, Wave};
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// The layout of the metadata below; other layouts have other numbers.
const LAYOUT: u64 = 1;

/// The same with `windows`.
const LAYOUT_OF_WINDOWS: u64 = 2;

/// Writes the network with these parameters. The weights are f64 tensors, a dense layer computes
/// `input · weight + bias`; the metadata's key `pinnace` holds a JSON text that says in which order layers
/// run, what coordinates and unknowns are called, and what the scalars of the problem are. Where time comes
/// in windows there is a network for each that was begun, named `window1.` and so on, and the metadata says
/// when it holds.
pub fn network(experiment: &Experiment, parameters: &[f64], path: &Path) -> Result<(), TrainError> {
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    let windowed = experiment.window_count() > 1;
    for (number, parameters) in experiment.networks(parameters).into_iter().enumerate() {
        let prefix = if windowed { format!("window{}.", number + 1) } else { String::new() };
        insert(&experiment.stage(number)?, parameters, &prefix, &mut tensors);
    }
    let content = serialized(&tensors, &description(experiment, parameters)).map_err(ExportError::from)?;
    Ok(file::write(path, |output| output.write_all(&content))?)
}

fn serialized(
    tensors: &[(String, Vec<usize>, Vec<u8>)],
    description: &Value,
) -> Result<Vec<u8>, safetensors::SafeTensorError> {
    let views = tensors
        .iter()
        .map(|(name, shape, values)| Ok((name, TensorView::new(Dtype::F64, shape.clone(), values)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()?;
    // One key only: several would be written in an order that differs from run to run.
    let metadata = HashMap::from([("pinnace".to_owned(), description.to_string())]);
    safetensors::serialize(views, Some(metadata))
}

/// Adds the tensors of one network under names that begin so.
fn insert(
    stage: &Stage<'_>,
    parameters: &[f64],
    prefix: &str,
    tensors: &mut Vec<(String, Vec<usize>, Vec<u8>)>,
) {
    let architecture = &stage.plan.architecture;
    let coordinates = stage.problem.domain.len();
    let count = architecture.features.len();
    let mut slopes = vec![0.0; coordinates * count];
    for (number, feature) in architecture.features.iter().enumerate() {
        for &(axis, slope) in &feature.slopes {
            slopes[axis * count + number] += slope;
        }
    }
    let phases: Vec<f64> = architecture.features.iter().map(|feature| feature.phase).collect();
    tensors.push((format!("{prefix}features.weight"), vec![coordinates, count], bytes(&slopes)));
    tensors.push((format!("{prefix}features.bias"), vec![count], bytes(&phases)));
    for tensor in &architecture.tensors {
        let [rows, columns] = tensor.shape;
        let values = bytes(&parameters[tensor.offset..tensor.offset + rows * columns]);
        let shape = if tensor.name.ends_with(".bias") { vec![columns] } else { vec![rows, columns] };
        tensors.push((format!("{prefix}{}", tensor.name), shape, values));
    }
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn description(experiment: &Experiment, parameters: &[f64]) -> Value {
    let (problem, plan) = (experiment.problem(), experiment.plan());
    let architecture = &plan.architecture;
    let names = |names: &mut dyn Iterator<Item = &String>| -> Vec<String> { names.cloned().collect() };
    let ansatz: Map<String, Value> = problem
        .unknowns
        .iter()
        .filter_map(|unknown| {
            let text = problem.pool.print(unknown.ansatz?, problem);
            Some((unknown.name.clone(), Value::String(text)))
        })
        .collect();
    let scalars: Map<String, Value> = problem
        .parameters
        .iter()
        .zip(plan.scalar_values(parameters))
        .map(|(parameter, value)| (parameter.name.clone(), json!(value)))
        .collect();
    let mut object = json!({
        "layout": LAYOUT,
        "title": problem.title,
        "coordinates": names(&mut problem.domain.coordinates.iter().map(|coordinate| &coordinate.name)),
        "unknowns": names(&mut problem.unknowns.iter().map(|unknown| &unknown.name)),
        "features": architecture.features.iter().map(|feature| wave(feature.wave)).collect::<Vec<_>>(),
        "layers": architecture.layers.iter().map(|layer| operation(layer, architecture)).collect::<Vec<_>>(),
        "ansatz": ansatz,
        "parameters": scalars,
    });
    if let Some(windows) = problem.windows() {
        let begun = experiment.networks(parameters).len();
        object["layout"] = json!(LAYOUT_OF_WINDOWS);
        object["windows"] = json!((0..begun).map(|number| windows.interval(number)).collect::<Vec<_>>());
    }
    object
}

fn wave(wave: Wave) -> &'static str {
    match wave {
        Wave::Identity => "identity",
        Wave::Sin => "sin",
        Wave::Cos => "cos",
    }
}

/// A layer as an object: what it does, the signals that it reads, the one that it writes.
fn operation(layer: &Layer, architecture: &Architecture) -> Value {
    let name = |offset: usize| {
        let tensor = architecture.tensors.iter().find(|tensor| tensor.offset == offset);
        tensor.map_or("", |tensor| tensor.name.as_str())
    };
    match *layer {
        Layer::Dense { input, output, weights, bias } => json!({
            "kind": "dense", "inputs": [input], "output": output,
            "weight": name(weights), "bias": name(bias),
        }),
        Layer::Activate { input, output, activation } => json!({
            "kind": activation.name(), "inputs": [input], "output": output,
        }),
        Layer::Gate { gate, first, second, output } => json!({
            "kind": "gate", "inputs": [gate, first, second], "output": output,
        }),
        Layer::Add { left, right, output } => json!({
            "kind": "add", "inputs": [left, right], "output": output,
        }),
        Layer::Scale { input, output, factors, .. } => json!({
            "kind": "scale", "inputs": [input], "output": output, "factors": name(factors),
        }),
        Layer::Blend { first, second, output, share } => json!({
            "kind": "blend", "inputs": [first, second], "output": output, "factors": name(share),
        }),
        Layer::Multiply { left, right, output } => json!({
            "kind": "multiply", "inputs": [left, right], "output": output,
        }),
        Layer::Select { input, output, first } => json!({
            "kind": "select", "inputs": [input], "output": output,
            "columns": [first, first + architecture.widths[output]],
        }),
    }
}
