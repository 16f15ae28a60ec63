//! Tables of text: a header with the samples, then a line per taxon, cells separated by tabs.

use super::Table;
use super::build::Builder;
use super::error::TableMistake;
use crate::place::Place;

/// What the last column is called where it holds words about a taxon.
const WORDS: [&str; 4] = ["taxonomy", "consensus lineage", "consensuslineage", "lineage"];

/// A line with the byte it begins at and its number, counted from one.
struct TextLine<'t> {
    text: &'t str,
    number: usize,
}

impl TextLine<'_> {
    /// Of the cell that begins at a byte of the line.
    fn place(&self, offset: usize) -> Place {
        Place { line: self.number, column: self.text[..offset].chars().count() + 1 }
    }
}

pub(super) fn read(text: &str) -> Result<Table, TableMistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(place, text)| TextLine { text: text.trim_end_matches('\r'), number: place + 1 })
        .filter(|line| !line.text.trim().is_empty())
        .peekable();
    // Lines of remarks come before the header, which begins with the same sign where QIIME 1 has written it.
    let mut header = None;
    while let Some(line) = lines.next_if(|line| header.is_none() || line.text.starts_with('#')) {
        let is_remark = line.text.starts_with('#') && !line.text.contains('\t');
        if !is_remark {
            header = Some(line);
        }
    }
    let Some(header) = header else { return Err(TableMistake::Empty("lines")) };
    let mut samples: Vec<&str> = header.text.split('\t').skip(1).map(str::trim).collect();
    let wanted = samples.len() + 1;
    if wanted < 2 {
        return Err(TableMistake::Foreign);
    }
    let words = samples.last().is_some_and(|last| WORDS.contains(&last.to_lowercase().as_str()));
    if words {
        samples.pop();
    }
    let lines: Vec<TextLine> = lines.filter(|line| !line.text.starts_with('#')).collect();
    let taxa = lines.iter().map(|line| line.text.split('\t').next().unwrap_or_default().trim().to_owned());
    let count = samples.len();
    let mut builder = Builder::new(samples.into_iter().map(str::to_owned).collect(), taxa.collect())?;
    for (taxon, line) in lines.iter().enumerate() {
        let got = line.text.split('\t').count();
        if got != wanted {
            return Err(TableMistake::Ragged { place: line.place(0), got, wanted });
        }
        let mut offset = 0;
        for (column, cell) in line.text.split('\t').enumerate().take(count + 1) {
            if column > 0 {
                // Most cells are 0, and to read them as numbers takes most of the time.
                let number = if cell == "0" || cell == "0.0" { Ok(0.0) } else { cell.trim().parse::<f64>() };
                let number = number.map_err(|_| {
                    let text = cell.chars().take(40).collect();
                    TableMistake::NotANumber { place: line.place(offset), text }
                })?;
                let added = builder.add(taxon, column - 1, number);
                added.map_err(|mistake| mistake.at(line.place(offset)))?;
            }
            offset += cell.len() + 1;
        }
    }
    builder.finish()
}
