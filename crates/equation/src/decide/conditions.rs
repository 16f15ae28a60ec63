//! In which units fields are computed, which conditions hold by construction, and how many points the others get.

use super::{Decision, part};
use crate::problem::{
    CONDITION_POINTS, Condition, Enforcement, HardConstraints, NotExact, PenaltyReason, Place, Problem,
    Treatment, formula,
};

/// What the file states about conditions, of which those that are exact disappear.
pub(super) struct ConditionStatements {
    /// Name, number of equations, and which are stated to be exact.
    conditions: Vec<(String, usize, Option<Vec<bool>>)>,
    /// The unknowns whose units are open.
    units: Vec<usize>,
}

impl ConditionStatements {
    pub(super) fn of(problem: &Problem) -> Self {
        let conditions = problem.conditions.iter();
        let conditions = conditions
            .map(|condition| (condition.name.clone(), condition.equations.len(), condition.exact.clone()));
        ConditionStatements { conditions: conditions.collect(), units: problem.open.units.clone() }
    }

    /// What was decided where it is not stated, once conditions are built in.
    pub(super) fn decisions(&self, problem: &Problem) -> Result<Vec<Decision>, NotExact> {
        let mut decisions: Vec<Decision> = self.units.iter().map(|&unknown| unit(problem, unknown)).collect();
        if problem.training.hard_constraints == HardConstraints::Off {
            return Ok(decisions);
        }
        let mut rest = &problem.enforcements[..];
        for (name, equations, stated) in &self.conditions {
            let (own, others) = rest.split_at(*equations);
            rest = others;
            match stated {
                Some(stated) => check(problem, own, stated)?,
                None => decisions.extend(exact(problem, name, own)),
            }
        }
        Ok(decisions)
    }
}

fn unit(problem: &Problem, unknown: usize) -> Decision {
    let unknown = &problem.unknowns[unknown];
    let why = match unknown.unit == 1.0 {
        true => "nothing makes its size far from one",
        false => "it is the size of conditions and sources",
    };
    Decision::new(format!("unknowns.{}.unit", part(&unknown.name)), format!("{:?}", unknown.unit), why)
}

/// Refuses a condition that is stated to be exact and cannot be.
fn check(problem: &Problem, own: &[Enforcement], stated: &[bool]) -> Result<(), NotExact> {
    for (enforcement, _) in own.iter().zip(stated).filter(|(_, exact)| **exact) {
        if let Treatment::Penalty(reason) = &enforcement.treatment {
            let Enforcement { condition, equation, .. } = enforcement.clone();
            return Err(NotExact { condition, equation, why: reason.sentence(problem) });
        }
    }
    Ok(())
}

/// What became of a condition of which nothing is stated; `None` where hard constraints are off for all that it is about.
fn exact(problem: &Problem, name: &str, own: &[Enforcement]) -> Option<Decision> {
    let off = |it: &Enforcement| matches!(it.treatment, Treatment::Penalty(PenaltyReason::Off { .. }));
    if own.iter().all(off) {
        return None;
    }
    let is_exact = |it: &Enforcement| matches!(it.treatment, Treatment::Exact { .. });
    let sentence = |it: &Enforcement| match &it.treatment {
        Treatment::Exact { unknown } => format!("exact by construction: {}", formula(problem, *unknown)),
        Treatment::Penalty(reason) => format!("a penalty: {}", reason.sentence(problem)),
    };
    let mut whys: Vec<String> = own.iter().map(sentence).collect();
    let alike = own.iter().all(|it| is_exact(it) == is_exact(&own[0]));
    let value = match alike {
        true => is_exact(&own[0]).to_string(),
        false => format!("{:?}", own.iter().map(is_exact).collect::<Vec<_>>()),
    };
    whys.dedup();
    if whys.len() > 1 {
        let named = own.iter().map(|it| format!("{}: {}", it.equation, sentence(it)));
        whys = named.collect();
    }
    Some(Decision::new(format!("conditions.{}.exact", part(name)), value, whys.join("; ")))
}

/// Gives conditions on many faces a share of points for each, where nobody says.
pub(super) fn points(problem: &mut Problem) -> Vec<Decision> {
    let mut decisions = Vec::new();
    if !problem.open.condition_points {
        return decisions;
    }
    for condition in problem.conditions.iter_mut().filter(|condition| condition.points.is_none()) {
        let Some((points, faces)) = enough(condition) else { continue };
        condition.points = Some(points);
        let why = format!("it holds on {faces} faces, and each gets its share");
        let key = format!("conditions.{}.points", part(&condition.name));
        decisions.push(Decision::new(key, points.to_string(), why));
    }
    decisions
}

/// Points that a condition on many faces has where nobody says, and how many faces those are.
fn enough(condition: &Condition) -> Option<(usize, usize)> {
    /// With 6 for each of 40 faces, Poisson's equation in 20 dimensions ended at twice the error of 25 after as many steps.
    const PER_PIECE: usize = 25;
    const MOST: usize = 4096;
    let faces = match &condition.place {
        Place::Pieces(pieces) => pieces.len(),
        Place::Wrap { .. } | Place::Interface { .. } => 0,
    };
    let wanted = (PER_PIECE * faces).min(MOST);
    (wanted > CONDITION_POINTS).then_some((wanted, faces))
}
