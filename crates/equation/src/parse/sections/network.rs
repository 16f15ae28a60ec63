//! `[network]`.

use super::reference::coordinates;
use crate::parse::diagnostic::Mistakes;
use crate::parse::document::{TomlEntry, TomlNode, TomlTable, TomlValue};
use crate::parse::expression::Workshop;
use crate::parse::reader;
use crate::problem::{
    Activation, Fourier, Initialization, Network, NetworkKind, Neurons, Periodic, RandomFactors,
    TrainedSlopes,
};

/// Without a word in the file: what gets furthest in a minute of Gauss-Newton on two cores, over problems of many kinds
/// (docs/choose-a-network.md).
const WIDTH: usize = 20;
const DEPTH: usize = 3;

const KINDS: [(&str, NetworkKind); 5] = [
    ("mlp", NetworkKind::Mlp),
    ("modified-mlp", NetworkKind::Modified),
    ("residual", NetworkKind::Residual),
    ("piratenet", NetworkKind::Pirate),
    ("separable", NetworkKind::Separable),
];

const ACTIVATIONS: [(&str, Activation); 4] = [
    ("tanh", Activation::Tanh),
    ("sin", Activation::Sin),
    ("gelu", Activation::Gelu),
    ("silu", Activation::Silu),
];

const KEYS: [&str; 12] = [
    "kind",
    "width",
    "depth",
    "activation",
    "initialization",
    "frequency",
    "normalize",
    "periodic",
    "fourier",
    "factorized",
    "adaptive",
    "rank",
];

/// The words for starting weights.
#[derive(Clone, Copy)]
enum InitializationWord {
    Spread,
    Glorot,
    He,
    Siren,
}

/// The paper's omega_0 (Sitzmann et al. 2020).
const SIREN_FREQUENCY: f64 = 30.0;

/// As Wang, Wang, Seidman and Perdikaris (2022) recommend.
const FACTORIZATION: RandomFactors = RandomFactors { mean: 1.0, deviation: 0.1 };

/// Harmonics of a periodic coordinate that states none.
const HARMONICS: usize = 4;

/// Reads the section; an absent one means the defaults.
pub(in crate::parse) fn read(section: &TomlTable, workshop: &mut Workshop) -> Network {
    let mistakes = &mut workshop.mistakes;
    reader::only(section, &KEYS, "key", mistakes);
    let get = |key: &str| section.get(key).map(|entry| &entry.node);
    let kind = get("kind").and_then(|node| reader::choice(node, &KINDS, mistakes));
    let (least_width, width) = get("width").and_then(|node| widths(node, mistakes)).unwrap_or((WIDTH, WIDTH));
    let depth = get("depth").and_then(|node| reader::count(node, 1..=64, mistakes));
    let activation = get("activation").and_then(|node| reader::choice(node, &ACTIVATIONS, mistakes));
    let activation = activation.unwrap_or(Activation::Tanh);
    let normalize = get("normalize").and_then(|node| reader::boolean(node, mistakes));
    let initialization = initialization(section, activation, workshop);
    let periodic = section.get("periodic").map_or_else(Vec::new, |entry| periodic(entry, workshop));
    let fourier = section.get("fourier").and_then(|entry| fourier(entry, workshop));
    if let (Some(entry), Some(_)) = (section.get("fourier"), fourier)
        && !workshop.scope.coordinates.is_empty()
        && periodic.len() == workshop.scope.coordinates.len()
    {
        let message = "every coordinate is periodic, so none is left for Fourier features";
        workshop.mistakes.report(entry.key_span, message);
    }
    let kind = kind.unwrap_or(NetworkKind::Mlp);
    let factorization =
        section.get("factorized").and_then(|entry| factorization(entry, &mut workshop.mistakes));
    let slopes = adaptive(section, factorization.is_some(), &mut workshop.mistakes);
    let rank = rank(section, kind, &mut workshop.mistakes);
    Network {
        kind,
        width,
        least_width,
        depth: depth.unwrap_or(DEPTH),
        activation,
        initialization,
        normalize: normalize.unwrap_or(true),
        periodic,
        fourier,
        factorization,
        slopes,
        rank,
    }
}

/// What the section says about what neurons do.
pub(in crate::parse) fn neurons(section: &TomlTable) -> Neurons {
    let shape = ["kind", "initialization", "normalize", "periodic", "fourier", "factorized", "adaptive"];
    match (section.get("activation"), shape.iter().any(|key| section.get(key).is_some())) {
        (Some(_), _) => Neurons::Stated,
        (None, true) => Neurons::Shaped,
        (None, false) => Neurons::Open,
    }
}

/// A width, or two: the least and the most.
fn widths(node: &TomlNode, mistakes: &mut Mistakes) -> Option<(usize, usize)> {
    let count = |node: &TomlNode, mistakes: &mut Mistakes| reader::count(node, 1..=4096, mistakes);
    let TomlValue::Array(items) = &node.value else {
        return count(node, mistakes).map(|width| (width, width));
    };
    let [least, most] = &items[..] else {
        mistakes.report(node.span, "expected a width, or two: the least and the most");
        return None;
    };
    let (least, most) = (count(least, mistakes)?, count(most, mistakes)?);
    if least > most {
        mistakes.report(node.span, format!("expected the least width first, found {least} before {most}"));
        return None;
    }
    Some((least, most))
}

fn initialization(section: &TomlTable, activation: Activation, workshop: &mut Workshop) -> Initialization {
    let words = [
        ("spread", InitializationWord::Spread),
        ("glorot", InitializationWord::Glorot),
        ("he", InitializationWord::He),
        ("siren", InitializationWord::Siren),
    ];
    let mistakes = &mut workshop.mistakes;
    let entry = section.get("initialization");
    let start = entry
        .and_then(|entry| reader::choice(&entry.node, &words, mistakes))
        .unwrap_or(InitializationWord::Spread);
    let stated = section.get("frequency");
    let frequency = stated.and_then(|entry| reader::positive(&entry.node, mistakes));
    match start {
        InitializationWord::Siren => {
            if let (Some(entry), false) = (entry, activation == Activation::Sin) {
                let hint = "set `activation = \"sin\"`";
                mistakes.report_with(entry.node.span, "`siren` starting weights are made for `sin`", hint);
            }
            Initialization::Siren { frequency: frequency.unwrap_or(SIREN_FREQUENCY) }
        }
        InitializationWord::Spread | InitializationWord::Glorot | InitializationWord::He => {
            if let Some(stated) = stated {
                let hint = "set `initialization = \"siren\"`";
                mistakes.report_with(
                    stated.key_span,
                    "`frequency` belongs to `siren` starting weights",
                    hint,
                );
            }
            match start {
                InitializationWord::Spread => Initialization::Spread,
                InitializationWord::He => Initialization::He,
                InitializationWord::Glorot | InitializationWord::Siren => Initialization::Glorot,
            }
        }
    }
}

fn periodic(entry: &TomlEntry, workshop: &mut Workshop) -> Vec<Periodic> {
    let mut periodic: Vec<Periodic> = Vec::new();
    let mut add = |axes: Vec<usize>, harmonics: usize| {
        for axis in axes {
            if periodic.iter().all(|other| other.axis != axis) {
                periodic.push(Periodic { axis, harmonics });
            }
        }
    };
    match &entry.node.value {
        TomlValue::Table(table) => {
            for item in &table.entries {
                let axes = coordinates(&item.key, item.key_span, workshop);
                let harmonics = reader::count(&item.node, 1..=256, &mut workshop.mistakes);
                add(axes, harmonics.unwrap_or(HARMONICS));
            }
        }
        TomlValue::Text(_) | TomlValue::Array(_) => {
            for text in reader::texts(&entry.node, &mut workshop.mistakes).unwrap_or_default() {
                add(coordinates(&text.content, text.span, workshop), HARMONICS);
            }
        }
        _ => {
            reader::expected("coordinates such as [\"x\"] or { x = 4 }", &entry.node, &mut workshop.mistakes)
        }
    }
    periodic
}

fn fourier(entry: &TomlEntry, workshop: &mut Workshop) -> Option<Fourier> {
    let mistakes = &mut workshop.mistakes;
    let table = reader::record(&entry.node, &["features", "scale"], mistakes)?;
    let features = table.get("features").and_then(|entry| reader::count(&entry.node, 1..=4096, mistakes));
    let scale = table.get("scale").and_then(|entry| reader::positive(&entry.node, mistakes));
    Some(Fourier { features: features.unwrap_or(64), scale: scale.unwrap_or(1.0) })
}

/// `true`, or the distribution of the factors' logarithms.
fn factorization(entry: &TomlEntry, mistakes: &mut Mistakes) -> Option<RandomFactors> {
    let TomlValue::Table(_) = entry.node.value else {
        return reader::boolean(&entry.node, mistakes)?.then_some(FACTORIZATION);
    };
    let table = reader::record(&entry.node, &["mean", "deviation"], mistakes)?;
    let mean = table.get("mean").and_then(|entry| reader::number(&entry.node, mistakes));
    let deviation = table.get("deviation").and_then(|entry| reader::positive(&entry.node, mistakes));
    Some(RandomFactors {
        mean: mean.unwrap_or(FACTORIZATION.mean),
        deviation: deviation.unwrap_or(FACTORIZATION.deviation),
    })
}

fn adaptive(section: &TomlTable, factorized: bool, mistakes: &mut Mistakes) -> Option<TrainedSlopes> {
    let entry = section.get("adaptive")?;
    let adaptive = reader::choice(
        &entry.node,
        &[("layer", TrainedSlopes::Layer), ("neuron", TrainedSlopes::Neuron)],
        mistakes,
    )?;
    if factorized && adaptive == TrainedSlopes::Neuron {
        let message = "`factorized` gives every neuron a factor already";
        mistakes.report_with(
            entry.node.span,
            message,
            "set `adaptive = \"layer\"`, or leave one of them out",
        );
    }
    Some(adaptive)
}

/// What only networks of separate coordinates have, and what they cannot have.
fn rank(section: &TomlTable, kind: NetworkKind, mistakes: &mut Mistakes) -> Option<usize> {
    let stated = section.get("rank");
    if kind == NetworkKind::Separable {
        if let Some(entry) = section.get("fourier") {
            let message =
                "random Fourier features mix coordinates, and a separable network sees one at a time";
            mistakes.report_with(entry.key_span, message, "use `periodic`, or another `kind`");
        }
        return stated.and_then(|entry| reader::count(&entry.node, 1..=4096, mistakes));
    }
    if let Some(entry) = stated {
        let message = "`rank` belongs to separable networks";
        mistakes.report_with(entry.key_span, message, "set `kind = \"separable\"`");
    }
    None
}
