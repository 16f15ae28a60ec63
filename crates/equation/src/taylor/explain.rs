//! The plan as text for people: what was understood, what is carried and why, and what it costs.

use super::adjoint::Variable;
use super::architecture::Architecture;
use super::listing::Listing;
use super::{Plan, Source, Term};
use crate::problem::{
    Equation, Geometry, GivenSource, NetworkKind, Piece, Place, Problem, Role, TrainedSlopes,
};
use crate::problem::{clipped, report};
use std::fmt::Write;

impl Plan {
    /// The plan as text for people: equations, channels and why, costs, programs and adjoints.
    pub fn explain(&self, problem: &Problem) -> String {
        let mut text = String::new();
        write_problem(problem, self, &mut text);
        for term in &self.terms {
            let listing = Listing { problem, pool: &self.pool, term };
            write_term(&listing, &mut text);
        }
        text
    }

    /// The names of a term's channels, such as `u`, `x` and `Δ`.
    pub fn channel_names(&self, problem: &Problem, term: &Term) -> Vec<String> {
        Listing { problem, pool: &self.pool, term }.channel_names(&term.channels)
    }

    /// The channel set of a term, such as `{u, x, L}`.
    pub fn channel_set(&self, problem: &Problem, term: &Term) -> String {
        Listing { problem, pool: &self.pool, term }.channel_set()
    }
}

fn write_problem(problem: &Problem, plan: &Plan, text: &mut String) {
    _ = writeln!(text, "{}\n", problem.title);
    let coordinates: Vec<String> = (problem.domain.coordinates.iter())
        .map(|coordinate| {
            let role = match coordinate.role {
                Role::Space => "",
                Role::Time => " (time)",
                Role::Parameter => " (parameter)",
            };
            format!("{} in [{}, {}]{role}", coordinate.name, coordinate.low, coordinate.high)
        })
        .collect();
    write_field(text, "coordinates", &shortened(&coordinates));
    if let Some(geometry) = &problem.domain.geometry {
        write_geometry(problem, geometry, text);
    }
    write_known(problem, text);
    if !problem.constants.is_empty() {
        let constants: Vec<String> =
            problem.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        write_field(text, "constants", &constants.join(", "));
    }
    for unknown in &problem.unknowns {
        let meaning = match unknown.ansatz {
            Some(ansatz) => format!("{} = {}", unknown.name, problem.pool.print(ansatz, problem)),
            None => format!("{} is a network output", unknown.name),
        };
        write_field(text, "unknown", &meaning);
    }
    for line in report(problem) {
        write_field(text, "condition", &line);
    }
    for warning in problem.warnings() {
        write_field(text, "warning", &warning);
    }
    for parameter in &problem.parameters {
        let mut range = format!("{} starts at {}", parameter.name, parameter.start);
        parameter.lower.iter().for_each(|lower| _ = write!(range, ", stays above {lower}"));
        parameter.upper.iter().for_each(|upper| _ = write!(range, ", stays below {upper}"));
        write_field(text, "trained", &range);
    }
    write_field(text, "network", &network_line(problem, &plan.architecture));
    if let Some(windows) = problem.windows() {
        let time = &problem.domain.coordinates[windows.axis].name;
        // Six digits: their rounding is of no interest.
        let short = |cut: &f64| format!("{cut:.5e}").parse().unwrap_or(*cut).to_string();
        let cuts: Vec<String> = windows.cuts.iter().map(short).collect();
        let line = format!(
            "{} in {time}, a network each, with interfaces at {}; each starts from the end of the previous one",
            windows.count(),
            cuts[1..windows.count()].join(", ")
        );
        write_field(text, "windows", &line);
    }
    _ = writeln!(text);
}

/// Letters of a known function's formula that are shown.
const LONGEST_FORMULA: usize = 160;

/// The shape, and what holds on the pieces of its boundary.
fn write_geometry(problem: &Problem, geometry: &Geometry, text: &mut String) {
    let measure = |measure: geometry::Measure| match measure.error > 0.0 {
        true => format!("about {:.4}", measure.value),
        false => format!("{:.6}", measure.value),
    };
    let kinds = [("length", "point"), ("area", "length"), ("volume", "area")];
    let (whole, part) = kinds[geometry.axes.len().clamp(1, 3) - 1];
    let pieces = geometry.solid.pieces();
    let line = format!(
        "{whole} {}, {} piece{} of the boundary",
        measure(geometry.solid.measure()),
        pieces.len(),
        if pieces.len() == 1 { "" } else { "s" }
    );
    write_field(text, "shape", &line);
    for (position, piece) in pieces.iter().enumerate() {
        let holds = problem.conditions_on(position);
        let holds = if holds.is_empty() { "no condition".to_owned() } else { holds.join(", ") };
        let size = if piece.parameters() == 0 {
            String::new()
        } else {
            format!(" ({part} {})", measure(piece.measure()))
        };
        write_field(text, "piece", &format!("{}{size}: {holds}", piece.name()));
    }
}

/// Known functions, those of shapes and those of files.
fn write_known(problem: &Problem, text: &mut String) {
    for function in &problem.given {
        let known = match &function.source {
            GivenSource::Formula(formula) => clipped(problem.pool.print(*formula, problem), LONGEST_FORMULA),
            GivenSource::Table { file, values } => {
                let counts: Vec<String> = values.axes().iter().map(|axis| axis.count.to_string()).collect();
                format!("{file}, {} values, {}", counts.join(" × "), values.kind().name())
            }
        };
        write_field(text, "known", &format!("{} = {known}", function.name));
    }
}

fn network_line(problem: &Problem, architecture: &Architecture) -> String {
    let network = &problem.network;
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (part, more) = match network.kind {
        NetworkKind::Mlp | NetworkKind::Residual => ("layer", String::new()),
        NetworkKind::Modified => ("layer", " and two encoders".to_owned()),
        NetworkKind::Pirate => ("block", " and two encoders".to_owned()),
        NetworkKind::Separable => {
            let rank = network.rank.unwrap_or(network.width);
            ("layer", format!(" for each coordinate → {}", plural(rank, "product")))
        }
    };
    let factors = network.factorization.map_or("", |_| ", factorized");
    let slopes = match network.slopes {
        Some(TrainedSlopes::Layer) => ", a slope per layer",
        Some(TrainedSlopes::Neuron) => ", a slope per neuron",
        None => "",
    };
    format!(
        "{}, {} → {} of {} {}{more}{factors}{slopes} → {}, {}",
        network.kind.name(),
        plural(architecture.features.len(), "feature"),
        plural(network.depth, part),
        network.width,
        network.activation.name(),
        plural(architecture.outputs(), "output"),
        plural(architecture.weight_count(), "weight"),
    )
}

/// Where a term's points lie.
fn place(problem: &Problem, term: &Term) -> String {
    let coordinate = |axis: usize| problem.domain.coordinates[axis].name.as_str();
    let piece = |piece: &Piece| {
        let fixed: Vec<String> =
            piece.fixed.iter().map(|&(axis, value)| format!("{} = {value}", coordinate(axis))).collect();
        let filter = piece.filter.map(|filter| format!(" where {}", problem.pool.print(filter, problem)));
        let surface = piece.surface.zip(problem.domain.geometry.as_ref());
        let surface = surface.map(|(surface, geometry)| geometry.solid.pieces()[surface].name().to_owned());
        surface.unwrap_or_else(|| fixed.join(" and ")) + &filter.unwrap_or_default()
    };
    match term.source {
        Source::Interior if problem.domain.geometry.is_some() => "the shape".to_owned(),
        Source::Interior => "the domain".to_owned(),
        Source::Prediction => "anywhere".to_owned(),
        Source::Data(position) => format!("the rows of {}", problem.data[position].file),
        Source::Condition(position) => match &problem.conditions[position].place {
            Place::Pieces(pieces) => {
                let pieces: Vec<String> = pieces.iter().map(piece).collect();
                shortened(&pieces)
            }
            Place::Wrap { axis } => format!("both ends of {} at once", coordinate(*axis)),
            Place::Interface { subdomains } => {
                let names: Vec<&str> = subdomains
                    .iter()
                    .map(|&subdomain| problem.domain.subdomains[subdomain].name.as_str())
                    .collect();
                format!("both sides of the edge of {}", names.join(", "))
            }
        },
    }
}

fn write_term(listing: &Listing, text: &mut String) {
    let term = listing.term;
    _ = writeln!(text, "── {} {}", term.name, "─".repeat(60usize.saturating_sub(term.name.chars().count())));
    write_field(text, "holds on", &place(listing.problem, term));
    for (equation, &understood) in equations(listing.problem, term).iter().zip(&term.understood) {
        write_field(text, &equation.name, &equation.text);
        let understood = listing.pool.print(understood, listing);
        write_field(text, "  understood", &format!("{understood} = 0"));
        if let Some(weight) = equation.weight {
            write_field(text, "  weight", &weight.to_string());
        }
    }
    write_field(text, "channels", &listing.channel_set());
    write_channels(listing, text);
    write_chain_rule(listing, text);
    write_cost(listing, text);
    write_programs(listing, text);
    _ = writeln!(text);
}

/// The equations that a term was made from.
fn equations<'a>(problem: &'a Problem, term: &Term) -> &'a [Equation] {
    match term.source {
        Source::Interior => &problem.equations,
        Source::Condition(position) => &problem.conditions[position].equations,
        Source::Data(position) => &problem.data[position].equations,
        Source::Prediction => &[],
    }
}

fn write_channels(listing: &Listing, text: &mut String) {
    let term = listing.term;
    let names = listing.channel_names(&term.channels);
    for (channel, (kind, name)) in term.channels.kinds.iter().zip(&names).enumerate().take(SHOWN) {
        let mut reasons = Vec::new();
        if term.signals.iter().any(|signal| usize::from(signal.channel) == channel) {
            reasons.push("read by the residual".to_owned());
        }
        let users: Vec<&str> = (term.rules.chain.iter())
            .filter(|rule| rule.factors.contains(&channel))
            .map(|rule| names[rule.channel].as_str())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .take(6)
            .collect();
        if !users.is_empty() {
            reasons.push(format!("chain rule of {}", users.join(", ")));
        }
        if channel == 0 && reasons.is_empty() {
            reasons.push("every layer needs it".to_owned());
        }
        let formula = listing.channel_formula(kind);
        _ = writeln!(text, "    {name:<6} {formula:<32}  {}", reasons.join("; "));
    }
    write_left_out(names.len(), text);
}

fn write_chain_rule(listing: &Listing, text: &mut String) {
    let term = listing.term;
    let names = listing.channel_names(&term.channels);
    let mut shown = 0;
    for (channel, name) in names.iter().enumerate() {
        let own: Vec<_> = term.rules.chain.iter().filter(|rule| rule.channel == channel).collect();
        if own.is_empty() || shown == SHOWN {
            continue;
        }
        shown += 1;
        let mut formula = format!("s1·z_{name}");
        for rule in own.iter().take(SHOWN) {
            listing.weight(rule.weight, &mut formula);
            let factors: Vec<String> =
                rule.factors.iter().map(|&factor| format!("z_{}", names[factor])).collect();
            _ = write!(formula, "s{}·{}", rule.order, factors.join("·"));
        }
        if own.len() > SHOWN {
            _ = write!(formula, " + … {} more", own.len() - SHOWN);
        }
        write_field(text, "chain rule", &format!("h_{name} = {formula}"));
    }
}

fn write_cost(listing: &Listing, text: &mut String) {
    let cost = listing.term.cost;
    let line = format!(
        "{} flop for value and gradient ({} in products), {} bytes of jets in f64",
        cost.flops(),
        cost.forward_products + cost.reverse_products,
        cost.stored_bytes(8),
    );
    write_field(text, "per point", &line);
}

fn write_programs(listing: &Listing, text: &mut String) {
    let term = listing.term;
    if !term.coefficients.outputs.is_empty() {
        _ = writeln!(text, "  coefficients");
        let outputs: Vec<String> = (0..term.coefficients.outputs.len()).map(|n| format!("c{n}")).collect();
        text.push_str(&listing.program(&term.coefficients, &outputs, "    "));
        let adjoint = &term.coefficients_adjoint;
        if !adjoint.variables.is_empty() {
            _ = writeln!(text, "  adjoint of the coefficients (seed n = d loss/d c n)");
            text.push_str(&listing.program(&adjoint.program, &slopes(listing, &adjoint.variables), "    "));
        }
    }
    _ = writeln!(text, "  residual program");
    let outputs: Vec<String> = term.residuals.iter().map(|residual| residual.name.clone()).collect();
    text.push_str(&listing.program(&term.residual, &outputs, "    "));
    let seeds: Vec<String> =
        outputs.iter().enumerate().map(|(place, name)| format!("seed{place} = d loss/d {name}")).collect();
    _ = writeln!(text, "  adjoint program ({})", seeds.join(", "));
    let outputs = slopes(listing, &term.adjoint.variables);
    text.push_str(&listing.program(&term.adjoint.program, &outputs, "    "));
}

/// What the outputs of an adjoint program are called.
fn slopes(listing: &Listing, variables: &[Variable]) -> Vec<String> {
    let name = |variable: &Variable| match variable {
        Variable::Signal(signal) => format!("d loss/d {}", listing.signal(usize::from(*signal))),
        Variable::Scalar(scalar) => format!("d loss/d {}", listing.scalar(usize::from(*scalar))),
    };
    variables.iter().map(name).collect()
}

/// Channels, rules and coordinates that are listed one by one; 100 dimensions would fill pages.
const SHOWN: usize = 24;

fn write_left_out(count: usize, text: &mut String) {
    if count > SHOWN {
        _ = writeln!(text, "    … and {} more", count - SHOWN);
    }
}

fn shortened(items: &[String]) -> String {
    match items.len() {
        0..=6 => items.join(", "),
        count => format!("{}, … ({count} in all)", items[..4].join(", ")),
    }
}

fn write_field(text: &mut String, name: &str, value: &str) {
    _ = writeln!(text, "  {name:<14} {value}");
}
