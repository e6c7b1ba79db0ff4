//! Arbiter of the cache ways: requests of the memory unit and of the launch unit, which fetches the program.
//!
//! The memory unit's come first, but a request that was offered to the ways stays there until they take it. Answers go,
//! in the same cycle, to whom asked, in the order of the requests; up to 16 may be under way.

use crate::duality::blocks::bundles::{CacheSink, CacheSource};
use crate::kernel::prelude::*;
use crate::parts::queue::Queue;

/// Requests without an answer.
const FLIGHT: usize = 16;

hdl_block! {
    /// The arbiter.
    pub DualityArbiter {
        In clock: Domain; /// Clock and reset.
        Bus memory: CacheSink; /// Requests of the memory unit.
        Bus code: CacheSink; /// Requests of the launch unit.
        Bus ways: CacheSource; /// Requests to the cache ways.
    } inside {
        Child owners: Queue<Bit>; // Whose requests they were: 1 for the launch unit's.
        Register held: Bit; // The launch unit's request was offered and not taken.
        Local second, room, owner: Bit;
        Local unused_level: Bits<5>;
        Local unused_valid: Bit;
    }
}

impl DualityArbiter {
    /// The arbiter.
    pub fn new() -> Self {
        DualityArbiter { owners: Queue::new(FLIGHT), ..Self::default() }
    }
}

impl Logic for DualityArbiter {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, owners);
        dff_setup!(self, clock, held);
        self.second.next = self.code.valid.val() & (self.held.q.val() | !self.memory.valid.val());
        self.room.next = self.owners.push_ready.val();
        self.ways.valid.next = (self.memory.valid.val() | self.code.valid.val()) & self.room.val();
        self.ways.address.next = self.memory.address.val();
        self.ways.write.next = self.memory.write.val();
        self.ways.hint.next = self.memory.hint.val();
        self.ways.data.next = self.memory.data.val();
        self.ways.strobes.next = self.memory.strobes.val();
        if self.second.val() {
            self.ways.address.next = self.code.address.val();
            self.ways.write.next = self.code.write.val();
            self.ways.hint.next = self.code.hint.val();
            self.ways.data.next = self.code.data.val();
            self.ways.strobes.next = self.code.strobes.val();
        }
        self.memory.ready.next = self.ways.ready.val() & self.room.val() & !self.second.val();
        self.code.ready.next = self.ways.ready.val() & self.room.val() & self.second.val();
        self.held.d.next = self.second.val() & !(self.ways.ready.val() & self.room.val());
        self.owners.push_valid.next = self.ways.valid.val() & self.ways.ready.val() & !self.ways.hint.val();
        self.owners.push_data.next = self.second.val();
        self.owners.pop.next = self.ways.answer.val();
        self.owner.next = self.owners.head.val();
        self.unused_valid.next = self.owners.head_valid.val();
        self.unused_level.next = self.owners.level.val();
        self.memory.answer.next = self.ways.answer.val() & !self.owner.val();
        self.memory.answer_data.next = self.ways.answer_data.val();
        self.memory.answer_failed.next = self.ways.answer_failed.val();
        self.code.answer.next = self.ways.answer.val() & self.owner.val();
        self.code.answer_data.next = self.ways.answer_data.val();
        self.code.answer_failed.next = self.ways.answer_failed.val();
    }

    described!("duality_arbiter", "Requests of memory unit and launch unit to the cache ways.");
}
