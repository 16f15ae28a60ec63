//! How finely pictures are sampled.

use equation::problem::Problem;

/// Points per coordinate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resolution {
    /// Coordinates with their counts.
    stated: Vec<(usize, usize)>,
}

/// Why a text states no resolution.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResolutionError {
    /// Not of the form `name=count`.
    #[error("`{part}`: a grid is written as {example}")]
    Form {
        /// As written.
        part: String,
        /// What would do for this problem.
        example: String,
    },
    /// Not a coordinate.
    #[error("`{name}` is no coordinate of this problem: it has {known}")]
    Coordinate {
        /// As written.
        name: String,
        /// The problem's coordinates.
        known: String,
    },
}

impl Resolution {
    /// Reads `t=201,x=512`; coordinates that it does not name follow the problem's test grid, or take 201
    /// points.
    pub fn parse(problem: &Problem, text: &str) -> Result<Self, ResolutionError> {
        let names = || problem.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str());
        let part = |part: &str| {
            let pair = part.split_once('=').and_then(|(name, count)| {
                let count: usize = count.trim().parse().ok().filter(|count| *count >= 2)?;
                Some((name.trim(), count))
            });
            let (name, count) = pair.ok_or_else(|| ResolutionError::Form {
                part: part.trim().to_owned(),
                example: names().take(2).map(|name| format!("{name}=201")).collect::<Vec<_>>().join(","),
            })?;
            let axis = problem.domain.find(name).ok_or_else(|| ResolutionError::Coordinate {
                name: name.to_owned(),
                known: names().collect::<Vec<_>>().join(", "),
            })?;
            Ok((axis, count))
        };
        Ok(Resolution { stated: text.split(',').map(part).collect::<Result<_, _>>()? })
    }

    /// Points along a coordinate: at least two, and no more than a picture can show.
    pub(super) fn count(&self, problem: &Problem, axis: usize) -> usize {
        /// Of coordinates for which nobody states a number.
        const DEFAULT: usize = 201;
        const MOST: usize = 2001;
        let mut stated = self.stated.iter().chain(&problem.reference.grid);
        let count = stated.find(|(coordinate, _)| *coordinate == axis).map(|(_, count)| *count);
        count.unwrap_or(DEFAULT).clamp(2, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::parse::parse;

    #[test]
    fn a_resolution_names_coordinates_and_the_rest_follows_the_test_grid() {
        let text = "[domain]\nt = [0, 1]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n\
            [equations]\nlevel = \"u = 1\"\n[ansatz]\nu = \"N\"\n[reference]\nu = \"1\"\ngrid = { t = 11, x = 12 }\n";
        let problem = parse(text).expect("a problem");
        let resolution = Resolution::parse(&problem, " x = 300 ").expect("a resolution");
        assert_eq!([0, 1, 2].map(|axis| resolution.count(&problem, axis)), [11, 300, 201]);
        for (text, message) in [
            ("x", "`x`: a grid is written as t=201,x=201"),
            ("x=1", "`x=1`: a grid is written as t=201,x=201"),
            ("t=5,z=7", "`z` is no coordinate of this problem: it has t, x, y"),
        ] {
            assert_eq!(Resolution::parse(&problem, text).expect_err("wrong").to_string(), message);
        }
    }
}
