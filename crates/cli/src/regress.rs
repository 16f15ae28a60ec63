//! `pinnace bench regress`

use crate::args::Regress;
use crate::clean::stderr;
use crate::exit;
use bench::{BenchError, Comparison, Speed, read_baseline};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn regress(choices: &Regress, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let lines = read_baseline(&choices.baseline).map_err(BenchError::from)?;
    let mut slower = false;
    for line in lines {
        let found = line.compare(choices.tolerance, choices.rounds.into())?;
        if let Some(machine) = &found.other_machine {
            writeln!(stderr(), "warning: the baseline was recorded on another machine: {machine}")?;
        }
        slower |= found.speed == Speed::Slower;
        match choices.json {
            true => writeln!(output, "{}", serde_json::to_string(&found)?)?,
            false => write(&found, output)?,
        }
        output.flush()?;
    }
    Ok(if slower { ExitCode::from(exit::SLOWER) } else { exit::DONE })
}

fn write(found: &Comparison, output: &mut impl Write) -> anyhow::Result<()> {
    let Comparison { what, baseline_ms, now_ms, ratio, limit, speed, rounds, same_loss, .. } = found;
    let word = match speed {
        Speed::Slower => "SLOWER",
        Speed::Same => "as fast",
        Speed::Faster => "faster",
    };
    let rounds = if *rounds == 1 { String::new() } else { format!(", best of {rounds} rounds") };
    let other = if *same_loss { "" } else { "; the first loss has other bits" };
    writeln!(
        output,
        "{word:8}{what}\n        {now_ms:.3} ms, recorded {baseline_ms:.3} ms: {ratio:.3} times, up to {limit:.3} is noise{rounds}{other}"
    )?;
    Ok(())
}
