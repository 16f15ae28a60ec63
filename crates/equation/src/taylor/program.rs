//! Straight-line programs: what is computed at a point before and after the network.

use super::Row;
use crate::expression::{
    Channel, Comparison, Expression, Function, GivenField, Leaf, Node, Number, Pool, Real,
};
use std::collections::HashMap;

/// The place of an instruction's result.
pub type Register = u32;

/// One operation. Operands come before their users; equal operations occur once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instruction {
    /// A number.
    Constant(Real),
    /// One of the point's numbers, by place in its row.
    Input(u16),
    /// A trainable scalar, by position.
    Scalar(u16),
    /// A channel of a network output, by place in [`super::Term::signals`].
    Signal(u16),
    /// The adjoint of an output, in adjoint programs.
    Seed(u16),
    /// `a + b`
    Add(Register, Register),
    /// `a - b`
    Subtract(Register, Register),
    /// `a * b`
    Multiply(Register, Register),
    /// `a / b`
    Divide(Register, Register),
    /// `a ^ b`
    Power(Register, Register),
    /// `function(a)`
    Apply(Function, Register),
    /// `min(a, b)`
    Min(Register, Register),
    /// `max(a, b)`
    Max(Register, Register),
    /// 1 where the comparison holds, else 0.
    Compare(Comparison, Register, Register),
    /// `a != 0 ? b : c`
    Select(Register, Register, Register),
}

/// A straight-line program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// In order of execution; the result of instruction n is register n.
    pub instructions: Vec<Instruction>,
    /// The registers that are its results.
    pub outputs: Vec<Register>,
}

/// What a program reads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs<'a> {
    /// The point's numbers.
    pub row: &'a [f64],
    /// Trainable scalars.
    pub scalars: &'a [f64],
    /// Channels of the network outputs.
    pub signals: &'a [f64],
    /// Adjoints of the outputs.
    pub seeds: &'a [f64],
}

impl Program {
    /// Runs it; `registers` has one place per instruction.
    pub fn run(&self, inputs: Inputs, registers: &mut [f64]) {
        for (place, instruction) in self.instructions.iter().enumerate() {
            let register = |register: Register| registers[register as usize];
            registers[place] = match *instruction {
                Instruction::Constant(value) => value.get(),
                Instruction::Input(input) => inputs.row[usize::from(input)],
                Instruction::Scalar(scalar) => inputs.scalars[usize::from(scalar)],
                Instruction::Signal(signal) => inputs.signals[usize::from(signal)],
                Instruction::Seed(seed) => inputs.seeds[usize::from(seed)],
                Instruction::Add(a, b) => register(a) + register(b),
                Instruction::Subtract(a, b) => register(a) - register(b),
                Instruction::Multiply(a, b) => register(a) * register(b),
                Instruction::Divide(a, b) => register(a) / register(b),
                Instruction::Power(a, b) => register(a).powf(register(b)),
                Instruction::Apply(function, a) => register(a).apply(function),
                Instruction::Min(a, b) => register(a).min(register(b)),
                Instruction::Max(a, b) => register(a).max(register(b)),
                Instruction::Compare(comparison, a, b) => {
                    f64::from(u8::from(comparison.holds(register(a), register(b))))
                }
                Instruction::Select(a, b, c) => {
                    if register(a) != 0.0 {
                        register(b)
                    } else {
                        register(c)
                    }
                }
            };
        }
    }

    /// Whether any trainable scalar is read.
    pub fn reads_scalars(&self) -> bool {
        self.instructions.iter().any(|instruction| matches!(instruction, Instruction::Scalar(_)))
    }
}

/// Builds a program instruction by instruction, without repeating any.
#[derive(Debug, Default)]
pub(super) struct Builder {
    instructions: Vec<Instruction>,
    known: HashMap<Instruction, Register>,
}

impl Builder {
    /// Starts from existing instructions.
    pub(super) fn continuing(program: &Program) -> Self {
        let mut builder = Builder::default();
        for &instruction in &program.instructions {
            builder.known.insert(instruction, builder.instructions.len() as Register);
            builder.instructions.push(instruction);
        }
        builder
    }

    /// The register of an instruction's result.
    pub(super) fn emit(&mut self, instruction: Instruction) -> Register {
        *self.known.entry(instruction).or_insert_with(|| {
            self.instructions.push(instruction);
            (self.instructions.len() - 1) as Register
        })
    }

    /// A number.
    pub(super) fn constant(&mut self, value: f64) -> Register {
        self.emit(Instruction::Constant(Real::new(value)))
    }

    /// `a + b`, where an absent operand is zero.
    pub(super) fn add(&mut self, a: Option<Register>, b: Register) -> Register {
        a.map_or(b, |a| self.emit(Instruction::Add(a, b)))
    }

    /// `a * b`, without multiplying by one.
    pub(super) fn multiply(&mut self, a: Register, b: Register) -> Register {
        match (self.value(a), self.value(b)) {
            (Some(a), Some(b)) => self.constant(a * b),
            (Some(1.0), None) => b,
            (None, Some(1.0)) => a,
            _ => self.emit(Instruction::Multiply(a, b)),
        }
    }

    /// The number in a register, if it is a constant.
    pub(super) fn value(&self, register: Register) -> Option<f64> {
        match self.instructions[register as usize] {
            Instruction::Constant(value) => Some(value.get()),
            _ => None,
        }
    }

    /// `a ^ exponent`: by multiplications for small whole exponents.
    pub(super) fn power(&mut self, a: Register, exponent: f64) -> Register {
        if exponent == 0.5 {
            return self.emit(Instruction::Apply(Function::Sqrt, a));
        }
        if exponent.fract() != 0.0 || exponent.abs() > 32.0 {
            let exponent = self.constant(exponent);
            return self.emit(Instruction::Power(a, exponent));
        }
        let mut result = None;
        let (mut square, mut rest) = (a, exponent.abs() as u32);
        while rest > 0 {
            if rest % 2 == 1 {
                result = Some(match result {
                    Some(result) => self.emit(Instruction::Multiply(result, square)),
                    None => square,
                });
            }
            rest /= 2;
            if rest > 0 {
                square = self.emit(Instruction::Multiply(square, square));
            }
        }
        let one = self.constant(1.0);
        let result = result.unwrap_or(one);
        if exponent < 0.0 { self.emit(Instruction::Divide(one, result)) } else { result }
    }

    /// Ends the program, keeping only what its outputs need.
    pub(super) fn finish(self, outputs: &[Register]) -> Program {
        let mut needed = vec![false; self.instructions.len()];
        outputs.iter().for_each(|&output| needed[output as usize] = true);
        for place in (0..self.instructions.len()).rev() {
            if needed[place] {
                operands(&self.instructions[place], |operand| needed[operand as usize] = true);
            }
        }
        let mut moved = vec![0; self.instructions.len()];
        let mut instructions = Vec::new();
        for (place, instruction) in
            self.instructions.into_iter().enumerate().filter(|(place, _)| needed[*place])
        {
            moved[place] = instructions.len() as Register;
            instructions.push(renumbered(instruction, |operand| moved[operand as usize]));
        }
        Program { instructions, outputs: outputs.iter().map(|&output| moved[output as usize]).collect() }
    }
}

/// Calls `each` with every operand.
pub(super) fn operands(instruction: &Instruction, mut each: impl FnMut(Register)) {
    renumbered(*instruction, |register| {
        each(register);
        register
    });
}

fn renumbered(instruction: Instruction, mut map: impl FnMut(Register) -> Register) -> Instruction {
    use Instruction::*;
    match instruction {
        Constant(_) | Input(_) | Scalar(_) | Signal(_) | Seed(_) => instruction,
        Add(a, b) => Add(map(a), map(b)),
        Subtract(a, b) => Subtract(map(a), map(b)),
        Multiply(a, b) => Multiply(map(a), map(b)),
        Divide(a, b) => Divide(map(a), map(b)),
        Power(a, b) => Power(map(a), map(b)),
        Apply(function, a) => Apply(function, map(a)),
        Min(a, b) => Min(map(a), map(b)),
        Max(a, b) => Max(map(a), map(b)),
        Compare(comparison, a, b) => Compare(comparison, map(a), map(b)),
        Select(a, b, c) => Select(map(a), map(b), map(c)),
    }
}

/// What a program may read besides scalars.
#[derive(Clone, Copy)]
pub(super) struct ProgramInputs<'term> {
    /// What the numbers of a point mean.
    pub(super) row: Row,
    /// Channels, in the order of the program's signals.
    pub(super) signals: &'term [Channel],
    /// Known functions, in the order of their columns.
    pub(super) given: &'term [GivenField],
}

impl ProgramInputs<'_> {
    /// The coordinates of one place alone.
    pub(super) fn coordinates(coordinates: usize) -> Self {
        let row = Row { coordinates, sites: 1, normals: false, columns: 0, given: 0 };
        ProgramInputs { row, signals: &[], given: &[] }
    }
}

/// Lowers expressions to a program.
pub(super) fn lower(pool: &Pool, roots: &[Expression], reads: ProgramInputs<'_>) -> Program {
    let mut builder = Builder::default();
    let mut registers: HashMap<Expression, Register> = HashMap::new();
    pool.visit(roots, |expression, node| {
        let result = lower_node(&mut builder, node, reads, &registers);
        registers.insert(expression, result);
    });
    let outputs: Vec<Register> = roots.iter().map(|root| registers[root]).collect();
    builder.finish(&outputs)
}

fn lower_node(
    builder: &mut Builder,
    node: &Node,
    reads: ProgramInputs<'_>,
    registers: &HashMap<Expression, Register>,
) -> Register {
    match node {
        Node::Number(value) => builder.constant(value.get()),
        Node::Leaf(leaf) => builder.emit(lower_leaf(*leaf, reads)),
        Node::Sum(constant, terms) => {
            let mut sum = (constant.get() != 0.0).then(|| builder.constant(constant.get()));
            // A first term with a positive coefficient saves the negation of the first one.
            let positive = terms.iter().filter(|(_, coefficient)| coefficient.get() > 0.0);
            let negative = terms.iter().filter(|(_, coefficient)| coefficient.get() < 0.0);
            for (term, coefficient) in positive.chain(negative) {
                let subtract = coefficient.get() < 0.0 && sum.is_some();
                let magnitude = if subtract { -coefficient.get() } else { coefficient.get() };
                let factor = builder.constant(magnitude);
                let product = builder.multiply(factor, registers[term]);
                sum = Some(match sum {
                    Some(left) if subtract => builder.emit(Instruction::Subtract(left, product)),
                    sum => builder.add(sum, product),
                });
            }
            sum.unwrap_or_else(|| builder.constant(0.0))
        }
        Node::Product(factors) => {
            let mut above: Option<Register> = None;
            let mut below: Option<Register> = None;
            for (base, exponent) in factors {
                let side = if exponent.get() > 0.0 { &mut above } else { &mut below };
                let power = builder.power(registers[base], exponent.get().abs());
                *side = Some(match *side {
                    Some(left) => builder.multiply(left, power),
                    None => power,
                });
            }
            match (above, below) {
                (Some(above), None) => above,
                (above, Some(below)) => {
                    let above = above.unwrap_or_else(|| builder.constant(1.0));
                    builder.emit(Instruction::Divide(above, below))
                }
                (None, None) => builder.constant(1.0),
            }
        }
        Node::Power(base, exponent) => builder.emit(Instruction::Power(registers[base], registers[exponent])),
        Node::Apply(function, argument) => builder.emit(Instruction::Apply(*function, registers[argument])),
        Node::Min(left, right) => builder.emit(Instruction::Min(registers[left], registers[right])),
        Node::Max(left, right) => builder.emit(Instruction::Max(registers[left], registers[right])),
        Node::Compare(comparison, left, right) => {
            builder.emit(Instruction::Compare(*comparison, registers[left], registers[right]))
        }
        Node::Where(condition, then, otherwise) => {
            builder.emit(Instruction::Select(registers[condition], registers[then], registers[otherwise]))
        }
    }
}

fn lower_leaf(leaf: Leaf, ProgramInputs { row, signals, given }: ProgramInputs<'_>) -> Instruction {
    let after_sites = (row.coordinates * row.sites) as u16;
    match leaf {
        Leaf::Coordinate(axis) => Instruction::Input(axis),
        Leaf::Normal(axis) => Instruction::Input(after_sites + axis),
        Leaf::Column(column) => Instruction::Input(row.first_column() as u16 + column),
        Leaf::Given(own) => {
            let place = given.iter().position(|known| *known == own);
            let place = place.expect("every known function that is read is listed");
            Instruction::Input((row.first_given() + place) as u16)
        }
        Leaf::Parameter(scalar) => Instruction::Scalar(scalar),
        Leaf::Channel(channel) => {
            let place = signals.iter().position(|known| *known == channel);
            Instruction::Signal(place.expect("every channel that is read is listed") as u16)
        }
        Leaf::Field(_) | Leaf::Raw(_) | Leaf::Applied(_) | Leaf::Inside(_) | Leaf::Placeholder => {
            unreachable!("{leaf:?} is replaced by channels before lowering")
        }
    }
}
