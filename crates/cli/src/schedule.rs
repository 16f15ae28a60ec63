//! `pinnace explain --schedule`: learning rates of every phase, drawn as text.

use pinnace::Experiment;
use pinnace::decide::Settings;
use pinnace::optimize::{Progress, rate};
use pinnace::schedule::{Decay, Order, Schedule};

/// Columns and rows of a chart.
const WIDTH: u64 = 60;
const HEIGHT: usize = 8;

/// Where a phase has no end in steps, or one far beyond a schedule's own number of steps: so many of those are drawn.
const OWN_LENGTHS: u64 = 8;

/// All phases, one after the other.
pub(crate) fn lines(experiment: &Experiment) -> Vec<String> {
    let phases = experiment.settled();
    let mut lines = Vec::new();
    for (number, settings) in phases.iter().enumerate() {
        let phase = if phases.len() > 1 { format!("phase {}: ", number + 1) } else { String::new() };
        lines.push(format!("{phase}{}, budget = {}", settings.method.name(), settings.budget.written()));
        lines.extend(of_phase(settings));
        lines.push(String::new());
    }
    if let Some(windows) = experiment.problem().windows() {
        lines.push(format!(
            "Time comes in {} windows: each goes through this with its share of the budget.",
            windows.count()
        ));
    } else {
        lines.pop();
    }
    lines
}

fn of_phase(settings: &Settings) -> Vec<String> {
    if settings.method.traits().order != Order::First {
        return vec![format!("  {} finds the length of its steps itself", settings.method.title())];
    }
    let full = settings.learning_rate;
    let mut lines = vec![format!("  learning_rate = {full:?}, schedule = {}", settings.schedule.written())];
    match followed(settings) {
        Some(sentence) => lines.push(format!("  {sentence}")),
        None => lines.extend(chart(settings)),
    }
    lines
}

/// What a learning rate follows that cannot be known beforehand.
fn followed(settings: &Settings) -> Option<String> {
    let full = settings.learning_rate;
    let falls = |what: &str, Decay { factor, patience, threshold, least }: Decay| {
        format!(
            "follows training: times {factor} after {patience} steps in which {what} fell by less than {} %, down to {}",
            100.0 * threshold,
            short(least * full)
        )
    };
    match settings.schedule {
        Schedule::Plateau(decay) => Some(falls("the mean loss of a hundred steps", decay)),
        Schedule::Residual(decay) => Some(falls("residuals at points that training never visits", decay)),
        Schedule::GradientNorm { steps } => Some(format!(
            "follows training: {full:?}/√(1 + Σ‖gradient‖²/({steps}·‖first gradient‖²)), looked at every 100 steps"
        )),
        Schedule::Constant
        | Schedule::Step { .. }
        | Schedule::Exponential { .. }
        | Schedule::Cosine { .. }
        | Schedule::Restarts { .. }
        | Schedule::Cyclical { .. }
        | Schedule::OneCycle { .. } => None,
    }
}

/// What the columns of a chart stand for.
struct Axis {
    end: f64,
    unit: &'static str,
    /// What lies beyond its end.
    beyond: &'static str,
}

impl Axis {
    fn of(settings: &Settings) -> Self {
        let (budget, own) = (settings.budget, settings.schedule.steps_at_once());
        let by_clock = matches!(settings.schedule, Schedule::Cosine { .. } | Schedule::OneCycle { .. });
        match (budget.steps, budget.seconds) {
            (Some(steps), _) if own.is_some_and(|own| own.saturating_mul(4 * OWN_LENGTHS) < steps) => {
                let drawn = own.unwrap_or(steps).saturating_mul(OWN_LENGTHS);
                Axis { end: drawn as f64, unit: "steps", beyond: "the rest goes on like this" }
            }
            (Some(steps), _) => Axis { end: steps as f64, unit: "steps", beyond: "" },
            (None, Some(seconds)) if by_clock => Axis { end: seconds, unit: "s", beyond: "" },
            (None, _) => {
                let drawn = own.unwrap_or(1000).saturating_mul(OWN_LENGTHS);
                Axis { end: drawn as f64, unit: "steps", beyond: "the budget states no number of steps" }
            }
        }
    }

    /// How far a phase has come at a share of the axis.
    fn progress(&self, share: f64) -> Progress {
        match self.unit {
            // Warm-ups are counted in steps, of which nobody knows how long they take: they are over.
            "s" => Progress { step: u64::MAX, seconds: share * self.end },
            _ => Progress { step: (share * (self.end - 1.0).max(0.0)).round() as u64, seconds: 0.0 },
        }
    }
}

/// Columns of blocks over an axis, and what they begin, culminate and end with.
fn chart(settings: &Settings) -> Vec<String> {
    let axis = Axis::of(settings);
    let at = |column: u64| {
        let progress = axis.progress(column as f64 / (WIDTH - 1) as f64);
        (progress, rate(settings.learning_rate, settings.schedule, settings.budget, progress))
    };
    let columns: Vec<(Progress, f64)> = (0..WIDTH).map(at).collect();
    let top = columns.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
    let blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let row = |row: usize| {
        let block = |(_, rate): &(Progress, f64)| {
            let eighths = (rate / top * (8 * HEIGHT) as f64).round() as usize;
            blocks[eighths.saturating_sub(8 * (HEIGHT - 1 - row)).min(8)]
        };
        let drawn: String = columns.iter().map(block).collect();
        let label = if row == 0 { short(top) } else { String::new() };
        format!("  {label:>10} │{}", drawn.trim_end())
    };
    let mut lines: Vec<String> = (0..HEIGHT).map(row).collect();
    let end = match axis.unit {
        "s" => format!("{} s", axis.end),
        _ if axis.end == 1.0 => "1 step".to_owned(),
        unit => format!("{} {unit}", axis.end),
    };
    lines.push(format!("  {:>10} └{}", "0", "─".repeat(WIDTH as usize)));
    lines.push(format!("  {:>10}  0{end:>width$}", "", width = WIDTH as usize - 1));
    if !axis.beyond.is_empty() {
        lines.push(format!("  {:>10}  ({})", "", axis.beyond));
    }
    if let (Schedule::Cosine { warmup }, "s") = (settings.schedule, axis.unit)
        && warmup > 0
    {
        lines.push(format!("  {:>10}  (not drawn: it rises over the first {warmup} steps)", ""));
    }
    let last = columns.last().map_or(0.0, |(_, rate)| *rate);
    lines.push(format!("  begins at {}, ends at {}", short(columns[0].1), short(last)));
    lines
}

/// With three digits, and no more than a problem file would need.
fn short(number: f64) -> String {
    let rounded: f64 = format!("{number:.2e}").parse().unwrap_or(number);
    format!("{rounded:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn drawn(training: &str) -> String {
        let text = format!(
            "[domain]\nx = [0, 1]\n[unknowns]\nu = {{}}\n[equations]\nrod = \"u_xx = 1\"\n\
             [conditions]\nends = {{ on = \"boundary\", equation = \"u = 0\" }}\n[training]\n{training}\n"
        );
        let opened = Experiment::from_text("rod", &text, Path::new("."), &[]);
        lines(&opened.unwrap_or_else(|error| panic!("{error}"))).join("\n")
    }

    #[test]
    fn a_line_that_falls_is_drawn_from_its_first_value_to_its_last() {
        let text = drawn("optimizer = \"adam\"\nsteps = 1000\nlearning_rate = 0.01\nschedule = \"cosine\"");
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows[0], "adam, budget = { steps = 1000 }");
        assert_eq!(rows[1], "  learning_rate = 0.01, schedule = { kind = \"cosine\", warmup = 0 }");
        assert!(rows[2].starts_with("        0.01 │█"), "{text}");
        let blocks = |row: &str| row.chars().filter(|sign| ('▁'..='█').contains(sign)).count();
        let filled: Vec<usize> = rows[2..10].iter().map(|row| blocks(row)).collect();
        assert!(filled.windows(2).all(|pair| pair[0] < pair[1]), "{text}");
        assert!(rows[11].ends_with("1000 steps"), "{text}");
        assert!(rows[12].starts_with("  begins at 0.01, ends at 2.47e-8"), "{text}");
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let follows = drawn("optimizer = \"adam\"\nsteps = 9\nschedule = \"plateau\"");
        assert!(follows.contains("times 0.5 after 1000 steps"), "{follows}");
        assert!(!follows.contains('│'), "{follows}");
        let own = drawn("optimizer = \"gauss-newton\"\nsteps = 9");
        assert!(own.contains("Gauss-Newton finds the length of its steps itself"), "{own}");
        let clock =
            drawn("optimizer = \"adam\"\nbudget = \"20 s\"\nschedule = { kind = \"cosine\", warmup = 50 }");
        assert!(clock.contains("20 s\n") && clock.contains("rises over the first 50 steps"), "{clock}");
        let cycles =
            drawn("optimizer = \"adam\"\nsteps = 100000\nschedule = { kind = \"triangular\", steps = 100 }");
        assert!(cycles.contains("1600 steps\n") && cycles.contains("goes on like this"), "{cycles}");
    }

    #[test]
    fn phases_are_drawn_one_after_the_other() {
        let text = drawn(
            "phase = [{ optimizer = \"adam\", budget = \"50 steps\" }, { optimizer = \"lbfgs\", budget = \"9 steps\" }]",
        );
        assert!(text.contains("phase 1: adam") && text.contains("\n\nphase 2: lbfgs"), "{text}");
    }
}
