//! Model of the threads of a group that a word of memory chooses, from its contract. A row is a bit for each thread,
//! thread 0 lowest.

use std::collections::VecDeque;

/// The threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Threads to come, the next one first: whether they are chosen. None is behind them.
    to_come: VecDeque<bool>,
    /// Whether threads got a result, of as many as a group has; the one that was told last at the end.
    getting: VecDeque<bool>,
}

/// What it gets in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenInputs {
    /// All threads of the group that comes are chosen.
    pub all: bool,
    /// Or those where a row holds 1; or 0, with the second.
    pub comes: Option<(Vec<u64>, bool)>,
    /// A thread has had its turn.
    pub turn: bool,
    /// Whether a thread gets a result.
    pub given: Option<bool>,
}

/// What it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenOutputs {
    /// The next thread is chosen.
    pub takes_part: bool,
    /// Threads that get a result.
    pub getting: Vec<u64>,
}

/// Bits as limbs.
fn limbs(bits: &VecDeque<bool>) -> Vec<u64> {
    let mut limbs = vec![0; bits.len().div_ceil(64)];
    bits.iter().enumerate().for_each(|(at, bit)| limbs[at / 64] |= u64::from(*bit) << (at % 64));
    limbs
}

impl Chosen {
    /// For groups of so many threads.
    pub fn new(columns: usize) -> Chosen {
        let none = VecDeque::from(vec![false; columns]);
        Chosen { to_come: none.clone(), getting: none }
    }

    /// The next thread is chosen.
    pub fn takes_part(&self) -> bool {
        self.to_come[0]
    }

    /// Threads that get a result.
    pub fn getting(&self) -> Vec<u64> {
        limbs(&self.getting)
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &ChosenInputs) -> ChosenOutputs {
        let shown = ChosenOutputs { takes_part: self.takes_part(), getting: self.getting() };
        if inputs.turn {
            self.to_come.pop_front();
            self.to_come.push_back(false);
        } else if inputs.all {
            self.to_come.iter_mut().for_each(|chosen| *chosen = true);
        } else if let Some((row, unless)) = &inputs.comes {
            let choose = |(at, chosen): (usize, &mut bool)| *chosen = (row[at / 64] >> (at % 64) & 1 == 1) != *unless;
            self.to_come.iter_mut().enumerate().for_each(choose);
        }
        if let Some(gets) = inputs.given {
            self.getting.pop_front();
            self.getting.push_back(gets);
        }
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        *self = Chosen::new(self.to_come.len());
    }
}

state! {
    Chosen(self) {
        to_come = limbs(&self.to_come);
        which = self.getting();
    }

    ChosenInputs(self) {
        self => all, turn;
        comes = self.comes.is_some();
        row = self.comes.as_ref().map(|comes| &comes.0);
        unless = self.comes.as_ref().map(|comes| comes.1);
        given = self.given.is_some();
        gets = self.given;
    }

    ChosenOutputs(self) {
        self => takes_part, getting;
    }
}
