//! Command setup: takes a command from the queue, checks it and derives the registers that its micro-program starts from, while
//! the command before it still runs.
//!
//! ```text
//!  address ─▶ setup ROM ─▶ setup value (three stages) ─▶ verdict ─▶ base and count registers, start registers,
//!     ▲                                                    │        refusal
//!     └────────────────────── jump ◀───────────────────────┘
//! ```
//!
//! Setup words follow each other every cycle; what a word does is decided in one cycle and done in the next. A jump discards the
//! words behind it, which costs six cycles. A refused command changes nothing but the error outputs, which are valid in one cycle:
//! `refused`, with code and operand.
//!
//! Base and count registers have two banks: the command that runs reads one while this unit writes the other. The last rows of the
//! command before that may still wait in the address generator, with the bank that is to be written: no base register is written
//! until they have left.

use super::loop_counters::FlaggedCount;
use super::setup_value::{SetupValue, SetupWord, VALUE};
use super::types::RowAddress;
use crate::isa::command::ErrorCode;
use crate::isa::word::command::*;
use crate::isa::word::setup::{OPERAND_BITS, TARGET_BITS, TO_BITS};
use crate::isa::word::{COMMAND, SetupKind, Test};
use crate::kernel::prelude::*;
use crate::params::ROW_ADDRESS_BITS;

/// A command without its key.
pub type CommandFields = Word<{ WIDTH }, 2>;
/// A command with its key.
pub type CommandWord = Word<COMMAND, 3>;

const VALUE_SIGN: usize = VALUE - 1;
const JUMP: u64 = SetupKind::Jump as u64;
const STORE_VALUE: u64 = SetupKind::Value as u64;
const EXTENT: u64 = SetupKind::Extent as u64;
const DISJOINT: u64 = SetupKind::Disjoint as u64;
const GUARD: u64 = SetupKind::Guard as u64;
const GUARD_SAME: u64 = SetupKind::GuardSame as u64;
const REQUIRE: u64 = SetupKind::Require as u64;
const START: u64 = SetupKind::Start as u64;
const TEST_ZERO: u64 = Test::Zero as u64;
const TEST_AT_LEAST_ZERO: u64 = Test::AtLeastZero as u64;
const TEST_EVEN: u64 = Test::Even as u64;
const ERROR_WIDTH: u64 = ErrorCode::Width as u64;
const ERROR_ROWS: u64 = ErrorCode::Rows as u64;
const ERROR_OVERLAP: u64 = ErrorCode::Overlap as u64;
const ENTRY_BITS: usize = OPCODE_BITS + SET_BITS;

/// The setup unit.
#[derive(LogicBlock, Default)]
pub struct CommandSetup {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command waits.
    pub command_valid: Signal<In, Bit>,
    /// The command.
    pub command: Signal<In, CommandFields>,
    /// It is taken.
    pub accept: Signal<Out, Bit>,
    /// The flow control takes the start registers.
    pub take: Signal<In, Bit>,
    /// A cycle ago a row on its way to issue still had to read bank 0.
    pub bank_0_used: Signal<In, Bit>,
    /// A cycle ago a row on its way to issue still had to read bank 1.
    pub bank_1_used: Signal<In, Bit>,
    /// A command is being worked on, or its start registers wait.
    pub occupied: Signal<Out, Bit>,
    /// A start register is written.
    pub start_write: Signal<Out, Bit>,
    /// Which one; with `start_complete`, the start flags.
    pub start_to: Signal<Out, Bits<TO_BITS>>,
    /// The value as a count.
    pub start_count: Signal<Out, FlaggedCount>,
    /// The value as a row.
    pub start_row: Signal<Out, RowAddress>,
    /// The value is 0.
    pub start_is_zero: Signal<Out, Bit>,
    /// The count is 2.
    pub start_is_two: Signal<Out, Bit>,
    /// The command is complete, its first row known.
    pub start_complete: Signal<Out, Bit>,
    /// Address of the micro-program's first row.
    pub start_target: Signal<Out, Bits<TARGET_BITS>>,
    /// The start registers have been complete for a cycle.
    pub start_ready: Signal<Out, Bit>,
    /// Width of the command.
    pub start_width: Signal<Out, Bits<7>>,
    /// Bank of base and count registers.
    pub start_bank: Signal<Out, Bit>,
    /// Writes a base register.
    pub base_write: Signal<Out, Bit>,
    /// Bank and number of the base register.
    pub base_address: Signal<Out, Bits<5>>,
    /// Its value.
    pub base_data: Signal<Out, RowAddress>,
    /// Writes a count register.
    pub count_write: Signal<Out, Bit>,
    /// Bank and number of the count register.
    pub count_address: Signal<Out, Bits<4>>,
    /// Its value.
    pub count_data: Signal<Out, FlaggedCount>,
    /// The command is refused.
    pub refused: Signal<Out, Bit>,
    /// Why.
    pub refused_code: Signal<Out, Bits<3>>,
    /// The operand it is about, or 0.
    pub refused_operand: Signal<Out, Bits<3>>,
    /// Setup words.
    pub rom: Rom<SetupWord, Bits<TARGET_BITS>>,
    /// Values of the words.
    pub values: SetupValue,
    /// A command is being worked on.
    pub busy: Register<Bit>,
    /// Its width is illegal.
    pub illegal: Register<Bit>,
    /// Its start registers wait.
    pub ready: Register<Bit>,
    /// They have waited for a cycle, in which the flow control has read its first row.
    pub armed: Register<Bit>,
    /// Bank that is written.
    pub bank: Register<Bit>,
    /// Next setup address.
    pub address: Register<Bits<TARGET_BITS>>,
    /// The ROM's output is a word.
    pub rom_valid: Register<Bit>,
    /// The word jumps.
    pub jump: Register<Bit>,
    /// The word refuses the command.
    pub refuse: Register<Bit>,
    /// Error code.
    pub code: Register<Bits<3>>,
    /// The operand it is about, or 0.
    pub operand: Register<Bits<OPERAND_BITS>>,
    /// The word completes the command.
    pub complete: Register<Bit>,
    /// Where it jumps, or the micro-program's first row.
    pub target: Register<Bits<TARGET_BITS>>,
    /// The word writes a base register.
    pub base: Register<Bit>,
    /// Its number.
    pub base_number: Register<Bits<4>>,
    /// Its value.
    pub base_value: Register<RowAddress>,
    /// The word writes the end of `extent_operand`.
    pub extent: Register<Bit>,
    /// The operand.
    pub extent_operand: Register<Bits<OPERAND_BITS>>,
    /// The word writes a count register.
    pub count: Register<Bit>,
    /// The word writes a start register.
    pub store: Register<Bit>,
    /// Which one.
    pub to: Register<Bits<TO_BITS>>,
    /// Its value.
    pub value: Register<Bits<VALUE>>,
    /// The value as a count is 1.
    pub is_one: Register<Bit>,
    /// The value as a count is 2.
    pub is_two: Register<Bit>,
    /// The value is 0.
    pub is_zero: Register<Bit>,
    accepts: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    jumps: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    apart: Signal<Local, Bit>,
    negative: Signal<Local, Bit>,
    flagged: Signal<Local, FlaggedCount>,
    _rows: u64,
}

impl CommandSetup {
    /// A setup unit with these words, for an array of `rows` rows.
    pub fn new(words: &[u128], rows: usize) -> Self {
        let words = words.iter().map(|&w| SetupWord::from_limbs([w as u64])).collect();
        CommandSetup { rom: Rom::new(words), _rows: rows as u64, ..Self::default() }
    }
}

impl Logic for CommandSetup {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rom, values);
        dff_setup!(self, clock, busy, illegal, ready, armed, bank, address, rom_valid, jump, refuse, code, operand);
        dff_setup!(self, clock, complete, target, base, base_number, base_value, extent, extent_operand, count);
        dff_setup!(self, clock, store, to, value, is_one, is_two, is_zero);
        // A command comes in.
        self.accepts.next = !self.busy.q.val() & !self.ready.q.val();
        self.loads.next = self.accepts.val() & self.command_valid.val();
        self.accept.next = self.loads.val();
        self.occupied.next = self.busy.q.val() | self.ready.q.val();
        self.values.load.next = self.loads.val();
        self.values.load_n.next = self.command.val().get_bits::<7>(WIDTH_N_LSB);
        self.values.load_m.next = self.command.val().get_bits::<7>(SECOND_LSB);
        self.values.load_first[0].next = self.command.val().get_bits::<10>(A_LSB);
        self.values.load_first[1].next = self.command.val().get_bits::<10>(B_LSB);
        self.values.load_first[2].next = self.command.val().get_bits::<10>(D_LSB);
        self.values.load_first[3].next = self.command.val().get_bits::<10>(E_LSB);
        self.values.load_first[4].next = self.command.val().get_bits::<10>(S_LSB);
        // Fetch.
        self.held.next = self.base.q.val() & self.bank_0_used.val();
        if self.bank.q.val() {
            self.held.next = self.base.q.val() & self.bank_1_used.val();
        }
        self.step.next = self.busy.q.val() & !self.held.val();
        self.jumps.next = self.step.val() & self.jump.q.val();
        self.rom.address.next = self.address.q.val();
        self.rom.enable.next = self.step.val();
        self.values.step.next = self.step.val();
        self.values.discard.next = self.jump.q.val();
        self.values.enter.next = self.rom_valid.q.val();
        self.values.enter_word.next = self.rom.data.val();
        // Verdict.
        self.negative.next = self.values.value.val().get_bit(VALUE_SIGN);
        self.holds.next = ((self.values.test.val() == TEST_ZERO) & (self.values.value.val() == 0))
            | ((self.values.test.val() == TEST_AT_LEAST_ZERO) & !self.negative.val())
            | ((self.values.test.val() == TEST_EVEN) & !self.values.value.val().get_bit(0));
        self.same.next = self.values.first_row.val() == self.values.second_row.val();
        self.apart.next = (self.values.first_end.val() <= bit_cast::<11, 10>(self.values.second_row.val()))
            | (self.values.second_end.val() <= bit_cast::<11, 10>(self.values.first_row.val()));
        self.decides.next = self.values.valid.val() & !self.jump.q.val();
        if self.step.val() {
            self.jump.d.next = self.decides.val()
                & ((self.values.kind.val() == JUMP)
                    | ((self.values.kind.val() == GUARD) & !self.holds.val())
                    | ((self.values.kind.val() == GUARD_SAME) & !self.same.val()));
            self.refuse.d.next = self.decides.val()
                & (((self.values.kind.val() == REQUIRE) & !self.holds.val())
                    | ((self.values.kind.val() == EXTENT)
                        & !self.negative.val()
                        & (self.values.value.val() > self._rows))
                    | ((self.values.kind.val() == DISJOINT)
                        & !self.apart.val()
                        & !(self.values.test.val().get_bit(0) & self.same.val())));
            if self.values.kind.val() == EXTENT {
                self.code.d.next = ERROR_ROWS.into();
                self.operand.d.next = self.values.operand.val();
            } else if self.values.kind.val() == DISJOINT {
                self.code.d.next = ERROR_OVERLAP.into();
                self.operand.d.next = self.values.operand.val();
            } else {
                self.code.d.next = self.values.to.val().get_bits::<3>(0);
                self.operand.d.next = 0.into();
            }
            self.complete.d.next = self.decides.val() & (self.values.kind.val() == START);
            self.target.d.next = self.values.target.val();
            self.extent.d.next = self.decides.val() & (self.values.kind.val() == EXTENT);
            self.extent_operand.d.next = self.values.operand.val();
            self.base.d.next = self.decides.val()
                & ((self.values.kind.val() == EXTENT)
                    | ((self.values.kind.val() == STORE_VALUE) & !self.values.to.val().get_bit(4)));
            if self.values.kind.val() == EXTENT {
                self.base_number.d.next = bit_cast::<4, OPERAND_BITS>(self.values.operand.val()) - 1;
                self.base_value.d.next = self.values.first_row.val().get_bits::<ROW_ADDRESS_BITS>(0);
            } else {
                self.base_number.d.next = self.values.to.val().get_bits::<4>(0);
                self.base_value.d.next = self.values.value.val().get_bits::<ROW_ADDRESS_BITS>(0);
            }
            self.count.d.next = self.decides.val()
                & (self.values.kind.val() == STORE_VALUE)
                & self.values.to.val().get_bit(4)
                & !self.values.to.val().get_bit(3);
            self.store.d.next = self.decides.val() & (self.values.kind.val() == STORE_VALUE);
            self.to.d.next = self.values.to.val();
            self.value.d.next = self.values.value.val();
            self.is_one.d.next = self.values.value.val().get_bits::<7>(0) == 1;
            self.is_two.d.next = self.values.value.val().get_bits::<7>(0) == 2;
            self.is_zero.d.next = self.values.value.val() == 0;
            self.address.d.next = self.address.q.val() + 1;
            self.rom_valid.d.next = !self.jump.q.val();
        }
        if self.jumps.val() {
            self.address.d.next = self.target.q.val();
        }
        // It is done.
        self.flagged.next = bit_cast::<8, 7>(self.value.q.val().get_bits::<7>(0));
        if self.is_one.q.val() {
            self.flagged.next = bit_cast::<8, 7>(self.value.q.val().get_bits::<7>(0)) | 128;
        }
        self.values.end_write.next = self.step.val() & self.extent.q.val();
        self.values.end_operand.next = self.extent_operand.q.val();
        self.values.end_value.next = self.value.q.val().get_bits::<11>(0);
        self.base_write.next = self.step.val() & self.base.q.val();
        self.base_address.next = bit_cast::<5, 4>(self.base_number.q.val());
        self.base_data.next = self.base_value.q.val();
        self.count_write.next = self.step.val() & self.count.q.val();
        self.count_address.next = bit_cast::<4, 3>(self.to.q.val().get_bits::<3>(0));
        self.count_data.next = self.flagged.val();
        if self.bank.q.val() {
            self.base_address.next = bit_cast::<5, 4>(self.base_number.q.val()) | 16;
            self.count_address.next = bit_cast::<4, 3>(self.to.q.val().get_bits::<3>(0)) | 8;
        }
        self.start_write.next = self.step.val() & self.store.q.val();
        self.start_to.next = self.to.q.val();
        self.start_count.next = self.flagged.val();
        self.start_row.next = self.value.q.val().get_bits::<ROW_ADDRESS_BITS>(0);
        self.start_is_zero.next = self.is_zero.q.val();
        self.start_is_two.next = self.is_two.q.val();
        self.start_complete.next = self.step.val() & self.complete.q.val();
        self.start_target.next = self.target.q.val();
        self.refused.next = self.illegal.q.val() | (self.step.val() & self.refuse.q.val());
        self.refused_code.next = self.code.q.val();
        self.refused_operand.next = self.operand.q.val();
        if self.illegal.q.val() {
            self.refused_code.next = ERROR_WIDTH.into();
            self.refused_operand.next = 0.into();
        }
        self.illegal.d.next = self.busy.q.val()
            & !self.illegal.q.val()
            & ((self.values.width.val() == 0) | (self.values.width.val() > 64));
        if self.step.val() & self.complete.q.val() {
            self.busy.d.next = false;
            self.ready.d.next = true;
        }
        if self.illegal.q.val() | (self.step.val() & self.refuse.q.val()) {
            self.busy.d.next = false;
        }
        self.armed.d.next = self.ready.q.val();
        if self.take.val() {
            self.ready.d.next = false;
            self.armed.d.next = false;
            self.bank.d.next = !self.bank.q.val();
        }
        if self.loads.val() {
            self.busy.d.next = true;
            self.rom_valid.d.next = false;
            self.jump.d.next = false;
            self.refuse.d.next = false;
            self.complete.d.next = false;
            self.base.d.next = false;
            self.extent.d.next = false;
            self.count.d.next = false;
            self.store.d.next = false;
            self.address.d.next =
                bit_cast::<TARGET_BITS, ENTRY_BITS>(self.command.val().get_bits::<ENTRY_BITS>(OPCODE_LSB));
        }
        self.start_ready.next = self.armed.q.val();
        self.start_width.next = self.values.width.val();
        self.start_bank.next = self.bank.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "command_setup",
            "Checks a command and derives the registers that its micro-program starts from.",
            constants![
                OPCODE_LSB, WIDTH_N_LSB, SECOND_LSB, A_LSB, B_LSB, D_LSB, E_LSB, S_LSB, JUMP, STORE_VALUE, EXTENT, DISJOINT, GUARD, GUARD_SAME, REQUIRE, START,
                TEST_ZERO, TEST_AT_LEAST_ZERO, TEST_EVEN, ERROR_WIDTH, ERROR_ROWS, ERROR_OVERLAP, VALUE_SIGN;
                self._rows
            ],
        )
    }
}
