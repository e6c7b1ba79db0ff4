//! The last cycles, kept in memory until someone asks for them.

use std::collections::VecDeque;
use std::path::Path;

use super::{WaveSignal, WaveWriter};
use crate::error::Result;

/// Keeps the samples of the last cycles. A sample costs a copy of every signal's words; nothing is written before
/// [`WaveRing::dump`].
#[derive(Clone, Debug)]
pub struct WaveRing {
    signals: Vec<WaveSignal>,
    depth: usize,
    samples: VecDeque<(u64, Vec<u64>)>,
}

impl WaveRing {
    /// A ring of the last `depth` samples of these signals.
    pub fn new(signals: &[WaveSignal], depth: usize) -> WaveRing {
        WaveRing { signals: signals.to_vec(), depth, samples: VecDeque::with_capacity(depth) }
    }

    /// Keeps the values of all signals from `time` on, as [`WaveWriter::cycle`] takes them; the oldest sample goes.
    pub fn cycle(&mut self, time: u64, values: &[&[u64]]) {
        let oldest = if self.samples.len() >= self.depth { self.samples.pop_front() } else { None };
        let (_, mut words) = oldest.unwrap_or_default();
        words.clear();
        values.iter().for_each(|value| words.extend_from_slice(value));
        if self.depth > 0 {
            self.samples.push_back((time, words));
        }
    }

    /// Number of samples kept.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Writes the samples to a wave file and keeps them.
    ///
    /// # Errors
    /// Those of [`WaveWriter`].
    pub fn dump(&self, path: &Path) -> Result<()> {
        let mut writer = WaveWriter::create(path, &self.signals)?;
        for (time, words) in &self.samples {
            let mut rest = &words[..];
            let mut values = Vec::with_capacity(self.signals.len());
            for signal in &self.signals {
                let (value, after) = rest.split_at(signal.words());
                values.push(value);
                rest = after;
            }
            writer.cycle(*time, &values)?;
        }
        writer.finish()
    }
}
