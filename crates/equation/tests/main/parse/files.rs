//! Problem files that must be accepted.

/// Name and text of every accepted file.
pub(crate) const FILES: [(&str, &str); 12] = [
    ("burgers", BURGERS),
    ("poisson", POISSON),
    ("kovasznay", KOVASZNAY),
    ("heat-inverse", HEAT_INVERSE),
    ("klein-gordon", KLEIN_GORDON),
    ("elasticity", ELASTICITY),
    ("maxwell", MAXWELL),
    ("poisson-10d", POISSON_10D),
    ("darcy", DARCY),
    ("allen-cahn", ALLEN_CAHN),
    ("heat-ansatz", HEAT_ANSATZ),
    ("greek", GREEK),
];

pub(crate) const BURGERS: &str = include_str!("problems/burgers.toml");
pub(crate) const POISSON: &str = include_str!("problems/poisson.toml");
pub(crate) const KOVASZNAY: &str = include_str!("problems/kovasznay.toml");
pub(crate) const HEAT_INVERSE: &str = include_str!("problems/heat-inverse.toml");
pub(crate) const KLEIN_GORDON: &str = include_str!("problems/klein-gordon.toml");
pub(crate) const ELASTICITY: &str = include_str!("problems/elasticity.toml");
pub(crate) const MAXWELL: &str = include_str!("problems/maxwell.toml");
pub(crate) const POISSON_10D: &str = include_str!("problems/poisson-10d.toml");
pub(crate) const DARCY: &str = include_str!("problems/darcy.toml");
pub(crate) const ALLEN_CAHN: &str = include_str!("problems/allen-cahn.toml");
pub(crate) const HEAT_ANSATZ: &str = include_str!("problems/heat-ansatz.toml");
pub(crate) const GREEK: &str = include_str!("problems/greek.toml");
