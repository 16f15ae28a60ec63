//! `pinnace plot`

use crate::args::Plot;
use crate::clean::stderr;
use crate::{exit, notices};
use pinnace::Run;
use pinnace::run::Used;
use plot::{PlotError, Resolution, draw_run};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn plot(choices: &Plot, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let run = Run::open(&choices.run)?;
    notices::show(run.notices());
    notices::show(run.damaged_lines().map_err(PlotError::from)?.as_slice());
    let resolution = match &choices.grid {
        Some(text) => Resolution::parse(run.experiment().problem(), text).map_err(PlotError::from)?,
        None => Resolution::default(),
    };
    for picture in draw_run(&run, &resolution)? {
        let path = picture.save(choices.out.as_deref().unwrap_or(run.folder())).map_err(PlotError::from)?;
        writeln!(output, "{}", path.display())?;
    }
    Ok(exit::DONE)
}

/// Draws a run that was just trained into its own folder.
pub(crate) fn draw_into(folder: &Path) -> Result<(), PlotError> {
    let run = Run::open(folder)?;
    if run.used() == Used::Best {
        let step = run.snapshot().steps;
        // A closed stderr is no reason to draw nothing.
        let _ = writeln!(stderr(), "pinnace: the pictures show the best saved state, after step {step}");
    }
    for picture in draw_run(&run, &Resolution::default())? {
        picture.save(folder)?;
    }
    Ok(())
}
