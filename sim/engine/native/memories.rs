//! Code that reads and writes memories.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData as MemFlags, Type, Value, types};

use super::stored::MOST;
use super::translate::{Scope, Translator};
use crate::graph::{Id, limbs};

impl Translator<'_, '_> {
    /// The address of a memory's word, or of zeros if there is none.
    fn word_address(&mut self, address: Value, m: usize) -> (Value, Option<Value>) {
        let word = self.edge.memories[m];
        let mut number = address;
        let mut there = None;
        if word.mask == u64::MAX {
            let depth = self.number(word.depth);
            let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, number, depth);
            let zero = self.number(0);
            number = self.b.ins().select(inside, number, zero);
            there = Some(inside);
        } else {
            number = self.b.ins().band_imm_s(number, word.mask as i64);
        }
        let offset = match word.limbs {
            1 => self.b.ins().ishl_imm_s(number, 3),
            n => self.b.ins().imul_imm_s(number, 8 * n as i64),
        };
        let at = self.b.ins().iadd(self.words, offset);
        (self.b.ins().iadd_imm_s(at, 8 * word.base as i64), there)
    }

    /// Reads a memory.
    pub(super) fn word(&mut self, id: Id, m: usize) {
        let address = self.full(self.edge.g.node(id).args[0]);
        let (mut at, there) = self.word_address(address, m);
        if let Some(there) = there {
            let zeros = self.address(self.edge.layout.zeros);
            at = self.b.ins().select(there, at, zeros);
        }
        let flags = MemFlags::new().with_notrap();
        let count = self.edge.g.limbs(id) as u32;
        match count as usize {
            1 => {
                let value = self.b.ins().load(types::I64, flags, at, 0);
                self.keep(id, value);
            }
            2..=MOST => {
                for pair in 0..count / 2 {
                    let value = self.b.ins().load(types::I64X2, flags, at, 16 * pair as i32);
                    self.scope().pairs.insert((id, pair), value);
                }
                if count % 2 == 1 {
                    let value = self.b.ins().load(types::I64, flags, at, 8 * (count as i32 - 1));
                    self.scope().limbs.insert((id, count - 1), value);
                }
                self.put(id);
            }
            _ => {
                let to = self.address(self.slot(id));
                self.copy_words(at, to, count);
            }
        }
    }

    /// Writes a memory.
    pub(super) fn write(&mut self, index: usize) {
        self.scopes.push(Scope::default());
        let store = self.edge.g.stores[index];
        let address = self.full(store.address);
        let (at, there) = self.word_address(address, store.memory);
        let word = self.edge.memories[store.memory];
        let number = if word.mask == u64::MAX { address } else { self.b.ins().band_imm_s(address, word.mask as i64) };
        match there {
            Some(there) => self.branch(there, &mut |t| t.write_word(index, at, number), &mut |_| {}),
            None => self.write_word(index, at, number),
        }
        self.scopes.pop();
    }

    fn write_word(&mut self, index: usize, at: Value, number: Value) {
        self.scopes.push(Scope::default());
        let store = self.edge.g.stores[index];
        let word = self.edge.memories[store.memory];
        let flags = MemFlags::new().with_notrap();
        // Which words were written.
        let line = self.b.ins().ushr_imm_s(number, 6);
        let line = self.b.ins().ishl_imm_s(line, 3);
        let line = self.b.ins().iadd(self.words, line);
        let one = self.number(1);
        let bit = self.b.ins().ishl(one, number);
        let before = self.b.ins().load(types::I64, flags, line, 8 * word.written as i32);
        let after = self.b.ins().bor(before, bit);
        self.b.ins().store(flags, after, line, 8 * word.written as i32);
        let count = limbs(self.edge.g.storages[store.memory].width) as u32;
        let large = count as usize > MOST;
        let (data, mask) = (store.data, store.mask);
        let addresses = large.then(|| {
            let data = self.address(self.slot(data));
            (data, mask.map(|mask| self.address(self.slot(mask))))
        });
        let part = |t: &mut Self, kind: Type, k: Value, fixed: u32| {
            let fetch = |t: &mut Self, id: Id, address: Value| match (large, kind == types::I64X2) {
                (true, _) => {
                    let from = t.b.ins().iadd(address, k);
                    t.b.ins().load(kind, flags, from, 0)
                }
                (false, true) => t.pair(id, fixed / 2),
                (false, false) if count == 1 => t.full(id),
                (false, false) => t.limb(id, fixed),
            };
            let to = t.b.ins().iadd(at, k);
            let mut value = fetch(t, data, addresses.map_or(k, |a| a.0));
            if let Some(mask) = mask {
                let mask = fetch(t, mask, addresses.and_then(|a| a.1).unwrap_or(k));
                let old = t.b.ins().load(kind, flags, to, 0);
                value = t.b.ins().bitselect(mask, value, old);
            }
            t.b.ins().store(flags, value, to, 0);
        };
        if large {
            self.over_words(count, &mut |t, kind, at| part(t, kind, at, 0));
        } else {
            for pair in 0..count / 2 {
                let at = self.number(16 * u64::from(pair));
                part(self, types::I64X2, at, 2 * pair);
            }
            if count % 2 == 1 {
                let at = self.number(8 * u64::from(count - 1));
                part(self, types::I64, at, count - 1);
            }
        }
        self.scopes.pop();
    }
}
