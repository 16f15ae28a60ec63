//! The first of many names.

use std::fmt;

/// Names that a message lists: the first of them, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Few {
    first: Vec<String>,
    count: usize,
}

impl Few {
    /// How many are shown.
    const SHOWN: usize = 3;

    /// Of all names.
    pub fn of<'names>(names: impl IntoIterator<Item = &'names str>) -> Few {
        let mut few = Few::default();
        names.into_iter().for_each(|name| few.add(name));
        few
    }

    /// One more.
    pub fn add(&mut self, name: &str) {
        if self.count < Few::SHOWN {
            self.first.push(short(name));
        }
        self.count += 1;
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl fmt::Display for Few {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.first.join(", "))?;
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(formatter, " and {more} more"),
        }
    }
}

/// A name in quotes; the middle of long ones, which may be sequences, is left out.
pub(crate) fn short(name: &str) -> String {
    const MOST: usize = 40;
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= MOST {
        return format!("`{name}`");
    }
    let part = |letters: &[char]| letters.iter().collect::<String>();
    format!("`{}…{}`", part(&letters[..MOST - 10]), part(&letters[letters.len() - 8..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_of_many_names_are_shown_and_all_are_counted() {
        let names = ["a", "b", "c", "d", "e"];
        assert_eq!(Few::of(names).to_string(), "`a`, `b`, `c` and 2 more");
        assert_eq!(Few::of(["a"]).to_string(), "`a`");
        let long = "ACGT".repeat(40);
        assert_eq!(short(&long).chars().count(), 30 + 1 + 8 + 2);
    }
}
