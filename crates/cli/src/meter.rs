//! How far a computation is, on stderr.

use crate::clean::stderr;
use crate::terminal::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

/// Parts of the bar's length.
const PARTS: f64 = 1000.0;

/// Between two lines of plain progress, in seconds.
const SECONDS_PER_LINE: f64 = 5.0;

/// Shows a share of work that is done.
pub(crate) struct Meter {
    style: Style,
    what: String,
    bar: ProgressBar,
    began: Instant,
    /// When a line was written last, in seconds.
    said: Mutex<f64>,
}

impl Meter {
    pub(crate) fn new(style: Style, what: &str) -> Self {
        let bar = match style {
            Style::Bar => ProgressBar::with_draw_target(Some(PARTS as u64), ProgressDrawTarget::stderr()),
            Style::Lines | Style::Silent => ProgressBar::hidden(),
        };
        // The template is fixed: were it wrong, the default look would do.
        if let Ok(look) = ProgressStyle::with_template("{wide_bar} {msg}") {
            bar.set_style(look);
        }
        Meter { style, what: what.to_owned(), bar, began: Instant::now(), said: Mutex::new(0.0) }
    }

    pub(crate) fn show(&self, share: f64) {
        let seconds = self.began.elapsed().as_secs_f64();
        let left = if share > 0.0 { seconds / share * (1.0 - share) } else { f64::INFINITY };
        let text = format!("{}  {:3.0} %  {left:.0} s left", self.what, 100.0 * share);
        match self.style {
            Style::Bar => {
                self.bar.set_position((share * PARTS) as u64);
                self.bar.set_message(text);
            }
            Style::Lines => {
                let Ok(mut said) = self.said.lock() else { return };
                if seconds - *said >= SECONDS_PER_LINE && share < 1.0 {
                    *said = seconds;
                    // A closed stderr is no reason to stop.
                    let _ = writeln!(stderr(), "{seconds:8.1} s  {text}");
                }
            }
            Style::Silent => {}
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
