//! Coefficients that jump inside the box, for people: what holds across the jump is not in the equation, and a smooth
//! network finds what the equation says on both sides.

use crate::expression::{Expression, Function, Leaf, Names, Node, Pool};
use crate::problem::Problem;
use std::collections::HashSet;

/// A line for every equation whose highest derivatives have a factor that jumps along their own coordinates.
pub(super) fn jumps(problem: &Problem) -> Vec<String> {
    // What is looked at leaves nothing behind.
    let mut pool = problem.pool.clone();
    let mut lines = Vec::new();
    for equation in &problem.equations {
        let mut found = None;
        for leaf in pool.leaves(&[equation.residual]) {
            let Leaf::Field(field) = leaf else { continue };
            let axes = field.derivative.axes();
            // What is differentiated once may jump: a flux and a slope do.
            if axes.len() >= 2 {
                let factor = pool.derivative(equation.residual, leaf);
                let along =
                    |leaf: Leaf| matches!(leaf, Leaf::Coordinate(axis) if axes.contains(&(axis as u8)));
                if steps(&pool, factor, &along) {
                    found = found.or(Some(leaf));
                }
            }
        }
        if let Some(leaf) = found {
            let field = problem.leaf(leaf);
            lines.push(format!(
                "`{}`: the coefficient of {field} is discontinuous inside the domain, and the equation does not enforce the flux across the jump; \
                 write the flux as an unknown of its own (`q = k*u_x` and `q_x = …`), or smooth the jump with tanh",
                equation.name
            ));
        }
    }
    lines
}

/// Steps that are looked at in a factor: each asks for all that it depends on.
const MOST: usize = 64;

/// Whether a function of the coordinates has a step along some of them. Steps that depend on fields move with these.
fn steps(pool: &Pool, factor: Expression, along: &impl Fn(Leaf) -> bool) -> bool {
    let is_field = |leaf: Leaf| matches!(leaf, Leaf::Field(_));
    let (mut waiting, mut seen, mut looked) = (vec![factor], HashSet::from([factor]), 0);
    while let Some(expression) = waiting.pop() {
        let decides = match pool.node(expression) {
            Node::Compare(..) => Some(expression),
            Node::Where(condition, ..) => Some(*condition),
            Node::Apply(Function::Sign, argument) => Some(*argument),
            _ => None,
        };
        if let Some(decides) = decides.filter(|_| looked < MOST) {
            looked += 1;
            if pool.mentions(decides, along) && !pool.mentions(decides, is_field) {
                return true;
            }
        }
        pool.operands(expression, |part| {
            if seen.insert(part) {
                waiting.push(part);
            }
        });
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn lines(factor: &str, equation: &str) -> Vec<String> {
        let text = format!(
            "[domain]\nt = [0, 1]\nx = [0, 1]\n[unknowns]\nu = {{}}\n[functions]\nk = \"{factor}\"\n[equations]\n\
             heat = \"{equation}\"\n[conditions]\nstart = {{ on = \"t = 0\", equation = \"u = 0\" }}\n\
             walls = {{ on = \"boundary\", equation = \"u = t\" }}\n"
        );
        jumps(&parse(&text).unwrap_or_else(|mistakes| panic!("{}", mistakes.render("file"))))
    }

    #[test]
    fn a_conductivity_that_jumps_is_told_of() {
        let told = lines("where(x < 0.5, 1, 10)", "u_t = div(k*grad(u))");
        assert!(told[0].starts_with("`heat`: the coefficient of u_xx is discontinuous inside"), "{told:?}");
        assert_eq!(lines("1 + 9*(x > 0.5)", "u_t = d(k*u_x, x)").len(), 1);
        assert_eq!(lines("2 + sign(x - 0.3)", "u_t = k*u_xx").len(), 1);
    }

    #[test]
    fn what_does_not_jump_across_the_derivative_is_not() {
        assert!(lines("1 + tanh(50*(x - 0.5))", "u_t = div(k*grad(u))").is_empty());
        assert!(lines("where(t < 0.5, 1, 10)", "u_t = div(k*grad(u))").is_empty(), "in time");
        assert!(lines("where(x < 0.5, 1, 10)", "u_t = u_xx + k").is_empty(), "a source");
        assert!(lines("where(u < 0.5, 1, 10)", "u_t = k*u_xx").is_empty(), "moves with the solution");
    }
}
