//! Replacement in the cache ways: a tree of bits for each set, of which each points to the half that was used less
//! recently (tree-PLRU).
//!
//! ```text
//!             node 0                    1: the right half is older
//!         ┌─────┴─────┐
//!       node 1      node 2
//!      way 0  1    way 2  3
//! ```
//!
//! `victim` is a way of the set that `read_line` has named in the cycle before, of whose lines `line` must be one: the
//! first that serves and holds nothing (`free`), else the one to which the nodes point, where a half without a way that
//! serves is never taken. It is none if no way serves. With `touch` the nodes above `touched` turn away from it at the
//! end of the cycle; without one they stay. `clear` makes the nodes of the set of `line` 0. Memories are not reset:
//! whoever uses them clears all sets first.

use super::LineNumber;
use crate::duality::cache_params::CacheParams;
use crate::kernel::prelude::*;

/// Nodes and leaves.
const PLACES: usize = LANES;

hdl_block! {
    /// The replacement.
    pub DualityCacheReplacement {
        In clock: Domain; /// Clock and reset.
        In read_line: LineNumber; /// A line of the set that is read.
        In line: LineNumber; /// A line of the set that was read.
        In serving: CacheWays; /// Ways that may be used.
        In free: CacheWays; /// Ways of the set that hold nothing.
        Out victim: CacheWays; /// The way that a line gets.
        In touch: Bit; /// A way of the set is used.
        In touched: CacheWays; /// This one.
        In clear: Bit; /// The nodes become 0.
    } inside {
        Child orders: Ram<CacheOrder, LineNumber>; // The nodes of each set.
        Register wrote: Bit; // Nodes were written in the cycle before.
        Pipe wrote_line: LineNumber; // A line of their set.
        Pipe wrote_order: CacheOrder; // What they have become.
        Local order, turned: CacheOrder;
        Local empty, first, oldest: CacheWays;
        Child any: Array<Signal<Local, Bit>, PLACES>; // A way below serves.
        Child below: Array<Signal<Local, Bit>, PLACES>; // The way that is used is below.
        Child way: Array<Signal<Local, Bit>, PLACES>; // The nodes point here.
        Local right, unused_way, unused_order: Bit;
        Value _ways, _leaves, _nodes, _last: usize;
        Value _set_mask: u64;
    }
}

impl DualityCacheReplacement {
    /// For a cache with these parameters.
    pub fn new(params: &CacheParams) -> Self {
        let _nodes = params.leaves() - 1;
        DualityCacheReplacement {
            orders: Ram::new(params.sets, RamStyle::Auto),
            _ways: params.ways,
            _leaves: params.leaves(),
            _nodes,
            _last: _nodes - 1,
            _set_mask: params.sets as u64 - 1,
            ..Self::default()
        }
    }
}

impl Logic for DualityCacheReplacement {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, orders);
        dff_setup!(self, clock, wrote, wrote_line, wrote_order);
        self.orders.read_address.next = self.read_line.val();
        self.orders.read_enable.next = true;
        self.order.next = self.orders.read_data.val();
        // They were read while they were still being written.
        if self.wrote.q.val() & (((self.wrote_line.q.val() ^ self.line.val()) & self._set_mask) == 0) {
            self.order.next = self.wrote_order.q.val();
        }
        for i in 0..self._leaves {
            self.any[self._nodes + i].next = false;
            self.below[self._nodes + i].next = false;
        }
        for i in 0..self._ways {
            self.any[self._nodes + i].next = self.serving.val().get_bit(i);
            self.below[self._nodes + i].next = self.touched.val().get_bit(i);
        }
        for i in 0..self._nodes {
            self.any[self._last - i].next =
                self.any[2 * (self._last - i) + 1].val() | self.any[2 * (self._last - i) + 2].val();
            self.below[self._last - i].next =
                self.below[2 * (self._last - i) + 1].val() | self.below[2 * (self._last - i) + 2].val();
        }
        self.way[0].next = self.any[0].val();
        self.turned.next = self.order.val();
        for i in 0..self._nodes {
            self.right.next = (self.order.val().get_bit(i) & self.any[2 * i + 2].val()) | !self.any[2 * i + 1].val();
            self.way[2 * i + 1].next = self.way[i].val() & !self.right.val();
            self.way[2 * i + 2].next = self.way[i].val() & self.right.val();
            self.turned.next = self.turned.val().replace_bit(
                i,
                self.below[2 * i + 1].val() | (self.order.val().get_bit(i) & !self.below[2 * i + 2].val()),
            );
        }
        self.oldest.next = 0.into();
        for i in 0..self._ways {
            self.oldest.next = self.oldest.val().replace_bit(i, self.way[self._nodes + i].val());
        }
        // A single way leaves nothing to choose.
        self.unused_order.next = self.order.val().get_bit(0);
        self.unused_way.next = self.below[0].val();
        for i in self._ways..self._leaves {
            self.unused_way.next = self.unused_way.val() | self.way[self._nodes + i].val();
        }
        self.empty.next = self.free.val() & self.serving.val();
        self.first.next = self.empty.val() & (!self.empty.val() + 1);
        self.victim.next = self.oldest.val();
        if self.empty.val().any() {
            self.victim.next = self.first.val();
        }
        self.orders.write_enable.next = self.touch.val() | self.clear.val();
        self.orders.write_address.next = self.line.val();
        self.orders.write_data.next = self.turned.val();
        if self.clear.val() {
            self.orders.write_data.next = 0.into();
        }
        self.wrote.d.next = self.touch.val();
        self.wrote_line.d.next = self.line.val();
        self.wrote_order.d.next = self.turned.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        describe(
            format!("duality_cache_replacement_{}x{}", self._ways, self._set_mask + 1),
            "Which way of a set a line gets.",
            constants![; self._ways, self._leaves, self._nodes, self._last, self._set_mask],
        )
    }
}
