//! Lines that the cache ways answer with: the one that is in use in a register, those that have come behind it in a
//! queue.
//!
//! `comes` = 1 brings a line; at most 16 wait. With `wants` = 1 the oldest one that waits is the next in use, or if
//! none does the one that comes: then `there` = 1 in the next cycle, and from that on `line` is it. If there is none,
//! nothing changes, and it has to be wanted again. `more` = 1 while lines wait. `word` is the word
//! of the line in use whose number `from` was in the cycle before: what is made of it goes far.

use crate::duality::blocks::bundles::CacheLine;
use crate::duality::blocks::memory::element::MemoryWord;
use crate::kernel::prelude::*;
use crate::parts::queue::Queue;

/// Lines that wait.
const DEPTH: usize = 16;

hdl_block! {
    /// The lines.
    pub DualityAnswers {
        In clock: Domain; /// Clock and reset.
        In comes: Bit; /// A line comes.
        In new_line: CacheLine; /// The line.
        In wants: Bit; /// The next line is wanted.
        Out there: Bit; /// It has been taken into use with the last clock edge.
        Out more: Bit; /// Lines wait.
        In from: Bits<3>; /// A word's number, for the next cycle.
        Out word: MemoryWord; /// That word of the line in use, a cycle later.
    } inside {
        Child waiting: Queue<CacheLine>; // Lines that wait.
        Pipe line: CacheLine; // The one that is in use.
        Register fresh: Bit; // It has just been taken into use.
        Pipe picked: Bits<64>; // A word of it.
        Local next: CacheLine;
        Child halves: [Signal<Local, Bits<256>>; 2];
        Child quarters: [Signal<Local, Bits<128>>; 2];
        Child words: [Signal<Local, Bits<64>>; 2];
        Local waits: Bit;
        Local unused: Bit;
    }
}

impl DualityAnswers {
    /// Lines of accesses.
    pub fn new() -> Self {
        DualityAnswers { waiting: Queue::new(DEPTH), ..Self::default() }
    }
}

impl Logic for DualityAnswers {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, waiting);
        dff_setup!(self, clock, line, fresh, picked);
        self.waits.next = self.waiting.head_valid.val();
        self.more.next = self.waits.val();
        self.waiting.push_valid.next = self.comes.val() & (self.waits.val() | !self.wants.val());
        self.waiting.push_data.next = self.new_line.val();
        self.waiting.pop.next = self.waits.val() & self.wants.val();
        self.unused.next = self.waiting.push_ready.val() & (self.waiting.level.val() == 0);
        self.next.next = self.new_line.val();
        if self.waits.val() {
            self.next.next = self.waiting.head.val();
        }
        self.fresh.d.next = self.wants.val() & (self.waits.val() | self.comes.val());
        if self.fresh.d.val() {
            self.line.d.next = self.next.val();
        }
        self.there.next = self.fresh.q.val();
        // The word of the line that was in use, and of the next one: which of them it is, is late.
        self.halves[0].next = self.line.q.val().get_bits::<256>(0);
        self.halves[1].next = self.next.val().get_bits::<256>(0);
        if self.from.val().get_bit(2) {
            self.halves[0].next = self.line.q.val().get_bits::<256>(256);
            self.halves[1].next = self.next.val().get_bits::<256>(256);
        }
        for k in 0..2 {
            self.quarters[k].next = self.halves[k].val().get_bits::<128>(0);
            if self.from.val().get_bit(1) {
                self.quarters[k].next = self.halves[k].val().get_bits::<128>(128);
            }
            self.words[k].next = self.quarters[k].val().get_bits::<64>(0);
            if self.from.val().get_bit(0) {
                self.words[k].next = self.quarters[k].val().get_bits::<64>(64);
            }
        }
        self.picked.d.next = self.words[0].val();
        if self.fresh.d.val() {
            self.picked.d.next = self.words[1].val();
        }
        self.word.next = bits_to::<MemoryWord, Bits<64>>(self.picked.q.val());
    }

    described! { "duality_answers", "Lines that the cache ways answer with, one behind the other." }
}
