//! What surrounds a panel: frame, ticks, names.

use super::Colour;
use super::axis::Axis;
use super::canvas::{Area, Canvas, Pen};
use super::font::{Anchor, Direction, Face};

/// Room around a panel's frame, in pixels.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Margins {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Margins {
    /// Room enough for both.
    pub(super) fn with(self, other: Margins) -> Margins {
        Margins {
            left: self.left.max(other.left),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// Size of numbers at axes.
const NUMBER: f64 = 19.0;

/// Size of the names of axes and panels.
const NAME: f64 = 21.0;

/// Length of ticks, and room between neighbouring things.
const TICK: f64 = 6.0;
const GAP: f64 = 8.0;

pub(super) fn number_face() -> Face {
    Face::regular(NUMBER, Colour::INK)
}

pub(super) fn name_face() -> Face {
    Face::regular(NAME, Colour::INK)
}

fn title_face() -> Face {
    Face::bold(NAME, Colour::INK)
}

/// The room that axes and title need around a frame of this size.
pub(super) fn margins(x: &Axis, y: &Axis, title: &str, (width, height): (f64, f64)) -> Margins {
    let numbers = number_face();
    let (across, upwards) = (x.ticks_across(width, numbers), y.ticks_upwards(height, numbers));
    let widest =
        |ticks: &[(f64, String)]| ticks.iter().map(|(_, label)| numbers.width(label)).fold(0.0, f64::max);
    let factor = upwards.factor.as_deref().map_or(0.0, |factor| numbers.width(factor));
    let name = |label: &str| if label.is_empty() { 0.0 } else { 1.1 * NAME + GAP };
    // Below the numbers is one line, for the axis's name in the middle and its factor at the end.
    let line = if across.factor.is_some() { name("factor") } else { name(x.label()) };
    Margins {
        left: TICK + GAP + widest(&upwards.labelled).max(factor) + name(y.label()),
        right: widest(&across.labelled) / 2.0,
        top: if title.is_empty() && factor == 0.0 { numbers.capital() } else { 1.2 * NAME + GAP },
        bottom: TICK + GAP + numbers.capital() + line,
    }
}

/// Draws the lines behind a panel's contents.
pub(super) fn draw_grid(canvas: &mut Canvas, area: Area, x: &Axis, y: &Axis) {
    let faint = Pen::solid(Colour::FAINT, 1.2);
    for (value, _) in x.ticks_across(area.width, number_face()).labelled {
        let across = area.left + area.width * x.share(value);
        canvas.stroke(&[vec![(across, area.top), (across, area.bottom())]], faint, area);
    }
    for (value, _) in y.ticks_upwards(area.height, number_face()).labelled {
        let down = area.bottom() - area.height * y.share(value);
        canvas.stroke(&[vec![(area.left, down), (area.right(), down)]], faint, area);
    }
}

/// Draws frame, ticks, numbers and the axes' names around a panel.
pub(super) fn draw(canvas: &mut Canvas, area: Area, x: &Axis, y: &Axis) {
    draw_across(canvas, area, x);
    let numbers = number_face();
    let left = margins(x, y, "", (area.width, area.height)).left;
    let upwards = y.ticks_upwards(area.height, numbers);
    let row = |value: f64| area.bottom() - area.height * y.share(value);
    for (value, label) in &upwards.labelled {
        tick(canvas, (area.left, row(*value)), (-TICK, 0.0));
        let place = (area.left - TICK - GAP, row(*value) + numbers.capital() / 2.0);
        canvas.text(label, place, Anchor::End, numbers);
    }
    for &value in &upwards.minor {
        tick(canvas, (area.left, row(value)), (-TICK / 2.0, 0.0));
    }
    let (name, label) = name_face().fitted(y.label(), area.height);
    let place = (area.left - left + name.capital(), area.top + area.height / 2.0);
    canvas.text_along(Direction::Up, &label, place, Anchor::Middle, name);
    if let Some(factor) = &upwards.factor {
        canvas.text(factor, (area.left - TICK, area.top - numbers.capital()), Anchor::End, numbers);
    }
}

/// Draws the frame, and ticks, numbers and the axis's name below it.
pub(super) fn draw_across(canvas: &mut Canvas, area: Area, x: &Axis) {
    outline(canvas, area);
    let numbers = number_face();
    let across = x.ticks_across(area.width, numbers);
    let below = area.bottom() + TICK + GAP + numbers.capital();
    let column = |value: f64| area.left + area.width * x.share(value);
    for (value, label) in &across.labelled {
        tick(canvas, (column(*value), area.bottom()), (0.0, TICK));
        canvas.text(label, (column(*value), below), Anchor::Middle, numbers);
    }
    for &value in &across.minor {
        tick(canvas, (column(value), area.bottom()), (0.0, TICK / 2.0));
    }
    let (name, label) = name_face().fitted(x.label(), area.width);
    canvas.text(&label, (area.left + area.width / 2.0, below + GAP + 0.85 * NAME), Anchor::Middle, name);
    if let Some(factor) = &across.factor {
        canvas.text(factor, (area.right(), below + GAP + 0.85 * NAME), Anchor::End, numbers);
    }
}

/// Writes a panel's name above it.
pub(super) fn draw_title(canvas: &mut Canvas, area: Area, title: &str) {
    let (face, title) = title_face().fitted(title, area.width);
    canvas.text(&title, (area.left + area.width / 2.0, area.top - GAP - 3.0), Anchor::Middle, face);
}

/// Draws the edge of a panel or of a colour bar.
pub(super) fn outline(canvas: &mut Canvas, area: Area) {
    let (left, top, right, bottom) = (area.left, area.top, area.right(), area.bottom());
    let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    canvas.stroke(&[corners], Pen::solid(Colour::INK, 1.5), canvas.area());
}

pub(super) fn tick(canvas: &mut Canvas, (x, y): (f64, f64), (right, down): (f64, f64)) {
    canvas.stroke(&[vec![(x, y), (x + right, y + down)]], Pen::solid(Colour::INK, 1.5), canvas.area());
}
