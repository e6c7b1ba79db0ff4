//! Runs a program chunk by chunk on a machine.

use std::path::PathBuf;

use super::across;
use super::plan::Plan;
use super::report::{CommandReport, Outcome, Report};
use super::shown::Shown;
use super::source::Flags;
use super::steps::{Action, Contents, Place, Use};
use crate::data::pgm::Image;
use crate::data::{csv, raw};
use crate::error::{Error, Result};
use crate::machine::{Machine, MachineRows, Timing};
use crate::vectors::{read_elements, write_elements};

/// Runs the program on `machine`, which was made for the plan's parameters. Nothing is written: the outcome holds the
/// files. `progress` hears after every command how many of all are done.
///
/// # Errors
/// What the machine says: a refusal with the program's line, anything else as it is.
pub fn run(plan: &Plan, machine: &mut dyn Machine, progress: &mut dyn FnMut(u64, u64)) -> Result<Outcome> {
    let columns = plan.params.columns;
    let mut report = Report::new(plan);
    let mut read: Vec<Vec<u128>> = vec![Vec::new(); plan.readers.len()];
    let total = (plan.chunks() * plan.commands.len()) as u64;
    let (mut done, begin) = (0, machine.cycle());
    for chunk in 0..plan.chunks() {
        let first = chunk * columns;
        let count = columns.min(plan.elements - first);
        for (line, action) in &plan.steps {
            match action {
                Action::Load(place, contents) => {
                    load(machine, *place, contents, first, count);
                    report.rows_in += u64::from(place.kind.width);
                }
                Action::Execute(command, index) => {
                    machine.mark(&plan.marks[*index]);
                    let timing = machine.execute(*command).map_err(|error| match error {
                        Error::Command { .. } => plan.source.error(*line, error),
                        other => other,
                    })?;
                    report.commands[*index].add(timing);
                    done += 1;
                    progress(done, total);
                }
                Action::Flags(flags, index) => {
                    let raised = match flags {
                        Flags::Since => machine.take_flags(),
                        Flags::Last => machine.last_flags(),
                    };
                    read[*index].push(raised.into());
                }
                Action::Read(place, index) => {
                    let elements = read_elements(&MachineRows(machine), place.row, place.kind.width as usize);
                    read[*index].extend(&elements[..count]);
                    report.rows_out += u64::from(place.kind.width);
                    if let Some(across) = report.across.iter_mut().find(|across| across.reader == *index) {
                        across.runs += 1;
                        across.rows += u64::from(place.kind.width);
                    }
                }
            }
        }
    }
    report.clock_cycles = machine.cycle() - begin;
    finish(plan, report, &read)
}

fn load(machine: &mut dyn Machine, place: Place, contents: &Contents, first: usize, count: usize) {
    let width = place.kind.width as usize;
    match contents {
        Contents::Rows(rows) => (place.row..).zip(rows).for_each(|(row, words)| machine.set_row(row, words)),
        Contents::Elements(elements) => {
            write_elements(&mut MachineRows(machine), place.row, width, &elements[first..first + count]);
        }
        Contents::Value(value) => {
            let all = vec![*value; machine.params().columns];
            write_elements(&mut MachineRows(machine), place.row, width, &all);
        }
    }
}

fn finish(plan: &Plan, report: Report, read: &[Vec<u128>]) -> Result<Outcome> {
    let mut outcome = Outcome { report, printed: Vec::new(), files: Vec::new(), failures: Vec::new() };
    // CSV files with the columns that share them.
    let mut tables: Vec<(PathBuf, Vec<csv::NamedColumn>)> = Vec::new();
    for (reader, elements) in plan.readers.iter().zip(read) {
        let kind = reader.kind;
        let (line, vector, elements_there) = (reader.line, reader.name.clone(), elements.len());
        let shown = Shown { line, vector, across: None, values: Vec::new(), elements: elements_there, element: None };
        match &reader.what {
            Use::Print(options) => {
                let show = |&bits: &u128| match options.base {
                    16 => format!("{bits:#x}"),
                    2 => format!("{bits:#b}"),
                    _ => kind.show(bits),
                };
                let values = elements.iter().take(options.limit).map(show).collect();
                outcome.printed.push(Shown { values, ..shown });
            }
            Use::Across(across, wanted) => {
                let across::Value { value, element } = across::value(*across, elements, kind);
                if let Some(wanted) = wanted.filter(|wanted| across::big(*wanted) != value) {
                    let reason = format!("{} {} = {value}: must be {wanted}", across.name(), reader.name);
                    outcome.failures.push(plan.source.error(reader.line, reason).to_string());
                }
                let values = vec![value.to_string()];
                outcome.printed.push(Shown { across: Some(*across), values, element, ..shown });
            }
            Use::Expect(expected) => {
                let wanted = |index: usize| expected.element(index, index % plan.params.columns);
                let wrong: Vec<usize> = (0..elements.len()).filter(|&i| elements[i] != wanted(i)).collect();
                if let Some(&index) = wrong.first() {
                    let (is, must) = (kind.show(elements[index]), kind.show(wanted(index)));
                    let differ = format!("{} of {} elements differ", wrong.len(), elements.len());
                    let reason = format!("expect {}: element {index} = {is}: must be {must} ({differ})", reader.name);
                    outcome.failures.push(plan.source.error(reader.line, reason).to_string());
                }
            }
            Use::Flags(wanted) => {
                let raised = elements.iter().fold(0, |all, &flags| all | flags as u8);
                let names = Flags::names(raised);
                if let Some(wanted) = wanted.filter(|wanted| *wanted != raised) {
                    let must = Flags::names(wanted).join(",");
                    let reason = format!("{} = {}: must be {must}", reader.name, names.join(","));
                    outcome.failures.push(plan.source.error(reader.line, reason).to_string());
                }
                let (elements, values) = (names.len(), names.into_iter().map(String::from).collect());
                outcome.printed.push(Shown { values, elements, ..shown });
            }
            Use::Csv(path, name) => {
                let column = (name.clone(), elements.iter().map(|&bits| kind.show(bits)).collect());
                match tables.iter_mut().find(|(other, _)| other == path) {
                    Some((_, columns)) => columns.push(column),
                    None => tables.push((path.clone(), vec![column])),
                }
            }
            Use::Raw(path, bytes) => outcome.files.push((path.clone(), raw::write(elements, *bytes, kind)?)),
            Use::Pgm(path, width) => outcome.files.push((path.clone(), Image::of(elements, *width, kind)?.encode())),
        }
    }
    outcome.files.extend(tables.into_iter().map(|(path, columns)| (path, csv::write(&columns))));
    Ok(outcome)
}

impl CommandReport {
    fn add(&mut self, timing: Timing) {
        self.runs += 1;
        self.rtl_cycles += timing.rtl_cycles;
        self.latency_cycles += timing.latency_cycles;
    }
}
