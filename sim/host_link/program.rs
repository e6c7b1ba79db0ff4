//! Programs on the board's array: a [`Machine`] whose rows are far away.
//!
//! Rows that a program sets wait here until a command needs them, and rows that it reads come with their neighbours: so
//! elements cross the line whole, not bit by bit. Cycles are the board's own count of those in which the unit was busy,
//! with the setup of the command.

use std::ops::Range;

use super::array::ArrayPort;
use super::bits::{rows, unpack, words};
use super::board::Board;
use super::error::{LinkError, Result};
use crate::error::{Error, Result as LibraryResult};
use crate::isa::operation::Role;
use crate::isa::transfer::{Transfer, element_bytes, widest};
use crate::isa::{Command, Opcode};
use crate::job::Report;
use crate::machine::{Machine, Mark, Timing, WaveView};
use crate::params::Params;
use crate::system::protocol::ARRAY_MEMORY_BASE;
use crate::wave::{Wave, WaveSignal};

/// A row as the host knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Row {
    /// Only the board knows.
    #[default]
    Far,
    /// Both know.
    Same(Vec<u64>),
    /// Only the host knows.
    Near(Vec<u64>),
}

/// What changes while rows are read.
struct State<'a> {
    board: &'a mut Board,
    port: ArrayPort,
    rows: Vec<Row>,
    /// The first thing that went wrong where it could not be told.
    error: Option<LinkError>,
}

/// The board's array.
pub struct BoardMachine<'a> {
    params: Params,
    state: std::cell::RefCell<State<'a>>,
    cycle: u64,
}

impl<'a> BoardMachine<'a> {
    /// The array of a board. Rows and the beginning of its memory are lost.
    pub fn new(board: &'a mut Board) -> BoardMachine<'a> {
        let params = board.params.array.clone();
        let rows = vec![Row::Far; params.rows];
        let state = State { board, port: ArrayPort::default(), rows, error: None };
        BoardMachine { params, state: std::cell::RefCell::new(state), cycle: 0 }
    }

    /// What a program has cost here: only what the board counts.
    pub fn report(report: &Report) -> String {
        let mut text = format!(
            "{} elements in {} chunks\nline  {:>8}  {:>12}  command\n",
            report.elements, report.chunks, "runs", "busy cycles"
        );
        for c in &report.commands {
            text += &format!("{:4}  {:8}  {:>12}  {}\n", c.line, c.runs, counted(c.rtl_cycles), c.text);
        }
        text + &format!("cycles in which the array was busy, with setup: {}", counted(report.rtl_cycles()))
    }

    /// What went wrong, if rows could not be read.
    pub fn take_error(&mut self) -> Option<LinkError> {
        self.state.get_mut().error.take()
    }
}

/// Cycles that a board has counted. A double of one has no clock and counts none; a command on hardware takes some.
fn counted(cycles: u64) -> String {
    if cycles == 0 { "-".into() } else { cycles.to_string() }
}

impl State<'_> {
    fn params(&self) -> &Params {
        &self.board.params.array
    }

    /// Bytes of the memory that rows of `width` bits take on their way.
    fn bytes(&self, width: usize) -> usize {
        usize::from(element_bytes(width as u8)) * self.params().columns
    }

    /// Moves rows to the board or from it, over the beginning of its memory.
    fn transfer(&mut self, rows: &Range<usize>, store: bool) -> Result<()> {
        let transfer = Transfer {
            store,
            width: rows.len() as u8,
            row: rows.start as u16,
            count: self.params().columns as u16,
            address: 0,
            stride: 0,
        };
        self.port.transfer(&mut self.board.session, &transfer)?;
        self.port.succeed(&mut self.board.session, &format_args!("{transfer:?}"))
    }

    /// Brings all that only the host knows to the board.
    fn flush(&mut self) -> Result<()> {
        let most = widest(self.params());
        let mut first = 0;
        while first < self.rows.len() {
            let near = |row: &Row| matches!(row, Row::Near(_));
            let count = self.rows[first..].iter().take(most).take_while(|row| near(row)).count();
            if count == 0 {
                first += 1;
                continue;
            }
            let range = first..first + count;
            let step = usize::from(element_bytes(count as u8));
            let mut bytes = vec![0; self.bytes(count)];
            for (bit, row) in self.rows[range.clone()].iter_mut().enumerate() {
                let Row::Near(words) = std::mem::take(row) else { continue };
                for (column, bytes) in bytes.chunks_exact_mut(step).enumerate() {
                    bytes[bit / 8] |= ((words[column / 64] >> (column % 64) & 1) as u8) << (bit % 8);
                }
                *row = Row::Same(words);
            }
            self.board.session.write(ARRAY_MEMORY_BASE, &words(&bytes))?;
            self.transfer(&range, false)?;
            first = range.end;
        }
        Ok(())
    }

    /// Brings a row here, with those behind it that are not here either.
    fn fetch(&mut self, row: usize) -> Result<()> {
        let far = self.rows[row..].iter().take(widest(self.params()));
        let count = far.take_while(|row| **row == Row::Far).count();
        let range = row..row + count;
        self.transfer(&range, true)?;
        let read = self.board.session.read(ARRAY_MEMORY_BASE, self.bytes(count).div_ceil(4))?;
        let bytes = unpack(&read);
        let step = usize::from(element_bytes(count as u8));
        let element = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let elements: Vec<u64> = bytes.chunks_exact(step).take(self.params().columns).map(element).collect();
        let fetched = rows(&elements, count, self.params().columns);
        self.rows[range].iter_mut().zip(fetched).for_each(|(row, words)| *row = Row::Same(words));
        Ok(())
    }

    fn row(&mut self, row: usize) -> Result<Vec<u64>> {
        if self.rows[row] == Row::Far {
            self.flush()?;
            self.fetch(row)?;
        }
        match &self.rows[row] {
            Row::Same(words) | Row::Near(words) => Ok(words.clone()),
            Row::Far => Ok(vec![0; self.params().columns.div_ceil(64)]),
        }
    }

    /// The tags, by way of a row that gets its contents back.
    fn tags(&mut self) -> Result<Vec<u64>> {
        let kept = self.row(0)?;
        self.flush()?;
        let set = self.params().sets.first().copied().unwrap_or_default();
        let command = Command { set, ..Command::new(Opcode::TagStore, 1) };
        self.port.push(&mut self.board.session, &command, Opcode::TagStore as u8)?;
        self.rows[0] = Row::Far;
        let tags = self.row(0)?;
        self.rows[0] = Row::Near(kept);
        self.flush()?;
        Ok(tags)
    }

    fn execute(&mut self, command: &Command) -> Result<u64> {
        let operation = command.check(self.params())?;
        self.flush()?;
        let before = self.port.busy_cycles(&mut self.board.session)?;
        self.port.push(&mut self.board.session, command, command.opcode as u8)?;
        self.port.succeed(&mut self.board.session, command)?;
        for (_, role, first, end) in command.ranges(&operation) {
            if role != Role::Source {
                self.rows[first as usize..end as usize].fill(Row::Far);
            }
        }
        Ok(self.port.busy_cycles(&mut self.board.session)? - before)
    }

    /// A value, or zeros and the error kept for later.
    fn or_later(&mut self, result: Result<Vec<u64>>) -> Vec<u64> {
        result.unwrap_or_else(|error| {
            self.error.get_or_insert(error);
            vec![0; self.params().columns.div_ceil(64)]
        })
    }
}

impl Machine for BoardMachine<'_> {
    fn params(&self) -> &Params {
        &self.params
    }

    fn row(&self, row: usize) -> Vec<u64> {
        let mut state = self.state.borrow_mut();
        let result = state.row(row);
        state.or_later(result)
    }

    fn set_row(&mut self, row: usize, bits: &[u64]) {
        self.state.get_mut().rows[row] = Row::Near(bits.to_vec());
    }

    fn tags(&self) -> Vec<u64> {
        let mut state = self.state.borrow_mut();
        let result = state.tags();
        state.or_later(result)
    }

    fn execute(&mut self, command: Command) -> LibraryResult<Timing> {
        let state = self.state.get_mut();
        // It stays for whoever asks: there it has its advice.
        if let Some(error) = &state.error {
            return Err(Error::Tool { tool: "board".into(), reason: error.to_string() });
        }
        if matches!(command.opcode, Opcode::Load | Opcode::Store) {
            let reason = "loads and stores of rows need the row streams, which a board does not have".into();
            let code = crate::isa::command::ErrorCode::Opcode as u8;
            return Err(Error::Command { command: command.to_string(), code, reason });
        }
        let cycles = state.execute(&command).map_err(|error| match error {
            LinkError::Other(error) => error,
            // Whoever asks gets it with its advice.
            other => {
                let told = Error::Tool { tool: "board".into(), reason: other.to_string() };
                state.error = Some(other);
                told
            }
        })?;
        self.cycle += cycles;
        Ok(Timing { rtl_cycles: cycles, latency_cycles: cycles })
    }

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn wave_signals(&self, _view: &WaveView) -> Vec<WaveSignal> {
        Vec::new()
    }

    fn record(&mut self, _wave: Wave, _view: &WaveView) {}

    fn mark(&mut self, _mark: &Mark) {}

    fn finish_wave(&mut self, _failed: bool) -> LibraryResult<bool> {
        Ok(false)
    }
}
