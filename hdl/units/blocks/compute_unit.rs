//! Compute unit: command queue, sequencer, compute array and its row ports.
//!
//! ```text
//!  cmd ─▶ queue ─▶ sequencer ─▶ compute array ◀─ row loader ◀─ s_axis
//!                      ▲            │     └────▶ row storer ─▶ m_axis
//!                      └─ wired-OR ─┘
//! ```
//!
//! Commands enter with valid/ready, a field a port; they run in order. A refused command changes neither rows nor latches and is
//! reported in one cycle: `refused` with code and operand; the commands behind it run. `finished` = 1 in the cycle in which a
//! command's last row is issued. `busy` = 1 while commands wait or run.

use super::command_setup::CommandWord;
use super::compute_array::ComputeArray;
use super::queue::Queue;
use super::row_loader::RowLoader;
use super::row_storer::RowStorer;
use super::sequencer::Sequencer;
use crate::isa::microcode::Microcode;
use crate::isa::word::command::*;
use crate::kernel::prelude::*;
use crate::params::Params;

const KEY_LSB: u64 = WIDTH as u64;
const AT_SET: u64 = SET_LSB as u64;
const AT_WIDTH_N: u64 = WIDTH_N_LSB as u64;
const AT_SECOND: u64 = SECOND_LSB as u64;
const AT_A: u64 = A_LSB as u64;
const AT_B: u64 = B_LSB as u64;
const AT_D: u64 = D_LSB as u64;
const AT_E: u64 = E_LSB as u64;
const AT_S: u64 = S_LSB as u64;

/// The compute unit: `W` a row, `B` a beat.
#[derive(LogicBlock, Default)]
pub struct ComputeUnit<W: RowWord, B: Packed> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command is offered.
    pub cmd_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub cmd_ready: Signal<Out, Bit>,
    /// Opcode.
    pub cmd_op: Signal<In, Bits<6>>,
    /// Micro-program set.
    pub cmd_set: Signal<In, Bits<2>>,
    /// Width n.
    pub cmd_width: Signal<In, Bits<7>>,
    /// Second width m.
    pub cmd_second: Signal<In, Bits<7>>,
    /// First row of the first source.
    pub cmd_a: Signal<In, Bits<10>>,
    /// First row of the second source.
    pub cmd_b: Signal<In, Bits<10>>,
    /// First row of the destination.
    pub cmd_d: Signal<In, Bits<10>>,
    /// First row of the second destination, or the tag row.
    pub cmd_e: Signal<In, Bits<10>>,
    /// First scratch row.
    pub cmd_s: Signal<In, Bits<10>>,
    /// Search key or constant factor.
    pub cmd_key: Signal<In, Word<64, 1>>,
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
    /// Commands wait or run.
    pub busy: Signal<Out, Bit>,
    /// Commands that wait in the queue.
    pub queue_level: Signal<Out, Bits<5>>,
    /// A command is taken from the queue.
    pub accepted: Signal<Out, Bit>,
    /// The last row of a command is issued.
    pub finished: Signal<Out, Bit>,
    /// A row of a micro-program is issued.
    pub issued: Signal<Out, Bit>,
    /// The first row of a command is issued.
    pub started: Signal<Out, Bit>,
    /// A command is refused.
    pub refused: Signal<Out, Bit>,
    /// Why.
    pub refused_code: Signal<Out, Bits<3>>,
    /// The operand it is about, or 0.
    pub refused_operand: Signal<Out, Bits<3>>,
    /// Whether any tag was set a cycle ago.
    pub tag_any: Signal<Out, Bit>,
    /// Queue.
    pub commands: Queue<CommandWord>,
    /// Sequencer.
    pub sequencer: Sequencer,
    /// Array.
    pub array: ComputeArray<W>,
    /// Load port.
    pub loader: RowLoader<W, B>,
    /// Store port.
    pub storer: RowStorer<W, B>,
}

impl<W: RowWord, B: Packed> ComputeUnit<W, B> {
    /// The compute unit that `params` describe, with its micro-programs.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        ComputeUnit {
            commands: Queue::new(params.command_fifo),
            sequencer: Sequencer::new(params, code),
            array: ComputeArray::new(params),
            loader: RowLoader::new(),
            storer: RowStorer::new(),
            ..Self::default()
        }
    }
}

impl<W: RowWord, B: Packed> Logic for ComputeUnit<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, commands, sequencer, array, loader, storer);
        self.commands.push_valid.next = self.cmd_valid.val();
        self.cmd_ready.next = self.commands.push_ready.val();
        self.commands.push_data.next = bits_to::<CommandWord, Bits<6>>(self.cmd_op.val())
            | (bits_to::<CommandWord, Bits<2>>(self.cmd_set.val()) << AT_SET)
            | (bits_to::<CommandWord, Bits<7>>(self.cmd_width.val()) << AT_WIDTH_N)
            | (bits_to::<CommandWord, Bits<7>>(self.cmd_second.val()) << AT_SECOND)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd_a.val()) << AT_A)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd_b.val()) << AT_B)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd_d.val()) << AT_D)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd_e.val()) << AT_E)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd_s.val()) << AT_S)
            | (bits_to::<CommandWord, Word<64, 1>>(self.cmd_key.val()) << KEY_LSB);
        self.sequencer.command_valid.next = self.commands.head_valid.val();
        self.sequencer.command.next = self.commands.head.val();
        self.commands.pop.next = self.sequencer.accept.val();
        self.accepted.next = self.sequencer.accept.val();
        self.queue_level.next = self.commands.level.val();
        self.busy.next = self.commands.head_valid.val() | self.sequencer.busy.val();
        self.finished.next = self.sequencer.last.val();
        self.issued.next = self.sequencer.issued.val();
        self.started.next = self.sequencer.first.val();
        self.refused.next = self.sequencer.refused.val();
        self.refused_code.next = self.sequencer.refused_code.val();
        self.refused_operand.next = self.sequencer.refused_operand.val();
        self.sequencer.tag_any.next = self.array.tag_any.val();
        self.tag_any.next = self.array.tag_any.val();
        self.array.column.next = self.sequencer.column.val();
        self.array.merge.next = self.sequencer.merge.val();
        self.array.multi.next = self.sequencer.multi.val();
        self.array.multi_rows.next = self.sequencer.multi_rows.val();
        self.array.a_enable.next = self.sequencer.a_enable.val();
        self.array.a_row.next = self.sequencer.a_row.val();
        self.array.b_enable.next = self.sequencer.b_enable.val();
        self.array.b_row.next = self.sequencer.b_row.val();
        self.array.write_enable.next = self.sequencer.write_enable.val();
        self.array.write_row.next = self.sequencer.write_row.val();
        self.array.load.next = self.sequencer.load.val();
        self.array.store.next = self.sequencer.store.val();
        self.loader.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.loader.s_axis_tready.val();
        self.loader.s_axis_tdata.next = self.s_axis_tdata.val();
        self.sequencer.load_ready.next = self.loader.row_valid.val();
        self.array.load_row.next = self.loader.row.val();
        self.loader.taken.next = self.array.loaded.val();
        self.sequencer.store_ready.next = self.storer.ready.val();
        self.storer.reserve.next = self.sequencer.store.val();
        self.storer.reserve_last.next = self.sequencer.last.val();
        self.storer.stored.next = self.array.stored.val();
        self.storer.row.next = self.array.store_row.val();
        self.m_axis_tvalid.next = self.storer.m_axis_tvalid.val();
        self.storer.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tdata.next = self.storer.m_axis_tdata.val();
        self.m_axis_tlast.next = self.storer.m_axis_tlast.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "compute_unit",
            "Command queue, sequencer, compute array and its row ports.",
            constants![AT_SET, AT_WIDTH_N, AT_SECOND, AT_A, AT_B, AT_D, AT_E, AT_S, KEY_LSB,],
        )
    }
}
