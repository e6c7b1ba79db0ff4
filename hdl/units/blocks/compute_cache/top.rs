//! The compute cache behind its register block: instructions, results and the memory itself over AXI4-Lite.
//!
//! ```text
//!  s_axil ─▶ register block ─┬─▶ instructions ─▶ compute cache
//!     irq ◀─       ▲         └─▶ words ────────▶      │
//!                  └───────── results, words ◀────────┘
//! ```

use super::ComputeCache;
use super::regs::CcRegs;
use crate::blocks::bundles::AxilSlavePort;
use crate::cache::CacheGeometry;
use crate::cache::registers::ADDRESS_BITS;
use crate::kernel::prelude::*;

/// The compute cache with its registers; `W` is a block.
#[derive(LogicBlock, Default)]
pub struct ComputeCacheTop<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Registers, as seen by their master.
    pub s_axil: AxilSlavePort<Bits<ADDRESS_BITS>>,
    /// Interrupt line, active high while a result waits and the line is enabled.
    pub irq: Signal<Out, Bit>,
    /// An instruction is in the table; as `status.busy`.
    pub busy: Signal<Out, Bit>,
    /// Register block.
    pub registers: CcRegs,
    /// Compute cache.
    pub cache: ComputeCache<W>,
}

impl<W: RowWord> ComputeCacheTop<W> {
    /// The top of this geometry.
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
        self.cache.instr_valid.next = self.registers.instr_valid.val();
        self.cache.instr_op.next = self.registers.instr_op.val();
        self.cache.instr_grain.next = self.registers.instr_grain.val();
        self.cache.instr_a.next = self.registers.instr_a.val();
        self.cache.instr_b.next = self.registers.instr_b.val();
        self.cache.instr_d.next = self.registers.instr_d.val();
        self.cache.instr_size.next = self.registers.instr_size.val();
        self.cache.instr_tag.next = self.registers.instr_tag.val();
        self.cache.result_ready.next = self.registers.result_ready.val();
        self.cache.word_valid.next = self.registers.word_valid.val();
        self.cache.word_write.next = self.registers.word_write.val();
        self.cache.word_address.next = self.registers.word_address.val();
        self.cache.word_data.next = self.registers.word_data.val();
        self.cache.word_strobes.next = self.registers.word_strobes.val();
        self.cache.read_ready.next = self.registers.read_ready.val();
        self.registers.instr_ready.next = self.cache.instr_ready.val();
        self.registers.result_valid.next = self.cache.result_valid.val();
        self.registers.result_tag.next = self.cache.result_tag.val();
        self.registers.result_mask.next = self.cache.result_mask.val();
        self.registers.result_code.next = self.cache.result_code.val();
        self.registers.result_address.next = self.cache.result_address.val();
        self.registers.word_ready.next = self.cache.word_ready.val();
        self.registers.read_valid.next = self.cache.read_valid.val();
        self.registers.read_data.next = self.cache.read_data.val();
        self.registers.busy.next = self.cache.busy.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe("compute_cache_top", "Compute cache behind its register block.", constants![])
    }
}
