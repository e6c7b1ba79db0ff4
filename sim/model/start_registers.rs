//! Model of the start registers: what the micro-program of a command starts from.

use bitline_units::array::isa::word::{Destination, START_CARRY, START_KEEP_TAG, START_SCAN};
use bitline_units::array::params::ROW_ADDRESS_BITS;

/// What a command starts from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// As many ones as the command's width, a cycle late.
    pub width_rows: u64,
    /// First row of the micro-program.
    pub entry: u16,
    /// X.
    pub x: u8,
    /// Y.
    pub y: u8,
    /// Z.
    pub z: u8,
    /// I (row-address bits).
    pub i: u16,
    /// Loop stride.
    pub stride: u8,
    /// Width of the command less the stride, a cycle late.
    pub rest: u8,
    /// Width of the command less twice the stride, a cycle late.
    pub rest_doubled: u8,
    /// Smallest effective width.
    pub min_width: u8,
    /// The command may stop early.
    pub stop: bool,
    /// Key.
    pub key: u64,
    /// C starts at 1.
    pub carry: bool,
    /// T keeps its value.
    pub keep_tag: bool,
    /// The key scanner starts at once.
    pub scan: bool,
}

impl Start {
    /// A command with this key comes in: defaults.
    pub fn load(&mut self, key: u64) {
        let Start { width_rows, rest, rest_doubled, .. } = *self;
        *self = Start { x: 1, y: 1, stride: 1, key, width_rows, rest, rest_doubled, ..Start::default() };
    }

    /// What follows from the width `n` and the stride, at every clock edge.
    pub fn settle(&mut self, n: u8) {
        self.width_rows = ones(n);
        self.rest = n.wrapping_sub(self.stride) & 0x7f;
        self.rest_doubled = n.wrapping_sub(self.stride << 1) & 0x7f;
    }

    /// A value is written.
    pub fn store(&mut self, to: usize, value: i32) {
        let count = (value & 0x7f) as u8;
        match to {
            to if to == Destination::X as usize => self.x = count,
            to if to == Destination::Y as usize => self.y = count,
            to if to == Destination::Z as usize => self.z = count,
            to if to == Destination::I as usize => self.i = value as u16 & ((1 << ROW_ADDRESS_BITS) - 1),
            to if to == Destination::Stride as usize => self.stride = count,
            to if to == Destination::MinWidth as usize => self.min_width = count,
            to if to == Destination::Stop as usize => self.stop = value == 0,
            to if to == Destination::KeyOnes as usize => self.key = ones(count),
            _ => {}
        }
    }

    /// The command is complete. Bits of the key beyond its width mean nothing.
    pub fn complete(&mut self, entry: u16, flags: u64, width_rows: u64) {
        self.entry = entry;
        self.key &= width_rows;
        self.carry = flags & START_CARRY != 0;
        self.keep_tag = flags & START_KEEP_TAG != 0;
        self.scan = flags & START_SCAN != 0;
    }
}

/// `count` ones.
pub fn ones(count: u8) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// A count with the flag that says whether it is 1.
pub fn flagged(count: u8) -> u64 {
    u64::from(count) | u64::from(count == 1) << 7
}

state! {
    Start(self) {
        self => width_rows, entry, i, min_width, stop, key, carry, keep_tag, scan;
        x = flagged(self.x);
        y = flagged(self.y);
        z = flagged(self.z);
        stride = flagged(self.stride);
        stride_two = self.stride == 2;
        rest = flagged(self.rest);
        rest_doubled = flagged(self.rest_doubled);
    }
}
