//! The document to the problem: sections in the order in which they need each other.

use super::document::{self, TomlEntry, TomlTable, TomlValue};
use super::expression::Workshop;
use super::files::FileReader;
use super::sections::{
    ansatz, conditions, constants, data, domain, equations, functions, geometry, network, performance,
    quantities, reference, regions, repeated, sampling, training, unknowns, windows,
};
use super::source::{Sources, Span};
use super::{overrides, reader};
use crate::expression::Expression;
use crate::problem::{self, Domain, Equation, Gap, LeftOpen, Problem};

const SECTIONS: [&str; 17] = [
    "title",
    "domain",
    "geometry",
    "regions",
    "constants",
    "functions",
    "unknowns",
    "parameters",
    "equations",
    "conditions",
    "data",
    "ansatz",
    "network",
    "training",
    "performance",
    "reference",
    "quantities",
];

/// Reads everything that can be read. A problem of a file with mistakes holds placeholders and must
/// not leave the parser; `None` when the file is not even TOML. The pool stays in the workshop.
pub(super) fn build(
    sources: &Sources,
    overrides: usize,
    files: &dyn FileReader,
    workshop: &mut Workshop,
) -> Option<Problem> {
    let mut document = document::read(sources, &mut workshop.mistakes)?;
    overrides::merge(&mut document, sources, overrides, &mut workshop.mistakes);
    for entry in &document.entries {
        if !SECTIONS.contains(&entry.key.as_str()) {
            reader::unknown(entry, &SECTIONS, "section", &mut workshop.mistakes);
        }
    }
    let empty = TomlTable::default();
    let mut section = |name: &str| match document.get(name) {
        Some(entry) => reader::table(&entry.node, &mut workshop.mistakes).unwrap_or(&empty),
        None => &empty,
    };
    let domain_section = section("domain");
    let geometry_section = section("geometry");
    let regions_section = section("regions");
    let constants_section = section("constants");
    let functions_section = section("functions");
    let unknowns_section = section("unknowns");
    let parameters_section = section("parameters");
    let equations_section = section("equations");
    let conditions_section = section("conditions");
    let data_section = section("data");
    let ansatz_section = section("ansatz");
    let network_section = section("network");
    let training_section = section("training");
    let performance_section = section("performance");
    let reference_section = section("reference");
    let quantities_section = section("quantities");
    let title = document.get("title").and_then(|entry| reader::text(&entry.node, &mut workshop.mistakes));

    let declared = domain::declare(domain_section, workshop);
    constants::declare(constants_section, workshop);
    functions::declare(functions_section, workshop);
    let (mut unknowns, units) = unknowns::declare_unknowns(unknowns_section, workshop);
    let declared_parameters = unknowns::declare_parameters(parameters_section, workshop);
    for (name, base, span) in workshop.scope.shadows() {
        let message = format!("`{name}` already means a derivative of `{base}`");
        workshop.mistakes.report_with(span, message, "choose another name");
    }

    let constants = constants::read(constants_section, workshop);
    let ranges = domain::ranges(&declared, workshop);
    if document.get("geometry").is_some() {
        required(&document, "geometry", "shape = \"disk([0, 0], 1)\"", sources, workshop);
    }
    let geometry = geometry::read(geometry_section, &ranges, files, workshop);
    let subdomains = regions::read(regions_section, files, workshop);
    let system = domain::system(domain_section, &ranges, geometry.is_some(), workshop);
    let parameters = unknowns::parameters(&declared_parameters, workshop);

    let complete = required(&document, "domain", "x = [0, 1]", sources, workshop)
        & required(&document, "unknowns", "u = {}", sources, workshop)
        & !declared.is_empty();
    required(&document, "equations", "poisson = \"u_xx + u_yy = 1\"", sources, workshop);
    let mut stated = Vec::new();
    let mut stated_conditions = Vec::new();
    let mut data = Vec::new();
    let mut reference = problem::Reference::default();
    let mut quantities = Vec::new();
    let mut elsewhere = Vec::new();
    let coordinates = domain::coordinates(declared, &ranges);
    workshop.territory = Some(Domain {
        coordinates: coordinates.clone(),
        system,
        geometry: geometry.clone(),
        subdomains: subdomains.clone(),
    });
    // Without coordinates or unknowns every name would be a mistake of its own.
    if complete {
        functions::read(functions_section, &ranges, files, workshop);
        stated = equations::read(equations_section, workshop);
        elsewhere = std::mem::take(&mut workshop.elsewhere);
        let residuals: Vec<Expression> = stated.iter().map(|(equation, _)| equation.residual).collect();
        let inputs = conditions::ConditionInputs {
            ranges: &ranges,
            geometry: geometry.as_ref(),
            is_shapeless: geometry.is_none() && document.get("geometry").is_some(),
            unknowns: &unknowns,
            equations: &residuals,
            regions: regions_section,
            subdomains: &subdomains,
        };
        stated_conditions = conditions::read(conditions_section, &inputs, workshop);
        data = data::read(data_section, &unknowns, workshop);
        repeated::report(&stated_conditions, data_section, workshop);
        ansatz::read(ansatz_section, &mut unknowns, workshop);
        reference = reference::read(reference_section, &unknowns, workshop);
        quantities = quantities::read(quantities_section, workshop);
    }
    let network = network::read(network_section, workshop);
    let training = training::read(training_section, reference_section, workshop);
    let performance = performance::read(performance_section, &mut workshop.mistakes);

    let (equations, equation_spans): (Vec<_>, Vec<Span>) = stated.into_iter().unzip();
    let (conditions, condition_spans): (Vec<_>, Vec<Span>) = stated_conditions.into_iter().unzip();
    let open = LeftOpen {
        windows: training::stated_windows(training_section).is_none(),
        activation: network::neurons(network_section),
        condition_points: training_section.get("condition_points").is_none(),
        units: unknowns::open_units(&unknowns, &units, &mut workshop.mistakes),
    };
    let mut problem = Problem {
        title: title.map_or_else(String::new, |text| text.content.clone()),
        pool: crate::expression::Pool::default(),
        domain: Domain { coordinates, system, geometry, subdomains },
        constants,
        unknowns,
        parameters,
        equations,
        elsewhere,
        conditions,
        data,
        network,
        training,
        performance,
        reference,
        quantities,
        given: std::mem::take(&mut workshop.given),
        enforcements: Vec::new(),
        bare_faces: Vec::new(),
        open,
    };
    let section = document.get("equations").map_or(Span::new(0, 0..0), |entry| entry.key_span);
    // Periodic conditions and data build expressions after their texts have been settled.
    if let Some(overflow) = workshop.pool.take_overflow() {
        workshop.mistakes.report(section, overflow.to_string());
    }
    if workshop.mistakes.is_empty() {
        std::mem::swap(&mut problem.pool, &mut workshop.pool);
        let gaps = problem::gaps(&problem);
        let spans = Spans { section, equations: &equation_spans, conditions: &condition_spans };
        // Of a problem that lacks something it cannot be said what windows lack.
        if gaps.is_empty() {
            problem.bare_faces = problem::bare_faces(&problem);
            windows::check(training_section, &problem, &mut workshop.mistakes);
            sampling::check(training_section, &problem, &mut workshop.mistakes);
        }
        gaps.into_iter().for_each(|gap| report(gap, &problem, &spans, workshop));
        std::mem::swap(&mut problem.pool, &mut workshop.pool);
    }
    Some(problem)
}

/// Whether a section has entries; reported when it has none.
fn required(
    document: &TomlTable,
    name: &str,
    example: &str,
    sources: &Sources,
    workshop: &mut Workshop,
) -> bool {
    let entry = document.get(name);
    let (span, message) = match entry {
        Some(TomlEntry { node, key_span, .. }) => match &node.value {
            TomlValue::Table(table) if !table.entries.is_empty() => return true,
            TomlValue::Table(_) => (*key_span, format!("section [{name}] is empty")),
            // Reported as a wrong type.
            _ => return false,
        },
        None => {
            let end = sources.text(0).len();
            (Span::new(0, end..end), format!("section [{name}] is missing"))
        }
    };
    workshop.mistakes.report_with(span, message, format!("add `[{name}]` with lines such as `{example}`"));
    false
}

/// Where to point for what a file lacks.
struct Spans<'s> {
    section: Span,
    equations: &'s [Span],
    conditions: &'s [Span],
}

fn report(gap: Gap, problem: &Problem, spans: &Spans<'_>, workshop: &mut Workshop) {
    let declaration = |name: &str| workshop.scope.span(name).unwrap_or(spans.section);
    let (span, message, hint) = match gap {
        Gap::NothingPins => (
            spans.section,
            "the solution is not unique: there are no conditions, no data and no ansatz".to_owned(),
            "add `[conditions]` with lines such as `walls = { on = \"boundary\", equation = \"u = 0\" }`"
                .to_owned(),
        ),
        Gap::Initial { unknown, axis, equation, needed, found } => {
            let (name, time) = (&problem.unknowns[unknown].name, &problem.domain.coordinates[axis]);
            let derivative = match found {
                0 => name.clone(),
                times => format!("{name}_{}", time.name.repeat(times)),
            };
            let (low, time) = (time.low, &time.name);
            (
                spans.equations.get(equation).copied().unwrap_or(spans.section),
                format!(
                    "missing initial condition: `{name}` has {needed} derivative{} in `{time}` and {found} condition{} at an end of `{time}`",
                    if needed == 1 { "" } else { "s" },
                    if found == 1 { "" } else { "s" },
                ),
                format!(
                    "add to [conditions]: `start = {{ on = \"{time} = {low}\", equation = \"{derivative} = 0\" }}`"
                ),
            )
        }
        Gap::Boundary { axis } => {
            let coordinate = &problem.domain.coordinates[axis];
            let (name, low, high) = (&coordinate.name, coordinate.low, coordinate.high);
            let unknown = problem.unknowns.first().map_or("u", |unknown| &unknown.name);
            (
                declaration(name),
                format!(
                    "missing boundary condition: no condition fixes `{name}`, which has second derivatives"
                ),
                format!(
                    "add to [conditions]: `walls = {{ on = \"{name} = {low}, {name} = {high}\", equation = \"{unknown} = 0\" }}`; or, if its ends need none: `{name} = {{ range = [{low}, {high}], open = true }}`"
                ),
            )
        }
        Gap::Unpinned { unknown, axis, equation } => {
            let (name, coordinate) = (&problem.unknowns[unknown].name, &problem.domain.coordinates[axis]);
            let (low, high, coordinate) = (coordinate.low, coordinate.high, &coordinate.name);
            (
                spans.equations.get(equation).copied().unwrap_or(spans.section),
                format!(
                    "missing condition: `{name}` has second derivatives in `{coordinate}` and no condition mentions it"
                ),
                format!(
                    "add to [conditions]: `{name}_walls = {{ on = \"{coordinate} = {low}, {coordinate} = {high}\", equation = \"{name} = 0\" }}`"
                ),
            )
        }
        Gap::EquationWithoutUnknown { equation } => {
            let span = spans.equations.get(equation).copied().unwrap_or(spans.section);
            let (message, hint) =
                without_unknown("this equation", &problem.equations[equation], problem, workshop);
            (span, message, hint)
        }
        Gap::ConditionWithoutUnknown { condition, equation } => {
            let span = spans.conditions.get(condition).copied().unwrap_or(spans.section);
            let equation = &problem.conditions[condition].equations[equation];
            let (message, hint) =
                without_unknown("an equation of this condition", equation, problem, workshop);
            (span, message, hint)
        }
        Gap::UnusedUnknown { unknown } => {
            let name = &problem.unknowns[unknown].name;
            (
                declaration(name),
                format!("no equation mentions the unknown `{name}`"),
                "remove it, or state an equation for it".to_owned(),
            )
        }
        Gap::UnusedParameter { parameter } => {
            let name = &problem.parameters[parameter].name;
            (
                declaration(name),
                format!("nothing depends on the parameter `{name}`"),
                "remove it, or use it in an equation".to_owned(),
            )
        }
    };
    workshop.mistakes.report_with(span, message, hint);
}

/// Message and hint for an equation that says nothing about any unknown.
fn without_unknown(
    subject: &str,
    equation: &Equation,
    problem: &Problem,
    workshop: &Workshop,
) -> (String, String) {
    let mut words = equation.text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    if !words.any(|word| workshop.scope.uses_unknowns(word)) {
        let names = problem.unknowns.iter().map(|unknown| unknown.name.as_str());
        let hint = format!("the unknowns are {}", super::suggest::listed(names));
        return (format!("{subject} mentions no unknown"), hint);
    }
    let rest = match problem.pool.as_number(equation.residual) {
        Some(0.0) => "it always holds",
        Some(_) => "it never holds",
        None => "what is left does not depend on them",
    };
    let message = format!("the unknowns cancel in {subject}: {rest}");
    (message, "it says nothing about them: remove or correct it".to_owned())
}
