//! Model of the merge of words and lines that are written.

/// An element for each lane: those of the line, or the word's in every group of lanes that holds one.
pub fn merge(word: Option<u32>, line: &[u32], element_bits: usize) -> Vec<u32> {
    let Some(word) = word else { return line.to_vec() };
    let parts = 32 / element_bits;
    let ones = u32::MAX >> (32 - element_bits);
    (0..line.len()).map(|lane| word >> (lane % parts * element_bits) & ones).collect()
}
