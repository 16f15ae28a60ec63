//! A stretch of training with one method.

use crate::optimize::{Optimizer, Roles, optimizer};
use method::{Budget, Clip, Guard, Method, Schedule, Traits};
use std::fmt;
use std::sync::Arc;

/// A stretch of training with one method and nothing left open.
#[derive(Clone, PartialEq, Debug)]
pub struct PhaseSettings {
    /// Who takes the steps.
    pub stepping: Stepping,
    /// Step length of first-order methods.
    pub learning_rate: f64,
    /// How the step length changes over the phase.
    pub schedule: Schedule,
    /// How gradients are made shorter before a step.
    pub clip: Vec<Clip>,
    /// How it is kept from breaking.
    pub guard: Guard,
    /// When it ends; at least one bound is set.
    pub budget: Budget,
    /// Whether it also ends when losses hardly fall any more: where nobody says how long to go on.
    pub ends_at_plateau: bool,
    /// Whether it also ends when measurements fit to their noise.
    pub ends_at_noise: bool,
}

/// Who takes the steps of a phase.
#[derive(Clone, PartialEq, Debug)]
pub enum Stepping {
    /// One of the methods that come with Pinnace; never [`Method::Auto`].
    Method(Method),
    /// A method from outside.
    Own(OwnOptimizer),
}

impl Stepping {
    /// The method for trainable numbers with these roles.
    pub fn make(&self, roles: &Roles) -> Box<dyn Optimizer> {
        match self {
            Stepping::Method(method) => optimizer(*method, roles),
            Stepping::Own(own) => (own.make)(roles.count, roles.weights),
        }
    }

    /// What is decided by the method. One from outside is taken for a method that sees gradients alone.
    pub fn traits(&self) -> Traits {
        match self {
            Stepping::Method(method) => method.traits(),
            Stepping::Own(_) => Method::Adam.traits(),
        }
    }

    /// As people call it.
    pub fn title(&self) -> &str {
        match self {
            Stepping::Method(method) => method.title(),
            Stepping::Own(own) => &own.name,
        }
    }
}

/// Makes a method for so many trainable numbers, the first of which are weights.
pub type Make = dyn Fn(usize, usize) -> Box<dyn Optimizer> + Send + Sync;

/// A method from outside, by name.
#[derive(Clone)]
pub struct OwnOptimizer {
    name: String,
    make: Arc<Make>,
}

impl OwnOptimizer {
    /// Calls whatever `make` makes for so many trainable numbers, the first of which are weights, by a name.
    pub fn new(
        name: &str,
        make: impl Fn(usize, usize) -> Box<dyn Optimizer> + Send + Sync + 'static,
    ) -> Self {
        OwnOptimizer { name: name.to_owned(), make: Arc::new(make) }
    }

    /// As its author calls it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl PartialEq for OwnOptimizer {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.make, &other.make)
    }
}

impl fmt::Debug for OwnOptimizer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("OwnOptimizer").field(&self.name).finish()
    }
}
