//! Exception flags: follows rows that report an exception to the cycle in which the wired-OR of the tags that they
//! leave is known.
//!
//! ```text
//!  flow control's row ─▶ report ROM ─▶ address ─▶ sum ─▶ row ─▶ ready ─▶ issue ─▶ memory's cycles ─▶ raised
//!                                (the stages of the sequencer, which move together)         ▲ wired-OR
//! ```
//!
//! Only sequencers of designs with `exception_flags` have it: nothing else of them is changed. A row that is handed on
//! (`valid` and `advance`) is in the ROM's stage a cycle later, and moves to the next of the four stages behind it with
//! `advance`. In the cycle of its issue its code leaves the last one; 2 cycles later (`Behavioural`) or 4
//! (`BlockRam`) `raised` has the flag of its code for one cycle if some tag was set, as tokens come back. The first row
//! of a floating-point command has a code of its own, whose bit in `raised` comes whatever tags are: flags that come
//! from then on are the command's. 0 after reset.

use crate::array::blocks::flow_control::PC;
use crate::array::isa::row::{Report, START};
use crate::array::params::{Memory, Params};
use crate::kernel::prelude::*;

/// Bits of a report's code.
pub const REPORT_BITS: usize = 3;
/// Number of flags: bit k of them is that of code k + 1.
pub const FLAGS: usize = Report::Inexact as usize;
/// Bits that come of rows: the flags, and above them that a floating-point command has started.
pub const RAISED: usize = FLAGS + 1;

/// Ports that a design has or has not: this many of them.
pub(crate) fn optional<P: Default>(count: usize) -> Vec<P> {
    (0..count).map(|_| P::default()).collect()
}

numbers! {
    INVALID = Report::Invalid, DIVIDE_BY_ZERO = Report::DivideByZero, OVERFLOW = Report::Overflow,
    UNDERFLOW = Report::Underflow, INEXACT = Report::Inexact, STARTS = START
}

hdl_block! {
    /// The exception flags on their way.
    pub ExceptionFlags {
        In clock: Domain; /// Clock and reset.
        In valid: Bit; /// Flow control hands on a row.
        In address: Bits<PC>; /// Its address.
        In advance: Bit; /// It is taken, and rows on their way move.
        In issued: Bit; /// The row of the last stage is issued.
        In tag_any: Bit; /// Wired-OR of the tags, a cycle late.
        Out raised: Bits<RAISED>; /// Flags raised in this cycle, and above them whether a command starts.
    } inside {
        Child reports: Rom<Bits<REPORT_BITS>, Bits<PC>>; // What the rows report.
        Register fetched: Bit; // There is a row in the ROM's stage.
        Child stages: [Register<Bits<REPORT_BITS>>; 4]; // Codes of the rows on their way to issue.
        Child tokens: [Register<Bits<REPORT_BITS>>; 4]; // Codes between issue and the wired-OR, the latest first.
        Local back: Bits<REPORT_BITS>;
        Value _block_ram: bool;
    }
}

impl ExceptionFlags {
    /// The block for micro-programs whose rows report these codes.
    pub fn new(params: &Params, reports: &[u64]) -> Self {
        ExceptionFlags {
            reports: Rom::new(reports.iter().map(|&code| code.into()).collect()),
            _block_ram: params.memory == Memory::BlockRam,
            ..Self::default()
        }
    }
}

impl Logic for ExceptionFlags {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, reports);
        dff_setup!(self, clock, fetched);
        for k in 0..4 {
            self.stages[k].clock.next = self.clock.val();
            self.stages[k].d.next = self.stages[k].q.val();
            self.tokens[k].clock.next = self.clock.val();
        }
        self.reports.address.next = self.address.val();
        self.reports.enable.next = self.advance.val();
        if self.advance.val() {
            self.fetched.d.next = self.valid.val();
            self.stages[0].d.next = 0.into();
            if self.fetched.q.val() {
                self.stages[0].d.next = self.reports.data.val();
            }
            for k in 1..4 {
                self.stages[k].d.next = self.stages[k - 1].q.val();
            }
        }
        self.tokens[0].d.next = 0.into();
        if self.issued.val() {
            self.tokens[0].d.next = self.stages[3].q.val();
        }
        for k in 1..4 {
            self.tokens[k].d.next = self.tokens[k - 1].q.val();
        }
        self.back.next = self.tokens[1].q.val();
        if self._block_ram {
            self.back.next = self.tokens[3].q.val();
        }
        self.raised.next = 0.into();
        if self.tag_any.val() {
            self.raised.next = bits_to::<Bits<RAISED>, Bit>(self.back.val() == INVALID)
                | (bits_to::<Bits<RAISED>, Bit>(self.back.val() == DIVIDE_BY_ZERO) << 1)
                | (bits_to::<Bits<RAISED>, Bit>(self.back.val() == OVERFLOW) << 2)
                | (bits_to::<Bits<RAISED>, Bit>(self.back.val() == UNDERFLOW) << 3)
                | (bits_to::<Bits<RAISED>, Bit>(self.back.val() == INEXACT) << 4);
        }
        if self.back.val() == STARTS {
            self.raised.next = bits_to::<Bits<RAISED>, Bit>(true) << 5;
        }
    }

    described! {
        "exception_flags", "Follows rows that report exceptions to the cycle in which the wired-OR is known.";
        INVALID, DIVIDE_BY_ZERO, OVERFLOW, UNDERFLOW, INEXACT, STARTS; _block_ram
    }
}
