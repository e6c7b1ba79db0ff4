//! Start registers: what the micro-program of a command starts from. Setup words write them one by one; the flow control takes
//! them all at once.
//!
//! Counts are written with the flag that says whether they are 1, which the loop counters want to know in advance.

use super::loop_counters::FlaggedCount;
use super::types::RowAddress;
use crate::isa::word::Destination;
use crate::isa::word::setup::{TARGET_BITS, TO_BITS};
use crate::kernel::prelude::*;

const TO_X: u64 = Destination::X as u64;
const TO_Y: u64 = Destination::Y as u64;
const TO_Z: u64 = Destination::Z as u64;
const TO_I: u64 = Destination::I as u64;
const TO_STRIDE: u64 = Destination::Stride as u64;
const TO_MIN_WIDTH: u64 = Destination::MinWidth as u64;
const TO_STOP: u64 = Destination::Stop as u64;
const TO_KEY_ONES: u64 = Destination::KeyOnes as u64;
/// The count 1 with its flag.
const FLAGGED_ONE: u64 = 0x81;

/// The start registers.
#[derive(LogicBlock, Default)]
pub struct StartRegisters {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command comes in: sets the registers to their defaults.
    pub load: Signal<In, Bit>,
    /// Its key.
    pub load_key: Signal<In, Word<64, 1>>,
    /// Width of the command.
    pub width: Signal<In, Bits<7>>,
    /// A value is written.
    pub write: Signal<In, Bit>,
    /// To where.
    pub to: Signal<In, Bits<TO_BITS>>,
    /// The value as a count.
    pub count: Signal<In, FlaggedCount>,
    /// The value as a row.
    pub row: Signal<In, RowAddress>,
    /// The value is 0.
    pub is_zero: Signal<In, Bit>,
    /// The count is 2.
    pub is_two: Signal<In, Bit>,
    /// The command is complete.
    pub complete: Signal<In, Bit>,
    /// First row of its micro-program.
    pub target: Signal<In, Bits<TARGET_BITS>>,
    /// First row of the micro-program.
    pub start_entry: Signal<Out, Bits<TARGET_BITS>>,
    /// X at the start.
    pub start_x: Signal<Out, FlaggedCount>,
    /// Y at the start.
    pub start_y: Signal<Out, FlaggedCount>,
    /// Z at the start.
    pub start_z: Signal<Out, FlaggedCount>,
    /// Stride at the start.
    pub start_stride: Signal<Out, FlaggedCount>,
    /// Whether it is 2.
    pub start_stride_two: Signal<Out, Bit>,
    /// Width of the command less the stride.
    pub start_rest: Signal<Out, FlaggedCount>,
    /// Width of the command less twice the stride.
    pub start_rest_doubled: Signal<Out, FlaggedCount>,
    /// Smallest effective width.
    pub start_min_width: Signal<Out, Bits<7>>,
    /// The command may stop early.
    pub start_stop: Signal<Out, Bit>,
    /// Key.
    pub start_key: Signal<Out, Word<64, 1>>,
    /// I at the start.
    pub start_i: Signal<Out, RowAddress>,
    /// C starts at 1.
    pub start_carry: Signal<Out, Bit>,
    /// T keeps its value.
    pub start_keep_tag: Signal<Out, Bit>,
    /// The key scanner starts at once.
    pub start_scan: Signal<Out, Bit>,
    /// As many ones as the width.
    pub width_rows: Register<Word<64, 1>>,
    /// First row of the micro-program.
    pub entry: Register<Bits<TARGET_BITS>>,
    /// X at the start.
    pub x: Register<FlaggedCount>,
    /// Y at the start.
    pub y: Register<FlaggedCount>,
    /// Z at the start.
    pub z: Register<FlaggedCount>,
    /// I at the start.
    pub i: Register<RowAddress>,
    /// Stride at the start.
    pub stride: Register<FlaggedCount>,
    /// It is 2.
    pub stride_two: Register<Bit>,
    /// Width of the command less the stride, a cycle late.
    pub rest: Register<FlaggedCount>,
    /// Width of the command less twice the stride, a cycle late.
    pub rest_doubled: Register<FlaggedCount>,
    /// Smallest effective width.
    pub min_width: Register<Bits<7>>,
    /// The command may stop early.
    pub stop: Register<Bit>,
    /// Key.
    pub key: Register<Word<64, 1>>,
    /// C starts at 1.
    pub carry: Register<Bit>,
    /// T keeps its value.
    pub keep_tag: Register<Bit>,
    /// The key scanner starts at once.
    pub scan: Register<Bit>,
    new_rest: Signal<Local, Bits<7>>,
    new_rest_doubled: Signal<Local, Bits<7>>,
    none: Signal<Local, Word<64, 1>>,
    zeros: Signal<Local, Word<64, 1>>,
}

impl Logic for StartRegisters {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, width_rows, entry, x, y, z, i, stride, stride_two, min_width, stop, key, carry);
        dff_setup!(self, clock, keep_tag, scan, rest, rest_doubled);
        self.none.next = 0.into();
        self.width_rows.d.next = !(!self.none.val() << self.width.val());
        self.zeros.next = !self.none.val() << self.count.val().get_bits::<7>(0);
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
        if self.write.val() {
            if self.to.val() == TO_X {
                self.x.d.next = self.count.val();
            } else if self.to.val() == TO_Y {
                self.y.d.next = self.count.val();
            } else if self.to.val() == TO_Z {
                self.z.d.next = self.count.val();
            } else if self.to.val() == TO_I {
                self.i.d.next = self.row.val();
            } else if self.to.val() == TO_STRIDE {
                self.stride.d.next = self.count.val();
                self.stride_two.d.next = self.is_two.val();
            } else if self.to.val() == TO_MIN_WIDTH {
                self.min_width.d.next = self.count.val().get_bits::<7>(0);
            } else if self.to.val() == TO_STOP {
                self.stop.d.next = self.is_zero.val();
            } else if self.to.val() == TO_KEY_ONES {
                self.key.d.next = !self.zeros.val();
            }
        }
        if self.complete.val() {
            self.entry.d.next = self.target.val();
            self.carry.d.next = self.to.val().get_bit(0);
            self.keep_tag.d.next = self.to.val().get_bit(1);
            self.scan.d.next = self.to.val().get_bit(2);
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
        self.start_x.next = self.x.q.val();
        self.start_y.next = self.y.q.val();
        self.start_z.next = self.z.q.val();
        self.start_stride.next = self.stride.q.val();
        self.start_stride_two.next = self.stride_two.q.val();
        self.start_rest.next = self.rest.q.val();
        self.start_rest_doubled.next = self.rest_doubled.q.val();
        self.start_min_width.next = self.min_width.q.val();
        self.start_stop.next = self.stop.q.val();
        self.start_key.next = self.key.q.val();
        self.start_i.next = self.i.q.val();
        self.start_carry.next = self.carry.q.val();
        self.start_keep_tag.next = self.keep_tag.q.val();
        self.start_scan.next = self.scan.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "start_registers",
            "What the micro-program of a command starts from.",
            constants![TO_X, TO_Y, TO_Z, TO_I, TO_STRIDE, TO_MIN_WIDTH, TO_STOP, TO_KEY_ONES, FLAGGED_ONE],
        )
    }
}
