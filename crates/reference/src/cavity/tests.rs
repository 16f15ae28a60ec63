//! The flow against itself, and against numbers that others found.

use super::Component;
use super::flow::Flow;

/// Under a lid that is slow near its ends.
fn regularised(degree: usize) -> Flow {
    Flow::solve(degree, 100.0, |x| 4.0 * x * (1.0 - x), |x| 4.0 - 8.0 * x, None).expect("it settles")
}

fn distance(coarse: &Flow, fine: &Flow) -> f64 {
    coarse.distance(fine, Component::Across).max(coarse.distance(fine, Component::Up))
}

#[test]
fn higher_degrees_change_the_flow_less_and_less() {
    let flows = [12, 16, 24].map(regularised);
    let changes = [distance(&flows[0], &flows[1]), distance(&flows[1], &flows[2])];
    assert!(changes[0] < 1e-2 && changes[1] < 1e-3 && changes[1] < 0.2 * changes[0], "{changes:?}");
}

#[test]
#[ignore = "half a minute"]
fn degree_48_changes_velocities_by_less_than_1e_7_and_the_pressure_by_less_than_1e_5() {
    let (coarse, fine) = (regularised(32), regularised(40));
    let finer = Flow::solve(48, 100.0, |x| 4.0 * x * (1.0 - x), |x| 4.0 - 8.0 * x, Some(&fine));
    let finer = finer.expect("it settles");
    let changes = [(&coarse, &fine), (&fine, &finer)];
    let velocities = changes.map(|(coarse, fine)| distance(coarse, fine));
    let pressures = changes.map(|(coarse, fine)| coarse.distance(fine, Component::Pressure));
    assert!(velocities[0] < 1e-6 && velocities[1] < 1e-7, "{velocities:?}");
    assert!(pressures[0] < 1e-4 && pressures[1] < 1e-5, "{pressures:?}");
}

/// The smallest u on the vertical and the largest and the smallest v on the horizontal centre line, by parabolas
/// through the three points around each.
fn extrema(flow: &Flow) -> [f64; 3] {
    let extremum = |component: Component, vertical: bool, sign: f64| {
        let value = |place: usize| {
            let along = place as f64 / 1000.0;
            let (x, y) = if vertical { (0.5, along) } else { (along, 0.5) };
            sign * flow.value(component, x, y)
        };
        let values: Vec<f64> = (0..=1000).map(value).collect();
        let top = (1..1000).max_by(|&one, &other| values[one].total_cmp(&values[other])).unwrap_or(1);
        let [before, here, after] = [values[top - 1], values[top], values[top + 1]];
        let (slope, bend) = (0.5 * (after - before), after - 2.0 * here + before);
        sign * (here - 0.5 * slope * slope / bend)
    };
    [
        extremum(Component::Across, true, -1.0),
        extremum(Component::Up, false, 1.0),
        extremum(Component::Up, false, -1.0),
    ]
}

fn plain(degree: usize, reynolds: f64, from: Option<&Flow>) -> Flow {
    Flow::solve(degree, reynolds, |_| 1.0, |_| 0.0, from).expect("it settles")
}

/// Botella and Peyret (1998), tables 9 and 10.
const PUBLISHED: [(f64, [f64; 3]); 2] =
    [(100.0, [-0.2140424, 0.1795728, -0.2538030]), (1000.0, [-0.3885698, 0.3769447, -0.5270771])];

fn assert_near(found: [f64; 3], wanted: [f64; 3], tolerance: f64) {
    let off = found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max);
    assert!(off < tolerance, "{found:?} {wanted:?}");
}

#[test]
fn a_lid_of_constant_speed_drives_the_published_flow() {
    let (reynolds, wanted) = PUBLISHED[0];
    assert_near(extrema(&plain(24, reynolds, None)), wanted, 5e-6);
}

#[test]
#[ignore = "a minute"]
fn a_lid_of_constant_speed_drives_the_published_flow_also_fast() {
    for ((reynolds, wanted), tolerance) in PUBLISHED.into_iter().zip([1e-7, 1e-5]) {
        let coarse = plain(32, reynolds, None);
        assert_near(extrema(&plain(48, reynolds, Some(&coarse))), wanted, tolerance);
    }
}

#[test]
fn pressure_and_velocity_balance_inside() {
    let (flow, step) = (regularised(24), 1e-3);
    let at = |component: Component, x: f64, y: f64| flow.value(component, x, y);
    let first = |component: Component, (x, y): (f64, f64), (dx, dy): (f64, f64)| {
        let value = |steps: f64| at(component, x + steps * step * dx, y + steps * step * dy);
        (8.0 * (value(1.0) - value(-1.0)) - (value(2.0) - value(-2.0))) / (12.0 * step)
    };
    let second = |component: Component, (x, y): (f64, f64), (dx, dy): (f64, f64)| {
        let value = |steps: f64| at(component, x + steps * step * dx, y + steps * step * dy);
        (16.0 * (value(1.0) + value(-1.0)) - value(2.0) - value(-2.0) - 30.0 * value(0.0))
            / (12.0 * step * step)
    };
    let (right, up) = ((1.0, 0.0), (0.0, 1.0));
    for place in [(0.3, 0.4), (0.7, 0.8), (0.5, 0.1)] {
        let (u, v) = (at(Component::Across, place.0, place.1), at(Component::Up, place.0, place.1));
        for (component, along) in [(Component::Across, right), (Component::Up, up)] {
            let carried = u * first(component, place, right) + v * first(component, place, up);
            let friction = 0.01 * (second(component, place, right) + second(component, place, up));
            let residual = carried + first(Component::Pressure, place, along) - friction;
            // The flow of degree 24 is accurate to 5e-4 near the corners, and much better here.
            assert!(residual.abs() < 1e-3, "{place:?}: {residual}");
        }
        let divergence = first(Component::Across, place, right) + first(Component::Up, place, up);
        assert!(divergence.abs() < 1e-8, "{place:?}: {divergence}");
    }
}
