//! Model of the launcher: a command's life, from its rules to its end.

use super::registers::Registers;
use bitline_units::ccs::control::unit_control;
use bitline_units::ccs::registers::*;
use bitline_units::ccs::{CCS_CODE_BITS, CcsCommand, CcsError, CcsGeometry, Flip, Kind, Operands};

/// What a command needs, copied from the registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// What it computes; nothing if no command has its code.
    pub command: Option<&'static CcsCommand>,
    /// Elements have no sign.
    pub unsigned: bool,
    /// Rules that are broken: code, length, stride, alignment; an error came before it.
    pub broken: [bool; 5],
    /// A reduction's results go to memory.
    pub store: bool,
    /// Elements of a row after the first.
    pub extent: u32,
    /// What is left of the stride.
    pub stride_left: u8,
    /// The constant row's words.
    pub constant: u32,
    /// What a reduction's result is combined with.
    pub flip: u32,
    /// Stride mask.
    pub mask: Vec<bool>,
}

impl Job {
    /// Whether a, b and r are vectors.
    pub fn vectors(&self) -> [bool; 3] {
        let Some(command) = self.command else { return [false; 3] };
        [command.operands != Operands::C, command.operands == Operands::Vv, command.kind == Kind::Map]
    }

    /// The second operand is the constant row.
    pub fn second_constant(&self) -> bool {
        let constant = |c: &CcsCommand| matches!(c.operands, Operands::Vc | Operands::C) || c.flip != Flip::None;
        self.command.is_some_and(constant)
    }

    /// Control word of the unit.
    pub fn control(&self) -> u64 {
        self.command.map_or(0, |command| unit_control(command, self.unsigned))
    }

    fn copy(launcher: &Launcher, registers: &Registers) -> Job {
        let geometry = &launcher.geometry;
        let code = registers.get(REG_COMMAND);
        let command = CcsCommand::from_code((code & ((1 << CCS_CODE_BITS) - 1)) as u8);
        let unsigned = code >> COMMAND_UNSIGNED_LSB & 1 == 1;
        let reduces = command.is_none_or(|c| c.kind == Kind::Reduce);
        let mut job = Job { command, unsigned, mask: registers.mask(), ..Job::default() };
        job.store = code >> COMMAND_STORE_LSB & 1 == 1 && reduces;
        let (length, count) = (registers.get(REG_LENGTH), registers.get(REG_COUNT));
        job.extent = length.wrapping_sub(1);
        job.stride_left = registers.get(REG_STRIDE) as u8;
        job.flip = command.map_or(0, |c| c.flip_word(geometry.element_bits, unsigned));
        let flips = command.is_some_and(|c| c.flip != Flip::None);
        let element = if flips { job.flip } else { registers.get(REG_CONSTANT) & geometry.ones() };
        job.constant = (0..32).step_by(geometry.element_bits).fold(0, |word, at| word | element << at);
        let stride = job.stride_left;
        job.broken = [
            command.is_none(),
            length == 0 || count == 0,
            !stride.is_power_of_two() || usize::from(stride) >= geometry.lanes,
            launcher.misaligned(&job),
            !launcher.open() && !launcher.anew,
        ];
        job
    }
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LauncherInputs {
    /// A command starts.
    pub start: bool,
    /// It does so behind the one that runs.
    pub queues: bool,
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
    /// The rules of a command are looked at.
    pub checking: bool,
    /// The verdict is there.
    pub deciding: bool,
    /// A command runs.
    pub running: bool,
    /// One is queued.
    pub pending: bool,
    /// Nothing was before the unit, a cycle ago.
    pub vacant: bool,
    /// The last command was started, not queued.
    pub anew: bool,
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
    /// A command ended, or was refused, a cycle ago.
    pub over: bool,
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
            anew: false,
            behind: false,
            job: Job { mask: vec![false; geometry.lanes], ..Job::default() },
            fresh: false,
            similar: false,
            done: Job { mask: vec![false; geometry.lanes], ..Job::default() },
            tree: Job::default(),
            stopping: false,
            early: false,
            over: false,
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
        !(self.checking || self.deciding || self.running || self.pending)
    }

    /// None will run in the next cycle, and its error is known.
    pub fn answers(&self) -> bool {
        self.ready() || self.finished() && !self.bad_answer && !self.early
    }

    /// What the generator has is dropped.
    pub fn refuses(&self) -> bool {
        self.stopping || self.dropped
    }

    fn refused(&self) -> bool {
        self.deciding && self.job.broken.contains(&true)
    }

    /// No error has come that counts.
    fn open(&self) -> bool {
        self.error.is_none_or(|e| e == CcsError::Busy)
    }

    /// The last command ends.
    fn finished(&self) -> bool {
        self.running && !self.checking && !self.deciding && !self.pending && self.rested()
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
        let open = was.open();
        let first = |error: CcsError| Some(was.error.filter(|&e| e != CcsError::Busy).unwrap_or(error));
        if was.early {
            self.error = Some(was.error.unwrap_or(CcsError::Busy));
        }
        self.early = inputs.start && !inputs.queues && !was.ready();
        self.look(registers);
        (self.rests, self.beyond) = (inputs.idle, inputs.outside);
        let begins = was.checking && !was.running;
        self.bad_answer = inputs.failed || was.bad_answer && begins;
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
        if was.checking {
            self.job = Job::copy(&was, registers);
            self.anew = false;
            if was.anew {
                self.error = None;
            }
        } else if was.job.stride_left & 1 == 0 {
            // A bit of the stride: twice the extent.
            self.job.stride_left >>= 1;
            self.job.extent = was.job.extent.saturating_mul(2);
        }
        // Who comes next.
        let sound = (open || was.checking && was.anew) && !was.stopping && !refused && !was.resetting;
        let next = was.pending && was.vacant && !was.checking && !was.deciding && !was.fresh;
        let alone = was.ready() || finished;
        let queued = inputs.start && inputs.queues && sound;
        let started = inputs.start && !inputs.queues && was.ready();
        self.anew |= started;
        // One that is dropped when none runs ends, too.
        let dropped = inputs.start && inputs.queues && !sound && was.ready();
        self.over = finished || refused && !was.running || dropped;
        (self.deciding, self.checking) = (was.checking, started || queued && alone || next && sound);
        self.pending = sound && (was.pending && !next || queued && !alone);
        if was.deciding && !refused {
            (self.running, self.fresh) = (true, true);
        }
        if refused && open {
            let errors = [CcsError::Command, CcsError::Length, CcsError::Stride, CcsError::Alignment];
            self.error = errors.into_iter().zip(was.job.broken).find_map(|(error, broken)| broken.then_some(error));
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

/// The bits of a number, the first lowest.
fn number(bits: &[bool]) -> u64 {
    bits.iter().rev().fold(0, |number, &bit| number << 1 | u64::from(bit))
}

impl Job {
    /// The ROM word: legal, a, b, map, constant, flips, the lowest and the highest of flip's bits, then the unit's
    /// control word.
    fn word(&self) -> u64 {
        let [a, b, map] = self.vectors();
        let flip = self.command.map_or(0, |command| command.flip_word(32, self.unsigned));
        let flips = self.command.is_some_and(|command| command.flip != Flip::None);
        let ends = [flip & 1 == 1, flip >> 31 == 1];
        self.control() << 8
            | number(&[self.command.is_some(), a, b, map, self.second_constant(), flips, ends[0], ends[1]])
    }
}

state! {
    Launcher(self) {
        let job = &self.job;
        self => stopping, over, early, rests, beyond, bad_answer, dropped, given_up;
        self => checking, deciding, running, pending, vacant, anew, behind, similar;
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
