//! Board registers: identification, scratch, LEDs, inputs and counters behind AXI4-Lite. Layout:
//! [`crate::system::registers`].
//!
//! ```text
//!  s_axil ─▶ slave ─▶ scratch, led
//!            slave ◀─ identification, inputs, counters
//! ```
//!
//! Timing: that of the slave (`axil_slave`), which is always ready. Counters show what happened up to the cycle before;
//! `button` and `dip` what they were then.

use crate::kernel::prelude::*;
use crate::parts::axil_slave::AxilSlaveOf;
use crate::parts::axil_word::AxilWord;
use crate::parts::bundles::AxilSlavePort;
use crate::system::SystemParams;
use crate::system::blocks::bundles::{LedSource, OutcomeSink};
use crate::system::registers::*;

pub const BOARD_ADDRESS_BITS: usize = ADDRESS_BITS; // Bits of a byte address inside the block.
const NUMBER: usize = ADDRESS_BITS - 2; // Bits of a register's number.
const NUMBERS: usize = 1 << NUMBER;
const SCRATCH: usize = number(REG_SCRATCH);
const LED: usize = number(REG_LED);
const INPUTS: usize = number(REG_INPUTS);
const FRAMES_OK: usize = number(REG_FRAMES_OK);
const FRAMES_REFUSED: usize = number(REG_FRAMES_REFUSED);
const WRONG_BYTES: usize = number(REG_WRONG_BYTES);
const LED_BITS: u64 = crate::regmap::writable_in(REGISTERS, REG_LED);
const SWITCHES_AT: u64 = INPUTS_SWITCHES_LSB as u64;

const fn number(offset: u64) -> usize {
    (offset / 4) as usize
}

hdl_block! {
    pub BoardRegisters {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<BOARD_ADDRESS_BITS>>; /// Registers, as seen by their master.
        Bus outcome_: OutcomeSink; /// How a request ended, for a cycle.
        In wrong_byte: Bit; /// A byte had a wrong stop bit.
        In button: Bits<5>; /// Push-buttons.
        In dip: Bits<8>; /// DIP switches.
        Bus wanted_: LedSource; /// What the host wants to see on the LEDs.
    } inside {
        Child slave: AxilSlaveOf<BOARD_ADDRESS_BITS, NUMBER>; // The slave.
        Child scratch, led: AxilWord; // Scratch. LEDs.
        Register inputs, frames_ok: Bits<32>; // Inputs. Requests answered with status `ok`.
        Register frames_refused, wrong_bytes: Bits<32>; // Requests answered with another. Bytes with a wrong stop bit.
        Child fixed: Vec<Constant<Bits<32>>>; // What registers hold after reset; identification registers always.
        Child words: [Signal<Local, Bits<32>>; NUMBERS];
        Child of_2: [Signal<Local, Bits<32>>; 8];
        Child of_4: [Signal<Local, Bits<32>>; 4];
        Child of_8: [Signal<Local, Bits<32>>; 2];
        Local unused_led: Bits<23>;
    }
}

impl BoardRegisters {
    /// The register block of this system.
    pub fn new(system: &SystemParams) -> Self {
        let fixed = |at: usize| REGISTERS.iter().find(|r| number(r.offset) == at).map_or(0, |r| reset_value(system, r));
        let fixed = (0..NUMBERS).map(|at| Constant::new(u64::from(fixed(at)).into())).collect();
        BoardRegisters { fixed, ..Self::default() }
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
            self.words[i].next = self.fixed[i].val();
        }
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
        SCRATCH, LED, INPUTS, FRAMES_OK, FRAMES_REFUSED, WRONG_BYTES, NUMBERS, LED_BITS, SWITCHES_AT, LED_VALUE_LSB,
        LED_OVERRIDE_LSB);
}
