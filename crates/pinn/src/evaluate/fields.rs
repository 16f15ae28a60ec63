//! Unknowns and their derivatives at many places.

use crate::Grid;
use crate::grid::{test_point_count, test_points};
use crate::{Experiment, TrainError};
use equation::expression::Derivative;
use equation::problem::FieldNameError;
use kernel::Points;
use linear::tree::sum;

/// Where fields are evaluated.
#[derive(Clone, Debug)]
pub enum Places {
    /// On a grid, the last coordinate running fastest.
    Grid(Grid),
    /// Anywhere.
    Scattered(Points),
}

impl Places {
    /// How many there are, as a number that cannot overflow.
    pub fn count(&self) -> f64 {
        match self {
            Places::Grid(grid) => grid.size(),
            Places::Scattered(points) => points.len() as f64,
        }
    }

    /// The points themselves.
    pub fn points(&self) -> Points {
        match self {
            Places::Grid(grid) => grid.points(),
            Places::Scattered(points) => points.clone(),
        }
    }
}

/// The range of a field.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FieldSummary<'f> {
    /// Its name.
    pub name: &'f str,
    /// The smallest value.
    pub smallest: f64,
    /// The largest value.
    pub largest: f64,
    /// sqrt(mean of its square).
    pub root_mean_square: f64,
}

/// Values of named fields at places.
#[derive(Clone, Debug)]
pub struct Fields {
    places: Places,
    points: Points,
    coordinates: Vec<String>,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// Whether a point lies outside of the shape, where there are no values; empty where there is no shape.
    outside: Vec<bool>,
}

impl Fields {
    /// Where they are.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Coordinates of every point.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Names of the coordinates.
    pub fn coordinates(&self) -> &[String] {
        &self.coordinates
    }

    /// The fields: each with its name and one value per point.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.names.iter().map(String::as_str).zip(self.columns.iter().map(Vec::as_slice))
    }

    /// How many of the points lie outside of the shape: all values are NaN there.
    pub fn outside(&self) -> usize {
        self.outside.iter().filter(|outside| **outside).count()
    }

    /// Whether a point lies outside of the shape.
    pub(crate) fn is_outside(&self, point: usize) -> bool {
        self.outside.get(point).copied().unwrap_or(false)
    }

    /// The range of every field, of what is known: NaN where nothing is.
    pub fn summaries(&self) -> Vec<FieldSummary<'_>> {
        let summary = |(name, values): (_, &[f64])| FieldSummary {
            name,
            smallest: values.iter().copied().fold(f64::NAN, f64::min),
            largest: values.iter().copied().fold(f64::NAN, f64::max),
            root_mean_square: root_mean_square(values),
        };
        self.iter().map(summary).collect()
    }

    /// The CRC-32 of a field's values in their order, as 8 bytes each, little-endian.
    pub fn checksum(&self, field: usize) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        let values = self.columns.get(field).into_iter().flatten();
        values.for_each(|value| hasher.update(&value.to_le_bytes()));
        hasher.finalize()
    }

    /// Names of coordinates, then of fields: the columns of a table.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        self.coordinates.iter().chain(&self.names).map(String::as_str)
    }

    /// Coordinates, then fields of every point: the rows of a table.
    pub fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = f64>> {
        self.points.iter().enumerate().map(|(index, place)| {
            place.iter().copied().chain(self.columns.iter().map(move |column| column[index]))
        })
    }
}

/// sqrt(mean of squares) of what is known: outside of a shape nothing is.
fn root_mean_square(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().filter(|value| !value.is_nan()).map(|value| value * value).collect();
    (sum(known.iter().copied()) / known.len() as f64).sqrt()
}

impl Experiment {
    /// The unknowns, or derivatives of them, that names such as `u` and `u_xx` stand for.
    pub fn find_fields<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Vec<(usize, Derivative)>, FieldNameError> {
        names.into_iter().map(|name| self.problem().find_field(name)).collect()
    }

    /// The problem's test points: where its errors are measured.
    pub fn test_places(&self) -> Places {
        match Grid::of_tests(self.problem()) {
            Some(grid) => Places::Grid(grid),
            None => Places::Scattered(test_points(self.problem())),
        }
    }

    /// How many of them there are.
    pub(crate) fn test_point_count(&self) -> f64 {
        test_point_count(self.problem())
    }

    /// All unknowns and these derivatives of them at places, where the machine has memory for them.
    pub fn fields(
        &self,
        parameters: &[f64],
        places: Places,
        derivatives: &[(usize, Derivative)],
    ) -> Result<Fields, TrainError> {
        let problem = self.problem();
        let mut wanted: Vec<(usize, Derivative)> =
            (0..problem.unknowns.len()).map(|unknown| (unknown, Derivative::NONE)).collect();
        for field in derivatives {
            if !wanted.contains(field) {
                wanted.push(*field);
            }
        }
        self.check_places(places.count(), wanted.len())?;
        let points = places.points();
        let values = self.values(parameters, &points, Some(&wanted))?;
        let column = |field: usize| values.iter().skip(field).step_by(wanted.len()).copied().collect();
        Ok(Fields {
            coordinates: self.coordinate_names(),
            names: wanted.iter().map(|&(unknown, field)| problem.field_name(unknown, field)).collect(),
            columns: (0..wanted.len()).map(column).collect(),
            outside: self.outside(&points),
            places,
            points,
        })
    }

    /// The true values at places of every unknown whose reference can be computed anywhere.
    pub fn reference_fields(&self, places: Places) -> Fields {
        let problem = self.problem();
        let points = places.points();
        let known = problem.unknowns.iter().enumerate();
        let (names, columns) = known
            .filter_map(|(position, unknown)| Some((unknown.name.clone(), self.exact(position, &points)?)))
            .unzip();
        let (coordinates, outside) = (self.coordinate_names(), self.outside(&points));
        Fields { coordinates, names, columns, outside, places, points }
    }

    /// Whether each of some points lies outside of the shape; nothing where there is none.
    fn outside(&self, points: &Points) -> Vec<bool> {
        match &self.problem().domain.geometry {
            Some(geometry) => points.iter().map(|place| !geometry.covers(place)).collect(),
            None => Vec::new(),
        }
    }

    fn coordinate_names(&self) -> Vec<String> {
        self.problem().domain.coordinates.iter().map(|coordinate| coordinate.name.clone()).collect()
    }

    /// Adds the true values of every unknown whose reference can be computed anywhere, named
    /// `u_reference` and so on.
    pub fn with_references(&self, mut fields: Fields) -> Fields {
        for (position, unknown) in self.problem().unknowns.iter().enumerate() {
            let Some(values) = self.exact(position, &fields.points) else { continue };
            fields.names.push(format!("{}_reference", unknown.name));
            fields.columns.push(values);
        }
        fields
    }
}
