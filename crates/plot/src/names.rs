//! Names beside lines, where they cover neither each other nor the lines, as far as there is room.

use super::Colour;
use super::canvas::{Area, Canvas, Spot};
use super::font::{Anchor, Face};
use super::scene::ARROW;

/// A name and the places beside which it may stand, the best first.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its colour.
    pub colour: Colour,
    /// Places, and the way from each to the right and upwards on which the name is to stand.
    pub beside: Vec<((f64, f64), (f64, f64))>,
}

/// Size of the letters, in pixels.
pub(super) const SIZE: f64 = 18.0;

/// From the tip of an arrow to a name, and from the line where there is no arrow.
const GAP: f64 = 7.0;

/// A name at a place.
#[derive(Clone, Copy)]
struct Candidate {
    /// What it covers.
    area: Area,
    /// The start of its baseline.
    start: Spot,
}

/// Sets every name at the first of its places where it covers nothing; where there is none, at the one where it covers the
/// fewest spots of `lines`, unless it would cover another name or leave the frame: then it is left out.
pub(super) fn place_names(
    canvas: &mut Canvas,
    names: &[Name],
    spot: &dyn Fn(&(f64, f64)) -> Spot,
    lines: &[Spot],
    frame: Area,
) {
    let face = Face::regular(SIZE, Colour::INK);
    let mut taken: Vec<Area> = Vec::new();
    for name in names {
        let width = face.width(&name.text);
        let candidates = name.beside.iter().flat_map(|(place, direction)| {
            // Beyond the arrow, and then on the other side of the line.
            [(ARROW + GAP, *direction), (2.0 * GAP, (-direction.0, -direction.1))]
                .map(|(away, direction)| candidate(spot(place), direction, away, width, face))
        });
        let free = candidates.filter(|candidate| {
            inside(frame, candidate.area) && taken.iter().all(|other| !overlap(*other, candidate.area))
        });
        let covered =
            |candidate: &Candidate| lines.iter().filter(|spot| candidate.area.holds(**spot)).count();
        let Some(best) = free.min_by_key(covered) else { continue };
        canvas.text(&name.text, best.start, Anchor::Start, face.behind());
        canvas.text(&name.text, best.start, Anchor::Start, Face::regular(SIZE, name.colour));
        taken.push(best.area);
    }
}

fn candidate((x, y): Spot, (right, up): (f64, f64), away: f64, width: f64, face: Face) -> Candidate {
    let height = face.capital();
    // The middle of the name, so far that its box is clear of the spot by as much as asked for.
    let reach = away + (right.abs() * width + up.abs() * height) / 2.0;
    let (middle, level) = (x + right * reach, y - up * reach);
    let (left, baseline) = (middle - width / 2.0, level + height / 2.0);
    // Letters such as p hang below the baseline.
    let area =
        Area { left: left - 3.0, top: baseline - height - 4.0, width: width + 6.0, height: height + 10.0 };
    Candidate { area, start: (left, baseline) }
}

fn inside(frame: Area, area: Area) -> bool {
    frame.holds((area.left, area.top)) && frame.holds((area.right(), area.bottom()))
}

fn overlap(one: Area, other: Area) -> bool {
    one.left < other.right()
        && other.left < one.right()
        && one.top < other.bottom()
        && other.top < one.bottom()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_names_of_one_place_stand_on_both_sides_of_it_and_a_third_is_left_out() {
        let mut canvas = Canvas::new(200, 200);
        let frame = canvas.area();
        let name = |text: &str| Name {
            text: text.to_owned(),
            colour: Colour::INK,
            beside: vec![((0.0, 0.0), (0.0, 1.0))],
        };
        let ink = |canvas: &Canvas, rows: std::ops::Range<usize>| {
            rows.flat_map(|y| (0..200).map(move |x| (x, y)))
                .filter(|&(x, y)| canvas.pixel(x, y) != Colour::WHITE)
                .count()
        };
        let spot = |_: &(f64, f64)| (100.0, 100.0);
        place_names(&mut canvas, &[name("mm")], &spot, &[], frame);
        let one = ink(&canvas, 0..100);
        assert!(one > 0 && ink(&canvas, 100..200) == 0);
        let mut canvas = Canvas::new(200, 200);
        place_names(&mut canvas, &[name("mm"), name("mm"), name("mm")], &spot, &[], frame);
        let both = [ink(&canvas, 0..100), ink(&canvas, 100..200)];
        assert!(both[0] == one && both[1] > 0, "{both:?} of {one}");
    }
}
