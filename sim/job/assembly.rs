//! Programs as assembly: one statement a line.

use std::path::{Path, PathBuf};

use super::design::{DesignSource, named};
use super::source::{
    Across, CommandSource, Data, Flags, Located, PrintOptions, Slice, Source, Statement, Target, VectorSource, is_name,
};
use crate::data::csv::{Column, CsvOptions};
use crate::data::{Literal, Number};
use crate::error::Result;
use crate::isa::format::{FORMATS, Format, Rounding};
use crate::isa::row::Operand;
use crate::isa::{Opcode, Set, custom};

type Text<T> = std::result::Result<T, String>;

/// Reads a whole file.
///
/// # Errors
/// [`crate::error::Error::Syntax`] with the first line that cannot be understood.
pub fn parse(origin: &str, folder: &Path, text: &str) -> Result<Source> {
    let mut source = Source::new(origin, folder);
    for (index, content) in text.lines().enumerate() {
        let line = index + 1;
        if let Err(reason) = read_line(&mut source, line, content) {
            return Err(source.error(line, reason));
        }
    }
    Ok(source)
}

fn read_line(source: &mut Source, line: usize, content: &str) -> Text<()> {
    let mut words = Words::split(content)?;
    let Some(first) = words.plain.first().cloned() else {
        return if words.pairs.is_empty() { Ok(()) } else { Err("a line must start with a statement".into()) };
    };
    match first.as_str() {
        "design" => {
            words.next("statement")?;
            let mut design = DesignSource::default();
            for (key, value) in std::mem::take(&mut words.pairs) {
                design.set(&key, &value)?;
            }
            words.end()?;
            once(&source.design, "design")?;
            source.design = Some(Located { line, value: design });
        }
        "elements" => {
            words.next("statement")?;
            let value = number("elements", &words.next("number of elements")?)?;
            words.end()?;
            once(&source.elements, "elements")?;
            source.elements = Some(Located { line, value });
        }
        "vector" => {
            words.next("statement")?;
            let value = vector(&mut words)?;
            words.end()?;
            source.vectors.push(Located { line, value });
        }
        _ => source.statements.push(Located { line, value: statement(content)? }),
    }
    Ok(())
}

fn once<T>(seen: &Option<Located<T>>, what: &str) -> Text<()> {
    seen.as_ref().map_or(Ok(()), |first| Err(format!("{what}: given before, in line {}", first.line)))
}

fn vector(words: &mut Words) -> Text<VectorSource> {
    let name = words.next("name")?;
    if !is_name(&name) {
        return Err(format!("vector = {name:?}: must be a name of letters, digits and _, not starting with a digit"));
    }
    let signed = words.flag("signed");
    let of = words.pair("of").map(|text| Slice::parse(&text)).transpose()?;
    let float = words.pair("float").map(|text| format(&text)).transpose()?;
    Ok(VectorSource { name, width: words.number("width")?, signed, float, row: words.number("row")?, of })
}

/// Reads one statement that is not a declaration.
pub fn statement(text: &str) -> Text<Statement> {
    let mut words = Words::split(text)?;
    let verb = words.next("statement")?;
    let statement = match verb.as_str() {
        "load" => Statement::Load(words.slice()?, data(&mut words)?),
        "expect" => Statement::Expect(words.slice()?, data(&mut words)?),
        "print" => {
            let slice = words.slice()?;
            let default = PrintOptions::default();
            let limit = words.number("limit")?.unwrap_or(default.limit);
            let base = words.number("base")?.unwrap_or(default.base);
            Statement::Print(slice, print_options(limit, base)?)
        }
        "store" => Statement::Store(words.slice()?, target(&mut words)?),
        "flags" => {
            let flags = if words.flag("last") { Flags::Last } else { Flags::Since };
            Statement::Flags(flags, words.pair("expect").map(|text| Flags::parse(&text)).transpose()?)
        }
        // min and max are commands, too; a command has no words, only pairs.
        _ => match Across::ALL.iter().find(|(name, _)| *name == verb).filter(|_| words.is_more() || !is_command(&verb))
        {
            Some(&(_, across)) => {
                let slice = words.slice()?;
                let wanted = words.pair("expect").map(|text| integer("expect", &text)).transpose()?;
                Statement::Across(across, slice, wanted)
            }
            None => Statement::Command(command(&verb, &mut words, text)?),
        },
    };
    words.end()?;
    Ok(statement)
}

fn is_command(verb: &str) -> bool {
    Opcode::from_mnemonic(verb).is_some()
}

/// Checks how to print.
pub fn print_options(limit: usize, base: u32) -> Text<PrintOptions> {
    if [2, 10, 16].contains(&base) {
        Ok(PrintOptions { limit, base })
    } else {
        Err(format!("base = {base}: must be 2, 10 or 16"))
    }
}

fn data(words: &mut Words) -> Text<Data> {
    let kind = words.next("kind of data (csv, raw, pgm, list, value or rows)")?;
    Ok(match kind.as_str() {
        "csv" => {
            let path = words.path()?;
            let default = CsvOptions::default();
            Data::Csv(
                path,
                CsvOptions {
                    column: words.pair("column").map_or(default.column, |text| Column::parse(&text)),
                    skip: words.number("skip")?.unwrap_or(default.skip),
                    separator: words.pair("separator").map_or(Ok(default.separator), |text| separator(&text))?,
                    scale: words.pair("scale").map(|text| factor(&text)).transpose()?,
                },
            )
        }
        "raw" => Data::Raw(words.path()?, words.number("bytes")?),
        "pgm" => Data::Pgm(words.path()?),
        "list" => Data::List(words.rest().iter().map(|text| literal("element", text)).collect::<Text<_>>()?),
        "value" => Data::Value(literal("value", &words.next("value")?)?),
        "rows" => Data::Rows(words.rest()),
        _ => return Err(format!("data = {kind:?}: must be csv, raw, pgm, list, value or rows")),
    })
}

/// A separator of CSV fields.
pub fn separator(text: &str) -> Text<u8> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() && *byte != b'"' => Ok(*byte),
        _ if text == "\\t" => Ok(b'\t'),
        _ => Err(format!("separator = {text:?}: must be one ASCII character")),
    }
}

fn target(words: &mut Words) -> Text<Target> {
    let kind = words.next("kind of file (csv, raw or pgm)")?;
    let path = words.path()?;
    Ok(match kind.as_str() {
        "csv" => Target::Csv(path, words.pair("column")),
        "raw" => Target::Raw(path, words.number("bytes")?),
        "pgm" => Target::Pgm(path, words.number("width")?),
        _ => return Err(format!("file = {kind:?}: must be csv, raw or pgm")),
    })
}

fn command(verb: &str, words: &mut Words, text: &str) -> Text<CommandSource> {
    let opcode = Opcode::from_mnemonic(verb).ok_or_else(|| {
        let all: Vec<String> = Opcode::ALL.iter().chain(&custom::registered()).map(|o| o.mnemonic()).collect();
        format!(
            "statement = {verb:?}: must be design, elements, vector, load, print, store, expect, sum, count, flags \
            or one of {}",
            all.join(" ")
        )
    })?;
    let mut operands = Vec::new();
    for operand in Operand::ALL {
        if let Some(text) = words.pair(operand.name()) {
            operands.push((operand, Slice::parse(&text).map_err(|reason| format!("{}: {reason}", operand.name()))?));
        }
    }
    let set = words.pair("set").map(|name| named("set", &name, &Set::ALL.map(|s| (s.name(), s)))).transpose()?;
    let key = words.pair("key").map(|text| integer("key", &text)).transpose()?;
    let rounds = Rounding::ALL.map(|round| (round.name(), round));
    let round = words.pair("round").map(|name| named("round", &name, &rounds)).transpose()?;
    let treatments = [("kept", false), ("flushed", true)];
    let flush = words.pair("subnormals").map(|name| named("subnormals", &name, &treatments)).transpose()?;
    let written = text.split('#').next().unwrap_or(text).trim();
    Ok(CommandSource {
        text: written.into(),
        opcode,
        set: set.unwrap_or_default(),
        n: words.number("n")?,
        m: words.number("m")?,
        key,
        round,
        flush,
        operands,
    })
}

/// A number that counts something.
pub fn number<T: TryFrom<u128>>(key: &str, text: &str) -> Text<T> {
    let number = Number::parse(text).and_then(Number::whole);
    number.ok_or_else(|| format!("{key} = {text}: must be a number (not negative, and not too large)"))
}

/// What fractions are multiplied by.
fn factor(text: &str) -> Text<f64> {
    let whole = Number::parse(text).map(|n| if n.negative { -(n.magnitude as f64) } else { n.magnitude as f64 });
    let digits = text.replace('_', "");
    whole.or_else(|| digits.parse().ok()).ok_or_else(|| format!("scale = {text}: must be a number"))
}

/// An integer as programs write them.
pub fn integer(key: &str, text: &str) -> Text<Number> {
    Number::parse(text.trim_end_matches(',')).ok_or_else(|| format!("{key} = {text:?}: must be an integer"))
}

/// An element as programs write it.
pub fn literal(key: &str, text: &str) -> Text<Literal> {
    Literal::parse(text.trim_end_matches(',')).ok_or_else(|| format!("{key} = {text:?}: must be a number"))
}

/// A format of floating-point numbers by its name.
pub fn format(text: &str) -> Text<Format> {
    named("float", text, &FORMATS.map(|format| (format.name, format)))
}

/// Keys, for messages.
pub fn listed(keys: &[impl AsRef<str>]) -> String {
    let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
    if keys.is_empty() { "none".into() } else { keys.join(", ") }
}

/// The words of a line: pairs `key=value`, and everything else in order.
struct Words {
    plain: Vec<String>,
    pairs: Vec<(String, String)>,
    /// Keys that somebody has asked for: those that the statement has.
    asked: Vec<String>,
}

impl Words {
    fn split(line: &str) -> Text<Words> {
        let mut words = Words { plain: Vec::new(), pairs: Vec::new(), asked: Vec::new() };
        let mut rest = line.trim_start();
        while !rest.is_empty() && !rest.starts_with('#') {
            let (mut text, mut key, mut quoted) = (String::new(), None, false);
            let mut end = rest.len();
            for (at, c) in rest.char_indices() {
                match c {
                    '"' => quoted = !quoted,
                    '=' if !quoted && key.is_none() => key = Some(std::mem::take(&mut text)),
                    c if !quoted && (c.is_whitespace() || c == '#') => {
                        end = at;
                        break;
                    }
                    c => text.push(c),
                }
            }
            if quoted {
                return Err("a quotation mark is not closed".into());
            }
            match key {
                Some(key) if words.pairs.iter().any(|(k, _)| *k == key) => return Err(format!("{key}: given twice")),
                Some(key) => words.pairs.push((key, text)),
                None => words.plain.push(text),
            }
            rest = rest[end..].trim_start();
        }
        Ok(words)
    }

    fn next(&mut self, what: &str) -> Text<String> {
        if self.plain.is_empty() { Err(format!("the {what} is missing")) } else { Ok(self.plain.remove(0)) }
    }

    fn rest(&mut self) -> Vec<String> {
        std::mem::take(&mut self.plain)
    }

    fn path(&mut self) -> Text<PathBuf> {
        self.next("file name").map(PathBuf::from)
    }

    fn slice(&mut self) -> Text<Slice> {
        Slice::parse(&self.next("vector")?)
    }

    fn flag(&mut self, name: &str) -> bool {
        let at = self.plain.iter().position(|word| word == name);
        at.map(|at| self.plain.remove(at)).is_some()
    }

    fn pair(&mut self, key: &str) -> Option<String> {
        self.asked.push(key.into());
        let at = self.pairs.iter().position(|(k, _)| k == key)?;
        Some(self.pairs.remove(at).1)
    }

    fn is_more(&self) -> bool {
        !self.plain.is_empty()
    }

    fn number<T: TryFrom<u128>>(&mut self, key: &str) -> Text<Option<T>> {
        self.pair(key).map(|text| number(key, &text)).transpose()
    }

    /// Refuses what nobody asked for.
    fn end(&self) -> Text<()> {
        if let Some((key, value)) = self.pairs.first() {
            let rule = "this statement has no such key";
            return Err(format!("{key} = {value}: {rule} (its keys: {})", listed(&self.asked)));
        }
        self.plain.first().map_or(Ok(()), |word| Err(format!("{word:?}: nothing more is expected here")))
    }
}
