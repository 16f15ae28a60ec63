//! `pinnace new`

use crate::args::New;
use crate::exit::{self, Usage};
use anyhow::Context;
use pinnace::{BuiltIn, TrainError};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A problem that explains its sections.
const TEMPLATE: &str = include_str!("template.toml");

pub(crate) fn new(choices: &New, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let (text, tables): (_, &[(&str, &str)]) = match &choices.like {
        Some(name) => {
            let nearest = BuiltIn::nearest(name);
            let found =
                BuiltIn::find(name).ok_or(TrainError::NoSuchBuiltIn { name: name.clone(), nearest })?;
            (found.text, found.files)
        }
        None => (TEMPLATE, &[]),
    };
    let path = file(&choices.name);
    let tables: Vec<_> = tables.iter().map(|(name, content)| (path.with_file_name(name), *content)).collect();
    let mut paths = tables.iter().map(|(path, _)| path).chain([&path]);
    if let Some(taken) = paths.find(|path| path.exists()) {
        return Err(
            Usage(format!("{} exists and was not changed; choose another name", taken.display())).into()
        );
    }
    for (path, content) in &tables {
        write(path, content)?;
        writeln!(output, "wrote {}", path.display())?;
    }
    write(&path, text)?;
    writeln!(output, "wrote {0}; train it with `pinnace train {0}`", shown(&path))?;
    Ok(exit::DONE)
}

/// Writes a file that must not exist.
fn write(path: &Path, content: &str) -> anyhow::Result<()> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(content.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
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
