//! Weights of parts of the loss that state none, as the phase asks for them.
//!
//! `rows` (for Gauss-Newton: conditions as strong as the equations inside), `follow` (for methods that follow the gradient: by norms of gradients,
//! traces, or how mean squares fall), `rule` (those as formulas).

mod follow;
mod rows;
mod rule;

use super::task::Equations;
use crate::TrainError;
use equation::problem::Balance;
use equation::taylor::{Plan, Residual, Source};
use train::{BalancedPart, Snapshot};

impl Equations<'_> {
    /// Sets the weights of parts of the loss that state none, where it is time for it; whether it did, and what is to be told of it.
    pub(super) fn balance(&mut self, now: &mut Snapshot) -> Result<Option<Balanced>, TrainError> {
        match self.settings().balance {
            Balance::Off | Balance::Usual => Ok(None),
            Balance::Rows => Ok(self.balance_rows(now)?.map(|parts| Balanced { parts: Some(parts) })),
            Balance::GradientNorm { .. }
            | Balance::Ntk(_)
            | Balance::SelfAdaptive { .. }
            | Balance::SoftAdapt { .. }
            | Balance::ReLoBRaLo { .. } => self.follow_parts(now),
        }
    }
}

/// The loss has other weights.
pub(super) struct Balanced {
    /// All parts, where they have changed so much that it is worth a word.
    pub(super) parts: Option<Vec<BalancedPart>>,
}

/// What the residuals of a plan are called: by the condition that has only one, or by their own names.
fn names(plan: &Plan) -> impl Iterator<Item = &str> {
    plan.terms.iter().flat_map(|term| {
        term.residuals.iter().map(|part| {
            let own = term.name == "interior" || term.residuals.len() > 1;
            if own { part.name.as_str() } else { term.name.as_str() }
        })
    })
}

/// Whether a term's weights may be chosen: measurements have noise, which no weight makes smaller.
fn is_free(source: Source, stated: bool) -> bool {
    matches!(source, Source::Condition(_) | Source::Interior) && !stated
}

type ResidualPart<'p> = (Source, &'p Residual);

fn parts(plan: &Plan) -> impl Iterator<Item = ResidualPart<'_>> {
    plan.terms.iter().flat_map(|term| term.residuals.iter().map(|part| (term.source, part)))
}

/// Whether there is something to weigh against something else.
fn is_open(plan: &Plan) -> bool {
    parts(plan).count() > 1 && parts(plan).any(|(source, part)| is_free(source, part.stated))
}
