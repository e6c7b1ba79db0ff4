//! What a board has to answer, from the protocol's rules and plain memories.

use bitline::array::registers as array;
use bitline::ccs::registers as ccs;
use bitline::duality::registers as duality;
use bitline::regmap::{Access, Register, writable_in};
use bitline::system::SystemParams;
use bitline::system::protocol::*;
use bitline::system::registers as board;

/// What comes to the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A byte.
    Byte(u8),
    /// A byte with a wrong stop bit.
    Wrong,
    /// Nothing, for longer than the time-out.
    Quiet,
}

/// Where memories begin.
pub const MEMORIES: [u32; 3] = [ARRAY_MEMORY_BASE, CCS_MEMORY_BASE, DUALITY_MEMORY_BASE];

/// The board.
pub struct Reference {
    params: SystemParams,
    /// Memory of the array, of the cache compute system, of the Duality Cache if there is one.
    pub memories: Vec<Vec<u8>>,
    /// Registers that hold what is written, by address.
    held: Vec<(u32, u32, u32)>,
    /// Requests answered with status `ok`, with another; bytes with a wrong stop bit.
    pub counts: [u32; 3],
    frame: Vec<u8>,
    drains: bool,
}

/// Registers of a table all of whose fields hold what is written: address, writable bits, value.
fn held(base: u32, table: &[Register], value: impl Fn(&Register) -> u32) -> Vec<(u32, u32, u32)> {
    let holds = |r: &&Register| r.fields.iter().all(|f| f.access == Access::ReadWrite) && !r.name.starts_with("mask");
    let entry = |r: &Register| (base + r.offset as u32, writable_in(table, r.offset) as u32, value(r));
    table.iter().filter(holds).map(entry).collect()
}

impl Reference {
    /// A board after reset.
    pub fn new(params: &SystemParams, memories: Vec<Vec<u8>>) -> Reference {
        let mut all = held(BOARD_BASE, board::REGISTERS, |r| board::reset_value(params, r));
        all.extend(held(ARRAY_BASE, array::REGISTERS, |r| array::reset_value(&params.array, r)));
        all.extend(held(CCS_BASE, ccs::REGISTERS, |r| ccs::reset_value(&params.ccs, r)));
        if let Some(unit) = params.duality.as_ref().map(|duality| &duality.unit) {
            // Only some ways may serve, and only some control blocks may be named.
            let free = |entry: &(u32, u32, u32)| {
                // Those of operations on lines are there if the design has some; writes to them are refused at times.
                entry.0 < DUALITY_BASE + duality::REG_LINE_A as u32
                    && ![duality::REG_WAYS, duality::REG_BLOCK]
                        .map(|offset| DUALITY_BASE + offset as u32)
                        .contains(&entry.0)
            };
            all.extend(
                held(DUALITY_BASE, duality::REGISTERS, |r| duality::reset_value(unit, r)).into_iter().filter(free),
            );
        }
        Reference { params: params.clone(), memories, held: all, counts: [0; 3], frame: vec![], drains: false }
    }

    /// Addresses of registers that hold what is written.
    pub fn held(&self) -> Vec<u32> {
        self.held.iter().map(|entry| entry.0).collect()
    }

    fn memory(&mut self, address: u32) -> Option<&mut [u8]> {
        let inside =
            |(base, memory): &(u32, &mut Vec<u8>)| address >= *base && ((address - base) as usize) < memory.len();
        let (base, memory) = MEMORIES.into_iter().zip(&mut self.memories).find(inside)?;
        memory.get_mut((address - base) as usize..)?.get_mut(..4)
    }

    /// What a read of a word gives; nothing if nothing is there.
    pub fn read(&mut self, address: u32) -> Option<u32> {
        if let Some(entry) = self.held.iter().find(|entry| entry.0 == address) {
            return Some(entry.2);
        }
        if let Some(bytes) = self.memory(address) {
            return Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")));
        }
        let counted = [board::REG_FRAMES_OK, board::REG_FRAMES_REFUSED, board::REG_WRONG_BYTES];
        if let Some(count) = counted.iter().position(|&offset| BOARD_BASE + offset as u32 == address) {
            return Some(self.counts[count]);
        }
        let value = |table: &[Register], offset: u32, span: u32, value: &dyn Fn(&Register) -> u32| {
            (offset < span).then(|| table.iter().find(|r| r.offset == u64::from(offset)).map_or(0, value))
        };
        let params = &self.params;
        value(board::REGISTERS, address.wrapping_sub(BOARD_BASE), 64, &|r| board::reset_value(params, r))
            .or_else(|| {
                let offset = address.wrapping_sub(ARRAY_BASE);
                value(array::REGISTERS, offset, 128, &|r| array::reset_value(&params.array, r))
            })
            .or_else(|| {
                let offset = address.wrapping_sub(CCS_BASE);
                value(ccs::REGISTERS, offset, 256, &|r| ccs::reset_value(&params.ccs, r))
            })
            .or_else(|| {
                let unit = &params.duality.as_ref()?.unit;
                let offset = address.wrapping_sub(DUALITY_BASE);
                value(duality::REGISTERS, offset, 1 << duality::ADDRESS_BITS, &|r| duality::reset_value(unit, r))
            })
    }

    /// Writes a word, if something is there.
    pub fn write(&mut self, address: u32, value: u32) -> Option<()> {
        if let Some(entry) = self.held.iter_mut().find(|entry| entry.0 == address) {
            // The cache compute system is the last of the units.
            entry.2 =
                if address < CCS_BASE { value & entry.1 } else { ccs::held(u64::from(address - CCS_BASE), value) };
        } else if let Some(bytes) = self.memory(address) {
            bytes.copy_from_slice(&value.to_le_bytes());
        } else {
            self.read(address)?;
        }
        Some(())
    }

    /// What the board answers to an event.
    pub fn hear(&mut self, event: Event) -> Option<Reply> {
        match event {
            Event::Wrong => {
                self.counts[2] += 1;
                None
            }
            Event::Quiet => {
                self.drains = false;
                let tag = self.frame.get(2).copied();
                (!self.frame.is_empty()).then(|| self.end(Status::Timeout, tag.unwrap_or(0), 0, vec![]))
            }
            Event::Byte(byte) if self.drains || self.frame.is_empty() && byte != REQUEST_START => None,
            Event::Byte(byte) => {
                self.frame.push(byte);
                self.judge()
            }
        }
    }

    fn end(&mut self, status: Status, tag: u8, count: u16, words: Vec<u32>) -> Reply {
        self.frame.clear();
        self.counts[usize::from(status != Status::Ok)] += 1;
        Reply { status, tag, count, words }
    }

    fn refuse(&mut self, status: Status) -> Option<Reply> {
        self.drains = true;
        let tag = self.frame[2];
        Some(self.end(status, tag, 0, vec![]))
    }

    fn judge(&mut self) -> Option<Reply> {
        let frame = self.frame.clone();
        if frame.len() < REQUEST_BYTES {
            return None;
        }
        let (header, data) = frame.split_at(REQUEST_BYTES);
        let count = u16::from_le_bytes([header[3], header[4]]);
        let address = u32::from_le_bytes([header[5], header[6], header[7], header[8]]);
        let operation = header[1] & !FIXED_ADDRESS;
        if checksum(&header[..9]).to_le_bytes() != header[9..] {
            return self.refuse(Status::Checksum);
        }
        if operation != Operation::Read as u8 && operation != Operation::Write as u8 {
            return self.refuse(Status::Operation);
        }
        if count == 0 || usize::from(count) > MAX_WORDS {
            return self.refuse(Status::Count);
        }
        if address % 4 != 0 {
            return self.refuse(Status::Alignment);
        }
        let write = operation == Operation::Write as u8;
        let bytes = 4 * usize::from(count);
        if write && data.len() < bytes + 2 {
            return None;
        }
        if write && checksum(&data[..bytes]).to_le_bytes() != data[bytes..] {
            return self.refuse(Status::Checksum);
        }
        let step = if header[1] & FIXED_ADDRESS == 0 { 4 } else { 0 };
        let (mut at, mut words) = (address, vec![]);
        for done in 0..count {
            let went = if write {
                let word = &data[4 * usize::from(done)..][..4];
                self.write(at, u32::from_le_bytes(word.try_into().expect("four bytes")))
            } else {
                self.read(at).map(|word| words.push(word))
            };
            if went.is_none() {
                return Some(self.end(Status::Bus, header[2], done, words));
            }
            at = at.wrapping_add(step);
        }
        Some(self.end(Status::Ok, header[2], count, words))
    }
}
