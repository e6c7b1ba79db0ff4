//! Board top for the VC709: the compute unit behind its registers, with a self-test in the place of a host.
//!
//! ```text
//!  button, dip ────▶ self-test ◀─▶ compute top
//!                        └───────┬───────┘
//!                               led
//! ```
//!
//! | LED | lights |
//! |---|---|
//! | 0 | blinks: the clock runs |
//! | 1 | the self-test runs |
//! | 2 | its last run passed |
//! | 3 | its last run failed |
//! | 4 | the unit is busy |
//! | 5 | `error` holds an error code |
//! | 6 | some column's tag is set |
//! | 7 | the interrupt line is up |
//!
//! The self-test runs once after reset, again at the press of the centre button, and without end while DIP switch 0 is on and nothing has
//! failed. `button` and `dip` must be in step with the clock: the board's wrapper sees to that.

use super::compute_top::ComputeTop;
use super::self_test::SelfTest;
use crate::isa::microcode::Microcode;
use crate::kernel::prelude::*;
use crate::params::Params;
use crate::self_test;

/// Centre button.
const CENTRE: usize = 4;
/// Bits of the counter that makes LED 0 blink: 0.75 times a second at 200 MHz.
const BLINK: usize = 28;
const LED_RUNNING: u64 = 1;
const LED_PASSED: u64 = 2;
const LED_FAILED: u64 = 3;
const LED_BUSY: u64 = 4;
const LED_ERROR: u64 = 5;
const LED_TAG_ANY: u64 = 6;
const LED_IRQ: u64 = 7;

/// The board top: `W` a row, `B` a beat.
#[derive(LogicBlock, Default)]
pub struct TopVc709<W: RowWord, B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Push-buttons: up, left, down, right, centre.
    pub button: Signal<In, Bits<5>>,
    /// DIP switches.
    pub dip: Signal<In, Bits<8>>,
    /// User LEDs.
    pub led: Signal<Out, Bits<8>>,
    /// Compute unit and registers.
    pub compute: ComputeTop<W, B>,
    /// Self-test.
    pub test: SelfTest<B>,
    /// Counts cycles.
    pub blink: Register<Bits<BLINK>>,
    /// The self-test has run since reset.
    pub started: Register<Bit>,
    /// The centre button is pressed.
    pub pressed: Register<Bit>,
    /// LEDs.
    pub lights: Register<Bits<8>>,
    start: Signal<Local, Bit>,
    unused_button: Signal<Local, Bits<4>>,
    unused_dip: Signal<Local, Bits<7>>,
    unused_response: Signal<Local, Bits<2>>,
    unused_last: Signal<Local, Bit>,
}

impl<W: RowWord, B: Packed> TopVc709<W, B> {
    /// The top that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        TopVc709 {
            compute: ComputeTop::new(params, code),
            test: SelfTest::new(&self_test::SelfTest::new(params)),
            ..Self::default()
        }
    }
}

impl<W: RowWord, B: Packed> Logic for TopVc709<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, compute, test);
        dff_setup!(self, clock, blink, started, pressed, lights);
        self.blink.d.next = self.blink.q.val() + 1;
        self.pressed.d.next = self.button.val().get_bit(CENTRE);
        self.started.d.next = true;
        self.start.next = !self.started.q.val()
            | (self.button.val().get_bit(CENTRE) & !self.pressed.q.val())
            | (self.dip.val().get_bit(0) & !self.test.failed.val());
        self.unused_button.next = self.button.val().get_bits::<4>(0);
        self.unused_dip.next = self.dip.val().get_bits::<7>(1);
        self.test.start.next = self.start.val();
        self.compute.s_axil_awaddr.next = self.test.m_axil_awaddr.val();
        self.compute.s_axil_awvalid.next = self.test.m_axil_awvalid.val();
        self.test.m_axil_awready.next = self.compute.s_axil_awready.val();
        self.compute.s_axil_wdata.next = self.test.m_axil_wdata.val();
        self.compute.s_axil_wstrb.next = 15.into();
        self.compute.s_axil_wvalid.next = self.test.m_axil_wvalid.val();
        self.test.m_axil_wready.next = self.compute.s_axil_wready.val();
        self.test.m_axil_bvalid.next = self.compute.s_axil_bvalid.val();
        self.compute.s_axil_bready.next = true;
        self.compute.s_axil_araddr.next = self.test.m_axil_araddr.val();
        self.compute.s_axil_arvalid.next = self.test.m_axil_arvalid.val();
        self.test.m_axil_arready.next = self.compute.s_axil_arready.val();
        self.test.m_axil_rdata.next = self.compute.s_axil_rdata.val();
        self.test.m_axil_rvalid.next = self.compute.s_axil_rvalid.val();
        self.compute.s_axil_rready.next = true;
        self.unused_response.next = self.compute.s_axil_bresp.val() ^ self.compute.s_axil_rresp.val();
        self.compute.s_axis_tvalid.next = self.test.m_axis_tvalid.val();
        self.test.m_axis_tready.next = self.compute.s_axis_tready.val();
        self.compute.s_axis_tdata.next = self.test.m_axis_tdata.val();
        self.test.s_axis_tvalid.next = self.compute.m_axis_tvalid.val();
        self.compute.m_axis_tready.next = true;
        self.test.s_axis_tdata.next = self.compute.m_axis_tdata.val();
        self.unused_last.next = self.compute.m_axis_tlast.val();
        self.lights.d.next = bits_to::<Bits<8>, Bit>(self.blink.q.val().get_bit(27))
            | (bits_to::<Bits<8>, Bit>(self.test.running.val()) << LED_RUNNING)
            | (bits_to::<Bits<8>, Bit>(self.test.passed.val()) << LED_PASSED)
            | (bits_to::<Bits<8>, Bit>(self.test.failed.val()) << LED_FAILED)
            | (bits_to::<Bits<8>, Bit>(self.compute.busy.val()) << LED_BUSY)
            | (bits_to::<Bits<8>, Bit>(self.compute.error.val()) << LED_ERROR)
            | (bits_to::<Bits<8>, Bit>(self.compute.tag_any.val()) << LED_TAG_ANY)
            | (bits_to::<Bits<8>, Bit>(self.compute.irq.val()) << LED_IRQ);
        self.led.next = self.lights.q.val();
    }

    fn timing(&self) -> Vec<rust_hdl::core::timing::TimingInfo> {
        describe(
            "top_vc709",
            "The compute unit with a self-test on the VC709.",
            constants![CENTRE, LED_RUNNING, LED_PASSED, LED_FAILED, LED_BUSY, LED_ERROR, LED_TAG_ANY, LED_IRQ,],
        )
    }
}
