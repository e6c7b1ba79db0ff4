//! Model of the loop counters X, Y, Z and the stride.

use super::start_registers::Start;
use bitline_units::array::isa::row::{StrideAction, TriangleAction};
use bitline_units::array::isa::word::{COUNT_REGISTERS, COUNTS, XLoad, YLoad, flow};

/// State of the loop counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopCounters {
    /// Inner loop counter.
    pub x: u8,
    /// Outer loop counter.
    pub y: u8,
    /// Triangular count.
    pub z: u8,
    /// Loop stride.
    pub stride: u8,
    /// Width of the command.
    pub n: u8,
    /// n less the stride, a cycle late when the stride halves.
    pub rest: u8,
    /// n less twice the stride, a cycle late.
    pub rest_doubled: u8,
    /// The effective width less two, a cycle late.
    pub width_less_two: u8,
    /// The effective width less three, a cycle late.
    pub width_less_three: u8,
}

/// What a row that is issued does.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// Its flow word.
    pub word: u128,
    /// It goes back to the head of the inner loop.
    pub inner_back: bool,
    /// It goes back to the head of the outer loop.
    pub outer_back: bool,
    /// Count registers of its bank.
    pub counts: &'a [u8; COUNTS],
}

impl LoopCounters {
    /// One clock edge. `width` is the effective width.
    pub fn step(&mut self, pass: Option<Pass<'_>>, width: u8) {
        let now = *self;
        self.rest = less(now.n, now.stride);
        self.rest_doubled = less(now.n, now.stride << 1);
        self.width_less_two = less(width, 2);
        self.width_less_three = less(width, 3);
        let Some(pass) = pass else { return };
        let word = pass.word;
        if pass.inner_back {
            self.x = less(now.x, 1);
            return;
        }
        self.z = match flow::Z.get(word) {
            z if z == TriangleAction::Up as u64 => (now.z + 1) & 0x7f,
            z if z == TriangleAction::Down as u64 => less(now.z, 1),
            _ => now.z,
        };
        self.stride = match flow::STRIDE.get(word) {
            s if s == StrideAction::Double as u64 => {
                self.rest = now.rest_doubled;
                (now.stride << 1) & 0x7f
            }
            s if s == StrideAction::Halve as u64 => now.stride >> 1,
            s if s == StrideAction::Up as u64 => (now.stride + 1) & 0x7f,
            _ => now.stride,
        };
        let register = |number: u64| pass.counts[number as usize & (COUNTS - 1)];
        self.x = match flow::X_LOAD.get(word) {
            code if code >= COUNT_REGISTERS => register(code),
            code if code == XLoad::Triangle as u64 => now.z,
            code if code == XLoad::Rest as u64 => now.rest,
            code if code == XLoad::RestDoubled as u64 => now.rest_doubled,
            code if code == XLoad::Stride as u64 => now.stride,
            code if code == XLoad::StrideLessOne as u64 => less(now.stride, 1),
            code if code == XLoad::QuarterStride as u64 => now.stride >> 2,
            code if code == XLoad::Width as u64 => width,
            _ => now.x,
        };
        self.y = if pass.outer_back {
            less(now.y, 1)
        } else {
            match flow::Y_LOAD.get(word) {
                code if code >= COUNT_REGISTERS => register(code),
                code if code == YLoad::WidthLessTwo as u64 => now.width_less_two,
                code if code == YLoad::WidthLessThree as u64 => now.width_less_three,
                _ => now.y,
            }
        };
    }

    /// The start values of a command of width `n`.
    pub fn begin(&mut self, start: &Start, n: u8) {
        let Start { x, y, z, stride, rest, rest_doubled, .. } = *start;
        *self = LoopCounters { x, y, z, stride, n, rest, rest_doubled, ..*self };
    }
}

fn less(count: u8, by: u8) -> u8 {
    count.wrapping_sub(by) & 0x7f
}

state! {
    LoopCounters(self) {
        self => x, y, z, stride, n, rest, rest_doubled, width_less_two, width_less_three;
        x_one = self.x == 1;
        y_one = self.y == 1;
        z_one = self.z == 1;
        stride_one = self.stride == 1;
        stride_two = self.stride == 2;
        rest_one = self.rest == 1;
        rest_doubled_one = self.rest_doubled == 1;
    }
}
