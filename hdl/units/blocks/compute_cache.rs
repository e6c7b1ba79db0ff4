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
//! Source: Compute Caches (HPCA 2017), §4. Blocks lie in their ordinary layout. An instruction names operands by byte address in the
//! memory ([`crate::cache`]), which is used as a scratchpad: a pinned way, without tags. It is cut into block operations. Operands
//! that share bitlines take the in-place path, up to one block in each bank in each cycle; others take the near-place path, one
//! access of the interconnect in each cycle. Instructions on different paths overlap as far as they touch different blocks. Results
//! come in order: tag, mask, and an error code with an address; a refused instruction changes nothing.
//!
//! Timing: an instruction taken in cycle t, with nothing in its way, is checked in t + 1, goes to its path in t + 2, gives its first
//! wave to the banks in t + 3, which execute it in t + 4; with w waves its result is there in t + 5 + w. Waves of instructions that
//! follow each other have no gaps while word port and near-place path are idle. `word` and `read`: see [`CcInterconnect`]. After reset nothing is under way; rows keep what they
//! hold.

mod bank;
mod block_logic;
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

pub use bank::CcBank;
pub use block_logic::{CcLogic, GRAIN_BITS};
pub use check::CcCheck;
pub use dispatch::CcDispatch;
pub use entry::CcEntry;
pub use hazard::CcHazard;
pub use interconnect::CcInterconnect;
pub use near::CcNear;
pub use regs::{CACHE_STAGED, CcRegs};
pub use sub_array::CcSubArray;
pub use table::CcTable;
pub use top::ComputeCacheTop;
pub use types::{BankNumber, BankSet, BlockNumber, RowOp};
pub use waves::CcWaves;

use crate::cache::{CacheGeometry, CacheOp};
use crate::error::Result;
use crate::kernel::elaborate::elaborate;
use crate::kernel::netlist::Netlist;
use crate::kernel::prelude::*;

const CLMUL: u64 = CacheOp::Clmul as u64;

/// The compute cache; `W` is a block.
#[derive(LogicBlock, Default)]
pub struct ComputeCache<W: RowWord> {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// An instruction is offered.
    pub instr_valid: Signal<In, Bit>,
    /// It is taken if offered.
    pub instr_ready: Signal<Out, Bit>,
    /// Code of a [`CacheOp`].
    pub instr_op: Signal<In, RowOp>,
    /// Granularity of a carry-less product: 64 bits times 2 to this power.
    pub instr_grain: Signal<In, Bits<GRAIN_BITS>>,
    /// Byte address of the first source.
    pub instr_a: Signal<In, Bits<32>>,
    /// Byte address of the second source, or of the key.
    pub instr_b: Signal<In, Bits<32>>,
    /// Byte address of the destination.
    pub instr_d: Signal<In, Bits<32>>,
    /// Bytes of an operand.
    pub instr_size: Signal<In, Bits<32>>,
    /// Comes back with the result.
    pub instr_tag: Signal<In, Bits<8>>,
    /// A result is there.
    pub result_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub result_ready: Signal<In, Bit>,
    /// The instruction's tag.
    pub result_tag: Signal<Out, Bits<8>>,
    /// A bit for each word, of the operations that give one; else 0.
    pub result_mask: Signal<Out, Word<64, 1>>,
    /// Code of a [`crate::cache::CacheError`]; 0 if the instruction has run.
    pub result_code: Signal<Out, Bits<3>>,
    /// What the code is about; else 0.
    pub result_address: Signal<Out, Bits<32>>,
    /// The processor accesses a word.
    pub word_valid: Signal<In, Bit>,
    /// The access is taken.
    pub word_ready: Signal<Out, Bit>,
    /// It writes.
    pub word_write: Signal<In, Bit>,
    /// Byte address.
    pub word_address: Signal<In, Bits<32>>,
    /// What to write.
    pub word_data: Signal<In, Word<64, 1>>,
    /// Which bytes.
    pub word_strobes: Signal<In, Bits<8>>,
    /// A word that was read is there.
    pub read_valid: Signal<Out, Bit>,
    /// It is taken if there.
    pub read_ready: Signal<In, Bit>,
    /// The word.
    pub read_data: Signal<Out, Word<64, 1>>,
    /// An instruction is in the table.
    pub busy: Signal<Out, Bit>,
    /// Instructions.
    pub instructions: CcTable,
    /// From table to paths.
    pub dispatch: CcDispatch,
    /// The in-place path.
    pub waves: CcWaves,
    /// The near-place path.
    pub near_path: CcNear<W>,
    /// Blocks in and out.
    pub bus: CcInterconnect<W>,
    /// The memory.
    pub banks: Vec<CcBank<W>>,
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
    /// A compute cache of this geometry.
    pub fn new(geometry: &CacheGeometry) -> Self {
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
        self.instructions.instr_valid.next = self.instr_valid.val();
        self.instr_ready.next = self.instructions.instr_ready.val();
        self.instructions.instr_op.next = self.instr_op.val();
        self.instructions.instr_grain.next = self.instr_grain.val();
        self.instructions.instr_a.next = self.instr_a.val();
        self.instructions.instr_b.next = self.instr_b.val();
        self.instructions.instr_d.next = self.instr_d.val();
        self.instructions.instr_size.next = self.instr_size.val();
        self.instructions.instr_tag.next = self.instr_tag.val();
        self.result_valid.next = self.instructions.result_valid.val();
        self.instructions.result_ready.next = self.result_ready.val();
        self.result_tag.next = self.instructions.result_tag.val();
        self.result_mask.next = self.instructions.result_mask.val();
        self.result_code.next = self.instructions.result_code.val();
        self.result_address.next = self.instructions.result_address.val();
        self.busy.next = self.instructions.busy.val();
        // To the paths.
        self.dispatch.next_valid.next = self.instructions.next_valid.val();
        self.instructions.next_take.next = self.dispatch.next_take.val();
        self.dispatch.next_slot.next = self.instructions.next_slot.val();
        self.dispatch.next_op.next = self.instructions.next_op.val();
        self.dispatch.next_grain.next = self.instructions.next_grain.val();
        self.dispatch.next_a.next = self.instructions.next_a.val();
        self.dispatch.next_b.next = self.instructions.next_b.val();
        self.dispatch.next_d.next = self.instructions.next_d.val();
        self.dispatch.next_size.next = self.instructions.next_size.val();
        self.instructions.refuse.next = self.dispatch.refuse.val();
        self.instructions.refuse_slot.next = self.dispatch.start_slot.val();
        self.instructions.refuse_code.next = self.dispatch.refuse_code.val();
        self.instructions.refuse_address.next = self.dispatch.refuse_address.val();
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
        self.bus.word_valid.next = self.word_valid.val();
        self.word_ready.next = self.bus.word_ready.val();
        self.bus.word_write.next = self.word_write.val();
        self.bus.word_address.next = self.word_address.val();
        self.bus.word_data.next = self.word_data.val();
        self.bus.word_strobes.next = self.word_strobes.val();
        self.read_valid.next = self.bus.read_valid.val();
        self.bus.read_ready.next = self.read_ready.val();
        self.read_data.next = self.bus.read_data.val();
        self.instructions.word_block.next = self.bus.word_block.val();
        self.instructions.word_write.next = self.word_write.val();
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
        self.near_path.first_arrives.next = self.bus.first_arrives.val();
        self.near_path.last_arrives.next = self.bus.last_arrives.val();
        self.near_path.arrived.next = self.bus.arrived.val();
        self.bus.near_write.next = self.near_path.write_request.val();
        self.bus.near_write_block.next = self.near_path.write_block.val();
        self.bus.near_write_data.next = self.near_path.write_data.val();
        self.waves.taken.next = self.bus.access.val();
        self.waves.quiet.next = !self.word_valid.val() & !self.near_path.busy.val();
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
        self.unused_access.next = self.bus.access.val();
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
            self.banks[k].access.next = self.bus.access.val().get_bit(k);
            self.banks[k].access_write.next = self.bus.access_write.val();
            self.banks[k].access_block.next = self.bus.access_block.val();
            self.banks[k].data.next = self.bus.data.val();
            self.banks[k].mask.next = self.bus.mask.val();
            self.banks[k].key.next = self.bus.key.val();
            self.sensed.next = self.sensed.val() | self.banks[k].sensed.val();
            self.results.next = self.results.val() | self.banks[k].results.val();
        }
        self.bus.sensed.next = self.sensed.val();
        // Back to the table.
        self.instructions.wave_retire.next = self.waves.retire.val();
        self.instructions.wave_slot.next = self.waves.retire_slot.val();
        self.instructions.wave_blocks.next = self.waves.retire_blocks.val();
        self.instructions.wave_mask.next = self.results.val();
        self.instructions.near_retire.next = self.near_path.retire.val();
        self.instructions.near_slot.next = self.near_path.retire_slot.val();
        self.instructions.near_mask.next = self.near_path.retire_mask.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "compute_cache",
            "Compute cache: operations on cache blocks inside the sub-arrays that hold them.",
            constants![CLMUL; self._banks, self._scale, self._bank_bits],
        )
    }
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
    use crate::cache::CACHE_PRESETS;

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
