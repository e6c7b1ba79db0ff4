//! Model of the transfer stages.

use super::burst_generator::stride;
use super::dispatch::{Ranged, RowRange};
use super::reader::Word;
use super::{Elements, FAILED};
use crate::command_log::Recorded;
use bitline_units::array::isa::command::ErrorCode;

/// A transfer in the second stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Second {
    /// The transfer.
    pub ranged: Ranged,
    /// The transpose memory unit fills with it.
    pub fills: bool,
    /// Its error and where, once it is full.
    pub filled: Option<(u8, u64)>,
}

/// What stands around the stages in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The reader starts if asked.
    pub read_ready: bool,
    /// The transpose memory unit starts if told.
    pub fill_ready: bool,
    /// It takes an element if offered.
    pub element_ready: bool,
    /// The compute unit takes a command if offered.
    pub command_ready: bool,
    /// The writer is at work.
    pub write_busy: bool,
    /// Its first error and where.
    pub write_failed: (u8, u64),
    /// The reader's word.
    pub word: Option<Word>,
    /// Rows of loads are in the transpose memory unit.
    pub rows_pending: bool,
    /// Elements have no addresses.
    pub streams: bool,
}

/// What the stages do in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Doings {
    /// The reader is asked.
    pub read: Option<Elements>,
    /// A word is taken if there.
    pub word_ready: bool,
    /// The transpose memory unit is told: to store, width, count.
    pub fill: Option<(bool, u8, u16)>,
    /// A command for rows: store, rows, first row.
    pub command: Option<(bool, u8, u16)>,
    /// A load's rows are decided on: whether they are dropped.
    pub decision: Option<bool>,
    /// The writer starts.
    pub write: Option<Elements>,
    /// An error is offered.
    pub refused: Option<Recorded>,
}

/// The stages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferStages {
    /// First stage, and whether its reader has been asked.
    pub first: Option<(Ranged, bool)>,
    /// Second stage.
    pub second: Option<Second>,
    /// A store that writes: its range and index.
    pub writing: Option<((u64, u64), u32)>,
}

fn rows(ranged: &Ranged) -> RowRange {
    (ranged.transfer.row, ranged.transfer.row + u16::from(ranged.transfer.width))
}

fn error(response: u8, address: u64, index: u32) -> Recorded {
    let code = if response & 1 == 1 { ErrorCode::Decode } else { ErrorCode::Slave };
    Recorded { code: code.code(), operand: 0, index, address }
}

impl TransferStages {
    /// Rows of the transfers in both stages.
    pub fn pending(&self) -> Vec<RowRange> {
        let first = self.first.iter().map(|(ranged, _)| rows(ranged));
        first.chain(self.second.iter().map(|second| rows(&second.ranged))).collect()
    }

    /// A transfer is pending or writes.
    pub fn busy(&self) -> bool {
        self.first.is_some() || self.second.is_some() || self.writing.is_some()
    }

    /// A store has ended with an error.
    fn write_error(&self, around: &Around) -> Option<Recorded> {
        let (_, index) = self.writing.filter(|_| !around.write_busy)?;
        let (response, address) = around.write_failed;
        (response & FAILED != 0).then(|| error(response, address, index))
    }

    /// What happens in this cycle; `noted` says that an error that is offered is taken note of.
    pub fn doings(&self, around: &Around, noted: bool) -> Doings {
        let mut doings = Doings::default();
        let store_waits = self.second.is_some_and(|second| second.ranged.transfer.store);
        if let Some((ranged, false)) = self.first {
            let (low, high) = ranged.range;
            let tile = self.second.is_none() && !around.rows_pending;
            let apart = self.writing.is_none_or(|((from, to), _)| tile && (high < from || to < low)) || around.streams;
            if !ranged.transfer.store && !store_waits && apart {
                doings.read = Some(ranged.elements);
            }
        }
        doings.refused = self.write_error(around);
        let Some(second) = self.second else { return doings };
        let transfer = second.ranged.transfer;
        let fill = Some((transfer.store, transfer.width, transfer.count));
        let command = Some((transfer.store, transfer.width, transfer.row));
        match (transfer.store, second.filled) {
            (true, _) => {
                if around.fill_ready && self.writing.is_none() && around.command_ready {
                    (doings.fill, doings.command) = (fill, command);
                    doings.write = Some(second.ranged.elements);
                }
            }
            (false, None) if second.fills => doings.word_ready = around.element_ready,
            (false, None) => doings.fill = fill,
            (false, Some((response, address))) if response & FAILED != 0 => {
                if doings.refused.is_none() {
                    doings.refused = Some(error(response, address, second.ranged.index));
                    doings.decision = noted.then_some(true);
                }
            }
            (false, Some(_)) => {
                doings.command = command;
                doings.decision = around.command_ready.then_some(false);
            }
        }
        doings
    }

    /// One clock edge, with a transfer that dispatch offers.
    pub fn step(&mut self, offered: Option<Ranged>, around: &Around, noted: bool) {
        let doings = self.doings(around, noted);
        let free = self.second.is_none();
        let (write_error, ended) = (self.write_error(around), !around.write_busy);
        if self.writing.is_some() && ended && (write_error.is_none() || noted) {
            self.writing = None;
        }
        if let Some(second) = &mut self.second {
            let transfer = second.ranged.transfer;
            if let Some(word) = around.word.filter(|word| doings.word_ready && word.last) {
                second.filled = Some((word.response, word.address));
            }
            if !transfer.store && around.fill_ready {
                second.fills = true;
            }
            if doings.write.is_some() {
                self.writing = Some((second.ranged.range, second.ranged.index));
            }
            if doings.write.is_some() || doings.decision.is_some() {
                self.second = None;
            }
        }
        let (taken, moves) = match &mut self.first {
            None => (offered, None),
            Some((ranged, asked)) => {
                let moves = (free && (ranged.transfer.store || *asked)).then_some(*ranged);
                *asked |= doings.read.is_some() && around.read_ready;
                (None, moves)
            }
        };
        if let Some(ranged) = moves {
            self.first = None;
            self.second = Some(Second { ranged, fills: false, filled: None });
        }
        if let Some(ranged) = taken {
            self.first = Some((ranged, false));
        }
    }
}

/// The transfer of a stage, if there is one.
struct Stage(Option<Ranged>);

state! {
    Stage(self) {
        when (let Some(Ranged { transfer, elements, index, .. }) = self.0) {
            transfer => store, width, row, count;
            behind = u64::from(transfer.row) + u64::from(transfer.width);
            size = u64::from(elements.bytes.ilog2());
            stride = stride(elements.stride);
            dense = elements.dense();
            index = index;
        }
    }

    TransferStages(self, streams: bool) {
        let (first, second) = (&self.first, &self.second);
        valid = first.is_some();
        asked = first.map(|first| first.1);
        with Stage(first.map(|first| first.0));
        address = first.map(|first| first.0.transfer.address);
        next_valid = second.is_some();
        fills = second.map(|second| second.fills);
        filled = second.map(|second| second.filled.is_some());
        bus next = Stage(second.map(|second| second.ranged));
        // Once full, the address is that of an error, if there is one.
        next_address = second.and_then(|second| match second.filled {
            None => Some(second.ranged.transfer.address),
            Some((response, address)) => (response != 0).then_some(address),
        });
        response = second.and_then(|second| second.filled).map(|filled| filled.0);
        writing = self.writing.is_some();
        writing_index = self.writing.map(|writing| writing.1);
        if (!streams) {
            low = first.map(|first| first.0.range.0);
            high = first.map(|first| first.0.range.1);
            next_low = second.map(|second| second.ranged.range.0);
            next_high = second.map(|second| second.ranged.range.1);
            writing_low = self.writing.map(|writing| writing.0.0);
            writing_high = self.writing.map(|writing| writing.0.1);
        }
    }
}
