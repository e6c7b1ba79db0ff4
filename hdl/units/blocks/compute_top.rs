//! Compute unit behind its register block: commands over AXI4-Lite, rows over two AXI streams.
//!
//! ```text
//!  s_axil ─▶ register block ─▶ command port ┐
//!     irq ◀─       ▲                        ▼
//!                  └─ events ◀── compute unit ◀─ s_axis
//!                                     └───────▶ m_axis
//! ```
//!
//! Beats carry the lowest columns first. `m_axis_tlast` marks the last beat of a `store`. A row's beats are taken as they come, at most
//! one row before the `load` that they belong to.

use super::axil_regs::AxilRegs;
use super::command_index::CommandIndex;
use super::compute_unit::ComputeUnit;
use crate::blocks::bundles::AxilSlavePort;
use crate::isa::microcode::Microcode;
use crate::kernel::prelude::*;
use crate::params::Params;
use crate::registers::ADDRESS_BITS;

/// The compute unit with its registers: `W` a row, `B` a beat.
#[derive(LogicBlock, Default)]
pub struct ComputeTop<W: RowWord, B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Registers, as seen by their master.
    pub s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>,
    /// A beat for the load port is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It is taken if offered.
    pub s_axis_tready: Signal<Out, Bit>,
    /// The beat.
    pub s_axis_tdata: Signal<In, B>,
    /// A beat of the store port is offered.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axis_tready: Signal<In, Bit>,
    /// The beat.
    pub m_axis_tdata: Signal<Out, B>,
    /// It is the command's last.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// Interrupt line, active high.
    pub irq: Signal<Out, Bit>,
    /// A command waits or runs; as `status.busy`.
    pub busy: Signal<Out, Bit>,
    /// An error is recorded; as `status.error`.
    pub error: Signal<Out, Bit>,
    /// Wired-OR of the tags; as `status.tag_any`.
    pub tag_any: Signal<Out, Bit>,
    /// Register block.
    pub registers: AxilRegs,
    /// Indices of the unit's commands.
    pub indices: CommandIndex,
    /// Compute unit.
    pub unit: ComputeUnit<W, B>,
    unused_issued: Signal<Local, Bit>,
    unused_started: Signal<Local, Bit>,
}

impl<W: RowWord, B: Packed> ComputeTop<W, B> {
    /// The unit that `params` describe, with its micro-programs and registers.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        ComputeTop {
            registers: AxilRegs::new(params),
            indices: CommandIndex::new(params.command_fifo),
            unit: ComputeUnit::new(params, code),
            ..Self::default()
        }
    }
}

impl<W: RowWord, B: Packed> Logic for ComputeTop<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, indices, unit);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.registers.s_axil);
        self.irq.next = self.registers.irq.val();
        self.busy.next = self.registers.busy.val();
        self.error.next = self.registers.error.val();
        self.tag_any.next = self.unit.tag_any.val();
        self.unit.cmd_valid.next = self.registers.cmd_valid.val();
        self.registers.cmd_ready.next = self.unit.cmd_ready.val();
        self.unit.cmd_op.next = self.registers.cmd_op.val();
        self.unit.cmd_set.next = self.registers.cmd_set.val();
        self.unit.cmd_width.next = self.registers.cmd_width.val();
        self.unit.cmd_second.next = self.registers.cmd_second.val();
        self.unit.cmd_a.next = self.registers.cmd_a.val();
        self.unit.cmd_b.next = self.registers.cmd_b.val();
        self.unit.cmd_d.next = self.registers.cmd_d.val();
        self.unit.cmd_e.next = self.registers.cmd_e.val();
        self.unit.cmd_s.next = self.registers.cmd_s.val();
        self.unit.cmd_key.next = self.registers.cmd_key.val();
        self.registers.unit_busy.next = self.unit.busy.val();
        self.registers.unit_level.next = self.unit.queue_level.val();
        self.indices.enter.next = self.registers.cmd_valid.val();
        self.indices.index.next = self.registers.cmd_index.val();
        self.indices.accepted.next = self.unit.accepted.val();
        self.registers.unit_finished.next = self.unit.finished.val();
        self.registers.unit_refused.next = self.unit.refused.val();
        self.registers.unit_code.next = bit_cast::<4, 3>(self.unit.refused_code.val());
        self.registers.unit_operand.next = self.unit.refused_operand.val();
        self.registers.unit_index.next = self.indices.current.val();
        self.registers.unit_address.next = 0.into();
        self.registers.unit_tag_any.next = self.unit.tag_any.val();
        self.unused_issued.next = self.unit.issued.val();
        self.unused_started.next = self.unit.started.val();
        self.unit.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.unit.s_axis_tready.val();
        self.unit.s_axis_tdata.next = self.s_axis_tdata.val();
        self.m_axis_tvalid.next = self.unit.m_axis_tvalid.val();
        self.unit.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tdata.next = self.unit.m_axis_tdata.val();
        self.m_axis_tlast.next = self.unit.m_axis_tlast.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("compute_top", "Compute unit behind its register block.", constants![])
    }
}
