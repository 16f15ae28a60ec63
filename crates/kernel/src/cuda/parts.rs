//! Drawn parts of points, as words that the device reads.

use crate::recipe::{DrawnColumn, DrawnInside, DrawnPart, Recipe, Sequence, Supply};
use geometry::{InsidePrimitive, InsideStep, InsideTest};

/// Words of a part; as `Part` in `device/step/sequence.cuh`.
pub(super) const PART: usize = 11;

/// Candidates that are counted together; as in `device/step/search.cuh`.
pub(super) const GROUP: usize = 1024;

/// Where there is nothing.
const NOWHERE: u64 = u64::MAX;

/// What a step of an inside test does; as the constants of these names there.
#[derive(Clone, Copy)]
pub(super) enum TestKind {
    Within,
    Either,
    Both,
    Without,
    Ball,
    Block,
    Ellipsoid,
    HalfSpace,
    Cylinder,
    Cone,
    Torus,
    Sides,
}

/// All parts of a recipe as words for the device.
#[derive(Default)]
pub(super) struct PartTable {
    pub(super) words: Vec<u64>,
    /// Where every part lies in them.
    places: Vec<usize>,
    /// Where those lie that are inside shapes.
    pub(super) insides: Vec<u64>,
    /// Words in which their candidates are counted.
    pub(super) counts: usize,
    /// Whether any of them has to be looked for.
    pub(super) sought: bool,
}

impl DrawnPart {
    /// Whether a point is found by more than its number in the sequence.
    pub(super) fn is_sought(&self) -> bool {
        self.inside.is_some() || self.order.is_some()
    }
}

impl PartTable {
    pub(super) fn of(recipe: &Recipe) -> PartTable {
        let mut table = PartTable::default();
        recipe.terms.iter().flat_map(Supply::parts).for_each(|part| table.add(part));
        table
    }

    /// Where a part lies.
    pub(super) fn place(&self, number: usize) -> usize {
        self.places[number]
    }

    fn add(&mut self, part: &DrawnPart) {
        let place = self.words.len();
        self.places.push(place);
        self.sought |= part.is_sought();
        let kind = match part.sequence {
            Sequence::Uniform => 0,
            Sequence::Sobol { .. } => 1,
            Sequence::LatinHypercube => 2,
        };
        // Of an order, the sequence has all points.
        let count = part.order.map_or(part.count, |order| order.count).max(1) as u64;
        let digits = u64::from(u64::BITS - (count - 1).leading_zeros());
        let half = digits.div_ceil(2).max(1);
        self.words.extend([kind, part.stream, count, half, part.columns.len() as u64]);
        self.words.resize(place + PART, NOWHERE);
        self.words[place + 5] = self.words.len() as u64;
        for column in &part.columns {
            self.words.extend(match *column {
                DrawnColumn::Constant(value) => [u64::MAX, value.to_bits(), 0],
                DrawnColumn::Stretched { dimension, low, length } => {
                    [dimension as u64, low.to_bits(), length.to_bits()]
                }
            });
        }
        self.words[place + 6] = self.words.len() as u64;
        if let Sequence::Sobol { directions } = &part.sequence {
            self.words.extend(directions.iter().flatten().map(|&number| u64::from(number)));
        }
        if let Some(inside) = &part.inside {
            let groups = inside.candidates.div_ceil(GROUP);
            let test = self.words.len() as u64;
            self.insides.push(place as u64);
            let [own, _, counts, count] = &mut self.words[place + 7..place + PART] else { return };
            (*own, *counts, *count) = (test, self.counts as u64, groups as u64);
            self.counts += groups + 1;
            self.test(inside);
        }
        if let Some(order) = &part.order {
            self.words[place + 8] = self.words.len() as u64;
            let [count, size, block] = [order.count, order.size, order.block].map(|number| number as u64);
            self.words.extend([order.seed, order.stream, count, size, block]);
        }
    }

    fn test(&mut self, DrawnInside { test, axes, .. }: &DrawnInside) {
        let InsideTest { dimension, steps } = &**test;
        self.words.push(*dimension as u64);
        self.words.extend((0..3).map(|place| axes.get(place).map_or(NOWHERE, |&axis| axis as u64)));
        self.words.push(steps.len() as u64);
        for step in steps {
            let (kind, numbers) = numbers(step);
            self.words.extend([kind as u64, numbers.len() as u64]);
            self.words.extend(numbers.into_iter().map(f64::to_bits));
        }
    }
}

/// What a step does, and with which numbers.
fn numbers(step: &InsideStep) -> (TestKind, Vec<f64>) {
    let InsideStep::Part { bounds, origin, axes, scale, primitive } = step else {
        return match step {
            InsideStep::Within(bounds) => (TestKind::Within, bounds.as_flattened().to_vec()),
            InsideStep::Either => (TestKind::Either, Vec::new()),
            InsideStep::Both => (TestKind::Both, Vec::new()),
            InsideStep::Without | InsideStep::Part { .. } => (TestKind::Without, Vec::new()),
        };
    };
    let mut numbers =
        [bounds.as_flattened(), origin, &[*scale, f64::from(u8::from(axes.is_some()))]].concat();
    numbers.extend(axes.iter().flatten().flatten());
    let (kind, own) = match primitive {
        InsidePrimitive::Ball { square } => (TestKind::Ball, vec![*square]),
        InsidePrimitive::Block { ends } => (TestKind::Block, ends.as_flattened().to_vec()),
        InsidePrimitive::Ellipsoid { semi_axes } => (TestKind::Ellipsoid, semi_axes.clone()),
        InsidePrimitive::HalfSpace { point, normal } => (TestKind::HalfSpace, [*point, *normal].concat()),
        InsidePrimitive::Cylinder { length, square } => (TestKind::Cylinder, vec![*length, *square]),
        InsidePrimitive::Cone { height, radius } => (TestKind::Cone, vec![*height, *radius]),
        InsidePrimitive::Torus { ring, tube } => (TestKind::Torus, vec![*ring, *tube]),
        InsidePrimitive::Sides { sides } => (TestKind::Sides, sides.as_flattened().as_flattened().to_vec()),
    };
    numbers.extend(own);
    (kind, numbers)
}
