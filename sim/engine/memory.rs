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
        words.resize(base + storage.depth * limbs, 0);
    }
    // The bits for written words come behind all memories.
    memories.iter_mut().for_each(|m| m.written += words.len());
    words.resize(words.len() + written, 0);
    (memories, words)
}
