//! How large a solid is.

use super::piece::Piece;
use super::survey::{Finding, Survey};
use crate::measure::Measure;
use crate::sequence::{SHIFTS, even, share};

/// Points per shift of an estimate: 65536 in all.
const EACH: usize = 4096;

/// From what is known about the pieces of all parts, or estimated.
pub(super) fn measure(survey: &Survey, pieces: &[Piece], findings: &[Finding]) -> Measure {
    if survey.dimension == 1 {
        return Measure::exact(length(pieces, findings));
    }
    match sum(survey, pieces, findings) {
        Some(value) => Measure::exact(value),
        None => estimate(survey),
    }
}

/// Upper ends minus lower ends.
fn length(pieces: &[Piece], findings: &[Finding]) -> f64 {
    let end = |(piece, finding): (&Piece, &Finding)| {
        let spot = piece.spot(&[]);
        finding.sign.map_or(0.0, |sign| sign * spot.normal[0] * spot.point[0])
    };
    pieces.iter().zip(findings).map(end).sum()
}

/// The volumes of parts whose whole surfaces are boundary, holes subtracted: Gauss' theorem. `None` where something is
/// cut, or may be.
fn sum(survey: &Survey, pieces: &[Piece], findings: &[Finding]) -> Option<f64> {
    /// What the pieces of a part have in common.
    #[derive(Clone, Copy, PartialEq)]
    enum Fate {
        Removed,
        Left(f64),
    }
    let mut fates: Vec<Option<Fate>> = vec![None; survey.parts.len()];
    for (piece, finding) in pieces.iter().zip(findings) {
        let fate = match (finding.proven, finding.sign) {
            (false, _) => return None,
            (true, _) if finding.share == 0.0 => Fate::Removed,
            (true, sign) => Fate::Left(sign?),
        };
        if fates[piece.part].get_or_insert(fate) != &fate {
            return None;
        }
    }
    let mut sum = 0.0;
    for (part, fate) in survey.parts.iter().zip(fates) {
        if let Some(Fate::Left(sign)) = fate {
            sum += sign * part.measure(survey.dimension);
        }
    }
    sum.is_finite().then_some(sum)
}

fn estimate(survey: &Survey) -> Measure {
    let bounds = &survey.root.bounds.0[..survey.dimension];
    let volume: f64 = bounds.iter().map(|ends| ends[1] - ends[0]).product();
    let mut hits = [0; SHIFTS];
    for (shift, hits) in hits.iter_mut().enumerate() {
        for index in 0..EACH {
            let mut unit = [0.0; 3];
            even(index, shift, &mut unit[..survey.dimension]);
            for (value, ends) in unit.iter_mut().zip(bounds) {
                *value = ends[0] + *value * (ends[1] - ends[0]);
            }
            *hits += usize::from(survey.root.contains(unit, survey.parts));
        }
    }
    let (share, error) = share(&hits, EACH);
    Measure { value: volume * share, error: volume * error }
}
