//! What operations have left of the surfaces of primitives.

use super::branch::Branch;
use super::part::Part;
use super::piece::Piece;
use crate::bounds::Bounds;
use crate::sequence::{SHIFTS, even, share};
use crate::vector::{Vector, along, length, subtract};

/// Samples along a line.
const ALONG: usize = 4096;
/// Samples on a surface for each of the [`SHIFTS`].
const ON_SURFACE: usize = 1024;
/// Cells per parameter in the proof that a surface is whole.
const CELLS: usize = 64;

/// Everything that decides where the boundary of a solid is.
pub(super) struct Survey<'solid> {
    pub(super) parts: &'solid [Part],
    pub(super) root: &'solid Branch,
    pub(super) dimension: usize,
    /// How far from a surface its two sides are looked at.
    pub(super) step: f64,
}

/// What is left of a piece.
pub(super) struct Finding {
    pub(super) share: f64,
    /// Of the share.
    pub(super) error: f64,
    /// All or nothing is left, and that is certain.
    pub(super) proven: bool,
    /// The sign that turns normals outward, unless there are both or none.
    pub(super) sign: Option<f64>,
    /// Earlier parts that share the surface somewhere.
    pub(super) rivals: Vec<usize>,
}

impl Survey<'_> {
    /// The sign that turns the normal outward, or `None` where the boundary is elsewhere or belongs to a rival.
    pub(super) fn outward(&self, rivals: &[usize], point: Vector, normal: Vector) -> Option<f64> {
        let sign = self.sides(point, normal)?;
        (!rivals.iter().any(|&rival| self.touches(rival, point))).then_some(sign)
    }

    fn sides(&self, point: Vector, normal: Vector) -> Option<f64> {
        let below = self.root.contains(along(point, normal, -self.step), self.parts);
        let above = self.root.contains(along(point, normal, self.step), self.parts);
        (below != above).then_some(if below { 1.0 } else { -1.0 })
    }

    fn touches(&self, part: usize, point: Vector) -> bool {
        self.parts[part].distance(point).abs() <= self.step
    }

    pub(super) fn look(&self, piece: &Piece) -> Finding {
        let neighbours = self.neighbours(piece);
        let mut tally = Tally::default();
        let (share, error) = if neighbours.is_empty() {
            // All of it has the same fate. Several spots, as one can be too close to a corner of its own primitive.
            for index in 0..SHIFTS {
                self.sample(piece, &[], index, 0, &mut tally);
            }
            (if tally.hits > 0 { 1.0 } else { 0.0 }, 0.0)
        } else {
            match piece.parameters() {
                0 => {
                    self.spot(piece, &neighbours, &[], &mut tally);
                    (tally.hits as f64, 0.0)
                }
                1 => self.along(piece, &neighbours, &mut tally),
                _ => self.on_surface(piece, &neighbours, &mut tally),
            }
        };
        let uniform = share == 0.0 || share == 1.0;
        let proven = neighbours.is_empty()
            || piece.parameters() == 0
            || uniform && tally.rivals.is_empty() && self.is_clear(piece, &neighbours);
        let sign = match tally.signs {
            [true, false] => Some(1.0),
            [false, true] => Some(-1.0),
            [true, true] | [false, false] => None,
        };
        Finding { share, error: if proven { 0.0 } else { error }, proven, sign, rivals: tally.rivals }
    }

    /// Parts other than its own whose surface may come near a piece.
    fn neighbours(&self, piece: &Piece) -> Vec<usize> {
        let own = self.parts[piece.part].bounds;
        let around = piece.patch.bounds(&piece.placement, self.dimension).unwrap_or(own);
        let middle = around.middle(self.dimension);
        let corner = Bounds(around.0.map(|[_, high]| [high, high])).middle(self.dimension);
        let reach = length(subtract(corner, middle)) + 2.0 * self.step;
        let near = |index: &usize| {
            let part = &self.parts[*index];
            // Distances change no faster than their point: a far surface stays out of the whole box.
            part.bounds.meet(&around, 2.0 * self.step) && part.distance(middle).abs() <= reach
        };
        (0..self.parts.len()).filter(|index| *index != piece.part).filter(near).collect()
    }

    fn sample(&self, piece: &Piece, neighbours: &[usize], index: usize, shift: usize, tally: &mut Tally) {
        let mut unit = [0.0; 3];
        let unit = &mut unit[..piece.parameters()];
        if !unit.is_empty() {
            even(index, shift, unit);
        }
        self.spot(piece, neighbours, unit, tally);
    }

    fn spot(&self, piece: &Piece, neighbours: &[usize], unit: &[f64], tally: &mut Tally) -> bool {
        let spot = piece.spot(unit);
        let Some(sign) = self.sides(spot.point, spot.normal) else { return false };
        let mut own = true;
        for &rival in neighbours.iter().take_while(|&&neighbour| neighbour < piece.part) {
            if self.touches(rival, spot.point) {
                own = false;
                if !tally.rivals.contains(&rival) {
                    tally.rivals.push(rival);
                }
            }
        }
        if own {
            tally.hits += 1;
            tally.signs[usize::from(sign < 0.0)] = true;
        }
        own
    }

    fn along(&self, piece: &Piece, neighbours: &[usize], tally: &mut Tally) -> (f64, f64) {
        let mut changes = 0;
        let mut before = None;
        for index in 0..ALONG {
            let hit = self.spot(piece, neighbours, &[(index as f64 + 0.5) / ALONG as f64], tally);
            changes += usize::from(before.is_some_and(|before| before != hit));
            before = Some(hit);
        }
        // Every end of what is left is known to half the distance of two samples.
        (tally.hits as f64 / ALONG as f64, 0.5 * changes.max(2) as f64 / ALONG as f64)
    }

    fn on_surface(&self, piece: &Piece, neighbours: &[usize], tally: &mut Tally) -> (f64, f64) {
        let mut hits = [0; SHIFTS];
        for (shift, hits) in hits.iter_mut().enumerate() {
            let before = tally.hits;
            (0..ON_SURFACE).for_each(|index| self.sample(piece, neighbours, index, shift, tally));
            *hits = tally.hits - before;
        }
        share(&hits, ON_SURFACE)
    }

    /// Whether no other surface meets a piece: every cell of it is further from all of them than it is large.
    fn is_clear(&self, piece: &Piece, neighbours: &[usize]) -> bool {
        let clear = |point: Vector, radius: f64| {
            neighbours.iter().all(|&other| self.parts[other].distance(point).abs() > radius + 2.0 * self.step)
        };
        match piece.parameters() {
            0 => true,
            1 => (0..ALONG).all(|index| {
                let middle = piece.spot(&[(index as f64 + 0.5) / ALONG as f64]).point;
                clear(middle, 0.5 * piece.whole / ALONG as f64)
            }),
            _ if !piece.patch.is_continuous() => false,
            _ => (0..CELLS * CELLS).all(|cell| {
                let at = |x: f64, y: f64| {
                    let [column, row] = [(cell % CELLS) as f64, (cell / CELLS) as f64];
                    piece.spot(&[(column + x) / CELLS as f64, (row + y) / CELLS as f64]).point
                };
                let middle = at(0.5, 0.5);
                let corners = [at(0.0, 0.0), at(0.0, 1.0), at(1.0, 0.0), at(1.0, 1.0)];
                let reach = corners.map(|corner| length(subtract(corner, middle)));
                // A bent cell may reach further than its corners; twice as far is more than any of ours does.
                clear(middle, 2.0 * reach.into_iter().fold(0.0, f64::max))
            }),
        }
    }
}

/// Counts over samples.
#[derive(Default)]
struct Tally {
    hits: usize,
    /// Whether normals that point out, and normals that point in were seen.
    signs: [bool; 2],
    rivals: Vec<usize>,
}
