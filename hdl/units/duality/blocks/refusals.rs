//! The first word of a window that was refused: by the sequencer, or as a pass whose rows are not there or overlap.
//!
//! `refused` stays 1 from the cycle behind the refusal until that behind `restart`, with `code` and `pc`.

use crate::duality::params::PC_BITS;
use crate::kernel::prelude::*;

hdl_block! {
    /// The refusal.
    pub DualityRefusals {
        In clock: Domain; /// Clock and reset.
        In restart: Bit; /// Forgets it.
        In accepts: Bit; /// The sequencer accepts a command.
        In accepted_pc: Bits<PC_BITS>; /// The number of its word.
        In drops: Bit; /// The command that was accepted last is refused.
        In drop_code: Bits<3>; /// Why.
        In stops: Bit; /// A pass is refused.
        In stop_code: Bits<3>; /// Why.
        In stop_pc: Bits<PC_BITS>; /// The number of its word.
        Out refused: Bit; /// A word was refused.
        Out code: Bits<3>; /// Why.
        Out pc: Bits<PC_BITS>; /// Its number.
    } inside {
        Register bad: Bit; // A word was refused: why, and which.
        Register bad_code: Bits<3>;
        Register bad_pc: Bits<PC_BITS>;
        Register command_pc: Bits<PC_BITS>; // The number of the command's word that came last.
    }
}

impl Logic for DualityRefusals {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bad, bad_code, bad_pc, command_pc);
        if self.accepts.val() {
            self.command_pc.d.next = self.accepted_pc.val();
        }
        if self.restart.val() {
            self.bad.d.next = false;
        }
        if !self.bad.q.val() & (self.drops.val() | self.stops.val()) {
            self.bad.d.next = true;
            self.bad_code.d.next = self.drop_code.val();
            self.bad_pc.d.next = self.command_pc.q.val();
            if self.stops.val() {
                self.bad_code.d.next = self.stop_code.val();
                self.bad_pc.d.next = self.stop_pc.val();
            }
        }
        self.refused.next = self.bad.q.val();
        self.code.next = self.bad_code.q.val();
        self.pc.next = self.bad_pc.q.val();
    }

    described! { "duality_refusals", "The first word of a window that was refused." }
}
