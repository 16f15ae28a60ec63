//! What things are called in papers, in Python and in other programs, and what they are called here.

/// Keys and sections by other names.
const KEYS: [(&str, &str); 36] = [
    ("lr", "learning_rate"),
    ("epochs", "steps"),
    ("iterations", "steps"),
    ("max_iter", "steps"),
    ("n_steps", "steps"),
    ("num_points", "points"),
    ("n_points", "points"),
    ("num_domain", "points"),
    ("collocation_points", "points"),
    ("batch_size", "batch"),
    ("accumulation_steps", "accumulate"),
    ("gradient_accumulation", "accumulate"),
    ("num_boundary", "condition_points"),
    ("boundary_points", "condition_points"),
    ("scheduler", "schedule"),
    ("lr_schedule", "schedule"),
    ("time_limit", "budget"),
    ("max_time", "budget"),
    ("neurons", "width"),
    ("hidden", "width"),
    ("units", "width"),
    ("hidden_size", "width"),
    ("num_layers", "depth"),
    ("hidden_layers", "depth"),
    ("architecture", "kind"),
    ("init", "initialization"),
    ("initializer", "initialization"),
    ("boundary_conditions", "conditions"),
    ("initial_conditions", "conditions"),
    ("boundary", "conditions"),
    ("bcs", "conditions"),
    ("bc", "conditions"),
    ("ics", "conditions"),
    ("pde", "equations"),
    ("variables", "unknowns"),
    ("fields", "unknowns"),
];

/// The known key that another name stands for.
pub(super) fn key<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let (_, meant) = KEYS.iter().find(|(other, _)| name.eq_ignore_ascii_case(other))?;
    known.iter().copied().find(|known| known == meant)
}

/// What to write instead of a key or a value that has no counterpart of its own.
pub(super) fn setting(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "layers" => "write `width = 20` and `depth = 3`: inputs and outputs follow from the problem",
        "relu" | "leaky_relu" | "elu" => {
            "its second derivative is zero or jumps, and equations need it: `tanh`, `sin`, `silu` or `gelu`"
        }
        "sigmoid" | "logistic" => "`tanh` is a scaled and shifted sigmoid",
        "swish" => "did you mean `silu`?",
        "sgd" | "rmsprop" => "the closest is `adam`; omit `optimizer` for an automatic choice",
        "newton" | "levenberg-marquardt" | "lm" => "did you mean `gauss-newton`?",
        "bfgs" => "did you mean `ssbroyden`, which keeps a dense matrix, or `lbfgs`?",
        _ => return None,
    })
}

/// What to write instead of a function of other languages.
pub(super) fn function(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "pow" | "power" => "a power is written `x^2`",
        "square" => "a square is written `x^2`",
        "cbrt" => "a cube root is written `x^(1/3)`",
        "heaviside" | "step" | "theta" => "a step is written `where(x < 0, 0, 1)`, or `(x >= 0)`",
        "sech" => "write `1/cosh(x)`",
        "csch" => "write `1/sinh(x)`",
        "sec" => "write `1/cos(x)`",
        "csc" => "write `1/sin(x)`",
        "cot" => "write `1/tan(x)`",
        "coth" => "write `1/tanh(x)`",
        "sinc" => "write `sin(x)/x`, where x is not zero",
        "erfc" => "write `1 - erf(x)`",
        "log10" => "write `log(x)/log(10)`",
        "log2" => "write `log(x)/log(2)`",
        "atan2" | "arctan2" => {
            "write `atan(y/x)` where x is above zero, or `2*atan(y/(sqrt(x^2 + y^2) + x))`"
        }
        "hypot" | "norm" => "write `sqrt(x^2 + y^2)`",
        "delta" | "dirac" => "write a narrow peak: `exp(-(x/w)^2)/(w*sqrt(pi))`",
        "int" | "integral" | "integrate" => {
            "there are no integrals: add an unknown whose derivative is the integrand"
        }
        "ddx" | "dx" | "dxx" | "dt" | "dtt" | "partial" | "deriv" | "derivative" | "diff" => {
            "derivatives are written `u_x`, `u_xx` or `d(expression, x, x)`"
        }
        _ => return None,
    })
}

/// What to do about units.
pub(super) const UNITS: &str = "units are not written: give all numbers in one system of units";

/// Whether a name is a unit of measurement: `m`, `kPa`.
pub(super) fn is_unit(name: &str) -> bool {
    const UNITS: [&str; 30] = [
        "m", "s", "g", "K", "N", "J", "W", "V", "A", "C", "T", "F", "H", "L", "l", "h", "Pa", "Hz", "mol",
        "bar", "rad", "deg", "min", "eV", "ohm", "day", "days", "sec", "meter", "meters",
    ];
    const PREFIXES: [&str; 9] = ["k", "M", "G", "c", "m", "u", "µ", "n", "h"];
    let prefixed = |prefix: &&str| name.strip_prefix(prefix).is_some_and(|rest| UNITS[..20].contains(&rest));
    UNITS.contains(&name) || PREFIXES.iter().any(prefixed)
}

/// What to write instead of a word of other languages.
pub(super) fn word(name: &str) -> Option<&'static str> {
    match name {
        "if" | "else" | "elif" => {
            Some("a choice is written `where(condition, then, otherwise)`, as in `where(x < 0, 1, 0)`")
        }
        _ => None,
    }
}

/// What a domain would be elsewhere: here it is a box.
pub(super) fn shape(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "circle" | "disk" | "disc" | "ellipse" | "annulus" | "ring" | "cylinder" => {
            "in polar coordinates it is one: `r = [0.1, 1]` and `phi = [0, \"2*pi\"]`, with the equations written in them"
        }
        "sphere" | "ball" => {
            "in spherical coordinates it is one: `r = [0.1, 1]`, with the equations written in them"
        }
        "rectangle" | "box" | "square" | "cube" | "cuboid" | "interval" | "bounds" | "geometry" | "shape" => {
            "write an interval for each coordinate: `x = [0, 1]` and `y = [0, 1]`"
        }
        "polygon" | "triangle" | "lshape" | "l_shape" | "mesh" | "hole" | "holes" => {
            "a condition may hold on a part of a face: `on = \"boundary where x < 0.5\"`"
        }
        _ => return None,
    })
}

/// What to write instead of a name that stands for something in papers. `unknowns` and `coordinates` are those declared.
pub(super) fn name<'n>(name: &str, unknowns: &[&'n str], coordinates: &[&'n str]) -> Option<String> {
    match name {
        "Pi" | "PI" | "π" => return Some("did you mean `pi`?".to_owned()),
        "i" | "I" | "j" | "J" => {
            let hint = "for the imaginary unit, write real and imaginary part as two unknowns; `i` counts in `sum(i, …)`";
            return Some(hint.to_owned());
        }
        "inf" | "infinity" | "nan" => return Some("numbers are finite".to_owned()),
        _ => {}
    }
    // `du`, `d2u`, `dt` and `dx2` of `du/dt` and `d2u/dx2`.
    let digits = |letter: char| letter.is_ascii_digit();
    let after = name.strip_prefix('d')?.trim_start_matches(digits);
    let named = |names: &[&'n str]| {
        names.iter().copied().find(|known| *known == after || *known == after.trim_end_matches(digits))
    };
    let (unknown, axis) = match (named(unknowns), named(coordinates)) {
        (Some(unknown), _) => (unknown, *coordinates.first()?),
        (None, Some(axis)) => (*unknowns.first()?, axis),
        (None, None) => return None,
    };
    Some(format!("derivatives are written `{unknown}_{axis}`, `{unknown}_{axis}{axis}`"))
}
