//! Model of the memory path. Commands leave dispatch in order; a transfer's elements move between memory and the
//! transpose memory unit while commands pass it, but for those that share rows with it, until its rows enter the unit's
//! own queue. Transfers keep their order; a load asks for its elements ahead, but not while a store before it may write
//! to their addresses.

use std::collections::VecDeque;

use super::core::Ends;
use super::{Elements, FAILED, SOON};
use crate::command_log::Recorded;
use crate::command_queue;
use crate::compute_unit::Inputs;
use crate::queue::Queue;
use crate::seen::Rules;
use crate::tmu::{self, Tmu, TmuInputs};
use bitline_units::array::isa::command::ErrorCode;
use bitline_units::array::isa::transfer::{Cover, Transfer, covers, element_bytes, widest};
use bitline_units::array::isa::word::COMMAND;
use bitline_units::array::isa::word::OPCODES;
use bitline_units::array::isa::{Command, Opcode};
use bitline_units::array::params::{MemoryPort, Params};

/// Transfers between dispatch and the unit's queue, at most.
const PENDING: usize = 2;
/// Cycles that a transfer is in dispatch before it is offered.
const CHECKS: u32 = 14;
/// Decisions on rows that may wait.
const DECISIONS: usize = 4;

/// A command as it waits in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its fields.
    pub command: Command,
    /// Its opcode, which may be none.
    pub opcode: u8,
    /// Its set, which may be none.
    pub set: u8,
    /// Pushes before it.
    pub index: u32,
}

impl Waiting {
    /// The word in which the queue keeps it.
    pub fn pack(&self) -> [u64; 3] {
        let Waiting { command, opcode, set, index } = *self;
        let mut limbs = command_queue::Waiting { command, opcode, set }.pack();
        limbs[COMMAND / 64] |= u64::from(index) << (COMMAND % 64);
        limbs
    }

    fn transfer(&self) -> Option<Transfer> {
        Transfer::of(&self.command, self.opcode)
    }
}

/// A transfer that has left dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The transfer.
    pub transfer: Transfer,
    /// Pushes before its command.
    pub index: u32,
    /// The reader was asked.
    pub asked: bool,
    /// The transpose memory unit fills with it.
    pub fills: bool,
    /// Its error and where, once its elements are there.
    pub filled: Option<(u8, u64)>,
}

impl Pending {
    /// What reader or writer get.
    fn elements(&self) -> Elements {
        let Transfer { address, count, width, .. } = self.transfer;
        Elements { address, count, bytes: element_bytes(width), stride: self.transfer.step() as i32 }
    }

    fn rows(&self) -> (u16, u16) {
        (self.transfer.row, self.transfer.row + u16::from(self.transfer.width))
    }

    /// Its elements came with an error.
    fn failed(&self) -> Option<Recorded> {
        self.filled.filter(|filled| filled.0 & FAILED != 0).map(|filled| error(filled, self.index))
    }
}

fn error((response, address): (u8, u64), index: u32) -> Recorded {
    let code = if response & 1 == 1 { ErrorCode::Decode } else { ErrorCode::Slave };
    Recorded { code: code.code(), operand: 0, index, address }
}

seen! {
    /// What the path does in a cycle.
    PathSeen {
        /// A command is offered to the unit by dispatch.
        passes: bool = "dispatch.unit_valid";
        /// A transfer is offered by dispatch.
        offered: bool = "dispatch.transfer_valid";
        /// It is taken if offered.
        free: bool = "stages.transfer_ready";
        /// The reader is asked.
        read: bool = "read_valid";
        /// Its word is taken if there.
        word_ready: bool = "word_ready";
        /// The transpose memory unit is to start.
        fill: bool = "stages.fill_valid";
        /// A load or store of rows is offered to the unit.
        inserted: bool = "stages.command_valid";
        /// A load's rows are decided on.
        decides: bool = "stages.decide";
        /// They are dropped.
        drops: bool = "stages.drop_rows";
        /// The writer starts.
        write: bool = "stages.write";
    }
}

/// What stands around the path in a cycle.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// A command that enters the queue.
    pub entering: Option<Waiting>,
    /// The unit takes a command if offered.
    pub unit_ready: bool,
    /// It takes a row if offered.
    pub row_ready: bool,
    /// A row of its store port.
    pub stored: Option<Vec<u64>>,
    /// An error that is offered is taken note of.
    pub noted: bool,
}

/// The path.
#[derive(Clone, Debug)]
pub struct MemoryPath {
    params: Params,
    covers: Vec<[Cover; 5]>,
    /// What the hardware does.
    pub seen: PathSeen,
    /// Commands that wait.
    pub commands: Queue<Waiting>,
    /// Cycles that the first of them was the first in.
    turn: u32,
    /// No transfer was pending when it became the first.
    alone: bool,
    /// Transfers that have left dispatch and whose rows have not entered the unit's queue.
    pub pending: VecDeque<Pending>,
    /// A store that writes.
    pub writing: Option<Pending>,
    /// Transpose memory unit.
    pub tmu: Tmu,
    /// The transpose memory unit fills with slices.
    pub fills_slices: bool,
    /// Whether the rows of loads are dropped, in order.
    pub decisions: Queue<bool>,
}

impl MemoryPath {
    /// Nothing is pending.
    pub fn new(params: &Params) -> MemoryPath {
        let opcodes = params.opcodes();
        let known = |code: usize| opcodes.iter().copied().find(|&opcode| opcode as usize == code);
        MemoryPath {
            covers: (0..OPCODES).map(|code| known(code).map_or([Cover::None; 5], |o| covers(params, o))).collect(),
            seen: PathSeen::default(),
            commands: Queue::new(params.command_fifo),
            turn: 0,
            alone: true,
            pending: VecDeque::new(),
            writing: None,
            tmu: Tmu::new(params.columns as u16, widest(params) as u16),
            fills_slices: false,
            decisions: Queue::new(DECISIONS),
            params: params.clone(),
        }
    }

    /// A reset has passed: memories keep their words.
    pub fn reset(&mut self) {
        self.commands.reset();
        self.tmu.reset();
        self.decisions.reset();
        self.pending.clear();
        (self.turn, self.alone, self.writing, self.fills_slices) = (0, true, None, false);
    }

    /// Something waits or is under way.
    pub fn busy(&self) -> bool {
        let tmu = &self.tmu;
        self.commands.count > 0
            || !self.pending.is_empty()
            || self.writing.is_some()
            || tmu.filling.is_some()
            || tmu.tiles.iter().any(|tile| tile.full)
            || tmu.read.is_some()
            || self.decisions.count > 0
    }

    /// The first command shares rows with a pending transfer.
    pub fn conflict(&self) -> bool {
        let Some(Waiting { command: c, opcode, .. }) = self.commands.head() else { return false };
        let code = usize::from(*opcode);
        // Further pages of opcodes are not in the table: such a command waits for every row from its operands' on.
        let page = |bit: usize| self.params.pages() > bit && code & (bit * OPCODES) != 0;
        let beyond = page(1) || page(2);
        let listed = if beyond { Some(&[Cover::All; 5]) } else { self.covers.get(code) };
        let Some(covers) = listed else { return false };
        let (n, m) = (u32::from(c.width & 0x7f), u32::from(c.second & 0x7f));
        covers.iter().zip([c.a, c.b, c.d, c.e, c.s]).filter(|(cover, _)| **cover != Cover::None).any(|(cover, row)| {
            let (first, end) = (row & 0x3ff, (row & 0x3ff) + cover.rows(n, m) as u16);
            self.pending.iter().map(Pending::rows).any(|(row, behind)| first < behind && row < end)
        })
    }

    /// What is offered to the writer.
    pub fn out(&self) -> Option<(u64, bool)> {
        self.tmu.read.as_ref().filter(|beat| beat.element).map(|beat| (beat.bits[0], beat.last))
    }

    /// A slice that has been decided on, and whether it is dropped.
    fn slice(&self) -> Option<(&tmu::Beat, bool)> {
        self.tmu.read.as_ref().filter(|beat| !beat.element).zip(self.decisions.head().copied())
    }

    /// The row that is offered to the unit.
    pub fn row(&self) -> Option<&[u64]> {
        self.slice().filter(|slice| !slice.1).map(|(beat, _)| &beat.bits[..])
    }

    /// The transpose memory unit takes a beat if offered.
    fn beat_ready(&self) -> bool {
        self.tmu.filling.is_some() && !self.tmu.tiles[self.tmu.entering.0].full
    }

    /// What goes into the unit, and the index of its command.
    pub fn command(&self) -> (Inputs, Option<u32>) {
        let take = self.fills_slices && self.beat_ready();
        let (command, codes, index) = match (self.pending.front(), self.commands.head()) {
            (Some(Pending { transfer, index, .. }), _) if self.seen.inserted => {
                let opcode = if transfer.store { Opcode::Store } else { Opcode::Load };
                let Transfer { row, width, .. } = *transfer;
                let command = Command { a: row, d: row, ..Command::new(opcode, width) };
                (command, (opcode as u8, self.params.sets[0] as u8), *index)
            }
            (_, Some(head)) if self.seen.passes => (head.command, (head.opcode, head.set), head.index),
            _ => return (Inputs { take, ..Inputs::default() }, None),
        };
        (Inputs { command: Some(command), codes: Some(codes), take, ..Inputs::default() }, Some(index))
    }

    /// The load that may ask the reader.
    pub fn asks(&self) -> Option<usize> {
        let at = self.pending.iter().take_while(|pending| !pending.transfer.store).position(|load| !load.asked)?;
        // A store before it has all its addresses before it, and a tile is free for what comes.
        let range = |pending: &Pending| pending.transfer.range();
        let apart = |store: &Pending| match (range(&self.pending[at]), range(store)) {
            (Some((low, high)), Some((from, to))) => at == 0 && self.decisions.count == 0 && (high < from || to < low),
            _ => false,
        };
        let streams = self.params.memory_port == MemoryPort::Stream;
        (streams || self.writing.as_ref().is_none_or(apart)).then_some(at)
    }

    /// What the reader is asked for.
    pub fn read(&self) -> Option<Elements> {
        self.asks().filter(|_| self.seen.read).map(|at| self.pending[at].elements())
    }

    /// What the writer starts with.
    pub fn write(&self) -> Option<Elements> {
        self.pending.front().filter(|_| self.seen.write).map(Pending::elements)
    }

    /// The error of a store that has ended, else that of the load whose turn it is.
    fn failed(&self, ends: &Ends) -> [Option<Recorded>; 2] {
        let (response, address) = ends.write_failed;
        let stored = self.writing.filter(|_| !ends.write_busy && response & FAILED != 0);
        let stored = stored.map(|store| error((response, address), store.index));
        [stored, self.pending.front().and_then(Pending::failed).filter(|_| stored.is_none())]
    }

    /// Why dispatch refuses the first command.
    fn refused(&self) -> Option<Recorded> {
        let head = self.commands.head()?;
        let (code, operand) = match head.transfer() {
            Some(transfer) => transfer.fault(&self.params).filter(|_| self.turn >= CHECKS)?,
            None => (head.opcode < 2 && self.turn > 0).then_some((ErrorCode::Opcode, 0))?,
        };
        let address = if code == ErrorCode::Address { head.command.key } else { 0 };
        Some(Recorded { code: code.code(), operand, index: head.index, address })
    }

    /// The error on offer: reader's and writer's before those of dispatch.
    pub fn error(&self, ends: &Ends) -> Option<Recorded> {
        let [stored, loaded] = self.failed(ends);
        stored.or(loaded).or(self.refused())
    }

    /// One clock edge. Returns whether a load has ended with an error.
    pub fn step(&mut self, ends: &Ends, around: &Around, rules: &mut Rules) -> bool {
        let seen = self.seen.clone();
        let Around { unit_ready, noted, .. } = *around;
        let [stored, loaded] = self.failed(ends);
        let head = self.commands.head().copied();
        let transfer = head.and_then(|head| head.transfer());
        // Dispatch.
        let legal = transfer.is_some_and(|transfer| transfer.fault(&self.params).is_none());
        let passes = transfer.is_none() && head.is_some_and(|head| head.opcode > 1) && !self.conflict();
        rules.moves("a command passes", passes, seen.passes, if self.alone { 0 } else { SOON });
        rules.moves("a transfer is offered", legal && self.turn >= CHECKS, seen.offered, 0);
        let room = self.pending.len() < PENDING;
        let asked = self.pending.iter().all(|pending| pending.asked || pending.transfer.store);
        rules.holds("two transfers are pending", room || !seen.free);
        rules.moves("a transfer is taken", room && asked, room && asked && seen.free, SOON);
        let enters = seen.offered && seen.free;
        let refused = self.refused().is_some() && noted && stored.or(loaded).is_none();
        let taken = seen.passes && unit_ready && !seen.inserted || enters || refused;
        // Transfers.
        let asks = self.asks();
        rules.moves("a load asks the reader", asks.is_some(), seen.read, SOON);
        let front = self.pending.front().copied();
        let load = front.filter(|front| !front.transfer.store);
        let free = self.tmu.filling.is_none();
        let begins = load.is_some_and(|load| load.asked && !load.fills && load.filled.is_none());
        let stores = load.is_none() && front.is_some() && free && self.writing.is_none() && unit_ready;
        rules.moves("a tile fills", free && begins || stores, seen.fill && free, SOON);
        rules.moves("a store starts", stores, seen.write, SOON);
        let fills = load.is_some_and(|load| load.fills && load.filled.is_none());
        rules.same("elements are taken", &(fills && self.beat_ready()), &seen.word_ready);
        let good = load.is_some_and(|load| load.filled.is_some() && load.failed().is_none());
        rules.moves("rows may enter the unit", good || stores, seen.inserted, SOON);
        rules.same("a store starts all at once", &seen.write, &(load.is_none() && seen.inserted && seen.fill));
        let decision =
            if good && seen.inserted && unit_ready { Some(false) } else { loaded.filter(|_| noted).map(|_| true) };
        rules.same("the decision on a load's rows", &decision, &seen.decides.then_some(seen.drops));
        // The transpose memory unit.
        let start =
            front.filter(|_| seen.fill).map(|Pending { transfer: Transfer { store, width, count, .. }, .. }| {
                tmu::Transfer { store, width, count }
            });
        let limbs = self.params.columns.div_ceil(64);
        let element = |data: u64| {
            let data = data & (u64::MAX >> (64 - self.tmu.bits().min(64)));
            (0..limbs).map(|limb| if limb == 0 { data } else { 0 }).collect()
        };
        let beat = if self.fills_slices { around.stored.clone() } else { ends.word.map(|word| element(word.data)) };
        let slice = self.slice().map(|(beat, drops)| (beat.last, drops || around.row_ready));
        let leaves = slice.is_some_and(|slice| slice.1);
        let take = if self.out().is_some() { ends.out_ready } else { leaves };
        self.decisions.step(decision, leaves && slice.is_some_and(|slice| slice.0));
        if let Some(start) = start.filter(|_| free) {
            self.fills_slices = start.store;
        }
        self.tmu.step(&TmuInputs { start, beat: beat.filter(|_| self.fills_slices || fills), take });
        // What comes of it all.
        if self.writing.is_some() && !ends.write_busy && (stored.is_none() || noted) {
            self.writing = None;
        }
        if let Some(at) = asks.filter(|_| seen.read && ends.read_ready) {
            self.pending[at].asked = true;
        }
        if let Some(front) = self.pending.front_mut() {
            front.fills |= begins && seen.fill && free;
            if let Some(word) = ends.word.filter(|word| fills && seen.word_ready && word.last) {
                (front.fills, front.filled) = (false, Some((word.response, word.address)));
            }
        }
        if seen.write || decision.is_some() {
            let done = self.pending.pop_front();
            self.writing = done.filter(|_| seen.write).or(self.writing);
        }
        if let Some((transfer, head)) = transfer.zip(head).filter(|_| enters) {
            let (asked, fills, filled) = (false, false, None);
            self.pending.push_back(Pending { transfer, index: head.index, asked, fills, filled });
        }
        self.turn = if taken || head.is_none() { 0 } else { self.turn.saturating_add(1) };
        self.commands.step(around.entering, taken);
        if self.turn == 0 {
            self.alone = self.pending.is_empty();
        }
        decision == Some(true)
    }
}

state! {
    MemoryPath(self) {
        in commands = self.commands, (Waiting::pack);
        in decisions = self.decisions, (|&drop| [drop.into()]);
        self => fills_slices;
        in tmu = self.tmu;
    }
}
