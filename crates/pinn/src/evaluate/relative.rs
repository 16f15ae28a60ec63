//! How well each equation holds beside the size of what it sums: numbers without units, which depend on nothing but the
//! problem and the parameters.

use crate::sample::{Draw, draw};
use crate::{Experiment, TrainError};
use equation::expression::{Expression, Field, Leaf, Membership, Pool, evaluate};
use equation::problem::{Domain, Equation, GivenFunction, GivenSource, Place, Sampler};
use equation::taylor::{Row, Source};
use kernel::{Device, Points, Precision};
use linear::tree::sum;
use rayon::prelude::*;
use std::collections::HashMap;

/// Points inside the domain: the same for everyone, whatever training visits.
const POINTS: usize = 2048;

/// Where they come from; training draws with the seed of its problem, and counts its draws from 0.
const DRAW: Draw = Draw { sampler: Sampler::Sobol, seed: 0, number: u64::MAX, interior: POINTS };

/// Points of a condition or a table of measurements that are looked at: of more, every second, third and so on.
const MOST_ROWS: usize = 1 << 14;

/// Fields that the network is asked for at once: a Laplacian in a hundred dimensions has a hundred.
const FIELDS_AT_ONCE: usize = 16;

/// How far from an interface its sides are looked at, in the units of the coordinates.
const ASIDE: f64 = 1e-8;

impl Experiment {
    /// For every residual, in the plan's order: its root mean square over that of the largest term that its equation
    /// sums; of measurements over that of what was measured. Computed on the CPU in f64, at points that follow
    /// from the problem, whatever trained: the same parameters have the same numbers wherever they are looked at. Windows
    /// that were not begun are left out.
    ///
    /// Terms of conditions count by their size at the condition's points or inside the domain, whichever is larger: where
    /// `u = 0` there is nothing else to compare with. `None` where there is nothing to compare with at all: an equation of the
    /// interior that has a single term, or measurements that are all zero.
    pub fn relative_residuals(&self, parameters: &[f64]) -> Result<Vec<Option<f64>>, TrainError> {
        let here = self.clone().on(Device::Cpu, Precision::F64);
        let (problem, plan) = (here.problem(), here.plan());
        let mut pool = problem.pool.clone();
        let mut equations: Vec<(usize, Vec<Expression>)> = Vec::new();
        for (position, term) in plan.terms.iter().enumerate() {
            for equation in here.equations_of(term.source) {
                equations.push((position, pool.summands(equation.residual)));
            }
        }
        let fields_of = |wanted: &dyn Fn(usize) -> bool| {
            let chosen = equations.iter().filter(|(position, _)| wanted(*position));
            let roots: Vec<Expression> = chosen.flat_map(|(_, summands)| summands).copied().collect();
            fields(&pool, &roots)
        };
        let sets = draw(problem, plan, &here.tables, DRAW)?;
        let mut samples = Vec::new();
        for (position, (term, points)) in plan.terms.iter().zip(&sets).enumerate() {
            // What conditions sum is looked for inside the domain, too.
            let is_data = |other: usize| matches!(plan.terms[other].source, Source::Data(_));
            let fields = match term.source {
                Source::Interior | Source::Prediction => {
                    let others = at_the_point(fields_of(&|other| !is_data(other)));
                    joined(fields_of(&|other| other == position), others)
                }
                Source::Condition(_) | Source::Data(_) => fields_of(&|other| other == position),
            };
            let told = match term.source {
                Source::Condition(index) => {
                    matches!(problem.conditions[index].place, Place::Interface { .. })
                }
                Source::Interior | Source::Data(_) | Source::Prediction => false,
            };
            samples.push(here.sample(parameters, points, (term.row, told), &fields)?);
        }
        let judge = Judge { pool, samples, scalars: plan.scalar_values(parameters) };
        let relative = |(position, summands): &(usize, Vec<Expression>)| {
            judge.relative(plan.terms[*position].source, *position, summands)
        };
        Ok(equations.iter().map(relative).collect())
    }

    fn equations_of(&self, source: Source) -> &[Equation] {
        let problem = self.problem();
        match source {
            Source::Interior => &problem.equations,
            Source::Condition(index) => &problem.conditions[index].equations,
            Source::Data(index) => &problem.data[index].equations,
            Source::Prediction => &[],
        }
    }

    /// The fields at those of the points that windows have reached.
    pub(super) fn sample(
        &self,
        parameters: &[f64],
        points: &Points,
        (row, told): (Row, bool),
        fields: &[Field],
    ) -> Result<TermSample, TrainError> {
        let reached = self.reached(self.networks(parameters).len());
        let is_reached = |row: &&[f64]| reached.as_ref().is_none_or(|reached| reached.contains(row));
        let reached = points.iter().filter(is_reached).step_by(points.len().div_ceil(MOST_ROWS).max(1));
        let rows: Vec<Vec<f64>> = reached.map(<[f64]>::to_vec).collect();
        let mut values = HashMap::new();
        for site in 0..row.sites {
            let start = site * row.coordinates;
            // The two sides of an interface are one place: a little to its sides it is clear which is meant.
            let aside = if told { [-ASIDE, ASIDE][site] } else { 0.0 };
            let first = row.coordinates * row.sites;
            let places = rows.iter().flat_map(|numbers| {
                (0..row.coordinates).map(move |axis| match told {
                    true => numbers[start + axis] + aside * numbers[first + axis],
                    false => numbers[start + axis],
                })
            });
            let places = Points::from_rows(row.coordinates, places.collect());
            let here: Vec<Field> =
                fields.iter().filter(|field| usize::from(field.site) == site).copied().collect();
            for fields in here.chunks(FIELDS_AT_ONCE) {
                let wanted: Vec<_> =
                    fields.iter().map(|field| (usize::from(field.unknown), field.derivative)).collect();
                let found = self.values(parameters, &places, Some(&wanted))?;
                for (position, field) in fields.iter().enumerate() {
                    values
                        .insert(*field, found.iter().skip(position).step_by(fields.len()).copied().collect());
                }
            }
        }
        let problem = self.problem();
        let (domain, given) = (problem.domain.clone(), problem.given.clone());
        Ok(TermSample { domain, told, row, rows, values, given })
    }
}

/// All that equations sum, at the points of every term.
struct Judge {
    pool: Pool,
    /// By the position of the term; the interior comes first.
    samples: Vec<TermSample>,
    scalars: Vec<f64>,
}

impl Judge {
    /// The residual of an equation that sums these summands, beside the largest of them.
    fn relative(&self, source: Source, position: usize, summands: &[Expression]) -> Option<f64> {
        let Judge { pool, samples, scalars } = self;
        let (inside, own) = (&samples[0], &samples[position]);
        let values: Vec<Vec<f64>> =
            summands.iter().map(|&summand| own.values(pool, summand, scalars)).collect();
        let residual = (0..own.rows.len()).map(|point| values.iter().map(|values| values[point]).sum());
        let sizes = values.iter().map(|values| size(values.iter().copied()));
        let largest = match source {
            Source::Interior | Source::Prediction if summands.len() < 2 => None,
            Source::Interior | Source::Prediction => greatest(sizes),
            Source::Condition(_) => {
                let fields = summands.iter().filter(|summand| pool.mentions(**summand, is_field));
                let elsewhere =
                    fields.map(|&summand| size(inside.values(pool, summand, scalars).into_iter()));
                greatest(sizes.chain(elsewhere))
            }
            Source::Data(_) => {
                let measured =
                    summands.iter().zip(sizes).filter(|(summand, _)| pool.mentions(**summand, is_measured));
                greatest(measured.map(|(_, size)| size))
            }
        };
        ratio(size(residual), largest)
    }
}

/// What is known at some points.
pub(super) struct TermSample {
    domain: Domain,
    /// Whether points say in which subdomains their sites lie.
    told: bool,
    row: Row,
    rows: Vec<Vec<f64>>,
    /// One value per point.
    values: HashMap<Field, Vec<f64>>,
    /// Functions that files hold.
    given: Vec<GivenFunction>,
}

impl TermSample {
    /// Whether a site of a point lies in a subdomain: as the point says, where there are two sides.
    fn membership(&self, row: &[f64], own: Membership) -> f64 {
        let (site, count) = (usize::from(own.site), self.domain.subdomains.len());
        let subdomain = usize::from(own.subdomain);
        if self.told {
            return row[self.row.first_column() + site * count + subdomain];
        }
        f64::from(u8::from(self.domain.subdomain(&row[..self.row.coordinates]) == Some(subdomain)))
    }

    /// An expression at every point. Of a point inside the domain a condition sees no second place and no normal: both
    /// places are the point, and a normal has length one along any coordinate.
    pub(super) fn values(&self, pool: &Pool, expression: Expression, scalars: &[f64]) -> Vec<f64> {
        let Row { coordinates, sites, normals, .. } = self.row;
        let value = |point: usize, leaf: Leaf| {
            let row = &self.rows[point];
            match leaf {
                Leaf::Coordinate(axis) => {
                    let axis = usize::from(axis);
                    row[if axis < coordinates * sites { axis } else { axis % coordinates }]
                }
                Leaf::Parameter(index) => scalars[usize::from(index)],
                Leaf::Column(index) => row[self.row.first_column() + usize::from(index)],
                Leaf::Normal(axis) if normals => row[coordinates * sites + usize::from(axis)],
                Leaf::Normal(_) => 1.0,
                Leaf::Inside(own) => self.membership(row, own),
                Leaf::Field(field) => {
                    let values =
                        self.values.get(&field).or_else(|| self.values.get(&Field { site: 0, ..field }));
                    values.map_or(f64::NAN, |values| values[point])
                }
                Leaf::Given(own) => match &self.given[usize::from(own.function)].source {
                    GivenSource::Table { values, .. } => {
                        let start = usize::from(own.site) % sites * coordinates;
                        values.at(|axis| row[start + axis], own.derivative)
                    }
                    // Only an ansatz is made of these.
                    GivenSource::Formula(_) => f64::NAN,
                },
                // No part of a problem's equations.
                Leaf::Raw(_) | Leaf::Applied(_) | Leaf::Channel(_) | Leaf::Placeholder => f64::NAN,
            }
        };
        let points = (0..self.rows.len()).into_par_iter();
        points.map(|point| evaluate(pool, expression, &|leaf| value(point, leaf))).collect()
    }
}

fn is_field(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Field(_))
}

fn is_measured(leaf: Leaf) -> bool {
    matches!(leaf, Leaf::Column(_))
}

/// The fields that expressions mention.
pub(super) fn fields(pool: &Pool, roots: &[Expression]) -> Vec<Field> {
    let leaves = pool.leaves(roots).into_iter();
    leaves.filter_map(|leaf| if let Leaf::Field(field) = leaf { Some(field) } else { None }).collect()
}

/// Fields of two lists, none twice.
fn joined(mut fields: Vec<Field>, others: Vec<Field>) -> Vec<Field> {
    let more = others.into_iter().filter(|other| !fields.contains(other)).collect::<Vec<_>>();
    fields.extend(more);
    fields
}

/// The same fields where there is one place only.
fn at_the_point(fields: Vec<Field>) -> Vec<Field> {
    let mut fields: Vec<Field> = fields.into_iter().map(|field| Field { site: 0, ..field }).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// The root mean square; no number where there are none.
fn size(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (sum(values.map(|value| value * value)) / count).sqrt()
}

/// The largest of the residuals that [`Experiment::relative_residuals`] finds; `None` where there is none. What is no
/// number is larger than any.
pub fn largest(relative: &[Option<f64>]) -> Option<f64> {
    greatest(relative.iter().copied().flatten())
}

/// The largest; what is no number is larger than any.
fn greatest(sizes: impl Iterator<Item = f64>) -> Option<f64> {
    sizes.reduce(|largest, size| if largest.is_nan() || largest >= size { largest } else { size })
}

fn ratio(residual: f64, largest: Option<f64>) -> Option<f64> {
    match largest {
        _ if residual == 0.0 => Some(0.0),
        Some(largest) if largest != 0.0 => Some(residual / largest),
        Some(_) | None => None,
    }
}
