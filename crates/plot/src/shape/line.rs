//! One dimension: intervals on a line.

use super::{Drawing, INSIDE, POINT, wall_colour, wall_pen};
use crate::axis::Axis;
use crate::canvas::Pen;
use crate::names::Name;
use crate::scene::{Arrow, Dots, Ground, Line, Numbers};
use crate::{Panel, Row, Scene};

/// Size of the frame, in pixels.
const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 150.0;

/// Room to the left and right of the line for arrows and names, as a share of its length.
const ROOM: f64 = 0.16;

/// Half the length of the lines at ends and half the width of the inside, as shares of half the frame's height.
const TICK: f64 = 0.3;
const BAND: f64 = 0.17;

pub(super) fn rows(drawing: &Drawing<'_>) -> (f64, Vec<Row>) {
    let territory = drawing.territory;
    let [low, high] = territory.bounds[0];
    let room = ROOM * (high - low);
    let x = Axis::linear(drawing.labels[0], low - room, high + room);
    let mut ends: Vec<(usize, f64, f64)> = (0..territory.walls.len())
        .filter_map(|wall| territory.footing(wall, &[]).map(|end| (wall, end.point[0], end.normal[0])))
        .collect();
    ends.sort_by(|one, other| one.1.total_cmp(&other.1));
    let tick = |&(wall, end, _): &(usize, f64, f64)| Line {
        paths: vec![vec![(end, -TICK), (end, TICK)]],
        pen: wall_pen(wall),
    };
    let arrow = |&(wall, end, normal): &(usize, f64, f64)| Arrow {
        place: (end, 0.0),
        direction: (normal, 0.0),
        colour: wall_colour(wall),
    };
    let name = |&(wall, end, normal): &(usize, f64, f64)| Name {
        text: territory.walls[wall].name.clone(),
        colour: wall_colour(wall),
        // Above the line, as arrows are beside it.
        beside: vec![((end, 0.2), (0.0, 1.0)), ((end, 0.0), (normal, 0.0))],
    };
    let place = |point: &Vec<f64>| (point[0], 0.0);
    let scene = Scene {
        title: String::new(),
        ground: Some(ground(drawing, &x)),
        x,
        y: Axis::linear("", -1.0, 1.0),
        numbers: Numbers::Across,
        dots: dots(drawing),
        arrows: ends.iter().map(arrow).collect(),
        names: ends.iter().map(name).collect(),
        lines: ends.iter().map(tick).collect(),
        rings: drawing.on_conditions().map(place).collect(),
        legend: Vec::new(),
    };
    (WIDTH, vec![Row { height: HEIGHT, panels: vec![Panel::Scene(scene)] }])
}

/// Points below the line, one beside the other so that they are told apart.
fn dots(drawing: &Drawing<'_>) -> Vec<Dots> {
    /// The golden ratio's fraction spreads neighbours far apart.
    const STEP: f64 = 0.618_033_988_749_895;
    let level = |index: usize| -0.5 - 0.35 * (STEP * index as f64).fract();
    let places = drawing.interior().enumerate().map(|(index, point)| (point[0], level(index))).collect();
    vec![Dots { places, pen: Pen::solid(POINT, 2.4) }]
}

fn ground(drawing: &Drawing<'_>, x: &Axis) -> Ground {
    let (columns, rows) = (WIDTH as usize, HEIGHT as usize);
    let (low, high) = x.bounds();
    let cell = |index: usize| {
        let place = low + (high - low) * ((index % columns) as f64 + 0.5) / WIDTH;
        let level = 1.0 - 2.0 * ((index / columns) as f64 + 0.5) / HEIGHT;
        (level.abs() < BAND && drawing.territory.contains(&[place])).then_some(INSIDE)
    };
    Ground { columns, cells: (0..columns * rows).map(cell).collect() }
}
