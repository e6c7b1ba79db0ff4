//! Launch unit of a control block: takes a wave of CTAs, starts the program for them, brings its words, and does so
//! until there are no CTAs left.
//!
//! ```text
//!  begin ─▶ asks for a wave ─▶ fill ─▶ scalars ─▶ start ─▶ words until the program has ended ─▶ reads drained
//!              ▲  └─▶ there is none: idle                                                            │
//!              └──────────────────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! `begin` = 1 for a cycle, while `busy` = 0, starts a launch; the mode, the program's place and the counts do not
//! change while `busy` = 1. From the next cycle on `wants` = 1 until a wave is `dealt`, or `over` = 1 says that there
//! is none. In the cycle in which it is dealt, `fill` = 1; then the launch waits for `filled`. Scalar registers follow,
//! one a cycle from 0 on: parameters, and 0 from number `parameters` on. `start` = 1 comes behind the last. Of a word
//! in memory two requests ask for its halves, the low one first; up to [`AHEAD`] words are on their way or wait for
//! room in the ring. With `host_fed` words come from the host, `push_ready` = 1 while a program runs and the ring has
//! room.
//!
//! Behind the last word, and behind one that memory could not give, the ring gets words of no kind, which stop a
//! program that comes there: `code` is `past_end` or `bus` then. A wave is over when the program does not run any more
//! and all answers are there. `abort` = 1 ends a launch: a program that runs is stopped before the word that comes next
//! (`stop` = 1 until then), and no further wave is asked for. `outcome` and `code` are 0 from a launch's start on, show
//! what a wave has ended with a cycle before `busy` = 0 at the latest, and hold to the next start.
//!
//! Source: Duality Cache §3.3, where the host writes instructions into the ring (`host_fed`). Ours: programs in memory.
//! Each control block's words come from memory for itself: programs of several have loops of their own, so that words
//! for all at once would have all of them wait for the slowest; from the second control block on words are in the
//! cache ways, and a word is two requests in tens of cycles of work.

use crate::duality::blocks::bundles::CacheSource;
use crate::duality::blocks::scalar_unit::ScalarNumber;
use crate::duality::blocks::types::ProgramWord;
use crate::duality::isa::codes::{Kind, Trap};
use crate::duality::params::{PC_BITS, SCALARS};
use crate::kernel::prelude::*;
use crate::parts::queue::Queue;

/// Words that are asked for and have not left.
pub const AHEAD: usize = 4;
/// A word of no kind.
const NO_WORD: u64 = 7;
const _: () = assert!(Kind::ALL.len() as u64 <= NO_WORD, "there is a code without a kind");
/// Bits of the number of half a word.
const HALF_BITS: usize = PC_BITS + 1;

numbers! {
    TRAP_KIND = Trap::Kind, TRAP_PAST_END = Trap::PastEnd, TRAP_BUS = Trap::Bus, TRAP_ABORTED = Trap::Aborted,
    LAST_SCALAR = SCALARS - 1, MOST_AHEAD = AHEAD
}
// What is done.
numbers! { IDLE = 0, ASK = 1, FILLING = 2, SCALAR = 3, START = 4, RUN = 5, DRAIN = 6 }
// What a launch was ended by.
numbers! { TRAPPED = 2, ABORTED = 3 }

hdl_block! {
    /// The launch unit.
    pub DualityLaunch {
        In clock: Domain; /// Clock and reset.
        In begin: Bit; /// A launch begins.
        In abort: Bit; /// The launch that is under way ends.
        In host_fed: Bit; /// Words come from the host.
        In code_at: Bits<32>; /// Where the program is, in bytes.
        In words: Bits<PC_BITS>; /// Its words.
        In parameters: Bits<6>; /// Parameters.
        Out parameter_number: ScalarNumber; /// The one that is asked for.
        In parameter: Bits<32>; /// Its value, at once.
        In push: Bit; /// The host offers a word.
        Out push_ready: Bit; /// It is taken if offered.
        In push_word: ProgramWord; /// The word.
        Out wants: Bit; /// A wave is asked for.
        In dealt, over: Bit; /// It begins. There is none.
        Out fill: Bit; /// Its rows are to be written.
        In filled: Bit; /// They are.
        Out put: Bit; /// A scalar register is written.
        Out put_number: ScalarNumber; /// Which one.
        Out put_value: Bits<32>; /// What it holds then.
        Out start, stop: Bit; /// A program begins. It is to stop.
        Out write_valid: Bit; /// A word for the ring is offered.
        In write_ready: Bit; /// It is taken if offered.
        Out write_data: ProgramWord; /// The word.
        In running, trapped: Bit; /// A program runs; it was stopped.
        In block_code: Bits<8>; /// What it ended with, or why.
        In trap_pc: Bits<PC_BITS>; /// The word that it was stopped before.
        Bus cache: CacheSource; /// The program's words.
        Out busy: Bit; /// A launch is under way.
        Out works: Bit; /// A wave is under way, from the cycle behind that in which it is dealt until it is over.
        Out runs: Bit; /// The program of a wave runs.
        Out outcome: Bits<2>; /// What has ended it: 2 a trap, 3 `abort` while a program was to run; else 0.
        Out code: Bits<8>; /// The first code that is not 0, or that of the trap.
    } inside {
        Child arrived: Queue<ProgramWord>; // Words from memory.
        Register state: Bits<3>;
        Register aborting: Bit; // The launch is to end.
        Register number: ScalarNumber; // The scalar register that is written.
        Register half: Bits<HALF_BITS>; // The half of a word that is asked for next.
        Register ahead: Bits<3>; // Words asked for that have not left.
        Register flight: Bits<4>; // Requests without an answer.
        Register offered: Bit; // A request was offered, and not taken.
        Register high: Bit; // The next answer is a high half.
        Pipe low: Word<64, 1>; // The low half.
        Register failed: Bit; // Memory could not give a word.
        Register good: Bits<PC_BITS>; // Words that the ring has got.
        Register how: Bits<2>; // How it has ended.
        Register result: Bits<8>; // The code.
        Local run, asks, asked, whole, takes, beyond, all_asked, late: Bit;
        Local unused_level: Bits<5>;
        Local unused_ready: Bit;
    }
}

impl DualityLaunch {
    /// The launch unit.
    pub fn new() -> Self {
        DualityLaunch { arrived: Queue::new(AHEAD), ..Self::default() }
    }
}

impl Logic for DualityLaunch {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, arrived);
        dff_setup!(self, clock, state, aborting, number, half, ahead, flight, offered, high, low, failed, good);
        dff_setup!(self, clock, how, result);
        self.run.next = (self.state.q.val() == RUN) & self.running.val();
        self.busy.next = self.state.q.val() != IDLE;
        self.works.next = (self.state.q.val() != IDLE) & (self.state.q.val() != ASK);
        self.runs.next = self.run.val();
        self.outcome.next = self.how.q.val();
        self.code.next = self.result.q.val();
        // Scalar registers.
        self.parameter_number.next = self.number.q.val();
        self.put.next = self.state.q.val() == SCALAR;
        self.put_number.next = self.number.q.val();
        self.put_value.next = 0.into();
        if bit_cast::<6, 5>(self.number.q.val()) < self.parameters.val() {
            self.put_value.next = self.parameter.val();
        }
        // Words are asked for.
        self.all_asked.next =
            self.failed.q.val() | (self.half.q.val() == (bit_cast::<HALF_BITS, PC_BITS>(self.words.val()) << 1));
        self.asks.next = self.run.val()
            & !self.host_fed.val()
            & !self.all_asked.val()
            & (self.half.q.val().get_bit(0) | (self.ahead.q.val() != MOST_AHEAD));
        self.cache.valid.next = self.asks.val() | self.offered.q.val();
        self.cache.address.next = self.code_at.val() + (bit_cast::<32, HALF_BITS>(self.half.q.val()) << 3);
        self.cache.write.next = false;
        self.cache.hint.next = false;
        self.cache.data.next = 0.into();
        self.cache.strobes.next = 0.into();
        self.asked.next = self.cache.valid.val() & self.cache.ready.val();
        self.offered.d.next = self.cache.valid.val() & !self.cache.ready.val();
        if self.asked.val() {
            self.half.d.next = self.half.q.val() + 1;
        }
        if self.asked.val() & !self.cache.answer.val() {
            self.flight.d.next = self.flight.q.val() + 1;
        } else if !self.asked.val() & self.cache.answer.val() {
            self.flight.d.next = self.flight.q.val() - 1;
        }
        // They arrive.
        if self.cache.answer.val() {
            self.high.d.next = !self.high.q.val();
            self.low.d.next = self.cache.answer_data.val();
            if self.cache.answer_failed.val() {
                self.failed.d.next = true;
            }
        }
        self.whole.next = self.cache.answer.val() & self.high.q.val();
        self.arrived.push_valid.next = self.whole.val() & !self.failed.q.val() & !self.cache.answer_failed.val();
        self.arrived.push_data.next = bits_to::<ProgramWord, Word<64, 1>>(self.low.q.val())
            | (bits_to::<ProgramWord, Word<64, 1>>(self.cache.answer_data.val()) << 64);
        self.unused_ready.next = self.arrived.push_ready.val();
        self.unused_level.next = self.arrived.level.val();
        // They go into the ring, and behind them words that nothing may execute.
        self.beyond.next = self.all_asked.val() & (self.flight.q.val() == 0) & !self.offered.q.val();
        self.write_valid.next = self.run.val() & (self.arrived.head_valid.val() | self.beyond.val());
        self.write_data.next = self.arrived.head.val();
        if !self.arrived.head_valid.val() {
            self.write_data.next = NO_WORD.into();
        }
        if self.host_fed.val() {
            self.write_valid.next = self.run.val() & self.push.val();
            self.write_data.next = self.push_word.val();
        }
        self.push_ready.next = self.run.val() & self.host_fed.val() & self.write_ready.val();
        self.takes.next = self.run.val() & self.arrived.head_valid.val() & self.write_ready.val();
        self.arrived.pop.next = self.takes.val();
        if self.takes.val() {
            self.good.d.next = self.good.q.val() + 1;
        }
        if self.takes.val() & !(self.asked.val() & !self.half.q.val().get_bit(0)) {
            self.ahead.d.next = self.ahead.q.val() - 1;
        } else if !self.takes.val() & self.asked.val() & !self.half.q.val().get_bit(0) {
            self.ahead.d.next = self.ahead.q.val() + 1;
        }
        // What comes after what.
        self.wants.next = (self.state.q.val() == ASK) & !self.aborting.q.val();
        self.fill.next = self.wants.val() & self.dealt.val();
        self.start.next = self.state.q.val() == START;
        self.stop.next = self.run.val() & self.aborting.q.val();
        self.late.next =
            !self.host_fed.val() & (self.block_code.val() == TRAP_KIND) & (self.trap_pc.val() >= self.good.q.val());
        if self.abort.val() & self.busy.val() {
            self.aborting.d.next = true;
        }
        if self.state.q.val() == IDLE {
            if self.begin.val() {
                self.state.d.next = ASK.into();
                self.aborting.d.next = false;
                self.how.d.next = 0.into();
                self.result.d.next = 0.into();
            }
        } else if self.state.q.val() == ASK {
            self.number.d.next = 0.into();
            if self.fill.val() {
                self.state.d.next = FILLING.into();
            } else if self.over.val() | self.aborting.q.val() {
                self.state.d.next = IDLE.into();
            }
        } else if self.state.q.val() == FILLING {
            if self.filled.val() {
                self.state.d.next = SCALAR.into();
            }
        } else if self.state.q.val() == SCALAR {
            self.number.d.next = self.number.q.val() + 1;
            if self.aborting.q.val() {
                self.state.d.next = DRAIN.into();
                self.how.d.next = ABORTED.into();
            } else if self.number.q.val() == LAST_SCALAR {
                self.state.d.next = START.into();
            }
        } else if self.state.q.val() == START {
            self.state.d.next = RUN.into();
            self.half.d.next = 0.into();
            self.ahead.d.next = 0.into();
            self.high.d.next = false;
            self.failed.d.next = false;
            self.good.d.next = 0.into();
        } else if self.state.q.val() == RUN {
            if !self.running.val() {
                self.state.d.next = DRAIN.into();
                if self.trapped.val() {
                    self.how.d.next = TRAPPED.into();
                    self.result.d.next = self.block_code.val();
                    if self.block_code.val() == TRAP_ABORTED {
                        self.how.d.next = ABORTED.into();
                    } else if self.late.val() {
                        self.result.d.next = TRAP_PAST_END.into();
                        if self.failed.q.val() {
                            self.result.d.next = TRAP_BUS.into();
                        }
                    }
                } else if self.result.q.val() == 0 {
                    self.result.d.next = self.block_code.val();
                }
            }
        } else if (self.flight.q.val() == 0) & !self.offered.q.val() {
            // Words that have come too late for their program are dropped.
            self.arrived.pop.next = self.arrived.head_valid.val();
            if !self.arrived.head_valid.val() {
                self.state.d.next = ASK.into();
                if (self.how.q.val() != 0) | self.aborting.q.val() {
                    self.state.d.next = IDLE.into();
                }
            }
        }
    }

    described! {
        "duality_launch", "Fills a control block with CTAs, wave by wave, and brings it its program."; NO_WORD,
        TRAP_KIND, TRAP_PAST_END, TRAP_BUS, TRAP_ABORTED, LAST_SCALAR, MOST_AHEAD, IDLE, ASK, FILLING, SCALAR, START,
        RUN, DRAIN, TRAPPED, ABORTED
    }
}
