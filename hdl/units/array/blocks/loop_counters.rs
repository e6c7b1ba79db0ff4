//! Loop counters: X for the inner loop, Y for the outer one, both counting down to 1, a triangular count Z, and a
//! stride that doubles, halves or grows by one.
//!
//! Whether a counter is 1 is kept in a register beside it: the flow control decides at the start of a cycle, not after
//! a comparison. Count registers hold their flag as an eighth bit. What is loaded is in a register, too: n less twice
//! the stride follows the stride a cycle late, and n less the stride takes it over when the stride doubles.

use crate::array::blocks::bundles::StartCountsSink;
use crate::array::isa::row::{StrideAction, TriangleAction};
use crate::array::isa::word::flow::{STRIDE_BITS, X_LOAD_BITS, Y_LOAD_BITS, Z_BITS};
use crate::array::isa::word::{XLoad, YLoad};
use crate::kernel::prelude::*;
use crate::parts::bundles::WriteSink;

numbers! {
    Z_UP = TriangleAction::Up, Z_DOWN = TriangleAction::Down, STRIDE_DOUBLE = StrideAction::Double, STRIDE_HALVE =
    StrideAction::Halve, STRIDE_UP = StrideAction::Up, X_TRIANGLE = XLoad::Triangle, X_REST = XLoad::Rest,
    X_REST_DOUBLED = XLoad::RestDoubled, X_STRIDE = XLoad::Stride, X_STRIDE_LESS_ONE = XLoad::StrideLessOne,
    X_QUARTER_STRIDE = XLoad::QuarterStride, X_WIDTH = XLoad::Width, Y_WIDTH_LESS_TWO = YLoad::WidthLessTwo,
    Y_WIDTH_LESS_THREE = YLoad::WidthLessThree
}

/// A count and, above it, whether it is 1.
pub type FlaggedCount = Bits<8>;

hdl_block! {
    /// The loop counters.
    pub LoopCounters {
        In clock: Domain; /// Clock and reset.
        In take: Bit; /// A command starts: takes the start values.
        Bus start: StartCountsSink; /// Counts at the start.
        In start_width: Bits<7>; /// Width of the command.
        In issue: Bit; /// A row is issued.
        In inner_back, outer_back: Bit; /// It goes back to the head of the inner loop, of the outer loop.
        In x_load: Bits<X_LOAD_BITS>; /// What X takes when the row is left.
        In y_load: Bits<Y_LOAD_BITS>; /// What Y takes.
        In z_action: Bits<Z_BITS>; /// What Z does when the row is left.
        In stride_action: Bits<STRIDE_BITS>; /// What the stride does when the row is left.
        In bank: Bit; /// Bank of the count registers.
        In width: Bits<7>; /// Effective width.
        Bus count: WriteSink<Bits<4>, FlaggedCount>; /// Writes of count registers, by bank and number.
        Out x_is_one, y_is_one: Bit; /// The counter is 1.
        Out command_width: Bits<7>; /// Width of the command.
    } inside {
        Child x_counts, y_counts: AsyncRam<FlaggedCount, Bits<4>>; // Count registers, read for X and Y.
        Register x: Bits<7>; // Inner loop counter.
        Register x_one: Bit; // It is 1.
        Register y: Bits<7>; // Outer loop counter.
        Register y_one: Bit; // It is 1.
        Register z: Bits<7>; // Triangular count.
        Register z_one: Bit; // It is 1.
        Register stride: Bits<7>; // Stride.
        Register stride_one, stride_two: Bit; // It is 1, it is 2.
        Register n, rest: Bits<7>; // Width of the command. n less the stride, a cycle late when the stride halves.
        Register rest_one: Bit; // It is 1.
        Register rest_doubled: Bits<7>; // n less twice the stride, a cycle late.
        Register rest_doubled_one: Bit; // It is 1.
        Register width_less_two: Bits<7>; // The effective width less two, a cycle late.
        Register width_less_three: Bits<7>; // The effective width less three, a cycle late.
        Local x_address, y_address: Bits<4>;
        Local new_rest, new_rest_doubled: Bits<7>;
        Value _grows: bool;
    }
}

impl LoopCounters {
    /// Loop counters with their two banks of count registers; `grows` if some program has a stride that grows by one.
    pub fn new(grows: bool) -> Self {
        LoopCounters { x_counts: AsyncRam::new(16), y_counts: AsyncRam::new(16), _grows: grows, ..Self::default() }
    }
}

impl Logic for LoopCounters {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, x_counts, y_counts);
        dff_setup!(self, clock, x, x_one, y, y_one, z, z_one, stride, stride_one, stride_two, n, rest, rest_one);
        dff_setup!(self, clock, rest_doubled, rest_doubled_one, width_less_two, width_less_three);
        self.x_is_one.next = self.x_one.q.val();
        self.y_is_one.next = self.y_one.q.val();
        self.command_width.next = self.n.q.val();
        // Count registers.
        self.x_address.next = bit_cast::<4, 3>(self.x_load.val().get_bits::<3>(0));
        self.y_address.next = bit_cast::<4, 3>(self.y_load.val().get_bits::<3>(0));
        if self.bank.val() {
            self.x_address.next = bit_cast::<4, 3>(self.x_load.val().get_bits::<3>(0)) | 8;
            self.y_address.next = bit_cast::<4, 3>(self.y_load.val().get_bits::<3>(0)) | 8;
        }
        self.x_counts.read_address.next = self.x_address.val();
        self.y_counts.read_address.next = self.y_address.val();
        self.x_counts.write_address.next = self.count.address.val();
        self.y_counts.write_address.next = self.count.address.val();
        self.x_counts.write_enable.next = self.count.write.val();
        self.y_counts.write_enable.next = self.count.write.val();
        self.x_counts.write_data.next = self.count.data.val();
        self.y_counts.write_data.next = self.count.data.val();
        // What follows from the stride and the effective width.
        self.new_rest.next = self.n.q.val() - self.stride.q.val();
        self.new_rest_doubled.next = self.n.q.val() - (self.stride.q.val() << 1);
        self.rest.d.next = self.new_rest.val();
        self.rest_one.d.next = self.new_rest.val() == 1;
        self.rest_doubled.d.next = self.new_rest_doubled.val();
        self.rest_doubled_one.d.next = self.new_rest_doubled.val() == 1;
        self.width_less_two.d.next = self.width.val() - 2;
        self.width_less_three.d.next = self.width.val() - 3;
        // A row.
        if self.issue.val() {
            if self.inner_back.val() {
                self.x.d.next = self.x.q.val() - 1;
                self.x_one.d.next = self.x.q.val() == 2;
            } else {
                if self.z_action.val() == Z_UP {
                    self.z.d.next = self.z.q.val() + 1;
                    self.z_one.d.next = self.z.q.val() == 0;
                } else if self.z_action.val() == Z_DOWN {
                    self.z.d.next = self.z.q.val() - 1;
                    self.z_one.d.next = self.z.q.val() == 2;
                }
                if self.stride_action.val() == STRIDE_DOUBLE {
                    self.stride.d.next = self.stride.q.val() << 1;
                    self.stride_one.d.next = false;
                    self.rest.d.next = self.rest_doubled.q.val();
                    self.rest_one.d.next = self.rest_doubled_one.q.val();
                    self.stride_two.d.next = self.stride.q.val().get_bits::<6>(0) == 1;
                } else if self.stride_action.val() == STRIDE_HALVE {
                    self.stride.d.next = self.stride.q.val() >> 1;
                    self.stride_one.d.next = self.stride.q.val().get_bits::<6>(1) == 1;
                    self.stride_two.d.next = self.stride.q.val().get_bits::<6>(1) == 2;
                }
                if self._grows {
                    if self.stride_action.val() == STRIDE_UP {
                        self.stride.d.next = self.stride.q.val() + 1;
                        self.stride_one.d.next = self.stride.q.val() == 0;
                        self.stride_two.d.next = self.stride_one.q.val();
                    }
                }
                if self.x_load.val().get_bit(3) {
                    self.x.d.next = self.x_counts.read_data.val().get_bits::<7>(0);
                    self.x_one.d.next = self.x_counts.read_data.val().get_bit(7);
                } else if self.x_load.val() == X_TRIANGLE {
                    self.x.d.next = self.z.q.val();
                    self.x_one.d.next = self.z_one.q.val();
                } else if self.x_load.val() == X_REST {
                    self.x.d.next = self.rest.q.val();
                    self.x_one.d.next = self.rest_one.q.val();
                } else if self.x_load.val() == X_REST_DOUBLED {
                    self.x.d.next = self.rest_doubled.q.val();
                    self.x_one.d.next = self.rest_doubled_one.q.val();
                } else if self.x_load.val() == X_STRIDE {
                    self.x.d.next = self.stride.q.val();
                    self.x_one.d.next = self.stride_one.q.val();
                } else if self.x_load.val() == X_STRIDE_LESS_ONE {
                    self.x.d.next = self.stride.q.val() - 1;
                    self.x_one.d.next = self.stride_two.q.val();
                } else if self.x_load.val() == X_QUARTER_STRIDE {
                    self.x.d.next = self.stride.q.val() >> 2;
                    self.x_one.d.next = self.stride.q.val().get_bits::<5>(2) == 1;
                } else if self.x_load.val() == X_WIDTH {
                    self.x.d.next = self.width.val();
                    self.x_one.d.next = self.width.val() == 1;
                }
                if self.outer_back.val() {
                    self.y.d.next = self.y.q.val() - 1;
                    self.y_one.d.next = self.y.q.val() == 2;
                } else if self.y_load.val().get_bit(3) {
                    self.y.d.next = self.y_counts.read_data.val().get_bits::<7>(0);
                    self.y_one.d.next = self.y_counts.read_data.val().get_bit(7);
                } else if self.y_load.val() == Y_WIDTH_LESS_TWO {
                    self.y.d.next = self.width_less_two.q.val();
                    self.y_one.d.next = self.width.val() == 3;
                } else if self.y_load.val() == Y_WIDTH_LESS_THREE {
                    self.y.d.next = self.width_less_three.q.val();
                    self.y_one.d.next = self.width.val() == 4;
                }
            }
        }
        if self.take.val() {
            self.x.d.next = self.start.x.val().get_bits::<7>(0);
            self.x_one.d.next = self.start.x.val().get_bit(7);
            self.y.d.next = self.start.y.val().get_bits::<7>(0);
            self.y_one.d.next = self.start.y.val().get_bit(7);
            self.z.d.next = self.start.z.val().get_bits::<7>(0);
            self.z_one.d.next = self.start.z.val().get_bit(7);
            self.stride.d.next = self.start.stride.val().get_bits::<7>(0);
            self.stride_one.d.next = self.start.stride.val().get_bit(7);
            self.stride_two.d.next = self.start.stride_two.val();
            self.rest.d.next = self.start.rest.val().get_bits::<7>(0);
            self.rest_one.d.next = self.start.rest.val().get_bit(7);
            self.rest_doubled.d.next = self.start.rest_doubled.val().get_bits::<7>(0);
            self.rest_doubled_one.d.next = self.start.rest_doubled.val().get_bit(7);
            self.n.d.next = self.start_width.val();
        }
    }

    described! {
        "loop_counters", "Loop counters X, Y and Z and the loop stride."; Z_UP, Z_DOWN, STRIDE_DOUBLE, STRIDE_HALVE,
        STRIDE_UP, X_TRIANGLE, X_REST, X_REST_DOUBLED, X_STRIDE, X_STRIDE_LESS_ONE, X_QUARTER_STRIDE, X_WIDTH,
        Y_WIDTH_LESS_TWO, Y_WIDTH_LESS_THREE; _grows
    }
}
