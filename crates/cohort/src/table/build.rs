//! A table in the making: everything is checked here, whatever the file was.

use super::Table;
use super::error::{CountFault, TableMistake};
use crate::few::Few;
use std::collections::HashSet;

pub(super) struct Builder {
    samples: Vec<String>,
    taxa: Vec<String>,
    /// Taxon, sample, count.
    entries: Vec<(u32, u32, u32)>,
    sorted: bool,
}

/// A count as a whole number of reads.
#[inline]
pub(super) fn whole(count: f64) -> Result<u32, CountFault> {
    let whole = count as u32;
    // Also refuses NaN, which is no number's equal.
    if f64::from(whole) == count {
        return Ok(whole);
    }
    Err(if !count.is_finite() {
        CountFault::NotFinite
    } else if count < 0.0 {
        CountFault::Negative
    } else if count > f64::from(u32::MAX) {
        CountFault::TooLarge
    } else {
        CountFault::Fractional
    })
}

/// Refuses names that are empty or there twice, and none at all.
pub(super) fn check_names(what: &'static str, names: &[String]) -> Result<(), TableMistake> {
    if names.is_empty() {
        return Err(TableMistake::Empty(what));
    }
    if u32::try_from(names.len()).is_err() {
        return Err(TableMistake::TooMany(what));
    }
    let one = if what == "samples" { "sample" } else { "taxon" };
    if let Some(place) = names.iter().position(|name| name.trim().is_empty()) {
        return Err(TableMistake::Nameless { what: one, number: place + 1 });
    }
    if let Some(place) = names.iter().position(|name| name.contains(['\t', '\n', '\r'])) {
        return Err(TableMistake::BrokenName { what: one, number: place + 1, name: names[place].clone() });
    }
    let mut seen = HashSet::with_capacity(names.len());
    let mut twice = Few::default();
    names.iter().filter(|name| !seen.insert(name.as_str())).for_each(|name| twice.add(name));
    if twice.count() > 0 { Err(TableMistake::Duplicate { what, names: twice }) } else { Ok(()) }
}

impl Builder {
    pub(super) fn new(samples: Vec<String>, taxa: Vec<String>) -> Result<Builder, TableMistake> {
        check_names("samples", &samples)?;
        check_names("taxa", &taxa)?;
        Ok(Builder { samples, taxa, entries: Vec::new(), sorted: true })
    }

    /// One count; zeros are checked and left out.
    pub(super) fn add(&mut self, taxon: usize, sample: usize, count: f64) -> Result<(), TableMistake> {
        let whole = whole(count).map_err(|fault| {
            let (taxon, sample) = (self.taxa[taxon].clone(), self.samples[sample].clone());
            TableMistake::Count { taxon, sample, place: None, count, fault }
        })?;
        let entry = (taxon as u32, sample as u32, whole);
        if whole > 0 {
            self.sorted &= self.entries.last().is_none_or(|last| (last.0, last.1) < (entry.0, entry.1));
            self.entries.push(entry);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Table, TableMistake> {
        let Builder { samples, taxa, mut entries, sorted } = self;
        if !sorted {
            entries.sort_unstable();
        }
        let twice = entries.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        if let Some([(taxon, sample, _), _]) = twice {
            let (taxon, sample) = (taxa[*taxon as usize].clone(), samples[*sample as usize].clone());
            return Err(TableMistake::TwoCounts { taxon, sample });
        }
        let mut starts = vec![0; taxa.len() + 1];
        entries.iter().for_each(|entry| starts[entry.0 as usize + 1] += 1);
        (0..taxa.len()).for_each(|taxon| starts[taxon + 1] += starts[taxon]);
        let places = entries.iter().map(|entry| entry.1).collect();
        let counts = entries.iter().map(|entry| entry.2).collect();
        Ok(Table { samples, taxa, starts, places, counts })
    }
}
