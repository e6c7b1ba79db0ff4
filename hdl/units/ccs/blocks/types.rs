//! Types and numbers that the blocks of a cache compute system share.

use std::cell::Cell;

use crate::ccs::CcsGeometry;
use crate::ccs::control::{MAP_LATENCY, reduce_latency};
use crate::kernel::prelude::*;

/// A line's number: its byte address, divided by the bytes of a line.
pub type LineNumber = Bits<30>;
/// A lane's number.
pub type LaneNumber = Bits<7>;
/// A row of the store.
pub type RowNumber = Bits<7>;
/// A fetch's number, modulo the stream rows.
pub type FetchNumber = Bits<5>;

/// First row of lines that are fetched for the unit; the cache's lines are below.
pub const STREAM_ROWS: u64 = 32;
/// The row with the constant in every lane.
pub const CONSTANT_ROW: u64 = 64;
/// Rows of the store.
pub const ROWS: usize = 128;
/// Bit of a byte address that tells registers from memory.
pub const REGISTER_BIT: usize = 31;
/// Steps that may wait for lines that are fetched.
pub const WAITING_STEPS: usize = 8;
/// Result lines that may be on their way.
pub const RESULTS: usize = 32;
/// Writes that memory may still have to acknowledge before the unit stops starting steps.
pub const UNACKNOWLEDGED: u64 = 20;
/// Stages between the mask for the lanes and the one for their results.
const DELAYS: usize = MAP_LATENCY - 2;

/// Elements of a word, in an array's type; the shape that holds has the number. So have the next ones.
pub(super) const PARTS: usize = LANES - 1;
pub(super) const WORDS: usize = LANES - 2;
pub(super) const GROUPS: usize = LANES - 3;
pub(super) const LINES: usize = LANES - 4;
pub(super) const NODES: usize = LANES - 5;
pub(super) const FIRSTS: usize = LANES - 6;
pub(super) const LATENCY: usize = LANES - 7;
pub(super) const BEATS: usize = LANES - 8;
pub(super) const IN_BEAT: usize = LANES - 9;
/// Read ports of memory beside the first.
pub(super) const MORE: usize = LANES - 10;
/// Lines of the cache that the first copy has by itself: all with two ports.
pub(super) const FIRST_LINES: usize = LANES - 11;

/// Numbers of a line's beats.
pub(super) fn beat_numbers() -> Vec<Constant<Bits<5>>> {
    (0..Shape::default().beats as u64).map(|beat| Constant::new(beat.into())).collect()
}

thread_local! {
    static GEOMETRY: Cell<Option<Shape>> = const { Cell::new(None) };
}

/// Keeps a geometry for the blocks that are made on this thread while it lives.
#[must_use]
pub(super) struct Held(Option<Shape>, #[expect(dead_code, reason = "kept for its end")] Sizes);

impl Drop for Held {
    fn drop(&mut self) {
        GEOMETRY.set(self.0);
    }
}

/// A block's `timing` function: module, summary, and constants that it uses by name; `block: …` has the shape's too.
macro_rules! describes {
    ($block:ident: $module:expr, $summary:literal, [$($constants:tt)*]) => {
        fn timing(&self) -> Vec<TimingInfo> {
            let $block = self;
            $block._g.describe($module, $summary, constants![$($constants)*])
        }
    };
    ($module:expr, $summary:literal, [$($constants:tt)*]) => {
        fn timing(&self) -> Vec<TimingInfo> {
            describe($module, $summary, constants![$($constants)*])
        }
    };
}
pub(super) use describes;

macro_rules! shape {
    ($geometry:ident; $($name:ident: $type:ty = $value:expr;)+) => {
        /// A geometry's numbers, as blocks need them: a block has them in its field `_g`, and its expressions use them
        /// by name.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Shape { $(pub $name: $type,)+ }

        impl Shape {
            fn of($geometry: &CcsGeometry) -> Shape {
                $(let $name: $type = $value;)+
                Shape { $($name,)+ }
            }

            /// The answer of a block's `timing` function, with these numbers among the constants.
            #[track_caller]
            pub fn describe(
                &self,
                module: impl Into<String>,
                text: &str,
                constants: &[(&str, u64)],
            ) -> Vec<TimingInfo> {
                let own = [$((concat!("_g$", stringify!($name)), self.$name as u64),)+];
                describe(module, text, &[constants, &own].concat())
            }
        }
    };
}

shape! { g;
    lanes: usize = g.lanes; // And elements of a line.
    lane_count: u64 = lanes as u64;
    lanes_log: u64 = lanes.ilog2().into();
    last_lane: u64 = lane_count - 1;
    two_lines_log: u64 = lanes_log + 1;
    below_two_lines: u64 = 2 * lane_count - 1;
    last: usize = lanes - 1;
    half_lanes: usize = lanes / 2; // Nodes of the tree's first level.
    inner: usize = half_lanes - 1; // Nodes of all others.
    top: usize = lanes - 2; // The last one.
    bits: u64 = g.element_bits as u64; // Of an element.
    half: u64 = bits / 2;
    half_mask: u64 = half - 1;
    sign: u64 = bits - 1; // Place of an element's sign; and the bits of a shift's amount.
    sign_bit: u64 = 1 << sign;
    ones: u64 = g.ones().into();
    below: u64 = ones >> 1; // All bits but the sign.
    lower: u64 = (1 << half) - 1; // Lower half of an element.
    upper: u64 = ones ^ lower;
    carry: u64 = 1 << bits; // The bit above an element.
    wide_ones: u64 = ones | carry;
    // Signs of a factor's parts: only elements of 32 bits reach beyond the low part.
    low_sign: u64 = if bits == 32 { 0 } else { 0x3_ffff & !ones };
    high_sign: u64 = if bits == 32 { 0x3_8000 } else { 0 };
    narrow: bool = bits < 32;
    byte: bool = bits == 8;
    bytes: usize = g.element_bytes();
    bytes_log: u64 = bytes.ilog2().into();
    byte_mask: usize = bytes - 1;
    element_mask: u64 = bytes as u64 - 1;
    strobes: u64 = (1 << bytes) - 1;
    parts: usize = 32 / g.element_bits; // Elements of a word.
    part_log: u64 = parts.ilog2().into();
    last_part: usize = parts - 1;
    words: usize = lanes / parts; // Of a line.
    groups: usize = words.div_ceil(4); // The store's first stage chooses one of up to four words in each.
    group_words: usize = words / groups;
    group_log: u64 = groups.ilog2().into();
    group_mask: u64 = groups as u64 - 1;
    line_bytes: usize = g.line_bytes();
    line_log: u64 = line_bytes.ilog2().into();
    line_mask: u64 = line_bytes as u64 - 1;
    word_mask: u64 = (line_bytes as u64 / 4).max(1) - 1;
    lines: usize = g.lines; // Of the cache.
    index_bits: u64 = lines.ilog2().into();
    index_mask: u64 = lines as u64 - 1;
    limit_log: u64 = REGISTER_BIT as u64 - bytes_log; // Elements of the address space.
    space_mask: u64 = (1 << (REGISTER_BIT as u64 - line_log)) - 1; // Lines of it.
    delayed: usize = DELAYS * lanes; // Registers of the masks.
    kept: usize = delayed - lanes;
    mask_words: usize = lanes.div_ceil(32); // Registers of the stride mask.
    word_lanes: usize = lanes.min(32);
    latency: usize = reduce_latency(lanes);
    firsts: usize = latency - 3; // The last level's value is there two cycles before the result.
    bus_bits: usize = g.memory.bus_bits().max(8); // Without a bus, of nothing.
    bus_bytes: usize = bus_bits / 8;
    bus_log: u64 = bus_bytes.ilog2().into();
    bus_words: usize = bus_bits / 32;
    more: usize = g.read_ports - 1; // Read ports of memory beside the first.
    two: bool = more == 1;
    single: bool = more == 0;
    first_lines: usize = more * lines;
    beats: usize = 8 * line_bytes / bus_bits; // Of a line.
    last_beat: u64 = beats as u64 - 1;
    in_beat: usize = bus_bits / g.element_bits; // Lanes of a beat.
    last_element: u64 = (bus_bits as u64).saturating_sub(bits); // Place of a beat's last one.
}

impl Shape {
    /// Lets a geometry hold.
    pub fn hold(geometry: &CcsGeometry) -> Held {
        let g = Shape::of(geometry);
        let sizes = [
            g.lanes,
            g.parts,
            g.words,
            g.groups,
            g.lines,
            g.last,
            g.firsts,
            g.latency,
            g.beats,
            g.in_beat,
            g.more,
            g.first_lines,
        ];
        Held(GEOMETRY.replace(Some(g)), Sizes::set(&sizes))
    }
}

/// The shape that holds; without one, a placeholder, as blocks are that their parents make anew.
impl Default for Shape {
    fn default() -> Self {
        GEOMETRY.get().unwrap_or_else(|| Shape::of(&CcsGeometry::preset("tiny").expect("named")))
    }
}
