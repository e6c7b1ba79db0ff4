//! Model of the translation of addresses, from its contract: what is on its way, and the table.

use bitline_units::duality::isa::codes::{GENERIC_SHARED, Space, Trap};

use super::look::line;
use crate::state::{Contents, Words};

/// Entries of the table.
pub const PAGES: usize = 256;
/// log2 of a page's bytes.
const PAGE_BITS: u32 = 16;

/// The translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translate {
    /// The table.
    pub table: Vec<u64>,
    /// An address that has come, and the one before it, with the entry that was read for it.
    first: Option<Item>,
    second: Option<(Asked, u32)>,
}

/// An address that was placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    item: Item,
    /// Where that is in the space of pages.
    place: u32,
    /// It counts from the window of the thread's CTA, and whether it is outside.
    window: bool,
    outside: bool,
    /// It is a multiple of an element's bytes.
    aligned: bool,
}

/// An address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// It is asked for.
    pub chosen: bool,
    /// The address.
    pub address: u32,
    /// Where the window of the thread's CTA begins.
    pub window: u32,
    /// The thread.
    pub thread: u16,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranslateInputs {
    /// An entry of the table is written: which one, and what it holds then.
    pub page: Option<(u8, u32)>,
    /// What addresses count in.
    pub space: u8,
    /// log2 of an element's bytes.
    pub element: u8,
    /// Elements are written.
    pub writes: bool,
    /// Bytes of a window.
    pub shared_bytes: u32,
    /// Addresses move on.
    pub advance: bool,
    /// An address comes.
    pub item: Option<Item>,
}

/// An address that goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// It is asked for.
    pub chosen: bool,
    /// It counts from the CTA's window.
    pub window: bool,
    /// Its place in memory.
    pub place: u32,
    /// Its line in the space of pages.
    pub page_line: u32,
    /// What the thread has asked for.
    pub asked: u32,
    /// The thread.
    pub thread: u16,
    /// Why it is refused, or 0.
    pub trap: u8,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TranslateOutputs {
    /// An address goes out.
    pub out: Option<Translated>,
    /// Nothing is under way.
    pub empty: bool,
}

impl Translate {
    /// A translation with this table.
    pub fn new(table: Vec<u64>) -> Translate {
        Translate { table, first: None, second: None }
    }

    /// What is shown while elements are written or not.
    pub fn shown(&self, writes: bool) -> TranslateOutputs {
        let out = self.second.map(|(asked, entry)| {
            let [valid, writable] = [31, 30].map(|bit| entry >> bit & 1 == 1);
            let known = valid && entry >> 16 & 0x3fff == asked.place >> (PAGE_BITS + PAGES.ilog2());
            let trap = if asked.outside {
                Trap::Window as u8
            } else if !asked.aligned {
                Trap::Misaligned as u8
            } else if !known {
                Trap::Unmapped as u8
            } else if writes && !writable {
                Trap::ReadOnly as u8
            } else {
                0
            };
            let Item { chosen, address, thread, .. } = asked.item;
            let place = entry << PAGE_BITS | asked.place & 0xffff;
            Translated {
                chosen,
                window: asked.window,
                place,
                page_line: line(asked.place),
                asked: address,
                thread,
                trap,
            }
        });
        TranslateOutputs { out, empty: self.first.is_none() && self.second.is_none() }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &TranslateInputs) -> TranslateOutputs {
        let shown = self.shown(inputs.writes);
        if inputs.advance {
            self.second = self.first.map(|item| {
                let within = match Space::from_code(inputs.space.into()) {
                    Some(Space::Shared) => Some(item.address),
                    Some(Space::Generic) => item.address.checked_sub(GENERIC_SHARED),
                    _ => None,
                };
                let place = within.map_or(item.address, |within| item.window.wrapping_add(within));
                let outside = within.is_some_and(|within| within >= inputs.shared_bytes);
                let entry = self.table[(place >> PAGE_BITS) as usize % PAGES] as u32;
                let aligned = place.is_multiple_of(1 << inputs.element);
                (Asked { item, place, window: within.is_some(), outside, aligned }, entry)
            });
            self.first = inputs.item;
        }
        if let Some((number, entry)) = inputs.page {
            self.table[usize::from(number)] = entry.into();
        }
        shown
    }

    /// A clock edge with the reset on has passed: the table keeps its entries.
    pub fn reset(&mut self) {
        (self.first, self.second) = (None, None);
    }
}

state! {
    Translate(self) {
        memory (table_) = Contents::always(PAGES, Words::Flat(&self.table));
        first = self.first.is_some();
        when (let Some(first) = self.first) {
            first_chosen = first.chosen;
            first_asked = first.address;
            first_thread = first.thread;
            first_from = first.window;
        }
        second = self.second.is_some();
        when (let Some((second, entry)) = self.second) {
            second_chosen = second.item.chosen;
            second_asked = second.item.address;
            second_thread = second.item.thread;
            second_place = second.place;
            second_outside = second.outside;
            second_window = second.window;
            second_aligned = second.aligned;
        }
    }

    TranslateInputs(self) {
        page_write = self.page.is_some();
        page_number = self.page.map(|page| page.0);
        page_entry = self.page.map(|page| page.1);
        self => space, element, writes, shared_bytes, advance;
        valid = self.item.is_some();
        when (let Some(item) = self.item) {
            item => chosen, address, window, thread;
        }
    }

    TranslateOutputs(self) {
        self => empty;
        out_valid = self.out.is_some();
        when (let Some(out) = self.out) {
            out_chosen = out.chosen;
            out_window = out.window;
            place = out.place;
            page_line = out.page_line;
            asked = out.asked;
            out_thread = out.thread;
            refused = out.trap != 0;
            trap = out.trap;
        }
    }
}
