//! Arrays of signals, registers or blocks that are joined and set up as a whole.
//!
//! Their elements are reached by index, as those of a `Vec`. `#[hdl_gen]` writes down an array that is named without
//! index as if it were one signal; the elaborator makes an assignment of each element of it.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use rust_hdl_core::ast::VerilogLink;
use rust_hdl_core::prelude::*;

use super::packed::Packed;
use super::reg::{Domain, SetUp};

/// Instead of a number that is known when the design is compiled: the first of those that [`Sizes`] has. `LANES - 1` is
/// its second, and so on.
pub const LANES: usize = usize::MAX;

const MOST: usize = 16;

thread_local! {
    static SIZES: Cell<[usize; MOST]> = const { Cell::new([0; MOST]) };
}

/// How many elements the arrays of [`LANES`], `LANES - 1`, … get that are made while it lives, on this thread.
#[must_use]
pub struct Sizes([usize; MOST]);

impl Sizes {
    /// Sets the numbers.
    pub fn set(sizes: &[usize]) -> Sizes {
        Sizes(SIZES.replace(std::array::from_fn(|i| sizes.get(i).copied().unwrap_or(0))))
    }
}

impl Drop for Sizes {
    fn drop(&mut self) {
        SIZES.set(self.0);
    }
}

/// What `dff_setup!` connects of an array's elements; there is nothing to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whole;

impl Logic for Whole {
    fn update(&mut self) {}
}

/// The array: `N` elements, or as many as [`LANES`] and what is near it stand for.
pub struct Array<T, const N: usize> {
    items: Vec<T>,
    /// The elements' clocks.
    pub clock: Whole,
    /// The elements' next values.
    pub d: Whole,
}

impl<T, const N: usize> Array<T, N> {
    /// An array of these.
    pub fn of(items: impl IntoIterator<Item = T>) -> Self {
        Array { items: items.into_iter().collect(), clock: Whole, d: Whole }
    }
}

impl<T: Default, const N: usize> Array<T, N> {
    /// So many.
    pub fn new(count: usize) -> Self {
        Array::of((0..count).map(|_| T::default()))
    }
}

impl<T: Default, const N: usize> Default for Array<T, N> {
    fn default() -> Self {
        Array::new(if N > LANES - MOST { SIZES.get()[LANES - N] } else { N })
    }
}

impl<T, const N: usize> Deref for Array<T, N> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.items
    }
}

impl<T, const N: usize> DerefMut for Array<T, N> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.items
    }
}

impl<T: Logic, const N: usize> Logic for Array<T, N> {
    fn update(&mut self) {}
}

impl<T: Block, const N: usize> Block for Array<T, N> {
    fn connect_all(&mut self) {
        self.items.connect_all();
    }

    fn update_all(&mut self) {
        self.items.update_all();
    }

    fn has_changed(&self) -> bool {
        self.items.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.items.accept(name, probe);
    }
}

impl<T: SetUp, const N: usize> SetUp for Array<T, N> {
    fn set_up(&mut self, clock: Domain) {
        self.items.iter_mut().for_each(|item| item.set_up(clock));
    }
}

impl<D: Direction, T: Packed, const N: usize> LogicLink for Array<Signal<D, T>, N>
where
    Signal<D, T>: LogicLink,
{
    fn link(&mut self, other: &mut Self) {
        self.items.iter_mut().zip(&mut other.items).for_each(|(a, b)| a.link(b));
    }

    fn link_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        <Signal<D, T> as LogicLink>::link_hdl(my_name, this, that)
    }

    fn link_connect_source(&mut self) {
        self.items.iter_mut().for_each(LogicLink::link_connect_source);
    }

    fn link_connect_dest(&mut self) {
        self.items.iter_mut().for_each(LogicLink::link_connect_dest);
    }
}

impl<D: Direction, T: Packed, const N: usize> LogicJoin for Array<Signal<D, T>, N>
where
    Signal<D, T>: LogicJoin,
{
    fn join_connect(&mut self) {
        self.items.iter_mut().for_each(LogicJoin::join_connect);
    }
}

macro_rules! joined {
    ($($near:ident $far:ident),+) => {$(
        impl<T: Packed, const N: usize> Array<Signal<$near, T>, N> {
            /// Joins the elements to those of the other end.
            pub fn join(&mut self, other: &mut Array<Signal<$far, T>, N>) {
                self.items.iter_mut().zip(&mut other.items).for_each(|(a, b)| a.join(b));
            }

            /// The same, for the elaborator.
            pub fn join_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
                Signal::<$near, T>::join_hdl(my_name, this, that)
            }
        }
    )+};
}

joined!(In Out, Out In);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::{constants, describe};
    use crate::elaborate::elaborate;
    use crate::error::Result;
    use crate::netlist::Netlist;
    use crate::reg::{Pipe, dff_setup};

    crate::bundle! {
        /// Values of all lanes.
        pub Taken "Given", Given "Taken" {
            /// The values.
            In values: [Bits<8>; LANES],
            /// They are taken.
            Out ready: [Bit; 2],
        }
    }

    /// Delays values of all lanes, as a whole or one by one.
    #[derive(LogicBlock, Default)]
    struct Delay {
        clock: Signal<In, Domain>,
        source: Taken,
        sink: Given,
        kept: Array<Pipe<Bits<8>>, LANES>,
        _lanes: usize,
    }

    impl Logic for Delay {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, kept);
            for i in 0..self._lanes {
                self.kept[i].d.next = self.source.values[i].val();
                self.sink.values[i].next = self.kept[i].q.val();
            }
            for i in 0..2 {
                self.source.ready[i].next = self.sink.ready[i].val();
            }
        }

        fn timing(&self) -> Vec<TimingInfo> {
            describe("delay", "Delays.", constants![; self._lanes])
        }
    }

    /// Two of them.
    #[derive(LogicBlock, Default)]
    struct Delays {
        clock: Signal<In, Domain>,
        source: Taken,
        sink: Given,
        first: Delay,
        second: Delay,
        idle: Array<Pipe<Bits<8>>, 3>,
        unused_idle: Signal<Local, Bits<8>>,
    }

    impl Logic for Delays {
        #[hdl_gen]
        fn update(&mut self) {
            clock!(self, clock, first, second);
            dff_setup!(self, clock, idle);
            Taken::link(&mut self.source, &mut self.first.source);
            Given::join(&mut self.first.sink, &mut self.second.source);
            Given::link(&mut self.sink, &mut self.second.sink);
            self.unused_idle.next = self.idle[0].q.val() ^ self.idle[1].q.val() ^ self.idle[2].q.val();
        }

        fn timing(&self) -> Vec<TimingInfo> {
            describe("delays", "Delays twice.", constants![])
        }
    }

    fn delays(lanes: usize) -> Result<Netlist> {
        let _sizes = Sizes::set(&[lanes]);
        let mut top = Delays::default();
        (top.first._lanes, top.second._lanes) = (lanes, lanes);
        top.connect_all();
        elaborate(&top)
    }

    #[test]
    fn arrays_are_joined_element_by_element() {
        for lanes in [1, 3] {
            let netlist = delays(lanes).unwrap_or_else(|e| panic!("{e}"));
            let top = netlist.top();
            let names: Vec<&str> = top.ports.iter().map(|port| top.net(port.net).name.as_str()).collect();
            let ends = ["source", "sink"].map(|end| {
                let values = (0..lanes).map(move |i| format!("{end}_values_{i}"));
                values.chain((0..2).map(move |i| format!("{end}_ready_{i}")))
            });
            assert_eq!(names, ends.into_iter().flatten().collect::<Vec<_>>());
            assert_eq!(top.registers.len(), 3);
        }
    }
}
