//! Address generator: the two pipeline stages behind the flow control. The first reads the row's control word, the second reads
//! base registers, chooses indices and applies what depends on the pass (flips on exit, key steering).
//!
//! ```text
//!  fetch ─▶ control ROM ─▶ address stage: base[k], {literal, J, I + J, L, I} ─▶ address adder
//! ```
//!
//! Both stages move in the cycles with `advance` = 1; all outputs are of the address stage, in the same cycle.

use super::column_peripheral::COLUMN_CONTROL;
use super::flow_control::PC;
use super::index_registers::IndexRegisters;
use super::types::RowAddress;
use crate::isa::uop::*;
use crate::isa::word::control::*;
use crate::isa::word::flow::TOKEN_BITS;
use crate::kernel::prelude::*;
use crate::params::ROW_ADDRESS_BITS;

/// A control word.
pub type ControlWord = Word<{ WIDTH }, 2>;

const FLIP_X_BIT: u64 = 1 << X_LSB;
const FLIP_Y_BIT: u64 = 1 << Y_LSB;
const FLIP_OUT_BIT: u64 = 1 << (OUT_LSB + 1);

/// The address generator.
#[derive(LogicBlock, Default)]
pub struct AddressGenerator {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// The stages move.
    pub advance: Signal<In, Bit>,
    /// The flow control hands on a row.
    pub fetch_valid: Signal<In, Bit>,
    /// Its address.
    pub fetch_address: Signal<In, Bits<PC>>,
    /// It leaves its inner loop.
    pub fetch_exit: Signal<In, Bit>,
    /// Its port A rests.
    pub fetch_rest_a: Signal<In, Bit>,
    /// The key's two lowest bits.
    pub fetch_key_bits: Signal<In, Bits<2>>,
    /// First row of its command.
    pub fetch_first: Signal<In, Bit>,
    /// Last row of its command.
    pub fetch_last: Signal<In, Bit>,
    /// Bank of base registers.
    pub fetch_bank: Signal<In, Bit>,
    /// Token.
    pub fetch_token: Signal<In, Bits<TOKEN_BITS>>,
    /// Addressed by the key scanner.
    pub fetch_keyed: Signal<In, Bit>,
    /// Key position or effective width.
    pub fetch_at: Signal<In, Bits<7>>,
    /// C starts at 1.
    pub fetch_carry: Signal<In, Bit>,
    /// T keeps its value.
    pub fetch_keep_tag: Signal<In, Bit>,
    /// I at the start.
    pub fetch_i: Signal<In, RowAddress>,
    /// Rows of multi-row sensing: 1 bits of the key.
    pub fetch_key_rows: Signal<In, Word<64, 1>>,
    /// All rows of the width.
    pub fetch_width_rows: Signal<In, Word<64, 1>>,
    /// Writes a base register.
    pub base_write: Signal<In, Bit>,
    /// Bank and number.
    pub base_address: Signal<In, Bits<5>>,
    /// Its value.
    pub base_data: Signal<In, RowAddress>,
    /// Something is in the two stages.
    pub occupied: Signal<Out, Bit>,
    /// A cycle ago, a row in the two stages was to read bank 0 of the base registers.
    pub uses_bank_0: Signal<Out, Bit>,
    /// A cycle ago, a row in the two stages was to read bank 1 of the base registers.
    pub uses_bank_1: Signal<Out, Bit>,
    /// There is a row.
    pub valid: Signal<Out, Bit>,
    /// What the columns do.
    pub column: Signal<Out, Bits<COLUMN_CONTROL>>,
    /// Row B is read for the merge only.
    pub merge: Signal<Out, Bit>,
    /// Multi-row sensing.
    pub multi: Signal<Out, Bits<2>>,
    /// Its rows.
    pub multi_rows: Signal<Out, Word<64, 1>>,
    /// Port A reads.
    pub a_enable: Signal<Out, Bit>,
    /// Base of row A.
    pub a_base: Signal<Out, RowAddress>,
    /// Index of row A.
    pub a_index: Signal<Out, RowAddress>,
    /// Port B reads.
    pub b_enable: Signal<Out, Bit>,
    /// Base of row B.
    pub b_base: Signal<Out, RowAddress>,
    /// Index of row B.
    pub b_index: Signal<Out, RowAddress>,
    /// A row is written.
    pub write_enable: Signal<Out, Bit>,
    /// Base of the row written.
    pub write_base: Signal<Out, RowAddress>,
    /// Index of the row written.
    pub write_index: Signal<Out, RowAddress>,
    /// From the load port.
    pub load: Signal<Out, Bit>,
    /// To the store port.
    pub store: Signal<Out, Bit>,
    /// Token.
    pub token: Signal<Out, Bits<TOKEN_BITS>>,
    /// First row of its command.
    pub is_first: Signal<Out, Bit>,
    /// Last row of its command.
    pub is_last: Signal<Out, Bit>,
    /// C starts at 1.
    pub preset_carry: Signal<Out, Bit>,
    /// T keeps its value.
    pub preset_keep_tag: Signal<Out, Bit>,
    /// Control words.
    pub rom: Rom<ControlWord, Bits<PC>>,
    /// Base registers, read for row A.
    pub a_bases: AsyncRam<RowAddress, Bits<5>>,
    /// Base registers, read for row B.
    pub b_bases: AsyncRam<RowAddress, Bits<5>>,
    /// Base registers, read for the row written.
    pub write_bases: AsyncRam<RowAddress, Bits<5>>,
    /// ROM stage.
    pub rom_valid: Register<Bit>,
    /// Leaves its inner loop.
    pub rom_exit: Register<Bit>,
    /// Port A rests.
    pub rom_rest_a: Register<Bit>,
    /// Key bits.
    pub rom_key_bits: Register<Bits<2>>,
    /// First.
    pub rom_first: Register<Bit>,
    /// Last.
    pub rom_last: Register<Bit>,
    /// Bank.
    pub rom_bank: Register<Bit>,
    /// Token.
    pub rom_token: Register<Bits<TOKEN_BITS>>,
    /// Keyed.
    pub rom_keyed: Register<Bit>,
    /// Position or width.
    pub rom_at: Register<Bits<7>>,
    /// C starts at 1.
    pub rom_carry: Register<Bit>,
    /// T keeps its value.
    pub rom_keep_tag: Register<Bit>,
    /// I at the start.
    pub rom_i: Register<RowAddress>,
    /// 1 bits of the key.
    pub rom_key_rows: Register<Word<64, 1>>,
    /// All rows of the width.
    pub rom_width_rows: Register<Word<64, 1>>,
    /// Address stage.
    pub row_valid: Register<Bit>,
    /// Control word.
    pub word: Register<ControlWord>,
    /// Leaves its inner loop.
    pub row_exit: Register<Bit>,
    /// Port A rests.
    pub row_rest_a: Register<Bit>,
    /// Key bits.
    pub row_key_bits: Register<Bits<2>>,
    /// First.
    pub row_first: Register<Bit>,
    /// Last.
    pub row_last: Register<Bit>,
    /// Bank.
    pub row_bank: Register<Bit>,
    /// Token.
    pub row_token: Register<Bits<TOKEN_BITS>>,
    /// Keyed.
    pub row_keyed: Register<Bit>,
    /// Position or width.
    pub row_at: Register<Bits<7>>,
    /// C starts at 1.
    pub row_carry: Register<Bit>,
    /// T keeps its value.
    pub row_keep_tag: Register<Bit>,
    /// 1 bits of the key.
    pub row_key_rows: Register<Word<64, 1>>,
    /// All rows of the width.
    pub row_width_rows: Register<Word<64, 1>>,
    /// What `uses_bank_0` says.
    pub used_0: Register<Bit>,
    /// What `uses_bank_1` says.
    pub used_1: Register<Bit>,
    /// J, I and L.
    pub indices: IndexRegisters,
    a_select: Signal<Local, Bits<5>>,
    b_select: Signal<Local, Bits<5>>,
    write_select: Signal<Local, Bits<5>>,
    flips: Signal<Local, Bits<COLUMN_CONTROL>>,
    steer_x: Signal<Local, Bit>,
    steer_y: Signal<Local, Bit>,
    _multi: bool,
}

impl AddressGenerator {
    /// An address generator with these control words; `multi` with multi-row sensing.
    pub fn new(words: &[u128], multi: bool) -> Self {
        let words = words.iter().map(|&w| ControlWord::from_limbs([w as u64, (w >> 64) as u64])).collect();
        AddressGenerator {
            rom: Rom::new(words),
            a_bases: AsyncRam::new(32),
            b_bases: AsyncRam::new(32),
            write_bases: AsyncRam::new(32),
            _multi: multi,
            ..Self::default()
        }
    }
}

impl Logic for AddressGenerator {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rom, a_bases, b_bases, write_bases, indices);
        dff_setup!(self, clock, rom_valid, rom_exit, rom_rest_a, rom_key_bits, rom_first, rom_last, rom_bank);
        dff_setup!(self, clock, rom_token, rom_keyed, rom_at, rom_carry, rom_keep_tag, rom_i, rom_key_rows);
        dff_setup!(self, clock, rom_width_rows, row_valid, word, row_exit, row_rest_a, row_key_bits, row_first);
        dff_setup!(self, clock, row_last, row_bank, row_token, row_keyed, row_at, row_carry, row_keep_tag);
        dff_setup!(self, clock, row_key_rows, row_width_rows, used_0, used_1);
        self.rom.address.next = self.fetch_address.val();
        self.rom.enable.next = self.advance.val();
        if self.advance.val() {
            self.rom_valid.d.next = self.fetch_valid.val();
            self.rom_exit.d.next = self.fetch_exit.val();
            self.rom_rest_a.d.next = self.fetch_rest_a.val();
            self.rom_key_bits.d.next = self.fetch_key_bits.val();
            self.rom_first.d.next = self.fetch_first.val();
            self.rom_last.d.next = self.fetch_last.val();
            self.rom_bank.d.next = self.fetch_bank.val();
            self.rom_token.d.next = self.fetch_token.val();
            self.rom_keyed.d.next = self.fetch_keyed.val();
            self.rom_at.d.next = self.fetch_at.val();
            self.rom_carry.d.next = self.fetch_carry.val();
            self.rom_keep_tag.d.next = self.fetch_keep_tag.val();
            self.rom_i.d.next = self.fetch_i.val();
            self.row_valid.d.next = self.rom_valid.q.val();
            self.word.d.next = self.rom.data.val();
            self.row_exit.d.next = self.rom_exit.q.val();
            self.row_rest_a.d.next = self.rom_rest_a.q.val();
            self.row_key_bits.d.next = self.rom_key_bits.q.val();
            self.row_first.d.next = self.rom_first.q.val();
            self.row_last.d.next = self.rom_last.q.val();
            self.row_bank.d.next = self.rom_bank.q.val();
            self.row_token.d.next = self.rom_token.q.val();
            self.row_keyed.d.next = self.rom_keyed.q.val();
            self.row_at.d.next = self.rom_at.q.val();
            self.row_carry.d.next = self.rom_carry.q.val();
            self.row_keep_tag.d.next = self.rom_keep_tag.q.val();
            if self._multi {
                self.rom_key_rows.d.next = self.fetch_key_rows.val();
                self.rom_width_rows.d.next = self.fetch_width_rows.val();
                self.row_key_rows.d.next = self.rom_key_rows.q.val();
                self.row_width_rows.d.next = self.rom_width_rows.q.val();
            }
        }
        // Base registers.
        self.a_bases.write_address.next = self.base_address.val();
        self.a_bases.write_enable.next = self.base_write.val();
        self.a_bases.write_data.next = self.base_data.val();
        self.b_bases.write_address.next = self.base_address.val();
        self.b_bases.write_enable.next = self.base_write.val();
        self.b_bases.write_data.next = self.base_data.val();
        self.write_bases.write_address.next = self.base_address.val();
        self.write_bases.write_enable.next = self.base_write.val();
        self.write_bases.write_data.next = self.base_data.val();
        self.a_select.next = bit_cast::<5, A_BASE_BITS>(self.word.q.val().get_bits::<A_BASE_BITS>(A_BASE_LSB));
        self.b_select.next = bit_cast::<5, B_BASE_BITS>(self.word.q.val().get_bits::<B_BASE_BITS>(B_BASE_LSB));
        self.write_select.next = bit_cast::<5, W_BASE_BITS>(self.word.q.val().get_bits::<W_BASE_BITS>(W_BASE_LSB));
        if self.row_bank.q.val() {
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
        self.steer_x.next = self.word.q.val().get_bit(STEER_X_LSB) & !self.row_key_bits.q.val().get_bit(0);
        self.steer_y.next = self.word.q.val().get_bit(STEER_Y_LSB) & !self.row_key_bits.q.val().get_bit(1);
        if (self.row_exit.q.val() & self.word.q.val().get_bit(FLIP_X_LSB)) ^ self.steer_x.val() {
            self.flips.next = FLIP_X_BIT.into();
        }
        if (self.row_exit.q.val() & self.word.q.val().get_bit(FLIP_Y_LSB)) ^ self.steer_y.val() {
            self.flips.next = self.flips.val() | FLIP_Y_BIT;
        }
        if self.row_exit.q.val() & self.word.q.val().get_bit(FLIP_OUT_LSB) {
            self.flips.next = self.flips.val() | FLIP_OUT_BIT;
        }
        self.valid.next = self.row_valid.q.val();
        self.occupied.next = self.row_valid.q.val() | self.rom_valid.q.val();
        self.uses_bank_0.next = self.used_0.q.val();
        self.uses_bank_1.next = self.used_1.q.val();
        self.used_0.d.next =
            (self.row_valid.q.val() & !self.row_bank.q.val()) | (self.rom_valid.q.val() & !self.rom_bank.q.val());
        self.used_1.d.next =
            (self.row_valid.q.val() & self.row_bank.q.val()) | (self.rom_valid.q.val() & self.rom_bank.q.val());
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
        self.a_enable.next = self.word.q.val().get_bit(A_EN_LSB) & !self.row_rest_a.q.val();
        self.b_enable.next = self.word.q.val().get_bit(B_EN_LSB);
        self.write_enable.next =
            self.word.q.val().get_bit(W_EN_LSB) & (self.row_exit.q.val() | !self.word.q.val().get_bit(W_ON_EXIT_LSB));
        self.load.next = self.word.q.val().get_bit(LOAD_LSB);
        self.store.next = self.word.q.val().get_bit(STORE_LSB);
        self.token.next = self.row_token.q.val();
        self.is_first.next = self.row_first.q.val();
        self.is_last.next = self.row_last.q.val();
        self.preset_carry.next = self.row_carry.q.val();
        self.preset_keep_tag.next = self.row_keep_tag.q.val();
        // Index registers.
        self.indices.a_code.next = self.word.q.val().get_bits::<A_INDEX_BITS>(A_INDEX_LSB);
        self.indices.a_immediate.next = self.word.q.val().get_bits::<A_IMMEDIATE_BITS>(A_IMMEDIATE_LSB);
        self.indices.b_code.next = self.word.q.val().get_bits::<B_INDEX_BITS>(B_INDEX_LSB);
        self.indices.b_immediate.next = self.word.q.val().get_bits::<B_IMMEDIATE_BITS>(B_IMMEDIATE_LSB);
        self.indices.write_code.next = self.word.q.val().get_bits::<W_INDEX_BITS>(W_INDEX_LSB);
        self.indices.write_immediate.next = self.word.q.val().get_bits::<W_IMMEDIATE_BITS>(W_IMMEDIATE_LSB);
        self.indices.advance.next = self.advance.val();
        self.indices.start.next = self.rom_valid.q.val() & self.rom_first.q.val();
        self.indices.start_i.next = self.rom_i.q.val();
        self.indices.valid.next = self.row_valid.q.val();
        self.indices.exit.next = self.row_exit.q.val();
        self.indices.keyed.next = self.row_keyed.q.val();
        self.indices.at.next = bit_cast::<ROW_ADDRESS_BITS, 7>(self.row_at.q.val());
        self.indices.j_action.next = self.word.q.val().get_bits::<J_BITS>(J_LSB);
        self.indices.j_zero.next = self.word.q.val().get_bit(J_ZERO_LSB);
        self.indices.i_action.next = self.word.q.val().get_bits::<I_BITS>(I_LSB);
        self.indices.l_action.next = self.word.q.val().get_bits::<L_BITS>(L_LSB);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "address_generator",
            "Control ROM; base registers and indices of row addresses.",
            constants![
                X_LSB, A_BASE_LSB, B_BASE_LSB, W_BASE_LSB, A_INDEX_LSB, B_INDEX_LSB, W_INDEX_LSB, A_IMMEDIATE_LSB,
                B_IMMEDIATE_LSB, W_IMMEDIATE_LSB, STEER_X_LSB, STEER_Y_LSB, FLIP_X_LSB, FLIP_Y_LSB, FLIP_OUT_LSB,
                MERGE_LSB, MULTI_LSB, A_EN_LSB, B_EN_LSB, W_EN_LSB, W_ON_EXIT_LSB, LOAD_LSB, STORE_LSB, J_LSB,
                J_ZERO_LSB, L_LSB, I_LSB, FLIP_X_BIT, FLIP_Y_BIT, FLIP_OUT_BIT, MULTI_OFF,
                MULTI_NOR_OF_ZEROS;
                self._multi
            ],
        )
    }
}
