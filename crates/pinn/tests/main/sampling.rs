//! Promises about where points lie.

use equation::problem::Sampler;
use pinnace::sample::{Draw, draw};
use pinnace::{Experiment, Points, TrainError};
use std::path::Path;

fn problem(conditions: &str) -> String {
    format!(
        "title = \"box\"\n[domain]\nt = [0, 1]\nx = [0, 3]\n[unknowns]\nu = {{}}\n[equations]\n\
         heat = \"u_t = u_xx\"\n[conditions]\n{conditions}\n[training]\nhard_constraints = \"off\"\npoints = 64\ncondition_points = 40\n\
         budget = \"1 steps\"\n"
    )
}

fn points(conditions: &str, seed: u64) -> Vec<Points> {
    drawn(conditions, Draw { sampler: Sampler::Sobol, seed, number: 0, interior: 64 })
}

fn drawn(conditions: &str, which: Draw) -> Vec<Points> {
    let experiment = Experiment::from_text("test", &problem(conditions), Path::new("."), &[])
        .unwrap_or_else(|error| panic!("{error}"));
    let tables = experiment.tables().clone();
    draw(experiment.problem(), experiment.plan(), &tables, which).unwrap()
}

const START: &str = "start = { on = \"t = 0\", equation = \"u = 0\" }\n";
const WALLS: &str = "walls = { on = \"x = 0, x = 3\", equation = \"u = 0\" }\n";

#[test]
fn interior_points_lie_strictly_inside_and_depend_on_the_seed_only() {
    let conditions = format!("{START}{WALLS}");
    let sets = points(&conditions, 5);
    assert_eq!(sets[0].len(), 64);
    assert!(sets[0].iter().all(|row| 0.0 < row[0] && row[0] < 1.0 && 0.0 < row[1] && row[1] < 3.0));
    assert_eq!(sets, points(&conditions, 5));
    assert_ne!(sets, points(&conditions, 6));
}

#[test]
fn every_sampler_draws_as_many_points_in_the_right_places_and_fresh_ones_each_time() {
    let start = "start = { on = \"t = 0 where x < 0.5\", equation = \"u = 0\" }\n";
    let conditions = format!("{start}{WALLS}wrap = {{ periodic = \"x\" }}\n");
    for sampler in [Sampler::Sobol, Sampler::Uniform, Sampler::LatinHypercube] {
        let draw = |number| drawn(&conditions, Draw { sampler, seed: 4, number, interior: 64 });
        let draws: Vec<Vec<Points>> = (0..3).map(draw).collect();
        for sets in &draws {
            assert_eq!(sets.iter().map(Points::len).collect::<Vec<_>>(), [64, 40, 40, 40]);
            assert!(sets[0].iter().all(|row| 0.0 < row[0] && row[0] < 1.0 && 0.0 < row[1] && row[1] < 3.0));
            assert!(sets[1].iter().all(|row| row[0] == 0.0 && row[1] < 0.5));
        }
        for pair in draws.windows(2) {
            assert!(pair[0].iter().zip(&pair[1]).all(|(before, after)| before != after));
        }
        assert_eq!(draws[2], draw(2));
    }
}

#[test]
fn points_are_divided_over_pieces_by_their_measure_and_every_piece_has_one() {
    let sets = points(
        &format!(
            "{WALLS}both = {{ on = \"t = 0, x = 0\", equation = \"u = 0\" }}\n\
             few = {{ on = \"t = 0, x = 0, x = 3\", equation = \"u = 0\", points = 2 }}\n"
        ),
        1,
    );
    let on = |set: &Points, axis: usize, value: f64| set.iter().filter(|row| row[axis] == value).count();
    assert_eq!((on(&sets[1], 1, 0.0), on(&sets[1], 1, 3.0)), (20, 20));
    // t = 0 is three long, x = 0 is one long.
    assert_eq!((on(&sets[2], 0, 0.0), on(&sets[2], 1, 0.0)), (30, 10));
    assert!(on(&sets[3], 0, 0.0) >= 1 && on(&sets[3], 1, 0.0) >= 1 && on(&sets[3], 1, 3.0) >= 1);
}

#[test]
fn a_corner_has_one_point() {
    let sets =
        points(&format!("{START}{WALLS}corner = {{ on = \"t = 0 and x = 3\", equation = \"u = 0\" }}\n"), 1);
    assert_eq!(sets[3].iter().collect::<Vec<_>>(), [[0.0, 3.0]]);
}

#[test]
fn filters_keep_the_number_of_points_and_an_empty_place_is_named() {
    let sets =
        points(&format!("start = {{ on = \"t = 0 where x < 0.1\", equation = \"u = 0\" }}\n{WALLS}"), 1);
    assert_eq!(sets[1].len(), 40);
    assert!(sets[1].iter().all(|row| row[0] == 0.0 && row[1] < 0.1));
    let nowhere =
        problem(&format!("start = {{ on = \"t = 0 where x < -1\", equation = \"u = 0\" }}\n{WALLS}"));
    match Experiment::from_text("test", &nowhere, Path::new("."), &[]) {
        Err(TrainError::EmptyPlace { condition }) => assert_eq!(condition, "start"),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("a condition that holds nowhere was accepted"),
    }
}

#[test]
fn faces_carry_their_outward_normal() {
    let sets = points(&format!("{START}flux = {{ on = \"x = 0, x = 3\", equation = \"dn(u) = 0\" }}\n"), 1);
    assert_eq!(sets[2].width(), 4);
    assert!(sets[2].iter().all(|row| row[2] == 0.0 && row[3] == if row[1] == 0.0 { -1.0 } else { 1.0 }));
}

#[test]
fn wrapped_points_are_pairs_at_both_ends() {
    let sets = points(&format!("{START}wrap = {{ periodic = \"x\" }}\n"), 1);
    assert_eq!((sets[2].len(), sets[2].width()), (40, 4));
    assert!(sets[2].iter().all(|row| row[0] == row[2] && row[1] == 0.0 && row[3] == 3.0));
}

#[test]
fn measurements_are_read_beside_the_problem_file() {
    let folder = std::env::temp_dir().join(format!("pinnace-sampling-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("probe.csv"), "x,u,t\n1,2,0.5\n2,3,0.25\n").unwrap();
    let text = problem(&format!("{START}{WALLS}"))
        + "[data]\nprobe = { file = \"probe.csv\", columns = [\"x\", \"u\", \"t\"] }\n";
    let experiment =
        Experiment::from_text("test", &text, &folder, &[]).unwrap_or_else(|error| panic!("{error}"));
    let tables = experiment.tables().clone();
    let rows: Vec<&[f64]> = tables.measurements(0).iter().collect();
    assert_eq!(rows, [[0.5, 1.0, 2.0], [0.25, 2.0, 3.0]]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(matches!(Experiment::from_text("test", &text, &folder, &[]), Err(TrainError::Table(_))));
}

#[test]
fn points_lie_on_the_shape_of_their_own_parameters_and_normals_lead_out_of_it() {
    let text = "[domain]\nx = [-1, 1]\ny = [-1, 1]\na = { range = [0.2, 0.6], parameter = true }\n[geometry]\nouter = \"disk([0, 0], 1)\"\n\
                inner = \"disk([0.1, 0], a)\"\nshape = \"outer - inner\"\n[unknowns]\nu = {}\n[equations]\nheat = \"laplacian(u) = 1\"\n\
                [conditions]\nouter = { on = \"outer\", equation = \"u = 0\" }\ninner = { on = \"inner\", equation = \"dn(u) = 1\" }\n";
    let experiment =
        Experiment::from_text("test", text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"));
    let which = Draw { sampler: Sampler::Sobol, seed: 2, number: 1, interior: 500 };
    let sets = draw(experiment.problem(), experiment.plan(), experiment.tables(), which).unwrap();
    let away = |row: &[f64]| ((row[0] - 0.1).powi(2) + row[1] * row[1]).sqrt();
    assert_eq!(sets[0].len(), 500);
    assert!(sets[0].iter().all(|row| away(row) > row[2] && row[0].hypot(row[1]) < 1.0));
    // Between the smallest and the largest hole there are points of some parameters only.
    assert!(sets[0].iter().any(|row| away(row) < 0.3) && sets[0].iter().any(|row| row[2] > 0.5));
    let rim = sets.last().expect("the condition that is a penalty");
    assert!(!rim.is_empty());
    for row in rim.iter() {
        assert!((away(row) - row[2]).abs() < 1e-12, "{row:?}");
        let outward = row[3] * (0.1 - row[0]) - row[4] * row[1];
        assert!((outward - row[2]).abs() < 1e-12, "{row:?}");
    }
}
