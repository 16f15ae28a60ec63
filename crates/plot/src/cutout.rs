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
            place
        };
        let (columns, rows) = ((width.round() as usize).max(1), (height.round() as usize).max(1));
        let along = |axis: &Axis, share: f64| axis.bounds().0 + share * (axis.bounds().1 - axis.bounds().0);
        let inside = |index: usize| {
            let (column, row) = ((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
            let (right, above) = (along(x, column / columns as f64), along(y, 1.0 - row / rows as f64));
            geometry.contains(&at(right, above))
        };
        // A piece of the outline for every other pixel: nobody sees more.
        let counts = (columns.div_ceil(2), rows.div_ceil(2));
        let cells = Cells { x: x.bounds(), y: y.bounds(), counts };
        let outline = cells.zeros(|right, above| geometry.signed_distance(&at(right, above)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::{Area, Canvas};
    use crate::{Colour, ColourMap, Map, Samples};
    use equation::parse::parse;

    const DISK: &str = "[domain]\nx = [-1, 1]\ny = [-1, 1]\n[geometry]\nshape = \"disk([0, 0], 1)\"\n[unknowns]\nu = {}\n\
        [equations]\npoisson = \"laplacian(u) = -1\"\n[conditions]\nrim = { on = \"boundary\", equation = \"u = 0\" }\n";

    #[test]
    fn a_map_of_a_disk_is_blank_outside_and_coloured_up_to_the_edge() {
        let problem = parse(DISK).expect("a problem");
        let axis = || Axis::linear("x", -1.0, 1.0);
        let cutout = Cutout::of(&problem, &[0.0, 0.0], (0, 1), (&axis(), &axis()), (200.0, 200.0));
        assert!(cutout.is_some());
        // A coarse grid: between its last numbers and the edge there is more than a pixel.
        let places: Vec<f64> = (0..=20).map(|step| f64::from(step) / 10.0 - 1.0).collect();
        let value = |(x, y): (f64, f64)| if x.hypot(y) <= 1.0 { 1.0 } else { f64::NAN };
        let values = places.iter().flat_map(|&x| places.iter().map(move |&y| (x, y))).map(value).collect();
        let samples = Samples::Grid { xs: places.clone(), ys: places.clone(), values };
        let (range, colours) = (Axis::linear("", 0.0, 1.0), ColourMap::Field);
        let map = Map {
            title: String::new(),
            x: axis(),
            y: axis(),
            samples,
            range,
            colours,
            cutout,
            marks: Vec::new(),
        };
        let mut canvas = Canvas::new(400, 300);
        map.draw(&mut canvas, Area { left: 100.0, top: 50.0, width: 200.0, height: 200.0 });
        let at = |radius: f64, turn: f64| {
            let (sine, cosine) = turn.to_radians().sin_cos();
            canvas.pixel((200.0 + radius * cosine) as usize, (150.0 - radius * sine) as usize)
        };
        for turn in [20.0, 45.0, 110.0, 160.0, 200.0, 250.0, 300.0, 340.0] {
            assert_eq!(at(0.0, turn), ColourMap::Field.colour(1.0));
            assert_eq!(at(96.0, turn), ColourMap::Field.colour(1.0), "inside at {turn}");
            assert_eq!(at(104.0, turn), Colour::WHITE, "outside at {turn}");
            let darkest = (98..=102).map(|radius| at(f64::from(radius), turn).0[1]).min();
            assert!(darkest.is_some_and(|green| green < 120), "there is no outline at {turn}");
        }
    }

    #[test]
    fn a_box_has_no_cutout() {
        let problem =
            parse(&DISK.replace("[geometry]\nshape = \"disk([0, 0], 1)\"\n", "")).expect("a problem");
        let axis = Axis::linear("x", -1.0, 1.0);
        assert_eq!(Cutout::of(&problem, &[0.0, 0.0], (0, 1), (&axis, &axis), (9.0, 9.0)), None);
    }
}
