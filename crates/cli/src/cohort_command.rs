//! `pinnace cohort`: tables, trees and metadata, shown, drawn from, made up.

use crate::args::{CohortCommand, CohortRarefy, CohortShow, CohortSynthesize};
use crate::exit::{self, Usage};
use crate::unifrac::{say_shallow, warn};
use cohort::synthesize::Recipe;
use cohort::{CohortError, Column, Description, Metadata, Missing, Phylogeny, Table, Tree, describe, rarefy};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use store::Cache;

pub(crate) fn cohort_command(choices: &CohortCommand, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    match choices {
        CohortCommand::Show(choices) => show(choices, output),
        CohortCommand::Rarefy(choices) => draw(choices, output),
        CohortCommand::Synthesize(choices) => synthesize(choices, output),
    }
}

fn open(path: &Path) -> Result<Table, CohortError> {
    Ok(Table::open(path, &Cache::of_user("tables"))?)
}

fn show(choices: &CohortShow, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let table = open(&choices.table)?;
    let tree = choices.tree.as_deref().map(Tree::open).transpose().map_err(CohortError::from)?;
    let described = describe(&table, tree.as_ref());
    if let (true, Err(mistake)) = (choices.sequences, &described.sequences) {
        return Err(CohortError::from(mistake.clone()).into());
    }
    let columns = columns(choices, &table)?;
    let samples = table.samples().len();
    let not_in_tree = match &tree {
        Some(tree) => {
            let (_, phylogeny, lost) =
                Phylogeny::of(table, tree, Missing::Drop).map_err(CohortError::from)?;
            Some((lost, phylogeny.branches().len()))
        }
        None => None,
    };
    if choices.json {
        let value = json!({
            "samples": described.samples, "taxa": described.taxa, "filled": described.filled, "reads": described.reads,
            "taxa_per_sample": described.richness, "samples_without_reads": described.empty_samples,
            "bases": described.sequences.as_ref().ok(),
            "tree": described.tree.as_ref().map(|tree| json!({
                "tips": tree.tips, "nodes": tree.nodes, "length": tree.length, "without_length": tree.without_length,
            })),
            "taxa_not_in_tree": not_in_tree.as_ref().map(|(lost, _)| lost.count()),
            "branches": not_in_tree.as_ref().map(|(_, branches)| branches),
            "columns": columns.iter().map(|(name, kind)| json!({ "name": name, "kind": kind })).collect::<Vec<_>>(),
        });
        writeln!(output, "{value}")?;
        return Ok(exit::DONE);
    }
    write_description(&described, output)?;
    if let Some((lost, branches)) = not_in_tree {
        match lost.count() {
            0 => writeln!(output, "  in both     all taxa are tips; {branches} branches above them")?,
            count => writeln!(output, "  in both     {count} taxa are not in the tree: {lost}")?,
        }
    }
    if !columns.is_empty() {
        writeln!(output, "  metadata    all {samples} samples are there")?;
        for (name, kind) in columns {
            writeln!(output, "              {name}: {kind}")?;
        }
    }
    Ok(exit::DONE)
}

fn write_description(described: &Description, output: &mut impl Write) -> anyhow::Result<()> {
    let Description { samples, taxa, filled, reads, richness, empty_samples, sequences, tree } = described;
    let share = 100.0 * *filled as f64 / (*samples as f64 * *taxa as f64);
    writeln!(output, "  table       {samples} samples, {taxa} taxa, {filled} counts ({share:.2} % of all)")?;
    writeln!(output, "  reads       {} to {} per sample, {} in the middle", reads[0], reads[2], reads[1])?;
    if *empty_samples > 0 {
        writeln!(output, "              {empty_samples} samples have none")?;
    }
    writeln!(
        output,
        "  taxa        {} to {} per sample, {} in the middle",
        richness[0], richness[2], richness[1]
    )?;
    match sequences {
        Ok((low, high)) if low == high => writeln!(output, "  sequences   {low} bases each")?,
        Ok((low, high)) => writeln!(output, "  sequences   {low} to {high} bases: reads of mixed lengths")?,
        Err(_) => writeln!(output, "  sequences   names of taxa are no sequences")?,
    }
    if let Some(tree) = tree {
        writeln!(
            output,
            "  tree        {} tips, {} nodes, {:.4} long in all",
            tree.tips, tree.nodes, tree.length
        )?;
        if tree.without_length > 0 {
            writeln!(
                output,
                "              {} branches have no length: they count as 0",
                tree.without_length
            )?;
        }
    }
    Ok(())
}

/// Names and kinds of the columns; the target is checked.
fn columns(choices: &CohortShow, table: &Table) -> Result<Vec<(String, String)>, CohortError> {
    let Some(path) = &choices.metadata else { return Ok(Vec::new()) };
    let metadata = Metadata::open(path)?;
    if let Some(target) = &choices.target {
        metadata.numbers(target, table.samples()).map_err(|mistake| mistake.of(path))?;
    }
    let kind = |name: &String| match metadata.column(name, table.samples()) {
        Ok(Column::Numbers(numbers)) => {
            let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            format!("numbers from {low} to {high}")
        }
        Ok(Column::Classes(classes, _)) => format!("{} classes", classes.len()),
        Err(mistake) => format!("not usable for all samples: {mistake}"),
    };
    let lost = metadata.missing(table.samples());
    if lost.count() > 0 {
        return Err(cohort::MetadataMistake::NoSample { samples: lost }.of(path).into());
    }
    Ok(metadata.columns().iter().map(|name| (name.clone(), kind(name))).collect())
}

fn draw(choices: &CohortRarefy, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let is_text = match choices.out.extension().and_then(|ending| ending.to_str()) {
        Some("biom") => false,
        Some("tsv" | "txt") => true,
        _ => return Err(Usage(format!("{}: --out ends with .biom or .tsv", choices.out.display())).into()),
    };
    let table = open(&choices.table)?;
    let samples = table.samples().len();
    let (table, lost) =
        rarefy(table, choices.depth, (choices.seed, choices.draw), choices.shallow.into(), false)
            .map_err(CohortError::from)?;
    say_shallow(&lost, samples, choices.depth);
    match is_text {
        true => table.write_text(&choices.out),
        false => table.write_biom(&choices.out),
    }
    .map_err(CohortError::from)?;
    let (samples, taxa) = (table.samples().len(), table.taxa().len());
    writeln!(output, "{samples} samples of {} reads, {taxa} taxa", choices.depth)?;
    writeln!(output, "wrote {}", choices.out.display())?;
    Ok(exit::DONE)
}

fn synthesize(choices: &CohortSynthesize, output: &mut impl Write) -> anyhow::Result<ExitCode> {
    let &CohortSynthesize { samples, taxa, bases, depth, breadth, noise, seed, .. } = choices;
    let recipe = Recipe { samples, taxa, bases, depth, breadth, noise, seed };
    let made = recipe.make().map_err(CohortError::from)?;
    let written = made.write(&choices.out).map_err(CohortError::from)?;
    let unread = taxa - made.table.taxa().len();
    if unread > 0 && !choices.json {
        warn(&format!("{unread} of {taxa} taxa have no reads: they are in the tree, not in the table"));
    }
    if choices.json {
        let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
        writeln!(
            output,
            "{}",
            json!({
                "samples": samples, "taxa": made.table.taxa().len(), "filled": made.table.filled(),
                "best_possible_error": made.bound, "informed_error": made.informed, "written": written,
            })
        )?;
        return Ok(exit::DONE);
    }
    write_description(&describe(&made.table, Some(&made.tree)), output)?;
    writeln!(
        output,
        "  target      `age`; the best possible error is {:.3} (root mean square), {:.3} for who knows all but the scatter",
        made.bound, made.informed
    )?;
    for path in written {
        writeln!(output, "wrote {}", path.display())?;
    }
    Ok(exit::DONE)
}
