//! Word check: why a word may not run, as far as that is known when it is written to the ring. Combinational. Whether
//! the ring still holds what a jump leads to is known later: the dispatcher looks. Where several things are wrong the
//! trap is the first of: kind, unused bits, slot, code, set that is missing, width, rows, target, loop.
//!
//! What is looked at: kind and bits that it does not have; slots and waits of windows that the launch does not use;
//! codes of its lists; micro-program sets; rows of masks as results, which only mask words write; rows beyond the
//! array, but for those of compute words and what memory reads; where jumps lead, and whether the ring holds a loop. Of
//! words of the crossbar segments, too; a design without one has no such space.

use crate::array::params::Params;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::isa::class::{class, words};
use crate::duality::isa::codes::{Condition, Kind, MaskOp, MemoryOp, ScalarOp, Source, Space, Trap};
use crate::duality::isa::field as at;
use crate::duality::params::{DualityParams, MASK_ROWS, MOST_INDEX, PC_BITS, SLOTS};
use crate::kernel::prelude::*;

numbers! {
    usize: AT_KIND = at::KIND.lsb, AT_SLOT = at::SLOT.lsb, AT_WAIT = at::WAIT.lsb, AT_OPCODE = at::OPCODE.lsb,
    AT_SET = at::SET.lsb, AT_WIDTH = at::WIDTH.lsb, AT_D = at::D.lsb, AT_A = at::A.lsb, AT_SOURCE = at::SOURCE.lsb,
    AT_IMMEDIATE = at::IMMEDIATE.lsb, AT_TARGETS = at::TARGETS.lsb, AT_DATA_SLOT = at::DATA_SLOT.lsb,
    AT_MEMORY_OP = at::MEMORY_OP.lsb, AT_SPACE = at::SPACE.lsb, AT_OPERATION = at::SCALAR_OP.lsb,
    AT_CONDITION = at::CONDITION.lsb, KNOWN = class::KNOWN_LSB,
    SECOND = class::SECOND_RESULT_LSB, AT_E = at::E.lsb, AT_S = at::S.lsb
}
numbers! {
    COMPUTE = Kind::Compute, MOVE = Kind::Move, MEMORY = Kind::Memory, SCALAR = Kind::Scalar, MASK = Kind::Mask,
    JUMP = Kind::Jump, END = Kind::End, BY_IMMEDIATE = Source::Immediate,
    LAST_SCALAR = ScalarOp::Select, LAST_MASK = MaskOp::Clear, ENTER = MaskOp::Enter, OPEN = MaskOp::Open,
    LAST_MEMORY = MemoryOp::FAdd, STORE = MemoryOp::Store, LAST_SPACE = Space::Spill, ANY = Condition::Any,
    LOOP = Condition::Loop, TRAP_KIND = Trap::Kind, TRAP_UNUSED = Trap::Unused, TRAP_SLOT = Trap::Slot,
    TRAP_CODE = Trap::Code, TRAP_MISSING = Trap::Missing, TRAP_ROWS = Trap::Rows, TRAP_TARGET = Trap::Target,
    TRAP_LOOP = Trap::Loop, TRAP_WIDTH = Trap::Width, BANK = Space::Bank, LOAD = MemoryOp::Load,
    FIRST_REDUCTION = MemoryOp::Add, LAST_REDUCTION = MemoryOp::Xor, FIRST_ROW = MASK_ROWS,
    LAST_MASK_ROW = MASK_ROWS - 1
}

hdl_block! {
    /// The check.
    pub DualityWordCheck {
        In word: ProgramWord; /// The word.
        In windows: Bits<SLOTS>; /// Windows that the launch uses.
        In pc: Bits<PC_BITS>; /// The word's number.
        Out trap: Bits<8>; /// Why, or 0.
    } inside {
        Child known: AsyncRom<Word<1, 1>, Bits<7>>; // Operations that words have.
        Child second: AsyncRom<Word<1, 1>, Bits<7>>; // Those that write a second result.
        Child strays: AsyncRom<ProgramWord, Bits<3>>; // Bits that words of a kind do not have.
        Local kind, operation: Bits<3>;
        Local slots, data_slots, waits, targets: Bits<SLOTS>;
        Local target, following: Bits<PC_BITS>;
        Local in_array, computes, moves, accesses, scalar, masks, jumps: Bit;
        // What is wrong, by the traps' names.
        Local kind_wrong, unused, slot_wrong, code_wrong, missing, width_wrong, rows_wrong, target_wrong, too_long: Bit;
        Local below, rest_a, rest_d, row_a, row_d: Bits<10>;
        Local back: Bits<32>;
        Local sets: Bits<4>;
        Value _rows, _ring, _sets, _last_space, _most_segment: u64;
        Value _crossbar: usize;
    }
}

impl DualityWordCheck {
    /// For a control block with these parameters, whose arrays have those.
    pub fn new(params: &DualityParams, array: &Params) -> Self {
        let strays = Kind::ALL.iter().map(|&kind| !at::used(kind));
        let strays = strays.map(|bits| ProgramWord::from_limbs([bits as u64, (bits >> 64) as u64])).collect();
        DualityWordCheck {
            known: AsyncRom::new(words(array).into_iter().map(|word| Word::from(word >> KNOWN & 1)).collect()),
            second: AsyncRom::new(words(array).into_iter().map(|word| Word::from(word >> SECOND & 1)).collect()),
            strays: AsyncRom::new(strays),
            _rows: params.rows as u64,
            _ring: params.ring as u64,
            _last_space: if params.crossbar > 0 { BANK } else { LAST_SPACE },
            _most_segment: params.columns.ilog2().into(),
            _crossbar: usize::from(params.crossbar > 0),
            _sets: params.sets.iter().fold(0, |sets, &set| sets | 1 << set as u64),
            ..Self::default()
        }
    }
}

impl Logic for DualityWordCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.sets.next = self._sets.into();
        self.kind.next = self.word.val().get_bits::<3>(AT_KIND);
        self.operation.next = self.word.val().get_bits::<3>(AT_CONDITION);
        self.waits.next = self.word.val().get_bits::<SLOTS>(AT_WAIT);
        self.targets.next = self.word.val().get_bits::<SLOTS>(AT_TARGETS);
        self.back.next = self.word.val().get_bits::<32>(AT_IMMEDIATE);
        self.target.next = self.back.val().get_bits::<PC_BITS>(0);
        self.following.next = self.pc.val() + 1;
        self.known.address.next = self.word.val().get_bits::<7>(AT_OPCODE);
        self.second.address.next = self.word.val().get_bits::<7>(AT_OPCODE);
        self.strays.address.next = self.kind.val();
        self.slots.next = 1.into();
        self.slots.next = self.slots.val() << self.word.val().get_bits::<2>(AT_SLOT);
        self.data_slots.next = 1.into();
        self.data_slots.next = self.data_slots.val() << self.word.val().get_bits::<2>(AT_DATA_SLOT);
        self.in_array.next = (self.kind.val() != SCALAR) & (self.kind.val() < JUMP);
        if self.kind.val() == JUMP {
            self.in_array.next = (self.operation.val() >= ANY) & (self.operation.val() < LOOP);
        }
        self.below.next = bit_cast::<10, 6>(self.word.val().get_bits::<6>(AT_WIDTH)) + 1;
        self.rest_a.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_A)) + self.below.val();
        self.rest_d.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_D)) + self.below.val();
        self.row_a.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_A));
        self.row_d.next = bit_cast::<10, 9>(self.word.val().get_bits::<9>(AT_D));
        self.computes.next = self.kind.val() == COMPUTE;
        self.moves.next = self.kind.val() == MOVE;
        self.accesses.next = self.kind.val() == MEMORY;
        self.scalar.next = self.kind.val() == SCALAR;
        self.masks.next = self.kind.val() == MASK;
        self.jumps.next = self.kind.val() == JUMP;
        // What is wrong.
        self.kind_wrong.next = self.kind.val() > END;
        self.unused.next = (self.word.val() & self.strays.data.val()).any();
        self.slot_wrong.next = (self.in_array.val() & ((self.slots.val() & self.windows.val()) == 0))
            | ((self.waits.val() & !self.windows.val()) != 0)
            | (self.moves.val()
                & ((self.targets.val() == 0) | ((self.targets.val() & (self.slots.val() | !self.windows.val())) != 0)))
            | (self.accesses.val() & ((self.data_slots.val() & self.windows.val()) == 0));
        self.code_wrong.next = (self.computes.val() & !self.known.data.val().get_bit(0))
            | (self.accesses.val()
                & ((self.word.val().get_bits::<4>(AT_MEMORY_OP) > LAST_MEMORY)
                    | (self.word.val().get_bits::<3>(AT_SPACE) > self._last_space)))
            | (self.scalar.val()
                & ((self.word.val().get_bits::<5>(AT_OPERATION) > LAST_SCALAR)
                    | (self.word.val().get_bits::<2>(AT_SOURCE) > BY_IMMEDIATE)))
            | (self.masks.val() & (self.operation.val() > LAST_MASK))
            | (self.jumps.val() & (self.operation.val() > LOOP));
        self.missing.next =
            self.computes.val() & !self.sets.val().get_bit(self.word.val().get_bits::<2>(AT_SET).index());
        self.width_wrong.next = false;
        for _x in 0..self._crossbar {
            if self.accesses.val() & (self.word.val().get_bits::<3>(AT_SPACE) == BANK) {
                self.width_wrong.next = self.word.val().get_bits::<9>(AT_S) > self._most_segment;
                if (self.word.val().get_bits::<4>(AT_MEMORY_OP) != LOAD)
                    & ((self.word.val().get_bits::<4>(AT_MEMORY_OP) < FIRST_REDUCTION)
                        | (self.word.val().get_bits::<4>(AT_MEMORY_OP) > LAST_REDUCTION))
                {
                    self.code_wrong.next = true;
                }
            }
        }
        self.rows_wrong.next = false;
        if self.computes.val() {
            self.rows_wrong.next = (self.word.val().get_bits::<9>(AT_D) < FIRST_ROW)
                | (self.second.data.val().get_bit(0) & (self.word.val().get_bits::<9>(AT_E) < FIRST_ROW))
                | (self.word.val().get_bits::<9>(AT_S) == LAST_MASK_ROW);
        } else if self.moves.val() {
            self.rows_wrong.next = (self.rest_a.val() > self._rows)
                | (self.rest_d.val() > self._rows)
                | (self.word.val().get_bits::<9>(AT_D) < FIRST_ROW);
        } else if self.accesses.val() {
            self.rows_wrong.next = (self.word.val().get_bits::<4>(AT_MEMORY_OP) != STORE)
                & ((self.word.val().get_bits::<9>(AT_D) < FIRST_ROW) | (self.rest_d.val() > self._rows));
        } else if self.masks.val() & (self.operation.val() == ENTER) {
            self.rows_wrong.next = (self.word.val().get_bits::<9>(AT_A) < FIRST_ROW) | (self.row_a.val() >= self._rows);
        } else if self.masks.val() {
            self.rows_wrong.next = (self.row_a.val() >= self._rows)
                | (self.row_d.val() >= self._rows)
                | ((self.operation.val() != OPEN) & (self.word.val().get_bits::<9>(AT_D) < FIRST_ROW));
        } else if self.jumps.val() {
            self.rows_wrong.next = self.in_array.val() & (self.row_a.val() >= self._rows);
        }
        self.target_wrong.next = false;
        self.too_long.next = false;
        if self.jumps.val() {
            self.target_wrong.next = self.back.val() > MOST_INDEX;
            if self.operation.val() == LOOP {
                self.target_wrong.next = (self.back.val() > MOST_INDEX) | (self.target.val() <= self.following.val());
                self.too_long.next = (self.target.val() - self.pc.val()) > self._ring;
            }
        }
        // The first of them counts.
        self.trap.next = 0.into();
        if self.kind_wrong.val() {
            self.trap.next = TRAP_KIND.into();
        } else if self.unused.val() {
            self.trap.next = TRAP_UNUSED.into();
        } else if self.slot_wrong.val() {
            self.trap.next = TRAP_SLOT.into();
        } else if self.code_wrong.val() {
            self.trap.next = TRAP_CODE.into();
        } else if self.missing.val() {
            self.trap.next = TRAP_MISSING.into();
        } else if self.width_wrong.val() {
            self.trap.next = TRAP_WIDTH.into();
        } else if self.rows_wrong.val() {
            self.trap.next = TRAP_ROWS.into();
        } else if self.target_wrong.val() {
            self.trap.next = TRAP_TARGET.into();
        } else if self.too_long.val() {
            self.trap.next = TRAP_LOOP.into();
        }
    }

    described! {
        "duality_word_check", "Why a word may not run."; ANY, AT_E, AT_S, LAST_MASK_ROW, AT_A, AT_CONDITION, AT_D,
        AT_DATA_SLOT, AT_IMMEDIATE, AT_KIND, AT_MEMORY_OP, AT_OPCODE, AT_OPERATION, AT_SET, AT_SLOT, AT_SOURCE,
        AT_SPACE, AT_TARGETS, AT_WAIT, AT_WIDTH, BY_IMMEDIATE, COMPUTE, END, ENTER, FIRST_ROW, JUMP, LAST_MASK,
        LAST_MEMORY, LAST_SCALAR, BANK, LOAD, FIRST_REDUCTION, LAST_REDUCTION, TRAP_WIDTH, LOOP, MASK, MEMORY,
        MOST_INDEX, MOVE, OPEN, SCALAR, STORE, TRAP_CODE, TRAP_KIND, TRAP_LOOP, TRAP_MISSING, TRAP_ROWS, TRAP_SLOT,
        TRAP_TARGET, TRAP_UNUSED; _rows, _ring, _sets,
        _last_space, _most_segment, _crossbar
    }
}
