//! Transfers between memory and rows: the commands `load_memory` and `store_memory`, and what other commands' operands
//! cover.
//!
//! They share the command's fields with operations but use them their own way:
//!
//! | field | |
//! |---|---|
//! | opcode | [`LOAD_MEMORY`] or [`STORE_MEMORY`] |
//! | width | bits of an element, n |
//! | d (load), a (store) | first of its n rows |
//! | b | number of elements: columns 0 to count − 1; a load writes zeros into the others |
//! | key | address of the first element, in bytes; any alignment |
//! | e, s | bytes from an element to the next, two's complement, low 10 bits in e; 0: they follow each other |
//!
//! An element takes 1, 2, 4 or 8 bytes in memory, as few as hold n bits, lowest byte first. A load ignores bits above
//! n, a store writes zeros there. Set and second width are ignored.

use crate::array::isa::command::{Command, ErrorCode};
use crate::array::isa::opcode::Opcode;
use crate::array::isa::operation::{Context, Operation};
use crate::array::isa::row::Operand;
use crate::array::params::{MemoryPort, Params};
use crate::error::{Error, Result};

/// Opcode of a load from memory.
pub const LOAD_MEMORY: u8 = 62;
/// Opcode of a store to memory.
pub const STORE_MEMORY: u8 = 63;
/// Bits of the distance between elements.
pub const STRIDE_BITS: u32 = 20;

/// The transfers' opcodes: name, code, meaning.
pub const OPCODES: [(&str, u8, &str); 2] = [
    ("load_memory", LOAD_MEMORY, "rows of d and up from elements in memory"),
    ("store_memory", STORE_MEMORY, "elements in memory from rows of a and up"),
];

/// How transfers use a command's fields: field of the registers, meaning. What is not here is ignored.
pub const FIELDS: [(&str, &str); 7] = [
    ("width", "bits of an element, n; it takes 1, 2, 4 or 8 bytes in memory, as few as hold n bits, lowest byte first"),
    ("d", "`load_memory`: first of the n rows that are written; bits above n are ignored"),
    ("a", "`store_memory`: first of the n rows that are read; bits above n become 0 in memory"),
    ("b", "number of elements: columns 0 to count - 1; a load writes zeros into the other columns"),
    ("key", "address of the first element, in bytes; any alignment"),
    (
        "e",
        "bytes from an element to the next, two's complement of 20 bits, low 10 bits; 0 in e and s: they follow each \
         other",
    ),
    ("s", "bytes from an element to the next, high 10 bits"),
];

/// A load or store of one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// From rows to memory.
    pub store: bool,
    /// Bits of an element.
    pub width: u8,
    /// First row.
    pub row: u16,
    /// Elements.
    pub count: u16,
    /// Address of the first element.
    pub address: u64,
    /// Bytes from an element to the next; 0: they follow each other.
    pub stride: i32,
}

/// Bytes of an element of `width` bits in memory.
pub fn element_bytes(width: u8) -> u8 {
    width.clamp(1, 64).div_ceil(8).next_power_of_two()
}

/// Bits of the widest element that a design can load and store: those of a tile's word.
pub fn widest(params: &Params) -> usize {
    params.columns.min(64)
}

impl Transfer {
    /// The opcode.
    pub fn opcode(&self) -> u8 {
        if self.store { STORE_MEMORY } else { LOAD_MEMORY }
    }

    /// Bytes from an element to the next.
    pub fn step(&self) -> i64 {
        if self.stride == 0 { element_bytes(self.width).into() } else { self.stride.into() }
    }

    /// Address of the first and the last byte that it touches; `None` if they leave the address space.
    pub fn range(&self) -> Option<(u64, u64)> {
        let span = self.step() * (i64::from(self.count) - 1);
        let end = self.address.checked_add_signed(span)?;
        let (low, high) = (self.address.min(end), self.address.max(end));
        Some((low, high.checked_add(u64::from(element_bytes(self.width)) - 1)?))
    }

    /// The command's fields; its opcode is sent beside them.
    pub fn command(&self) -> Command {
        let stride = self.stride as u32 & ((1 << STRIDE_BITS) - 1);
        let rows = if self.store { (self.row, 0) } else { (0, self.row) };
        let (e, s) = ((stride & 0x3ff) as u16, (stride >> 10) as u16);
        let opcode = if self.store { Opcode::Store } else { Opcode::Load };
        Command { a: rows.0, d: rows.1, b: self.count, e, s, key: self.address, ..Command::new(opcode, self.width) }
    }

    /// The transfer that a command's fields say, for one of the two opcodes.
    pub fn of(command: &Command, opcode: u8) -> Option<Transfer> {
        let store = opcode == STORE_MEMORY;
        if !store && opcode != LOAD_MEMORY {
            return None;
        }
        let stride = u32::from(command.s & 0x3ff) << 10 | u32::from(command.e & 0x3ff);
        let unused = 32 - STRIDE_BITS;
        Some(Transfer {
            store,
            width: command.width & 0x7f,
            row: if store { command.a } else { command.d } & 0x3ff,
            count: command.b & 0x3ff,
            address: command.key,
            stride: (stride << unused) as i32 >> unused,
        })
    }

    /// Why the hardware refuses it, and which operand that is about (0 for none).
    pub fn fault(&self, params: &Params) -> Option<(ErrorCode, u64)> {
        let row = if self.store { Operand::A } else { Operand::D };
        if !(1..=widest(params)).contains(&self.width.into()) {
            Some((ErrorCode::Width, 0))
        } else if !(1..=params.columns).contains(&self.count.into()) {
            Some((ErrorCode::Count, 0))
        } else if usize::from(self.row) + usize::from(self.width) > params.rows {
            Some((ErrorCode::Rows, row as u64))
        } else if params.memory_port != MemoryPort::Stream && self.range().is_none() {
            Some((ErrorCode::Address, 0))
        } else {
            None
        }
    }

    /// Checks it as the hardware will.
    ///
    /// # Errors
    /// [`Error::Command`] with the hardware's code and the values behind it.
    pub fn check(&self, params: &Params) -> Result<()> {
        let Some((code, _)) = self.fault(params) else { return Ok(()) };
        let reason = match code {
            ErrorCode::Width => format!("width = {}: must be 1 to {}", self.width, widest(params)),
            ErrorCode::Count => format!("count = {}: must be 1 to {}", self.count, params.columns),
            ErrorCode::Rows => {
                let last = usize::from(self.row) + usize::from(self.width) - 1;
                format!("rows {} to {last}: the array has {} rows", self.row, params.rows)
            }
            _ => format!(
                "address = {:#x}, {} elements {} bytes apart: leaves the address space",
                self.address,
                self.count,
                self.step()
            ),
        };
        let name = if self.store { "store_memory" } else { "load_memory" };
        Err(Error::Command { command: format!("{name} {self:?}"), code: code as u8, reason })
    }
}

/// How many rows an operand covers, at most: what the scoreboard knows of a command. In hardware 3 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Cover {
    /// The operation has no such operand.
    None = 0,
    /// One row.
    One = 1,
    /// n rows.
    N = 2,
    /// 2n rows.
    TwoN = 3,
    /// m rows.
    M = 4,
    /// 4n + 8 rows.
    FourN = 5,
    /// Any.
    All = 6,
}

impl Cover {
    /// Every cover, the smaller ones first.
    pub const ALL: [Cover; 7] = [Cover::None, Cover::One, Cover::N, Cover::TwoN, Cover::M, Cover::FourN, Cover::All];

    /// Rows for widths `n` and `m`.
    pub fn rows(self, n: u32, m: u32) -> u32 {
        match self {
            Cover::None => 0,
            Cover::One => 1,
            Cover::N => n,
            Cover::TwoN => 2 * n,
            Cover::M => m,
            Cover::FourN => 4 * n + 8,
            Cover::All => 1024,
        }
    }
}

/// What the operands a, b, d, e and s of an opcode cover at most, in any set of the design.
pub fn covers(params: &Params, opcode: Opcode) -> [Cover; 5] {
    let operations: Vec<_> = params.sets.iter().map(|&set| Operation::of(opcode, Context::of(params, set))).collect();
    let mut operands = Operand::ALL.iter();
    std::array::from_fn(|_| {
        let operand = *operands.next().expect("there are five operands");
        let enough = |cover: Cover| operations.iter().all(|operation| within(operation, operand, cover));
        Cover::ALL.into_iter().find(|&cover| enough(cover)).expect("the last one always is")
    })
}

/// Whether the operand's rows are within the cover for all legal widths.
fn within(operation: &Operation, operand: Operand, cover: Cover) -> bool {
    let Some(extent) = operation.extent_of(operand) else { return true };
    (operation.widths.0..=operation.widths.1).filter(|&n| operation.check_width(n).is_ok()).all(|n| {
        let n = i32::from(n);
        let seconds = operation.seconds(n as u8).map_or(0..=0, |(low, high)| low..=high.min(127));
        seconds.into_iter().all(|m| extent.rows.value(n, m).max(0) as u32 <= cover.rows(n as u32, m as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_survive_the_encoding() {
        for (stride, store) in [(0, false), (1, true), (-1, false), (-524_288, true), (524_287, false)] {
            let transfer = Transfer { store, width: 17, row: 300, count: 256, address: u64::MAX - 5, stride };
            assert_eq!(Transfer::of(&transfer.command(), transfer.opcode()), Some(transfer));
        }
    }

    #[test]
    fn tables_for_software_say_what_the_encoding_does() {
        for (name, code, _) in OPCODES {
            assert_eq!(Opcode::from_code(code.into()), None, "{name}");
            assert_eq!(
                Transfer {
                    store: name.starts_with("store"),
                    ..Transfer::of(&Command::new(Opcode::Load, 8), code).expect("one of two")
                }
                .opcode(),
                code
            );
        }
        assert_eq!(STRIDE_BITS, 20, "FIELDS says so");
    }

    #[test]
    fn ranges_end_with_the_address_space() {
        let base = Transfer { store: false, width: 32, row: 0, count: 4, address: 0, stride: 0 };
        assert_eq!(base.range(), Some((0, 15)));
        assert_eq!(Transfer { stride: -4, ..base }.range(), None);
        assert_eq!(Transfer { stride: -4, address: 12, ..base }.range(), Some((0, 15)));
        assert_eq!(Transfer { address: u64::MAX - 15, ..base }.range(), Some((u64::MAX - 15, u64::MAX)));
        assert_eq!(Transfer { address: u64::MAX - 14, ..base }.range(), None);
    }
}
