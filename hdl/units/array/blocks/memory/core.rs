//! Compute unit with its register block and the memory path, up to the elements: what all ways to memory have in
//! common.
//!
//! ```text
//!  s_axil ─▶ register block ─▶ memory path ◀─▶ compute unit
//!     irq ◀─     ▲               ▲   │
//!                │    reader ────┘   └───▶ writer
//!                └─ errors of unit and path
//! ```
//!
//! An event of the unit, a refusal or a command's end, is noted in its cycle; errors of the memory path wait until
//! there is none. A load that fails ends with its error.

use crate::array::blocks::axil_regs::AxilRegs;
use crate::array::blocks::bundles::StatusSource;
use crate::array::blocks::command_index::CommandIndex;
use crate::array::blocks::command_setup::CommandWord;
use crate::array::blocks::compute_unit::ComputeUnit;
use crate::array::blocks::memory::bundles::{ElementSink, ResultSource, RunSource, WriterSource};
use crate::array::blocks::memory::path::MemoryPath;
use crate::array::isa::microcode::Microcode;
use crate::array::isa::word::command::*;
use crate::array::params::Params;
use crate::array::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

numbers! {
    AT_KEY = WIDTH, AT_SET = SET_LSB, AT_WIDTH_N = WIDTH_N_LSB, AT_SECOND = SECOND_LSB, AT_A = A_LSB, AT_B = B_LSB,
    AT_D = D_LSB, AT_E = E_LSB, AT_S = S_LSB
}

hdl_block! {
    /// The core; `W` is a row.
    pub MemoryCore<W: RowWord> {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Bus status_: StatusSource; /// Interrupt and status.
        Out tag_any: Bit; /// Wired-OR of the tags; as `status.tag_any`.
        Out read_valid: Bit; /// The reader is asked.
        In read_ready: Bit; /// It starts if asked.
        Bus read: RunSource; /// What it reads.
        Bus word: ElementSink; /// Elements of the reader.
        Bus writer_: WriterSource; /// The writer.
        Bus write__: RunSource; /// What it writes.
        Bus out: ResultSource; /// Elements for the writer.
    } inside {
        Child registers: AxilRegs; // Register block.
        Child indices: CommandIndex; // Indices of the unit's commands.
        Child path: Boxed<MemoryPath<W>>; // Memory path.
        Child unit: Boxed<ComputeUnit<W, Beat>>; // Compute unit.
        Local command: CommandWord;
        Local noted, unused_events: Bit;
        Local unused_level: Bits<5>;
        Value _flags: usize; // Whether there are exception flags: 1 or 0.
    }
}

impl<W: RowWord> MemoryCore<W> {
    /// The core of the design that `params` describe.
    pub fn new(params: &Params, code: &Microcode) -> Self {
        MemoryCore {
            registers: AxilRegs::new(params),
            indices: CommandIndex::new(params.command_fifo),
            path: Boxed::new(|| MemoryPath::new(params)),
            unit: Boxed::new(|| ComputeUnit::new(params, code)),
            _flags: params.exception_flags.into(),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for MemoryCore<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, indices, path, unit);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.registers.s_axil);
        StatusSource::link(&mut self.status_, &mut self.registers.status_);
        self.tag_any.next = self.unit.tag_any.val();
        // Commands into the path.
        self.path.cmd_valid.next = self.registers.cmd.valid.val();
        self.registers.cmd.ready.next = self.path.cmd_ready.val();
        self.path.cmd_index.next = self.registers.cmd_index.val();
        self.path.cmd.next = bits_to::<CommandWord, Bits<OPCODE_BITS>>(self.registers.cmd.op.val())
            | (bits_to::<CommandWord, Bits<2>>(self.registers.cmd.set.val()) << AT_SET)
            | (bits_to::<CommandWord, Bits<7>>(self.registers.cmd.width.val()) << AT_WIDTH_N)
            | (bits_to::<CommandWord, Bits<7>>(self.registers.cmd.second.val()) << AT_SECOND)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd.a.val()) << AT_A)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd.b.val()) << AT_B)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd.d.val()) << AT_D)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd.e.val()) << AT_E)
            | (bits_to::<CommandWord, Bits<10>>(self.registers.cmd.s.val()) << AT_S)
            | (bits_to::<CommandWord, Word<64, 1>>(self.registers.cmd.key.val()) << AT_KEY);
        self.registers.unit_level.next = self.path.level.val();
        // And out of it.
        self.command.next = self.path.unit_command.val();
        self.unit.cmd.valid.next = self.path.unit_valid.val();
        self.path.unit_ready.next = self.unit.cmd.ready.val();
        self.unit.cmd.op.next = self.command.val().get_bits::<OPCODE_BITS>(OPCODE_LSB);
        self.unit.cmd.set.next = self.command.val().get_bits::<2>(SET_LSB);
        self.unit.cmd.width.next = self.command.val().get_bits::<7>(WIDTH_N_LSB);
        self.unit.cmd.second.next = self.command.val().get_bits::<7>(SECOND_LSB);
        self.unit.cmd.a.next = self.command.val().get_bits::<10>(A_LSB);
        self.unit.cmd.b.next = self.command.val().get_bits::<10>(B_LSB);
        self.unit.cmd.d.next = self.command.val().get_bits::<10>(D_LSB);
        self.unit.cmd.e.next = self.command.val().get_bits::<10>(E_LSB);
        self.unit.cmd.s.next = self.command.val().get_bits::<10>(S_LSB);
        self.unit.cmd.key.next = bits_to::<Word<64, 1>, CommandWord>(self.command.val() >> AT_KEY);
        self.indices.enter.next = self.path.unit_valid.val() & self.unit.cmd.ready.val();
        self.indices.index.next = self.path.unit_index.val();
        self.indices.accepted.next = self.unit.accepted.val();
        // Events.
        self.registers.unit_busy.next = self.path.busy.val() | self.unit.busy.val();
        self.registers.unit.finished.next = self.unit.finished.val() | self.path.load_failed.val();
        self.registers.unit_tag_any.next = self.unit.tag_any.val();
        for k in 0..self._flags {
            self.registers.raised[k].next = self.unit.raised[k].val();
        }
        self.noted.next = !self.unit.refusal_.refused.val() & !self.unit.finished.val();
        self.path.refused_taken.next = self.noted.val();
        self.registers.unit.refused.next =
            self.unit.refusal_.refused.val() | (self.path.refused.val() & self.noted.val());
        self.registers.unit.code.next = self.path.refused_code.val();
        self.registers.unit.operand.next = self.path.refused_operand.val();
        self.registers.unit.index.next = self.path.refused_index.val();
        self.registers.unit.address.next = self.path.refused_address.val();
        if self.unit.refusal_.refused.val() {
            self.registers.unit.code.next = bit_cast::<4, 3>(self.unit.refusal_.refused_code.val());
            self.registers.unit.operand.next = self.unit.refusal_.refused_operand.val();
            self.registers.unit.index.next = self.indices.current.val();
            self.registers.unit.address.next = 0.into();
        }
        self.unused_events.next = self.unit.issued.val() ^ self.unit.started.val() ^ self.unit.m_axis.tlast.val();
        self.unused_level.next = self.unit.queue_level.val();
        // Rows.
        self.unit.s_axis.tvalid.next = self.path.load_valid.val();
        self.path.load_ready.next = self.unit.s_axis.tready.val();
        self.unit.s_axis.tdata.next = bits_to::<Beat, W>(self.path.load_row.val());
        self.path.store_valid.next = self.unit.m_axis.tvalid.val();
        self.unit.m_axis.tready.next = self.path.store_ready.val();
        self.path.store_row.next = bits_to::<W, Beat>(self.unit.m_axis.tdata.val());
        // Elements.
        self.read_valid.next = self.path.read_valid.val();
        self.path.read_ready.next = self.read_ready.val();
        RunSource::link(&mut self.read, &mut self.path.read);
        ElementSink::link(&mut self.word, &mut self.path.word);
        WriterSource::link(&mut self.writer_, &mut self.path.writer_);
        RunSource::link(&mut self.write__, &mut self.path.write__);
        ResultSource::link(&mut self.out, &mut self.path.out);
    }

    described! {
        "memory_core", "Compute unit with register block and memory path."; AT_KEY, AT_SET, AT_WIDTH_N, AT_SECOND, AT_A,
        AT_B, AT_D, AT_E, AT_S, OPCODE_LSB, SET_LSB, WIDTH_N_LSB, SECOND_LSB, A_LSB, B_LSB, D_LSB, E_LSB, S_LSB; _flags
    }
}
