//! Memories with the same contents and the same writes are kept once, until somebody sets words that differ.
//!
//! Words are set one after the other, so memories that are meant to stay equal differ for a while. They have words of
//! their own meanwhile, and what is to become of them is decided when the design runs on or is looked at: equal ones
//! are kept once again; for others the engine is made anew, with a storage for each.

use super::Native;
use crate::place::assign;

/// Memories that are kept once, and whose words were set.
#[derive(Default)]
pub(super) struct Mirrors {
    /// Only memories with the same number may be kept once.
    pub apart: Vec<usize>,
    /// Memory, and its words.
    own: Vec<(usize, Vec<u64>)>,
}

impl Mirrors {
    pub fn new(apart: &[usize]) -> Mirrors {
        Mirrors { apart: apart.to_vec(), own: vec![] }
    }

    /// The words of a memory that has some of its own.
    pub fn own(&self, memory: usize) -> Option<&[u64]> {
        self.own.iter().find(|(of, _)| *of == memory).map(|(_, words)| &words[..])
    }
}

impl Native {
    /// The words of a memory's storage.
    pub(super) fn stored(&self, memory: usize) -> &[u64] {
        let word = self.word(memory);
        &self.words[word.base..][..word.depth as usize * word.limbs]
    }

    /// Replaces a word of a memory.
    pub(super) fn replace(&mut self, memory: usize, word: usize, value: &[u64]) {
        let m = self.word(memory);
        if word >= m.depth as usize {
            return;
        }
        let mask = u64::MAX >> (64 * m.limbs as u32 - self.design.memories[memory].width);
        let (at, place) = (word * m.limbs, m.base + word * m.limbs);
        let mut new = vec![0; m.limbs];
        assign(&mut new, value, mask);
        let storages = &self.graph.storage_of;
        let members = (0..storages.len()).filter(|&other| storages[other] == storages[memory]);
        if self.mirrors.own(memory).is_none() && self.words[place..][..m.limbs] != new {
            let members: Vec<usize> = members.collect();
            if members.len() > 1 {
                let all = self.stored(memory).to_vec();
                self.mirrors.own.extend(members.into_iter().map(|member| (member, all.clone())));
            }
        }
        let own = self.mirrors.own.iter_mut().find(|(of, _)| *of == memory);
        let words = own.map_or(&mut self.words[place..], |(_, words)| &mut words[at..]);
        words[..m.limbs].copy_from_slice(&new);
        self.words[m.written + word / 64] |= 1 << (word % 64);
        self.changed();
    }

    /// Decides what becomes of memories with words of their own: before anything depends on their words.
    #[inline]
    pub(super) fn settle(&mut self) {
        if !self.mirrors.own.is_empty() {
            self.join_or_part();
        }
    }

    #[cold]
    fn join_or_part(&mut self) {
        let own = std::mem::take(&mut self.mirrors.own);
        let storages = &self.graph.storage_of;
        let differs = |(memory, words): &&(usize, Vec<u64>)| {
            own.iter().any(|(other, of)| storages[*other] == storages[*memory] && of != words)
        };
        let parted: Vec<usize> = own.iter().filter(differs).map(|(memory, _)| *memory).collect();
        for (memory, words) in own.iter().filter(|(memory, _)| !parted.contains(memory)) {
            let base = self.word(*memory).base;
            self.words[base..][..words.len()].copy_from_slice(words);
        }
        if parted.is_empty() {
            return;
        }
        let mut apart = self.mirrors.apart.clone();
        // Numbers that no caller has.
        parted.iter().for_each(|&memory| apart[memory] = usize::MAX - memory);
        let mut new = Native::apart(self.design.clone(), &apart);
        let leaves = self.leaves.iter().zip(&new.leaves).filter_map(|(from, to)| from.as_ref().zip(to.as_ref()));
        for (from, to) in leaves.chain(self.registers.iter().zip(&new.registers)) {
            to.put(&mut new.state, &from.get(&self.state));
        }
        for memory in 0..apart.len() {
            let set = own.iter().find(|(of, _)| *of == memory);
            let words = set.map_or(self.stored(memory), |(_, words)| words);
            let (from, to) = (self.word(memory), new.word(memory));
            new.words[to.base..][..words.len()].copy_from_slice(words);
            let length = (to.depth as usize).div_ceil(64);
            new.words[to.written..][..length].copy_from_slice(&self.words[from.written..][..length]);
        }
        (new.now, new.version) = (self.now, self.version + 1);
        new.changed();
        *self = new;
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::netlist::Read;
    use crate::tests::design::Design;
    use crate::{Engine, Native};

    /// Two memories that are written alike, each with a port.
    fn pair() -> Native {
        let mut d = Design::default();
        let (_, address) = d.input(3);
        let (_, data) = d.input(8);
        let enable = d.constant(1u8, 1);
        for _ in 0..2 {
            let memory = d.memory(8, 8, None);
            d.port(memory, Read::Now { address });
            d.write(memory, address, enable, None, data);
        }
        Native::new(d.flat)
    }

    #[test]
    fn equal_words_are_kept_once_and_others_are_not() {
        let mut engine = pair();
        let once = engine.statistics().memory_words;
        // One after the other, and the second only after the first differs.
        for memory in 0..2 {
            for word in 0..8 {
                engine.set_word(memory, word, &[10 + word as u64]);
            }
            assert_eq!(engine.memory(memory), [10, 11, 12, 13, 14, 15, 16, 17]);
            assert_eq!(engine.memory(1)[7], if memory == 0 { 0 } else { 17 });
        }
        engine.tick(false);
        assert_eq!(engine.statistics().memory_words, once);
        let [address, data] = [engine.design().inputs[0], engine.design().inputs[1]];
        engine.set_input(address, &[3]);
        engine.set_input(data, &[99]);
        engine.set_word(1, 3, &[77]);
        let ports: Vec<_> = engine.design().memories.iter().map(|memory| memory.reads[0].0).collect();
        assert_eq!(ports.iter().map(|&port| engine.value(port)[0]).collect::<Vec<_>>(), [13, 77]);
        assert_eq!(engine.statistics().memory_words, 2 * once);
        engine.tick(false);
        engine.set_input(address, &[4]);
        engine.tick(false);
        for memory in 0..2 {
            assert_eq!(engine.memory(memory), [0, 11, 12, 99, 99, 15, 16, 17]);
        }
    }
}
