//! Progress on stderr.

use crate::bytes;
use crate::clean::{self, stderr};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pinnace::optimize::Trust;
use pinnace::trainer::Balance;
use pinnace::{ChosenDevice, Event, Fallback, MemoryPlan, Plan, Sink};
use std::io::{IsTerminal, Write};

/// How progress is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// A bar that redraws itself.
    Bar,
    /// A line every [`SECONDS_PER_LINE`].
    Lines,
    /// Not at all.
    Silent,
}

/// Between two lines of plain progress.
const SECONDS_PER_LINE: f64 = 5.0;

/// Between two redrawings of the bar: more often than eyes can follow only costs time.
const SECONDS_PER_FRAME: f64 = 0.1;

/// Parts of the bar's length.
const PARTS: u64 = 1000;

impl Style {
    pub(crate) fn choose(quiet: bool, plain: bool) -> Self {
        match (quiet, plain || !std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Lines,
            (false, false) => Style::Bar,
        }
    }
}

/// Listens to training and shows how far it is.
pub(crate) struct Terminal {
    style: Style,
    bar: ProgressBar,
    shown: f64,
    /// The last step, where it has not been shown.
    pending: Option<Step>,
    budget: Option<(Option<u64>, Option<f64>)>,
    /// The window of time and their number, where there are several.
    window: Option<(usize, usize)>,
    /// As last measured.
    error: Option<f64>,
}

/// A step as far as it is shown.
#[derive(Clone, Copy)]
struct Step {
    step: u64,
    loss: f64,
    /// Since the run began.
    seconds: f64,
    /// Of the phase's budget that is used, where that is known.
    share: Option<f64>,
    phase_seconds: f64,
    points_per_second: f64,
    trust: Option<Trust>,
}

impl Terminal {
    pub(crate) fn new(style: Style) -> Self {
        let bar = match style {
            Style::Bar => ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr()),
            Style::Lines | Style::Silent => ProgressBar::hidden(),
        };
        // The template is fixed: were it wrong, the default look would do.
        if let Ok(look) = ProgressStyle::with_template("{wide_bar} {msg}") {
            bar.set_style(look);
        }
        Terminal {
            style,
            bar,
            shown: f64::NEG_INFINITY,
            pending: None,
            budget: None,
            window: None,
            error: None,
        }
    }

    pub(crate) fn say(&self, text: &str) {
        match self.style {
            Style::Silent => {}
            Style::Lines => {
                // A closed stderr is no reason to stop training.
                let _ = writeln!(stderr(), "{text}");
            }
            Style::Bar => self.bar.println(clean::text(text)),
        }
    }

    fn show(&mut self, now: Step) {
        self.shown = now.seconds;
        self.pending = None;
        let left = match now.share {
            Some(share) if share > 0.0 => {
                format!("{:.0} s left", now.phase_seconds / share * (1.0 - share))
            }
            Some(_) | None => "time left not known".to_owned(),
        };
        let Step { step, loss, seconds, share, points_per_second, trust, .. } = now;
        let trust = trust
            .map(|Trust { damping, gain, .. }| format!("  damping {damping:.0e}  gain {gain:.2}"))
            .unwrap_or_default();
        let error = self.error.map(|error| format!("  error {error:.2e}")).unwrap_or_default();
        let window = self.window.map(|(number, count)| format!("window {}/{count}  ", number + 1));
        let window = window.unwrap_or_default();
        let text = format!(
            "{window}step {step}  loss {loss:.3e}{error}{trust}  {left}  {points_per_second:.2e} points/s"
        );
        match self.style {
            Style::Bar => {
                self.bar.set_position((share.unwrap_or(0.0) * PARTS as f64) as u64);
                self.bar.set_message(clean::line(&text));
            }
            Style::Lines => self.say(&format!("{seconds:8.1} s  {text}")),
            Style::Silent => {}
        }
    }

    /// The part of the phase's budget that is used, by whichever bound is nearest.
    fn share(&self, step: u64, seconds: f64) -> Option<f64> {
        let (steps, time) = self.budget?;
        let by_steps = steps.map(|steps| step as f64 / steps.max(1) as f64);
        let by_time = time.map(|time| seconds / time);
        by_steps.into_iter().chain(by_time).reduce(f64::max).map(|share| share.clamp(0.0, 1.0))
    }
}

/// What a phase will take, in words.
pub(crate) fn memory(plan: &MemoryPlan) -> Vec<String> {
    let pools = plan.pools.iter().filter(|(_, bytes)| *bytes > 0);
    let pools = pools.map(|(purpose, bytes)| format!("{} {}", purpose.name(), bytes::show(*bytes)));
    let kernels = (plan.kernels > 0).then(|| format!("kernels {}", bytes::show(plan.kernels)));
    let rest = (plan.rest > 0).then(|| format!("rest of a page {}", bytes::show(plan.rest)));
    let parts: Vec<String> = pools.chain(rest).chain(kernels).collect();
    let whole = bytes::show(plan.bytes());
    let staging = bytes::show(plan.staging);
    let mut lines = vec![format!("memory {whole}: {}; {staging} of the host's for copies", parts.join(", "))];
    if plan.chunks > 1 {
        lines.push(format!("points in {} chunks on {} blocks", plan.chunks, plan.blocks));
    }
    if let Some(movers) = plan.movers {
        let tiles = plan.blocks;
        lines.push(format!(
            "many steps per launch: {tiles} blocks with a tile each, {movers} that move parameters"
        ));
    }
    if plan.shortage {
        lines.push("warning: the GPU has less memory free than all points at once would take".to_owned());
    }
    lines
}

impl Sink for Terminal {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Started { parameters, phases, steps } => {
                let plural = if phases == 1 { "" } else { "s" };
                let after = if steps == 0 { String::new() } else { format!(", going on after step {steps}") };
                self.say(&format!("training {parameters} parameters in {phases} phase{plural}{after}"));
            }
            Event::WindowStarted { window, windows, time, interval: (from, to) } => {
                self.window = Some((window, windows));
                self.say(&format!("window {}/{windows}: {time} from {from} to {to}", window + 1));
            }
            Event::PhaseStarted { phase, points, budget } => {
                self.budget = Some((budget.steps, budget.seconds));
                let plural = if points == 1 { "" } else { "s" };
                self.say(&format!("phase {}: {points} point{plural} per step", phase + 1));
            }
            Event::Balanced { plan, balance } => self.say(&balance_line(plan, balance)),
            Event::Step {
                step,
                phase_step,
                losses,
                seconds,
                phase_seconds,
                points_per_second,
                trust,
                ..
            } => {
                let interval = match self.style {
                    Style::Silent => return,
                    Style::Lines => SECONDS_PER_LINE,
                    Style::Bar => SECONDS_PER_FRAME,
                };
                let share = self.share(phase_step, phase_seconds);
                let loss = losses.total;
                let now = Step { step, loss, seconds, share, phase_seconds, points_per_second, trust };
                if seconds - self.shown < interval {
                    self.pending = Some(now);
                } else {
                    self.show(now);
                }
            }
            Event::Memory { plan } => memory(plan).iter().for_each(|line| self.say(line)),
            Event::Fallback { fallback } => self.say(&fallback_line(fallback)),
            Event::Measured { error, .. } => self.error = Some(error),
            Event::NotSaved { error } => self.say(&format!("warning: {error}; training goes on")),
            Event::PhaseEnded { phase, stopped } => {
                if let Some(last) = self.pending {
                    self.show(last);
                }
                self.say(&format!("phase {} ended by: {stopped}", phase + 1));
            }
            Event::Finished { .. } => self.bar.finish_and_clear(),
        }
    }

    fn wants_error(&self) -> bool {
        self.style != Style::Silent
    }
}

/// What is done instead of what, and why.
fn fallback_line(fallback: &Fallback) -> String {
    format!("slower than it could be: {}: {}", fallback.what(), fallback.why())
}

/// Says why the device that was asked for as the best one is no GPU.
pub(crate) fn tell_of_device(chosen: &ChosenDevice) {
    if let Some(reason) = chosen.without_gpu.clone() {
        let fallback = Fallback::Device { used: chosen.device, reason };
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "{}", fallback_line(&fallback));
    }
}

/// Three digits after the point, or of what has many more before it or none there.
fn digits(number: f64) -> String {
    if (0.1..1e5).contains(&number) { format!("{number:.3}") } else { format!("{number:.2e}") }
}

/// Residuals by name with their weights, and how strongly each depends on the parameters.
fn balance_line(plan: &Plan, Balance { scales, weights }: &Balance) -> String {
    let names = plan.terms.iter().flat_map(|term| {
        term.residuals.iter().map(|part| {
            if term.name == "interior" || term.residuals.len() > 1 { &part.name } else { &term.name }
        })
    });
    let parts: Vec<String> = names
        .zip(weights.iter().zip(scales))
        .map(|(name, (weight, scale))| format!("{name} {} (scale {})", digits(*weight), digits(*scale)))
        .collect();
    format!("weights balanced: {}", parts.join(", "))
}
