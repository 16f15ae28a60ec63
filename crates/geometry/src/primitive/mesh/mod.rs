//! Triangles of closed surfaces.

mod error;
mod inside;
mod nearest;
mod stl;
mod tree;
mod weld;

pub use error::{MeshError, StlPlace};

use crate::primitive::patch::{Patch, Spot};
use crate::primitive::{Form, Window};
use crate::vector::{Vector, along, cross, dot, length, subtract, unit};
use std::sync::Arc;
use tree::Bin;
use weld::Welded;

/// The most triangles a mesh can have.
pub const MOST_TRIANGLES: usize = 20_000_000;

/// Triangles of a closed surface, with a tree of boxes around them. Several surfaces in one file are one mesh; a surface
/// within another one that turns its outside inward is a hole.
#[derive(Clone, PartialEq)]
pub struct Mesh {
    vertices: Vec<Vector>,
    /// In the order of the tree.
    triangles: Vec<[u32; 3]>,
    bins: Vec<Bin>,
    /// Areas of all triangles up to each.
    areas: Vec<f64>,
    volume: f64,
    notes: Vec<String>,
}

impl Mesh {
    /// From the bytes of an STL file, a text or binary. The orientation of triangles is the order of their vertices; the
    /// normals in the file are not looked at. Vertices with equal coordinates are one, and no others are.
    ///
    /// Refuses a surface that is open, inside out, of mixed orientation, or around nothing.
    pub fn from_stl(bytes: &[u8]) -> Result<Mesh, MeshError> {
        let mut welded = Welded::default();
        stl::read(bytes, &mut |place, corners| welded.add(place, corners))?;
        let volume = welded.checked()?;
        let notes = welded.notes();
        let Welded { vertices, mut triangles, .. } = welded;
        let bins = tree::packed(&vertices, &mut triangles);
        let mut mesh = Mesh { vertices, triangles, bins, areas: Vec::new(), volume, notes };
        let mut sum = 0.0;
        mesh.areas = (0..mesh.triangles.len())
            .map(|index| {
                sum += 0.5 * length(twice_area(mesh.corners(index)));
                sum
            })
            .collect();
        Ok(mesh)
    }

    /// What was left out of the file.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many triangles there are.
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Per coordinate the lowest and the highest value.
    pub fn bounds(&self) -> [[f64; 2]; 3] {
        self.bins[0].bounds.0
    }

    /// The volume inside; where surfaces overlap it counts as often as they do.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The area of all triangles.
    pub fn area(&self) -> f64 {
        self.areas.last().copied().unwrap_or(0.0)
    }

    fn corners(&self, triangle: usize) -> [Vector; 3] {
        self.triangles[triangle].map(|vertex| self.vertices[vertex as usize])
    }

    pub(crate) fn spot(&self, place: &[f64]) -> Spot {
        let wanted = place[0] * self.area();
        // The first triangle that reaches beyond: never one without area.
        let index = self.areas.partition_point(|sum| *sum <= wanted).min(self.areas.len() - 1);
        let before = if index == 0 { 0.0 } else { self.areas[index - 1] };
        let own = self.areas[index] - before;
        // What is left of the number is uniform again.
        let rest = if own > 0.0 { ((wanted - before) / own).clamp(0.0, 1.0) } else { 0.0 };
        let corners = self.corners(index);
        let [a, b, c] = corners;
        let from_corner = rest.sqrt();
        let across = along(subtract(b, a), subtract(c, b), place[1]);
        let normal = unit(twice_area(corners)).unwrap_or([1.0, 0.0, 0.0]);
        Spot { point: along(a, across, from_corner), normal }
    }
}

/// Along the normal, and twice as long as the triangle is large.
fn twice_area([a, b, c]: [Vector; 3]) -> Vector {
    cross(subtract(b, a), subtract(c, a))
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        // Millions of numbers help nobody.
        let count = self.triangles.len();
        formatter.debug_struct("Mesh").field("triangles", &count).finish_non_exhaustive()
    }
}

impl Form for Arc<Mesh> {
    fn contains(&self, point: Vector) -> bool {
        self.winds_around(point)
    }

    fn distance(&self, point: Vector) -> f64 {
        let distance = self.nearest(point);
        if self.winds_around(point) { -distance } else { distance }
    }

    fn support(&self, direction: Vector) -> f64 {
        let used = self.triangles.iter().flatten().map(|vertex| self.vertices[*vertex as usize]);
        used.map(|vertex| dot(vertex, direction)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn measure(&self) -> f64 {
        self.volume
    }

    fn surface(&self, _: &Window) -> Vec<(String, Patch)> {
        vec![(String::new(), Patch::Triangles(self.clone()))]
    }
}
