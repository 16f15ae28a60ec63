//! Pictures are PNG files of the right size for every kind of problem, and nothing makes them panic.

use pinnace::Experiment;
use pinnace::run::Record;
use plot::{Axis, Colour, ColourMap, Curve, Curves, Map, Panel, Pen, Picture, Resolution, Row};
use plot::{PlotError, Samples, Sheet, draw};
use std::path::Path;

fn size(bytes: &[u8]) -> (u32, u32) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a picture that fits into memory")];
    let frame = reader.next_frame(&mut pixels).expect("all of its pixels");
    assert_eq!(pixels.len(), 3 * (frame.width * frame.height) as usize);
    assert!(pixels.iter().any(|&part| part < 100), "there is ink on the paper");
    (frame.width, frame.height)
}

fn sheet(panels: Vec<Panel>) -> Sheet {
    let rows = vec![Row { height: 150.0, panels }];
    Sheet { title: "Title".to_owned(), note: String::new(), legend: Vec::new(), width: 200.0, rows }
}

fn map(samples: Samples, range: Axis) -> Panel {
    let (x, y) = (Axis::linear("x", 0.0, 1.0), Axis::linear("y", -1.0, 1.0));
    Panel::Map(Map {
        title: "u".to_owned(),
        x,
        y,
        samples,
        range,
        colours: ColourMap::Field,
        cutout: None,
        interfaces: Vec::new(),
        marks: Vec::new(),
    })
}

fn grid(values: [f64; 4]) -> Samples {
    Samples::Grid { xs: vec![0.0, 1.0], ys: vec![-1.0, 1.0], values: values.to_vec() }
}

#[test]
fn a_sheet_has_room_for_its_frames_and_little_more() -> Result<(), PlotError> {
    let panel = || map(grid([0.0, 1.0, 2.0, 3.0]), Axis::linear("", 0.0, 3.0));
    let (one, height) = size(&sheet(vec![panel()]).png()?);
    let (three, same_height) = size(&sheet(vec![panel(), panel(), panel()]).png()?);
    assert!((200..450).contains(&one) && (150..340).contains(&height), "{one} × {height}");
    assert!((2 * one..3 * one + 60).contains(&three), "{three} for three of {one}");
    assert_eq!(height, same_height);
    Ok(())
}

#[test]
fn nothing_to_draw_and_nothing_that_can_be_drawn_still_give_a_picture() -> Result<(), PlotError> {
    let far = [f64::NAN, f64::INFINITY, -1e308, 1e308];
    let ranges = [(0.0, 0.0), (f64::NAN, f64::NAN), (-1e308, 1e308), (1e-310, 1e-309), (5.0, 5.0)];
    for (low, high) in ranges {
        for range in [Axis::linear("", low, high), Axis::logarithmic("", low, high)] {
            let empty = Samples::Grid { xs: Vec::new(), ys: Vec::new(), values: Vec::new() };
            let short = Samples::Grid { xs: vec![0.5], ys: vec![0.0, 1.0], values: vec![1.0] };
            let dots = Samples::Dots {
                places: vec![(0.5, f64::NAN), (9e99, 0.0), (0.1, 0.2)],
                values: far.to_vec(),
            };
            let panels =
                [grid(far), grid([0.0; 4]), empty, short, dots].map(|samples| map(samples, range.clone()));
            size(&sheet(panels.to_vec()).png()?);
            let curves =
                [Vec::new(), vec![(0.0, f64::NAN), (1.0, 2.0)], vec![(f64::INFINITY, 1e308), (0.5, -1e308)]];
            let curve = |points| Curve { name: "a".repeat(99), points, pen: Pen::dashed(Colour::INK, 2.0) };
            let panel = Curves {
                title: "long ".repeat(50),
                x: range.clone(),
                y: range,
                curves: curves.map(curve).to_vec(),
                marks: vec![(f64::NAN, "never".to_owned()), (low, "begin".to_owned())],
                legend: true,
            };
            size(&sheet(vec![Panel::Curves(panel)]).png()?);
        }
    }
    Ok(())
}

fn pictures(text: &str) -> Result<Vec<Picture>, PlotError> {
    let experiment = Experiment::from_text("problem.toml", text, Path::new("."), &[])?;
    let parameters = experiment.start().parameters;
    let record = |step: u64| Record {
        step,
        phase_step: step,
        loss: 1.0 / step as f64,
        mean_squares: vec![0.5; experiment.plan().terms.len()],
        error: step.is_multiple_of(5).then_some(0.1),
        ..Record::default()
    };
    let history: Vec<Record> = (1..=20).map(record).collect();
    draw(&experiment, &parameters, &history, &Resolution::default())
}

fn problem(domain: &str, reference: &str) -> String {
    format!(
        "title = \"Schrödinger\"\n[domain]\n{domain}\n[unknowns]\nu = {{}}\n[equations]\nlevel = \"u = 1\"\n[ansatz]\nu = \"N\"\n\
         [network]\nwidth = 4\ndepth = 1\n{reference}"
    )
}

#[test]
fn every_number_of_coordinates_has_its_pictures() -> Result<(), PlotError> {
    let reference = "[reference]\nu = \"1\"\n";
    let domains = [
        ("x = [0, 1]", vec!["solution.png", "loss.png"]),
        ("t = [0, 1]\nx = [-1, 1]", vec!["solution.png", "cuts.png", "loss.png"]),
        ("x = [0, 1]\ny = [0, 9]\nz = [0, 1e-9]", vec!["solution.png", "cuts.png", "loss.png"]),
        ("t = [0, 1]\nx = { range = [0, 1], count = 6 }", vec!["solution.png", "cuts.png", "loss.png"]),
    ];
    for (domain, names) in domains {
        let compared = pictures(&problem(domain, reference))?;
        let alone = pictures(&problem(domain, ""))?;
        for drawn in [&compared, &alone] {
            assert_eq!(drawn.iter().map(|picture| picture.name.as_str()).collect::<Vec<_>>(), names);
        }
        let pixels = |picture: &Picture| {
            let (width, height) = size(&picture.bytes);
            width * height
        };
        assert!(pixels(&compared[0]) > pixels(&alone[0]), "a reference and an error take room");
    }
    Ok(())
}

#[test]
fn pictures_repeat_bit_for_bit() -> Result<(), PlotError> {
    let text = problem("t = [0, 1]\nx = [-1, 1]", "");
    assert_eq!(pictures(&text)?, pictures(&text)?);
    Ok(())
}
