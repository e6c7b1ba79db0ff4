//! Transfer stages: what becomes of transfers between dispatch and their end.
//!
//! ```text
//!  dispatch ─▶ first stage ──────────▶ second stage ──────────────────────────▶ compute unit: load or store of rows
//!              load: reader starts     load: unit fills a tile, then its rows may go to the array
//!                                      store: unit, writer and rows start ─▶ writing
//! ```
//!
//! Transfers stay in order. A load asks the reader in the first stage, so that its data are on their way while the
//! transfer before fills its tile; but not while a store before it may write to its range, nor while a store writes and
//! no tile is sure to be free: on a bus that serves one side at a time, data that nobody takes would hold up the store
//! that keeps the tile. Streams have no addresses, and neither rule. In the second stage the transpose memory unit
//! fills; with the last element the command for the rows enters the unit's queue (`command`), and `decide` says that
//! they may pass or, after an error, are dropped: then the array's rows stay as they were. A store waits for transpose
//! memory unit, writer and queue, and starts all three in one cycle.
//!
//! Errors of reader and writer are offered until they are taken, the writer's first. Nothing is pending after reset.

use crate::array::blocks::memory::bundles::{
    ElementSink, HeldSource, HeldStage, PendingSource, RunSource, TransferSink, WriterSource,
};
use crate::array::blocks::memory::types::{Chunk, Count, MemoryAddress};
use crate::array::blocks::types::RowAddress;
use crate::array::isa::command::ErrorCode;
use crate::array::params::{MemoryPort, Params};
use crate::kernel::prelude::*;
use crate::parts::bundles::OfferSource;

const ERROR_SLAVE: u64 = ErrorCode::Slave as u64;

hdl_block! {
    /// The stages.
    pub TransferStages {
        In clock: Domain; /// Clock and reset.
        Bus transfer: TransferSink; /// Transfers.
        In transfer_index: Bits<32>; /// Its command's index.
        Bus first, second: PendingSource; /// Transfers in the two stages.
        Out read_valid: Bit; /// The reader is asked.
        In read_ready: Bit; /// It starts if asked.
        Bus read: RunSource; /// What it reads.
        Bus word: ElementSink; /// Elements.
        Out fill_valid: Bit; /// The transpose memory unit is to start.
        In fill_ready: Bit; /// It starts if told.
        Out fill_store: Bit; /// Slices in, elements out.
        Out fill_width: Bits<7>; /// Bits of an element.
        Out fill_count: Count; /// Elements.
        Bus element: OfferSource<Chunk>; /// Elements for the transpose memory unit.
        Out command_valid: Bit; /// A load or store of rows is offered to the compute unit.
        In command_ready: Bit; /// It is taken if offered.
        Out command_store: Bit; /// It is a store.
        Out command_width: Bits<7>; /// Rows.
        Out command_row: RowAddress; /// The first one.
        Out command_index: Bits<32>; /// Its command's index.
        Out decide, drop_rows: Bit; /// A load's rows are decided on. They are dropped.
        In rows_pending: Bit; /// Rows of loads are in the transpose memory unit.
        Bus writer_: WriterSource; /// The writer.
        Bus write__: RunSource; /// What it writes: the transfer in the second stage.
        Out refused: Bit; /// A transfer has failed.
        In refused_taken: Bit; /// This is taken note of.
        Out refused_code: Bits<4>; /// Why.
        Out refused_address: MemoryAddress; /// The address.
        Out refused_index: Bits<32>; /// Its command's index.
        Out busy: Bit; /// A transfer is pending or writes.
    } inside {
        Register valid, asked: Bit; // First stage: a transfer is here. Its reader has been asked.
        Child own_: HeldStage; // That transfer.
        Register next_valid, fills: Bit; // Second stage: a transfer is here. The transpose memory unit fills with it.
        Register filled: Bit; // It is full.
        Child next: HeldStage; // The second stage's transfer.
        Pipe response: Bits<2>; // Its error as a response, 0 for none.
        Register writing: Bit; // A store writes.
        Pipe writing_low, writing_high: MemoryAddress; // Lowest and highest address that it touches.
        Pipe writing_index: Bits<32>; // Its command's index.
        Local clear, ask, moves, loads, read_failed, loaded, stores, wrote, write_report, read_report, decided: Bit;
        Value _addressed: bool;
    }
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
        clock!(self, clock, own_, next);
        dff_setup!(self, clock, valid, asked, next_valid, fills, filled);
        dff_setup!(self, clock, response, writing, writing_low, writing_high, writing_index);
        HeldSource::join(&mut self.own_.q, &mut self.own_.d);
        HeldSource::join(&mut self.next.q, &mut self.next.d);
        self.first.valid.next = self.valid.q.val();
        self.first.row.next = self.own_.q.row.val();
        self.first.end.next = self.own_.q.behind.val();
        self.second.valid.next = self.next_valid.q.val();
        self.second.row.next = self.next.q.row.val();
        self.second.end.next = self.next.q.behind.val();
        self.busy.next = self.valid.q.val() | self.next_valid.q.val() | self.writing.q.val();
        // First stage. A store in the second stage has not told its range yet.
        self.clear.next = !(self.next_valid.q.val() & self.next.q.store.val());
        if self._addressed {
            if self.writing.q.val() {
                self.clear.next = !self.next_valid.q.val()
                    & !self.rows_pending.val()
                    & ((self.own_.q.high.val() < self.writing_low.q.val())
                        | (self.writing_high.q.val() < self.own_.q.low.val()));
            }
        }
        self.ask.next = self.valid.q.val() & !self.own_.q.store.val() & !self.asked.q.val() & self.clear.val();
        self.read_valid.next = self.ask.val();
        self.read.address.next = self.own_.q.address.val();
        self.read.count.next = self.own_.q.count.val();
        self.read.size.next = self.own_.q.size.val();
        self.read.stride.next = self.own_.q.stride.val();
        self.read.dense.next = self.own_.q.dense.val();
        if self.ask.val() & self.read_ready.val() {
            self.asked.d.next = true;
        }
        self.moves.next =
            self.valid.q.val() & (self.own_.q.store.val() | self.asked.q.val()) & !self.next_valid.q.val();
        self.transfer.ready.next = !self.valid.q.val();
        if self.moves.val() {
            self.valid.d.next = false;
            self.next_valid.d.next = true;
            self.fills.d.next = false;
            self.filled.d.next = false;
            HeldSource::join(&mut self.own_.q, &mut self.next.d);
        }
        if self.transfer.valid.val() & !self.valid.q.val() {
            self.valid.d.next = true;
            self.asked.d.next = false;
            self.own_.d.store.next = self.transfer.store.val();
            self.own_.d.width.next = self.transfer.width.val();
            self.own_.d.row.next = self.transfer.row.val();
            self.own_.d.behind.next = self.transfer.end.val();
            self.own_.d.count.next = self.transfer.count.val();
            self.own_.d.address.next = self.transfer.address.val();
            self.own_.d.size.next = self.transfer.size.val();
            self.own_.d.stride.next = self.transfer.stride.val();
            self.own_.d.dense.next = self.transfer.dense.val();
            self.own_.d.low.next = self.transfer.low.val();
            self.own_.d.high.next = self.transfer.high.val();
            self.own_.d.index.next = self.transfer_index.val();
        }
        // Second stage, load.
        self.loads.next =
            self.next_valid.q.val() & !self.next.q.store.val() & self.fills.q.val() & !self.filled.q.val();
        self.element.valid.next = self.loads.val() & self.word.valid.val();
        self.element.data.next = self.word.data.val();
        self.word.ready.next = self.loads.val() & self.element.ready.val();
        if self.loads.val() & self.word.valid.val() & self.element.ready.val() & self.word.last.val() {
            self.filled.d.next = true;
            self.response.d.next = self.word.response.val();
            self.next.d.address.next = self.word.address.val();
        }
        self.read_failed.next = self.filled.q.val() & self.response.q.val().get_bit(1);
        self.wrote.next = self.writing.q.val() & !self.writer_.write_busy.val();
        self.write_report.next = self.wrote.val() & self.writer_.write_failed.val().get_bit(1);
        self.read_report.next = self.next_valid.q.val() & self.read_failed.val() & !self.write_report.val();
        self.loaded.next = self.next_valid.q.val() & self.filled.q.val() & !self.read_failed.val();
        // Second stage, store.
        self.stores.next = self.next_valid.q.val()
            & self.next.q.store.val()
            & self.fill_ready.val()
            & !self.writing.q.val()
            & self.command_ready.val();
        self.fill_valid.next =
            self.stores.val() | (self.next_valid.q.val() & !self.next.q.store.val() & !self.fills.q.val());
        self.fill_store.next = self.next.q.store.val();
        self.fill_width.next = self.next.q.width.val();
        self.fill_count.next = self.next.q.count.val();
        if self.next_valid.q.val() & !self.next.q.store.val() & self.fill_ready.val() {
            self.fills.d.next = true;
        }
        self.command_valid.next = self.loaded.val() | self.stores.val();
        self.command_store.next = self.next.q.store.val();
        self.command_width.next = self.next.q.width.val();
        self.command_row.next = self.next.q.row.val();
        self.command_index.next = self.next.q.index.val();
        self.writer_.write.next = self.stores.val();
        self.write__.address.next = self.next.q.address.val();
        self.write__.count.next = self.next.q.count.val();
        self.write__.size.next = self.next.q.size.val();
        self.write__.stride.next = self.next.q.stride.val();
        self.write__.dense.next = self.next.q.dense.val();
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
            self.writing_low.d.next = self.next.q.low.val();
            self.writing_high.d.next = self.next.q.high.val();
            self.writing_index.d.next = self.next.q.index.val();
        } else if self.wrote.val() & (!self.write_report.val() | self.refused_taken.val()) {
            self.writing.d.next = false;
        }
        // Errors.
        self.refused.next = self.write_report.val() | self.read_report.val();
        if self.write_report.val() {
            self.refused_code.next = bit_cast::<4, 1>(self.writer_.write_failed.val().get_bits::<1>(0)) + ERROR_SLAVE;
            self.refused_address.next = self.writer_.write_failed_address.val();
            self.refused_index.next = self.writing_index.q.val();
        } else {
            self.refused_code.next = bit_cast::<4, 1>(self.response.q.val().get_bits::<1>(0)) + ERROR_SLAVE;
            self.refused_address.next = self.next.q.address.val();
            self.refused_index.next = self.next.q.index.val();
        }
    }

    described! { "transfer_stages", "Transfers between dispatch and their end."; ERROR_SLAVE; _addressed }
}
