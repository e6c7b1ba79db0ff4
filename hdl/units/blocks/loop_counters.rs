//! Loop counters: X for the inner loop, Y for the outer one, both counting down to 1, a triangular count Z, and a stride that
//! doubles or halves.
//!
//! Whether a counter is 1 is kept in a register beside it: the flow control decides at the start of a cycle, not after a
//! comparison. Count registers hold their flag as an eighth bit. What is loaded is in a register, too: n less twice
//! the stride follows the stride a cycle late, and n less the stride takes it over when the stride doubles.

use crate::isa::row::{StrideAction, TriangleAction};
use crate::isa::word::flow::{STRIDE_BITS, X_LOAD_BITS, Y_LOAD_BITS, Z_BITS};
use crate::isa::word::{XLoad, YLoad};
use crate::kernel::prelude::*;

const Z_UP: u64 = TriangleAction::Up as u64;
const Z_DOWN: u64 = TriangleAction::Down as u64;
const STRIDE_DOUBLE: u64 = StrideAction::Double as u64;
const STRIDE_HALVE: u64 = StrideAction::Halve as u64;
const X_TRIANGLE: u64 = XLoad::Triangle as u64;
const X_REST: u64 = XLoad::Rest as u64;
const X_REST_DOUBLED: u64 = XLoad::RestDoubled as u64;
const X_STRIDE: u64 = XLoad::Stride as u64;
const X_STRIDE_LESS_ONE: u64 = XLoad::StrideLessOne as u64;
const X_QUARTER_STRIDE: u64 = XLoad::QuarterStride as u64;
const X_WIDTH: u64 = XLoad::Width as u64;
const Y_WIDTH_LESS_TWO: u64 = YLoad::WidthLessTwo as u64;
const Y_WIDTH_LESS_THREE: u64 = YLoad::WidthLessThree as u64;

/// A count and, above it, whether it is 1.
pub type FlaggedCount = Bits<8>;

/// The loop counters.
#[derive(LogicBlock, Default)]
pub struct LoopCounters {
    /// Clock and reset.
    pub clock: Signal<In, Domain>,
    /// A command starts: takes the start values.
    pub take: Signal<In, Bit>,
    /// X at the start.
    pub start_x: Signal<In, FlaggedCount>,
    /// Y at the start.
    pub start_y: Signal<In, FlaggedCount>,
    /// Z at the start.
    pub start_z: Signal<In, FlaggedCount>,
    /// Stride at the start.
    pub start_stride: Signal<In, FlaggedCount>,
    /// Whether it is 2.
    pub start_stride_two: Signal<In, Bit>,
    /// Width of the command less the stride.
    pub start_rest: Signal<In, FlaggedCount>,
    /// Width of the command less twice the stride.
    pub start_rest_doubled: Signal<In, FlaggedCount>,
    /// Width of the command.
    pub start_width: Signal<In, Bits<7>>,
    /// A row is issued.
    pub issue: Signal<In, Bit>,
    /// It goes back to the head of the inner loop.
    pub inner_back: Signal<In, Bit>,
    /// It goes back to the head of the outer loop.
    pub outer_back: Signal<In, Bit>,
    /// What X takes when the row is left.
    pub x_load: Signal<In, Bits<X_LOAD_BITS>>,
    /// What Y takes when the row is left.
    pub y_load: Signal<In, Bits<Y_LOAD_BITS>>,
    /// What Z does when the row is left.
    pub z_action: Signal<In, Bits<Z_BITS>>,
    /// What the stride does when the row is left.
    pub stride_action: Signal<In, Bits<STRIDE_BITS>>,
    /// Bank of the count registers.
    pub bank: Signal<In, Bit>,
    /// Effective width.
    pub width: Signal<In, Bits<7>>,
    /// Writes a count register.
    pub count_write: Signal<In, Bit>,
    /// Bank and number of the count register.
    pub count_address: Signal<In, Bits<4>>,
    /// Its value.
    pub count_data: Signal<In, FlaggedCount>,
    /// X is 1.
    pub x_is_one: Signal<Out, Bit>,
    /// Y is 1.
    pub y_is_one: Signal<Out, Bit>,
    /// Width of the command.
    pub command_width: Signal<Out, Bits<7>>,
    /// Count registers, read for X.
    pub x_counts: AsyncRam<FlaggedCount, Bits<4>>,
    /// Count registers, read for Y.
    pub y_counts: AsyncRam<FlaggedCount, Bits<4>>,
    /// Inner loop counter.
    pub x: Register<Bits<7>>,
    /// It is 1.
    pub x_one: Register<Bit>,
    /// Outer loop counter.
    pub y: Register<Bits<7>>,
    /// It is 1.
    pub y_one: Register<Bit>,
    /// Triangular count.
    pub z: Register<Bits<7>>,
    /// It is 1.
    pub z_one: Register<Bit>,
    /// Stride.
    pub stride: Register<Bits<7>>,
    /// It is 1.
    pub stride_one: Register<Bit>,
    /// It is 2.
    pub stride_two: Register<Bit>,
    /// Width of the command.
    pub n: Register<Bits<7>>,
    /// n less the stride, a cycle late when the stride halves.
    pub rest: Register<Bits<7>>,
    /// It is 1.
    pub rest_one: Register<Bit>,
    /// n less twice the stride, a cycle late.
    pub rest_doubled: Register<Bits<7>>,
    /// It is 1.
    pub rest_doubled_one: Register<Bit>,
    /// The effective width less two, a cycle late.
    pub width_less_two: Register<Bits<7>>,
    /// The effective width less three, a cycle late.
    pub width_less_three: Register<Bits<7>>,
    x_address: Signal<Local, Bits<4>>,
    y_address: Signal<Local, Bits<4>>,
    new_rest: Signal<Local, Bits<7>>,
    new_rest_doubled: Signal<Local, Bits<7>>,
}

impl LoopCounters {
    /// Loop counters with their two banks of count registers.
    pub fn new() -> Self {
        LoopCounters { x_counts: AsyncRam::new(16), y_counts: AsyncRam::new(16), ..Self::default() }
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
        self.x_counts.write_address.next = self.count_address.val();
        self.y_counts.write_address.next = self.count_address.val();
        self.x_counts.write_enable.next = self.count_write.val();
        self.y_counts.write_enable.next = self.count_write.val();
        self.x_counts.write_data.next = self.count_data.val();
        self.y_counts.write_data.next = self.count_data.val();
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
            self.x.d.next = self.start_x.val().get_bits::<7>(0);
            self.x_one.d.next = self.start_x.val().get_bit(7);
            self.y.d.next = self.start_y.val().get_bits::<7>(0);
            self.y_one.d.next = self.start_y.val().get_bit(7);
            self.z.d.next = self.start_z.val().get_bits::<7>(0);
            self.z_one.d.next = self.start_z.val().get_bit(7);
            self.stride.d.next = self.start_stride.val().get_bits::<7>(0);
            self.stride_one.d.next = self.start_stride.val().get_bit(7);
            self.stride_two.d.next = self.start_stride_two.val();
            self.rest.d.next = self.start_rest.val().get_bits::<7>(0);
            self.rest_one.d.next = self.start_rest.val().get_bit(7);
            self.rest_doubled.d.next = self.start_rest_doubled.val().get_bits::<7>(0);
            self.rest_doubled_one.d.next = self.start_rest_doubled.val().get_bit(7);
            self.n.d.next = self.start_width.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            "loop_counters",
            "Loop counters X, Y and Z and the loop stride.",
            constants![
                Z_UP,
                Z_DOWN,
                STRIDE_DOUBLE,
                STRIDE_HALVE,
                X_TRIANGLE,
                X_REST,
                X_REST_DOUBLED,
                X_STRIDE,
                X_STRIDE_LESS_ONE,
                X_QUARTER_STRIDE,
                X_WIDTH,
                Y_WIDTH_LESS_TWO,
                Y_WIDTH_LESS_THREE
            ],
        )
    }
}
