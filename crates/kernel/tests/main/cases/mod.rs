//! The problems that engines are compared on, with random points and parameters.

use equation::constrain::constrain;
use equation::counter::Stream;
use equation::parse::{FileFault, FileGrid, FileReader, parse_with_files};
use equation::problem::Problem;
use equation::taylor::{Plan, plan};
use kernel::{Points, Precision};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Ways to wire layers, activations and embeddings, laid over a case.
pub(crate) const NETWORKS: [&[&str]; 17] = [
    &["network.activation=sin"],
    &["network.activation=gelu"],
    &["network.activation=silu"],
    &["network.kind=modified-mlp"],
    &["network.kind=modified-mlp", "network.activation=silu", "network.depth=3"],
    &["network.kind=residual", "network.depth=5"],
    &["network.fourier={ features = 3, scale = 0.3 }"],
    &["network.periodic={ x = 2 }"],
    &["network.normalize=false"],
    &["network.activation=sin", "network.initialization=siren", "network.frequency=2"],
    &["network.kind=modified-mlp", "network.fourier={ features = 9, scale = 0.3 }"],
    &["network.factorized=true", "network.adaptive=layer"],
    &["network.adaptive=neuron", "network.kind=residual", "network.depth=3"],
    &["network.kind=piratenet", "network.depth=2"],
    &["network.kind=piratenet", "network.depth=1", "network.factorized={ mean = 0.5 }"],
    &["network.kind=separable", "network.depth=2", "network.rank=5"],
    &["network.kind=separable", "network.periodic={ x = 2 }", "network.activation=sin"],
];

/// Where the cases are: tests may run in another place than they were built in.
fn folder() -> String {
    let crate_folder = std::env::var("CARGO_MANIFEST_DIR");
    let crate_folder = crate_folder.unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
    format!("{crate_folder}/../equation/cases")
}

/// All cases of the tree.
pub(crate) fn files() -> Vec<String> {
    let folder = folder();
    let entries = std::fs::read_dir(folder).expect("the cases are part of the tree");
    let mut files: Vec<String> = entries
        .map(|entry| entry.expect("a readable folder").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert!(files.len() >= 20);
    files
}

/// The files beside a problem file.
struct Beside(PathBuf);

impl FileReader for Beside {
    fn read(&self, name: &str, _: u64) -> Result<Cow<'_, [u8]>, FileFault> {
        let bytes = std::fs::read(self.0.join(name));
        bytes.map(Cow::Owned).map_err(|error| FileFault::Refused(error.to_string()))
    }

    fn grid(&self, _: &str, _: &[Vec<&str>]) -> Result<FileGrid, FileFault> {
        Err(FileFault::Missing)
    }
}

/// One problem with some settings laid over it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) problem: Problem,
    pub(crate) plan: Arc<Plan>,
}

pub(crate) fn case(file: &str, overrides: &[&str]) -> Case {
    let path = format!("{}/{file}", folder());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut settings: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    // Those are taken as they are trained.
    let built_in = file.contains("examples/");
    if !built_in && !settings.iter().any(|text| text.contains("initialization")) {
        // Weights of one size in all layers: tolerances are derived for those.
        settings.push("network.initialization=glorot".to_owned());
    }
    let beside = Beside(Path::new(&path).parent().expect("a folder").to_owned());
    let problem = parse_with_files(&text, &settings, &beside)
        .unwrap_or_else(|mistakes| panic!("{}", mistakes.render(file)));
    // In these files the conditions are built into the ansatz; in the others they are penalties.
    let constrained = built_in || file.starts_with("constrained-");
    let problem = if constrained { constrain(problem) } else { problem };
    let plan = plan(&problem).unwrap_or_else(|error| panic!("{file}: {error}"));
    Case { name: format!("{file} {overrides:?}"), problem, plan }
}

impl Case {
    /// Relative to the largest: rounding of the precision, times the length of the longest sums that a
    /// number passes through (layers × width × channels), as if errors accumulated without cancelling.
    pub(crate) fn tolerance(&self, precision: Precision) -> f64 {
        let network = &self.problem.network;
        let channels = self.plan.terms.iter().map(|term| term.channels.len()).max().unwrap_or(1);
        precision.epsilon() * ((network.depth + 2) * network.width * channels) as f64
    }
}

/// Random points inside the domain; normals and measured values between -1 and 1.
pub(crate) fn points(case: &Case, count: usize) -> Vec<Points> {
    let coordinates = &case.problem.domain.coordinates;
    let draw = |(number, term): (usize, &Arc<equation::taylor::Term>)| {
        let noise = Stream::new(11, number as u64);
        let width = term.row.width();
        let mut points = Points::new(width);
        for index in 0..count {
            let number = |place: usize| {
                let uniform = noise.uniform((index * width + place) as u64);
                if place < term.row.coordinates * term.row.sites {
                    let coordinate = &coordinates[place % term.row.coordinates];
                    coordinate.low + (coordinate.high - coordinate.low) * uniform
                } else {
                    2.0 * uniform - 1.0
                }
            };
            points.push(&(0..width).map(number).collect::<Vec<f64>>());
        }
        term.given.iter().for_each(|given| points.fill_given(given));
        points
    };
    case.plan.terms.iter().enumerate().map(draw).collect()
}

pub(crate) fn parameters(case: &Case) -> Vec<f64> {
    let noise = Stream::new(3, 3);
    let start = case.plan.initialize(3).into_iter().enumerate();
    start.map(|(index, value)| value + 0.05 * noise.normal(index as u64)).collect()
}
