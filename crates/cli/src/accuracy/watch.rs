//! Progress of many trainings on stderr.

use crate::clean::{self, stderr};
use crate::terminal::Style;
use bench::{News, SHIPPED, Trial, TrialTask};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

/// Between two lines about trainings that go on.
const SECONDS_PER_LINE: u64 = 30;

/// Shows which trainings are under way and what others have reached.
pub(super) struct Watch<'tasks> {
    style: Style,
    bar: ProgressBar,
    tasks: &'tasks [TrialTask],
    /// Trainings that are over, those of earlier calls included.
    done: usize,
    total: usize,
    /// By their place among the tasks, what is known of them.
    running: BTreeMap<usize, String>,
    said: Instant,
}

impl<'tasks> Watch<'tasks> {
    pub(super) fn new(style: Style, tasks: &'tasks [TrialTask], total: usize) -> Self {
        let bar = match style {
            Style::Bar => ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr()),
            Style::Lines | Style::Silent => ProgressBar::hidden(),
        };
        // The template is fixed: were it wrong, the default look would do.
        if let Ok(look) = ProgressStyle::with_template("{bar:24} {pos}/{len} {wide_msg}") {
            bar.set_style(look);
        }
        let done = total - tasks.len();
        let watch = Watch { style, bar, tasks, done, total, running: BTreeMap::new(), said: Instant::now() };
        watch.bar.set_position(done as u64);
        if done > 0 {
            watch.say(&format!("{done} of {total} trainings were done before"));
        }
        watch
    }

    pub(super) fn note(&mut self, news: &News) {
        match news {
            News::Progress { task, seconds, error, .. } => {
                let error = error.map(|error| format!(" {error:.1e}")).unwrap_or_default();
                self.running.insert(*task, format!("{}{error} at {seconds:.0} s", self.name(*task)));
                self.show();
            }
            News::Ended { task, trial } => {
                self.running.remove(task);
                self.done += 1;
                let (done, total) = (self.done, self.total);
                self.say(&format!("[{done}/{total}] {}: {}", self.name(*task), outcome(trial)));
                self.bar.set_position(done as u64);
                self.show();
            }
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn name(&self, task: usize) -> String {
        let Some(TrialTask { problem, optimizer, seed }) = self.tasks.get(task) else { return String::new() };
        match optimizer.as_str() {
            SHIPPED => format!("{problem} seed {seed}"),
            method => format!("{problem} {method} seed {seed}"),
        }
    }

    fn show(&mut self) {
        let running = self.running.values().cloned().collect::<Vec<_>>().join(", ");
        match self.style {
            Style::Bar => self.bar.set_message(clean::line(&running)),
            Style::Lines if self.said.elapsed().as_secs() >= SECONDS_PER_LINE && !running.is_empty() => {
                self.said = Instant::now();
                self.say(&format!("[{}/{}] now {running}", self.done, self.total));
            }
            Style::Lines | Style::Silent => {}
        }
    }

    fn say(&self, text: &str) {
        match self.style {
            Style::Silent => {}
            Style::Lines => {
                // A closed stderr is no reason to stop training.
                let _ = writeln!(stderr(), "{text}");
            }
            Style::Bar => self.bar.println(clean::text(text)),
        }
    }
}

/// What a training has reached, in a line.
fn outcome(trial: &Trial) -> String {
    if let Some(reason) = &trial.failed {
        return format!("failed: {reason}");
    }
    let errors: Vec<String> = trial
        .relative_l2
        .iter()
        .map(|(name, error)| match error {
            Some(error) => format!("{name} {error:.1e}"),
            None => format!("{name} not known"),
        })
        .collect();
    let Trial { steps, seconds, trainable, phases, .. } = trial;
    let phases = phases.join("; ");
    let unknown = trial.relative_l2.values().all(Option::is_none);
    let residual = trial.relative_residual.filter(|_| unknown);
    let residual = residual.map(|residual| format!(" (no reference; relative residual {residual:.1e})"));
    format!(
        "{}{} after {steps} steps in {seconds:.1} s ({trainable} parameters; {phases})",
        errors.join(", "),
        residual.unwrap_or_default()
    )
}
