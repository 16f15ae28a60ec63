//! Values on regular grids: arrays, tables with coordinates, images.

use super::csv::{lines, number_of};
use super::layout::unquoted;
use super::{TableFault, npy};
use equation::parse::FileGrid;
use equation::tabulated::MOST_GRID_VALUES;

/// How far coordinates may be from regular ones, as a share of their distance: tables are often written with few digits.
const IRREGULAR: f64 = 1e-3;

fn unfit<T>(what: impl Into<String>) -> Result<T, TableFault> {
    Err(TableFault::Unfit(what.into()))
}

/// The coordinates that a grid of so many dimensions is over.
fn choose(choices: &[Vec<&str>], dimensions: usize, what: &str) -> Result<usize, TableFault> {
    match choices.iter().position(|axes| axes.len() == dimensions) {
        Some(choice) => Ok(choice),
        None => {
            let offered: Vec<String> = choices.iter().map(|axes| axes.join(", ")).collect();
            unfit(format!(
                "it has {dimensions} {what}, and the coordinates are {}: name those that it is over with `axes`",
                offered.join(" or ")
            ))
        }
    }
}

/// How many values there are, unless that is too many or too few.
fn counted(counts: &[usize]) -> Result<usize, TableFault> {
    if let Some(short) = counts.iter().find(|count| **count < 2) {
        return unfit(format!("it has {short} values along a coordinate: 2 or more are needed"));
    }
    let all = counts.iter().fold(1usize, |all, count| all.saturating_mul(*count));
    match all > MOST_GRID_VALUES {
        true => unfit(format!("it has {all} values: no more than {MOST_GRID_VALUES} are read")),
        false => Ok(all),
    }
}

fn all_finite(values: &[f64]) -> Result<(), TableFault> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => unfit(format!("value {} of {} is not finite", place + 1, values.len())),
        None => Ok(()),
    }
}

/// An array of as many dimensions as there are coordinates, the first index along the first of them.
pub(super) fn of_array(bytes: &[u8], choices: &[Vec<&str>]) -> Result<FileGrid, TableFault> {
    let npy::NpyArray { shape, values } = npy::array(bytes, MOST_GRID_VALUES)?;
    let choice = choose(choices, shape.len(), "dimensions")?;
    counted(&shape)?;
    all_finite(&values)?;
    Ok(FileGrid { choice, counts: shape, values, ranges: None, is_image: false })
}

/// A table with a column for each coordinate and one for the value, its rows in any order. A header may put them in any order,
/// too; without one the value comes last.
pub(super) fn of_text(bytes: &[u8], choices: &[Vec<&str>]) -> Result<FileGrid, TableFault> {
    let mut order: Option<Vec<usize>> = None;
    let mut choice = None;
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for line in lines(bytes)? {
        let names: Vec<&str> = line.entries.iter().map(|entry| unquoted(entry)).collect();
        if columns.is_empty() {
            let Some(dimensions) = names.len().checked_sub(1) else { continue };
            choice = Some(choose(choices, dimensions, "columns besides the value")?);
            columns = vec![Vec::new(); names.len()];
        }
        let axes = &choices[choice.unwrap_or_default()];
        if line.header {
            let found: Vec<Option<usize>> =
                axes.iter().map(|axis| names.iter().position(|name| name == axis)).collect();
            // A header in other words is taken for one in the usual order.
            order = found.into_iter().collect::<Option<Vec<usize>>>().map(|mut own| {
                own.extend((0..names.len()).find(|column| !own.contains(column)));
                own
            });
            continue;
        }
        if names.len() != columns.len() {
            let (found, expected) = (names.len(), columns.len());
            let mut names: Vec<&str> = axes.clone();
            names.push("value");
            let names = names.join(", ");
            return Err(TableFault::PointColumns { line: line.number, found, expected, names });
        }
        for (position, column) in columns.iter_mut().enumerate() {
            let from = order.as_ref().map_or(position, |order| order[position]);
            column.push(number_of(names[from], line.number, from + 1)?);
        }
        if columns[0].len() > MOST_GRID_VALUES {
            return unfit(format!("it has more than {MOST_GRID_VALUES} rows"));
        }
    }
    let (Some(choice), Some(values)) = (choice, columns.pop()) else { return Err(TableFault::Empty) };
    if values.is_empty() {
        return Err(TableFault::Empty);
    }
    arranged(choice, &choices[choice], &columns, &values)
}

/// Puts the values of a table in the places that their coordinates say.
fn arranged(
    choice: usize,
    axes: &[&str],
    coordinates: &[Vec<f64>],
    values: &[f64],
) -> Result<FileGrid, TableFault> {
    let mut counts = Vec::new();
    let mut ranges = Vec::new();
    for (axis, column) in axes.iter().zip(coordinates) {
        let mut sorted = column.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
        // Digits that differ by rounding are one place.
        sorted.dedup_by(|later, first| (*later - *first).abs() <= 1e-9 * (high - low));
        if sorted.len() < 2 {
            return unfit(format!("all rows have the same {axis}: 2 or more values are needed"));
        }
        let step = (high - low) / (sorted.len() - 1) as f64;
        let off =
            |(place, value): (usize, &f64)| (value - (low + place as f64 * step)).abs() > IRREGULAR * step;
        if let Some(wrong) = sorted.iter().enumerate().position(off) {
            return unfit(format!(
                "its values of {axis} are not at equal distances: {} of them from {low} to {high}, but {} among them",
                sorted.len(),
                sorted[wrong]
            ));
        }
        counts.push(sorted.len());
        ranges.push((low, high));
    }
    let count = counted(&counts)?;
    if count != values.len() {
        let sides: Vec<String> = counts.iter().map(usize::to_string).collect();
        return unfit(format!(
            "it has {} rows, its grid of {} has {count} places",
            values.len(),
            sides.join(" × ")
        ));
    }
    let mut placed = vec![f64::NAN; count];
    for (row, value) in values.iter().enumerate() {
        let mut place = 0;
        for ((column, count), (low, high)) in coordinates.iter().zip(&counts).zip(&ranges) {
            let along = (column[row] - low) / (high - low) * (count - 1) as f64;
            place = place * count + (along.round() as usize).min(count - 1);
        }
        if !placed[place].is_nan() {
            return unfit(format!("two rows have the coordinates of row {}", row + 1));
        }
        placed[place] = *value;
    }
    Ok(FileGrid { choice, counts, values: placed, ranges: Some(ranges), is_image: false })
}

/// A greyscale image: black is zero, white is one. Columns go along the first coordinate; the lowest row comes first.
pub(super) fn of_image(bytes: &[u8], choices: &[Vec<&str>]) -> Result<FileGrid, TableFault> {
    let choice = choose(choices, 2, "dimensions")?;
    let wrong = |error: png::DecodingError| TableFault::Unfit(format!("it is no PNG image: {error}"));
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    counted(&[width, height])?;
    let depth = match reader.output_color_type() {
        (png::ColorType::Grayscale, png::BitDepth::Eight) => 1,
        (png::ColorType::Grayscale, png::BitDepth::Sixteen) => 2,
        (other, _) => {
            return unfit(format!("its colours are {other:?}: convert it to greyscale without transparency"));
        }
    };
    let mut pixels = vec![0; width * height * depth];
    reader.next_frame(&mut pixels).map_err(wrong)?;
    let shade = |column: usize, row: usize| {
        let place = (row * width + column) * depth;
        match depth {
            1 => f64::from(pixels[place]) / 255.0,
            _ => f64::from(u16::from_be_bytes([pixels[place], pixels[place + 1]])) / 65535.0,
        }
    };
    let upwards = (0..width).flat_map(|column| (0..height).rev().map(move |row| (column, row)));
    let values = upwards.map(|(column, row)| shade(column, row)).collect();
    Ok(FileGrid { choice, counts: vec![width, height], values, ranges: None, is_image: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANE: [&[&str]; 1] = [&["x", "y"]];

    fn choices() -> Vec<Vec<&'static str>> {
        PLANE.iter().map(|axes| axes.to_vec()).collect()
    }

    /// A greyscale image as PNG files have it.
    fn image(width: u32, pixels: &[u8], colours: png::ColorType) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder =
            png::Encoder::new(&mut bytes, width, (pixels.len() / colours.samples()) as u32 / width);
        encoder.set_color(colours);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().expect("a header").write_image_data(pixels).expect("an image");
        bytes
    }

    #[test]
    fn tables_are_grids_whatever_the_order_of_their_rows() {
        let grid = of_text(b"y,k,x\n1,5,2\n0,2,1\n0,4,2\n1,3,1\n2,7,2\n2,6,1\n", &choices()).expect("a grid");
        assert_eq!((grid.counts, grid.values), (vec![2, 3], vec![2.0, 3.0, 6.0, 4.0, 5.0, 7.0]));
        assert_eq!(grid.ranges, Some(vec![(1.0, 2.0), (0.0, 2.0)]));
        assert_eq!(
            of_text(b"0 0 1\n0 1 2\n1 0 3\n1 1 4\n", &choices()).expect("a grid").values,
            [1.0, 2.0, 3.0, 4.0]
        );
        let wrong = |text: &str| of_text(text.as_bytes(), &choices()).expect_err(text).to_string();
        assert_eq!(wrong("0,0,1\n0,1,2\n1,0,3\n"), "it has 3 rows, its grid of 2 × 2 has 4 places");
        assert_eq!(wrong("0,0,1\n0,1,2\n1,0,3\n1,0,4\n"), "two rows have the coordinates of row 4");
        assert!(
            wrong("0,0,1\n0,1,2\n0,3,3\n1,0,3\n1,1,3\n1,3,3\n")
                .starts_with("its values of y are not at equal distances")
        );
        assert_eq!(wrong("0,0,1\n0,one,2\n"), "line 2, column 2: `one` is not a number");
        assert_eq!(
            wrong("1,2,3,4\n"),
            "it has 3 columns besides the value, and the coordinates are x, y: name those that it is over with `axes`"
        );
        assert_eq!(wrong("# nothing\n"), "it holds no rows");
    }

    #[test]
    fn images_stand_upright() {
        let grid = of_image(&image(3, &[0, 51, 102, 153, 204, 255], png::ColorType::Grayscale), &choices());
        let grid = grid.expect("an image");
        assert_eq!((grid.counts, grid.is_image), (vec![3, 2], true));
        assert_eq!(grid.values, [0.6, 0.0, 0.8, 0.2, 1.0, 0.4]);
        let colours = of_image(&image(2, &[0; 12], png::ColorType::Rgb), &choices()).expect_err("colours");
        assert!(colours.to_string().contains("convert it to greyscale"));
        let whole = image(3, &[0, 51, 102, 153, 204, 255], png::ColorType::Grayscale);
        for length in 0..whole.len() - 12 {
            assert!(of_image(&whole[..length], &choices()).is_err(), "{length} bytes");
        }
    }
}
