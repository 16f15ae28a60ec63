//! `sampling` of `[training]` and its phases: a list of a sequence, of what moves points, and of what watches that.

use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::reader;
use crate::problem::{
    Adaptive, Addition, Criterion, Phase, Priority, Problem, Sampler, Sampling, Steepness, Veto,
};

/// What the list replaces.
const SHORT_FORMS: [&str; 3] = ["sampler", "adaptive", "causal"];

/// More candidates per point than this cost more than they find.
const MOST_CANDIDATES: i64 = 1000;

/// More points at which moves are judged than this would cost more than training.
const MOST_VETO_POINTS: i64 = 10_000_000;

/// A word of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Sequence(Sampler),
    Rad,
    Gradient,
    Uncertainty,
    Rar,
    RarD,
    R3,
    Hierarchical,
    Causal,
    Veto,
}

const KINDS: [(&str, Kind); 16] = [
    ("rad", Kind::Rad),
    ("gradient", Kind::Gradient),
    ("uncertainty", Kind::Uncertainty),
    ("rar", Kind::Rar),
    ("rar-d", Kind::RarD),
    ("r3", Kind::R3),
    ("hierarchical", Kind::Hierarchical),
    ("causal", Kind::Causal),
    ("veto", Kind::Veto),
    ("sobol", Kind::Sequence(Sampler::Sobol)),
    ("uniform", Kind::Sequence(Sampler::Uniform)),
    ("latin-hypercube", Kind::Sequence(Sampler::LatinHypercube)),
    ("halton", Kind::Sequence(Sampler::Halton)),
    ("hammersley", Kind::Sequence(Sampler::Hammersley)),
    ("grid", Kind::Sequence(Sampler::Grid)),
    ("chebyshev", Kind::Sequence(Sampler::Chebyshev)),
];

impl Kind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The keys of its table.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::Sequence(_) | Kind::R3 | Kind::Causal => &["kind"],
            Kind::Rad => &["kind", "power", "floor", "candidates"],
            Kind::Gradient => &["kind", "of", "power", "floor", "candidates"],
            Kind::Uncertainty => &["kind", "damping", "power", "floor", "candidates"],
            Kind::Rar => &["kind", "add", "candidates"],
            Kind::RarD => &["kind", "power", "floor", "add", "candidates"],
            Kind::Hierarchical => &["kind", "split", "merge", "candidates"],
            Kind::Veto => &["kind", "points", "factor"],
        }
    }
}

/// Reads what a table states over what holds otherwise, the short forms included.
pub(super) fn read(table: &TomlTable, phase: &mut Phase, mistakes: &mut Mistakes) {
    let short = || SHORT_FORMS.iter().filter_map(|key| table.get(key));
    let list = table.get("sampling");
    if let Some(entry) = short().next()
        && (list.is_some() || phase.sampling.is_some())
    {
        let place = if list.is_some() { "" } else { " of [training]" };
        let message = format!("`{}` and `sampling`{place} both say where points lie", entry.key);
        let hint = match entry.key.as_str() {
            "adaptive" => "state one of them: `adaptive = true` is the entry \"rad\" of the list",
            "causal" => "state one of them: `causal = true` is the entry \"causal\" of the list",
            _ => "state one of them: a sequence may be an entry of the list, as in [\"halton\", \"rad\"]",
        };
        mistakes.report_with(entry.key_span, message, hint);
        return;
    }
    let samplers = Sampler::ALL.map(|sampler| (sampler.name(), sampler));
    let sampler = table.get("sampler").and_then(|entry| reader::choice(&entry.node, &samplers, mistakes));
    phase.sampler = sampler.unwrap_or(phase.sampler);
    let adaptive = table.get("adaptive").and_then(|entry| reader::boolean(&entry.node, mistakes));
    phase.adaptive = adaptive.or(phase.adaptive);
    let causal = table.get("causal").and_then(|entry| reader::boolean(&entry.node, mistakes));
    phase.causal = causal.or(phase.causal);
    if let Some(entry) = list {
        phase.sampling = sampling(&entry.node, mistakes);
        if let Some(Sampling { sampler, .. }) = phase.sampling {
            (phase.sampler, phase.adaptive, phase.causal) = (sampler, None, None);
        }
    }
}

/// Reports a list that the rest of its phase contradicts; `table` states some of it.
pub(super) fn check_phase(table: &TomlTable, phase: &Phase, mistakes: &mut Mistakes) {
    let Some(sampling) = &phase.sampling else { return };
    let stated = |keys: &[&str]| keys.iter().find_map(|key| table.get(key));
    let entry = stated(&["sampling", "resample"]);
    if let (Some(TomlEntry { node, .. }), Some(0)) = (entry, phase.resample)
        && (sampling.adaptive.moves() || sampling.causal)
    {
        let mover = if sampling.adaptive.moves() { "adaptive sampling" } else { "causal training" };
        let message = format!("{mover} moves points, and `resample = 0` keeps them where they are");
        mistakes.report_with(
            node.span,
            message,
            "state how many steps lie between two moves: `resample = 100`",
        );
    }
    let entry = stated(&["most_points", "points", "sampling"]);
    if let (Some(TomlEntry { node, .. }), Some(points), Some(most)) = (entry, phase.points, phase.most_points)
        && sampling.adaptive.grows()
        && most <= points
    {
        let message = format!("no point can be added: there are {points} points, and at most {most}");
        mistakes.report_with(node.span, message, "make `most_points` larger than `points`");
    }
}

/// Reports lists with `causal` in a problem without time.
pub(in crate::parse) fn check(training: &TomlTable, problem: &Problem, mistakes: &mut Mistakes) {
    if problem.time().is_some() {
        return;
    }
    let items = match training.get("phase").map(|entry| &entry.node.value) {
        Some(TomlValue::Array(items)) => items.as_slice(),
        _ => &[],
    };
    let phases = items.iter().filter_map(|item| match &item.value {
        TomlValue::Table(table) => Some(table),
        _ => None,
    });
    for table in std::iter::once(training).chain(phases) {
        let Some(list) = table.get("sampling") else { continue };
        if let Some(entry) = entries(&list.node).iter().find(|entry| word(entry) == Some("causal")) {
            let hint = "time is the coordinate named `t`; otherwise leave \"causal\" out";
            mistakes.report_with(entry.span, "there is no time that could come first", hint);
        }
    }
}

/// The entries of a list; a single entry needs no brackets.
fn entries(node: &TomlNode) -> &[TomlNode] {
    match &node.value {
        TomlValue::Array(items) => items,
        _ => std::slice::from_ref(node),
    }
}

/// What an entry is called.
fn word(node: &TomlNode) -> Option<&str> {
    match &node.value {
        TomlValue::Text(text) => Some(&text.content),
        TomlValue::Table(table) => word(&table.get("kind")?.node),
        _ => None,
    }
}

fn sampling(node: &TomlNode, mistakes: &mut Mistakes) -> Option<Sampling> {
    let mut read = Sampling { sampler: Sampler::Sobol, adaptive: Adaptive::Even, causal: false, veto: None };
    let mut seen: Vec<Kind> = Vec::new();
    let mut complete = true;
    for entry in entries(node) {
        let Some((kind, settings)) = kind(entry, mistakes) else {
            complete = false;
            continue;
        };
        if let Some((message, hint)) = conflict(&seen, kind) {
            mistakes.report_with(entry.span, message, hint);
            complete = false;
            continue;
        }
        seen.push(kind);
        complete &= add(&mut read, kind, settings, mistakes).is_some();
    }
    if read.veto.is_some() && !read.adaptive.moves() && complete {
        let message = "there are no moves that `veto` could take back";
        mistakes.report_with(node.span, message, "add a method that moves points, such as \"rad\"");
        return None;
    }
    complete.then_some(read)
}

/// What an entry says, and where its settings stand.
fn kind<'d>(node: &'d TomlNode, mistakes: &mut Mistakes) -> Option<(Kind, Option<&'d TomlTable>)> {
    match &node.value {
        TomlValue::Text(_) => Some((reader::choice(node, &KINDS, mistakes)?, None)),
        TomlValue::Table(table) => {
            let Some(entry) = table.get("kind") else {
                let hint = "such as `{ kind = \"rad\", power = 2 }`";
                mistakes.report_with(node.span, "this entry has no `kind`", hint);
                return None;
            };
            let kind = reader::choice(&entry.node, &KINDS, mistakes)?;
            reader::only(table, kind.keys(), "key", mistakes);
            Some((kind, Some(table)))
        }
        _ => {
            let message = format!("expected a word, a table or a list of them, found {}", node.value.kind());
            let hint = "such as [\"r3\", \"causal\"] or [{ kind = \"rad\", power = 2 }]";
            mistakes.report_with(node.span, message, hint);
            None
        }
    }
}

/// Why an entry cannot stand beside those before it.
fn conflict(seen: &[Kind], kind: Kind) -> Option<(String, String)> {
    use Kind::{Causal, Gradient, Hierarchical, R3, Rad, Rar, RarD, Sequence, Uncertainty};
    let name = kind.name();
    if seen.contains(&kind) {
        return Some((format!("`{name}` is in the list twice"), "state it once".to_owned()));
    }
    let movers = [Rad, Gradient, Uncertainty, Rar, RarD, R3, Hierarchical];
    let priorities = [Rad, Gradient, Uncertainty];
    for &other in seen {
        let first = other.name();
        match (other, kind) {
            (Sequence(_), Sequence(_)) => {
                let message = format!("`{first}` and `{name}` are two sequences, and points come from one");
                return Some((message, "state one of them".to_owned()));
            }
            (Rar | RarD, Causal) | (Causal, Rar | RarD) => {
                let method = if kind == Causal { first } else { name };
                let message = format!(
                    "`{method}` never moves its first points, and `causal` begins with early times only"
                );
                return Some((message, "use \"r3\" or \"rad\" with \"causal\"".to_owned()));
            }
            (Sequence(Sampler::Grid | Sampler::Chebyshev), Rar | RarD | R3)
            | (Rar | RarD | R3, Sequence(Sampler::Grid | Sampler::Chebyshev)) => {
                let message =
                    format!("`{first}` and `{name}`: a grid has no new points beside those that stay");
                return Some((message, "use another sequence, such as \"sobol\"".to_owned()));
            }
            _ if movers.contains(&other)
                && movers.contains(&kind)
                && !(priorities.contains(&other) && priorities.contains(&kind)) =>
            {
                let message = format!("`{first}` and `{name}` both decide which points stay");
                let hint = "state one of them; only \"rad\", \"gradient\" and \"uncertainty\" add up";
                return Some((message, hint.to_owned()));
            }
            _ => {}
        }
    }
    None
}

/// Adds an entry to what was read before.
fn add(
    sampling: &mut Sampling,
    kind: Kind,
    settings: Option<&TomlTable>,
    mistakes: &mut Mistakes,
) -> Option<()> {
    let mut settings = EntrySettings { table: settings, mistakes };
    match kind {
        Kind::Sequence(sampler) => sampling.sampler = sampler,
        Kind::Causal => sampling.causal = true,
        Kind::R3 => sampling.adaptive = Adaptive::Retained,
        Kind::Rad | Kind::Gradient | Kind::Uncertainty => {
            let criterion = match kind {
                Kind::Gradient => Criterion::Gradient(settings.steepness()?),
                Kind::Uncertainty => Criterion::Uncertainty { damping: settings.positive("damping", 1e-6)? },
                _ => Criterion::Residual,
            };
            let (power, floor) = (settings.positive("power", 1.0)?, settings.least_zero("floor", 1.0)?);
            let own = settings.candidates(Adaptive::CANDIDATES)?;
            let priority = Priority { criterion, power, floor };
            match &mut sampling.adaptive {
                // One set of candidates serves all.
                Adaptive::Chosen { priorities, candidates } => {
                    priorities.push(priority);
                    *candidates = own.max(*candidates);
                }
                other => *other = Adaptive::Chosen { priorities: vec![priority], candidates: own },
            }
        }
        Kind::Rar | Kind::RarD => {
            let choice = match kind {
                Kind::Rar => Addition::Largest,
                _ => Addition::ByChance {
                    power: settings.positive("power", 2.0)?,
                    floor: settings.least_zero("floor", 0.0)?,
                },
            };
            let add = settings.count("add", 1..=i64::MAX)?;
            let candidates = settings.candidates(Adaptive::CANDIDATES)?;
            sampling.adaptive = Adaptive::Added { choice, add, candidates };
        }
        Kind::Hierarchical => {
            let (split, merge) = (settings.positive("split", 2.0)?, settings.positive("merge", 0.5)?);
            if merge >= split {
                let entry = settings.table.and_then(|table| table.get("merge").or(table.get("split")))?;
                let message =
                    format!("`merge` is {merge} and `split` is {split}: cells would join as they split");
                settings.mistakes.report_with(entry.node.span, message, "make `merge` smaller than `split`");
                return None;
            }
            let candidates = settings.candidates(2 * Adaptive::CANDIDATES)?;
            sampling.adaptive = Adaptive::Cells { split, merge, candidates };
        }
        Kind::Veto => {
            let points = settings.count("points", 1..=MOST_VETO_POINTS)?.unwrap_or(1024);
            let factor = settings.positive("factor", 2.0)?;
            if factor <= 1.0 {
                let entry = settings.table.and_then(|table| table.get("factor"))?;
                let hint = "residuals fall slowly and not always: `factor = 2` takes back what doubles them";
                settings.mistakes.report_with(entry.node.span, "expected a number above 1", hint);
                return None;
            }
            sampling.veto = Some(Veto { points, factor });
        }
    }
    Some(())
}

/// The settings of an entry: what is not stated is as usual, and `None` is a mistake that was reported.
struct EntrySettings<'d, 'm> {
    table: Option<&'d TomlTable>,
    mistakes: &'m mut Mistakes,
}

impl<'d> EntrySettings<'d, '_> {
    fn stated(&self, key: &str) -> Option<&'d TomlNode> {
        Some(&self.table?.get(key)?.node)
    }

    fn positive(&mut self, key: &str, usual: f64) -> Option<f64> {
        self.stated(key).map_or(Some(usual), |node| reader::positive(node, self.mistakes))
    }

    fn least_zero(&mut self, key: &str, usual: f64) -> Option<f64> {
        let Some(node) = self.stated(key) else { return Some(usual) };
        let value = reader::number(node, self.mistakes)?;
        if value < 0.0 {
            self.mistakes.report(node.span, "expected a number of at least 0");
            return None;
        }
        Some(value)
    }

    /// A number that may be left open.
    fn count(&mut self, key: &str, range: std::ops::RangeInclusive<i64>) -> Option<Option<usize>> {
        let Some(node) = self.stated(key) else { return Some(None) };
        reader::count(node, range, self.mistakes).map(Some)
    }

    fn candidates(&mut self, usual: usize) -> Option<usize> {
        Some(self.count("candidates", 2..=MOST_CANDIDATES)?.unwrap_or(usual))
    }

    fn steepness(&mut self) -> Option<Steepness> {
        let words = [("field", Steepness::Field), ("residual", Steepness::Residual)];
        let node = self.stated("of");
        node.map_or(Some(Steepness::Field), |node| reader::choice(node, &words, self.mistakes))
    }
}
