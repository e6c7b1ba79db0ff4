//! Arbiter of the cache ways: requests of all memory units, of all launch units, which fetch programs, of the word port
//! and, in a design that has them, of operations on lines.
//!
//! ```text
//!  memory unit 0, 1 … ─┐
//!  launch unit 0, 1 … ─┼─▶ turn, locked word ─▶ cache ways
//!  word port ──────────┤
//!  lines ──────────────┘
//! ```
//!
//! Ports have turns: of those that offer something the first one behind the port that had the last request, or the
//! first of all. A request that was offered to the ways stays there until they take it, or the port takes it back.
//! Answers go, in the same cycle, to whom asked, in the order of the requests; up to 16 may be under way.
//!
//! A request with `locks` = 1 locks its word: until the same port's next request without it, or an answer to the port
//! that has failed, no other port's request for the word is offered, and no other one that locks. So what an atomic
//! operation reads is still there when it writes, whatever other control blocks do. Hints do not count.
//!
//! The last port is that of operations on lines, if there are some. What it locks are all lines: while it has the
//! lock no other port's request is offered, not even a hint. It waits itself while any other port has locked a word. So
//! the lines of an operation are as it has read them until it has written, and no atomic operation sees half of one.

use crate::duality::blocks::bundles::{CacheSink, CacheSource};
use crate::kernel::prelude::*;
use crate::parts::queue::Queue;

/// Requests without an answer.
const FLIGHT: usize = 16;
/// Bits of the number of a word of 8 bytes.
const WORD_BITS: usize = 29;

hdl_block! {
    /// The arbiter.
    pub DualityArbiter {
        In clock: Domain; /// Clock and reset.
        Bus ports: Array<CacheSink, LANES>; /// Requests.
        Bus locks: Array<Signal<In, Bit>, LANES>; /// They lock their word.
        Bus ways: CacheSource; /// Requests to the cache ways.
    } inside {
        Child owners: Queue<CachePorts>; // Whose requests they were.
        Register held: Bit; // A request was offered and not taken.
        Register choice: CachePorts; // Whose.
        Register turn: CachePorts; // Ports behind the one that had the last request.
        Register locked: Bit; // A word is locked.
        Register locker: CachePorts; // By this port.
        Register word: Bits<WORD_BITS>; // This one.
        Local asking, first, chosen, owner: CachePorts;
        Local room, taken, fails, locking, others: Bit;
        Local unused_level: Bits<5>;
        Local unused_valid: Bit;
        Value _ports, _first_line: usize;
    }
}

impl DualityArbiter {
    /// An arbiter of so many ports, which [`LANES`] stands for; with `lines` the last is that of operations on lines.
    pub fn new(ports: usize, lines: bool) -> Self {
        let _first_line = ports - usize::from(lines);
        DualityArbiter { owners: Queue::new(FLIGHT), _ports: ports, _first_line, ..Self::default() }
    }
}

impl Logic for DualityArbiter {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, owners);
        dff_setup!(self, clock, held, choice, turn, locked, locker, word);
        // Who may ask, and who does.
        self.asking.next = 0.into();
        for k in 0..self._ports {
            self.others.next = self.locked.q.val()
                & !self.locker.q.val().get_bit(k)
                & (self.locks[k].val() | (self.ports[k].address.val().get_bits::<WORD_BITS>(3) == self.word.q.val()));
            for j in self._first_line..self._ports {
                if self.locked.q.val() & self.locker.q.val().get_bit(j) & !self.locker.q.val().get_bit(k) {
                    self.others.next = true;
                }
            }
            self.asking.next = self.asking.val().replace_bit(k, self.ports[k].valid.val() & !self.others.val());
        }
        for j in self._first_line..self._ports {
            if self.locked.q.val() & !self.locker.q.val().get_bit(j) {
                self.asking.next = self.asking.val().replace_bit(j, false);
            }
        }
        self.first.next = self.asking.val();
        if (self.asking.val() & self.turn.q.val()).any() {
            self.first.next = self.asking.val() & self.turn.q.val();
        }
        self.chosen.next = self.first.val() & (!self.first.val() + 1);
        // A memory unit takes an offer back when an answer has failed: nobody would wait for this one's.
        if self.held.q.val() & (self.choice.q.val() & self.asking.val()).any() {
            self.chosen.next = self.choice.q.val();
        }
        self.choice.d.next = self.chosen.val();
        // Its request.
        self.room.next = self.owners.push_ready.val();
        self.ways.valid.next = self.chosen.val().any() & self.room.val();
        self.ways.address.next = 0.into();
        self.ways.write.next = false;
        self.ways.hint.next = false;
        self.ways.data.next = 0.into();
        self.ways.strobes.next = 0.into();
        self.locking.next = false;
        for k in 0..self._ports {
            if self.chosen.val().get_bit(k) {
                self.ways.address.next = self.ports[k].address.val();
                self.ways.write.next = self.ports[k].write.val();
                self.ways.hint.next = self.ports[k].hint.val();
                self.ways.data.next = self.ports[k].data.val();
                self.ways.strobes.next = self.ports[k].strobes.val();
                self.locking.next = self.locks[k].val() & !self.ports[k].hint.val();
            }
        }
        self.taken.next = self.ways.valid.val() & self.ways.ready.val();
        self.held.d.next = self.chosen.val().any() & !self.taken.val();
        if self.taken.val() {
            self.turn.d.next = !(self.chosen.val() | (self.chosen.val() - 1));
        }
        self.owners.push_valid.next = self.taken.val() & !self.ways.hint.val();
        self.owners.push_data.next = self.chosen.val();
        // Answers.
        self.owners.pop.next = self.ways.answer.val();
        self.owner.next = self.owners.head.val();
        self.unused_valid.next = self.owners.head_valid.val();
        self.unused_level.next = self.owners.level.val();
        for k in 0..self._ports {
            self.ports[k].ready.next = self.taken.val() & self.chosen.val().get_bit(k);
            self.ports[k].answer.next = self.ways.answer.val() & self.owner.val().get_bit(k);
            self.ports[k].answer_data.next = self.ways.answer_data.val();
            self.ports[k].answer_failed.next = self.ways.answer_failed.val();
        }
        // The word that is locked.
        self.fails.next = self.ways.answer.val() & self.ways.answer_failed.val();
        if self.fails.val() & (self.owner.val() == self.locker.q.val()) {
            self.locked.d.next = false;
        }
        if self.taken.val() & self.locking.val() {
            self.locked.d.next = true;
            self.locker.d.next = self.chosen.val();
            self.word.d.next = self.ways.address.val().get_bits::<WORD_BITS>(3);
        } else if self.taken.val() & !self.ways.hint.val() & (self.chosen.val() == self.locker.q.val()) {
            self.locked.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            if self._first_line < self._ports {
                format!("duality_arbiter_{}_lines", self._ports)
            } else {
                format!("duality_arbiter_{}", self._ports)
            },
            "Requests of memory units, launch units and a processor to the cache ways.",
            constants![WORD_BITS; self._ports, self._first_line],
        )
    }
}
