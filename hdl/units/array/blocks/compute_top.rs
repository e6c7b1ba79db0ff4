//! Compute unit behind its register block: commands over AXI4-Lite, rows over two AXI streams.
//!
//! ```text
//!  s_axil ─▶ register block ─▶ command port ┐
//!     irq ◀─       ▲                        ▼
//!                  └─ events ◀── compute unit ◀─ s_axis
//!                                     └───────▶ m_axis
//! ```
//!
//! Beats carry the lowest columns first. `m_axis_tlast` marks the last beat of a `store`. A row's beats are taken as
//! they come, at most one row before the `load` that they belong to.

use crate::array::blocks::axil_regs::AxilRegs;
use crate::array::blocks::bundles::{CommandSource, StatusSource};
use crate::array::blocks::command_index::CommandIndex;
use crate::array::blocks::compute_unit::ComputeUnit;
use crate::array::isa::microcode::Microcode;
use crate::array::params::Params;
use crate::array::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::{AxilSlavePort, PacketSource, StreamSink};

hdl_block! {
    /// The compute unit with its registers: `W` a row, `B` a beat.
    pub ComputeTop<W: RowWord, B: Packed> {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Bus s_axis: StreamSink<B>; /// Beats for the load port.
        Bus m_axis: PacketSource<B>; /// Beats of the store port, a packet a command.
        Bus status_: StatusSource; /// Interrupt and status.
        Out tag_any: Bit; /// Wired-OR of the tags; as `status.tag_any`.
    } inside {
        Child registers: AxilRegs; // Register block.
        Child indices: CommandIndex; // Indices of the unit's commands.
        Child unit: ComputeUnit<W, B>; // Compute unit.
        Local unused_issued, unused_started: Bit;
        Value _flags: usize; // Whether there are exception flags: 1 or 0.
    }
}

impl<W: RowWord, B: Packed> ComputeTop<W, B> {
    /// The unit that `params` describe, with its micro-programs and registers.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        ComputeTop {
            registers: AxilRegs::new(params),
            indices: CommandIndex::new(params.command_fifo),
            unit: ComputeUnit::new(params, code),
            _flags: params.exception_flags.into(),
            ..Self::default()
        }
    }
}

impl<W: RowWord, B: Packed> Logic for ComputeTop<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, indices, unit);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.registers.s_axil);
        StatusSource::link(&mut self.status_, &mut self.registers.status_);
        self.tag_any.next = self.unit.tag_any.val();
        CommandSource::join(&mut self.registers.cmd, &mut self.unit.cmd);
        self.registers.unit_busy.next = self.unit.busy.val();
        self.registers.unit_level.next = self.unit.queue_level.val();
        self.indices.enter.next = self.registers.cmd.valid.val();
        self.indices.index.next = self.registers.cmd_index.val();
        self.indices.accepted.next = self.unit.accepted.val();
        self.registers.unit.finished.next = self.unit.finished.val();
        self.registers.unit.refused.next = self.unit.refusal_.refused.val();
        self.registers.unit.code.next = bit_cast::<4, 3>(self.unit.refusal_.refused_code.val());
        self.registers.unit.operand.next = self.unit.refusal_.refused_operand.val();
        self.registers.unit.index.next = self.indices.current.val();
        self.registers.unit.address.next = 0.into();
        self.registers.unit_tag_any.next = self.unit.tag_any.val();
        for k in 0..self._flags {
            self.registers.raised[k].next = self.unit.raised[k].val();
        }
        self.unused_issued.next = self.unit.issued.val();
        self.unused_started.next = self.unit.started.val();
        StreamSink::<B>::link(&mut self.s_axis, &mut self.unit.s_axis);
        PacketSource::<B>::link(&mut self.m_axis, &mut self.unit.m_axis);
    }

    described! { "compute_top", "Compute unit behind its register block."; ; _flags }
}
