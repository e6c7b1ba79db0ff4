//! Memory unit: does what words of memory ask, between a control block's port and the cache ways, and fills rows when a
//! wave begins.
//!
//! ```text
//!  rows ─▶ transpose ─▶ addresses ─▶ translate ─▶ places of threads ─▶ access ─▶ cache ways
//!       ◀─ unit      ─▶ data ───────────────────────────────────────▶        ◀─
//!                    ◀─ elements ◀───────────────────────────────────
//!                    ◀─ masks, tid, ctaid ◀─ threads
//! ```
//!
//! Threads are taken in groups, as many as an array has columns, and one by one in a group. A word goes over all
//! threads twice. First it *looks*: the row that chooses threads and rows of addresses come, addresses are translated,
//! their places noted, and the cache ways told the lines (hints), so that all come together, each once. If an address
//! is refused, the word ends with the trap of the first such thread, and nothing was done. Then it *does*: data come
//! group by group, requests go out in the order of threads, results go back as rows. If a line could not be fetched,
//! the word ends with the trap `bus`; groups before it have their results. The crossbar does words of the space `bank`.
//! `fill` = 1, while no program runs, begins a wave with the CTA `wave_x`, `wave_y`, `wave_z`: the masks and then the
//! special registers of the list are written, and `filled` = 1 for a cycle when all are.
//! Source: Duality Cache §3.5. Ours: elements are gathered in the order of threads; spill rows go in pieces of 64.

use crate::array::blocks::types::RowAddress;
use crate::duality::blocks::bundles::{CacheLine, CacheSource, LaunchSink};
use crate::duality::blocks::crossbar::DualityCrossbar;
use crate::duality::blocks::memory::{
    access::DualityAccess, chosen::DualityChosen, element::MemoryWord, kind::DualityMemoryKind, look::DualityLook,
    places::*, row_switch::DualityRowSwitch, sequence::DualityMemorySequence, spill::DualitySpill, states::*,
    threads::DualityThreads, translate::PAGE_BITS,
};
use crate::duality::blocks::types::{GridCount, ProgramWord};
use crate::duality::{params::DualityParams, params::SLOTS, passes::MEMORY_STEP_BITS};
use crate::kernel::prelude::*;
use crate::parts::tmu::{Tiles, Tmu, TmuParams};

hdl_block! {
    /// The memory unit.
    pub DualityMemoryUnit {
        In clock: Domain; /// Clock and reset.
        In arrays: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one.
        Bus launch: LaunchSink; /// The launch.
        In spill_base: Bits<32>; /// Where spill rows begin: a multiple of 64.
        In spill_rows: Bits<16>; /// How many there are.
        Out special_number: Bits<3>; /// An entry of the list of special registers.
        In special_word: Bits<32>; /// What it holds.
        In fill: Bit; /// A wave begins.
        In wave_x, wave_y, wave_z: GridCount; /// With it: its first CTA.
        Out filled: Bit; /// Its rows are written.
        In page_write: Bit; /// An entry of the page table is written.
        In page_number: Bits<PAGE_BITS>; /// Which one.
        In page_entry: Bits<32>; /// What it holds then.
        Out trap_thread: Bits<12>; /// The thread whose access was refused.
        Out trap_address: Bits<32>; /// What it has asked for.
        Out trap_names: Bits<2>; /// Bit 0: the thread is told, bit 1: the address.
        Out working: Bit; /// A word of memory is being done.
        In memory_valid: Bit; /// A word of memory waits.
        In memory_word: ProgramWord; /// The word.
        In memory_scalar: Bits<32>; /// What the scalar register holds that it names.
        Out memory_asks: Bit; /// A step is asked for, while a word waits.
        Out memory_step: Bits<MEMORY_STEP_BITS>; /// Which one.
        Out memory_trap: Bits<8>; /// With the last one: why the word was not done.
        In memory_sent, memory_taken: Bit; /// A row comes; one is taken.
        Bus memory_rows: Array<Signal<In, Row>, LANES>; /// The row that each array sends.
        Bus memory_data, memory_where: Array<Signal<Out, Row>, LANES>; /// What each gets, and in which threads.
        Out fill_slots: Bits<SLOTS>; /// Windows that get rows without a word.
        Out fill_row: RowAddress; /// The first of these rows.
        Out fill_count: Bits<8>; /// How many.
        Bus cache: CacheSource; /// To the cache ways.
        In answer_line: CacheLine; /// With an answer: the line of its word.
        Out lock: Bit; /// With a request: nobody else gets to its word until the next.
    } inside {
        Child kind, begins: DualityMemoryKind; // Of the word, and of the one that may begin.
        Child sequence: DualityMemorySequence; // What is done.
        Child transpose: Tmu<Beat>; // Rows to elements and back.
        Child threads: DualityThreads; // The threads of the wave.
        Child chosen: DualityChosen; // Those of a group that take part.
        Child look: DualityLook; // Addresses.
        Child access: DualityAccess; // Accesses.
        Child switch: DualityRowSwitch; // Rows of a group.
        Child spill: DualitySpill; // Spill rows.
        Child crossbar: Vec<Boxed<DualityCrossbar>>; // Words between threads of a bank, if the design has them.
        Register word: ProgramWord; // The word.
        Register scalar: Bits<32>; // Its scalar register.
        Register rows: Bits<7>; // Its rows.
        Local state: Bits<STATE_BITS>;
        Local operation, group: Bits<4>;
        Local from_slot: Bits<2>;
        Local row, ones, slice, offered, places: Row;
        Local busy, spills, pieces, is_element, unused_refused: Bit;
        Local width: Bits<7>;
        Local value, data: MemoryWord;
        Local current, unused: ProgramWord;
        Value _columns, _log_piece: u64;
        Value _members, _crossbar: usize;
    }
}

impl DualityMemoryUnit {
    /// A memory unit for a control block with these parameters; rows are [`Row`], tiles [`Beat`] wide.
    pub fn new(params: &DualityParams) -> Self {
        let (words, tiles, style) = (Self::tile(params), Tiles::Rotated, RamStyle::Distributed);
        DualityMemoryUnit {
            transpose: Tmu::new(&TmuParams { words, bits: 64, tiles, style }),
            chosen: DualityChosen::new(params.columns),
            look: DualityLook::new(),
            access: DualityAccess::of(params),
            spill: DualitySpill::new(params),
            switch: DualityRowSwitch::new(params),
            _log_piece: (params.columns as u64 / 8).min(8).ilog2().into(),
            _columns: params.columns as u64,
            _members: SLOTS * params.banks,
            crossbar: DualityCrossbar::of(params),
            _crossbar: usize::from(params.crossbar > 0),
            ..Self::default()
        }
    }

    /// Words of a tile of the transpose unit: elements have 64 bits even where arrays have fewer columns.
    pub fn tile(params: &DualityParams) -> usize {
        params.columns.max(64)
    }
}

impl Logic for DualityMemoryUnit {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sequence, transpose, threads, chosen, look, access, spill);
        dff_setup!(self, clock, word, scalar, rows);
        self.state.next = self.sequence.state.val();
        self.group.next = self.sequence.group.val();
        // What the word is.
        if self.sequence.takes_word.val() {
            self.word.d.next = self.memory_word.val();
            self.scalar.d.next = self.memory_scalar.val();
            self.rows.d.next = bit_cast::<7, 6>(self.memory_word.val().get_bits::<6>(AT_WIDTH)) + 1;
        }
        self.unused.next = self.word.q.val();
        self.unused_refused.next = self.transpose.refused.val() & (self.special_word.val() == 0);
        self.operation.next = self.word.q.val().get_bits::<4>(AT_OPERATION);
        // In the first cycle of a word it is where it comes from, which is late: only its first step looks there.
        self.current.next = self.word.q.val();
        if !self.state.val().get_bit(BUSY) {
            self.current.next = self.memory_word.val();
        }
        self.kind.word.next = self.word.q.val();
        self.begins.word.next = self.current.val();
        self.busy.next = !(self.state.val().get_bit(FILL)
            | self.state.val().get_bit(FILL_OPEN)
            | self.state.val().get_bit(FILL_WALK)
            | self.state.val().get_bit(FILL_ASK)
            | self.state.val().get_bit(FILL_TAKEN));
        self.working.next = self.busy.val() & self.state.val().get_bit(BUSY);
        self.spills.next = self.busy.val() & self.kind.spills.val();
        self.ones.next = 0.into();
        self.ones.next = !self.ones.val();
        // Groups, and the array whose row comes.
        self.from_slot.next = self.word.q.val().get_bits::<2>(AT_DATA_SLOT);
        if self.state.val().get_bit(LOOK) | self.state.val().get_bit(DIRECT) {
            self.from_slot.next = self.word.q.val().get_bits::<2>(AT_SLOT);
        }
        self.switch.arrays.next = self.arrays.val();
        self.switch.group.next = self.group.val();
        self.switch.slot.next = self.from_slot.val();
        self.row.next = self.switch.row.val();
        for m in 0..self._members {
            self.switch.rows[m].next = self.memory_rows[m].val();
        }
        self.sequence.groups.next = self.switch.groups.val();
        self.sequence.columns.next = self._columns.into();
        if self.spills.val() {
            self.sequence.columns.next = self.spill.pieces.val();
        }
        self.sequence.spills.next = self.busy.val() & self.begins.spills.val();
        self.sequence.beyond.next = !self.spill.fits.val();
        self.sequence.last_piece.next = self.spill.last.val();
        self.sequence.full.next = self.spill.full.val();
        self.sequence.fill.next = self.fill.val();
        self.filled.next = self.sequence.filled.val();
        self.sequence.valid.next = self.memory_valid.val();
        self.sequence.all.next = self.current.val().get_bits::<2>(AT_PREDICATE) == ALL;
        self.sequence.by_row.next = self.begins.by_row.val();
        self.sequence.writes.next = self.begins.writes.val();
        self.sequence.stores.next = self.operation.val() == STORE;
        self.sequence.compares.next = self.operation.val() == COMPARE;
        self.sequence.sent.next = self.memory_sent.val();
        self.sequence.last_row.next = self.memory_taken.val() & self.transpose.m_axis.tlast.val();
        if self.spills.val() & self.state.val().get_bit(TAKEN) {
            self.sequence.last_row.next = self.memory_taken.val() & self.spill.pops_last.val();
        }
        self.sequence.start_ready.next = self.transpose.start_ready.val();
        self.sequence.offers.next =
            self.transpose.m_axis.tvalid.val() | (self.spills.val() & self.state.val().get_bit(RESULT));
        self.sequence.is_element.next = self.is_element.val();
        self.sequence.takes.next = self.transpose.s_axis.tready.val();
        self.sequence.tmu_busy.next = self.transpose.busy.val();
        self.sequence.look_turn.next = self.look.turn.val();
        self.sequence.looked.next = self.look.empty.val();
        self.sequence.do_turn.next = self.access.goes.val();
        self.sequence.done.next = self.access.empty.val();
        self.sequence.settles.next = self.access.settles.val();
        self.sequence.failed.next = self.access.failed.val();
        self.sequence.special_there.next = self.special_word.val().get_bit(THERE);
        self.special_number.next = self.sequence.special.val();
        self.memory_asks.next = self.sequence.asks.val();
        self.memory_step.next = self.sequence.asked.val();
        self.memory_trap.next = self.sequence.told.val();
        // The transpose unit: a transfer of the word's rows, or of those of a special register.
        self.width.next = self.rows.q.val();
        if self.state.val().get_bit(ADDRESS) | self.state.val().get_bit(CHOOSE) | !self.state.val().get_bit(BUSY) {
            self.width.next = bit_cast::<7, 6>(self.current.val().get_bits::<6>(AT_WIDTH_A)) + 1;
        } else if !self.busy.val() {
            self.width.next = bit_cast::<7, 6>(self.special_word.val().get_bits::<6>(SPECIAL_ROWS)) + 1;
            if self.sequence.masks.val() {
                self.width.next = 2.into();
            }
        }
        self.transpose.start_valid.next = self.sequence.opens.val();
        self.transpose.start_store.next = self.sequence.opens_store.val();
        self.transpose.start_width.next = self.width.val();
        self.transpose.start_count.next = self._columns.into();
        self.is_element.next = self.transpose.m_axis.tvalid.val() & self.transpose.m_axis_is_element.val();
        self.slice.next = bits_to::<Row, Beat>(self.transpose.m_axis.tdata.val());
        self.data.next = bits_to::<MemoryWord, Beat>(self.transpose.m_axis.tdata.val());
        // The look: an address a cycle.
        self.pieces.next = self.state.val().get_bit(SPILL_LOOK) | self.state.val().get_bit(SPILL_PLACE);
        self.look.page_write.next = self.page_write.val();
        self.look.page_number.next = self.page_number.val();
        self.look.page_entry.next = self.page_entry.val();
        self.look.shared_bytes.next = self.launch.shared_bytes.val();
        self.look.word.next = self.word.q.val();
        self.look.scalar.next = self.scalar.q.val();
        self.look.begin.next = self.sequence.takes_word.val();
        self.look.item.next =
            self.pieces.val() | (self.state.val().get_bit(LOOK) & (!self.kind.by_row.val() | self.is_element.val()));
        self.look.there.next = self.threads.there.val();
        self.look.chosen.next = self.chosen.takes_part.val();
        self.look.element.next = self.data.val().get_bits::<32>(0);
        self.look.thread.next = self.threads.number.val();
        self.look.window.next = self.threads.window.val();
        self.look.spills.next = self.spills.val();
        self.look.piece_address.next = self.spill.address.val();
        self.look.log_piece.next = self._log_piece.into();
        self.look.numbers.next = self.state.val().get_bit(SPILL_PLACE);
        self.sequence.trap.next = self.look.trap.val();
        self.trap_names.next = self.look.trap_names.val();
        self.trap_thread.next = self.look.trap_thread.val();
        self.trap_address.next = self.look.trap_address.val();
        // The threads of the wave.
        LaunchSink::link(&mut self.launch, &mut self.threads.launch);
        self.threads.wave.next = self.fill.val();
        self.threads.wave_x.next = self.wave_x.val();
        self.threads.wave_y.next = self.wave_y.val();
        self.threads.wave_z.next = self.wave_z.val();
        self.threads.first.next = self.sequence.walks.val();
        self.threads.step.next =
            self.look.turn.val() | (self.state.val().get_bit(FILL_WALK) & self.transpose.s_axis.tready.val());
        // Threads that take part: those to come, and those that get a result.
        self.chosen.all.next = self.state.val().get_bit(CHOOSE) | !self.state.val().get_bit(BUSY);
        self.chosen.comes.next = self.state.val().get_bit(CHOSEN) & self.memory_sent.val();
        self.chosen.row.next = self.row.val();
        self.chosen.unless.next = self.word.q.val().get_bits::<2>(AT_PREDICATE) == UNLESS;
        self.chosen.turn.next = self.look.turn.val();
        self.chosen.given.next = self.access.goes.val();
        self.chosen.gets.next = self.access.part.val();
        if self.state.val().get_bit(FILL_WALK) {
            self.chosen.given.next = self.transpose.s_axis.tready.val();
            self.chosen.gets.next = self.threads.there.val() | self.sequence.masks.val();
        }
        // The accesses.
        CacheSource::link(&mut self.cache, &mut self.access.cache);
        self.access.answer_line.next = self.answer_line.val();
        self.lock.next = self.access.lock.val();
        self.access.operation.next = self.operation.val();
        self.access.log_bytes.next = self.word.q.val().get_bits::<2>(AT_ELEMENT);
        self.access.extends.next = self.word.q.val().get_bit(AT_EXTEND);
        self.access.last.next = self.word.q.val().get_bits::<6>(AT_WIDTH);
        self.access.note.next = self.look.note.val();
        self.access.note_thread.next = self.look.note_thread.val();
        self.access.note_place.next = self.look.place.val();
        self.access.hint.next = self.look.hint.val();
        self.look.hint_ready.next = self.access.hint_ready.val();
        self.access.hint_place.next = self.look.place.val().get_bits::<32>(0);
        self.access.first.next = self.sequence.rewinds.val();
        self.access.active.next = self.state.val().get_bit(DO);
        self.access.direct.next = self.sequence.direct.val();
        self.access.offered.next = self.look.offered.val();
        self.access.offered_asks.next = self.look.asks.val();
        self.look.direct.next = self.sequence.direct.val();
        self.look.direct_goes.next = self.access.reads.val();
        self.access.column.next = self.sequence.column.val();
        self.access.keep.next = self.state.val().get_bit(KEEP);
        self.access.data_valid.next = self.is_element.val();
        self.access.data.next = self.data.val();
        if self.spills.val() {
            self.access.log_bytes.next = self._log_piece.into();
            self.access.last.next = 63.into();
            self.access.data_valid.next = true;
            self.access.data.next = self.spill.piece.val();
        }
        self.spill.arrays_code.next = self.arrays.val();
        self.spill.first_row.next = self.word.q.val().get_bits::<32>(AT_IMMEDIATE);
        self.spill.rows.next = self.rows.q.val();
        self.spill.base.next = self.spill_base.val();
        self.spill.there.next = self.spill_rows.val();
        self.spill.begin.next = self.state.val().get_bit(CHOOSE);
        self.spill.by_group.next = self.state.val().get_bit(SPILL_PLACE);
        self.spill.begin_group.next = self.sequence.begins_group.val();
        self.spill.step.next = self.pieces.val() & self.look.turn.val();
        self.spill.push.next = self.spills.val() & self.memory_sent.val();
        self.spill.push_row.next = self.row.val();
        self.spill.give.next = self.spills.val() & self.access.emits.val();
        self.spill.give_piece.next = self.access.value.val();
        self.spill.take.next = self.spills.val() & self.access.goes.val() & self.kind.writes.val();
        self.spill.pop.next = self.state.val().get_bit(TAKEN) & self.memory_taken.val();
        // Elements and rows into the transpose unit, and out of it.
        self.threads.special.next = self.special_word.val().get_bits::<3>(0);
        self.value.next = bits_to::<MemoryWord, GridCount>(self.threads.value.val());
        if self.sequence.masks.val() {
            self.value.next = 0.into();
            if self.threads.there.val() {
                self.value.next = MASK_BITS.into();
            }
        }
        self.transpose.s_axis.tvalid.next = self.access.emits.val() & !self.spills.val();
        self.transpose.s_axis.tdata.next = bits_to::<Beat, MemoryWord>(self.access.value.val());
        if self.state.val().get_bit(FILL_WALK) {
            self.transpose.s_axis.tvalid.next = true;
            self.transpose.s_axis.tdata.next = bits_to::<Beat, MemoryWord>(self.value.val());
        } else if self.memory_sent.val() {
            self.transpose.s_axis.tvalid.next = !self.state.val().get_bit(CHOSEN) & !self.spills.val();
            self.transpose.s_axis.tdata.next = bits_to::<Beat, Row>(self.row.val());
        }
        self.transpose.m_axis.tready.next = self.look.turn.val()
            | (self.access.goes.val() & self.is_element.val() & !self.sequence.direct.val())
            | (self.state.val().get_bit(KEEP) | self.state.val().get_bit(FLUSH) | self.memory_taken.val());
        self.fill_slots.next = 0.into();
        self.fill_row.next = bit_cast::<10, 9>(self.special_word.val().get_bits::<9>(SPECIAL_ROW));
        self.fill_count.next = bit_cast::<8, 7>(self.width.val());
        if self.state.val().get_bit(FILL_ASK) & self.transpose.m_axis.tvalid.val() {
            self.fill_slots.next = 1.into();
            self.fill_slots.next = self.fill_slots.val() << self.special_word.val().get_bits::<2>(SPECIAL_SLOT);
            if self.sequence.masks.val() {
                self.fill_slots.next = 1.into();
                if self.arrays.val() == FOUR {
                    self.fill_slots.next = 15.into();
                } else if self.arrays.val() == TWO {
                    self.fill_slots.next = 3.into();
                }
            }
        }
        if self.sequence.masks.val() {
            self.fill_row.next = 0.into();
        }
        // Of spill rows all threads get theirs, whether they are there or not.
        self.offered.next = self.slice.val();
        self.places.next = self.chosen.getting.val();
        if self.spills.val() {
            self.offered.next = self.spill.row.val();
            self.places.next = self.ones.val();
        }
        self.switch.offered.next = self.offered.val();
        self.switch.places.next = self.places.val();
        for m in 0..self._members {
            self.memory_data[m].next = self.switch.data[m].val();
            self.memory_where[m].next = self.switch.taking[m].val();
        }
        for x in 0..self._crossbar {
            // The port and the row switch are its own. Whose word waits at the port meanwhile does not matter.
            self.crossbar[x].clock.next = self.clock.val();
            self.crossbar[x].valid.next = self.memory_valid.val();
            self.crossbar[x].word.next = self.memory_word.val();
            self.crossbar[x].scalar.next = self.memory_scalar.val();
            self.crossbar[x].groups.next = self.switch.groups.val();
            self.crossbar[x].sent.next = self.memory_sent.val();
            self.crossbar[x].taken.next = self.memory_taken.val();
            self.crossbar[x].row.next = self.row.val();
            if self.crossbar[x].mine.val() {
                self.sequence.valid.next = false;
                self.memory_asks.next = self.crossbar[x].asked.val() != 0;
                self.memory_step.next = self.crossbar[x].asked.val();
                self.memory_trap.next = 0.into();
            }
            if self.crossbar[x].busy.val() {
                self.working.next = true;
                self.switch.group.next = self.crossbar[x].group.val();
                self.switch.slot.next = self.crossbar[x].slot.val();
                self.switch.offered.next = self.crossbar[x].offered.val();
                self.switch.places.next = self.crossbar[x].places.val();
                self.transpose.s_axis.tvalid.next = false;
                self.spill.push.next = false;
            }
        }
    }

    described! {
        "duality_memory_unit", "Does what words of memory ask, and fills rows when a wave begins."; AT_SLOT, AT_WIDTH,
        AT_WIDTH_A, AT_OPERATION, AT_ELEMENT, AT_EXTEND, AT_DATA_SLOT, AT_PREDICATE, AT_IMMEDIATE, FOUR, TWO, STORE,
        COMPARE, ALL, UNLESS, MASK_BITS, SPILL_LOOK, SPILL_PLACE, DIRECT, TAKEN, RESULT, THERE, SPECIAL_ROWS,
        SPECIAL_ROW, SPECIAL_SLOT, BUSY, CHOOSE, CHOSEN, ADDRESS, LOOK, KEEP, DO, FLUSH, FILL, FILL_OPEN, FILL_WALK,
        FILL_ASK, FILL_TAKEN, SLOTS; _columns, _log_piece, _members, _crossbar
    }
}
