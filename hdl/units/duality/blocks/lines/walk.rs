//! Walk over the lines of an instruction: asks for lines of operands, and has those of the result written.
//!
//! ```text
//!  start ─▶ [key] ─▶ line 0: a, b, d ─▶ line 1: a, b, d ─▶ … ─▶ ended
//!                     │  hints for lines ahead, between lines
//!  answers ──────────▶ keeps, gives, drop
//! ```
//!
//! Of each line operands are read and the result is written in requests that follow each other: a, b, d, those of them
//! that the operation has; a key, which is at b, is read before all lines. All but the last, and the key, lock the
//! lines (`lock`), so that nobody else's request is served between the first and the last: the operation on a line is
//! one. That is how lines are pinned; nothing keeps them from being evicted in between, which changes none of their
//! values. A request is on offer from the cycle behind `start`, and the next in the cycle behind the one in which it
//! is taken. The write of a line is offered before the answers have come: the ways serve it behind them; `whole` = 1
//! with it, and of the word that it names no byte is written. Up to 16 requests may be without an answer.
//!
//! **Answers** are those of the requests, in their order. `keeps` = 1 with an answer whose line the operation needs
//! later: the key, or a where b is read as well. `gives` = 1 with the last answer of line `number` of an operation
//! that gives bits, unless that or one before it has failed.
//!
//! **Hints.** Before the first request of a line, if that reads a, hints are offered for this line and those that
//! follow, up to [`AHEAD`] of them as far as there are any: for a and, where b is read line by line, then for b of
//! each. Lines all hints of which are out are not hinted again. Hints are offered while lines turn out not to be
//! there: from the start on; and not any more when [`AHEAD`] hints have been taken without a miss; and again from the
//! cycle on behind one in which a request is taken, before which, since the last that was taken, a line was `missed`
//! (`missed` in the cycle in which one is taken counts for the next). The count of hints begins again with such a
//! request.
//!
//! **Errors.** When an answer has failed `failed` is 1 from the next cycle on, and `fault` the address of its line: no
//! further line begins, an offer of its first request or of a hint is taken back; the line that is asked for is
//! finished. `drop` = `failed` has the ways write nothing more. Lines before are done.
//!
//! `ended` = 1 for a cycle when all is asked and answered, the one behind the last answer at the earliest; `busy` = 1
//! from the cycle behind `start` to that cycle. The operands stay as they are meanwhile. `failed` and `fault` stay
//! until the next `start`. A reset ends all, and no answer to what was asked before it comes.

use crate::duality::blocks::bundles::{CacheSource, LineKindSink};
use crate::duality::lines::LineCount;
use crate::kernel::prelude::*;

/// Lines for which hints may be ahead.
pub const AHEAD: u64 = 8;
numbers! { STEP_KEY = 0, STEP_A = 1, STEP_B = 2, STEP_D = 3, LAST_QUIET = AHEAD - 1 }

hdl_block! {
    /// The walk.
    pub DualityLineWalk {
        In clock: Domain; /// Clock and reset.
        In start: Bit; /// An instruction begins; only while none is under way.
        Bus kind: LineKindSink; /// What it does with its operands.
        In a, b, d: Bits<32>; /// Where they are: multiples of 64.
        In lines: LineCount; /// Lines of each: at least 1.
        Bus cache: CacheSource; /// Requests to the cache ways.
        Out lock, whole: Bit; /// The request locks lines. It writes one as a whole.
        In missed: Bit; /// Memory is asked for a line, for whomever.
        Out drop: Bit; /// No line is written any more.
        Out keeps, gives: Bit; /// The line of this answer is kept. It completes the operands of a line.
        Out number: Bits<6>; /// Of this line, from 0 on.
        Out busy, ended, failed: Bit; /// An instruction is under way. It has ended. A line could not be had.
        Out fault: Bits<32>; /// This one.
    } inside {
        Register active, bad: Bit; // An instruction is under way. An answer has failed.
        Pipe about: Bits<32>; // Where.
        Pipe step, place: Bits<2>; // What is asked for next. What is answered next.
        Pipe asked, answered: LineCount; // Of which line.
        Register flight: Bits<5>; // Requests without an answer.
        Pipe ahead: Bits<4>; // Lines ahead of that with hints.
        Pipe half: Bit; // The hint for a of the next one is out, that for b is not.
        Pipe eager: Bit; // Hints are given.
        Pipe quiet: Bits<4>; // Hints since a line was missed.
        Pipe pulse: Bit; // A line was missed since a request was taken.
        Local first: Bits<2>;
        Local begins, asks, hints, last, last_answer, taken, counts: Bit;
        Local at: LineCount;
        Local base, answer_base: Bits<32>;
        Local unused_word: Word<64, 1>;
    }
}

impl Logic for DualityLineWalk {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, bad, about, step, place, asked, answered, flight);
        dff_setup!(self, clock, ahead, half, eager, quiet, pulse);
        self.unused_word.next = self.cache.answer_data.val();
        self.first.next = STEP_D.into();
        if self.kind.a.val() {
            self.first.next = STEP_A.into();
        }
        // What is offered.
        self.begins.next = self.step.q.val() == self.first.val();
        self.asks.next = self.active.q.val()
            & (self.asked.q.val() != self.lines.val())
            & !(self.bad.q.val() & (self.begins.val() | (self.step.q.val() == STEP_KEY)));
        self.hints.next = self.begins.val()
            & self.kind.a.val()
            & self.eager.q.val()
            & (self.ahead.q.val() != AHEAD)
            & ((self.asked.q.val() + bit_cast::<9, 4>(self.ahead.q.val())) != self.lines.val());
        self.last.next = (self.step.q.val() == STEP_D)
            | ((self.step.q.val() == STEP_B) & !self.kind.d.val())
            | ((self.step.q.val() == STEP_A) & !self.kind.b.val() & !self.kind.d.val());
        self.at.next = self.asked.q.val();
        self.base.next = self.a.val();
        if (self.step.q.val() == STEP_KEY) | (self.step.q.val() == STEP_B) {
            self.base.next = self.b.val();
        } else if self.step.q.val() == STEP_D {
            self.base.next = self.d.val();
        }
        if self.hints.val() {
            self.at.next = self.asked.q.val() + bit_cast::<9, 4>(self.ahead.q.val());
            self.base.next = self.a.val();
            if self.half.q.val() {
                self.base.next = self.b.val();
            }
        }
        self.cache.valid.next = self.asks.val();
        self.cache.address.next = self.base.val() + (bit_cast::<32, 9>(self.at.val()) << 6);
        self.cache.hint.next = self.hints.val();
        self.cache.write.next = (self.step.q.val() == STEP_D) & !self.hints.val();
        self.cache.data.next = 0.into();
        self.cache.strobes.next = 0.into();
        self.whole.next = self.cache.write.val();
        self.lock.next = !self.hints.val() & !self.last.val() & (self.step.q.val() != STEP_KEY);
        self.taken.next = self.asks.val() & self.cache.ready.val();
        // What is offered next.
        if self.taken.val() {
            self.half.d.next = false;
            if self.hints.val() {
                self.half.d.next = self.kind.b.val() & !self.half.q.val();
                if self.half.q.val() | !self.kind.b.val() {
                    self.ahead.d.next = self.ahead.q.val() + 1;
                }
            } else if self.step.q.val() == STEP_KEY {
                self.step.d.next = STEP_A.into();
            } else if self.last.val() {
                self.step.d.next = self.first.val();
                self.asked.d.next = self.asked.q.val() + 1;
                if self.ahead.q.val() != 0 {
                    self.ahead.d.next = self.ahead.q.val() - 1;
                }
            } else {
                self.step.d.next = STEP_D.into();
                if (self.step.q.val() == STEP_A) & self.kind.b.val() {
                    self.step.d.next = STEP_B.into();
                }
            }
            self.pulse.d.next = false;
            if self.pulse.q.val() {
                self.eager.d.next = true;
                self.quiet.d.next = 0.into();
            } else if self.hints.val() {
                self.quiet.d.next = self.quiet.q.val() + 1;
                if self.quiet.q.val() == LAST_QUIET {
                    self.eager.d.next = false;
                    self.quiet.d.next = 0.into();
                }
            }
        }
        if self.missed.val() {
            self.pulse.d.next = true;
        }
        // Answers.
        self.last_answer.next = (self.place.q.val() == STEP_D)
            | ((self.place.q.val() == STEP_B) & !self.kind.d.val())
            | ((self.place.q.val() == STEP_A) & !self.kind.b.val() & !self.kind.d.val());
        self.answer_base.next = self.a.val();
        if (self.place.q.val() == STEP_KEY) | (self.place.q.val() == STEP_B) {
            self.answer_base.next = self.b.val();
        } else if self.place.q.val() == STEP_D {
            self.answer_base.next = self.d.val();
        }
        if self.cache.answer.val() {
            if self.place.q.val() == STEP_KEY {
                self.place.d.next = STEP_A.into();
            } else if self.last_answer.val() {
                self.place.d.next = self.first.val();
                self.answered.d.next = self.answered.q.val() + 1;
            } else {
                self.place.d.next = STEP_D.into();
                if (self.place.q.val() == STEP_A) & self.kind.b.val() {
                    self.place.d.next = STEP_B.into();
                }
            }
            if self.cache.answer_failed.val() & !self.bad.q.val() {
                self.bad.d.next = true;
                self.about.d.next = self.answer_base.val() + (bit_cast::<32, 9>(self.answered.q.val()) << 6);
            }
        }
        self.keeps.next = self.cache.answer.val()
            & ((self.place.q.val() == STEP_KEY) | ((self.place.q.val() == STEP_A) & self.kind.b.val()));
        self.gives.next = self.cache.answer.val()
            & self.kind.gives.val()
            & self.last_answer.val()
            & !self.cache.answer_failed.val()
            & !self.bad.q.val();
        self.number.next = self.answered.q.val().get_bits::<6>(0);
        self.drop.next = self.bad.q.val();
        self.counts.next = self.taken.val() & !self.hints.val();
        if self.counts.val() & !self.cache.answer.val() {
            self.flight.d.next = self.flight.q.val() + 1;
        } else if !self.counts.val() & self.cache.answer.val() {
            self.flight.d.next = self.flight.q.val() - 1;
        }
        // Beginning and end.
        self.ended.next = self.active.q.val() & !self.asks.val() & (self.flight.q.val() == 0);
        self.busy.next = self.active.q.val();
        self.failed.next = self.bad.q.val();
        self.fault.next = self.about.q.val();
        if self.ended.val() {
            self.active.d.next = false;
        }
        if self.start.val() {
            self.active.d.next = true;
            self.bad.d.next = false;
            self.asked.d.next = 0.into();
            self.answered.d.next = 0.into();
            self.step.d.next = self.first.val();
            self.place.d.next = self.first.val();
            if self.kind.key.val() {
                self.step.d.next = STEP_KEY.into();
                self.place.d.next = STEP_KEY.into();
            }
            self.ahead.d.next = 0.into();
            self.half.d.next = false;
            self.eager.d.next = true;
            self.quiet.d.next = 0.into();
            self.pulse.d.next = false;
        }
    }

    described! {
        "duality_line_walk", "Walk over the lines of an instruction."; STEP_KEY, STEP_A, STEP_B, STEP_D, AHEAD,
        LAST_QUIET
    }
}
