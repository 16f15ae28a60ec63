//! Which trainable numbers belong together, by what they are.

use crate::optimize::Roles;
use linear::clip::Partition;

/// Matrices with their biases, and what belongs to none.
pub(super) fn partition(roles: &Roles) -> Partition {
    let mut parts = Partition::default();
    let mut next = 0;
    for map in &roles.maps {
        parts.add_loose(next..map.first);
        next = parts.add_map(map.first, map.without_bias(), map.biased);
    }
    parts.add_loose(next..roles.weights);
    parts.add_loose(roles.weights.max(next)..roles.count);
    parts
}
