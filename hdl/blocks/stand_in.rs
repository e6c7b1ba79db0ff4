//! STAND-IN for the board top, until it is there: a compute unit whose commands are a count, and lights.

use rust_hdl::core::timing::TimingInfo;

use super::compute_unit::ComputeUnit;
use crate::isa::microcode::Microcode;
use crate::kernel::prelude::*;
use crate::params::Params;

/// Board top with lights only.
#[derive(LogicBlock, Default)]
pub struct BoardTop<W: RowWord, B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// User LEDs.
    pub led: Signal<Out, Bits<8>>,
    /// Where commands come from.
    pub count: Register<Bits<32>>,
    /// The unit.
    pub unit: ComputeUnit<W, B>,
    /// Beats that nobody takes.
    pub unused_data: Signal<Local, B>,
    /// Level that nobody looks at.
    pub unused_level: Signal<Local, Bits<5>>,
    /// Codes that nobody looks at.
    pub unused_codes: Signal<Local, Bits<3>>,
    /// Events that nobody looks at.
    pub unused_events: Signal<Local, Bit>,
}

impl<W: RowWord, B: Packed> BoardTop<W, B> {
    /// The top that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        BoardTop { unit: ComputeUnit::new(params, code), ..Self::default() }
    }
}

impl<W: RowWord, B: Packed> Logic for BoardTop<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        clock!(self, clock, unit);
        self.count.d.next = self.count.q.val() + 1;
        self.unit.cmd_valid.next = self.count.q.val().get_bit(12);
        self.unit.cmd_op.next = self.count.q.val().get_bits::<6>(24);
        self.unit.cmd_set.next = self.count.q.val().get_bits::<2>(30);
        self.unit.cmd_width.next = self.count.q.val().get_bits::<7>(17);
        self.unit.cmd_second.next = self.count.q.val().get_bits::<7>(10);
        self.unit.cmd_a.next = self.count.q.val().get_bits::<10>(3);
        self.unit.cmd_b.next = self.count.q.val().get_bits::<10>(6);
        self.unit.cmd_d.next = self.count.q.val().get_bits::<10>(9);
        self.unit.cmd_e.next = self.count.q.val().get_bits::<10>(12);
        self.unit.cmd_s.next = self.count.q.val().get_bits::<10>(15);
        self.unit.cmd_key.next = bits_to::<Word<64, 1>, Bits<32>>(self.count.q.val());
        self.unit.s_axis_tvalid.next = self.count.q.val().get_bit(5);
        self.unit.s_axis_tdata.next = bits_to::<B, Bits<32>>(self.count.q.val());
        self.unit.m_axis_tready.next = true;
        self.unused_data.next = self.unit.m_axis_tdata.val();
        self.unused_level.next = self.unit.queue_level.val();
        self.unused_codes.next = self.unit.refused_code.val() ^ self.unit.refused_operand.val();
        self.unused_events.next =
            self.unit.accepted.val() ^ self.unit.finished.val() ^ self.unit.issued.val() ^ self.unit.started.val();
        self.led.next = 0.into();
        if self.unit.busy.val() {
            self.led.next = 1.into();
        }
        if self.unit.refused.val() {
            self.led.next = 2.into();
        }
        if self.unit.tag_any.val() {
            self.led.next = 4.into();
        }
        if self.unit.m_axis_tvalid.val() & self.unit.m_axis_tlast.val() {
            self.led.next = 8.into();
        }
        if self.unit.s_axis_tready.val() & self.unit.cmd_ready.val() {
            self.led.next = self.count.q.val().get_bits::<8>(24);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("top_vc709", "Stand-in: a compute unit whose commands are a count.", &[])
    }
}
