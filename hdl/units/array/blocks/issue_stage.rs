//! Issue stage: holds the row that is ready for the array, lets it go when nothing stands in its way, and keeps track
//! of what is on its way in the array.
//!
//! A row waits while it reads, on block RAM, a row that one of the two micro-operations before it will write; while it
//! loads and no row waits at the load port, or an earlier load has not arrived; while it stores and the store port has
//! no room. Everything before it waits too: `advance` = 0. Whether it will wait for micro-operations before it is
//! decided as it comes in: for two cycles if for the one that leaves in that cycle, for one if for the one before.
//!
//! In the cycle before a command's first row issues, the array's latches take the command's start values: C 0 or 1, H
//! and D 0, T 0 unless the command keeps it. This overrides what the last row of the command before would leave in
//! them.
//!
//! A token issued in cycle t comes back in cycle t + 2 (`Behavioural`) or t + 4 (`BlockRam`), with the wired-OR of the
//! tags that its row has left.

use crate::array::blocks::bundles::{MicroOperationSource, ReadyRowSink, ReadyRowSource, ReadyRowStage, ReturnSource};
use crate::array::blocks::column_peripheral::COLUMN_CONTROL;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::uop::*;
use crate::array::isa::word::Field;
use crate::array::isa::word::control::*;
use crate::array::isa::word::flow::TOKEN_BITS;
use crate::array::params::{Memory, Params};
use crate::kernel::prelude::*;

hdl_block! {
    /// The issue stage.
    pub IssueStage {
        In clock: Domain; /// Clock and reset.
        In row_valid: Bit; /// The address adder has a row.
        Bus row: ReadyRowSink; /// The row.
        In row_carry, row_keep_tag: Bit; /// C starts at 1. T keeps its value.
        In load_ready, store_ready: Bit; /// A row waits at the load port. The store port has room.
        In tag_any: Bit; /// Wired-OR of the tags, a cycle late.
        Out advance: Bit; /// The pipeline moves.
        Out occupied: Bit; /// Something is in this stage or in the array's pipeline.
        Out issued: Bit; /// A row of a micro-program is issued.
        Out first, last: Bit; /// It is the first, the last of its command.
        Bus own_: MicroOperationSource; /// What the array does.
        Bus return__: ReturnSource; /// Token that comes back in this cycle.
    } inside {
        Register ready: Bit; // There is a row.
        Child ready__: ReadyRowStage; // The row.
        Register blocked, blocked_again: Bit; // It waits in this cycle for what is on its way. And in the next.
        // Tokens between issue and the wired-OR, the latest issued first.
        Child tokens: [Register<Bits<TOKEN_BITS>>; 4];
        Child flight: [Register<Bit>; 2]; // Block RAM: a row was issued one and two cycles ago.
        Register writes: Bit; // The row issued a cycle ago writes.
        Register written: RowAddress; // The row that it writes.
        Register loads: Bit; // It loads.
        Local newest, older, waits, moves, issue, preset: Bit;
        Local control: Bits<COLUMN_CONTROL>;
        Local writing: Bit;
        Local back: Bits<TOKEN_BITS>;
        Value _block_ram, _multi: bool;
        Value _clear, _clear_tag, _tag_zero, _carry_one, _carry_zero: u64;
    }
}

impl IssueStage {
    /// The issue stage of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        let all = mask(Field { lsb: 0, bits: COLUMN_CONTROL });
        let (bits, clear) = cleared(LATCHES, Start::Clear, |latch| params.has(latch));
        let (kept_bits, kept_clear) = cleared(LATCHES, Start::ClearUnlessKept, |latch| params.has(latch));
        IssueStage {
            _block_ram: params.memory == Memory::BlockRam,
            _multi: params.memory == Memory::Behavioural,
            _clear: all & !(mask(C.field) | bits),
            _clear_tag: all & !kept_bits,
            _tag_zero: kept_clear,
            _carry_one: C_LOAD << C_LSB | clear,
            _carry_zero: C_ZERO << C_LSB | clear,
            ..Self::default()
        }
    }
}

impl Logic for IssueStage {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ready__);
        dff_setup!(self, clock, ready, blocked, blocked_again, writes, written, loads);
        ReadyRowSource::join(&mut self.ready__.q, &mut self.ready__.d);
        for k in 0..4 {
            self.tokens[k].clock.next = self.clock.val();
        }
        for k in 0..2 {
            self.flight[k].clock.next = self.clock.val();
        }
        // Does the row wait?
        self.waits.next = self.blocked.q.val()
            | (self.ready__.q.load.val() & !self.load_ready.val())
            | (self.ready__.q.store.val() & !self.store_ready.val());
        self.moves.next = !(self.ready.q.val() & self.waits.val());
        self.advance.next = self.moves.val();
        self.issue.next = self.ready.q.val() & !self.waits.val();
        self.issued.next = self.issue.val();
        self.first.next = self.issue.val() & self.ready__.q.first.val();
        self.last.next = self.issue.val() & self.ready__.q.last.val();
        // What the array gets.
        self.preset.next = self.moves.val() & self.row_valid.val() & self.row.first.val();
        self.control.next = 0.into();
        if self.issue.val() {
            self.control.next = self.ready__.q.column.val();
        }
        if self.preset.val() {
            if !self.row_keep_tag.val() {
                self.control.next = (self.control.val() & self._clear_tag) | self._tag_zero;
            }
            if self.row_carry.val() {
                self.control.next = (self.control.val() & self._clear & NEXT_CLEAR) | self._carry_one | NEXT_IS_ONE;
            } else {
                self.control.next = (self.control.val() & self._clear) | self._carry_zero;
            }
        }
        self.own_.column.next = self.control.val();
        self.own_.merge.next = self.ready__.q.merge.val();
        self.own_.multi.next = 0.into();
        self.own_.multi_rows.next = 0.into();
        if self._multi {
            if self.issue.val() {
                self.own_.multi.next = self.ready__.q.multi.val();
            }
            self.own_.multi_rows.next = self.ready__.q.multi_rows.val();
        }
        self.own_.a_enable.next = self.issue.val() & self.ready__.q.a_enable.val();
        self.own_.a_row.next = self.ready__.q.a.val();
        self.own_.b_enable.next = self.issue.val() & self.ready__.q.b_enable.val();
        self.own_.b_row.next = self.ready__.q.b.val();
        self.writing.next = self.issue.val() & self.ready__.q.write_enable.val();
        self.own_.write_enable.next = self.writing.val();
        self.own_.write_row.next = self.ready__.q.write.val();
        self.own_.load.next = self.issue.val() & self.ready__.q.load.val();
        self.own_.store.next = self.issue.val() & self.ready__.q.store.val();
        // What is on its way.
        self.tokens[0].d.next = 0.into();
        if self.issue.val() {
            self.tokens[0].d.next = self.ready__.q.token.val();
        }
        for k in 1..4 {
            self.tokens[k].d.next = self.tokens[k - 1].q.val();
        }
        self.back.next = self.tokens[1].q.val();
        if self._block_ram {
            self.back.next = self.tokens[3].q.val();
        }
        self.return__.token.next = self.back.val();
        self.return__.any.next = self.tag_any.val();
        self.flight[0].d.next = self.issue.val();
        self.writes.d.next = self.writing.val();
        self.written.d.next = self.ready__.q.write.val();
        self.loads.d.next = self.issue.val() & self.ready__.q.load.val();
        self.flight[1].d.next = self.flight[0].q.val();
        self.occupied.next = self.ready.q.val();
        if self._block_ram {
            self.occupied.next = self.ready.q.val() | self.flight[0].q.val() | self.flight[1].q.val();
        }
        // Will the row that comes in wait for the one that leaves, or for the one before?
        self.newest.next = false;
        self.older.next = false;
        if self._block_ram {
            self.newest.next = self.ready.q.val()
                & ((self.ready__.q.write_enable.val()
                    & ((self.row.a_enable.val() & (self.ready__.q.write.val() == self.row.a.val()))
                        | (self.row.b_enable.val() & (self.ready__.q.write.val() == self.row.b.val()))))
                    | (self.ready__.q.load.val() & self.row.load.val()));
            self.older.next = (self.writes.q.val()
                & ((self.row.a_enable.val() & (self.written.q.val() == self.row.a.val()))
                    | (self.row.b_enable.val() & (self.written.q.val() == self.row.b.val()))))
                | (self.loads.q.val() & self.row.load.val());
            self.blocked.d.next = self.blocked_again.q.val();
            self.blocked_again.d.next = false;
            if self.moves.val() {
                self.blocked.d.next = self.row_valid.val() & (self.newest.val() | self.older.val());
                self.blocked_again.d.next = self.row_valid.val() & self.newest.val();
            }
        }
        if self.moves.val() {
            self.ready.d.next = self.row_valid.val();
            ReadyRowSink::link(&mut self.row, &mut self.ready__.d);
        }
    }

    described! {
        "issue_stage", "Holds the next row until nothing stands in its way; presets latches; follows rows in flight.";
        NEXT_CLEAR, NEXT_IS_ONE; _block_ram, _multi, _clear, _clear_tag, _tag_zero, _carry_one, _carry_zero
    }
}

/// Everything but the data input of C and H.
const NEXT_CLEAR: u64 = !(((1 << NEXT_BITS) - 1) << NEXT_LSB) & ((1 << COLUMN_CONTROL) - 1);
/// Constant 1 as data input of C and H.
const NEXT_IS_ONE: u64 = NEXT_ONE << NEXT_LSB;
