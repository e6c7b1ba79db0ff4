//! STAND-IN for the hardware blocks: a memory that answers `load` and `store` only, so that generator and scripts can be written
//! and tested. The real module of this name replaces this file.

use rust_hdl::core::timing::TimingInfo;

use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;
use crate::params::Params;

/// Which module is the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// Queue, sequencer and array with command port and row streams.
    ComputeUnit,
    /// The same behind the AXI4-Lite register block.
    Registers,
    /// The same for the VC709.
    Vc709,
}

/// Elaborates a design.
///
/// # Errors
/// As [`elaborate`].
pub fn design(params: &Params, top: Top) -> Result<Netlist> {
    params.check()?;
    match top {
        Top::ComputeUnit | Top::Registers => {
            let mut unit = StandIn::default();
            unit.connect_all();
            elaborate(&unit)
        }
        Top::Vc709 => {
            let mut board = StandInBoard::default();
            board.connect_all();
            elaborate(&board)
        }
    }
}

/// 32 rows of 8 columns.
#[derive(LogicBlock)]
struct StandIn {
    clock: Signal<In, Domain>,
    cmd_valid: Signal<In, Bit>,
    cmd_ready: Signal<Out, Bit>,
    cmd_op: Signal<In, Bits<6>>,
    cmd_set: Signal<In, Bits<2>>,
    cmd_width: Signal<In, Bits<7>>,
    cmd_second: Signal<In, Bits<7>>,
    cmd_a: Signal<In, Bits<5>>,
    cmd_b: Signal<In, Bits<5>>,
    cmd_d: Signal<In, Bits<5>>,
    cmd_e: Signal<In, Bits<5>>,
    cmd_s: Signal<In, Bits<5>>,
    cmd_key: Signal<In, Word<64, 1>>,
    s_axis_tvalid: Signal<In, Bit>,
    s_axis_tready: Signal<Out, Bit>,
    s_axis_tdata: Signal<In, Bits<8>>,
    s_axis_tlast: Signal<In, Bit>,
    m_axis_tvalid: Signal<Out, Bit>,
    m_axis_tready: Signal<In, Bit>,
    m_axis_tdata: Signal<Out, Bits<8>>,
    m_axis_tlast: Signal<Out, Bit>,
    mode: Register<Bits<2>>,
    left: Register<Bits<7>>,
    row: Register<Bits<5>>,
    memory: AsyncRam<Bits<8>, Bits<5>>,
    loads: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    unused_fields: Signal<Local, Bits<5>>,
    unused_codes: Signal<Local, Bits<7>>,
    unused_set: Signal<Local, Bits<2>>,
    unused_key: Signal<Local, Word<64, 1>>,
    unused_last: Signal<Local, Bit>,
}

impl Default for StandIn {
    fn default() -> Self {
        StandIn {
            clock: Signal::default(),
            cmd_valid: Signal::default(),
            cmd_ready: Signal::default(),
            cmd_op: Signal::default(),
            cmd_set: Signal::default(),
            cmd_width: Signal::default(),
            cmd_second: Signal::default(),
            cmd_a: Signal::default(),
            cmd_b: Signal::default(),
            cmd_d: Signal::default(),
            cmd_e: Signal::default(),
            cmd_s: Signal::default(),
            cmd_key: Signal::default(),
            s_axis_tvalid: Signal::default(),
            s_axis_tready: Signal::default(),
            s_axis_tdata: Signal::default(),
            s_axis_tlast: Signal::default(),
            m_axis_tvalid: Signal::default(),
            m_axis_tready: Signal::default(),
            m_axis_tdata: Signal::default(),
            m_axis_tlast: Signal::default(),
            mode: Register::default(),
            left: Register::default(),
            row: Register::default(),
            memory: AsyncRam::new(32),
            loads: Signal::default(),
            stores: Signal::default(),
            unused_fields: Signal::default(),
            unused_codes: Signal::default(),
            unused_set: Signal::default(),
            unused_key: Signal::default(),
            unused_last: Signal::default(),
        }
    }
}

impl Logic for StandIn {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mode, left, row);
        clock!(self, clock, memory);
        self.unused_fields.next = self.cmd_b.val() ^ self.cmd_e.val() ^ self.cmd_s.val();
        self.unused_codes.next = self.cmd_second.val();
        self.unused_set.next = self.cmd_set.val();
        self.unused_key.next = self.cmd_key.val();
        self.unused_last.next = self.s_axis_tlast.val();
        self.cmd_ready.next = self.mode.q.val() == 0;
        self.loads.next = self.s_axis_tvalid.val() & (self.mode.q.val() == 1);
        self.stores.next = self.m_axis_tready.val() & (self.mode.q.val() == 2);
        self.s_axis_tready.next = self.mode.q.val() == 1;
        self.m_axis_tvalid.next = self.mode.q.val() == 2;
        self.m_axis_tlast.next = self.left.q.val() == 1;
        self.m_axis_tdata.next = self.memory.read_data.val();
        self.memory.read_address.next = self.row.q.val();
        self.memory.write_address.next = self.row.q.val();
        self.memory.write_data.next = self.s_axis_tdata.val();
        self.memory.write_enable.next = self.loads.val();
        if self.loads.val() | self.stores.val() {
            self.row.d.next = self.row.q.val() + 1;
            self.left.d.next = self.left.q.val() - 1;
            if self.left.q.val() == 1 {
                self.mode.d.next = 0.into();
            }
        }
        if self.cmd_valid.val() & (self.mode.q.val() == 0) {
            self.left.d.next = self.cmd_width.val();
            if self.cmd_op.val() == 0 {
                self.mode.d.next = 1.into();
                self.row.d.next = self.cmd_d.val();
            }
            if self.cmd_op.val() == 1 {
                self.mode.d.next = 2.into();
                self.row.d.next = self.cmd_a.val();
            }
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("compute_unit", "stand-in: rows that can be loaded and stored", &[])
    }
}

/// Lights that count.
#[derive(LogicBlock, Default)]
struct StandInBoard {
    clock: Signal<In, Domain>,
    led: Signal<Out, Bits<8>>,
    count: Register<Bits<32>>,
}

impl Logic for StandInBoard {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.d.next = self.count.q.val() + 1;
        self.led.next = self.count.q.val().get_bits::<8>(24);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("top_vc709", "stand-in: lights that count", &[])
    }
}
