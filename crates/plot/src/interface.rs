//! Where regions meet, as lines over a map.

use super::axis::Axis;
use super::contour::Cells;
use pinnace::Experiment;

/// Lines through places of a map, each a pair of values of its coordinates.
pub(super) type Lines = Vec<Vec<(f64, f64)>>;

/// The lines on which regions meet in the slice through `place` over two coordinates, for a frame of so many pixels.
pub(super) fn lines(
    experiment: &Experiment,
    place: &[f64],
    (across, up): (usize, usize),
    (x, y): (&Axis, &Axis),
    (width, height): (f64, f64),
) -> Lines {
    let domain = &experiment.problem().domain;
    if domain.subdomains.is_empty() {
        return Lines::new();
    }
    if domain.space() == [across, up] {
        let interfaces = experiment.interfaces();
        let runs = interfaces.iter().flat_map(|interface| &interface.runs);
        return runs.map(|run| run.iter().map(|it| (it.point[0], it.point[1])).collect()).collect();
    }
    let at = |right: f64, above: f64| {
        let mut place = place.to_vec();
        (place[across], place[up]) = (right, above);
        place
    };
    let space = |place: &[f64]| -> Vec<f64> { domain.space().into_iter().map(|axis| place[axis]).collect() };
    // A piece of a line for every other pixel: nobody sees more.
    let counts = ((width as usize / 2).max(1), (height as usize / 2).max(1));
    let cells = Cells { x: x.bounds(), y: y.bounds(), counts };
    let cell = |(low, high): (f64, f64), count: usize| (high - low) / count as f64;
    let (wide, high) = (cell(cells.x, counts.0), cell(cells.y, counts.1));
    let found = domain.subdomains.iter().flat_map(|region| {
        cells.zeros(|right, above| region.solid.signed_distance(&space(&at(right, above))))
    });
    // A region's surface is an interface where the sides differ and both lie inside: those of a cell, as places of the line are
    // known no better.
    let meets = |[start, end]: &[(f64, f64); 2]| {
        let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
        let (along, rise) = ((end.0 - start.0) / wide, (end.1 - start.1) / high);
        let length = along.hypot(rise).max(f64::MIN_POSITIVE);
        let side = |sign: f64| {
            let place = at(middle.0 - sign * wide * rise / length, middle.1 + sign * high * along / length);
            domain.contains(&place).then(|| domain.subdomain(&place))
        };
        matches!((side(1.0), side(-1.0)), (Some(one), Some(other)) if one != other)
    };
    found.filter(meets).map(|ends| ends.to_vec()).collect()
}
