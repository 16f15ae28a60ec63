//! A drawing over two coordinates: colours, lines, arrows, dots, and names beside lines.

use super::Colour;
use super::axis::Axis;
use super::canvas::{Area, Canvas, Pen, Spot};
use super::curves::{draw_entry, entry_width};
use super::frame::{self, Margins};
use super::names::{Name, place_names};

/// Which axes carry numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// Both.
    Both,
    /// Only the one to the right.
    Across,
    /// None, and there is no frame.
    Neither,
}

/// A drawing. Places are pairs of values of the two coordinates.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// Written above.
    pub title: String,
    /// The coordinate to the right.
    pub x: Axis,
    /// The coordinate upwards.
    pub y: Axis,
    /// Which of them are labelled.
    pub numbers: Numbers,
    /// Colours behind everything, if there are any.
    pub ground: Option<Ground>,
    /// Dots below all lines.
    pub dots: Vec<Dots>,
    /// Lines, later ones above earlier ones.
    pub lines: Vec<Line>,
    /// Where arrows start, the way they point, their colours.
    pub arrows: Vec<Arrow>,
    /// Dots above all lines; of those that would hide each other, the first.
    pub rings: Vec<(f64, f64)>,
    /// Names of lines, each set beside one of its places.
    pub names: Vec<Name>,
    /// Colours and what they mean, listed beside the panel.
    pub legend: Vec<(String, Colour)>,
}

/// Colours of a grid of cells that fills the frame.
#[derive(Clone, PartialEq, Debug)]
pub struct Ground {
    /// Cells in a row.
    pub columns: usize,
    /// Row by row from the top; paper where there is none.
    pub cells: Vec<Option<Colour>>,
}

/// Equal dots.
#[derive(Clone, PartialEq, Debug)]
pub struct Dots {
    /// Where they are.
    pub places: Vec<(f64, f64)>,
    /// Colour and width.
    pub pen: Pen,
}

/// Lines of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// Each through its places.
    pub paths: Vec<Vec<(f64, f64)>>,
    /// How they are drawn.
    pub pen: Pen,
}

/// A short arrow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrow {
    /// Where it starts.
    pub place: (f64, f64),
    /// To the right and upwards.
    pub direction: (f64, f64),
    /// Its colour.
    pub colour: Colour,
}

/// Length of an arrow and of its tip's two sides, in pixels.
pub(super) const ARROW: f64 = 17.0;
const TIP: f64 = 6.0;

/// From one line of a legend to the next, and from the frame to the legend.
const LEGEND_LINE: f64 = 27.0;
const LEGEND_GAP: f64 = 16.0;

impl Scene {
    pub(super) fn margins(&self, size: (f64, f64)) -> Margins {
        let legend =
            self.legend_entries(size.1).iter().map(|(name, _)| entry_width(name)).fold(0.0, f64::max);
        let right = if self.legend.is_empty() { 0.0 } else { LEGEND_GAP + legend };
        let own = frame::margins(&self.x, &self.y, &self.title, size);
        match self.numbers {
            Numbers::Both => Margins { right: own.right.max(right), ..own },
            Numbers::Across => Margins { left: own.right, right: own.right.max(right), ..own },
            Numbers::Neither => Margins { left: 0.0, right, bottom: 0.0, ..own },
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, area: Area) {
        if let Some(ground) = &self.ground {
            ground.draw(canvas, area);
        }
        let spot = |&(x, y): &(f64, f64)| -> Spot {
            (area.left + area.width * self.x.share(x), area.bottom() - area.height * self.y.share(y))
        };
        for Dots { places, pen } in &self.dots {
            // In the middle of pixels all dots look the same, and the file is half as large.
            let centred = |(x, y): Spot| (x.floor() + 0.5, y.floor() + 0.5);
            let dots: Vec<Vec<Spot>> = places.iter().map(|place| vec![centred(spot(place))]).collect();
            canvas.stroke(&dots, *pen, area);
        }
        for Line { paths, pen } in &self.lines {
            let paths: Vec<Vec<Spot>> = paths.iter().map(|path| path.iter().map(spot).collect()).collect();
            canvas.stroke(&paths, *pen, area);
        }
        for Arrow { place, direction, colour } in &self.arrows {
            draw_arrow(canvas, spot(place), *direction, *colour, area);
        }
        let rings: Vec<Vec<Spot>> =
            apart(self.rings.iter().map(spot)).into_iter().map(|ring| vec![ring]).collect();
        for pen in [Pen::solid(Colour::INK, 8.0), Pen::solid(Colour::WHITE, 4.5)] {
            canvas.stroke(&rings, pen, area);
        }
        let lines = self.lines.iter().flat_map(|line| line.paths.iter().flatten());
        let lines: Vec<Spot> = lines.map(spot).collect();
        place_names(canvas, &self.names, &spot, &lines, area);
        match self.numbers {
            Numbers::Both => frame::draw(canvas, area, &self.x, &self.y),
            Numbers::Across => frame::draw_across(canvas, area, &self.x),
            Numbers::Neither => {}
        }
        frame::draw_title(canvas, area, &self.title);
        for (line, (name, colour)) in self.legend_entries(area.height).iter().enumerate() {
            let place = (area.right() + LEGEND_GAP, area.top + 12.0 + line as f64 * LEGEND_LINE);
            draw_entry(canvas, place, name, Pen::solid(*colour, 7.0));
        }
    }

    /// The lines of the legend that have room in `height` pixels.
    fn legend_entries(&self, height: f64) -> Vec<(String, Colour)> {
        let room = ((height / LEGEND_LINE) as usize).max(1);
        let mut entries = self.legend.clone();
        if entries.len() > room {
            let hidden = entries.len() + 1 - room;
            entries.truncate(room - 1);
            entries.push((format!("and {hidden} more"), Colour::WHITE));
        }
        entries
    }
}

impl Ground {
    fn draw(&self, canvas: &mut Canvas, area: Area) {
        let rows = self.cells.len() / self.columns.max(1);
        if rows == 0 {
            return;
        }
        canvas.paint(area, |right, down| {
            let cell = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
            self.cells[cell(down, rows) * self.columns + cell(right, self.columns)].unwrap_or(Colour::WHITE)
        });
    }
}

/// The first of some spots, and every other one that is not too near to one before.
fn apart(spots: impl Iterator<Item = Spot>) -> Vec<Spot> {
    /// In pixels.
    const NEAREST: f64 = 22.0;
    let mut kept: Vec<Spot> = Vec::new();
    for (x, y) in spots {
        if kept.iter().all(|other| (other.0 - x).hypot(other.1 - y) >= NEAREST) {
            kept.push((x, y));
        }
    }
    kept
}

fn draw_arrow(canvas: &mut Canvas, (x, y): Spot, (right, up): (f64, f64), colour: Colour, clip: Area) {
    let (along, down) = (right, -up);
    let end = (x + ARROW * along, y + ARROW * down);
    let side = |turn: f64| {
        let (sine, cosine) = turn.sin_cos();
        let (back, below) = (-along, -down);
        (end.0 + TIP * (back * cosine - below * sine), end.1 + TIP * (back * sine + below * cosine))
    };
    /// Between the shaft and a side of the tip, in radians.
    const OPENING: f64 = 0.5;
    let tip = vec![side(OPENING), end, side(-OPENING)];
    canvas.stroke(&[vec![(x, y), end], tip], Pen::solid(colour, 1.8), clip);
}
