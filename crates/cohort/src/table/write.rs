//! Tables as files: BIOM 1.0 for other programs, text for people.

use super::Table;
use super::error::TableError;
use std::io::{self, Write};
use std::path::Path;

impl Table {
    /// Writes BIOM 1.0, a sparse matrix in JSON. Biom-format and QIIME 2 read it.
    pub fn write_biom(&self, path: &Path) -> Result<(), TableError> {
        store::replace_with(path, |output| self.biom(output))
            .map_err(|cause| TableError::Write { path: path.to_owned(), cause })
    }

    /// Writes text: a header with the samples, then a line per taxon.
    pub fn write_text(&self, path: &Path) -> Result<(), TableError> {
        store::replace_with(path, |output| self.text(output))
            .map_err(|cause| TableError::Write { path: path.to_owned(), cause })
    }

    fn biom(&self, output: &mut impl Write) -> io::Result<()> {
        let (rows, columns) = (self.taxa.len(), self.samples.len());
        writeln!(
            output,
            "{{\"id\": null, \"format\": \"Biological Observation Matrix 1.0.0\", \
             \"format_url\": \"http://biom-format.org\", \"type\": \"OTU table\", \
             \"generated_by\": \"pinnace\", \"date\": \"1970-01-01T00:00:00\", \
             \"matrix_type\": \"sparse\", \"matrix_element_type\": \"int\", \"shape\": [{rows}, {columns}],"
        )?;
        for (part, names) in [("rows", &self.taxa), ("columns", &self.samples)] {
            write!(output, "\"{part}\": [")?;
            for (place, name) in names.iter().enumerate() {
                let comma = if place > 0 { ",\n" } else { "" };
                write!(output, "{comma}{{\"id\": {}, \"metadata\": null}}", serde_json::to_string(name)?)?;
            }
            output.write_all(b"],\n")?;
        }
        output.write_all(b"\"data\": [")?;
        let mut first = true;
        for taxon in 0..rows {
            let (places, counts) = self.taxon(taxon);
            for (place, count) in places.iter().zip(counts) {
                let comma = if first { "" } else { ",\n" };
                write!(output, "{comma}[{taxon},{place},{count}]")?;
                first = false;
            }
        }
        output.write_all(b"]}\n")
    }

    fn text(&self, output: &mut impl Write) -> io::Result<()> {
        write!(output, "#OTU ID")?;
        self.samples.iter().try_for_each(|sample| write!(output, "\t{sample}"))?;
        output.write_all(b"\n")?;
        let mut row = vec![0; self.samples.len()];
        for (taxon, name) in self.taxa.iter().enumerate() {
            let (places, counts) = self.taxon(taxon);
            places.iter().zip(counts).for_each(|(place, count)| row[*place as usize] = *count);
            output.write_all(name.as_bytes())?;
            row.iter().try_for_each(|count| write!(output, "\t{count}"))?;
            output.write_all(b"\n")?;
            places.iter().for_each(|place| row[*place as usize] = 0);
        }
        Ok(())
    }
}
