//! From a program as written to steps that a machine can run: names looked up, rows allocated, files read, commands
//! checked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::allocate::RowMap;
use super::source::{CommandSource, Data, Located, Slice, Source, Statement, Target, VectorSource, row_words};
use super::steps::{Action, Contents, Place, Reader, Use};
use super::written::Written;
use crate::data::pgm::Image;
use crate::data::source::{at, is_standard};
use crate::data::{ElementType, MAX_ELEMENTS, csv, raw};
use crate::error::{Error, Result};
use crate::machine::{Mark, NamedRows, WaveView};
use crate::params::Params;

type Text<T> = std::result::Result<T, String>;

/// A program ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) source: Source,
    pub(super) steps: Vec<(usize, Action)>,
    pub(super) readers: Vec<Reader>,
    /// Line and text of each command.
    pub(super) commands: Vec<(usize, String)>,
    /// The same for waves.
    pub(super) marks: Vec<Mark>,
    /// Vectors and their rows, in order of declaration.
    pub(super) vectors: Vec<NamedRows>,
    /// Files that were read.
    pub(super) inputs: Vec<PathBuf>,
    /// The array.
    pub params: Params,
    /// Number of elements.
    pub elements: usize,
}

impl Plan {
    /// Files that the program reads.
    pub fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// Files that the program will write, each once.
    pub fn outputs(&self) -> Vec<&Path> {
        let mut paths: Vec<&Path> = Vec::new();
        for reader in &self.readers {
            if let Use::Csv(path, _) | Use::Raw(path, _) | Use::Pgm(path, _) = &reader.what
                && !paths.contains(&path.as_path())
            {
                paths.push(path);
            }
        }
        paths
    }

    /// What a wave of the program shows.
    pub fn wave_view(&self, all_rows: bool) -> WaveView {
        WaveView { vectors: self.vectors.clone(), all_rows }
    }

    /// How often the program runs to reach every element.
    pub fn chunks(&self) -> usize {
        self.elements.div_ceil(self.params.columns)
    }
}

/// Makes a program ready for an array. Results go to `out`, or else to the program's folder.
///
/// # Errors
/// [`Error::Syntax`] with the program's line for everything that is wrong with it or with its data.
pub fn plan(source: &Source, params: &Params, out: Option<&Path>) -> Result<Plan> {
    params.check()?;
    let mut planner = Planner {
        source,
        params,
        out: out.unwrap_or(&source.folder),
        map: RowMap::new(params.rows),
        places: HashMap::new(),
        written: Written::new(params.rows),
        elements: source.elements.as_ref().map(|e| (e.value, format!("line {}", e.line))),
        image_width: None,
        steps: Vec::new(),
        readers: Vec::new(),
        commands: Vec::new(),
        marks: Vec::new(),
        inputs: Vec::new(),
    };
    if let Some(elements) = source.elements.as_ref().filter(|e| !(1..=MAX_ELEMENTS).contains(&e.value)) {
        let reason = format!("elements = {}: must be 1 to {MAX_ELEMENTS}", elements.value);
        return Err(source.error(elements.line, reason));
    }
    planner.vectors()?;
    for statement in &source.statements {
        let line = statement.line;
        planner.statement(line, &statement.value).map_err(|reason| source.error(line, reason))?;
    }
    let elements = planner.elements.map_or(params.columns, |(count, _)| count);
    let rows = |vector: &Located<VectorSource>| {
        let place = planner.places[&vector.value.name];
        NamedRows { name: vector.value.name.clone(), row: place.row, count: place.kind.width as usize }
    };
    let vectors = source.vectors.iter().map(rows).collect();
    let Planner { steps, readers, commands, marks, inputs, .. } = planner;
    let (source, params) = (source.clone(), params.clone());
    let plan = Plan { source, steps, readers, commands, marks, vectors, inputs, params, elements };
    plan.check_images()?;
    Ok(plan)
}

impl Plan {
    /// Images need whole lines; the number of elements is known only in the end.
    fn check_images(&self) -> Result<()> {
        for reader in &self.readers {
            let Use::Pgm(_, width) = reader.what else { continue };
            if width == 0 || !self.elements.is_multiple_of(width) {
                let reason = format!("width = {width}: must divide the number of pixels, {}", self.elements);
                return Err(self.source.error(reader.line, reason));
            }
        }
        Ok(())
    }
}

pub(super) struct Planner<'a> {
    source: &'a Source,
    pub(super) params: &'a Params,
    out: &'a Path,
    pub(super) map: RowMap,
    places: HashMap<String, Place>,
    /// What rows hold at the statement that is looked at.
    written: Written,
    /// Number of elements, and who said so.
    elements: Option<(usize, String)>,
    image_width: Option<usize>,
    steps: Vec<(usize, Action)>,
    readers: Vec<Reader>,
    commands: Vec<(usize, String)>,
    marks: Vec<Mark>,
    inputs: Vec<PathBuf>,
}

impl Planner<'_> {
    /// Fixed places first, then the others in order.
    fn vectors(&mut self) -> Result<()> {
        let source = self.source;
        for fixed in [true, false] {
            for vector in source.vectors.iter().filter(|v| v.value.of.is_none() && v.value.row.is_some() == fixed) {
                self.vector(&vector.value).map_err(|reason| source.error(vector.line, reason))?;
            }
        }
        for vector in source.vectors.iter().filter(|v| v.value.of.is_some()) {
            self.view(&vector.value).map_err(|reason| source.error(vector.line, reason))?;
        }
        Ok(())
    }

    fn vector(&mut self, vector: &VectorSource) -> Text<()> {
        let name = &vector.name;
        let width = match (vector.width, vector.float) {
            (None, Some(format)) => format.bits() as usize,
            (Some(width), Some(format)) if width != format.bits() as usize => {
                return Err(format!("vector {name}: width = {width}: must be {}, that of {format}", format.bits()));
            }
            (width, _) => width.ok_or(format!("vector {name}: needs width=, float= or of="))?,
        };
        if vector.signed && vector.float.is_some() {
            return Err(format!("vector {name}: signed: floating-point numbers have a sign of their own"));
        }
        if !(1..=128).contains(&width) {
            return Err(format!("vector {name}: width = {width}: must be 1 to 128"));
        }
        let row = vector.row.map_or_else(|| self.map.find(name, width), Ok)?;
        self.map.take(name, row, width)?;
        self.declare(
            name,
            Place { row, kind: ElementType { width: width as u32, signed: vector.signed, format: vector.float } },
        )
    }

    fn view(&mut self, vector: &VectorSource) -> Text<()> {
        let Some(of) = &vector.of else { return Ok(()) };
        if vector.width.is_some() || vector.row.is_some() {
            return Err(format!("vector {}: of = {of} leaves no choice of width and row", vector.name));
        }
        let mut place = self.place(of)?;
        place.kind.signed = vector.signed;
        place.kind.format = vector.float;
        if let Some(format) = vector.float.filter(|format| format.bits() != place.kind.width) {
            let (name, width) = (&vector.name, place.kind.width);
            return Err(format!("vector {name}: of = {of} has {width} rows: must be {}, for {format}", format.bits()));
        }
        self.declare(&vector.name, place)
    }

    fn declare(&mut self, name: &str, place: Place) -> Text<()> {
        if self.places.insert(name.into(), place).is_some() {
            Err(format!("vector {name}: declared twice"))
        } else {
            Ok(())
        }
    }

    pub(super) fn place(&self, slice: &Slice) -> Text<Place> {
        let place = *self.places.get(&slice.name).ok_or_else(|| {
            let mut names: Vec<&str> = self.places.keys().map(String::as_str).collect();
            names.sort_unstable();
            format!("vector = {}: not declared (there are: {})", slice.name, names.join(", "))
        })?;
        let Some((low, high)) = slice.rows else { return Ok(place) };
        let width = place.kind.width as usize;
        let high = high.unwrap_or(width);
        if low >= high || high > width {
            return Err(format!("rows = {slice}: must be within 0..{width} and not empty"));
        }
        // Only the part with the top row has the sign.
        let signed = place.kind.signed && high == width;
        Ok(Place { row: place.row + low, kind: ElementType { width: (high - low) as u32, signed, format: None } })
    }

    fn statement(&mut self, line: usize, statement: &Statement) -> Text<()> {
        match statement {
            Statement::Load(slice, data) => {
                let place = self.place(slice)?;
                let contents = self.data(data, place.kind, line).map_err(|reason| format!("load {slice}: {reason}"))?;
                self.written.load(place);
                self.steps.push((line, Action::Load(place, contents)));
            }
            Statement::Command(command) => self.execute(line, command)?,
            Statement::Print(slice, options) => self.read(line, slice, Use::Print(*options))?,
            Statement::Expect(slice, data) => {
                let kind = self.place(slice)?.kind;
                let contents = self.data(data, kind, line).map_err(|reason| format!("expect {slice}: {reason}"))?;
                self.read(line, slice, Use::Expect(contents))?;
            }
            Statement::Across(across, slice, _) if self.place(slice)?.kind.format.is_some() => {
                return Err(format!("{} {slice}: holds floating-point numbers, must hold integers", across.name()));
            }
            Statement::Across(across, slice, wanted) => self.read(line, slice, Use::Across(*across, *wanted))?,
            Statement::Flags(_, _) if !self.params.exception_flags => {
                return Err("flags: needs a design with exception_flags=true".into());
            }
            Statement::Flags(flags, wanted) => {
                self.steps.push((line, Action::Flags(*flags, self.readers.len())));
                let kind = ElementType { width: 5, signed: false, format: None };
                self.readers.push(Reader { line, name: flags.name().into(), kind, what: Use::Flags(*wanted) });
            }
            Statement::Store(slice, target) => {
                let what = self.target(slice, target).map_err(|reason| format!("store {slice}: {reason}"))?;
                self.read(line, slice, what)?;
            }
        }
        Ok(())
    }

    fn execute(&mut self, line: usize, source: &CommandSource) -> Text<()> {
        let (command, operation) = self.command(source)?;
        let named = |operand| source.operands.iter().find(|(other, _)| *other == operand);
        let name = |operand| named(operand).map_or("scratch".into(), |(_, slice)| slice.to_string());
        self.written.execute(line, &command, &operation, &name)?;
        self.steps.push((line, Action::Execute(command, self.commands.len())));
        self.commands.push((line, source.text.clone()));
        let operands = source.operands.iter().map(|(operand, slice)| (*operand, slice.to_string())).collect();
        self.marks.push(Mark { line, operands });
        Ok(())
    }

    fn read(&mut self, line: usize, slice: &Slice, what: Use) -> Text<()> {
        let place = self.place(slice)?;
        self.written.read(&slice.name, place).map_err(|reason| format!("{slice}: {reason}"))?;
        self.steps.push((line, Action::Read(place, self.readers.len())));
        self.readers.push(Reader { line, name: slice.to_string(), kind: place.kind, what });
        Ok(())
    }

    fn data(&mut self, data: &Data, kind: ElementType, line: usize) -> Text<Contents> {
        let text = |error: Error| error.to_string();
        let at = |path: &Path| at(&self.source.folder, path);
        if let Data::Csv(path, _) | Data::Raw(path, _) | Data::Pgm(path) = data {
            if is_standard(path) && self.inputs.iter().chain([&self.source.path]).any(|input| is_standard(input)) {
                return Err("standard input: is read before, and can be read only once".into());
            }
            self.inputs.push(at(path));
        }
        let elements = match data {
            Data::Csv(path, options) => csv::read(&at(path), options, kind).map_err(text)?,
            Data::Raw(path, bytes) => {
                let bytes = bytes.or(raw::size_for(kind)).ok_or("raw files hold at most 64 bits an element")?;
                raw::read(&at(path), bytes, kind).map_err(text)?
            }
            Data::Pgm(path) => {
                let path = at(path);
                let image = Image::read(&path).map_err(text)?;
                self.image_width.get_or_insert(image.width);
                image.elements(&path, kind).map_err(text)?
            }
            Data::List(list) => {
                let element = |(index, literal)| {
                    kind.read(literal).ok_or_else(|| format!("element {index} = {literal}: must be {kind}"))
                };
                list.iter().enumerate().map(element).collect::<Text<_>>()?
            }
            Data::Value(value) => {
                return kind.read(value).map(Contents::Value).ok_or_else(|| format!("value = {value}: must be {kind}"));
            }
            Data::Rows(rows) => {
                if rows.len() != kind.width as usize {
                    return Err(format!("rows = {} literals: must be {}, one for each row", rows.len(), kind.width));
                }
                let words = rows.iter().map(|text| row_words(text, self.params.columns));
                return words.collect::<Text<_>>().map(Contents::Rows);
            }
        };
        self.count(elements.len(), line)?;
        Ok(Contents::Elements(elements))
    }

    /// All data have as many elements.
    fn count(&mut self, count: usize, line: usize) -> Text<()> {
        if count == 0 || count > MAX_ELEMENTS {
            return Err(format!("{count} elements: must be 1 to {MAX_ELEMENTS}"));
        }
        let (agreed, who) = self.elements.get_or_insert((count, format!("line {line}")));
        if *agreed == count { Ok(()) } else { Err(format!("{count} elements: must be {agreed}, as said in {who}")) }
    }

    fn target(&mut self, slice: &Slice, target: &Target) -> Text<Use> {
        let kind = self.place(slice)?.kind;
        let (path, what) = match target {
            Target::Csv(path, column) => {
                let path = at(self.out, path);
                (path.clone(), Use::Csv(path, column.clone().unwrap_or(slice.to_string())))
            }
            Target::Raw(path, bytes) => {
                let bytes = bytes.or(raw::size_for(kind)).ok_or("raw files hold at most 64 bits an element")?;
                raw::write(&[], bytes, kind).map_err(|e| e.to_string())?;
                let path = at(self.out, path);
                (path.clone(), Use::Raw(path, bytes))
            }
            Target::Pgm(path, width) => {
                if kind.signed || kind.format.is_some() || kind.width > 16 {
                    return Err(format!("elements = {kind}: an image needs unsigned elements of at most 16 bits"));
                }
                let width = width.or(self.image_width).ok_or("width= is needed where no image is loaded")?;
                let path = at(self.out, path);
                (path.clone(), Use::Pgm(path, width))
            }
        };
        let shared = |reader: &Reader| match (&reader.what, &what) {
            (Use::Csv(other, column), Use::Csv(_, new)) => *other == path && column == new,
            (Use::Csv(other, _) | Use::Raw(other, _) | Use::Pgm(other, _), _) => *other == path,
            _ => false,
        };
        if let Some(reader) = self.readers.iter().find(|reader| shared(reader)) {
            return Err(format!("{}: written before, in line {}", path.display(), reader.line));
        }
        Ok(what)
    }
}
