//! What a method must not forget between two steps, as named arrays.

use std::collections::BTreeMap;

/// Named arrays of numbers and counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    arrays: BTreeMap<String, Array>,
}

/// One of them.
#[derive(Clone, PartialEq, Debug)]
pub enum Array {
    /// Numbers, kept bit for bit.
    Numbers(Vec<f64>),
    /// Counters, positions, yes or no.
    Counts(Vec<u64>),
}

/// Why a state does not fit the one who is to continue from it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StateError {
    /// There is no such array.
    #[error("`{name}` is missing")]
    Missing {
        /// Which array.
        name: String,
    },
    /// It holds the other kind of numbers.
    #[error("`{name}` holds another kind of numbers")]
    Kind {
        /// Which array.
        name: String,
    },
    /// It has another length.
    #[error("`{name}` has {found} numbers where {expected} are needed")]
    Length {
        /// Which array.
        name: String,
        /// What is needed.
        expected: usize,
        /// What there is.
        found: usize,
    },
    /// A value that cannot be.
    #[error("`{name}` holds a value that cannot be")]
    Value {
        /// Which array.
        name: String,
    },
}

impl State {
    /// Nothing.
    pub const fn new() -> Self {
        State { arrays: BTreeMap::new() }
    }

    /// Adds an array of numbers.
    pub fn with_numbers(mut self, name: &str, numbers: impl Into<Vec<f64>>) -> Self {
        self.insert(name.to_owned(), Array::Numbers(numbers.into()));
        self
    }

    /// Adds an array of counts.
    pub fn with_counts(mut self, name: &str, counts: impl Into<Vec<u64>>) -> Self {
        self.insert(name.to_owned(), Array::Counts(counts.into()));
        self
    }

    /// Adds an array, in place of the one of that name.
    pub fn insert(&mut self, name: String, array: Array) {
        self.arrays.insert(name, array);
    }

    /// Whether there is nothing to remember.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// All arrays, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Array)> {
        self.arrays.iter().map(|(name, array)| (name.as_str(), array))
    }

    /// The numbers of that name, whatever their length.
    pub fn numbers(&self, name: &str) -> Result<&[f64], StateError> {
        match self.arrays.get(name) {
            Some(Array::Numbers(numbers)) => Ok(numbers),
            Some(Array::Counts(_)) => Err(StateError::Kind { name: name.to_owned() }),
            None => Err(StateError::Missing { name: name.to_owned() }),
        }
    }

    /// The counts of that name, whatever their length.
    pub fn counts(&self, name: &str) -> Result<&[u64], StateError> {
        match self.arrays.get(name) {
            Some(Array::Counts(counts)) => Ok(counts),
            Some(Array::Numbers(_)) => Err(StateError::Kind { name: name.to_owned() }),
            None => Err(StateError::Missing { name: name.to_owned() }),
        }
    }

    /// The numbers of that name, `expected` of them.
    pub fn sized(&self, name: &str, expected: usize) -> Result<&[f64], StateError> {
        let numbers = self.numbers(name)?;
        let found = numbers.len();
        if found == expected {
            Ok(numbers)
        } else {
            Err(StateError::Length { name: name.to_owned(), expected, found })
        }
    }

    /// The only number of that name.
    pub fn number(&self, name: &str) -> Result<f64, StateError> {
        Ok(self.sized(name, 1)?[0])
    }

    /// The only count of that name.
    pub fn count(&self, name: &str) -> Result<u64, StateError> {
        match *self.counts(name)? {
            [count] => Ok(count),
            ref other => Err(StateError::Length { name: name.to_owned(), expected: 1, found: other.len() }),
        }
    }

    /// The only count of that name, where it is at most `most`.
    pub fn count_up_to(&self, name: &str, most: usize) -> Result<usize, StateError> {
        let value = || StateError::Value { name: name.to_owned() };
        let count = usize::try_from(self.count(name)?).map_err(|_| value())?;
        if count <= most { Ok(count) } else { Err(value()) }
    }
}
