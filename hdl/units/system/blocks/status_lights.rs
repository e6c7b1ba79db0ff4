//! Status lights: what the board's LEDs show.
//!
//! | LED | lights |
//! |---|---|
//! | 0 | blinks: the clock runs |
//! | 1 | a request is under way, or was within the last 2^22 cycles |
//! | 2 | the last request was answered with status `ok` |
//! | 3 | the last request was answered with another |
//! | 4 | the array is busy, or was within the last 2^22 cycles |
//! | 5 | the array's register `error` holds a code |
//! | 6 | the cache compute system or a Duality Cache is at work, was within the last 2^22 cycles, or interrupts |
//! | 7 | the array interrupts |
//!
//! While `override` = 1 they show `value` instead. Timing: two cycles late. All but LED 0, which blinks on, are dark
//! after reset.

use crate::kernel::prelude::*;
use crate::system::blocks::bundles::{LedSink, OutcomeSink};

const BLINK: usize = 27; // Bits of the counter behind LED 0: 1.5 blinks a second at 200 MHz.
const BLINK_BIT: usize = BLINK - 1;
const HOLD: usize = 23; // Bits of a counter that keeps a light on: 21 ms at 200 MHz.
const HOLD_BIT: usize = HOLD - 1;
const HELD: usize = 3; // Lights that are kept on.
const FRAME: usize = 0;
const ARRAY: usize = 1;
const CCS: usize = 2;
const LED_FRAME: u64 = 1;
const LED_OK: u64 = 2;
const LED_REFUSED: u64 = 3;
const LED_ARRAY_BUSY: u64 = 4;
const LED_ARRAY_ERROR: u64 = 5;
const LED_CCS: u64 = 6;
const LED_ARRAY_IRQ: u64 = 7;

hdl_block! {
    pub StatusLights {
        In clock: Domain; /// Clock and reset.
        In frame_busy: Bit; /// A request is under way.
        Bus outcome_: OutcomeSink; /// How a request ended, for a cycle.
        In array_busy, array_error, array_irq: Bit; /// The array is busy. It holds an error. It interrupts.
        In ccs_busy, ccs_irq: Bit; /// The cache compute system runs a command. It interrupts.
        Bus wanted_: LedSink; /// What the host wants to see on the LEDs.
        Out led: Bits<8>; /// The LEDs.
    } inside {
        Register blink: Bits<BLINK>; // Counts cycles.
        // Cycles since a light was last wanted, with the top bit 0; the light is on.
        Child held: Vec<Register<Bits<HOLD>>>;
        Register ok, refused, error: Bit; // The last request went well. It did not. The array holds an error.
        Register irq, second_irq: Bit; // It interrupts. The cache compute system interrupts.
        Register leds: Bits<8>; // LEDs.
        Child wanted, on: [Signal<Local, Bit>; HELD];
    }
}

impl StatusLights {
    pub fn new() -> Self {
        // At first no light was wanted for long.
        let held = || Register::new(Bits::from(1u64 << HOLD_BIT));
        StatusLights { held: (0..HELD).map(|_| held()).collect(), ..Self::default() }
    }
}

impl Logic for StatusLights {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, blink, ok, refused, error, irq, second_irq, leds);
        self.blink.d.next = self.blink.q.val() + 1;
        self.wanted[FRAME].next = self.frame_busy.val();
        self.wanted[ARRAY].next = self.array_busy.val();
        self.wanted[CCS].next = self.ccs_busy.val();
        for i in 0..HELD {
            dff_setup!(self, clock, held[i]);
            self.on[i].next = !self.held[i].q.val().get_bit(HOLD_BIT);
            if self.wanted[i].val() {
                self.held[i].d.next = 0.into();
            } else if self.on[i].val() {
                self.held[i].d.next = self.held[i].q.val() + 1;
            }
        }
        if self.outcome_.frame_ok.val() | self.outcome_.frame_refused.val() {
            self.ok.d.next = self.outcome_.frame_ok.val();
            self.refused.d.next = self.outcome_.frame_refused.val();
        }
        self.error.d.next = self.array_error.val();
        self.irq.d.next = self.array_irq.val();
        self.second_irq.d.next = self.ccs_irq.val();
        self.leds.d.next = bits_to::<Bits<8>, Bit>(self.blink.q.val().get_bit(BLINK_BIT))
            | (bits_to::<Bits<8>, Bit>(self.on[FRAME].val()) << LED_FRAME)
            | (bits_to::<Bits<8>, Bit>(self.ok.q.val()) << LED_OK)
            | (bits_to::<Bits<8>, Bit>(self.refused.q.val()) << LED_REFUSED)
            | (bits_to::<Bits<8>, Bit>(self.on[ARRAY].val()) << LED_ARRAY_BUSY)
            | (bits_to::<Bits<8>, Bit>(self.error.q.val()) << LED_ARRAY_ERROR)
            | (bits_to::<Bits<8>, Bit>(self.on[CCS].val() | self.second_irq.q.val()) << LED_CCS)
            | (bits_to::<Bits<8>, Bit>(self.irq.q.val()) << LED_ARRAY_IRQ);
        if self.wanted_.led_override.val() {
            self.leds.d.next = self.wanted_.led_value.val();
        }
        self.led.next = self.leds.q.val();
    }

    described!("status_lights", "What the board's LEDs show.";
        BLINK_BIT, HOLD_BIT, HELD, FRAME, ARRAY, CCS, LED_FRAME, LED_OK, LED_REFUSED, LED_ARRAY_BUSY, LED_ARRAY_ERROR,
        LED_CCS, LED_ARRAY_IRQ);
}
