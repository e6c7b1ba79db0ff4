//! Command setup: takes a command from the queue, checks it and derives the registers that its micro-program starts
//! from, while the command before it still runs.
//!
//! ```text
//!  address ─▶ setup ROM ─▶ setup value (three stages) ─▶ verdict ─▶ base and count registers, start registers,
//!     ▲                                                    │        refusal
//!     └────────────────────── jump ◀───────────────────────┘
//! ```
//!
//! Setup words follow each other every cycle; what a word does is decided in one cycle and done in the next. A jump
//! discards the words behind it, which costs six cycles. A refused command changes nothing but the error outputs, which
//! are valid in one cycle: `refused`, with code and operand.
//!
//! Base and count registers have two banks: the command that runs reads one while this unit writes the other. The last
//! rows of the command before that may still wait in the address generator, with the bank that is to be written: no
//! base register is written until they have left.

use crate::array::blocks::bundles::{RefusalSource, SetupWriteSource};
use crate::array::blocks::loop_counters::FlaggedCount;
use crate::array::blocks::setup_value::{MODE, SetupValue, SetupWord, VALUE};
use crate::array::blocks::types::RowAddress;
use crate::array::isa::command::ErrorCode;
use crate::array::isa::word::command::*;
use crate::array::isa::word::setup::{OPERAND_BITS, TARGET_BITS, TO_BITS};
use crate::array::isa::word::{COMMAND, OPCODES, PAGE, SetupKind, Test, UNKNOWN_ENTRY};
use crate::array::params::ROW_ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::WriteSource;

/// A command without its key.
pub type CommandFields = Word<{ WIDTH }, 2>;
/// A command with its key.
pub type CommandWord = Word<COMMAND, 3>;

const VALUE_SIGN: usize = VALUE - 1;
numbers! {
    AT_SET = KNOWN_BITS, AT_PAGE = PAGE.ilog2(), UNKNOWN = UNKNOWN_ENTRY,
    JUMP = SetupKind::Jump, STORE_VALUE = SetupKind::Value, EXTENT = SetupKind::Extent, DISJOINT = SetupKind::Disjoint,
    GUARD = SetupKind::Guard, GUARD_SAME = SetupKind::GuardSame, REQUIRE = SetupKind::Require, START = SetupKind::Start,
    TEST_ZERO = Test::Zero, TEST_AT_LEAST_ZERO = Test::AtLeastZero, TEST_EVEN = Test::Even,
    ERROR_WIDTH = ErrorCode::Width, ERROR_ROWS = ErrorCode::Rows, ERROR_OVERLAP = ErrorCode::Overlap
}
/// Bits of an opcode that a page of the directory has room for, and those above.
const KNOWN_BITS: usize = OPCODES.ilog2() as usize;
const REST_BITS: usize = OPCODE_BITS - KNOWN_BITS;
const AT_REST: usize = OPCODE_LSB + KNOWN_BITS;
/// The bit that says which page, where there are two, and those above. Where there are three, both bits say it.
const BEYOND_BITS: usize = REST_BITS - 1;
const AT_BEYOND: usize = AT_REST + 1;
const _: () = assert!(REST_BITS == 2);

hdl_block! {
    /// The setup unit.
    pub CommandSetup {
        In clock: Domain; /// Clock and reset.
        In command_valid: Bit; /// A command waits.
        In command: CommandFields; /// The command.
        In mode: Bits<MODE>; /// Low bits of its key.
        Out accept: Bit; /// It is taken.
        In take: Bit; /// The flow control takes the start registers.
        In bank_0_used, bank_1_used: Bit; /// A cycle ago a row on its way to issue still had to read that bank.
        Out occupied: Bit; /// A command is being worked on, or its start registers wait.
        Bus start: SetupWriteSource; /// Writes of start registers.
        Out start_ready: Bit; /// The start registers have been complete for a cycle.
        Out start_width: Bits<7>; /// Width of the command.
        Out start_bank: Bit; /// Bank of base and count registers.
        Bus base__: WriteSource<Bits<5>, RowAddress>; /// Writes of base registers, by bank and number.
        Bus count__: WriteSource<Bits<4>, FlaggedCount>; /// Writes of count registers, by bank and number.
        Bus refusal_: RefusalSource; /// The command is refused.
    } inside {
        Child rom: Rom<SetupWord, Bits<TARGET_BITS>>; // Setup words.
        Child values: SetupValue; // Values of the words.
        Register busy, illegal: Bit; // A command is being worked on. Its width is illegal.
        Register ready: Bit; // Its start registers wait.
        Register armed: Bit; // They have waited for a cycle, in which the flow control has read its first row.
        Register bank: Bit; // Bank that is written.
        Register address: Bits<TARGET_BITS>; // Next setup address.
        Register rom_valid, jump: Bit; // The ROM's output is a word. The word jumps.
        Register refuse: Bit; // The word refuses the command.
        Register code: Bits<3>; // Error code.
        Register operand: Bits<OPERAND_BITS>; // The operand it is about, or 0.
        Register complete: Bit; // The word completes the command.
        Register target: Bits<TARGET_BITS>; // Where it jumps, or the micro-program's first row.
        Register base: Bit; // The word writes a base register.
        Register base_number: Bits<4>; // Its number.
        Register base_value: RowAddress; // Its value.
        Register extent: Bit; // The word writes the end of `extent_operand`.
        Register extent_operand: Bits<OPERAND_BITS>; // The operand.
        Register count, store: Bit; // The word writes a count register. The word writes a start register.
        Register to: Bits<TO_BITS>; // Which one.
        Register value: Bits<VALUE>; // Its value.
        Register is_one, is_two, is_zero: Bit; // The value as a count is 1. The value as a count is 2. The value is 0.
        Local accepts, loads, held, step, jumps, decides, holds, same, apart, negative: Bit;
        Local flagged: FlaggedCount;
        Value _rows: u64;
        Value _two_pages, _three_pages: bool; // The directory has two pages. It has three.
    }
}

impl CommandSetup {
    /// A setup unit with these words, for an array of `rows` rows; the directory has one to three pages.
    pub fn new(words: &[u128], rows: usize, pages: usize) -> Self {
        let words = words.iter().map(|&w| SetupWord::from_limbs([w as u64])).collect();
        let (two, three) = (pages == 2, pages == 3);
        CommandSetup {
            rom: Rom::new(words),
            _rows: rows as u64,
            _two_pages: two,
            _three_pages: three,
            ..Self::default()
        }
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
        self.values.load_mode.next = self.mode.val();
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
        self.base__.write.next = self.step.val() & self.base.q.val();
        self.base__.address.next = bit_cast::<5, 4>(self.base_number.q.val());
        self.base__.data.next = self.base_value.q.val();
        self.count__.write.next = self.step.val() & self.count.q.val();
        self.count__.address.next = bit_cast::<4, 3>(self.to.q.val().get_bits::<3>(0));
        self.count__.data.next = self.flagged.val();
        if self.bank.q.val() {
            self.base__.address.next = bit_cast::<5, 4>(self.base_number.q.val()) | 16;
            self.count__.address.next = bit_cast::<4, 3>(self.to.q.val().get_bits::<3>(0)) | 8;
        }
        self.start.write.next = self.step.val() & self.store.q.val();
        self.start.to.next = self.to.q.val();
        self.start.count.next = self.flagged.val();
        self.start.row.next = self.value.q.val().get_bits::<ROW_ADDRESS_BITS>(0);
        self.start.is_zero.next = self.is_zero.q.val();
        self.start.is_two.next = self.is_two.q.val();
        self.start.complete.next = self.step.val() & self.complete.q.val();
        self.start.target.next = self.target.q.val();
        self.refusal_.refused.next = self.illegal.q.val() | (self.step.val() & self.refuse.q.val());
        self.refusal_.refused_code.next = self.code.q.val();
        self.refusal_.refused_operand.next = self.operand.q.val();
        if self.illegal.q.val() {
            self.refusal_.refused_code.next = ERROR_WIDTH.into();
            self.refusal_.refused_operand.next = 0.into();
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
                bit_cast::<TARGET_BITS, KNOWN_BITS>(self.command.val().get_bits::<KNOWN_BITS>(OPCODE_LSB))
                    | (bit_cast::<TARGET_BITS, SET_BITS>(self.command.val().get_bits::<SET_BITS>(SET_LSB)) << AT_SET);
            if self._three_pages {
                self.address.d.next =
                    bit_cast::<TARGET_BITS, KNOWN_BITS>(self.command.val().get_bits::<KNOWN_BITS>(OPCODE_LSB))
                        | (bit_cast::<TARGET_BITS, SET_BITS>(self.command.val().get_bits::<SET_BITS>(SET_LSB))
                            << AT_SET)
                        | (bit_cast::<TARGET_BITS, REST_BITS>(self.command.val().get_bits::<REST_BITS>(AT_REST))
                            << AT_PAGE);
                if self.command.val().get_bits::<REST_BITS>(AT_REST).all() {
                    self.address.d.next = UNKNOWN.into();
                }
            } else if self._two_pages {
                self.address.d.next =
                    bit_cast::<TARGET_BITS, KNOWN_BITS>(self.command.val().get_bits::<KNOWN_BITS>(OPCODE_LSB))
                        | (bit_cast::<TARGET_BITS, SET_BITS>(self.command.val().get_bits::<SET_BITS>(SET_LSB))
                            << AT_SET)
                        | (bit_cast::<TARGET_BITS, 1>(self.command.val().get_bits::<1>(AT_REST)) << AT_PAGE);
                if self.command.val().get_bits::<BEYOND_BITS>(AT_BEYOND).any() {
                    self.address.d.next = UNKNOWN.into();
                }
            } else if self.command.val().get_bits::<REST_BITS>(AT_REST).any() {
                self.address.d.next = UNKNOWN.into();
            }
        }
        self.start_ready.next = self.armed.q.val();
        self.start_width.next = self.values.width.val();
        self.start_bank.next = self.bank.q.val();
    }

    described! {
        "command_setup", "Checks a command and derives the registers that its micro-program starts \
         from."; OPCODE_LSB, SET_LSB,
        AT_SET, AT_PAGE, AT_REST, AT_BEYOND, UNKNOWN,
        WIDTH_N_LSB, SECOND_LSB, A_LSB, B_LSB, D_LSB, E_LSB, S_LSB, JUMP, STORE_VALUE, EXTENT, DISJOINT, GUARD,
        GUARD_SAME, REQUIRE, START, TEST_ZERO, TEST_AT_LEAST_ZERO, TEST_EVEN, ERROR_WIDTH, ERROR_ROWS, ERROR_OVERLAP,
        VALUE_SIGN; _rows, _two_pages, _three_pages
    }
}
