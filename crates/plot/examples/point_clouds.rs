//! The pictures of docs/sampling.md: `cargo run --release -p plot --example point_clouds -- docs/images`.

use pinnace::sample::{Draw, draw};
use pinnace::{Experiment, Points, Quiet};
use plot::{Axis, Colour, Dots, Line, Numbers, Panel, Pen, Row, Scene, Sheet};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Panels side by side.
const COLUMNS: usize = 4;

const SEQUENCES: [&str; 7] =
    ["sobol", "uniform", "latin-hypercube", "halton", "hammersley", "grid", "chebyshev"];

/// What moves points, and its list.
const LISTS: [(&str, &str); 8] = [
    ("sobol, fixed", "[]"),
    ("rad", "[\"rad\"]"),
    ("rad, power 2, floor 0", "[{ kind = \"rad\", power = 2, floor = 0 }]"),
    ("gradient", "[{ kind = \"gradient\", floor = 0.5 }]"),
    ("uncertainty", "[{ kind = \"uncertainty\", floor = 0 }]"),
    ("rar", "[\"rar\"]"),
    ("r3", "[\"r3\"]"),
    ("hierarchical", "[\"hierarchical\"]"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "docs/images".to_owned());
    let folder = Path::new(&folder);
    std::fs::write(folder.join("sampling-sequences.png"), sequences()?)?;
    std::fs::write(folder.join("sampling-clouds.png"), clouds()?)?;
    Ok(())
}

/// 256 points of every sequence in the unit square.
fn sequences() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut panels = Vec::new();
    for name in SEQUENCES {
        let text = format!(
            "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\na = \"laplacian(u) = 1\"\n[conditions]\n\
             walls = {{ on = \"boundary\", equation = \"u = 0\" }}\n[training]\nsampling = \"{name}\"\n"
        );
        let experiment = Experiment::from_text(name, &text, Path::new("."), &[])?;
        let settings = experiment.settled().first().ok_or("a phase")?;
        let wanted = Draw { interior: 256, ..settings.draw(experiment.problem(), 0) };
        let sets = draw(experiment.problem(), experiment.plan(), experiment.tables(), wanted)?;
        let points = sets.first().ok_or("points")?;
        panels.push(panel(name, points, [[0.0, 1.0], [0.0, 1.0]]));
    }
    sheet("", panels, (200.0, 200.0))
}

/// The points of Burgers after training, over time (to the right) and space.
fn clouds() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut panels = Vec::new();
    for (title, list) in LISTS {
        let overrides = [
            "training.optimizer=adam".to_owned(),
            "training.learning_rate=5e-3".to_owned(),
            "training.points=600".to_owned(),
            format!("training.sampling={list}"),
            "training.steps=2000".to_owned(),
        ];
        let experiment = Experiment::open("burgers", &overrides)?;
        let mut now = experiment.start();
        experiment.train_from(&mut now, &AtomicBool::new(false), &mut Quiet)?;
        let points = experiment.points_inside(&now)?;
        let bounds = experiment.problem().domain.coordinates.iter().map(|axis| [axis.low, axis.high]);
        let bounds: Vec<[f64; 2]> = bounds.collect();
        panels.push(panel(title, &points, [bounds[0], bounds[1]]));
    }
    sheet("Burgers after 2000 steps of Adam: time to the right, space upwards", panels, (270.0, 210.0))
}

fn panel(title: &str, points: &Points, [[left, right], [low, high]]: [[f64; 2]; 2]) -> Panel {
    let frame = vec![(left, low), (right, low), (right, high), (left, high), (left, low)];
    Panel::Scene(Scene {
        title: title.to_owned(),
        x: Axis::linear("", left, right),
        y: Axis::linear("", low, high),
        numbers: Numbers::Neither,
        ground: None,
        dots: vec![Dots {
            places: points.iter().map(|row| (row[0], row[1])).collect(),
            pen: Pen::solid(Colour::of_curve(0), 3.4),
        }],
        lines: vec![Line { paths: vec![frame], pen: Pen::solid(Colour::GREY, 1.5) }],
        arrows: Vec::new(),
        rings: Vec::new(),
        names: Vec::new(),
        legend: Vec::new(),
    })
}

fn sheet(note: &str, panels: Vec<Panel>, (width, height): (f64, f64)) -> Result<Vec<u8>, Box<dyn Error>> {
    let rows = panels.chunks(COLUMNS).map(|panels| Row { height, panels: panels.to_vec() }).collect();
    let sheet = Sheet { title: String::new(), note: note.to_owned(), legend: Vec::new(), width, rows };
    Ok(sheet.png()?)
}
