//! Which steps may multiply rows in half precision.

use super::Extent;
use equation::problem::Products as Wanted;
use kernel::{Products, Unknowns};

/// The least damping of such steps, with which they are off by a hundredth (`benches/gpu/gauss-newton.md`).
pub(crate) const LEAST_DAMPING: f64 = 1e-6;

/// Operations of products from which on a tenth of a step or more is to be gained: a millisecond in f64 on an H200.
const FEWEST: f64 = 5e10;

/// The products of a step whose first damping is this.
pub(super) fn products(wanted: Wanted, (extent, unknowns): (Extent, Unknowns), damping: f64) -> Products {
    if damping < LEAST_DAMPING { Products::Exact } else { at_most(wanted, (extent, unknowns)) }
}

/// The products of the first steps, whose damping is large.
pub(crate) fn at_most(wanted: Wanted, (extent, unknowns): (Extent, Unknowns)) -> Products {
    let pays = match wanted {
        Wanted::Exact => false,
        Wanted::Short => true,
        Wanted::Auto => operations(extent, unknowns) >= FEWEST,
    };
    match unknowns {
        Unknowns::Parameters | Unknowns::Rows if pays => Products::Short,
        Unknowns::Parameters | Unknowns::Rows | Unknowns::Diagonal | Unknowns::Sketch => Products::Exact,
    }
}

/// Operations of the products of rows with each other, or of their columns.
fn operations(extent: Extent, unknowns: Unknowns) -> f64 {
    let (parameters, rows) = (extent.parameters as f64, extent.rows as f64);
    match unknowns {
        Unknowns::Parameters => rows * parameters.powi(2),
        Unknowns::Rows => parameters * rows.powi(2),
        Unknowns::Diagonal | Unknowns::Sketch => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_short_while_damping_is_large_and_they_are_what_a_step_costs() {
        let of = |wanted: Wanted, parameters: usize, rows: usize, unknowns: Unknowns, damping: f64| {
            products(wanted, (Extent { parameters, rows, evaluation: 0.0 }, unknowns), damping)
        };
        let large = |damping: f64| of(Wanted::Auto, 12_737, 20_000, Unknowns::Parameters, damping);
        assert_eq!([large(1e-3), large(9e-7)], [Products::Short, Products::Exact]);
        assert_eq!(of(Wanted::Auto, 12_737, 4096, Unknowns::Rows, 1e-3), Products::Short);
        assert_eq!(of(Wanted::Auto, 1341, 20_000, Unknowns::Parameters, 1e-3), Products::Exact, "small");
        assert_eq!(of(Wanted::Short, 1341, 20_000, Unknowns::Parameters, 1e-3), Products::Short);
        assert_eq!(of(Wanted::Exact, 12_737, 20_000, Unknowns::Parameters, 1e-3), Products::Exact);
        assert_eq!(of(Wanted::Short, 12_737, 20_000, Unknowns::Sketch, 1e-3), Products::Exact);
    }
}
