//! Named tensors and words with a version and a checksum, as the bytes of a safetensors file.

use super::CheckpointFault;
use crate::{Array, StateError};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors, serialize};
use std::collections::{BTreeMap, HashMap};

/// The format that is written, and the highest that is read. From 2 on there may be finished stages, from 3 on tasks of any kind.
pub const VERSION: u64 = 3;

/// What a file calls itself.
const FORMAT: &str = "pinnace checkpoint";

/// Metadata that every file has.
const FORMAT_KEY: &str = "format";
const VERSION_KEY: &str = "version";
const CHECKSUM_KEY: &str = "checksum";

/// Named tensors and words.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bundle {
    /// By name.
    pub words: BTreeMap<String, String>,
    /// By name.
    pub tensors: BTreeMap<String, StoredTensor>,
}

/// Numbers with a shape.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredTensor {
    /// Numbers along every axis.
    pub shape: Vec<usize>,
    /// All of them, the last axis innermost.
    pub array: Array,
}

impl StoredTensor {
    /// A list.
    pub fn list(array: Array) -> Self {
        let length = match &array {
            Array::Numbers(numbers) => numbers.len(),
            Array::Counts(counts) => counts.len(),
        };
        StoredTensor { shape: vec![length], array }
    }

    fn kind(&self) -> Dtype {
        match self.array {
            Array::Numbers(_) => Dtype::F64,
            Array::Counts(_) => Dtype::U64,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match &self.array {
            Array::Numbers(numbers) => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Array::Counts(counts) => counts.iter().flat_map(|count| count.to_le_bytes()).collect(),
        }
    }
}

impl Bundle {
    /// The bytes of a file.
    pub fn encode(&self) -> Result<Vec<u8>, CheckpointFault> {
        let data: BTreeMap<&str, Vec<u8>> =
            self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor.bytes())).collect();
        let mut views = BTreeMap::new();
        for (name, tensor) in &self.tensors {
            let bytes = data.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            views.insert(name.as_str(), TensorView::new(tensor.kind(), tensor.shape.clone(), bytes)?);
        }
        let mut words = self.words.clone();
        words.insert(FORMAT_KEY.to_owned(), FORMAT.to_owned());
        words.insert(VERSION_KEY.to_owned(), VERSION.to_string());
        let checksum = checksum(&words, &views);
        words.insert(CHECKSUM_KEY.to_owned(), format!("{checksum:08x}"));
        Ok(serialize(views, Some(HashMap::from_iter(words)))?)
    }

    /// What a file holds. The version is looked at first: a later one may compute its checksum otherwise.
    pub fn decode(bytes: &[u8]) -> Result<Self, CheckpointFault> {
        let (_, header) = SafeTensors::read_metadata(bytes)?;
        let words = header.metadata().clone().ok_or(CheckpointFault::Foreign)?;
        let mut words = BTreeMap::from_iter(words);
        if words.get(FORMAT_KEY).is_none_or(|format| format != FORMAT) {
            return Err(CheckpointFault::Foreign);
        }
        let version = words
            .get(VERSION_KEY)
            .and_then(|version| version.parse().ok())
            .ok_or(CheckpointFault::Checksum)?;
        if version > VERSION {
            return Err(CheckpointFault::Newer { found: version });
        }
        let views: BTreeMap<String, TensorView<'_>> =
            SafeTensors::deserialize(bytes)?.tensors().into_iter().collect();
        let views: BTreeMap<&str, TensorView<'_>> =
            views.iter().map(|(name, view)| (name.as_str(), view.clone())).collect();
        let stated = words.remove(CHECKSUM_KEY);
        // Who fuzzes wants to get past the checksum, which no random change does.
        if !cfg!(fuzzing) && stated.is_none_or(|stated| stated != format!("{:08x}", checksum(&words, &views)))
        {
            return Err(CheckpointFault::Checksum);
        }
        let tensors = views.iter().map(|(name, view)| Ok(((*name).to_owned(), tensor(name, view)?)));
        Ok(Bundle { words, tensors: tensors.collect::<Result<_, StateError>>()? })
    }
}

fn tensor(name: &str, view: &TensorView<'_>) -> Result<StoredTensor, StateError> {
    let (words, _) = view.data().as_chunks::<8>();
    let array = match view.dtype() {
        Dtype::F64 => Array::Numbers(words.iter().map(|word| f64::from_le_bytes(*word)).collect()),
        Dtype::U64 => Array::Counts(words.iter().map(|word| u64::from_le_bytes(*word)).collect()),
        _ => return Err(StateError::Kind { name: name.to_owned() }),
    };
    Ok(StoredTensor { shape: view.shape().to_vec(), array })
}

/// CRC-32 of all words and tensors with their names and shapes, by name: wherever a bit changes that
/// means something, the sum changes.
fn checksum(words: &BTreeMap<String, String>, tensors: &BTreeMap<&str, TensorView<'_>>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    // Lengths first: two neighbours must not be mistaken for two others with the same letters.
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for (name, word) in words {
        add(name.as_bytes());
        add(word.as_bytes());
    }
    for (name, view) in tensors {
        add(name.as_bytes());
        add(format!("{:?} {:?}", view.dtype(), view.shape()).as_bytes());
        add(view.data());
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Bundle {
        let mut bundle = Bundle::default();
        bundle.words.insert("problem".to_owned(), "burgers".to_owned());
        let weights = Array::Numbers(vec![1.5, -0.0, f64::INFINITY, f64::MIN_POSITIVE, 5e-324, 6.0]);
        bundle.tensors.insert("w".to_owned(), StoredTensor { shape: vec![2, 3], array: weights });
        bundle.tensors.insert("none".to_owned(), StoredTensor::list(Array::Numbers(Vec::new())));
        bundle.tensors.insert("n".to_owned(), StoredTensor::list(Array::Counts(vec![0, u64::MAX])));
        bundle
    }

    #[test]
    fn what_is_written_is_read_bit_for_bit() {
        let bytes = sample().encode().expect("it can be written");
        let mut read = Bundle::decode(&bytes).expect("it can be read");
        assert_eq!(read.words.remove(FORMAT_KEY).as_deref(), Some(FORMAT));
        assert_eq!(read.words.remove(VERSION_KEY), Some(VERSION.to_string()));
        assert_eq!(read, sample());
        let Array::Numbers(numbers) = &read.tensors["w"].array else { panic!("{read:?}") };
        assert!(numbers[1].is_sign_negative());
        assert!(SafeTensors::deserialize(&bytes).is_ok_and(|file| file.len() == 3));
    }

    #[test]
    fn every_flipped_bit_and_every_missing_byte_is_noticed_or_harmless() {
        let (bundle, bytes) = (sample(), sample().encode().expect("it can be written"));
        let whole = Bundle::decode(&bytes).expect("it can be read");
        for length in 0..bytes.len() {
            assert!(Bundle::decode(&bytes[..length]).is_err(), "cut to {length} of {}", bytes.len());
        }
        for bit in 0..8 * bytes.len() {
            let mut edited = bytes.clone();
            edited[bit / 8] ^= 1 << (bit % 8);
            // Blanks of the header may become other blanks.
            assert!(
                Bundle::decode(&edited).is_ok_and(|read| read == whole) || Bundle::decode(&edited).is_err()
            );
        }
        assert_eq!(bundle, sample());
    }

    #[test]
    fn files_of_others_and_of_later_versions_are_told_apart() {
        let foreign = serialize(BTreeMap::<String, TensorView<'_>>::new(), None).expect("it can be written");
        assert!(matches!(Bundle::decode(&foreign), Err(CheckpointFault::Foreign)));
        let bytes = sample().encode().expect("it can be written");
        let mut later = bytes.clone();
        let place =
            bytes.windows(13).position(|part| part == b"\"version\":\"3\"").expect("it has a version");
        later[place + 11] = b'7';
        assert!(matches!(Bundle::decode(&later), Err(CheckpointFault::Newer { found: 7 })));
    }
}
