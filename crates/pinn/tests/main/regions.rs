//! Parts of space with solutions of their own.

use equation::problem::Sampler;
use pinnace::sample::{Draw, draw};
use pinnace::{Device, Experiment, Places, Points, Precision, Quiet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn experiment(text: &str) -> Experiment {
    Experiment::from_text("regions", text, Path::new("."), &[]).expect("a good problem")
}

/// A rod of two materials: heat flows at one rate through both, and the temperature bends where they meet.
const ROD: &str = r#"
[domain]
x = [0, 1]
[regions]
left = "interval(0, 0.3)"
[functions]
k = "where(left, 0.1, 1)"
[unknowns]
u = {}
[equations]
heat = "div(k*grad(u)) = 0"
[conditions]
ends = { on = "x = 0", equation = "u = 0" }
end = { on = "x = 1", equation = "u = 1" }
meet = { on = "interface", equations = ["jump(u) = 0.2", "jump(k*dn(u)) = 0"] }
[reference]
u = "where(x < 0.3, 8*x/37, 1 - 0.8*(1 - x)/37)"
[network]
width = 8
depth = 2
[training]
budget = "40 steps"
"#;

#[test]
fn a_solution_may_bend_and_jump_where_regions_meet() {
    // Flux q: q·0.3/0.1 + 0.2 + q·0.7 = 1.
    let text = ROD.replace("8*x/37", "x*8/3.7").replace("0.8*(1 - x)/37", "(1 - x)*0.8/3.7");
    let experiment = experiment(&text);
    assert_eq!(experiment.plan().architecture.outputs(), 2);
    let trained = experiment.train(&AtomicBool::new(false), &mut Quiet).expect("training");
    let error = trained.errors[0].as_ref().and_then(|error| error.relative_l2).expect("a reference");
    assert!(error < 1e-6, "{error}");
    let mut places = Points::new(1);
    [0.3 - 1e-9, 0.3 + 1e-9].iter().for_each(|x| places.push(&[*x]));
    let fields = experiment.fields(&trained.parameters, Places::Scattered(places), &[]).expect("fields");
    let values = fields.iter().next().expect("a field").1.to_vec();
    assert!((values[1] - values[0] - 0.2).abs() < 1e-6, "{values:?}");
    assert!(trained.relative_residuals.iter().flatten().all(|relative| *relative < 1e-4));
}

#[test]
fn layers_that_touch_know_their_neighbours_and_devices_agree() {
    let text = r#"
[domain]
t = [0, 1]
x = [0, 1]
y = [0, 1]
[regions]
bottom = "rectangle([0, 0], [1, 0.3])"
middle = "rectangle([0, 0.2], [1, 0.6])"
[functions]
k = "where(bottom, 1, where(middle, 2, 3))"
[unknowns]
u = {}
[equations]
heat = "u_t = div(k*grad(u)) + middle"
[conditions]
start = { on = "t = 0", equation = "u = 0" }
walls = { on = "boundary", equation = "u = 0" }
meet = { on = "bottom, middle", equations = ["jump(u) = 0", "jump(k*dn(u)) = 0"] }
[network]
width = 6
depth = 2
[training]
points = 50
condition_points = 64
optimizer = "adam"
budget = "3 steps"
"#;
    let whole = experiment(text);
    let plan = whole.plan();
    let (position, term) =
        plan.terms.iter().enumerate().find(|(_, term)| term.name == "meet").expect("an interface");
    let wanted = Draw { seed: 0, number: 0, interior: 10, sampler: Sampler::Sobol };
    let tables = whole.tables().clone();
    let points = &draw(whole.problem(), plan, &tables, wanted).expect("points")[position];
    let mut seen = [false; 2];
    for row in points.iter() {
        // On y = 0.3 the bottom meets the middle, on y = 0.6 the middle meets the rest; there is nothing else.
        let sides = &row[term.row.first_column()..];
        let (y, normal) = (row[2], row[2 * 3 + 2]);
        let wanted = match () {
            () if (y - 0.3).abs() < 1e-9 => [1.0, 0.0, 0.0, 1.0],
            () if (y - 0.6).abs() < 1e-9 => [0.0, 1.0, 0.0, 0.0],
            () => panic!("nothing meets at {row:?}"),
        };
        assert_eq!(sides, wanted, "{row:?}");
        assert!((normal - 1.0).abs() < 1e-12);
        seen[usize::from(y > 0.5)] = true;
    }
    assert_eq!(seen, [true, true]);
    let trained = |device| {
        let trained = whole.clone().on(device, Precision::F64);
        let trained = trained.train(&AtomicBool::new(false), &mut Quiet).expect("training");
        (trained.losses.total, trained.parameters)
    };
    let (loss, parameters) = trained(Device::Reference);
    let (other, others) = trained(Device::Cpu);
    assert!((loss - other).abs() < 1e-12 * loss, "{loss} {other}");
    assert!(parameters.iter().zip(&others).all(|(one, other)| (one - other).abs() < 1e-10));
}
