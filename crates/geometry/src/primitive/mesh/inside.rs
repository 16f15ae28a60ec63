//! Whether a point is inside of a closed surface: how often a ray along an axis leaves it.

use super::Mesh;
use super::tree::Content;
use crate::vector::{Vector, cross, subtract};

/// Relative rounding of a difference of two products.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Relative rounding of the height of a point over a triangle.
const HEIGHT_ROUNDING: f64 = 1e-13;

/// How often a ray leaves the surface more than it enters it.
struct Passage {
    winding: i32,
    /// No decision was closer than rounding.
    certain: bool,
}

impl Mesh {
    /// Whether the surface winds around the point.
    pub(crate) fn winds_around(&self, point: Vector) -> bool {
        if !self.bins[0].bounds.contain(point) {
            return false;
        }
        // Rays that pass an edge or start on the surface are in doubt: others may not be.
        let first = self.passage(point, 0);
        if first.certain {
            return first.winding > 0;
        }
        let others = [1, 2].map(|axis| self.passage(point, axis));
        // In doubt, ties are broken the same way on both sides of every edge: the first ray is right but for rounding.
        others.iter().find(|passage| passage.certain).unwrap_or(&first).winding > 0
    }

    /// The ray from a point up along an axis.
    fn passage(&self, point: Vector, up: usize) -> Passage {
        let (u, v) = ((up + 1) % 3, (up + 2) % 3);
        let mut passage = Passage { winding: 0, certain: true };
        // The tree is no deeper than the logarithm of a 32-bit count, and one half waits on every level.
        let mut waiting = [0u32; 40];
        let mut depth = 0;
        let mut current = 0u32;
        loop {
            let node = &self.bins[current as usize];
            let ends = &node.bounds.0;
            let met = ends[u][0] <= point[u]
                && point[u] <= ends[u][1]
                && ends[v][0] <= point[v]
                && point[v] <= ends[v][1]
                && point[up] <= ends[up][1];
            if met {
                match node.content {
                    Content::Halves { second } => {
                        waiting[depth] = second;
                        depth += 1;
                        current += 1;
                        continue;
                    }
                    Content::Triangles { from, to } => {
                        for triangle in &self.triangles[from as usize..to as usize] {
                            self.pass(point, [u, v, up], *triangle, &mut passage);
                        }
                    }
                }
            }
            if depth == 0 {
                return passage;
            }
            depth -= 1;
            current = waiting[depth];
        }
    }

    fn pass(&self, point: Vector, [u, v, up]: [usize; 3], triangle: [u32; 3], passage: &mut Passage) {
        // On which side of the edge the ray passes, and whether rounding may have decided that.
        let side = |from: u32, to: u32| {
            // The same for both triangles at an edge, but for the sign: they cannot both have or both miss the ray.
            let [low, high] = [from.min(to), from.max(to)].map(|vertex| self.vertices[vertex as usize]);
            let first = (low[u] - point[u]) * (high[v] - point[v]);
            let second = (low[v] - point[v]) * (high[u] - point[u]);
            let doubtful = (first - second).abs() <= ROUNDING * (first.abs() + second.abs());
            ((first >= second) == (from < to), doubtful)
        };
        let [a, b, c] = triangle;
        let sides = [side(a, b), side(b, c), side(c, a)];
        let left = sides[0].0;
        let all_on = |wanted: bool| sides.iter().all(|(side, doubtful)| *side == wanted || *doubtful);
        if !all_on(true) && !all_on(false) {
            return;
        }
        if sides.iter().any(|(_, doubtful)| *doubtful) {
            passage.certain = false;
        }
        if sides.iter().any(|(side, _)| *side != left) {
            return;
        }
        let [a, b, c] = triangle.map(|vertex| self.vertices[vertex as usize]);
        let normal = cross(subtract(b, a), subtract(c, a));
        let terms: Vector = std::array::from_fn(|axis| normal[axis] * (a[axis] - point[axis]));
        let height = terms[0] + terms[1] + terms[2];
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        let ahead = (height > 0.0) == (normal[up] > 0.0);
        if height.abs() <= HEIGHT_ROUNDING * size {
            passage.certain = false;
        }
        if ahead {
            passage.winding += if left { 1 } else { -1 };
        }
    }
}
