//! Which tensors a snapshot is made of.

use super::core::{is_core, read_core, write_core};
use super::{Bundle, CheckpointFault, StoredTensor};
use crate::{Array, Snapshot, State, StateError};
use std::collections::BTreeMap;

/// Where and for what a snapshot was computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// What users call the problem.
    pub problem: String,
    /// On which device.
    pub device: String,
    /// In which numbers.
    pub precision: String,
    /// With which instructions of the CPU: others round otherwise.
    pub level: String,
    /// With which order of sums: another version of it rounds otherwise.
    pub arithmetic: u64,
}

/// The parameters by name, such as `network.layer1.weight`.
#[derive(Clone, Debug)]
pub struct ParameterLayout {
    blocks: Vec<Block>,
    parameters: usize,
}

/// A tensor of parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// What it is called in files.
    pub name: String,
    /// Where it begins among the parameters.
    pub offset: usize,
    /// Numbers along every axis.
    pub shape: Vec<usize>,
}

impl Block {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

impl ParameterLayout {
    /// Of so many parameters, each of which is in one of the blocks.
    pub fn new(blocks: Vec<Block>, parameters: usize) -> Self {
        ParameterLayout { blocks, parameters }
    }

    /// The bytes of a checkpoint.
    pub fn encode(&self, header: &Header, snapshot: &Snapshot) -> Result<Vec<u8>, CheckpointFault> {
        let mut bundle = Bundle::default();
        let Header { problem, device, precision, level, arithmetic } = header;
        let arithmetic = &arithmetic.to_string();
        let words = [
            ("problem", problem),
            ("device", device),
            ("precision", precision),
            ("level", level),
            (ARITHMETIC, arithmetic),
        ];
        bundle.words.extend(words.map(|(name, word)| (name.to_owned(), word.clone())));
        let Snapshot { parameters, optimizer, task, .. } = snapshot;
        for parameters in snapshot.finished.iter().chain([parameters]) {
            if parameters.len() != self.parameters {
                let (name, expected, found) = ("parameters".to_owned(), self.parameters, parameters.len());
                return Err(StateError::Length { name, expected, found }.into());
            }
        }
        let mut insert = |prefix: String, parameters: &[f64]| {
            for block in &self.blocks {
                let numbers = parameters[block.offset..block.offset + block.len()].to_vec();
                let tensor = StoredTensor { shape: block.shape.clone(), array: Array::Numbers(numbers) };
                bundle.tensors.insert(format!("{prefix}{}", block.name), tensor);
            }
        };
        insert(String::new(), parameters);
        let finished = snapshot.finished.iter().enumerate();
        finished.for_each(|(stage, parameters)| insert(stage_prefix(stage), parameters));
        for (prefix, state) in [("optimizer", optimizer), ("trainer", &write_core(snapshot)), ("task", task)]
        {
            for (name, array) in state.iter() {
                bundle.tensors.insert(format!("{prefix}.{name}"), StoredTensor::list(array.clone()));
            }
        }
        bundle.encode()
    }

    /// What a checkpoint holds.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Header, Snapshot), CheckpointFault> {
        let mut bundle = Bundle::decode(bytes)?;
        let mut word = |name: &str| bundle.words.remove(name).ok_or(CheckpointFault::Foreign);
        let header = Header {
            problem: word("problem")?,
            device: word("device")?,
            precision: word("precision")?,
            level: word("level")?,
            // Older checkpoints know nothing of it.
            arithmetic: word(ARITHMETIC).ok().and_then(|word| word.parse().ok()).unwrap_or(1),
        };
        let parameters = self.take(&mut bundle, "")?;
        let mut finished = Vec::new();
        loop {
            let prefix = stage_prefix(finished.len());
            if !bundle.tensors.keys().any(|name| name.starts_with(&prefix)) {
                break;
            }
            finished.push(self.take(&mut bundle, &prefix)?);
        }
        let [mut optimizer, mut core, mut task] = [const { State::new() }; 3];
        let mut widths = BTreeMap::new();
        for (name, tensor) in bundle.tensors {
            match name.split_once('.') {
                Some(("optimizer", name)) => optimizer.insert(name.to_owned(), tensor.array),
                Some(("task", name)) => task.insert(name.to_owned(), tensor.array),
                Some(("trainer", name)) if is_core(name) => core.insert(name.to_owned(), tensor.array),
                // Before format 3 the task's arrays stood among those of the loop, and points on their own, with shapes.
                Some(("trainer", name)) => task.insert(name.to_owned(), tensor.array),
                Some(("points", term)) => {
                    let wrong = || StateError::Value { name: name.clone() };
                    let (term, [_, width]) = (term.parse(), &*tensor.shape) else {
                        return Err(wrong().into());
                    };
                    let term: usize = term.map_err(|_| wrong())?;
                    widths.insert(term, *width as u64);
                    task.insert(name, tensor.array);
                }
                Some(_) | None => return Err(StateError::Value { name }.into()),
            }
        }
        if !widths.is_empty() {
            task.insert("point_widths".to_owned(), Array::Counts(widths.into_values().collect()));
        }
        let start = Snapshot { finished, optimizer, task, ..Snapshot::start(parameters) };
        Ok((header, read_core(start, &core)?))
    }

    /// Takes the parameters out of a bundle whose names begin so.
    fn take(&self, bundle: &mut Bundle, prefix: &str) -> Result<Vec<f64>, CheckpointFault> {
        let mut parameters = vec![0.0; self.parameters];
        for block in &self.blocks {
            let name = format!("{prefix}{}", block.name);
            let Some(tensor) = bundle.tensors.remove(&name) else {
                return Err(StateError::Missing { name }.into());
            };
            if tensor.shape != block.shape {
                return Err(CheckpointFault::Shape {
                    name,
                    expected: block.shape.clone(),
                    found: tensor.shape,
                });
            }
            let Array::Numbers(numbers) = tensor.array else {
                return Err(StateError::Kind { name }.into());
            };
            parameters[block.offset..block.offset + block.len()].copy_from_slice(&numbers);
        }
        Ok(parameters)
    }
}

/// The word for [`Header::arithmetic`].
const ARITHMETIC: &str = "arithmetic";

/// What the names of a finished stage's parameters begin with.
fn stage_prefix(stage: usize) -> String {
    format!("window{}.", stage + 1)
}
