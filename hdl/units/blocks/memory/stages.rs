//! Transfer stages: what becomes of transfers between dispatch and their end.
//!
//! ```text
//!  dispatch ─▶ first stage ──────────▶ second stage ──────────────────────────▶ compute unit: load or store of rows
//!              load: reader starts     load: unit fills a tile, then its rows may go to the array
//!                                      store: unit, writer and rows start ─▶ writing
//! ```
//!
//! Transfers stay in order. A load asks the reader in the first stage, so that its data are on their way while the transfer before fills
//! its tile; but not while a store before it may write to its range, nor while a store writes and no tile is sure to be free: on a bus
//! that serves one side at a time, data that nobody takes would hold up the store that keeps the tile. Streams have no addresses, and
//! neither rule. In the second stage the transpose memory unit fills; with the last element the command for the rows enters the unit's queue
//! (`command`), and `decide` says that they may pass or, after an error, are dropped: then the array's rows stay as they were. A store waits for
//! transpose memory unit, writer and queue, and starts all three in one cycle.
//!
//! Errors of reader and writer are offered until they are taken, the writer's first. Nothing is pending after reset.

use super::dispatch::RowEnd;
use super::types::{Chunk, Count, MemoryAddress, Stride};
use crate::blocks::types::RowAddress;
use crate::isa::command::ErrorCode;
use crate::kernel::prelude::*;
use crate::params::{MemoryPort, Params};

const ERROR_SLAVE: u64 = ErrorCode::Slave as u64;

/// The stages.
#[derive(LogicBlock, Default)]
pub struct TransferStages {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A transfer is offered.
    pub transfer_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub transfer_ready: Signal<Out, Bit>,
    /// From rows to memory.
    pub transfer_store: Signal<In, Bit>,
    /// Bits of an element.
    pub transfer_width: Signal<In, Bits<7>>,
    /// First row.
    pub transfer_row: Signal<In, RowAddress>,
    /// The row behind the last.
    pub transfer_end: Signal<In, RowEnd>,
    /// Elements.
    pub transfer_count: Signal<In, Count>,
    /// Address of the first element.
    pub transfer_address: Signal<In, MemoryAddress>,
    /// log2 of an element's bytes.
    pub transfer_size: Signal<In, Bits<2>>,
    /// Bytes from an element to the next.
    pub transfer_stride: Signal<In, Stride>,
    /// Elements follow each other without a gap.
    pub transfer_dense: Signal<In, Bit>,
    /// Lowest address that it touches.
    pub transfer_low: Signal<In, MemoryAddress>,
    /// Highest address that it touches.
    pub transfer_high: Signal<In, MemoryAddress>,
    /// Its command's index.
    pub transfer_index: Signal<In, Bits<32>>,
    /// A transfer is in the first stage.
    pub first_valid: Signal<Out, Bit>,
    /// Its first row.
    pub first_row: Signal<Out, RowAddress>,
    /// The row behind its last.
    pub first_end: Signal<Out, RowEnd>,
    /// A transfer is in the second stage.
    pub second_valid: Signal<Out, Bit>,
    /// Its first row.
    pub second_row: Signal<Out, RowAddress>,
    /// The row behind its last.
    pub second_end: Signal<Out, RowEnd>,
    /// The reader is asked.
    pub read_valid: Signal<Out, Bit>,
    /// It starts if asked.
    pub read_ready: Signal<In, Bit>,
    /// Address of the first element.
    pub read_address: Signal<Out, MemoryAddress>,
    /// Elements.
    pub read_count: Signal<Out, Count>,
    /// log2 of an element's bytes.
    pub read_size: Signal<Out, Bits<2>>,
    /// Bytes from an element to the next.
    pub read_stride: Signal<Out, Stride>,
    /// Elements follow each other without a gap.
    pub read_dense: Signal<Out, Bit>,
    /// An element is there.
    pub word_valid: Signal<In, Bit>,
    /// It is taken if there.
    pub word_ready: Signal<Out, Bit>,
    /// The element.
    pub word_data: Signal<In, Chunk>,
    /// It is its transfer's last.
    pub word_last: Signal<In, Bit>,
    /// The transfer's first error as a response, 0 for none.
    pub word_response: Signal<In, Bits<2>>,
    /// The element that it concerns.
    pub word_address: Signal<In, MemoryAddress>,
    /// The transpose memory unit is to start.
    pub fill_valid: Signal<Out, Bit>,
    /// It starts if told.
    pub fill_ready: Signal<In, Bit>,
    /// Slices in, elements out.
    pub fill_store: Signal<Out, Bit>,
    /// Bits of an element.
    pub fill_width: Signal<Out, Bits<7>>,
    /// Elements.
    pub fill_count: Signal<Out, Count>,
    /// An element is offered to the transpose memory unit.
    pub element_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub element_ready: Signal<In, Bit>,
    /// The element.
    pub element_data: Signal<Out, Chunk>,
    /// A load or store of rows is offered to the compute unit.
    pub command_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub command_ready: Signal<In, Bit>,
    /// It is a store.
    pub command_store: Signal<Out, Bit>,
    /// Rows.
    pub command_width: Signal<Out, Bits<7>>,
    /// The first one.
    pub command_row: Signal<Out, RowAddress>,
    /// Its command's index.
    pub command_index: Signal<Out, Bits<32>>,
    /// A load's rows are decided on.
    pub decide: Signal<Out, Bit>,
    /// They are dropped.
    pub drop_rows: Signal<Out, Bit>,
    /// Rows of loads are in the transpose memory unit.
    pub rows_pending: Signal<In, Bit>,
    /// The writer starts.
    pub write: Signal<Out, Bit>,
    /// It is at work.
    pub write_busy: Signal<In, Bit>,
    /// Its first error as a response, 0 for none.
    pub write_failed: Signal<In, Bits<2>>,
    /// The address.
    pub write_failed_address: Signal<In, MemoryAddress>,
    /// Address of the first element of the second stage.
    pub write_address: Signal<Out, MemoryAddress>,
    /// Elements.
    pub write_count: Signal<Out, Count>,
    /// log2 of an element's bytes.
    pub write_size: Signal<Out, Bits<2>>,
    /// Bytes from an element to the next.
    pub write_stride: Signal<Out, Stride>,
    /// Elements follow each other without a gap.
    pub write_dense: Signal<Out, Bit>,
    /// A transfer has failed.
    pub refused: Signal<Out, Bit>,
    /// This is taken note of.
    pub refused_taken: Signal<In, Bit>,
    /// Why.
    pub refused_code: Signal<Out, Bits<4>>,
    /// The address.
    pub refused_address: Signal<Out, MemoryAddress>,
    /// Its command's index.
    pub refused_index: Signal<Out, Bits<32>>,
    /// A transfer is pending or writes.
    pub busy: Signal<Out, Bit>,
    /// First stage: a transfer is here.
    pub valid: Register<Bit>,
    /// Its reader has been asked.
    pub asked: Register<Bit>,
    /// It is a store.
    pub store: Pipe<Bit>,
    /// Bits of an element.
    pub width: Pipe<Bits<7>>,
    /// First row.
    pub row: Pipe<RowAddress>,
    /// The row behind the last.
    pub behind: Pipe<RowEnd>,
    /// Elements.
    pub count: Pipe<Count>,
    /// Address.
    pub address: Pipe<MemoryAddress>,
    /// Size.
    pub size: Pipe<Bits<2>>,
    /// Stride.
    pub stride: Pipe<Stride>,
    /// Without a gap.
    pub dense: Pipe<Bit>,
    /// Lowest address.
    pub low: Pipe<MemoryAddress>,
    /// Highest address.
    pub high: Pipe<MemoryAddress>,
    /// Index.
    pub index: Pipe<Bits<32>>,
    /// Second stage: a transfer is here.
    pub next_valid: Register<Bit>,
    /// The transpose memory unit fills with it.
    pub fills: Register<Bit>,
    /// It is full.
    pub filled: Register<Bit>,
    /// It is a store.
    pub next_store: Pipe<Bit>,
    /// Bits of an element.
    pub next_width: Pipe<Bits<7>>,
    /// First row.
    pub next_row: Pipe<RowAddress>,
    /// The row behind the last.
    pub next_behind: Pipe<RowEnd>,
    /// Elements.
    pub next_count: Pipe<Count>,
    /// Address; once full, that of an error.
    pub next_address: Pipe<MemoryAddress>,
    /// Size.
    pub next_size: Pipe<Bits<2>>,
    /// Stride.
    pub next_stride: Pipe<Stride>,
    /// Without a gap.
    pub next_dense: Pipe<Bit>,
    /// Lowest address.
    pub next_low: Pipe<MemoryAddress>,
    /// Highest address.
    pub next_high: Pipe<MemoryAddress>,
    /// Index.
    pub next_index: Pipe<Bits<32>>,
    /// Its error as a response, 0 for none.
    pub response: Pipe<Bits<2>>,
    /// A store writes.
    pub writing: Register<Bit>,
    /// Lowest address that it touches.
    pub writing_low: Pipe<MemoryAddress>,
    /// Highest address that it touches.
    pub writing_high: Pipe<MemoryAddress>,
    /// Its command's index.
    pub writing_index: Pipe<Bits<32>>,
    clear: Signal<Local, Bit>,
    ask: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    read_failed: Signal<Local, Bit>,
    loaded: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    wrote: Signal<Local, Bit>,
    write_report: Signal<Local, Bit>,
    read_report: Signal<Local, Bit>,
    decided: Signal<Local, Bit>,
    _addressed: bool,
}

impl TransferStages {
    /// The stages of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        TransferStages { _addressed: params.memory_port != MemoryPort::Stream, ..Self::default() }
    }
}

impl Logic for TransferStages {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, valid, asked, store, width, row, behind, count, address, size, stride, dense, low, high
        );
        dff_setup!(self, clock, index, next_valid, fills, filled, next_store, next_width, next_row, next_behind);
        dff_setup!(self, clock, next_count, next_address, next_size, next_stride, next_dense, next_low, next_high);
        dff_setup!(self, clock, next_index, response, writing, writing_low, writing_high, writing_index);
        self.first_valid.next = self.valid.q.val();
        self.first_row.next = self.row.q.val();
        self.first_end.next = self.behind.q.val();
        self.second_valid.next = self.next_valid.q.val();
        self.second_row.next = self.next_row.q.val();
        self.second_end.next = self.next_behind.q.val();
        self.busy.next = self.valid.q.val() | self.next_valid.q.val() | self.writing.q.val();
        // First stage. A store in the second stage has not told its range yet.
        self.clear.next = !(self.next_valid.q.val() & self.next_store.q.val());
        if self._addressed {
            if self.writing.q.val() {
                self.clear.next = !self.next_valid.q.val()
                    & !self.rows_pending.val()
                    & ((self.high.q.val() < self.writing_low.q.val()) | (self.writing_high.q.val() < self.low.q.val()));
            }
        }
        self.ask.next = self.valid.q.val() & !self.store.q.val() & !self.asked.q.val() & self.clear.val();
        self.read_valid.next = self.ask.val();
        self.read_address.next = self.address.q.val();
        self.read_count.next = self.count.q.val();
        self.read_size.next = self.size.q.val();
        self.read_stride.next = self.stride.q.val();
        self.read_dense.next = self.dense.q.val();
        if self.ask.val() & self.read_ready.val() {
            self.asked.d.next = true;
        }
        self.moves.next = self.valid.q.val() & (self.store.q.val() | self.asked.q.val()) & !self.next_valid.q.val();
        self.transfer_ready.next = !self.valid.q.val();
        if self.moves.val() {
            self.valid.d.next = false;
            self.next_valid.d.next = true;
            self.fills.d.next = false;
            self.filled.d.next = false;
            self.next_store.d.next = self.store.q.val();
            self.next_width.d.next = self.width.q.val();
            self.next_row.d.next = self.row.q.val();
            self.next_behind.d.next = self.behind.q.val();
            self.next_count.d.next = self.count.q.val();
            self.next_address.d.next = self.address.q.val();
            self.next_size.d.next = self.size.q.val();
            self.next_stride.d.next = self.stride.q.val();
            self.next_dense.d.next = self.dense.q.val();
            self.next_low.d.next = self.low.q.val();
            self.next_high.d.next = self.high.q.val();
            self.next_index.d.next = self.index.q.val();
        }
        if self.transfer_valid.val() & !self.valid.q.val() {
            self.valid.d.next = true;
            self.asked.d.next = false;
            self.store.d.next = self.transfer_store.val();
            self.width.d.next = self.transfer_width.val();
            self.row.d.next = self.transfer_row.val();
            self.behind.d.next = self.transfer_end.val();
            self.count.d.next = self.transfer_count.val();
            self.address.d.next = self.transfer_address.val();
            self.size.d.next = self.transfer_size.val();
            self.stride.d.next = self.transfer_stride.val();
            self.dense.d.next = self.transfer_dense.val();
            self.low.d.next = self.transfer_low.val();
            self.high.d.next = self.transfer_high.val();
            self.index.d.next = self.transfer_index.val();
        }
        // Second stage, load.
        self.loads.next =
            self.next_valid.q.val() & !self.next_store.q.val() & self.fills.q.val() & !self.filled.q.val();
        self.element_valid.next = self.loads.val() & self.word_valid.val();
        self.element_data.next = self.word_data.val();
        self.word_ready.next = self.loads.val() & self.element_ready.val();
        if self.loads.val() & self.word_valid.val() & self.element_ready.val() & self.word_last.val() {
            self.filled.d.next = true;
            self.response.d.next = self.word_response.val();
            self.next_address.d.next = self.word_address.val();
        }
        self.read_failed.next = self.filled.q.val() & self.response.q.val().get_bit(1);
        self.wrote.next = self.writing.q.val() & !self.write_busy.val();
        self.write_report.next = self.wrote.val() & self.write_failed.val().get_bit(1);
        self.read_report.next = self.next_valid.q.val() & self.read_failed.val() & !self.write_report.val();
        self.loaded.next = self.next_valid.q.val() & self.filled.q.val() & !self.read_failed.val();
        // Second stage, store.
        self.stores.next = self.next_valid.q.val()
            & self.next_store.q.val()
            & self.fill_ready.val()
            & !self.writing.q.val()
            & self.command_ready.val();
        self.fill_valid.next =
            self.stores.val() | (self.next_valid.q.val() & !self.next_store.q.val() & !self.fills.q.val());
        self.fill_store.next = self.next_store.q.val();
        self.fill_width.next = self.next_width.q.val();
        self.fill_count.next = self.next_count.q.val();
        if self.next_valid.q.val() & !self.next_store.q.val() & self.fill_ready.val() {
            self.fills.d.next = true;
        }
        self.command_valid.next = self.loaded.val() | self.stores.val();
        self.command_store.next = self.next_store.q.val();
        self.command_width.next = self.next_width.q.val();
        self.command_row.next = self.next_row.q.val();
        self.command_index.next = self.next_index.q.val();
        self.write.next = self.stores.val();
        self.write_address.next = self.next_address.q.val();
        self.write_count.next = self.next_count.q.val();
        self.write_size.next = self.next_size.q.val();
        self.write_stride.next = self.next_stride.q.val();
        self.write_dense.next = self.next_dense.q.val();
        self.decided.next =
            (self.loaded.val() & self.command_ready.val()) | (self.read_report.val() & self.refused_taken.val());
        self.decide.next = self.decided.val();
        self.drop_rows.next = self.read_failed.val();
        if self.stores.val() | self.decided.val() {
            self.next_valid.d.next = false;
            self.filled.d.next = false;
        }
        // Writing.
        if self.stores.val() {
            self.writing.d.next = true;
            self.writing_low.d.next = self.next_low.q.val();
            self.writing_high.d.next = self.next_high.q.val();
            self.writing_index.d.next = self.next_index.q.val();
        } else if self.wrote.val() & (!self.write_report.val() | self.refused_taken.val()) {
            self.writing.d.next = false;
        }
        // Errors.
        self.refused.next = self.write_report.val() | self.read_report.val();
        if self.write_report.val() {
            self.refused_code.next = bit_cast::<4, 1>(self.write_failed.val().get_bits::<1>(0)) + ERROR_SLAVE;
            self.refused_address.next = self.write_failed_address.val();
            self.refused_index.next = self.writing_index.q.val();
        } else {
            self.refused_code.next = bit_cast::<4, 1>(self.response.q.val().get_bits::<1>(0)) + ERROR_SLAVE;
            self.refused_address.next = self.next_address.q.val();
            self.refused_index.next = self.next_index.q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "transfer_stages",
            "Transfers between dispatch and their end.",
            constants![ERROR_SLAVE; self._addressed],
        )
    }
}
