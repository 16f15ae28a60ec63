//! Two dimensions: the shape as it is.

use super::{Drawing, INSIDE, POINT, interface_pen, wall_pen};
use crate::axis::Axis;
use crate::canvas::Pen;
use crate::font::Face;
use crate::names::{Name, SIZE};
use crate::scene::{ARROW, Arrow, Dots, Ground, Line, Numbers};
use crate::{Colour, Panel, Row, Scene};
use pinnace::{Footing, Interface, Territory};

/// Width of the frame, and the highest and the lowest frame, in pixels.
const WIDTH: f64 = 880.0;
const HIGHEST: f64 = 760.0;
const LEAST: f64 = 200.0;

/// Room for arrows and names above and below the shape.
const ROOM: f64 = 58.0;

/// Places along a piece that are joined by its line.
const ALONG: usize = 1200;

/// Pixels from one arrow to the next, and the most arrows of a piece.
const BETWEEN_ARROWS: f64 = 90.0;
const MOST_ARROWS: usize = 12;

pub(super) fn rows(drawing: &Drawing<'_>) -> (f64, Vec<Row>) {
    let territory = drawing.territory;
    let [x, y] = [territory.bounds[0], territory.bounds[1]];
    let face = Face::regular(SIZE, Colour::INK);
    let widest = territory.walls.iter().map(|wall| face.width(&wall.name)).fold(0.0, f64::max);
    let beside = (widest + ARROW + 24.0).clamp(ROOM, 230.0);
    let (wide, high) = (x[1] - x[0], y[1] - y[0]);
    // Pixels in a unit: the same in both directions, so that a disk is round.
    let scale = ((WIDTH - 2.0 * beside) / wide).min((HIGHEST - 2.0 * ROOM) / high);
    let (width, height) = ((wide * scale + 2.0 * beside).max(LEAST), (high * scale + 2.0 * ROOM).max(LEAST));
    let axis = |label: &str, [low, high]: [f64; 2], pixels: f64| {
        let (middle, half) = ((low + high) / 2.0, pixels / scale / 2.0);
        Axis::linear(label, middle - half, middle + half)
    };
    let (x, y) = (axis(drawing.labels[0], x, width), axis(drawing.labels[1], y, height));
    let mut walls = walls(territory, scale);
    drawing.interfaces.iter().for_each(|interface| walls.add(interface));
    let place = |point: &Vec<f64>| (point[0], point[1]);
    let scene = Scene {
        title: String::new(),
        ground: Some(ground(territory, &x, &y, (width, height))),
        x,
        y,
        numbers: Numbers::Both,
        dots: vec![Dots { places: drawing.interior().map(place).collect(), pen: Pen::solid(POINT, 2.4) }],
        lines: walls.lines,
        arrows: walls.arrows,
        rings: drawing.on_conditions().map(place).collect(),
        names: walls.names,
        legend: Vec::new(),
    };
    (width, vec![Row { height, panels: vec![Panel::Scene(scene)] }])
}

/// What lies inside, one cell to a pixel.
fn ground(territory: &Territory, x: &Axis, y: &Axis, (width, height): (f64, f64)) -> Ground {
    let (columns, rows) = (width.round() as usize, height.round() as usize);
    let along = |axis: &Axis, share: f64| {
        let (low, high) = axis.bounds();
        low + share * (high - low)
    };
    let cell = |index: usize| {
        let (column, row) = ((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
        let point = [along(x, column / columns as f64), along(y, 1.0 - row / rows as f64)];
        territory.contains(&point).then_some(INSIDE)
    };
    Ground { columns, cells: (0..columns * rows).map(cell).collect() }
}

/// The pieces of the boundary.
#[derive(Default)]
struct Walls {
    lines: Vec<Line>,
    arrows: Vec<Arrow>,
    names: Vec<Name>,
}

impl Walls {
    /// The edge of a region, with the region's name beside it.
    fn add(&mut self, interface: &Interface) {
        let pen = interface_pen();
        let place = |footing: &Footing| (footing.point[0], footing.point[1]);
        let runs = interface.runs.iter();
        self.lines
            .push(Line { paths: runs.clone().map(|run| run.iter().map(place).collect()).collect(), pen });
        let kept: Vec<&Footing> = runs.flatten().collect();
        let beside = [0.15, 0.65, 0.35, 0.85, 0.5, 0.05, 0.95].map(|share| {
            let footing = kept[((share * kept.len() as f64) as usize).min(kept.len() - 1)];
            // Inside of the region, which the name is of.
            (place(footing), (-footing.normal[0], -footing.normal[1]))
        });
        self.names.push(Name { text: interface.name.clone(), colour: pen.colour, beside: beside.to_vec() });
    }
}

fn walls(territory: &Territory, scale: f64) -> Walls {
    let mut found = Walls::default();
    // Short pieces have the least choice of places for their names.
    let mut order: Vec<usize> = (0..territory.walls.len()).collect();
    order.sort_by(|&one, &other| {
        territory.walls[one].measure.value.total_cmp(&territory.walls[other].measure.value)
    });
    for wall in order {
        let steps: Vec<Option<Footing>> = (0..ALONG)
            .map(|step| {
                // Not the very ends: a corner belongs to two pieces.
                let share = (step as f64 / (ALONG - 1) as f64).clamp(1e-6, 1.0 - 1e-6);
                territory.footing(wall, &[share])
            })
            .collect();
        let runs = steps.chunk_by(|one, next| one.is_some() == next.is_some());
        let runs: Vec<Vec<&Footing>> =
            runs.map(|run| run.iter().flatten().collect()).filter(|run: &Vec<_>| !run.is_empty()).collect();
        let pen = wall_pen(wall);
        let place = |footing: &&Footing| (footing.point[0], footing.point[1]);
        found
            .lines
            .push(Line { paths: runs.iter().map(|run| run.iter().map(place).collect()).collect(), pen });
        let kept: Vec<&Footing> = runs.into_iter().flatten().collect();
        let at = |share: f64| kept[((share * kept.len() as f64) as usize).min(kept.len() - 1)];
        if kept.is_empty() {
            continue;
        }
        let length = territory.walls[wall].measure.value * scale;
        let arrows = ((length / BETWEEN_ARROWS) as usize).clamp(1, MOST_ARROWS);
        found.arrows.extend((0..arrows).filter_map(|number| {
            let footing = at((number as f64 + 0.5) / arrows as f64);
            let direction = (footing.normal[0], footing.normal[1]);
            let arrow = Arrow { place: place(&footing), direction, colour: pen.colour };
            has_room(territory, &arrow, scale, arrows > 1).then_some(arrow)
        }));
        let beside = [0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95].map(|share| {
            let footing = at(share);
            (place(&footing), (footing.normal[0], footing.normal[1]))
        });
        let text = territory.walls[wall].name.clone();
        found.names.push(Name { text, colour: pen.colour, beside: beside.to_vec() });
    }
    found
}

/// Whether an arrow ends before it meets the shape again, or half the way where another one may come from the other side: in a
/// narrow hole it does not.
fn has_room(territory: &Territory, arrow: &Arrow, scale: f64, others: bool) -> bool {
    let Arrow { place: (x, y), direction: (right, up), .. } = *arrow;
    let farthest = if others { 2.4 } else { 1.2 };
    /// Places along the way that are looked at.
    const STEPS: usize = 8;
    (1..=STEPS)
        .map(|step| farthest * step as f64 / STEPS as f64 * ARROW / scale)
        .all(|length| !territory.contains(&[x + length * right, y + length * up]))
}
