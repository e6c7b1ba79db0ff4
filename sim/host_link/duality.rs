//! The Duality Cache over a session: launches, and what they find and leave in memory.
//!
//! A launch is what the unit's simulations take, too: a program, its grid, and memory in pages as threads see it. Bytes
//! that were mapped go to the board's memory and come back; of those that the board holds already only differences go.

pub mod layout;

use bitline_units::duality::DualityParams;
use bitline_units::duality::isa::Program;
use bitline_units::duality::registers::*;

use super::bits::words;
use super::board::Board;
use super::error::{LinkError, Result};
use super::session::Session;
use crate::error::Error;
use crate::model::duality::{FlatMemory, Launch};
use crate::system::SystemParams;
use crate::system::protocol::{DUALITY_BASE, DUALITY_MEMORY_BASE};
use crate::units::duality::launching::{Counts, Ended, PAGE, Prepared, apart, page_table};
use crate::units::duality::machine::Mode;
use layout::Layout;

/// Looks at a launch before it counts as stuck: minutes on a board, and hours on a simulated one.
const LOOKS: u32 = 1_000_000;
/// Words that are sent again although they are known, where that saves a request.
const GAP: usize = 6;

fn register(offset: u64) -> u32 {
    DUALITY_BASE + offset as u32
}

/// The unit's registers and its memory, with what is known of them.
pub struct DualityPort {
    unit: DualityParams,
    /// What words of memory hold.
    known: Vec<Option<u32>>,
    /// What the page table holds.
    table: Vec<u32>,
    /// Whether the unit has been looked at.
    ready: bool,
}

impl DualityPort {
    /// The unit of a board of these parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the board has none.
    pub fn new(params: &SystemParams) -> Result<DualityPort> {
        let Some(duality) = &params.duality else {
            let rule = "this board has no Duality Cache: take a preset with one, such as duality or duality-tiny";
            return Err(Error::parameter("preset", &params.name, rule).into());
        };
        let known = vec![None; 2 * duality.memory_words];
        Ok(DualityPort { unit: duality.unit.clone(), known, table: Vec::new(), ready: false })
    }

    /// The unit's parameters.
    pub fn unit(&self) -> &DualityParams {
        &self.unit
    }

    /// Runs a program for a grid of threads: memory goes to the board and comes back, whatever stopped the program is
    /// inside.
    ///
    /// # Errors
    /// Anything about the line; [`Error::Parameter`] for a launch that cannot be, or that has no room on the board;
    /// [`LinkError::Stuck`] for one that does not end, which is stopped.
    pub fn run(
        &mut self,
        session: &mut Session,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        mode: Mode,
    ) -> Result<(Ended, Counts)> {
        program.check(&self.unit)?;
        launch.check(&self.unit, program.arrays)?;
        // What is on the way through a launch is in pages of its own, from the second control block on.
        let mut mapped = memory.clone();
        let steps = apart(&self.unit, program, launch, &mut mapped)?;
        let layout = Layout::new(&mapped, 16 * program.words.len() as u32, 4 * self.known.len() as u64)?;
        self.settle(session)?;
        self.put(session, &mapped, &layout, program)?;
        let prepared =
            Prepared { params: &self.unit, program, launch, mode, host_fed: false, code: layout.code, steps };
        // Registers that follow each other go in one request.
        for run in prepared.writes().chunk_by(|a, b| a.0 + 4 == b.0) {
            let values: Vec<u32> = run.iter().map(|write| write.1).collect();
            session.write(register(run[0].0), &values)?;
        }
        // Whatever comes of it, what threads may write is not known until it was read.
        self.forget(&mapped, &layout);
        self.ready = false;
        session.write_once(register(REG_COMMAND), &[1 << COMMAND_START_LSB], false)?;
        if let Err(error) = wait(session, STATUS_BUSY_LSB, "the launch") {
            if matches!(error, LinkError::Stuck { .. }) {
                // Whether or not it ends now, it has not by itself.
                let _ = session.write_once(register(REG_COMMAND), &[1 << COMMAND_ABORT_LSB], false);
            }
            return Err(error);
        }
        let ended = session.read(register(REG_RESULT), 4)?;
        if flush(session)? >> STATUS_WRITE_FAILED_LSB & 1 == 1 {
            let reason = "the board's memory has not taken a line of the cache ways".into();
            return Err(LinkError::Command { command: "flush".into(), code: 1, reason });
        }
        let counts = session.read(register(REG_CYCLES_LOW), 8)?;
        self.take(session, memory, &layout)?;
        self.ready = true;
        let cycles = u64::from(counts[0]) | u64::from(counts[1]) << 32;
        let counts = Counts::of(cycles, std::array::from_fn(|i| counts[2 + i]));
        Ok((Ended::of(std::array::from_fn(|i| ended[i])), counts))
    }

    /// Brings a unit that somebody else has used before into the state in which launches find it.
    fn settle(&mut self, session: &mut Session) -> Result<()> {
        if self.ready {
            return Ok(());
        }
        let status = session.read_word(register(REG_STATUS))?;
        if status >> STATUS_BUSY_LSB & 1 == 1 {
            session.write_once(register(REG_COMMAND), &[1 << COMMAND_ABORT_LSB], false)?;
            wait(session, STATUS_BUSY_LSB, "a launch of somebody else")?;
        }
        // The way of each control block is one.
        let all = (1 << self.unit.blocks) - 1;
        session.write(register(REG_WAY_MODES), &[all << WAY_MODES_ACCELERATOR_LSB])?;
        flush(session)?;
        session.write_once(register(REG_COMMAND), &[1 << COMMAND_CLEAR_LSB], false)?;
        self.ready = true;
        Ok(())
    }

    /// Brings pages, page table and program to the board.
    fn put(&mut self, session: &mut Session, memory: &FlatMemory, layout: &Layout, program: &Program) -> Result<()> {
        let places =
            memory.spans().filter_map(|span| Some((span.page, *layout.frames.get(&span.page)?, span.writable)));
        let table = page_table(places)?;
        if self.table != table {
            session.write(register(PAGES), &table)?;
            self.table = table;
        }
        for span in memory.spans() {
            let Some(base) = layout.base(span.page) else { continue };
            let from = span.bytes.start / 4 * 4;
            let wanted: Vec<u32> =
                (from..span.bytes.end).step_by(4).map(|at| memory.read(span.page * PAGE + at, 4) as u32).collect();
            self.write(session, base + from, &wanted)?;
        }
        let code: Vec<u8> = program.words.iter().flat_map(|word| word.0.to_le_bytes()).collect();
        self.write(session, layout.code, &words(&code))
    }

    /// Writes those words of memory that are not known to be there.
    fn write(&mut self, session: &mut Session, address: u32, wanted: &[u32]) -> Result<()> {
        let first = address as usize / 4;
        let known = &mut self.known[first..first + wanted.len()];
        let differs: Vec<usize> = (0..wanted.len()).filter(|&i| known[i] != Some(wanted[i])).collect();
        for run in differs.chunk_by(|a, b| b - a <= GAP) {
            let (from, to) = (run[0], run[run.len() - 1] + 1);
            session.write(DUALITY_MEMORY_BASE + address + 4 * from as u32, &wanted[from..to])?;
            (from..to).for_each(|i| known[i] = Some(wanted[i]));
        }
        Ok(())
    }

    /// Words of pages that threads may write are not known.
    fn forget(&mut self, memory: &FlatMemory, layout: &Layout) {
        for span in memory.spans().filter(|span| span.writable) {
            let Some(base) = layout.base(span.page) else { continue };
            let (from, to) = ((base + span.bytes.start) / 4, (base + span.bytes.end).div_ceil(4));
            self.known[from as usize..to as usize].fill(None);
        }
    }

    /// Brings pages that threads may write back.
    fn take(&mut self, session: &mut Session, memory: &mut FlatMemory, layout: &Layout) -> Result<()> {
        let spans: Vec<_> = memory.spans().filter(|span| span.writable).collect();
        for span in spans {
            let Some(base) = layout.base(span.page) else { continue };
            let from = span.bytes.start / 4 * 4;
            let count = (span.bytes.end - from).div_ceil(4) as usize;
            let seen = session.read(DUALITY_MEMORY_BASE + base + from, count)?;
            for (at, &word) in (from..).step_by(4).zip(&seen) {
                self.known[(base + at) as usize / 4] = Some(word);
                for (at, byte) in (at..).zip(word.to_le_bytes()).filter(|(at, _)| span.bytes.contains(at)) {
                    memory.write(span.page * PAGE + at, 1, byte.into());
                }
            }
        }
        Ok(())
    }
}

/// A board whose Duality Cache runs launches.
pub struct BoardUnit {
    board: Board,
    port: DualityPort,
}

impl BoardUnit {
    /// The board's Duality Cache.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it has none.
    pub fn new(board: Board) -> Result<BoardUnit> {
        let port = DualityPort::new(&board.params)?;
        Ok(BoardUnit { board, port })
    }

    /// Runs a program, as [`DualityPort::run`].
    ///
    /// # Errors
    /// As there.
    pub fn run(
        &mut self,
        program: &Program,
        launch: &Launch,
        memory: &mut FlatMemory,
        mode: Mode,
    ) -> Result<(Ended, Counts)> {
        self.port.run(&mut self.board.session, program, launch, memory, mode)
    }
}

/// Waits until a bit of `status` is 0; the status then.
fn wait(session: &mut Session, bit: usize, what: &str) -> Result<u32> {
    for _ in 0..LOOKS {
        let status = session.read_word(register(REG_STATUS))?;
        if status >> bit & 1 == 0 {
            return Ok(status);
        }
    }
    Err(LinkError::Stuck { what: what.into(), polls: LOOKS })
}

/// Lets the cache ways write back what they hold; the status then.
fn flush(session: &mut Session) -> Result<u32> {
    session.write_once(register(REG_COMMAND), &[1 << COMMAND_FLUSH_LSB], false)?;
    wait(session, STATUS_FLUSHING_LSB, "the flush")
}
