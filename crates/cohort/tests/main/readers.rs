//! Tables and metadata in every format, and what is said of those that are wrong.

use cohort::{Column, Metadata, Table};
use std::io::Write;
use store::Cache;

fn biom(name: &str) -> Result<Table, String> {
    let path = format!("{}/tests/main/data/biom/{name}.biom", env!("CARGO_MANIFEST_DIR"));
    Table::open(path.as_ref(), &Cache::NONE).map_err(|error| error.to_string())
}

/// What all formats of the same table hold.
fn good() -> Table {
    Table::parse_text("# Constructed from biom file\n#OTU ID\tone\ttwo\tthree\nACGT\t3\t0\t1\nACGA\t0.0\t2.0\t0\nTTTT\t5\t5\t3e2\nÄlg\t0\t0\t7\n")
        .expect("a table")
}

#[test]
fn all_formats_of_a_table_hold_the_same() {
    let table = good();
    assert_eq!(table.totals(), [8, 7, 308]);
    assert_eq!(biom("good").as_ref(), Ok(&table));
    assert_eq!(biom("unsorted").as_ref(), Ok(&table), "in another order, as whole numbers");
    let head = "{\"rows\": [{\"id\": \"ACGT\"}, {\"id\": \"ACGA\"}, {\"id\": \"TTTT\"}, {\"id\": \"Älg\"}], \
        \"columns\": [{\"id\": \"one\", \"metadata\": null}, {\"id\": \"two\"}, {\"id\": \"three\"}], \"shape\": [4, 3],";
    let sparse = format!(
        "{head} \"matrix_type\": \"sparse\", \"data\": [[3,2,7],[0,0,3],[0,2,1],[1,1,2],[2,0,5],[2,1,5],[2,2,300],[1,0,0]]}}"
    );
    let dense = format!("{head} \"matrix_type\": \"dense\", \"data\": [[3,0,1],[0,2,0],[5,5,300],[0,0,7]]}}");
    for text in [&sparse, &dense] {
        assert_eq!(Table::parse(text.as_bytes()).as_ref(), Ok(&table));
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text.as_bytes()).expect("memory can be written");
        assert_eq!(Table::parse(&packed.finish().expect("memory can be written")).as_ref(), Ok(&table));
    }
    let with_words = "#OTU ID\tone\ttwo\ttaxonomy\nA\t1\t2\tk__Bacteria; p__\n";
    assert_eq!(Table::parse_text(with_words).expect("a table").totals(), [1, 2]);
}

#[test]
fn what_was_written_is_read_again() {
    let folder = std::env::temp_dir().join(format!("pinnace-written-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a writable place");
    let table = good();
    let (biom, text) = (folder.join("table.biom"), folder.join("table.tsv"));
    table.write_biom(&biom).expect("a writable folder");
    table.write_text(&text).expect("a writable folder");
    for path in [biom, text] {
        assert_eq!(Table::open(&path, &Cache::NONE).expect("a table"), table, "{}", path.display());
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn files_that_are_no_tables_are_refused_with_what_is_wrong() {
    let wanted = [
        ("negative", "taxon `TTTT`, sample `one`: -5: a count is 0 or more"),
        ("fractional", "taxon `TTTT`, sample `one`: 0.5: counts are whole numbers of reads"),
        ("nan", "taxon `TTTT`, sample `one`: NaN: a count is a finite number"),
        ("short", "/observation/matrix/data has 3 numbers where 7 are needed"),
        ("outside", "/observation/matrix/indices points at 3, but there are only 3"),
        ("duplicate", "samples are there more than once: `one`"),
        ("without-ids", "/observation/ids cannot be read"),
        ("empty", "the table has no samples"),
        ("twice", "taxon `TTTT`, sample `one`: there are two counts"),
    ];
    for (name, wanted) in wanted {
        let message = biom(name).expect_err("a mistake");
        assert!(message.contains(&format!("{name}.biom: {wanted}")), "{message}");
    }
    let text = |text: &[u8]| Table::parse(text).expect_err("a mistake").to_string();
    let wanted: [(&[u8], &str); 14] = [
        (b"", "the table has no content"),
        (b"\x89HDF\r\n\x1a\nnothing", "the file cannot be read"),
        (b"\x1f\x8bnothing", "this is no table"),
        (b"just words", "this is no table"),
        (b"a\0b", "this is no table"),
        (b"\ta\xff\n", "byte 2 is not UTF-8"),
        (b"\ta\tb\nx\t1\n", "line 2, column 1: 2 cells where the header has 3"),
        (b"\ta\tb\nx\t1\ttwo\n", "line 2, column 5: `two` is no number"),
        (
            b"#remark\n\ta\tb\nx\t1\t-2\n",
            "taxon `x`, sample `b` (line 3, column 5): -2: a count is 0 or more",
        ),
        (b"\ta\tb\nx\t1\tinf\n", "taxon `x`, sample `b` (line 2, column 5): inf: a count is a finite number"),
        (b"\ta\ta\nx\t1\t2\n", "samples are there more than once: `a`"),
        (b"\ta\nx\t1\nx\t2\n", "taxa are there more than once: `x`"),
        (b"\ta\t\nx\t1\t2\n", "sample number 2 has no name"),
        (b"{\"rows\": [\n  7]}", "line 2, column 3: this is not BIOM 1.0"),
    ];
    for (content, wanted) in wanted {
        let message = text(content);
        assert!(message.starts_with(wanted), "{message}, not {wanted}");
    }
    let broken = "{\"rows\": [{\"id\": \"x\\ny\"}], \"columns\": [{\"id\": \"a\"}], \"shape\": [1, 1], \"matrix_type\": \"sparse\", \"data\":[]}";
    assert_eq!(text(broken.as_bytes()), "taxon number 1 has a tab or a line break in its name: `x\\ny`");
    let head = "{\"rows\": [{\"id\": \"x\"}], \"columns\": [{\"id\": \"a\"}], \"shape\": [1, 1], \"matrix_type\": \"sparse\", \"data\":";
    let wanted = [
        ("[[0,1,5]]}", "an entry of `data` points at 1, but there are only 1"),
        ("[[0,0]]}", "an entry of `data` has 2 numbers where 3 are needed"),
        ("[[0,0,5],[0,0,6]]}", "taxon `x`, sample `a`: there are two counts"),
        ("[[0,0,1.5]]}", "taxon `x`, sample `a`: 1.5: counts are whole numbers"),
        ("[[0,0,5e9]]}", "taxon `x`, sample `a`: 5000000000: counts end at"),
    ];
    for (data, wanted) in wanted {
        let message = text(format!("{head}{data}").as_bytes());
        assert!(message.starts_with(wanted), "{message}, not {wanted}");
    }
}

const METADATA: &str = "#SampleID\tage\tsite\tph\n#q2:types\tnumeric\tcategorical\tnumeric\na\t31\tgut\t7\nb\t4.5\tskin\tlow\n\nc\t60\tgut\tNA\nother\tx\ty\tz\n";

#[test]
fn columns_are_numbers_or_classes_in_the_order_of_the_table() {
    let metadata = Metadata::parse(METADATA).expect("metadata");
    let samples = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let all = samples(&["c", "a", "b"]);
    assert_eq!(metadata.column("age", &all), Ok(Column::Numbers(vec![60.0, 31.0, 4.5])));
    assert_eq!(metadata.column("site", &all), Ok(Column::Classes(samples(&["gut", "skin"]), vec![0, 0, 1])));
    let message =
        |result: Result<Column, cohort::MetadataMistake>| result.expect_err("a mistake").to_string();
    assert_eq!(
        message(metadata.column("ph", &samples(&["a", "b"]))),
        "line 4, column 12: sample `b`, column `ph`: `low` is no number; a column of classes has no numbers at all"
    );
    assert_eq!(message(metadata.column("ph", &all)), "line 6, column 10: sample `c` has no `ph`");
    assert_eq!(
        message(metadata.column("pH", &all)),
        "there is no column `pH`; there are `age`, `site`, `ph`"
    );
    assert_eq!(
        message(metadata.column("age", &samples(&["a", "q"]))),
        "1 samples of the table are not in the metadata: `q`"
    );
    let site = metadata.numbers("site", &all).expect_err("classes").to_string();
    assert!(site.starts_with("line 6, column 6: sample `c`, column `site`: `gut` is no number"), "{site}");
}

#[test]
fn metadata_that_is_wrong_is_refused_with_the_line() {
    let wanted = [
        ("", "metadata begins with a header"),
        ("sample\n", "metadata begins with a header"),
        ("sample\tage\na\t1\t2\n", "line 2, column 1: 3 cells where the header has 2"),
        ("sample\tage\na\t1\na\t2\n", "samples are there more than once: `a`"),
        ("sample\tage\tage\na\t1\t2\n", "columns are there more than once: `age`"),
        ("sample\tage\n\t1\n", "line 2, column 1: this line has no sample"),
    ];
    for (text, wanted) in wanted {
        let message = Metadata::parse(text).expect_err("a mistake").to_string();
        assert!(message.starts_with(wanted), "{message}, not {wanted}");
    }
}
