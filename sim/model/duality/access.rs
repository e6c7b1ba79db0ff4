//! Accesses of threads to memory: loads, stores, atomic operations, spill rows.

use bitline_units::array::isa::format::Mode;
use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::*;
use bitline_units::duality::isa::field::*;

use super::interpreter::{Judge, Refused};
use super::rows::extend;
use super::watch::Access;
use crate::float::{self, Function};

impl Judge<'_> {
    /// A load, a store, an atomic operation: first all addresses are looked at, then threads follow each other.
    pub(super) fn memory(&mut self, word: Word) -> Result<(), Refused> {
        let op = MemoryOp::from_code(word.get(MEMORY_OP)).expect("the word is legal");
        if word.get(SPACE) == Space::Spill.code() {
            return self.spill(word, op);
        }
        if word.crosses() {
            self.crossing(word, op);
            return Ok(());
        }
        let bytes = Element::from_code(word.get(ELEMENT)).expect("every code is one").bytes();
        let (slot, rows) = (word.get(DATA_SLOT), word.get(WIDTH) + 1);
        let mut accesses = Vec::new();
        for thread in self.threads() {
            let Some(cta) = self.cta[thread].filter(|_| self.chosen(word, slot, thread)) else { continue };
            let (asked, place) = self.address(word, thread, cta);
            let refuse = |trap| (trap, Some(thread), Some(asked));
            let place = place.map_err(refuse)?;
            let window = place.1;
            self.memory.check(place.0, bytes, op != MemoryOp::Load).map_err(refuse)?;
            if window.is_some_and(|left| left < bytes) {
                return Err(refuse(Trap::Window));
            }
            accesses.push((thread, place.0, window.is_some()));
        }
        let bits = 8 * u64::from(bytes);
        let signed = word.get(EXTEND) == 1;
        for &(thread, address, shared) in &accesses {
            let old = self.memory.read(address, bytes);
            let b = self.rows.get(thread, slot, word.get(B), rows) as u64;
            let new = match op {
                MemoryOp::Load => old,
                MemoryOp::Store => extend(extend(b, rows, signed), bits, false),
                // Sums in global memory flush subnormal numbers, those in shared windows do not, as on GPUs.
                MemoryOp::FAdd => sum(old, b, !shared),
                _ => atomic(op, bits, old, b, self.rows.get(thread, slot, word.get(S), rows) as u64),
            };
            if op != MemoryOp::Load {
                self.memory.write(address, bytes, new);
            }
            let seen = self.watch.access(Access { thread, op, address, bytes, private: shared }, old);
            if op != MemoryOp::Load && !shared {
                let s = if op == MemoryOp::Compare { self.rows.get(thread, slot, word.get(S), rows) as u64 } else { 0 };
                self.watch.operands(b, s);
            }
            if op != MemoryOp::Store {
                self.rows.set(thread, slot, word.get(D), rows, extend(seen, bits, signed).into());
            }
        }
        self.outcome.accesses += accesses.len() as u64;
        Ok(())
    }

    /// The address that a thread asks for.
    pub(super) fn asked(&self, word: Word, thread: usize) -> u32 {
        let offset = word.get(IMMEDIATE) as u32;
        match Source::from_code(word.get(SOURCE)) {
            Some(Source::Immediate) => offset,
            Some(Source::Scalar) => self.scalars[word.get(A) as usize].wrapping_add(offset),
            source => {
                let index = self.rows.get(thread, word.get(SLOT), word.get(A), word.get(WIDTH_A) + 1) as u32;
                let indexed = source == Some(Source::Indexed);
                let base = if indexed { self.scalars[word.get(MODIFIER) as usize] } else { 0 };
                let scaled = index.wrapping_mul(1 << word.get(SCALE));
                scaled.wrapping_add(base).wrapping_add(offset)
            }
        }
    }

    /// The address that a thread asks for, and where that is in memory, with the bytes that are left of its window.
    fn address(&self, word: Word, thread: usize, cta: u32) -> (u32, Result<(u32, Option<u32>), Trap>) {
        let asked = self.asked(word, thread);
        let within = match Space::from_code(word.get(SPACE)) {
            Some(Space::Shared) => Some(asked),
            Some(Space::Generic) => asked.checked_sub(GENERIC_SHARED),
            _ => None,
        };
        let Some(within) = within else { return (asked, Ok((asked, None))) };
        let Some(left) = self.launch.shared_bytes.checked_sub(within).filter(|&left| left > 0) else {
            return (asked, Err(Trap::Window));
        };
        (asked, Ok((self.launch.shared_base + cta * self.launch.shared_bytes + within, Some(left))))
    }

    fn spill(&mut self, word: Word, op: MemoryOp) -> Result<(), Refused> {
        let (slot, rows, first) = (word.get(DATA_SLOT), word.get(WIDTH) + 1, word.get(IMMEDIATE));
        if first + rows > u64::from(self.launch.spill_rows) {
            return Err((Trap::Window, None, None));
        }
        let (threads, row_bytes) = (self.threads(), self.cta.len() as u64 / 8);
        let place = |row: u64, thread: usize| {
            self.launch.spill_base.wrapping_add(((first + row) * row_bytes) as u32 + thread as u32 / 8)
        };
        for (row, thread) in (0..rows).flat_map(|row| threads.clone().step_by(8).map(move |thread| (row, thread))) {
            let address = place(row, thread);
            self.memory.check(address, 1, op == MemoryOp::Store).map_err(|trap| (trap, None, Some(address)))?;
        }
        for (row, thread) in (0..rows).flat_map(|row| threads.clone().map(move |thread| (row, thread))) {
            let (address, bit) = (place(row, thread), thread % 8);
            let access = Access { thread, op, address, bytes: 1, private: true };
            let byte = self.watch.access(access, self.memory.read(address, 1));
            if op == MemoryOp::Load {
                self.rows.set(thread, slot, word.get(D) + row, 1, (byte >> bit & 1).into());
            } else {
                let held = u64::from(self.rows.bit(thread, slot, word.get(B) + row));
                self.memory.write(address, 1, byte & !(1 << bit) | held << bit);
            }
        }
        Ok(())
    }
}

/// The sum of two binary32 numbers, rounded to nearest.
fn sum(old: u64, b: u64, flush: bool) -> u64 {
    let mode = Mode { flush_operands: flush, flush_results: flush, ..Mode::default() };
    float::evaluate(Function::Add, 26, 8, mode.key(), old, b).expect("binary32 is a format")
}

/// What another atomic operation leaves in memory.
pub(super) fn atomic(op: MemoryOp, bits: u64, old: u64, b: u64, s: u64) -> u64 {
    let signed = |value: u64| extend(value, bits, true) as i64;
    let new = match op {
        MemoryOp::Add => old.wrapping_add(b),
        MemoryOp::MinU => old.min(b),
        MemoryOp::MaxU => old.max(b),
        MemoryOp::MinS => signed(old).min(signed(b)) as u64,
        MemoryOp::MaxS => signed(old).max(signed(b)) as u64,
        MemoryOp::And => old & b,
        MemoryOp::Or => old | b,
        MemoryOp::Xor => old ^ b,
        MemoryOp::Exchange => b,
        MemoryOp::Compare => {
            if old == b {
                s
            } else {
                old
            }
        }
        MemoryOp::FAdd | MemoryOp::Load | MemoryOp::Store => old,
    };
    extend(new, bits, false)
}
