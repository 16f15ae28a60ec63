//! `pinnace new`

use crate::args::New;
use crate::exit::{self, Usage};
use anyhow::Context;
use pinnace::{BuiltIn, TrainError};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A problem that explains its sections.
const TEMPLATE: &str = include_str!("template.toml");

pub(crate) fn new(choices: &New, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let text = match &choices.like {
        Some(name) => {
            let nearest = BuiltIn::nearest(name);
            BuiltIn::find(name).ok_or(TrainError::NoSuchBuiltIn { name: name.clone(), nearest })?.text
        }
        None => TEMPLATE,
    };
    let path = file(&choices.name);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Usage(format!(
                "{} exists and is left as it is; choose another name",
                path.display()
            ))
            .into());
        }
        Err(error) => return Err(error).with_context(|| format!("cannot write {}", path.display())),
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(output, "wrote {0}; train it with `pinnace train {0}`", shown(&path))?;
    Ok(exit::DONE)
}

/// The file of a problem of this name: problem files end in `.toml`.
fn file(name: &str) -> PathBuf {
    let path = Path::new(name);
    match path.extension() {
        Some(ending) if ending == "toml" => path.to_owned(),
        Some(_) | None => PathBuf::from(format!("{name}.toml")),
    }
}

/// The path as it has to be written after `train`.
fn shown(path: &Path) -> String {
    let name = path.display().to_string();
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || "._-/".contains(letter));
    if plain { name } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
