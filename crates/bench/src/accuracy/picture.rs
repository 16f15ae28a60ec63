//! Error against time, drawn.

use super::{SHIPPED, Trial, published};
use crate::BenchError;
use plot::{Axis, Colour, Curve, Curves, Panel, Pen, Picture, Row, Sheet};

/// The picture of all problems, where there are several.
const OVERVIEW: &str = "accuracy.png";

/// Panels side by side in it.
const COLUMNS: usize = 3;

/// Draws the error against time: a picture for every problem, and one of all of them.
pub fn pictures(trials: &[Trial]) -> Result<Vec<Picture>, BenchError> {
    let mut problems: Vec<&str> = Vec::new();
    for trial in trials.iter().filter(|trial| !trial.history.error.is_empty()) {
        if !problems.contains(&trial.problem.as_str()) {
            problems.push(&trial.problem);
        }
    }
    let mut pictures = Vec::new();
    for problem in &problems {
        let subject = Subject::of(trials, problem);
        let panel = subject.panel("relative L2 error");
        let rows = vec![Row { height: 460.0, panels: vec![Panel::Curves(panel)] }];
        let sheet = Sheet {
            title: (*problem).to_owned(),
            note: subject.note(),
            legend: subject.legend(),
            width: 860.0,
            rows,
        };
        pictures.push(Picture { name: format!("{}.png", file_name(problem)), bytes: sheet.png()? });
    }
    if problems.len() > 1 {
        let panels = |problems: &[&str]| {
            problems
                .iter()
                .map(|problem| Panel::Curves(Subject::of(trials, problem).panel(problem)))
                .collect()
        };
        let rows = problems.chunks(COLUMNS).map(|row| Row { height: 240.0, panels: panels(row) }).collect();
        let all: Vec<&Trial> = trials.iter().collect();
        let sheet = Sheet {
            title: "Relative L2 error against time".to_owned(),
            note: "every seed a curve; dashed: the best published error".to_owned(),
            legend: Subject { problem: "", trials: all }.legend(),
            width: 360.0,
            rows,
        };
        pictures.push(Picture { name: OVERVIEW.to_owned(), bytes: sheet.png()? });
    }
    Ok(pictures)
}

/// All trainings of a problem.
struct Subject<'trials> {
    problem: &'trials str,
    trials: Vec<&'trials Trial>,
}

impl<'trials> Subject<'trials> {
    fn of(trials: &'trials [Trial], problem: &'trials str) -> Self {
        let mut trials: Vec<&Trial> = trials.iter().filter(|trial| trial.problem == problem).collect();
        trials.sort_by_key(|trial| trial.seed);
        Subject { problem, trials }
    }

    /// The methods by name: each has the same colour in every picture.
    fn methods(&self) -> Vec<&'trials str> {
        let mut methods: Vec<&str> = Vec::new();
        for trial in &self.trials {
            if !methods.contains(&trial.optimizer.as_str()) {
                methods.push(&trial.optimizer);
            }
        }
        methods.sort_unstable();
        methods
    }

    /// The error of the problem's unknowns that others have published.
    fn record(&self) -> Option<f64> {
        let unknowns = self.trials.first()?.relative_l2.keys();
        unknowns
            .filter_map(|unknown| published(self.problem, unknown))
            .map(|best| best.error)
            .reduce(f64::max)
    }

    fn panel(&self, title: &str) -> Curves {
        let methods = self.methods();
        let end = self.trials.iter().flat_map(|trial| &trial.history.seconds).copied().fold(0.0, f64::max);
        let mut curves: Vec<Curve> = Vec::new();
        if let Some(error) = self.record() {
            let points = vec![(0.0, error), (end, error)];
            curves.push(Curve { name: String::new(), points, pen: Pen::dashed(Colour::GREY, 2.0) });
        }
        for trial in &self.trials {
            let place = methods.iter().position(|method| *method == trial.optimizer).unwrap_or(0);
            let pen = Pen::solid(Colour::of_curve(place), 2.2);
            curves.push(Curve { name: String::new(), points: trial.history.points().collect(), pen });
        }
        let errors = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
        let positive = || errors().filter(|error| *error > 0.0);
        let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
        let whole = |error: f64, round: fn(f64) -> f64| 10f64.powf(round(error.log10()));
        let y = Axis::logarithmic("", whole(low, f64::floor), whole(high, f64::ceil));
        let x = Axis::linear("seconds", 0.0, end);
        Curves { title: title.to_owned(), x, y, curves, marks: Vec::new(), legend: false }
    }

    fn legend(&self) -> Vec<(String, Pen)> {
        let methods = self.methods();
        if methods == [SHIPPED] {
            return Vec::new();
        }
        let pen = |place: usize| Pen::solid(Colour::of_curve(place), 4.0);
        methods.iter().enumerate().map(|(place, method)| ((*method).to_owned(), pen(place))).collect()
    }

    /// How it was made, and what the dashed line is.
    fn note(&self) -> String {
        let Some(first) = self.trials.first() else { return String::new() };
        let seeds = self.trials.iter().map(|trial| trial.seed).max().unwrap_or(0) + 1;
        let seeds = if seeds == 1 { "one seed".to_owned() } else { format!("{seeds} seeds") };
        let threads =
            if first.threads == 1 { "one thread".to_owned() } else { format!("{} threads", first.threads) };
        let note = format!("{seeds}, {} {}, {threads}", first.device, first.precision);
        let unknowns = first.relative_l2.keys().filter_map(|unknown| published(self.problem, unknown)).next();
        match unknowns {
            Some(best) => format!("{note}; dashed: {:.1e} by {}", best.error, best.method),
            None => note,
        }
    }
}

/// A problem's name without what separates folders.
fn file_name(problem: &str) -> String {
    let stem = std::path::Path::new(problem).file_stem().unwrap_or_default().to_string_lossy();
    stem.chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' })
        .collect()
}
