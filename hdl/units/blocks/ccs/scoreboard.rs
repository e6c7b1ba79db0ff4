//! Result lines on their way: what has been started and is not yet written.
//!
//! A ring. `push` puts a result line behind; whether it is in the cache is said a cycle later (`hit`). `pop` takes the first, whose line, row
//! and place are at the outputs. `alike` = 1 where one of four places holds a line that may be the one asked for: lines are compared
//! by their lower bits, so that two that are far apart may be taken for the same, which costs time only. The line that is popped in this
//! cycle still counts. `room` comes a cycle late, and may be used a cycle later.

use super::types::{LaneNumber, LineNumber, RESULTS};
use crate::kernel::prelude::*;

/// Bits of a place in the ring.
const PLACE: usize = 5;
/// Bits of a line's number that are compared.
pub const COMPARED: usize = 10;

/// Groups of four places.
pub const ALIKE: usize = RESULTS / 4;
/// The same for both lines asked for.
pub const SUSPECTS: usize = 2 * ALIKE;

/// Number from which on there is no room: of the two cycles in which this is not yet known, both may bring one.
const FULL: u64 = RESULTS as u64 - 3;
const LAST: usize = RESULTS - 1;

/// The scoreboard.
#[derive(LogicBlock)]
pub struct CcsScoreboard {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// Lower bits of the lines that are about to be read.
    pub asked: [Signal<In, Bits<COMPARED>>; 2],
    /// Groups that may hold the first, then those that may hold the second.
    pub alike: Vec<Signal<Out, Bit>>,
    /// A result line comes; only while `room`.
    pub push: Signal<In, Bit>,
    /// Its number.
    pub line: Signal<In, LineNumber>,
    /// A reduction's place in it.
    pub place: Signal<In, LaneNumber>,
    /// The line that came a cycle ago is in the cache.
    pub hit: Signal<In, Bit>,
    /// There is room, even if one comes in this cycle and in the next.
    pub room: Signal<Out, Bit>,
    /// The first one is written.
    pub pop: Signal<In, Bit>,
    /// Its number.
    pub head_line: Signal<Out, LineNumber>,
    /// It is in the cache.
    pub head_hit: Signal<Out, Bit>,
    /// Place in it.
    pub head_place: Signal<Out, LaneNumber>,
    /// What is left belongs to steps that were dropped: nothing is on its way any more. Not together with `push` or `pop`.
    pub clear: Signal<In, Bit>,
    /// Nothing is on its way.
    pub empty: Signal<Out, Bit>,
    /// Lower bits of the lines.
    pub keys: Vec<Pipe<Bits<COMPARED>>>,
    /// Places that hold one.
    pub valid: Vec<Register<Bit>>,
    /// A line has come, a cycle ago.
    pub came: Register<Bit>,
    /// It.
    pub new_line: Pipe<LineNumber>,
    /// A reduction's place in it.
    pub new_place: Pipe<LaneNumber>,
    /// Its place in the ring.
    pub new_at: Pipe<Bits<PLACE>>,
    /// The lines.
    pub lines: AsyncRam<LineNumber, Bits<PLACE>>,
    /// Present, and place: bit 7, bits 6 to 0.
    pub places: AsyncRam<Bits<8>, Bits<PLACE>>,
    /// Next place to be filled.
    pub back: Register<Bits<PLACE>>,
    /// First one.
    pub front: Register<Bits<PLACE>>,
    /// `back`, a bit for each place.
    pub next: Vec<Register<Bit>>,
    /// `front`, a bit for each place.
    pub first: Vec<Register<Bit>>,
    /// There are some.
    pub some: Register<Bit>,
    /// There were nearly as many as fit, a cycle ago.
    pub tight: Register<Bit>,
    ahead: Signal<Local, Bits<PLACE>>,
    depth: Signal<Local, Bits<PLACE>>,
}

impl Default for CcsScoreboard {
    fn default() -> Self {
        CcsScoreboard {
            clock: Signal::default(),
            asked: Default::default(),
            alike: (0..SUSPECTS).map(|_| Signal::default()).collect(),
            push: Signal::default(),
            line: Signal::default(),
            place: Signal::default(),
            hit: Signal::default(),
            room: Signal::default(),
            pop: Signal::default(),
            head_line: Signal::default(),
            head_hit: Signal::default(),
            head_place: Signal::default(),
            clear: Signal::default(),
            empty: Signal::default(),
            keys: (0..RESULTS).map(|_| Pipe::default()).collect(),
            valid: (0..RESULTS).map(|_| Register::default()).collect(),
            came: Register::default(),
            new_line: Pipe::default(),
            new_place: Pipe::default(),
            new_at: Pipe::default(),
            lines: AsyncRam::new(RESULTS),
            places: AsyncRam::new(RESULTS),
            back: Register::default(),
            front: Register::default(),
            next: (0..RESULTS).map(|k| Register::new(k == 0)).collect(),
            first: (0..RESULTS).map(|k| Register::new(k == 0)).collect(),
            ahead: Signal::default(),
            depth: Signal::default(),
            some: Register::default(),
            tight: Register::default(),
        }
    }
}

impl Logic for CcsScoreboard {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, lines, places);
        dff_setup!(self, clock, came, new_line, new_place, new_at, back, front, some, tight);
        for i in 0..SUSPECTS {
            self.alike[i].next = false;
        }
        for k in 0..RESULTS {
            self.keys[k].clock.next = self.clock.val();
            self.keys[k].d.next = self.keys[k].q.val();
            self.valid[k].clock.next = self.clock.val();
            self.valid[k].d.next = self.valid[k].q.val();
            for i in 0..2 {
                if self.valid[k].q.val() & (self.keys[k].q.val() == self.asked[i].val()) {
                    self.alike[ALIKE * i + k / 4].next = true;
                }
            }
            if self.pop.val() & self.first[k].q.val() {
                self.valid[k].d.next = false;
            }
            if self.push.val() & self.next[k].q.val() {
                self.valid[k].d.next = true;
                self.keys[k].d.next = self.line.val().get_bits::<COMPARED>(0);
            }
        }
        // The same places, a bit each: no decoder is behind a late `push`.
        for k in 0..RESULTS {
            self.next[k].clock.next = self.clock.val();
            self.next[k].d.next = self.next[k].q.val();
            self.first[k].clock.next = self.clock.val();
            self.first[k].d.next = self.first[k].q.val();
        }
        if self.push.val() {
            self.next[0].d.next = self.next[LAST].q.val();
            for k in 0..LAST {
                self.next[k + 1].d.next = self.next[k].q.val();
            }
        }
        if self.pop.val() {
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
        self.head_line.next = self.lines.read_data.val();
        self.head_hit.next = self.places.read_data.val().get_bit(7);
        self.head_place.next = self.places.read_data.val().get_bits::<7>(0);
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "ccs_scoreboard",
            "Result lines that are on their way.",
            constants![RESULTS, LAST, FULL, ALIKE, SUSPECTS],
        )
    }
}
