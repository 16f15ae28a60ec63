//! Problems that come with Pinnace, and how a name becomes a problem file.

/// A problem that comes with Pinnace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuiltIn {
    /// What it is an example of.
    pub group: Group,
    /// What users call it.
    pub name: &'static str,
    /// Its problem file.
    pub text: &'static str,
    /// The data files that it names, with their contents.
    pub files: &'static [(&'static str, &'static str)],
}

/// What a built-in problem is an example of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// One unknown, no time.
    Steady,
    /// One unknown, in time.
    InTime,
    /// Several unknowns.
    Systems,
    /// Numbers of the equation are inputs, or are to be found.
    Parameters,
}

impl Group {
    /// All of them, as they are listed.
    pub const ALL: [Group; 4] = [Group::Steady, Group::InTime, Group::Systems, Group::Parameters];
}

impl std::fmt::Display for Group {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Group::Steady => "steady",
            Group::InTime => "in time",
            Group::Systems => "systems",
            Group::Parameters => "families and inverse problems",
        })
    }
}

/// A folder of `examples/`: its group, its number, its name, the data files in it.
macro_rules! built_in {
    ($group:ident, $number:literal, $name:literal $(, $file:literal)*) => {
        BuiltIn {
            group: Group::$group,
            name: $name,
            text: include_str!(concat!("../../../examples/", $number, "-", $name, "/problem.toml")),
            files: &[$(($file, include_str!(concat!("../../../examples/", $number, "-", $name, "/", $file)))),*],
        }
    };
}

/// All of them, group by group, easiest first.
pub const BUILT_IN: [BuiltIn; 57] = [
    built_in!(Steady, "01", "poisson-2d"),
    built_in!(Steady, "02", "helmholtz"),
    built_in!(Steady, "03", "poisson-5d"),
    built_in!(Steady, "20", "helmholtz-fine"),
    built_in!(Steady, "21", "poisson-multiscale"),
    built_in!(Steady, "24", "darcy"),
    built_in!(Steady, "26", "electrostatics"),
    built_in!(Steady, "44", "laplace-holes", "reference.csv"),
    built_in!(Steady, "45", "reaction-holes", "reference.csv"),
    built_in!(Steady, "46", "laplace-balls", "reference.csv"),
    built_in!(Steady, "54", "heat-bracket", "bracket.stl", "reference.csv"),
    built_in!(Steady, "49", "l-shape-told"),
    built_in!(Steady, "48", "l-shape"),
    built_in!(Steady, "55", "inclusion"),
    built_in!(Steady, "56", "sphere-potential"),
    built_in!(Steady, "22", "poisson-10d"),
    built_in!(Steady, "23", "poisson-100d"),
    built_in!(InTime, "04", "heat"),
    built_in!(InTime, "53", "heat-plate"),
    built_in!(InTime, "05", "reaction"),
    built_in!(InTime, "06", "klein-gordon"),
    built_in!(InTime, "07", "beam"),
    built_in!(InTime, "29", "burgers-mild"),
    built_in!(InTime, "08", "burgers"),
    built_in!(InTime, "30", "burgers-steep"),
    built_in!(InTime, "09", "wave"),
    built_in!(InTime, "50", "wave-triangle"),
    built_in!(InTime, "10", "convection"),
    built_in!(InTime, "11", "advection"),
    built_in!(InTime, "12", "allen-cahn"),
    built_in!(InTime, "34", "allen-cahn-kink"),
    built_in!(InTime, "13", "kdv"),
    built_in!(InTime, "35", "kdv-cosine"),
    built_in!(InTime, "36", "kuramoto-sivashinsky"),
    built_in!(InTime, "28", "heat-4d"),
    built_in!(Systems, "14", "kovasznay"),
    built_in!(Systems, "47", "couette"),
    built_in!(Systems, "27", "magnetostatics"),
    built_in!(Systems, "33", "conjugate-heat"),
    built_in!(Systems, "40", "cavity-smooth"),
    built_in!(Systems, "41", "cavity-100"),
    built_in!(Systems, "42", "cavity-400"),
    built_in!(Systems, "43", "cavity-1000"),
    built_in!(Systems, "52", "cylinder-flow"),
    built_in!(Systems, "15", "taylor-green"),
    built_in!(Systems, "16", "elasticity"),
    built_in!(Systems, "51", "kirsch"),
    built_in!(Systems, "17", "maxwell"),
    built_in!(Systems, "31", "elastic-wave"),
    built_in!(Systems, "32", "beltrami"),
    built_in!(Systems, "37", "schroedinger"),
    built_in!(Systems, "39", "ginzburg-landau"),
    built_in!(Systems, "38", "gray-scott"),
    built_in!(Parameters, "18", "heat-family"),
    built_in!(Parameters, "58", "annulus-family"),
    built_in!(Parameters, "19", "heat-inverse", "probe.csv"),
    built_in!(Parameters, "25", "darcy-inverse", "wells.csv"),
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
