//! One mistake in `[network]` each.

use crate::parse::files;
use crate::parse::mistakes::{Mistake, check, mistake};

const NETWORKS: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "width = 20",
        "initialization = «\"siren\"»",
        "`siren` starting weights are made for `sin`",
        "set `activation = \"sin\"`",
    ),
    mistake(
        files::BURGERS,
        "width = 20",
        "«frequency» = 3",
        "`frequency` belongs to `siren` starting weights",
        "set `initialization = \"siren\"`",
    ),
    mistake(
        files::BURGERS,
        "width = 20",
        "«rank» = 5",
        "`rank` belongs to separable networks",
        "set `kind = \"separable\"`",
    ),
    mistake(
        files::BURGERS,
        "kind = \"mlp\"",
        "kind = \"separable\"\n«fourier» = { features = 3 }",
        "random Fourier features mix coordinates, and a separable network sees one at a time",
        "use `periodic`, or another `kind`",
    ),
    mistake(
        files::BURGERS,
        "width = 20",
        "factorized = true\nadaptive = «\"neuron\"»",
        "`factorized` gives every neuron a factor already",
        "set `adaptive = \"layer\"`, or leave one of them out",
    ),
    mistake(
        files::BURGERS,
        "width = 20",
        "factorized = { deviation = «0» }",
        "expected a number above 0",
        "",
    ),
    mistake(
        files::BURGERS,
        "width = 20",
        "periodic = [«\"z\"»]",
        "`z` is not a coordinate",
        "the coordinates are `t`, `x`",
    ),
];

#[test]
fn mistakes_in_networks_are_placed_and_explained() {
    NETWORKS.iter().for_each(check);
}
