//! Points and weights that another program wrote: the common starting line of a comparison.

use equation::taylor::Plan;
use pinnace::Points;
use std::path::{Path, PathBuf};

/// Why a folder is not a starting line for this plan.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A file cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// `manifest.json` is not what `common.py --dump` writes.
    #[error("{path} is not a manifest of `common.py --dump`: {cause}")]
    Manifest {
        /// Where.
        path: PathBuf,
        /// What the reader said.
        cause: serde_json::Error,
    },
    /// An array does not fit the plan.
    #[error("{name} holds {found} numbers where the plan needs {expected}")]
    Misfit {
        /// Which array.
        name: String,
        /// What the plan needs.
        expected: usize,
        /// What the file holds.
        found: usize,
    },
}

/// What `common.py --dump` writes beside its arrays.
#[derive(Debug, serde::Deserialize)]
pub(super) struct CaseManifest {
    pub(super) problem: String,
    pub(super) n: usize,
    pub(super) width: usize,
    pub(super) depth: usize,
}

impl CaseManifest {
    pub(super) fn read(folder: &Path) -> Result<CaseManifest, CaseError> {
        let path = folder.join("manifest.json");
        let text = std::fs::read_to_string(&path)
            .map_err(|cause| CaseError::Unreadable { path: path.clone(), cause })?;
        serde_json::from_str(&text).map_err(|cause| CaseError::Manifest { path, cause })
    }
}

fn array(folder: &Path, name: &str) -> Result<Vec<f64>, CaseError> {
    let path = folder.join(format!("{name}.bin"));
    let bytes = std::fs::read(&path).map_err(|cause| CaseError::Unreadable { path, cause })?;
    let numbers = bytes.chunks_exact(8).map(|bytes| {
        let mut number = [0; 8];
        number.copy_from_slice(bytes);
        f64::from_le_bytes(number)
    });
    Ok(numbers.collect())
}

/// Interior points first; boundary points are shared out evenly over the conditions, in order.
pub(super) fn points(folder: &Path, plan: &Plan) -> Result<Vec<Points>, CaseError> {
    let width = plan.terms[0].row.width();
    let boundary = array(folder, "bnd")?;
    let conditions = plan.terms.len() - 1;
    let share = boundary.len() / conditions.max(1);
    let mut sets = vec![filled(width, &array(folder, "pde")?)];
    sets.extend(boundary.chunks_exact(share.max(1)).take(conditions).map(|rows| filled(width, rows)));
    Ok(sets)
}

fn filled(width: usize, numbers: &[f64]) -> Points {
    let mut points = Points::new(width);
    numbers.chunks_exact(width).for_each(|row| points.push(row));
    points
}

/// The weights in the order of the plan's tensors: w0, b0, w1, b1, …
pub(super) fn weights(folder: &Path, plan: &Plan) -> Result<Vec<f64>, CaseError> {
    let mut parameters = Vec::with_capacity(plan.parameter_count());
    for (number, tensor) in plan.architecture.tensors.iter().enumerate() {
        let name = format!("{}{}", if number % 2 == 0 { 'w' } else { 'b' }, number / 2);
        let numbers = array(folder, &name)?;
        let expected = tensor.shape[0] * tensor.shape[1];
        if numbers.len() != expected {
            return Err(CaseError::Misfit { name, expected, found: numbers.len() });
        }
        parameters.extend(numbers);
    }
    Ok(parameters)
}
