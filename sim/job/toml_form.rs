//! Programs as TOML: the same as tables.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::assembly;
use super::design::DesignSource;
use super::source::{Data, Located, PrintOptions, Slice, Source, Statement, Target, VectorSource, is_name};
use crate::data::csv::{Column, CsvOptions};
use crate::data::{Literal, Number};
use crate::error::{Error, Result};

type Text<T> = std::result::Result<T, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    design: Option<Spanned<DesignSource>>,
    elements: Option<Spanned<usize>>,
    #[serde(default)]
    vector: Vec<Spanned<VectorTable>>,
    #[serde(default)]
    commands: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VectorTable {
    name: String,
    width: Option<usize>,
    #[serde(default)]
    signed: bool,
    float: Option<String>,
    row: Option<usize>,
    of: Option<String>,
    load: Option<Spanned<DataTable>>,
    expect: Option<Spanned<DataTable>>,
    store: Option<Spanned<TargetTable>>,
    print: Option<Spanned<Print>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "elements: must be numbers; beyond 64 bits as strings")]
enum Word {
    Integer(i64),
    Fraction(f64),
    Text(String),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "scale: must be a number")]
enum Factor {
    Integer(i64),
    Fraction(f64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DataTable {
    csv: Option<PathBuf>,
    raw: Option<PathBuf>,
    pgm: Option<PathBuf>,
    list: Option<Vec<Word>>,
    value: Option<Word>,
    rows: Option<Vec<String>>,
    column: Option<Word>,
    skip: Option<usize>,
    separator: Option<String>,
    scale: Option<Factor>,
    bytes: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetTable {
    csv: Option<PathBuf>,
    raw: Option<PathBuf>,
    pgm: Option<PathBuf>,
    column: Option<String>,
    bytes: Option<usize>,
    width: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "print: must be true, false, or a table with `limit` and `base` only")]
enum Print {
    Yes(bool),
    Options(PrintTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintTable {
    limit: Option<usize>,
    base: Option<u32>,
}

/// Reads a whole file.
///
/// # Errors
/// [`Error::Syntax`] with the line that cannot be understood.
pub fn parse(origin: &str, folder: &Path, text: &str) -> Result<Source> {
    let mut source = Source::new(origin, folder);
    let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
    let file: File = toml::from_str(text).map_err(|error| Error::Syntax {
        origin: origin.into(),
        line: error.span().map_or(1, |span: Range<usize>| line_of(span.start)),
        reason: error.message().trim().replace('\n', ", "),
    })?;
    source.design = file.design.map(|d| Located { line: line_of(d.span().start), value: d.into_inner() });
    source.elements = file.elements.map(|e| Located { line: line_of(e.span().start), value: e.into_inner() });
    let mut after = Vec::new();
    for table in file.vector {
        let line = line_of(table.span().start);
        let (vector, before, behind) =
            statements(table.into_inner(), line, &line_of).map_err(|(line, reason)| source.error(line, reason))?;
        source.vectors.push(Located { line, value: vector });
        source.statements.extend(before);
        after.extend(behind);
    }
    for command in file.commands {
        let line = line_of(command.span().start);
        let value = assembly::statement(command.get_ref()).map_err(|reason| source.error(line, reason))?;
        source.statements.push(Located { line, value });
    }
    source.statements.extend(after);
    Ok(source)
}

type Statements = Vec<Located<Statement>>;

/// The vector, what comes before the commands, and what comes after them.
fn statements(
    table: VectorTable,
    line: usize,
    line_of: &dyn Fn(usize) -> usize,
) -> std::result::Result<(VectorSource, Statements, Statements), (usize, String)> {
    let here = |reason| (line, reason);
    if !is_name(&table.name) {
        let rule = "must be a name of letters, digits and _, not starting with a digit";
        return Err((line, format!("name = {:?}: {rule}", table.name)));
    }
    let of = table.of.as_deref().map(Slice::parse).transpose().map_err(here)?;
    let all = Slice { name: table.name.clone(), rows: None };
    let (mut before, mut after) = (Vec::new(), Vec::new());
    if let Some(load) = table.load {
        let line = line_of(load.span().start);
        let value =
            Statement::Load(all.clone(), data(load.into_inner()).map_err(|reason| (line, format!("load: {reason}")))?);
        before.push(Located { line, value });
    }
    if let Some(expect) = table.expect {
        let line = line_of(expect.span().start);
        let data = data(expect.into_inner()).map_err(|reason| (line, format!("expect: {reason}")))?;
        after.push(Located { line, value: Statement::Expect(all.clone(), data) });
    }
    if let Some(print) = table.print {
        let line = line_of(print.span().start);
        let default = PrintOptions::default();
        let options = match print.into_inner() {
            Print::Yes(yes) => yes.then_some(default),
            Print::Options(o) => {
                let options = assembly::print_options(o.limit.unwrap_or(default.limit), o.base.unwrap_or(default.base));
                Some(options.map_err(|reason| (line, reason))?)
            }
        };
        after.extend(options.map(|options| Located { line, value: Statement::Print(all.clone(), options) }));
    }
    if let Some(store) = table.store {
        let line = line_of(store.span().start);
        let target = target(store.into_inner()).map_err(|reason| (line, format!("store: {reason}")))?;
        after.push(Located { line, value: Statement::Store(all, target) });
    }
    let float = table.float.as_deref().map(assembly::format).transpose().map_err(here)?;
    let VectorTable { name, width, signed, row, .. } = table;
    let vector = VectorSource { name, width, signed, float, row, of };
    Ok((vector, before, after))
}

/// Refuses options that belong to another kind.
fn only(kind: &str, options: &[(&str, bool)], legal: &[&str]) -> Text<()> {
    let wrong = options.iter().find(|(name, given)| *given && !legal.contains(name));
    wrong.map_or(Ok(()), |(name, _)| {
        Err(format!("{name}: {kind} has no such key (its keys: {})", assembly::listed(legal)))
    })
}

fn number(key: &str, word: &Word) -> Text<Literal> {
    match word {
        Word::Integer(value) => Ok(Literal::Whole(Number::from(*value))),
        Word::Fraction(value) => assembly::literal(key, &format!("{value:?}").to_lowercase()),
        Word::Text(text) => assembly::literal(key, text),
    }
}

fn data(table: DataTable) -> Text<Data> {
    let options = [
        ("column", table.column.is_some()),
        ("skip", table.skip.is_some()),
        ("separator", table.separator.is_some()),
        ("scale", table.scale.is_some()),
        ("bytes", table.bytes.is_some()),
    ];
    match (table.csv, table.raw, table.pgm, table.list, table.value, table.rows) {
        (Some(path), None, None, None, None, None) => {
            only("csv", &options, &["column", "skip", "separator", "scale"])?;
            let default = CsvOptions::default();
            let column = match table.column {
                None => default.column,
                Some(Word::Text(name)) => Column::Name(name),
                Some(Word::Fraction(index)) => return Err(format!("column = {index}: must be a number or a name")),
                Some(Word::Integer(index)) => Column::Index(
                    usize::try_from(index).map_err(|_| format!("column = {index}: must not be negative"))?,
                ),
            };
            let scale = table.scale.map(|factor| match factor {
                Factor::Integer(value) => value as f64,
                Factor::Fraction(value) => value,
            });
            let separator = table.separator.map_or(Ok(default.separator), |text| assembly::separator(&text))?;
            Ok(Data::Csv(path, CsvOptions { column, skip: table.skip.unwrap_or(default.skip), separator, scale }))
        }
        (None, Some(path), None, None, None, None) => {
            only("raw", &options, &["bytes"])?;
            Ok(Data::Raw(path, table.bytes))
        }
        (None, None, Some(path), None, None, None) => only("pgm", &options, &[]).map(|()| Data::Pgm(path)),
        (None, None, None, Some(list), None, None) => {
            only("list", &options, &[])?;
            Ok(Data::List(list.iter().map(|word| number("element", word)).collect::<Text<_>>()?))
        }
        (None, None, None, None, Some(value), None) => {
            only("value", &options, &[])?;
            Ok(Data::Value(number("value", &value)?))
        }
        (None, None, None, None, None, Some(rows)) => only("rows", &options, &[]).map(|()| Data::Rows(rows)),
        _ => Err("must hold exactly one of csv, raw, pgm, list, value and rows".into()),
    }
}

fn target(table: TargetTable) -> Text<Target> {
    let options =
        [("column", table.column.is_some()), ("bytes", table.bytes.is_some()), ("width", table.width.is_some())];
    match (table.csv, table.raw, table.pgm) {
        (Some(path), None, None) => only("csv", &options, &["column"]).map(|()| Target::Csv(path, table.column)),
        (None, Some(path), None) => only("raw", &options, &["bytes"]).map(|()| Target::Raw(path, table.bytes)),
        (None, None, Some(path)) => only("pgm", &options, &["width"]).map(|()| Target::Pgm(path, table.width)),
        _ => Err("must hold exactly one of csv, raw and pgm".into()),
    }
}
