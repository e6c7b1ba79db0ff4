//! The Duality Cache: a control block beside cache ways, behind AXI4-Lite, with memory behind AXI4.
//!
//! ```text
//!  s_axil ◀─▶ front ─▶ waves, words, scalars ─▶ control block, memory unit
//!     irq ◀────┘  │                                     │
//!                 └─ the program's words ──▶ arbiter ◀──┘
//!                                               └─▶ cache ways ◀─▶ m_axi
//! ```
//!
//! A launch is described by registers ([`crate::duality::registers`]); what it does to memory is in the cache ways
//! until they are flushed, and what others do to memory is not seen while its line is in them.

use crate::array::isa::microcode::Microcode;
use crate::duality::blocks::arbiter::DualityArbiter;
use crate::duality::blocks::bundles::CacheSource;
use crate::duality::blocks::cache::DualityCache;
use crate::duality::blocks::front::DualityFront;
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
        Bus m_axi: AxiMasterPort<Bits<32>, Word<64, 1>, Bits<8>>; /// Memory.
    } inside {
        Child front: Boxed<DualityFront>; // Registers, launch unit.
        Child processor: Boxed<DualityProcessor>; // Control block, memory unit.
        Child arbiter: DualityArbiter; // Who asks the ways.
        Child cache: Boxed<DualityCache>; // Cache ways.
        Local asked: Bit;
        Local unused_finished: Bit;
        Local unused_ways: Bits<20>;
        Local all_ways: CacheWays;
    }
}

impl DualityTop {
    /// The unit that these parameters describe, with the micro-programs of its arrays.
    pub fn new(params: &DualityParams, code: &Microcode) -> Self {
        let cache = || {
            let _sizes = Sizes::set(&[2 * params.cache().leaves() - 1]);
            DualityCache::new(&params.cache())
        };
        let processor = || {
            let _sizes = Sizes::set(&[SLOTS * params.banks]);
            DualityProcessor::new(params, code)
        };
        DualityTop {
            front: Boxed::new(|| DualityFront::new(params)),
            processor: Boxed::new(processor),
            arbiter: DualityArbiter::new(),
            cache: Boxed::new(cache),
            ..Self::default()
        }
    }
}

impl Logic for DualityTop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, processor, arbiter, cache);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.front.s_axil);
        AxiMasterPort::<Bits<32>, Word<64, 1>, Bits<8>>::link(&mut self.m_axi, &mut self.cache.m_axi);
        self.irq.next = self.front.irq.val();
        self.busy.next = self.front.busy.val();
        // Waves.
        self.processor.arrays.next = self.front.waves.arrays.val();
        self.processor.launch.block_x.next = self.front.waves.block_x.val();
        self.processor.launch.block_y.next = self.front.waves.block_y.val();
        self.processor.launch.block_z.next = self.front.waves.block_z.val();
        self.processor.launch.grid_x.next = self.front.waves.grid_x.val();
        self.processor.launch.grid_y.next = self.front.waves.grid_y.val();
        self.processor.launch.grid_z.next = self.front.waves.grid_z.val();
        self.processor.launch.at_once.next = self.front.waves.at_once.val();
        self.processor.launch.shared_base.next = self.front.waves.shared_base.val();
        self.processor.launch.shared_bytes.next = self.front.waves.shared_bytes.val();
        self.processor.spill_base.next = self.front.waves.spill_base.val();
        self.processor.spill_rows.next = self.front.waves.spill_rows.val();
        self.front.waves.special_number.next = self.processor.special_number.val();
        self.processor.special_word.next = self.front.waves.special_word.val();
        self.processor.page_write.next = self.front.waves.page_write.val();
        self.processor.page_number.next = self.front.waves.page_number.val();
        self.processor.page_entry.next = self.front.waves.page_entry.val();
        self.front.waves.trap_thread.next = self.processor.trap_thread.val();
        self.front.waves.trap_address.next = self.processor.trap_address.val();
        self.front.waves.trap_names.next = self.processor.trap_names.val();
        self.processor.restart.next = self.front.restart.val();
        self.processor.fill.next = self.front.fill.val();
        self.front.filled.next = self.processor.filled.val();
        self.front.left.next = self.processor.left.val();
        // The program.
        self.processor.lockstep.next = self.front.lockstep.val();
        self.processor.put.next = self.front.put.val();
        self.processor.put_number.next = self.front.put_number.val();
        self.processor.put_value.next = self.front.put_value.val();
        self.processor.start.next = self.front.start.val();
        self.processor.stop.next = self.front.stop.val();
        self.processor.write_valid.next = self.front.write_valid.val();
        self.front.write_ready.next = self.processor.write_ready.val();
        self.processor.write_data.next = self.front.write_data.val();
        self.front.running.next = self.processor.running.val();
        self.unused_finished.next = self.processor.finished.val();
        self.front.trapped.next = self.processor.trapped.val();
        self.front.block_code.next = self.processor.code.val();
        self.front.pc.next = self.processor.pc.val();
        self.front.frontier.next = self.processor.frontier.val();
        self.front.tail.next = self.processor.tail.val();
        self.front.trap_pc.next = self.processor.trap_pc.val();
        self.front.trap_slot.next = self.processor.trap_slot.val();
        self.front.doorbell.next = self.processor.doorbell.val();
        self.front.memory_busy.next = self.processor.working.val();
        // The cache ways.
        CacheSource::join(&mut self.processor.cache, &mut self.arbiter.memory);
        CacheSource::join(&mut self.front.cache, &mut self.arbiter.code);
        CacheSource::join(&mut self.arbiter.ways, &mut self.cache.port);
        self.asked.next = self.arbiter.ways.valid.val();
        self.front.asked.next = self.asked.val();
        self.cache.enabled.next = bits_to::<CacheWays, Bits<20>>(self.front.enabled.val());
        self.unused_ways.next = self.front.enabled.val();
        self.cache.drain.valid.next = self.front.drain_valid.val();
        self.all_ways.next = 0.into();
        self.all_ways.next = !self.all_ways.val();
        self.cache.drain.ways.next = self.all_ways.val();
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

    described!("duality_top", "A control block beside cache ways, behind registers.");
}
