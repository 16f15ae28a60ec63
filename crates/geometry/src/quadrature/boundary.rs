//! Rules on pieces of the boundary.

use super::{QuadratureNode, gauss, intervals};
use crate::{Piece, Solid};

/// How far apart a line is asked whether it is left, as a share of it.
pub(super) const STEP: f64 = 1.0 / 1024.0;
/// Panels of a line, and of each direction of a whole surface.
const PANELS: usize = 4;
/// Panels of each direction of a surface of which something was removed.
const PANELS_OF_REST: usize = 24;

impl Solid {
    /// A rule on what is left of a piece, with `fineness` nodes in each panel. Between its ends a line is followed to
    /// rounding; where operations have cut into a surface, its edge is as coarse as the nodes.
    pub fn quadrature_on(&self, piece: usize, fineness: usize) -> Vec<QuadratureNode> {
        let own = &self.pieces()[piece];
        match own.parameters() {
            0 => self.node_on(piece, own, &[], 1.0).into_iter().collect(),
            1 => self.along(piece, own, fineness),
            _ => self.across(piece, own, fineness),
        }
    }

    fn along(&self, piece: usize, own: &Piece, fineness: usize) -> Vec<QuadratureNode> {
        let rule = gauss(fineness);
        let left = |unit: f64| self.node_on(piece, own, &[unit], 1.0).is_some();
        let whole = own.whole();
        let mut nodes = Vec::new();
        for [start, end] in intervals(0.0, 1.0, |_| STEP, left) {
            let panel = (end - start) / PANELS as f64;
            for number in 0..PANELS {
                for (at, weight) in &rule {
                    let unit = start + panel * (number as f64 + at);
                    nodes.extend(self.node_on(piece, own, &[unit], weight * panel * whole));
                }
            }
        }
        nodes
    }

    fn across(&self, piece: usize, own: &Piece, fineness: usize) -> Vec<QuadratureNode> {
        let rule = gauss(fineness);
        let panels = if own.left() < 1.0 { PANELS_OF_REST } else { PANELS };
        let panel = 1.0 / panels as f64;
        let side: Vec<(f64, f64)> = (0..panels)
            .flat_map(|number| {
                rule.iter().map(move |(at, weight)| (panel * (number as f64 + at), weight * panel))
            })
            .collect();
        let pairs = side.iter().flat_map(|one| side.iter().map(move |other| (one, other)));
        pairs
            .filter_map(|(one, other)| {
                self.node_on(piece, own, &[one.0, other.0], one.1 * other.1 * own.whole())
            })
            .collect()
    }

    fn node_on(&self, piece: usize, own: &Piece, unit: &[f64], weight: f64) -> Option<QuadratureNode> {
        let (mut point, mut normal) = (vec![0.0; self.dimension()], vec![0.0; self.dimension()]);
        own.place(unit, &mut point, &mut normal);
        let sign = self.outward(piece, &point, &normal)?;
        normal.iter_mut().for_each(|component| *component *= sign);
        Some(QuadratureNode { point, normal, weight })
    }
}
