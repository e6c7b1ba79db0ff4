//! Model of spill rows, from its contract: where pieces are follows from their number, and rows wait in their order.

use bitline_units::duality::DualityParams;
use bitline_units::duality::params::SLOTS;

use crate::state::{Contents, Touched, Words};

/// Rows of a word at most.
const MOST_ROWS: usize = 64;

/// Spill rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    columns: usize,
    banks: usize,
    /// Where rows of a word are: the address of the first, and bytes of each.
    rows: Option<(u32, u32, u8)>,
    /// Groups that rows were asked for of, since the word has begun.
    groups: u32,
    /// The next piece: its row and its number there; and pieces of a row, through all groups or of one.
    piece: (u8, u32),
    pieces: u32,
    /// Rows that are here, and numbers of those that have come and gone.
    buffer: Vec<Vec<u64>>,
    came: u8,
    went: u8,
    /// Pieces of the row that comes, and of the one that goes.
    coming: u8,
    going: u8,
    /// What has come by pieces, the last one highest.
    gathered: Vec<u64>,
    /// The row that was read.
    shown: Vec<u64>,
}

/// What it gets in a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpillInputs {
    /// Arrays of a thread: 0 four, 1 two, 2 one.
    pub arrays: u8,
    /// Number of the first row.
    pub first_row: u32,
    /// Rows.
    pub rows: u8,
    /// Where row 0 is.
    pub base: u32,
    /// Rows that there are.
    pub there: u16,
    /// Goes to the first piece.
    pub begin: bool,
    /// Pieces are those of a group.
    pub by_group: bool,
    /// Goes to the next group.
    pub begin_group: bool,
    /// Goes to the next piece.
    pub step: bool,
    /// A row comes.
    pub push: Option<Vec<u64>>,
    /// A piece comes.
    pub give: Option<u64>,
    /// A piece goes.
    pub take: bool,
    /// A row goes.
    pub pop: bool,
}

/// What it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpillOutputs {
    /// The rows are among those that there are.
    pub fits: bool,
    /// Where the piece is, and whether it is the last; nothing behind that.
    pub piece_at: Option<(u32, bool)>,
    /// The piece that goes next.
    pub piece: u64,
    /// The row that goes next.
    pub row: Vec<u64>,
    /// All rows are here.
    pub full: bool,
    /// The row that goes next is the last.
    pub pops_last: bool,
    /// Pieces of a group.
    pub pieces: u16,
}

impl Spill {
    /// For a control block with these parameters, in whose buffer are these rows.
    pub fn new(params: &DualityParams, buffer: Vec<Vec<u64>>) -> Spill {
        assert_eq!(buffer.len(), MOST_ROWS, "a row for each of a word");
        Spill {
            columns: params.columns,
            banks: params.banks,
            rows: None,
            groups: 0,
            piece: (0, 0),
            pieces: 0,
            // The first edge reads a row, too.
            shown: buffer[0].clone(),
            buffer,
            came: 0,
            went: 0,
            coming: 0,
            going: 0,
            gathered: vec![0; params.columns.div_ceil(64)],
        }
    }

    /// Pieces of a row in a group.
    fn of_group(&self) -> u32 {
        self.columns.div_ceil(64) as u32
    }

    /// Groups of a control block.
    fn groups(&self, arrays: u8) -> u32 {
        (self.banks << arrays.min(2)) as u32
    }

    /// Bytes of a row in a group.
    fn bytes(&self) -> u32 {
        self.columns as u32 / 8
    }

    /// log2 of the bytes of a piece.
    pub fn log_piece(&self) -> u8 {
        self.bytes().min(8).ilog2() as u8
    }

    /// Where a group's pieces of a row begin; the address of the first row's, if none has begun yet.
    fn row_at(&self, row: u8) -> Option<u32> {
        let (first, row_bytes, _) = self.rows?;
        let before = self.groups.saturating_sub(1).wrapping_mul(self.bytes());
        Some(first.wrapping_add(u32::from(row).wrapping_mul(row_bytes)).wrapping_add(before))
    }

    /// Where the next piece is.
    fn at(&self) -> Option<u32> {
        let left = self.rows.is_some_and(|(_, _, rows)| self.piece.0 < rows);
        let piece_bytes = self.bytes().min(8);
        self.row_at(self.piece.0).filter(|_| left).map(|row| row.wrapping_add(self.piece.1 * piece_bytes))
    }

    /// Rows and pieces behind the next one.
    fn left(&self) -> Option<(u8, u32)> {
        let (_, _, rows) = self.rows?;
        (self.piece.0 < rows).then(|| (rows - 1 - self.piece.0, self.pieces - 1 - self.piece.1))
    }

    /// What is shown in this cycle.
    pub fn shown(&self, inputs: &SpillInputs) -> SpillOutputs {
        let end = u64::from(inputs.first_row) + u64::from(inputs.rows);
        SpillOutputs {
            fits: end <= u64::from(inputs.there),
            piece_at: self.at().zip(self.left().map(|left| left == (0, 0))),
            piece: self.shown.get(usize::from(self.going)).copied().unwrap_or(0),
            row: self.shown.clone(),
            full: self.came == inputs.rows,
            pops_last: self.went + 1 == inputs.rows,
            pieces: u16::from(inputs.rows) * self.of_group() as u16,
        }
    }

    /// One clock edge.
    pub fn step(&mut self, inputs: &SpillInputs) -> SpillOutputs {
        let shown = self.shown(inputs);
        // Places.
        if inputs.begin {
            let row_bytes = self.groups(inputs.arrays) * self.bytes();
            let first = inputs.base.wrapping_add(inputs.first_row.wrapping_mul(row_bytes));
            self.rows = Some((first, row_bytes, inputs.rows));
            (self.groups, self.piece) = (0, (0, 0));
            self.pieces = self.groups(inputs.arrays) * self.of_group();
        } else if inputs.begin_group {
            (self.groups, self.piece, self.pieces) = (self.groups + 1, (0, 0), self.of_group());
        } else if inputs.step {
            self.piece.1 += 1;
            if self.piece.1 == self.pieces {
                self.piece = (self.piece.0 + 1, 0);
            }
        }
        // Rows that come; the one that is read is as it was before.
        let before = self.buffer[usize::from(self.next(inputs))].clone();
        let all = self.of_group() as u8;
        let mut came = inputs.push.clone();
        if let Some(piece) = inputs.give {
            self.gathered.rotate_left(1);
            *self.gathered.last_mut().expect("a row has bits") = piece & u64::MAX >> (64 - self.columns.min(64));
            self.coming += 1;
            if self.coming == all {
                self.coming = 0;
                came = Some(self.gathered.clone());
            }
        }
        if let Some(row) = came {
            self.buffer[usize::from(self.came) % MOST_ROWS] = row;
            self.came = (self.came + 1) % (2 * MOST_ROWS as u8);
        }
        // Rows that go.
        self.went = self.next(inputs);
        if inputs.take {
            self.going = (self.going + 1) % all;
        }
        if inputs.begin_group {
            (self.came, self.coming, self.going) = (0, 0, 0);
        }
        self.shown = before;
        shown
    }

    /// The number of the row that is shown next.
    fn next(&self, inputs: &SpillInputs) -> u8 {
        let last = u32::from(self.going) + 1 == self.of_group();
        let goes = inputs.pop || inputs.take && last;
        if inputs.begin_group { 0 } else { (self.went + u8::from(goes)) % MOST_ROWS as u8 }
    }

    /// A clock edge with the reset on has passed: the buffer keeps its rows.
    pub fn reset(&mut self) {
        (self.rows, self.groups, self.piece, self.pieces) = (None, 0, (0, 0), 0);
        (self.came, self.went, self.coming, self.going) = (0, 0, 0, 0);
        self.gathered.fill(0);
    }
}

const _: () = assert!(SLOTS == 4, "a code of arrays doubles the groups twice at most");

state! {
    Spill(self) {
        let word = |number: usize, to: &mut dyn FnMut(&[u64])| to(&self.buffer[number]);
        let written = |to: &mut dyn FnMut(usize)| to(usize::from(self.came.wrapping_sub(1)) % MOST_ROWS);
        memory (buffer) = Contents {
            depth: MOST_ROWS, words: Words::Wide(&word), touched: Touched::These(&written),
        };
        at = self.at();
        group_at = self.rows.map(|(first, ..)| first.wrapping_add(self.groups.wrapping_mul(self.bytes())));
        row_at = self.row_at(self.piece.0).filter(|_| self.groups > 0 && self.at().is_some());
        left_rows = self.left().map(|left| left.0);
        left_pieces = self.left().map(|left| left.1);
        tail = self.came;
        front = self.went;
        front_piece = self.going;
        tail_piece = self.coming;
        if (self.columns > 64) {
            self => gathered;
        }
    }

    SpillInputs(self) {
        arrays_code = self.arrays;
        begin_ = self.begin;
        self => first_row, rows, base, there, by_group, begin_group, step, take, pop;
        push = self.push.is_some();
        push_row = self.push.as_ref();
        give = self.give.is_some();
        give_piece = self.give;
    }

    SpillOutputs(self) {
        self => fits, piece, row, full, pops_last, pieces;
        address = self.piece_at.map(|at| at.0);
        last = self.piece_at.map(|at| at.1);
    }
}
