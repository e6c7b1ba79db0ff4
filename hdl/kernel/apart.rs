//! Blocks that stand apart from what is around them: a unit in a system whose other units have the same parts, of other
//! widths and with other contents.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use rust_hdl_core::prelude::*;

use super::boxed::Boxed;
use super::nominal::Snapshot;

thread_local! {
    static FAMILY: Cell<&'static str> = const { Cell::new("") };
}

/// A module's name, with that of the family in front of it which is walked through.
pub(crate) fn named(module: String) -> String {
    let family = FAMILY.get();
    if family.is_empty() || module.starts_with(family) { module } else { format!("{family}_{module}") }
}

/// A block on the heap in which words have the widths that held when it was made, whatever holds outside. The modules
/// of all its parts have the family's name in front of their own. In `#[hdl_gen]` and in Verilog it is the block
/// itself.
pub struct Apart<T> {
    block: Boxed<T>,
    widths: Snapshot,
    family: &'static str,
}

impl<T> Apart<T> {
    /// The block that `make` returns.
    pub fn new(family: &'static str, make: impl FnOnce() -> T) -> Apart<T> {
        Apart { block: Boxed::new(make), widths: Snapshot::take(), family }
    }
}

impl<T: Default> Default for Apart<T> {
    fn default() -> Apart<T> {
        Apart::new("", T::default)
    }
}

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.block
    }
}

impl<T> DerefMut for Apart<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.block
    }
}

impl<T: Logic> Logic for Apart<T> {
    fn update(&mut self) {
        let _widths = self.widths.enter();
        self.block.update();
    }
}

impl<T: Block> Block for Apart<T> {
    fn connect_all(&mut self) {
        let _widths = self.widths.enter();
        self.block.connect_all();
    }

    fn update_all(&mut self) {
        let _widths = self.widths.enter();
        self.block.update_all();
    }

    fn has_changed(&self) -> bool {
        self.block.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        let _widths = self.widths.enter();
        let around = FAMILY.replace(self.family);
        self.block.accept(name, probe);
        FAMILY.set(around);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::{constants, describe};
    use crate::elaborate::elaborate;
    use crate::error::Result;
    use crate::netlist::Netlist;
    use crate::nominal::{Row, Widths};
    use crate::packed::RowWord;
    use crate::reg::{Domain, Pipe, dff_setup};

    /// A row a cycle later, and whether it has a 1.
    #[derive(LogicBlock, Default)]
    struct Part {
        clock: Signal<In, Domain>,
        fill: Signal<In, Bit>,
        any: Signal<Out, Bit>,
        row: Pipe<Row>,
    }

    impl Logic for Part {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, row);
            self.row.d.next = 0.into();
            if self.fill.val() {
                self.row.d.next = !self.row.q.val();
            }
            self.any.next = self.row.q.val().any();
        }

        fn timing(&self) -> Vec<TimingInfo> {
            describe("part", "A row.", constants![])
        }
    }

    /// A part for wide rows, and one for narrow ones.
    #[derive(LogicBlock, Default)]
    struct Both {
        clock: Signal<In, Domain>,
        fill: Signal<In, Bit>,
        any: Signal<Out, Bit>,
        wide: Part,
        narrow: Apart<Part>,
    }

    impl Logic for Both {
        #[hdl_gen]
        fn update(&mut self) {
            clock!(self, clock, wide, narrow);
            self.wide.fill.next = self.fill.val();
            self.narrow.fill.next = self.fill.val();
            self.any.next = self.wide.any.val() ^ self.narrow.any.val();
        }

        fn timing(&self) -> Vec<TimingInfo> {
            describe("both", "Two rows.", constants![])
        }
    }

    fn both(family: &'static str) -> Result<Netlist> {
        let narrow = {
            let _widths = Widths::keep().set::<Row>(8);
            Apart::new(family, Part::default)
        };
        let _widths = Widths::keep().set::<Row>(100);
        let mut top = Both { narrow, ..Both::default() };
        top.connect_all();
        elaborate(&top)
    }

    #[test]
    fn parts_of_one_name_have_their_own_widths() {
        let netlist = both("small").unwrap_or_else(|e| panic!("{e}"));
        let widths: Vec<(&str, u32)> = netlist.modules[..2]
            .iter()
            .map(|module| (module.name.as_str(), module.net(module.registers[0].net).width))
            .collect();
        assert_eq!(widths, [("bl_part", 100), ("bl_small_part", 8)]);
        let message = both("").expect_err("two structures of one name").to_string();
        assert!(message.contains("two different structures have this module name"), "{message}");
    }
}
