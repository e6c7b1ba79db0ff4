//! Instruction ring: the words that a control block holds, fed by the host in program order.
//!
//! ```text
//!  write ─▶ tail ─▶ ┌──────┐ ─▶ word read ahead ─▶ word at pc ─▶ step: next pc; a loop opens
//!                   │ ring │
//!  refused beyond   └──────┘ ◀─ frontier: pc, or the first word of the outermost loop that is open
//!  frontier + depth
//! ```
//!
//! Source: Duality Cache §3.3: instructions are in the way's tag array, a ring buffer; the host watches the frontier so
//! that it overwrites nothing that has not run, and a loop stays until the program counter has left it.
//!
//! Words are counted from the program's first; word n is in place n modulo the depth. A word that is offered is taken
//! while the tail is below frontier + depth, and kept back by the host otherwise; after [`MOST_INDEX`] words none is
//! taken. `step` ends the word at `pc`, only while `fetch_valid` is 1: `to` is the number of the next word. With
//! `open` the word begins a loop of the words before `behind`; inside of an open loop it changes nothing. The loop is
//! closed in the cycle after a step that leads out of it. A step to any other word than the one behind is told by
//! `away` = 1, which may be 1 with that one, too.
//!
//! Timing: the word at `pc` is in a register, and the one behind it is read ahead. A word written in cycle t can be
//! fetched in t + 3. After a step in cycle t the word behind is there in t + 1, if it was written before t - 1: one
//! word a cycle; after a step away in cycle t the next word is there in t + 2, if it was written before t. `doorbell` =
//! 1 while at most half of the places hold words from the frontier on. `restart` empties the ring and begins at word 0,
//! like reset; nothing is written in that cycle.

use crate::duality::params::{MOST_INDEX, PC_BITS};
use crate::kernel::prelude::*;

/// Bit of what is kept beside a word: it may not run.
const REFUSED: usize = 8;

hdl_block! {
    pub DualityInstructionRing {
        In clock: Domain; /// Clock and reset.
        In restart: Bit; /// A program begins.
        In write_valid: Bit; /// The host offers a word.
        Out write_ready: Bit; /// It is taken if offered.
        In write_data: Word<128, 2>; /// The word.
        In write_trap: Bits<8>; /// Why it may not run, or 0.
        Out fetch_valid: Bit; /// The word at pc is there.
        Out fetch_data: Word<128, 2>; /// The word.
        Out fetch_trap: Bits<8>; /// What was written with it.
        Out fetch_refused: Bit; /// That is not 0.
        Out pc: Bits<PC_BITS>; /// Its number.
        In step: Bit; /// It has been executed; only while it is there.
        In to: Bits<PC_BITS>; /// The number of the word that comes next.
        In away: Bit; /// It need not be the word behind.
        In open: Bit; /// It begins a loop.
        In behind: Bits<PC_BITS>; /// The number of the first word behind the loop.
        Out frontier: Bits<PC_BITS>; /// The oldest word that may run again.
        Out tail: Bits<PC_BITS>; /// The number of the word that is written next.
        Out doorbell: Bit; /// At most half of the places are in use.
    } inside {
        Child words: Ram<Word<128, 2>, Bits<PC_BITS>>; // The words.
        Child traps: Ram<Bits<9>, Bits<PC_BITS>>; // Why they may not run, and in bit 8 that they may not.
        Register at, filled: Bits<PC_BITS>; // The word to execute. The word to write.
        Register ahead: Bits<PC_BITS>; // The word that is read: the one to execute until it is there, then the next.
        Register held, there, read: Bit; // A loop is open. The word to execute is there. The one ahead is read.
        Register entry, limit: Bits<PC_BITS>; // The open loop's first word. The first word behind it.
        Pipe shown: Word<128, 2>; // The word to execute.
        Pipe shown_trap: Bits<9>; // What is kept beside it.
        Local oldest, beyond: Bits<PC_BITS>;
        Local write, leads, moves: Bit;
        Local mark: Bits<9>;
        Value _depth, _half, _most: u64;
    }
}

impl DualityInstructionRing {
    /// A ring of `depth` words, a power of two up to 512.
    pub fn new(depth: usize) -> Self {
        let (_depth, _half) = (depth as u64, depth as u64 / 2);
        let words = Ram::new(depth, RamStyle::Block);
        let traps = Ram::new(depth, RamStyle::Block);
        DualityInstructionRing { words, traps, _depth, _half, _most: MOST_INDEX, ..Self::default() }
    }
}

impl Logic for DualityInstructionRing {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, words, traps);
        dff_setup!(self, clock, at, filled, ahead, held, there, read, entry, limit, shown, shown_trap);
        self.oldest.next = self.at.q.val();
        if self.held.q.val() {
            self.oldest.next = self.entry.q.val();
        }
        self.write_ready.next = !self.restart.val()
            & (self.filled.q.val() < self._most)
            & (self.filled.q.val() < (self.oldest.val() + self._depth));
        self.write.next = self.write_valid.val() & self.write_ready.val();
        self.words.write_enable.next = self.write.val();
        self.words.write_address.next = self.filled.q.val();
        self.words.write_data.next = self.write_data.val();
        self.mark.next = bit_cast::<9, 8>(self.write_trap.val());
        if self.write_trap.val() != 0 {
            self.mark.next = bit_cast::<9, 8>(self.write_trap.val()).replace_bit(REFUSED, true);
        }
        self.traps.write_enable.next = self.write.val();
        self.traps.write_address.next = self.filled.q.val();
        self.traps.write_data.next = self.mark.val();
        if self.write.val() {
            self.filled.d.next = self.filled.q.val() + 1;
        }
        if self.step.val() {
            if self.held.q.val() {
                if (self.to.val() < self.entry.q.val()) | (self.to.val() >= self.limit.q.val()) {
                    self.held.d.next = false;
                }
            } else if self.open.val() {
                self.held.d.next = true;
                self.entry.d.next = self.at.q.val();
                self.limit.d.next = self.behind.val();
            }
        }
        // The word that was read moves on when the one before it has left. Whether it does is known late: that chooses
        // among what is known before.
        self.leads.next = self.step.val() & self.away.val();
        self.moves.next = self.read.q.val() & (self.step.val() | !self.there.q.val());
        self.beyond.next = self.ahead.q.val() + 1;
        self.words.read_enable.next = self.step.val() | !self.there.q.val() | !self.read.q.val();
        self.words.read_address.next = self.ahead.q.val();
        if self.read.q.val() {
            self.words.read_address.next = self.beyond.val();
        } else {
            self.read.d.next = self.ahead.q.val() < self.filled.q.val();
        }
        if self.moves.val() {
            self.read.d.next = self.beyond.val() < self.filled.q.val();
            self.ahead.d.next = self.beyond.val();
            self.shown.d.next = self.words.read_data.val();
            self.shown_trap.d.next = self.traps.read_data.val();
        }
        if self.step.val() {
            self.at.d.next = self.ahead.q.val();
            self.there.d.next = self.read.q.val();
        } else if self.read.q.val() {
            self.there.d.next = true;
        }
        if self.leads.val() {
            self.words.read_address.next = self.to.val();
            self.read.d.next = self.to.val() < self.filled.q.val();
            self.ahead.d.next = self.to.val();
            self.at.d.next = self.to.val();
            self.there.d.next = false;
        }
        if self.restart.val() {
            self.at.d.next = 0.into();
            self.filled.d.next = 0.into();
            self.held.d.next = false;
            self.there.d.next = false;
            self.read.d.next = false;
            self.ahead.d.next = 0.into();
        }
        self.fetch_valid.next = self.there.q.val();
        self.fetch_data.next = self.shown.q.val();
        self.traps.read_enable.next = self.words.read_enable.val();
        self.traps.read_address.next = self.words.read_address.val();
        self.fetch_trap.next = self.shown_trap.q.val().get_bits::<8>(0);
        self.fetch_refused.next = self.shown_trap.q.val().get_bit(REFUSED);
        self.pc.next = self.at.q.val();
        self.frontier.next = self.oldest.val();
        self.tail.next = self.filled.q.val();
        self.doorbell.next = (self.oldest.val() + self._half) >= self.filled.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_instruction_ring_{}", self._depth),
            "The words that a control block holds, fed by the host.",
            constants![REFUSED; self._depth, self._half, self._most],
        )
    }
}
