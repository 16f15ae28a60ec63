//! Which steps may multiply rows in half precision.

use linear::{Products, Unknowns};
use method::Products as Wanted;

/// The least damping of such steps. With a tenth of it they are off by less than a hundredth; with a hundredth of it equations of
/// large networks may have no factor, and damping would never fall again (`benches/gpu/gauss-newton.md`).
const LEAST_DAMPING: f64 = 1e-3;

/// The products of a step whose first damping is this.
pub(super) fn products(wanted: Wanted, unknowns: Unknowns, damping: f64) -> Products {
    if damping < LEAST_DAMPING { Products::Exact } else { at_most(wanted, unknowns) }
}

/// The products of the first steps, whose damping is large.
pub fn at_most(wanted: Wanted, unknowns: Unknowns) -> Products {
    match (wanted, unknowns) {
        (Wanted::Short, Unknowns::Parameters | Unknowns::Rows) => Products::Short,
        (Wanted::Short, Unknowns::Diagonal | Unknowns::Sketch { .. } | Unknowns::Subspace { .. })
        | (Wanted::Exact, _) => Products::Exact,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_short_where_they_may_be_and_damping_is_large() {
        let large = |damping: f64| products(Wanted::Short, Unknowns::Parameters, damping);
        assert_eq!([large(1e-2), large(9e-4)], [Products::Short, Products::Exact]);
        assert_eq!(products(Wanted::Short, Unknowns::sketch(100), 1e-2), Products::Exact);
        assert_eq!(products(Wanted::Exact, Unknowns::Rows, 1e-2), Products::Exact);
    }
}
