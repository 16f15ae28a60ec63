//! BIOM 1.0: JSON with a sparse or a dense matrix.

use super::Table;
use super::build::Builder;
use super::error::TableMistake;
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use std::fmt;

#[derive(Deserialize)]
struct Document {
    rows: Vec<Named>,
    columns: Vec<Named>,
    matrix_type: Kind,
    shape: (usize, usize),
    data: Numbers,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Sparse,
    Dense,
}

/// Rows of numbers, one behind the other: a list of its own for each of millions would take most of the time.
#[derive(Default)]
struct Numbers {
    numbers: Vec<f64>,
    ends: Vec<usize>,
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut numbers = Numbers::default();
        deserializer.deserialize_seq(Rows(&mut numbers))?;
        Ok(numbers)
    }
}

struct Rows<'n>(&'n mut Numbers);
struct Cells<'n>(&'n mut Numbers);

impl<'de> Visitor<'de> for Rows<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of lists of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while rows.next_element_seed(Cells(self.0))?.is_some() {
            self.0.ends.push(self.0.numbers.len());
        }
        Ok(())
    }
}

impl<'de> serde::de::DeserializeSeed<'de> for Cells<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Cells<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<(), A::Error> {
        while let Some(number) = cells.next_element::<f64>()? {
            self.0.numbers.push(number);
        }
        Ok(())
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Table, TableMistake> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let said = error.to_string();
        // The reader of JSON ends its messages with the place, which ours begin with.
        let why = said.rsplit_once(" at line ").map_or(said.as_str(), |(why, _)| why);
        TableMistake::Json { line, column, why: format!("this is not BIOM 1.0: {why}") }
    })?;
    let (taxa, samples) = (ids(document.rows), ids(document.columns));
    for (part, got, wanted) in
        [("`rows`", taxa.len(), document.shape.0), ("`columns`", samples.len(), document.shape.1)]
    {
        if got != wanted {
            return Err(TableMistake::Length { part, got, wanted });
        }
    }
    let shape = (taxa.len(), samples.len());
    let mut builder = Builder::new(samples, taxa)?;
    let Numbers { numbers, ends } = document.data;
    if document.matrix_type == Kind::Dense && ends.len() != shape.0 {
        return Err(TableMistake::Length { part: "`data`", got: ends.len(), wanted: shape.0 });
    }
    let mut start = 0;
    for (row, end) in ends.into_iter().enumerate() {
        let cells = &numbers[start..end];
        start = end;
        match document.matrix_type {
            Kind::Sparse => {
                let &[taxon, sample, count] = cells else {
                    return Err(TableMistake::Length {
                        part: "an entry of `data`",
                        got: cells.len(),
                        wanted: 3,
                    });
                };
                builder.add(index(taxon, shape.0)?, index(sample, shape.1)?, count)?;
            }
            Kind::Dense if cells.len() == shape.1 => {
                for (sample, count) in cells.iter().enumerate() {
                    builder.add(row, sample, *count)?;
                }
            }
            Kind::Dense => {
                return Err(TableMistake::Length {
                    part: "a row of `data`",
                    got: cells.len(),
                    wanted: shape.1,
                });
            }
        }
    }
    builder.finish()
}

fn ids(named: Vec<Named>) -> Vec<String> {
    named.into_iter().map(|named| named.id).collect()
}

fn index(number: f64, count: usize) -> Result<usize, TableMistake> {
    let index = number as usize;
    if index as f64 == number && index < count {
        Ok(index)
    } else {
        Err(TableMistake::Index { part: "an entry of `data`", got: number as i64, count })
    }
}
