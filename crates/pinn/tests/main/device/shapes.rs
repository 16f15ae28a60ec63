//! Points that a device finds inside shapes, and in the order of an epoch.

use super::{causes, on_processor, run, stand_in};
use pinnace::sample::{HostPoints, draw, recipe};
use pinnace::{Experiment, Objective};
use std::path::Path;

fn plate(space: &[&str], shape: &str, training: &str) -> Experiment {
    let domain: String = space.iter().map(|axis| format!("{axis} = [-2, 2]\n")).collect();
    let equation = format!("u_t = laplacian(u) + {}", space[0]);
    let text = format!(
        "[domain]\nt = [0, 3]\n{domain}[geometry]\nshape = \"{shape}\"\n[unknowns]\nu = {{}}\n[equations]\nheat = \"{equation}\"\n\
         [network]\nwidth = 5\ndepth = 2\n[training]\nhard_constraints = \"off\"\n{training}"
    );
    Experiment::from_text("plate", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A square with nine holes.
fn holes() -> String {
    let hole = |number: usize| format!(" - disk([{}, {}], 0.3)", number % 3, number / 3);
    let holes: String = (0..9).map(hole).collect();
    format!("translate(rectangle([-1, -1], [3, 3]){holes}, [-1, -1])")
}

#[test]
fn points_inside_shapes_drawn_by_a_device_are_those_of_the_host_bit_for_bit() {
    let holes = holes();
    let ends = "interval([-1, 0.5]) - interval([-0.3, 0.1])";
    let turned = "rotate(rectangle([-1, -1], [1, 0.7]) - ellipse([0.1, 0.2], [0.5, 0.3]), pi/7) - half_space([0.8, 0], [-1, 0.3])";
    let corners = "scale(polygon([[0, 0], [1, 0.1], [0.4, 0.4], [0.2, 1.1]]), 1.3) + disk([-1, -1], 0.6)";
    let solid = "box([-1, -1, -1], [1, 1, 1]) - cylinder([0, 0, -2], [0.3, 0, 2], 0.4) - torus([0, 0, 0], [1, 1, 0], 0.7, 0.2)\
                 - cone([0.5, 0.5, -1], [0.5, 0.5, 1], 0.4) + ellipsoid([1, 1, 1], [0.5, 0.3, 0.4])";
    let plane: &[&str] = &["x", "y"];
    for (space, shape, points) in [
        (&["x"][..], ends, 700),
        (plane, &holes, 3000),
        (plane, turned, 1500),
        (plane, corners, 1500),
        (&["x", "y", "z"], solid, 1500),
    ] {
        for sampler in ["sobol", "uniform"] {
            let experiment = plate(space, shape, &format!("seed = 7\npoints = {points}\nsampler = \"{sampler}\"\n"));
            let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
            let settings = &experiment.settled()[0];
            let recipe = recipe(problem, plan, tables, settings.draw(problem, 0)).expect("a few steps");
            let mut device = stand_in(&experiment);
            for number in [0, 3] {
                let wanted = draw(problem, plan, tables, settings.draw(problem, number)).expect("points");
                let got = device.draw(&recipe, number, 0).expect("memory");
                assert_eq!(got, wanted, "{shape}, {sampler}, draw {number}");
                assert_eq!(got[0].len(), points);
            }
        }
    }
}
