//! Samples along axes of their distances.

use super::look::padded;
use super::ticks::written;
use super::{Colour, ColourMap, Dots, Numbers, Panel, Pen, PlotError, Row, Scene, Sheet};

/// Samples, and what to show of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Samples2d<'a> {
    /// Written above.
    pub title: String,
    /// Written below the title, smaller.
    pub note: String,
    /// Name and coordinates of every axis: one to three are shown.
    pub axes: Vec<(String, &'a [f64])>,
    /// What colours say.
    pub colours: Colours<'a>,
}

/// What the colour of a sample says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Colours<'a> {
    /// Nothing.
    Same,
    /// The name of a property, and its values.
    Numbers(&'a str, &'a [f64]),
    /// Names of classes, and the class of each sample.
    Classes(&'a [String], &'a [usize]),
}

/// Shades of numbers; a legend tells a few of them.
const SHADES: usize = 24;
const TOLD: usize = 6;

/// Width and height of a panel, in pixels.
const SIZE: f64 = 560.0;

/// Draws samples over the first two axes and, beside them, over the first and the third, as a PNG file.
pub fn draw_samples(samples: &Samples2d<'_>) -> Result<Vec<u8>, PlotError> {
    let (groups, legend) = groups(samples);
    let count = samples.axes.first().map_or(0, |(_, numbers)| numbers.len());
    // Many samples are small dots.
    let pen = (140.0 / (count.max(1) as f64).sqrt()).clamp(4.0, 13.0);
    let flat = ("".to_owned(), &vec![0.0; count][..]);
    let axis = |number: usize| samples.axes.get(number).unwrap_or(&flat);
    let last = samples.axes.len().clamp(2, 3);
    let panels = (1..last).map(|other| {
        let ((x_name, xs), (y_name, ys)) = (axis(0), axis(other));
        let dots = groups.iter().map(|(colour, members)| Dots {
            places: members.iter().map(|&member| (xs[member], ys[member])).collect(),
            pen: Pen::solid(*colour, pen),
        });
        Panel::Scene(Scene {
            title: String::new(),
            x: padded(x_name, xs.iter().copied()),
            y: padded(y_name, ys.iter().copied()),
            numbers: Numbers::Both,
            ground: None,
            dots: dots.collect(),
            lines: Vec::new(),
            arrows: Vec::new(),
            rings: Vec::new(),
            names: Vec::new(),
            legend: if other + 1 == last { legend.clone() } else { Vec::new() },
        })
    });
    let rows = vec![Row { height: SIZE, panels: panels.collect() }];
    let (title, note) = (samples.title.clone(), samples.note.clone());
    Sheet { title, note, legend: Vec::new(), width: SIZE, rows }.png()
}

type Groups = Vec<(Colour, Vec<usize>)>;

/// Samples of the same colour, and what colours mean.
fn groups(samples: &Samples2d<'_>) -> (Groups, Vec<(String, Colour)>) {
    let members = |group: usize, of: &dyn Fn(usize) -> usize, count: usize| {
        (0..count).filter(|&sample| of(sample) == group).collect::<Vec<_>>()
    };
    match samples.colours {
        Colours::Same => {
            let count = samples.axes.first().map_or(0, |(_, numbers)| numbers.len());
            (vec![(Colour::of_curve(0), (0..count).collect())], Vec::new())
        }
        Colours::Classes(names, classes) => {
            let group = |class: usize| {
                (Colour::of_curve(class), members(class, &|sample| classes[sample], classes.len()))
            };
            let legend =
                names.iter().enumerate().map(|(class, name)| (name.clone(), Colour::of_curve(class)));
            ((0..names.len()).map(group).collect(), legend.collect())
        }
        Colours::Numbers(name, numbers) => {
            let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let share = |number: f64| if high > low { (number - low) / (high - low) } else { 0.5 };
            let shade = |sample: usize| ((share(numbers[sample]) * SHADES as f64) as usize).min(SHADES - 1);
            let colour = |share: f64| ColourMap::Field.colour(share);
            let group = |group: usize| {
                (colour((group as f64 + 0.5) / SHADES as f64), members(group, &shade, numbers.len()))
            };
            let told = (0..TOLD).rev().map(|step| {
                let share = step as f64 / (TOLD - 1) as f64;
                (written(rounded(low + share * (high - low), high - low)), colour(share))
            });
            let heading = (name.to_owned(), Colour::WHITE);
            ((0..SHADES).map(group).collect(), std::iter::once(heading).chain(told).collect())
        }
    }
}

/// With as many digits as tell numbers of this range apart.
fn rounded(number: f64, range: f64) -> f64 {
    if range <= 0.0 {
        return number;
    }
    let unit = 10f64.powf(range.log10().floor() - 1.0);
    (number / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(colours: Colours<'_>, xs: &[f64], ys: &[f64]) -> Vec<u8> {
        let axes = vec![("axis 1".to_owned(), xs), ("axis 2".to_owned(), ys)];
        let samples = Samples2d { title: "samples".to_owned(), note: String::new(), axes, colours };
        let file = draw_samples(&samples).expect("it can be drawn");
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a picture");
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits into memory")];
        reader.next_frame(&mut bytes).expect("a picture");
        bytes
    }

    #[test]
    fn classes_and_numbers_have_colours_of_their_own() {
        let (xs, ys) = ([0.0, 1.0, 2.0], [0.5, 1.0, -3.0]);
        let has = |bytes: &[u8], colour: Colour| bytes.as_chunks::<3>().0.contains(&colour.0);
        let names = ["a", "b"].map(str::to_owned);
        let classes = pixels(Colours::Classes(&names, &[0, 1, 1]), &xs, &ys);
        assert!(has(&classes, Colour::of_curve(0)) && has(&classes, Colour::of_curve(1)));
        let numbers = pixels(Colours::Numbers("age", &[10.0, 20.0, 30.0]), &xs, &ys);
        assert!(
            has(&numbers, ColourMap::Field.colour(0.5 / SHADES as f64))
                && !has(&numbers, Colour::of_curve(1))
        );
        let middle = (SHADES as f64 / 2.0 + 0.5) / SHADES as f64;
        assert!(has(
            &pixels(Colours::Numbers("age", &[5.0]), &[0.0], &[0.0]),
            ColourMap::Field.colour(middle)
        ));
    }
}
