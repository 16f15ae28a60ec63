//! Problems that come with Pinnace, and how a name becomes a problem file.

/// A problem that comes with Pinnace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuiltIn {
    /// What users call it.
    pub name: &'static str,
    /// Its problem file.
    pub text: &'static str,
}

/// All of them, easiest first.
pub const BUILT_IN: [BuiltIn; 3] = [
    BuiltIn { name: "poisson-2d", text: include_str!("../../../examples/01-poisson-2d/problem.toml") },
    BuiltIn { name: "burgers", text: include_str!("../../../examples/02-burgers/problem.toml") },
    BuiltIn { name: "kovasznay", text: include_str!("../../../examples/03-kovasznay/problem.toml") },
];

impl BuiltIn {
    /// The built-in problem of this name.
    pub fn find(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().find(|problem| problem.name == name)
    }

    /// The name most like `name`, if it is like one at all: at most a third of it has to change.
    pub fn nearest(name: &str) -> Option<&'static str> {
        BUILT_IN
            .iter()
            .map(|problem| (edits(name, problem.name), problem.name))
            .min()
            .filter(|(edits, known)| 3 * edits <= known.len() || known.starts_with(name) && name.len() >= 3)
            .map(|(_, known)| known)
    }
}

/// Letters to insert, remove or replace to get from one word to the other (Levenshtein 1966).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (position, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = position + 1;
        for column in 0..to.len() {
            let replaced = diagonal + usize::from(letter != to[column]);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_problem_and_a_strange_one_finds_none() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(BuiltIn::nearest("burger"), Some("burgers"));
        assert_eq!(BuiltIn::nearest("poisson"), Some("poisson-2d"));
        assert_eq!(BuiltIn::nearest("kovaznay"), Some("kovasznay"));
        assert_eq!(BuiltIn::nearest("weather"), None);
        assert_eq!(BuiltIn::nearest(""), None);
    }
}
