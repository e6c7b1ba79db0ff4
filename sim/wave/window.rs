//! Waves of a part of a run: from one cycle to another, or the last cycles before a failure.

use super::{WaveRing, WaveWriter};
use crate::error::{Error, Result};

/// Which cycles of a run a wave shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// From a cycle to another, both included.
    Cycles(u64, u64),
    /// So many last ones, and these only if the run fails.
    Last(usize),
}

impl Default for Window {
    fn default() -> Window {
        Window::Cycles(0, u64::MAX)
    }
}

/// A wave of some cycles of a run.
pub struct Wave {
    writer: WaveWriter,
    window: Window,
    /// The last cycles, if these are wanted.
    ring: WaveRing,
    /// Samples that were taken.
    samples: u64,
}

impl Wave {
    /// A wave of the cycles in a window.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a window without cycles.
    pub fn new(writer: WaveWriter, window: Window) -> Result<Wave> {
        let depth = match window {
            Window::Cycles(from, to) if to < from => {
                return Err(Error::parameter("wave-to", to, format!("must be at least wave-from = {from}")));
            }
            Window::Last(0) => return Err(Error::parameter("wave-last", 0, "must be at least 1")),
            Window::Cycles(..) => 0,
            Window::Last(depth) => depth,
        };
        Ok(Wave { ring: WaveRing::new(&writer.signals, depth), writer, window, samples: 0 })
    }

    /// Draws the first signal as the clock, as [`WaveWriter::clocked`].
    pub fn clocked(mut self) -> Wave {
        self.writer = self.writer.clocked();
        self
    }

    /// Whether a cycle is in the window. Nothing needs to be known of the others.
    #[inline]
    pub fn wants(&self, cycle: u64) -> bool {
        match self.window {
            Window::Cycles(from, to) => (from..=to).contains(&cycle),
            Window::Last(_) => true,
        }
    }

    /// Whether there is no sample yet: the first one needs all signals.
    pub fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// What has changed in a cycle that is in the window, as [`WaveWriter::changes`] takes it.
    ///
    /// # Errors
    /// Those of [`WaveWriter::changes`].
    pub fn changes<'v>(&mut self, cycle: u64, changed: impl IntoIterator<Item = (usize, &'v [u64])>) -> Result<()> {
        self.samples += 1;
        match self.window {
            Window::Cycles(..) => self.writer.changes(cycle, changed),
            Window::Last(_) => {
                self.ring.changes(cycle, changed);
                Ok(())
            }
        }
    }

    /// Ends the wave after so many cycles of a run, which may have failed. Returns whether there is a file.
    ///
    /// # Errors
    /// [`Error::File`] when the file cannot be written; [`Error::Parameter`] if the run has ended before the window.
    pub fn finish(mut self, cycles: u64, failed: bool) -> Result<bool> {
        match self.window {
            Window::Last(_) if failed => self.ring.replay(&mut self.writer)?,
            Window::Cycles(from, _) if self.samples == 0 && from > 0 && !failed => {
                self.writer.discard();
                return Err(Error::parameter("wave-from", from, format!("the run ends after {cycles} cycles")));
            }
            Window::Cycles(..) if self.samples > 0 || !failed => {}
            _ => {
                self.writer.discard();
                return Ok(false);
            }
        }
        self.writer.finish().map(|()| true)
    }
}
