//! Pages of a launch on the whole unit: where they lie in memory.

use std::collections::BTreeMap;

use bitline_units::duality::registers::PAGES;
use rand::Rng;

use super::super::launching::page_table;
use super::{PAGE, UnitMachine};
use crate::engine::Engine;
use crate::error::Result;
use crate::model::duality::FlatMemory;

impl<E: Engine> UnitMachine<E> {
    /// Writes the page table, and memory as the pages hold it. Returns where each page is, and a place for the program.
    pub(super) fn map(&mut self, memory: &FlatMemory) -> Result<(BTreeMap<u32, u32>, u32)> {
        let mut places = BTreeMap::new();
        self.words.clear();
        let first: u32 = self.rng.random_range(0..1 << 16);
        let place = |page: u32| first.wrapping_add(page.wrapping_mul(0x9e5)) % (1 << 16);
        let table = page_table(memory.pages().map(|(page, writable)| (page, place(page) as u16, writable)))?;
        for (page, _) in memory.pages() {
            places.insert(page, place(page));
            for at in (0..PAGE).step_by(8) {
                match memory.read(page * PAGE + at, 8) {
                    0 => {}
                    word => drop(self.words.insert((place(page) * PAGE + at) / 8, word)),
                }
            }
        }
        for (number, entry) in table.into_iter().enumerate() {
            self.must(PAGES + 4 * number as u64, entry);
        }
        // A program of up to 65,536 words takes sixteen pages.
        let taken = |from: u32| places.values().any(|&place| place.wrapping_sub(from) < 16);
        let free = (0..(1 << 16) - 16).find(|&from| !taken(from)).expect("memory is not full");
        Ok((places, free * PAGE))
    }
}
