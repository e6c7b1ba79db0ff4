//! Command log: what has become of the commands that software pushed.
//!
//! ```text
//!  push ─▶ count ─▶ index of the command, which goes with it
//!  unit's events, with the index of the command ─▶ registers ─▶ first error, finished, busy cycles
//! ```
//!
//! The unit's events are registered first: everything here lags them by a cycle, together, so what belongs to a command
//! is in place when `busy` falls. `turned_idle` = 1 in the cycle after that, `error` = 1 in the cycle before an error
//! is visible. An error stays until `clear`, or until one of a command that was pushed earlier comes: transfers and
//! operations end out of order, and a push is dropped before those in the queue are looked at. An error wins over
//! `clear` in the same cycle. All 0 after reset.

use crate::array::blocks::bundles::EventSink;
use crate::array::isa::command::ErrorCode;
use crate::kernel::prelude::*;

const OVERFLOW: u64 = ErrorCode::Overflow as u64;
const BEFORE_FULL: u64 = 0xffff_fffe;

hdl_block! {
    /// The log.
    pub CommandLog {
        In clock: Domain; /// Clock and reset.
        In push, room: Bit; /// A command is pushed. There is room for it; else it is dropped.
        In enters: Bit; /// It enters the unit's queue (the cycle after `push`).
        Out entering_index: Bits<32>; /// Pushes before it, in that cycle.
        In unit_busy: Bit; /// The unit is busy.
        Bus unit: EventSink; /// What becomes of its commands.
        In clear, keep: Bit; /// Forgets the error. The low half of the cycles is read: keeps the high one.
        Out is_busy, turned_idle: Bit; /// A command waits or runs. None does any more.
        Out error: Bit; /// A command is refused or dropped.
        Out error_code: Bits<4>; /// First error.
        Out error_operand: Bits<3>; /// Its operand.
        Out error_index: Bits<32>; /// Pushes before its command.
        Out error_address: Word<64, 1>; /// Its address.
        Out completed: Bits<32>; /// Commands finished.
        Out cycles_low, cycles_high: Bits<32>; /// Busy cycles, low half. Busy cycles, high half, as kept.
    } inside {
        Register code: Bits<4>; // First error in the order of pushes.
        Register operand: Bits<3>; // Its operand.
        Register index: Bits<32>; // Its index.
        Register address: Word<64, 1>; // Its address.
        Register pushes: Bits<32>; // Pushes.
        Pipe entering: Bits<32>; // Pushes before the command that enters.
        Register busy, was_busy, finished: Bit; // The unit is busy. It was so a cycle ago. A command has finished.
        Register refused: Bit; // A command was refused.
        Register refused_code: Bits<4>; // Why.
        Register refused_operand: Bits<3>; // Which operand.
        Pipe refused_index: Bits<32>; // Pushes before it.
        Pipe refused_address: Word<64, 1>; // Which address.
        Register count, low: Bits<32>; // Commands finished. Busy cycles, low half.
        Register low_full: Bit; // It is all ones.
        Register high, kept: Bits<32>; // Busy cycles, high half. The high half when the low one was read.
        Local dropped, empty, earlier, records: Bit;
        Local distance: Bits<32>;
    }
}

impl Logic for CommandLog {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, code, operand, index, address, pushes, entering, busy, was_busy);
        dff_setup!(self, clock, finished, refused, refused_code, refused_operand, refused_index, refused_address);
        dff_setup!(self, clock, count, low, low_full, high, kept);
        // Indices.
        self.dropped.next = self.push.val() & !self.room.val();
        self.entering_index.next = self.entering.q.val();
        if self.push.val() {
            self.pushes.d.next = self.pushes.q.val() + 1;
            self.entering.d.next = self.pushes.q.val();
        }
        // Events.
        self.busy.d.next = self.unit_busy.val() | self.enters.val();
        self.was_busy.d.next = self.busy.q.val();
        self.finished.d.next = self.unit.finished.val();
        self.refused.d.next = self.unit.refused.val();
        self.refused_code.d.next = self.unit.code.val();
        self.refused_operand.d.next = self.unit.operand.val();
        self.refused_index.d.next = self.unit.index.val();
        self.refused_address.d.next = self.unit.address.val();
        self.is_busy.next = self.busy.q.val();
        self.turned_idle.next = self.was_busy.q.val() & !self.busy.q.val();
        self.error.next = self.refused.q.val() | self.dropped.val();
        // First error.
        if self.clear.val() {
            self.code.d.next = 0.into();
            self.operand.d.next = 0.into();
            self.index.d.next = 0.into();
            self.address.d.next = 0.into();
        }
        self.empty.next = (self.code.q.val() == 0) | self.clear.val();
        self.distance.next = self.refused_index.q.val() - self.index.q.val();
        self.earlier.next = self.distance.val().get_bit(31);
        self.records.next =
            (self.refused.q.val() & (self.empty.val() | self.earlier.val())) | (self.dropped.val() & self.empty.val());
        if self.records.val() & self.refused.q.val() {
            self.code.d.next = self.refused_code.q.val();
            self.operand.d.next = self.refused_operand.q.val();
            self.index.d.next = self.refused_index.q.val();
            self.address.d.next = self.refused_address.q.val();
        } else if self.records.val() {
            self.code.d.next = OVERFLOW.into();
            self.operand.d.next = 0.into();
            self.index.d.next = self.pushes.q.val();
            self.address.d.next = 0.into();
        }
        self.error_code.next = self.code.q.val();
        self.error_operand.next = self.operand.q.val();
        self.error_index.next = self.index.q.val();
        self.error_address.next = self.address.q.val();
        // Counters; the high half does not wait for the low half's carry.
        if self.finished.q.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.completed.next = self.count.q.val();
        if self.busy.q.val() {
            self.low.d.next = self.low.q.val() + 1;
            self.low_full.d.next = self.low.q.val() == BEFORE_FULL;
            if self.low_full.q.val() {
                self.high.d.next = self.high.q.val() + 1;
            }
        }
        if self.keep.val() {
            self.kept.d.next = self.high.q.val();
        }
        self.cycles_low.next = self.low.q.val();
        self.cycles_high.next = self.kept.q.val();
    }

    described! { "command_log", "What has become of the commands."; OVERFLOW, BEFORE_FULL }
}
