//! Terms that go through the network of another one, which carries more channels than they need: every network is
//! written out by itself, and compiling takes as long as there are different ones.

use equation::taylor::{ChannelKind, Plan, Term};
use std::sync::Arc;

/// The plan with all channels of the widest term in every term that needs some of them.
pub(super) fn merged(plan: &Plan) -> Plan {
    widened(plan, usize::MAX)
}

/// The same among terms of fewer channels than the widest has, which stays by itself.
pub(super) fn gathered(plan: &Plan) -> Plan {
    widened(plan, plan.terms.iter().map(|term| term.channels.len()).max().unwrap_or(0))
}

/// The plan with all channels of the widest term of fewer than `limit` in every other such term that needs some of them.
fn widened(plan: &Plan, limit: usize) -> Plan {
    let mut widened = plan.clone();
    let narrow = |term: &&Arc<Term>| term.channels.len() < limit;
    let Some(widest) = plan.terms.iter().filter(narrow).max_by_key(|term| term.channels.len()) else {
        return widened;
    };
    for term in widened.terms.iter_mut().filter(|term| term.channels.len() < limit) {
        let Some(places) = places(term, widest) else { continue };
        let term = Arc::make_mut(term);
        for signal in &mut term.signals {
            signal.channel = places[usize::from(signal.channel)];
        }
        (term.channels, term.rules) = (widest.channels.clone(), widest.rules.clone());
    }
    widened
}

/// Where a wider term has the channels of a narrower one; `None` where it lacks one, or where channels differ from point
/// to point.
fn places(term: &Term, widest: &Term) -> Option<Vec<u16>> {
    let fixed = |term: &Term| term.channels.coefficients.is_empty();
    if !(fixed(term) && fixed(widest) && term.row.sites == widest.row.sites) {
        return None;
    }
    let place = |kind: &ChannelKind| {
        let found = widest.channels.kinds.iter().position(|other| same(kind, other))?;
        u16::try_from(found).ok()
    };
    term.channels.kinds.iter().map(place).collect()
}

fn same(one: &ChannelKind, other: &ChannelKind) -> bool {
    match (one, other) {
        (ChannelKind::Value, ChannelKind::Value) => true,
        (ChannelKind::Plain(one), ChannelKind::Plain(other)) => one == other,
        (ChannelKind::Collapsed { operator: one, .. }, ChannelKind::Collapsed { operator: other, .. }) => {
            one == other
        }
        _ => false,
    }
}
