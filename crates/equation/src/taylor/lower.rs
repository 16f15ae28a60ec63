//! From the equations of one term to its channels and programs.

use super::adjoint::adjoint;
use super::channels::Channels;
use super::cost::Cost;
use super::given::GivenColumns;
use super::jets::Jets;
use super::program::{ProgramInputs, lower};
use super::rules::Rules;
use super::split::{Split, split};
use super::{Adjoint, Architecture, PlanError, Residual, Row, Scalar, Source, Term};
use crate::expression::{Channel, Expression, GivenField, Leaf, Pool};
use crate::problem::{Equation, GivenFunction, Unknown};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What the terms of a problem have in common.
pub(super) struct Lowering<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) architecture: &'a Architecture,
    pub(super) unknowns: &'a [Unknown],
    pub(super) scalars: &'a [Scalar],
    pub(super) given: &'a [GivenFunction],
    pub(super) coordinates: usize,
    /// 1 inside of each subdomain and 0 elsewhere, as expressions.
    pub(super) insides: &'a [Expression],
    /// Whether the term at hand says so by columns of its own.
    pub(super) told: bool,
    /// Whether points inside the domain have weights.
    pub(super) weighs_points: bool,
}

impl Lowering<'_> {
    /// Plans one term.
    pub(super) fn term(
        &mut self,
        name: &str,
        source: Source,
        sites: usize,
        equations: &[Equation],
    ) -> Result<Term, PlanError> {
        let residuals: Vec<Expression> =
            equations.iter().map(|equation| self.with_scalars(equation.residual)).collect();
        let residuals: Vec<Expression> =
            residuals.into_iter().map(|residual| self.with_subdomains(residual, 0)).collect();
        let Split { operators, residuals } = split(self.pool, &residuals);
        let channels = Channels::choose(self.pool, &operators);
        if channels.len() > Channels::LIMIT {
            let term = name.to_owned();
            return Err(PlanError::TooManyChannels {
                term,
                channels: channels.len(),
                limit: Channels::LIMIT,
            });
        }
        let rules = Rules::new(&channels);
        let understood = residuals;
        let mut residuals = self.in_channels(&understood, &operators, &channels, &rules);
        let weighted_points = self.weighs_points && source == Source::Interior;
        if weighted_points {
            // Only now: weights are no coefficients of operators.
            for (position, residual) in residuals.iter_mut().enumerate() {
                let weight = self.pool.leaf(Leaf::Column(position as u16));
                *residual = self.pool.multiply(weight, *residual);
            }
        }
        if let Some(overflow) = self.pool.overflow() {
            return Err(PlanError::Overflow { term: name.to_owned(), overflow });
        }

        let leaves = self.pool.leaves(&[&residuals[..], &channels.coefficients[..]].concat());
        let columns = match weighted_points {
            true => residuals.len(),
            false if self.told => 2 * self.insides.len(),
            false => leaves.iter().filter(|leaf| matches!(leaf, Leaf::Column(_))).count(),
        };
        // Whoever looks at a side of an interface needs to know where it is.
        let normals = self.told || leaves.iter().any(|leaf| matches!(leaf, Leaf::Normal(_)));
        let mut given: Vec<GivenField> = leaves
            .iter()
            .filter_map(|leaf| if let Leaf::Given(given) = leaf { Some(*given) } else { None })
            .collect();
        given.sort_unstable();
        let row = Row { coordinates: self.coordinates, sites, normals, columns, given: given.len() };
        let mut signals: Vec<Channel> = leaves
            .iter()
            .filter_map(|leaf| if let Leaf::Channel(channel) = leaf { Some(*channel) } else { None })
            .collect();
        signals.sort_unstable();

        let reads = ProgramInputs { row, signals: &signals, given: &given };
        let residual = lower(self.pool, &residuals, reads);
        let coefficients = lower(self.pool, &channels.coefficients, ProgramInputs { signals: &[], ..reads });
        let given = (!given.is_empty()).then(|| GivenColumns::new(self.pool, self.given, row, &given));
        let cost = Cost::new(self.architecture, &channels, &rules, sites);
        Ok(Term {
            name: name.to_owned(),
            source,
            row,
            residuals: equations
                .iter()
                .map(|equation| Residual {
                    name: equation.name.clone(),
                    weight: equation.weight.unwrap_or(1.0),
                    stated: equation.weight.is_some(),
                })
                .collect(),
            adjoint: Adjoint::from(adjoint(&residual)),
            residual,
            given,
            coefficients_adjoint: Adjoint::from(adjoint(&coefficients)),
            coefficients,
            understood,
            operators,
            channels,
            rules,
            signals,
            cost,
        })
    }

    /// Replaces bounded parameters by functions of the unbounded numbers that are trained.
    fn with_scalars(&mut self, expression: Expression) -> Expression {
        let scalars = self.scalars;
        self.pool.substitute(expression, &mut |pool, leaf| match leaf {
            Leaf::Parameter(position) => Some(scalars[usize::from(position)].expression(pool, position)),
            _ => None,
        })
    }

    /// Replaces what says whether a site lies in a subdomain: by an expression of its coordinates, or by a column where the term's
    /// points are told.
    fn with_subdomains(&mut self, expression: Expression, site: u16) -> Expression {
        let (insides, told) = (self.insides, self.told);
        if insides.is_empty() {
            return expression;
        }
        self.pool.substitute(expression, &mut |pool, leaf| {
            let Leaf::Inside(own) = leaf else { return None };
            Some(match told {
                true => {
                    let place = usize::from(own.site.max(site)) * insides.len() + usize::from(own.subdomain);
                    pool.leaf(Leaf::Column(place as u16))
                }
                false => insides[usize::from(own.subdomain)],
            })
        })
    }

    /// Replaces fields and applied operators by channels of the network's outputs, ansatz included.
    fn in_channels(
        &mut self,
        residuals: &[Expression],
        operators: &[super::operator::VariableOperator],
        channels: &Channels,
        rules: &Rules,
    ) -> Vec<Expression> {
        let mut jets: HashMap<(u16, u16), Vec<Expression>> = HashMap::new();
        for leaf in self.pool.leaves(residuals) {
            let (unknown, site) = match leaf {
                Leaf::Field(field) => (field.unknown, field.site),
                Leaf::Applied(applied) => (applied.unknown, applied.site),
                _ => continue,
            };
            if let Entry::Vacant(place) = jets.entry((unknown, site)) {
                let jet = self.unknown_jet(usize::from(unknown), site, channels, rules);
                place.insert(jet.into_iter().map(|entry| self.at_site(entry, site)).collect());
            }
        }
        let coordinates: Vec<Vec<(usize, Expression)>> =
            operators.iter().map(|operator| channels.coordinates(self.pool, operator)).collect();
        let mut replaced = Vec::with_capacity(residuals.len());
        for &residual in residuals {
            let channelled = self.pool.substitute(residual, &mut |pool, leaf| match leaf {
                Leaf::Field(field) => Some(jets[&(field.unknown, field.site)][0]),
                Leaf::Applied(applied) => {
                    let jet = &jets[&(applied.unknown, applied.site)];
                    let combination = &coordinates[usize::from(applied.operator)];
                    let mut terms = Vec::with_capacity(combination.len());
                    for &(channel, coefficient) in combination {
                        let coefficient = shifted(pool, coefficient, applied.site, self.coordinates);
                        terms.push(pool.multiply(coefficient, jet[channel]));
                    }
                    Some(pool.sum(&terms))
                }
                _ => None,
            });
            replaced.push(channelled);
        }
        replaced
    }

    /// All channels of an unknown, of which `site` is told only what subdomain it lies in: otherwise it is site 0.
    fn unknown_jet(
        &mut self,
        unknown: usize,
        site: u16,
        channels: &Channels,
        rules: &Rules,
    ) -> Vec<Expression> {
        let ansatz = match self.unknowns[unknown].ansatz {
            Some(ansatz) => self.with_scalars(ansatz),
            None => self.pool.leaf(Leaf::Raw(unknown as u16)),
        };
        let ansatz = self.with_subdomains(ansatz, site);
        Jets::new(self.pool, channels, rules).of(ansatz)
    }

    fn at_site(&mut self, expression: Expression, site: u16) -> Expression {
        shifted(self.pool, expression, site, self.coordinates)
    }
}

/// The same expression at another site of the point.
fn shifted(pool: &mut Pool, expression: Expression, site: u16, coordinates: usize) -> Expression {
    if site == 0 {
        return expression;
    }
    pool.substitute(expression, &mut |pool, leaf| match leaf {
        Leaf::Coordinate(axis) => {
            let shift = coordinates as u16 * site;
            Some(pool.leaf(Leaf::Coordinate(axis + shift)))
        }
        Leaf::Channel(channel) => Some(pool.leaf(Leaf::Channel(Channel { site, ..channel }))),
        Leaf::Given(given) => Some(pool.leaf(Leaf::Given(GivenField { site, ..given }))),
        _ => None,
    })
}
