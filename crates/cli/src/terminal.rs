//! Progress on stderr.

use crate::clean::{self, stderr};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pinnace::memory::show;
use pinnace::optimize::Trust;
use pinnace::stability::Incident;
use pinnace::{BalancedPart, ChosenDevice, Event, MemoryTaken, Sink, SlowWay, StepTaken};
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
    pending: Option<ShownStep>,
    budget: Option<(Option<u64>, Option<f64>)>,
    /// What a stage is called, which it is and their number, where there are several.
    stage: Option<(String, usize, usize)>,
    /// As last measured.
    error: Option<f64>,
    /// As last looked at.
    memory: Option<MemoryTaken>,
    /// How often something went wrong.
    incidents: usize,
}

/// Incidents that are told one by one.
const INCIDENTS_SHOWN: usize = 5;

/// A step as far as it is shown.
#[derive(Clone, Copy)]
struct ShownStep {
    step: u64,
    loss: f64,
    /// Since the run began.
    seconds: f64,
    /// Of the phase's budget that is used, where that is known.
    share: Option<f64>,
    phase_seconds: f64,
    points_per_second: f64,
    trust: Option<Trust>,
    /// Of this process, in bytes, as last looked at.
    memory: Option<MemoryTaken>,
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
            stage: None,
            error: None,
            memory: None,
            incidents: 0,
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

    fn show(&mut self, now: ShownStep) {
        self.shown = now.seconds;
        self.pending = None;
        let left = match now.share {
            Some(share) if share > 0.0 => {
                format!("{:.0} s left", now.phase_seconds / share * (1.0 - share))
            }
            Some(_) | None => "time left unknown".to_owned(),
        };
        let ShownStep { step, loss, seconds, share, points_per_second, trust, memory, .. } = now;
        let memory = memory.map(|memory| format!("  {}", show(memory.host))).unwrap_or_default();
        let trust = trust
            .map(|Trust { damping, gain, .. }| format!("  damping {damping:.0e}  gain {gain:.2}"))
            .unwrap_or_default();
        let error = self.error.map(|error| format!("  error {error:.2e}")).unwrap_or_default();
        let stage =
            self.stage.as_ref().map(|(kind, number, count)| format!("{kind} {}/{count}  ", number + 1));
        let stage = stage.unwrap_or_default();
        let text = format!(
            "{stage}step {step}  loss {loss:.3e}{error}{trust}  {left}  {points_per_second:.2e} points/s{memory}"
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

impl Terminal {
    /// Says what went wrong, of the first incidents of a session alone.
    fn say_incident(&mut self, incident: &Incident) {
        self.incidents += 1;
        match self.incidents {
            ..=INCIDENTS_SHOWN => self.say(&format!("warning: {}", incident.sentence())),
            number if number == INCIDENTS_SHOWN + 1 => {
                self.say("more of the same is counted in the report, and told in the run's metrics.jsonl");
            }
            _ => {}
        }
    }
}

impl Sink for Terminal {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Started { parameters, phases, steps } => {
                let plural = if *phases == 1 { "" } else { "s" };
                let after =
                    if *steps == 0 { String::new() } else { format!(", continuing after step {steps}") };
                self.say(&format!("training {parameters} parameters in {phases} phase{plural}{after}"));
            }
            Event::StageStarted { stage, stages, kind, title } => {
                self.stage = Some((kind.clone(), *stage, *stages));
                self.say(&format!("{kind} {}/{stages}: {title}", stage + 1));
            }
            Event::PhaseStarted { phase, points, budget } => {
                self.budget = Some((budget.steps, budget.seconds));
                let plural = if *points == 1 { "" } else { "s" };
                self.say(&format!("phase {}: {points} point{plural} per step", phase + 1));
            }
            Event::Balanced { parts } => self.say(&balance_line(parts)),
            Event::Step(taken) => {
                let StepTaken { step, phase_step, seconds, phase_seconds, points_per_second, trust, .. } =
                    *taken;
                self.memory = taken.memory.or(self.memory);
                let memory = self.memory;
                let interval = match self.style {
                    Style::Silent => return,
                    Style::Lines => SECONDS_PER_LINE,
                    Style::Bar => SECONDS_PER_FRAME,
                };
                let share = self.share(phase_step, phase_seconds);
                let loss = taken.losses.total;
                let now =
                    ShownStep { step, loss, seconds, share, phase_seconds, points_per_second, trust, memory };
                if seconds - self.shown < interval {
                    self.pending = Some(now);
                } else {
                    self.show(now);
                }
            }
            Event::Incident(incident) => self.say_incident(incident),
            Event::Note(note) => note.lines.iter().for_each(|line| self.say(line)),
            Event::Fallback(fallback) => self.say(&fallback_line(&fallback.what, &fallback.why)),
            Event::Measured { error, .. } => self.error = Some(*error),
            Event::NotSaved { error } => self.say(&format!("warning: {error}; training continues")),
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
fn fallback_line(what: &str, why: &str) -> String {
    format!("slower path: {what}: {why}")
}

/// Says why the device that was asked for as the best one is no GPU.
pub(crate) fn tell_of_device(chosen: &ChosenDevice) {
    if let Some(reason) = chosen.without_gpu.clone() {
        let told = SlowWay::Device { used: chosen.device, reason }.told();
        // A closed stderr is no reason to stop.
        let _ = writeln!(stderr(), "{}", fallback_line(&told.what, &told.why));
    }
}

/// Three digits after the point, or of what has many more before it or none there.
fn digits(number: f64) -> String {
    if (0.1..1e5).contains(&number) { format!("{number:.3}") } else { format!("{number:.2e}") }
}

/// Parts of the loss by name with their weights, and how strongly each depends on the parameters.
fn balance_line(parts: &[BalancedPart]) -> String {
    let part = |BalancedPart { name, scale, weight }: &BalancedPart| {
        format!("{name} {} (scale {})", digits(*weight), digits(*scale))
    };
    format!("weights balanced: {}", parts.iter().map(part).collect::<Vec<_>>().join(", "))
}
