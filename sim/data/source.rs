//! Where data come from: files, or the standard input, which is called `-`.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::error::{Error, Result};
use crate::kernel::input;

/// The name of the standard input among inputs, and of the standard output among outputs. A file of this name is `./-`.
pub const STANDARD: &str = "-";

/// Whether a path means the standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// Where a path that a program file in `folder` names leads to.
pub fn at(folder: &Path, path: &Path) -> PathBuf {
    if is_standard(path) { path.into() } else { folder.join(path) }
}

/// What messages call an input.
pub fn name(path: &Path) -> PathBuf {
    if is_standard(path) { "standard input".into() } else { path.into() }
}

/// Opens an input.
///
/// # Errors
/// [`Error::File`].
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    if is_standard(path) {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path).map_err(|e| Error::file(path, e))?))
}

/// The bytes of an input of at most `limit` bytes.
///
/// # Errors
/// As [`input::bytes`].
pub fn bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    if is_standard(path) { input::all(io::stdin(), &name(path), limit) } else { input::bytes(path, limit) }
}

/// The text of an input.
///
/// # Errors
/// As [`input::text`].
pub fn text(path: &Path) -> Result<String> {
    input::utf8(bytes(path, input::TEXT_BYTES)?, &name(path))
}

/// Fails when more bytes were read than its user has allowed.
pub struct Limited<R> {
    source: R,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Limited<R> {
    /// Around a source; the cell says how many more bytes may be read.
    pub fn new(source: R, left: Rc<Cell<usize>>) -> Limited<R> {
        Limited { source, left }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 {
            return Err(io::Error::other("does not end where it must: a line without an end, or a quote without one"));
        }
        let most = left.min(buffer.len());
        let count = self.source.read(&mut buffer[..most])?;
        self.left.set(left - count);
        Ok(count)
    }
}
