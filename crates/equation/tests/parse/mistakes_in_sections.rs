//! One mistake outside expressions each: message, place and hint.

use crate::files;
use crate::mistakes::{Mistake, check, mistake};

const TABLES: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "[network]",
        "[«netwrok»]",
        "unknown section `netwrok`",
        "did you mean `network`?",
    ),
    mistake(files::BURGERS, "title =", "«tittle» =", "unknown section `tittle`", "did you mean `title`?"),
    mistake(
        files::BURGERS,
        "[network]",
        "[«geometry»]\n[network]",
        "[geometry] is not available: in this version the domain is a box",
        "",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "«learning_rte» = 0.1",
        "unknown key `learning_rte`",
        "did you mean `learning_rate`?",
    ),
    mistake(files::BURGERS, "width = 20", "width = «\"20\"»", "expected an integer, found a string", ""),
    mistake(files::BURGERS, "width = 20", "width = «20.0»", "expected an integer, found a number", ""),
    mistake(files::BURGERS, "width = 20", "width = «0»", "expected an integer from 1 to 4096, found 0", ""),
    mistake(files::BURGERS, "\"mlp\"", "«\"mpl\"»", "unknown value `mpl`", "did you mean `mlp`?"),
    mistake(files::BURGERS, "\"tanh\"", "«\"relu\"»", "unknown value `relu`", "did you mean `gelu`?"),
    mistake(
        files::BURGERS,
        "\"adam\"",
        "«\"soap\"»",
        "`soap` is not in this version",
        "use one of `auto`, `gauss-newton`, `ssbroyden`, `lbfgs`, `adam` and `adamw`",
    ),
    mistake(
        files::ALLEN_CAHN,
        "loss = 1e-9",
        "«error» = 1e-3",
        "there is no reference to measure the error against",
        "add a `[reference]`, or bound the loss",
    ),
    mistake(files::BURGERS, "\"60 s\"", "{ steps = 9, error = «0» }", "expected a number above 0", ""),
    mistake(
        files::BURGERS,
        "points = 4096",
        "sampler = «\"sobel\"»",
        "unknown value `sobel`",
        "did you mean `sobol`?",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "resample = «-5»",
        "expected an integer of at least 0, found -5",
        "",
    ),
    mistake(files::BURGERS, "\"adam\"", "«\"lbfg\"»", "unknown value `lbfg`", "did you mean `lbfgs`?"),
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
    mistake(
        files::BURGERS,
        "\"60 s\"",
        "\"«60 parsecs»\"",
        "`60 parsecs` is not a budget",
        "such as \"5000 steps\", \"60 s\", \"2 min\" or \"5000 steps, 60 s\"",
    ),
    mistake(
        files::BURGERS,
        "budget = \"60 s\"",
        "schedule = «\"exponential\"»",
        "an exponential schedule needs its factor and steps",
        "write `{ kind = \"exponential\", factor = 0.9, steps = 1000 }`",
    ),
    mistake(
        files::BURGERS,
        "budget = \"60 s\"",
        "attention = «3»",
        "expected true, false or a table, found an integer",
        "such as `{ decay = 0.999, rate = 0.01 }`",
    ),
    mistake(
        files::BURGERS,
        "budget = \"60 s\"",
        "attention = { decay = «1» }",
        "`decay` must be at least 0 and below 1",
        "",
    ),
    mistake(
        files::BURGERS,
        "budget = \"60 s\"",
        "attention = { «speed» = 2 }",
        "unknown key `speed`",
        "known: `decay`, `rate`",
    ),
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
        "periodic = [«\"z\"»]",
        "`z` is not a coordinate",
        "the coordinates are `t`, `x`",
    ),
    mistake(files::BURGERS, "points = 4096", "learning_rate = «-1»", "expected a number above 0", ""),
    mistake(
        files::BURGERS,
        "u = { solution",
        "«w» = { solution",
        "there is no unknown `w`",
        "known: `u`, `grid`",
    ),
    mistake(
        files::BURGERS,
        "u = { solution = \"burgers-cole-hopf\" }",
        "u = { formula = 1, «tolerance» = 1e-6 }",
        "`tolerance` belongs to a `solution` by name",
        "",
    ),
    mistake(
        files::BURGERS,
        "\"burgers-cole-hopf\"",
        "\"burgers-cole-hopf\", tolerance = «0»",
        "expected a number above 0",
        "",
    ),
    mistake(
        files::BURGERS,
        "\nnu = \"0.01/pi\"",
        "\n«ν» = 3",
        "TOML: invalid unquoted key, expected letters, numbers, `-`, `_`",
        "keys with other letters than a-z and A-Z stand in quotes: `\"ν\" = 0.1`",
    ),
];

const NAMES: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "\nnu =",
        "\nnu = 1\n«e» =",
        "`e` is the name of a number",
        "choose another name",
    ),
    mistake(
        files::BURGERS,
        "\nnu =",
        "\nnu = 1\n«sin» =",
        "`sin` is the name of a function",
        "choose another name",
    ),
    mistake(
        files::BURGERS,
        "\nnu =",
        "\nnu = 1\n«N» =",
        "`N` is reserved for the network's output in [ansatz]",
        "choose another name",
    ),
    mistake(
        files::BURGERS,
        "\nnu =",
        "\nnu = 1\n«_a» =",
        "`_a` cannot be a name",
        "letters, digits and underscores, beginning with a letter",
    ),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "\"«u»\"",
        "`u` is an unknown: a constant may not use unknowns",
        "",
    ),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "\"0.01/«pj»\"",
        "unknown name `pj`",
        "declared: `t`, `x`, `nu`, `u`",
    ),
    mistake(files::BURGERS, "\"0.01/pi\"", "«nan»", "expected a finite number", ""),
    mistake(
        files::BURGERS,
        "\"0.01/pi\"",
        "«true»",
        "expected a number or an expression in quotes, found true or false",
        "",
    ),
];

const PLACES: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "on = \"t = 0\"",
        "on = \"« »\"",
        "this place is empty",
        "name a place such as `x = 0` or `boundary`",
    ),
    mistake(
        files::BURGERS,
        "x = [-1, 1]",
        "x = «[1, -1]»",
        "the interval from 1 to -1 is empty",
        "did you mean `[-1, 1]`?",
    ),
    mistake(
        files::BURGERS,
        "x = [-1, 1]",
        "x = «[-1]»",
        "an interval has two ends, found 1",
        "write `[low, high]`",
    ),
    mistake(files::BURGERS, "x = [-1, 1]", "x = [-1, «inf»]", "expected a finite number", ""),
    mistake(
        files::BURGERS,
        "x = [-1, 1]",
        "x = «3»",
        "expected an interval `[low, high]` or a table, found an integer",
        "",
    ),
    mistake(
        files::BURGERS,
        "on = \"t = 0\"",
        "on = \"t = «2»\"",
        "`t = 2` lies outside its interval [0, 1]",
        "",
    ),
    mistake(
        files::BURGERS,
        "on = \"t = 0\"",
        "on = \"t = 0 and «t» = 1\"",
        "`t` is fixed twice",
        "`,` joins places, `and` narrows one down",
    ),
    mistake(
        files::BURGERS,
        "on = \"t = 0\"",
        "on = \"t «<» 0\"",
        "expected `=`, found `<`",
        "a place is written `x = 0`, or `boundary`",
    ),
    mistake(
        files::BURGERS,
        "on = \"t = 0\"",
        "on = \"«u» = 0\"",
        "expected a coordinate",
        "a place is written `x = 0`, or `boundary`",
    ),
    mistake(
        files::BURGERS,
        "on = \"t = 0\"",
        "on = \"t = 0 where «u» > 0\"",
        "`u` is an unknown: a filter may not use unknowns",
        "",
    ),
    mistake(
        files::BURGERS,
        "start = { on = \"t = 0\", equation",
        "«start» = { equation",
        "this condition does not say where it holds",
        "add `on = \"x = 0\"`, `on = \"boundary\"` or `periodic = \"x\"`",
    ),
    mistake(
        files::BURGERS,
        "u = -sin(pi*x)",
        "«dn(u)» = u",
        "`dn` needs an outward normal",
        "use it in conditions that hold on faces, such as `on = \"x = 0\"` or `on = \"boundary\"`",
    ),
    mistake(
        files::ALLEN_CAHN,
        "periodic = \"x\"",
        "periodic = «\"u\"»",
        "`u` is not a coordinate",
        "the coordinates are `t`, `x`",
    ),
];

const REST: &[Mistake] = &[
    mistake(
        files::BURGERS,
        "points = 4096",
        "seed = «9223372036854775808»",
        "expected an integer from 0 to 9223372036854775807",
        "larger ones, up to 18446744073709551615, stand in quotes",
    ),
    mistake(
        files::BURGERS,
        "budget = \"60 s\"",
        "budget = «{ loss = 1e-30 }»",
        "a bound that is never reached would never end training",
        "state `steps` or `seconds` beside it, as in `{ loss = 1e-6, steps = 50000 }`",
    ),
    mistake(
        files::HEAT_ANSATZ,
        "\"sin(x) + t*(1 - y^2)*N\"",
        "\"«n»*t\"",
        "unknown name `n`",
        "did you mean `N`?",
    ),
    mistake(
        files::POISSON,
        "u = \"exact\"",
        "u = «true»",
        "expected a formula, a number or a table, found true or false",
        "",
    ),
    mistake(
        files::BURGERS,
        "points = 4096",
        "seed = «-1»",
        "expected an integer of at least 0, found -1",
        "",
    ),
    mistake(
        files::BURGERS,
        "on = \"x = -1, x = 1\"",
        "on = \"x = -1 «or» x = 1\"",
        "expected `,`, `and` or `where`, found `or`",
        "`,` joins places, `and` narrows one down, `where` filters",
    ),
    mistake(
        files::HEAT_INVERSE,
        "start = 0.1",
        "start = «1.5»",
        "`start` must lie strictly between `min` and `max`",
        "",
    ),
    mistake(
        files::HEAT_INVERSE,
        "kappa = { start = 0.1,",
        "«kappa» = {",
        "this parameter has no `start`",
        "as in `{ start = 0.1 }`",
    ),
    mistake(
        files::HEAT_INVERSE,
        "\"sensors.csv\"",
        "«\"sensors.xlsx\"»",
        "this file is neither .csv nor .npy",
        "convert it to one of these",
    ),
    mistake(
        files::HEAT_INVERSE,
        "[\"t\", \"x\", \"_\", \"u\", \"u^2 + u_x\"]",
        "«[\"t\", \"u\"]»",
        "no column holds the coordinate `x`",
        "every coordinate has its column",
    ),
    mistake(files::HEAT_INVERSE, "\"_\",", "«\"x\"»,", "column `x` occurs twice", ""),
    mistake(
        files::HEAT_INVERSE,
        "\"_\",",
        "«\"2*x\"»,",
        "column `2*x` measures no unknown",
        "columns that are not used are named `_`",
    ),
    mistake(
        files::HEAT_ANSATZ,
        "\"sin(x) + t*(1 - y^2)*N\"",
        "«\"sin(x)\"»",
        "this ansatz does not use the network's output `N`",
        "as in `u = \"x*(1 - x)*N\"`",
    ),
    mistake(
        files::HEAT_ANSATZ,
        "\"sin(x) + t*(1 - y^2)*N\"",
        "\"«d(x*N, x)»\"",
        "an ansatz may not use derivatives of `N`",
        "",
    ),
    mistake(
        files::HEAT_ANSATZ,
        "\"sin(x) + t*(1 - y^2)*N\"",
        "\"«u» + N\"",
        "`u` is an unknown: an ansatz may not use unknowns",
        "the network's output is called `N` here",
    ),
    mistake(files::POISSON, "u = {}", "u = «1»", "expected a table, found an integer", "write `u = {}`"),
    mistake(
        files::POISSON,
        "u = {}",
        "u = { «dimension» = 2 }",
        "unknown key `dimension`",
        "known: `hard_constraints`",
    ),
    mistake(
        files::POISSON,
        "u = \"exact\"",
        "u = \"exact + «u»\"",
        "`u` is an unknown: a reference may not use unknowns",
        "",
    ),
    mistake(files::POISSON, "weight = 10", "weight = «0»", "expected a number above 0", ""),
    mistake(
        files::BURGERS,
        "walls =",
        "«interior» =",
        "`interior` is what reports call the points inside the domain",
        "choose another name",
    ),
    mistake(
        files::HEAT_INVERSE,
        "sensors =",
        "«interior» =",
        "`interior` is what reports call the points inside the domain",
        "choose another name",
    ),
    mistake(
        files::HEAT_INVERSE,
        "[data]\nsensors",
        "[conditions]\nsensors = { on = \"t = 0\", equation = \"u = 0\" }\n[data]\n«sensors»",
        "`sensors` is also the name of a condition",
        "reports could not tell them apart: rename one",
    ),
    mistake(
        files::BURGERS,
        "[network]",
        "«ends» = { on = \"x = 1, x = -1\", equation = \"2*u = u\", weight = 3 }\n[network]",
        "`walls` states the same at the same place",
        "remove one; a `weight` makes a condition count more",
    ),
    mistake(
        files::BURGERS,
        "walls = { on = \"x = -1, x = 1\", equation = \"u = 0\" }",
        "«walls» = { on = \"x = -1, x = 1\", equations = [\"u = 0\", \"u = 0\"] }",
        "this condition states an equation twice",
        "remove one; a `weight` makes a condition count more",
    ),
    mistake(
        files::BURGERS,
        "u = {}",
        "u = {}\n«u_x» = {}",
        "`u_x` already means a derivative of `u`",
        "choose another name",
    ),
    mistake(
        files::BURGERS,
        "nu = \"0.01/pi\"",
        "nu = \"0.01/pi\"\n«u_tx» = 3",
        "`u_tx` already means a derivative of `u`",
        "choose another name",
    ),
    mistake(
        files::ELASTICITY,
        "[functions]",
        "[functions]\n«sigma_xy_x» = \"x\"",
        "`sigma_xy_x` already means a derivative of `sigma_xy`",
        "choose another name",
    ),
];

#[test]
fn mistakes_in_tables_are_placed_and_explained() {
    TABLES.iter().for_each(check);
}

#[test]
fn mistakes_in_names_and_constants_are_placed_and_explained() {
    NAMES.iter().for_each(check);
}

#[test]
fn mistakes_in_places_are_placed_and_explained() {
    PLACES.iter().for_each(check);
}

#[test]
fn mistakes_in_the_other_sections_are_placed_and_explained() {
    REST.iter().for_each(check);
}
