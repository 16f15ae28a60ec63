//! Where regions meet, as lines to draw.

use super::Footing;
use crate::Experiment;
use equation::problem::{Domain, Subdomain};
use geometry::Solid;

/// The edge of a region, as far as another region or the rest lies beyond it.
#[derive(Clone, PartialEq, Debug)]
pub struct Interface {
    /// The region's name.
    pub name: String,
    /// Lines through neighbouring places, each with the normal that leads out of the region.
    pub runs: Vec<Vec<Footing>>,
}

/// Places along a piece of an edge that are joined by its line.
const ALONG: usize = 1200;

impl Experiment {
    /// The edges of all regions of a problem in two space dimensions; empty for all other problems.
    pub fn interfaces(&self) -> Vec<Interface> {
        let domain = &self.problem().domain;
        if domain.space().len() != 2 {
            return Vec::new();
        }
        let of_region = |(position, region): (usize, &Subdomain)| {
            let solid = &region.solid;
            let runs = (0..solid.pieces().len()).flat_map(|piece| runs(domain, position, solid, piece));
            Interface { name: region.name.clone(), runs: runs.collect() }
        };
        let found = domain.subdomains.iter().enumerate().map(of_region);
        found.filter(|interface| !interface.runs.is_empty()).collect()
    }
}

/// What of a piece has two sides that differ, as lines.
fn runs(domain: &Domain, region: usize, solid: &Solid, piece: usize) -> Vec<Vec<Footing>> {
    let place = |step: usize| {
        // Not the very ends: a corner belongs to two pieces.
        let share = (step as f64 / (ALONG - 1) as f64).clamp(1e-6, 1.0 - 1e-6);
        let mut footing = Footing { point: vec![0.0; 2], normal: vec![0.0; 2] };
        let Footing { point, normal } = &mut footing;
        solid.pieces()[piece].place(&[share], point, normal);
        let sign = solid.outward(piece, point, normal)?;
        normal.iter_mut().for_each(|slope| *slope *= sign);
        let mut everywhere: Vec<f64> = domain.coordinates.iter().map(|axis| axis.low).collect();
        domain.space().into_iter().zip(point.iter()).for_each(|(axis, value)| everywhere[axis] = *value);
        domain.sides(region, &everywhere, normal).map(|_| footing)
    };
    let places: Vec<Option<Footing>> = (0..ALONG).map(place).collect();
    let runs = places.chunk_by(|one, next| one.is_some() == next.is_some());
    runs.map(|run| run.iter().flatten().cloned().collect()).filter(|run: &Vec<_>| !run.is_empty()).collect()
}
