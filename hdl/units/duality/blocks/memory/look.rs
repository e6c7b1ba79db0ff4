//! Look of a word of memory at its addresses: one a cycle to the translation, its place to whoever notes it, its line
//! to the cache ways, and what is refused to whoever tells it. What the table of pages says of an address is late: an
//! address moves on or waits without it.
//!
//! `item` = 1 while there is an address: of a thread that `there` and `chosen` say takes part, or, with `spills`, of a
//! piece of spill rows. `turn` = 1 in a cycle that takes it; where an address asks for a line that waits while the
//! cache ways do not take a hint. A line that the address before it asked for, of those that ask and are not refused,
//! is not asked for again: one in the space of pages, and of the word. One that is refused gives no hint, and waits for
//! a cycle at most, where others wait for theirs. `note` gives places in the order of the addresses, with the bit that
//! says that the line is not asked for again; pieces are numbered from 0 on while `numbers` = 1. `trap` is not 0 in a
//! cycle in which one is refused; the first one behind `begin` = 1 is kept. With `direct` = 1 no hints are given, a
//! place is offered until `direct_goes` takes it, and one that is refused takes no part; `asks` = 1 with it if its
//! thread is chosen, unless it was refused in the cycle before.

use crate::duality::blocks::memory::access::{IN_WINDOW, Place, SAME_LINE, TAKES_PART};
use crate::duality::blocks::memory::translate::{DualityTranslate, PAGE_BITS};
use crate::duality::blocks::types::ProgramWord;
use crate::duality::cache_params::LINE_BITS;
use crate::duality::isa::codes::{MemoryOp, Source};
use crate::duality::isa::field as at;
use crate::kernel::prelude::*;

numbers! {
    usize: AT_OPERATION = at::MEMORY_OP.lsb, AT_SPACE = at::SPACE.lsb, AT_ELEMENT = at::ELEMENT.lsb,
    AT_SOURCE = at::SOURCE.lsb, AT_SCALE = at::SCALE.lsb, AT_IMMEDIATE = at::IMMEDIATE.lsb
}
numbers! { LOAD = MemoryOp::Load, BY_ROW = Source::Row, BY_SCALAR = Source::Scalar, INDEXED = Source::Indexed }

hdl_block! {
    /// The look.
    pub DualityLook {
        In clock: Domain; /// Clock and reset.
        In page_write: Bit; /// An entry of the page table is written.
        In page_number: Bits<PAGE_BITS>; /// Which one.
        In page_entry: Bits<32>; /// What it holds then.
        In shared_bytes: Bits<32>; /// Bytes of a shared window.
        In word: ProgramWord; /// The word.
        In scalar: Bits<32>; /// Its scalar register.
        In begin: Bit; /// A word begins.
        In item: Bit; /// There is an address.
        In there, chosen: Bit; /// There is such a thread; the word chooses it.
        In element: Bits<32>; /// What the rows of addresses hold for it, which the word shifts up.
        In thread: Bits<12>; /// The thread.
        In window: Bits<32>; /// Where the window of its CTA begins.
        In spills: Bit; /// The word moves spill rows.
        In piece_address: Bits<32>; /// Where the piece is.
        In log_piece: Bits<2>; /// log2 of its bytes.
        In numbers: Bit; /// Places of pieces are noted.
        Out turn: Bit; /// The address is taken.
        Out hint: Bit; /// A line is asked for.
        In hint_ready: Bit; /// It is taken if asked for.
        In direct: Bit; /// Places are read from at once.
        In direct_goes: Bit; /// This one has been.
        Out offered: Bit; /// There is a place.
        Out asks: Bit; /// Its thread asks for it, as far as is known.
        Out note: Bit; /// A place is noted.
        Out note_thread: Bits<12>; /// Whose.
        Out place: Place; /// The place.
        Out trap: Bits<8>; /// Why an address is refused, or 0.
        Out trap_thread: Bits<12>; /// Whose it was.
        Out trap_address: Bits<32>; /// What was asked for.
        Out trap_names: Bits<2>; /// Bit 0: the thread is told, bit 1: the address.
        Out empty: Bit; /// Nothing is under way.
    } inside {
        Child translate: DualityTranslate; // Addresses.
        Register start: Bits<32>; // What the addresses of all threads have in common.
        Register piece: Bits<9>; // The piece.
        Register named: Bits<2>; // What of the first refused address is told.
        Register bad_thread: Bits<12>; // Its thread.
        Register bad_address: Bits<32>; // What it has asked for.
        Register near: Bit; // An address before has asked for a line.
        Register denied: Bit; // This one waits, and was refused in the cycle before.
        Pipe near_line: Bits<LINE_BITS>; // The last one, in the space of pages.
        Local source: Bits<2>;
        Local base: Bits<32>;
        Local wants, hints, moves, part, again: Bit;
        Local line: Bits<LINE_BITS>;
        Local unused: ProgramWord;
    }
}

impl DualityLook {
    /// A look.
    pub fn new() -> Self {
        DualityLook { translate: DualityTranslate::new(), ..Self::default() }
    }
}

impl Logic for DualityLook {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, translate);
        dff_setup!(self, clock, start, piece, named, bad_thread, bad_address, near, near_line, denied);
        self.unused.next = self.word.val();
        self.source.next = self.word.val().get_bits::<2>(AT_SOURCE);
        // The word has come some cycles before its first address: what all threads add is there by then.
        self.start.d.next = self.word.val().get_bits::<32>(AT_IMMEDIATE);
        if (self.source.val() == BY_SCALAR) | (self.source.val() == INDEXED) {
            self.start.d.next = self.word.val().get_bits::<32>(AT_IMMEDIATE) + self.scalar.val();
        }
        self.base.next = 0.into();
        if (self.source.val() == BY_ROW) | (self.source.val() == INDEXED) {
            self.base.next = self.element.val() << self.word.val().get_bits::<2>(AT_SCALE);
        }
        self.wants.next = self.translate.out_valid.val() & self.translate.out_chosen.val();
        self.asks.next = self.wants.val() & !self.denied.q.val();
        self.hints.next = self.wants.val() & !self.translate.refused.val();
        self.line.next = self.translate.page_line.val();
        self.again.next = self.near.q.val() & (self.near_line.q.val() == self.line.val());
        self.hint.next = self.hints.val() & !self.direct.val() & !self.again.val();
        self.moves.next = !self.asks.val() | self.again.val() | self.hint_ready.val();
        self.part.next = self.translate.out_chosen.val();
        if self.direct.val() {
            self.moves.next = !self.translate.out_valid.val() | self.direct_goes.val();
            self.part.next = self.hints.val();
        }
        self.denied.d.next = self.wants.val() & self.translate.refused.val() & !self.moves.val();
        if self.hints.val() & self.moves.val() {
            self.near.d.next = true;
            self.near_line.d.next = self.line.val();
        }
        self.turn.next = self.item.val() & self.moves.val();
        self.translate.page_write.next = self.page_write.val();
        self.translate.page_number.next = self.page_number.val();
        self.translate.page_entry.next = self.page_entry.val();
        self.translate.space.next = self.word.val().get_bits::<3>(AT_SPACE);
        self.translate.element.next = self.word.val().get_bits::<2>(AT_ELEMENT);
        self.translate.writes.next = self.word.val().get_bits::<4>(AT_OPERATION) != LOAD;
        self.translate.shared_bytes.next = self.shared_bytes.val();
        self.translate.advance.next = self.moves.val();
        self.translate.valid.next = self.item.val();
        self.translate.chosen.next = self.there.val() & self.chosen.val();
        self.translate.address.next = self.base.val() + self.start.q.val();
        self.translate.window.next = self.window.val();
        self.translate.thread.next = self.thread.val();
        if self.spills.val() {
            self.translate.chosen.next = true;
            self.translate.address.next = self.piece_address.val();
            self.translate.element.next = self.log_piece.val();
            self.translate.thread.next = bit_cast::<12, 9>(self.piece.q.val());
        }
        self.piece.d.next = 0.into();
        if self.numbers.val() {
            self.piece.d.next = self.piece.q.val();
            if self.turn.val() {
                self.piece.d.next = self.piece.q.val() + 1;
            }
        }
        self.note.next = self.translate.out_valid.val() & self.moves.val();
        self.offered.next = self.translate.out_valid.val();
        self.note_thread.next = self.translate.out_thread.val();
        self.place.next =
            bits_to::<Place, Bits<32>>(self.translate.place.val()).replace_bit(TAKES_PART, self.part.val());
        self.place.next = self
            .place
            .val()
            .replace_bit(IN_WINDOW, self.translate.out_window.val())
            .replace_bit(SAME_LINE, self.again.val());
        // What is refused.
        self.trap.next = 0.into();
        if self.wants.val() {
            self.trap.next = self.translate.trap.val();
            if self.translate.refused.val() & (self.named.q.val() == 0) {
                self.named.d.next = 3.into();
                if self.spills.val() {
                    self.named.d.next = 2.into();
                }
                self.bad_thread.d.next = self.translate.out_thread.val();
                self.bad_address.d.next = self.translate.asked.val();
            }
        }
        if self.begin.val() {
            self.named.d.next = 0.into();
            self.near.d.next = false;
        }
        self.trap_names.next = self.named.q.val();
        self.trap_thread.next = self.bad_thread.q.val();
        self.trap_address.next = self.bad_address.q.val();
        self.empty.next = self.translate.empty.val();
    }

    described! {
        "duality_look", "Takes addresses of a word of memory to their translation."; AT_OPERATION, AT_SPACE, AT_ELEMENT,
        AT_SOURCE, AT_SCALE, AT_IMMEDIATE, LOAD, BY_ROW, BY_SCALAR, INDEXED, TAKES_PART, IN_WINDOW, SAME_LINE, LINE_BITS
    }
}
