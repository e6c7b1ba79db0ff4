//! What a wave of a compute unit shows: clock, the command that runs and what the program calls it, sequencer, latches,
//! and rows.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::isa::row::Operand;
use crate::isa::uop::LATCHES;
use crate::isa::{Command, Opcode};
use crate::model::compute_unit::ComputeUnit;
use crate::model::sequencer::Activity;
use crate::params::{Memory, Params, ROW_ADDRESS_BITS};
use crate::wave::{Wave, WaveSignal};

/// Characters of an operation's name: as many as the longest has.
const OPERATION: usize = 15;

/// Characters of an operand's name; longer ones lose their end.
const OPERAND: usize = 24;

/// Rows that a program has a name for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRows {
    /// The vector.
    pub name: String,
    /// Its first row.
    pub row: usize,
    /// How many.
    pub count: usize,
}

/// Which rows a wave shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaveView {
    /// Vectors by name.
    pub vectors: Vec<NamedRows>,
    /// Every row by its number, too.
    pub all_rows: bool,
}

impl WaveView {
    /// The rows, in the order of their signals.
    fn rows(&self, params: &Params) -> Vec<usize> {
        let named = self.vectors.iter().flat_map(|vector| vector.row..vector.row + vector.count);
        named.chain(if self.all_rows { 0..params.rows } else { 0..0 }).collect()
    }
}

/// A command as the program has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Line of the program.
    pub line: usize,
    /// What it calls the operands.
    pub operands: Vec<(Operand, String)>,
}

/// The signals, in the order of [`Recorder::sample`].
pub(super) fn signals(params: &Params, view: &WaveView) -> Vec<WaveSignal> {
    let address = ROW_ADDRESS_BITS;
    let unit = |path: &str, width| WaveSignal { path: format!("compute_unit.{path}"), width };
    let program = |name: &str, width| WaveSignal { path: format!("program.{name}"), width };
    let mut signals = vec![unit("clk", 1), program("line", 32), program("opcode", 8)];
    signals.push(program("operation", 8 * OPERATION));
    signals.extend(Operand::ALL.map(|operand| program(&format!("operand_{}", operand.name()), 8 * OPERAND)));
    let scalars = [
        ("sequencer.accepted", 1),
        ("sequencer.refused", 1),
        ("sequencer.issued", 1),
        ("sequencer.first", 1),
        ("sequencer.last", 1),
        ("sequencer.idle", 1),
        ("sequencer.flow_control.pc", 11),
        ("sequencer.flow_control.x", 7),
        ("sequencer.flow_control.y", 7),
        ("sequencer.j", 10),
        ("sequencer.i", 10),
        ("sequencer.l", 10),
        ("array.read_a", 1),
        ("array.row_a", address),
        ("array.read_b", 1),
        ("array.row_b", address),
        ("array.write", 1),
        ("array.row_w", address),
        ("array.tag_any", 1),
    ];
    signals.extend(scalars.map(|(path, width)| unit(path, width)));
    signals.extend(LATCHES.iter().map(|l| unit(&format!("array.columns.{}", l.letter), params.columns)));
    for NamedRows { name, count, .. } in &view.vectors {
        let digits = (count - 1).to_string().len();
        signals
            .extend((0..*count).map(|bit| unit(&format!("array.vectors.{name}.bit_{bit:0digits$}"), params.columns)));
    }
    if view.all_rows {
        let digits = (params.rows - 1).to_string().len();
        signals.extend((0..params.rows).map(|row| unit(&format!("array.rows.row_{row:0digits$}"), params.columns)));
    }
    signals
}

/// Text as a value: eight bits a character, the last character lowest, as Verilog has strings.
fn letters(text: &str, most: usize) -> Vec<u64> {
    let ascii = |c: char| if c.is_ascii_graphic() { c as u8 } else { b'?' };
    let bytes: Vec<u8> = text.chars().take(most).map(ascii).collect();
    let mut words = vec![0; (8 * most).div_ceil(64)];
    bytes.iter().rev().enumerate().for_each(|(i, &byte)| words[i / 8] |= u64::from(byte) << (8 * (i % 8)));
    words
}

/// A wave that is being written.
pub(super) struct Recorder {
    wave: Wave,
    /// Rows shown.
    rows: Vec<usize>,
    /// The signals of each row, counted from the first of all rows.
    signals_of: HashMap<usize, Vec<usize>>,
    /// Rows that may have changed since the last sample.
    touched: Vec<usize>,
    /// What runs, as values.
    program: Vec<Vec<u64>>,
    /// The values that are one word each.
    scalars: Vec<u64>,
}

impl Recorder {
    /// Into a wave that was made for the signals of this view.
    pub fn new(wave: Wave, view: &WaveView, params: &Params) -> Recorder {
        let rows = view.rows(params);
        let mut signals_of: HashMap<usize, Vec<usize>> = HashMap::new();
        rows.iter().enumerate().for_each(|(signal, &row)| signals_of.entry(row).or_default().push(signal));
        let (wave, touched) = (wave.clocked(), vec![]);
        let mut recorder = Recorder { wave, rows, signals_of, touched, program: vec![], scalars: vec![] };
        recorder.runs(&Command::new(Opcode::Copy, 1), &Mark::default());
        recorder
    }

    /// A row is another, for whatever reason.
    pub fn touch(&mut self, row: usize) {
        if self.signals_of.contains_key(&row) {
            self.touched.push(row);
        }
    }

    /// A command begins.
    pub fn runs(&mut self, command: &Command, mark: &Mark) {
        let name = command.opcode.mnemonic();
        self.program = vec![vec![mark.line as u64], vec![command.opcode.code()], letters(&name, OPERATION)];
        let operand = |operand: Operand| {
            let given = mark.operands.iter().find(|(other, _)| *other == operand);
            letters(given.map_or("", |(_, name)| name), OPERAND)
        };
        self.program.extend(Operand::ALL.map(operand));
    }

    /// The state in a cycle.
    pub fn sample(&mut self, cycle: u64, unit: &ComputeUnit, activity: &Activity) -> Result<()> {
        let array = &unit.array;
        let issue = &activity.issue;
        if array.memory() == Memory::Behavioural {
            issue.write.into_iter().for_each(|row| self.touch(row));
        }
        if self.wave.wants(cycle) {
            self.write(cycle, unit, activity)?;
        }
        // Sampled cycles follow each other: what changes outside of them is in the first one.
        self.touched.clear();
        // What computes in this state has written its row in the next one.
        if array.memory() == Memory::BlockRam {
            array.compute.write.into_iter().for_each(|row| self.touch(row));
        }
        Ok(())
    }

    fn write(&mut self, cycle: u64, unit: &ComputeUnit, activity: &Activity) -> Result<()> {
        let (sequencer, array) = (&unit.sequencer, &unit.array);
        let issue = &activity.issue;
        let row = |row: Option<usize>| row.unwrap_or(0) as u64;
        let scalars = [
            activity.accepted.into(),
            activity.refusal.is_some().into(),
            activity.issued.into(),
            activity.first.into(),
            activity.last.into(),
            sequencer.idle().into(),
            sequencer.flow.pc.into(),
            sequencer.flow.counters.x.into(),
            sequencer.flow.counters.y.into(),
            sequencer.indices.j.into(),
            sequencer.indices.i.into(),
            sequencer.indices.l.into(),
            issue.lines.a.is_some().into(),
            row(issue.lines.a),
            issue.lines.b.is_some().into(),
            row(issue.lines.b),
            issue.write.is_some().into(),
            row(issue.write),
            array.tag_any.into(),
        ];
        self.scalars.clear();
        self.scalars.extend(scalars);
        let before = std::iter::once(&[1][..])
            .chain(self.program.iter().map(Vec::as_slice))
            .chain(self.scalars.iter().map(std::slice::from_ref))
            .chain(array.column.latches().map(Vec::as_slice));
        let first = 1 + self.program.len() + self.scalars.len() + LATCHES.len();
        if self.wave.is_empty() {
            let rows = self.rows.iter().map(|&row| array.sram.row(row));
            self.wave.changes(cycle, before.chain(rows).enumerate())?;
        } else {
            let signals_of = &self.signals_of;
            let rows = self.touched.iter().flat_map(|row| signals_of[row].iter().map(move |&signal| (signal, *row)));
            let rows = rows.map(|(signal, row)| (first + signal, array.sram.row(row)));
            self.wave.changes(cycle, before.enumerate().chain(rows))?;
        }
        Ok(())
    }

    /// Ends it after so many cycles. Returns whether there is a file.
    pub fn finish(self, cycles: u64, failed: bool) -> Result<bool> {
        self.wave.finish(cycles, failed)
    }
}

/// A wave, or why there is none.
pub(super) type Recording = std::result::Result<Recorder, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit() {
        for opcode in Opcode::ALL {
            assert!(opcode.mnemonic().len() <= OPERATION, "{opcode}");
        }
        assert_eq!(letters("ab", 12), [0x6162, 0]);
        assert_eq!(letters("abcdefghij", 9), [0x6263_6465_6667_6869, 0x61]);
        assert_eq!(letters("ä b", 3), [0x3f_3f62]);
    }

    #[test]
    fn only_rows_with_names_unless_all_are_asked_for() {
        let params = crate::presets::preset("tiny").expect("a preset");
        let x = NamedRows { name: "x".into(), row: 4, count: 12 };
        let named = WaveView { vectors: vec![x], all_rows: false };
        let all = WaveView { all_rows: true, ..named.clone() };
        let rows = |view: &WaveView| {
            let signals = signals(&params, view);
            let paths = signals.iter().filter(|s| s.path.contains(".vectors.") || s.path.contains(".rows."));
            paths.map(|s| s.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(rows(&named)[11], "compute_unit.array.vectors.x.bit_11");
        assert_eq!((rows(&named).len(), rows(&all).len(), rows(&WaveView::default()).len()), (12, 44, 0));
        assert_eq!((named.rows(&params)[0], all.rows(&params).len()), (4, 44));
    }
}
