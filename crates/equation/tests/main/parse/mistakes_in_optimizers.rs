//! One mistake in `optimizer` or in a key of one each: message, place and hint.

use crate::parse::files;
use crate::parse::mistakes::{Mistake, check, mistake};

const OPTIMIZERS: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "\"adam\"",
        "«\"shampoo\"»",
        "`shampoo` is not in this version",
        "use one of `auto`, `gauss-newton`, `ssbroyden`, `lbfgs`, `nncg`, `adam`, `adamw`, `soap`, `muon`, `sgd` and `rmsprop`",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«weight_decay» = 0.1",
        "`weight_decay` belongs to another optimizer",
        "state it beside `optimizer = \"adamw\"`",
    ),
    mistake(
        files::BURGERS,
        "optimizer = \"adam\"",
        "optimizer = \"adamw\"\nweight_decay = «-1»",
        "expected a number above 0",
        "",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«momentum» = 0.9",
        "`momentum` belongs to another optimizer",
        "state it beside `optimizer = \"sgd\"` or `optimizer = \"rmsprop\"` or `optimizer = \"muon\"`",
    ),
    mistake(
        files::BURGERS,
        "optimizer = \"adam\"",
        "optimizer = \"sgd\"\nmomentum = «1»",
        "`momentum` must be at least 0 and below 1",
        "such as 0.9",
    ),
    mistake(
        files::BURGERS,
        "optimizer = \"adam\"",
        "optimizer = \"sgd\"\nmomentum = 0\n«nesterov» = true",
        "without momentum there is no velocity to look ahead along",
        "leave it out, or state a `momentum`",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«precondition_every» = 10",
        "`precondition_every` belongs to another optimizer",
        "state it beside `optimizer = \"soap\"` or `optimizer = \"nncg\"`",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«memory» = 10",
        "`memory` belongs to another optimizer",
        "state it beside `optimizer = \"lbfgs\"`",
    ),
    mistake(
        files::BURGERS,
        "optimizer = \"adam\"",
        "optimizer = \"lbfgs\"\nmemory = «0»",
        "expected an integer from 1 to 1000, found 0",
        "",
    ),
];

#[test]
fn mistakes_in_optimizers_are_placed_and_explained() {
    OPTIMIZERS.iter().for_each(check);
}
