//! The adjoint of a straight-line program: gradients of Σ seed·output by one reverse sweep.

use super::program::{Builder, Instruction, Program, Register};
use crate::expression::{Comparison, Function};

/// What an adjoint program differentiates by, in the order of its outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variable {
    /// A channel, by place among the program's signals.
    Signal(u16),
    /// A trainable scalar.
    Scalar(u16),
}

/// The adjoint of `program` and what its outputs belong to. Reads the same inputs and one seed per
/// output of `program`; variables that have no influence are left out.
pub(super) fn adjoint(program: &Program) -> (Program, Vec<Variable>) {
    let mut sweep =
        Sweep { builder: Builder::continuing(program), adjoints: vec![None; program.instructions.len()] };
    for (place, &output) in program.outputs.iter().enumerate() {
        let seed = sweep.builder.emit(Instruction::Seed(place as u16));
        sweep.add(output, seed);
    }
    let mut variables = Vec::new();
    let mut outputs = Vec::new();
    for place in (0..program.instructions.len()).rev() {
        let Some(adjoint) = sweep.adjoints[place] else { continue };
        match program.instructions[place] {
            Instruction::Signal(signal) => {
                variables.push(Variable::Signal(signal));
                outputs.push(adjoint);
            }
            Instruction::Scalar(scalar) => {
                variables.push(Variable::Scalar(scalar));
                outputs.push(adjoint);
            }
            instruction => sweep.reverse(place as Register, instruction, adjoint),
        }
    }
    (sweep.builder.finish(&outputs), variables)
}

struct Sweep {
    builder: Builder,
    adjoints: Vec<Option<Register>>,
}

impl Sweep {
    fn add(&mut self, register: Register, adjoint: Register) {
        let place = register as usize;
        self.adjoints[place] = Some(self.builder.add(self.adjoints[place], adjoint));
    }

    fn subtract(&mut self, register: Register, adjoint: Register) {
        let place = register as usize;
        self.adjoints[place] = Some(match self.adjoints[place] {
            Some(sum) => self.builder.emit(Instruction::Subtract(sum, adjoint)),
            None => self.negated(adjoint),
        });
    }

    fn negated(&mut self, register: Register) -> Register {
        let minus = self.builder.constant(-1.0);
        self.builder.multiply(minus, register)
    }

    fn times(&mut self, left: Register, right: Register) -> Register {
        self.builder.multiply(left, right)
    }

    fn over(&mut self, left: Register, right: Register) -> Register {
        self.builder.emit(Instruction::Divide(left, right))
    }

    fn reverse(&mut self, result: Register, instruction: Instruction, adjoint: Register) {
        match instruction {
            Instruction::Constant(_)
            | Instruction::Input(_)
            | Instruction::Scalar(_)
            | Instruction::Signal(_)
            | Instruction::Seed(_)
            | Instruction::Compare(..) => {}
            Instruction::Add(a, b) => {
                self.add(a, adjoint);
                self.add(b, adjoint);
            }
            Instruction::Subtract(a, b) => {
                self.add(a, adjoint);
                self.subtract(b, adjoint);
            }
            Instruction::Multiply(a, b) => {
                let (to_a, to_b) = (self.times(adjoint, b), self.times(adjoint, a));
                self.add(a, to_a);
                self.add(b, to_b);
            }
            Instruction::Divide(a, b) => {
                let to_a = self.over(adjoint, b);
                self.add(a, to_a);
                let to_b = self.times(to_a, result);
                self.subtract(b, to_b);
            }
            Instruction::Power(a, b) => self.reverse_power(result, a, b, adjoint),
            Instruction::Apply(function, a) => {
                let slope = self.slope(function, result, a);
                let to_a = self.times(adjoint, slope);
                self.add(a, to_a);
            }
            Instruction::Min(a, b) => self.reverse_choice(Comparison::Less, a, b, adjoint),
            Instruction::Max(a, b) => self.reverse_choice(Comparison::Greater, a, b, adjoint),
            Instruction::Select(condition, a, b) => self.reverse_select(condition, a, b, adjoint),
        }
    }

    fn reverse_choice(&mut self, comparison: Comparison, a: Register, b: Register, adjoint: Register) {
        let condition = self.builder.emit(Instruction::Compare(comparison, a, b));
        self.reverse_select(condition, a, b, adjoint);
    }

    fn reverse_select(&mut self, condition: Register, a: Register, b: Register, adjoint: Register) {
        let zero = self.builder.constant(0.0);
        let to_a = self.builder.emit(Instruction::Select(condition, adjoint, zero));
        let to_b = self.builder.emit(Instruction::Select(condition, zero, adjoint));
        self.add(a, to_a);
        self.add(b, to_b);
    }

    fn reverse_power(&mut self, result: Register, a: Register, b: Register, adjoint: Register) {
        // (a^b)' = b a^(b-1) a' + a^b log(a) b'
        let lowered = match self.builder.value(b) {
            Some(exponent) => self.builder.constant(exponent - 1.0),
            None => {
                let one = self.builder.constant(1.0);
                self.builder.emit(Instruction::Subtract(b, one))
            }
        };
        let power = self.builder.emit(Instruction::Power(a, lowered));
        let slope = self.times(b, power);
        let to_a = self.times(adjoint, slope);
        self.add(a, to_a);
        if self.builder.value(b).is_none() {
            let logarithm = self.builder.emit(Instruction::Apply(Function::Log, a));
            let slope = self.times(result, logarithm);
            let to_b = self.times(adjoint, slope);
            self.add(b, to_b);
        }
    }

    /// The derivative of `result = function(a)`, by way of the result where that is cheaper.
    fn slope(&mut self, function: Function, result: Register, a: Register) -> Register {
        let one = self.builder.constant(1.0);
        match function {
            Function::Sin => self.builder.emit(Instruction::Apply(Function::Cos, a)),
            Function::Cos => {
                let sine = self.builder.emit(Instruction::Apply(Function::Sin, a));
                self.negated(sine)
            }
            Function::Tan => {
                let squared = self.times(result, result);
                self.builder.emit(Instruction::Add(one, squared))
            }
            Function::Sinh => self.builder.emit(Instruction::Apply(Function::Cosh, a)),
            Function::Cosh => self.builder.emit(Instruction::Apply(Function::Sinh, a)),
            Function::Tanh => {
                let squared = self.times(result, result);
                self.builder.emit(Instruction::Subtract(one, squared))
            }
            Function::Asin | Function::Acos => {
                let squared = self.times(a, a);
                let inside = self.builder.emit(Instruction::Subtract(one, squared));
                let root = self.builder.emit(Instruction::Apply(Function::Sqrt, inside));
                let slope = self.over(one, root);
                if function == Function::Acos { self.negated(slope) } else { slope }
            }
            Function::Atan => {
                let squared = self.times(a, a);
                let inside = self.builder.emit(Instruction::Add(one, squared));
                self.over(one, inside)
            }
            Function::Exp => result,
            Function::Log => self.over(one, a),
            Function::Sqrt => {
                let half = self.builder.constant(0.5);
                self.over(half, result)
            }
            Function::Abs => self.builder.emit(Instruction::Apply(Function::Sign, a)),
            Function::Sign => self.builder.constant(0.0),
            Function::Erf => {
                let squared = self.times(a, a);
                let exponent = self.negated(squared);
                let bell = self.builder.emit(Instruction::Apply(Function::Exp, exponent));
                let scale = self.builder.constant(std::f64::consts::FRAC_2_SQRT_PI);
                self.times(scale, bell)
            }
        }
    }
}
