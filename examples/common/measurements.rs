//! Samples of measurements out of a CSV file whose last column is a class.

use bitline::error::{Error, Result};
use bitline::sim::data::csv::{self, Column, CsvOptions};
use bitline::sim::data::{ElementType, Number};

use crate::common::say;
use crate::data::data;

/// Measurements in hundredths.
pub const VALUE: ElementType = ElementType { width: 20, signed: true, format: None };

/// What the file holds.
pub struct Measurements {
    /// Of each measurement.
    pub names: Vec<String>,
    /// Of each measurement those of all samples.
    pub values: Vec<Vec<u128>>,
    /// Of each sample.
    pub classes: Vec<u128>,
}

impl Measurements {
    /// Reads the wines, or else the small file, and says how many there are.
    pub fn read() -> Result<Measurements> {
        let [path] = data(["wine.csv"], ["sensors.csv"]);
        let text = std::fs::read_to_string(&path).map_err(|e| Error::file(&path, e))?;
        let mut names: Vec<String> =
            text.lines().next().unwrap_or("").split(',').map(|name| name.trim().into()).collect();
        let class = names.pop().ok_or_else(|| Error::file(&path, "holds no header"))?;
        let column = |name: &String, scale| {
            let column = Column::Name(name.clone());
            csv::read(&path, &CsvOptions { column, scale, ..CsvOptions::default() }, VALUE)
        };
        let classes = column(&class, None)?;
        let values = names.iter().map(|name| column(name, Some(100.0))).collect::<Result<Vec<_>>>()?;
        say!("{}: {} samples of {} measurements", path.display(), classes.len(), names.len());
        if classes.is_empty() {
            return Err(Error::file(&path, "holds no samples"));
        }
        Ok(Measurements { names, values, classes })
    }
}

/// The number with its sign.
pub fn integer(number: Number) -> i128 {
    let magnitude = number.magnitude as i128;
    if number.negative { -magnitude } else { magnitude }
}
