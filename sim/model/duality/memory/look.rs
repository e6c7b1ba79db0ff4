//! Model of the look at addresses, from its contract: addresses go to their translation, and what comes of them.

use bitline_units::duality::isa::Word;
use bitline_units::duality::isa::codes::{MemoryOp, Source};
use bitline_units::duality::isa::field::{ELEMENT, IMMEDIATE, MEMORY_OP, SCALE, SOURCE, SPACE};

use super::translate::{Item, Translate, TranslateInputs, TranslateOutputs, Translated};

/// A thread's place in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub address: u32,
    /// The thread takes part.
    pub part: bool,
    /// It is in the window of its CTA.
    pub window: bool,
    /// It is in the line of the thread before it, of those that take part.
    pub same: bool,
}

impl Place {
    /// As it is kept: the address in bits 31:0, bit 32 whether the thread takes part, bit 33 whether it is in a window,
    /// bit 34 whether it is in the line of the one before.
    pub fn packed(self) -> u64 {
        let [part, window, same] = [self.part, self.window, self.same].map(u64::from);
        u64::from(self.address) | part << 32 | window << 33 | same << 34
    }

    /// The other way round.
    pub fn of(word: u64) -> Place {
        let [part, window, same] = [32, 33, 34].map(|bit| word >> bit & 1 == 1);
        Place { address: word as u32, part, window, same }
    }
}

/// The number of a line of 64 bytes.
pub fn line(address: u32) -> u32 {
    address / 64
}

/// The look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Addresses under way.
    pub translate: Translate,
    /// What all addresses have in common.
    start: u32,
    /// The piece whose place is noted next.
    piece: u16,
    /// The first address that was refused: its thread, if that is told, and what was asked for.
    refused: Option<(Option<u16>, u32)>,
    /// The line that an address has asked for last, in the space of pages.
    near: Option<u32>,
    /// The address that goes out waits, and was refused in the cycle before.
    denied: bool,
}

/// What it gets in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookInputs {
    /// An entry of the page table is written.
    pub page: Option<(u8, u32)>,
    /// Bytes of a shared window.
    pub shared_bytes: u32,
    /// The word.
    pub word: Word,
    /// Its scalar register.
    pub scalar: u32,
    /// A word begins.
    pub begin: bool,
    /// There is an address of a thread: what rows hold for it.
    pub item: Option<LookItem>,
    /// The word moves spill rows; log2 of the bytes of a piece.
    pub spills: bool,
    /// See `spills`.
    pub log_piece: u8,
    /// Places of pieces are noted.
    pub numbers: bool,
    /// A line that is asked for is taken.
    pub hint_ready: bool,
    /// Places are read from at once.
    pub direct: bool,
    /// One has been.
    pub direct_goes: bool,
}

/// An address of a thread, or of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookItem {
    /// There is such a thread.
    pub there: bool,
    /// The word chooses it.
    pub chosen: bool,
    /// What its rows of addresses hold.
    pub element: u32,
    /// The thread.
    pub thread: u16,
    /// Where the window of its CTA begins.
    pub window: u32,
    /// Where the piece is.
    pub piece_address: u32,
}

/// What it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookOutputs {
    /// The address is taken.
    pub turn: bool,
    /// A line is asked for, whose bytes these are.
    pub hint: Option<u32>,
    /// There is a place; of which thread or piece, and whether it is noted.
    pub place: Option<(u16, Place)>,
    /// See `place`.
    pub note: bool,
    /// Its thread asks for it, as far as is known.
    pub asks: bool,
    /// Why an address is refused, or 0.
    pub trap: u8,
    /// The first one that was: its thread, if that is told, and what was asked for.
    pub refused: Option<(Option<u16>, u32)>,
    /// Nothing is under way.
    pub empty: bool,
}

impl Look {
    /// A look with this table of pages.
    pub fn new(table: Vec<u64>) -> Look {
        Look { translate: Translate::new(table), start: 0, piece: 0, refused: None, near: None, denied: false }
    }

    /// log2 of an element's bytes.
    fn element(inputs: &LookInputs) -> u8 {
        if inputs.spills { inputs.log_piece } else { inputs.word.get(ELEMENT) as u8 }
    }

    fn writes(inputs: &LookInputs) -> bool {
        inputs.word.get(MEMORY_OP) != MemoryOp::Load.code()
    }

    fn translated(&self, inputs: &LookInputs) -> TranslateOutputs {
        self.translate.shown(Self::writes(inputs))
    }

    /// What is shown in this cycle.
    pub fn shown(&self, inputs: &LookInputs) -> LookOutputs {
        let TranslateOutputs { out, empty } = self.translated(inputs);
        let granted = |out: &Translated| out.chosen && out.trap == 0;
        // Whether it is refused is late, and counts in the next cycle.
        let asks = out.is_some_and(|out| out.chosen) && !self.denied;
        let same = out.is_some_and(|out| self.near == Some(out.page_line));
        let hint = out.filter(|out| granted(out) && !inputs.direct && !same).map(|out| out.place);
        let moves = match out {
            None => true,
            Some(_) if inputs.direct => inputs.direct_goes,
            Some(_) => !asks || same || inputs.hint_ready,
        };
        let place = out.map(|out| {
            let part = if inputs.direct { granted(&out) } else { out.chosen };
            (out.thread, Place { address: out.place, part, window: out.window, same })
        });
        LookOutputs {
            turn: inputs.item.is_some() && moves,
            hint,
            place,
            note: place.is_some() && moves,
            asks,
            trap: out.filter(|out| out.chosen).map_or(0, |out| out.trap),
            refused: self.refused,
            empty,
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &LookInputs) -> LookOutputs {
        let shown = self.shown(inputs);
        let word = inputs.word;
        let source = Source::from_code(word.get(SOURCE));
        let item = inputs.item.map(|item| {
            let by_row = matches!(source, Some(Source::Row | Source::Indexed));
            let thread = Item {
                chosen: item.there && item.chosen,
                address: self.start.wrapping_add(if by_row { item.element << inputs.word.get(SCALE) } else { 0 }),
                window: item.window,
                thread: item.thread,
            };
            let piece = Item { chosen: true, address: item.piece_address, thread: self.piece, ..thread };
            if inputs.spills { piece } else { thread }
        });
        if let (Some(out), None, true) = (self.translated(inputs).out, self.refused, shown.trap != 0) {
            self.refused = Some(((!inputs.spills).then_some(out.thread), out.asked));
        }
        let chosen = self.translated(inputs).out.filter(|out| out.chosen);
        if let Some(out) = chosen.filter(|out| out.trap == 0 && shown.note) {
            self.near = Some(out.page_line);
        }
        self.denied = !shown.note && chosen.is_some_and(|out| out.trap != 0);
        if inputs.begin {
            (self.refused, self.near) = (None, None);
        }
        self.translate.step(&TranslateInputs {
            page: inputs.page,
            space: word.get(SPACE) as u8,
            element: Self::element(inputs),
            writes: Self::writes(inputs),
            shared_bytes: inputs.shared_bytes,
            advance: shown.note || shown.place.is_none(),
            item,
        });
        self.piece = if inputs.numbers { (self.piece + u16::from(shown.turn)) % 512 } else { 0 };
        let adds = matches!(source, Some(Source::Scalar | Source::Indexed));
        self.start = (word.get(IMMEDIATE) as u32).wrapping_add(if adds { inputs.scalar } else { 0 });
        shown
    }

    /// A clock edge with the reset on has passed.
    pub fn reset(&mut self) {
        self.translate.reset();
        (self.start, self.piece, self.refused, self.near) = (0, 0, None, None);
        self.denied = false;
    }
}

/// What of a refused address is told: bit 0 the thread, bit 1 the address.
pub fn names(refused: Option<(Option<u16>, u32)>) -> u8 {
    refused.map_or(0, |(thread, _)| 2 + u8::from(thread.is_some()))
}

state! {
    Look(self) {
        in translate = self.translate;
        self => start, piece, denied;
        named = names(self.refused);
        bad_thread = self.refused.and_then(|refused| refused.0);
        bad_address = self.refused.map(|refused| refused.1);
        near_ = self.near.is_some();
        near_line = self.near;
    }

    LookInputs(self) {
        page_write = self.page.is_some();
        page_number = self.page.map(|page| page.0);
        page_entry = self.page.map(|page| page.1);
        begin_ = self.begin;
        self => shared_bytes, scalar, spills, log_piece, numbers, hint_ready, direct, direct_goes;
        word = self.word.0;
        item = self.item.is_some();
        when (let Some(item) = self.item) {
            item => there, chosen, element, thread, window, piece_address;
        }
    }

    LookOutputs(self) {
        self => turn, note, asks, trap, empty;
        hint = self.hint.is_some();
        offered = self.place.is_some();
        when (let Some((thread, at)) = self.place) {
            note_thread = thread;
            place = at.packed();
        }
        trap_names = names(self.refused);
        trap_thread = self.refused.and_then(|refused| refused.0);
        trap_address = self.refused.map(|refused| refused.1);
    }
}
