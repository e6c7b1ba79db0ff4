//! Command log: what has become of the commands that software pushed.
//!
//! ```text
//!  push ─▶ count ─▶ index of the command, which goes with it
//!  unit's events, with the index of the command ─▶ registers ─▶ first error, finished, busy cycles
//! ```
//!
//! The unit's events are registered first: everything here lags them by a cycle, together, so what belongs to a command is in place
//! when `busy` falls. `turned_idle` = 1 in the cycle after that, `error` = 1 in the cycle before an error is visible. An error
//! stays until `clear`; a refusal wins over a drop in the same cycle, because its command was pushed earlier, and either over
//! `clear`. All 0 after reset.

use crate::isa::command::ErrorCode;
use crate::kernel::prelude::*;

const OVERFLOW: u64 = ErrorCode::Overflow as u64;
const BEFORE_FULL: u64 = 0xffff_fffe;

/// The log.
#[derive(LogicBlock, Default)]
pub struct CommandLog {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command is pushed.
    pub push: Signal<In, Bit>,
    /// There is room for it; else it is dropped.
    pub room: Signal<In, Bit>,
    /// It enters the unit's queue (the cycle after `push`).
    pub enters: Signal<In, Bit>,
    /// Pushes before it, in that cycle.
    pub entering_index: Signal<Out, Bits<32>>,
    /// The unit is busy.
    pub unit_busy: Signal<In, Bit>,
    /// It has issued a command's last row.
    pub unit_finished: Signal<In, Bit>,
    /// It refuses a command.
    pub unit_refused: Signal<In, Bit>,
    /// Why.
    pub unit_code: Signal<In, Bits<4>>,
    /// Which operand.
    pub unit_operand: Signal<In, Bits<3>>,
    /// Pushes before it.
    pub unit_index: Signal<In, Bits<32>>,
    /// Which address.
    pub unit_address: Signal<In, Word<64, 1>>,
    /// Forgets the error.
    pub clear: Signal<In, Bit>,
    /// The low half of the cycles is read: keeps the high one.
    pub keep: Signal<In, Bit>,
    /// A command waits or runs.
    pub is_busy: Signal<Out, Bit>,
    /// None does any more.
    pub turned_idle: Signal<Out, Bit>,
    /// A command is refused or dropped.
    pub error: Signal<Out, Bit>,
    /// First error.
    pub error_code: Signal<Out, Bits<4>>,
    /// Its operand.
    pub error_operand: Signal<Out, Bits<3>>,
    /// Pushes before its command.
    pub error_index: Signal<Out, Bits<32>>,
    /// Its address.
    pub error_address: Signal<Out, Word<64, 1>>,
    /// Commands finished.
    pub completed: Signal<Out, Bits<32>>,
    /// Busy cycles, low half.
    pub cycles_low: Signal<Out, Bits<32>>,
    /// Busy cycles, high half, as kept.
    pub cycles_high: Signal<Out, Bits<32>>,
    /// First error.
    pub code: Register<Bits<4>>,
    /// Its operand.
    pub operand: Register<Bits<3>>,
    /// Its index.
    pub index: Register<Bits<32>>,
    /// Its address.
    pub address: Register<Word<64, 1>>,
    /// Pushes.
    pub pushes: Register<Bits<32>>,
    /// Pushes before the command that enters.
    pub entering: Pipe<Bits<32>>,
    /// The unit is busy.
    pub busy: Register<Bit>,
    /// It was so a cycle ago.
    pub was_busy: Register<Bit>,
    /// A command has finished.
    pub finished: Register<Bit>,
    /// A command was refused.
    pub refused: Register<Bit>,
    /// Why.
    pub refused_code: Register<Bits<4>>,
    /// Which operand.
    pub refused_operand: Register<Bits<3>>,
    /// Pushes before it.
    pub refused_index: Pipe<Bits<32>>,
    /// Which address.
    pub refused_address: Pipe<Word<64, 1>>,
    /// Commands finished.
    pub count: Register<Bits<32>>,
    /// Busy cycles, low half.
    pub low: Register<Bits<32>>,
    /// It is all ones.
    pub low_full: Register<Bit>,
    /// Busy cycles, high half.
    pub high: Register<Bits<32>>,
    /// The high half when the low one was read.
    pub kept: Register<Bits<32>>,
    dropped: Signal<Local, Bit>,
    records: Signal<Local, Bit>,
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
        self.finished.d.next = self.unit_finished.val();
        self.refused.d.next = self.unit_refused.val();
        self.refused_code.d.next = self.unit_code.val();
        self.refused_operand.d.next = self.unit_operand.val();
        self.refused_index.d.next = self.unit_index.val();
        self.refused_address.d.next = self.unit_address.val();
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
        self.records.next = (self.refused.q.val() | self.dropped.val()) & ((self.code.q.val() == 0) | self.clear.val());
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

    fn timing(&self) -> Vec<TimingInfo> {
        describe("command_log", "What has become of the commands.", constants![OVERFLOW, BEFORE_FULL])
    }
}
