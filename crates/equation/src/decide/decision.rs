//! One list of what was chosen, for everybody who tells of it.

use std::fmt::{self, Display, Formatter};

/// Something that the file leaves open and that was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The key with which a problem file states it, such as `network.activation`.
    pub key: String,
    /// The value as a problem file writes it, quotes included.
    pub value: String,
    /// Why, in a plain sentence.
    pub why: String,
}

impl Decision {
    /// A choice and its reason.
    pub fn new(key: impl Into<String>, value: impl Into<String>, why: impl Into<String>) -> Self {
        Decision { key: key.into(), value: value.into(), why: why.into() }
    }

    /// The choice as an override, which states it.
    pub fn stated(&self) -> String {
        format!("{}={}", self.key, self.value)
    }
}

impl Display for Decision {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} = {}: {}", self.key, self.value, self.why)
    }
}

/// All choices, in the order in which they were made. A key that the file states is not among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decisions(Vec<Decision>);

impl Decisions {
    /// Adds choices.
    pub fn extend(&mut self, decisions: impl IntoIterator<Item = Decision>) {
        self.0.extend(decisions);
    }

    /// The choices one after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Decision> {
        self.0.iter()
    }

    /// The choice for a key.
    pub fn find(&self, key: &str) -> Option<&Decision> {
        self.iter().find(|decision| decision.key == key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the file leaves nothing open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'list> IntoIterator for &'list Decisions {
    type Item = &'list Decision;
    type IntoIter = std::slice::Iter<'list, Decision>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A word as a problem file writes it.
pub fn quoted(word: &str) -> String {
    format!("\"{word}\"")
}

/// A name as part of a key: in quotes where it would not be read as one part.
pub fn part(name: &str) -> String {
    let bare = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}
