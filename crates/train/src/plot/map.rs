//! A field over two coordinates, as colours.

use super::axis::Axis;
use super::canvas::{Area, Canvas, Pen};
use super::font::Anchor;
use super::frame::{self, Margins, number_face};
use super::{Colour, ColourMap};

/// A field over two coordinates.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Written above.
    pub title: String,
    /// The coordinate to the right.
    pub x: Axis,
    /// The coordinate upwards.
    pub y: Axis,
    /// Where the field has which value.
    pub samples: Samples,
    /// The numbers along the colour bar.
    pub range: Axis,
    /// Their colours.
    pub colours: ColourMap,
}

/// Values of a field. What is no number is grey.
#[derive(Clone, PartialEq, Debug)]
pub enum Samples {
    /// On a grid, interpolated between its points.
    Grid {
        /// Places along the first axis, ascending.
        xs: Vec<f64>,
        /// Places along the second axis, ascending.
        ys: Vec<f64>,
        /// The value at `(xs[i], ys[j])` is at `i * ys.len() + j`.
        values: Vec<f64>,
    },
    /// At points, each drawn as a dot.
    Dots {
        /// The points.
        places: Vec<(f64, f64)>,
        /// One for each point.
        values: Vec<f64>,
    },
}

impl Samples {
    /// All values.
    pub fn values(&self) -> &[f64] {
        match self {
            Samples::Grid { values, .. } | Samples::Dots { values, .. } => values,
        }
    }
}

/// From the frame to the colour bar, and the bar's width.
const BAR_GAP: f64 = 18.0;
const BAR: f64 = 20.0;

impl Map {
    pub(super) fn margins(&self, size: (f64, f64)) -> Margins {
        let numbers = number_face();
        let ticks = self.range.ticks_upwards(size.1, numbers);
        let labels = ticks.labelled.iter().map(|(_, label)| label).chain(&ticks.factor);
        let widest = labels.map(|label| numbers.width(label)).fold(0.0, f64::max);
        let own = frame::margins(&self.x, &self.y, &self.title, size);
        Margins { right: own.right.max(BAR_GAP + BAR + 12.0 + widest), ..own }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Area) {
        let shades = self.colours.table();
        let colour = |value: f64| match self.range.share(value) {
            share if share.is_nan() || value.is_infinite() => Colour::MISSING,
            share => shades[(share.clamp(0.0, 1.0) * (shades.len() - 1) as f64).round() as usize],
        };
        match &self.samples {
            Samples::Grid { xs, ys, values } => {
                canvas.paint(area, |right, down| {
                    let place = |axis: &Axis, share: f64| {
                        let (low, high) = axis.bounds();
                        low + share * (high - low)
                    };
                    colour(interpolate(xs, ys, values, place(&self.x, right), place(&self.y, 1.0 - down)))
                });
            }
            Samples::Dots { places, values } => {
                for (&(x, y), &value) in places.iter().zip(values) {
                    let spot = (
                        area.left + area.width * self.x.share(x),
                        area.bottom() - area.height * self.y.share(y),
                    );
                    canvas.stroke(&[vec![spot]], Pen::solid(colour(value), DOT), area);
                }
            }
        }
        frame::draw(canvas, area, &self.x, &self.y, &self.title);
        self.draw_bar(canvas, Area { left: area.right() + BAR_GAP, width: BAR, ..area });
    }

    fn draw_bar(&self, canvas: &mut Canvas, bar: Area) {
        canvas.paint(bar, |_, down| self.colours.colour(1.0 - down));
        frame::outline(canvas, bar);
        let numbers = number_face();
        let ticks = self.range.ticks_upwards(bar.height, numbers);
        let row = |value: f64| bar.bottom() - bar.height * self.range.share(value);
        for (value, label) in &ticks.labelled {
            frame::tick(canvas, (bar.right(), row(*value)), (5.0, 0.0));
            let place = (bar.right() + 10.0, row(*value) + numbers.capital() / 2.0);
            canvas.text(label, place, Anchor::Start, numbers);
        }
        for &value in &ticks.minor {
            frame::tick(canvas, (bar.right(), row(value)), (2.5, 0.0));
        }
        if let Some(factor) = &ticks.factor {
            canvas.text(factor, (bar.left, bar.top - numbers.capital()), Anchor::Start, numbers);
        }
    }
}

/// Width of a dot, in pixels.
const DOT: f64 = 6.0;

/// The value at a place, by the nearest four of a grid; NaN where one of them that counts is none.
fn interpolate(xs: &[f64], ys: &[f64], values: &[f64], x: f64, y: f64) -> f64 {
    let ((left, right, across), (below, above, up)) = match (bracket(xs, x), bracket(ys, y)) {
        (Some(columns), Some(rows)) => (columns, rows),
        _ => return f64::NAN,
    };
    let value = |column: usize, row: usize| values.get(column * ys.len() + row).copied().unwrap_or(f64::NAN);
    // A weight of zero takes no part: 0 times NaN would be NaN.
    let mix = |start: f64, end: f64, share: f64| match share {
        0.0 => start,
        1.0 => end,
        _ => start + share * (end - start),
    };
    let lower = mix(value(left, below), value(right, below), across);
    let upper = mix(value(left, above), value(right, above), across);
    mix(lower, upper, up)
}

/// The neighbours of `place` and its share of the way between them.
fn bracket(places: &[f64], place: f64) -> Option<(usize, usize, f64)> {
    let last = places.len().checked_sub(1)?;
    let after = places.partition_point(|&other| other <= place).clamp(1, last.max(1)).min(last);
    let before = after.saturating_sub(1);
    let width = places[after] - places[before];
    let share = if width > 0.0 { ((place - places[before]) / width).clamp(0.0, 1.0) } else { 0.0 };
    Some((before, after, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_between_grid_points_are_interpolated_and_ends_are_exact() {
        let (xs, ys, values) = ([0.0, 1.0, 3.0], [0.0, 2.0], [0.0, 2.0, 10.0, 12.0, 30.0, 32.0]);
        let at = |x, y| interpolate(&xs, &ys, &values, x, y);
        assert_eq!([at(0.0, 0.0), at(3.0, 2.0), at(3.0, 0.0)], [0.0, 32.0, 30.0]);
        assert_eq!([at(0.5, 1.0), at(2.0, 0.0), at(-9.0, 9.0)], [6.0, 20.0, 2.0]);
    }

    #[test]
    fn a_hole_spreads_to_its_own_cells_only() {
        let (xs, ys, values) = ([0.0, 1.0, 2.0], [0.0], [f64::NAN, 1.0, 2.0]);
        let at = |x| interpolate(&xs, &ys, &values, x, 0.0);
        assert!(at(0.5).is_nan() && at(0.0).is_nan());
        assert_eq!([at(1.0), at(1.5)], [1.0, 1.5]);
        assert!(interpolate(&[], &[], &[], 0.0, 0.0).is_nan());
    }
}
