//! `pinnace unifrac`: distances between the samples of a cohort.

use crate::args::{ReadArguments, UnifracArguments};
use crate::clean::stderr;
use crate::exit::{self, Usage};
use crate::meter::Meter;
use crate::terminal::Style;
use anyhow::Context;
use cohort::{
    CohortError, Column, Few, Metadata, Metric, NpyFile, Ordination, Phylogeny, Rows, Slower, SquareMatrix,
    Table, Tree, Work, band_bytes, faith, ordinate, rarefy, slower, unifrac,
};
use pinnace::write_atomically;
use plot::{Colours, Samples2d, draw_samples};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use store::Cache;

/// How distances are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Npy,
    Text,
}

pub(crate) fn unifrac_command(
    choices: &UnifracArguments,
    output: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let began = Instant::now();
    let metric = metric(choices)?;
    let format = choices.out.as_deref().map(format_of).transpose()?;
    let (table, phylogeny) = opened(choices)?;
    let samples = table.samples().len();
    let read = began.elapsed().as_secs_f64();
    let colours = colours(choices, table.samples())?;
    let mut written: Vec<PathBuf> = Vec::new();
    if let Some(path) = &choices.faith {
        let lengths = faith(&table, &phylogeny);
        cohort::write_series(path, "faith_pd", table.samples(), &lengths).with_context(|| at(path))?;
        written.push(path.clone());
    }
    let axes = choices.pcoa.is_some() || choices.plot.is_some();
    let whole = axes || format == Some(Format::Text);
    let mut ordination = None;
    if whole || format.is_some() {
        let bytes = band_bytes(&table, metric, whole, choices.memory_limit).map_err(CohortError::from)?;
        match slower(&table, metric) {
            Some(Slower::AllBranches) => warn(
                "slower path: samples differ in their numbers of reads, so every branch counts for every pair; \
                 --rarefy draws the same number of each",
            ),
            Some(Slower::Powers(alpha)) => warn(&format!(
                "slower path: --alpha {alpha} needs a power for every pair and branch; 0, 0.5 and 1 do not"
            )),
            None => {}
        }
        let meter = Meter::new(Style::choose(choices.quiet, false), &format!("{metric} distances"));
        let work = Work { band_bytes: bytes, progress: &|share| meter.show(share) };
        let mut results = Results::new(choices, format, samples, whole)?;
        unifrac(&table, &phylogeny, metric, &work, &mut results).map_err(CohortError::from)?;
        drop(meter);
        results.finish(choices, table.samples(), &mut written)?;
        if let Some(matrix) = results.matrix.filter(|_| axes) {
            ordination = Some(ordinate(&matrix, usize::from(choices.axes)).map_err(CohortError::from)?);
        }
    }
    if let Some(ordination) = &ordination {
        if let Some(path) = &choices.pcoa {
            cohort::write_coordinates(path, table.samples(), &ordination.coordinates)
                .with_context(|| at(path))?;
            written.push(path.clone());
        }
        if let Some(path) = &choices.plot {
            draw(path, metric, samples, ordination, &colours)?;
            written.push(path.clone());
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    if choices.json {
        let axes = ordination.map(|found| json!({ "shares": found.shares, "residual": found.residual }));
        let written: Vec<Value> = written.iter().map(|path| json!(path.display().to_string())).collect();
        writeln!(
            output,
            "{}",
            json!({
                "metric": metric.to_string(), "samples": samples, "taxa": table.taxa().len(), "reading_seconds": read,
                "seconds": seconds, "axes": axes, "written": written,
            })
        )?;
        return Ok(exit::DONE);
    }
    writeln!(
        output,
        "{samples} samples, {} taxa; read in {read:.2} s, done after {seconds:.2} s",
        table.taxa().len()
    )?;
    if let Some(found) = &ordination {
        let shares: Vec<String> =
            found.shares.iter().take(3).map(|share| format!("{:.1} %", 100.0 * share)).collect();
        writeln!(output, "the first axes explain {}", shares.join(", "))?;
    }
    for path in written {
        writeln!(output, "wrote {}", path.display())?;
    }
    Ok(exit::DONE)
}

fn at(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}

fn metric(choices: &UnifracArguments) -> anyhow::Result<Metric> {
    match (choices.metric, choices.alpha) {
        (metric, None) => Ok(metric),
        (Metric::Generalized(_), Some(alpha)) => Ok(Metric::generalized(alpha).map_err(CohortError::from)?),
        (other, Some(_)) => {
            Err(Usage(format!("--alpha belongs to --metric generalized, not to {other}")).into())
        }
    }
}

fn format_of(path: &Path) -> anyhow::Result<Format> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("npy") => Ok(Format::Npy),
        Some("tsv" | "txt") => Ok(Format::Text),
        _ => Err(Usage(format!("{}: --out ends with .npy or .tsv", path.display())).into()),
    }
}

/// The table as it is computed with, and the branches above it; what was left out is told.
fn opened(choices: &UnifracArguments) -> anyhow::Result<(Table, Phylogeny)> {
    let table = Table::open(&choices.table, &Cache::of_user("tables")).map_err(CohortError::from)?;
    let tree = Tree::open(&choices.tree).map_err(CohortError::from)?;
    if tree.without_length() > 0 {
        warn(&format!("{} branches of the tree have no length: they count as 0", tree.without_length()));
    }
    let taxa = table.taxa().len();
    let (table, phylogeny, lost) =
        Phylogeny::of(table, &tree, choices.not_in_tree.into()).map_err(CohortError::from)?;
    if lost.count() > 0 {
        warn(&format!("{} of {taxa} taxa are not in the tree and left out: {lost}", lost.count()));
    }
    let table = rarefied(table, &choices.reads, lost.count() > 0)?;
    // Taxa of which nothing was drawn have no branches any more.
    if table.taxa().len() + lost.count() == taxa {
        return Ok((table, phylogeny));
    }
    let (table, phylogeny, _) =
        Phylogeny::of(table, &tree, choices.not_in_tree.into()).map_err(CohortError::from)?;
    Ok((table, phylogeny))
}

/// The reads that are to be computed with; samples that were left out are told.
fn rarefied(table: Table, reads: &ReadArguments, pruned: bool) -> anyhow::Result<Table> {
    let samples = table.samples().len();
    let depth = reads.rarefy.unwrap_or(0);
    let (table, lost) = rarefy(table, depth, (reads.seed, reads.draw), reads.shallow.into(), pruned)
        .map_err(CohortError::from)?;
    say_shallow(&lost, samples, depth);
    Ok(table)
}

pub(crate) fn say_shallow(lost: &Few, samples: usize, depth: u64) {
    if lost.count() > 0 {
        let count = lost.count();
        warn(&format!(
            "{count} of {samples} samples have fewer than {} reads and are left out: {lost}",
            depth.max(1)
        ));
    }
}

pub(crate) fn warn(text: &str) {
    // A closed stderr is no reason to stop.
    let _ = writeln!(stderr(), "pinnace: warning: {text}");
}

/// Who takes distances: a file, memory, or both.
struct Results {
    file: Option<NpyFile>,
    matrix: Option<SquareMatrix>,
}

impl Results {
    fn new(
        choices: &UnifracArguments,
        format: Option<Format>,
        samples: usize,
        whole: bool,
    ) -> anyhow::Result<Self> {
        let file = match (&choices.out, format) {
            (Some(path), Some(Format::Npy)) => {
                Some(NpyFile::create(path, samples, choices.condensed).with_context(|| at(path))?)
            }
            _ => None,
        };
        Ok(Results { file, matrix: whole.then(|| SquareMatrix::new(samples)) })
    }

    /// Puts files in their places.
    fn finish(
        &mut self,
        choices: &UnifracArguments,
        samples: &[String],
        written: &mut Vec<PathBuf>,
    ) -> anyhow::Result<()> {
        let Some(path) = &choices.out else { return Ok(()) };
        match (self.file.take(), &self.matrix) {
            (Some(file), _) => {
                file.finish().with_context(|| at(path))?;
                let mut names = path.clone().into_os_string();
                names.push(".samples.txt");
                let names = PathBuf::from(names);
                let text: String = samples.iter().map(|sample| format!("{sample}\n")).collect();
                write_atomically(&names, text.as_bytes()).with_context(|| at(&names))?;
                written.extend([path.clone(), names]);
            }
            (None, Some(matrix)) => {
                cohort::write_tsv(path, samples, matrix, choices.condensed).with_context(|| at(path))?;
                written.push(path.clone());
            }
            (None, None) => {}
        }
        Ok(())
    }
}

impl Rows for Results {
    fn take(&mut self, first: usize, width: usize, band: &[f64]) -> std::io::Result<()> {
        self.matrix.iter_mut().try_for_each(|matrix| matrix.take(first, width, band))?;
        self.file.iter_mut().try_for_each(|file| file.take(first, width, band))
    }
}

/// The column that colours the picture.
fn colours(choices: &UnifracArguments, samples: &[String]) -> anyhow::Result<Option<(String, Column)>> {
    let (Some(path), Some(name)) = (&choices.metadata, &choices.colour) else { return Ok(None) };
    let metadata = Metadata::open(path).map_err(CohortError::from)?;
    let column = metadata.column(name, samples).map_err(|mistake| CohortError::from(mistake.of(path)))?;
    Ok(Some((name.clone(), column)))
}

fn draw(
    path: &Path,
    metric: Metric,
    samples: usize,
    ordination: &Ordination,
    colours: &Option<(String, Column)>,
) -> anyhow::Result<()> {
    let named = ordination.coordinates.iter().zip(&ordination.shares).take(3).enumerate();
    let axes = named.map(|(axis, (coordinates, share))| {
        (format!("axis {} ({:.1} %)", axis + 1, 100.0 * share), coordinates.as_slice())
    });
    let coloured = match colours {
        None => Colours::Same,
        Some((name, Column::Numbers(numbers))) => Colours::Numbers(name, numbers),
        Some((_, Column::Classes(names, classes))) => Colours::Classes(names, classes),
    };
    let coloured_by = colours.as_ref().map(|(name, _)| format!(", coloured by {name}")).unwrap_or_default();
    let picture = Samples2d {
        title: format!("UniFrac, {metric}"),
        note: format!("principal coordinates of {samples} samples{coloured_by}"),
        axes: axes.collect(),
        colours: coloured,
    };
    let bytes = draw_samples(&picture)?;
    write_atomically(path, &bytes).with_context(|| at(path))
}
