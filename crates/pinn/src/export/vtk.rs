//! Fields on a grid as VTK's XML image data, which ParaView and VisIt open.

use super::{ExportError, file};
use crate::{Axis, Fields, Grid, Places};
use equation::problem::Role;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What becomes of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// One file per moment and one `.pvd` file that lists them: an animation.
    Series,
    /// The last axis of a single file: a picture over space and time.
    Axis,
}

/// Axes of a picture.
const MOST_AXES: usize = 3;

/// What was written, and what had to go for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The file to open: a `.vti` file, or for a series a `.pvd` file, whose moments are in a folder beside it.
    pub path: PathBuf,
    /// Moments of an earlier series of that name that this one does not have: they were removed.
    pub removed: Vec<PathBuf>,
}

/// Writes fields on a grid; `path` gives the name, its ending follows from what is written.
pub fn vtk(fields: &Fields, path: &Path, time: Time) -> Result<Written, ExportError> {
    let Places::Grid(grid) = fields.places() else {
        let parts = fields.coordinates().iter().map(|name| format!("{name}=21"));
        return Err(ExportError::NoGrid { example: parts.collect::<Vec<_>>().join(",") });
    };
    let is_time = |axis: &usize| grid.axes()[*axis].coordinate.role == Role::Time;
    // A coordinate with one value is no axis of a picture.
    let several = (0..grid.axes().len()).filter(|axis| grid.axes()[*axis].count > 1);
    let (times, mut shown): (Vec<usize>, Vec<usize>) = several.partition(is_time);
    let series = match (&times[..], shown.is_empty(), time) {
        (&[axis], false, Time::Series) => Some(axis),
        _ => {
            shown.extend(times);
            None
        }
    };
    if shown.len() > MOST_AXES {
        return Err(ExportError::TooManyCoordinates { found: shown.len(), series: series.is_some() });
    }
    let Some(axis) = series else {
        let image = Image { fields, grid, axes: shown, fixed: None };
        let path = path.with_extension("vti");
        file::write(&path, |output| image.write(output))?;
        return Ok(Written { path, removed: Vec::new() });
    };
    let folder = path.with_extension("");
    file::folder(&folder)?;
    let moments = grid.axes()[axis].values();
    let digits = moments.len().to_string().len();
    let names: Vec<String> = (0..moments.len()).map(|number| format!("{number:0digits$}.vti")).collect();
    for (number, name) in names.iter().enumerate() {
        let image = Image { fields, grid, axes: shown.clone(), fixed: Some((axis, number)) };
        file::write(&folder.join(name), |output| image.write(output))?;
    }
    let path = path.with_extension("pvd");
    // While the old list is there: should this be cut short, the next export still knows what to remove.
    let removed = remove_stale(&path, &folder, &names)?;
    let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    file::write(&path, |output| {
        writeln!(output, "<?xml version=\"1.0\"?>")?;
        writeln!(output, "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">")?;
        writeln!(output, "  <Collection>")?;
        for (moment, name) in moments.iter().zip(&names) {
            let file = escaped(&format!("{folder}/{name}"));
            writeln!(output, "    <DataSet timestep=\"{moment}\" group=\"\" part=\"0\" file=\"{file}\"/>")?;
        }
        writeln!(output, "  </Collection>")?;
        writeln!(output, "</VTKFile>")
    })?;
    Ok(Written { path, removed })
}

/// Removes the moments that the list of an earlier series names and this one lacks. Files that no list names are someone
/// else's.
fn remove_stale(list: &Path, folder: &Path, names: &[String]) -> Result<Vec<PathBuf>, ExportError> {
    let Ok(text) = std::fs::read_to_string(list) else { return Ok(Vec::new()) };
    let within = escaped(&format!("{}/", folder.file_name().unwrap_or_default().to_string_lossy()));
    let listed =
        text.split("file=\"").skip(1).filter_map(|rest| rest.split('"').next()?.strip_prefix(&within));
    let ours = |name: &&str| {
        let number = name.strip_suffix(".vti").unwrap_or_default();
        !number.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit())
    };
    let mut removed = Vec::new();
    for name in listed.filter(ours).filter(|name| names.iter().all(|new| new != name)) {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
            Err(cause) => return Err(ExportError::Unremovable { path, cause }),
        }
    }
    Ok(removed)
}

/// One picture: some axes of the grid, at most one of the others fixed.
struct Image<'f> {
    fields: &'f Fields,
    grid: &'f Grid,
    /// In VTK's order: the first one runs fastest.
    axes: Vec<usize>,
    /// Axis and position.
    fixed: Option<(usize, usize)>,
}

impl Image<'_> {
    fn write(&self, output: &mut impl Write) -> std::io::Result<()> {
        let axes: Vec<&Axis> = self.axes.iter().map(|&axis| &self.grid.axes()[axis]).collect();
        let each = |number: &dyn Fn(&Axis) -> f64, missing: f64| -> String {
            let numbers = (0..MOST_AXES).map(|place| axes.get(place).map_or(missing, |axis| number(axis)));
            numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        };
        let origin = each(&|axis| axis.coordinate.low, 0.0);
        let spacing = each(&spacing, 1.0);
        let extent: Vec<String> = (0..MOST_AXES)
            .map(|place| format!("0 {}", axes.get(place).map_or(0, |axis| axis.count - 1)))
            .collect();
        let extent = extent.join(" ");
        let order = self.order();
        let bytes = (order.len() * size_of::<f64>()) as u64;
        writeln!(output, "<?xml version=\"1.0\"?>")?;
        writeln!(
            output,
            "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
        )?;
        writeln!(output, "  <ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" Spacing=\"{spacing}\">")?;
        writeln!(output, "    <Piece Extent=\"{extent}\">")?;
        let first = self.fields.iter().next().map_or("", |(name, _)| name);
        writeln!(output, "      <PointData Scalars=\"{}\">", escaped(first))?;
        for (number, (name, _)) in self.fields.iter().enumerate() {
            let (name, offset) = (escaped(name), number as u64 * (bytes + 8));
            writeln!(
                output,
                "        <DataArray type=\"Float64\" Name=\"{name}\" format=\"appended\" offset=\"{offset}\"/>"
            )?;
        }
        writeln!(output, "      </PointData>")?;
        writeln!(output, "    </Piece>")?;
        writeln!(output, "  </ImageData>")?;
        write!(output, "  <AppendedData encoding=\"raw\">\n_")?;
        for (_, values) in self.fields.iter() {
            output.write_all(&bytes.to_le_bytes())?;
            for &index in &order {
                output.write_all(&values[index].to_le_bytes())?;
            }
        }
        writeln!(output, "\n  </AppendedData>")?;
        writeln!(output, "</VTKFile>")
    }

    /// Positions of the picture's points among those of the grid, whose last axis runs fastest.
    fn order(&self) -> Vec<usize> {
        let all = self.grid.axes();
        let stride = |axis: usize| all[axis + 1..].iter().map(|axis| axis.count).product::<usize>();
        let start = self.fixed.map_or(0, |(axis, position)| position * stride(axis));
        let mut order = vec![start];
        for &axis in &self.axes {
            // Those of the axes before run faster: the whole list repeats for every value of this one.
            let (count, step) = (all[axis].count, stride(axis));
            order =
                (0..count).flat_map(|value| order.iter().map(move |index| index + value * step)).collect();
        }
        order
    }
}

fn spacing(axis: &Axis) -> f64 {
    let gaps = axis.count.saturating_sub(1).max(1);
    (axis.coordinate.high - axis.coordinate.low) / gaps as f64
}

/// Names are letters, digits and underscores; a folder may be called anything.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
