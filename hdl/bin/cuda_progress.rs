//! How many blocks of a launch are done, while its words run.

use std::sync::{Arc, Mutex, PoisonError};

use bitline_compile::words::Executed;
use bitline_sim::model::duality::Launch;
use bitline_sim::model::duality::watch::Watch;
use bitline_sim::units::duality::hardware::Hardware;

use crate::bar::Bar;

/// Counts what is executed, and shows how far it is whenever another wave begins.
pub struct Progress<'a> {
    executed: &'a mut Executed,
    bar: Bar,
    done: u64,
    at_once: u64,
    total: u64,
}

impl<'a> Progress<'a> {
    /// Of a launch on a control block that takes so many threads.
    pub fn new(executed: &'a mut Executed, launch: &Launch, threads: usize) -> Progress<'a> {
        let total = launch.ctas();
        let at_once = (threads as u64 / launch.cta().max(1)).max(1);
        Progress { executed, bar: Bar::new("blocks"), done: 0, at_once, total }
    }
}

impl Watch for Progress<'_> {
    fn wave(&mut self) -> Option<u64> {
        if self.done > 0 {
            self.bar.at(self.done, self.total);
        }
        self.done += self.at_once;
        self.executed.wave()
    }

    fn word(&mut self, pc: usize, scalars: &[u32]) {
        self.executed.word(pc, scalars);
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.bar.clear();
    }
}

/// Shows how far hardware is in its next launch, where it tells: a control block counts its waves, of a whole unit nets
/// are looked at, and the model of the system has each block twice, when it is computed and when a control block has
/// ended it. A board is asked over its line whether the launch has ended, and for nothing else while it works.
pub fn follow(hardware: &mut Hardware) {
    let bar = Arc::new(Mutex::new(Bar::new("blocks")));
    hardware.on_progress(Box::new(move |done, total| {
        let mut bar = bar.lock().unwrap_or_else(PoisonError::into_inner);
        if done == total { bar.clear() } else { bar.at(done, total) }
    }));
}
