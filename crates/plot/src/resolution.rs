//! How finely pictures are sampled.

use equation::problem::Problem;
use pinnace::{GridError, GridExtent};

/// Points per coordinate, and values of those that are fixed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Resolution {
    /// Coordinates with their counts.
    stated: Vec<(usize, usize)>,
    /// Coordinates with their values.
    fixed: Vec<(usize, f64)>,
}

/// Why a text states no resolution.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
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
    /// Neither a number of points nor a value.
    #[error(transparent)]
    Extent(#[from] GridError),
    /// All coordinates have a value.
    #[error("every coordinate is fixed: nothing is left to draw along; `pinnace evaluate` prints the values")]
    NothingLeft,
}

impl Resolution {
    /// Reads `t=201,x=512`; coordinates that it does not name follow the problem's test grid, or take 201
    /// points. `x=0.5` fixes a value.
    pub fn parse(problem: &Problem, text: &str) -> Result<Self, ResolutionError> {
        let names = || problem.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str());
        let part = |part: &str| -> Result<(usize, GridExtent), ResolutionError> {
            let pair = part.split_once('=').map(|(name, extent)| (name.trim(), extent.trim()));
            let (name, extent) = pair.ok_or_else(|| ResolutionError::Form {
                part: part.trim().to_owned(),
                example: names().take(2).map(|name| format!("{name}=201")).collect::<Vec<_>>().join(","),
            })?;
            let axis = problem.domain.find(name).ok_or_else(|| ResolutionError::Coordinate {
                name: name.to_owned(),
                known: names().collect::<Vec<_>>().join(", "),
            })?;
            Ok((axis, GridExtent::read(&problem.domain.coordinates[axis], extent)?))
        };
        let mut resolution = Resolution::default();
        for part in text.split(',').map(part) {
            match part? {
                (axis, GridExtent::Count(count)) => resolution.stated.push((axis, count)),
                (axis, GridExtent::At(value)) => resolution.fixed.push((axis, value)),
            }
        }
        let fixed = |axis: usize| resolution.value(axis).is_some();
        if (0..problem.domain.len()).all(fixed) { Err(ResolutionError::NothingLeft) } else { Ok(resolution) }
    }

    /// The value of a coordinate that is fixed.
    pub(super) fn value(&self, axis: usize) -> Option<f64> {
        self.fixed.iter().find(|(coordinate, _)| *coordinate == axis).map(|(_, value)| *value)
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
            (
                "x=1",
                "`x=1`: the points along a coordinate are an integer of at least 2; a single value has a decimal point, such as `x=1.0`",
            ),
            (
                "x=1.5",
                "`x=1.5`: x runs from 0 to 1; the points along a coordinate are an integer, without a decimal point",
            ),
            (
                "t=0,x=1.0,y=0.5",
                "every coordinate is fixed: nothing is left to draw along; `pinnace evaluate` prints the values",
            ),
            ("t=5,z=7", "`z` is no coordinate of this problem: it has t, x, y"),
        ] {
            assert_eq!(Resolution::parse(&problem, text).expect_err("wrong").to_string(), message);
        }
    }
}
