//! Names of fields outside formulas: `u`, `u_t`, `u_xx`.

use super::{Problem, axes};
use crate::expression::{Derivative, Field, Leaf, Names};

/// Why a name is no unknown and no derivative of one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FieldNameError {
    /// Nothing before the underscore is an unknown.
    #[error("`{name}` is neither an unknown nor a derivative of one; the unknowns are {}", unknowns.join(", "))]
    NoUnknown {
        /// As written.
        name: String,
        /// What there is.
        unknowns: Vec<String>,
    },
    /// What follows the underscore is not made of coordinates.
    #[error("`{name}`: `{suffix}` is not made of coordinates; the coordinates are {}", coordinates.join(", "))]
    NoCoordinates {
        /// As written.
        name: String,
        /// The part after the unknown.
        suffix: String,
        /// What there is.
        coordinates: Vec<String>,
    },
    /// More derivatives than channels carry.
    #[error(
        "`{name}` is a derivative of order {order}; derivatives go up to order {}",
        Derivative::MAX_ORDER
    )]
    Order {
        /// As written.
        name: String,
        /// How many.
        order: usize,
    },
}

impl Problem {
    /// The unknown, by position, and the derivative that a name such as `u_xx` stands for.
    pub fn find_field(&self, name: &str) -> Result<(usize, Derivative), FieldNameError> {
        let names = || self.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str());
        let mut nearest = None;
        for (position, unknown) in self.unknowns.iter().enumerate() {
            if unknown.name == name {
                return Ok((position, Derivative::NONE));
            }
            let suffix = name.strip_prefix(unknown.name.as_str()).and_then(|rest| rest.strip_prefix('_'));
            let Some(suffix) = suffix else { continue };
            let Some(axes) = axes(names(), suffix) else {
                nearest.get_or_insert(suffix);
                continue;
            };
            let order = axes.len();
            let derivative = Derivative::new(&axes);
            return derivative
                .map(|derivative| (position, derivative))
                .ok_or_else(|| FieldNameError::Order { name: name.to_owned(), order });
        }
        Err(match nearest {
            Some(suffix) => FieldNameError::NoCoordinates {
                name: name.to_owned(),
                suffix: suffix.to_owned(),
                coordinates: names().map(str::to_owned).collect(),
            },
            None => FieldNameError::NoUnknown {
                name: name.to_owned(),
                unknowns: self.unknowns.iter().map(|unknown| unknown.name.clone()).collect(),
            },
        })
    }

    /// The name of an unknown or of its derivative, as [`Self::find_field`] reads it.
    pub fn field_name(&self, unknown: usize, derivative: Derivative) -> String {
        self.leaf(Leaf::Field(Field { unknown: unknown as u16, derivative, site: 0 }))
    }
}
