//! Solutions as bytes: little-endian, numbers of 8 bytes.

use super::history::{Accuracy, History};
use super::level::Spectrum;
use rustfft::num_complex::Complex64 as Complex;

impl History {
    /// All of it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Accuracy { samples: [rows, columns], steps, by_steps, by_samples, between } = self.accuracy;
        let unknowns = self.levels.first().map_or(0, Vec::len);
        let mut bytes = Vec::new();
        let count = |bytes: &mut Vec<u8>, value: usize| {
            bytes.extend_from_slice(&(value as u64).to_le_bytes());
        };
        for value in [rows, columns, steps, self.levels.len(), unknowns] {
            count(&mut bytes, value);
        }
        for value in [by_steps, by_samples, between, self.times.0, self.times.1] {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        for level in self.levels.iter().flatten() {
            level.reach.iter().for_each(|&reach| count(&mut bytes, reach));
            for mode in &level.modes {
                bytes.extend_from_slice(&mode.re.to_le_bytes());
                bytes.extend_from_slice(&mode.im.to_le_bytes());
            }
        }
        bytes
    }

    /// Back again; `None` for bytes that are no solution.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = Reader(bytes);
        let (rows, columns, steps) = (rest.count()?, rest.count()?, rest.count()?);
        let (levels, unknowns) = (rest.count()?, rest.count()?);
        let (by_steps, by_samples, between) = (rest.number()?, rest.number()?, rest.number()?);
        let times = (rest.number()?, rest.number()?);
        let accuracy = Accuracy { samples: [rows, columns], steps, by_steps, by_samples, between };
        let levels = (0..levels)
            .map(|_| (0..unknowns).map(|_| rest.level()).collect::<Option<Vec<_>>>())
            .collect::<Option<Vec<_>>>()?;
        (rest.0.is_empty() && !levels.is_empty()).then_some(History { times, levels, accuracy })
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<[u8; 8]> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(*word)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.word()?)).ok()
    }

    fn number(&mut self) -> Option<f64> {
        Some(f64::from_le_bytes(self.word()?))
    }

    fn level(&mut self) -> Option<Spectrum> {
        let reach = [self.count()?, self.count()?];
        let columns = reach[1].checked_add(1)?;
        let modes = reach[0].checked_mul(2)?.checked_add(1)?.checked_mul(columns)?;
        if modes.checked_mul(16)? > self.0.len() {
            return None;
        }
        let mode = |reader: &mut Self| Some(Complex::new(reader.number()?, reader.number()?));
        let modes = (0..modes).map(|_| mode(self)).collect::<Option<_>>()?;
        Some(Spectrum { reach, modes })
    }
}
