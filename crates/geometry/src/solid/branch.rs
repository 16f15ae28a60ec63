//! Set operations, prepared for many questions.

use super::part::Part;
use crate::bounds::Bounds;
use crate::placement::Placement;
use crate::shape::{Node, Shape};
use crate::vector::Vector;

/// A set of points within a box.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) bounds: Bounds,
    set: Set,
}

#[derive(Clone, Debug)]
enum Set {
    Part(usize),
    Union(Vec<Branch>),
    Intersection(Vec<Branch>),
    Difference(Box<[Branch; 2]>),
}

/// How a branch is made of others.
pub(super) enum Outline<'b> {
    Part(usize),
    Union(&'b [Branch]),
    Intersection(&'b [Branch]),
    Difference(&'b [Branch; 2]),
}

/// Larger unions are divided, so that most of their members are never looked at.
const FEW: usize = 4;

impl Branch {
    fn part(index: usize, parts: &[Part]) -> Branch {
        Branch { bounds: parts[index].bounds, set: Set::Part(index) }
    }

    fn union(mut members: Vec<Branch>) -> Branch {
        if members.len() == 1 {
            return members.remove(0);
        }
        let bounds = members.iter().skip(1).fold(members[0].bounds, |hull, member| hull.hull(&member.bounds));
        if members.len() > FEW {
            let axis = longest(&bounds);
            let middle = |member: &Branch| {
                let ends = member.bounds.0[axis].map(|end| end.clamp(-f64::MAX, f64::MAX));
                0.5 * ends[0] + 0.5 * ends[1]
            };
            members.sort_by(|left, right| middle(left).total_cmp(&middle(right)));
            let upper = members.split_off(members.len() / 2);
            members = vec![Branch::union(members), Branch::union(upper)];
        }
        Branch { bounds, set: Set::Union(members) }
    }

    fn intersection(members: Vec<Branch>) -> Branch {
        let bounds = members.iter().fold(Bounds::ALL, |overlap, member| overlap.overlap(&member.bounds));
        Branch { bounds, set: Set::Intersection(members) }
    }

    fn difference(first: Branch, others: Vec<Branch>, parts: &[Part]) -> Branch {
        let outside = |branch: &Branch| match &branch.set {
            Set::Part(index) => parts[*index].complement_bounds(),
            Set::Union(_) | Set::Intersection(_) | Set::Difference(_) => Bounds::ALL,
        };
        let bounds = others.iter().fold(first.bounds, |left, other| left.overlap(&outside(other)));
        Branch { bounds, set: Set::Difference(Box::new([first, Branch::union(others)])) }
    }

    pub(super) fn outline(&self) -> Outline<'_> {
        match &self.set {
            Set::Part(index) => Outline::Part(*index),
            Set::Union(members) => Outline::Union(members),
            Set::Intersection(members) => Outline::Intersection(members),
            Set::Difference(pair) => Outline::Difference(pair),
        }
    }

    pub(crate) fn contains(&self, point: Vector, parts: &[Part]) -> bool {
        if !self.bounds.contain(point) {
            return false;
        }
        match &self.set {
            Set::Part(index) => parts[*index].contains(point),
            Set::Union(members) => members.iter().any(|member| member.contains(point, parts)),
            Set::Intersection(members) => members.iter().all(|member| member.contains(point, parts)),
            Set::Difference(pair) => pair[0].contains(point, parts) && !pair[1].contains(point, parts),
        }
    }

    pub(crate) fn distance(&self, point: Vector, parts: &[Part]) -> f64 {
        let distances = |members: &[Branch], start: f64, choose: fn(f64, f64) -> f64| {
            members.iter().fold(start, |chosen, member| choose(chosen, member.distance(point, parts)))
        };
        match &self.set {
            Set::Part(index) => parts[*index].distance(point),
            Set::Union(members) => distances(members, f64::INFINITY, f64::min),
            Set::Intersection(members) => distances(members, f64::NEG_INFINITY, f64::max),
            Set::Difference(pair) => pair[0].distance(point, parts).max(-pair[1].distance(point, parts)),
        }
    }
}

fn longest(bounds: &Bounds) -> usize {
    let length = |axis: usize| {
        let [low, high] = bounds.0[axis];
        // Coordinates that do not exist have no length.
        if (high - low).is_finite() { high - low } else { 0.0 }
    };
    (1..3).fold(0, |longest, axis| if length(axis) > length(longest) { axis } else { longest })
}

/// The parts of a shape, in the order they are written, and how they are combined.
pub(crate) fn assemble(shape: &Shape) -> (Vec<Part>, Branch) {
    let mut assembly =
        Assembly { dimension: shape.dimension(), written: 0, copies: Vec::new(), parts: Vec::new() };
    let branch = assembly.visit(shape, &Placement::HERE);
    (assembly.parts, branch)
}

struct Assembly {
    dimension: usize,
    /// Primitives so far, repeated ones counted once.
    written: usize,
    copies: Vec<usize>,
    parts: Vec<Part>,
}

impl Assembly {
    fn visit(&mut self, shape: &Shape, after: &Placement) -> Branch {
        match &shape.node {
            Node::Primitive { primitive, placement, .. } => {
                let place = placement.then(after);
                let part =
                    Part::new(primitive.clone(), place, self.dimension, self.written, self.copies.clone());
                self.written += 1;
                self.parts.push(part);
                Branch::part(self.parts.len() - 1, &self.parts)
            }
            Node::Union(shapes) => Branch::union(self.all(shapes, after)),
            Node::Intersection(shapes) => Branch::intersection(self.all(shapes, after)),
            Node::Difference(first, others) => {
                let first = self.visit(first, after);
                let others = self.all(others, after);
                Branch::difference(first, others, &self.parts)
            }
            Node::Moved(placement, shape) => self.visit(shape, &placement.then(after)),
            Node::Named(_, shape) => self.visit(shape, after),
            Node::Repeated { step, count, shape } => {
                let written = self.written;
                let copy = |index: usize| {
                    self.written = written;
                    self.copies.push(index + 1);
                    let moved = Placement::at(step.map(|value| value * index as f64));
                    let branch = self.visit(shape, &moved.then(after));
                    self.copies.pop();
                    branch
                };
                Branch::union((0..*count).map(copy).collect())
            }
        }
    }

    fn all(&mut self, shapes: &[Shape], after: &Placement) -> Vec<Branch> {
        shapes.iter().map(|shape| self.visit(shape, after)).collect()
    }
}
