//! BIOM 2.1: an HDF5 file with a sparse matrix, taxon by taxon.

use super::Table;
use super::build::{check_names, whole};
use super::error::TableMistake;
use hdf5_reader::{Dataset, Hdf5File, OpenOptions};
use rayon::prelude::*;

const TAXA: &str = "/observation/ids";
const SAMPLES: &str = "/sample/ids";
const DATA: &str = "/observation/matrix/data";
const INDICES: &str = "/observation/matrix/indices";
const STARTS: &str = "/observation/matrix/indptr";

/// The first bytes of an HDF5 file.
pub(super) const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Numbers that a part of so many bytes can hold: compressed zeros shrink by three orders, not more.
const EXPANSION: usize = 1100;

/// Parts are unpacked once: nothing is kept for a second reading.
fn options(bytes: usize) -> OpenOptions {
    OpenOptions::default()
        .with_chunk_cache_bytes(0)
        .with_max_read_bytes(bytes.saturating_mul(EXPANSION).max(1 << 16))
        .with_max_chunk_bytes(bytes.saturating_mul(EXPANSION).max(1 << 16))
}

pub(super) fn read(bytes: Vec<u8>) -> Result<Table, TableMistake> {
    let options = options(bytes.len());
    let file = Hdf5File::from_vec_with_options(bytes, options)
        .map_err(|error| TableMistake::Hdf5 { part: "the file", why: error.to_string() })?;
    let taxa = names(&file, TAXA, "taxa")?;
    let samples = names(&file, SAMPLES, "samples")?;
    let starts = indices(&file, STARTS, usize::MAX)?;
    if starts.len() != taxa.len() + 1 {
        return Err(TableMistake::Length { part: STARTS, got: starts.len(), wanted: taxa.len() + 1 });
    }
    let starts: Vec<usize> = starts.into_iter().map(|start| start as usize).collect();
    let filled = starts.last().copied().unwrap_or(0);
    let places = indices(&file, INDICES, samples.len())?;
    let data = numbers(&file, DATA)?;
    for (part, got) in [(INDICES, places.len()), (DATA, data.len())] {
        if got != filled {
            return Err(TableMistake::Length { part, got, wanted: filled });
        }
    }
    if let Some(place) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(TableMistake::Index {
            part: STARTS,
            got: starts[place] as i64,
            count: starts[place + 1],
        });
    }
    if starts[0] != 0 {
        return Err(TableMistake::Index { part: STARTS, got: starts[0] as i64, count: 1 });
    }
    let at = |entry: usize| {
        let taxon = starts.partition_point(|&start| start <= entry) - 1;
        (taxa[taxon].clone(), samples[places[entry] as usize].clone())
    };
    let wrong = data.par_iter().position_first(|count| whole(*count).is_err());
    if let Some((entry, fault)) = wrong.and_then(|entry| whole(data[entry]).err().map(|fault| (entry, fault)))
    {
        let (taxon, sample) = at(entry);
        return Err(TableMistake::Count { taxon, sample, place: None, count: data[entry], fault });
    }
    let counts: Vec<u32> = data.par_iter().map(|count| *count as u32).collect();
    drop(data);
    tidy(Table { samples, taxa, starts, places, counts })
}

/// Sorts the samples of taxa where they are not, leaves out zeros, and refuses two counts of one place. Most files need none of it.
fn tidy(mut table: Table) -> Result<Table, TableMistake> {
    let ascends = |taxon: usize| table.taxon(taxon).0.windows(2).all(|pair| pair[0] < pair[1]);
    let sorted: Vec<bool> = (0..table.taxa.len()).into_par_iter().map(ascends).collect();
    for taxon in (0..table.taxa.len()).filter(|&taxon| !sorted[taxon]) {
        let range = table.starts[taxon]..table.starts[taxon + 1];
        let (places, counts) = table.taxon(taxon);
        let mut entries: Vec<(u32, u32)> = places.iter().copied().zip(counts.iter().copied()).collect();
        entries.sort_unstable();
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (taxon, sample) = (table.taxa[taxon].clone(), table.samples[pair[0].0 as usize].clone());
            return Err(TableMistake::TwoCounts { taxon, sample });
        }
        for (at, (place, count)) in range.zip(entries) {
            (table.places[at], table.counts[at]) = (place, count);
        }
    }
    if !table.counts.contains(&0) {
        return Ok(table);
    }
    let Table { samples, taxa, starts, places, counts } = table;
    let kept: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] > 0).collect();
    let starts = starts.iter().map(|&start| kept.partition_point(|&at| at < start)).collect();
    let (places, counts) = kept.iter().map(|&at| (places[at], counts[at])).unzip();
    Ok(Table { samples, taxa, starts, places, counts })
}

fn dataset(file: &Hdf5File, part: &'static str) -> Result<Dataset, TableMistake> {
    file.dataset(part).map_err(|error| TableMistake::Hdf5 { part, why: error.to_string() })
}

fn names(file: &Hdf5File, part: &'static str, what: &'static str) -> Result<Vec<String>, TableMistake> {
    let names = dataset(file, part)?;
    // Without any names there is nothing that they could be texts of: files have numbers there then.
    if names.num_elements().is_ok_and(|count| count == 0) {
        return Err(TableMistake::Empty(what));
    }
    let names = names.read_strings().map_err(|error| TableMistake::Hdf5 { part, why: error.to_string() })?;
    check_names(what, &names)?;
    Ok(names)
}

/// Whole numbers from 0 to `end`, which itself is none of them.
fn indices(file: &Hdf5File, part: &'static str, end: usize) -> Result<Vec<u32>, TableMistake> {
    let dataset = dataset(file, part)?;
    let cause = |error: hdf5_reader::error::Error| TableMistake::Hdf5 { part, why: error.to_string() };
    let limit = u32::try_from(end).unwrap_or(u32::MAX);
    let wrong = |got: i64| TableMistake::Index { part, got, count: end.min(u32::MAX as usize) };
    if let Ok(array) = dataset.read_array_parallel::<i32>() {
        let (numbers, _) = array.into_raw_vec_and_offset();
        return match numbers.par_iter().find_first(|&&number| number < 0 || number as u32 >= limit) {
            Some(&number) => Err(wrong(i64::from(number))),
            None => Ok(numbers.into_iter().map(|number| number as u32).collect()),
        };
    }
    let (numbers, _) = dataset.read_array_parallel::<i64>().map_err(cause)?.into_raw_vec_and_offset();
    let index =
        |number: i64| u32::try_from(number).ok().filter(|&index| index < limit).ok_or_else(|| wrong(number));
    numbers.into_iter().map(index).collect()
}

fn numbers(file: &Hdf5File, part: &'static str) -> Result<Vec<f64>, TableMistake> {
    let dataset = dataset(file, part)?;
    if let Ok(array) = dataset.read_array_parallel::<f64>() {
        return Ok(array.into_raw_vec_and_offset().0);
    }
    if let Ok(array) = dataset.read_array_parallel::<i32>() {
        return Ok(array.into_iter().map(f64::from).collect());
    }
    if let Ok(array) = dataset.read_array_parallel::<i64>() {
        return Ok(array.into_iter().map(|number| number as f64).collect());
    }
    let array = dataset.read_array_parallel::<f32>();
    let array = array.map_err(|error| TableMistake::Hdf5 { part, why: error.to_string() })?;
    Ok(array.into_iter().map(f64::from).collect())
}
