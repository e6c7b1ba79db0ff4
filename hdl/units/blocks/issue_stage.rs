//! Issue stage: holds the row that is ready for the array, lets it go when nothing stands in its way, and keeps track of what
//! is on its way in the array.
//!
//! A row waits while it reads, on block RAM, a row that one of the two micro-operations before it will write; while it loads and
//! no row waits at the load port, or an earlier load has not arrived; while it stores and the store port has no room. Everything
//! before it waits too: `advance` = 0. Whether it will wait for micro-operations before it is decided as it comes in: for two cycles
//! if for the one that leaves in that cycle, for one if for the one before.
//!
//! In the cycle before a command's first row issues, the array's latches take the command's start values: C 0 or 1, H and D 0, T 0
//! unless the command keeps it. This overrides what the last row of the command before would leave in them.
//!
//! A token issued in cycle t comes back in cycle t + 2 (`Behavioural`) or t + 4 (`BlockRam`), with the wired-OR of the tags that
//! its row has left.

use super::column_peripheral::COLUMN_CONTROL;
use super::types::RowAddress;
use crate::isa::uop::*;
use crate::isa::word::control::*;
use crate::isa::word::flow::TOKEN_BITS;
use crate::kernel::prelude::*;
use crate::params::{Latch, Memory, Params};

/// The issue stage.
#[derive(LogicBlock, Default)]
pub struct IssueStage {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// The address adder has a row.
    pub row_valid: Signal<In, Bit>,
    /// What the columns do in it.
    pub row_column: Signal<In, Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub row_merge: Signal<In, Bit>,
    /// Multi-row sensing.
    pub row_multi: Signal<In, Bits<2>>,
    /// Its rows.
    pub row_multi_rows: Signal<In, Word<64, 1>>,
    /// Port A reads.
    pub row_a_enable: Signal<In, Bit>,
    /// Row A.
    pub row_a: Signal<In, RowAddress>,
    /// Port B reads.
    pub row_b_enable: Signal<In, Bit>,
    /// Row B.
    pub row_b: Signal<In, RowAddress>,
    /// A row is written.
    pub row_write_enable: Signal<In, Bit>,
    /// Which one.
    pub row_write: Signal<In, RowAddress>,
    /// From the load port.
    pub row_load: Signal<In, Bit>,
    /// To the store port.
    pub row_store: Signal<In, Bit>,
    /// Token.
    pub row_token: Signal<In, Bits<TOKEN_BITS>>,
    /// First row of its command.
    pub row_first: Signal<In, Bit>,
    /// Last row of its command.
    pub row_last: Signal<In, Bit>,
    /// C starts at 1.
    pub row_carry: Signal<In, Bit>,
    /// T keeps its value.
    pub row_keep_tag: Signal<In, Bit>,
    /// A row waits at the load port.
    pub load_ready: Signal<In, Bit>,
    /// The store port has room.
    pub store_ready: Signal<In, Bit>,
    /// Wired-OR of the tags, a cycle late.
    pub tag_any: Signal<In, Bit>,
    /// The pipeline moves.
    pub advance: Signal<Out, Bit>,
    /// Something is in this stage or in the array's pipeline.
    pub occupied: Signal<Out, Bit>,
    /// A row of a micro-program is issued.
    pub issued: Signal<Out, Bit>,
    /// It is the first of its command.
    pub first: Signal<Out, Bit>,
    /// It is the last of its command.
    pub last: Signal<Out, Bit>,
    /// What the columns do.
    pub column: Signal<Out, Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub merge: Signal<Out, Bit>,
    /// Multi-row sensing.
    pub multi: Signal<Out, Bits<2>>,
    /// Its rows.
    pub multi_rows: Signal<Out, Word<64, 1>>,
    /// Port A reads.
    pub a_enable: Signal<Out, Bit>,
    /// Row A.
    pub a_row: Signal<Out, RowAddress>,
    /// Port B reads.
    pub b_enable: Signal<Out, Bit>,
    /// Row B.
    pub b_row: Signal<Out, RowAddress>,
    /// A row is written.
    pub write_enable: Signal<Out, Bit>,
    /// Which one.
    pub write_row: Signal<Out, RowAddress>,
    /// From the load port.
    pub load: Signal<Out, Bit>,
    /// To the store port.
    pub store: Signal<Out, Bit>,
    /// Token that comes back in this cycle, or 0.
    pub return_token: Signal<Out, Bits<TOKEN_BITS>>,
    /// Its wired-OR.
    pub return_any: Signal<Out, Bit>,
    /// There is a row.
    pub ready: Register<Bit>,
    /// Column control.
    pub ready_column: Register<Bits<COLUMN_CONTROL>>,
    /// Merge.
    pub ready_merge: Register<Bit>,
    /// Multi-row sensing.
    pub ready_multi: Register<Bits<2>>,
    /// Its rows.
    pub ready_multi_rows: Register<Word<64, 1>>,
    /// Port A reads.
    pub ready_a_enable: Register<Bit>,
    /// Row A.
    pub ready_a: Register<RowAddress>,
    /// Port B reads.
    pub ready_b_enable: Register<Bit>,
    /// Row B.
    pub ready_b: Register<RowAddress>,
    /// A row is written.
    pub ready_write_enable: Register<Bit>,
    /// Which one.
    pub ready_write: Register<RowAddress>,
    /// From the load port.
    pub ready_load: Register<Bit>,
    /// To the store port.
    pub ready_store: Register<Bit>,
    /// Token.
    pub ready_token: Register<Bits<TOKEN_BITS>>,
    /// First.
    pub ready_first: Register<Bit>,
    /// Last.
    pub ready_last: Register<Bit>,
    /// It waits in this cycle for what is on its way.
    pub blocked: Register<Bit>,
    /// And in the next.
    pub blocked_again: Register<Bit>,
    /// Tokens between issue and the wired-OR, the latest issued first.
    pub tokens: [Register<Bits<TOKEN_BITS>>; 4],
    /// Block RAM: a row was issued one and two cycles ago.
    pub flight: [Register<Bit>; 2],
    /// The row issued a cycle ago writes.
    pub writes: Register<Bit>,
    /// The row that it writes.
    pub written: Register<RowAddress>,
    /// It loads.
    pub loads: Register<Bit>,
    newest: Signal<Local, Bit>,
    older: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    preset: Signal<Local, Bit>,
    control: Signal<Local, Bits<COLUMN_CONTROL>>,
    writing: Signal<Local, Bit>,
    back: Signal<Local, Bits<TOKEN_BITS>>,
    _block_ram: bool,
    _multi: bool,
    _clear: u64,
    _clear_tag: u64,
    _carry_one: u64,
    _carry_zero: u64,
}

impl IssueStage {
    /// The issue stage of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        let field = |lsb: usize, bits: usize| ((1 << bits) - 1) << lsb;
        let carry = field(C_LSB, C_BITS);
        let hold = if params.has(Latch::Hold) { field(H_LSB, H_BITS) } else { 0 };
        let delay = if params.has(Latch::Delay) { field(D_LSB, D_BITS) } else { 0 };
        let all = field(0, COLUMN_CONTROL);
        let zero = |present: u64, code: u64, lsb: usize| if present == 0 { 0 } else { code << lsb };
        let latches = zero(hold, H_ZERO, H_LSB) | zero(delay, D_ZERO, D_LSB);
        IssueStage {
            _block_ram: params.memory == Memory::BlockRam,
            _multi: params.memory == Memory::Behavioural,
            _clear: all & !(carry | hold | delay),
            _clear_tag: all & !field(T_LSB, T_BITS),
            _carry_one: C_LOAD << C_LSB | latches,
            _carry_zero: C_ZERO << C_LSB | latches,
            ..Self::default()
        }
    }
}

impl Logic for IssueStage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ready, ready_column, ready_merge, ready_multi, ready_multi_rows, ready_a_enable);
        dff_setup!(self, clock, ready_a, ready_b_enable, ready_b, ready_write_enable, ready_write, ready_load);
        dff_setup!(
            self,
            clock,
            ready_store,
            ready_token,
            ready_first,
            ready_last,
            blocked,
            blocked_again,
            writes,
            written
        );
        dff_setup!(self, clock, loads);
        for k in 0..4 {
            self.tokens[k].clock.next = self.clock.val();
        }
        for k in 0..2 {
            self.flight[k].clock.next = self.clock.val();
        }
        // Does the row wait?
        self.waits.next = self.blocked.q.val()
            | (self.ready_load.q.val() & !self.load_ready.val())
            | (self.ready_store.q.val() & !self.store_ready.val());
        self.moves.next = !(self.ready.q.val() & self.waits.val());
        self.advance.next = self.moves.val();
        self.issue.next = self.ready.q.val() & !self.waits.val();
        self.issued.next = self.issue.val();
        self.first.next = self.issue.val() & self.ready_first.q.val();
        self.last.next = self.issue.val() & self.ready_last.q.val();
        // What the array gets.
        self.preset.next = self.moves.val() & self.row_valid.val() & self.row_first.val();
        self.control.next = 0.into();
        if self.issue.val() {
            self.control.next = self.ready_column.q.val();
        }
        if self.preset.val() {
            if !self.row_keep_tag.val() {
                self.control.next = (self.control.val() & self._clear_tag) | TAG_ZERO;
            }
            if self.row_carry.val() {
                self.control.next = (self.control.val() & self._clear & NEXT_CLEAR) | self._carry_one | NEXT_IS_ONE;
            } else {
                self.control.next = (self.control.val() & self._clear) | self._carry_zero;
            }
        }
        self.column.next = self.control.val();
        self.merge.next = self.ready_merge.q.val();
        self.multi.next = 0.into();
        self.multi_rows.next = 0.into();
        if self._multi {
            if self.issue.val() {
                self.multi.next = self.ready_multi.q.val();
            }
            self.multi_rows.next = self.ready_multi_rows.q.val();
        }
        self.a_enable.next = self.issue.val() & self.ready_a_enable.q.val();
        self.a_row.next = self.ready_a.q.val();
        self.b_enable.next = self.issue.val() & self.ready_b_enable.q.val();
        self.b_row.next = self.ready_b.q.val();
        self.writing.next = self.issue.val() & self.ready_write_enable.q.val();
        self.write_enable.next = self.writing.val();
        self.write_row.next = self.ready_write.q.val();
        self.load.next = self.issue.val() & self.ready_load.q.val();
        self.store.next = self.issue.val() & self.ready_store.q.val();
        // What is on its way.
        self.tokens[0].d.next = 0.into();
        if self.issue.val() {
            self.tokens[0].d.next = self.ready_token.q.val();
        }
        for k in 1..4 {
            self.tokens[k].d.next = self.tokens[k - 1].q.val();
        }
        self.back.next = self.tokens[1].q.val();
        if self._block_ram {
            self.back.next = self.tokens[3].q.val();
        }
        self.return_token.next = self.back.val();
        self.return_any.next = self.tag_any.val();
        self.flight[0].d.next = self.issue.val();
        self.writes.d.next = self.writing.val();
        self.written.d.next = self.ready_write.q.val();
        self.loads.d.next = self.issue.val() & self.ready_load.q.val();
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
                & ((self.ready_write_enable.q.val()
                    & ((self.row_a_enable.val() & (self.ready_write.q.val() == self.row_a.val()))
                        | (self.row_b_enable.val() & (self.ready_write.q.val() == self.row_b.val()))))
                    | (self.ready_load.q.val() & self.row_load.val()));
            self.older.next = (self.writes.q.val()
                & ((self.row_a_enable.val() & (self.written.q.val() == self.row_a.val()))
                    | (self.row_b_enable.val() & (self.written.q.val() == self.row_b.val()))))
                | (self.loads.q.val() & self.row_load.val());
            self.blocked.d.next = self.blocked_again.q.val();
            self.blocked_again.d.next = false;
            if self.moves.val() {
                self.blocked.d.next = self.row_valid.val() & (self.newest.val() | self.older.val());
                self.blocked_again.d.next = self.row_valid.val() & self.newest.val();
            }
        }
        if self.moves.val() {
            self.ready.d.next = self.row_valid.val();
            self.ready_column.d.next = self.row_column.val();
            self.ready_merge.d.next = self.row_merge.val();
            if self._multi {
                self.ready_multi.d.next = self.row_multi.val();
                self.ready_multi_rows.d.next = self.row_multi_rows.val();
            }
            self.ready_a_enable.d.next = self.row_a_enable.val();
            self.ready_a.d.next = self.row_a.val();
            self.ready_b_enable.d.next = self.row_b_enable.val();
            self.ready_b.d.next = self.row_b.val();
            self.ready_write_enable.d.next = self.row_write_enable.val();
            self.ready_write.d.next = self.row_write.val();
            self.ready_load.d.next = self.row_load.val();
            self.ready_store.d.next = self.row_store.val();
            self.ready_token.d.next = self.row_token.val();
            self.ready_first.d.next = self.row_first.val();
            self.ready_last.d.next = self.row_last.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "issue_stage",
            "Holds the next row until nothing stands in its way; presets latches; follows rows in flight.",
            constants![
                TAG_ZERO, NEXT_CLEAR, NEXT_IS_ONE;
                self._block_ram, self._multi, self._clear, self._clear_tag, self._carry_one, self._carry_zero
            ],
        )
    }
}

/// Clears the tag latch.
const TAG_ZERO: u64 = T_ZERO << T_LSB;
/// Everything but the data input of C and H.
const NEXT_CLEAR: u64 = !(((1 << NEXT_BITS) - 1) << NEXT_LSB) & ((1 << COLUMN_CONTROL) - 1);
/// Constant 1 as data input of C and H.
const NEXT_IS_ONE: u64 = NEXT_ONE << NEXT_LSB;
