//! The words of memories.

use std::ops::Range;

use super::graph::{Graph, limbs};

/// Where the words of a memory are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// First limb.
    pub base: usize,
    pub depth: u64,
    /// ANDed to addresses.
    pub mask: u64,
    /// Limbs of a word.
    pub limbs: usize,
    /// First limb of the bits that tell which words were written.
    pub written: usize,
}

/// A memory whose limbs are a multiple of this is followed by a line that nobody uses. Without it the words that a row
/// of memories has at one address lie whole pages apart, and a processor's cache has the same few places for all of
/// them.
const EVEN: usize = 64;
/// Limbs of a line of the processor's memory.
const LINE: usize = 8;

/// Memories one after the other.
pub(super) fn contents(graph: &Graph) -> (Vec<Word>, Vec<u64>) {
    let (mut memories, mut words, mut written) = (Vec::<Word>::new(), Vec::new(), 0);
    for storage in &graph.storages {
        let (base, limbs) = (words.len(), limbs(storage.width));
        let mask = if storage.depth.is_power_of_two() { storage.depth as u64 - 1 } else { u64::MAX };
        memories.push(Word { base, depth: storage.depth as u64, mask, limbs, written });
        written += storage.depth.div_ceil(64);
        if let Some(contents) = &storage.contents {
            words.extend(contents.iter().take(storage.depth).flatten());
        }
        let size = storage.depth * limbs;
        let apart = if size.is_multiple_of(EVEN) { LINE } else { 0 };
        words.resize(base + size + apart, 0);
    }
    // The bits for written words come behind all memories.
    memories.iter_mut().for_each(|m| m.written += words.len());
    words.resize(words.len() + written, 0);
    (memories, words)
}

/// Most limbs of the bits that tell which words of a bank's memories were written.
const NOTES: usize = 4;

/// Memories that have as many words, of at most 64 bits each: their words with one number are looked at together, and
/// it is known of all of them together which words were written.
#[derive(Clone, Debug)]
pub struct Bank {
    /// First word of each memory.
    bases: Vec<usize>,
    depth: usize,
    /// Where the bits are that tell which words were written: so many limbs for each memory, and nothing else.
    written: Range<usize>,
    notes: usize,
}

impl Bank {
    /// Nothing if these memories are none.
    pub(super) fn new(memories: &[Word]) -> Option<Bank> {
        let first = memories.first()?;
        let notes = (first.depth as usize).div_ceil(64);
        let start = memories.iter().map(|memory| memory.written).min()?;
        let end = memories.iter().map(|memory| memory.written + notes).max()?;
        let mut there = vec![false; (end - start) / notes];
        for memory in memories {
            let alike = (memory.depth, memory.limbs) == (first.depth, 1);
            let whole = (memory.written - start).is_multiple_of(notes);
            if !alike || !whole || notes > NOTES {
                return None;
            }
            there[(memory.written - start) / notes] = true;
        }
        let bank = Bank {
            bases: memories.iter().map(|memory| memory.base).collect(),
            depth: first.depth as usize,
            written: start..end,
            notes,
        };
        there.iter().all(|&there| there).then_some(bank)
    }

    /// Hands on the numbers of words that were written in any of the memories or are among `touched`, in their order.
    #[inline]
    pub fn each_written(&self, words: &[u64], touched: impl FnOnce(&mut dyn FnMut(usize)), mut to: impl FnMut(usize)) {
        let mut notes = [0; NOTES];
        touched(&mut |word| notes[word / 64 % NOTES] |= 1 << (word % 64));
        for memory in words[self.written.clone()].chunks_exact(self.notes) {
            notes.iter_mut().zip(memory).for_each(|(all, one)| *all |= one);
        }
        for (limb, mut note) in notes.into_iter().enumerate() {
            while note != 0 {
                let word = 64 * limb + note.trailing_zeros() as usize;
                if word < self.depth {
                    to(word);
                }
                note &= note - 1;
            }
        }
    }

    /// The words with this number, the first memory's first.
    #[inline(always)]
    pub fn words<'a>(&'a self, words: &'a [u64], number: usize) -> impl Iterator<Item = u64> + 'a {
        self.bases.iter().map(move |base| words[base + number])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Storage;

    /// 64 memories of 4 KiB: the first words of all of them lie in different lines of a page.
    #[test]
    fn words_at_one_address_do_not_share_a_place_in_the_cache() {
        let mut graph = Graph::empty();
        let storage = |number: usize| Storage { name: number.to_string(), width: 64, depth: 512, contents: None };
        graph.storages = (0..64).map(storage).collect();
        let (memories, words) = contents(&graph);
        let lines: std::collections::BTreeSet<usize> = memories.iter().map(|m| m.base / LINE % 64).collect();
        assert_eq!(lines.len(), 64);
        // They do not overlap, and what tells which words were written comes behind all of them.
        assert!(memories.windows(2).all(|pair| pair[0].base + 512 <= pair[1].base));
        assert_eq!(memories[0].written, memories[63].base + 512 + LINE);
        assert_eq!(words.len(), memories[63].written + 512 / 64);
    }
}
