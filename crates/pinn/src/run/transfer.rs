//! Trained parameters as the start of another run.

use super::{Run, TransferError};
use crate::Experiment;
use crate::trainer::Snapshot;
use equation::taylor::Feature;

impl Run {
    /// The start of `to` from the parameters that this run has trained: all weights, and the scalars of
    /// the same name. Everything else is as in a new run. Of several windows, the first starts from the
    /// first, and each later one, as ever, from the one before.
    pub fn hand_over(&self, to: &Experiment) -> Result<Snapshot, TransferError> {
        let run = || self.folder().to_owned();
        let (theirs, ours) = (self.experiment().window_count(), to.window_count());
        if theirs != ours {
            return Err(TransferError::Windows { run: run(), theirs, ours });
        }
        let (theirs, ours) = (&self.experiment().plan().architecture, &to.plan().architecture);
        let shape = |[rows, columns]: [usize; 2]| format!("{rows}×{columns}");
        let mut differences = Vec::new();
        for tensor in &ours.tensors {
            match theirs.tensors.iter().find(|other| other.name == tensor.name) {
                Some(other) if other.shape == tensor.shape => {}
                Some(other) => differences.push(format!(
                    "{} is {} there and {} here",
                    tensor.name,
                    shape(other.shape),
                    shape(tensor.shape)
                )),
                None => differences.push(format!("{} is not there", tensor.name)),
            }
        }
        for tensor in &theirs.tensors {
            if !ours.tensors.iter().any(|other| other.name == tensor.name) {
                differences.push(format!("{} is not here", tensor.name));
            }
        }
        if !differences.is_empty() {
            return Err(TransferError::Shapes { run: run(), differences });
        }
        // Affine maps and waves may be stretched with the domain; random ones have to be the same.
        let kinds = |features: &[Feature]| features.iter().map(|feature| feature.wave).collect::<Vec<_>>();
        let random = to.problem().network.fourier.is_some();
        if kinds(&theirs.features) != kinds(&ours.features) || random && theirs.features != ours.features {
            return Err(TransferError::Inputs { run: run() });
        }
        let mut start = to.start();
        for tensor in &ours.tensors {
            let [rows, columns] = tensor.shape;
            let other = theirs.tensors.iter().find(|other| other.name == tensor.name).unwrap_or(tensor);
            let numbers = &self.parameters()[other.offset..other.offset + rows * columns];
            start.parameters[tensor.offset..tensor.offset + rows * columns].copy_from_slice(numbers);
        }
        self.hand_over_scalars(to, &mut start.parameters)?;
        Ok(start)
    }

    fn hand_over_scalars(&self, to: &Experiment, parameters: &mut [f64]) -> Result<(), TransferError> {
        let (theirs, ours) = (self.experiment(), to);
        let (their_first, our_first) =
            (theirs.plan().architecture.weight_count(), ours.plan().architecture.weight_count());
        let values = theirs.plan().scalar_values(self.parameters());
        for (position, parameter) in ours.problem().parameters.iter().enumerate() {
            let named = theirs.problem().parameters.iter().position(|other| other.name == parameter.name);
            let Some(other) = named else { continue };
            let (from, into) = (theirs.plan().scalars[other], ours.plan().scalars[position]);
            // The number itself where bounds agree: through the value and back it would be rounded.
            let number = if from == into {
                self.parameters()[their_first + other]
            } else {
                into.number(values[other])
            };
            if !number.is_finite() {
                let (run, parameter) = (self.folder().to_owned(), parameter.name.clone());
                return Err(TransferError::Outside { run, parameter, value: values[other] });
            }
            parameters[our_first + position] = number;
        }
        Ok(())
    }
}
