//! Compute unit with its register block and the memory path, up to the elements: what all ways to memory have in common.
//!
//! ```text
//!  s_axil ─▶ register block ─▶ memory path ◀─▶ compute unit
//!     irq ◀─     ▲               ▲   │
//!                │    reader ────┘   └───▶ writer
//!                └─ errors of unit and path
//! ```
//!
//! A refusal by the unit is noted in its cycle; those of the memory path wait until there is none.

use super::path::MemoryPath;
use super::types::{Chunk, Count, MemoryAddress, Stride};
use crate::blocks::axil_regs::AxilRegs;
use crate::blocks::bundles::AxilSlavePort;
use crate::blocks::command_index::CommandIndex;
use crate::blocks::command_setup::CommandWord;
use crate::blocks::compute_unit::ComputeUnit;
use crate::isa::microcode::Microcode;
use crate::isa::word::command::*;
use crate::kernel::prelude::*;
use crate::params::Params;
use crate::registers::ADDRESS_BITS;

const AT_KEY: u64 = WIDTH as u64;
const AT_SET: u64 = SET_LSB as u64;
const AT_WIDTH_N: u64 = WIDTH_N_LSB as u64;
const AT_SECOND: u64 = SECOND_LSB as u64;
const AT_A: u64 = A_LSB as u64;
const AT_B: u64 = B_LSB as u64;
const AT_D: u64 = D_LSB as u64;
const AT_E: u64 = E_LSB as u64;
const AT_S: u64 = S_LSB as u64;

/// The core; `W` is a row.
#[derive(LogicBlock, Default)]
pub struct MemoryCore<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Registers, as seen by their master.
    pub s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>,
    /// Interrupt line, active high.
    pub irq: Signal<Out, Bit>,
    /// A command waits or runs; as `status.busy`.
    pub busy: Signal<Out, Bit>,
    /// An error is recorded; as `status.error`.
    pub error: Signal<Out, Bit>,
    /// Wired-OR of the tags; as `status.tag_any`.
    pub tag_any: Signal<Out, Bit>,
    /// The reader is asked.
    pub read_valid: Signal<Out, Bit>,
    /// It starts if asked.
    pub read_ready: Signal<In, Bit>,
    /// Address of the first element.
    pub read_address: Signal<Out, MemoryAddress>,
    /// Elements.
    pub read_count: Signal<Out, Count>,
    /// log2 of an element's bytes.
    pub read_size: Signal<Out, Bits<2>>,
    /// Bytes from an element to the next.
    pub read_stride: Signal<Out, Stride>,
    /// Elements follow each other without a gap.
    pub read_dense: Signal<Out, Bit>,
    /// An element is there.
    pub word_valid: Signal<In, Bit>,
    /// It is taken if there.
    pub word_ready: Signal<Out, Bit>,
    /// The element.
    pub word_data: Signal<In, Chunk>,
    /// It is its transfer's last.
    pub word_last: Signal<In, Bit>,
    /// The transfer's first error as a response, 0 for none.
    pub word_response: Signal<In, Bits<2>>,
    /// The element that it concerns.
    pub word_address: Signal<In, MemoryAddress>,
    /// The writer starts.
    pub write: Signal<Out, Bit>,
    /// It is at work.
    pub write_busy: Signal<In, Bit>,
    /// Its first error as a response, 0 for none.
    pub write_failed: Signal<In, Bits<2>>,
    /// The address.
    pub write_failed_address: Signal<In, MemoryAddress>,
    /// Address of the first element.
    pub write_address: Signal<Out, MemoryAddress>,
    /// Elements.
    pub write_count: Signal<Out, Count>,
    /// log2 of an element's bytes.
    pub write_size: Signal<Out, Bits<2>>,
    /// Bytes from an element to the next.
    pub write_stride: Signal<Out, Stride>,
    /// Elements follow each other without a gap.
    pub write_dense: Signal<Out, Bit>,
    /// An element for the writer is offered.
    pub out_valid: Signal<Out, Bit>,
    /// It is taken if offered.
    pub out_ready: Signal<In, Bit>,
    /// The element.
    pub out_data: Signal<Out, Chunk>,
    /// It is the transfer's last.
    pub out_last: Signal<Out, Bit>,
    /// Register block.
    pub registers: AxilRegs,
    /// Indices of the unit's commands.
    pub indices: CommandIndex,
    /// Memory path.
    pub path: MemoryPath<W>,
    /// Compute unit.
    pub unit: ComputeUnit<W, Beat>,
    command: Signal<Local, CommandWord>,
    unused_events: Signal<Local, Bit>,
    unused_level: Signal<Local, Bits<5>>,
}

impl<W: RowWord> MemoryCore<W> {
    /// The core of the design that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        MemoryCore {
            registers: AxilRegs::new(params),
            indices: CommandIndex::new(params.command_fifo),
            path: MemoryPath::new(params),
            unit: ComputeUnit::new(params, code),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for MemoryCore<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, indices, path, unit);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.registers.s_axil);
        self.irq.next = self.registers.irq.val();
        self.busy.next = self.registers.busy.val();
        self.error.next = self.registers.error.val();
        self.tag_any.next = self.unit.tag_any.val();
        // Commands into the path.
        self.path.cmd_valid.next = self.registers.cmd_valid.val();
        self.registers.cmd_ready.next = self.path.cmd_ready.val();
        self.path.cmd_index.next = self.registers.cmd_index.val();
        self.path.cmd.next = bits_to::<CommandWord, Bits<6>>(self.registers.cmd_op.val())
            | (bits_to::<CommandWord, Bits<2>>(self.registers.cmd_set.val()) << AT_SET)
            | (bits_to::<CommandWord, Bits<7>>(self.registers.cmd_width.val()) << AT_WIDTH_N)
            | (bits_to::<CommandWord, Bits<7>>(self.registers.cmd_second.val()) << AT_SECOND)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd_a.val()) << AT_A)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd_b.val()) << AT_B)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd_d.val()) << AT_D)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd_e.val()) << AT_E)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd_s.val()) << AT_S)
            | (bits_to::<CommandWord, Word<64, 1>>(self.registers.cmd_key.val()) << AT_KEY);
        self.registers.unit_level.next = self.path.level.val();
        // And out of it.
        self.command.next = self.path.unit_command.val();
        self.unit.cmd_valid.next = self.path.unit_valid.val();
        self.path.unit_ready.next = self.unit.cmd_ready.val();
        self.unit.cmd_op.next = self.command.val().get_bits::<6>(OPCODE_LSB);
        self.unit.cmd_set.next = self.command.val().get_bits::<2>(SET_LSB);
        self.unit.cmd_width.next = self.command.val().get_bits::<7>(WIDTH_N_LSB);
        self.unit.cmd_second.next = self.command.val().get_bits::<7>(SECOND_LSB);
        self.unit.cmd_a.next = self.command.val().get_bits::<10>(A_LSB);
        self.unit.cmd_b.next = self.command.val().get_bits::<10>(B_LSB);
        self.unit.cmd_d.next = self.command.val().get_bits::<10>(D_LSB);
        self.unit.cmd_e.next = self.command.val().get_bits::<10>(E_LSB);
        self.unit.cmd_s.next = self.command.val().get_bits::<10>(S_LSB);
        self.unit.cmd_key.next = bits_to::<Word<64, 1>, CommandWord>(self.command.val() >> AT_KEY);
        self.indices.enter.next = self.path.unit_valid.val() & self.unit.cmd_ready.val();
        self.indices.index.next = self.path.unit_index.val();
        self.indices.accepted.next = self.unit.accepted.val();
        // Events.
        self.registers.unit_busy.next = self.path.busy.val() | self.unit.busy.val();
        self.registers.unit_finished.next = self.unit.finished.val();
        self.registers.unit_tag_any.next = self.unit.tag_any.val();
        self.path.refused_taken.next = !self.unit.refused.val();
        self.registers.unit_refused.next = self.unit.refused.val() | self.path.refused.val();
        self.registers.unit_code.next = self.path.refused_code.val();
        self.registers.unit_operand.next = self.path.refused_operand.val();
        self.registers.unit_index.next = self.path.refused_index.val();
        self.registers.unit_address.next = self.path.refused_address.val();
        if self.unit.refused.val() {
            self.registers.unit_code.next = bit_cast::<4, 3>(self.unit.refused_code.val());
            self.registers.unit_operand.next = self.unit.refused_operand.val();
            self.registers.unit_index.next = self.indices.current.val();
            self.registers.unit_address.next = 0.into();
        }
        self.unused_events.next = self.unit.issued.val() ^ self.unit.started.val() ^ self.unit.m_axis_tlast.val();
        self.unused_level.next = self.unit.queue_level.val();
        // Rows.
        self.unit.s_axis_tvalid.next = self.path.load_valid.val();
        self.path.load_ready.next = self.unit.s_axis_tready.val();
        self.unit.s_axis_tdata.next = bits_to::<Beat, W>(self.path.load_row.val());
        self.path.store_valid.next = self.unit.m_axis_tvalid.val();
        self.unit.m_axis_tready.next = self.path.store_ready.val();
        self.path.store_row.next = bits_to::<W, Beat>(self.unit.m_axis_tdata.val());
        // Elements.
        self.read_valid.next = self.path.read_valid.val();
        self.path.read_ready.next = self.read_ready.val();
        self.read_address.next = self.path.read_address.val();
        self.read_count.next = self.path.read_count.val();
        self.read_size.next = self.path.read_size.val();
        self.read_stride.next = self.path.read_stride.val();
        self.read_dense.next = self.path.read_dense.val();
        self.path.word_valid.next = self.word_valid.val();
        self.word_ready.next = self.path.word_ready.val();
        self.path.word_data.next = self.word_data.val();
        self.path.word_last.next = self.word_last.val();
        self.path.word_response.next = self.word_response.val();
        self.path.word_address.next = self.word_address.val();
        self.write.next = self.path.write.val();
        self.path.write_busy.next = self.write_busy.val();
        self.path.write_failed.next = self.write_failed.val();
        self.path.write_failed_address.next = self.write_failed_address.val();
        self.write_address.next = self.path.write_address.val();
        self.write_count.next = self.path.write_count.val();
        self.write_size.next = self.path.write_size.val();
        self.write_stride.next = self.path.write_stride.val();
        self.write_dense.next = self.path.write_dense.val();
        self.out_valid.next = self.path.out_valid.val();
        self.path.out_ready.next = self.out_ready.val();
        self.out_data.next = self.path.out_data.val();
        self.out_last.next = self.path.out_last.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "memory_core",
            "Compute unit with register block and memory path.",
            constants![
                AT_KEY,
                AT_SET,
                AT_WIDTH_N,
                AT_SECOND,
                AT_A,
                AT_B,
                AT_D,
                AT_E,
                AT_S,
                OPCODE_LSB,
                SET_LSB,
                WIDTH_N_LSB,
                SECOND_LSB,
                A_LSB,
                B_LSB,
                D_LSB,
                E_LSB,
                S_LSB
            ],
        )
    }
}
