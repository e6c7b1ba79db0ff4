//! Raw little-endian files: each element in 1, 2, 4 or 8 whole bytes.

use std::path::Path;

use super::element::ElementType;
use super::{MAX_ELEMENTS, source};
use crate::error::{Error, Result};

/// Legal sizes of an element.
pub const SIZES: [usize; 4] = [1, 2, 4, 8];

/// Refuses sizes that no raw file has.
///
/// # Errors
/// [`Error::Parameter`].
pub fn check_size(bytes: usize) -> Result<()> {
    if SIZES.contains(&bytes) { Ok(()) } else { Err(Error::parameter("bytes", bytes, "must be 1, 2, 4 or 8")) }
}

/// Smallest element that holds the type; `None` above 64 bits.
pub fn size_for(kind: ElementType) -> Option<usize> {
    SIZES.into_iter().find(|bytes| kind.width as usize <= 8 * bytes)
}

/// Reads all elements of a file.
///
/// # Errors
/// [`Error::File`] when it cannot be read, ends inside an element, or holds a value that the type does not.
pub fn read(path: &Path, bytes: usize, kind: ElementType) -> Result<Vec<u128>> {
    check_size(bytes)?;
    let content = source::bytes(path, (MAX_ELEMENTS * bytes) as u64)?;
    let path = &source::name(path);
    if content.len() % bytes != 0 {
        let reason = format!(
            "length = {} bytes: must be a multiple of {bytes} (bytes of an element); truncated?",
            content.len()
        );
        return Err(Error::file(path, reason));
    }
    let stored = ElementType { width: 8 * bytes as u32, signed: kind.signed, format: None };
    let element = |(index, chunk): (usize, &[u8])| {
        let bits = chunk.iter().rev().fold(0u128, |bits, &byte| bits << 8 | u128::from(byte));
        let value = stored.decode(bits);
        kind.encode(value).ok_or_else(|| Error::file(path, format!("element {index} = {value}: must be {kind}")))
    };
    content.chunks(bytes).enumerate().map(element).collect()
}

/// The bytes of elements, sign-extended if signed.
///
/// # Errors
/// [`Error::Parameter`] when the size is not legal or cannot hold the type.
pub fn write(elements: &[u128], bytes: usize, kind: ElementType) -> Result<Vec<u8>> {
    check_size(bytes)?;
    if kind.width as usize > 8 * bytes {
        return Err(Error::parameter("bytes", bytes, format!("must hold {} bits", kind.width)));
    }
    Ok(elements.iter().flat_map(|&bits| kind.extend(bits).to_le_bytes().into_iter().take(bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_errors() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("x.bin");
        let kind = ElementType { width: 12, signed: true, format: None };
        let elements = [0, 0x7ff, 0x800, 0xfff, 0x123];
        for bytes in [2, 4, 8] {
            let content = write(&elements, bytes, kind).expect("12 bits fit");
            assert_eq!(content.len(), 5 * bytes);
            std::fs::write(&path, content).expect("the folder can be written");
            assert_eq!(read(&path, bytes, kind).expect("what was written"), elements);
        }
        assert!(write(&elements, 1, kind).is_err_and(|e| e.to_string() == "bytes = 1: must hold 12 bits"));
        assert!(write(&elements, 3, kind).is_err_and(|e| e.to_string() == "bytes = 3: must be 1, 2, 4 or 8"));
        std::fs::write(&path, [0, 8, 0]).expect("the folder can be written");
        let message = |bytes| read(&path, bytes, kind).map_err(|e| e.to_string()).expect_err("must be refused");
        assert!(
            message(2).ends_with("x.bin: length = 3 bytes: must be a multiple of 2 (bytes of an element); truncated?")
        );
        std::fs::write(&path, [0, 0, 0, 8]).expect("the folder can be written");
        assert!(message(2).ends_with("x.bin: element 1 = 2048: must be -2048 to 2047 (12 bits, signed)"));
        assert_eq!(size_for(kind), Some(2));
        assert_eq!(size_for(ElementType { width: 65, ..kind }), None);
    }
}
