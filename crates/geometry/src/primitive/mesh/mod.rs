//! Triangles of closed surfaces.

mod error;
mod faces;
mod inside;
mod nearest;
mod stl;
mod tree;
mod weld;

pub use error::{MeshError, StlPlace};
pub use faces::{FaceRule, MOST_FACES};

use crate::primitive::patch::{Patch, Spot};
use crate::primitive::{Form, Window};
use crate::vector::{Vector, along, cross, dot, length, subtract, unit};
use faces::Division;
use std::collections::HashMap;
use std::sync::Arc;
use tree::Bin;
use weld::Welded;

/// The most triangles a mesh can have.
pub const MOST_TRIANGLES: usize = 20_000_000;

/// Some of the triangles, as a piece of the surface.
#[derive(Clone, PartialEq, Debug)]
struct Face {
    name: String,
    /// Which; all of them where there are none in the list.
    triangles: Vec<u32>,
    /// Their areas up to each.
    areas: Vec<f64>,
}

/// Triangles of a closed surface, with a tree of boxes around them. Several surfaces in one file are one mesh; a surface
/// within another one that turns its outside inward is a hole.
#[derive(Clone, PartialEq)]
pub struct Mesh {
    vertices: Vec<Vector>,
    /// In the order of the tree.
    triangles: Vec<[u32; 3]>,
    bins: Vec<Bin>,
    /// At least one.
    faces: Vec<Face>,
    volume: f64,
    notes: Vec<String>,
}

impl Mesh {
    /// From the bytes of an STL file, a text or binary. The orientation of triangles is the order of their vertices; the
    /// normals in the file are not looked at. Vertices with equal coordinates are one, and no others are.
    ///
    /// Refuses a surface that is open, inside out, of mixed orientation, or around nothing.
    pub fn from_stl(bytes: &[u8]) -> Result<Mesh, MeshError> {
        Mesh::with_faces(bytes, FaceRule::Whole)
    }

    /// The same, whose triangles are put together to faces.
    pub fn with_faces(bytes: &[u8], rule: FaceRule) -> Result<Mesh, MeshError> {
        let mut welded = Welded::default();
        let solids = stl::read(bytes, &mut |place, corners| welded.add(place, corners))?;
        let volume = welded.checked()?;
        let notes = welded.notes();
        let Division { faces, names } = Division::of(&welded, &solids, rule)?;
        let Welded { vertices, mut triangles, .. } = welded;
        // Packing moves them. No two are the same.
        let homes: HashMap<[u32; 3], u32> = triangles.iter().copied().zip(faces).collect();
        let bins = tree::packed(&vertices, &mut triangles);
        let named = |name| Face { name, triangles: Vec::new(), areas: Vec::new() };
        let mut faces: Vec<Face> = names.into_iter().map(named).collect();
        if faces.len() > 1 {
            for (index, triangle) in triangles.iter().enumerate() {
                faces[homes[triangle] as usize].triangles.push(index as u32);
            }
        }
        let mut mesh = Mesh { vertices, triangles, bins, faces: Vec::new(), volume, notes };
        for face in &mut faces {
            let own: Vec<usize> = match &face.triangles[..] {
                [] => (0..mesh.triangles.len()).collect(),
                own => own.iter().map(|&index| index as usize).collect(),
            };
            let mut sum = 0.0;
            let areas = own.into_iter().map(|index| {
                sum += 0.5 * length(twice_area(mesh.corners(index)));
                sum
            });
            face.areas = areas.collect();
        }
        mesh.faces = faces;
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
        (0..self.faces.len()).map(|face| self.face_area(face)).sum()
    }

    /// What faces are called; nothing is the name of the part.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = &str> {
        self.faces.iter().map(|face| &*face.name)
    }

    /// The area of a face.
    pub(crate) fn face_area(&self, face: usize) -> f64 {
        self.faces[face].areas.last().copied().unwrap_or(0.0)
    }

    fn corners(&self, triangle: usize) -> [Vector; 3] {
        self.triangles[triangle].map(|vertex| self.vertices[vertex as usize])
    }

    pub(crate) fn spot(&self, face: usize, place: &[f64]) -> Spot {
        let Face { triangles, areas, .. } = &self.faces[face];
        let wanted = place[0] * self.face_area(face);
        // The first triangle that reaches beyond: never one without area.
        let index = areas.partition_point(|sum| *sum <= wanted).min(areas.len() - 1);
        let before = if index == 0 { 0.0 } else { areas[index - 1] };
        let own = areas[index] - before;
        let index = triangles.get(index).map_or(index, |&triangle| triangle as usize);
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
        let patch =
            |(face, name): (usize, &str)| (name.to_owned(), Patch::Triangles { mesh: self.clone(), face });
        self.faces().enumerate().map(patch).collect()
    }
}
