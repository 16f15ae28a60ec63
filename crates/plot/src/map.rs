//! A field over two coordinates, as colours.

use super::axis::Axis;
use super::canvas::{Area, Canvas, Pen};
use super::font::Anchor;
use super::frame::{self, Margins, number_face};
use super::samples::{Samples, extrapolate, interpolate};
use super::{Colour, ColourMap, Cutout};

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
    /// Outside of it nothing is drawn; `None` is everywhere.
    pub cutout: Option<Cutout>,
    /// Where regions meet.
    pub interfaces: Vec<Vec<(f64, f64)>>,
    /// Places that are marked.
    pub marks: Vec<(f64, f64)>,
}

/// From the frame to the colour bar, and the bar's width.
const BAR_GAP: f64 = 18.0;
const BAR: f64 = 20.0;

/// Height of the arrow at an end of the colour bar beyond which there are values.
const ARROW: f64 = 14.0;

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
                    let (x, y) = (place(&self.x, right), place(&self.y, 1.0 - down));
                    match &self.cutout {
                        Some(cutout) if !cutout.holds(right, down) => Colour::WHITE,
                        Some(_) => colour(extrapolate(xs, ys, values, x, y)),
                        None => colour(interpolate(xs, ys, values, x, y)),
                    }
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
        if let Some(cutout) = &self.cutout {
            let spot = |&(x, y): &(f64, f64)| {
                (area.left + area.width * self.x.share(x), area.bottom() - area.height * self.y.share(y))
            };
            let outline: Vec<Vec<_>> =
                cutout.outline.iter().map(|path| path.iter().map(spot).collect()).collect();
            canvas.stroke(&outline, Pen::solid(Colour::INK, 1.3), area);
        }
        let spot = |&(x, y): &(f64, f64)| {
            (area.left + area.width * self.x.share(x), area.bottom() - area.height * self.y.share(y))
        };
        let interfaces: Vec<Vec<_>> =
            self.interfaces.iter().map(|path| path.iter().map(spot).collect()).collect();
        for pen in [Pen::solid(Colour::WHITE, 2.8), Pen::solid(Colour::INK, 1.2)] {
            canvas.stroke(&interfaces, pen, area);
        }
        for (pen, width) in [(Colour::INK, MARK.0), (Colour::WHITE, MARK.1)] {
            for &(x, y) in &self.marks {
                let spot =
                    (area.left + area.width * self.x.share(x), area.bottom() - area.height * self.y.share(y));
                canvas.stroke(&[vec![spot]], Pen::solid(pen, width), area);
            }
        }
        frame::draw(canvas, area, &self.x, &self.y);
        frame::draw_title(canvas, area, &self.title);
        self.draw_bar(canvas, Area { left: area.right() + BAR_GAP, width: BAR, ..area });
    }

    /// Whether values lie below and above the colour bar. Errors end somewhere below: of those nothing is said.
    fn beyond(&self) -> (bool, bool) {
        let (Samples::Grid { values, .. } | Samples::Dots { values, .. }) = &self.samples;
        let (low, high) = self.range.bounds();
        let any = |is_beyond: &dyn Fn(f64) -> bool| {
            self.colours != ColourMap::Error
                && values.iter().any(|value| value.is_finite() && is_beyond(*value))
        };
        (any(&|value| value < low), any(&|value| value > high))
    }

    fn draw_bar(&self, canvas: &mut Canvas, bar: Area) {
        canvas.paint(bar, |_, down| self.colours.colour(1.0 - down));
        frame::outline(canvas, bar);
        let (below, above) = self.beyond();
        let (low, high) = (self.colours.colour(0.0), self.colours.colour(1.0));
        // An arrow goes on where the bar ends.
        let arrow = |inside: bool, colour: Colour| if inside { colour } else { Colour::WHITE };
        if above {
            let tip = Area { top: bar.top - ARROW, height: ARROW, ..bar };
            canvas.paint(tip, |right, down| arrow(2.0 * (right - 0.5).abs() <= down, high));
        }
        if below {
            let tip = Area { top: bar.bottom(), height: ARROW, ..bar };
            canvas.paint(tip, |right, down| arrow(2.0 * (right - 0.5).abs() <= 1.0 - down, low));
        }
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
            let over = if above { ARROW } else { 0.0 };
            canvas.text(factor, (bar.left, bar.top - over - numbers.capital()), Anchor::Start, numbers);
        }
    }
}

/// Width of a mark's rim and of its inside, in pixels: one of both stands out from any colour.
const MARK: (f64, f64) = (4.4, 2.4);

/// Width of a dot, in pixels.
const DOT: f64 = 6.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corners_of_a_map_have_the_colours_of_its_corner_values() {
        let axis = || Axis::linear("x", 0.0, 1.0);
        let map = Map {
            title: String::new(),
            x: axis(),
            y: axis(),
            // Constant near the corners, so that their pixels need not be those of the very edge.
            samples: Samples::Grid {
                xs: vec![0.0, 0.2, 0.8, 1.0],
                ys: vec![0.0, 0.2, 0.8, 1.0],
                values: [
                    [0.0, 0.0, 1.0, 1.0],
                    [0.0, 0.0, 1.0, 1.0],
                    [2.0, 2.0, 3.0, 3.0],
                    [2.0, 2.0, f64::NAN, 3.0],
                ]
                .concat(),
            },
            range: Axis::linear("", 0.0, 3.0),
            colours: ColourMap::Field,
            cutout: None,
            interfaces: Vec::new(),
            marks: Vec::new(),
        };
        let mut canvas = Canvas::new(400, 300);
        let area = Area { left: 100.0, top: 50.0, width: 200.0, height: 150.0 };
        map.draw(&mut canvas, area);
        let colour = |value: f64| ColourMap::Field.colour(value / 3.0);
        // To the right is x, upwards is y: the value at (x, y) is 2x + y.
        for ((x, y), expected) in [
            ((103, 196), colour(0.0)),
            ((103, 53), colour(1.0)),
            ((296, 196), colour(2.0)),
            ((296, 53), Colour::MISSING),
        ] {
            let near =
                canvas.pixel(x, y).0.iter().zip(expected.0).all(|(&found, part)| found.abs_diff(part) <= 2);
            assert!(near, "{:?} at {x}, {y} is not {expected:?}", canvas.pixel(x, y));
        }
        assert_eq!(canvas.pixel(99, 10), Colour::WHITE);
    }
}
