//! Expressions: hash-consed nodes in a [`Pool`], kept in canonical form as they are built.
//!
//! Equal expressions have equal handles, so shared subexpressions are found by construction and
//! like terms collect by themselves: `x + x` *is* `2*x`.

mod build;
mod compiled;
mod differentiate;
mod evaluate;
mod function;
mod print;
mod summands;

pub use compiled::Compiled;
pub use evaluate::{Environment, Number, evaluate};
pub use function::Function;
pub use print::Names;

use std::collections::HashMap;

/// A handle to a node of one [`Pool`]. Ordered by age: operands are older than what uses them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Expression(u32);

/// A finite or non-finite f64 that can be hashed: compared by value, with one NaN and one zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Real(u64);

impl Real {
    /// Wraps a number, folding -0 into 0 and all NaNs into one.
    pub fn new(value: f64) -> Self {
        if value.is_nan() {
            Real(f64::NAN.to_bits())
        } else if value == 0.0 {
            Real(0)
        } else {
            Real(value.to_bits())
        }
    }

    /// The number.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// A partial derivative as its axes in ascending order, at most [`Derivative::MAX_ORDER`] of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Derivative {
    order: u8,
    axes: [u8; 4],
}

impl Derivative {
    /// The highest derivative order that channels carry.
    pub const MAX_ORDER: usize = 4;

    /// No derivative: the value itself.
    pub const NONE: Derivative = Derivative { order: 0, axes: [0; 4] };

    /// The derivative along these axes, in any order; `None` above [`Self::MAX_ORDER`].
    pub fn new(axes: &[usize]) -> Option<Self> {
        axes.iter().try_fold(Self::NONE, |derivative, &axis| derivative.along(axis))
    }

    /// One more derivative along `axis`; `None` above [`Self::MAX_ORDER`].
    pub fn along(self, axis: usize) -> Option<Self> {
        let order = self.order();
        if order == Self::MAX_ORDER {
            return None;
        }
        let mut axes = self.axes;
        axes[order] = u8::try_from(axis).expect("the parser admits at most 128 coordinates");
        axes[..=order].sort_unstable();
        Some(Derivative { order: self.order + 1, axes })
    }

    /// How many times a function is differentiated.
    pub fn order(self) -> usize {
        usize::from(self.order)
    }

    /// The axes, ascending, repeated as often as the derivative is taken along them.
    pub fn axes(&self) -> &[u8] {
        &self.axes[..self.order()]
    }
}

/// What an expression may refer to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Leaf {
    /// A coordinate of the domain, by position. Those of a point's second site follow those of the first.
    Coordinate(u16),
    /// A trainable scalar of the problem, by position.
    Parameter(u16),
    /// A number that comes with each point, such as a measured value.
    Column(u16),
    /// The component of the outward unit normal along a coordinate.
    Normal(u16),
    /// A known function or one of its derivatives, as a number that comes with each point.
    Given(GivenField),
    /// Whether a point lies in a subdomain: 1 or 0.
    Inside(Membership),
    /// An unknown or one of its derivatives.
    Field(Field),
    /// One of the network's raw outputs: first those of the unknowns, as `N` in an ansatz, then those of subdomains.
    Raw(u16),
    /// A linear operator of the term at hand, applied to an unknown.
    Applied(Applied),
    /// One derivative channel of one network output, as the planner chose them.
    Channel(Channel),
    /// The free variable of a univariate rule while it is being differentiated.
    Placeholder,
}

/// An unknown, differentiated, at one of the sites of a point (periodic conditions have two, integrals many).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Field {
    /// Which unknown, by position.
    pub unknown: u16,
    /// How it is differentiated.
    pub derivative: Derivative,
    /// Which of the point's places it is taken at.
    pub site: u16,
}

/// A known function of the coordinates, differentiated, at one of the sites of a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GivenField {
    /// Which function, by position in [`crate::problem::Problem::given`].
    pub function: u16,
    /// How it is differentiated.
    pub derivative: Derivative,
    /// Which of the point's places it is taken at.
    pub site: u16,
}

/// Whether one of the sites of a point lies in a subdomain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Membership {
    /// Which, by position in [`crate::problem::Domain::subdomains`].
    pub subdomain: u16,
    /// Which of the point's places.
    pub site: u16,
}

/// A linear operator applied to an unknown at one of the sites of a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Applied {
    /// Which operator, by position in the term's list.
    pub operator: u16,
    /// Which unknown, by position.
    pub unknown: u16,
    /// Which of the point's places it is taken at.
    pub site: u16,
}

/// A channel of a network output at one of the sites of a point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Channel {
    /// Which network output, by position.
    pub output: u16,
    /// Which channel of the term's channel set.
    pub channel: u16,
    /// Which of the point's places it is taken at.
    pub site: u16,
}

/// A comparison; its value is 1 where it holds and 0 elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Comparison {
    /// Whether `left` and `right` compare so.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterEqual => left >= right,
        }
    }

    /// As written in a problem file.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }
}

/// One node. Sums carry numeric coefficients and products numeric exponents, so that canonical
/// form is a property of the type and not of a rewriting pass.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A number.
    Number(Real),
    /// A name.
    Leaf(Leaf),
    /// `constant + Σ coefficient·term`; terms ascend and are neither numbers nor sums.
    Sum(Real, Box<[(Expression, Real)]>),
    /// `Π base^exponent`; bases ascend, no exponent is zero, and no coefficient hides inside.
    Product(Box<[(Expression, Real)]>),
    /// A power whose exponent is not a number.
    Power(Expression, Expression),
    /// A function of one argument.
    Apply(Function, Expression),
    /// The smaller of two.
    Min(Expression, Expression),
    /// The larger of two.
    Max(Expression, Expression),
    /// 1 where the comparison holds, else 0.
    Compare(Comparison, Expression, Expression),
    /// The second where the first is not zero, else the third.
    Where(Expression, Expression, Expression),
}

/// Why a pool stopped growing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Overflow {
    /// More nodes than [`Pool::MAX_NODES`].
    #[error("the expression grows beyond {} distinct subexpressions", Pool::MAX_NODES)]
    Size,
    /// Deeper than [`Pool::MAX_DEPTH`].
    #[error("the expression nests deeper than {} levels", Pool::MAX_DEPTH)]
    Depth,
    /// A derivative beyond [`Derivative::MAX_ORDER`].
    #[error("a derivative of order above {} appears", Derivative::MAX_ORDER)]
    Order,
}

/// Owns the nodes of all expressions of a problem.
///
/// Building never fails: when a limit is passed the pool remembers the first [`Overflow`], and
/// whoever finishes a stage asks for it with [`Pool::overflow`].
#[derive(Clone, Debug, Default)]
pub struct Pool {
    nodes: Vec<Node>,
    depths: Vec<u16>,
    index: HashMap<Node, Expression>,
    derivatives: HashMap<(Expression, Leaf), Expression>,
    overflow: Option<Overflow>,
    /// Operands of all nodes together.
    breadth: usize,
}

impl Pool {
    /// Distinct subexpressions that a pool holds at most: far above any equation people write, and
    /// low enough that a hostile file fails in well under a second.
    pub const MAX_NODES: usize = 200_000;

    /// Operands of all nodes together: the derivative of a product of n factors has n² of them,
    /// which counting nodes does not bound.
    pub const MAX_OPERANDS: usize = 2_000_000;

    /// Nesting that a pool admits at most, so that recursive passes fit every thread's stack.
    pub const MAX_DEPTH: u16 = 400;

    /// The node behind a handle.
    pub fn node(&self, expression: Expression) -> &Node {
        &self.nodes[expression.0 as usize]
    }

    /// The first limit that was passed, if any.
    pub fn overflow(&self) -> Option<Overflow> {
        self.overflow
    }

    /// Forgets a passed limit, once it has been reported, so that later stages start clean.
    pub fn take_overflow(&mut self) -> Option<Overflow> {
        self.overflow.take()
    }

    /// Calls `visit` for every distinct subexpression, operands before what uses them.
    pub fn visit(&self, roots: &[Expression], mut visit: impl FnMut(Expression, &Node)) {
        let youngest = roots.iter().map(|root| root.0 as usize + 1).max().unwrap_or(0);
        let mut reached = vec![false; youngest];
        let mut pending: Vec<Expression> = roots.to_vec();
        while let Some(expression) = pending.pop() {
            let seen = &mut reached[expression.0 as usize];
            if !*seen {
                *seen = true;
                self.operands(expression, |operand| pending.push(operand));
            }
        }
        // Operands are older than their users, so ascending handles are a topological order.
        for (position, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            let expression = Expression(position as u32);
            visit(expression, self.node(expression));
        }
    }

    /// The distinct leaves of some expressions, oldest first.
    pub fn leaves(&self, roots: &[Expression]) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.visit(roots, |_, node| {
            if let Node::Leaf(leaf) = node {
                leaves.push(*leaf);
            }
        });
        leaves
    }

    /// Whether an expression refers to a leaf that satisfies `wanted`.
    pub fn mentions(&self, root: Expression, wanted: impl Fn(Leaf) -> bool) -> bool {
        self.leaves(&[root]).into_iter().any(wanted)
    }

    /// Calls `each` for every direct operand of an expression.
    pub fn operands(&self, expression: Expression, mut each: impl FnMut(Expression)) {
        match self.node(expression) {
            Node::Number(_) | Node::Leaf(_) => {}
            Node::Sum(_, terms) => terms.iter().for_each(|&(term, _)| each(term)),
            Node::Product(factors) => factors.iter().for_each(|&(base, _)| each(base)),
            Node::Apply(_, argument) => each(*argument),
            &Node::Power(left, right)
            | &Node::Min(left, right)
            | &Node::Max(left, right)
            | &Node::Compare(_, left, right) => {
                each(left);
                each(right);
            }
            &Node::Where(condition, then, otherwise) => {
                each(condition);
                each(then);
                each(otherwise);
            }
        }
    }

    fn intern(&mut self, node: Node) -> Expression {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let expression = Expression(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        let mut depth = 0;
        let mut breadth = self.breadth;
        self.operands(expression, |operand| {
            depth = depth.max(self.depths[operand.0 as usize]);
            breadth += 1;
        });
        let large = self.nodes.len() > Self::MAX_NODES || breadth > Self::MAX_OPERANDS;
        if large || depth >= Self::MAX_DEPTH {
            let overflow = if depth >= Self::MAX_DEPTH { Overflow::Depth } else { Overflow::Size };
            self.overflow.get_or_insert(overflow);
            self.nodes.pop();
            return self.refused();
        }
        self.breadth = breadth;
        self.depths.push(depth + 1);
        self.index.insert(node, expression);
        expression
    }

    /// What stands in for an expression that a limit refused. Never evaluated: the stage fails.
    fn refused(&mut self) -> Expression {
        if self.nodes.is_empty() {
            self.nodes.push(Node::Number(Real::new(f64::NAN)));
            self.depths.push(1);
        }
        Expression(0)
    }
}

#[cfg(test)]
mod tests;
