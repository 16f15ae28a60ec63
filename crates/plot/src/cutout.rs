//! The part of a map in which there is anything, where a problem is about a shape.

use super::axis::Axis;
use super::contour::Cells;
use equation::problem::Problem;

/// What of a map lies inside a shape, and the outline of that.
#[derive(Clone, PartialEq, Debug)]
pub struct Cutout {
    /// Cells in a row.
    columns: usize,
    /// Whether the middle of a cell lies inside, row by row from the top.
    inside: Vec<bool>,
    /// Short straight pieces of the outline, between places.
    pub(super) outline: Vec<Vec<(f64, f64)>>,
}

impl Cutout {
    /// The slice of a problem's shape through `place` over two coordinates, for a frame of so many pixels; `None` where there is no
    /// shape.
    pub(super) fn of(
        problem: &Problem,
        place: &[f64],
        (across, up): (usize, usize),
        (x, y): (&Axis, &Axis),
        (width, height): (f64, f64),
    ) -> Option<Cutout> {
        let geometry = problem.domain.geometry.as_ref()?;
        let at = |right: f64, above: f64| {
            let mut place = place.to_vec();
            (place[across], place[up]) = (right, above);
            geometry.space(&place)
        };
        let (columns, rows) = ((width.round() as usize).max(1), (height.round() as usize).max(1));
        let along = |axis: &Axis, share: f64| axis.bounds().0 + share * (axis.bounds().1 - axis.bounds().0);
        let inside = |index: usize| {
            let (column, row) = ((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
            let (right, above) = (along(x, column / columns as f64), along(y, 1.0 - row / rows as f64));
            geometry.solid.contains(&at(right, above))
        };
        // A piece of the outline for every other pixel: nobody sees more.
        let counts = (columns.div_ceil(2), rows.div_ceil(2));
        let cells = Cells { x: x.bounds(), y: y.bounds(), counts };
        let outline = cells.zeros(|right, above| geometry.solid.signed_distance(&at(right, above)));
        Some(Cutout {
            columns,
            inside: (0..columns * rows).map(inside).collect(),
            outline: outline.into_iter().map(|ends| ends.to_vec()).collect(),
        })
    }

    /// Whether the spot at these shares of the way to the right and down lies inside.
    pub(super) fn holds(&self, right: f64, down: f64) -> bool {
        let rows = self.inside.len() / self.columns;
        let cell = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        self.inside[cell(down, rows) * self.columns + cell(right, self.columns)]
    }
}
