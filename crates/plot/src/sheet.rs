//! Panels on a sheet: as large as what is on it.

use super::canvas::{Area, Canvas, Pen};
use super::curves::{draw_entry, entry_width};
use super::font::{Anchor, Face};
use super::frame::Margins;
use super::{Colour, Curves, Map, PlotError, Scene};

/// A picture of one or more panels.
#[derive(Clone, PartialEq, Debug)]
pub struct Sheet {
    /// Written above all panels.
    pub title: String,
    /// Written below the title, smaller.
    pub note: String,
    /// Names of curves that several panels have in common.
    pub legend: Vec<(String, Pen)>,
    /// Width of every panel's frame, in pixels.
    pub width: f64,
    /// From the top.
    pub rows: Vec<Row>,
}

/// Panels side by side.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// Height of their frames, in pixels.
    pub height: f64,
    /// From the left.
    pub panels: Vec<Panel>,
}

/// A part of a picture with its own axes.
#[derive(Clone, PartialEq, Debug)]
pub enum Panel {
    /// A field.
    Map(Map),
    /// Curves.
    Curves(Curves),
    /// Anything else.
    Scene(Scene),
}

impl Panel {
    fn margins(&self, size: (f64, f64)) -> Margins {
        match self {
            Panel::Map(map) => map.margins(size),
            Panel::Curves(curves) => curves.margins(size),
            Panel::Scene(scene) => scene.margins(size),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Area) {
        match self {
            Panel::Map(map) => map.draw(canvas, area),
            Panel::Curves(curves) => curves.draw(canvas, area),
            Panel::Scene(scene) => scene.draw(canvas, area),
        }
    }
}

/// Room at the edges of the sheet, and between panels.
const EDGE: f64 = 22.0;
const BETWEEN: f64 = 26.0;

/// Room from one line of the heading to the next.
const LINE: f64 = 30.0;

/// The widest and the highest frame that is drawn, in pixels.
const LARGEST_FRAME: f64 = 4000.0;

impl Sheet {
    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        let width = self.width.clamp(1.0, LARGEST_FRAME).round();
        let height = |row: &Row| row.height.clamp(1.0, LARGEST_FRAME).round();
        let columns = self.rows.iter().map(|row| row.panels.len()).max().unwrap_or(0);
        // Frames stand in line: a column is as wide, a row as high as its greediest panel.
        let mut across = vec![Margins::default(); columns];
        let mut down = vec![Margins::default(); self.rows.len()];
        for (row, down) in self.rows.iter().zip(&mut down) {
            for (panel, across) in row.panels.iter().zip(&mut across) {
                let needed = panel.margins((width, height(row)));
                *across = across.with(needed);
                *down = down.with(needed);
            }
        }
        let needed: f64 = across.iter().map(|column| (column.left + width + column.right).ceil()).sum();
        let total_width = needed + BETWEEN * columns.saturating_sub(1) as f64 + 2.0 * EDGE;
        let heading = self.heading();
        let needed: f64 = self
            .rows
            .iter()
            .zip(&down)
            .map(|(row, down)| (down.top + height(row) + down.bottom).ceil())
            .sum();
        let total_height = heading + needed + BETWEEN * self.rows.len().saturating_sub(1) as f64 + EDGE;

        let mut canvas = Canvas::new(total_width.max(1.0) as usize, total_height.max(1.0) as usize);
        self.draw_heading(&mut canvas);
        let mut top = heading;
        for (row, down) in self.rows.iter().zip(&down) {
            let mut left = EDGE;
            for (panel, column) in row.panels.iter().zip(&across) {
                let (left_edge, top_edge) = ((left + column.left).round(), (top + down.top).round());
                panel.draw(&mut canvas, Area { left: left_edge, top: top_edge, width, height: height(row) });
                left += (column.left + width + column.right).ceil() + BETWEEN;
            }
            top += (down.top + height(row) + down.bottom).ceil() + BETWEEN;
        }
        Ok(canvas.png()?)
    }

    fn heading(&self) -> f64 {
        let lines = [!self.title.is_empty(), !self.note.is_empty(), !self.legend.is_empty()];
        // Between the heading and the panels' names.
        let gap = if lines.contains(&true) { 10.0 } else { 0.0 };
        EDGE + gap + LINE * lines.iter().filter(|&&line| line).count() as f64
    }

    fn draw_heading(&self, canvas: &mut Canvas) {
        let room = canvas.area().width - 2.0 * EDGE;
        let mut baseline = EDGE - 8.0;
        for (text, face) in
            [(&self.title, Face::bold(26.0, Colour::INK)), (&self.note, Face::regular(20.0, Colour::GREY))]
        {
            if !text.is_empty() {
                baseline += LINE;
                let (face, text) = face.fitted(text, room);
                canvas.text(&text, (EDGE, baseline), Anchor::Start, face);
            }
        }
        let mut left = EDGE;
        for (name, pen) in &self.legend {
            draw_entry(canvas, (left, baseline + LINE - 8.0), name, *pen);
            left += entry_width(name) + 2.0 * BETWEEN;
        }
    }
}
