//! The part of space that a problem is about: inside, pieces of the boundary, points.

mod line;
mod plane;
mod space;

use super::canvas::Pen;
use super::ticks::written;
use super::{Colour, Picture, PlotError, Sheet};
use pinnace::{Experiment, FirstPoints, Interface, Territory};

/// The inside of a shape.
const INSIDE: Colour = Colour([228, 235, 244]);

/// Points inside.
const POINT: Colour = Colour([134, 146, 166]);

/// The colour of a piece of the boundary: darker and then lighter ones follow where the colours of curves repeat.
fn wall_colour(wall: usize) -> Colour {
    /// How many colours there are.
    const COLOURS: usize = 8;
    let colour = Colour::of_curve(wall);
    match wall / COLOURS % 3 {
        0 => colour,
        1 => Colour::INK.over(colour, 0.45),
        _ => Colour::WHITE.over(colour, 0.45),
    }
}

/// How a piece of the boundary is drawn.
fn wall_pen(wall: usize) -> Pen {
    Pen::solid(wall_colour(wall), 4.0)
}

/// How places where regions meet are drawn.
fn interface_pen() -> Pen {
    Pen::dashed(Colour::INK, 2.2)
}

/// Points inside, and of every condition, that are drawn; of more, the first.
const MOST_POINTS: usize = 3000;

/// Draws the part of space that a problem is about, with the pieces of its boundary by name and the points that training
/// begins with: `geometry.png`. `None` where it has more than three dimensions.
pub fn draw_geometry(
    experiment: &Experiment,
    territory: &Territory,
    points: &FirstPoints,
) -> Result<Option<Picture>, PlotError> {
    if !territory.is_drawable() {
        return Ok(None);
    }
    let problem = experiment.problem();
    let labels: Vec<&str> =
        territory.axes.iter().map(|&axis| problem.domain.coordinates[axis].name.as_str()).collect();
    let interfaces = experiment.interfaces();
    let drawing = Drawing { territory, points, labels, interfaces };
    let (width, rows) = match territory.dimension() {
        1 => line::rows(&drawing),
        2 => plane::rows(&drawing),
        _ => space::rows(&drawing),
    };
    let (title, note) = (problem.title.clone(), drawing.note());
    let sheet = Sheet { title, note, legend: Vec::new(), width, rows };
    Ok(Some(Picture { name: "geometry.png".to_owned(), bytes: sheet.png()? }))
}

/// What is to be drawn.
struct Drawing<'d> {
    territory: &'d Territory,
    points: &'d FirstPoints,
    /// Names of the space coordinates.
    labels: Vec<&'d str>,
    /// Where regions meet, in two dimensions.
    interfaces: Vec<Interface>,
}

impl Drawing<'_> {
    /// Points inside that are drawn.
    fn interior(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.points.interior.iter().take(MOST_POINTS)
    }

    /// Points of conditions.
    fn on_conditions(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.points.conditions.iter().flat_map(|(_, _, points)| points.iter().take(MOST_POINTS))
    }

    fn note(&self) -> String {
        let kind = ["length", "area", "volume"][self.territory.dimension().clamp(1, 3) - 1];
        let measure = self.territory.measure;
        let about = if measure.error > 0.0 { "about " } else { "" };
        let size = format!("{kind} {about}{}", written(measure.value));
        let (shown, all) = (self.interior().count(), self.points.inside);
        let sliced = self.territory.dimension() == 3;
        let inside = match (shown, all) {
            (_, 0) => String::new(),
            (_, all) if sliced => format!("; dots: those of {all} points inside that are near a slice"),
            (shown, all) if shown < all => format!("; dots: the first {shown} of {all} points inside"),
            (_, all) => format!("; dots: {all} points inside"),
        };
        let rings = match self.on_conditions().next() {
            Some(_) => "; rings: some points of penalties",
            None => "",
        };
        let dashes = if self.interfaces.is_empty() { "" } else { "; dashed: where regions meet" };
        format!("{size}{inside}{rings}{dashes}")
    }
}
