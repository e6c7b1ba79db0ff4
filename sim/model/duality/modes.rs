//! Model of the modes of the ways, from their contract: what each control block's way is, whose turn it is to be
//! drained, and what serves.

use bitline_units::duality::DualityParams;
use bitline_units::duality::params::MOST_BLOCKS;

/// What a control block's way is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WayMode {
    /// A cache.
    #[default]
    Cache,
    /// A cache that will be drained, or is.
    Draining,
    /// A control block.
    Accelerator,
    /// A control block that gets no wave.
    Closing,
}

/// Who drains ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A flush.
    Flush,
    /// A control block.
    Block(usize),
}

/// The modes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Modes {
    all: u32,
    /// Ways in use, a bit each.
    pub ways: u32,
    /// What is wanted of each control block, and whether its wave is cut.
    pub wanted: Vec<bool>,
    cut: Vec<bool>,
    /// What their ways are.
    pub modes: Vec<WayMode>,
    /// Something was asked of the ways.
    pub used: bool,
    /// A flush was asked for.
    pub flush: bool,
    /// Whose turn it is, and whether the cache drains already.
    pub turn: Option<(Turn, bool)>,
    /// A flush has just ended.
    closes: bool,
}

/// What comes in in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModesInputs {
    /// `ways` is written.
    pub ways: Option<u32>,
    /// `way_modes` is written.
    pub modes: Option<u32>,
    /// A flush is asked for.
    pub flush: bool,
    /// Something is asked of the ways.
    pub asked: bool,
    /// Control blocks with a wave, a bit each.
    pub works: u32,
    /// The cache takes ways that are to be drained.
    pub drain_ready: bool,
    /// It has drained them.
    pub drained: bool,
}

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModesOutputs {
    /// Registers.
    pub ways: u32,
    /// What is wanted.
    pub wanted: u32,
    /// Two bits of each control block.
    pub states: u32,
    /// Some way becomes a cache or a control block.
    pub changed: bool,
    /// Control blocks that may get waves.
    pub ready: u32,
    /// Control blocks whose waves are to end.
    pub cut: u32,
    /// Ways that serve.
    pub enabled: u32,
    /// There is one.
    pub serves: bool,
    /// Ways that are to be drained.
    pub drain: Option<u32>,
    /// All ways are to be.
    pub flushing: bool,
    /// They are.
    pub flushed: bool,
    /// The ways may not be empty.
    pub used: bool,
}

fn bits(flags: &[bool]) -> u32 {
    flags.iter().enumerate().fold(0, |bits, (k, &flag)| bits | u32::from(flag) << k)
}

impl Modes {
    /// The ways of a design after reset.
    pub fn new(params: &DualityParams) -> Modes {
        let all = (1 << params.cache_ways) - 1;
        Modes {
            all,
            ways: all,
            wanted: vec![false; params.blocks],
            cut: vec![false; params.blocks],
            modes: vec![WayMode::Cache; params.blocks],
            used: false,
            flush: false,
            turn: None,
            closes: false,
        }
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        let blocks = self.modes.len();
        *self = Modes {
            ways: self.all,
            wanted: vec![false; blocks],
            cut: vec![false; blocks],
            modes: vec![WayMode::Cache; blocks],
            used: false,
            flush: false,
            turn: None,
            closes: false,
            ..*self
        };
    }

    fn left(&self, k: usize) -> bool {
        matches!(self.modes[k], WayMode::Accelerator | WayMode::Closing)
    }

    /// Ways that have not left the cache.
    fn serving(&self) -> u32 {
        (0..self.modes.len()).filter(|&k| self.left(k)).fold(self.ways, |ways, k| ways & !(1 << k))
    }

    /// The control block that is next to be drained.
    fn next(&self) -> Option<usize> {
        let waits = |&k: &usize| self.modes[k] == WayMode::Draining && self.wanted[k];
        (0..self.modes.len()).filter(waits).find(|&k| self.serving() & !(1 << k) != 0)
    }

    /// What is shown with these inputs.
    fn outputs(&self, inputs: &ModesInputs, next: &Modes) -> ModesOutputs {
        let each = |of: &dyn Fn(usize) -> bool| bits(&(0..self.modes.len()).map(of).collect::<Vec<_>>());
        let settled = |mode: WayMode| matches!(mode, WayMode::Cache | WayMode::Accelerator);
        let moves = |k: usize| next.modes[k] != self.modes[k] && settled(next.modes[k]);
        ModesOutputs {
            ways: self.ways,
            wanted: bits(&self.wanted),
            states: self.modes.iter().rev().fold(0, |states, &mode| states << 2 | mode as u32),
            changed: (0..self.modes.len()).any(moves),
            ready: each(&|k| self.modes[k] == WayMode::Accelerator && self.wanted[k]),
            cut: bits(&self.cut) & inputs.works,
            enabled: if self.closes { 0 } else { self.serving() },
            serves: self.serving() != 0,
            drain: match self.turn {
                Some((Turn::Flush, false)) => Some(self.all),
                Some((Turn::Block(k), false)) => Some(1 << k),
                _ => None,
            },
            flushing: self.flush,
            flushed: inputs.drained && self.turn == Some((Turn::Flush, true)),
            used: self.used,
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &ModesInputs) -> ModesOutputs {
        let mut next = self.clone();
        let ended = self.turn.filter(|turn| turn.1 && inputs.drained).map(|turn| turn.0);
        let flushed = ended == Some(Turn::Flush);
        // Turns.
        let mut at_once = None;
        match self.turn {
            None if self.flush => next.turn = Some((Turn::Flush, false)),
            None if self.used => next.turn = self.next().map(|k| (Turn::Block(k), false)),
            None => at_once = self.next(),
            Some((turn, false)) => next.turn = Some((turn, inputs.drain_ready)),
            Some(_) if ended.is_some() => next.turn = None,
            Some(_) => {}
        }
        next.flush = (self.flush || inputs.flush) && !flushed;
        next.used = (self.used || inputs.asked) && !flushed;
        next.closes = flushed;
        // Modes.
        for k in 0..self.modes.len() {
            let wanted = self.wanted[k];
            let own = self.turn.is_some_and(|turn| turn.0 == Turn::Block(k));
            next.modes[k] = match self.modes[k] {
                WayMode::Cache if wanted => WayMode::Draining,
                WayMode::Draining if ended == Some(Turn::Block(k)) || at_once == Some(k) => WayMode::Accelerator,
                WayMode::Draining if !wanted && !own => WayMode::Cache,
                WayMode::Accelerator if !wanted => WayMode::Closing,
                WayMode::Closing if wanted => WayMode::Accelerator,
                WayMode::Closing if inputs.works >> k & 1 == 0 => WayMode::Cache,
                mode => mode,
            };
            next.cut[k] = self.cut[k] && self.left(k);
            if let Some(word) = inputs.modes {
                next.wanted[k] = word >> k & 1 == 1;
                next.cut[k] = (next.cut[k] || word >> (8 + k) & 1 == 1) && !next.wanted[k];
            }
        }
        next.ways = inputs.ways.map_or(self.ways, |ways| ways & self.all);
        let outputs = self.outputs(inputs, &next);
        *self = next;
        outputs
    }
}

const _: () = assert!(MOST_BLOCKS <= 8, "the bits of cuts are eight above those of what is wanted");

state! {
    Modes(self) {
        in_use = self.ways;
        wants = bits(&self.wanted);
        cuts = bits(&self.cut);
        state[] = self.modes.iter().map(|&mode| mode as u8);
        touched = self.used;
        flush_waits = self.flush;
        flush_turn = self.turn.is_some_and(|turn| turn.0 == Turn::Flush);
        turn = match self.turn {
            Some((Turn::Block(k), _)) => 1u32 << k,
            _ => 0,
        };
        taken = self.turn.is_some_and(|turn| turn.1);
        closes = self.closes;
    }

    ModesInputs(self) {
        write_ways = self.ways.is_some();
        write_modes = self.modes.is_some();
        data = self.ways.or(self.modes).unwrap_or_default();
        self => flush, asked, works, drain_ready, drained;
    }

    ModesOutputs(self) {
        self => ways, wanted, states, changed, ready, cut, enabled, serves, flushing, flushed, used;
        drain_valid = self.drain.is_some();
        drain_ways = self.drain;
    }
}
