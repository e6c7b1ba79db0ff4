//! Start registers: what the micro-program of a command starts from. Setup words write them one by one; the flow
//! control takes them all at once.
//!
//! Counts are written with the flag that says whether they are 1, which the loop counters want to know in advance.

use crate::array::blocks::bundles::{SetupWriteSink, StartCountsSource, StartFlagsSource};
use crate::array::blocks::loop_counters::FlaggedCount;
use crate::array::blocks::types::RowAddress;
use crate::array::isa::word::Destination;
use crate::array::isa::word::setup::TARGET_BITS;
use crate::kernel::prelude::*;

numbers! {
    TO_X = Destination::X, TO_Y = Destination::Y, TO_Z = Destination::Z, TO_I = Destination::I,
    TO_STRIDE = Destination::Stride, TO_MIN_WIDTH = Destination::MinWidth, TO_STOP = Destination::Stop,
    TO_KEY_ONES = Destination::KeyOnes
}
/// The count 1 with its flag.
const FLAGGED_ONE: u64 = 0x81;

hdl_block! {
    /// The start registers.
    pub StartRegisters {
        In clock: Domain; /// Clock and reset.
        In load: Bit; /// A command comes in: sets the registers to their defaults.
        In load_key: Word<64, 1>; /// Its key.
        In width: Bits<7>; /// Width of the command.
        Bus own_: SetupWriteSink; /// Values that are written.
        Out start_entry: Bits<TARGET_BITS>; /// First row of the micro-program.
        Bus start: StartCountsSource; /// Counts at the start.
        Bus start__: StartFlagsSource; /// What else there is at the start.
    } inside {
        Register width_rows: Word<64, 1>; // As many ones as the width.
        Register entry: Bits<TARGET_BITS>; // First row of the micro-program.
        Register x, y, z: FlaggedCount; // Counts at the start.
        Register i: RowAddress; // I at the start.
        Register stride: FlaggedCount; // Stride at the start.
        Register stride_two: Bit; // It is 2.
        Register rest: FlaggedCount; // Width of the command less the stride, a cycle late.
        Register rest_doubled: FlaggedCount; // Width of the command less twice the stride, a cycle late.
        Register min_width: Bits<7>; // Smallest effective width.
        Register stop: Bit; // The command may stop early.
        Register key: Word<64, 1>; // Key.
        Register carry, keep_tag, scan: Bit; // C starts at 1. T keeps its value. The key scanner starts at once.
        Local new_rest, new_rest_doubled: Bits<7>;
        Local none, zeros: Word<64, 1>;
    }
}

impl Logic for StartRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, width_rows, entry, x, y, z, i, stride, stride_two, min_width, stop, key, carry);
        dff_setup!(self, clock, keep_tag, scan, rest, rest_doubled);
        self.none.next = 0.into();
        self.width_rows.d.next = !(!self.none.val() << self.width.val());
        self.zeros.next = !self.none.val() << self.own_.count.val().get_bits::<7>(0);
        self.new_rest.next = self.width.val() - self.stride.q.val().get_bits::<7>(0);
        self.new_rest_doubled.next = self.width.val() - (self.stride.q.val().get_bits::<7>(0) << 1);
        self.rest.d.next = bit_cast::<8, 7>(self.new_rest.val());
        if self.new_rest.val() == 1 {
            self.rest.d.next = FLAGGED_ONE.into();
        }
        self.rest_doubled.d.next = bit_cast::<8, 7>(self.new_rest_doubled.val());
        if self.new_rest_doubled.val() == 1 {
            self.rest_doubled.d.next = FLAGGED_ONE.into();
        }
        if self.own_.write.val() {
            if self.own_.to.val() == TO_X {
                self.x.d.next = self.own_.count.val();
            } else if self.own_.to.val() == TO_Y {
                self.y.d.next = self.own_.count.val();
            } else if self.own_.to.val() == TO_Z {
                self.z.d.next = self.own_.count.val();
            } else if self.own_.to.val() == TO_I {
                self.i.d.next = self.own_.row.val();
            } else if self.own_.to.val() == TO_STRIDE {
                self.stride.d.next = self.own_.count.val();
                self.stride_two.d.next = self.own_.is_two.val();
            } else if self.own_.to.val() == TO_MIN_WIDTH {
                self.min_width.d.next = self.own_.count.val().get_bits::<7>(0);
            } else if self.own_.to.val() == TO_STOP {
                self.stop.d.next = self.own_.is_zero.val();
            } else if self.own_.to.val() == TO_KEY_ONES {
                self.key.d.next = !self.zeros.val();
            }
        }
        if self.own_.complete.val() {
            self.entry.d.next = self.own_.target.val();
            self.carry.d.next = self.own_.to.val().get_bit(0);
            self.keep_tag.d.next = self.own_.to.val().get_bit(1);
            self.scan.d.next = self.own_.to.val().get_bit(2);
            // Bits beyond the width mean nothing.
            self.key.d.next = self.key.q.val() & self.width_rows.q.val();
        }
        if self.load.val() {
            self.entry.d.next = 0.into();
            self.x.d.next = FLAGGED_ONE.into();
            self.y.d.next = FLAGGED_ONE.into();
            self.z.d.next = 0.into();
            self.i.d.next = 0.into();
            self.stride.d.next = FLAGGED_ONE.into();
            self.stride_two.d.next = false;
            self.min_width.d.next = 0.into();
            self.stop.d.next = false;
            self.key.d.next = self.load_key.val();
            self.carry.d.next = false;
            self.keep_tag.d.next = false;
            self.scan.d.next = false;
        }
        self.start_entry.next = self.entry.q.val();
        self.start.x.next = self.x.q.val();
        self.start.y.next = self.y.q.val();
        self.start.z.next = self.z.q.val();
        self.start.stride.next = self.stride.q.val();
        self.start.stride_two.next = self.stride_two.q.val();
        self.start.rest.next = self.rest.q.val();
        self.start.rest_doubled.next = self.rest_doubled.q.val();
        self.start__.min_width.next = self.min_width.q.val();
        self.start__.stop.next = self.stop.q.val();
        self.start__.key.next = self.key.q.val();
        self.start__.i.next = self.i.q.val();
        self.start__.carry.next = self.carry.q.val();
        self.start__.keep_tag.next = self.keep_tag.q.val();
        self.start__.scan.next = self.scan.q.val();
    }

    described! {
        "start_registers", "What the micro-program of a command starts from."; TO_X, TO_Y, TO_Z, TO_I, TO_STRIDE,
        TO_MIN_WIDTH, TO_STOP, TO_KEY_ONES, FLAGGED_ONE
    }
}
