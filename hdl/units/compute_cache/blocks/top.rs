//! The compute cache behind its register block: instructions, results and the memory itself over AXI4-Lite.
//!
//! ```text
//!  s_axil ─▶ register block ─┬─▶ instructions ─▶ compute cache
//!     irq ◀─       ▲         └─▶ words ────────▶      │
//!                  └───────── results, words ◀────────┘
//! ```

use crate::compute_cache::CacheGeometry;
use crate::compute_cache::blocks::ComputeCache;
use crate::compute_cache::blocks::bundles::{InstrSource, ProcessorSource, ResultSource};
use crate::compute_cache::blocks::regs::CcRegs;
use crate::compute_cache::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;
use crate::parts::bundles::AxilSlavePort;

/// The compute cache with its registers; `W` is a block.
#[derive(LogicBlock, Default)]
pub struct ComputeCacheTop<W: RowWord> {
    pub clock: Signal<In, Domain>,
    pub s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>, // Registers, as seen by their master.
    pub irq: Signal<Out, Bit>, // Interrupt line, active high while a result waits and the line is enabled.
    pub busy: Signal<Out, Bit>, // An instruction is in the table; as `status.busy`.
    registers: CcRegs,         // Register block.
    cache: ComputeCache<W>,    // Compute cache.
}

impl<W: RowWord> ComputeCacheTop<W> {
    pub fn new(geometry: &CacheGeometry) -> Self {
        ComputeCacheTop { registers: CcRegs::new(geometry), cache: ComputeCache::new(geometry), ..Self::default() }
    }
}

impl<W: RowWord> Logic for ComputeCacheTop<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, registers, cache);
        AxilSlavePort::<Bits<ADDRESS_BITS>>::link(&mut self.s_axil, &mut self.registers.s_axil);
        self.irq.next = self.registers.irq.val();
        self.busy.next = self.cache.busy.val();
        InstrSource::join(&mut self.registers.instr, &mut self.cache.instr);
        ResultSource::join(&mut self.cache.result, &mut self.registers.result);
        ProcessorSource::join(&mut self.registers.processor_, &mut self.cache.processor_);
        self.registers.busy.next = self.cache.busy.val();
    }

    described!("compute_cache_top", "Compute cache behind its register block.");
}
