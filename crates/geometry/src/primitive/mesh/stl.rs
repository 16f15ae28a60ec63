//! STL files, as text or binary.

use super::{MOST_TRIANGLES, MeshError, StlPlace};
use crate::vector::Vector;
use std::collections::HashMap;

/// Bytes before the triangles of a binary file: a title and their number.
const HEADER: usize = 84;

/// Bytes of a triangle in a binary file: a normal, three corners and two bytes for anything.
const RECORD: usize = 50;

/// Cubes of larger coordinates are still numbers.
const LARGEST: f64 = 1e75;

/// Who takes triangles.
type Keep<'k> = dyn FnMut((StlPlace, u32), [Vector; 3]) + 'k;

/// Gives every triangle to `keep`, where it stands, and the number of its `solid`. Returns what these are called; nothing where the file
/// is binary.
pub(super) fn read(bytes: &[u8], keep: &mut Keep<'_>) -> Result<Vec<String>, MeshError> {
    if bytes.is_empty() {
        return Err(MeshError::Empty);
    }
    let declared = bytes.get(HEADER - 4..HEADER).map(|number| u32::from_le_bytes(first(number)));
    let needed = declared.map(|declared| HEADER as u64 + RECORD as u64 * u64::from(declared));
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    match (declared, needed) {
        // First, as titles of binary files may begin with `solid`, too. No text says its own length by chance: letters in
        // the place of the number mean 500 million triangles or more.
        (Some(_), Some(needed)) if needed == bytes.len() as u64 => binary(&bytes[HEADER..], keep),
        (Some(declared), Some(needed)) if !is_text || bytes.contains(&0) => {
            Err(MeshError::Length { declared, needed, bytes: bytes.len() })
        }
        _ if is_text => text(bytes, keep),
        _ => Err(MeshError::Unknown { bytes: bytes.len() }),
    }
}

/// The first four bytes, zeros where there are fewer.
fn first(bytes: &[u8]) -> [u8; 4] {
    let mut four = [0; 4];
    for (to, from) in four.iter_mut().zip(bytes) {
        *to = *from;
    }
    four
}

fn checked(place: StlPlace, value: f64) -> Result<f64, MeshError> {
    if value.abs() <= LARGEST { Ok(value) } else { Err(MeshError::Coordinate { place, value }) }
}

fn binary(records: &[u8], keep: &mut Keep<'_>) -> Result<Vec<String>, MeshError> {
    if records.len() / RECORD > MOST_TRIANGLES {
        return Err(MeshError::TooMany);
    }
    for (index, record) in records.chunks_exact(RECORD).enumerate() {
        let place = StlPlace::Triangle(index + 1);
        let mut corners = [[0.0; 3]; 3];
        for (to, number) in corners.iter_mut().flatten().zip(record[12..].chunks_exact(4)) {
            let value = f64::from(f32::from_le_bytes(first(number)));
            *to = checked(place, value)?;
        }
        keep((place, 0), corners);
    }
    Ok(Vec::new())
}

fn text(bytes: &[u8], keep: &mut Keep<'_>) -> Result<Vec<String>, MeshError> {
    let mut words = Words { rest: bytes, line: 1 };
    let mut triangles = 0;
    let mut within = false;
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut solid = 0;
    loop {
        let word = words.next();
        match word.map(<[u8]>::to_ascii_lowercase).as_deref() {
            Some(b"solid") if !within => {
                within = true;
                let name = String::from_utf8_lossy(words.skip_line()).trim().to_owned();
                // Several of one name are one.
                solid = *known.entry(name.clone()).or_insert_with(|| {
                    names.push(name);
                    names.len() as u32 - 1
                });
            }
            Some(b"endsolid") if within => {
                within = false;
                words.skip_line();
            }
            Some(b"facet") if within => {
                triangles += 1;
                if triangles > MOST_TRIANGLES {
                    return Err(MeshError::TooMany);
                }
                let place = StlPlace::Line(words.line);
                keep((place, solid), facet(&mut words)?);
            }
            None if !within => return Ok(names),
            _ if within => return Err(words.unexpected("`facet` or `endsolid`", word)),
            _ => return Err(words.unexpected("`solid`", word)),
        }
    }
}

/// What follows the word `facet`.
fn facet(words: &mut Words) -> Result<[Vector; 3], MeshError> {
    words.expect("normal", "`normal`")?;
    for _ in 0..3 {
        // Not looked at: the order of the corners says the same, and many programs write zeros or worse.
        if words.next().is_none() {
            return Err(words.unexpected("a number", None));
        }
    }
    words.expect("outer", "`outer`")?;
    words.expect("loop", "`loop`")?;
    let mut corners = [[0.0; 3]; 3];
    for corner in &mut corners {
        words.expect("vertex", "`vertex`")?;
        for value in corner {
            *value = words.number()?;
        }
    }
    words.expect("endloop", "`endloop`")?;
    words.expect("endfacet", "`endfacet`")?;
    Ok(corners)
}

/// Words of a text, and the line they are in.
struct Words<'text> {
    rest: &'text [u8],
    line: usize,
}

impl<'text> Words<'text> {
    fn next(&mut self) -> Option<&'text [u8]> {
        let start = self.rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(self.rest.len());
        self.line += self.rest[..start].iter().filter(|byte| **byte == b'\n').count();
        self.rest = &self.rest[start..];
        let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// What is left of the line.
    fn skip_line(&mut self) -> &'text [u8] {
        let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        line
    }

    fn expect(&mut self, wanted: &str, expected: &'static str) -> Result<(), MeshError> {
        let word = self.next();
        if word.is_some_and(|word| word.eq_ignore_ascii_case(wanted.as_bytes())) {
            Ok(())
        } else {
            Err(self.unexpected(expected, word))
        }
    }

    fn number(&mut self) -> Result<f64, MeshError> {
        let word = self.next();
        let number = word.and_then(|word| std::str::from_utf8(word).ok()).and_then(|word| word.parse().ok());
        match number {
            Some(value) => checked(StlPlace::Line(self.line), value),
            None => Err(self.unexpected("a number", word)),
        }
    }

    fn unexpected(&self, expected: &'static str, word: Option<&[u8]>) -> MeshError {
        /// A word of a file that is no text can be the whole file.
        const SHOWN: usize = 40;
        let found = match word {
            Some(word) => {
                format!("`{}`", String::from_utf8_lossy(&word[..word.len().min(SHOWN)]).escape_debug())
            }
            None => "the end of the file".to_owned(),
        };
        MeshError::Word { line: self.line, expected, found }
    }
}
