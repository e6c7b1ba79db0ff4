//! Pages of a launch on the whole unit: where they lie in memory, and which ones control blocks have for themselves.

use std::collections::{BTreeMap, HashSet};

use bitline_units::duality::registers::{MOST_PAGES, PAGES, page_word};
use rand::Rng;

use super::{PAGE, UnitMachine};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::model::duality::FlatMemory;

impl<E: Engine> UnitMachine<E> {
    /// Maps pages for what each control block but the first has of so many bytes, and says how far they are apart.
    pub(super) fn step(&self, memory: &mut FlatMemory, base: u32, bytes: u32) -> Result<u32> {
        let others = 1..if bytes == 0 { 1 } else { self.params.blocks as u32 };
        if others.is_empty() {
            return Ok(0);
        }
        let entries: HashSet<u32> = memory.pages().map(|(page, _)| page % MOST_PAGES as u32).collect();
        let free = |step: u32| {
            let mut seen = entries.clone();
            let mut pages = others.clone().flat_map(|k| {
                let first = base.wrapping_add(k.wrapping_mul(step));
                first / PAGE..=first.saturating_add(bytes - 1) / PAGE
            });
            pages.all(|page| seen.insert(page % MOST_PAGES as u32))
        };
        let most = MOST_PAGES as u32;
        let step = (bytes.div_ceil(PAGE)..most).map(|pages| (pages + 1) * PAGE).find(|&step| free(step));
        let rule = "there are not as many pages free as control blocks need for it";
        let step = step.ok_or_else(|| Error::parameter("base", base, rule))?;
        others.for_each(|k| memory.map(base.wrapping_add(k.wrapping_mul(step)), bytes, true));
        Ok(step)
    }

    /// Writes the page table, and memory as the pages hold it. Returns where each page is, and a place for the program.
    pub(super) fn map(&mut self, memory: &FlatMemory) -> Result<(BTreeMap<u32, u32>, u32)> {
        let mut entries = vec![0; MOST_PAGES];
        let mut places = BTreeMap::new();
        self.words.clear();
        let first: u32 = self.rng.random_range(0..1 << 16);
        let place = |page: u32| first.wrapping_add(page.wrapping_mul(0x9e5)) % (1 << 16);
        for (page, writable) in memory.pages() {
            let entry = &mut entries[page as usize % MOST_PAGES];
            if *entry != 0 {
                let rule = format!("no two pages may be the same modulo {MOST_PAGES}");
                return Err(Error::parameter("page", page, rule));
            }
            *entry = page_word(page, place(page) as u16, writable);
            places.insert(page, place(page));
            for at in (0..PAGE).step_by(8) {
                match memory.read(page * PAGE + at, 8) {
                    0 => {}
                    word => drop(self.words.insert((place(page) * PAGE + at) / 8, word)),
                }
            }
        }
        for (number, entry) in entries.into_iter().enumerate() {
            self.must(PAGES + 4 * number as u64, entry);
        }
        // A program of up to 65,536 words takes sixteen pages.
        let taken = |from: u32| places.values().any(|&place| place.wrapping_sub(from) < 16);
        let free = (0..(1 << 16) - 16).find(|&from| !taken(from)).expect("memory is not full");
        Ok((places, free * PAGE))
    }
}
