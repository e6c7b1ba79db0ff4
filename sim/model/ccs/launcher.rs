//! Model of the launcher: a command's life, from its rules to its end.

use super::registers::Registers;
use bitline_units::ccs::control::unit_control;
use bitline_units::ccs::registers::*;
use bitline_units::ccs::{CCS_CODE_BITS, CcsCommand, CcsError, CcsGeometry, Flip, Kind, Operands};

/// Where a command is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// There is none.
    #[default]
    None,
    /// Its rules are looked at.
    Checking,
    /// The verdict is there.
    Deciding,
    /// It runs.
    Running,
}

/// What a command needs, copied from the registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// What it computes; nothing if no command has its code.
    pub command: Option<&'static CcsCommand>,
    /// Elements have no sign.
    pub unsigned: bool,
    /// Rules that are broken: code, length, stride, alignment.
    pub broken: [bool; 4],
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
        ];
        job
    }
}

/// Inputs of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LauncherInputs {
    /// A command starts.
    pub start: bool,
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
    /// Where the command is.
    pub phase: Phase,
    /// What it needs.
    pub job: Job,
    /// It is to end.
    pub stopping: bool,
    /// A start came too early, a cycle ago.
    pub early: bool,
    /// A command ended, or was refused, a cycle ago.
    pub over: bool,
    /// There is more than one row, a cycle ago.
    pub several: bool,
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
            phase: Phase::None,
            job: Job { mask: vec![false; geometry.lanes], ..Job::default() },
            stopping: false,
            early: false,
            over: false,
            several: false,
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
        self.phase == Phase::None
    }

    /// What is under way is dropped.
    pub fn stop(&self) -> bool {
        self.stopping || self.dropped
    }

    fn refused(&self) -> bool {
        self.phase == Phase::Deciding && self.job.broken != [false; 4]
    }

    /// A command ends, or is refused.
    fn ends(&self) -> bool {
        self.refused() || self.phase == Phase::Running && self.done()
    }

    /// Last cycle of a soft reset.
    pub fn clears(&self) -> bool {
        self.resetting && self.ready() && self.done()
    }

    /// Nothing is to be waited for.
    fn done(&self) -> bool {
        self.rests || self.given_up
    }

    /// Rows may go.
    pub fn run(&self) -> bool {
        let goes = matches!(self.phase, Phase::Deciding | Phase::Running) && !self.refused();
        goes && self.job.stride_left & 1 == 1
    }

    /// Vectors are whole elements and agree in their place in a line, and so do their steps.
    fn misaligned(&self, job: &Job) -> bool {
        let vectors = job.vectors();
        let vector = |i: usize| vectors[i] && (self.odd[i] || vectors[0] && self.apart[i]);
        (0..3).any(vector) || job.store && self.odd[2]
    }

    /// Looks at addresses and steps in every cycle; the steps count from the cycle on after it has seen several rows.
    fn look(&mut self, registers: &Registers) {
        let line = self.geometry.line_bytes() as u32 - 1;
        let several = self.several;
        let places = [(REG_A, REG_STEP_A), (REG_B, REG_STEP_B), (REG_R, REG_STEP_R)]
            .map(|(base, step)| (registers.get(base) & line, if several { registers.get(step) & line } else { 0 }));
        let element = self.geometry.element_bytes() as u32;
        self.odd = places.map(|(base, step)| (base | step) % element != 0);
        self.apart = places.map(|place| place != places[0]);
        self.several = registers.get(REG_COUNT) != 1;
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &LauncherInputs, registers: &Registers) {
        let (was, refused) = (self.clone(), self.refused());
        let first = |error: CcsError| Some(was.error.filter(|&e| e != CcsError::Busy).unwrap_or(error));
        if was.early {
            self.error = Some(was.error.unwrap_or(CcsError::Busy));
        }
        self.early = inputs.start && !was.ready();
        self.over = was.ends();
        self.look(registers);
        (self.rests, self.beyond) = (inputs.idle, inputs.outside);
        self.bad_answer = inputs.failed || was.bad_answer && was.phase == Phase::Checking;
        self.dropped = refused;
        if was.phase == Phase::Checking {
            self.job = Job::copy(&was, registers);
            self.error = None;
        } else if was.job.stride_left & 1 == 0 {
            // A bit of the stride: twice the extent.
            self.job.stride_left >>= 1;
            self.job.extent = was.job.extent.saturating_mul(2);
        }
        self.phase = match was.phase {
            Phase::None if inputs.start => Phase::Checking,
            Phase::Checking => Phase::Deciding,
            Phase::Deciding if !refused => Phase::Running,
            Phase::Running if !was.done() => Phase::Running,
            _ => Phase::None,
        };
        if refused {
            let errors = [CcsError::Command, CcsError::Length, CcsError::Stride, CcsError::Alignment];
            self.error = errors.into_iter().zip(was.job.broken).find_map(|(error, broken)| broken.then_some(error));
        }
        let runs = was.phase == Phase::Running;
        if runs && !was.stopping && was.beyond {
            self.stopping = true;
            self.error = first(CcsError::Address);
        }
        if was.bad_answer && was.phase != Phase::Checking {
            self.stopping = runs || was.phase == Phase::Deciding && !refused;
            self.error = first(CcsError::Bus);
        }
        if was.resetting {
            self.stopping = runs;
        }
        self.resetting |= inputs.soft_reset;
        if runs && was.done() {
            self.stopping = false;
        }
        self.given_up |= was.resetting && inputs.silent;
        if was.clears() {
            (self.resetting, self.given_up) = (false, false);
            self.error = was.given_up.then_some(CcsError::Silent);
        }
    }

    /// Reset: the copies stay.
    pub fn reset(&mut self) {
        let (several, odd, apart) = (self.several, self.odd, self.apart);
        *self = Launcher { job: std::mem::take(&mut self.job), several, odd, apart, ..Launcher::new(&self.geometry) };
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
        self => stopping, over, several, early, rests, beyond, bad_answer, dropped, given_up;
        odd[] = self.odd;
        apart[] = self.apart;
        checking = self.phase == Phase::Checking;
        deciding = self.phase == Phase::Deciding;
        running = self.phase == Phase::Running;
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
    }
}
