//! Model of the launcher: a command's life, from its rules to its end.

use super::job::{Job, number};
use super::registers::Registers;
use bitline_units::ccs::registers::*;
use bitline_units::ccs::{CCS_CODE_BITS, CcsCommand, CcsError, CcsGeometry, Operands};

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LauncherInputs {
    /// A command starts.
    pub start: bool,
    /// It does so behind the one that runs.
    pub queues: bool,
    /// Its command and its length.
    pub word: (u32, u32),
    /// Something of a command is before the unit.
    pub front: bool,
    /// The lanes are empty.
    pub lull: bool,
    /// A reduction is in the unit.
    pub reducing: bool,
    /// A soft reset is asked for.
    pub soft_reset: bool,
    /// Generator and everything behind it are idle.
    pub idle: bool,
    /// A row is not in the address space.
    pub outside: bool,
    /// Memory has answered with an error.
    pub failed: bool,
    /// A soft reset need not wait for memory any longer.
    pub silent: bool,
}

/// The launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    geometry: CcsGeometry,
    /// The rules of a queued command are looked at.
    pub checking: bool,
    /// The verdict is there.
    pub deciding: bool,
    /// A command runs.
    pub running: bool,
    /// One is queued.
    pub pending: bool,
    /// Nothing was before the unit, a cycle ago.
    pub vacant: bool,
    /// The error is of a command behind those that run.
    pub behind: bool,
    /// What the command that was taken last needs.
    pub job: Job,
    /// The unit does not do it yet.
    pub fresh: bool,
    /// The unit's tree may go over to it, as things were a cycle ago.
    pub similar: bool,
    /// The command that the unit does.
    pub done: Job,
    /// The reduction that it did last.
    pub tree: Job,
    /// It is to end.
    pub stopping: bool,
    /// A start came too early, a cycle ago.
    pub early: bool,
    /// Addresses or steps that are not whole elements, a cycle ago.
    pub odd: [bool; 3],
    /// Those at another place of a line than a's, a cycle ago.
    pub apart: [bool; 3],
    /// Generator and everything behind it were idle, a cycle ago.
    pub rests: bool,
    /// A row was not in the address space, a cycle ago.
    pub beyond: bool,
    /// Memory answered with an error, a cycle ago.
    pub bad_answer: bool,
    /// A command was refused, a cycle ago.
    pub dropped: bool,
    /// A soft reset is under way.
    pub resetting: bool,
    /// It waits for memory no longer.
    pub given_up: bool,
    /// First error.
    pub error: Option<CcsError>,
}

impl Launcher {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> Launcher {
        Launcher {
            geometry: geometry.clone(),
            checking: false,
            deciding: false,
            running: false,
            pending: false,
            vacant: false,
            behind: false,
            job: Job { mask: vec![false; geometry.lanes], ..Job::default() },
            fresh: false,
            similar: false,
            done: Job { mask: vec![false; geometry.lanes], ..Job::default() },
            tree: Job::default(),
            stopping: false,
            early: false,
            odd: [false; 3],
            apart: [false; 3],
            rests: false,
            beyond: false,
            bad_answer: false,
            dropped: false,
            resetting: false,
            given_up: false,
            error: None,
        }
    }

    /// No command runs.
    pub fn ready(&self) -> bool {
        !(self.checking || self.deciding || self.running || self.pending || self.dropped)
    }

    /// None runs, or the last one has come to its end in this cycle, and its error is known.
    pub fn answers(&self, idle: bool, failed: bool) -> bool {
        self.ready() || self.last() && (idle || self.rested()) && !failed && !self.bad_answer && !self.early
    }

    /// Steps are dropped.
    pub fn stops(&self) -> bool {
        self.stopping || self.dropped && !self.running
    }

    /// A command starts at once: none runs, and a queued one has no error before it.
    pub fn starts(&self, inputs: &LauncherInputs) -> bool {
        inputs.start && self.ready() && (!inputs.queues || self.sound())
    }

    /// A command is taken: its command and length.
    pub fn takes(&self, inputs: &LauncherInputs, registers: &Registers) -> Option<(u32, u32)> {
        let queued = (registers.get(REG_COMMAND), registers.get(REG_LENGTH));
        let starts = self.starts(inputs).then_some(inputs.word);
        if self.checking { Some(queued) } else { starts }
    }

    /// Its first step comes with it: it has a, one row, no stride.
    pub fn quick(&self, inputs: &LauncherInputs, registers: &Registers) -> bool {
        let code = (inputs.word.0 & ((1 << CCS_CODE_BITS) - 1)) as u8;
        let has_a = CcsCommand::from_code(code).is_some_and(|c| c.operands != Operands::C);
        self.starts(inputs) && has_a && registers.get(REG_COUNT) == 1 && registers.get(REG_STRIDE) == 1
    }

    /// What comes behind others may run.
    fn sound(&self) -> bool {
        self.open() && !self.stopping && !self.refused() && !self.resetting
    }

    /// What the generator has is dropped.
    pub fn refuses(&self) -> bool {
        self.stopping || self.dropped
    }

    fn refused(&self) -> bool {
        self.deciding && (self.job.broken.contains(&true) || self.misaligned(&self.job))
    }

    /// No error has come that counts.
    fn open(&self) -> bool {
        self.error.is_none_or(|e| e == CcsError::Busy)
    }

    /// The command that runs is the last.
    fn last(&self) -> bool {
        self.running && !self.checking && !self.deciding && !self.pending
    }

    /// The last command ends.
    fn finished(&self) -> bool {
        self.last() && self.rested()
    }

    /// A command ends or is refused; one that is dropped when none runs ends, too.
    pub fn ends(&self, inputs: &LauncherInputs) -> bool {
        let drops = inputs.start && inputs.queues && !self.sound() && self.ready();
        self.finished() || self.refused() && !self.running || drops
    }

    /// Last cycle of a soft reset.
    pub fn clears(&self) -> bool {
        self.resetting && self.ready() && self.rested()
    }

    /// Nothing is to be waited for.
    fn rested(&self) -> bool {
        self.rests || self.given_up
    }

    /// Rows may go.
    pub fn run(&self) -> bool {
        let goes = (self.deciding || self.running) && !self.refused();
        goes && self.job.stride_left & 1 == 1
    }

    /// The unit goes over to the command.
    pub fn switches(&self, lull: bool) -> bool {
        self.fresh && lull && self.similar
    }

    /// What the unit's tree does is the same for both.
    fn reduces_alike(&self) -> bool {
        let what = |job: &Job| job.command.map(|command| (command.tree, command.flip_word(32, job.unsigned)));
        what(&self.job).is_some_and(|own| what(&self.tree).is_some_and(|other| own == other))
            && self.job.store == self.tree.store
    }

    /// Vectors are whole elements and agree in their place in a line, and so do their steps.
    fn misaligned(&self, job: &Job) -> bool {
        let vectors = job.vectors();
        let vector = |i: usize| vectors[i] && (self.odd[i] || vectors[0] && self.apart[i]);
        (0..3).any(vector) || job.store && self.odd[2]
    }

    /// Looks at addresses and steps in every cycle.
    fn look(&mut self, registers: &Registers) {
        let line = self.geometry.line_bytes() as u32 - 1;
        let several = registers.get(REG_COUNT) != 1;
        let places = [(REG_A, REG_STEP_A), (REG_B, REG_STEP_B), (REG_R, REG_STEP_R)]
            .map(|(base, step)| (registers.get(base) & line, if several { registers.get(step) & line } else { 0 }));
        let element = self.geometry.element_bytes() as u32;
        self.odd = places.map(|(base, step)| (base | step) % element != 0);
        self.apart = places.map(|place| place != places[0]);
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &LauncherInputs, registers: &Registers) {
        let (was, refused, finished) = (self.clone(), self.refused(), self.finished());
        let (open, sound, starts, taken) = (was.open(), was.sound(), was.starts(inputs), was.takes(inputs, registers));
        let first = |error: CcsError| Some(was.error.filter(|&e| e != CcsError::Busy).unwrap_or(error));
        if was.early {
            self.error = Some(was.error.unwrap_or(CcsError::Busy));
        }
        self.early = inputs.start && !inputs.queues && !was.ready();
        self.look(registers);
        (self.rests, self.beyond) = (inputs.idle, inputs.outside);
        let begins = taken.is_some() && !was.running;
        let clears = starts && !inputs.queues;
        self.bad_answer = inputs.failed || was.bad_answer && begins && !clears;
        self.dropped = refused;
        self.vacant = !inputs.front;
        let map = was.job.vectors()[2];
        self.similar = !inputs.reducing || map || was.fresh && was.reduces_alike();
        if was.switches(inputs.lull) {
            self.fresh = false;
            self.done = was.job.clone();
            if !map {
                self.tree = was.job.clone();
            }
        }
        if clears {
            self.error = None;
        }
        if let Some(word) = taken {
            self.job = Job::copy(&was.geometry, registers, word, was.checking && !open);
        } else if was.job.stride_left & 1 == 0 {
            // A bit of the stride: twice the extent.
            self.job.stride_left >>= 1;
            self.job.extent = was.job.extent.saturating_mul(2);
        }
        // Who comes next.
        let next = was.pending && was.vacant && !was.checking && !was.deciding && !was.fresh;
        let queued = inputs.start && inputs.queues && sound && !was.ready();
        (self.deciding, self.checking) = (taken.is_some(), queued && finished || next && sound);
        self.pending = sound && (was.pending && !next || queued && !finished);
        if was.deciding && !refused {
            (self.running, self.fresh) = (true, true);
        }
        if refused && open {
            let errors = [CcsError::Command, CcsError::Length, CcsError::Stride];
            let found = errors.into_iter().zip(was.job.broken).find_map(|(error, broken)| broken.then_some(error));
            self.error = found.or(Some(CcsError::Alignment));
            self.behind = was.running;
        }
        if was.running && !was.stopping && was.beyond {
            self.stopping = true;
            self.error = first(CcsError::Address);
        }
        if was.bad_answer && !begins {
            self.stopping = was.running && !finished || was.deciding && !refused;
            // What memory answers is of the commands before the one that was refused.
            self.error = if was.behind { Some(CcsError::Bus) } else { first(CcsError::Bus) };
        }
        if was.stopping {
            self.fresh = false;
        }
        if was.resetting {
            self.stopping = was.running;
        }
        self.resetting |= inputs.soft_reset;
        if finished {
            (self.running, self.stopping, self.behind) = (false, false, false);
        }
        self.given_up |= was.resetting && inputs.silent;
        if was.clears() {
            (self.resetting, self.given_up) = (false, false);
            self.error = was.given_up.then_some(CcsError::Silent);
        }
    }

    /// Reset: the copies stay.
    pub fn reset(&mut self) {
        let [job, done, tree] = [&mut self.job, &mut self.done, &mut self.tree].map(std::mem::take);
        let (odd, apart) = (self.odd, self.apart);
        *self = Launcher { job, done, tree, odd, apart, ..Launcher::new(&self.geometry) };
    }
}

state! {
    Launcher(self) {
        let job = &self.job;
        self => stopping, early, rests, beyond, bad_answer, dropped, given_up;
        self => checking, deciding, running, pending, vacant, behind, similar;
        unstarted = self.fresh;
        odd[] = self.odd;
        apart[] = self.apart;
        reset = self.resetting;
        code = self.error.map_or(0, |error| error as u64);
        broken = number(&job.broken);
        word = job.word();
        stores = job.store;
        reach = job.extent;
        stride_left = job.stride_left;
        constant_held = job.constant;
        flip_held = job.flip;
        mask_held[] = &job.mask;
        mask_done[] = &self.done.mask;
        done = self.done.word();
        tree_word = self.tree.word();
        tree_flip = self.tree.flip;
        tree_stores = self.tree.store;
    }
}
