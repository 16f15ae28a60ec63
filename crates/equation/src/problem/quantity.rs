//! Numbers that a solution is asked for: integrals over regions, fluxes, values at places, and formulas of these.

use super::{CoordinateSystem, Domain, Piece};
use crate::expression::{Expression, Leaf, Pool, evaluate};
use geometry::gauss;

/// A number that a solution is asked for, or a function of time.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// The key in the file.
    pub name: String,
    /// As written.
    pub text: String,
    /// Of its integrals, as [`Leaf::Column`]s in their order, of parameters and of time.
    pub formula: Expression,
    /// What the formula is made of.
    pub integrals: Vec<Integral>,
    /// The true value, where it is known.
    pub truth: Option<f64>,
}

/// What is summed over a region.
#[derive(Clone, Debug)]
pub struct Integral {
    /// At every place of the region.
    pub integrand: Expression,
    /// The region.
    pub over: IntegralRegion,
}

/// Where an integral is taken. Coordinates that a region does not fix, such as time, stay free.
#[derive(Clone, Debug)]
pub enum IntegralRegion {
    /// On pieces of the boundary, or planes.
    Pieces(Vec<Piece>),
    /// All of space that the problem is about.
    Inside,
    /// Along whole intervals of coordinates.
    Along(Vec<usize>),
    /// At one place: the value itself.
    At(Vec<(usize, f64)>),
}

/// A place of a quadrature rule.
#[derive(Clone, PartialEq, Debug)]
pub struct RegionNode {
    /// The coordinates that the region fixes.
    pub fixed: Vec<(usize, f64)>,
    /// The outward normal, one component per coordinate of the domain; zeros where there is none.
    pub normal: Vec<f64>,
    /// Its share of the region.
    pub weight: f64,
}

/// Panels of a coordinate by how many are integrated along: a thousand nodes are enough for a plane.
const PANELS: [usize; 3] = [8, 4, 2];

impl IntegralRegion {
    /// The most coordinates that are integrated along.
    pub(crate) const MOST_AXES: usize = PANELS.len();

    /// The nodes of a panel that training can afford: the network is evaluated at each of them for every point.
    pub(crate) fn fineness(&self) -> usize {
        match self {
            IntegralRegion::Pieces(_) => 6,
            IntegralRegion::Inside => 5,
            IntegralRegion::Along(axes) if axes.len() == 1 => 3,
            IntegralRegion::Along(_) => 3,
            IntegralRegion::At(_) => 1,
        }
    }

    /// The coordinates that it fixes.
    pub fn axes(&self, domain: &Domain) -> Vec<usize> {
        match self {
            IntegralRegion::Pieces(pieces) => {
                let fixed = pieces.iter().flat_map(|piece| piece.fixed.iter().map(|(axis, _)| *axis));
                let mut axes: Vec<usize> = fixed.chain(domain.space()).collect();
                axes.sort_unstable();
                axes.dedup();
                axes
            }
            IntegralRegion::Inside => domain.space(),
            IntegralRegion::Along(axes) => axes.clone(),
            IntegralRegion::At(place) => place.iter().map(|(axis, _)| *axis).collect(),
        }
    }

    /// A rule with `fineness` nodes in each panel. `pool` has the filters of pieces.
    pub fn nodes(&self, domain: &Domain, pool: &Pool, fineness: usize) -> Vec<RegionNode> {
        let mut nodes = self.straight(domain, pool, fineness);
        if domain.system != CoordinateSystem::Cartesian && !matches!(self, IntegralRegion::At(_)) {
            let space = domain.space();
            for node in &mut nodes {
                let across = node.normal.iter().position(|component| *component != 0.0);
                let axis = match domain.geometry {
                    Some(_) => None,
                    None => across,
                };
                node.weight *= domain.system.measure(&space, &place(node, domain), axis);
            }
        }
        nodes
    }

    /// The same as if coordinates were straight.
    fn straight(&self, domain: &Domain, pool: &Pool, fineness: usize) -> Vec<RegionNode> {
        match self {
            IntegralRegion::Pieces(pieces) => {
                pieces.iter().flat_map(|piece| on_piece(piece, domain, pool, fineness)).collect()
            }
            IntegralRegion::Inside => match &domain.geometry {
                Some(geometry) => {
                    let nodes = geometry.solid.quadrature_inside(fineness).into_iter();
                    nodes.map(|node| in_space(&node, domain)).collect()
                }
                None => along(&domain.space(), &[], domain, fineness),
            },
            IntegralRegion::Along(axes) => along(axes, &[], domain, fineness),
            IntegralRegion::At(place) => {
                vec![RegionNode { fixed: place.clone(), normal: vec![0.0; domain.len()], weight: 1.0 }]
            }
        }
    }
}

fn on_piece(piece: &Piece, domain: &Domain, pool: &Pool, fineness: usize) -> Vec<RegionNode> {
    let mut nodes = match (piece.surface, &domain.geometry) {
        (Some(surface), Some(geometry)) => {
            let nodes = geometry.solid.quadrature_on(surface, fineness).into_iter();
            nodes.map(|node| in_space(&node, domain)).collect()
        }
        _ => {
            let free = domain.space().into_iter();
            let free: Vec<usize> =
                free.filter(|axis| piece.fixed.iter().all(|(fixed, _)| fixed != axis)).collect();
            let mut nodes = along(&free, &piece.fixed, domain, fineness);
            for node in &mut nodes {
                if let Some((axis, sign)) = piece.normal {
                    node.normal[axis] = sign;
                }
            }
            nodes.retain(|node| domain.covers(&place(node, domain)));
            nodes
        }
    };
    if let Some(filter) = piece.filter {
        let holds = |node: &RegionNode| {
            let place = place(node, domain);
            let value = |leaf: Leaf| match leaf {
                Leaf::Coordinate(axis) => place[usize::from(axis)],
                _ => f64::NAN,
            };
            evaluate(pool, filter, &value) != 0.0
        };
        nodes.retain(holds);
    }
    nodes
}

/// All coordinates of a node, those that are free at their lower ends.
fn place(node: &RegionNode, domain: &Domain) -> Vec<f64> {
    let mut place: Vec<f64> = domain.coordinates.iter().map(|coordinate| coordinate.low).collect();
    node.fixed.iter().for_each(|&(axis, value)| place[axis] = value);
    place
}

fn in_space(node: &geometry::QuadratureNode, domain: &Domain) -> RegionNode {
    let axes = domain.geometry.as_ref().map(|geometry| &geometry.axes[..]).unwrap_or_default();
    let mut normal = vec![0.0; domain.len()];
    axes.iter().zip(&node.normal).for_each(|(&axis, &component)| normal[axis] = component);
    RegionNode {
        fixed: axes.iter().copied().zip(node.point.iter().copied()).collect(),
        normal,
        weight: node.weight,
    }
}

/// Products of rules along coordinates, beside others that are fixed.
fn along(axes: &[usize], fixed: &[(usize, f64)], domain: &Domain, fineness: usize) -> Vec<RegionNode> {
    let rule = gauss(fineness);
    let panels = PANELS[axes.len().clamp(1, PANELS.len()) - 1];
    let start = RegionNode { fixed: fixed.to_vec(), normal: vec![0.0; domain.len()], weight: 1.0 };
    axes.iter().fold(vec![start], |nodes, &axis| {
        let (low, high) = (domain.coordinates[axis].low, domain.coordinates[axis].high);
        let width = (high - low) / panels as f64;
        let each = (0..panels).flat_map(|panel| {
            rule.iter().map(move |(at, weight)| (low + width * (panel as f64 + at), weight * width))
        });
        let each: Vec<(f64, f64)> = each.collect();
        let mut more = Vec::with_capacity(nodes.len() * each.len());
        for node in &nodes {
            for &(value, weight) in &each {
                let mut next = node.clone();
                next.fixed.push((axis, value));
                next.weight *= weight;
                more.push(next);
            }
        }
        more
    })
}
