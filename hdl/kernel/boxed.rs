//! Blocks on the heap.

use std::ops::{Deref, DerefMut};

use rust_hdl_core::prelude::*;

/// A block on the heap: the whole is small, however large its parts are. In `#[hdl_gen]` and in Verilog it is the block
/// itself.
///
/// Blocks hold their children inline, and are moved as they are made: a large one may ask for more stack than a
/// thread has.
pub struct Boxed<T>(Box<T>);

impl<T> Boxed<T> {
    /// The block that `make` returns. Only its way to the heap needs room on the stack.
    #[inline(never)] // Or several of them would need room at the same time.
    pub fn new(make: impl FnOnce() -> T) -> Boxed<T> {
        Boxed(Box::new(make()))
    }
}

impl<T: Default> Default for Boxed<T> {
    fn default() -> Boxed<T> {
        Boxed::new(T::default)
    }
}

impl<T> Deref for Boxed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Boxed<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Logic> Logic for Boxed<T> {
    fn update(&mut self) {
        self.0.update();
    }
}

impl<T: Block> Block for Boxed<T> {
    fn connect_all(&mut self) {
        self.0.connect_all();
    }

    fn update_all(&mut self) {
        self.0.update_all();
    }

    fn has_changed(&self) -> bool {
        self.0.has_changed()
    }

    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.0.accept(name, probe);
    }
}
