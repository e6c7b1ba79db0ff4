//! Compute unit: command queue, sequencer, compute array and its row ports.
//!
//! ```text
//!  cmd ─▶ queue ─▶ sequencer ─▶ compute array ◀─ row loader ◀─ s_axis
//!                      ▲            │     └────▶ row storer ─▶ m_axis
//!                      └─ wired-OR ─┘
//! ```
//!
//! Commands enter with valid/ready, a field a port; they run in order. A refused command changes neither rows nor
//! latches and is reported in one cycle: `refused` with code and operand; the commands behind it run. `finished` = 1 in
//! the cycle in which a command's last row is issued. `busy` = 1 while commands wait or run, or
//! a row waits at the store port.

use crate::array::blocks::bundles::{ArraySink, CommandSink, RefusalSource};
use crate::array::blocks::command_setup::CommandWord;
use crate::array::blocks::compute_array::ComputeArray;
use crate::array::blocks::exception_flags::{RAISED, optional};
use crate::array::blocks::row_loader::RowLoader;
use crate::array::blocks::row_storer::RowStorer;
use crate::array::blocks::sequencer::Sequencer;
use crate::array::isa::microcode::Microcode;
use crate::array::isa::word::command::*;
use crate::array::params::Params;
use crate::kernel::prelude::*;
use crate::parts::bundles::{PacketSource, StreamSink};
use crate::parts::queue::Queue;

numbers! {
    KEY_LSB = WIDTH, AT_SET = SET_LSB, AT_WIDTH_N = WIDTH_N_LSB, AT_SECOND = SECOND_LSB, AT_A = A_LSB, AT_B = B_LSB,
    AT_D = D_LSB, AT_E = E_LSB, AT_S = S_LSB
}

hdl_block! {
    /// The compute unit: `W` a row, `B` a beat.
    pub ComputeUnit<W: RowWord, B: Packed> {
        In clock: Domain; /// Clock and reset.
        Bus cmd: CommandSink; /// Commands.
        Bus s_axis: StreamSink<B>; /// Beats for the load port.
        Bus m_axis: PacketSource<B>; /// Beats of the store port, a packet a command.
        Out busy: Bit; /// Commands wait or run, or a row leaves.
        Out queue_level: Bits<5>; /// Commands that wait in the queue.
        Out accepted: Bit; /// A command is taken from the queue.
        Out finished: Bit; /// The last row of a command is issued.
        Out issued, started: Bit; /// A row of a micro-program is issued. The first row of a command is issued.
        Bus refusal_: RefusalSource; /// A command is refused.
        Out tag_any: Bit; /// Whether any tag was set a cycle ago.
        Bus raised: Vec<Signal<Out, Bits<RAISED>>>; /// Exception flags raised in this cycle, of designs that have them.
    } inside {
        Child commands: Queue<CommandWord>; // Queue.
        Child sequencer: Boxed<Sequencer>; // Sequencer.
        Child array: Boxed<ComputeArray<W>>; // Array.
        Child loader: RowLoader<W, B>; // Load port.
        Child storer: RowStorer<W, B>; // Store port.
        Value _flags: usize; // Whether there are exception flags: 1 or 0.
    }
}

impl<W: RowWord, B: Packed> ComputeUnit<W, B> {
    /// The compute unit that `params` describe, with its micro-programs.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        ComputeUnit {
            commands: Queue::new(params.command_fifo),
            sequencer: Boxed::new(|| Sequencer::new(params, code)),
            array: Boxed::new(|| ComputeArray::new(params)),
            loader: RowLoader::new(),
            storer: RowStorer::new(),
            raised: optional(params.exception_flags.into()),
            _flags: params.exception_flags.into(),
            ..Self::default()
        }
    }
}

impl<W: RowWord, B: Packed> Logic for ComputeUnit<W, B> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, commands, sequencer, array, loader, storer);
        self.commands.push_valid.next = self.cmd.valid.val();
        self.cmd.ready.next = self.commands.push_ready.val();
        self.commands.push_data.next = bits_to::<CommandWord, Bits<OPCODE_BITS>>(self.cmd.op.val())
            | (bits_to::<CommandWord, Bits<2>>(self.cmd.set.val()) << AT_SET)
            | (bits_to::<CommandWord, Bits<7>>(self.cmd.width.val()) << AT_WIDTH_N)
            | (bits_to::<CommandWord, Bits<7>>(self.cmd.second.val()) << AT_SECOND)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd.a.val()) << AT_A)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd.b.val()) << AT_B)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd.d.val()) << AT_D)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd.e.val()) << AT_E)
            | (bits_to::<CommandWord, Bits<10>>(self.cmd.s.val()) << AT_S)
            | (bits_to::<CommandWord, Word<64, 1>>(self.cmd.key.val()) << KEY_LSB);
        self.sequencer.command_valid.next = self.commands.head_valid.val();
        self.sequencer.command.next = self.commands.head.val();
        self.commands.pop.next = self.sequencer.accept.val();
        self.accepted.next = self.sequencer.accept.val();
        self.queue_level.next = self.commands.level.val();
        self.busy.next = self.commands.head_valid.val() | self.sequencer.busy.val() | !self.storer.ready.val();
        self.finished.next = self.sequencer.last.val();
        self.issued.next = self.sequencer.issued.val();
        self.started.next = self.sequencer.first.val();
        RefusalSource::link(&mut self.refusal_, &mut self.sequencer.refusal_);
        self.sequencer.tag_any.next = self.array.tag_any.val();
        self.tag_any.next = self.array.tag_any.val();
        for k in 0..self._flags {
            self.raised[k].next = self.sequencer.raised[k].val();
        }
        ArraySink::join(&mut self.array.own_, &mut self.sequencer.own_);
        StreamSink::<B>::link(&mut self.s_axis, &mut self.loader.s_axis);
        self.sequencer.load_ready.next = self.loader.row_valid.val();
        self.array.load_row.next = self.loader.row.val();
        self.loader.taken.next = self.array.loaded.val();
        self.sequencer.store_ready.next = self.storer.ready.val();
        self.storer.reserve.next = self.sequencer.own_.store.val();
        self.storer.reserve_last.next = self.sequencer.last.val();
        self.storer.stored.next = self.array.stored.val();
        self.storer.row.next = self.array.store_row.val();
        PacketSource::<B>::link(&mut self.m_axis, &mut self.storer.m_axis);
    }

    described! {
        "compute_unit", "Command queue, sequencer, compute array and its row ports."; AT_SET, AT_WIDTH_N, AT_SECOND,
        AT_A, AT_B, AT_D, AT_E, AT_S, KEY_LSB; _flags
    }
}
