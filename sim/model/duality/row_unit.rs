//! Model of the row unit, from its contract: the pass that runs, and for how many cycles it has.

use bitline_units::duality::passes::{Action, Pass, Place};

use crate::compute_array::Issue;
use crate::sram_array::Wordlines;

/// The unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowUnit {
    /// The pass that runs, with the cycles since its start.
    pub running: Option<(RowPass, u32)>,
}

/// A pass with its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPass {
    /// Which one.
    pub pass: Pass,
    /// How many rows, at least 1.
    pub count: u32,
    /// How many rows it has from `from` on, if not all: those above are 0.
    pub given: Option<u32>,
    /// First row read, if the pass reads rows one by one.
    pub from: Option<u16>,
    /// First row written, if it writes any.
    pub to: Option<u16>,
    /// The row that is read again and again, if there is one.
    pub extra: Option<u16>,
    /// The value of a constant.
    pub value: u64,
}

/// Rows have ten bits.
pub const ROWS: u16 = 1 << 10;

impl RowUnit {
    /// Whether a pass runs.
    pub fn busy(&self) -> bool {
        self.running.is_some()
    }

    /// What the array does in this cycle.
    pub fn issue(&self) -> Issue {
        let Some((pass, age)) = self.running else { return Issue::default() };
        match age {
            0 => pass.issue(pass.pass.first(), 0),
            age if age <= pass.count => {
                let k = age - 1;
                let bit = pass.value.checked_shr(k).unwrap_or(0) & 1 == 1;
                pass.issue(pass.pass.row(bit, age == pass.count), k)
            }
            _ => Issue::default(),
        }
    }

    /// Whether the pass that runs has its last cycle.
    pub fn ends(&self) -> bool {
        self.running.is_some_and(|(pass, age)| age > pass.count)
    }

    /// One clock edge: a pass begins, if none runs.
    pub fn step(&mut self, start: Option<RowPass>) {
        self.running = match self.running {
            Some((pass, age)) if age <= pass.count => Some((pass, age + 1)),
            Some(_) => None,
            None => start.map(|pass| (pass, u32::from(!pass.pass.prepares()))),
        };
    }
}

impl RowPass {
    /// Cycles from its start to the first in which a window can go on behind it; a pass of no rows is passed over.
    pub fn cycles(&self) -> u64 {
        if self.count == 0 { 1 } else { self.pass.cycles(self.count.into()) }
    }

    /// Row k of an action.
    fn issue(&self, action: Action, k: u32) -> Issue {
        let row = |first: Option<u16>| {
            let first = first.unwrap_or_else(|| panic!("{:?} has such a row", self.pass));
            ((u32::from(first) + k) % u32::from(ROWS)) as usize
        };
        let place = |place| match place {
            Place::Nowhere => None,
            Place::From => self.given.is_none_or(|given| k < given).then(|| row(self.from)),
            Place::To => Some(row(self.to)),
            Place::Extra => self.extra.map(usize::from),
        };
        Issue {
            column: action.column,
            lines: Wordlines { a: place(action.a), b: place(action.b), ..Wordlines::default() },
            write: action.write.then(|| row(self.to)),
            load: action.load,
            store: action.store,
        }
    }
}

state! {
    RowUnit(self) {
        phase = match self.running {
            None => 0,
            Some((_, 0)) => 1,
            Some((pass, age)) if age <= pass.count => 2,
            Some(_) => 3u8,
        };
        let done = self.running.map_or(0, |(_, age)| age.saturating_sub(1));
        when (let Some((pass, _)) = self.running) {
            code = pass.pass as u8;
            left = pass.count - done;
            own = pass.given.unwrap_or(pass.count).saturating_sub(done);
            from_row = pass.from.map(|from| (u32::from(from) + done) % u32::from(ROWS));
            to_row = pass.to.map(|to| (u32::from(to) + done) % u32::from(ROWS));
            extra_row = pass.extra;
            bits = pass.value.checked_shr(done).unwrap_or(0);
        }
    }
}
