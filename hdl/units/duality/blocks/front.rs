//! Front: the register block, the dispatch and the launch units behind it, which is all of the Duality Cache that the
//! host sees.
//!
//! ```text
//!  s_axil ◀─▶ registers ─▶ dispatch ─▶ launch unit 0, 1 … ─▶ control blocks: scalars, words, start, stop
//!     irq ◀──┘│  │  └─▶ lists ─▶ parameters, special registers ├─▶ memory units: fill
//!             │  │                                              └─▶ cache ways: the program's words
//!             │  └─▶ modes ─▶ dispatch: who gets waves; cache ways: which serve, which are emptied
//!             └─▶ memory units: what waves are made of, DC-pages
//! ```
//!
//! Timing is that of the blocks inside. Arrays of ports have an element for each control block. Shared windows and
//! spill rows of a control block are `shared_step` and `spill_step` behind those of the one before it, from as many
//! cycles on behind the last write of a base or a step as its number says.

use crate::duality::blocks::bundles::{CacheSource, LineHostSource, WavesSource};
use crate::duality::blocks::dispatch::DualityDispatch;
use crate::duality::blocks::host::DualityHost;
use crate::duality::blocks::launch::DualityLaunch;
use crate::duality::blocks::modes::{DualityModes, WAYS_BITS};
use crate::duality::blocks::scalar_unit::ScalarNumber;
use crate::duality::blocks::tables::DualityTables;
use crate::duality::blocks::types::{GridCount, ProgramWord};
use crate::duality::params::{DualityParams, MOST_BLOCKS, PC_BITS};
use crate::duality::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

hdl_block! {
    /// The front.
    pub DualityFront {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high while an enabled cause lasts.
        Out busy: Bit; /// A launch is under way.
        Bus waves: WavesSource; /// What waves are made of.
        Bus lines: Array<LineHostSource, { LANES - 1 }>; /// Registers of operations on lines.
        Bus shared_base, spill_base: Array<Signal<Out, Bits<32>>, LANES>; /// Where windows and spill rows begin.
        Bus special_number: Array<Signal<In, Bits<3>>, LANES>; /// The special register that is asked for.
        Bus special_word: Array<Signal<Out, Bits<32>>, LANES>; /// Its word.
        Bus fill: Array<Signal<Out, Bit>, LANES>; /// The rows of a wave are to be written.
        Out wave_x, wave_y, wave_z: GridCount; /// With it: the wave's first CTA.
        Bus filled: Array<Signal<In, Bit>, LANES>; /// They are.
        Out lockstep: Bit; /// Words leave in bundles.
        Bus put: Array<Signal<Out, Bit>, LANES>; /// A scalar register is written.
        Bus put_number: Array<Signal<Out, ScalarNumber>, LANES>; /// Which one.
        Bus put_value: Array<Signal<Out, Bits<32>>, LANES>; /// What it holds then.
        Bus start, stop: Array<Signal<Out, Bit>, LANES>; /// A program begins. It is to stop.
        Bus write_valid: Array<Signal<Out, Bit>, LANES>; /// A word for the ring is offered.
        Bus write_ready: Array<Signal<In, Bit>, LANES>; /// It is taken if offered.
        Bus write_data: Array<Signal<Out, ProgramWord>, LANES>; /// The word.
        Bus running, trapped: Array<Signal<In, Bit>, LANES>; /// A program runs; it was stopped.
        Bus block_code: Array<Signal<In, Bits<8>>, LANES>; /// What it ended with, or why.
        Bus pc, frontier, tail: Array<Signal<In, Bits<PC_BITS>>, LANES>; /// The ring.
        Bus trap_pc: Array<Signal<In, Bits<PC_BITS>>, LANES>; /// The word that the program was stopped before.
        Bus trap_slot: Array<Signal<In, Bits<2>>, LANES>; /// The array of the word.
        Bus trap_thread: Array<Signal<In, Bits<12>>, LANES>; /// The thread whose access was refused.
        Bus trap_address: Array<Signal<In, Bits<32>>, LANES>; /// What it has asked for.
        Bus trap_names: Array<Signal<In, Bits<2>>, LANES>; /// Bit 0: the thread is told; bit 1: the address is.
        Bus doorbell: Array<Signal<In, Bit>, LANES>; /// At most half of the ring is in use.
        Bus cache: Array<CacheSource, LANES>; /// The programs' words.
        Out enabled: Bits<WAYS_BITS>; /// Ways that serve as a cache.
        Out drain_valid: Bit; /// Ways are to be emptied.
        Out drain_ways: Bits<WAYS_BITS>; /// These.
        In drain_ready, drained: Bit; /// This is taken if asked. It is done.
        Out clear_failed: Bit; /// `write_failed` becomes 0.
        In write_failed: Bit; /// Memory has not taken a line.
        Bus memory_busy: Array<Signal<In, Bit>, LANES>; /// A word of memory is at work.
        In asked: Bit; /// Something is asked of the ways.
        In hit, miss, merged, written_back: Bit; /// What the ways do.
    } inside {
        Child host: DualityHost; // Registers.
        Child tables: DualityTables; // Lists.
        Child modes: DualityModes; // Which control blocks there are.
        Child dispatch: DualityDispatch; // Waves.
        Child launches: Vec<DualityLaunch>; // Launch units.
        Child windows, spills: Vec<Register<Bits<32>>>; // Bases.
        Local working, bell, runs: Bit;
        Local works: Bits<MOST_BLOCKS>; // Control blocks in which a wave is under way.
        Local unused_bits: Bits<MOST_BLOCKS>;
        Value _blocks, _lines: usize;
    }
}

impl DualityFront {
    /// The front of a design.
    pub fn new(params: &DualityParams) -> Self {
        let registers = || (0..params.blocks).map(|_| Register::default()).collect();
        DualityFront {
            host: DualityHost::new(params),
            tables: DualityTables::new(params.blocks),
            modes: DualityModes::new(params),
            dispatch: DualityDispatch::new(params.blocks),
            launches: (0..params.blocks).map(|_| DualityLaunch::new()).collect(),
            windows: registers(),
            spills: registers(),
            _blocks: params.blocks,
            _lines: params.line_operations.into(),
            ..Self::default()
        }
    }
}

impl Logic for DualityFront {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, host, tables, modes, dispatch);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.host.s_axil);
        self.irq.next = self.host.irq.val();
        self.busy.next = self.dispatch.busy.val();
        // What waves are made of.
        WavesSource::link(&mut self.waves, &mut self.host.waves);
        for j in 0..self._lines {
            LineHostSource::link(&mut self.lines[j], &mut self.host.lines[j]);
        }
        self.tables.parameter_write.next = self.host.parameter_write.val();
        self.tables.special_write.next = self.host.special_write.val();
        self.tables.number.next = self.host.list_number.val();
        self.tables.value.next = self.host.list_value.val();
        self.tables.specials.next = self.host.specials.val();
        // The launch.
        self.dispatch.begin.next = self.host.begin.val();
        self.dispatch.abort.next = self.host.abort.val();
        self.dispatch.grid_x.next = self.waves.grid_x.val();
        self.dispatch.grid_y.next = self.waves.grid_y.val();
        self.dispatch.grid_z.next = self.waves.grid_z.val();
        self.dispatch.at_once.next = self.waves.at_once.val();
        self.wave_x.next = self.dispatch.wave_x.val();
        self.wave_y.next = self.dispatch.wave_y.val();
        self.wave_z.next = self.dispatch.wave_z.val();
        self.host.busy.next = self.dispatch.busy.val();
        self.host.ended.next = self.dispatch.ended.val();
        self.host.outcome.next = self.dispatch.outcome.val();
        self.host.code.next = self.dispatch.code.val();
        self.host.trapped_block.next = self.dispatch.block.val();
        self.host.wave.next = self.dispatch.deals.val();
        self.lockstep.next = self.host.lockstep.val();
        // What the host looks at: a control block that is not there is as number 0, and after a trap that of the trap.
        self.host.push_ready.next = self.launches[0].push_ready.val();
        self.host.pc.next = self.pc[0].val();
        self.host.frontier.next = self.frontier[0].val();
        self.host.tail.next = self.tail[0].val();
        self.host.block_runs.next = self.launches[0].runs.val();
        self.host.block_wave.next = self.dispatch.waves[0].val();
        self.host.trap_pc.next = self.trap_pc[0].val();
        self.host.trap_slot.next = self.trap_slot[0].val();
        self.host.trap_thread.next = self.trap_thread[0].val();
        self.host.trap_address.next = self.trap_address[0].val();
        self.host.trap_names.next = self.trap_names[0].val();
        self.working.next = false;
        self.bell.next = false;
        self.runs.next = false;
        self.works.next = 0.into();
        // Those of control blocks that are not there.
        self.unused_bits.next = self.modes.ready.val() ^ self.modes.cut.val();
        for k in 0..self._blocks {
            if self.host.block.val().index() == k {
                self.host.push_ready.next = self.launches[k].push_ready.val();
                self.host.pc.next = self.pc[k].val();
                self.host.frontier.next = self.frontier[k].val();
                self.host.tail.next = self.tail[k].val();
                self.host.block_runs.next = self.launches[k].runs.val();
                self.host.block_wave.next = self.dispatch.waves[k].val();
            }
            if self.dispatch.block.val().index() == k {
                self.host.trap_pc.next = self.trap_pc[k].val();
                self.host.trap_slot.next = self.trap_slot[k].val();
                self.host.trap_thread.next = self.trap_thread[k].val();
                self.host.trap_address.next = self.trap_address[k].val();
                self.host.trap_names.next = self.trap_names[k].val();
            }
            self.working.next = self.working.val() | self.memory_busy[k].val();
            self.runs.next = self.runs.val() | self.launches[k].runs.val();
            self.works.next = self.works.val().replace_bit(k, self.launches[k].works.val());
            self.bell.next = self.bell.val() | (self.launches[k].runs.val() & self.doorbell[k].val());
        }
        self.host.memory_busy.next = self.working.val();
        self.host.runs.next = self.runs.val();
        self.host.bell.next = self.bell.val() & self.host.host_fed.val();
        // Control blocks.
        for k in 0..self._blocks {
            self.launches[k].clock.next = self.clock.val();
            dff_setup!(self, clock, windows[k], spills[k]);
            CacheSource::link(&mut self.cache[k], &mut self.launches[k].cache);
            self.launches[k].begin.next = self.host.begin.val();
            self.launches[k].abort.next = self.dispatch.halt.val() | self.modes.cut.val().get_bit(k);
            self.launches[k].host_fed.next = self.host.host_fed.val();
            self.launches[k].code_at.next = self.host.code_at.val();
            self.launches[k].words.next = self.host.words.val();
            self.launches[k].parameters.next = self.host.parameters.val();
            self.tables.parameter_numbers[k].next = self.launches[k].parameter_number.val();
            self.launches[k].parameter.next = self.tables.parameters[k].val();
            self.tables.special_numbers[k].next = self.special_number[k].val();
            self.special_word[k].next = self.tables.special_words[k].val();
            self.launches[k].push.next = self.host.push.val() & (self.host.block.val().index() == k);
            self.launches[k].push_word.next = self.host.push_word.val();
            self.dispatch.ready[k].next = self.modes.ready.val().get_bit(k);
            self.dispatch.wants[k].next = self.launches[k].wants.val();
            self.dispatch.launching[k].next = self.launches[k].busy.val();
            self.dispatch.started[k].next = self.launches[k].start.val();
            self.dispatch.outcomes[k].next = self.launches[k].outcome.val();
            self.dispatch.codes[k].next = self.launches[k].code.val();
            self.launches[k].dealt.next = self.dispatch.dealt[k].val();
            self.launches[k].over.next = self.dispatch.over.val();
            self.fill[k].next = self.launches[k].fill.val();
            self.launches[k].filled.next = self.filled[k].val();
            self.put[k].next = self.launches[k].put.val();
            self.put_number[k].next = self.launches[k].put_number.val();
            self.put_value[k].next = self.launches[k].put_value.val();
            self.start[k].next = self.launches[k].start.val();
            self.stop[k].next = self.launches[k].stop.val();
            self.write_valid[k].next = self.launches[k].write_valid.val();
            self.launches[k].write_ready.next = self.write_ready[k].val();
            self.write_data[k].next = self.launches[k].write_data.val();
            self.launches[k].running.next = self.running[k].val();
            self.launches[k].trapped.next = self.trapped[k].val();
            self.launches[k].block_code.next = self.block_code[k].val();
            self.launches[k].trap_pc.next = self.trap_pc[k].val();
            self.shared_base[k].next = self.windows[k].q.val();
            self.spill_base[k].next = self.spills[k].q.val();
        }
        self.windows[0].d.next = self.host.shared_base.val();
        self.spills[0].d.next = self.host.spill_base.val();
        for k in 1..self._blocks {
            self.windows[k].d.next = self.windows[k - 1].q.val() + self.host.shared_step.val();
            self.spills[k].d.next = self.spills[k - 1].q.val() + self.host.spill_step.val();
        }
        // What ways are.
        self.modes.write_ways.next = self.host.write_ways.val();
        self.modes.write_modes.next = self.host.write_modes.val();
        self.modes.data.next = self.host.list_value.val();
        self.modes.flush.next = self.host.flush.val();
        self.modes.asked.next = self.asked.val();
        self.modes.works.next = self.works.val();
        self.host.ways.next = self.modes.ways.val();
        self.host.wanted.next = self.modes.wanted.val();
        self.host.states.next = self.modes.states.val();
        self.host.changed.next = self.modes.changed.val();
        self.host.serves.next = self.modes.serves.val();
        self.host.flushing.next = self.modes.flushing.val();
        self.host.flushed.next = self.modes.flushed.val();
        self.host.used.next = self.modes.used.val();
        // Cache ways.
        self.enabled.next = self.modes.enabled.val();
        self.drain_valid.next = self.modes.drain_valid.val();
        self.drain_ways.next = self.modes.drain_ways.val();
        self.modes.drain_ready.next = self.drain_ready.val();
        self.modes.drained.next = self.drained.val();
        self.clear_failed.next = self.host.clear_failed.val();
        self.host.write_failed.next = self.write_failed.val();
        self.host.hit.next = self.hit.val();
        self.host.miss.next = self.miss.val();
        self.host.merged.next = self.merged.val();
        self.host.written_back.next = self.written_back.val();
    }

    described!("duality_front", "Register block, dispatch and launch units."; ; _blocks, _lines);
}
