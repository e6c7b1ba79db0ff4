//! Word shape: what a compute word asks of its array, as the command that the array gets and the rows that are prepared
//! before it and chosen behind it. [`crate::duality::isa::compute`] says the same for the host.
//!
//! Everything is there in the sixth cycle behind the one in which the word has come, `wrong` a cycle later, and stays
//! while the word does.

use crate::array::blocks::command_setup::CommandWord;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::command::ErrorCode;
use crate::array::isa::format::FORMATS;
use crate::array::isa::word::command;
use crate::array::params::Params;
use crate::duality::blocks::bundles::ShapeSource;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::isa::class::{Size, class, words};
use crate::duality::isa::codes::{Predicate, Source};
use crate::duality::isa::field as at;
use crate::duality::params::ACTIVE_ROW;
use crate::duality::passes::PASS_BITS;
use crate::kernel::prelude::*;

/// Cycles until everything is there.
pub const SHAPE_CYCLES: u64 = 6;
/// What is known of an operation.
pub type ClassWord = Word<{ class::WIDTH }, 1>;

numbers! {
    usize: AT_OPCODE = at::OPCODE.lsb, AT_SET = at::SET.lsb, AT_FORMAT = at::FORMAT.lsb, AT_WIDTH = at::WIDTH.lsb,
    AT_WIDTH_A = at::WIDTH_A.lsb, AT_WIDTH_B = at::WIDTH_B.lsb, AT_SIGN_B = at::SIGN_B.lsb, AT_D = at::D.lsb,
    AT_A = at::A.lsb, AT_B = at::B.lsb, AT_S = at::S.lsb, AT_E = at::E.lsb, AT_MODIFIER = at::MODIFIER.lsb,
    AT_SOURCE = at::SOURCE.lsb, AT_PREDICATE = at::PREDICATE.lsb, AT_IMMEDIATE = at::IMMEDIATE.lsb,
    AT_SIGN_A = at::SIGN_A.lsb, FLOAT = class::FLOAT_LSB, MODE = class::MODE_LSB, KEY = class::KEY_LSB,
    ACCUMULATES = class::ACCUMULATES_LSB, SECOND_RESULT = class::SECOND_RESULT_LSB, A_ROWS = class::A_ROWS_LSB,
    B_ROWS = class::B_ROWS_LSB, D_ROWS = class::D_ROWS_LSB, PASS = class::PASS_LSB
}
numbers! {
    ONE = Size::One, ALL_WIDTH = Size::Width, TWICE = Size::Twice, MORE = Size::More, LOG2 = Size::Log2,
    SECOND = Size::Second, EIGHT = Size::Eight, SIXTEEN = Size::Sixteen, THIRTY_TWO = Size::ThirtyTwo,
    SIXTY_FOUR = Size::SixtyFour, BY_ROW = Source::Row, BY_IMMEDIATE = Source::Immediate,
    ERROR_ROWS = ErrorCode::Rows, ERROR_OVERLAP = ErrorCode::Overlap, ALL = Predicate::All,
    ACTIVE = Predicate::Active, ACTIVE_AT = ACTIVE_ROW, TO_SET = command::SET_LSB,
    TO_WIDTH = command::WIDTH_N_LSB, TO_SECOND = command::SECOND_LSB, TO_A = command::A_LSB, TO_B = command::B_LSB,
    TO_D = command::D_LSB, TO_E = command::E_LSB, TO_S = command::S_LSB, TO_KEY = command::WIDTH
}

hdl_block! {
    /// The shape of a compute word.
    pub DualityWordShape {
        In clock: Domain; /// Clock and reset.
        In there: Bit; /// There is a word.
        In word: ProgramWord; /// The word.
        In scalar: Bits<32>; /// What the scalar register holds that it names.
        Out command: CommandWord; /// The command.
        Bus own_: ShapeSource; /// What else is to be done.
    } inside {
        Child classes: AsyncRom<ClassWord, Bits<7>>; // What is known of operations.
        Child formats: AsyncRom<Word<14, 1>, Bits<3>>; // Widths n and m of formats.
        // First: how many rows the operands have.
        Register width, second, n: Bits<7>; // Bits of the operation; widths of the command.
        Register all_a, all_b, all_d: Bits<8>; // Rows that the operation takes and gives.
        Register given_a, given_b: Bits<8>; // Rows that the word names.
        Register zeros: Bits<8>; // Rows by which a is shifted.
        Register minus: Bit; // The value has a sign, and it is 1.
        Register below: Word<64, 1>; // Ones from the value's bits up.
        // Second: what has to be prepared and chosen.
        Register takes_a, takes_b, takes_d: Bit;
        Register copied_a, rest_a, rest_b: Bits<8>;
        Register area_a, area_b, area_d, area_e: RowAddress;
        Register key: Word<64, 1>; // The command's key.
        // Third to fifth: where it goes.
        Register at_b, area_of_both: RowAddress;
        Register at_d, at_e: RowAddress;
        Register at_s: RowAddress;
        Local kind: ClassWord;
        Local float, mode, has_a, has_b: Bit;
        Local bits: Bits<7>;
        Local log2: Bits<8>;
        Local seconds: Bits<7>;
        Local wide, twice: Bits<8>;
        Local predicate, source: Bits<2>;
        Local direct: Bits<PASS_BITS>;
        Local given: Bits<32>;
        Local ones: Word<64, 1>;
        // Sixth: whether the rows of an operation that is a pass are there, and apart or the same.
        Register wrong: Bits<3>; // Else why not.
        Local operand_a, operand_b, operand_d, operand_e: RowAddress;
        Local extends: Bit;
        Local end_a, end_d, apart, reach, rows_a, rows_n, rows_d: Bits<11>;
        Value _rows: u64;
        Local unused_kind: Bits<10>;
    }
}

impl DualityWordShape {
    /// For words whose arrays are these.
    pub fn new(params: &Params) -> Self {
        let widths = FORMATS.map(|format| Word::from(u64::from(format.n()) | u64::from(format.m()) << 7));
        DualityWordShape {
            classes: AsyncRom::new(words(params).into_iter().map(ClassWord::from).collect()),
            formats: AsyncRom::new([Word::from(0)].into_iter().chain(widths).collect()),
            _rows: params.rows as u64,
            ..Self::default()
        }
    }
}

impl Logic for DualityWordShape {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, width, second, n, all_a, all_b, all_d, given_a, given_b, zeros, minus, below);
        dff_setup!(self, clock, takes_a, takes_b, takes_d, copied_a, rest_a, rest_b, area_a, area_b, area_d, area_e);
        dff_setup!(self, clock, key, at_b, area_of_both, at_d, at_e, at_s, wrong);
        self.ones.next = 0.into();
        // What the window looks at itself.
        self.unused_kind.next = self.word.val().get_bits::<10>(0);
        // The word is in a register: yosys would read tables for the next word instead, before it is in there.
        self.classes.address.next = 0.into();
        self.formats.address.next = 0.into();
        if self.there.val() {
            self.classes.address.next = self.word.val().get_bits::<7>(AT_OPCODE);
            self.formats.address.next = self.word.val().get_bits::<3>(AT_FORMAT);
        }
        self.kind.next = self.classes.data.val();
        self.float.next = self.kind.val().get_bit(FLOAT);
        self.mode.next = self.kind.val().get_bit(MODE);
        self.predicate.next = self.word.val().get_bits::<2>(AT_PREDICATE);
        self.source.next = self.word.val().get_bits::<2>(AT_SOURCE);
        self.direct.next = 0.into();
        if self.source.val() != BY_ROW {
            self.direct.next = self.kind.val().get_bits::<PASS_BITS>(PASS);
        }
        self.own_.direct.next = self.direct.val();
        // First.
        self.bits.next = bit_cast::<7, 6>(self.word.val().get_bits::<6>(AT_WIDTH)) + 1;
        self.seconds.next = 0.into();
        self.n.d.next = self.bits.val();
        if self.float.val() {
            self.n.d.next = self.formats.data.val().get_bits::<7>(0);
            self.seconds.next = self.formats.data.val().get_bits::<7>(7);
        } else if self.kind.val().get_bit(ACCUMULATES) {
            self.seconds.next = self.word.val().get_bits::<7>(AT_IMMEDIATE);
        } else if self.kind.val().get_bits::<4>(B_ROWS) == SECOND {
            self.seconds.next = bit_cast::<7, 6>(self.word.val().get_bits::<6>(AT_WIDTH_B)) + 1;
        }
        self.width.d.next = self.bits.val();
        self.second.d.next = self.seconds.val();
        if self.bits.val() > 32 {
            self.log2.next = 6.into();
        } else if self.bits.val() > 16 {
            self.log2.next = 5.into();
        } else if self.bits.val() > 8 {
            self.log2.next = 4.into();
        } else if self.bits.val() > 4 {
            self.log2.next = 3.into();
        } else if self.bits.val() > 2 {
            self.log2.next = 2.into();
        } else if self.bits.val() > 1 {
            self.log2.next = 1.into();
        } else {
            self.log2.next = 0.into();
        }
        self.wide.next = bit_cast::<8, 7>(self.bits.val());
        self.twice.next = self.wide.val() << 1;
        self.all_a.d.next = self.wide.val();
        if self.kind.val().get_bits::<4>(A_ROWS) == ONE {
            self.all_a.d.next = 1.into();
        } else if self.kind.val().get_bits::<4>(A_ROWS) == EIGHT {
            self.all_a.d.next = 8.into();
        } else if self.kind.val().get_bits::<4>(A_ROWS) == SIXTEEN {
            self.all_a.d.next = 16.into();
        } else if self.kind.val().get_bits::<4>(A_ROWS) == THIRTY_TWO {
            self.all_a.d.next = 32.into();
        } else if self.kind.val().get_bits::<4>(A_ROWS) == SIXTY_FOUR {
            self.all_a.d.next = 64.into();
        }
        self.all_b.d.next = self.wide.val();
        if self.kind.val().get_bits::<4>(B_ROWS) == SECOND {
            self.all_b.d.next = bit_cast::<8, 7>(self.seconds.val());
        }
        self.all_d.d.next = 10.into();
        if self.kind.val().get_bits::<4>(D_ROWS) == ONE {
            self.all_d.d.next = 1.into();
        } else if self.kind.val().get_bits::<4>(D_ROWS) == ALL_WIDTH {
            self.all_d.d.next = self.wide.val();
        } else if self.kind.val().get_bits::<4>(D_ROWS) == TWICE {
            self.all_d.d.next = self.twice.val();
        } else if self.kind.val().get_bits::<4>(D_ROWS) == MORE {
            self.all_d.d.next = self.wide.val() + 1;
        } else if self.kind.val().get_bits::<4>(D_ROWS) == LOG2 {
            self.all_d.d.next = self.log2.val() + 1;
        } else if self.kind.val().get_bits::<4>(D_ROWS) == SECOND {
            self.all_d.d.next = bit_cast::<8, 7>(self.seconds.val());
        } else if self.kind.val().get_bits::<4>(D_ROWS) == EIGHT {
            self.all_d.d.next = 8.into();
        } else if self.kind.val().get_bits::<4>(D_ROWS) == SIXTEEN {
            self.all_d.d.next = 16.into();
        } else if self.kind.val().get_bits::<4>(D_ROWS) == THIRTY_TWO {
            self.all_d.d.next = 32.into();
        } else if self.kind.val().get_bits::<4>(D_ROWS) == SIXTY_FOUR {
            self.all_d.d.next = 64.into();
        }
        self.given_a.d.next = bit_cast::<8, 6>(self.word.val().get_bits::<6>(AT_WIDTH_A)) + 1;
        self.given_b.d.next = bit_cast::<8, 6>(self.word.val().get_bits::<6>(AT_WIDTH_B)) + 1;
        self.zeros.d.next = 0.into();
        if !self.mode.val() {
            self.zeros.d.next = bit_cast::<8, 5>(self.word.val().get_bits::<5>(AT_MODIFIER));
        }
        self.given.next = self.scalar.val();
        if self.source.val() == BY_IMMEDIATE {
            self.given.next = self.word.val().get_bits::<32>(AT_IMMEDIATE);
        }
        self.own_.value.next = self.given.val();
        self.minus.d.next = self.word.val().get_bit(AT_SIGN_B)
            & (self.given.val() >> self.word.val().get_bits::<6>(AT_WIDTH_B)).get_bit(0);
        self.below.d.next = (!self.ones.val() << self.word.val().get_bits::<6>(AT_WIDTH_B)) << 1;
        // Second. A key ends with the width; a value of 32 bits has no more.
        self.has_a.next = self.kind.val().get_bits::<4>(A_ROWS) != 0;
        self.has_b.next = self.kind.val().get_bits::<4>(B_ROWS) != 0;
        // A pass reads zeros above the rows of a that are there.
        self.extends.next = (self.given_a.q.val() != self.all_a.q.val())
            & ((self.direct.val() == 0) | self.word.val().get_bit(AT_SIGN_A));
        self.takes_a.d.next = self.has_a.val() & (self.extends.val() | (self.zeros.q.val() != 0));
        self.copied_a.d.next = self.given_a.q.val();
        self.rest_a.d.next = self.all_a.q.val() - self.zeros.q.val() - self.given_a.q.val();
        if self.given_a.q.val() > (self.all_a.q.val() - self.zeros.q.val()) {
            self.copied_a.d.next = self.all_a.q.val() - self.zeros.q.val();
            self.rest_a.d.next = 0.into();
        }
        self.takes_b.d.next = self.has_b.val()
            & (self.direct.val() == 0)
            & ((self.source.val() != BY_ROW) | (self.given_b.q.val() != self.all_b.q.val()));
        self.rest_b.d.next = self.all_b.q.val() - self.given_b.q.val();
        self.takes_d.d.next = self.predicate.val() != ALL;
        self.area_a.d.next = 0.into();
        self.area_b.d.next = 0.into();
        self.area_d.d.next = 0.into();
        self.area_e.d.next = 0.into();
        if self.takes_a.q.val() {
            self.area_a.d.next = bit_cast::<10, 8>(self.all_a.q.val());
        }
        if self.takes_b.q.val() {
            self.area_b.d.next = bit_cast::<10, 8>(self.all_b.q.val());
        }
        if self.takes_d.q.val() {
            self.area_d.d.next = bit_cast::<10, 8>(self.all_d.q.val());
            if self.kind.val().get_bit(SECOND_RESULT) {
                self.area_e.d.next = bit_cast::<10, 8>(self.all_d.q.val());
            }
        }
        self.key.d.next = 0.into();
        if self.kind.val().get_bit(KEY) | (self.direct.val() != 0) {
            self.key.d.next = bits_to::<Word<64, 1>, Bits<32>>(self.given.val()) & !self.below.q.val();
            if self.minus.q.val() {
                self.key.d.next = (bits_to::<Word<64, 1>, Bits<32>>(self.given.val()) | self.below.q.val())
                    & !(!self.ones.val() << self.width.q.val());
            }
        } else if self.mode.val() {
            self.key.d.next = bits_to::<Word<64, 1>, Bits<5>>(self.word.val().get_bits::<5>(AT_MODIFIER));
        }
        // Third to sixth.
        self.at_b.d.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_S)) + self.area_a.q.val();
        self.area_of_both.d.next = self.area_b.q.val() + self.area_d.q.val();
        self.at_d.d.next = self.at_b.q.val() + self.area_b.q.val();
        self.at_e.d.next = self.at_b.q.val() + self.area_of_both.q.val();
        self.at_s.d.next = self.at_e.q.val() + self.area_e.q.val();
        // What is asked.
        self.own_.prepares_a.next = self.takes_a.q.val();
        self.own_.prepares_b.next = self.takes_b.q.val();
        self.own_.chooses.next = self.takes_d.q.val();
        self.own_.zeros_a.next = self.zeros.q.val();
        self.own_.own_a.next = self.copied_a.q.val();
        self.own_.more_a.next = self.rest_a.q.val();
        self.own_.own_b.next = self.given_b.q.val();
        self.own_.more_b.next = self.rest_b.q.val();
        self.own_.rows_d.next = self.all_d.q.val();
        self.own_.rows_e.next = self.area_e.q.val().get_bits::<8>(0);
        self.own_.place_a.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_S));
        self.own_.place_b.next = self.at_b.q.val();
        self.own_.place_d.next = self.at_d.q.val();
        self.own_.place_e.next = self.at_e.q.val();
        self.own_.negative.next = self.minus.q.val();
        self.own_.by_row.next = self.source.val() == BY_ROW;
        self.own_.key.next = self.key.q.val();
        self.own_.operand_a.next = self.operand_a.val();
        self.own_.operand_d.next = self.operand_d.val();
        self.own_.chooser.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_E));
        if self.predicate.val() == ACTIVE {
            self.own_.chooser.next = ACTIVE_AT.into();
        }
        self.operand_a.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_A));
        if self.takes_a.q.val() {
            self.operand_a.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_S));
        }
        self.operand_b.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_B));
        if self.takes_b.q.val() {
            self.operand_b.next = self.at_b.q.val();
        }
        self.operand_d.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_D));
        self.operand_e.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_E));
        if self.takes_d.q.val() {
            self.operand_d.next = self.at_d.q.val();
            if self.kind.val().get_bit(SECOND_RESULT) {
                self.operand_e.next = self.at_e.q.val();
            }
        }
        self.rows_n.next = bit_cast::<11, 7>(self.width.q.val());
        self.rows_d.next = bit_cast::<11, 8>(self.all_d.q.val());
        self.rows_a.next = self.rows_n.val();
        if !self.takes_a.q.val() {
            self.rows_a.next = bit_cast::<11, 8>(self.given_a.q.val());
        }
        self.end_a.next = bit_cast::<11, 10>(self.operand_a.val()) + self.rows_a.val();
        self.end_d.next = bit_cast::<11, 10>(self.operand_d.val()) + self.rows_d.val();
        self.apart.next = bit_cast::<11, 10>(self.operand_a.val()) - bit_cast::<11, 10>(self.operand_d.val());
        self.reach.next = self.rows_n.val();
        if self.operand_d.val() > self.operand_a.val() {
            self.reach.next = self.rows_a.val();
            self.apart.next = bit_cast::<11, 10>(self.operand_d.val()) - bit_cast::<11, 10>(self.operand_a.val());
        }
        self.wrong.d.next = 0.into();
        if (self.end_a.val() > self._rows) | (self.end_d.val() > self._rows) {
            self.wrong.d.next = ERROR_ROWS.into();
        } else if (self.rows_d.val() == self.rows_n.val())
            & (self.apart.val() != 0)
            & (self.apart.val() < self.reach.val())
        {
            self.wrong.d.next = ERROR_OVERLAP.into();
        }
        self.own_.wrong.next = self.wrong.q.val();
        self.command.next = bits_to::<CommandWord, Bits<7>>(self.word.val().get_bits::<7>(AT_OPCODE))
            | (bits_to::<CommandWord, Bits<2>>(self.word.val().get_bits::<2>(AT_SET)) << TO_SET)
            | (bits_to::<CommandWord, Bits<7>>(self.n.q.val()) << TO_WIDTH)
            | (bits_to::<CommandWord, Bits<7>>(self.second.q.val()) << TO_SECOND)
            | (bits_to::<CommandWord, RowAddress>(self.operand_a.val()) << TO_A)
            | (bits_to::<CommandWord, RowAddress>(self.operand_b.val()) << TO_B)
            | (bits_to::<CommandWord, RowAddress>(self.operand_d.val()) << TO_D)
            | (bits_to::<CommandWord, RowAddress>(self.operand_e.val()) << TO_E)
            | (bits_to::<CommandWord, RowAddress>(self.at_s.q.val()) << TO_S)
            | (bits_to::<CommandWord, Word<64, 1>>(self.key.q.val()) << TO_KEY);
    }

    described! {
        "duality_word_shape", "What a compute word asks of its array."; AT_OPCODE, AT_SET, AT_FORMAT, AT_WIDTH,
        AT_WIDTH_A, AT_WIDTH_B, AT_SIGN_B, AT_D, AT_A, AT_B, AT_S, AT_E, AT_MODIFIER, AT_SOURCE, AT_PREDICATE,
        AT_IMMEDIATE, AT_SIGN_A, FLOAT, MODE, KEY, ACCUMULATES, SECOND_RESULT, A_ROWS, B_ROWS, D_ROWS, ONE, ALL_WIDTH,
        PASS, ERROR_ROWS, ERROR_OVERLAP, TWICE, MORE, LOG2, SECOND, EIGHT, SIXTEEN, THIRTY_TWO, SIXTY_FOUR, BY_ROW,
        BY_IMMEDIATE, ALL, ACTIVE,
        ACTIVE_AT, TO_SET, TO_WIDTH, TO_SECOND, TO_A, TO_B, TO_D, TO_E, TO_S, TO_KEY; _rows
    }
}
