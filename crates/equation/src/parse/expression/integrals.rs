//! Integrals over regions and values at places: numbers of a whole solution.

use super::{Broken, Context, Integrals, Normals, Resolver, Syntax, SyntaxKind, Value};
use crate::expression::{Expression, Field, GivenField, Leaf, Membership};
use crate::parse::sections::place;
use crate::problem::{CoordinateSystem, Domain, Integral, IntegralRegion, Role};
use std::ops::Range;

/// Places that the equations inside, or those of one condition, may read fields at.
const MOST_PLACES: usize = 512;

impl Resolver<'_> {
    /// `integral(expression, region)`.
    pub(super) fn integral(
        &mut self,
        at: &Range<usize>,
        arguments: &[Syntax],
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let [argument, regions @ ..] = arguments else {
            return Err(self.wrong_count("integral", at, 0, "2 or more"));
        };
        if regions.is_empty() {
            return Err(self.wrong_count("integral", at, 1, "2 or more"));
        }
        let territory = self.territory(range)?;
        let over = self.region(regions, &territory)?;
        self.summed(argument, over, &territory, range)
    }

    /// `at(expression, [x, y])`.
    pub(super) fn value_at(
        &mut self,
        argument: &Syntax,
        place: &Syntax,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let territory = self.territory(range)?;
        let over = self.one_place(place, &territory)?;
        self.summed(argument, over, &territory, range)
    }

    fn territory(&mut self, range: &Range<usize>) -> Result<Domain, Broken> {
        if self.context.integrals == Integrals::Absent {
            let message = format!("{} may not use integrals or values at places", self.context.subject);
            return Err(self.fail_with(
                range,
                message,
                "they belong to equations, conditions and [quantities], and not into each other",
            ));
        }
        self.workshop.territory.clone().ok_or(Broken)
    }

    fn region(&mut self, regions: &[Syntax], territory: &Domain) -> Result<IntegralRegion, Broken> {
        if let [Syntax { kind: SyntaxKind::Text(name), range }] = regions {
            if territory.geometry.as_ref().is_some_and(|geometry| geometry.family.is_some()) {
                let message = "an integral over a shape with parameters";
                return Err(self.fail_with(
                    range,
                    message,
                    "there are integrals over shapes of one size only",
                ));
            }
            if matches!(name.trim(), "inside" | "domain") {
                return self.inside(range, territory);
            }
            let ranges: Vec<Option<(f64, f64)>> = territory
                .coordinates
                .iter()
                .map(|coordinate| Some((coordinate.low, coordinate.high)))
                .collect();
            let text = self.text.part(range.start + 1..range.end - 1);
            let pieces = place::read(&text, &ranges, territory.geometry.as_ref(), self.workshop);
            return pieces.map(IntegralRegion::Pieces).ok_or(Broken);
        }
        let axes: Result<Vec<usize>, Broken> = regions.iter().map(|axis| self.axis(axis)).collect();
        let axes = axes?;
        let whole = regions[0].range.start..regions[regions.len() - 1].range.end;
        if let Some(geometry) = &territory.geometry
            && axes.iter().any(|axis| geometry.axes.contains(axis))
        {
            let message = "space is a shape here: intervals of its coordinates are not all inside";
            return Err(self.fail_with(&whole, message, "integrate over `\"inside\"` or over a piece"));
        }
        if territory.system != CoordinateSystem::Cartesian {
            let message = format!("an integral along {} coordinates", territory.system.name());
            let hint = "integrate over `\"inside\"` or over a face, or write the factor out and use straight coordinates";
            return Err(self.fail_with(&whole, message, hint));
        }
        if (1..axes.len()).any(|place| axes[..place].contains(&axes[place])) {
            return Err(self.fail(&whole, "a coordinate is named twice"));
        }
        if axes.len() > IntegralRegion::MOST_AXES {
            let message = format!("an integral over more than {} coordinates", IntegralRegion::MOST_AXES);
            return Err(self.fail(&whole, message));
        }
        Ok(IntegralRegion::Along(axes))
    }

    fn inside(&mut self, range: &Range<usize>, territory: &Domain) -> Result<IntegralRegion, Broken> {
        let space = territory.space().len();
        if space == 0 || space > IntegralRegion::MOST_AXES {
            let most = IntegralRegion::MOST_AXES;
            let message = format!("an integral over all of space needs 1 to {most} space coordinates");
            return Err(self.fail(range, message));
        }
        Ok(IntegralRegion::Inside)
    }

    /// A vector of all space coordinates, or of all coordinates.
    fn one_place(&mut self, place: &Syntax, territory: &Domain) -> Result<IntegralRegion, Broken> {
        let values = match self.value(place)? {
            Value::Scalar(value) => vec![value],
            Value::Vector(values) => values,
        };
        let space = territory.space();
        let axes: Vec<usize> = match values.len() {
            count if count == territory.len() => (0..count).collect(),
            count if count == space.len() => space,
            count => {
                let names: Vec<&str> =
                    space.iter().map(|&axis| territory.coordinates[axis].name.as_str()).collect();
                let message = format!("a place of {count} coordinates among {}", territory.len());
                let hint = format!("state all coordinates, or those of space: `[{}]`", names.join(", "));
                return Err(self.fail_with(&place.range, message, hint));
            }
        };
        let mut fixed = Vec::with_capacity(axes.len());
        for (axis, value) in axes.into_iter().zip(values) {
            let Some(value) = self.workshop.pool.as_number(value) else {
                return Err(self.fail(&place.range, "a place is made of numbers and constants"));
            };
            let coordinate = &territory.coordinates[axis];
            if !(coordinate.low..=coordinate.high).contains(&value) {
                let (name, low, high) = (&coordinate.name, coordinate.low, coordinate.high);
                let message = format!("`{name} = {value}` lies outside its interval [{low}, {high}]");
                return Err(self.fail(&place.range, message));
            }
            fixed.push((axis, value));
        }
        let mut whole: Vec<f64> = territory.coordinates.iter().map(|coordinate| coordinate.low).collect();
        fixed.iter().for_each(|&(axis, value)| whole[axis] = value);
        if !territory.covers(&whole) {
            return Err(self.fail(&place.range, "this place lies outside of the shape"));
        }
        Ok(IntegralRegion::At(fixed))
    }

    /// The sum of an expression over a region.
    fn summed(
        &mut self,
        argument: &Syntax,
        over: IntegralRegion,
        territory: &Domain,
        range: &Range<usize>,
    ) -> Result<Value, Broken> {
        let space = territory.space();
        let faces = match &over {
            IntegralRegion::Pieces(pieces) => {
                pieces.iter().all(|piece| piece.normal.is_some() || piece.surface.is_some())
            }
            IntegralRegion::Inside | IntegralRegion::Along(_) | IntegralRegion::At(_) => false,
        };
        let normals = if faces { Normals::Along(&space) } else { Normals::Absent };
        let inner = Context { integrals: Integrals::Absent, normals, ..*self.context };
        let value = Resolver {
            workshop: self.workshop,
            text: self.text,
            context: &inner,
            locals: self.locals.clone(),
            uses: self.uses,
        }
        .value(argument)?;
        self.uses.unknowns = true;
        if self.context.integrals == Integrals::Summed {
            return match value {
                Value::Scalar(integrand) => {
                    self.elsewhere(integrand, &over, territory, range).map(Value::Scalar)
                }
                Value::Vector(all) => {
                    let all = all.into_iter().map(|one| self.elsewhere(one, &over, territory, range));
                    all.collect::<Result<Vec<_>, _>>().map(Value::Vector)
                }
            };
        }
        let fixed = over.axes(territory);
        let free = (0..territory.len()).find(|axis| !fixed.contains(axis));
        if let Some(axis) = free.filter(|&axis| territory.coordinates[axis].role != Role::Time) {
            let name = &territory.coordinates[axis].name;
            let message = format!("nothing says at which `{name}`");
            let hint = format!("only time may be left open: integrate over `{name}` too, or use `at`");
            return Err(self.fail_with(range, message, hint));
        }
        let mut one = |integrand: Expression| {
            let place = self.workshop.integrals.len() as u16;
            self.workshop.integrals.push(Integral { integrand, over: over.clone() });
            self.workshop.pool.leaf(Leaf::Column(place))
        };
        Ok(match value {
            Value::Scalar(integrand) => Value::Scalar(one(integrand)),
            Value::Vector(all) => Value::Vector(all.into_iter().map(one).collect()),
        })
    }

    /// The sum as an expression: fields are taken at the nodes, which are sites of the point.
    fn elsewhere(
        &mut self,
        integrand: Expression,
        over: &IntegralRegion,
        territory: &Domain,
        range: &Range<usize>,
    ) -> Result<Expression, Broken> {
        let nodes = over.nodes(territory, &self.workshop.pool, over.fineness());
        // Before anything is written out for each of them.
        self.afford(nodes.len(), range)?;
        let mut terms = Vec::with_capacity(nodes.len());
        for node in nodes {
            let known = self.workshop.elsewhere.iter().position(|place| *place == node.fixed);
            let place = known.unwrap_or_else(|| {
                self.workshop.elsewhere.push(node.fixed.clone());
                self.workshop.elsewhere.len() - 1
            });
            let site = place as u16 + 1;
            let there = self.workshop.pool.substitute(integrand, &mut |pool, leaf| match leaf {
                Leaf::Field(field) => Some(pool.leaf(Leaf::Field(Field { site, ..field }))),
                Leaf::Given(given) => Some(pool.leaf(Leaf::Given(GivenField { site, ..given }))),
                Leaf::Coordinate(axis) => {
                    let fixed = node.fixed.iter().find(|(own, _)| *own == usize::from(axis));
                    fixed.map(|(_, value)| pool.number(*value))
                }
                Leaf::Normal(axis) => Some(pool.number(node.normal[usize::from(axis)])),
                Leaf::Inside(own) => {
                    let mut place = vec![f64::NAN; territory.len()];
                    node.fixed.iter().for_each(|&(axis, value)| place[axis] = value);
                    let inside = territory.subdomain(&place) == Some(usize::from(own.subdomain));
                    Some(pool.number(f64::from(u8::from(inside))))
                }
                _ => None,
            });
            terms.push((there, node.weight));
        }
        self.afford(self.workshop.elsewhere.len(), range)?;
        self.combine(&terms, range)
    }

    fn afford(&mut self, places: usize, range: &Range<usize>) -> Result<(), Broken> {
        if places <= MOST_PLACES {
            return Ok(());
        }
        let message = format!("integrals of one place need fields at more than {MOST_PLACES} others");
        Err(self.fail(range, message))
    }

    /// `jump(expression)`: what it is beyond an interface, less what it is on this side.
    pub(super) fn jump(&mut self, argument: &Syntax, range: &Range<usize>) -> Result<Value, Broken> {
        let value = self.value(argument)?;
        if !self.context.sides {
            let hint = "use it in conditions with `on = \"interface\"`, or with the name of a region";
            return Err(self.fail_with(range, "`jump` needs an interface", hint));
        }
        let count = self.workshop.scope.coordinates.len() as u16;
        let mut across = |here: Expression| {
            let there = self.workshop.pool.substitute(here, &mut |pool, leaf| match leaf {
                Leaf::Field(field) => Some(pool.leaf(Leaf::Field(Field { site: 1, ..field }))),
                Leaf::Given(given) => Some(pool.leaf(Leaf::Given(GivenField { site: 1, ..given }))),
                Leaf::Inside(own) => Some(pool.leaf(Leaf::Inside(Membership { site: 1, ..own }))),
                Leaf::Coordinate(axis) => Some(pool.leaf(Leaf::Coordinate(axis + count))),
                _ => None,
            });
            self.combine(&[(there, 1.0), (here, -1.0)], range)
        };
        match value {
            Value::Scalar(here) => across(here).map(Value::Scalar),
            Value::Vector(all) => {
                all.into_iter().map(across).collect::<Result<Vec<_>, _>>().map(Value::Vector)
            }
        }
    }
}
