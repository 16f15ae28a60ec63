//! What training takes on the host: an estimate by the arrays that are there at the same time.

use crate::decide::{Settings, extent_with};
use crate::memory::{HostPurpose, MemoryError, Need, available};
use crate::sample::KeptPoints;
use crate::trainer::{AT_A_TIME, PART, PIECE, in_parts, roles};
use crate::{Experiment, TrainError};
use equation::problem::{Adaptive, Method, Order, Problem, Sampling, Solver};
use equation::taylor::{Plan, Source, Term};
use kernel::{Device, Precision};
use std::sync::Arc;
use train::Hardware;
use train::optimize::Soap;

/// Gradients of parts of the points that the CPU sums side by side.
const GRADIENTS: f64 = 32.0;

/// Other vectors as long as the parameters: weights packed in two ways, twice, and the trainer's own.
const VECTORS: f64 = 12.0;

/// Vectors as long as the rows in a step of Gauss-Newton: at its start, at its end, and its acceleration.
const ROW_VECTORS: f64 = 6.0;

/// What is remembered, as it is kept for a checkpoint, and as the checkpoint is written.
const COPIES_SAVED: f64 = 3.0;

/// Numbers beside the coordinates of a candidate while candidates are ordered: where it lies in memory and in the box.
const ORDERING: f64 = 4.0;

impl Experiment {
    /// The memory of the host that training takes at most, as it is estimated before its first step.
    pub fn memory_need(&self) -> Need {
        let need = self.settled().iter().map(|phase| self.need_of(phase)).max_by_key(Need::bytes);
        need.unwrap_or_default()
    }

    /// Refuses training for which the machine has too little memory.
    pub fn check_memory(&self) -> Result<(), TrainError> {
        Ok(self.check_memory_against(available()?)?)
    }

    /// The same where there are so many bytes.
    pub fn check_memory_against(&self, available: Option<u64>) -> Result<(), MemoryError> {
        self.memory_need().check(available)
    }

    /// Refuses steps that are to be measured, at the points that training begins with, for which there is too little memory.
    pub fn check_memory_of_steps(&self, method: Method) -> Result<(), TrainError> {
        let host = self.clone().on(Device::Cpu, Precision::F64);
        let Some(first) = host.settled().first() else { return Ok(()) };
        let most_points = first.points;
        let sampling = Sampling { adaptive: Adaptive::Even, veto: None, ..first.sampling.clone() };
        let measured =
            Settings { method, most_points, sampling, resample: None, batch: None, ..first.clone() };
        Ok(self.need_of(&measured).check(available()?)?)
    }

    /// Refuses so many places, with so many fields at each, that the machine has too little memory for them.
    pub fn check_places(&self, places: f64, fields: usize) -> Result<(), TrainError> {
        let problem = self.problem();
        let (coordinates, unknowns) = (problem.domain.len(), problem.unknowns.len());
        // Places are copied for references and for errors, values into columns.
        let each = 4 * coordinates + 2 * fields + 4 * unknowns;
        Ok(Need::default().with(HostPurpose::Places, places * each as f64).check(available()?)?)
    }

    pub(crate) fn need_of(&self, settings: &Settings) -> Need {
        let plan = self.plan();
        let most = settings.points.max(settings.most_points);
        let points = |term: &Term| self.points_at_once(term, settings, most) as f64;
        let each = |width: fn(&Term) -> usize| {
            plan.terms.iter().map(|term| points(term) * width(term) as f64).sum::<f64>()
        };
        let mut copies = 1.0;
        if settings.resample.is_some() {
            // New ones are drawn while the old ones are there.
            copies += 1.0;
        }
        let sampling = &settings.sampling;
        if sampling.adaptive.moves() {
            // They follow from nothing but training: the snapshot and its file have them too.
            copies += 2.0;
            // Batches are taken out of all of them.
            copies += f64::from(u8::from(settings.batch.is_some()));
        }
        if sampling.veto.is_some() {
            // And those before a move that may be taken back.
            copies += 3.0;
        }
        let numbers = |term: &Arc<Term>| {
            // Of batches there is no draw that another one follows.
            let copies = if self.batch_of(term, settings).is_some() { 1.0 } else { copies };
            copies * points(term) * term.row.width() as f64
        };
        let need = Need::default().with(HostPurpose::Points, plan.terms.iter().map(numbers).sum());
        let need = need.with(HostPurpose::Points, self.numbers_of_batches(settings));
        let need = need.with_bytes(HostPurpose::Points, self.bytes_in_parts(settings, most));
        let inside = plan.terms.iter().filter(|term| term.source == Source::Interior);
        let candidate = |term: &Term| 2.0 * term.row.width() as f64 + ORDERING;
        let parts = (AT_A_TIME * PART).min(most) as f64;
        let judged = |term: &Term| if in_parts(settings, most) { parts } else { points(term) };
        let candidates: f64 = inside.map(|term| judged(term) * candidate(term)).sum();
        let times = sampling.adaptive.candidates().unwrap_or(0);
        let need = need.with(HostPurpose::Candidates, times as f64 * candidates);
        let largest = plan.terms.iter().map(|term| points(term) * term.residuals.len() as f64);
        let need = need.with(HostPurpose::Residuals, largest.fold(0.0, f64::max));
        let need = with_network(need, plan, (self.device(), self.precision()), self.window_count());
        let need = self.with_method(need, settings, each(|term| term.residuals.len()));
        self.with_tests(need)
    }

    /// What steps take beside what training takes before its first one and after its last.
    pub(crate) fn need_of_steps(&self, settings: &Settings) -> Need {
        let need = self.need_of(settings).without(HostPurpose::TestPoints);
        let looks = settings.sampling.adaptive.moves() || settings.residual_weights.is_some();
        match settings.method.traits().order {
            Order::First | Order::Quasi if !looks => need.without(HostPurpose::Residuals),
            Order::First | Order::Quasi | Order::Second => need,
        }
    }

    /// Numbers of batches that are there beside the one that a step visits: those that are found before they are wanted, or the next
    /// one, and the orders of those that are being found.
    fn numbers_of_batches(&self, settings: &Settings) -> f64 {
        /// A range of one point, in numbers.
        const ORDER: f64 = 2.0;
        let (workers, parts) = (self.workers() as f64, settings.accumulate as f64);
        // Batches of a step are put together beside those of the step before, one by one.
        let joined = if settings.accumulate > 1 { parts + 1.0 } else { 0.0 };
        let (batches, orders) = match self.workers() {
            0 => (parts, parts),
            _ => (self.prefetch() as f64 + joined, workers),
        };
        let each = |term: &Arc<Term>| {
            let batch = self.batch_of(term, settings).unwrap_or(0) as f64;
            batch * (batches * term.row.width() as f64 + ORDER * orders)
        };
        self.plan().terms.iter().map(each).sum()
    }

    /// Bytes of points that are chosen in parts, as far as they are in memory: those before, and those that take their place.
    fn bytes_in_parts(&self, settings: &Settings, interior: usize) -> f64 {
        let bytes = KeptPoints::bytes(self.problem().domain.len(), interior);
        let in_memory = in_parts(settings, interior) && bytes <= self.point_memory();
        if in_memory { 2.0 * bytes as f64 } else { 0.0 }
    }

    fn points_of(&self, term: &Term, inside: usize) -> usize {
        match term.source {
            Source::Interior | Source::Prediction => inside,
            Source::Condition(number) => condition_points(self.problem(), number),
            Source::Data(number) => self.tables().measurements(number).len(),
        }
    }

    /// How many points of a term are found at a time, where they are found batch by batch.
    fn batch_of(&self, term: &Term, settings: &Settings) -> Option<usize> {
        match term.source {
            Source::Interior if !settings.sampling.adaptive.moves() => settings.batch,
            Source::Interior if in_parts(settings, settings.points.max(settings.most_points)) => {
                settings.batch
            }
            Source::Data(table) if self.tables().stored(table).is_some() => self.problem().data[table].batch,
            Source::Interior | Source::Prediction | Source::Condition(_) | Source::Data(_) => None,
        }
    }

    /// Points of a term that are in memory at the same time.
    fn points_at_once(&self, term: &Term, settings: &Settings, most: usize) -> usize {
        let all = match term.source {
            Source::Data(table) => self.tables().trained_rows(table),
            Source::Interior | Source::Prediction | Source::Condition(_) => self.points_of(term, most),
        };
        // At the end, losses are looked at in pieces of a certain size.
        let visited = |batch: usize| batch.saturating_mul(settings.accumulate);
        self.batch_of(term, settings).map_or(all, |batch| visited(batch).max(PIECE).min(all))
    }

    /// With what the method keeps, given the rows of all points.
    fn with_method(&self, need: Need, settings: &Settings, rows: f64) -> Need {
        let parameters = self.plan().parameter_count() as f64;
        match settings.method {
            Method::Adam
            | Method::AdamW { .. }
            | Method::Sgd { .. }
            | Method::RmsProp { .. }
            | Method::Muon { .. } => need.with(HostPurpose::History, COPIES_SAVED * 2.0 * parameters),
            Method::Soap { .. } => {
                need.with(HostPurpose::History, COPIES_SAVED * Soap::kept(&roles(self.plan())) as f64)
            }
            // Its preconditioner, and three of its size while another is made.
            Method::NysNewtonCg { rank, .. } => {
                need.with(HostPurpose::History, (COPIES_SAVED + 3.0) * (rank as f64 + 1.0) * parameters)
            }
            Method::Lbfgs { memory } => {
                need.with(HostPurpose::History, COPIES_SAVED * 2.0 * (memory as f64 + 1.0) * parameters)
            }
            Method::SsBroyden => {
                need.with(HostPurpose::History, COPIES_SAVED * 0.5 * parameters * (parameters + 1.0))
            }
            Method::Auto | Method::GaussNewton { .. } => match self.device().hardware() {
                // The device has its own, and the host takes over only where it has no room.
                Hardware::Accelerator => need,
                Hardware::Cpu => {
                    let solver = match settings.method {
                        Method::GaussNewton { solver, .. } => solver,
                        _ => Solver::Auto,
                    };
                    let (bytes, solver) = self.equations(settings, solver);
                    let need = need.with_bytes(HostPurpose::Equations(solver), bytes);
                    need.with(HostPurpose::Residuals, ROW_VECTORS * rows)
                }
            },
        }
    }

    /// Bytes of the matrices of a step, at the number of points where they are most, and in which form.
    fn equations(&self, settings: &Settings, solver: Solver) -> (f64, Solver) {
        let measured = self.plan().terms.iter().filter(|term| matches!(term.source, Source::Data(_)));
        let measured: usize =
            measured.map(|term| self.points_of(term, 0).saturating_mul(term.residuals.len())).sum();
        let at = |points: usize| {
            let mut extent = extent_with(self.problem(), self.plan(), points);
            extent.rows = extent.rows.saturating_add(measured);
            let solver = if solver == Solver::Auto { extent.best() } else { solver };
            (extent.bytes_with_corrector(solver) as f64, solver)
        };
        let (first, most) = (at(settings.points), at(settings.most_points));
        if first.0 > most.0 { first } else { most }
    }

    /// With the points at which errors are measured at the end, where there is something to compare with.
    fn with_tests(&self, need: Need) -> Need {
        if self.truths.iter().all(Option::is_none) {
            return need;
        }
        let (coordinates, unknowns) = (self.problem().domain.len(), self.problem().unknowns.len());
        let each = 2 * coordinates + 6 * unknowns;
        need.with(HostPurpose::TestPoints, self.test_point_count() * each as f64)
    }
}

fn condition_points(problem: &Problem, number: usize) -> usize {
    problem.conditions[number].points.unwrap_or(problem.training.condition_points)
}

fn with_network(need: Need, plan: &Plan, (device, precision): (Device, Precision), windows: usize) -> Need {
    let parameters = plan.parameter_count() as f64;
    let gradients = match (device.hardware(), precision) {
        (Hardware::Accelerator, _) => 0.0,
        (Hardware::Cpu, Precision::F32) => GRADIENTS / 2.0,
        (Hardware::Cpu, _) => GRADIENTS,
    };
    // Those of finished windows are kept, joined, and written.
    need.with(HostPurpose::Network, parameters * (gradients + VECTORS + COPIES_SAVED * windows as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn experiment(overrides: &[&str]) -> Experiment {
        let text = "[domain]\nx = [0, 1]\ny = [0, 1]\n[unknowns]\nu = {}\n[equations]\npoisson = \"laplacian(u) = 1\"\n\
            [conditions]\nwalls = { on = \"boundary\", equation = \"u = 0\" }\n[network]\nwidth = 8\ndepth = 2\n";
        let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
        Experiment::from_text("poisson", text, Path::new("."), &overrides).expect("it is right")
    }

    fn largest(overrides: &[&str]) -> (HostPurpose, u64) {
        let need = experiment(overrides).memory_need();
        let part = need.parts()[0];
        (part.purpose, part.bytes)
    }

    #[test]
    fn what_takes_most_is_named() {
        let (purpose, bytes) = largest(&["training.points=1000000000", "training.optimizer=adam"]);
        assert!(purpose == HostPurpose::Points && bytes >= 16_000_000_000, "{purpose:?} {bytes}");
        let (purpose, bytes) = largest(&["training.points=100000000", "training.optimizer=gauss-newton"]);
        assert!(purpose == HostPurpose::Candidates && bytes >= 12_800_000_000, "{purpose:?} {bytes}");
        let normal = ["training.optimizer=gauss-newton", "training.solver=normal-equations"];
        let wide = ["network.width=600", "network.depth=4", normal[0], normal[1]];
        let (purpose, bytes) = largest(&wide);
        assert!(purpose == HostPurpose::Equations(Solver::NormalEquations), "{purpose:?}");
        assert!((9_400_000_000_000..u64::MAX).contains(&bytes), "{bytes}");
        let woodbury = ["training.solver=woodbury", "training.points=1000000000", normal[0]];
        let (purpose, bytes) = largest(&woodbury);
        assert!(purpose == HostPurpose::Equations(Solver::Woodbury) && bytes == u64::MAX, "{bytes}");
        let (purpose, _) =
            largest(&["training.optimizer=ssbroyden", "network.width=120", "training.points=100"]);
        assert_eq!(purpose, HostPurpose::History);
    }

    #[test]
    fn points_that_are_drawn_when_they_are_needed_count_by_the_batch() {
        let of = |more: &[&str]| {
            let stated = ["training.points=1000000000", "training.optimizer=adam", "training.batch=100000"];
            experiment(&[&stated[..], more].concat()).memory_need().bytes()
        };
        // Rows have two numbers; six batches at most, with one worker, and one that a step visits.
        assert!((9_600_000..50_000_000).contains(&of(&[])), "{}", of(&[]));
        // Chosen in parts, in a file: what is judged at a time.
        let in_parts = of(&["training.adaptive=true"]);
        assert!((60_000_000..200_000_000).contains(&in_parts), "{in_parts}");
        let in_memory = of(&["training.adaptive=true", "performance.point_memory=1e12"]);
        assert!((32_000_000_000..33_000_000_000).contains(&in_memory), "two sets: {in_memory}");
        assert!(of(&["training.sampling=[\"r3\"]"]) > 50_000_000_000, "other points that move are there");
        assert!(of(&["training.condition_points=1000000", "training.hard_constraints=off"]) < 80_000_000);
    }

    #[test]
    fn an_ordinary_run_needs_little_and_a_large_one_is_refused_by_what_there_is() {
        let ordinary = experiment(&[]);
        assert!(ordinary.memory_need().bytes() < 100_000_000, "{}", ordinary.memory_need());
        assert_eq!(ordinary.check_memory_against(Some(100_000_000)), Ok(()));
        let large = experiment(&["training.points=1000000000", "training.optimizer=gauss-newton"]);
        assert_eq!(large.check_memory_against(None), Ok(()), "where nobody tells");
        let refused = large.check_memory_against(Some(64_000_000_000));
        assert!(matches!(refused, Err(MemoryError::TooLittle { available: 64_000_000_000, .. })));
    }
}
