//! Points that a device finds inside shapes, and in the order of an epoch.

use super::{causes, on_processor, run, run_with, stand_in};
use pinnace::sample::{HostPoints, draw, recipe};
use pinnace::{Experiment, Objective};
use std::path::Path;

fn plate(space: &[&str], shape: &str, training: &str) -> Experiment {
    let domain: String =
        space.iter().map(|axis| format!("{axis} = {{ range = [-2, 2], open = true }}\n")).collect();
    let equation = format!("u_t = laplacian(u) + {}", space[0]);
    // Something has to make the solution one.
    let ansatz = if training.contains("[conditions]") { "" } else { "[ansatz]\nu = \"t*N\"\n" };
    let text = format!(
        "[domain]\nt = [0, 3]\n{domain}[geometry]\nshape = \"{shape}\"\n[unknowns]\nu = {{}}\n[equations]\nheat = \"{equation}\"\n\
         {ansatz}[network]\nwidth = 5\ndepth = 2\n[training]\nhard_constraints = \"off\"\n{training}"
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
    let ends = "interval(-1, 0.5) - interval(-0.3, 0.1)";
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
            let experiment =
                plate(space, shape, &format!("seed = 7\npoints = {points}\nsampler = \"{sampler}\"\n"));
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

#[test]
fn what_a_device_cannot_find_inside_a_shape_is_told() {
    let why = |shape: &str, sampler: &str| {
        let experiment = plate(&["x", "y"], shape, &format!("points = 50\nsampler = \"{sampler}\"\n"));
        let (problem, plan, tables) = (experiment.problem(), experiment.plan(), experiment.tables());
        recipe(problem, plan, tables, experiment.settled()[0].draw(problem, 0)).err()
    };
    let drop = "spline([[1, 0], [0, 1], [-1, 0], [0, -1]])";
    assert_eq!(why(drop, "sobol"), Some(HostPoints::Shape));
    assert_eq!(why("disk([0, 0], 1) - disk([0, 0], 0.999)", "sobol"), Some(HostPoints::Thin));
    assert!(matches!(why("disk([0, 0], 1)", "latin-hypercube"), Some(HostPoints::Inside(_))));
    assert!(matches!(why("disk([0, 0], 1)", "halton"), Some(HostPoints::Sequence(_))));
    assert_eq!(why("disk([0, 0], 1)", "uniform"), None);
}

/// Trains on a device in long and in short series, and on from a state in the middle: the same bits, and the steps of the processor.
fn trained_alike(experiment: &Experiment, told: &[&str]) {
    let wanted = run(experiment, &mut on_processor(experiment), experiment.start(), 0.0).expect("steps");
    let mut device = Objective::new(stand_in(experiment), Vec::new());
    let long = run(experiment, &mut device, experiment.start(), 0.0).expect("steps");
    let short = run(experiment, &mut device, experiment.start(), 1.0).expect("steps");
    assert_eq!(causes(&long.1.fallbacks), told);
    assert_eq!((&long.0, &long.1.losses, &long.2), (&short.0, &short.1.losses, &short.2));
    assert_eq!((long.0.steps, long.0.task.count("draw")), (wanted.0.steps, wanted.0.task.count("draw")));
    assert_eq!(wanted.1.losses.len(), long.1.losses.len());
    for (number, (got, wanted)) in long.1.losses.iter().zip(&wanted.1.losses).enumerate() {
        assert!((got - wanted).abs() <= 1e-6 * wanted, "step {number}: {got} instead of {wanted}");
    }
    for (got, wanted) in long.2.iter().zip(&wanted.2) {
        assert!((got - wanted).abs() <= 1e-6 * wanted, "at the end {got} instead of {wanted}");
    }
    let middle = short.1.states.iter().find(|state| (1..long.0.phase_step).contains(&state.phase_step));
    let middle = middle.expect("a state was kept on the way");
    let again = run(experiment, &mut device, middle.clone(), 0.0).expect("steps");
    assert_eq!((again.0, again.2), (long.0, long.2));
}

const PENALTY: &str = "[conditions]\nstart = { on = \"t = 0\", equation = \"u = 0\", points = 7 }\n\
                       edge = { on = \"boundary\", equation = \"u = 0.5\", points = 9 }\n";

#[test]
fn series_with_fresh_points_inside_a_shape_take_the_steps_of_the_processor() {
    let training = format!(
        "optimizer = \"adam\"\nlearning_rate = 0.01\nseed = 3\npoints = 40\nresample = 5\nbudget = \"33 steps\"\n{PENALTY}"
    );
    trained_alike(&plate(&["x", "y"], &holes(), &training), &["points"]);
}

#[test]
fn batches_that_a_device_draws_are_those_of_the_host_in_boxes_and_in_shapes() {
    let training = |batch: usize, more: &str| {
        format!(
            "optimizer = \"adam\"\nlearning_rate = 0.01\nseed = 3\npoints = 300\nbatch = {batch}\nbudget = \"25 steps\"\n{more}"
        )
    };
    // The last batch of an epoch has fewer points, or as many.
    for batch in [64, 100] {
        trained_alike(&plate(&["x", "y"], &holes(), &training(batch, PENALTY)), &[]);
        let fresh = format!(
            "seed = 3\nbatch = {batch}\nresample = 6\nsampler = \"uniform\"\nbudget = \"25 steps\"\n"
        );
        trained_alike(&super::open_with(&fresh, &["training.points=300".to_owned()]), &[]);
    }
    let fresh = training(100, &format!("resample = 6\n{PENALTY}"));
    trained_alike(&plate(&["x", "y"], &holes(), &fresh), &["points"]);
}

#[test]
fn batches_from_the_host_are_copied_beside_a_step_and_have_the_same_bits_for_any_number_of_workers() {
    // Devices do not have this sequence; the last batch of an epoch has fewer points.
    let training = "seed = 3\nbatch = 64\nsampler = \"halton\"\nbudget = \"12 steps\"\n";
    let experiment = super::open_with(training, &["training.points=300".to_owned()]);
    trained_alike(&experiment, &["points"]);
    let mut ends = Vec::new();
    for workers in [0, 1, 4] {
        let mut device = Objective::new(stand_in(&experiment), Vec::new());
        let (end, kept, losses) =
            run_with(&experiment, &mut device, experiment.start(), (0.0, workers)).expect("steps");
        ends.push((end, kept.losses, losses));
    }
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0], ends[2]);
}
