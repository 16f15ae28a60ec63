//! Sequences of DNA in two bits per base.

use crate::few::short;

/// A sequence, packed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sequence {
    /// Four bases per byte, the first one lowest.
    packed: Vec<u8>,
    length: usize,
}

/// A name that is no sequence.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SequenceMistake {
    /// A letter that is no base.
    #[error("taxon {}: `{letter}` at place {place} is no base: A, C, G and T are read", short(taxon))]
    UnknownBase {
        /// The name.
        taxon: String,
        /// The letter.
        letter: char,
        /// Counted from one.
        place: usize,
    },
}

/// The bases, in the order of their numbers.
const BASES: [u8; 4] = *b"ACGT";

impl Sequence {
    /// Reads letters, large or small.
    pub fn parse(name: &str) -> Result<Sequence, SequenceMistake> {
        let mut packed = vec![0; name.len().div_ceil(4)];
        for (place, letter) in name.chars().enumerate() {
            let base = BASES.iter().position(|base| char::from(*base) == letter.to_ascii_uppercase());
            let Some(base) = base else {
                return Err(SequenceMistake::UnknownBase {
                    taxon: name.to_owned(),
                    letter,
                    place: place + 1,
                });
            };
            packed[place / 4] |= (base as u8) << (2 * (place % 4));
        }
        Ok(Sequence { packed, length: name.len() })
    }

    /// Bases.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The number of a base, 0 to 3 for A, C, G and T.
    pub fn base(&self, place: usize) -> u8 {
        self.packed[place / 4] >> (2 * (place % 4)) & 3
    }

    /// As letters.
    pub fn letters(&self) -> String {
        (0..self.length).map(|place| char::from(BASES[usize::from(self.base(place))])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_come_back_as_they_were_and_unknown_bases_are_named_with_their_place() {
        for letters in ["", "A", "ACGT", "TTGCA", "GATTACAGATTACA"] {
            let sequence = Sequence::parse(letters).expect("bases");
            assert_eq!((sequence.letters().as_str(), sequence.len()), (letters, letters.len()));
        }
        assert_eq!(Sequence::parse("acgt"), Sequence::parse("ACGT"));
        let message = Sequence::parse("ACNT").expect_err("N is no base").to_string();
        assert_eq!(message, "taxon `ACNT`: `N` at place 3 is no base: A, C, G and T are read");
        assert!(Sequence::parse("Ä").is_err());
    }
}
