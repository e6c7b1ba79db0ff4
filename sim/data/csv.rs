//! Columns of CSV files.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use csv::{ReaderBuilder, StringRecord, Trim, WriterBuilder};

use super::element::{ElementType, Literal, Number};
use super::{MAX_ELEMENTS, source};
use crate::error::{Error, Result};

/// Which column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By number from 0; every record is data.
    Index(usize),
    /// By name; the first record holds the names.
    Name(String),
}

impl Column {
    /// A number, in any form that [`Number::parse`] reads, is an index, anything else a name.
    pub fn parse(text: &str) -> Column {
        let index = Number::parse(text).and_then(Number::whole);
        index.map_or_else(|| Column::Name(text.into()), Column::Index)
    }
}

/// Bytes that one record may have, and what is read ahead.
const RECORD_BYTES: usize = 1 << 20;

/// Records that may be skipped.
const MAX_RECORDS: usize = 1 << 30;

/// How to read a column.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvOptions {
    /// Which column.
    pub column: Column,
    /// Records to leave out at the start of the file.
    pub skip: usize,
    /// Between fields.
    pub separator: u8,
    /// Decimal fractions are multiplied by this and rounded; without it, values must be integers.
    pub scale: Option<f64>,
}

impl Default for CsvOptions {
    fn default() -> CsvOptions {
        CsvOptions { column: Column::Index(0), skip: 0, separator: b',', scale: None }
    }
}

/// Reads the elements of one column.
///
/// # Errors
/// [`Error::Parameter`] for a scale that is no number, [`Error::File`] when the file cannot be read, [`Error::Syntax`]
/// when a line does not hold an element of the type.
pub fn read(path: &Path, options: &CsvOptions, kind: ElementType) -> Result<Vec<u128>> {
    if let Some(scale) = options.scale.filter(|scale| !scale.is_finite()) {
        return Err(Error::parameter("scale", scale, "must be a finite number"));
    }
    let origin = source::name(path);
    let fail =
        |line: u64, reason: String| Error::Syntax { origin: origin.display().to_string(), line: line as usize, reason };
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).flexible(true).trim(Trim::All).delimiter(options.separator);
    let left = Rc::new(Cell::new(RECORD_BYTES));
    let reader = builder.from_reader(source::Limited::new(source::open(path)?, left.clone()));
    let mut column = match options.column {
        Column::Index(index) => Some(index),
        Column::Name(_) => None,
    };
    // Fields of the first record that counts, and its line.
    let mut shape: Option<(usize, u64)> = None;
    let mut elements = Vec::new();
    for (number, record) in reader.into_records().enumerate() {
        left.set(RECORD_BYTES);
        let record = record.map_err(|e| match (e.position(), e.kind()) {
            (Some(position), _) => fail(position.line(), e.to_string()),
            (None, csv::ErrorKind::Io(e)) => Error::file(&origin, e),
            (None, _) => Error::file(&origin, e),
        })?;
        if number < options.skip {
            if number == MAX_RECORDS {
                return Err(Error::file(&origin, format!("holds more than {MAX_RECORDS} records")));
            }
            continue;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let (fields, first) = *shape.get_or_insert((record.len(), line));
        if record.len() != fields {
            let reason = format!("{} fields, but line {first} has {fields}: truncated?", record.len());
            return Err(fail(line, reason));
        }
        let Some(index) = column else {
            let Column::Name(name) = &options.column else { unreachable!("an index needs no header") };
            column = Some(find(&record, name).map_err(|reason| fail(line, reason))?);
            continue;
        };
        let number = elements.len();
        if number == MAX_ELEMENTS {
            return Err(Error::file(&origin, format!("holds more than {MAX_ELEMENTS} elements")));
        }
        let text = record.get(index).ok_or_else(|| fail(line, format!("column = {index}: must be below {fields}")))?;
        let value = parse(text, options.scale, kind)
            .map_err(|rule| fail(line, format!("element {number} = {text:?}: {rule}")))?;
        let bits =
            kind.read(&value).ok_or_else(|| fail(line, format!("element {number} = {value}: must be {kind}")))?;
        elements.push(bits);
    }
    if column.is_none() {
        return Err(Error::file(&origin, "holds no header"));
    }
    Ok(elements)
}

fn find(header: &StringRecord, name: &str) -> std::result::Result<usize, String> {
    header.iter().position(|field| field == name).ok_or_else(|| {
        // A quoted name may hold ends of lines: a message is one line.
        let names: Vec<String> = header.iter().map(|name| name.escape_debug().to_string()).collect();
        format!("column = {name:?}: must be one of {}", names.join(", "))
    })
}

fn parse(text: &str, scale: Option<f64>, kind: ElementType) -> std::result::Result<Literal, &'static str> {
    if kind.format.is_some() {
        return match scale {
            None => Literal::parse(text).ok_or("must be a number"),
            Some(_) => Err("floating-point numbers are not scaled"),
        };
    }
    let number = match scale {
        Some(scale) => Number::parse_scaled(text, scale).ok_or("must be a number, below 2^128 when scaled"),
        None if Number::parse(text).is_none() && text.parse::<f64>().is_ok() => {
            Err("must be an integer (or give a scale)")
        }
        None => Number::parse(text).ok_or("must be an integer"),
    };
    number.map(Literal::Whole)
}

/// A column to write.
pub type NamedColumn = (String, Vec<String>);

/// Columns side by side under their names. Shorter columns end in empty fields.
pub fn write(columns: &[NamedColumn]) -> Vec<u8> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    let rows = columns.iter().map(|(_, numbers)| numbers.len()).max().unwrap_or(0);
    let mut record = |fields: Vec<String>| writer.write_record(fields).expect("records have equal lengths");
    record(columns.iter().map(|(name, _)| name.clone()).collect());
    for row in 0..rows {
        record(columns.iter().map(|(_, numbers)| numbers.get(row).cloned().unwrap_or_default()).collect());
    }
    writer.into_inner().expect("memory does not fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: ElementType = ElementType { width: 8, signed: false, format: None };

    fn read_text(text: &str, options: &CsvOptions) -> std::result::Result<Vec<u128>, String> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("data.csv");
        std::fs::write(&path, text).expect("the folder can be written");
        read(&path, options, BYTE).map_err(|e| e.to_string().replace(&format!("{}/", folder.path().display()), ""))
    }

    #[test]
    fn columns_by_name_and_number() {
        let named = CsvOptions { column: Column::parse("b"), ..CsvOptions::default() };
        assert_eq!(read_text("a,b\n1, 2\n3,\"4\"\n", &named), Ok(vec![2, 4]));
        let second = CsvOptions { column: Column::parse("1"), separator: b';', skip: 1, ..CsvOptions::default() };
        assert_eq!(read_text("a file about\n1;2\n3;0x10\n", &second), Ok(vec![2, 16]));
        let scaled = CsvOptions { scale: Some(10.0), ..CsvOptions::default() };
        assert_eq!(read_text("1.26\n2\n", &scaled), Ok(vec![13, 20]));
    }

    #[test]
    fn errors_name_line_element_value_and_rule() {
        let plain = CsvOptions::default();
        let error = |text: &str, options: &CsvOptions| read_text(text, options).expect_err("must be refused");
        assert_eq!(error("1\n300\n", &plain), "data.csv, line 2: element 1 = 300: must be 0 to 255 (8 bits, unsigned)");
        assert_eq!(
            error("1\n1.5\n", &plain),
            "data.csv, line 2: element 1 = \"1.5\": must be an integer (or give a scale)"
        );
        assert_eq!(error("1,2\n3\n", &plain), "data.csv, line 2: 1 fields, but line 1 has 2: truncated?");
        let named = |name: &str| CsvOptions { column: Column::parse(name), ..CsvOptions::default() };
        assert_eq!(error("a,b\n1,2\n", &named("c")), "data.csv, line 1: column = \"c\": must be one of a, b");
        assert_eq!(error("\"a\nb\"\n1\n", &named("c")), "data.csv, line 1: column = \"c\": must be one of a\\nb");
        assert_eq!(error("1,2\n", &named("2")), "data.csv, line 1: column = 2: must be below 2");
        assert_eq!(error("", &named("c")), "data.csv: holds no header");
        assert!(
            read(Path::new("/nowhere/x.csv"), &plain, BYTE).is_err_and(|e| e.to_string().contains("/nowhere/x.csv"))
        );
    }

    #[test]
    fn written_columns_are_read_back() {
        let numbers = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>();
        let text = write(&[("a,b".into(), numbers(&[1, 2])), ("c".into(), numbers(&[-3, 4]))]);
        assert_eq!(String::from_utf8(text).expect("text"), "\"a,b\",c\n1,-3\n2,4\n");
    }
}
