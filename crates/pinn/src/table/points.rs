//! Points at which someone wants to know a solution.

use super::csv::{CsvLine, lines, number_of};
use super::layout::{TableColumns, unquoted};
use super::{Counted, TableError, TableFault, npy};
use crate::error::Faults;
use equation::problem::Problem;
use kernel::Points;
use std::path::Path;
use train::folder::read_regular;

/// Reads the coordinates of points. In text, a header may put the coordinates in any order among other
/// columns; without one, and in NPY files, the columns are the coordinates in the problem's order.
pub fn read_points(problem: &Problem, path: &Path) -> Result<Points, TableError> {
    let named = |fault| TableError { path: path.to_owned(), fault };
    let bytes = read_regular(path).map_err(|error| named(error.into()))?;
    let is_array = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    let points = match is_array {
        true => npy::read(&bytes, &TableColumns::of_points(problem)),
        false => read_text(problem, &bytes),
    };
    let points = points.map_err(named)?;
    if points.is_empty() { Err(named(TableFault::Empty)) } else { Ok(points) }
}

/// How many points lie outside the domain.
pub fn count_outside(problem: &Problem, points: &Points) -> usize {
    let layout = TableColumns::of_points_inside(problem);
    points.iter().filter(|place| layout.check_row(Counted::Rows, 0, place).is_err()).count()
}

pub(super) fn read_text(problem: &Problem, bytes: &[u8]) -> Result<Points, TableFault> {
    let coordinates: Vec<&str> =
        problem.domain.coordinates.iter().map(|coordinate| coordinate.name.as_str()).collect();
    let mut order: Vec<usize> = (0..coordinates.len()).collect();
    let mut names = coordinates.clone();
    let mut points = Points::new(coordinates.len());
    let mut place = vec![0.0; coordinates.len()];
    let mut faults = Faults::default();
    for CsvLine { number, entries, header } in lines(bytes)? {
        if header {
            names = entries.iter().map(|entry| unquoted(entry)).collect();
            order = coordinates
                .iter()
                .map(|coordinate| column(&names, coordinate, number))
                .collect::<Result<_, _>>()?;
            continue;
        }
        if entries.len() != names.len() {
            let (found, expected, names) = (entries.len(), names.len(), names.join(", "));
            faults.note(Err(TableFault::PointColumns { line: number, found, expected, names }));
            continue;
        }
        let read = place.iter_mut().zip(&order).try_for_each(|(value, &column)| {
            *value = number_of(entries[column], number, column + 1)?;
            Ok(())
        });
        faults.note(read);
        points.push(&place);
    }
    faults.finish()?;
    Ok(points)
}

/// The only column of this name.
fn column(names: &[&str], coordinate: &str, line: usize) -> Result<usize, TableFault> {
    let mut found = names.iter().enumerate().filter(|(_, name)| **name == coordinate);
    match (found.next(), found.next()) {
        (Some((position, _)), None) => Ok(position),
        (Some(_), Some(_)) => Err(TableFault::RepeatedColumn { line, name: coordinate.to_owned() }),
        (None, _) => {
            let found = names.iter().map(|name| format!("`{name}`")).collect();
            Err(TableFault::MissingCoordinate { line, coordinate: coordinate.to_owned(), found })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBLEM: &str = "[domain]\nt = [0, 1]\nx = [-1, 1]\n[unknowns]\nu = {}\n[equations]\nheat = \"u_t = 0\"\n\
        [conditions]\nstart = { on = \"t = 0\", equation = \"u = 0\" }";

    fn read(text: &str) -> Result<Points, TableFault> {
        read_text(&equation::parse::parse(PROBLEM).expect("a good file"), text.as_bytes())
    }

    #[test]
    fn a_header_puts_columns_in_any_order_and_others_are_ignored() {
        let points = read("# chosen\nx, name, \"t\"\n0.5, 7, 0.25\n-1, 8, 1\n").expect("good points");
        assert_eq!(points.iter().collect::<Vec<_>>(), [[0.25, 0.5], [1.0, -1.0]]);
        assert_eq!(read("0.25 0.5\n").expect("no header").row(0), [0.25, 0.5]);
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let fault = |text: &str| read(text).expect_err(text).to_string();
        assert_eq!(
            fault("t,y\n0,1"),
            "line 1: the header names no column `x`, but `t`, `y`; every coordinate needs one"
        );
        assert_eq!(fault("t,x,t\n0,1,2"), "line 1: the header names two columns `t`");
        assert_eq!(fault("t,x\n0,1\n2"), "line 3 has 1 column where 2 are expected (t, x)");
        assert_eq!(fault("t,x\n0,one"), "line 2, column 2: `one` is not a number");
        assert_eq!(fault("0,inf"), "line 1, column 2 is not finite");
    }

    #[test]
    fn points_outside_are_counted() {
        let problem = equation::parse::parse(PROBLEM).expect("a good file");
        let points = read("0,0\n2,0\n0,-1.5\n1,1\n").expect("good points");
        assert_eq!(count_outside(&problem, &points), 2);
    }
}
