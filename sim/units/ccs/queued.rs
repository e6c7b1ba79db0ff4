//! A campaign on commands that are queued behind each other: random batches whose operands are results of the commands
//! before, some commands wrong, memory that fails, soft resets in the middle, and the processor at work beside them.
//!
//! The oracle is [`super::reference`]: memory, results, count of lines and the error must be as if the commands had run
//! one after the other up to the first that is wrong, and nothing behind it. If memory fails, its error may come in the
//! place of an error further behind, and memory holds the first `completed` result lines, those that failed excepted; a
//! reset leaves whole lines, in order.

use std::collections::{BTreeMap, BTreeSet};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::host::CcsHost;
use super::launches::{random_launch, spoil};
use super::machine::Launch;
use super::reference::{execute_all, touched};
use crate::ccs::registers::*;
use crate::ccs::{CcsCommand, CcsError, CcsGeometry, Kind};
use crate::error::{Error, Result};

fn wrong(reason: String) -> Result<()> {
    Err(Error::Tool { tool: "cache compute system".into(), reason })
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, actual: T, expected: T) -> Result<()> {
    if actual == expected { Ok(()) } else { wrong(format!("{what}: {actual:?}, must be {expected:?}")) }
}

fn command(launch: &Launch) -> Option<&'static CcsCommand> {
    CcsCommand::from_code(launch.code)
}

/// What may go wrong in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    None,
    Fault,
    Reset,
}

/// The campaign.
pub struct Queued {
    rng: ChaCha8Rng,
    /// Commands that were started or queued.
    pub commands: u64,
    /// What has happened, and how often.
    pub coverage: BTreeMap<&'static str, u64>,
}

impl Queued {
    /// The campaign whose choices this seed makes.
    pub fn new(seed: u64) -> Queued {
        Queued { rng: ChaCha8Rng::seed_from_u64(seed), commands: 0, coverage: BTreeMap::new() }
    }

    fn count_if(&mut self, happened: bool, what: &'static str) {
        *self.coverage.entry(what).or_default() += u64::from(happened);
    }

    /// A command that works on what another does: its vectors, in other places, or shorter ones.
    fn related(&mut self, geometry: &CcsGeometry, size: u32, last: &Launch) -> Launch {
        let fresh = random_launch(&mut self.rng, geometry, size);
        let mut launch = Launch { code: fresh.code, unsigned: fresh.unsigned, store: fresh.store, ..*last };
        if self.rng.random() {
            let (i, j) = [(0, 2), (1, 2), (0, 1)][self.rng.random_range(0..3)];
            launch.bases.swap(i, j);
            launch.steps.swap(i, j);
        }
        match self.rng.random_range(0..4) {
            0 => launch.constant = self.rng.random(),
            1 => launch.length = self.rng.random_range(1..=launch.length),
            2 => launch.count = self.rng.random_range(1..=launch.count),
            _ => {}
        }
        let (line, element) = (geometry.line_bytes() as u32, geometry.element_bytes() as u32);
        let maps = command(&launch).is_some_and(|c| c.kind == Kind::Map);
        for i in (1..3).filter(|&i| i == 1 || maps) {
            launch.bases[i] = launch.bases[i] / line * line + launch.bases[0] % line;
            launch.steps[i] = launch.steps[i] / line * line + launch.steps[0] % line;
        }
        let span = ((launch.length - 1) * u32::from(launch.stride) + 1) * element;
        let ends = |i: usize| if i == 2 && !maps { element } else { span };
        let fits = |i: usize| launch.bases[i] + launch.steps[i] * (launch.count - 1) + ends(i) <= size;
        if (0..3).all(fits) { launch } else { fresh }
    }

    fn batch(&mut self, geometry: &CcsGeometry, size: u32) -> Vec<Launch> {
        let mut all = vec![random_launch(&mut self.rng, geometry, size)];
        for _ in 0..self.rng.random_range(0..7) {
            let last = *all.last().expect("one at least");
            let related = self.rng.random_range(0..4) > 0;
            all.push(if related {
                self.related(geometry, size, &last)
            } else {
                random_launch(&mut self.rng, geometry, size)
            });
        }
        if self.rng.random_range(0..5) == 0 {
            let which = self.rng.random_range(0..all.len());
            spoil(&mut self.rng, geometry, &mut all[which]);
        }
        // A length that the word has no room for cannot be queued.
        all.retain(|launch| launch.length < 1 << 24);
        all
    }

    /// Writes what has changed since the command before, and starts it or queues it.
    fn give(&mut self, host: &mut dyn CcsHost, launch: &Launch, before: Option<&Launch>) -> Result<()> {
        let old = before.map(Launch::writes);
        for (i, (offset, value)) in launch.writes().into_iter().enumerate() {
            let same = old.as_ref().is_some_and(|old| old[i].1 == value);
            if !same && offset != REG_COMMAND && offset != REG_LENGTH {
                host.set_register(offset, value)?;
            }
        }
        self.commands += 1;
        host.set_register(if before.is_some() { REG_QUEUE } else { REG_LAUNCH }, launch.word())
    }

    /// The processor does something else: nothing, reads status, or reads or writes a word that is no command's.
    fn beside(&mut self, host: &mut dyn CcsHost, memory: &mut [u8], taken: &BTreeSet<u64>) -> Result<()> {
        match self.rng.random_range(0..6) {
            0 => host.idle(self.rng.random_range(0..40))?,
            1 => {
                let queued = host.register(REG_STATUS)? >> STATUS_QUEUED_LSB & 1 == 1;
                self.count_if(queued, "queued");
            }
            2 | 3 => {
                let at = self.rng.random_range(0..memory.len()) & !3;
                if taken.contains(&((at / host.geometry().line_bytes()) as u64)) {
                    return Ok(());
                }
                if self.rng.random() {
                    let word = u32::from_le_bytes(memory[at..at + 4].try_into().expect("four bytes"));
                    equal("a word beside", host.read(at as u32)?, (word, false))?;
                    self.count_if(true, "read beside");
                } else {
                    let word: u32 = self.rng.random();
                    host.write(at as u32, word, 15)?;
                    memory[at..at + 4].copy_from_slice(&word.to_le_bytes());
                    self.count_if(true, "write beside");
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// One batch, from a system at rest to a system at rest.
    ///
    /// # Errors
    /// [`Error::Tool`] with what is wrong.
    pub fn round(&mut self, host: &mut dyn CcsHost) -> Result<()> {
        let geometry = host.geometry().clone();
        let (latency, pace) = ([1, 1, 3, 20][self.rng.random_range(0..4)], [1, 1, 2, 5][self.rng.random_range(0..4)]);
        host.set_pace(latency, pace);
        let mut memory = host.bytes().to_vec();
        let launches = self.batch(&geometry, memory.len() as u32);
        let trouble = match self.rng.random_range(0..6) {
            0 => Trouble::Fault,
            1 => Trouble::Reset,
            _ => Trouble::None,
        };
        let mut taken: BTreeSet<u64> =
            launches.iter().flat_map(|launch| touched(&geometry, launch)).flatten().collect();
        let fault = (trouble == Trouble::Fault).then(|| {
            let lines: Vec<u64> = taken.iter().copied().collect();
            if lines.is_empty() { 0 } else { lines[self.rng.random_range(0..lines.len())] }
        });
        if let Some(line) = fault {
            let line_bytes = geometry.line_bytes() as u32;
            host.set_faults(Some(line as u32 * line_bytes..(line as u32 + 1) * line_bytes));
            taken.insert(line);
            if self.rng.random() {
                reset(host)?;
            }
        }
        let given = if trouble == Trouble::Reset { self.rng.random_range(0..=launches.len()) } else { launches.len() };
        let launches = &launches[..given];
        let mut before = None;
        for launch in launches {
            self.give(host, launch, before)?;
            self.beside(host, &mut memory, &taken)?;
            before = Some(launch);
        }
        let told = format!("{trouble:?} {fault:?}, latency {latency}, pace {pace}, {launches:?}");
        let checked = match trouble {
            _ if launches.is_empty() => Ok(()),
            Trouble::Reset => self.reset_leaves(host, &memory, launches),
            _ => self.ends(host, &memory, launches, fault),
        };
        checked.map_err(|error| Error::Tool { tool: "queue".into(), reason: format!("{error}; {told}") })?;
        if fault.is_some() {
            host.set_faults(None);
            // The cache may hold what a failed write did not bring to memory.
            reset(host)?;
        }
        self.count_pairs(launches);
        Ok(())
    }

    /// The end of a batch, and what it leaves.
    fn ends(&mut self, host: &mut dyn CcsHost, memory: &[u8], launches: &[Launch], fault: Option<u64>) -> Result<()> {
        let geometry = host.geometry().clone();
        let mut expected = memory.to_vec();
        let outcome = execute_all(&mut expected, &geometry, launches, u32::MAX);
        let error = CcsError::from_code(host.register(REG_WAIT)? as u8);
        let lines = host.register(REG_COMPLETED)?;
        equal("status", host.register(REG_STATUS)?, 1 | u32::from(error.is_some()) << STATUS_ERROR_LSB)?;
        equal("interrupt", host.register(REG_INTERRUPT)?, 1)?;
        host.set_register(REG_INTERRUPT, 1)?;
        let failed = error == Some(CcsError::Bus) && fault.is_some();
        if failed {
            // Commands up to the first that is wrong, which may have had some rows.
            let ran = self.first_wrong(memory, &geometry, launches);
            let touches = |set: usize| {
                launches[..ran].iter().any(|l| touched(&geometry, l)[set].iter().any(|&t| Some(t) == fault))
            };
            if !touches(0) && !touches(1) {
                return wrong(format!("bus error, but no command of the first {ran} touches the line that fails"));
            }
            if lines > outcome.lines {
                return wrong(format!("{lines} lines, must be {} at most", outcome.lines));
            }
            expected.copy_from_slice(memory);
            execute_all(&mut expected, &geometry, launches, lines);
            self.count_if(true, "memory fails");
            self.count_if(outcome.error.is_some(), "memory fails before a command that is wrong");
        } else {
            equal("error", error, outcome.error)?;
            equal("result lines", lines, outcome.lines)?;
            if let Some(result) = outcome.result {
                equal("result", host.register(REG_RESULT)?, result)?;
            }
            if let Some(line) = fault {
                let writes = |launch: &Launch| touched(&geometry, launch)[1].contains(&line);
                let ran = self.first_wrong(memory, &geometry, launches);
                if launches[..ran].iter().any(writes) {
                    return wrong("a line could not be written, and nobody is told".into());
                }
            }
            self.count_if(error.is_some(), "a command that is wrong");
            self.count_if(error.is_none() && launches.len() > 3, "more than three");
        }
        settle(host)?;
        if let Some(line) = fault {
            let at = line as usize * geometry.line_bytes();
            expected[at..at + geometry.line_bytes()].copy_from_slice(&memory[at..at + geometry.line_bytes()]);
        }
        let differs = (0..expected.len()).find(|&i| host.bytes()[i] != expected[i]);
        differs.map_or(Ok(()), |at| wrong(format!("byte {at:#x} of memory differs, {lines} lines, error {error:?}")))
    }

    /// How many commands run, the first that is wrong among them.
    fn first_wrong(&self, memory: &[u8], geometry: &CcsGeometry, launches: &[Launch]) -> usize {
        let fails =
            |count: &usize| execute_all(&mut memory.to_vec(), geometry, &launches[..*count], u32::MAX).error.is_some();
        (1..launches.len()).find(fails).unwrap_or(launches.len())
    }

    /// A soft reset with commands under way: whole lines, in order, and nothing else.
    fn reset_leaves(&mut self, host: &mut dyn CcsHost, memory: &[u8], launches: &[Launch]) -> Result<()> {
        let geometry = host.geometry().clone();
        let full = host.register(REG_STATUS)? >> STATUS_QUEUED_LSB & 1 == 1;
        if self.rng.random() {
            host.idle(self.rng.random_range(0..30))?;
        }
        reset(host)?;
        settle(host)?;
        let after = |lines: u32| {
            let mut expected = memory.to_vec();
            let written = execute_all(&mut expected, &geometry, launches, lines).lines;
            (expected, written)
        };
        let (_, most) = after(u32::MAX);
        let bytes = host.bytes().to_vec();
        let Some(lines) = (0..=most).find(|&lines| after(lines).0 == bytes) else {
            return wrong("memory holds part of a line, or a line out of order".into());
        };
        self.count_if(full, "a reset with one queued");
        self.count_if(lines > 0 && lines < most, "a reset in the middle");
        Ok(())
    }

    fn count_pairs(&mut self, launches: &[Launch]) {
        for pair in launches.windows(2) {
            let [Some(first), Some(second)] = [0, 1].map(|i| command(&pair[i])) else { continue };
            let what = match (first.kind, second.kind) {
                (Kind::Map, Kind::Map) => "map behind map",
                (Kind::Map, Kind::Reduce) => "reduction behind map",
                (Kind::Reduce, Kind::Map) => "map behind reduction",
                (Kind::Reduce, Kind::Reduce) => "reduction behind reduction",
            };
            self.count_if(true, what);
        }
    }
}

/// A soft reset, to its end: everything is as after reset.
fn reset(host: &mut dyn CcsHost) -> Result<()> {
    host.set_register(REG_CONTROL, 1 << CONTROL_SOFT_RESET_LSB)?;
    equal("error of a reset", host.register(REG_WAIT)?, 0)?;
    equal("status after a reset", host.register(REG_STATUS)?, 1)?;
    equal("length after a reset", host.register(REG_LENGTH)?, 0)
}

/// Waits for writes that are on their way.
fn settle(host: &mut dyn CcsHost) -> Result<()> {
    host.idle(40)?;
    for _ in 0..4000 {
        if host.settled() {
            return Ok(());
        }
        host.idle(1)?;
    }
    wrong("the bus does not come to rest".into())
}
