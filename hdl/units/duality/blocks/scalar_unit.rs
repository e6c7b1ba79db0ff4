//! Scalar unit: 32 registers of 32 bits for values that all threads share, and their operations.
//!
//! `start` = 1 for a cycle begins the operation whose fields are there in that cycle; `busy` = 1 in the two cycles
//! behind it, and the result can be read in the third. `value_a` and `value_b` are the registers that `a` and `b` name,
//! at once, and `zero_a` says whether a is 0, earlier: it is kept beside the register. `put` writes a register; not
//! while an operation runs. What the registers hold at power-up is not defined.
//!
//! Ours: the paper lets the host unroll loops (Duality Cache §3.3).

use crate::duality::isa::codes::ScalarOp;
use crate::kernel::prelude::*;

/// A register's number.
pub type ScalarNumber = Bits<5>;

numbers! {
    SET = ScalarOp::Set, ADD = ScalarOp::Add, SUB = ScalarOp::Sub, AND = ScalarOp::And, OR = ScalarOp::Or,
    XOR = ScalarOp::Xor, SHL = ScalarOp::Shl, SHR = ScalarOp::Shr, SAR = ScalarOp::Sar, MUL = ScalarOp::Mul,
    LT_U = ScalarOp::LtU, LT_S = ScalarOp::LtS, EQ = ScalarOp::Eq, MIN_U = ScalarOp::MinU, MIN_S = ScalarOp::MinS,
    MAX_U = ScalarOp::MaxU, MAX_S = ScalarOp::MaxS, ONES = 0xffff_ffffu32, TOP = 1u32 << 31
}
/// Products are of halves.
const HALF: u64 = 16;
const HALF_ONES: u64 = 0xffff;

hdl_block! {
    /// The scalar unit.
    pub DualityScalarUnit {
        In clock: Domain; /// Clock and reset.
        In put: Bit; /// A register is written.
        In put_number: ScalarNumber; /// Which one.
        In put_value: Bits<32>; /// What it holds then.
        In start: Bit; /// An operation begins.
        In operation: Bits<5>; /// What is computed.
        In d, a, b, c: ScalarNumber; /// Registers: result, sources, and what a selection looks at.
        In by_value: Bit; /// b is the immediate.
        In immediate: Bits<32>; /// The immediate.
        Out busy: Bit; /// An operation runs.
        Out value_a, value_b: Bits<32>; /// What registers a and b hold.
        Out zero_a: Bit; /// Register a holds 0.
    } inside {
        // The registers, once for each that is read at a time.
        Child file_a, file_b: AsyncRam<Bits<32>, ScalarNumber>;
        // Whether each is not 0.
        Child some_a, some_c: AsyncRam<Word<1, 1>, ScalarNumber>;
        Register computing, writing: Bit; // The first and the second cycle behind the start.
        Register code: Bits<5>; // The operation.
        Register to: ScalarNumber; // The register that it writes.
        Register x, y: Bits<32>; // Its sources.
        Register chosen: Bit; // c is not 0.
        Register result: Bits<32>; // The result, unless it is a product.
        Register product: Bit; // It is one.
        Register low: Bits<32>; // The product of the low halves.
        Register across: Bits<16>; // The sum of the mixed products, as far as it counts.
        Local orders_signed, less: Bit;
        Local key_x, key_y, signs, shifted, written, zero: Bits<32>;
        Local far, write: Bit;
        Local some: Word<1, 1>;
        Local by: Bits<5>;
        Local number: ScalarNumber;
        Local x_low, x_high, y_low, y_high: Word<18, 1>;
        Local low_product, first_product, second_product: Integer<36>;
    }
}

impl DualityScalarUnit {
    /// A scalar unit.
    pub fn new() -> Self {
        let file = || AsyncRam::new(crate::duality::params::SCALARS);
        let some = || AsyncRam::new(crate::duality::params::SCALARS);
        DualityScalarUnit { file_a: file(), file_b: file(), some_a: some(), some_c: some(), ..Self::default() }
    }
}

impl Logic for DualityScalarUnit {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, file_a, file_b, some_a, some_c);
        dff_setup!(self, clock, computing, writing, code, to, x, y, chosen, result, product, low, across);
        self.zero.next = 0.into();
        self.file_a.read_address.next = self.a.val();
        self.file_b.read_address.next = self.b.val();
        self.some_a.read_address.next = self.a.val();
        self.some_c.read_address.next = self.c.val();
        self.zero_a.next = !self.some_a.read_data.val().get_bit(0);
        self.value_a.next = self.file_a.read_data.val();
        self.value_b.next = self.file_b.read_data.val();
        self.busy.next = self.computing.q.val() | self.writing.q.val();
        // The sources.
        self.computing.d.next = self.start.val();
        if self.start.val() {
            self.code.d.next = self.operation.val();
            self.to.d.next = self.d.val();
            self.x.d.next = self.file_a.read_data.val();
            self.y.d.next = self.file_b.read_data.val();
            if self.by_value.val() {
                self.y.d.next = self.immediate.val();
            }
            self.chosen.d.next = self.some_c.read_data.val().get_bit(0);
        }
        // The result. With their top bits turned, signed numbers have the order of unsigned ones.
        self.writing.d.next = self.computing.q.val();
        self.orders_signed.next =
            (self.code.q.val() == LT_S) | (self.code.q.val() == MIN_S) | (self.code.q.val() == MAX_S);
        self.key_x.next = self.x.q.val();
        self.key_y.next = self.y.q.val();
        if self.orders_signed.val() {
            self.key_x.next = self.x.q.val() ^ TOP;
            self.key_y.next = self.y.q.val() ^ TOP;
        }
        self.less.next = self.key_x.val() < self.key_y.val();
        self.signs.next = 0.into();
        if (self.code.q.val() == SAR) & self.x.q.val().get_bit(31) {
            self.signs.next = ONES.into();
        }
        self.far.next = self.y.q.val() > 31;
        self.by.next = self.y.q.val().get_bits::<5>(0);
        self.shifted.next = self.signs.val();
        if !self.far.val() {
            self.shifted.next =
                (self.x.q.val() >> self.by.val()) | (self.signs.val() & !(!self.zero.val() >> self.by.val()));
        }
        self.product.d.next = self.code.q.val() == MUL;
        self.result.d.next = self.y.q.val();
        if self.code.q.val() == ADD {
            self.result.d.next = self.x.q.val() + self.y.q.val();
        } else if self.code.q.val() == SUB {
            self.result.d.next = self.x.q.val() - self.y.q.val();
        } else if self.code.q.val() == AND {
            self.result.d.next = self.x.q.val() & self.y.q.val();
        } else if self.code.q.val() == OR {
            self.result.d.next = self.x.q.val() | self.y.q.val();
        } else if self.code.q.val() == XOR {
            self.result.d.next = self.x.q.val() ^ self.y.q.val();
        } else if self.code.q.val() == SHL {
            self.result.d.next = 0.into();
            if !self.far.val() {
                self.result.d.next = self.x.q.val() << self.by.val();
            }
        } else if (self.code.q.val() == SHR) | (self.code.q.val() == SAR) {
            self.result.d.next = self.shifted.val();
        } else if (self.code.q.val() == LT_U) | (self.code.q.val() == LT_S) {
            self.result.d.next = bits_to::<Bits<32>, Bit>(self.less.val());
        } else if self.code.q.val() == EQ {
            self.result.d.next = bits_to::<Bits<32>, Bit>(self.x.q.val() == self.y.q.val());
        } else if (self.code.q.val() == MIN_U) | (self.code.q.val() == MIN_S) {
            if self.less.val() {
                self.result.d.next = self.x.q.val();
            }
        } else if (self.code.q.val() == MAX_U) | (self.code.q.val() == MAX_S) {
            if !self.less.val() {
                self.result.d.next = self.x.q.val();
            }
        } else if (self.code.q.val() != SET) & self.chosen.q.val() {
            self.result.d.next = self.x.q.val();
        }
        self.x_low.next = bits_to::<Word<18, 1>, Bits<32>>(self.x.q.val() & HALF_ONES);
        self.x_high.next = bits_to::<Word<18, 1>, Bits<32>>(self.x.q.val() >> HALF);
        self.y_low.next = bits_to::<Word<18, 1>, Bits<32>>(self.y.q.val() & HALF_ONES);
        self.y_high.next = bits_to::<Word<18, 1>, Bits<32>>(self.y.q.val() >> HALF);
        self.low_product.next = signed_cast_word(self.x_low.val()) * signed_cast_word(self.y_low.val());
        self.first_product.next = signed_cast_word(self.x_low.val()) * signed_cast_word(self.y_high.val());
        self.second_product.next = signed_cast_word(self.x_high.val()) * signed_cast_word(self.y_low.val());
        self.low.d.next = bits_to::<Bits<32>, Word<36, 1>>(unsigned_cast_integer(self.low_product.val()));
        self.across.d.next = bits_to::<Bits<16>, Word<36, 1>>(unsigned_cast_integer(self.first_product.val()))
            + bits_to::<Bits<16>, Word<36, 1>>(unsigned_cast_integer(self.second_product.val()));
        // It is written.
        self.written.next = self.result.q.val();
        if self.product.q.val() {
            self.written.next = self.low.q.val() + (bit_cast::<32, 16>(self.across.q.val()) << HALF);
        }
        self.number.next = self.to.q.val();
        self.write.next = self.writing.q.val() | self.put.val();
        if self.put.val() {
            self.written.next = self.put_value.val();
            self.number.next = self.put_number.val();
        }
        self.file_a.write_enable.next = self.write.val();
        self.file_a.write_address.next = self.number.val();
        self.file_a.write_data.next = self.written.val();
        self.file_b.write_enable.next = self.write.val();
        self.file_b.write_address.next = self.number.val();
        self.file_b.write_data.next = self.written.val();
        self.some.next = 0.into();
        if self.written.val() != 0 {
            self.some.next = 1.into();
        }
        self.some_a.write_enable.next = self.write.val();
        self.some_a.write_address.next = self.number.val();
        self.some_a.write_data.next = self.some.val();
        self.some_c.write_enable.next = self.write.val();
        self.some_c.write_address.next = self.number.val();
        self.some_c.write_data.next = self.some.val();
    }

    described! {
        "duality_scalar_unit", "32 registers of 32 bits that all threads share, and their operations."; SET, ADD, SUB,
        AND, OR, XOR, SHL, SHR, SAR, MUL, LT_U, LT_S, EQ, MIN_U, MIN_S, MAX_U, MAX_S, ONES, TOP, HALF, HALF_ONES
    }
}
