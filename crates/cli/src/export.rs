//! `pinnace export`

use crate::args::{Export, ExportFormat, ExportTime};
use crate::evaluate::{grid, off_shape, open};
use crate::exit::{self, Usage};
use pinnace::{Fields, Run, TrainError, export as write};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn export(choices: &Export, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    check(choices)?;
    let run = open(&choices.trained.run)?;
    let path = choices.out.clone().unwrap_or_else(|| default_path(choices.format, run.folder()));
    let mut removed = Vec::new();
    let mut told = None;
    let written = match choices.format {
        ExportFormat::Safetensors => {
            write::network(run.experiment(), run.parameters(), &path)?;
            path
        }
        ExportFormat::Csv => {
            let fields = fields(choices, &run)?;
            write::csv(&fields, &path).map_err(TrainError::from)?;
            told = off_shape(&fields, true);
            path
        }
        ExportFormat::Npy => {
            let fields = fields(choices, &run)?;
            write::npy_folder(&fields, &path).map_err(TrainError::from)?;
            told = off_shape(&fields, false);
            path
        }
        ExportFormat::Vtk => {
            let time = match choices.time.unwrap_or(ExportTime::Series) {
                ExportTime::Series => write::Time::Series,
                ExportTime::Axis => write::Time::Axis,
            };
            let fields = fields(choices, &run)?;
            let written = write::vtk(&fields, &path, time).map_err(TrainError::from)?;
            told = off_shape(&fields, false);
            removed = written.removed;
            written.path
        }
    };
    writeln!(output, "wrote {}", written.display())?;
    if let Some(line) = told {
        writeln!(output, "{line}")?;
    }
    say_removed(&removed, output)?;
    Ok(exit::DONE)
}

/// Says what an earlier export had written and this one has removed.
pub(crate) fn say_removed(removed: &[PathBuf], output: &mut impl Write) -> anyhow::Result<()> {
    if let [first, ..] = removed {
        let (count, folder) = (removed.len(), first.parent().unwrap_or(first).display());
        let files = if count == 1 { "file" } else { "files" };
        writeln!(
            output,
            "removed {count} {files} of an earlier export from {folder}: this one has fewer moments"
        )?;
    }
    Ok(())
}

/// Refuses choices that would have no effect.
fn check(choices: &Export) -> Result<(), Usage> {
    let of_fields = choices.trained.grid.is_some() || !choices.trained.derivatives.is_empty();
    if choices.format == ExportFormat::Safetensors && of_fields {
        let message = "safetensors holds the network itself: --grid and --derivatives do not apply";
        return Err(Usage(message.to_owned()));
    }
    if choices.format != ExportFormat::Vtk && choices.time.is_some() {
        return Err(Usage("--time applies to vtk only".to_owned()));
    }
    Ok(())
}

fn fields(choices: &Export, run: &Run) -> anyhow::Result<Fields> {
    let experiment = run.experiment();
    let derivatives = choices.trained.derivatives.iter().map(|name| name.trim());
    let derivatives = experiment.find_fields(derivatives).map_err(TrainError::from)?;
    let places = grid(choices.trained.grid.as_deref(), experiment)?;
    Ok(experiment.fields(run.parameters(), places, &derivatives)?)
}

fn default_path(format: ExportFormat, folder: &Path) -> PathBuf {
    folder.join(match format {
        ExportFormat::Npy => "fields-npy",
        ExportFormat::Csv => "fields.csv",
        ExportFormat::Vtk => "fields.vti",
        ExportFormat::Safetensors => "network.safetensors",
    })
}
