//! A plan's straight-line programs as CUDA C++.

use equation::expression::Function;
use equation::taylor::{Instruction, Program};
use std::fmt::Write;

/// A number, exactly.
pub(super) fn number(value: f64) -> String {
    if value.is_nan() {
        "(number(0) / number(0))".to_owned()
    } else if value.is_infinite() {
        format!("(number({}) / number(0))", value.signum())
    } else {
        format!("number({value:?})")
    }
}

/// How a program's inputs are read.
pub(super) struct Reads<'a> {
    pub(super) input: &'a dyn Fn(u16) -> String,
    pub(super) scalar: &'a dyn Fn(u16) -> String,
    pub(super) signal: &'a dyn Fn(u16) -> String,
    pub(super) seed: &'a dyn Fn(u16) -> String,
}

/// One statement per instruction; the result of instruction n is `rn`.
pub(super) fn statements(program: &Program, reads: &Reads<'_>, indent: &str) -> String {
    let mut text = String::new();
    for (place, instruction) in program.instructions.iter().enumerate() {
        let value = match *instruction {
            Instruction::Constant(value) => number(value.get()),
            Instruction::Input(place) => (reads.input)(place),
            Instruction::Scalar(place) => (reads.scalar)(place),
            Instruction::Signal(place) => (reads.signal)(place),
            Instruction::Seed(place) => (reads.seed)(place),
            Instruction::Add(a, b) => format!("r{a} + r{b}"),
            Instruction::Subtract(a, b) => format!("r{a} - r{b}"),
            Instruction::Multiply(a, b) => format!("r{a} * r{b}"),
            Instruction::Divide(a, b) => format!("r{a} / r{b}"),
            Instruction::Power(a, b) => format!("pow(r{a}, r{b})"),
            Instruction::Min(a, b) => format!("fmin(r{a}, r{b})"),
            Instruction::Max(a, b) => format!("fmax(r{a}, r{b})"),
            Instruction::Compare(comparison, a, b) => {
                format!("number(r{a} {} r{b} ? 1 : 0)", comparison.symbol())
            }
            Instruction::Select(a, b, c) => format!("r{a} != number(0) ? r{b} : r{c}"),
            Instruction::Apply(function, a) => format!("{}(r{a})", name(function)),
        };
        _ = writeln!(text, "{indent}const number r{place} = {value};");
    }
    text
}

fn name(function: Function) -> &'static str {
    match function {
        Function::Abs => "fabs",
        Function::Sign => "sign_of",
        Function::Sin
        | Function::Cos
        | Function::Tan
        | Function::Sinh
        | Function::Cosh
        | Function::Tanh
        | Function::Asin
        | Function::Acos
        | Function::Atan
        | Function::Exp
        | Function::Log
        | Function::Sqrt
        | Function::Erf => function.name(),
    }
}
