//! What a level comes to: the complete list.

use crate::Experiment;
use crate::decide::Settings;
use equation::decide::{Decision, quoted};
use equation::problem::PerformanceLevel;

impl Experiment {
    /// All that its level decides, and what is stated in its place, with the reason for each.
    pub fn performance(&self) -> Vec<Decision> {
        let stated = &self.problem().performance;
        let level = self.level();
        let by_level = format!("by level {}", level.name());
        let why = |is_stated: bool| if is_stated { "stated".to_owned() } else { by_level.clone() };
        let used = self.machine_use();
        let list = [
            ("performance.level", quoted(level.name()), stated.level.is_some()),
            ("training.precision", quoted(self.precision().name()), self.states("training.precision")),
            ("performance.compile", quoted(self.compile_mode().name()), self.states("performance.compile")),
            ("performance.tiles", self.tiles().written(), self.states("performance.tiles")),
            ("performance.threads", used.threads.to_string(), stated.threads.is_some()),
            ("performance.affinity", used.affinity.written(), stated.affinity.is_some()),
            ("performance.priority", used.priority.unwrap_or(0).to_string(), used.priority.is_some()),
            ("performance.workers", self.workers().to_string(), self.states("performance.workers")),
            ("performance.prefetch", self.prefetch().to_string(), self.states("performance.prefetch")),
            (
                "performance.memory_threshold",
                format!("{:?}", self.memory_threshold()),
                stated.memory_threshold.is_some(),
            ),
            ("performance.point_memory", self.point_memory().to_string(), stated.point_memory.is_some()),
        ];
        let decision = |(key, value, is_stated): (&str, String, bool)| {
            let measured = self.decisions().find(key).filter(|decision| self.is_measured(&decision.key));
            let why =
                measured.map_or_else(|| usual(key, level, why(is_stated)), |decision| decision.why.clone());
            Decision::new(key, value, why)
        };
        list.into_iter().map(decision).chain(self.accumulation()).collect()
    }

    /// How many batches the steps of each phase add up: no level adds up several, as that is another training.
    fn accumulation(&self) -> Vec<Decision> {
        let phases = self.settled();
        let decision = |(number, settings): (usize, &Settings)| {
            let key = match phases {
                [_] => "training.accumulate".to_owned(),
                _ => format!("training.phase.{number}.accumulate"),
            };
            let why = if settings.accumulate > 1 { "stated" } else { "the same at every level" };
            Decision::new(key, settings.accumulate.to_string(), why)
        };
        phases.iter().enumerate().map(decision).collect()
    }
}

/// The usual level is nobody's choice.
fn usual(key: &str, level: PerformanceLevel, why: String) -> String {
    match (key, level) {
        ("performance.level", PerformanceLevel::Advanced) if why != "stated" => "the usual one".to_owned(),
        _ => why,
    }
}
