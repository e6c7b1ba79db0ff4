//! Spill rows: their addresses, and room for those of a group on their way between arrays and memory.
//!
//! A spill row has a bit for each thread of the control block, and lies in memory as it is, one row behind the other.
//! It is read and written in pieces of up to 64 threads. `begin` = 1 goes to the first piece of the first row; pieces
//! follow each other by `step`, through all groups. With `by_group` = 1 they are those of one group instead, which
//! `begin_group` has gone to: of group 0 behind `begin`, and then of the next one each time. `last` = 1 at the last.
//! `fits` = 0 if the rows are not all among those that there are.
//!
//! Rows come by `push`, or in pieces by `give`; they go in pieces by `take`, or as rows by `pop`, in their order. What
//! `piece` and `row` show is the next one, from the second cycle behind its `push` or last `give` on, and from the
//! cycle behind `take` or `pop` of the one before. `full` = 1 when as many rows have come as there are.
//!
//! Source: Duality Cache §3.4: values that do not fit into the arrays move to memory as they lie.

use crate::duality::blocks::memory::element::MemoryWord;
use crate::duality::params::DualityParams;
use crate::kernel::prelude::*;

/// Rows of a word at most.
const MOST_ROWS: usize = 64;

hdl_block! {
    /// The rows.
    pub DualitySpill {
        In clock: Domain; /// Clock and reset.
        In arrays_code: Bits<2>; /// Arrays of a thread: 0 four, 1 two, 2 one.
        In first_row: Bits<32>; /// Number of the first row.
        In rows: Bits<7>; /// Rows.
        In base: Bits<32>; /// Where row 0 is.
        In there: Bits<16>; /// Rows that there are.
        Out fits: Bit; /// The rows are among them.
        In begin: Bit; /// Goes to the first piece.
        In by_group: Bit; /// Pieces are those of a group.
        In begin_group: Bit; /// Goes to the next group.
        In step: Bit; /// Goes to the next piece.
        Out address: Bits<32>; /// Where the piece is.
        Out last: Bit; /// It is the last.
        In push: Bit; /// A row comes.
        In push_row: Row; /// The row.
        In give: Bit; /// A piece comes.
        In give_piece: MemoryWord; /// The piece.
        In take: Bit; /// A piece goes.
        Out piece: MemoryWord; /// The piece.
        In pop: Bit; /// A row goes.
        Out row: Row; /// The row.
        Out full: Bit; /// All rows are here.
        Out pops_last: Bit; /// The row is the last.
        Out pieces: Bits<9>; /// Pieces of a group.
    } inside {
        Child buffer: Ram<Row, Bits<6>>; // The rows.
        Register at: Bits<32>; // The piece's address.
        Register row_at: Bits<32>; // That of its row's first piece in the group.
        Register group_at: Bits<32>; // That of the group's first row; the next group's behind `begin_group`.
        Register left_rows: Bits<7>; // Rows behind this one.
        Register left_pieces: Bits<9>; // Pieces behind this one in the row.
        Register tail: Bits<7>; // Rows that have come.
        Register front: Bits<6>; // The row that goes next.
        Register front_piece, tail_piece: Bits<2>; // Pieces of it that have gone; of the next row, that have come.
        Register gathered: Row; // Pieces that have come, the last one highest.
        Local row_bytes, start, place: Bits<32>;
        Local end: Bits<17>;
        Local row_pieces, group_pieces: Bits<9>;
        Local coming: Bits<6>;
        Local completes, goes: Bit;
        Local merged, shown: Row;
        Local shift: Bits<8>;
        Local unused: MemoryWord;
        Value _banks, _double, _bytes, _pieces, _shift, _scale, _behind: u64;
        Value _third: usize;
    }
}

impl DualitySpill {
    /// For a control block with these parameters.
    pub fn new(params: &DualityParams) -> Self {
        let bytes = params.columns as u64 / 8;
        let pieces = bytes.div_ceil(8);
        DualitySpill {
            buffer: Ram::new(MOST_ROWS, RamStyle::Block),
            _banks: params.banks as u64,
            _double: params.banks.ilog2().into(),
            _third: usize::from(params.banks == 3),
            _behind: params.columns.saturating_sub(64) as u64,
            _bytes: bytes.min(8),
            _pieces: pieces,
            _shift: pieces.ilog2().into(),
            _scale: bytes.ilog2().into(),
            ..Self::default()
        }
    }
}

impl Logic for DualitySpill {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, buffer);
        dff_setup!(self, clock, at, row_at, group_at, left_rows, left_pieces, tail, front, front_piece, tail_piece);
        dff_setup!(self, clock, gathered);
        // A row of all threads, and where the first one is: the product of two small numbers.
        self.row_bytes.next = (self._banks << self._scale).into();
        self.row_pieces.next = (self._banks << self._shift).into();
        self.place.next = self.first_row.val() << self._scale;
        self.start.next = self.place.val() << self._double;
        for _i in 0..self._third {
            self.start.next = self.start.val() + self.place.val();
        }
        self.place.next = self.start.val();
        if self.arrays_code.val() == 1 {
            self.place.next = self.start.val() << 1;
            self.row_bytes.next = self.row_bytes.val() << 1;
            self.row_pieces.next = self.row_pieces.val() << 1;
        } else if self.arrays_code.val() != 0 {
            self.place.next = self.start.val() << 2;
            self.row_bytes.next = self.row_bytes.val() << 2;
            self.row_pieces.next = self.row_pieces.val() << 2;
        }
        self.end.next = bit_cast::<17, 16>(self.first_row.val().get_bits::<16>(0)) + bit_cast::<17, 7>(self.rows.val());
        self.fits.next =
            (self.first_row.val().get_bits::<16>(16) == 0) & (self.end.val() <= bit_cast::<17, 16>(self.there.val()));
        // Pieces.
        self.group_pieces.next = self._pieces.into();
        self.pieces.next = bit_cast::<9, 7>(self.rows.val()) << self._shift;
        self.address.next = self.at.q.val();
        self.last.next = (self.left_rows.q.val() == 0) & (self.left_pieces.q.val() == 0);
        if self.step.val() {
            self.at.d.next = self.at.q.val() + self._bytes;
            self.left_pieces.d.next = self.left_pieces.q.val() - 1;
            if self.left_pieces.q.val() == 0 {
                self.left_rows.d.next = self.left_rows.q.val() - 1;
                self.left_pieces.d.next = self.row_pieces.val() - 1;
                if self.by_group.val() {
                    self.left_pieces.d.next = self.group_pieces.val() - 1;
                    self.at.d.next = self.row_at.q.val() + self.row_bytes.val();
                    self.row_at.d.next = self.row_at.q.val() + self.row_bytes.val();
                }
            }
        }
        if self.begin.val() {
            self.at.d.next = self.base.val() + self.place.val();
            self.group_at.d.next = self.base.val() + self.place.val();
            self.left_rows.d.next = self.rows.val() - 1;
            self.left_pieces.d.next = self.row_pieces.val() - 1;
        }
        if self.begin_group.val() {
            self.at.d.next = self.group_at.q.val();
            self.row_at.d.next = self.group_at.q.val();
            self.group_at.d.next = self.group_at.q.val() + (1 << self._scale);
            self.left_rows.d.next = self.rows.val() - 1;
            self.left_pieces.d.next = self.group_pieces.val() - 1;
        }
        // Rows that come.
        self.merged.next =
            (self.gathered.q.val() >> 64) | (bits_to::<Row, MemoryWord>(self.give_piece.val()) << self._behind);
        self.unused.next = self.give_piece.val();
        self.completes.next = self.push.val();
        self.buffer.write_data.next = self.push_row.val();
        if self.give.val() {
            self.gathered.d.next = self.merged.val();
            self.tail_piece.d.next = self.tail_piece.q.val() + 1;
            self.buffer.write_data.next = self.merged.val();
            if (bit_cast::<9, 2>(self.tail_piece.q.val()) + 1) == self.group_pieces.val() {
                self.tail_piece.d.next = 0.into();
                self.completes.next = true;
            }
        }
        self.buffer.write_enable.next = self.completes.val();
        self.buffer.write_address.next = self.tail.q.val().get_bits::<6>(0);
        if self.completes.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        self.full.next = self.tail.q.val() == self.rows.val();
        // Rows that go.
        self.goes.next = self.pop.val();
        if self.take.val() {
            self.front_piece.d.next = self.front_piece.q.val() + 1;
            if (bit_cast::<9, 2>(self.front_piece.q.val()) + 1) == self.group_pieces.val() {
                self.front_piece.d.next = 0.into();
                self.goes.next = true;
            }
        }
        self.coming.next = self.front.q.val();
        if self.goes.val() {
            self.coming.next = self.front.q.val() + 1;
        }
        if self.begin_group.val() {
            self.coming.next = 0.into();
            self.tail.d.next = 0.into();
            self.front_piece.d.next = 0.into();
            self.tail_piece.d.next = 0.into();
        }
        self.front.d.next = self.coming.val();
        self.buffer.read_enable.next = true;
        self.buffer.read_address.next = self.coming.val();
        self.row.next = self.buffer.read_data.val();
        self.pops_last.next = (bit_cast::<7, 6>(self.front.q.val()) + 1) == self.rows.val();
        self.shift.next = bit_cast::<8, 2>(self.front_piece.q.val()) << 6;
        self.shown.next = self.buffer.read_data.val() >> bit_cast::<9, 8>(self.shift.val());
        self.piece.next = bits_to::<MemoryWord, Row>(self.shown.val());
    }

    described! {
        "duality_spill", "Spill rows: their addresses, and room for those of a group."; ; _banks, _double, _bytes,
        _pieces, _shift, _scale, _behind, _third
    }
}
