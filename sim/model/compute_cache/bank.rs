//! Model of a bank: the command that it executes, and the result of the one before.

use super::interconnect::Interconnect;
use super::{Rows, place};
use crate::state::{Contents, Touched, Words};
use bitline_units::compute_cache::{CacheGeometry, CacheOp, control};

/// A row operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOp {
    /// Of an instruction.
    Op(CacheOp),
    /// A block goes out.
    Read,
    /// Bytes are written.
    Merge,
    /// The key row is written.
    Key,
}

impl RowOp {
    /// Its code in the hardware.
    pub fn code(self) -> u64 {
        match self {
            RowOp::Op(op) => op as u64,
            RowOp::Read => 10,
            RowOp::Merge => 11,
            RowOp::Key => 12,
        }
    }
}

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// What to do.
    pub op: RowOp,
    /// Granularity; nothing where it does not matter.
    pub grain: Option<u8>,
    /// First block, without the bank.
    pub a: u32,
    /// Second block, without the bank.
    pub b: u32,
    /// Block to write, without the bank.
    pub d: u32,
    /// First bit of the mask; nothing where it does not matter.
    pub place: Option<u32>,
}

impl Command {
    /// An access of the interconnect.
    pub fn access(geometry: &CacheGeometry, op: RowOp, block: u32) -> Command {
        let own = block / geometry.banks as u32;
        Command { op, grain: None, a: own, b: own, d: own, place: None }
    }

    /// Whether it writes a row.
    pub fn writes(&self) -> bool {
        match self.op {
            RowOp::Op(op) => op.has(control::D),
            RowOp::Merge => true,
            RowOp::Read | RowOp::Key => false,
        }
    }

    /// Whether it gives bits of the mask.
    pub fn gives(&self) -> bool {
        matches!(self.op, RowOp::Op(op) if op.has(control::MASK))
    }
}

/// What an operation makes of two blocks: a block, or a bit for each word.
pub fn compute(op: CacheOp, grain: u8, a: &[u64], b: &[u64]) -> (Vec<u64>, u8) {
    let both = |f: fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect::<Vec<u64>>();
    let bits = |words: Vec<bool>| words.iter().enumerate().fold(0, |all, (i, &word)| all | u8::from(word) << i);
    match op {
        CacheOp::Copy => (a.to_vec(), 0),
        CacheOp::Zero => (vec![0; a.len()], 0),
        CacheOp::And => (both(|a, b| a & b), 0),
        CacheOp::Or => (both(|a, b| a | b), 0),
        CacheOp::Xor => (both(|a, b| a ^ b), 0),
        CacheOp::Not => (a.iter().map(|&a| !a).collect(), 0),
        CacheOp::Compare | CacheOp::Search => (vec![], bits(a.iter().zip(b).map(|(a, b)| a == b).collect())),
        CacheOp::Clmul => {
            let odd = |words: &[u64]| words.iter().map(|word| word.count_ones()).sum::<u32>() % 2 == 1;
            (vec![], bits(both(|a, b| a & b).chunks(1 << grain).map(odd).collect()))
        }
    }
}

/// A bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bank {
    /// What it executes.
    pub command: Option<Command>,
    /// Bits of the mask and where they go, from the command before.
    pub given: Option<(u8, u32)>,
    /// The sub-arrays' key rows; nothing if they were never written.
    pub keys: Vec<Option<Vec<u64>>>,
}

impl Bank {
    /// A bank after reset.
    pub fn new(geometry: &CacheGeometry) -> Bank {
        Bank { command: None, given: None, keys: vec![None; geometry.sub_arrays] }
    }

    /// Executes the command. Returns a block that goes out.
    pub fn execute(
        &mut self,
        number: usize,
        geometry: &CacheGeometry,
        rows: &mut Rows,
        interconnect: &Interconnect,
    ) -> Option<Vec<u64>> {
        self.given = None;
        let command = self.command?;
        let whole = |own: u32| own * geometry.banks as u32 + number as u32;
        let a = || rows.block(whole(command.a)).to_vec();
        let d = whole(command.d);
        match command.op {
            // A key goes to banks whose part of the wave has no block.
            RowOp::Key => self.keys.fill(interconnect.key.clone()),
            RowOp::Read => return Some(a()),
            RowOp::Merge => {
                let (data, mask) = interconnect.written.as_ref().expect("a write brings data");
                let a = a();
                let merged: Vec<u64> = (0..a.len()).map(|i| a[i] & !mask[i] | data[i] & mask[i]).collect();
                rows.write(d, &merged);
            }
            RowOp::Op(op) => {
                let a = a();
                let sub = command.a as usize % geometry.sub_arrays;
                let b = match op {
                    CacheOp::Search => self.keys[sub].clone().expect("a search has its key"),
                    _ => rows.block(whole(command.b)).to_vec(),
                };
                let (block, bits) = compute(op, command.grain.unwrap_or(0), &a, &b);
                if command.writes() {
                    rows.write(d, &block);
                }
                self.given = command.gives().then(|| (bits, command.place.unwrap_or(0)));
            }
        }
        None
    }
}

/// Numbers of blocks inside a sub-array have so many ones.
const LOCAL: u32 = 0x1fff;

state! {
    Bank(self, number: usize, geometry: &CacheGeometry, rows: &Rows) {
        let sub_arrays = geometry.sub_arrays as u32;
        let local = |own: u32| (own / sub_arrays) & LOCAL;
        active = self.command.is_some();
        when (let Some(command) = self.command) {
            op = command.op.code();
            command => grain;
            write = command.writes();
            gives = command.gives();
            // A key has no block.
            when (command.op != RowOp::Key) {
                sub = command.a % sub_arrays;
                a = local(command.a);
                b = (command.op != RowOp::Op(CacheOp::Search)).then(|| local(command.b));
                d = local(command.d);
            }
            when (command.gives()) {
                command => place;
            }
        }
        given = self.given.is_some();
        bits = self.given.map(|given| given.0);
        at = self.given.map(|given| given.1);
        in sub_arrays[] = (0..geometry.sub_arrays).map(|sub| SubArray {
            key: self.keys[sub].as_ref(),
            place: (number, sub),
            geometry,
            rows,
        });
    }

    SubArray<'_>(self) {
        key_row = self.key;
        let &SubArray { place: (bank, sub), geometry, rows, .. } = self;
        let block = |local: usize| ((local * geometry.sub_arrays + sub) * geometry.banks + bank) as u32;
        let word = |local: usize, to: &mut dyn FnMut(&[u64])| to(rows.block(block(local)));
        let touched = |to: &mut dyn FnMut(usize)| {
            let places = rows.written.iter().map(|&block| place(geometry, block));
            places.filter(|place| (place.0, place.1) == (bank, sub)).for_each(|place| to(place.2));
        };
        memory (rows, mirror) = Contents {
            depth: geometry.rows * geometry.partitions,
            words: Words::Wide(&word),
            touched: Touched::Seldom(&touched),
        };
    }
}

/// A sub-array: its key row, and its blocks among the rows.
struct SubArray<'a> {
    key: Option<&'a Vec<u64>>,
    /// Bank, and number in it.
    place: (usize, usize),
    geometry: &'a CacheGeometry,
    rows: &'a Rows,
}
