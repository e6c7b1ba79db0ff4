//! Command setup: takes a command from the queue, checks it and derives the registers that its micro-program starts from, while
//! the command before it still runs.
//!
//! ```text
//!  address ─▶ setup ROM ─▶ word ─▶ partial sums ─▶ value ─▶ act: base and count registers, start registers,
//!     ▲                                                     │    refusal
//!     └───────────────────── jump ◀─────────────────────────┘
//! ```
//!
//! Setup words follow each other every cycle; a jump discards the words behind it, which costs five cycles. A refused command
//! changes nothing but the error outputs, which are valid in one cycle: `refused`, with code and operand.
//!
//! Base and count registers have two banks: the command that runs reads one while this unit writes the other. The last rows of the
//! command before that may still wait in the address generator, with the bank that is to be written: no word acts until they have
//! left.

use super::types::RowAddress;
use crate::isa::command::ErrorCode;
use crate::isa::linear::Term;
use crate::isa::word::command::*;
use crate::isa::word::setup::{
    CONSTANT_BITS, CONSTANT_LSB, KIND_BITS, KIND_LSB, N_BITS, N_LSB, OPERAND_BITS, OPERAND_LSB, SHIFT_BITS, SHIFT_LSB,
    TARGET_BITS, TARGET_LSB, TERM_BITS, TERM_LSB, TEST_BITS, TEST_LSB, TO_BITS, TO_LSB, WIDTH as SETUP_WIDTH,
};
use crate::isa::word::{COMMAND, Destination, SetupKind, Test};
use crate::kernel::prelude::*;
use crate::params::ROW_ADDRESS_BITS;

/// A setup word.
pub type SetupWord = Word<{ SETUP_WIDTH }, 1>;
/// A command with its key.
pub type CommandWord = Word<COMMAND, 3>;

/// Bits of a value: two's complement.
const VALUE: usize = 12;
const VALUE_SIGN: usize = VALUE - 1;
const TERM_M: u64 = Term::M as u64;
const TERM_MINUS_M: u64 = Term::MinusM as u64;
const TERM_STAGES: u64 = Term::Stages as u64;
const TERM_EXCESS: u64 = Term::Excess as u64;
const TERM_LOG2: u64 = Term::Log2 as u64;
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
const TO_X: u64 = Destination::X as u64;
const TO_Y: u64 = Destination::Y as u64;
const TO_Z: u64 = Destination::Z as u64;
const TO_I: u64 = Destination::I as u64;
const TO_STRIDE: u64 = Destination::Stride as u64;
const TO_MIN_WIDTH: u64 = Destination::MinWidth as u64;
const TO_STOP: u64 = Destination::Stop as u64;
const TO_KEY_ONES: u64 = Destination::KeyOnes as u64;
const ERROR_WIDTH: u64 = ErrorCode::Width as u64;
const ERROR_ROWS: u64 = ErrorCode::Rows as u64;
const ERROR_OVERLAP: u64 = ErrorCode::Overlap as u64;
const KEY_LSB: u64 = WIDTH as u64;
const ENTRY_BITS: usize = OPCODE_BITS + SET_BITS;

/// The setup unit.
#[derive(LogicBlock, Default)]
pub struct CommandSetup {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command waits.
    pub command_valid: Signal<In, Bit>,
    /// The command.
    pub command: Signal<In, CommandWord>,
    /// It is taken.
    pub accept: Signal<Out, Bit>,
    /// The flow control takes the start registers.
    pub take: Signal<In, Bit>,
    /// A row on its way to issue still reads bank 0.
    pub bank_0_used: Signal<In, Bit>,
    /// A row on its way to issue still reads bank 1.
    pub bank_1_used: Signal<In, Bit>,
    /// A command is being worked on, or its start registers wait.
    pub occupied: Signal<Out, Bit>,
    /// The start registers have been complete for a cycle.
    pub start_ready: Signal<Out, Bit>,
    /// First row of the micro-program.
    pub start_entry: Signal<Out, Bits<TARGET_BITS>>,
    /// X at the start.
    pub start_x: Signal<Out, Bits<7>>,
    /// Y at the start.
    pub start_y: Signal<Out, Bits<7>>,
    /// Z at the start.
    pub start_z: Signal<Out, Bits<7>>,
    /// Stride at the start.
    pub start_stride: Signal<Out, Bits<7>>,
    /// Width of the command.
    pub start_width: Signal<Out, Bits<7>>,
    /// Smallest effective width.
    pub start_min_width: Signal<Out, Bits<7>>,
    /// The command may stop early.
    pub start_stop: Signal<Out, Bit>,
    /// Key.
    pub start_key: Signal<Out, Word<64, 1>>,
    /// I at the start.
    pub start_i: Signal<Out, RowAddress>,
    /// C starts at 1.
    pub start_carry: Signal<Out, Bit>,
    /// T keeps its value.
    pub start_keep_tag: Signal<Out, Bit>,
    /// The key scanner starts at once.
    pub start_scan: Signal<Out, Bit>,
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
    pub count_data: Signal<Out, Bits<7>>,
    /// The command is refused.
    pub refused: Signal<Out, Bit>,
    /// Why.
    pub refused_code: Signal<Out, Bits<3>>,
    /// The operand it is about, or 0.
    pub refused_operand: Signal<Out, Bits<3>>,
    /// Setup words.
    pub rom: Rom<SetupWord, Bits<TARGET_BITS>>,
    /// A command is being worked on.
    pub busy: Register<Bit>,
    /// Its start registers wait.
    pub ready: Register<Bit>,
    /// They have waited for a cycle, in which the flow control has read its first row.
    pub armed: Register<Bit>,
    /// Bank that is written.
    pub bank: Register<Bit>,
    /// Width n.
    pub n: Register<Bits<7>>,
    /// 3n.
    pub triple: Register<Bits<9>>,
    /// ⌈log2 n⌉.
    pub log2: Register<Bits<3>>,
    /// As many ones as the width.
    pub width_rows: Register<Word<64, 1>>,
    /// Second width m.
    pub m: Register<Bits<7>>,
    /// min(m, ⌈log2 n⌉).
    pub stages: Register<Bits<3>>,
    /// First rows of operands 1 to 5.
    pub first: [Register<Bits<10>>; 5],
    /// One past their last rows.
    pub end: [Register<Bits<11>>; 5],
    /// Next setup address.
    pub address: Register<Bits<TARGET_BITS>>,
    /// The ROM's output is a word.
    pub rom_valid: Register<Bit>,
    /// The word register holds one.
    pub word_valid: Register<Bit>,
    /// The word.
    pub word: Register<SetupWord>,
    /// The partial sums are of a word.
    pub sums_valid: Register<Bit>,
    /// The word.
    pub sums_word: Register<SetupWord>,
    /// Operand's first row and constant.
    pub sums_base: Register<Bits<VALUE>>,
    /// Multiple of n and second term.
    pub sums_linear: Register<Bits<VALUE>>,
    /// The value is of a word.
    pub act_valid: Register<Bit>,
    /// The word.
    pub act_word: Register<SetupWord>,
    /// Its value.
    pub act_value: Register<Bits<VALUE>>,
    /// First row of its operand.
    pub act_first: Register<Bits<10>>,
    /// First row of its second operand.
    pub act_second: Register<Bits<10>>,
    /// One past the last row of its operand.
    pub act_end: Register<Bits<11>>,
    /// One past the last row of its second operand.
    pub act_second_end: Register<Bits<11>>,
    /// First row of the micro-program.
    pub entry: Register<Bits<TARGET_BITS>>,
    /// X at the start.
    pub x: Register<Bits<7>>,
    /// Y at the start.
    pub y: Register<Bits<7>>,
    /// Z at the start.
    pub z: Register<Bits<7>>,
    /// I at the start.
    pub i: Register<RowAddress>,
    /// Stride at the start.
    pub stride: Register<Bits<7>>,
    /// Smallest effective width.
    pub min_width: Register<Bits<7>>,
    /// The command may stop early.
    pub stop: Register<Bit>,
    /// Key.
    pub key: Register<Word<64, 1>>,
    /// C starts at 1.
    pub carry: Register<Bit>,
    /// T keeps its value.
    pub keep_tag: Register<Bit>,
    /// The key scanner starts at once.
    pub scan: Register<Bit>,
    accepts: Signal<Local, Bit>,
    legal: Signal<Local, Bit>,
    held: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    operand: Signal<Local, Bits<OPERAND_BITS>>,
    second: Signal<Local, Bits<OPERAND_BITS>>,
    row: Signal<Local, Bits<10>>,
    constant: Signal<Local, Bits<VALUE>>,
    multiple: Signal<Local, Bits<VALUE>>,
    term: Signal<Local, Bits<VALUE>>,
    sum: Signal<Local, Bits<VALUE>>,
    shifted: Signal<Local, Bits<VALUE>>,
    at_first: Signal<Local, Bits<10>>,
    at_second: Signal<Local, Bits<10>>,
    end_first: Signal<Local, Bits<11>>,
    end_second: Signal<Local, Bits<11>>,
    kind: Signal<Local, Bits<KIND_BITS>>,
    to: Signal<Local, Bits<TO_BITS>>,
    test: Signal<Local, Bits<TEST_BITS>>,
    act_operand: Signal<Local, Bits<OPERAND_BITS>>,
    holds: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    apart: Signal<Local, Bit>,
    negative: Signal<Local, Bit>,
    executes: Signal<Local, Bit>,
    jump: Signal<Local, Bit>,
    refuse: Signal<Local, Bit>,
    base: Signal<Local, Bits<4>>,
    small: Signal<Local, Bits<7>>,
    row_value: Signal<Local, RowAddress>,
    to_value: Signal<Local, Bit>,
    none: Signal<Local, Word<64, 1>>,
    zeros: Signal<Local, Word<64, 1>>,
    fill: Signal<Local, Bits<VALUE>>,
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
        clock!(self, clock, rom);
        dff_setup!(self, clock, busy, ready, armed, bank, n, triple, log2, width_rows, m, stages, address);
        dff_setup!(self, clock, rom_valid, word_valid, word, sums_valid, sums_word, sums_base, sums_linear);
        dff_setup!(self, clock, act_valid, act_word, act_value, act_first, act_second, act_end, act_second_end);
        dff_setup!(self, clock, entry, x, y, z, i, stride, min_width, stop, key, carry, keep_tag, scan);
        for k in 0..5 {
            self.first[k].clock.next = self.clock.val();
            self.first[k].d.next = self.first[k].q.val();
            self.end[k].clock.next = self.clock.val();
            self.end[k].d.next = self.end[k].q.val();
        }
        // A command comes in.
        self.accepts.next = !self.busy.q.val() & !self.ready.q.val();
        self.accept.next = self.accepts.val() & self.command_valid.val();
        self.occupied.next = self.busy.q.val() | self.ready.q.val();
        // Quantities that follow from the widths; they are in place long before the first word asks for them.
        self.triple.d.next = bit_cast::<9, 7>(self.n.q.val()) + (bit_cast::<9, 7>(self.n.q.val()) << 1);
        if self.n.q.val() > 32 {
            self.log2.d.next = 6.into();
        } else if self.n.q.val() > 16 {
            self.log2.d.next = 5.into();
        } else if self.n.q.val() > 8 {
            self.log2.d.next = 4.into();
        } else if self.n.q.val() > 4 {
            self.log2.d.next = 3.into();
        } else if self.n.q.val() > 2 {
            self.log2.d.next = 2.into();
        } else if self.n.q.val() > 1 {
            self.log2.d.next = 1.into();
        } else {
            self.log2.d.next = 0.into();
        }
        self.stages.d.next = self.log2.q.val();
        if self.m.q.val() < bit_cast::<7, 3>(self.log2.q.val()) {
            self.stages.d.next = self.m.q.val().get_bits::<3>(0);
        }
        self.none.next = 0.into();
        self.width_rows.d.next = !(!self.none.val() << self.n.q.val());
        // Fetch.
        self.legal.next = (self.n.q.val() != 0) & (self.n.q.val() <= 64);
        self.held.next = self.bank_0_used.val() & self.act_valid.q.val();
        if self.bank.q.val() {
            self.held.next = self.bank_1_used.val() & self.act_valid.q.val();
        }
        self.step.next = self.busy.q.val() & self.legal.val() & !self.held.val();
        self.rom.address.next = self.address.q.val();
        self.rom.enable.next = self.step.val();
        // Partial sums.
        self.operand.next = self.word.q.val().get_bits::<OPERAND_BITS>(OPERAND_LSB);
        self.row.next = 0.into();
        for k in 0..5 {
            if self.operand.val().index() == k + 1 {
                self.row.next = self.first[k].q.val();
            }
        }
        self.constant.next =
            bit_cast::<VALUE, CONSTANT_BITS>(self.word.q.val().get_bits::<CONSTANT_BITS>(CONSTANT_LSB));
        if self.constant.val().get_bit(7) {
            self.constant.next = self.constant.val() | 0xf00;
        }
        if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 0 {
            self.multiple.next = 0.into();
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 1 {
            self.multiple.next = bit_cast::<VALUE, 7>(self.n.q.val());
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 2 {
            self.multiple.next = bit_cast::<VALUE, 7>(self.n.q.val()) << 1;
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 3 {
            self.multiple.next = bit_cast::<VALUE, 9>(self.triple.q.val());
        } else if self.word.q.val().get_bits::<N_BITS>(N_LSB) == 7 {
            self.multiple.next = !bit_cast::<VALUE, 7>(self.n.q.val()) + 1;
        } else {
            self.multiple.next = !(bit_cast::<VALUE, 7>(self.n.q.val()) << 1) + 1;
        }
        if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_M {
            self.term.next = bit_cast::<VALUE, 7>(self.m.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_MINUS_M {
            self.term.next = !bit_cast::<VALUE, 7>(self.m.q.val()) + 1;
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_STAGES {
            self.term.next = bit_cast::<VALUE, 3>(self.stages.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_EXCESS {
            self.term.next = bit_cast::<VALUE, 7>(self.m.q.val()) - bit_cast::<VALUE, 3>(self.stages.q.val());
        } else if self.word.q.val().get_bits::<TERM_BITS>(TERM_LSB) == TERM_LOG2 {
            self.term.next = bit_cast::<VALUE, 3>(self.log2.q.val());
        } else {
            self.term.next = 0.into();
        }
        // Value: the sum, halved up to three times, rounding down.
        self.sum.next = self.sums_base.q.val() + self.sums_linear.q.val();
        self.shifted.next = self.sum.val() >> self.sums_word.q.val().get_bits::<SHIFT_BITS>(SHIFT_LSB);
        self.fill.next = 0xfff.into();
        if self.sum.val().get_bit(VALUE_SIGN) {
            self.shifted.next =
                self.shifted.val() | !(self.fill.val() >> self.sums_word.q.val().get_bits::<SHIFT_BITS>(SHIFT_LSB));
        }
        self.operand.next = self.sums_word.q.val().get_bits::<OPERAND_BITS>(OPERAND_LSB);
        self.second.next = self.sums_word.q.val().get_bits::<OPERAND_BITS>(TO_LSB);
        self.at_first.next = 0.into();
        self.at_second.next = 0.into();
        for k in 0..5 {
            if self.operand.val().index() == k + 1 {
                self.at_first.next = self.first[k].q.val();
            }
            if self.second.val().index() == k + 1 {
                self.at_second.next = self.first[k].q.val();
            }
        }
        // The ends too: the word before this one is never the one that writes them.
        self.end_first.next = 0.into();
        self.end_second.next = 0.into();
        for k in 0..5 {
            if self.operand.val().index() == k + 1 {
                self.end_first.next = self.end[k].q.val();
            }
            if self.second.val().index() == k + 1 {
                self.end_second.next = self.end[k].q.val();
            }
        }
        // Act.
        self.kind.next = self.act_word.q.val().get_bits::<KIND_BITS>(KIND_LSB);
        self.to.next = self.act_word.q.val().get_bits::<TO_BITS>(TO_LSB);
        self.test.next = self.act_word.q.val().get_bits::<TEST_BITS>(TEST_LSB);
        self.act_operand.next = self.act_word.q.val().get_bits::<OPERAND_BITS>(OPERAND_LSB);
        self.negative.next = self.act_value.q.val().get_bit(VALUE_SIGN);
        self.holds.next = ((self.test.val() == TEST_ZERO) & (self.act_value.q.val() == 0))
            | ((self.test.val() == TEST_AT_LEAST_ZERO) & !self.negative.val())
            | ((self.test.val() == TEST_EVEN) & !self.act_value.q.val().get_bit(0));
        self.same.next = self.act_first.q.val() == self.act_second.q.val();
        self.apart.next = (self.act_end.q.val() <= bit_cast::<11, 10>(self.act_second.q.val()))
            | (self.act_second_end.q.val() <= bit_cast::<11, 10>(self.act_first.q.val()));
        self.executes.next = self.step.val() & self.act_valid.q.val();
        self.jump.next = self.executes.val()
            & ((self.kind.val() == JUMP)
                | ((self.kind.val() == GUARD) & !self.holds.val())
                | ((self.kind.val() == GUARD_SAME) & !self.same.val()));
        self.refused_code.next = self.to.val().get_bits::<3>(0);
        self.refused_operand.next = 0.into();
        self.refuse.next = self.executes.val() & (self.kind.val() == REQUIRE) & !self.holds.val();
        if self.executes.val() & (self.kind.val() == EXTENT) {
            self.refused_code.next = ERROR_ROWS.into();
            self.refused_operand.next = self.act_operand.val();
            self.refuse.next = !self.negative.val() & (self.act_value.q.val() > self._rows);
        } else if self.executes.val() & (self.kind.val() == DISJOINT) {
            self.refused_code.next = ERROR_OVERLAP.into();
            self.refused_operand.next = self.act_operand.val();
            self.refuse.next = !self.apart.val() & !(self.test.val().get_bit(0) & self.same.val());
        }
        if self.busy.q.val() & !self.legal.val() {
            self.refused_code.next = ERROR_WIDTH.into();
            self.refused_operand.next = 0.into();
            self.refuse.next = true;
        }
        self.refused.next = self.refuse.val();
        if self.step.val() {
            self.address.d.next = self.address.q.val() + 1;
            self.rom_valid.d.next = !self.jump.val();
            self.word_valid.d.next = self.rom_valid.q.val() & !self.jump.val();
            self.word.d.next = self.rom.data.val();
            self.sums_valid.d.next = self.word_valid.q.val() & !self.jump.val();
            self.sums_word.d.next = self.word.q.val();
            self.sums_base.d.next = bit_cast::<VALUE, 10>(self.row.val()) + self.constant.val();
            self.sums_linear.d.next = self.multiple.val() + self.term.val();
            self.act_valid.d.next = self.sums_valid.q.val() & !self.jump.val();
            self.act_word.d.next = self.sums_word.q.val();
            self.act_value.d.next = self.shifted.val();
            self.act_first.d.next = self.at_first.val();
            self.act_second.d.next = self.at_second.val();
            self.act_end.d.next = self.end_first.val();
            self.act_second_end.d.next = self.end_second.val();
        }
        if self.jump.val() {
            self.address.d.next = self.act_word.q.val().get_bits::<TARGET_BITS>(TARGET_LSB);
        }
        // Values go to their destinations.
        self.small.next = self.act_value.q.val().get_bits::<7>(0);
        self.row_value.next = self.act_value.q.val().get_bits::<ROW_ADDRESS_BITS>(0);
        self.base.next = self.to.val().get_bits::<4>(0);
        self.base_data.next = self.row_value.val();
        self.to_value.next = self.executes.val() & (self.kind.val() == STORE_VALUE);
        self.base_write.next = self.to_value.val() & !self.to.val().get_bit(4);
        for k in 0..5 {
            if self.executes.val() & (self.kind.val() == EXTENT) & (self.act_operand.val().index() == k + 1) {
                self.end[k].d.next = self.act_value.q.val().get_bits::<11>(0);
            }
        }
        if self.executes.val() & (self.kind.val() == EXTENT) {
            self.base.next = bit_cast::<4, OPERAND_BITS>(self.act_operand.val()) - 1;
            self.base_write.next = true;
            self.base_data.next = self.act_first.q.val().get_bits::<ROW_ADDRESS_BITS>(0);
        }
        self.base_address.next = bit_cast::<5, 4>(self.base.val());
        self.count_address.next = bit_cast::<4, 3>(self.to.val().get_bits::<3>(0));
        if self.bank.q.val() {
            self.base_address.next = bit_cast::<5, 4>(self.base.val()) | 16;
            self.count_address.next = bit_cast::<4, 3>(self.to.val().get_bits::<3>(0)) | 8;
        }
        self.count_write.next = self.to_value.val() & self.to.val().get_bit(4) & !self.to.val().get_bit(3);
        self.count_data.next = self.small.val();
        self.zeros.next = !self.none.val() << self.small.val();
        if self.to_value.val() {
            if self.to.val() == TO_X {
                self.x.d.next = self.small.val();
            } else if self.to.val() == TO_Y {
                self.y.d.next = self.small.val();
            } else if self.to.val() == TO_Z {
                self.z.d.next = self.small.val();
            } else if self.to.val() == TO_I {
                self.i.d.next = self.row_value.val();
            } else if self.to.val() == TO_STRIDE {
                self.stride.d.next = self.small.val();
            } else if self.to.val() == TO_MIN_WIDTH {
                self.min_width.d.next = self.small.val();
            } else if self.to.val() == TO_STOP {
                self.stop.d.next = self.act_value.q.val() == 0;
            } else if self.to.val() == TO_KEY_ONES {
                self.key.d.next = !self.zeros.val();
            }
        }
        if self.executes.val() & (self.kind.val() == START) {
            self.entry.d.next = self.act_word.q.val().get_bits::<TARGET_BITS>(TARGET_LSB);
            self.carry.d.next = self.to.val().get_bit(0);
            self.keep_tag.d.next = self.to.val().get_bit(1);
            self.scan.d.next = self.to.val().get_bit(2);
            // Bits beyond the width mean nothing.
            self.key.d.next = self.key.q.val() & self.width_rows.q.val();
            self.busy.d.next = false;
            self.ready.d.next = true;
        }
        if self.refuse.val() {
            self.busy.d.next = false;
        }
        self.armed.d.next = self.ready.q.val();
        if self.take.val() {
            self.ready.d.next = false;
            self.armed.d.next = false;
            self.bank.d.next = !self.bank.q.val();
        }
        if self.accepts.val() & self.command_valid.val() {
            self.busy.d.next = true;
            self.rom_valid.d.next = false;
            self.word_valid.d.next = false;
            self.sums_valid.d.next = false;
            self.act_valid.d.next = false;
            self.address.d.next =
                bit_cast::<TARGET_BITS, ENTRY_BITS>(self.command.val().get_bits::<ENTRY_BITS>(OPCODE_LSB));
            self.n.d.next = self.command.val().get_bits::<7>(WIDTH_N_LSB);
            self.m.d.next = self.command.val().get_bits::<7>(SECOND_LSB);
            self.first[0].d.next = self.command.val().get_bits::<10>(A_LSB);
            self.first[1].d.next = self.command.val().get_bits::<10>(B_LSB);
            self.first[2].d.next = self.command.val().get_bits::<10>(D_LSB);
            self.first[3].d.next = self.command.val().get_bits::<10>(E_LSB);
            self.first[4].d.next = self.command.val().get_bits::<10>(S_LSB);
            self.entry.d.next = 0.into();
            self.x.d.next = 1.into();
            self.y.d.next = 1.into();
            self.z.d.next = 0.into();
            self.i.d.next = 0.into();
            self.stride.d.next = 1.into();
            self.min_width.d.next = 0.into();
            self.stop.d.next = false;
            self.key.d.next = bits_to::<Word<64, 1>, CommandWord>(self.command.val() >> KEY_LSB);
            self.carry.d.next = false;
            self.keep_tag.d.next = false;
            self.scan.d.next = false;
        }
        self.start_ready.next = self.armed.q.val();
        self.start_entry.next = self.entry.q.val();
        self.start_x.next = self.x.q.val();
        self.start_y.next = self.y.q.val();
        self.start_z.next = self.z.q.val();
        self.start_stride.next = self.stride.q.val();
        self.start_width.next = self.n.q.val();
        self.start_min_width.next = self.min_width.q.val();
        self.start_stop.next = self.stop.q.val();
        self.start_key.next = self.key.q.val();
        self.start_i.next = self.i.q.val();
        self.start_carry.next = self.carry.q.val();
        self.start_keep_tag.next = self.keep_tag.q.val();
        self.start_scan.next = self.scan.q.val();
        self.start_bank.next = self.bank.q.val();
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            "command_setup",
            "Checks a command and derives the registers that its micro-program starts from.",
            constants![
                OPCODE_LSB, WIDTH_N_LSB, SECOND_LSB, A_LSB, B_LSB, D_LSB, E_LSB, S_LSB, KEY_LSB, CONSTANT_LSB, KIND_LSB,
                N_LSB, OPERAND_LSB, SHIFT_LSB, TARGET_LSB, TERM_LSB, TEST_LSB, TO_LSB, TERM_M, TERM_MINUS_M,
                TERM_STAGES, TERM_EXCESS, TERM_LOG2, JUMP, STORE_VALUE, EXTENT, DISJOINT, GUARD, GUARD_SAME, REQUIRE,
                START, TEST_ZERO, TEST_AT_LEAST_ZERO, TEST_EVEN, TO_X, TO_Y, TO_Z, TO_I, TO_STRIDE, TO_MIN_WIDTH,
                TO_STOP, TO_KEY_ONES, ERROR_WIDTH, ERROR_ROWS, ERROR_OVERLAP, VALUE_SIGN;
                self._rows
            ],
        )
    }
}
