//! Result lines on their way: what has been started and is not yet written.
//!
//! A ring. `push` puts a result line behind; whether it is in the cache is said a cycle later (`hit`). `pop` takes the
//! first, whose line, row and place are at the outputs. `same` = 1 where a place holds a line that may be the one asked
//! for: lines are compared by their lower bits, so that two that are far apart may be taken for the same, which costs
//! time only. A result is told (`soon`) in the cycle before it is written to store and memory: a map's a cycle before
//! its `pop`, a reduction's with it, since its word is written a cycle later. `going` is the place of the one that is
//! told, `gone` are places of those that were told before, until another result comes there. A result is `same` up to
//! the cycle in which it is written. `room` comes a cycle late, and may be used a cycle later.

use crate::ccs::blocks::bundles::HeadSource;
use crate::ccs::blocks::types::{LaneNumber, LineNumber, RESULTS, describes};
use crate::kernel::prelude::*;

/// Bits of a place in the ring.
const PLACE: usize = 5;
/// Bits of a line's number that are compared.
pub const COMPARED: usize = 10;
/// Places, for each of both lines asked for.
pub const SAME: usize = 2 * RESULTS;

/// Number from which on there is no room: of the two cycles in which this is not yet known, both may bring one.
const FULL: u64 = RESULTS as u64 - 3;
const LAST: usize = RESULTS - 1;

hdl_block! {
    /// The scoreboard.
    pub CcsScoreboard {
        In clock: Domain; /// Clock and reset.
        Bus asked: Array<Signal<In, Bits<COMPARED>>, 2>; /// Lower bits of the lines that are about to be read.
        Bus same: Array<Signal<Out, Bit>, SAME>; /// Places that may hold the first line, then the second.
        Bus going: Array<Signal<Out, Bit>, RESULTS>; /// The place whose result is written in the next cycle.
        Bus gone: Array<Signal<Out, Bit>, RESULTS>; /// Places whose results are written in this cycle, or were before.
        In push: Bit; /// A result line comes; only while `room`.
        In line: LineNumber; /// Its number.
        In place: LaneNumber; /// A reduction's place in it.
        In hit: Bit; /// The line that came a cycle ago is in the cache.
        Out room: Bit; /// There is room, even if one comes in this cycle and in the next.
        In soon: Bit; /// The first one that was not told is written in the next cycle.
        In pop: Bit; /// The first one leaves.
        Bus head: HeadSource; /// The first result line.
        In clear: Bit; /// The rest's steps were dropped: nothing is on its way. Not with `push`, `soon` or `pop`.
        Out empty: Bit; /// Nothing is on its way.
    } inside {
        Child keys: Array<Pipe<Bits<COMPARED>>, RESULTS>; // Lower bits of the lines.
        Child valid: Array<Register<Bit>, RESULTS>; // Places that hold one.
        Register came: Bit; // A line has come, a cycle ago.
        Pipe new_line: LineNumber; // It.
        Pipe new_place: LaneNumber; // A reduction's place in it.
        Pipe new_at: Bits<PLACE>; // Its place in the ring.
        Child lines: AsyncRam<LineNumber, Bits<PLACE>>; // The lines.
        Child places: AsyncRam<Bits<8>, Bits<PLACE>>; // Present, and place: bit 7, bits 6 to 0.
        Register back, front: Bits<PLACE>; // Next place to be filled. First one.
        Child told: Array<Register<Bit>, RESULTS>; // Places whose results were told.
        Child next: Array<Register<Bit>, RESULTS>; // `back`, a bit for each place.
        Child first: Array<Register<Bit>, RESULTS>; // First one that was not told, a bit for each place.
        Register some, tight: Bit; // There are some. There were nearly as many as fit, a cycle ago.
        Local ahead, depth: Bits<PLACE>;
    }
}

impl CcsScoreboard {
    /// The scoreboard.
    pub fn new() -> Self {
        CcsScoreboard {
            lines: AsyncRam::new(RESULTS),
            places: AsyncRam::new(RESULTS),
            next: Array::of((0..RESULTS).map(|k| Register::new(k == 0))),
            first: Array::of((0..RESULTS).map(|k| Register::new(k == 0))),
            ..Self::default()
        }
    }
}

impl Logic for CcsScoreboard {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, lines, places);
        dff_setup!(self, clock, came, new_line, new_place, new_at, back, front, some, tight, keys);
        dff_setup!(self, clock, valid, next, first, told);
        for k in 0..RESULTS {
            self.going[k].next = self.soon.val() & self.first[k].q.val();
            for i in 0..2 {
                self.same[RESULTS * i + k].next = self.valid[k].q.val() & (self.keys[k].q.val() == self.asked[i].val());
            }
            self.gone[k].next = self.told[k].q.val();
            if self.going[k].val() {
                self.told[k].d.next = true;
            }
            if self.told[k].q.val() {
                self.valid[k].d.next = false;
            }
            if self.push.val() & self.next[k].q.val() {
                self.valid[k].d.next = true;
                self.told[k].d.next = false;
                self.keys[k].d.next = self.line.val().get_bits::<COMPARED>(0);
            }
        }
        // The same places, a bit each: no decoder is behind a late `push`.
        if self.push.val() {
            self.next[0].d.next = self.next[LAST].q.val();
            for k in 0..LAST {
                self.next[k + 1].d.next = self.next[k].q.val();
            }
        }
        if self.soon.val() {
            self.first[0].d.next = self.first[LAST].q.val();
            for k in 0..LAST {
                self.first[k + 1].d.next = self.first[k].q.val();
            }
        }
        self.came.d.next = self.push.val();
        self.new_line.d.next = self.line.val();
        self.new_place.d.next = self.place.val();
        self.new_at.d.next = self.back.q.val();
        self.lines.read_address.next = self.front.q.val();
        self.lines.write_address.next = self.new_at.q.val();
        self.lines.write_enable.next = self.came.q.val();
        self.lines.write_data.next = self.new_line.q.val();
        self.places.read_address.next = self.front.q.val();
        self.places.write_address.next = self.new_at.q.val();
        self.places.write_enable.next = self.came.q.val();
        self.places.write_data.next =
            bit_cast::<8, 7>(self.new_place.q.val()) | (bits_to::<Bits<8>, Bit>(self.hit.val()) << 7);
        self.head.line.next = self.lines.read_data.val();
        self.head.hit.next = self.places.read_data.val().get_bit(7);
        self.head.place.next = self.places.read_data.val().get_bits::<7>(0);
        if self.push.val() {
            self.back.d.next = self.back.q.val() + 1;
        }
        if self.pop.val() {
            self.front.d.next = self.front.q.val() + 1;
        }
        self.ahead.next = self.front.q.val() + 1;
        self.depth.next = self.back.q.val() - self.front.q.val();
        self.some.d.next =
            self.push.val() | (self.some.q.val() & !(self.pop.val() & (self.ahead.val() == self.back.q.val())));
        self.tight.d.next = self.depth.val() >= FULL;
        if self.clear.val() {
            self.back.d.next = self.front.q.val();
            self.some.d.next = false;
            for k in 0..RESULTS {
                self.valid[k].d.next = false;
                self.next[k].d.next = self.first[k].q.val();
            }
        }
        self.room.next = !self.tight.q.val();
        self.empty.next = !self.some.q.val();
    }

    describes!("ccs_scoreboard", "Result lines that are on their way.", [RESULTS, LAST, FULL]);
}
