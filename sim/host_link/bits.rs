//! The same data as bytes, as words on the line, as elements and as rows.

/// Bytes as words, for the line; their number is a multiple of 4.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// Words from the line as bytes.
pub fn unpack(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Rows of elements: bit i of all of them in row i, words of 64 columns.
pub fn rows(elements: &[u64], width: usize, columns: usize) -> Vec<Vec<u64>> {
    let mut rows = vec![vec![0; columns.div_ceil(64)]; width];
    for (column, element) in elements.iter().enumerate() {
        for (bit, row) in rows.iter_mut().enumerate() {
            row[column / 64] |= (element >> bit & 1) << (column % 64);
        }
    }
    rows
}
