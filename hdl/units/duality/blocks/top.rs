//! The Duality Cache: control blocks that share cache ways, behind AXI4-Lite, with memory behind AXI4.
//!
//! ```text
//!  s_axil ◀─▶ front ─▶ waves, words, scalars ─▶ control block and memory unit 0, 1 …
//!     irq ◀────┘  │                                     │
//!                 └─ the programs' words ──▶ arbiter ◀──┘
//!    word ◀─▶ ─────────────────────────────▶    └─▶ cache ways ◀─▶ m_axi
//! ```
//!
//! A launch is described by registers ([`crate::duality::registers`]); what it does to memory is in the cache ways
//! until they are flushed, and what others do to memory is not seen while its line is in them. The first ways are those
//! of the control blocks: such a way is a cache or a control block (`modes.rs`). Waves of different control blocks have
//! no order among each other; all of them see one memory, word by word, and atomic operations stay whole
//! ([`DualityArbiter`]). So does a processor at the port `word`, whose cache the ways are, too: a request is a word of
//! 8 bytes at a physical address, and its answer, which cannot wait, has the word that was there before. With
//! `line_operations` a [`DualityLines`] at the last port of the arbiter computes on lines.

use crate::array::isa::microcode::Microcode;
use crate::duality::blocks::arbiter::DualityArbiter;
use crate::duality::blocks::bundles::{CacheSink, CacheSource, LineHostSource};
use crate::duality::blocks::cache::{DualityCache, sizes as cache_sizes};
use crate::duality::blocks::front::DualityFront;
use crate::duality::blocks::lines::DualityLines;
use crate::duality::blocks::processor::DualityProcessor;
use crate::duality::params::{DualityParams, SLOTS};
use crate::duality::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::{AxiMasterPort, AxilSlavePort};

hdl_block! {
    /// The unit.
    pub DualityTop {
        In clock: Domain; /// Clock and reset.
        Bus s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>; /// Registers, as seen by their master.
        Out irq: Bit; /// Interrupt line, active high while an enabled cause lasts.
        Out busy: Bit; /// A launch is under way, as `status.busy`.
        Bus word: CacheSink; /// Words of memory through the ways, for a processor.
        Bus m_axi: AxiMasterPort<Bits<32>, Word<64, 1>, Bits<8>>; /// Memory.
    } inside {
        Child front: Boxed<DualityFront>; // Registers, launch unit.
        Child processors: Vec<Boxed<DualityProcessor>>; // Control blocks with their memory units.
        Child arbiter: DualityArbiter; // Who asks the ways.
        Child cache: Boxed<DualityCache>; // Cache ways.
        Child lines: Vec<DualityLines>; // Operations on lines, if there are some.
        Local asked: Bit;
        Child unused_finished: Vec<Signal<Local, Bit>>;
        Local unused_ways: Bits<20>;
        Value _blocks, _lines: usize;
    }
}

impl DualityTop {
    /// The unit that these parameters describe, with the micro-programs of its arrays.
    pub fn new(params: &DualityParams, code: &Microcode) -> Self {
        let cache = || {
            let _sizes = cache_sizes(&params.cache());
            DualityCache::new(&params.cache())
        };
        let processor = || {
            let _sizes = Sizes::set(&[SLOTS * params.banks]);
            DualityProcessor::new(params, code)
        };
        let front = || {
            let _sizes = Sizes::set(&[params.blocks, params.line_operations.into()]);
            DualityFront::new(params)
        };
        let arbiter = {
            let _sizes = Sizes::set(&[params.ports()]);
            DualityArbiter::new(params.ports(), params.line_operations)
        };
        DualityTop {
            front: Boxed::new(front),
            processors: (0..params.blocks).map(|_| Boxed::new(processor)).collect(),
            arbiter,
            cache: Boxed::new(cache),
            unused_finished: (0..params.blocks).map(|_| Signal::default()).collect(),
            lines: (0..params.line_operations.into()).map(|_| DualityLines::new()).collect(),
            _blocks: params.blocks,
            _lines: params.line_operations.into(),
            ..Self::default()
        }
    }
}

impl Logic for DualityTop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, arbiter, cache);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.front.s_axil);
        AxiMasterPort::<Bits<32>, Word<64, 1>, Bits<8>>::link(&mut self.m_axi, &mut self.cache.m_axi);
        self.irq.next = self.front.irq.val();
        self.busy.next = self.front.busy.val();
        for k in 0..self._blocks {
            self.processors[k].clock.next = self.clock.val();
            // Waves.
            self.processors[k].arrays.next = self.front.waves.arrays.val();
            self.processors[k].launch.block_x.next = self.front.waves.block_x.val();
            self.processors[k].launch.block_y.next = self.front.waves.block_y.val();
            self.processors[k].launch.block_z.next = self.front.waves.block_z.val();
            self.processors[k].launch.grid_x.next = self.front.waves.grid_x.val();
            self.processors[k].launch.grid_y.next = self.front.waves.grid_y.val();
            self.processors[k].launch.grid_z.next = self.front.waves.grid_z.val();
            self.processors[k].launch.at_once.next = self.front.waves.at_once.val();
            self.processors[k].launch.shared_bytes.next = self.front.waves.shared_bytes.val();
            self.processors[k].launch.shared_base.next = self.front.shared_base[k].val();
            self.processors[k].spill_base.next = self.front.spill_base[k].val();
            self.processors[k].spill_rows.next = self.front.waves.spill_rows.val();
            self.front.special_number[k].next = self.processors[k].special_number.val();
            self.processors[k].special_word.next = self.front.special_word[k].val();
            self.processors[k].page_write.next = self.front.waves.page_write.val();
            self.processors[k].page_number.next = self.front.waves.page_number.val();
            self.processors[k].page_entry.next = self.front.waves.page_entry.val();
            self.front.trap_thread[k].next = self.processors[k].trap_thread.val();
            self.front.trap_address[k].next = self.processors[k].trap_address.val();
            self.front.trap_names[k].next = self.processors[k].trap_names.val();
            self.processors[k].fill.next = self.front.fill[k].val();
            self.processors[k].wave_x.next = self.front.wave_x.val();
            self.processors[k].wave_y.next = self.front.wave_y.val();
            self.processors[k].wave_z.next = self.front.wave_z.val();
            self.front.filled[k].next = self.processors[k].filled.val();
            // The program.
            self.processors[k].lockstep.next = self.front.lockstep.val();
            self.processors[k].put.next = self.front.put[k].val();
            self.processors[k].put_number.next = self.front.put_number[k].val();
            self.processors[k].put_value.next = self.front.put_value[k].val();
            self.processors[k].start.next = self.front.start[k].val();
            self.processors[k].stop.next = self.front.stop[k].val();
            self.processors[k].write_valid.next = self.front.write_valid[k].val();
            self.processors[k].write_data.next = self.front.write_data[k].val();
            self.front.write_ready[k].next = self.processors[k].write_ready.val();
            self.front.running[k].next = self.processors[k].running.val();
            self.front.trapped[k].next = self.processors[k].trapped.val();
            self.front.pc[k].next = self.processors[k].pc.val();
            self.front.frontier[k].next = self.processors[k].frontier.val();
            self.front.tail[k].next = self.processors[k].tail.val();
            self.front.trap_pc[k].next = self.processors[k].trap_pc.val();
            self.front.trap_slot[k].next = self.processors[k].trap_slot.val();
            self.front.doorbell[k].next = self.processors[k].doorbell.val();
            self.front.block_code[k].next = self.processors[k].code.val();
            self.front.memory_busy[k].next = self.processors[k].working.val();
            self.unused_finished[k].next = self.processors[k].finished.val();
            // Requests: those of memory units, and then those of launch units.
            CacheSource::join(&mut self.processors[k].cache, &mut self.arbiter.ports[k]);
            self.processors[k].answer_line.next = self.cache.answer_line.val();
            CacheSource::join(&mut self.front.cache[k], &mut self.arbiter.ports[self._blocks + k]);
            self.arbiter.locks[k].next = self.processors[k].lock.val();
            self.arbiter.locks[self._blocks + k].next = false;
        }
        CacheSink::link(&mut self.word, &mut self.arbiter.ports[2 * self._blocks]);
        self.arbiter.locks[2 * self._blocks].next = false;
        // Operations on lines.
        for j in 0..self._lines {
            self.lines[j].clock.next = self.clock.val();
            LineHostSource::join(&mut self.front.lines[j], &mut self.lines[j].host);
            CacheSource::join(&mut self.lines[j].cache, &mut self.arbiter.ports[2 * self._blocks + 1 + j]);
            self.arbiter.locks[2 * self._blocks + 1 + j].next = self.lines[j].lock.val();
            self.cache.stores[j].whole.next =
                self.lines[j].store.whole.val() & self.arbiter.ports[2 * self._blocks + 1 + j].ready.val();
            self.cache.stores[j].line.next = self.lines[j].store.line.val();
            self.cache.stores[j].drop.next = self.lines[j].store.drop.val();
            self.lines[j].answer_line.next = self.cache.answer_line.val();
            self.lines[j].missed.next = self.cache.miss.val();
        }
        // The cache ways.
        CacheSource::join(&mut self.arbiter.ways, &mut self.cache.port);
        self.asked.next = self.arbiter.ways.valid.val();
        self.front.asked.next = self.asked.val();
        self.cache.enabled.next = bits_to::<CacheWays, Bits<20>>(self.front.enabled.val());
        self.cache.drain.valid.next = self.front.drain_valid.val();
        self.cache.drain.ways.next = bits_to::<CacheWays, Bits<20>>(self.front.drain_ways.val());
        self.unused_ways.next = self.front.enabled.val() ^ self.front.drain_ways.val();
        self.front.drain_ready.next = self.cache.drain.ready.val();
        self.front.drained.next = self.cache.drained.val();
        self.cache.restart.next = false;
        self.cache.clear_failed.next = self.front.clear_failed.val();
        self.front.write_failed.next = self.cache.write_failed.val();
        self.front.hit.next = self.cache.hit.val();
        self.front.miss.next = self.cache.miss.val();
        self.front.merged.next = self.cache.merged.val();
        self.front.written_back.next = self.cache.written_back.val();
    }

    described!("duality_top", "Control blocks that share cache ways, behind registers."; ; _blocks, _lines);
}
