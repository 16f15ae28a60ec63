//! Boxes within boxes around triangles.

use crate::bounds::Bounds;
use crate::vector::Vector;

/// Fewer triangles are not divided any more.
const FEW: usize = 4;

/// A box around some triangles.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bin {
    pub(super) bounds: Bounds,
    pub(super) content: Content,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Content {
    /// Of the list of triangles.
    Triangles { from: u32, to: u32 },
    /// Two boxes: the next one of the list, and this.
    Halves { second: u32 },
}

/// Sorts triangles so that neighbours are near, and packs them. The first box holds all.
pub(super) fn packed(vertices: &[Vector], triangles: &mut [[u32; 3]]) -> Vec<Bin> {
    let mut bins = Vec::with_capacity(triangles.len());
    pack(vertices, triangles, 0, &mut bins);
    bins
}

fn pack(vertices: &[Vector], triangles: &mut [[u32; 3]], from: u32, bins: &mut Vec<Bin>) {
    let corners = triangles.iter().flatten().map(|vertex| vertices[*vertex as usize]);
    let bounds = Bounds::around(corners, 3);
    let to = from + triangles.len() as u32;
    let own = bins.len();
    bins.push(Bin { bounds, content: Content::Triangles { from, to } });
    if triangles.len() <= FEW {
        return;
    }
    let middle = |triangle: &[u32; 3], axis: usize| {
        triangle.iter().map(|vertex| vertices[*vertex as usize][axis]).sum::<f64>()
    };
    let spread = |axis: usize| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for triangle in triangles.iter() {
            let value = middle(triangle, axis);
            (low, high) = (low.min(value), high.max(value));
        }
        high - low
    };
    let spreads = [spread(0), spread(1), spread(2)];
    let axis = (1..3).fold(0, |widest, axis| if spreads[axis] > spreads[widest] { axis } else { widest });
    let half = triangles.len() / 2;
    // By halves, whatever the values are: the tree is no deeper than the logarithm of the number of triangles.
    triangles.select_nth_unstable_by(half, |one, other| middle(one, axis).total_cmp(&middle(other, axis)));
    let (lower, upper) = triangles.split_at_mut(half);
    pack(vertices, lower, from, bins);
    bins[own].content = Content::Halves { second: bins.len() as u32 };
    pack(vertices, upper, from + half as u32, bins);
}
