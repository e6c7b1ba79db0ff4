//! Model of the compute cache: what its registers and rows hold after every cycle.
//!
//! Blocks are vectors of 64-bit words, results come from plain integer operations on them.

pub mod bank;
pub mod interconnect;
pub mod near;
pub mod table;
pub mod waves;

use bank::{Bank, Command, RowOp};
use bitline_units::compute_cache::{CacheFault, CacheGeometry, CacheInstruction};
use interconnect::{Interconnect, Purpose};
use near::Near;
use table::{Dispatch, Table, Target};
use waves::Waves;

/// Numbers of blocks have so many ones.
const BLOCK: u32 = 0x7_ffff;

/// A processor's access to a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordAccess {
    /// It writes.
    pub write: bool,
    /// Byte address.
    pub address: u32,
    /// What to write.
    pub data: u64,
    /// Which bytes.
    pub strobes: u8,
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheInputs {
    /// An instruction offered.
    pub instruction: Option<CacheInstruction>,
    /// A result is taken if there.
    pub take_result: bool,
    /// A word access offered.
    pub word: Option<WordAccess>,
    /// A word that was read is taken if there.
    pub take_read: bool,
}

/// An instruction's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheResult {
    /// Its tag.
    pub tag: u8,
    /// A bit for each word.
    pub mask: u64,
    /// Why it was refused, if it was.
    pub fault: Option<CacheFault>,
}

/// Outputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheOutputs {
    /// An instruction is taken if offered.
    pub instruction_ready: bool,
    /// A result is there.
    pub result: Option<CacheResult>,
    /// The word access offered is taken.
    pub word_ready: bool,
    /// A word that was read is there.
    pub read: Option<u64>,
    /// An instruction is in the table.
    pub busy: bool,
}

/// The rows of all sub-arrays, by block number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// 64-bit words of a block.
    pub words: usize,
    /// All words.
    pub bits: Vec<u64>,
    /// Blocks written since this was last cleared.
    pub written: Vec<u32>,
}

impl Rows {
    /// A block.
    pub fn block(&self, number: u32) -> &[u64] {
        &self.bits[number as usize * self.words..][..self.words]
    }

    /// Writes a block.
    pub fn write(&mut self, number: u32, block: &[u64]) {
        self.bits[number as usize * self.words..][..self.words].copy_from_slice(block);
        self.written.push(number);
    }
}

/// The compute cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputeCache {
    /// Its geometry.
    pub geometry: CacheGeometry,
    /// Instructions.
    pub table: Table,
    /// The checked instruction, and the key rows' key.
    pub dispatch: Dispatch,
    /// The in-place path.
    pub waves: Waves,
    /// The near-place path.
    pub near: Near,
    /// Blocks in and out.
    pub interconnect: Interconnect,
    /// The banks.
    pub banks: Vec<Bank>,
    /// What they hold.
    pub rows: Rows,
}

/// Where a block is: bank, sub-array, number in it.
pub fn place(geometry: &CacheGeometry, block: u32) -> (usize, usize, usize) {
    let (bank, own) = (block as usize % geometry.banks, block as usize / geometry.banks);
    (bank, own % geometry.sub_arrays, own / geometry.sub_arrays)
}

impl ComputeCache {
    /// A compute cache after reset, all rows 0.
    pub fn new(geometry: &CacheGeometry) -> ComputeCache {
        let words = geometry.words();
        ComputeCache {
            geometry: geometry.clone(),
            table: Table::new(geometry),
            dispatch: Dispatch::default(),
            waves: Waves::default(),
            near: Near::default(),
            interconnect: Interconnect::default(),
            banks: (0..geometry.banks).map(|_| Bank::new(geometry)).collect(),
            rows: Rows { words, bits: vec![0; words * geometry.blocks()], written: vec![] },
        }
    }

    /// Reset: rows and key rows keep what they hold.
    pub fn reset(&mut self) {
        let fresh = ComputeCache::new(&self.geometry);
        let keys = self.banks.iter().map(|bank| bank.keys.clone()).collect::<Vec<_>>();
        let rows = std::mem::replace(&mut self.rows, Rows { words: 0, bits: vec![], written: vec![] });
        *self = ComputeCache { rows, ..fresh };
        self.banks.iter_mut().zip(keys).for_each(|(bank, keys)| bank.keys = keys);
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &CacheInputs) -> CacheOutputs {
        let before = self.clone_state();
        let geometry = self.geometry.clone();
        // What is decided before the edge.
        let near_write = before.near.write(&before.interconnect);
        let key_request = before.waves.key_request();
        let block = inputs.word.map(|word| word.address / geometry.block_bytes as u32);
        let conflict = inputs
            .word
            .is_some_and(|word| before.table.conflict(&geometry, block.expect("there is a word"), word.write));
        let near_read = before.near.request();
        let waits = before.waves.missed != 0;
        let granted = before.interconnect.grant(
            &geometry,
            inputs.word.as_ref().filter(|_| !conflict),
            near_write.is_some(),
            key_request,
            near_read,
            waits,
        );
        let busy_bank = granted.access.map(|access| {
            let block = if access.near_write { near_write.as_ref().expect("asked").0 } else { access.block };
            (block, access)
        });
        let taken = busy_bank.map_or(0, |(block, _)| 1 << (block as usize % geometry.banks));
        let wave = before.waves.part(&geometry, taken);
        let quiet = inputs.word.is_none() && before.near.current.is_none();
        let wave_ready = before.waves.current.is_none() || wave.last && quiet;
        let near_last = before.interconnect.got == Purpose::NearLast;
        let near_ready = before.near.current.as_ref().is_none_or(|n| near_last && n.left == 1);
        let target = before.dispatch.target(&before.waves, wave_ready, &before.near, near_ready);
        let outputs = CacheOutputs {
            instruction_ready: before.table.ready(),
            result: before.table.result(),
            word_ready: granted.word || inputs.word.is_some_and(|word| before.interconnect.beyond(&geometry, &word)),
            read: before.interconnect.word,
            busy: before.table.entries.iter().any(Option::is_some),
        };
        // Banks: execution of the last cycle's commands, and new ones.
        let mut sensed = vec![0; geometry.words()];
        for (number, bank) in self.banks.iter_mut().enumerate() {
            if let Some(block) = bank.execute(number, &geometry, &mut self.rows, &before.interconnect) {
                sensed = block;
            }
            bank.command = match busy_bank.filter(|(block, _)| *block as usize % geometry.banks == number) {
                Some((block, access)) => {
                    let op = if access.write { RowOp::Merge } else { RowOp::Read };
                    Some(Command::access(&geometry, op, block))
                }
                None if wave.issue >> number & 1 == 1 => Some(before.waves.command(&geometry, number)),
                None => None,
            };
        }
        let results: u64 =
            before.banks.iter().filter_map(|bank| bank.given).fold(0, |all, (bits, at)| all | u64::from(bits) << at);
        // Table.
        self.table.step(inputs, &outputs, &geometry);
        let takes = before.table.next().is_some() && (before.dispatch.held.is_none() || target != Target::None);
        if target == Target::Refused {
            let held = before.dispatch.held.as_ref().expect("something is refused");
            self.table.refuse(held.slot, held.plan.expect_err("it is refused"));
        }
        if let Some((slot, blocks)) = before.waves.done {
            self.table.retire(slot, blocks, results);
        }
        if near_last {
            let near = before.near.current.as_ref().expect("a block arrives for an instruction");
            self.table.retire(near.slot, 1, before.near.mask(&before.interconnect));
        }
        // Paths.
        self.waves.step(&geometry, &wave, granted.key, &before.interconnect);
        self.near.step(granted.near, &before.interconnect);
        let word_written = granted.word && inputs.word.is_some_and(|word| word.write);
        self.dispatch.step(target, &mut self.waves, &mut self.near, wave.key_written, block.filter(|_| word_written));
        if takes {
            let (slot, instruction) = before.table.next().expect("it takes it");
            self.table.take();
            self.dispatch.hold(slot, instruction, &geometry);
        }
        self.interconnect.step(&geometry, inputs, &granted, near_write.map(|(_, block)| block), sensed);
        outputs
    }

    /// The state without the rows.
    fn clone_state(&self) -> ComputeCache {
        ComputeCache {
            geometry: self.geometry.clone(),
            table: self.table.clone(),
            dispatch: self.dispatch.clone(),
            waves: self.waves.clone(),
            near: self.near.clone(),
            interconnect: self.interconnect.clone(),
            banks: self.banks.iter().map(|bank| Bank { keys: vec![], ..bank.clone() }).collect(),
            rows: Rows { words: self.rows.words, bits: vec![], written: vec![] },
        }
    }
}

state! {
    CacheInputs(self) {
        instr_valid = self.instruction.is_some();
        bus instr {
            self.instruction.unwrap_or_default() => op, grain, a, b, d, size, tag;
        }
        result_ready = self.take_result;
        word_valid = self.word.is_some();
        bus word {
            self.word.unwrap_or_default() => write, address, data, strobes;
        }
        read_ready = self.take_read;
    }

    CacheOutputs(self, asked: bool) {
        instr_ready = self.instruction_ready;
        result_valid = self.result.is_some();
        bus result {
            when (let Some(result) = self.result) {
                result => tag, mask;
                code = result.fault.map_or(0, |fault| fault.code as u64);
                address = result.fault.map_or(0, |fault| fault.address);
            }
        }
        // Whether a word is taken matters when one is offered.
        word_ready = asked.then_some(self.word_ready);
        read_valid = self.read.is_some();
        read_data = self.read;
        self => busy;
    }

    ComputeCache(self) {
        in instructions = self.table;
        in dispatch = self.dispatch;
        in waves = self.waves;
        in near_path = self.near;
        in bus = self.interconnect;
        in banks[number, bank] = self.banks.iter(), (number, &self.geometry, &self.rows);
    }
}
