//! Words and lines that are written, as one array of lanes: a word's elements are in every group of lanes that holds a
//! word.
//!
//! ```text
//!  word ─▶ elements ─┐
//!  line ─────────────┴─▶ data
//! ```
//!
//! Combinational. Which lanes count is for the writer to say.

use crate::ccs::blocks::types::{PARTS, Shape, describes};
use crate::kernel::prelude::*;

/// The block.
#[derive(LogicBlock, Default)]
pub struct CcsWriteMerge {
    pub(super) word: Signal<In, Bit>,                     // A word is written, no line.
    pub(super) value: Signal<In, Bits<32>>,               // The word.
    pub(super) line: Array<Signal<In, Bits<32>>, LANES>,  // The line.
    pub(super) data: Array<Signal<Out, Bits<32>>, LANES>, // What is written.
    rests: Array<Signal<Local, Bits<32>>, PARTS>,
    parts: Array<Signal<Local, Bits<32>>, PARTS>,
    _g: Shape,
}

impl Logic for CcsWriteMerge {
    #[hdl_gen]
    fn update(&mut self) {
        self.rests[0].next = self.value.val();
        self.parts[0].next = self.rests[0].val() & self._g.ones;
        for p in 1..self._g.parts {
            self.rests[p].next = self.rests[p - 1].val() >> self._g.bits;
            self.parts[p].next = self.rests[p].val() & self._g.ones;
        }
        for w in 0..self._g.words {
            for p in 0..self._g.parts {
                self.data[self._g.parts * w + p].next = self.line[self._g.parts * w + p].val();
                if self.word.val() {
                    self.data[self._g.parts * w + p].next = self.parts[p].val();
                }
            }
        }
    }

    describes!(block: format!("ccs_write_merge_{}_{}", block._g.lanes, block._g.bits),
        "Words and lines that are written, as lanes.", []);
}
