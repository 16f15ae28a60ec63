//! What a run's folder says about an experiment.

use crate::table::{DataSources, is_stored};
use crate::{Experiment, TrainError};
use linear::{ARITHMETIC, Level};
use serde_json::{Map, Value, json};
use std::path::Path;
use train::checkpoint::{Block, Header, ParameterLayout};
use train::folder::{Contents, DATA, PROBLEM, RunError};

impl Experiment {
    /// What checkpoints say about where they were computed.
    pub(crate) fn header(&self) -> Header {
        Header {
            problem: self.name().to_owned(),
            device: self.device().name().to_owned(),
            precision: self.precision().name().to_owned(),
            level: Level::best().to_string(),
            arithmetic: ARITHMETIC,
        }
    }

    /// The parameters by name: `network.layer1.weight` and so on, then `scalar.nu` and so on.
    pub fn layout(&self) -> ParameterLayout {
        let architecture = &self.plan().architecture;
        let weights = architecture.tensors.iter().map(|tensor| Block {
            name: format!("network.{}", tensor.name),
            offset: tensor.offset,
            shape: tensor.shape.to_vec(),
        });
        let first = architecture.weight_count();
        let scalars = self.problem().parameters.iter().enumerate().map(|(position, parameter)| Block {
            name: format!("scalar.{}", parameter.name),
            offset: first + position,
            shape: vec![1],
        });
        ParameterLayout::new(weights.chain(scalars).collect(), self.plan().parameter_count())
    }

    /// All that the folder of a new run begins with. `from` is the run that its parameters come from.
    pub(super) fn contents(&self, from: Option<&Path>) -> Result<Contents, TrainError> {
        self.check_methods()?;
        let mut data = Files::default();
        // What training reads while it goes on stays where it is.
        let stored = |file: &str| self.problem().data.iter().any(|data| data.file == file && is_stored(data));
        let text = self.resolved(&mut |file| match stored(file) {
            true => self.sources().place_of(file),
            false => data.name_for(file),
        });
        let text =
            text.map_err(|diagnostics| TrainError::Problem { file: PROBLEM.to_owned(), diagnostics })?;
        let mut files = vec![(PROBLEM.to_owned(), text.into_bytes())];
        files.extend(data.read(self.sources())?);
        Ok(Contents { files, environment: self.environment(from), ..self.unchanged() })
    }

    /// The same for a run that goes on as its folder says.
    pub(super) fn unchanged(&self) -> Contents {
        let (header, layout) = (self.header(), self.layout());
        Contents { header, layout, files: Vec::new(), environment: Map::new() }
    }

    fn environment(&self, from: Option<&Path>) -> Map<String, Value> {
        let terms = self.plan().terms.iter();
        let residuals: Vec<String> = terms
            .flat_map(|term| term.residuals.iter().map(|part| format!("{}: {}", term.name, part.name)))
            .collect();
        let mut environment = Map::new();
        let mut say = |name: &str, value: Value| environment.insert(name.to_owned(), value);
        say("title", json!(self.problem().title));
        say("seed", json!(self.problem().training.seed));
        say("residuals", json!(residuals));
        let used = self.performance();
        say("performance", used.into_iter().map(|decision| (decision.key, json!(decision.value))).collect());
        self.own_optimizer().map(|own| say("optimizer", json!(own.name())));
        from.map(|from| say("from", json!(from.to_string_lossy())));
        environment
    }
}

/// Data files and what they are called in the run.
#[derive(Default)]
struct Files {
    names: Vec<(String, String)>,
}

impl Files {
    /// One name per file; of files with the same name the later ones are numbered.
    fn name_for(&mut self, file: &str) -> String {
        if let Some((_, name)) = self.names.iter().find(|(known, _)| known == file) {
            return name.clone();
        }
        let base = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut name = format!("{DATA}/{base}");
        let mut number = 1;
        while self.names.iter().any(|(_, known)| *known == name) {
            number += 1;
            name = format!("{DATA}/{number}-{base}");
        }
        self.names.push((file.to_owned(), name.clone()));
        name
    }

    fn read(&self, sources: &DataSources) -> Result<Vec<(String, Vec<u8>)>, RunError> {
        let read = |(file, name): &(String, String)| {
            let (source, bytes) = sources.read(file);
            Ok((name.clone(), bytes.map_err(RunError::read(&source))?.into_owned()))
        };
        self.names.iter().map(read).collect()
    }
}
