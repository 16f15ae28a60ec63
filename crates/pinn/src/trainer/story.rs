//! Where a loss or a gradient goes wrong first: which term, residual and point; which layer, channel and neuron on the way there.

use super::task::Equations;
use crate::error::Spot;
use equation::taylor::{Interpreter, Origin, Term};
use serde_json::{Value, json};
use train::stability::{Fault, Story};

/// Points of a term whose gradients are looked at one by one: it takes an interpreter.
const MOST_POINTS: usize = 4096;

impl Equations<'_> {
    /// Where numbers go wrong first at some parameters, as far as it can be found.
    pub(super) fn story_of(&mut self, fault: &Fault, parameters: &[f64]) -> Option<Story> {
        if fault.parameters {
            return self.lost_parameter(parameters);
        }
        match fault.residual {
            Some(position) => self.bad_residual(position, parameters),
            None => self.bad_gradient(parameters),
        }
    }

    fn lost_parameter(&self, parameters: &[f64]) -> Option<Story> {
        let place = parameters.iter().position(|parameter| !parameter.is_finite())?;
        let value = parameters[place];
        let tensors = &self.plan.architecture.tensors;
        let tensor =
            tensors.iter().find(|it| (it.offset..it.offset + it.shape[0] * it.shape[1]).contains(&place));
        let name = match tensor {
            Some(tensor) => format!("`{}`", tensor.name),
            None => "the problem's own unknown numbers".to_owned(),
        };
        let line = format!("{name} had a number that is {} after the step before", word(value));
        Some(Story {
            line,
            data: json!({ "parameter": place, "tensor": tensor.map(|it| &it.name), "value": word(value) }),
        })
    }

    fn bad_residual(&mut self, position: usize, parameters: &[f64]) -> Option<Story> {
        let (number, own, spot) = self.spot_of(position, parameters)?;
        let (plan, term) = (self.plan, &self.plan.terms[number]);
        let residual = &term.residuals[own].name;
        let origin = spot.as_ref().and_then(|(row, _)| self.origin(number, row, parameters));
        let place = spot.as_ref().map_or_else(|| "is not finite".to_owned(), |(_, spot)| spot.to_string());
        let first = origin.as_ref().map(|(words, _)| format!(", first in {words}")).unwrap_or_default();
        let line = format!("`{residual}` in `{}` {place}{first}", term.name);
        let point =
            spot.map(|(_, spot)| spot).map(|spot| json!({ "point": spot.place, "value": word(spot.value) }));
        let data = json!({ "term": plan.terms[number].name, "residual": residual, "at": point, "origin": origin.map(|(_, data)| data) });
        Some(Story { line, data })
    }

    /// Where on the way through the network numbers are beyond those that the engine computes in, at a point of a term.
    pub(super) fn origin(
        &mut self,
        number: usize,
        row: &[f64],
        parameters: &[f64],
    ) -> Option<(String, Value)> {
        let term = &self.plan.terms[number];
        let mut interpreter = Interpreter::new(&self.plan.architecture, term);
        interpreter.residuals(parameters, row, &mut vec![0.0; term.residuals.len()]);
        let is_double = self.objective.kernel().precision().epsilon() < f64::from(f32::EPSILON);
        let most = if is_double { f64::MAX } else { f64::from(f32::MAX) };
        let origin = interpreter.first_beyond(most)?;
        Some((self.name_of(term, &origin), self.data_of(term, &origin)))
    }

    fn name_of(&self, term: &Term, origin: &Origin) -> String {
        let layer = match origin.layer {
            Some(layer) => self.plan.architecture.layer_name(layer),
            None => "the network's inputs".to_owned(),
        };
        let channel = &self.plan.channel_names(self.problem, term)[origin.channel];
        format!("{layer}, channel {channel}, neuron {} ({})", origin.neuron, word(origin.value))
    }

    fn data_of(&self, term: &Term, origin: &Origin) -> Value {
        let layer = origin.layer.map(|layer| self.plan.architecture.layer_name(layer));
        let channel = &self.plan.channel_names(self.problem, term)[origin.channel];
        json!({ "layer": layer, "channel": channel, "neuron": origin.neuron, "value": word(origin.value) })
    }

    /// The first point whose part of the gradient is not finite in f64; where there is none, the sum of all is too large.
    pub(super) fn bad_gradient(&mut self, parameters: &[f64]) -> Option<Story> {
        let mut gradient = vec![0.0; parameters.len()];
        for (number, term) in self.plan.terms.iter().enumerate() {
            let mut interpreter = Interpreter::new(&self.plan.architecture, term);
            let mut residuals = vec![0.0; term.residuals.len()];
            for row in self.objective.points()[number].iter().take(MOST_POINTS) {
                interpreter.residuals(parameters, row, &mut residuals);
                gradient.fill(0.0);
                interpreter.accumulate(parameters, row, &residuals, &mut gradient);
                if let Some(place) = gradient.iter().position(|slope| !(slope * slope).is_finite()) {
                    let coordinates = Spot::new(self.problem, row, gradient[place]);
                    let tensors = &self.plan.architecture.tensors;
                    let inside = |first: usize, [rows, columns]: [usize; 2]| {
                        (first..first + rows * columns).contains(&place)
                    };
                    let tensor = tensors.iter().find(|it| inside(it.offset, it.shape));
                    let name = tensor.map_or("an unknown number of the problem", |tensor| &tensor.name);
                    let line = format!("the derivative of `{}` by `{name}` {coordinates}", term.name);
                    let data = json!({ "term": term.name, "tensor": name, "parameter": place, "at": coordinates.place });
                    return Some(Story { line, data });
                }
            }
        }
        None
    }
}

/// A number as JSON and sentences take it.
fn word(value: f64) -> String {
    match value {
        value if value.is_nan() => "not a number".to_owned(),
        value if value.is_infinite() => "infinite".to_owned(),
        value => format!("{value:.1e}"),
    }
}
