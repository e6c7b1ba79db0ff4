//! The words of memories.

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
