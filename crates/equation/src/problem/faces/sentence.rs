//! What is told of a face without a condition.

use super::BareFace;
use crate::problem::Problem;

impl BareFace {
    /// What is missing and how to mend it, in the words of the problem file.
    pub fn sentence(&self, problem: &Problem) -> String {
        let coordinate = &problem.domain.coordinates[self.axis];
        let (name, low, high) = (&coordinate.name, coordinate.low, coordinate.high);
        let unknown = |number: usize| problem.unknowns[number].name.as_str();
        let derivative =
            |(&number, &order): (&usize, &usize)| format!("`{}_{}`", unknown(number), name.repeat(order));
        let fields: Vec<String> = self.unknowns.iter().zip(&self.orders).map(derivative).collect();
        let face: Vec<String> = self.ends.iter().map(|end| format!("{name} = {end}")).collect();
        let (needed, found) = (self.needed, self.found);
        let first = self.unknowns.first().map_or("u", |number| unknown(*number));
        let open = match self.ends[..] {
            [end] if end == low => "open = \"low\"",
            [end] if end == high => "open = \"high\"",
            _ => "open = true",
        };
        // A member of a family has no line of its own.
        let open = if name.ends_with(|letter: char| letter.is_ascii_digit()) {
            format!("`{open}` for {name} in [domain]")
        } else {
            format!("`{name} = {{ range = [{low}, {high}], {open} }}`")
        };
        let (verb, together) = if fields.len() == 1 { ("needs", "") } else { ("need", " together") };
        let plural = if needed == 1 { "" } else { "s" };
        let stated = match found {
            0 => "none is stated".to_owned(),
            1 => "1 is stated".to_owned(),
            _ => format!("{found} are stated"),
        };
        let missing = match needed.saturating_sub(found) {
            1 => "one is".to_owned(),
            several => format!("{several} are"),
        };
        format!(
            "{} {verb} {needed} condition{plural}{together} at the ends of {name}, but {stated}: {missing} missing at {}. \
             The equations alone do not single out a solution. State what holds there: `{{ on = \"{}\", equation = \"{first} = …\" }}`, \
             or `dn({first}) = …`; or join both ends: `{{ periodic = \"{name}\" }}`; \
             or say that nothing is to hold there: {open}",
            fields.join(", "),
            face.join(" and "),
            face.join(", "),
        )
    }
}
