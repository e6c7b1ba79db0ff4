//! Dispatch: sends commands from the queue to the compute unit or, if they move data, to the transfer stages.
//!
//! ```text
//!  queue ─▶ head ─┬─▶ load_memory, store_memory: span, range, check ─▶ transfer stages
//!                 └─▶ others: scoreboard ─▶ compute unit
//! ```
//!
//! A transfer's rows are taken in the transfer stages from when it is handed over until it enters the compute unit's
//! own queue. Commands leave this block in order; a command for the compute unit waits here while one of its operands
//! shares a row with such a transfer, and passes it otherwise. While no transfer is pending a command passes in the
//! cycle in which it is offered; else the operands are compared one by one, seven cycles a round.
//!
//! A transfer takes 14 cycles here: ten for the distance between the first and the last element, then its range, then
//! the checks, in this order: width, number of elements, rows, address space (not with streams). What is refused,
//! `load` and `store` with rows from a stream included, is offered as an error until it is taken. Idle after reset.

use crate::array::blocks::command_setup::CommandWord;
use crate::array::blocks::memory::bundles::{PendingSink, TransferSource};
use crate::array::blocks::memory::scoreboard::RowScoreboard;
use crate::array::blocks::memory::types::{Count, MemoryAddress, Stride};
use crate::array::blocks::types::RowAddress;
use crate::array::isa::command::ErrorCode;
use crate::array::isa::transfer::{LOAD_MEMORY, widest};
use crate::array::isa::word::command::*;
use crate::array::params::{MemoryPort, Params};
use crate::kernel::prelude::*;

const IDLE: u64 = 0;
const SCAN: u64 = 1;
const PASS: u64 = 2;
const SPAN: u64 = 3;
const END: u64 = 4;
const RANGE: u64 = 5;
const JUDGE: u64 = 6;
const REFUSE: u64 = 7;
const OFFER: u64 = 8;

/// Steps of a product with the number of elements.
const STEPS: u64 = 9;
/// Steps of a scan: five operands, then the last comparison.
const OPERANDS: u64 = 5;
/// Bits of an opcode without the lowest, which tells loads from stores.
const PAIR_BITS: usize = OPCODE_BITS - 1;
numbers! { KEY_LSB = WIDTH, TRANSFER_CODES = (LOAD_MEMORY >> 1) }
/// Bits above a stride, if it is negative.
const NEGATIVE: u64 = 0xfff0_0000;
numbers! {
    ERROR_OPCODE = ErrorCode::Opcode, ERROR_WIDTH = ErrorCode::Width, ERROR_ROWS = ErrorCode::Rows,
    ERROR_COUNT = ErrorCode::Count, ERROR_ADDRESS = ErrorCode::Address
}

/// Rows from the first to behind the last.
pub type RowEnd = Bits<11>;

hdl_block! {
    /// The dispatch.
    pub MemoryDispatch {
        In clock: Domain; /// Clock and reset.
        In command_valid: Bit; /// A command waits.
        In command: CommandWord; /// The command.
        Out command_taken: Bit; /// It is done with.
        Out unit_valid: Bit; /// It is offered to the compute unit.
        In unit_ready: Bit; /// It is taken if offered.
        Bus first, second: PendingSink; /// Transfers in the two stages.
        Bus transfer: TransferSource; /// Transfers for the first stage.
        Out refused: Bit; /// A command is refused.
        In refused_taken: Bit; /// This is taken note of.
        Out refused_code: Bits<4>; /// Why.
        Out refused_operand: Bits<3>; /// Which operand.
        Out refused_address: MemoryAddress; /// The first element's address, if it is about addresses, else 0.
        Out busy: Bit; /// Something is under way.
    } inside {
        Register state, step: Bits<4>; // What is being done. Which step of it.
        Register conflict: Bit; // An operand shares rows with a pending transfer.
        Pipe doubled: Bits<32>; // Bytes between elements, doubled in each step.
        Pipe multiplier: Count; // Bits of the number of elements less one that are to come.
        Pipe span: Bits<32>; // Bytes from the first element to the last.
        Pipe last: MemoryAddress; // The last element's address.
        Pipe outside: Bit; // The range leaves the address space.
        Pipe low, high: MemoryAddress; // Lowest address. Highest address.
        Register code: Bits<4>; // Why the command is refused.
        Register operand: Bits<3>; // Which operand.
        Child scoreboard: RowScoreboard;
        Local opcode: Bits<OPCODE_BITS>;
        Local width: Bits<7>;
        Local count: Count;
        Local row: RowAddress;
        Local row_end: RowEnd;
        Local store: Bit;
        Local stride: Stride;
        Local size: Bits<2>;
        Local bytes: Bits<4>;
        Local element: Stride;
        Local address: MemoryAddress;
        Local is_transfer, is_row_stream, pending, offers: Bit;
        Local none, wide_span, sum, top: Word<65, 2>;
        Value _columns, _rows, _widest: u64;
        Value _addressed: bool;
    }
}

impl MemoryDispatch {
    /// The dispatch of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        MemoryDispatch {
            scoreboard: RowScoreboard::new(params),
            _columns: params.columns as u64,
            _rows: params.rows as u64,
            _widest: widest(params) as u64,
            _addressed: params.memory_port != MemoryPort::Stream,
            ..Self::default()
        }
    }
}

impl Logic for MemoryDispatch {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, scoreboard);
        dff_setup!(self, clock, state, step, conflict, doubled, multiplier, span, last, outside);
        dff_setup!(self, clock, low, high, code, operand);
        // Fields.
        self.opcode.next = self.command.val().get_bits::<OPCODE_BITS>(OPCODE_LSB);
        self.width.next = self.command.val().get_bits::<7>(WIDTH_N_LSB);
        self.store.next = self.opcode.val().get_bit(0);
        self.row.next = self.command.val().get_bits::<10>(D_LSB);
        if self.store.val() {
            self.row.next = self.command.val().get_bits::<10>(A_LSB);
        }
        self.row_end.next = bit_cast::<11, 10>(self.row.val()) + bit_cast::<11, 7>(self.width.val());
        self.count.next = self.command.val().get_bits::<10>(B_LSB);
        self.address.next = bits_to::<MemoryAddress, CommandWord>(self.command.val() >> KEY_LSB);
        self.size.next = 3.into();
        self.bytes.next = 8.into();
        if self.width.val() <= 8 {
            self.size.next = 0.into();
            self.bytes.next = 1.into();
        } else if self.width.val() <= 16 {
            self.size.next = 1.into();
            self.bytes.next = 2.into();
        } else if self.width.val() <= 32 {
            self.size.next = 2.into();
            self.bytes.next = 4.into();
        }
        self.element.next = bit_cast::<20, 4>(self.bytes.val());
        self.stride.next = bit_cast::<20, 10>(self.command.val().get_bits::<10>(E_LSB))
            | (bit_cast::<20, 10>(self.command.val().get_bits::<10>(S_LSB)) << 10);
        self.transfer.dense.next = false;
        if (self.stride.val() == 0) | (self.stride.val() == self.element.val()) {
            self.stride.next = self.element.val();
            self.transfer.dense.next = true;
        }
        self.is_transfer.next = self.opcode.val().get_bits::<PAIR_BITS>(1) == TRANSFER_CODES;
        self.is_row_stream.next = self.opcode.val().get_bits::<PAIR_BITS>(1) == 0;
        // The scoreboard.
        self.scoreboard.command.next = self.command.val();
        self.scoreboard.step.next = self.step.q.val();
        PendingSink::link(&mut self.first, &mut self.scoreboard.first);
        PendingSink::link(&mut self.second, &mut self.scoreboard.second);
        self.pending.next = self.first.valid.val() | self.second.valid.val();
        // A transfer's range.
        self.none.next = 0.into();
        self.wide_span.next = bits_to::<Word<65, 2>, Bits<32>>(self.span.q.val());
        if self.span.q.val().get_bit(31) {
            self.wide_span.next = bits_to::<Word<65, 2>, Bits<32>>(self.span.q.val()) | (!self.none.val() << 32);
        }
        self.sum.next = bits_to::<Word<65, 2>, MemoryAddress>(self.address.val()) + self.wide_span.val();
        self.top.next = bits_to::<Word<65, 2>, MemoryAddress>(self.last.q.val());
        if self.span.q.val().get_bit(31) {
            self.top.next = bits_to::<Word<65, 2>, MemoryAddress>(self.address.val());
        }
        self.top.next = self.top.val() + bits_to::<Word<65, 2>, Bits<4>>(self.bytes.val() - 1);
        // What is offered.
        self.offers.next = self.command_valid.val()
            & (((self.state.q.val() == IDLE)
                & !self.is_transfer.val()
                & !self.is_row_stream.val()
                & !self.pending.val())
                | (self.state.q.val() == PASS));
        self.unit_valid.next = self.offers.val();
        self.transfer.valid.next = self.state.q.val() == OFFER;
        self.transfer.store.next = self.store.val();
        self.transfer.width.next = self.width.val();
        self.transfer.row.next = self.row.val();
        self.transfer.end.next = self.row_end.val();
        self.transfer.count.next = self.count.val();
        self.transfer.address.next = self.address.val();
        self.transfer.size.next = self.size.val();
        self.transfer.stride.next = self.stride.val();
        self.transfer.low.next = self.low.q.val();
        self.transfer.high.next = self.high.q.val();
        self.refused.next = self.state.q.val() == REFUSE;
        self.refused_code.next = self.code.q.val();
        self.refused_operand.next = self.operand.q.val();
        self.refused_address.next = 0.into();
        if self._addressed {
            if self.code.q.val() == ERROR_ADDRESS {
                self.refused_address.next = self.address.val();
            }
        }
        self.busy.next = self.command_valid.val();
        self.command_taken.next = (self.offers.val() & self.unit_ready.val())
            | ((self.state.q.val() == OFFER) & self.transfer.ready.val())
            | ((self.state.q.val() == REFUSE) & self.refused_taken.val());
        // Steps.
        self.step.d.next = self.step.q.val() + 1;
        if self.state.q.val() == IDLE {
            self.step.d.next = 0.into();
            self.conflict.d.next = false;
            self.span.d.next = 0.into();
            self.multiplier.d.next = self.count.val() - 1;
            self.doubled.d.next = bit_cast::<32, 20>(self.stride.val());
            if self.stride.val().get_bit(19) {
                self.doubled.d.next = bit_cast::<32, 20>(self.stride.val()) | NEGATIVE;
            }
            self.code.d.next = ERROR_OPCODE.into();
            self.operand.d.next = 0.into();
            if self.command_valid.val() {
                if self.is_transfer.val() {
                    self.state.d.next = SPAN.into();
                } else if self.is_row_stream.val() {
                    self.state.d.next = REFUSE.into();
                } else if self.pending.val() {
                    self.state.d.next = SCAN.into();
                }
            }
        } else if self.state.q.val() == SCAN {
            self.conflict.d.next = self.conflict.q.val() | ((self.step.q.val() != 0) & self.scoreboard.shares.val());
            if self.step.q.val() == OPERANDS {
                self.state.d.next = PASS.into();
                if self.conflict.q.val() | self.scoreboard.shares.val() {
                    self.state.d.next = IDLE.into();
                }
            }
        } else if self.state.q.val() == SPAN {
            if self.multiplier.q.val().get_bit(0) {
                self.span.d.next = self.span.q.val() + self.doubled.q.val();
            }
            self.doubled.d.next = self.doubled.q.val() << 1;
            self.multiplier.d.next = self.multiplier.q.val() >> 1;
            if self.step.q.val() == STEPS {
                self.state.d.next = END.into();
            }
        } else if self.state.q.val() == END {
            self.last.d.next = bits_to::<MemoryAddress, Word<65, 2>>(self.sum.val());
            self.outside.d.next = self.sum.val().get_bit(64);
            self.state.d.next = RANGE.into();
        } else if self.state.q.val() == RANGE {
            self.low.d.next = self.address.val();
            if self.span.q.val().get_bit(31) {
                self.low.d.next = self.last.q.val();
            }
            self.high.d.next = bits_to::<MemoryAddress, Word<65, 2>>(self.top.val());
            self.outside.d.next = self.outside.q.val() | self.top.val().get_bit(64);
            self.state.d.next = JUDGE.into();
        } else if self.state.q.val() == JUDGE {
            self.state.d.next = REFUSE.into();
            if (self.width.val() == 0) | (self.width.val() > self._widest) {
                self.code.d.next = ERROR_WIDTH.into();
            } else if (self.count.val() == 0) | (self.count.val() > self._columns) {
                self.code.d.next = ERROR_COUNT.into();
            } else if self.row_end.val() > self._rows {
                self.code.d.next = ERROR_ROWS.into();
                self.operand.d.next = 3.into();
                if self.store.val() {
                    self.operand.d.next = 1.into();
                }
            } else if self._addressed & self.outside.q.val() {
                self.code.d.next = ERROR_ADDRESS.into();
            } else {
                self.state.d.next = OFFER.into();
            }
        } else if self.state.q.val() == REFUSE {
            if self.refused_taken.val() {
                self.state.d.next = IDLE.into();
            }
        } else if self.state.q.val() == OFFER {
            if self.transfer.ready.val() {
                self.state.d.next = IDLE.into();
            }
        } else if self.state.q.val() == PASS {
            if self.unit_ready.val() {
                self.state.d.next = IDLE.into();
            }
        }
    }

    described! {
        "memory_dispatch", "Sends commands to the compute unit or to the transfer stages."; IDLE, SCAN, PASS, SPAN, END,
        RANGE, JUDGE, REFUSE, OFFER, STEPS, OPERANDS, TRANSFER_CODES, ERROR_OPCODE, ERROR_WIDTH, ERROR_ROWS,
        ERROR_COUNT, ERROR_ADDRESS, KEY_LSB, OPCODE_LSB, WIDTH_N_LSB, A_LSB, B_LSB, D_LSB, E_LSB, S_LSB, NEGATIVE;
        _columns, _rows, _widest, _addressed
    }
}
