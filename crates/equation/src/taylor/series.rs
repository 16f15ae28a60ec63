//! Derivatives of known functions at points, by propagating all of them through the function's formula: numbers where
//! [`super::jets`] has expressions. Formulas of shapes would grow with every derivative; numbers do not.

use super::program::{Inputs, Instruction, Program, ProgramInputs, lower};
use crate::expression::{Derivative, Expression, Function, Leaf, Pool};
use std::collections::HashMap;

/// Points that go through a formula together.
pub(super) const LANES: usize = 16;

/// Formulas whose derivatives are wanted at points.
#[derive(Clone, Debug)]
pub(super) struct KnownSeries {
    set: Set,
    program: Program,
    /// From an argument to a function's value and derivatives.
    functions: HashMap<Function, Program>,
}

/// A set of derivatives that has, with each one, all of which it is a derivative.
#[derive(Clone, Debug)]
struct Set {
    /// By order, the value first.
    indices: Vec<Derivative>,
    /// Leibniz' rule for each: factor, derivative of the left, derivative of the right.
    products: Vec<Vec<(f64, usize, usize)>>,
    /// The chain rule for each but the first: factor, derivative of the outer slope, derivative of the inner function.
    chains: Vec<Vec<(f64, usize, usize)>>,
    /// The highest order.
    order: usize,
}

impl Set {
    fn closed(wanted: &[Derivative]) -> Set {
        let mut indices: Vec<Derivative> = vec![Derivative::NONE];
        for derivative in wanted {
            indices.extend(parts(derivative.axes()).into_iter().map(|(part, _)| part));
        }
        indices.sort_unstable_by_key(|index| (index.order(), *index));
        indices.dedup();
        let place = |index: Derivative| indices.iter().position(|other| *other == index);
        let find = |index: Derivative| place(index).expect("parts of derivatives are in a closed set");
        let counted = |axes: &[u8], more: Option<u8>| {
            let mut all: Vec<(f64, usize, usize)> = Vec::new();
            for (part, rest) in parts(axes) {
                let rest = more.and_then(|axis| rest.along(usize::from(axis))).unwrap_or(rest);
                let (left, right) = (find(part), find(rest));
                match all.iter_mut().find(|(_, own, other)| (*own, *other) == (left, right)) {
                    Some((factor, ..)) => *factor += 1.0,
                    None => all.push((1.0, left, right)),
                }
            }
            all
        };
        let products = indices.iter().map(|index| counted(index.axes(), None)).collect();
        let chains = indices.iter().map(|index| match index.axes() {
            [] => Vec::new(),
            [first, rest @ ..] => counted(rest, Some(*first)),
        });
        let chains = chains.collect();
        let order = indices.iter().map(|index| index.order()).max().unwrap_or(0);
        Set { indices, products, chains, order }
    }

    fn len(&self) -> usize {
        self.indices.len()
    }
}

/// All ways to share out the axes of a derivative between two factors.
fn parts(axes: &[u8]) -> Vec<(Derivative, Derivative)> {
    let pick = |wanted: usize, bit: usize| {
        let own = axes.iter().enumerate().filter(|(place, _)| (wanted >> place & 1) == bit);
        let own: Vec<usize> = own.map(|(_, &axis)| usize::from(axis)).collect();
        Derivative::new(&own).expect("no more axes than a derivative has")
    };
    (0..1usize << axes.len()).map(|wanted| (pick(wanted, 1), pick(wanted, 0))).collect()
}

impl KnownSeries {
    /// Prepares formulas of the coordinates for these derivatives.
    pub(super) fn new(
        pool: &mut Pool,
        formulas: &[Expression],
        wanted: &[Derivative],
        coordinates: usize,
    ) -> Self {
        let set = Set::closed(wanted);
        let program = lower(pool, formulas, ProgramInputs::coordinates(coordinates));
        let mut functions = HashMap::new();
        for instruction in &program.instructions {
            let used: &[Function] = match instruction {
                Instruction::Apply(function, _) => std::slice::from_ref(function),
                Instruction::Power(..) => &[Function::Log, Function::Exp],
                _ => &[],
            };
            for &function in used {
                functions.entry(function).or_insert_with(|| slopes(pool, function, set.order));
            }
        }
        KnownSeries { set, program, functions }
    }

    /// The place of a derivative among those that are computed.
    pub(super) fn place(&self, derivative: Derivative) -> Option<usize> {
        self.set.indices.iter().position(|index| *index == derivative)
    }

    /// Numbers of scratch memory that a block of points takes.
    pub(super) fn scratch(&self) -> usize {
        (self.program.instructions.len() + 2) * self.block()
    }

    /// Numbers of one register.
    fn block(&self) -> usize {
        self.set.len() * LANES
    }

    /// All derivatives of the formulas at up to [`LANES`] places, of which `coordinate(point, axis)` are the coordinates.
    pub(super) fn run(&self, coordinate: impl Fn(usize, usize) -> f64, scratch: &mut [f64]) {
        let block = self.block();
        let (registers, spare) = scratch.split_at_mut(self.program.instructions.len() * block);
        for (place, instruction) in self.program.instructions.iter().enumerate() {
            let (before, rest) = registers.split_at_mut(place * block);
            let out = &mut rest[..block];
            let register = |register: u32| &before[register as usize * block..][..block];
            match *instruction {
                Instruction::Constant(value) => {
                    out.fill(0.0);
                    out[..LANES].fill(value.get());
                }
                Instruction::Input(axis) => {
                    out.fill(0.0);
                    (0..LANES).for_each(|lane| out[lane] = coordinate(lane, usize::from(axis)));
                    let slope = Derivative::new(&[usize::from(axis)]).and_then(|slope| self.place(slope));
                    if let Some(slope) = slope {
                        out[slope * LANES..][..LANES].fill(1.0);
                    }
                }
                Instruction::Add(a, b) => each(out, register(a), register(b), |a, b| a + b),
                Instruction::Subtract(a, b) => each(out, register(a), register(b), |a, b| a - b),
                Instruction::Multiply(a, b) => self.multiply(out, register(a), register(b)),
                Instruction::Divide(a, b) => self.divide(out, register(a), register(b)),
                Instruction::Apply(function, a) => self.apply(function, out, register(a), spare),
                Instruction::Power(a, b) => self.power(out, register(a), register(b), spare),
                Instruction::Min(a, b) => select(out, register(a), register(b), |a, b| a < b),
                Instruction::Max(a, b) => select(out, register(a), register(b), |a, b| a > b),
                Instruction::Compare(comparison, a, b) => {
                    let (a, b) = (register(a), register(b));
                    out.fill(0.0);
                    (0..LANES)
                        .for_each(|lane| out[lane] = f64::from(u8::from(comparison.holds(a[lane], b[lane]))));
                }
                Instruction::Select(a, b, c) => {
                    let (a, b, c) = (register(a), register(b), register(c));
                    for (place, out) in out.iter_mut().enumerate() {
                        *out = if a[place % LANES] != 0.0 { b[place] } else { c[place] };
                    }
                }
                Instruction::Scalar(_) | Instruction::Signal(_) | Instruction::Seed(_) => {
                    unreachable!("known functions are functions of the coordinates")
                }
            }
        }
    }

    /// A derivative of a formula, by position, after [`Self::run`].
    pub(super) fn found<'s>(&self, scratch: &'s [f64], formula: usize, place: usize) -> &'s [f64] {
        let register = self.program.outputs[formula] as usize;
        &scratch[register * self.block() + place * LANES..][..LANES]
    }

    fn multiply(&self, out: &mut [f64], left: &[f64], right: &[f64]) {
        out.fill(0.0);
        for (place, terms) in self.set.products.iter().enumerate() {
            let out = &mut out[place * LANES..][..LANES];
            for &(factor, own, other) in terms {
                let (left, right) = (&left[own * LANES..][..LANES], &right[other * LANES..][..LANES]);
                (0..LANES).for_each(|lane| out[lane] += factor * left[lane] * right[lane]);
            }
        }
    }

    /// From `left = out·right`, one derivative after the other.
    fn divide(&self, out: &mut [f64], left: &[f64], right: &[f64]) {
        for (place, terms) in self.set.products.iter().enumerate() {
            let (before, rest) = out.split_at_mut(place * LANES);
            let out = &mut rest[..LANES];
            out.copy_from_slice(&left[place * LANES..][..LANES]);
            for &(factor, own, other) in terms.iter().filter(|(_, own, _)| *own < place) {
                let (known, right) = (&before[own * LANES..][..LANES], &right[other * LANES..][..LANES]);
                (0..LANES).for_each(|lane| out[lane] -= factor * known[lane] * right[lane]);
            }
            (0..LANES).for_each(|lane| out[lane] /= right[lane]);
        }
    }

    fn apply(&self, function: Function, out: &mut [f64], argument: &[f64], spare: &mut [f64]) {
        let slopes = &self.functions[&function];
        let mut registers = vec![0.0; slopes.instructions.len()];
        let values: Vec<Vec<f64>> = (0..LANES)
            .map(|lane| {
                slopes.run(Inputs { row: &argument[lane..=lane], ..Inputs::default() }, &mut registers);
                slopes.outputs.iter().map(|&output| registers[output as usize]).collect()
            })
            .collect();
        self.compose(|order, lane| values[lane][order], out, argument, spare);
    }

    /// A function of a series, whose derivatives at its values are `slope(order, lane)`.
    fn compose(
        &self,
        slope: impl Fn(usize, usize) -> f64,
        out: &mut [f64],
        argument: &[f64],
        spare: &mut [f64],
    ) {
        let upper = &mut spare[..self.block()];
        for order in (0..=self.set.order).rev() {
            (0..LANES).for_each(|lane| out[lane] = slope(order, lane));
            for (place, terms) in self.set.chains.iter().enumerate().skip(1) {
                if self.set.indices[place].order() + order > self.set.order {
                    continue;
                }
                let out = &mut out[place * LANES..][..LANES];
                out.fill(0.0);
                for &(factor, own, other) in terms {
                    let (outer, inner) =
                        (&upper[own * LANES..][..LANES], &argument[other * LANES..][..LANES]);
                    (0..LANES).for_each(|lane| out[lane] += factor * outer[lane] * inner[lane]);
                }
            }
            upper.copy_from_slice(out);
        }
    }

    fn power(&self, out: &mut [f64], base: &[f64], exponent: &[f64], spare: &mut [f64]) {
        if exponent[LANES..].iter().all(|slope| *slope == 0.0) {
            let slope = |order: usize, lane: usize| {
                let exponent = exponent[lane];
                let factor: f64 = (0..order).map(|lowered| exponent - lowered as f64).product();
                if factor == 0.0 { 0.0 } else { factor * base[lane].powf(exponent - order as f64) }
            };
            return self.compose(slope, out, base, spare);
        }
        let mut logarithm = vec![0.0; base.len()];
        self.apply(Function::Log, &mut logarithm, base, spare);
        let mut product = vec![0.0; base.len()];
        self.multiply(&mut product, exponent, &logarithm);
        self.apply(Function::Exp, out, &product, spare);
    }
}

fn each(out: &mut [f64], left: &[f64], right: &[f64], operation: impl Fn(f64, f64) -> f64) {
    out.iter_mut()
        .zip(left.iter().zip(right))
        .for_each(|(out, (left, right))| *out = operation(*left, *right));
}

fn select(out: &mut [f64], left: &[f64], right: &[f64], first: impl Fn(f64, f64) -> bool) {
    for (place, out) in out.iter_mut().enumerate() {
        let lane = place % LANES;
        *out = if first(left[lane], right[lane]) { left[place] } else { right[place] };
    }
}

/// A function and its derivatives up to an order, as programs of its argument.
fn slopes(pool: &mut Pool, function: Function, order: usize) -> Program {
    let argument = pool.leaf(Leaf::Coordinate(0));
    let mut slopes = vec![pool.apply(function, argument)];
    for lower in 0..order {
        slopes.push(pool.differentiate(slopes[lower], 0));
    }
    lower(pool, &slopes, ProgramInputs::coordinates(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::evaluate;

    /// Formulas of two coordinates with every kind of operation.
    fn formulas(pool: &mut Pool) -> Vec<Expression> {
        let [x, y] = [0, 1].map(|axis| pool.leaf(Leaf::Coordinate(axis)));
        let two = pool.number(2.0);
        let (shifted, product) = (pool.add(x, two), pool.multiply(x, y));
        let radius = pool.combine(&[(product, 0.7), (two, 1.0)]);
        let quotient = pool.powers(&[(radius, -1.0), (shifted, 2.0)]);
        let root = pool.powers(&[(radius, 0.5)]);
        let odd = pool.powers(&[(shifted, 1.7), (y, 3.0)]);
        let general = pool.power(radius, y);
        let mut all = vec![quotient, root, odd, general];
        for function in
            [Function::Sin, Function::Exp, Function::Tanh, Function::Log, Function::Atan, Function::Erf]
        {
            let inner = pool.apply(function, radius);
            all.push(pool.multiply(inner, quotient));
        }
        let condition = pool.compare(crate::expression::Comparison::Less, x, y);
        all.push(pool.choose(condition, quotient, root));
        all
    }

    #[test]
    fn derivatives_at_points_are_those_of_the_formulas() {
        let mut pool = Pool::default();
        let formulas = formulas(&mut pool);
        let orders: [&[usize]; 7] = [&[], &[0], &[1, 1], &[0, 1], &[0, 0, 1], &[0, 0, 1, 1], &[1, 1, 1, 1]];
        let wanted: Vec<Derivative> = orders.iter().filter_map(|axes| Derivative::new(axes)).collect();
        let series = KnownSeries::new(&mut pool, &formulas, &wanted, 2);
        let place = |lane: usize, axis: usize| 0.13 + 0.11 * lane as f64 + 0.37 * axis as f64;
        let mut scratch = vec![0.0; series.scratch()];
        series.run(place, &mut scratch);
        for (number, &formula) in formulas.iter().enumerate() {
            for derivative in &wanted {
                let slope = derivative.axes().iter();
                let slope = slope.fold(formula, |slope, &axis| pool.differentiate(slope, usize::from(axis)));
                let found = series.found(&scratch, number, series.place(*derivative).expect("it is wanted"));
                for (lane, &found) in found.iter().enumerate() {
                    let truth: f64 = evaluate(&pool, slope, &|leaf| match leaf {
                        Leaf::Coordinate(axis) => place(lane, usize::from(axis)),
                        _ => f64::NAN,
                    });
                    let size = truth.abs().max(1.0);
                    assert!((found - truth).abs() < 1e-10 * size, "{number} {derivative:?}: {found} {truth}");
                }
            }
        }
    }
}
