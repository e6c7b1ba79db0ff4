//! Whether an instruction on lines is legal, and what it does with its operands. Combinational.
//!
//! The rules, and their order, are those of [`crate::duality::lines::LineInstruction::check`]: `code` is that of the
//! first one that is broken, or 0, and `about` what it is about, or 0. `kind` and `has_grain` are what the opcode
//! means, all 0 if there is none of this code. `lines` is the number of lines of an operand of a legal instruction.

use crate::duality::blocks::bundles::LineKindSource;
use crate::duality::cache_params::LINE_BITS;
use crate::duality::lines::LineCount;
use crate::kernel::prelude::*;
use crate::parts::cache_ops::{CACHE_OP_BITS, CacheError, CacheOp, GRAIN_BITS, LARGEST, RESULTS, RowOp, control};

const LEGAL: usize = control::LEGAL;
const A: usize = control::A;
const B: usize = control::B;
const KEY: usize = control::KEY;
const D: usize = control::D;
const MASK: usize = control::MASK;
const GRAIN: usize = control::GRAIN;
const CONTROL_BITS: usize = control::BITS;
const ENDS: usize = LINE_BITS + 1; // Bits of the number of the line behind an operand.
numbers! {
    OPCODE = CacheError::Opcode, GRANULARITY = CacheError::Granularity, SIZE = CacheError::Size,
    ALIGNMENT = CacheError::Alignment, OUTSIDE = CacheError::Outside, OVERLAP = CacheError::Overlap,
    LARGEST_PLAIN = LARGEST, LARGEST_MASK = RESULTS * 8, GRAINS = 2, BEHIND = 1u64 << LINE_BITS
}

hdl_block! {
    /// The check.
    pub DualityLineCheck {
        In op: RowOp; /// What to compute.
        In grain: Bits<GRAIN_BITS>; /// Granularity of a carry-less product: 64 bits times 2 to this power.
        In a, b, d, size: Bits<32>; /// Where the operands are. Bytes of each.
        Bus kind: LineKindSource; /// What it does with them.
        Out has_grain: Bit; /// Its words have a granularity.
        Out lines: LineCount; /// Lines of each.
        Out code: Bits<3>; /// What is wrong.
        Out about: Bits<32>; /// What with.
    } inside {
        Child opcodes: AsyncRom<Bits<CONTROL_BITS>, RowOp>; // What each opcode is.
        Local control: Bits<CONTROL_BITS>;
        Local largest: Bits<32>;
        Local count, end_a, end_b, end_d: Bits<ENDS>;
        Local crosses_a, crosses_b: Bit;
    }
}

impl DualityLineCheck {
    /// The check.
    pub fn new() -> Self {
        let table = (0..1 << CACHE_OP_BITS).map(|code| CacheOp::from_code(code).map_or(0, CacheOp::control).into());
        DualityLineCheck { opcodes: AsyncRom::new(table.collect()), ..Self::default() }
    }
}

impl Logic for DualityLineCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.opcodes.address.next = self.op.val();
        self.control.next = self.opcodes.data.val();
        self.kind.a.next = self.control.val().get_bit(A);
        self.kind.b.next = self.control.val().get_bit(B);
        self.kind.key.next = self.control.val().get_bit(KEY);
        self.kind.d.next = self.control.val().get_bit(D);
        self.kind.gives.next = self.control.val().get_bit(MASK);
        self.has_grain.next = self.control.val().get_bit(GRAIN);
        self.lines.next = self.size.val().get_bits::<9>(6);
        // Rules; the first that is broken counts.
        self.largest.next = LARGEST_PLAIN.into();
        if self.control.val().get_bit(MASK) {
            self.largest.next = LARGEST_MASK.into();
            if self.control.val().get_bit(GRAIN) {
                self.largest.next = self.largest.val() << self.grain.val();
            }
        }
        self.count.next = bit_cast::<ENDS, 9>(self.lines.val());
        self.end_a.next = bit_cast::<ENDS, LINE_BITS>(self.a.val().get_bits::<LINE_BITS>(6)) + self.count.val();
        self.end_b.next = bit_cast::<ENDS, LINE_BITS>(self.b.val().get_bits::<LINE_BITS>(6)) + self.count.val();
        self.end_d.next = bit_cast::<ENDS, LINE_BITS>(self.d.val().get_bits::<LINE_BITS>(6)) + self.count.val();
        self.crosses_a.next = self.control.val().get_bit(A)
            & (self.a.val() != self.d.val())
            & (((self.a.val() - self.d.val()) < self.size.val()) | ((self.d.val() - self.a.val()) < self.size.val()));
        self.crosses_b.next = self.control.val().get_bit(B)
            & (self.b.val() != self.d.val())
            & (((self.b.val() - self.d.val()) < self.size.val()) | ((self.d.val() - self.b.val()) < self.size.val()));
        self.code.next = 0.into();
        self.about.next = 0.into();
        if self.control.val().get_bit(D) {
            if self.crosses_a.val() | self.crosses_b.val() {
                self.code.next = OVERLAP.into();
                self.about.next = self.d.val();
            }
            if self.end_d.val() > BEHIND {
                self.code.next = OUTSIDE.into();
                self.about.next = self.d.val();
            }
            if self.d.val().get_bits::<6>(0) != 0 {
                self.code.next = ALIGNMENT.into();
                self.about.next = self.d.val();
            }
        }
        if self.control.val().get_bit(B) & (self.end_b.val() > BEHIND) {
            self.code.next = OUTSIDE.into();
            self.about.next = self.b.val();
        }
        if (self.control.val().get_bit(B) | self.control.val().get_bit(KEY)) & (self.b.val().get_bits::<6>(0) != 0) {
            self.code.next = ALIGNMENT.into();
            self.about.next = self.b.val();
        }
        if self.control.val().get_bit(A) {
            if self.end_a.val() > BEHIND {
                self.code.next = OUTSIDE.into();
                self.about.next = self.a.val();
            }
            if self.a.val().get_bits::<6>(0) != 0 {
                self.code.next = ALIGNMENT.into();
                self.about.next = self.a.val();
            }
        }
        if (self.size.val() == 0) | (self.size.val().get_bits::<6>(0) != 0) | (self.size.val() > self.largest.val()) {
            self.code.next = SIZE.into();
            self.about.next = self.size.val();
        }
        if self.control.val().get_bit(GRAIN) & (self.grain.val() > GRAINS) {
            self.code.next = GRANULARITY.into();
            self.about.next = 0.into();
        }
        if !self.control.val().get_bit(LEGAL) {
            self.code.next = OPCODE.into();
            self.about.next = 0.into();
        }
    }

    described! {
        "duality_line_check", "Whether an instruction on lines is legal."; LEGAL, A, B, KEY, D, MASK, GRAIN, OPCODE,
        GRANULARITY, SIZE, ALIGNMENT, OUTSIDE, OVERLAP, LARGEST_PLAIN, LARGEST_MASK, GRAINS, BEHIND, ENDS, LINE_BITS
    }
}
