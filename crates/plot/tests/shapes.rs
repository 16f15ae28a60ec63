//! Pictures of shapes, and of solutions on shapes.

use pinnace::Experiment;
use plot::{Colour, PlotError, Resolution, draw, draw_geometry};
use std::path::Path;

/// A decoded picture.
struct Decoded {
    width: usize,
    pixels: Vec<Colour>,
}

impl Decoded {
    fn of(bytes: &[u8]) -> Decoded {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
        let mut parts = vec![0; reader.output_buffer_size().expect("a picture that fits into memory")];
        let frame = reader.next_frame(&mut parts).expect("all of its pixels");
        let pixels = parts.chunks_exact(3).map(|part| Colour([part[0], part[1], part[2]])).collect();
        Decoded { width: frame.width as usize, pixels }
    }

    fn at(&self, x: usize, y: usize) -> Colour {
        self.pixels[y * self.width + x]
    }

    /// Where pixels of a colour are.
    fn places(&self, colour: Colour) -> Vec<(usize, usize)> {
        let found = self.pixels.iter().enumerate().filter(|(_, pixel)| **pixel == colour);
        found.map(|(index, _)| (index % self.width, index / self.width)).collect()
    }

    /// Left ends and the row of the upper edges of the frames of this width, from the left.
    fn frames(&self, width: usize) -> (Vec<usize>, usize) {
        let dark = |pixel: &Colour| pixel.0.iter().all(|part| *part < 110);
        for (row, pixels) in self.pixels.chunks_exact(self.width).enumerate() {
            let mut start = 0;
            let mut found = Vec::new();
            for run in pixels.chunk_by(|one, next| dark(one) == dark(next)) {
                if dark(&run[0]) && (width - 4..width + 8).contains(&run.len()) {
                    found.push(start);
                }
                start += run.len();
            }
            if !found.is_empty() {
                return (found, row);
            }
        }
        (Vec::new(), 0)
    }
}

fn experiment(domain: &str, shape: &str, more: &str) -> Experiment {
    let geometry =
        if shape.is_empty() { String::new() } else { format!("[geometry]\nshape = \"{shape}\"\n") };
    let text = format!(
        "title = \"A shape\"\n[domain]\n{domain}\n{geometry}[unknowns]\nu = {{}}\n[equations]\npoisson = \"laplacian(u) = -1\"\n\
         [conditions]\nrim = {{ on = \"boundary\", equation = \"u = 0\" }}\n[network]\nwidth = 4\ndepth = 1\n{more}"
    );
    Experiment::from_text("shape.toml", &text, Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn geometry(experiment: &Experiment) -> Result<Option<Decoded>, PlotError> {
    let territory = experiment.territory().expect("there is space");
    let points = experiment.first_points(Some(20))?;
    Ok(draw_geometry(experiment, &territory, &points)?.map(|picture| Decoded::of(&picture.bytes)))
}

/// As the inside is drawn.
const INSIDE: Colour = Colour([228, 235, 244]);

#[test]
fn a_disk_is_drawn_round_and_of_its_size_with_its_edge_in_a_colour_of_its_own() -> Result<(), PlotError> {
    // The box is wider than the disk: that must not squash it.
    let picture =
        geometry(&experiment("x = [-1, 3]\ny = [-1, 1]", "disk([0, 0], 1)", ""))?.expect("a picture");
    let inside = picture.places(INSIDE);
    let extent = |part: fn(&(usize, usize)) -> usize| {
        let values = || inside.iter().map(part);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    let (across, down) = (extent(|place| place.0), extent(|place| place.1));
    assert!(across > 300 && across.abs_diff(down) <= 3, "{across} × {down}");
    let share = inside.len() as f64 / (across * down) as f64;
    assert!((share - std::f64::consts::FRAC_PI_4).abs() < 0.02, "{share}");
    let edge = picture.places(Colour::of_curve(0)).len();
    assert!(edge > 2 * across, "{edge} pixels of the edge");
    Ok(())
}

#[test]
fn every_piece_has_its_colour_in_one_to_three_dimensions_and_more_are_not_drawn() -> Result<(), PlotError> {
    let shapes = [
        ("x = [0, 1]", "", 2),
        ("x = [0, 3]", "interval(0, 1) + interval(2, 3)", 4),
        ("x = [0, 2]\ny = [0, 1]", "", 4),
        ("t = [0, 1]\nx = [0, 2]\ny = [0, 1]", "rectangle([0, 0], [2, 1]) - disk([1, 0.5], 0.2)", 5),
        ("x = [0, 1]\ny = [0, 1]\nz = [0, 1]", "box([0, 0, 0], [1, 1, 1]) - sphere([0.5, 0.5, 1], 0.3)", 7),
    ];
    for (domain, shape, pieces) in shapes {
        let picture = geometry(&experiment(domain, shape, ""))?.expect("a picture");
        for piece in 0..pieces {
            let seen = picture.places(Colour::of_curve(piece)).len();
            assert!(seen > 50, "{seen} pixels of piece {piece} of `{shape}` in {domain}");
        }
        assert_eq!(picture.places(Colour::of_curve(pieces)).len(), 0, "`{shape}` in {domain}");
        assert!(picture.places(INSIDE).len() > 2000, "`{shape}` in {domain}");
    }
    assert!(geometry(&experiment("x = { range = [0, 1], count = 4 }", "", ""))?.is_none());
    Ok(())
}

#[test]
fn network_reference_and_error_are_blank_outside_of_a_disk() -> Result<(), PlotError> {
    // The reference is a number outside, too.
    let reference = "[reference]\nu = \"1 + (1 - x^2 - y^2)/4\"\ngrid = { x = 41, y = 41 }\n";
    let experiment = experiment("x = [-1, 1]\ny = [-1, 1]", "disk([0, 0], 1)", reference);
    let parameters = experiment.start().parameters;
    let pictures = draw(&experiment, &parameters, &[], &Resolution::default())?;
    let solution = Decoded::of(&pictures[0].bytes);
    let (frames, top) = solution.frames(400);
    assert_eq!((pictures[0].name.as_str(), frames.len()), ("solution.png", 3), "{frames:?}");
    for left in frames {
        let at = |radius: f64, turn: f64| {
            let (sine, cosine) = turn.to_radians().sin_cos();
            solution.at(left + (200.0 + radius * cosine) as usize, top + (200.0 - radius * sine) as usize)
        };
        for turn in [30.0, 45.0, 60.0, 135.0, 225.0, 315.0] {
            assert_eq!(at(210.0, turn), Colour::WHITE, "outside at {turn}");
            for radius in [20.0, 190.0] {
                let pixel = at(radius, turn);
                assert!(pixel != Colour::WHITE && pixel != Colour::MISSING, "{pixel:?} at {radius}, {turn}");
            }
        }
    }
    Ok(())
}

/// Whether a line is seen around a place: at one of some radii a pixel differs from those on both sides of them.
fn is_lined(picture: &Decoded, (left, top): (usize, usize), radius: f64, turn: f64) -> bool {
    let (sine, cosine) = turn.to_radians().sin_cos();
    let at = |radius: f64| {
        picture.at((left as f64 + radius * cosine) as usize, (top as f64 - radius * sine) as usize)
    };
    let differs =
        |one: Colour, other: Colour| one.0.iter().zip(other.0).any(|(one, other)| one.abs_diff(other) > 50);
    let (before, after) = (at(radius - 9.0), at(radius + 9.0));
    (-4..=4)
        .map(|step| at(radius + f64::from(step)))
        .any(|pixel| differs(pixel, before) && differs(pixel, after))
}

const CORE: &str = "[regions]\ncore = \"disk([0, 0], 0.5)\"\n";

#[test]
fn the_edge_of_a_region_is_drawn_in_the_picture_of_a_shape() -> Result<(), PlotError> {
    let lined = |more: &str| -> Result<usize, PlotError> {
        let picture = geometry(&experiment("x = [-1, 1]\ny = [-1, 1]", "", more))?.expect("a picture");
        let inside = picture.places(INSIDE);
        let extent = |part: fn(&(usize, usize)) -> usize| {
            let values = || inside.iter().map(part);
            let (low, high) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            ((low + high) / 2, (high - low) as f64 / 2.0)
        };
        let ((left, half), (top, _)) = (extent(|place| place.0), extent(|place| place.1));
        Ok((0..72).filter(|turn| is_lined(&picture, (left, top), 0.5 * half, 5.0 * f64::from(*turn))).count())
    };
    let (with, without) = (lined(CORE)?, lined("")?);
    // The line has gaps, and there are dots.
    assert!(with > 36 && without < 12, "{with} of 72 places with a region, {without} without one");
    Ok(())
}

#[test]
fn maps_show_where_regions_meet_on_planes_and_on_slices() -> Result<(), PlotError> {
    let ball = "[regions]\ncore = \"sphere([0, 0, 0], 0.5)\"\n";
    // In the slice at z = 0 the ball is as large as the disk; those at z = ±0.5 touch it.
    for (domain, more, frame, count) in
        [("x = [-1, 1]\ny = [-1, 1]", CORE, 0, 1), ("x = [-1, 1]\ny = [-1, 1]\nz = [-1, 1]", ball, 1, 3)]
    {
        let experiment = experiment(domain, "", more);
        // A field of zeros has one colour on both sides.
        let parameters = vec![0.0; experiment.start().parameters.len()];
        let pictures = draw(&experiment, &parameters, &[], &Resolution::default())?;
        let solution = Decoded::of(&pictures[0].bytes);
        let (frames, top) = solution.frames(400);
        assert_eq!((pictures[0].name.as_str(), frames.len()), ("solution.png", count), "{frames:?}");
        // A tick stands before the frame's corner.
        let middle = (frames[frame] + 206, top + 200);
        for turn in [10.0, 45.0, 100.0, 170.0, 215.0, 260.0, 320.0] {
            assert!(is_lined(&solution, middle, 100.0, turn), "no line at {turn} in {domain}");
            assert!(!is_lined(&solution, middle, 60.0, turn), "a line at {turn} in {domain}");
        }
    }
    Ok(())
}
