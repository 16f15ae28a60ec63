//! How finely pictures are sampled.

use equation::problem::Problem;

/// Points per coordinate.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Resolution {
    /// Coordinates with their counts; the others follow the problem's test grid, or a default.
    pub stated: Vec<(usize, usize)>,
}

impl Resolution {
    /// Points along a coordinate: at least two, and no more than a picture can show.
    pub(super) fn count(&self, problem: &Problem, axis: usize) -> usize {
        /// Of coordinates for which nobody states a number.
        const DEFAULT: usize = 201;
        const MOST: usize = 2001;
        let stated = self.stated.iter().chain(&problem.reference.grid);
        let count = stated.into_iter().find(|(coordinate, _)| *coordinate == axis).map(|(_, count)| *count);
        count.unwrap_or(DEFAULT).clamp(2, MOST)
    }
}
