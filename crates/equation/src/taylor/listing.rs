//! Names of channels and operators, and programs as readable listings.

use super::channels::{ChannelKind, Channels, Weight};
use super::program::{Instruction, Program, Register, operands};
use super::{Operator, Row, Term, VariableOperator};
use crate::expression::{Applied, Derivative, Leaf, Names, Pool};
use crate::problem::Problem;
use std::fmt::Write;

/// Names things of one term for people.
#[derive(Clone, Copy)]
pub(super) struct Listing<'a> {
    pub(super) problem: &'a Problem,
    pub(super) pool: &'a Pool,
    pub(super) term: &'a Term,
}

impl Names for Listing<'_> {
    fn leaf(&self, leaf: Leaf) -> String {
        match leaf {
            Leaf::Applied(applied) => self.applied(applied),
            // Bounds are written into the expressions by now: what is left is the number behind them.
            Leaf::Parameter(position) => self.scalar(usize::from(position)),
            other => self.problem.leaf(other),
        }
    }
}

impl Listing<'_> {
    /// The axes of a derivative, such as `xx`.
    fn axes(&self, derivative: Derivative) -> String {
        let name = |&axis: &u8| self.problem.domain.coordinates[usize::from(axis)].name.as_str();
        derivative.axes().iter().map(name).collect()
    }

    /// Short names of all channels.
    pub(super) fn channel_names(&self, channels: &Channels) -> Vec<String> {
        let collapsed =
            |kind: &ChannelKind| matches!(kind, ChannelKind::Collapsed { .. } | ChannelKind::Variable { .. });
        let several = channels.kinds.iter().filter(|kind| collapsed(kind)).count() > 1;
        let mut number = 0;
        let mut names = Vec::with_capacity(channels.len());
        for kind in &channels.kinds {
            names.push(match kind {
                ChannelKind::Value => match &self.problem.unknowns[..] {
                    [only] => only.name.clone(),
                    _ => "1".to_owned(),
                },
                ChannelKind::Plain(derivative) => self.axes(*derivative),
                ChannelKind::Collapsed { operator, .. } if self.is_laplacian(operator) => "Δ".to_owned(),
                ChannelKind::Collapsed { .. } | ChannelKind::Variable { .. } => {
                    number += 1;
                    if several { format!("L{number}") } else { "L".to_owned() }
                }
            });
        }
        names
    }

    /// `{u, x, L}`
    pub(super) fn channel_set(&self) -> String {
        format!("{{{}}}", self.channel_names(&self.term.channels).join(", "))
    }

    fn is_laplacian(&self, operator: &Operator) -> bool {
        let space = self.problem.domain.space();
        let second = |&axis: &usize| Derivative::new(&[axis, axis]).expect("order two");
        operator.terms().count() == space.len()
            && space.iter().all(|axis| operator.coefficient(second(axis)) == 1.0)
    }

    /// What a channel carries, as a formula.
    pub(super) fn channel_formula(&self, kind: &ChannelKind) -> String {
        match kind {
            ChannelKind::Value => "the value".to_owned(),
            ChannelKind::Plain(derivative) => format!("∂{}", self.axes(*derivative)),
            ChannelKind::Collapsed { operator, .. } => self.operator_formula(operator),
            ChannelKind::Variable { terms } => {
                let coefficients = &self.term.channels.coefficients;
                let terms = terms.iter().map(|&(derivative, place)| (derivative, coefficients[place]));
                self.variable_formula(&VariableOperator(terms.collect()))
            }
        }
    }

    fn operator_formula(&self, operator: &Operator) -> String {
        let mut text = String::new();
        for (derivative, coefficient) in operator.terms() {
            write_signed(&mut text, coefficient);
            _ = write!(text, "∂{}", self.axes(derivative));
        }
        text
    }

    fn variable_formula(&self, operator: &VariableOperator) -> String {
        let mut text = String::new();
        for &(derivative, coefficient) in &operator.0 {
            match self.pool.as_number(coefficient) {
                Some(number) => write_signed(&mut text, number),
                None => {
                    let separator = if text.is_empty() { "" } else { " + " };
                    _ = write!(text, "{separator}({})·", self.pool.print(coefficient, self));
                }
            }
            _ = write!(text, "∂{}", self.axes(derivative));
        }
        text
    }

    /// An applied operator as the file would write it, or with the operator spelt out.
    fn applied(&self, applied: Applied) -> String {
        let unknown = &self.problem.unknowns[usize::from(applied.unknown)].name;
        let operator = &self.term.operators[usize::from(applied.operator)];
        let site = if applied.site > 0 { "'" } else { "" };
        match &operator.0[..] {
            [(derivative, _)] => format!("{unknown}_{}{site}", self.axes(*derivative)),
            _ => format!("[{}]{unknown}{site}", self.variable_formula(operator)),
        }
    }

    /// A rule's weight with its sign, as it opens a summand.
    pub(super) fn weight(&self, weight: Weight, text: &mut String) {
        match weight.coefficient {
            None => write_signed(text, weight.factor),
            Some(place) => {
                write_signed(text, weight.factor);
                let coefficient = self.term.channels.coefficients[place];
                _ = write!(text, "({})·", self.pool.print(coefficient, self));
            }
        }
    }

    /// A program, one instruction a line; inputs and numbers stand where they are used.
    pub(super) fn program(&self, program: &Program, outputs: &[String], indent: &str) -> String {
        let mut text = String::new();
        for (place, instruction) in program.instructions.iter().enumerate() {
            let mut inline = true;
            operands(instruction, |_| inline = false);
            if !inline {
                let right = self.instruction(program, instruction);
                _ = writeln!(text, "{indent}a{place} = {right}");
            }
        }
        for (name, &register) in outputs.iter().zip(&program.outputs) {
            _ = writeln!(text, "{indent}{name} = {}", self.operand(program, register));
        }
        text
    }

    fn operand(&self, program: &Program, register: Register) -> String {
        let place = register as usize;
        match program.instructions[place] {
            Instruction::Constant(value) => {
                let value = value.get();
                if value < 0.0 { format!("({value})") } else { value.to_string() }
            }
            Instruction::Input(input) => self.input(self.term.row, usize::from(input)),
            Instruction::Scalar(scalar) => self.scalar(usize::from(scalar)),
            Instruction::Signal(signal) => self.signal(usize::from(signal)),
            Instruction::Seed(seed) => format!("seed{seed}"),
            _ => format!("a{place}"),
        }
    }

    /// A trainable scalar; a bounded one shows that the number behind it is meant.
    pub(super) fn scalar(&self, scalar: usize) -> String {
        let parameter = &self.problem.parameters[scalar];
        let bounded = parameter.lower.is_some() || parameter.upper.is_some();
        if bounded { format!("unbounded({})", parameter.name) } else { parameter.name.clone() }
    }

    /// A channel of a network output, such as `u.xx`; primed at the second site.
    pub(super) fn signal(&self, signal: usize) -> String {
        let channel = self.term.signals[signal];
        let (output, count) = (usize::from(channel.output), self.problem.unknowns.len());
        let unknown = &self.problem.unknowns[output % count];
        let raw = match output / count {
            0 if unknown.ansatz.is_none() => String::new(),
            0 => "N_".to_owned(),
            subdomain => format!("N_{}_", self.problem.domain.subdomains[subdomain - 1].name),
        };
        let site = if channel.site > 0 { "'" } else { "" };
        if channel.channel == 0 {
            return format!("{raw}{}{site}", unknown.name);
        }
        let names = self.channel_names(&self.term.channels);
        format!("{raw}{}.{}{site}", unknown.name, names[usize::from(channel.channel)])
    }

    fn input(&self, row: Row, place: usize) -> String {
        let coordinate = |axis: usize| self.problem.domain.coordinates[axis].name.as_str();
        let sites = row.coordinates * row.sites;
        let normals = if row.normals { row.coordinates } else { 0 };
        if place < sites {
            let prime = if place >= row.coordinates { "'" } else { "" };
            format!("{}{prime}", coordinate(place % row.coordinates))
        } else if place < sites + normals {
            format!("normal_{}", coordinate(place - sites))
        } else if place < row.first_column() {
            let given = self.term.given.as_ref().map_or(&[][..], |given| given.meanings());
            let own = given.get(place - row.first_given());
            own.map_or_else(String::new, |own| self.problem.leaf(Leaf::Given(*own)))
        } else {
            format!("measured{}", place - row.first_column())
        }
    }

    fn instruction(&self, program: &Program, instruction: &Instruction) -> String {
        let name = |register: Register| self.operand(program, register);
        match *instruction {
            Instruction::Constant(_)
            | Instruction::Input(_)
            | Instruction::Scalar(_)
            | Instruction::Signal(_)
            | Instruction::Seed(_) => unreachable!("leaves stand where they are used"),
            Instruction::Add(a, b) => format!("{} + {}", name(a), name(b)),
            Instruction::Subtract(a, b) => format!("{} - {}", name(a), name(b)),
            Instruction::Multiply(a, b) => format!("{} * {}", name(a), name(b)),
            Instruction::Divide(a, b) => format!("{} / {}", name(a), name(b)),
            Instruction::Power(a, b) => format!("{} ^ {}", name(a), name(b)),
            Instruction::Apply(function, a) => format!("{}({})", function.name(), name(a)),
            Instruction::Min(a, b) => format!("min({}, {})", name(a), name(b)),
            Instruction::Max(a, b) => format!("max({}, {})", name(a), name(b)),
            Instruction::Compare(comparison, a, b) => {
                format!("{} {} {}", name(a), comparison.symbol(), name(b))
            }
            Instruction::Select(a, b, c) => format!("where({}, {}, {})", name(a), name(b), name(c)),
        }
    }
}

/// `a - 2.5·` or `2.5·`: a coefficient with its sign, as it opens or continues a sum.
fn write_signed(text: &mut String, coefficient: f64) {
    text.push_str(match (text.is_empty(), coefficient < 0.0) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    });
    if coefficient.abs() != 1.0 {
        // Four digits are for reading; the program below holds them all.
        let rounded: f64 = format!("{:.3e}", coefficient.abs()).parse().unwrap_or(coefficient.abs());
        let plain = (1e-4..1e6).contains(&rounded);
        _ = if plain { write!(text, "{rounded}·") } else { write!(text, "{rounded:e}·") };
    }
}
