//! Row switch: the array of a group of threads whose rows go to memory or come from there. Combinational.
//!
//! A group has a bank's arrays if a thread has four, and half of them or one if it has two or one: array s of group g
//! is number g · arrays + s of all.

use crate::duality::params::{DualityParams, SLOTS};
use crate::kernel::prelude::*;

numbers! { FOUR = 0, TWO = 1 }

hdl_block! {
    /// The switch.
    pub DualityRowSwitch {
        In arrays: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one.
        In group: Bits<4>; /// The group.
        In slot: Bits<2>; /// The array of its threads whose rows are sent.
        Bus rows: Array<Signal<In, Row>, LANES>; /// The row that each array sends.
        Out row: Row; /// That of this one.
        In offered: Row; /// A row for the group.
        In places: Row; /// Threads that get it.
        Bus data, taking: Array<Signal<Out, Row>, LANES>; /// What each array gets, and in which threads.
        Out groups: Bits<5>; /// Groups of the control block.
    } inside {
        Local member: Bits<4>;
        Value _banks: u64;
        Value _members, _pairs, _fours: usize;
    }
}

impl DualityRowSwitch {
    /// For a control block with these parameters.
    pub fn new(params: &DualityParams) -> Self {
        DualityRowSwitch {
            _banks: params.banks as u64,
            _members: SLOTS * params.banks,
            _pairs: 2 * params.banks,
            _fours: params.banks,
            ..Self::default()
        }
    }
}

impl Logic for DualityRowSwitch {
    #[hdl_gen]
    fn update(&mut self) {
        self.groups.next = self._banks.into();
        self.member.next = self.group.val();
        if self.arrays.val() == FOUR {
            self.member.next = (self.group.val() << 2) | bit_cast::<4, 2>(self.slot.val());
        } else if self.arrays.val() == TWO {
            self.groups.next = (self._banks << 1).into();
            self.member.next = (self.group.val() << 1) | bit_cast::<4, 2>(self.slot.val());
        } else {
            self.groups.next = (self._banks << 2).into();
        }
        self.row.next = self.rows[0].val();
        for m in 1..self._members {
            if self.member.val().index() == m {
                self.row.next = self.rows[m].val();
            }
        }
        for m in 0..self._members {
            self.data[m].next = self.offered.val();
            self.taking[m].next = 0.into();
            if (self.arrays.val() != FOUR) & (self.arrays.val() != TWO) & (self.group.val().index() == m) {
                self.taking[m].next = self.places.val();
            }
        }
        for g in 0..self._pairs {
            if (self.arrays.val() == TWO) & (self.group.val().index() == g) {
                self.taking[2 * g].next = self.places.val();
                self.taking[2 * g + 1].next = self.places.val();
            }
        }
        for g in 0..self._fours {
            if (self.arrays.val() == FOUR) & (self.group.val().index() == g) {
                for j in 0..SLOTS {
                    self.taking[SLOTS * g + j].next = self.places.val();
                }
            }
        }
    }

    described! {
        "duality_row_switch", "The array of a group of threads whose rows go to memory or come from there."; FOUR, TWO,
        SLOTS; _banks, _members, _pairs, _fours
    }
}
