//! Files that a user names, read up to a limit: a file without an end (a device, a pipe) is an error and not the end of
//! this program's memory.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};

/// The largest text that a person writes: programs, configurations, manifests. In bytes.
pub const TEXT_BYTES: u64 = 1 << 24;

/// The bytes of a file of at most `limit` bytes.
///
/// # Errors
/// [`Error::File`] if it cannot be read or is larger.
pub fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let fail = |e: std::io::Error| Error::file(path, e);
    let file = File::open(path).map_err(fail)?;
    let known = file.metadata().map_err(fail)?.len();
    if known > limit {
        return Err(too_large(path, limit));
    }
    all(file, path, limit)
}

/// All that comes from `source`, at most `limit` bytes; `path` names it in messages.
///
/// # Errors
/// As [`bytes`].
pub fn all(source: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    source.take(limit + 1).read_to_end(&mut content).map_err(|e| Error::file(path, e))?;
    if content.len() as u64 > limit { Err(too_large(path, limit)) } else { Ok(content) }
}

/// The text of a file, at most [`TEXT_BYTES`].
///
/// # Errors
/// As [`bytes`]; also if it is not UTF-8.
pub fn text(path: &Path) -> Result<String> {
    utf8(bytes(path, TEXT_BYTES)?, path)
}

/// Bytes as text; `path` names them in messages.
///
/// # Errors
/// [`Error::File`] with the line that is not UTF-8.
pub fn utf8(content: Vec<u8>, path: &Path) -> Result<String> {
    String::from_utf8(content).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::file(path, format!("line {line}: is not text (UTF-8)"))
    })
}

fn too_large(path: &Path, limit: u64) -> Error {
    Error::file(path, format!("holds more than {limit} bytes, which is the most that is read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_ends_at_the_limit() {
        let path = Path::new("endless");
        assert!(all(&b"1234"[..], path, 4).is_ok_and(|content| content == b"1234"));
        let message = all(std::io::repeat(7), path, 4).expect_err("it is endless").to_string();
        assert_eq!(message, "endless: holds more than 4 bytes, which is the most that is read");
    }

    #[test]
    fn what_is_no_text_names_its_line() {
        let message = utf8(b"a\nb\xff".to_vec(), Path::new("f")).expect_err("no text").to_string();
        assert_eq!(message, "f: line 2: is not text (UTF-8)");
    }
}
