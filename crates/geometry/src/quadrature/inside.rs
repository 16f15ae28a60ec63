//! Rules inside of a solid: along chords, from the last coordinate to the first.

use super::boundary::STEP;
use super::{QuadratureNode, gauss, intervals};
use crate::Solid;

/// The least way along a chord between two questions whether it is inside, as a share of the bounds: what is thinner may be missed.
const LEAST_STEP: f64 = 1.0 / 8192.0;
/// Places of a piece at which its extent is looked at, per parameter.
const LOOKS: usize = 65;
/// Panels between two values at which chords may change abruptly, where not all such values are known.
const PANELS: usize = 12;

impl Solid {
    /// A rule with `fineness` nodes along each smooth part of each coordinate. In the plane it is as accurate as integrands are smooth,
    /// in space chords end on the boundary and the layers that they lie in may be cut anywhere.
    pub fn quadrature_inside(&self, fineness: usize) -> Vec<QuadratureNode> {
        let rule = gauss(fineness);
        let mut nodes = Vec::new();
        let mut point = vec![0.0; self.dimension()];
        self.layer(&rule, 0, &mut point, 1.0, &mut nodes);
        nodes
    }

    /// All nodes with the first `axis` coordinates of `point`.
    fn layer(
        &self,
        rule: &[(f64, f64)],
        axis: usize,
        point: &mut Vec<f64>,
        weight: f64,
        nodes: &mut Vec<QuadratureNode>,
    ) {
        let [low, high] = self.bounds()[axis];
        if axis + 1 == self.dimension() {
            let place = |value: f64| {
                let mut place = point.clone();
                place[axis] = value;
                place
            };
            // The boundary is at least as far away as the distance says.
            let least = LEAST_STEP * (high - low);
            let step = |value: f64| self.signed_distance(&place(value)).abs().max(least);
            for [start, end] in intervals(low, high, step, |value| self.contains(&place(value))) {
                for (at, share) in rule {
                    nodes.push(QuadratureNode {
                        point: place(start + (end - start) * at),
                        normal: Vec::new(),
                        weight: weight * share * (end - start),
                    });
                }
            }
            return;
        }
        let breaks = if axis == 0 { self.breaks(axis) } else { vec![low, high] };
        // In the plane chords change abruptly at the breaks alone; in space, within a layer, anywhere.
        let panels = if self.dimension() == 2 { 1 } else { PANELS };
        for pair in breaks.windows(2) {
            let width = (pair[1] - pair[0]) / panels as f64;
            for panel in 0..panels {
                let start = pair[0] + width * panel as f64;
                for &(at, share) in rule {
                    // Chords at a round end grow like a root: nodes that gather there see a polynomial.
                    let (bent, slope) = (at * at * (3.0 - 2.0 * at), 6.0 * at * (1.0 - at));
                    point[axis] = start + width * bent;
                    self.layer(rule, axis + 1, point, weight * share * slope * width, nodes);
                }
            }
        }
    }

    /// Values of a coordinate at which pieces of the boundary begin, end or turn back, ascending.
    fn breaks(&self, axis: usize) -> Vec<f64> {
        let [low, high] = self.bounds()[axis];
        let mut breaks = vec![low, high];
        for (position, piece) in self.pieces().iter().enumerate() {
            let at = |unit: &[f64]| {
                let (mut point, mut normal) = (vec![0.0; self.dimension()], vec![0.0; self.dimension()]);
                piece.place(unit, &mut point, &mut normal);
                (point[axis], self.outward(position, &point, &normal).is_some())
            };
            match piece.parameters() {
                0 => breaks.push(at(&[]).0),
                1 => {
                    let value = |unit: f64| at(&[unit]).0;
                    for [start, end] in intervals(0.0, 1.0, |_| STEP, |unit| at(&[unit]).1) {
                        breaks.extend([value(start), value(end)]);
                        breaks.extend(turns(start, end, &value));
                    }
                }
                _ => {
                    let unit = |index: usize| (index as f64 / (LOOKS - 1) as f64).min(1.0 - f64::EPSILON);
                    let grid = (0..LOOKS * LOOKS).map(|n| at(&[unit(n / LOOKS), unit(n % LOOKS)]).0);
                    let range = grid.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
                        [low.min(value), high.max(value)]
                    });
                    breaks.extend(range);
                }
            }
        }
        breaks.retain(|value| (low..=high).contains(value));
        breaks.sort_by(f64::total_cmp);
        let near = 1e-9 * (high - low);
        breaks.dedup_by(|next, before| *next - *before <= near);
        breaks
    }
}

/// Extreme values of a function between two places.
fn turns(start: f64, end: f64, value: &dyn Fn(f64) -> f64) -> Vec<f64> {
    let at = |index: usize| start + (end - start) * index as f64 / (LOOKS - 1) as f64;
    let values: Vec<f64> = (0..LOOKS).map(|index| value(at(index))).collect();
    let mut found = Vec::new();
    for (index, three) in values.windows(3).enumerate() {
        if (three[1] - three[0]) * (three[2] - three[1]) < 0.0 {
            let sign = (three[1] - three[0]).signum();
            found.push(value(extreme(at(index), at(index + 2), &|unit| sign * value(unit))));
        }
    }
    found
}

/// Where a function with one largest value between two places has it, by shrinking thirds.
fn extreme(mut low: f64, mut high: f64, value: &dyn Fn(f64) -> f64) -> f64 {
    for _ in 0..80 {
        let third = (high - low) / 3.0;
        if value(low + third) < value(high - third) {
            low += third;
        } else {
            high -= third;
        }
    }
    0.5 * (low + high)
}
