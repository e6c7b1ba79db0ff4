//! Model of what steps wait for: sets of results on their way, by their places in the scoreboard's ring.

use super::scoreboard::{Place, Places, RESULTS};

/// The block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conflicts {
    /// Results that a, and that b of the step looked up may be.
    pub looked: [Places; 2],
    /// Results that operands of the step held may be.
    pub held: Places,
    /// The step held waits.
    pub waits: bool,
}

impl Conflicts {
    /// Operands of the step looked up that may be on their way.
    pub fn suspects(&self) -> [bool; 2] {
        self.looked.map(|places| !places.is_empty())
    }

    /// A clock cycle: results that a new step's operands may be, if one is looked up; the one that is written in the
    /// next cycle, and those before; whether the step that was looked up, and the one that was held, ask memory for
    /// lines. These wait for the write to be past.
    pub fn step(&mut self, new: Option<[Places; 2]>, going: Option<Place>, gone: Places, asks: [bool; 2]) {
        let [a, b] = self.looked;
        let (held, asks) = if new.is_some() { (a.with(b).without(gone), asks[0]) } else { (self.held, asks[1]) };
        self.held = held.without(going.into_iter().collect());
        self.waits = !(if asks { held } else { self.held }).is_empty();
        self.looked = new.unwrap_or(self.looked);
    }
}

state! {
    Conflicts(self) {
        waiting = self.waits;
        looked[] = self.looked.iter().flat_map(|places| (0..RESULTS).map(|place| places.has(place)));
        held[] = (0..RESULTS).map(|place| self.held.has(place));
    }
}
