//! Early times first: a solution is found near its start before it is looked for later. Without this,
//! long times pull the network to a solution that has nothing to do with its start (Wang, Sankaranarayanan,
//! Perdikaris 2022 call it causality). Where the end is what is known, as for prices of options, late times come first.

use crate::decide::way;
use equation::problem::Problem;
use equation::taylor::{Row, Source, Term};
use kernel::Points;

/// The part of time that training begins with.
const FIRST: f64 = 0.1;

/// The same in a window that starts from what the one before has found.
const FIRST_OF_LATER: f64 = 0.3;

/// How the part grows with each step at which the equations hold, and at others.
const GROWTH: (f64, f64) = (1.15, 1.02);

/// Equations hold when the loss is this part of the untrained network's.
const HOLDS: f64 = 1e-2;

/// The part of a phase's steps, or of its seconds, after which all of time has had its turn.
const LATEST: f64 = 0.8;

/// How far training has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Curriculum {
    /// The part of time that points are drawn from.
    pub part: f64,
    /// The loss of the untrained network; zero before the first step.
    pub untrained: f64,
}

impl Curriculum {
    /// Before the first step.
    pub(super) const START: Curriculum = Curriculum { part: FIRST, untrained: 0.0 };

    /// All of time from the first step on.
    pub(super) const WHOLE: Curriculum = Curriculum { part: 1.0, untrained: 0.0 };

    /// In a window that starts from what the one before has found, with the loss of that and of an untrained network:
    /// where the equations hold already, nothing is gained by a march; where they do not, a network that sees all of time
    /// may settle for a solution that does not belong to its start.
    pub(crate) fn from_loss(loss: f64, untrained: f64) -> Curriculum {
        if loss < HOLDS * untrained {
            Curriculum::WHOLE
        } else {
            Curriculum { part: FIRST_OF_LATER, untrained }
        }
    }

    /// Goes on after a step from this loss, of a phase of so many steps, of whose seconds this part is over.
    pub(super) fn advance(&mut self, loss: f64, steps: Option<u64>, over: f64) {
        if self.untrained == 0.0 {
            self.untrained = loss;
        }
        let growth = if loss < HOLDS * self.untrained { GROWTH.0 } else { GROWTH.1 };
        self.grow(needed(steps).max(growth), over);
    }

    /// The same whatever the loss: as fast as it takes to see all of time.
    pub(super) fn advance_by_budget(&mut self, steps: Option<u64>, over: f64) {
        self.grow(needed(steps), over);
    }

    fn grow(&mut self, growth: f64, over: f64) {
        self.part = (self.part * growth).max(FIRST.powf(1.0 - over / LATEST)).min(1.0);
    }

    /// Moves the points of a term to the part of time that it is the turn of.
    pub(crate) fn confine(self, problem: &Problem, term: &Term, points: &mut Points) {
        let Some((axis, from)) = way(problem) else { return };
        if self.part >= 1.0 || matches!(term.source, Source::Data(_)) {
            return;
        }
        let Row { coordinates, sites, .. } = term.row;
        points.for_each_mut(|row| {
            for time in (0..sites).map(|site| site * coordinates + axis) {
                row[time] = from + self.part * (row[time] - from);
            }
        });
        if let Some(given) = &term.given {
            points.fill_given(given);
        }
    }
}

/// The growth at each of so many steps that brings all of time in time.
fn needed(steps: Option<u64>) -> f64 {
    steps.map_or(1.0, |steps| FIRST.recip().powf(1.0 / (LATEST * steps.max(1) as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use equation::constrain::constrain;
    use equation::parse::parse_with;
    use equation::taylor::plan;

    const WAVE: &str = r#"
[domain]
t = [2, 4]
x = [0, 1]
[unknowns]
u = {}
[equations]
wave = "u_tt = u_xx"
[conditions]
start = { on = "t = 2", equations = ["u = sin(pi*x)", "u_t = 0"] }
walls = { on = "x = 0, x = 1", equation = "u = 0" }
"#;

    /// The times to which the march moves the middle and the end of time, term by term.
    fn times(text: &str, curriculum: Curriculum) -> Vec<[f64; 2]> {
        let problem = parse_with(text, &[]).expect("it is right");
        let plan = plan(&problem).expect("a plan");
        plan.terms
            .iter()
            .map(|term| {
                let mut points = Points::new(term.row.width());
                for time in [3.0, 4.0] {
                    let mut row = vec![0.5; term.row.width()];
                    row[0] = time;
                    points.push(&row);
                }
                curriculum.confine(&problem, term, &mut points);
                [points.row(0)[0], points.row(1)[0]]
            })
            .collect()
    }

    #[test]
    fn points_stay_in_the_part_of_time_whose_turn_it_is() {
        let curriculum = Curriculum { part: 0.5, untrained: 1.0 };
        assert!(times(WAVE, curriculum).iter().all(|times| *times == [2.5, 3.0]));
        assert!(times(WAVE, Curriculum { part: 1.0, ..curriculum }).iter().all(|times| *times == [3.0, 4.0]));
    }

    #[test]
    fn who_states_something_about_later_times_gets_all_of_time_at_once() {
        let later = format!("{WAVE}end = {{ on = \"t = 4\", equation = \"u = 0\" }}\n");
        assert!(times(&later, Curriculum::START).iter().all(|times| *times == [3.0, 4.0]));
    }

    #[test]
    fn who_states_the_end_alone_gets_late_times_first() {
        let end = WAVE.replace("on = \"t = 2\"", "on = \"t = 4\"");
        let curriculum = Curriculum { part: 0.5, untrained: 1.0 };
        assert!(times(&end, curriculum).iter().all(|times| *times == [3.5, 4.0]));
    }

    #[test]
    fn conditions_that_hold_by_construction_count() {
        let problem = |text: &str| constrain(parse_with(text, &[]).expect("it is right"));
        let (start, end) = (WAVE.to_owned(), WAVE.replace("on = \"t = 2\"", "on = \"t = 4\""));
        let both = format!("{WAVE}end = {{ on = \"t = 4\", equation = \"u = 0\" }}\n");
        for (text, known) in [(start, Some((0, 2.0))), (end, Some((0, 4.0))), (both, None)] {
            let problem = problem(&text);
            assert!(problem.conditions.is_empty(), "all are built in");
            assert_eq!(way(&problem), known);
        }
    }

    #[test]
    fn a_window_marches_unless_the_equations_hold_from_its_start() {
        assert_eq!(Curriculum::from_loss(0.5, 100.0), Curriculum::WHOLE);
        let mut curriculum = Curriculum::from_loss(50.0, 100.0);
        assert!(times(WAVE, curriculum).iter().all(|times| *times == [2.3, 2.6]));
        curriculum.advance(0.5, None, 0.0);
        assert!(
            (curriculum.part - FIRST_OF_LATER * GROWTH.0).abs() < 1e-14,
            "{curriculum:?}: low, beside an untrained network's"
        );
    }

    #[test]
    fn time_grows_fast_where_the_equations_hold_and_slowly_where_not() {
        let (mut good, mut bad) = (Curriculum::START, Curriculum::START);
        for curriculum in [&mut good, &mut bad] {
            curriculum.advance(10.0, None, 0.0);
        }
        for _ in 0..16 {
            good.advance(0.01, None, 0.0);
            bad.advance(5.0, None, 0.0);
        }
        assert!(good.part > 0.9 && bad.part < 0.15, "{good:?} {bad:?}");
        (0..200).for_each(|_| bad.advance(5.0, None, 0.0));
        assert_eq!(bad.part, 1.0);
        let mut short = Curriculum::START;
        (0..10).for_each(|_| short.advance(5.0, Some(10), 0.0));
        assert_eq!(short.part, 1.0, "ten steps see all of time");
        let mut brief = Curriculum::START;
        brief.advance(5.0, None, 0.4);
        assert!((0.3..0.4).contains(&brief.part), "{brief:?}");
        brief.advance(5.0, None, 0.8);
        assert_eq!(brief.part, 1.0, "so do seconds");
        let mut steady = Curriculum::START;
        (0..400).for_each(|_| steady.advance_by_budget(Some(1000), 0.0));
        assert!((steady.part - FIRST.sqrt()).abs() < 1e-9, "half of the way: {steady:?}");
        (0..400).for_each(|_| steady.advance_by_budget(Some(1000), 0.0));
        assert!(steady.part > 1.0 - 1e-9, "all of time after four fifths: {steady:?}");
    }
}
