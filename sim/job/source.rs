//! A program as written, before names are looked up and files are read.

use std::fmt;
use std::path::{Path, PathBuf};

use super::design::DesignSource;
use crate::data::csv::CsvOptions;
use crate::data::{Literal, Number};
use crate::error::Error;
use crate::isa::format::{Format, Rounding};
use crate::isa::row::Operand;
use crate::isa::{Opcode, Set};

/// Something with the line it stands in, from 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The line.
    pub line: usize,
    /// The thing.
    pub value: T,
}

/// A program file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its name, for messages.
    pub origin: String,
    /// The file, or `-` for the standard input; empty for a text.
    pub path: PathBuf,
    /// Where relative paths start.
    pub folder: PathBuf,
    /// The array asked for.
    pub design: Option<Located<DesignSource>>,
    /// Number of elements.
    pub elements: Option<Located<usize>>,
    /// Vectors in order of declaration.
    pub vectors: Vec<Located<VectorSource>>,
    /// What to do.
    pub statements: Vec<Located<Statement>>,
}

impl Source {
    /// An empty program.
    pub fn new(origin: &str, folder: &Path) -> Source {
        Source {
            origin: origin.into(),
            path: PathBuf::new(),
            folder: folder.into(),
            design: None,
            elements: None,
            vectors: Vec::new(),
            statements: Vec::new(),
        }
    }

    /// An error in a line of this file.
    pub fn error(&self, line: usize, reason: impl fmt::Display) -> Error {
        Error::Syntax { origin: self.origin.clone(), line, reason: reason.to_string() }
    }
}

/// A vector's declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorSource {
    /// Name.
    pub name: String,
    /// Bits; `None` for a part of another vector.
    pub width: Option<usize>,
    /// Two's complement.
    pub signed: bool,
    /// Format of floating-point numbers.
    pub float: Option<Format>,
    /// First row.
    pub row: Option<usize>,
    /// The rows it names.
    pub of: Option<Slice>,
}

/// A vector or some of its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The vector's name.
    pub name: String,
    /// First row, and the row after the last.
    pub rows: Option<(usize, Option<usize>)>,
}

impl Slice {
    /// Reads `name`, `name[low..high]` or `name[low..]`.
    pub fn parse(text: &str) -> std::result::Result<Slice, String> {
        let (name, rows) = match text.split_once('[') {
            None => (text, None),
            Some((name, rest)) => {
                let bounds = rest.strip_suffix(']').and_then(|r| r.split_once(".."));
                let rows = bounds.and_then(|(low, high)| {
                    let bound = |text: &str| Number::parse(text)?.whole();
                    let high = if high.is_empty() { None } else { Some(bound(high)?) };
                    Some((if low.is_empty() { 0 } else { bound(low)? }, high))
                });
                (name, Some(rows.ok_or(format!("rows = [{rest}: must be [LOW..HIGH] or [LOW..]"))?))
            }
        };
        if !is_name(name) {
            return Err(format!(
                "vector = {name:?}: must be a name of letters, digits and _, not starting with a digit"
            ));
        }
        Ok(Slice { name: name.into(), rows })
    }
}

/// Whether a text can name a vector.
pub fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    text.chars().all(word) && text.starts_with(|c: char| !c.is_ascii_digit())
}

impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            None => f.write_str(&self.name),
            Some((low, None)) => write!(f, "{}[{low}..]", self.name),
            Some((low, Some(high))) => write!(f, "{}[{low}..{high}]", self.name),
        }
    }
}

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Put data into rows.
    Load(Slice, Data),
    /// Run a command.
    Command(CommandSource),
    /// Show elements.
    Print(Slice, PrintOptions),
    /// Write elements to a file.
    Store(Slice, Target),
    /// Compare elements.
    Expect(Slice, Data),
    /// One value out of all elements, and what it must be.
    Across(Across, Slice, Option<Number>),
    /// Exceptions, and what they must be.
    Flags(Flags, Option<u8>),
}

/// Which exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// Those since the statement before this one, or since the beginning; they are forgotten.
    Since,
    /// Those of the latest floating-point command.
    Last,
}

/// Exceptions by name, in the order of their bits.
pub const EXCEPTIONS: [&str; 5] = ["invalid", "divide_by_zero", "overflow", "underflow", "inexact"];

impl Flags {
    /// The statement.
    pub fn name(self) -> &'static str {
        match self {
            Flags::Since => "flags",
            Flags::Last => "flags last",
        }
    }

    /// Names of exceptions; `none` if there is none.
    pub fn names(flags: u8) -> Vec<&'static str> {
        let all = EXCEPTIONS.into_iter().enumerate().filter(|(bit, _)| flags >> bit & 1 == 1);
        let names: Vec<&str> = all.map(|(_, name)| name).collect();
        if names.is_empty() { vec!["none"] } else { names }
    }

    /// Exceptions named, with commas between them, or `none`.
    pub fn parse(text: &str) -> std::result::Result<u8, String> {
        if text == "none" {
            return Ok(0);
        }
        let bit = |name: &str| EXCEPTIONS.iter().position(|other| *other == name).map(|bit| 1 << bit);
        text.split(',').map(bit).try_fold(0, |all, bit| Some(all | bit?)).ok_or_else(|| {
            format!("expect = {text}: must be none, or of {}, with commas between them", EXCEPTIONS.join(", "))
        })
    }
}

/// A value out of all elements of a vector, in every column of every chunk. The array has nothing that goes from
/// column to column: rows leave over the row stream, and the host computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// Sum of the elements.
    Sum,
    /// The smallest, and the first element that holds it.
    Min,
    /// The largest, and the first element that holds it.
    Max,
    /// How many elements are not 0.
    Count,
}

impl Across {
    /// All of them, by the names of their statements.
    pub const ALL: [(&'static str, Across); 4] =
        [("sum", Across::Sum), ("min", Across::Min), ("max", Across::Max), ("count", Across::Count)];

    /// The statement's name.
    pub fn name(self) -> &'static str {
        Across::ALL.into_iter().find(|(_, across)| *across == self).map_or("", |(name, _)| name)
    }
}

/// A command by names.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSource {
    /// As written.
    pub text: String,
    /// What to compute.
    pub opcode: Opcode,
    /// Which micro-programs.
    pub set: Set,
    /// Width.
    pub n: Option<u8>,
    /// Second width.
    pub m: Option<u8>,
    /// Key or constant.
    pub key: Option<Number>,
    /// Direction of rounding, of floating point.
    pub round: Option<Rounding>,
    /// Subnormal numbers count as zeros, of floating point.
    pub flush: Option<bool>,
    /// Operands given.
    pub operands: Vec<(Operand, Slice)>,
}

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Largest number of elements shown.
    pub limit: usize,
    /// 10, 16 or 2.
    pub base: u32,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions { limit: 32, base: 10 }
    }
}

/// Where data come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A column of a CSV file.
    Csv(PathBuf, CsvOptions),
    /// A raw file and the bytes of an element.
    Raw(PathBuf, Option<usize>),
    /// An image.
    Pgm(PathBuf),
    /// Elements.
    List(Vec<Literal>),
    /// One value for all columns.
    Value(Literal),
    /// Bits of rows, as digits.
    Rows(Vec<String>),
}

/// Where results go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A column of a CSV file, with its name if it is not the vector's.
    Csv(PathBuf, Option<String>),
    /// A raw file and the bytes of an element.
    Raw(PathBuf, Option<usize>),
    /// An image and the pixels of a line.
    Pgm(PathBuf, Option<usize>),
}

/// The words of a row literal: `0x` or `0b` and digits, column 0 lowest.
pub fn row_words(text: &str, columns: usize) -> std::result::Result<Vec<u64>, String> {
    let rule = format!("row = {text:?}: must be 0x or 0b and digits for at most {columns} columns");
    let (bits_each, digits) = match (text.strip_prefix("0x"), text.strip_prefix("0b")) {
        (Some(digits), _) => (4, digits),
        (_, Some(digits)) => (1, digits),
        _ => return Err(rule),
    };
    let mut words = vec![0u64; columns.div_ceil(64)];
    let digits: Vec<char> = digits.chars().filter(|&c| c != '_').collect();
    if digits.is_empty() {
        return Err(rule);
    }
    for (index, digit) in digits.iter().rev().enumerate() {
        let value = digit.to_digit(1 << bits_each).ok_or(&rule)?;
        for bit in (0..bits_each).filter(|bit| value >> bit & 1 == 1) {
            let column = index * bits_each + bit;
            if column >= columns {
                return Err(rule);
            }
            words[column / 64] |= 1 << (column % 64);
        }
    }
    Ok(words)
}
