//! Board registers: identification, scratch, LEDs, inputs and counters behind AXI4-Lite. Layout: [`crate::system::registers`].
//!
//! ```text
//!  s_axil ─▶ slave ─▶ scratch, led
//!            slave ◀─ identification, inputs, counters
//! ```
//!
//! Timing: that of the slave (`axil_slave`), which is always ready. Counters show what happened up to the cycle before; `button` and `dip` what they
//! were then.

use super::bundles::{LedSource, OutcomeSink};
use crate::blocks::axil_slave::AxilSlaveOf;
use crate::blocks::axil_word::AxilWord;
use crate::blocks::bundles::AxilSlavePort;
use crate::kernel::prelude::*;
use crate::system::SystemParams;
use crate::system::registers::{self as table, *};

/// Bits of a byte address inside the block.
pub const BOARD_ADDRESS_BITS: usize = ADDRESS_BITS;
/// Bits of a register's number.
const NUMBER: usize = ADDRESS_BITS - 2;
/// Numbers.
const NUMBERS: usize = 1 << NUMBER;
const ID: usize = number(REG_ID);
const VERSION: usize = number(REG_VERSION);
const HASH_LOW: usize = number(REG_HASH_LOW);
const HASH_HIGH: usize = number(REG_HASH_HIGH);
const CLOCK: usize = number(REG_CLOCK);
const BAUD: usize = number(REG_BAUD);
const MEMORY: usize = number(REG_MEMORY);
const SCRATCH: usize = number(REG_SCRATCH);
const LED: usize = number(REG_LED);
const INPUTS: usize = number(REG_INPUTS);
const FRAMES_OK: usize = number(REG_FRAMES_OK);
const FRAMES_REFUSED: usize = number(REG_FRAMES_REFUSED);
const WRONG_BYTES: usize = number(REG_WRONG_BYTES);
const LED_BITS: u64 = crate::registers::writable_in(REGISTERS, REG_LED);
const SWITCHES_AT: u64 = INPUTS_SWITCHES_LSB as u64;
const MAGIC_WORD: u64 = MAGIC as u64;

const fn number(offset: u64) -> usize {
    (offset / 4) as usize
}

#[derive(LogicBlock, Default)]
pub struct BoardRegisters {
    pub clock: Signal<In, Domain>,
    pub s_axil: AxilSlavePort<Bits<BOARD_ADDRESS_BITS>>, // Registers, as seen by their master.
    pub outcome_: OutcomeSink,
    pub wrong_byte: Signal<In, Bit>, // A byte had a wrong stop bit.
    pub button: Signal<In, Bits<5>>, // Push-buttons.
    pub dip: Signal<In, Bits<8>>,    // DIP switches.
    pub wanted_: LedSource,
    slave: AxilSlaveOf<BOARD_ADDRESS_BITS, NUMBER>, // The slave.
    scratch: AxilWord,                              // Scratch.
    led: AxilWord,                                  // LEDs.
    inputs: Register<Bits<32>>,                     // Inputs.
    frames_ok: Register<Bits<32>>,                  // Requests answered with status `ok`.
    frames_refused: Register<Bits<32>>,             // Requests answered with another.
    wrong_bytes: Register<Bits<32>>,                // Bytes with a wrong stop bit.
    words: [Signal<Local, Bits<32>>; NUMBERS],
    of_2: [Signal<Local, Bits<32>>; 8],
    of_4: [Signal<Local, Bits<32>>; 4],
    of_8: [Signal<Local, Bits<32>>; 2],
    unused_led: Signal<Local, Bits<23>>,
    _version: u64,
    _hash_low: u64,
    _hash_high: u64,
    _clock: u64,
    _baud: u64,
    _memory: u64,
}

impl BoardRegisters {
    /// The register block of this system.
    pub fn new(system: &SystemParams) -> Self {
        let constant = |name: &str| table::register(name).map_or(0, |r| reset_value(system, r).into());
        BoardRegisters {
            _version: constant("version"),
            _hash_low: constant("hash_low"),
            _hash_high: constant("hash_high"),
            _clock: constant("clock"),
            _baud: constant("baud"),
            _memory: constant("memory"),
            ..Self::default()
        }
    }
}

impl Logic for BoardRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, slave, scratch, led);
        dff_setup!(self, clock, inputs, frames_ok, frames_refused, wrong_bytes);
        AxilSlavePort::<Bits<BOARD_ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.slave.s_axil);
        self.slave.write_ready.next = true;
        self.slave.read_ready.next = self.slave.read.val();
        // What is written.
        self.scratch.write.next = self.slave.write.val() & (self.slave.write_number.val().index() == SCRATCH);
        self.scratch.strobes.next = self.slave.write_strobes.val();
        self.scratch.data.next = self.slave.write_data.val();
        self.led.write.next = self.slave.write.val() & (self.slave.write_number.val().index() == LED);
        self.led.strobes.next = self.slave.write_strobes.val();
        self.led.data.next = self.slave.write_data.val() & LED_BITS;
        self.wanted_.led_value.next = self.led.value.val().get_bits::<8>(LED_VALUE_LSB);
        self.wanted_.led_override.next = self.led.value.val().get_bit(LED_OVERRIDE_LSB);
        self.unused_led.next = self.led.value.val().get_bits::<23>(9);
        // What happens.
        self.inputs.d.next = bit_cast::<32, 5>(self.button.val()) | (bit_cast::<32, 8>(self.dip.val()) << SWITCHES_AT);
        if self.outcome_.frame_ok.val() {
            self.frames_ok.d.next = self.frames_ok.q.val() + 1;
        }
        if self.outcome_.frame_refused.val() {
            self.frames_refused.d.next = self.frames_refused.q.val() + 1;
        }
        if self.wrong_byte.val() {
            self.wrong_bytes.d.next = self.wrong_bytes.q.val() + 1;
        }
        // What reads give.
        for i in 0..NUMBERS {
            self.words[i].next = 0.into();
        }
        self.words[ID].next = MAGIC_WORD.into();
        self.words[VERSION].next = self._version.into();
        self.words[HASH_LOW].next = self._hash_low.into();
        self.words[HASH_HIGH].next = self._hash_high.into();
        self.words[CLOCK].next = self._clock.into();
        self.words[BAUD].next = self._baud.into();
        self.words[MEMORY].next = self._memory.into();
        self.words[SCRATCH].next = self.scratch.value.val();
        self.words[LED].next = self.led.value.val();
        self.words[INPUTS].next = self.inputs.q.val();
        self.words[FRAMES_OK].next = self.frames_ok.q.val();
        self.words[FRAMES_REFUSED].next = self.frames_refused.q.val();
        self.words[WRONG_BYTES].next = self.wrong_bytes.q.val();
        for i in 0..8 {
            self.of_2[i].next = self.words[2 * i].val();
            if self.slave.read_number.val().get_bit(0) {
                self.of_2[i].next = self.words[2 * i + 1].val();
            }
        }
        for i in 0..4 {
            self.of_4[i].next = self.of_2[2 * i].val();
            if self.slave.read_number.val().get_bit(1) {
                self.of_4[i].next = self.of_2[2 * i + 1].val();
            }
        }
        for i in 0..2 {
            self.of_8[i].next = self.of_4[2 * i].val();
            if self.slave.read_number.val().get_bit(2) {
                self.of_8[i].next = self.of_4[2 * i + 1].val();
            }
        }
        self.slave.read_value.next = self.of_8[0].val();
        if self.slave.read_number.val().get_bit(3) {
            self.slave.read_value.next = self.of_8[1].val();
        }
    }

    described!("board_registers", "Registers of the board behind AXI4-Lite.";
        ID, VERSION, HASH_LOW, HASH_HIGH, CLOCK, BAUD, MEMORY, SCRATCH, LED, INPUTS, FRAMES_OK,
        FRAMES_REFUSED, WRONG_BYTES, NUMBERS, LED_BITS, SWITCHES_AT, MAGIC_WORD, LED_VALUE_LSB,
        LED_OVERRIDE_LSB; _version, _hash_low, _hash_high, _clock, _baud, _memory);
}
