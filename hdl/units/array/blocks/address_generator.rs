//! Address generator: the two pipeline stages behind the flow control. The first reads the row's control word, the
//! second reads base registers, chooses indices and applies what depends on the pass (flips on exit, key steering).
//!
//! ```text
//!  fetch ─▶ control ROM ─▶ address stage: base[k], {literal, J, I + J, L, I} ─▶ address adder
//! ```
//!
//! Both stages move in the cycles with `advance` = 1; all outputs are of the address stage, in the same cycle.

use crate::array::blocks::bundles::{PassSink, PassSource, PassStage};
use crate::array::blocks::column_peripheral::COLUMN_CONTROL;
use crate::array::blocks::flow_control::PC;
use crate::array::blocks::index_registers::IndexRegisters;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::row::OffsetAction;
use crate::array::isa::uop::*;
use crate::array::isa::word::control::*;
use crate::array::isa::word::flow::TOKEN_BITS;
use crate::array::params::ROW_ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::WriteSink;

/// A control word.
pub type ControlWord = Word<{ WIDTH }, 2>;

const FLIP_X_BIT: u64 = 1 << X_LSB;
const FLIP_Y_BIT: u64 = 1 << Y_LSB;
const FLIP_OUT_BIT: u64 = 1 << (OUT_LSB + 1);

hdl_block! {
    /// The address generator.
    pub AddressGenerator {
        In clock: Domain; /// Clock and reset.
        In advance: Bit; /// The stages move.
        In fetch_valid: Bit; /// The flow control hands on a row.
        In fetch_address: Bits<PC>; /// Its address.
        Bus fetch: PassSink; /// What its pass adds.
        In fetch_i: RowAddress; /// I at the start.
        In fetch_key_rows: Word<64, 1>; /// Rows of multi-row sensing: 1 bits of the key.
        In fetch_width_rows: Word<64, 1>; /// All rows of the width.
        Bus base: WriteSink<Bits<5>, RowAddress>; /// Writes of base registers, by bank and number.
        Out occupied: Bit; /// Something is in the two stages.
        Out uses_bank_0, uses_bank_1: Bit; /// A cycle ago, a row in the two stages was to read that bank of bases.
        Out valid: Bit; /// There is a row.
        Out column: Bits<COLUMN_CONTROL>; /// What the columns do.
        Out merge: Bit; /// Row B is read for the merge only.
        Out multi: Bits<2>; /// Multi-row sensing.
        Out multi_rows: Word<64, 1>; /// Its rows.
        Out a_enable: Bit; /// Port A reads.
        Out a_base, a_index: RowAddress; /// Base and index of row A.
        Out b_enable: Bit; /// Port B reads.
        Out b_base, b_index: RowAddress; /// Base and index of row B.
        Out write_enable: Bit; /// A row is written.
        Out write_base, write_index: RowAddress; /// Base and index of the row written.
        Out load, store: Bit; /// From the load port, or to the store port.
        Out token: Bits<TOKEN_BITS>; /// Token.
        Out is_first, is_last: Bit; /// First or last row of its command.
        Out preset_carry, preset_keep_tag: Bit; /// C starts at 1. T keeps its value.
    } inside {
        Child rom: Rom<ControlWord, Bits<PC>>; // Control words.
        // Base registers, read for row A, row B and the row written.
        Child a_bases, b_bases, write_bases: AsyncRam<RowAddress, Bits<5>>;
        Register rom_valid: Bit; // ROM stage.
        Child rom__: PassStage; // What its row's pass adds.
        Register rom_i: RowAddress; // I at the start.
        Register rom_key_rows, rom_width_rows: Word<64, 1>;
        Register row_valid: Bit; // Address stage.
        Register word: ControlWord; // Control word.
        Child row: PassStage; // What its row's pass adds.
        Register row_key_rows, row_width_rows: Word<64, 1>;
        Register used_0, used_1: Bit; // What `uses_bank_0` and `uses_bank_1` say.
        Child indices: IndexRegisters; // J, I and L.
        Local a_select, b_select, write_select: Bits<5>;
        Local flips: Bits<COLUMN_CONTROL>;
        Local steer_x, steer_y: Bit;
        Value _multi: bool;
    }
}

impl AddressGenerator {
    /// An address generator with these control words; `multi` with multi-row sensing.
    pub fn new(words: &[u128], multi: bool) -> Self {
        let lower = words.iter().any(|&word| I.get(word) == OffsetAction::Lower as u64);
        let words = words.iter().map(|&w| ControlWord::from_limbs([w as u64, (w >> 64) as u64])).collect();
        AddressGenerator {
            rom: Rom::new(words),
            a_bases: AsyncRam::new(32),
            b_bases: AsyncRam::new(32),
            write_bases: AsyncRam::new(32),
            indices: IndexRegisters::new(lower),
            _multi: multi,
            ..Self::default()
        }
    }
}

impl Logic for AddressGenerator {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rom, a_bases, b_bases, write_bases, indices, rom__, row);
        dff_setup!(self, clock, rom_valid, rom_i, rom_key_rows, rom_width_rows);
        dff_setup!(self, clock, row_valid, word, row_key_rows, row_width_rows, used_0, used_1);
        PassSource::join(&mut self.rom__.q, &mut self.rom__.d);
        PassSource::join(&mut self.row.q, &mut self.row.d);
        self.rom.address.next = self.fetch_address.val();
        self.rom.enable.next = self.advance.val();
        if self.advance.val() {
            self.rom_valid.d.next = self.fetch_valid.val();
            PassSink::link(&mut self.fetch, &mut self.rom__.d);
            PassSource::join(&mut self.rom__.q, &mut self.row.d);
            self.rom_i.d.next = self.fetch_i.val();
            self.row_valid.d.next = self.rom_valid.q.val();
            self.word.d.next = self.rom.data.val();
            if self._multi {
                self.rom_key_rows.d.next = self.fetch_key_rows.val();
                self.rom_width_rows.d.next = self.fetch_width_rows.val();
                self.row_key_rows.d.next = self.rom_key_rows.q.val();
                self.row_width_rows.d.next = self.rom_width_rows.q.val();
            }
        }
        // Base registers.
        self.a_bases.write_address.next = self.base.address.val();
        self.a_bases.write_enable.next = self.base.write.val();
        self.a_bases.write_data.next = self.base.data.val();
        self.b_bases.write_address.next = self.base.address.val();
        self.b_bases.write_enable.next = self.base.write.val();
        self.b_bases.write_data.next = self.base.data.val();
        self.write_bases.write_address.next = self.base.address.val();
        self.write_bases.write_enable.next = self.base.write.val();
        self.write_bases.write_data.next = self.base.data.val();
        self.a_select.next = bit_cast::<5, A_BASE_BITS>(self.word.q.val().get_bits::<A_BASE_BITS>(A_BASE_LSB));
        self.b_select.next = bit_cast::<5, B_BASE_BITS>(self.word.q.val().get_bits::<B_BASE_BITS>(B_BASE_LSB));
        self.write_select.next = bit_cast::<5, W_BASE_BITS>(self.word.q.val().get_bits::<W_BASE_BITS>(W_BASE_LSB));
        if self.row.q.bank.val() {
            self.a_select.next = self.a_select.val() | 16;
            self.b_select.next = self.b_select.val() | 16;
            self.write_select.next = self.write_select.val() | 16;
        }
        self.a_bases.read_address.next = self.a_select.val();
        self.b_bases.read_address.next = self.b_select.val();
        self.write_bases.read_address.next = self.write_select.val();
        self.a_base.next = self.a_bases.read_data.val();
        self.b_base.next = self.b_bases.read_data.val();
        self.write_base.next = self.write_bases.read_data.val();
        // Indices.
        self.a_index.next = self.indices.a_index.val();
        self.b_index.next = self.indices.b_index.val();
        self.write_index.next = self.indices.write_index.val();
        // What depends on the pass.
        self.flips.next = 0.into();
        self.steer_x.next = self.word.q.val().get_bit(STEER_X_LSB) & !self.row.q.key_bits.val().get_bit(0);
        self.steer_y.next = self.word.q.val().get_bit(STEER_Y_LSB) & !self.row.q.key_bits.val().get_bit(1);
        if (self.row.q.exit.val() & self.word.q.val().get_bit(FLIP_X_LSB)) ^ self.steer_x.val() {
            self.flips.next = FLIP_X_BIT.into();
        }
        if (self.row.q.exit.val() & self.word.q.val().get_bit(FLIP_Y_LSB)) ^ self.steer_y.val() {
            self.flips.next = self.flips.val() | FLIP_Y_BIT;
        }
        if self.row.q.exit.val() & self.word.q.val().get_bit(FLIP_OUT_LSB) {
            self.flips.next = self.flips.val() | FLIP_OUT_BIT;
        }
        self.valid.next = self.row_valid.q.val();
        self.occupied.next = self.row_valid.q.val() | self.rom_valid.q.val();
        self.uses_bank_0.next = self.used_0.q.val();
        self.uses_bank_1.next = self.used_1.q.val();
        self.used_0.d.next =
            (self.row_valid.q.val() & !self.row.q.bank.val()) | (self.rom_valid.q.val() & !self.rom__.q.bank.val());
        self.used_1.d.next =
            (self.row_valid.q.val() & self.row.q.bank.val()) | (self.rom_valid.q.val() & self.rom__.q.bank.val());
        self.column.next = self.word.q.val().get_bits::<COLUMN_CONTROL>(0) ^ self.flips.val();
        self.merge.next = self.word.q.val().get_bit(MERGE_LSB);
        self.multi.next = self.word.q.val().get_bits::<MULTI_BITS>(MULTI_LSB);
        self.multi_rows.next = 0.into();
        if self._multi {
            if self.word.q.val().get_bits::<MULTI_BITS>(MULTI_LSB) == MULTI_NOR_OF_ZEROS {
                self.multi_rows.next = self.row_width_rows.q.val() ^ self.row_key_rows.q.val();
            } else if self.word.q.val().get_bits::<MULTI_BITS>(MULTI_LSB) != MULTI_OFF {
                self.multi_rows.next = self.row_key_rows.q.val();
            }
        }
        self.a_enable.next = self.word.q.val().get_bit(A_EN_LSB) & !self.row.q.rest_a.val();
        self.b_enable.next = self.word.q.val().get_bit(B_EN_LSB);
        self.write_enable.next =
            self.word.q.val().get_bit(W_EN_LSB) & (self.row.q.exit.val() | !self.word.q.val().get_bit(W_ON_EXIT_LSB));
        self.load.next = self.word.q.val().get_bit(LOAD_LSB);
        self.store.next = self.word.q.val().get_bit(STORE_LSB);
        self.token.next = self.row.q.token.val();
        self.is_first.next = self.row.q.first.val();
        self.is_last.next = self.row.q.last.val();
        self.preset_carry.next = self.row.q.carry.val();
        self.preset_keep_tag.next = self.row.q.keep_tag.val();
        // Index registers.
        self.indices.a_code.next = self.word.q.val().get_bits::<A_INDEX_BITS>(A_INDEX_LSB);
        self.indices.a_immediate.next = self.word.q.val().get_bits::<A_IMMEDIATE_BITS>(A_IMMEDIATE_LSB);
        self.indices.b_code.next = self.word.q.val().get_bits::<B_INDEX_BITS>(B_INDEX_LSB);
        self.indices.b_immediate.next = self.word.q.val().get_bits::<B_IMMEDIATE_BITS>(B_IMMEDIATE_LSB);
        self.indices.write_code.next = self.word.q.val().get_bits::<W_INDEX_BITS>(W_INDEX_LSB);
        self.indices.write_immediate.next = self.word.q.val().get_bits::<W_IMMEDIATE_BITS>(W_IMMEDIATE_LSB);
        self.indices.advance.next = self.advance.val();
        self.indices.start.next = self.rom_valid.q.val() & self.rom__.q.first.val();
        self.indices.start_i.next = self.rom_i.q.val();
        self.indices.valid.next = self.row_valid.q.val();
        self.indices.exit.next = self.row.q.exit.val();
        self.indices.keyed.next = self.row.q.keyed.val();
        self.indices.at.next = bit_cast::<ROW_ADDRESS_BITS, 7>(self.row.q.at.val());
        self.indices.j_action.next = self.word.q.val().get_bits::<J_BITS>(J_LSB);
        self.indices.j_zero.next = self.word.q.val().get_bit(J_ZERO_LSB);
        self.indices.i_action.next = self.word.q.val().get_bits::<I_BITS>(I_LSB);
        self.indices.l_action.next = self.word.q.val().get_bits::<L_BITS>(L_LSB);
    }

    described! {
        "address_generator", "Control ROM; base registers and indices of row addresses."; X_LSB, A_BASE_LSB, B_BASE_LSB,
        W_BASE_LSB, A_INDEX_LSB, B_INDEX_LSB, W_INDEX_LSB, A_IMMEDIATE_LSB, B_IMMEDIATE_LSB, W_IMMEDIATE_LSB,
        STEER_X_LSB, STEER_Y_LSB, FLIP_X_LSB, FLIP_Y_LSB, FLIP_OUT_LSB, MERGE_LSB, MULTI_LSB, A_EN_LSB, B_EN_LSB,
        W_EN_LSB, W_ON_EXIT_LSB, LOAD_LSB, STORE_LSB, J_LSB, J_ZERO_LSB, L_LSB, I_LSB, FLIP_X_BIT, FLIP_Y_BIT,
        FLIP_OUT_BIT, MULTI_OFF, MULTI_NOR_OF_ZEROS; _multi
    }
}
