//! The last cycles, kept in memory until someone asks for them.

use std::collections::VecDeque;
use std::path::Path;

use super::{WaveSignal, WaveWriter, places};
use crate::error::Result;

/// Keeps the samples of the last cycles. A sample costs a copy of what has changed; nothing is written before
/// [`WaveRing::dump`].
#[derive(Clone, Debug)]
pub struct WaveRing {
    signals: Vec<WaveSignal>,
    /// Where the words of each signal are in `before`.
    places: Vec<usize>,
    /// All signals before the oldest sample.
    before: Vec<u64>,
    depth: usize,
    samples: VecDeque<Sample>,
}

/// What has changed in a cycle.
#[derive(Clone, Debug, Default)]
struct Sample {
    time: u64,
    signals: Vec<usize>,
    words: Vec<u64>,
}

impl WaveRing {
    /// A ring of the last `depth` samples of these signals.
    pub fn new(signals: &[WaveSignal], depth: usize) -> WaveRing {
        let (places, words) = places(signals);
        WaveRing { signals: signals.to_vec(), places, before: vec![0; words], depth, samples: VecDeque::new() }
    }

    /// Keeps the values of all signals from `time` on, as [`WaveWriter::cycle`] takes them; the oldest sample goes.
    pub fn cycle(&mut self, time: u64, values: &[&[u64]]) {
        self.changes(time, values.iter().copied().enumerate());
    }

    /// The same of signals that may have changed, as [`WaveWriter::changes`] takes them.
    pub fn changes<'v>(&mut self, time: u64, changed: impl IntoIterator<Item = (usize, &'v [u64])>) {
        if self.depth == 0 {
            return;
        }
        let mut sample = Sample::default();
        if self.samples.len() >= self.depth
            && let Some(oldest) = self.samples.pop_front()
        {
            sample = oldest;
            let mut words = &sample.words[..];
            for &signal in &sample.signals {
                let (value, rest) = words.split_at(self.signals[signal].words());
                self.before[self.places[signal]..][..value.len()].copy_from_slice(value);
                words = rest;
            }
        }
        sample.time = time;
        sample.signals.clear();
        sample.words.clear();
        for (signal, value) in changed {
            sample.signals.push(signal);
            sample.words.extend_from_slice(value);
        }
        self.samples.push_back(sample);
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
        self.replay(&mut writer)?;
        writer.finish()
    }

    /// Hands the samples to a writer of the same signals.
    ///
    /// # Errors
    /// Those of [`WaveWriter`].
    pub fn replay(&self, writer: &mut WaveWriter) -> Result<()> {
        let mut first = self.before.clone();
        for (number, sample) in self.samples.iter().enumerate() {
            let mut words = &sample.words[..];
            let mut changed = vec![];
            for &signal in &sample.signals {
                let (value, rest) = words.split_at(self.signals[signal].words());
                changed.push((signal, value));
                words = rest;
            }
            if number == 0 {
                // The wave begins with all signals.
                for (signal, value) in changed {
                    first[self.places[signal]..][..value.len()].copy_from_slice(value);
                }
                let value = |signal: usize| &first[self.places[signal]..][..self.signals[signal].words()];
                writer.changes(sample.time, (0..self.signals.len()).map(|signal| (signal, value(signal))))?;
            } else {
                writer.changes(sample.time, changed)?;
            }
        }
        Ok(())
    }
}
