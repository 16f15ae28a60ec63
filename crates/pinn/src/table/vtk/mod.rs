//! Points with values as VTK's XML files have them: `.vtu` and `.vtp`.

mod arrays;
mod tags;

use super::TableFault;
use super::layout::TableColumns;
use super::named::{self, NamedColumn};
use arrays::{Encoding, VtkArray};
use kernel::Points;
use tags::{Tag, Tags};

/// Numbers of all arrays together.
const MOST_NUMBERS: usize = 1 << 26;

/// Reads a table of this layout: coordinates of space from the points, in their order, all else from arrays of point data by name.
/// The components of vectors are called `velocity:0`, `velocity:1` and so on.
pub(super) fn read(bytes: &[u8], space: &[&str], layout: &TableColumns<'_>) -> Result<Points, TableFault> {
    named::rows(&columns(bytes, space)?, layout)
}

fn unfit<T>(what: impl Into<String>) -> Result<T, TableFault> {
    Err(TableFault::Unfit(what.into()))
}

/// All columns of a file, pieces one after the other.
fn columns(bytes: &[u8], space: &[&str]) -> Result<Vec<NamedColumn>, TableFault> {
    let mut tags = Tags::new(bytes);
    let mut encoding = Encoding::default();
    let mut is_file = false;
    let mut section = None;
    let mut wanted: Vec<(VtkArray, bool)> = Vec::new();
    while let Some(tag) = tags.next()? {
        match (tag.name.as_str(), tag.closes) {
            ("VTKFile", false) => {
                is_file = true;
                encoding = file(&tag)?;
            }
            (name @ ("PointData" | "Points"), false) => section = Some(name == "Points"),
            ("PointData" | "Points", true) => section = None,
            ("DataArray", false) => {
                if let Some(is_place) = section {
                    wanted.push((VtkArray::of(&tag, tags.content_start(), bytes)?, is_place));
                }
            }
            ("AppendedData", false) => {
                encoding.appended(&tag, tags.content_start(), bytes)?;
                // Behind it are bytes, not tags.
                break;
            }
            _ => {}
        }
    }
    if !is_file {
        return unfit("it is no VTK file in XML: there is no `<VTKFile`");
    }
    let mut columns: Vec<NamedColumn> = Vec::new();
    let mut left = MOST_NUMBERS;
    for (layout, is_place) in wanted {
        let values = layout.values(&encoding, bytes, left)?;
        left = left.saturating_sub(values.len());
        for component in 0..layout.components {
            let name = match (is_place, layout.components) {
                (true, _) => match space.get(component) {
                    Some(name) => (*name).to_owned(),
                    None => continue,
                },
                (false, 1) => layout.name.clone(),
                (false, _) => format!("{}:{component}", layout.name),
            };
            let own = values.iter().skip(component).step_by(layout.components).copied();
            match columns.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.extend(own),
                None => columns.push((name, own.collect())),
            }
        }
    }
    Ok(columns)
}

fn file(tag: &Tag) -> Result<Encoding, TableFault> {
    match tag.get("type") {
        Some("UnstructuredGrid" | "PolyData") => {}
        other => {
            let found = other.unwrap_or("nothing");
            return unfit(format!(
                "it is a VTK file of {found}: UnstructuredGrid (.vtu) and PolyData (.vtp) are read"
            ));
        }
    }
    Encoding::of(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As text, in base64 and appended, all say the same.
    fn whole(format: &str, data: [&str; 2], appended: &str) -> String {
        let [points, values] = data;
        let place = |own: &str| match format {
            "appended" => (format!(" offset=\"{own}\"/>"), ""),
            _ => (format!(">{own}"), "</DataArray>"),
        };
        let ((points, end), (values, _)) = (place(points), place(values));
        format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <UnstructuredGrid><Piece NumberOfPoints=\"2\" NumberOfCells=\"0\">\n<PointData Scalars=\"T\">\
             <DataArray type=\"Float64\" Name=\"T\" format=\"{format}\"{values}{end}</PointData>\n\
             <CellData><DataArray type=\"Int32\" Name=\"T\" format=\"ascii\">7</DataArray></CellData>\n\
             <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"{format}\"{points}{end}</Points>\n\
             </Piece></UnstructuredGrid>{appended}</VTKFile>\n"
        )
    }

    fn bytes() -> [Vec<u8>; 2] {
        let points: Vec<u8> =
            [0f32, 0.5, 9.0, 1.0, 2.0, 9.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let values: Vec<u8> = [3f64, 4.5].iter().flat_map(|value| value.to_le_bytes()).collect();
        [points, values].map(|own| [&(own.len() as u64).to_le_bytes()[..], &own].concat())
    }

    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for three in bytes.chunks(3) {
            let number =
                three.iter().chain([&0; 2]).take(3).fold(0usize, |all, byte| all << 8 | usize::from(*byte));
            for place in 0..4 {
                let letter = char::from(LETTERS[number >> (18 - 6 * place) & 63]);
                text.push(if place <= three.len() { letter } else { '=' });
            }
        }
        text
    }

    fn check(bytes: &[u8]) {
        let found = read(bytes, &["x", "y"], &TableColumns::of_named(&["y", "x", "T"]));
        let found = found.unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(bytes)));
        assert_eq!(found.iter().collect::<Vec<_>>(), [[0.5, 0.0, 3.0], [2.0, 1.0, 4.5]]);
    }

    #[test]
    fn all_encodings_hold_the_same() {
        check(whole("ascii", ["0 0.5 9\n 1 2 9", "3 4.5"], "").as_bytes());
        let [points, values] = bytes();
        check(whole("binary", [&base64(&points), &base64(&values)], "").as_bytes());
        let second = points.len().to_string();
        let mut raw = whole("appended", ["0", &second], "<AppendedData encoding=\"raw\">\n_@@").into_bytes();
        let at = raw.windows(2).position(|two| two == b"@@").expect("a mark");
        raw.splice(at..at + 2, [points.clone(), values.clone()].concat());
        check(&raw);
        let (first, second) = (base64(&points), base64(&values));
        let appended = format!("<AppendedData encoding=\"base64\">_{first}{second}</AppendedData>");
        check(whole("appended", ["0", &first.len().to_string()], &appended).as_bytes());
    }

    #[test]
    fn compressed_blocks_are_unpacked() {
        let packed = |own: &[u8]| {
            let own = &own[8..];
            let blocks: Vec<Vec<u8>> =
                own.chunks(16).map(|block| miniz_oxide::deflate::compress_to_vec_zlib(block, 6)).collect();
            let mut header = vec![blocks.len() as u64, 16, (own.len() % 16) as u64];
            header.extend(blocks.iter().map(|block| block.len() as u64));
            let header: Vec<u8> = header.iter().flat_map(|number| number.to_le_bytes()).collect();
            (header, blocks.concat())
        };
        let [points, values] = bytes().map(|own| packed(&own));
        let text = |(header, data): &(Vec<u8>, Vec<u8>)| base64(header) + &base64(data);
        let plain = whole("binary", [&text(&points), &text(&values)], "");
        let zipped = plain.replace("header_type", "compressor=\"vtkZLibDataCompressor\" header_type");
        check(zipped.as_bytes());
        assert!(read(plain.as_bytes(), &["x"], &TableColumns::of_named(&["T"])).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_told_and_nothing_panics() {
        let layout = TableColumns::of_named(&["x", "T"]);
        let wrong = |text: &str| read(text.as_bytes(), &["x", "y"], &layout).expect_err(text).to_string();
        assert!(wrong("<html/>").contains("no VTK file"));
        assert!(wrong("<VTKFile type=\"ImageData\">").contains("UnstructuredGrid (.vtu) and PolyData"));
        let text = whole("ascii", ["0 0.5 9 1 2 9", "3 4.5"], "");
        assert!(wrong(&text.replace("4.5", "four")).contains("`four` is not a number"));
        assert!(wrong(&text.replace("3 4.5", "3")).contains("columns have one length"));
        assert!(
            wrong(&text.replace("UInt64\"", "UInt64\" compressor=\"vtkLZ4DataCompressor\""))
                .contains("vtkLZ4DataCompressor")
        );
        let [points, values] = bytes();
        let binary = whole("binary", [&base64(&points), &base64(&values)], "");
        for text in [text, binary] {
            for place in 0..text.len() {
                let mut damaged = text.clone().into_bytes();
                damaged[place] = damaged[place].wrapping_add(13);
                let _ = read(&damaged, &["x", "y"], &layout);
                let _ = read(&damaged[..place], &["x", "y"], &layout);
            }
        }
    }
}
