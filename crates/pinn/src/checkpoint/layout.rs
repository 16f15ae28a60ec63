//! Which tensors a snapshot is made of.

use super::Fault;
use crate::trainer::{March, Snapshot, Stopped, Strain};
use equation::problem::Problem;
use equation::taylor::Plan;
use kernel::Points;
use train::checkpoint::{Bundle, Tensor};
use train::{Array, Descent, Pace, State, StateError};

/// Where and for what a snapshot was computed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// What users call the problem.
    pub problem: String,
    /// On which device.
    pub device: String,
    /// In which numbers.
    pub precision: String,
    /// With which instructions of the processor: others round otherwise.
    pub level: String,
}

/// The parameters by name: `network.layer1.weight` and so on, then `scalar.nu` and so on.
#[derive(Clone, Debug)]
pub struct Layout {
    blocks: Vec<Block>,
    parameters: usize,
}

#[derive(Clone, Debug)]
struct Block {
    name: String,
    offset: usize,
    shape: Vec<usize>,
}

impl Block {
    fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

impl Layout {
    /// Of a problem's parameters.
    pub fn of(problem: &Problem, plan: &Plan) -> Self {
        let weights = plan.architecture.tensors.iter().map(|tensor| Block {
            name: format!("network.{}", tensor.name),
            offset: tensor.offset,
            shape: tensor.shape.to_vec(),
        });
        let first = plan.architecture.weight_count();
        let scalars = problem.parameters.iter().enumerate().map(|(position, parameter)| Block {
            name: format!("scalar.{}", parameter.name),
            offset: first + position,
            shape: vec![1],
        });
        Layout { blocks: weights.chain(scalars).collect(), parameters: plan.parameter_count() }
    }

    /// The bytes of a checkpoint.
    pub fn encode(&self, header: &Header, snapshot: &Snapshot) -> Result<Vec<u8>, Fault> {
        let mut bundle = Bundle::default();
        let Header { problem, device, precision, level } = header;
        let words = [("problem", problem), ("device", device), ("precision", precision), ("level", level)];
        bundle.words.extend(words.map(|(name, word)| (name.to_owned(), word.clone())));
        let Snapshot { parameters, optimizer, points, .. } = snapshot;
        for parameters in snapshot.windows.iter().chain([parameters]) {
            if parameters.len() != self.parameters {
                let (name, expected, found) = ("parameters".to_owned(), self.parameters, parameters.len());
                return Err(StateError::Length { name, expected, found }.into());
            }
        }
        let mut insert = |prefix: String, parameters: &[f64]| {
            for block in &self.blocks {
                let numbers = parameters[block.offset..block.offset + block.len()].to_vec();
                let tensor = Tensor { shape: block.shape.clone(), array: Array::Numbers(numbers) };
                bundle.tensors.insert(format!("{prefix}{}", block.name), tensor);
            }
        };
        insert(String::new(), parameters);
        let finished = snapshot.windows.iter().enumerate();
        finished.for_each(|(window, parameters)| insert(window_prefix(window), parameters));
        for (prefix, state) in [("optimizer", optimizer), ("trainer", &trainer(snapshot))] {
            for (name, array) in state.iter() {
                bundle.tensors.insert(format!("{prefix}.{name}"), Tensor::list(array.clone()));
            }
        }
        for (term, points) in points.iter().enumerate() {
            let numbers = points.iter().flatten().copied().collect();
            let tensor = Tensor { shape: vec![points.len(), points.width()], array: Array::Numbers(numbers) };
            bundle.tensors.insert(format!("points.{term}"), tensor);
        }
        bundle.encode()
    }

    /// What a checkpoint holds.
    pub fn decode(&self, bytes: &[u8]) -> Result<(Header, Snapshot), Fault> {
        let mut bundle = Bundle::decode(bytes)?;
        let mut word = |name: &str| bundle.words.remove(name).ok_or(Fault::Foreign);
        let header = Header {
            problem: word("problem")?,
            device: word("device")?,
            precision: word("precision")?,
            level: word("level")?,
        };
        let parameters = self.take(&mut bundle, "")?;
        let mut windows = Vec::new();
        loop {
            let prefix = window_prefix(windows.len());
            if !bundle.tensors.keys().any(|name| name.starts_with(&prefix)) {
                break;
            }
            windows.push(self.take(&mut bundle, &prefix)?);
        }
        let (mut optimizer, mut numbers, mut points) = (State::default(), State::default(), Vec::new());
        for (name, tensor) in bundle.tensors {
            match name.split_once('.') {
                Some(("optimizer", name)) => optimizer.insert(name.to_owned(), tensor.array),
                Some(("trainer", name)) => numbers.insert(name.to_owned(), tensor.array),
                Some(("points", term)) => points.push(point_set(&name, term, tensor)?),
                Some(_) | None => return Err(StateError::Value { name }.into()),
            }
        }
        points.sort_by_key(|(term, _)| *term);
        let points = points.into_iter().map(|(_, points)| points).collect();
        let start = Snapshot { windows, optimizer, points, ..Snapshot::start(parameters) };
        Ok((header, with_numbers(start, &numbers)?))
    }

    /// Takes the parameters out of a bundle whose names begin so.
    fn take(&self, bundle: &mut Bundle, prefix: &str) -> Result<Vec<f64>, Fault> {
        let mut parameters = vec![0.0; self.parameters];
        for block in &self.blocks {
            let name = format!("{prefix}{}", block.name);
            let Some(tensor) = bundle.tensors.remove(&name) else {
                return Err(StateError::Missing { name }.into());
            };
            if tensor.shape != block.shape {
                return Err(Fault::Shape { name, expected: block.shape.clone(), found: tensor.shape });
            }
            let Array::Numbers(numbers) = tensor.array else {
                return Err(StateError::Kind { name }.into());
            };
            parameters[block.offset..block.offset + block.len()].copy_from_slice(&numbers);
        }
        Ok(parameters)
    }
}

/// What the names of a finished window's parameters begin with.
fn window_prefix(window: usize) -> String {
    format!("window{}.", window + 1)
}

fn point_set(name: &str, term: &str, tensor: Tensor) -> Result<(usize, Points), StateError> {
    let wrong = || StateError::Value { name: name.to_owned() };
    let term = term.parse().map_err(|_| wrong())?;
    let (&[_, width], Array::Numbers(numbers)) = (&*tensor.shape, &tensor.array) else { return Err(wrong()) };
    if width == 0 {
        return Err(wrong());
    }
    let mut points = Points::new(width);
    numbers.chunks_exact(width).for_each(|row| points.push(row));
    Ok((term, points))
}

/// The single numbers of a snapshot.
fn trainer(snapshot: &Snapshot) -> State {
    let state = State::default()
        .with_counts("phase", [snapshot.phase as u64])
        .with_counts("phase_step", [snapshot.phase_step])
        .with_counts("phase_evaluations", [snapshot.phase_evaluations])
        .with_numbers("phase_seconds", [snapshot.phase_seconds])
        .with_counts("step", [snapshot.steps])
        .with_counts("evaluations", [snapshot.evaluations])
        .with_numbers("seconds", [snapshot.seconds])
        .with_counts("draw", [snapshot.draw])
        .with_counts("interior", [snapshot.interior as u64])
        .with_numbers("strain", [snapshot.strain.after, snapshot.strain.mean])
        .with_numbers("march", [snapshot.march.part, snapshot.march.untrained])
        .with_numbers("pace", [snapshot.pace.sum, snapshot.pace.before])
        .with_counts("pace_counts", [snapshot.pace.count, snapshot.pace.flat])
        .with_numbers("loss", [snapshot.loss])
        .with_numbers("weights", snapshot.weights.clone())
        .with_numbers("attention", snapshot.attention.clone())
        .with_counts("before_method", [snapshot.before_method])
        .with_numbers("descent", descent(snapshot.descent));
    let Some(stopped) = snapshot.stopped else { return state };
    let (kind, end) = match stopped {
        Stopped::Steps => (0, None),
        Stopped::Seconds => (1, None),
        Stopped::Loss => (2, None),
        Stopped::TargetError => (3, None),
        Stopped::GradientVanished { step, gradient } => (4, Some((step, gradient))),
        Stopped::NoDescent { step, gradient } => (5, Some((step, gradient))),
        Stopped::Interrupted => (6, None),
        Stopped::Plateau => (7, None),
        Stopped::Noise => (8, None),
    };
    let (step, gradient) = end.unwrap_or_default();
    state.with_counts("stopped", [kind, step]).with_numbers("stopped_gradient", [gradient])
}

/// The loss at the end comes last, where there is one.
fn descent(Descent { first, lowest, last, end }: Descent) -> Vec<f64> {
    [first, lowest, last].into_iter().chain(end).collect()
}

/// Older checkpoints know nothing of it.
fn read_descent(state: &State) -> Result<Descent, StateError> {
    match state.numbers("descent") {
        Ok(&[first, lowest, last]) => Ok(Descent { first, lowest, last, end: None }),
        Ok(&[first, lowest, last, end]) => Ok(Descent { first, lowest, last, end: Some(end) }),
        Err(StateError::Missing { .. }) => Ok(Descent::START),
        Ok(_) => Err(StateError::Value { name: "descent".to_owned() }),
        Err(error) => Err(error),
    }
}

fn with_numbers(snapshot: Snapshot, state: &State) -> Result<Snapshot, StateError> {
    let stopped = match state.counts("stopped") {
        Err(_) => None,
        Ok(&[kind, step]) => {
            let gradient = state.number("stopped_gradient")?;
            Some(match kind {
                0 => Stopped::Steps,
                1 => Stopped::Seconds,
                2 => Stopped::Loss,
                3 => Stopped::TargetError,
                4 => Stopped::GradientVanished { step, gradient },
                5 => Stopped::NoDescent { step, gradient },
                6 => Stopped::Interrupted,
                7 => Stopped::Plateau,
                8 => Stopped::Noise,
                _ => return Err(StateError::Value { name: "stopped".to_owned() }),
            })
        }
        Ok(_) => return Err(StateError::Value { name: "stopped".to_owned() }),
    };
    let pair = |name: &str| match state.numbers(name)? {
        &[first, second] => Ok((first, second)),
        _ => Err(StateError::Value { name: name.to_owned() }),
    };
    let ((after, mean), (part, untrained)) = (pair("strain")?, pair("march")?);
    let (strain, march) = (Strain { after, mean }, March { part, untrained });
    let (sum, before) = pair("pace")?;
    let &[count, flat] = state.counts("pace_counts")? else {
        return Err(StateError::Value { name: "pace_counts".to_owned() });
    };
    Ok(Snapshot {
        phase: state.count_up_to("phase", usize::MAX)?,
        phase_step: state.count("phase_step")?,
        phase_evaluations: state.count("phase_evaluations")?,
        phase_seconds: state.number("phase_seconds")?,
        steps: state.count("step")?,
        evaluations: state.count("evaluations")?,
        seconds: state.number("seconds")?,
        draw: state.count("draw")?,
        interior: state.count_up_to("interior", usize::MAX)?,
        strain,
        pace: Pace { sum, count, before, flat },
        march,
        weights: state.numbers("weights").unwrap_or_default().to_vec(),
        attention: state.numbers("attention").unwrap_or_default().to_vec(),
        loss: state.number("loss")?,
        before_method: state.count("before_method").unwrap_or(0),
        descent: read_descent(state)?,
        stopped,
        ..snapshot
    })
}
