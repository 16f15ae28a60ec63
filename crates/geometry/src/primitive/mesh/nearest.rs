//! Distances to triangles.

use super::Mesh;
use super::tree::Content;
use crate::bounds::Bounds;
use crate::vector::{Vector, along, cross, dot, subtract};

impl Mesh {
    /// The distance to the surface.
    pub(crate) fn nearest(&self, point: Vector) -> f64 {
        let mut least = f64::INFINITY;
        let mut waiting = vec![(0u32, 0.0)];
        while let Some((current, beyond)) = waiting.pop() {
            if beyond >= least {
                continue;
            }
            match self.bins[current as usize].content {
                Content::Triangles { from, to } => {
                    for triangle in &self.triangles[from as usize..to as usize] {
                        least = least.min(self.square_to(point, *triangle));
                    }
                }
                Content::Halves { second } => {
                    let halves = [current + 1, second]
                        .map(|half| (half, square_to_box(point, &self.bins[half as usize].bounds)));
                    // The nearer half is looked at first.
                    waiting.extend(if halves[0].1 < halves[1].1 { [halves[1], halves[0]] } else { halves });
                }
            }
        }
        least.sqrt()
    }

    /// The square of the distance to a triangle.
    fn square_to(&self, point: Vector, triangle: [u32; 3]) -> f64 {
        let corners = triangle.map(|vertex| self.vertices[vertex as usize]);
        let [a, b, c] = corners;
        let normal = cross(subtract(b, a), subtract(c, a));
        let square = dot(normal, normal);
        let edges = [[a, b], [b, c], [c, a]];
        let above = |[from, to]: &[Vector; 2]| {
            dot(cross(normal, subtract(*to, *from)), subtract(point, *from)) >= 0.0
        };
        if square > 0.0 && edges.iter().all(above) {
            let height = dot(normal, subtract(point, a));
            return height * height / square;
        }
        edges.map(|[from, to]| square_to_segment(point, from, to)).into_iter().fold(f64::INFINITY, f64::min)
    }
}

fn square_to_box(point: Vector, bounds: &Bounds) -> f64 {
    let beyond = |(value, ends): (f64, [f64; 2])| (ends[0] - value).max(value - ends[1]).max(0.0);
    point.into_iter().zip(bounds.0).map(beyond).map(|beyond| beyond * beyond).sum()
}

fn square_to_segment(point: Vector, from: Vector, to: Vector) -> f64 {
    let (run, offset) = (subtract(to, from), subtract(point, from));
    let share = (dot(offset, run) / dot(run, run)).clamp(0.0, 1.0);
    let across = along(offset, run, -share);
    dot(across, across)
}
