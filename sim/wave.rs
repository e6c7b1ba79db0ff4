//! Waves: named signals, one sample a cycle, as FST or VCD. Only changes are written.
//!
//! A sample holds from its time until the next. One unit of time (written as 1 ns) is one sample, or a tenth of one
//! where a clock is drawn; the wave ends a sample after the last. Dots in a signal's path make the hierarchy.

mod fst;
mod ring;
#[cfg(test)]
mod tests;
mod vcd;
mod window;

use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::data::output::{target, temporary};
use crate::error::{Error, Result};
pub use ring::WaveRing;
pub use window::{Wave, Window};

/// Units of time that a sample takes where a clock is drawn.
pub const PERIOD: u64 = 10;

/// A signal of a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaveSignal {
    /// Instance path and name, separated by dots.
    pub path: String,
    /// Bits, at least 1.
    pub width: usize,
}

impl WaveSignal {
    /// 64-bit words of a value.
    pub fn words(&self) -> usize {
        self.width.div_ceil(64)
    }
}

/// Writes a wave file cycle by cycle.
pub struct WaveWriter {
    path: PathBuf,
    signals: Vec<WaveSignal>,
    /// The last sample, signal after signal.
    last: Vec<u64>,
    /// Where each signal begins there.
    places: Vec<usize>,
    /// Time of the last sample.
    time: Option<u64>,
    /// Whether the first signal is the clock.
    clocked: bool,
    digits: Vec<u8>,
    /// `None` once finished.
    format: Option<Box<dyn Format>>,
    /// The file until it is complete.
    file: Option<NamedTempFile>,
}

/// What the file formats have in common.
trait Format {
    /// A new time step. Times increase.
    fn time(&mut self, time: u64) -> std::io::Result<()>;

    /// Signal `index` takes a value, most significant digit first.
    fn change(&mut self, index: usize, digits: &[u8]) -> std::io::Result<()>;

    /// Ends the file at `time`.
    fn finish(self: Box<Self>, time: u64) -> std::io::Result<()>;
}

impl WaveWriter {
    /// Creates a file for these signals; its extension, `.fst` or `.vcd`, chooses the format. The file takes its name,
    /// and the place of an older one, when it is complete.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another extension or a signal without bits or name, [`Error::File`] when the file
    /// cannot be written.
    pub fn create(path: &Path, signals: &[WaveSignal]) -> Result<WaveWriter> {
        if let Some(signal) = signals.iter().find(|s| s.width == 0 || s.path.split('.').any(str::is_empty)) {
            let value = format!("{:?}, {} bits", signal.path, signal.width);
            return Err(Error::parameter("wave signal", value, "needs a name and at least one bit"));
        }
        let target = target(path)?;
        let file = temporary(&target).map_err(|e| Error::file(path, e))?;
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let format: std::io::Result<Box<dyn Format>> = match extension {
            "fst" => fst::Fst::create(file.path(), signals).map(|f| Box::new(f) as Box<dyn Format>),
            "vcd" => vcd::Vcd::create(file.path(), signals).map(|f| Box::new(f) as Box<dyn Format>),
            _ => return Err(Error::parameter("wave", path.display(), "must end in .fst or .vcd")),
        };
        let (places, words) = places(signals);
        Ok(WaveWriter {
            path: target,
            signals: signals.to_vec(),
            last: vec![0; words],
            places,
            time: None,
            clocked: false,
            digits: Vec::new(),
            format: Some(format.map_err(|e| Error::file(path, e))?),
            file: Some(file),
        })
    }

    /// Draws the first signal, of one bit, as the clock: a sample takes [`PERIOD`] units of time, and the clock rises
    /// at its beginning and falls in its middle. Samples are numbered as before.
    pub fn clocked(mut self) -> WaveWriter {
        self.clocked = true;
        self
    }

    /// The values of all signals from `time` on, in the order of the signals, lowest words first.
    ///
    /// # Errors
    /// [`Error::Parameter`] when time does not increase, [`Error::File`] when the file cannot be written.
    ///
    /// # Panics
    /// If the values do not fit the signals.
    pub fn cycle(&mut self, time: u64, values: &[&[u64]]) -> Result<()> {
        assert_eq!(values.len(), self.signals.len(), "one value for each signal");
        self.changes(time, values.iter().copied().enumerate())
    }

    /// The values from `time` on of those signals that may have changed, by number; the others stay. The first time all
    /// signals must be there.
    ///
    /// # Errors
    /// As [`WaveWriter::cycle`].
    ///
    /// # Panics
    /// If a value does not fit its signal.
    pub fn changes<'v>(&mut self, time: u64, changed: impl IntoIterator<Item = (usize, &'v [u64])>) -> Result<()> {
        if let Some(last) = self.time.filter(|&last| time <= last) {
            return Err(Error::parameter("wave time", time, format!("must be above {last}")));
        }
        let before = self.time.replace(time);
        let first = before.is_none();
        let clocked = self.clocked;
        let Some(format) = &mut self.format else { return Ok(()) };
        let write = || {
            if let Some(before) = before.filter(|_| clocked) {
                format.time(PERIOD * before + PERIOD / 2)?;
                format.change(0, b"0")?;
                self.last[0] = 0;
            }
            format.time(if clocked { PERIOD * time } else { time })?;
            for (index, value) in changed {
                let width = self.signals[index].width;
                let last = &mut self.last[self.places[index]..][..width.div_ceil(64)];
                if first || last != value {
                    last.copy_from_slice(value);
                    digits(value, width, &mut self.digits);
                    format.change(index, &self.digits)?;
                }
            }
            Ok(())
        };
        let written: std::io::Result<()> = write();
        if written.is_err() {
            // What is there so far is no wave.
            (self.format, self.file) = (None, None);
        }
        written.map_err(|e| Error::file(&self.path, e))
    }

    /// Leaves no file behind.
    pub fn discard(mut self) {
        (self.format, self.file) = (None, None);
    }

    /// Ends the file. A writer that is dropped does the same but cannot tell of errors.
    ///
    /// # Errors
    /// [`Error::File`] when the file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.close().map_err(|e| Error::file(&self.path, e))
    }

    fn close(&mut self) -> std::io::Result<()> {
        // A file that cannot be finished goes with its writer.
        let (Some(mut format), Some(file)) = (self.format.take(), self.file.take()) else { return Ok(()) };
        let end = match self.time {
            Some(time) if self.clocked => {
                format.time(PERIOD * time + PERIOD / 2)?;
                format.change(0, b"0")?;
                PERIOD * (time + 1)
            }
            time => time.map_or(0, |time| time + 1),
        };
        format.finish(end)?;
        file.persist(&self.path).map(drop).map_err(|e| e.error)
    }
}

impl Drop for WaveWriter {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Where each signal begins among the words of all of them, and how many words there are.
fn places(signals: &[WaveSignal]) -> (Vec<usize>, usize) {
    let mut words = 0;
    let mut place = |signal: &WaveSignal| {
        words += signal.words();
        words - signal.words()
    };
    (signals.iter().map(&mut place).collect(), words)
}

/// The binary digits of a value, the highest first.
fn digits(value: &[u64], width: usize, digits: &mut Vec<u8>) {
    const NIBBLES: [[u8; 4]; 16] = {
        let mut all = [[b'0'; 4]; 16];
        let mut i = 0;
        while i < 64 {
            all[i / 4][i % 4] = b'0' + (i / 4 >> (3 - i % 4) & 1) as u8;
            i += 1;
        }
        all
    };
    digits.clear();
    let nibbles = width.div_ceil(4);
    digits.extend((0..nibbles).rev().flat_map(|i| NIBBLES[(value[i / 16] >> (i % 16 * 4) & 15) as usize]));
    digits.drain(..4 * nibbles - width);
}

/// A level of the hierarchy: signals by number and scopes by name, in order of appearance.
#[derive(Default)]
struct Scope<'a> {
    items: Vec<Item<'a>>,
}

enum Item<'a> {
    Signal(&'a str, usize),
    Scope(&'a str, Scope<'a>),
}

impl<'a> Scope<'a> {
    fn tree(signals: &'a [WaveSignal]) -> Scope<'a> {
        let mut root = Scope::default();
        for (index, signal) in signals.iter().enumerate() {
            let mut parts: Vec<&str> = signal.path.split('.').collect();
            let name = parts.pop().expect("a split has a last part");
            let scope = parts.into_iter().fold(&mut root, Scope::enter);
            scope.items.push(Item::Signal(name, index));
        }
        root
    }

    fn enter<'s>(&'s mut self, name: &'a str) -> &'s mut Scope<'a> {
        let found = self.items.iter().position(|item| matches!(item, Item::Scope(n, _) if *n == name));
        let at = found.unwrap_or_else(|| {
            self.items.push(Item::Scope(name, Scope::default()));
            self.items.len() - 1
        });
        let Item::Scope(_, scope) = &mut self.items[at] else { unreachable!("the item is a scope") };
        scope
    }
}

/// A name without characters that end a token in a VCD file.
fn legal(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}
