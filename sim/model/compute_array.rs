//! Model of the compute array: rows, sense amplifiers, column peripheral, and on block RAM the pipeline between them.
//!
//! `Behavioural` memory reads, computes and writes in the cycle of issue. On block RAM a row is read in the cycle of
//! issue (t), its bits are latched at the end of t + 1, and the columns compute and write at the end of t + 2.

use super::column_peripheral::ColumnPeripheral;
use super::sram_array::{SramArray, Wordlines};
use crate::state::{Contents, Touched, Words};
use bitline_units::array::isa::uop::ColumnControl;
use bitline_units::array::params::{Memory, Params, Sensing};

/// What the sequencer issues in one cycle. The default is a cycle in which nothing happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// What the columns do.
    pub column: ColumnControl,
    /// Rows read.
    pub lines: Wordlines,
    /// Row written.
    pub write: Option<usize>,
    /// The row written comes from the load port.
    pub load: bool,
    /// The row read goes to the store port.
    pub store: bool,
}

/// What leaves the array in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The waiting row of the load port was written.
    pub loaded: bool,
    /// [`ComputeArray::stored`] holds a row for the store port.
    pub stored: bool,
}

/// State of the array.
#[derive(Clone, Debug)]
pub struct ComputeArray {
    memory: Memory,
    /// The rows.
    pub sram: SramArray,
    /// The latches.
    pub column: ColumnPeripheral,
    /// Wired-OR of T, one cycle late.
    pub tag_any: bool,
    /// Block RAM: what was issued one cycle ago.
    pub read: Issue,
    /// Block RAM: what computes now.
    pub compute: Issue,
    /// Block RAM: output latches of the two memories.
    pub latch: [Vec<u64>; 2],
    /// Block RAM: the rows that compute now.
    pub row: [Vec<u64>; 2],
    /// The row for the store port.
    pub stored: Vec<u64>,
    scratch: [Vec<u64>; 4],
}

impl ComputeArray {
    /// Everything clear.
    pub fn new(params: &Params) -> ComputeArray {
        let limbs = params.columns.div_ceil(64);
        let zero = || vec![0; limbs];
        ComputeArray {
            memory: params.memory,
            sram: SramArray::new(params.rows, params.columns, params.sensing),
            column: ColumnPeripheral::new(params.columns, params.radix),
            tag_any: false,
            read: Issue::default(),
            compute: Issue::default(),
            latch: [zero(), zero()],
            row: [zero(), zero()],
            stored: zero(),
            scratch: [zero(), zero(), zero(), zero()],
        }
    }

    /// Memory kind.
    pub fn memory(&self) -> Memory {
        self.memory
    }

    /// Row A of what computes in this cycle, as the store port gets it: on block RAM with two ports.
    pub fn sensed(&self) -> Vec<u64> {
        let mut sensed = [vec![0; self.stored.len()], vec![0; self.stored.len()]];
        let [a, b] = &mut sensed;
        self.sram.sense_latched(&self.compute.lines, &self.row, a, b);
        let [a, _] = sensed;
        a
    }

    /// One clock edge. `load` is the row that waits at the load port.
    pub fn step(&mut self, issue: &Issue, load: &[u64]) -> Effects {
        self.tag_any = self.column.any_tag();
        let now = if self.memory == Memory::Behavioural { *issue } else { self.compute };
        let [a, b, raw_b, w] = &mut self.scratch;
        if self.memory == Memory::Behavioural {
            self.sram.sense(&now.lines, a, b, raw_b);
        } else {
            self.sram.sense_latched(&now.lines, &self.row, a, b);
        }
        let tags_used = now.column.predicated;
        let mut select: [u64; 8] = [!0; 8];
        if tags_used {
            select[..a.len()].copy_from_slice(&self.column.t);
        }
        self.column.step(&now.column, a, b, load, w);
        if self.memory == Memory::BlockRam {
            if tags_used {
                for i in 0..w.len() {
                    w[i] = (w[i] & select[i]) | (self.row[1][i] & !select[i]);
                }
            }
            for (port, line) in [self.read.lines.a, self.read.lines.b].into_iter().enumerate() {
                match line {
                    Some(_) => {
                        let (row, latch) = (&mut self.row[port], &self.latch[port]);
                        row.copy_from_slice(latch);
                    }
                    None => self.row[port].fill(0),
                }
            }
            for (port, line) in [issue.lines.a, issue.lines.b].into_iter().enumerate() {
                if let Some(row) = line {
                    self.latch[port].copy_from_slice(self.sram.row(row));
                }
            }
            self.compute = self.read;
            self.read = *issue;
        }
        if let Some(row) = now.write {
            self.sram.write(row, w, (tags_used && self.memory == Memory::Behavioural).then_some(&select));
        }
        std::mem::swap(&mut self.stored, a);
        Effects { loaded: now.load, stored: now.store }
    }
}

state! {
    ComputeArray(self, params: &Params) {
        any = self.tag_any;
        in peripheral = self.column, (params);
        let (rows, touched) = (Words::Flat(&self.sram.bits), |to: &mut dyn FnMut(usize)| self.sram.touched(to));
        let contents = Contents { depth: params.rows, words: rows, touched: Touched::These(&touched) };
        if (params.memory == Memory::Behavioural) {
            in sram_0 {
                memory (rows) = contents;
            }
        }
        if (params.memory == Memory::BlockRam) {
            let (read, compute) = (&self.read, &self.compute);
            column_1 = read.column.encode();
            column_2 = compute.column.encode();
            write_enable_1 = read.write.is_some();
            write_enable_2 = compute.write.is_some();
            write_row_1 = read.write;
            write_row_2 = compute.write;
            load_1 = read.load;
            load_2 = compute.load;
            store_1 = read.store;
            store_2 = compute.store;
            if (params.sensing == Sensing::AndNor) {
                a_sensed_1 = read.lines.a.is_some();
                a_sensed_2 = compute.lines.a.is_some();
                b_sensed_1 = read.lines.b.is_some() && !read.lines.merge;
                b_sensed_2 = compute.lines.b.is_some() && !compute.lines.merge;
            }
            in block_ram_0 {
                a_read = read.lines.a.is_some();
                b_read = read.lines.b.is_some();
                row_a = &self.row[0];
                row_b = &self.row[1];
                memory (rows, mirror) = contents;
            }
        }
    }
}
