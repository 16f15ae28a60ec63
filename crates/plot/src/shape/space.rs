//! Three dimensions: a view of the surface, and slices through the middle.

use super::{Drawing, INSIDE, POINT, wall_colour, wall_pen};
use crate::axis::Axis;
use crate::canvas::Pen;
use crate::contour::Cells;
use crate::names::Name;
use crate::scene::{ARROW, Dots, Ground, Line, Numbers};
use crate::ticks::written;
use crate::{Colour, Panel, Row, Scene};
use pinnace::{Footing, Territory};

/// Size of every frame, in pixels.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 340.0;

/// Room around a shape, as a share of its size.
const ROOM: f64 = 0.08;

/// Points on the surface from which the view is made, shared out by area, and the fewest of a piece.
const SURFACE: f64 = 700_000.0;
const LEAST: usize = 2_000;

/// Points of every piece to which the lines of slices are compared.
const COMPARED: usize = 2_000;

/// Points this near to a slice are drawn on it, as a share of the shape's size.
const NEAR: f64 = 0.04;

pub(super) fn rows(drawing: &Drawing<'_>) -> (f64, Vec<Row>) {
    let surface = Surface::of(drawing.territory);
    let legend = drawing.territory.walls.iter().enumerate();
    let legend = legend.map(|(wall, own)| (own.name.clone(), wall_colour(wall))).collect();
    let view = Scene { legend, ..view(drawing, &surface) };
    let [xy, xz, yz] = [[0, 1, 2], [0, 2, 1], [1, 2, 0]].map(|axes| slice(drawing, &surface, axes));
    let row =
        |panels: Vec<Scene>| Row { height: HEIGHT, panels: panels.into_iter().map(Panel::Scene).collect() };
    (WIDTH, vec![row(vec![xy, view]), row(vec![xz, yz])])
}

/// Places on the boundary, by piece.
struct Surface(Vec<Vec<Footing>>);

impl Surface {
    fn of(territory: &Territory) -> Surface {
        let whole: f64 = territory.walls.iter().map(|wall| wall.measure.value / wall.left).sum();
        let footings = territory.walls.iter().enumerate().map(|(number, wall)| {
            let count = ((SURFACE * wall.measure.value / wall.left / whole) as usize).max(LEAST);
            (0..count).filter_map(|index| territory.footing(number, &spread(index))).collect()
        });
        Surface(footings.collect())
    }

    /// The piece that has the nearest of some places.
    fn nearest(&self, point: [f64; 3]) -> usize {
        let distance = |footing: &Footing| -> f64 {
            footing.point.iter().zip(point).map(|(one, other)| (one - other).powi(2)).sum()
        };
        // The first of a sequence that fills the piece are spread over all of it.
        let of_piece = |footings: &Vec<Footing>| {
            footings.iter().take(COMPARED).map(distance).fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = self.0.iter().map(of_piece).collect();
        (0..distances.len()).min_by(|&one, &other| distances[one].total_cmp(&distances[other])).unwrap_or(0)
    }
}

/// Point `index` of a sequence that fills the unit square evenly (Roberts 2018).
fn spread(index: usize) -> [f64; 2] {
    [0.754_877_666_246_692_8, 0.569_840_290_998_053_3].map(|step| (0.5 + step * (index as f64 + 1.0)).fract())
}

/// Axes of a frame on which both coordinates have the same scale, around these bounds.
fn axes(labels: [&str; 2], bounds: [[f64; 2]; 2]) -> ([Axis; 2], f64) {
    let size = bounds.map(|[low, high]| (1.0 + 2.0 * ROOM) * (high - low));
    let unit = (size[0] / WIDTH).max(size[1] / HEIGHT);
    let axis = |label: &str, [low, high]: [f64; 2], pixels: f64| {
        let (middle, half) = ((low + high) / 2.0, unit * pixels / 2.0);
        Axis::linear(label, middle - half, middle + half)
    };
    ([axis(labels[0], bounds[0], WIDTH), axis(labels[1], bounds[1], HEIGHT)], unit)
}

/// What lies on the plane through the middle of the last coordinate, over the other two.
fn slice(drawing: &Drawing<'_>, surface: &Surface, [across, up, through]: [usize; 3]) -> Scene {
    let territory = drawing.territory;
    let bounds = |axis: usize| territory.bounds[axis];
    let middle = (bounds(through)[0] + bounds(through)[1]) / 2.0;
    let ([x, y], _) = axes([drawing.labels[across], drawing.labels[up]], [bounds(across), bounds(up)]);
    let point = |right: f64, above: f64| {
        let mut point = [middle; 3];
        (point[across], point[up]) = (right, above);
        point
    };
    let (columns, rows) = (WIDTH as usize, HEIGHT as usize);
    let along = |axis: &Axis, share: f64| axis.bounds().0 + share * (axis.bounds().1 - axis.bounds().0);
    let cell = |index: usize| {
        let (column, row) = ((index % columns) as f64 + 0.5, (index / columns) as f64 + 0.5);
        let (right, above) = (along(&x, column / WIDTH), along(&y, 1.0 - row / HEIGHT));
        territory.contains(&point(right, above)).then_some(INSIDE)
    };
    let cells: Vec<Option<Colour>> = (0..columns * rows).map(cell).collect();
    let fine = Cells { x: x.bounds(), y: y.bounds(), counts: (columns / 2, rows / 2) };
    let mut paths: Vec<Vec<Vec<(f64, f64)>>> = vec![Vec::new(); territory.walls.len()];
    for [start, end] in fine.zeros(|right, above| territory.distance(&point(right, above))) {
        let middle = point((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
        paths[surface.nearest(middle)].push(vec![start, end]);
    }
    let lines = paths.into_iter().enumerate().filter(|(_, paths)| !paths.is_empty());
    let near = NEAR * (bounds(through)[1] - bounds(through)[0]);
    let is_near = |point: &&Vec<f64>| (point[through] - middle).abs() < near;
    let place = |point: &Vec<f64>| (point[across], point[up]);
    let places = drawing.points.interior.iter().filter(is_near).map(place).collect();
    Scene {
        title: format!("{} = {}", drawing.labels[through], written(middle)),
        ground: Some(Ground { columns, cells }),
        numbers: Numbers::Both,
        dots: vec![Dots { places, pen: Pen::solid(POINT, 2.4) }],
        lines: lines.map(|(wall, paths)| Line { paths, pen: wall_pen(wall) }).collect(),
        arrows: Vec::new(),
        rings: drawing.on_conditions().filter(is_near).map(place).collect(),
        names: Vec::new(),
        legend: Vec::new(),
        x,
        y,
    }
}

/// Directions of the view: to the right, upwards and towards the eye. From the front, the right and above.
fn directions() -> [[f64; 3]; 3] {
    let (turn, rise) = (-0.6f64, 0.45f64);
    let ((s, c), (rs, rc)) = (turn.sin_cos(), rise.sin_cos());
    [[c, -s, 0.0], [s * rs, c * rs, rc], [-s * rc, -c * rc, rs]]
}

fn dot(one: [f64; 3], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The surface seen from a corner, shaded by its normals, with the box around it.
fn view(drawing: &Drawing<'_>, surface: &Surface) -> Scene {
    let territory = drawing.territory;
    let [right, up, _] = directions();
    let corner =
        |index: usize| -> [f64; 3] { std::array::from_fn(|axis| territory.bounds[axis][index >> axis & 1]) };
    let seen = |point: &[f64]| (dot(right, point), dot(up, point));
    let corners: Vec<(f64, f64)> = (0..8).map(|index| seen(&corner(index))).collect();
    let extent = |part: fn(&(f64, f64)) -> f64| {
        let values = || corners.iter().map(part);
        [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)]
    };
    let ([x, y], _) = axes(["", ""], [extent(|seen| seen.0), extent(|seen| seen.1)]);
    let ground = seen_surface(surface, &x, &y);
    let (lines, names) = compass(&drawing.labels, &x, &y);
    Scene {
        title: "surface".to_owned(),
        ground: Some(ground),
        numbers: Numbers::Neither,
        dots: Vec::new(),
        lines: vec![lines],
        arrows: Vec::new(),
        rings: Vec::new(),
        names,
        legend: Vec::new(),
        x,
        y,
    }
}

/// The surface as points that hide what is behind them, on twice as many cells as there are pixels to the right and down, and
/// then the mean of four.
fn seen_surface(surface: &Surface, x: &Axis, y: &Axis) -> Ground {
    let [right, up, towards] = directions();
    let (columns, rows) = (2 * WIDTH as usize, 2 * HEIGHT as usize);
    let mut cells: Vec<Option<Colour>> = vec![None; columns * rows];
    let mut depths = vec![f64::NEG_INFINITY; columns * rows];
    for (wall, footings) in surface.0.iter().enumerate() {
        for Footing { point, normal } in footings {
            let facing = dot(towards, normal);
            let column = x.share(dot(right, point)) * columns as f64;
            let row = (1.0 - y.share(dot(up, point))) * rows as f64;
            let inside =
                (1.0..columns as f64 - 1.0).contains(&column) && (1.0..rows as f64 - 1.0).contains(&row);
            if facing <= 0.0 || !inside {
                continue;
            }
            let depth = dot(towards, point);
            let colour = shaded(wall_colour(wall), normal, facing);
            // A point covers its neighbours too, so that nothing behind shows through.
            for row in row as usize - 1..=row as usize + 1 {
                for index in row * columns + column as usize - 1..=row * columns + column as usize + 1 {
                    if depth > depths[index] {
                        depths[index] = depth;
                        cells[index] = Some(colour);
                    }
                }
            }
        }
    }
    let pixel = |index: usize| {
        let (column, row) = (2 * (index % (columns / 2)), 2 * (index / (columns / 2)));
        let four = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(down, across)| cells[(row + down) * columns + column + across]);
        let sum = |part: usize| {
            four.iter().map(|cell| u32::from(cell.unwrap_or(Colour::WHITE).0[part])).sum::<u32>()
        };
        let mean = Colour([0, 1, 2].map(|part| (sum(part) / 4) as u8));
        four.iter().any(Option::is_some).then_some(mean)
    };
    Ground { columns: columns / 2, cells: (0..columns * rows / 4).map(pixel).collect() }
}

/// The three coordinates in the lower left corner: lines, and their names.
fn compass(labels: &[&str], x: &Axis, y: &Axis) -> (Line, Vec<Name>) {
    /// Length of a line that is not seen from its end, and the place where all begin, in pixels from the corner.
    const LENGTH: f64 = 42.0;
    const START: (f64, f64) = (46.0, 40.0);
    let [right, up, _] = directions();
    let at = |across: f64, above: f64| {
        let along = |axis: &Axis, share: f64| axis.bounds().0 + share * (axis.bounds().1 - axis.bounds().0);
        (along(x, across / WIDTH), along(y, above / HEIGHT))
    };
    let (mut paths, mut names) = (Vec::new(), Vec::new());
    for (axis, label) in labels.iter().enumerate() {
        let (across, above) = (right[axis], up[axis]);
        let along = |length: f64| at(START.0 + length * across, START.1 + length * above);
        paths.push(vec![along(0.0), along(LENGTH)]);
        let long = across.hypot(above);
        // Names stand as far from their place as if there was an arrow.
        let beside = vec![(along(LENGTH - ARROW / long), (across / long, above / long))];
        names.push(Name { text: (*label).to_owned(), colour: Colour::INK, beside });
    }
    (Line { paths, pen: Pen::solid(Colour::GREY, 2.0) }, names)
}

/// A colour as it looks under a light from above the eye.
fn shaded(colour: Colour, normal: &[f64], facing: f64) -> Colour {
    let light = 0.35 + 0.4 * facing + 0.25 * normal[2].max(0.0);
    // In few steps: pictures of many shades are large files.
    let light = (light * 24.0).round() / 24.0;
    match light {
        light if light <= 1.0 => Colour::INK.over(colour, (0.75 * (1.0 - light)) as f32),
        _ => colour,
    }
}
