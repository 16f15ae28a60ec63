//! Whether a problem says how high an unknown lies, or only how it varies.

use equation::expression::{Derivative, Leaf};
use equation::problem::Problem;

/// Whether adding a number to the unknown leaves every residual as it is: only its variation can then
/// be compared with a reference (pressure in a closed vessel).
pub fn is_free(problem: &Problem, unknown: usize) -> bool {
    let mut pool = problem.pool.clone();
    if problem.added(&mut pool, unknown).is_none() {
        return false;
    }
    let conditions = problem.conditions.iter().flat_map(|condition| &condition.equations);
    let data = problem.data.iter().flat_map(|data| &data.equations);
    problem.equations.iter().chain(conditions).chain(data).all(|equation| {
        // Expressions are canonical: if the shift cancels, the very same expression comes back.
        let shifted = pool.substitute(equation.residual, &mut |pool, leaf| match leaf {
            Leaf::Field(field)
                if usize::from(field.unknown) == unknown && field.derivative == Derivative::NONE =>
            {
                let field = pool.leaf(leaf);
                let shift = pool.leaf(Leaf::Placeholder);
                Some(pool.add(field, shift))
            }
            _ => None,
        });
        shifted == equation.residual
    })
}
