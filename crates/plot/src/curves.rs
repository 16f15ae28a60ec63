//! Curves over one coordinate.

use super::Colour;
use super::axis::Axis;
use super::canvas::{Area, Canvas, Pen, Spot};
use super::font::{Anchor, Face};
use super::frame::{self, Margins, number_face};

/// Curves with common axes.
#[derive(Clone, PartialEq, Debug)]
pub struct Curves {
    /// Written above.
    pub title: String,
    /// The axis to the right.
    pub x: Axis,
    /// The axis upwards.
    pub y: Axis,
    /// Later ones lie above earlier ones.
    pub curves: Vec<Curve>,
    /// Places along the first axis where something begins, with its name.
    pub marks: Vec<(f64, String)>,
    /// Whether the names of the curves are listed beside the panel.
    pub legend: bool,
}

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Points in order; the curve is broken where one has no place.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub pen: Pen,
}

/// Length of the piece of a curve in a legend, and room around it.
const SAMPLE: f64 = 42.0;
const GAP: f64 = 12.0;

/// Curves of at most so many points show them.
const FEW: usize = 40;

/// From one line of a legend to the next.
const LINE: f64 = 27.0;

/// Entries of a legend are at most this wide, in pixels.
const WIDEST: f64 = 260.0;

impl Curves {
    pub(super) fn margins(&self, size: (f64, f64)) -> Margins {
        let own = frame::margins(&self.x, &self.y, &self.title, size);
        let names =
            self.entries(size.1).iter().map(|(name, _)| number_face().width(name)).fold(0.0, f64::max);
        let legend = if names > 0.0 { 2.0 * GAP + SAMPLE + names.min(WIDEST) } else { 0.0 };
        Margins { right: own.right.max(legend), top: own.top + self.room_for_marks(), ..own }
    }

    /// Height of the line between title and frame that names the marks.
    fn room_for_marks(&self) -> f64 {
        if self.marks.is_empty() { 0.0 } else { 24.0 }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Area) {
        frame::draw_grid(canvas, area, &self.x, &self.y);
        self.draw_marks(canvas, area);
        for curve in &self.curves {
            let path = self.path(curve, area);
            // Thinned as a whole, a break between spots of one column would be lost.
            let pieces: Vec<&[Spot]> = path.split(|spot| spot.1.is_nan()).collect();
            let few = path.len() <= FEW && curve.pen.dash.is_none();
            let shown = pieces.iter().filter(|piece| few || piece.len() == 1).copied().flatten();
            let dots: Vec<Vec<Spot>> =
                shown.filter(|spot| area.holds(**spot)).map(|&spot| vec![spot]).collect();
            canvas.stroke(&dots, Pen { width: 3.0 * curve.pen.width, ..curve.pen }, canvas.area());
            let lines: Vec<Vec<Spot>> = pieces.into_iter().map(thinned).collect();
            canvas.stroke(&lines, curve.pen, area);
        }
        frame::draw(canvas, area, &self.x, &self.y);
        frame::draw_title(canvas, Area { top: area.top - self.room_for_marks(), ..area }, &self.title);
        for (line, (name, pen)) in self.entries(area.height).iter().enumerate() {
            let place = (area.right() + GAP, area.top + GAP + line as f64 * LINE);
            draw_entry(canvas, place, name, *pen);
        }
    }

    /// The curve's points on the canvas, none far outside of the frame.
    fn path(&self, curve: &Curve, area: Area) -> Vec<Spot> {
        let near = |share: f64| if share.is_nan() { share } else { share.clamp(-1.0, 2.0) };
        let spot = |&(x, y): &(f64, f64)| {
            let (right, up) = (near(self.x.share(x)), near(self.y.share(y)));
            (area.left + area.width * right, area.bottom() - area.height * up)
        };
        curve.points.iter().map(spot).collect()
    }

    fn draw_marks(&self, canvas: &mut Canvas, area: Area) {
        // More of them are drawn thinner: they would cover the curves.
        const FEW: usize = 8;
        let width = if self.marks.len() > FEW { 0.75 } else { 1.5 };
        let face = Face::regular(17.0, Colour::GREY);
        let place = |value: f64| area.left + area.width * self.x.share(value);
        let mut free = f64::NEG_INFINITY;
        for (number, (value, name)) in self.marks.iter().enumerate() {
            let left = place(*value);
            if left > area.left + 1.0 {
                let pen = Pen::dashed(Colour::GREY, width);
                canvas.stroke(&[vec![(left, area.top), (left, area.bottom())]], pen, area);
            }
            let end = self.marks.get(number + 1).map_or(area.right(), |(next, _)| place(*next));
            let middle = (left + end) / 2.0;
            // A phase of a few steps has no room for its name.
            let half = face.width(name) / 2.0;
            if middle - half >= free && 2.0 * half <= end - left + 40.0 {
                canvas.text(name, (middle, area.top - 9.0), Anchor::Middle, face);
                free = middle + half + 10.0;
            }
        }
    }

    /// The lines of the legend that have room in `height` pixels.
    fn entries(&self, height: f64) -> Vec<(String, Pen)> {
        if !self.legend {
            return Vec::new();
        }
        let room = ((height / LINE) as usize).max(1);
        let fitted = |curve: &Curve| (number_face().fitted(&curve.name, WIDEST).1, curve.pen);
        // The most important curve lies above the others: it is the last one.
        let mut entries: Vec<_> = self.curves.iter().rev().map(fitted).collect();
        if entries.len() > room {
            entries.truncate(room);
            if let Some(last) = entries.last_mut() {
                let hidden = self.curves.len() + 1 - room;
                *last = (format!("and {hidden} more"), Pen::solid(Colour::WHITE, 1.0));
            }
        }
        entries
    }
}

/// Draws a piece of a curve and its name; `place` is at the left, in the middle of the line.
pub(super) fn draw_entry(canvas: &mut Canvas, (left, middle): Spot, name: &str, pen: Pen) {
    canvas.stroke(&[vec![(left, middle), (left + SAMPLE, middle)]], pen, canvas.area());
    let numbers = number_face();
    let (face, name) = numbers.fitted(name, WIDEST);
    canvas.text(&name, (left + SAMPLE + GAP, middle + numbers.capital() / 2.0), Anchor::Start, face);
}

/// The width of such an entry.
pub(super) fn entry_width(name: &str) -> f64 {
    SAMPLE + GAP + number_face().width(name).min(WIDEST)
}

/// A path without the spots that cannot be seen: of all in one column of pixels only the first, the lowest,
/// the highest and the last.
fn thinned(path: &[Spot]) -> Vec<Spot> {
    let column = |spot: &Spot| spot.0.floor();
    path.chunk_by(|one, next| column(one) == column(next))
        .flat_map(|spots| {
            let by_height = |&one: &usize, &other: &usize| spots[one].1.total_cmp(&spots[other].1);
            let finite = || (0..spots.len()).filter(|&spot| spots[spot].1.is_finite());
            let ends =
                [Some(0), finite().min_by(by_height), finite().max_by(by_height), spots.len().checked_sub(1)];
            let mut kept: Vec<usize> = ends.into_iter().flatten().collect();
            kept.sort_unstable();
            kept.dedup();
            kept.into_iter().map(|spot| spots[spot])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_extremes_in_every_column() {
        let path: Vec<Spot> =
            (0..1000).map(|step| (f64::from(step) / 100.0, f64::from(step * 7 % 31))).collect();
        let thin = thinned(&path);
        assert!(thin.len() <= 40 && thin.first() == path.first() && thin.last() == path.last());
        for column in 0..10 {
            let highest = |path: &[Spot]| {
                let inside = path.iter().filter(|spot| spot.0 as i32 == column);
                inside.map(|spot| spot.1).fold(f64::NEG_INFINITY, f64::max)
            };
            assert_eq!(highest(&thin), highest(&path));
        }
    }
}
