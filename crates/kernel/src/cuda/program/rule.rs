//! Rules that parameters move by, as a device has them.

use super::emit::KernelSource;
use linear::Update;

/// The kernels that have a rule in them.
pub(crate) const MOVERS: [&str; 2] = ["update", "apply"];

/// A rule; as in `device/step/update.cuh`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// That of the kernels that are always loaded.
    Adam,
    Momentum,
    Nesterov,
    RmsProp,
}

impl From<Update> for Rule {
    fn from(update: Update) -> Self {
        match update {
            Update::Adam { .. } => Rule::Adam,
            Update::Momentum { nesterov: false, .. } => Rule::Momentum,
            Update::Momentum { nesterov: true, .. } => Rule::Nesterov,
            Update::RmsProp { .. } => Rule::RmsProp,
        }
    }
}

impl Rule {
    /// Those that are compiled when they are first needed: texts of their own, so that Adam's stay what they are.
    pub(crate) const OTHERS: [Rule; 3] = [Rule::Momentum, Rule::Nesterov, Rule::RmsProp];

    /// The text of what moves parameters, beside other kernels.
    pub(crate) fn text(self, source: &KernelSource) -> String {
        let name = match self {
            Rule::Adam => "RULE_ADAM",
            Rule::Momentum => "RULE_MOMENTUM",
            Rule::Nesterov => "RULE_NESTEROV",
            Rule::RmsProp => "RULE_RMSPROP",
        };
        format!("#define RULE {name}\n{}", source.around.as_ref().unwrap_or(&source.text))
    }
}
