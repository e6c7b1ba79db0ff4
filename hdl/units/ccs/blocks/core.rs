//! The cache compute system: cache, compute unit and control, between a processor and memory.
//!
//! ```text
//!  processor ◀─▶ processor's side ◀─▶ registers ─▶ launcher ─▶ generator ─▶ fetch ─▶ store ─▶ unit ─┐
//!                     │                               tags, scoreboard ◀────┘  │       ▲           │ results
//!                     └────────────── lines, words ──▶ memory ◀── lines ───────┘       └─ writer ◀──┘
//! ```
//!
//! The ports are those of the blocks at the edges: see [`crate::ccs::blocks::processor`] for `cpu_*`. Lines to memory:
//! a request (`read_valid`, `read_ready`, `read_line`) is answered in order by `reply_*`; a line or a word is written
//! by `write_*`, at any time, and acknowledged in order by `ack_*`, at most [`PENDING_WRITES`] later. What is read must
//! be what all writes of earlier cycles have left. With two read ports `more_read_0_*` and `more_reply_0_*` are a
//! second such pair, on which the lines come that only a needs; what arrives there is always taken. Lines are arrays
//! of lanes, elements of less than 32 bits with zeros above.

use crate::ccs::blocks::bundles::{AckSink, CpuSlave, HeadSource, ReadMaster, ReplySink, StepSource, WriteSource};
use crate::ccs::blocks::scoreboard::{COMPARED, CcsScoreboard, SAME};
use crate::ccs::blocks::types::{MORE, RESULTS, Shape, describes};
use crate::ccs::blocks::{
    fetch::CcsFetch, generator::CcsGenerator, launcher::CcsLauncher, processor::CcsProcessor, registers::CcsRegisters,
    silence::CcsSilence, store::CcsStore, tags::CcsTags, unit::CcsUnit, word_stage::CcsWordStage, writer::CcsWriter,
};
use crate::ccs::{CcsGeometry, CcsMemory};
use crate::kernel::prelude::*;

/// Writes that memory may have to acknowledge, at most.
pub const PENDING_WRITES: usize = 63;

hdl_block! {
    /// The system, without its memory.
    pub Ccs {
        In clock: Domain; /// Clock and reset.
        Bus cpu: CpuSlave; /// The processor's accesses.
        Out irq, runs: Bit; /// Interrupt line, active high while `interrupt.done` and its enable are 1. A command runs.
        Bus read: ReadMaster; /// Lines that are asked for.
        Bus reply: ReplySink; /// Lines that arrive.
        Bus write: WriteSource; /// Lines and words that are written.
        Bus ack: AckSink; /// Writes that are done.
        Bus more_read: Array<ReadMaster, MORE>; /// Lines that are asked for on the second port.
        Bus more_reply: Array<ReplySink, MORE>; /// Lines that arrive there.
    } inside {
        Child processor: CcsProcessor; // The processor's side.
        Child registers: CcsRegisters; // Registers.
        Child launcher: CcsLauncher; // Start, rules, end.
        Child generator: CcsGenerator; // Rows and lines.
        Child fetch: CcsFetch; // Steps and fetches.
        Child tags: CcsTags; // Tags.
        Child scoreboard: CcsScoreboard; // Results on their way.
        Child word_stage: CcsWordStage; // The next word to be written.
        Child writer: CcsWriter; // What is written.
        Child store: CcsStore; // Data.
        Child unit: CcsUnit; // The compute unit.
        Child silence: CcsSilence; // How long memory has said nothing.
        Local own, elements, arrives, busy, acknowledged, failed: Bit;
        Child more_arrives: Array<Signal<Local, Bit>, MORE>;
        Value _g: Shape;
    }
}

impl Ccs {
    /// The system of this geometry, which holds.
    pub fn new(geometry: &CcsGeometry) -> Self {
        Ccs {
            registers: CcsRegisters::new(geometry),
            launcher: CcsLauncher::new(),
            fetch: CcsFetch::new(),
            tags: CcsTags::new(),
            scoreboard: CcsScoreboard::new(),
            store: CcsStore::new(),
            unit: CcsUnit::new(),
            silence: CcsSilence::new(geometry.memory == CcsMemory::Line),
            ..Self::default()
        }
    }

    /// The same with a memory that is reset with it.
    pub fn with_memory(geometry: &CcsGeometry) -> Self {
        Ccs { silence: CcsSilence::new(false), ..Ccs::new(geometry) }
    }
}

impl Logic for Ccs {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, processor, registers, launcher, generator, fetch);
        clock!(self, clock, tags, scoreboard, word_stage, writer, store, unit, silence);
        // What memory says while it settles after a hard reset is of before: it is taken and changes nothing.
        self.silence.answer.next = self.reply.valid.val() | self.ack.valid.val();
        for i in 0..self._g.more {
            self.silence.answer.next = self.reply.valid.val() | self.more_reply[i].valid.val() | self.ack.valid.val();
        }
        self.silence.resetting.next = self.launcher.resetting.val();
        self.acknowledged.next = self.ack.valid.val() & !self.silence.settling.val();
        // Processor.
        CpuSlave::link(&mut self.cpu, &mut self.processor.cpu);
        self.processor.port_busy.next = self.fetch.issue.val();
        self.processor.resetting.next = self.launcher.resetting.val();
        self.processor.settling.next = self.silence.settling.val();
        self.processor.command_ready.next = self.launcher.answers.val();
        self.processor.queued.next = self.launcher.queued.val();
        self.processor.register_value.next = self.registers.value.val();
        self.processor.lookup_hit.next = self.tags.hits[3].val();
        self.processor.word_read.next = self.store.word_read.val();
        self.processor.word_granted.next = self.word_stage.word_granted.val();
        self.processor.word_held.next = self.word_stage.held.val();
        self.busy.next = self.fetch.busy.val() | !self.scoreboard.empty.val();
        self.processor.quiet.next = !self.busy.val() & self.fetch.shut.val();
        // Registers.
        self.registers.write.next = self.processor.register_write.val();
        self.registers.launching.next = self.processor.launches.val();
        self.registers.read.next = self.processor.register_read.val();
        self.registers.number.next = self.processor.register_number.val();
        self.registers.data.next = self.processor.data.val();
        self.registers.strobes.next = self.processor.strobes.val();
        self.registers.ready.next = self.launcher.ready.val();
        self.registers.resetting.next = self.launcher.resetting.val();
        self.registers.queued.next = self.launcher.queued.val();
        self.runs.next = !self.launcher.ready.val();
        self.registers.error.next = self.launcher.error.val();
        self.registers.taken.next = self.launcher.taken.val();
        self.registers.ended.next = self.launcher.ended.val();
        self.registers.line_written.next = self.writer.line_written.val();
        self.registers.result_valid.next = self.unit.result_valid.val();
        self.registers.result.next = self.unit.result.val();
        self.registers.clear.next = self.launcher.clear.val();
        self.irq.next = self.registers.irq.val();
        // Launcher.
        self.launcher.start.next = self.registers.start.val();
        self.launcher.queues.next = self.registers.queues.val();
        self.launcher.several.next = self.registers.several.val();
        self.launcher.strided.next = self.registers.strided.val();
        self.launcher.next_command.next = self.registers.next_command.val();
        self.launcher.next_length.next = self.registers.next_length.val();
        self.launcher.front.next = self.generator.busy.val() | self.fetch.front.val();
        self.launcher.lull.next = self.fetch.lull.val();
        self.launcher.reducing.next = self.fetch.reducing.val();
        self.launcher.soft_reset.next = self.registers.soft_reset.val();
        self.launcher.command.next = self.registers.command.val();
        self.launcher.bases[0].next = self.registers.a.val();
        self.launcher.bases[1].next = self.registers.b.val();
        self.launcher.bases[2].next = self.registers.r.val();
        self.launcher.steps[0].next = self.registers.step_a.val();
        self.launcher.steps[1].next = self.registers.step_b.val();
        self.launcher.steps[2].next = self.registers.step_r.val();
        self.launcher.length.next = self.registers.length.val();
        self.launcher.count.next = self.registers.count.val();
        self.launcher.constant.next = self.registers.constant.val();
        self.launcher.stride.next = self.registers.stride.val();
        self.launcher.idle.next = !self.generator.busy.val() & !self.busy.val() & self.writer.settled.val();
        // Rows and commands before it come to their end first, so that their errors are told.
        self.launcher.outside.next = self.generator.outside.val()
            & !self.generator.step.valid.val()
            & !self.busy.val()
            & self.writer.settled.val();
        self.failed.next = (self.acknowledged.val() & self.ack.error.val())
            | (self.arrives.val() & !self.own.val() & self.fetch.told.val() & self.reply.error.val());
        for i in 0..self._g.more {
            self.failed.next = self.failed.val()
                | (self.more_arrives[i].val()
                    & !self.processor.more_own[i].val()
                    & self.fetch.more_told[i].val()
                    & self.more_reply[i].error.val());
        }
        self.launcher.failed.next = self.failed.val();
        self.launcher.silent.next = self.silence.silent.val();
        // Generator.
        self.generator.load.next = self.launcher.loads.val();
        self.generator.quick.next = self.launcher.quick.val();
        self.generator.length.next = self.launcher.elements_asked.val();
        self.generator.bases[0].next = self.registers.a.val();
        self.generator.bases[1].next = self.registers.b.val();
        self.generator.bases[2].next = self.registers.r.val();
        self.generator.steps[0].next = self.registers.step_a.val();
        self.generator.steps[1].next = self.registers.step_b.val();
        self.generator.steps[2].next = self.registers.step_r.val();
        self.generator.count.next = self.registers.count.val();
        self.generator.store.next = self.launcher.store.val();
        self.generator.extent.next = self.launcher.extent.val();
        self.generator.run.next = self.launcher.run.val();
        self.generator.stop.next = self.launcher.refuses.val();
        StepSource::join(&mut self.generator.step, &mut self.fetch.step);
        // Fetch.
        self.fetch.store.next = self.launcher.store.val();
        self.fetch.fresh.next = self.launcher.fresh.val();
        self.fetch.map.next = self.launcher.map.val();
        self.fetch.second_constant.next = self.launcher.second_constant.val();
        for i in 0..3 {
            self.generator.vectors[i].next = self.launcher.vectors[i].val();
            self.fetch.vectors[i].next = self.launcher.vectors[i].val();
            self.tags.lines[i].next = self.generator.step.lines[i].val();
            self.fetch.hits[i].next = self.tags.hits[i].val();
        }
        for i in 0..2 {
            self.scoreboard.asked[i].next = self.generator.step.lines[i].val().get_bits::<COMPARED>(0);
        }
        Array::<Signal<Out, Bit>, SAME>::join(&mut self.scoreboard.same, &mut self.fetch.same);
        Array::<Signal<Out, Bit>, RESULTS>::join(&mut self.scoreboard.going, &mut self.fetch.going);
        Array::<Signal<Out, Bit>, RESULTS>::join(&mut self.scoreboard.gone, &mut self.fetch.gone);
        // A reduction's result that has left the scoreboard is written a cycle later.
        self.fetch.word_held.next = self.word_stage.held.val();
        self.fetch.results_room.next = self.scoreboard.room.val();
        self.fetch.slow.next = self.writer.slow.val();
        // Nothing else is under way when a quick command's only row turns out to end outside.
        self.fetch.stop.next = self.launcher.stop.val() | self.generator.strays.val();
        // A cycle without a step makes room for the processor's word, however long the command.
        self.fetch.pause.next = self.processor.pause.val() | self.word_stage.fresh.val();
        self.fetch.hold.next = self.processor.hold.val() | self.silence.settling.val();
        self.fetch.forget.next = self.launcher.clear.val();
        self.fetch.filling.next = self.processor.filling.val();
        self.fetch.fill_line.next = self.processor.line.val();
        self.fetch.retire.next = self.unit.y_valid.val();
        self.fetch.result_valid.next = self.unit.result_valid.val();
        self.scoreboard.push.next = self.fetch.push.val();
        self.scoreboard.line.next = self.generator.step.lines[2].val();
        self.scoreboard.place.next = self.generator.step_place.val();
        self.scoreboard.hit.next = self.fetch.push_hit.val();
        self.scoreboard.clear.next = self.fetch.dropped.val();
        self.scoreboard.pop.next = self.writer.pop.val();
        // A reduction's result is in the word stage in the next cycle, which it leaves at once.
        self.scoreboard.soon.next = (self.unit.y_soon.val() & self.launcher.map.val()) | self.elements.val();
        // Tags.
        self.tags.lines[3].next = self.processor.lookup_line.val();
        self.tags.set.next = self.processor.set.val();
        self.tags.drop.next = self.writer.word_drops.val();
        self.tags.line.next = self.processor.line.val();
        self.tags.clear.next = self.launcher.clear.val();
        // Requests to memory: the unit has none, and makes none, while the processor asks. Whose they are is known by
        // the processor's, which are early.
        self.read.valid.next = self.processor.read_valid.val() | self.fetch.read.valid.val();
        self.read.line.next = self.fetch.read.line.val();
        if self.processor.read_valid.val() {
            self.read.line.next = self.processor.line.val();
        }
        self.fetch.read.ready.next = self.read.ready.val();
        self.processor.read_ready.next = self.read.ready.val();
        self.own.next = self.processor.own_reply.val();
        self.arrives.next = self.reply.valid.val() & self.writer.reply_ready.val() & !self.silence.settling.val();
        self.reply.ready.next = self.writer.reply_ready.val();
        self.processor.arrive.next = self.arrives.val() & self.own.val();
        self.processor.arrive_error.next = self.reply.error.val();
        self.fetch.failed.next = self.reply.error.val();
        self.fetch.arrive.next = self.arrives.val() & !self.own.val();
        self.writer.reply_valid.next =
            self.reply.valid.val() & (!self.own.val() | !self.reply.error.val()) & !self.silence.settling.val();
        self.writer.reply_row.next = self.fetch.arrival_row.val();
        if self.own.val() {
            self.writer.reply_row.next = self.processor.fill_row.val();
        }
        // The port of a.
        for i in 0..self._g.more {
            self.more_read[i].valid.next =
                self.processor.more_read_valid[i].val() | self.fetch.more_read[i].valid.val();
            self.more_read[i].line.next = self.fetch.more_read[i].line.val();
            if self.processor.more_read_valid[i].val() {
                self.more_read[i].line.next = self.processor.line.val();
            }
            self.fetch.more_read[i].ready.next = self.more_read[i].ready.val();
            self.processor.more_read_ready[i].next = self.more_read[i].ready.val();
            self.more_reply[i].ready.next = true;
            self.more_arrives[i].next = self.more_reply[i].valid.val() & !self.silence.settling.val();
            self.processor.more_arrive[i].next = self.more_arrives[i].val() & self.processor.more_own[i].val();
            self.processor.more_error[i].next = self.more_reply[i].error.val();
            self.fetch.more_failed[i].next = self.more_reply[i].error.val();
            self.fetch.more_arrive[i].next = self.more_arrives[i].val() & !self.processor.more_own[i].val();
            self.store.more[i].valid.next =
                self.more_arrives[i].val() & !(self.processor.more_own[i].val() & self.more_reply[i].error.val());
            self.store.more[i].row.next = self.fetch.more_row[i].val();
            if self.processor.more_own[i].val() {
                self.store.more[i].row.next = self.processor.fill_row.val();
            }
            for k in 0..self._g.lanes {
                self.store.more[i].data[k].next = self.more_reply[i].data[k].val();
            }
            self.tags.changes[i].next = self.writer.changes[i].val();
            self.tags.row[i].next = self.writer.changed[i].val();
            self.tags.evicts[i].next = self.writer.evicts[i].val();
            self.tags.evicted[i].next = self.writer.evicted[i].val();
            self.tags.spoils[i].next = self.processor.spoils[i].val();
        }
        // What is written.
        self.writer.lanes_valid.next = self.unit.y_valid.val();
        self.writer.map.next = self.launcher.map.val();
        self.elements.next = self.unit.result_valid.val() & self.launcher.elements.val();
        self.writer.element.next = self.elements.val();
        self.word_stage.element.next = self.elements.val();
        self.word_stage.result.next = self.unit.result.val();
        HeadSource::join(&mut self.scoreboard.head, &mut self.word_stage.head);
        self.word_stage.word_valid.next = self.processor.word_valid.val();
        self.word_stage.word_line.next = self.processor.line.val();
        self.word_stage.word_hit.next = self.processor.line_hit.val();
        self.word_stage.word_place.next = self.processor.place.val();
        self.word_stage.word_data.next = self.processor.data.val();
        self.word_stage.word_strobes.next = self.processor.strobes.val();
        self.word_stage.go.next = self.writer.word_go.val();
        self.writer.word_held.next = self.word_stage.held.val();
        self.writer.word_line.next = self.word_stage.line.val();
        self.writer.word_stores.next = self.word_stage.stores.val();
        self.writer.word_drops_line.next = self.word_stage.drops.val();
        self.writer.word_value.next = self.word_stage.value.val();
        self.writer.word_strobes.next = self.word_stage.strobes.val();
        self.writer.head_line.next = self.scoreboard.head.line.val();
        self.writer.head_hit.next = self.scoreboard.head.hit.val();
        self.writer.constant_write.next = self.launcher.constant_write.val();
        self.writer.constant_word.next = self.launcher.constant_word.val();
        self.writer.ack_valid.next = self.acknowledged.val();
        self.write.valid.next = self.writer.write_valid.val();
        self.write.line.next = self.writer.write_line.val();
        self.write.bytes.next = self.writer.write_bytes.val();
        self.write.word.next = self.writer.write_word.val();
        self.write.value.next = self.writer.word_out.val();
        // Store and unit.
        self.store.row_a.next = self.fetch.row_a.val();
        self.store.row_b.next = self.fetch.row_b.val();
        if self.processor.port_taken.val() {
            if self._g.two {
                self.store.row_b.next = self.processor.port_row.val();
            } else {
                self.store.row_a.next = self.processor.port_row.val();
            }
        }
        self.store.place.next = self.processor.place.val();
        self.store.row.next = self.writer.row.val();
        self.store.source.next = self.writer.source.val();
        self.store.word.next = self.writer.word_out.val();
        self.unit.control.next = self.launcher.control.val();
        self.unit.flip.next = self.launcher.flip.val();
        self.unit.step.next = self.fetch.issue.val();
        self.unit.step_low.next = self.fetch.issue_low.val();
        self.unit.step_high.next = self.fetch.issue_high.val();
        self.unit.step_first.next = self.fetch.issue_first.val();
        self.unit.step_last.next = self.fetch.issue_last.val() & !self.launcher.map.val();
        for k in 0..self._g.lanes {
            self.launcher.mask[k].next = self.registers.mask[k].val();
            self.unit.mask[k].next = self.launcher.lanes[k].val();
            self.unit.a[k].next = self.store.a[k].val();
            self.unit.b[k].next = self.store.b[k].val();
            self.writer.lanes[k].next = self.unit.write[k].val();
            self.writer.word_lanes[k].next = self.word_stage.lanes[k].val();
            self.store.enables[k].next = self.writer.enables[k].val();
            self.store.results[k].next = self.unit.y[k].val();
            self.store.line[k].next = self.reply.data[k].val();
            self.write.lanes[k].next = self.writer.write_lanes[k].val();
            self.write.data[k].next = self.unit.y[k].val();
        }
    }

    describes!(block: "ccs", "Cache compute system: cache, compute unit, control.", []);
}
