//! Closed surfaces from loose triangles.

use super::{MeshError, StlPlace};
use crate::vector::{Vector, cross, dot, subtract};
use std::collections::{HashMap, HashSet};

/// Triangles that share their vertices.
#[derive(Default)]
pub(super) struct Welded {
    pub(super) vertices: Vec<Vector>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The number of each one's `solid`.
    pub(super) solids: Vec<u32>,
    /// Only asked, never listed: its order is another one in every run.
    known: HashMap<[u64; 3], u32>,
    seen: HashSet<[u32; 3]>,
    degenerate: LeftOut,
    duplicate: LeftOut,
}

/// Triangles that were not kept.
#[derive(Default)]
struct LeftOut {
    count: usize,
    first: Option<StlPlace>,
}

impl LeftOut {
    fn add(&mut self, place: StlPlace) {
        self.count += 1;
        self.first.get_or_insert(place);
    }

    fn note(&self, what: &str) -> Option<String> {
        let place = self.first?;
        let (noun, verb) = if self.count == 1 { ("triangle", "was") } else { ("triangles", "were") };
        Some(format!("{} {noun} {what} {verb} left out, the first at {place}", self.count))
    }
}

impl Welded {
    /// Corners with equal coordinates become one vertex.
    pub(super) fn add(&mut self, (place, solid): (StlPlace, u32), corners: [Vector; 3]) {
        let triangle = corners.map(|corner| {
            // Minus zero is zero.
            let corner = corner.map(|value| value + 0.0);
            let next = self.vertices.len() as u32;
            *self.known.entry(corner.map(f64::to_bits)).or_insert_with(|| {
                self.vertices.push(corner);
                next
            })
        });
        let [a, b, c] = triangle;
        if a == b || b == c || c == a {
            self.degenerate.add(place);
            return;
        }
        // Turned so that the smallest comes first, which keeps the orientation.
        let turned = if a < b && a < c {
            [a, b, c]
        } else if b < c {
            [b, c, a]
        } else {
            [c, a, b]
        };
        if self.seen.insert(turned) {
            self.triangles.push(triangle);
            self.solids.push(solid);
        } else {
            self.duplicate.add(place);
        }
    }

    /// What was left out.
    pub(super) fn notes(&self) -> Vec<String> {
        let notes = [
            self.degenerate.note("with two equal corners"),
            self.duplicate.note("with the corners of another"),
        ];
        notes.into_iter().flatten().collect()
    }

    /// Every edge is run through in both directions equally often, and the volume is positive. Returns the volume.
    pub(super) fn checked(&self) -> Result<f64, MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        self.check_edges()?;
        let volume = self.volume();
        if volume > 0.0 {
            Ok(volume)
        } else if volume < 0.0 {
            Err(MeshError::InsideOut { volume })
        } else {
            Err(MeshError::Flat)
        }
    }

    fn check_edges(&self) -> Result<(), MeshError> {
        let mut edges: Vec<([u32; 2], bool)> = Vec::with_capacity(3 * self.triangles.len());
        for [a, b, c] in &self.triangles {
            for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
                edges.push(([from.min(to), from.max(to)], from < to));
            }
        }
        edges.sort_unstable();
        let (mut open, mut turned) = (Faults::default(), Faults::default());
        for same in edges.chunk_by(|one, other| one.0 == other.0) {
            let upwards = same.iter().filter(|edge| edge.1).count();
            if same.len() % 2 == 1 {
                open.add(same[0].0);
            } else if 2 * upwards != same.len() {
                turned.add(same[0].0);
            }
        }
        let ends = |edge: [u32; 2]| edge.map(|vertex| self.vertices[vertex as usize]);
        if let Some(edge) = open.first {
            let [from, to] = ends(edge);
            return Err(MeshError::Open { edges: open.count, from, to });
        }
        if let Some(edge) = turned.first {
            let [from, to] = ends(edge);
            return Err(MeshError::Orientation { edges: turned.count, from, to });
        }
        Ok(())
    }

    fn volume(&self) -> f64 {
        // Seen from a vertex of the surface, the numbers are no larger than it is.
        let origin = self.vertices[self.triangles[0][0] as usize];
        let corner = |index: u32| subtract(self.vertices[index as usize], origin);
        let tetrahedron = |[a, b, c]: &[u32; 3]| dot(corner(*a), cross(corner(*b), corner(*c))) / 6.0;
        self.triangles.iter().map(tetrahedron).sum()
    }
}

/// Edges of one kind.
#[derive(Default)]
struct Faults {
    count: usize,
    first: Option<[u32; 2]>,
}

impl Faults {
    fn add(&mut self, edge: [u32; 2]) {
        self.count += 1;
        self.first.get_or_insert(edge);
    }
}
