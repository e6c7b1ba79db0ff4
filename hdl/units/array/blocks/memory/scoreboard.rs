//! Row scoreboard: whether an operand of a command shares rows with a transfer that is pending.
//!
//! One operand a cycle, by `step`: a, b, d, e, s from 0 to 4; `shares` says a cycle later. How many rows an operand
//! covers comes from a table by opcode, rounded up (see [`crate::array::isa::transfer::Cover`]).

use crate::array::blocks::command_setup::CommandWord;
use crate::array::blocks::memory::bundles::PendingSink;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::transfer::{Cover, covers};
use crate::array::isa::word::OPCODES;
use crate::array::isa::word::command::*;
use crate::array::params::Params;
use crate::kernel::prelude::*;

/// Bits of the opcodes in the table, and what of opcode and set is above them.
const KNOWN_BITS: usize = OPCODES.ilog2() as usize;
const UNUSED_BITS: usize = OPCODE_BITS + SET_BITS - KNOWN_BITS;
const UNUSED_LSB: usize = OPCODE_LSB + KNOWN_BITS;
/// The bit of opcodes of the third page.
const THIRD: usize = UNUSED_LSB + 1;
numbers! {
    KEY_LSB = WIDTH, COVER_ONE = Cover::One, COVER_N = Cover::N, COVER_TWO_N = Cover::TwoN, COVER_M = Cover::M,
    COVER_FOUR_N = Cover::FourN, COVER_ALL = Cover::All
}

hdl_block! {
    /// The scoreboard.
    pub RowScoreboard {
        In clock: Domain; /// Clock and reset.
        In command: CommandWord; /// The command.
        In step: Bits<4>; /// Which of its operands.
        Bus first, second: PendingSink; /// Transfers in the two stages.
        Out shares: Bit; /// The operand of the cycle before shares a row with one of them.
    } inside {
        Value _two_pages, _three_pages: bool; // There are opcodes beyond the table. There are some far beyond it.
        Pipe scan_row: RowAddress; // First row of the operand that is compared.
        Pipe scan_end: Bits<12>; // The row behind its last; 0 if the operation has no such operand.
        Child covers: AsyncRom<Bits<15>, Bits<KNOWN_BITS>>; // By opcode; unknown ones touch no row.
        Local width: Bits<7>;
        Local row: RowAddress;
        Local cover: Bits<3>;
        Local rows: Bits<12>;
        Local unused_fields: Bit;
    }
}

impl RowScoreboard {
    /// The scoreboard of the design that `params` describe.
    pub fn new(params: &Params) -> Self {
        let mut table = vec![0; OPCODES];
        for opcode in params.opcodes().into_iter().filter(|&opcode| (opcode as usize) < OPCODES) {
            let covers = covers(params, opcode);
            let bits = covers.iter().enumerate().map(|(operand, &cover)| (cover as u64) << (3 * operand));
            table[opcode as usize] = bits.sum();
        }
        let covers = AsyncRom::new(table.into_iter().map(Bits::from).collect());
        let (two, three) = (params.pages() >= 2, params.pages() >= 3);
        RowScoreboard { covers, _two_pages: two, _three_pages: three, ..Self::default() }
    }
}

impl Logic for RowScoreboard {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, scan_row, scan_end);
        self.width.next = self.command.val().get_bits::<7>(WIDTH_N_LSB);
        self.unused_fields.next =
            (self.command.val() >> KEY_LSB).any() ^ self.command.val().get_bits::<UNUSED_BITS>(UNUSED_LSB).any();
        self.covers.address.next = self.command.val().get_bits::<KNOWN_BITS>(OPCODE_LSB);
        self.row.next = self.command.val().get_bits::<10>(A_LSB);
        self.cover.next = self.covers.data.val().get_bits::<3>(0);
        if self.step.val() == 1 {
            self.row.next = self.command.val().get_bits::<10>(B_LSB);
            self.cover.next = self.covers.data.val().get_bits::<3>(3);
        } else if self.step.val() == 2 {
            self.row.next = self.command.val().get_bits::<10>(D_LSB);
            self.cover.next = self.covers.data.val().get_bits::<3>(6);
        } else if self.step.val() == 3 {
            self.row.next = self.command.val().get_bits::<10>(E_LSB);
            self.cover.next = self.covers.data.val().get_bits::<3>(9);
        } else if self.step.val() == 4 {
            self.row.next = self.command.val().get_bits::<10>(S_LSB);
            self.cover.next = self.covers.data.val().get_bits::<3>(12);
        }
        // Operations beyond the table wait for all transfers.
        if self._two_pages {
            if self.command.val().get_bit(UNUSED_LSB) {
                self.cover.next = COVER_ALL.into();
            }
        }
        if self._three_pages {
            if self.command.val().get_bit(THIRD) {
                self.cover.next = COVER_ALL.into();
            }
        }
        self.rows.next = 0.into();
        if self.cover.val() == COVER_ONE {
            self.rows.next = 1.into();
        } else if self.cover.val() == COVER_N {
            self.rows.next = bit_cast::<12, 7>(self.width.val());
        } else if self.cover.val() == COVER_TWO_N {
            self.rows.next = bit_cast::<12, 7>(self.width.val()) << 1;
        } else if self.cover.val() == COVER_M {
            self.rows.next = bit_cast::<12, 7>(self.command.val().get_bits::<7>(SECOND_LSB));
        } else if self.cover.val() == COVER_FOUR_N {
            self.rows.next = (bit_cast::<12, 7>(self.width.val()) << 2) + 8;
        } else if self.cover.val() == COVER_ALL {
            self.rows.next = 1024.into();
        }
        self.scan_row.d.next = self.row.val();
        self.scan_end.d.next = bit_cast::<12, 10>(self.row.val()) + self.rows.val();
        if self.cover.val() == 0 {
            self.scan_end.d.next = 0.into();
        }
        self.shares.next = (self.first.valid.val()
            & (bit_cast::<11, 10>(self.scan_row.q.val()) < self.first.end.val())
            & (bit_cast::<12, 10>(self.first.row.val()) < self.scan_end.q.val()))
            | (self.second.valid.val()
                & (bit_cast::<11, 10>(self.scan_row.q.val()) < self.second.end.val())
                & (bit_cast::<12, 10>(self.second.row.val()) < self.scan_end.q.val()));
    }

    described! {
        "row_scoreboard", "Whether an operand shares rows with a pending transfer."; COVER_ONE, COVER_N, COVER_TWO_N,
        COVER_M, COVER_FOUR_N, COVER_ALL, KEY_LSB, OPCODE_LSB, UNUSED_LSB, THIRD, WIDTH_N_LSB, SECOND_LSB, A_LSB, B_LSB,
        D_LSB, E_LSB, S_LSB; _two_pages, _three_pages
    }
}
