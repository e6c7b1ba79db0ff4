//! The compute cache: banks of sub-arrays that copy, compare and combine the cache blocks they hold.
//!
//! ```text
//!  instr ─▶ table ─▶ dispatch ─┬─▶ in-place path: waves ─▶ banks ─▶ sub-arrays: two wordlines, sense, write back
//!             ▲  ▲             └─▶ near-place path ─┐        ▲ │
//!  result ◀───┘  │                        ▲         ▼        │ │
//!                └─ blocks done, mask ◀───┴─── interconnect ─┘ │
//!                              ▲                ▲      ▲       │
//!                              └────────────────│──────│───────┘
//!                                             word    read
//! ```
//!
//! Source: Compute Caches (HPCA 2017), §4. Blocks lie in their ordinary layout. An instruction names operands by byte
//! address in the memory ([`crate::compute_cache`]), which is used as a scratchpad: a pinned way, without tags. It is
//! cut into block operations. Operands that share bitlines take the in-place path, up to one block in each bank in each
//! cycle; others take the near-place path, one access of the interconnect in each cycle. Instructions on different
//! paths overlap as far as they touch different blocks. Results come in order: tag, mask, and an error code with an
//! address; a refused instruction changes nothing.
//!
//! Timing: an instruction taken in cycle t, with nothing in its way, is checked in t + 1, goes to its path in t + 2,
//! gives its first wave to the banks in t + 3, which execute it in t + 4; with w waves its result is there in t + 5 +
//! w. Waves of instructions that follow each other have no gaps while word port and near-place path are idle. `word`
//! and `read`: see `interconnect.rs`. After reset nothing is under way; rows keep what they hold.

mod bank;
mod bundles;
mod check;
mod dispatch;
mod entry;
mod hazard;
mod interconnect;
mod near;
mod regs;
mod sub_array;
mod table;
mod top;
mod types;
mod waves;

use crate::parts::bundles::MaskedSource;
use bank::CcBank;
use bundles::*;
use dispatch::CcDispatch;
use interconnect::CcInterconnect;
use near::CcNear;
use table::CcTable;
use top::ComputeCacheTop;
use types::{BankNumber, BankSet};
use waves::CcWaves;

use crate::compute_cache::{CacheGeometry, CacheOp};
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

const CLMUL: u64 = CacheOp::Clmul as u64;

/// The compute cache; `W` is a block.
#[derive(LogicBlock, Default)]
struct ComputeCache<W: RowWord> {
    pub clock: Signal<In, Domain>,
    pub instr: InstrSink,
    pub result: ResultSource,
    pub processor_: ProcessorSink,
    pub busy: Signal<Out, Bit>, // An instruction is in the table.
    instructions: CcTable,      // Instructions.
    dispatch: CcDispatch,       // From table to paths.
    waves: CcWaves,             // The in-place path.
    near_path: CcNear<W>,       // The near-place path.
    bus: CcInterconnect<W>,     // Blocks in and out.
    banks: Vec<CcBank<W>>,      // The memory.
    numbers: Vec<Constant<BankNumber>>,
    sensed: Signal<Local, W>,
    results: Signal<Local, Word<64, 1>>,
    wave_scale: Signal<Local, Bits<2>>,
    near_scale: Signal<Local, Bits<2>>,
    unused_issue: Signal<Local, BankSet>,
    unused_access: Signal<Local, BankSet>,
    _banks: usize,
    _scale: u64,
    _bank_bits: u64,
}

impl<W: RowWord> ComputeCache<W> {
    fn new(geometry: &CacheGeometry) -> Self {
        ComputeCache {
            instructions: CcTable::new(geometry),
            dispatch: CcDispatch::new(geometry),
            waves: CcWaves::new(geometry),
            near_path: CcNear::new(),
            bus: CcInterconnect::new(geometry),
            banks: (0..geometry.banks).map(|_| CcBank::new(geometry)).collect(),
            numbers: (0..geometry.banks).map(|bank| Constant::new((bank as u64).into())).collect(),
            _banks: geometry.banks,
            _scale: geometry.words().ilog2().into(),
            _bank_bits: geometry.banks.ilog2().into(),
            ..Self::default()
        }
    }
}

impl<W: RowWord> Logic for ComputeCache<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, instructions, dispatch, waves, near_path, bus);
        // Instructions and results.
        InstrSink::link(&mut self.instr, &mut self.instructions.instr);
        ResultSource::link(&mut self.result, &mut self.instructions.result);
        self.busy.next = self.instructions.busy.val();
        // To the paths.
        NextSource::join(&mut self.instructions.offer_, &mut self.dispatch.offer_);
        self.instructions.refuse.refuse.next = self.dispatch.refuse.refuse.val();
        self.instructions.refuse.slot.next = self.dispatch.start_slot.val();
        VerdictSource::join(&mut self.dispatch.refuse.verdict_, &mut self.instructions.refuse.verdict_);
        self.waves.start.next = self.dispatch.wave_start.val();
        self.waves.start_slot.next = self.dispatch.start_slot.val();
        self.waves.start_op.next = self.dispatch.start_op.val();
        self.waves.start_grain.next = self.dispatch.start_grain.val();
        self.waves.start_write.next = self.dispatch.start_write.val();
        self.waves.start_gives.next = self.dispatch.start_gives.val();
        self.waves.start_unkeyed.next = self.dispatch.start_unkeyed.val();
        self.waves.start_a.next = self.dispatch.start_a.val();
        self.waves.start_b.next = self.dispatch.start_b.val();
        self.waves.start_d.next = self.dispatch.start_d.val();
        self.waves.start_blocks.next = self.dispatch.start_blocks.val();
        self.dispatch.wave_ready.next = self.waves.ready.val();
        self.dispatch.wave_busy.next = self.waves.busy.val();
        self.dispatch.wave_writes.next = self.waves.writes.val();
        self.dispatch.wave_a.next = self.waves.block_a.val();
        self.dispatch.wave_b.next = self.waves.block_b.val();
        self.dispatch.wave_d.next = self.waves.block_d.val();
        self.dispatch.wave_blocks.next = self.waves.blocks.val();
        self.dispatch.key_written.next = self.waves.key_written.val();
        self.near_path.start.next = self.dispatch.near_start.val();
        self.near_path.start_slot.next = self.dispatch.start_slot.val();
        self.near_path.start_op.next = self.dispatch.start_op.val();
        self.near_path.start_grain.next = self.dispatch.start_grain.val();
        self.near_path.start_two.next = self.dispatch.start_two.val();
        self.near_path.start_write.next = self.dispatch.start_write.val();
        self.near_path.start_a.next = self.dispatch.start_a.val();
        self.near_path.start_b.next = self.dispatch.start_b.val();
        self.near_path.start_d.next = self.dispatch.start_d.val();
        self.near_path.start_blocks.next = self.dispatch.start_blocks.val();
        self.dispatch.near_ready.next = self.near_path.ready.val();
        self.dispatch.near_busy.next = self.near_path.busy.val();
        self.dispatch.near_writes.next = self.near_path.writes.val();
        self.dispatch.near_a.next = self.near_path.block_a.val();
        self.dispatch.near_b.next = self.near_path.block_b.val();
        self.dispatch.near_read.next = self.near_path.blocks_read.val();
        self.dispatch.near_d.next = self.near_path.block_d.val();
        self.dispatch.near_blocks.next = self.near_path.blocks.val();
        self.dispatch.word_write.next = self.bus.word_written.val();
        self.dispatch.word_block.next = self.bus.word_block.val();
        // Words.
        ProcessorSink::link(&mut self.processor_, &mut self.bus.processor_);
        self.instructions.word_block.next = self.bus.word_block.val();
        self.instructions.word_write.next = self.processor_.word.write.val();
        self.bus.word_conflict.next = self.instructions.word_conflict.val();
        // Interconnect.
        self.bus.waits.next = self.waves.waits.val();
        self.bus.key_request.next = self.waves.key_request.val();
        self.bus.key_at.next = self.waves.block_b.val();
        self.waves.key_granted.next = self.bus.key_granted.val();
        self.waves.key_arrives.next = self.bus.key_arrives.val();
        self.bus.near_read.next = self.near_path.read_request.val();
        self.bus.near_block.next = self.near_path.read_block.val();
        self.bus.near_last.next = self.near_path.read_last.val();
        self.near_path.read_granted.next = self.bus.near_granted.val();
        ArrivalSource::<W>::join(&mut self.bus.arrival_, &mut self.near_path.arrival_);
        self.bus.near_write.next = self.near_path.write_request.val();
        self.bus.near_write_block.next = self.near_path.write_block.val();
        self.bus.near_write_data.next = self.near_path.write_data.val();
        self.waves.taken.next = self.bus.access.access.val();
        self.waves.quiet.next = !self.processor_.word.valid.val() & !self.near_path.busy.val();
        // Bits of the mask for a block.
        self.wave_scale.next = self._scale.into();
        if self.waves.wave_op.val() == CLMUL {
            self.wave_scale.next = bits_to::<Bits<2>, Bit>(false) + self._scale - self.waves.wave_grain.val();
        }
        self.near_scale.next = self._scale.into();
        if self.near_path.operation.val() == CLMUL {
            self.near_scale.next = bits_to::<Bits<2>, Bit>(false) + self._scale - self.near_path.granularity.val();
        }
        self.near_path.scale.next = self.near_scale.val();
        // Banks; sets have room for more of them.
        self.unused_issue.next = self.waves.issue.val();
        self.unused_access.next = self.bus.access.access.val();
        self.sensed.next = 0.into();
        self.results.next = 0.into();
        for k in 0..self._banks {
            self.banks[k].clock.next = self.clock.val();
            self.banks[k].number.next = self.numbers[k].val();
            self.banks[k].issue.next = self.waves.issue.val().get_bit(k);
            self.banks[k].wave_op.next = self.waves.wave_op.val();
            self.banks[k].wave_grain.next = self.waves.wave_grain.val();
            self.banks[k].wave_write.next = self.waves.wave_write.val();
            self.banks[k].wave_gives.next = self.waves.wave_gives.val();
            self.banks[k].wave_start.next = self.waves.wave_start.val();
            self.banks[k].wave_index.next = self.waves.wave_index.val();
            self.banks[k].wave_scale.next = self.wave_scale.val();
            self.banks[k].wave_a.next = self.waves.block_a.val() >> self._bank_bits;
            self.banks[k].wave_b.next = self.waves.block_b.val() >> self._bank_bits;
            self.banks[k].wave_d.next = self.waves.block_d.val() >> self._bank_bits;
            self.banks[k].access.access.next = self.bus.access.access.val().get_bit(k);
            self.banks[k].access.write.next = self.bus.access.write.val();
            self.banks[k].access.block.next = self.bus.access.block.val();
            MaskedSource::<W>::join(&mut self.bus.masked_, &mut self.banks[k].masked_);
            self.banks[k].key.next = self.bus.key.val();
            self.sensed.next = self.sensed.val() | self.banks[k].sensed.val();
            self.results.next = self.results.val() | self.banks[k].results.val();
        }
        self.bus.sensed.next = self.sensed.val();
        // Back to the table.
        WaveDoneSource::join(&mut self.waves.retire, &mut self.instructions.wave);
        self.instructions.wave_mask.next = self.results.val();
        NearDoneSource::join(&mut self.near_path.retire, &mut self.instructions.near);
    }

    described!("compute_cache", "Compute cache: operations on cache blocks inside the sub-arrays that hold them.";
        CLMUL; _banks, _scale, _bank_bits);
}

/// The netlist of a compute cache.
///
/// # Errors
/// [`crate::error::Error::Parameter`] if `geometry` breaks a rule; [`crate::error::Error::Netlist`] if a block does.
pub fn compute_cache(geometry: &CacheGeometry) -> Result<Netlist> {
    geometry.check()?;
    let _widths = Widths::keep().set::<CacheBlock>(8 * geometry.block_bytes);
    elaborated(ComputeCache::<CacheBlock>::new(geometry))
}

/// The netlist of a compute cache behind its register block.
///
/// # Errors
/// As [`compute_cache`].
pub fn compute_cache_top(geometry: &CacheGeometry) -> Result<Netlist> {
    geometry.check()?;
    let _widths = Widths::keep().set::<CacheBlock>(8 * geometry.block_bytes);
    elaborated(ComputeCacheTop::<CacheBlock>::new(geometry))
}

fn elaborated<T: Block>(mut top: T) -> Result<Netlist> {
    top.connect_all();
    elaborate(&top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute_cache::CACHE_PRESETS;

    #[test]
    fn presets_elaborate() {
        for (name, ..) in CACHE_PRESETS {
            let geometry = CacheGeometry::preset(name).expect("named");
            let netlist = compute_cache(&geometry).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_compute_cache");
            let netlist = compute_cache_top(&geometry).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(netlist.top().name, "bl_compute_cache_top");
        }
    }
}
