//! Straight-line programs on all points of a tile at once.

use super::math;
use equation::expression::Function;
use equation::taylor::{Instruction, Program, Register};
use linear::{Float, for_each_level};

/// What a program reads: columns of `points` numbers each.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a, T> {
    pub(crate) points: usize,
    pub(crate) row: &'a [T],
    pub(crate) scalars: &'a [T],
    pub(crate) signals: &'a [T],
    pub(crate) seeds: &'a [T],
}

for_each_level! {
    /// Runs a program on every point; `registers` holds one column per instruction.
    pub(crate) fn run<T: Float>(program: &Program, columns: Columns<'_, T>, registers: &mut [T]) => run_body
}

/// The column of an output.
pub(crate) fn column<T>(registers: &[T], points: usize, register: Register) -> &[T] {
    &registers[register as usize * points..][..points]
}

#[inline(always)]
fn run_body<T: Float, const FMA: bool>(program: &Program, columns: Columns<'_, T>, registers: &mut [T]) {
    let points = columns.points;
    for (place, instruction) in program.instructions.iter().enumerate() {
        let (before, rest) = registers.split_at_mut(place * points);
        let out = &mut rest[..points];
        let input = |source: &'_ [T], place: u16, out: &mut [T]| {
            out.copy_from_slice(&source[usize::from(place) * points..][..points]);
        };
        macro_rules! binary {
            ($a:expr, $b:expr, |$x:ident, $y:ident| $value:expr) => {{
                let (a, b) = (column(before, points, $a), column(before, points, $b));
                for (out, (&$x, &$y)) in out.iter_mut().zip(a.iter().zip(b)) {
                    *out = $value;
                }
            }};
        }
        match *instruction {
            Instruction::Constant(value) => out.fill(T::from_f64(value.get())),
            Instruction::Input(place) => input(columns.row, place, out),
            Instruction::Scalar(place) => out.fill(columns.scalars[usize::from(place)]),
            Instruction::Signal(place) => input(columns.signals, place, out),
            Instruction::Seed(place) => input(columns.seeds, place, out),
            Instruction::Add(a, b) => binary!(a, b, |x, y| x + y),
            Instruction::Subtract(a, b) => binary!(a, b, |x, y| x - y),
            Instruction::Multiply(a, b) => binary!(a, b, |x, y| x * y),
            Instruction::Divide(a, b) => binary!(a, b, |x, y| x / y),
            Instruction::Power(a, b) => binary!(a, b, |x, y| T::from_f64(x.to_f64().powf(y.to_f64()))),
            Instruction::Min(a, b) => binary!(a, b, |x, y| x.min(y)),
            Instruction::Max(a, b) => binary!(a, b, |x, y| x.max(y)),
            Instruction::Compare(comparison, a, b) => {
                binary!(a, b, |x, y| if comparison.holds(x.to_f64(), y.to_f64()) { T::ONE } else { T::ZERO });
            }
            Instruction::Select(a, b, c) => {
                let condition = column(before, points, a);
                let (then, otherwise) = (column(before, points, b), column(before, points, c));
                for (n, out) in out.iter_mut().enumerate() {
                    *out = if condition[n] == T::ZERO { otherwise[n] } else { then[n] };
                }
            }
            Instruction::Apply(function, a) => apply::<T, FMA>(function, column(before, points, a), out),
        }
    }
}

/// Where the vectorised sine keeps its precision.
const MODERATE: f64 = 1000.0;

#[inline(always)]
fn apply<T: Float, const FMA: bool>(function: Function, x: &[T], out: &mut [T]) {
    let moderate = || x.iter().all(|x| x.abs() < T::from_f64(MODERATE));
    let both = out.iter_mut().zip(x);
    match function {
        Function::Sin if moderate() => both.for_each(|(out, &x)| *out = math::sine_cosine::<T, FMA>(x).0),
        Function::Cos if moderate() => both.for_each(|(out, &x)| *out = math::sine_cosine::<T, FMA>(x).1),
        Function::Tanh => both.for_each(|(out, &x)| *out = math::tanh::<T, FMA>(x).0),
        Function::Sqrt => both.for_each(|(out, &x)| *out = x.sqrt()),
        Function::Abs => both.for_each(|(out, &x)| *out = x.abs()),
        other => both.for_each(|(out, &x)| *out = T::from_f64(other.value(x.to_f64()))),
    }
}
