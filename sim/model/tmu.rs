//! Model of the transpose memory unit: what its registers and tiles hold after every cycle.

use crate::state::{Contents, Path, Touched, Value, Walk, Words};

/// A transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Slices in, elements out.
    pub store: bool,
    /// Bits of an element.
    pub width: u8,
    /// Elements.
    pub count: u16,
}

/// Inputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TmuInputs {
    /// A transfer offered.
    pub start: Option<Transfer>,
    /// A beat offered.
    pub beat: Option<Vec<u64>>,
    /// A beat out is taken if there.
    pub take: bool,
}

/// A beat out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Its bits.
    pub bits: Vec<u64>,
    /// It is its transfer's last.
    pub last: bool,
    /// It is an element, not a slice.
    pub element: bool,
    /// Its number in the tile.
    pub number: u16,
    /// Bits of it that count.
    pub used: u16,
}

/// Outputs of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TmuOutputs {
    /// A transfer is taken, or refused, if offered.
    pub start_ready: bool,
    /// The one offered is not legal.
    pub refused: bool,
    /// A beat is taken if offered.
    pub beat_ready: bool,
    /// A beat out.
    pub beat: Option<Beat>,
    /// Something is under way.
    pub busy: bool,
}

/// What a full tile is to become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// It waits to be emptied.
    pub full: bool,
    /// It leaves by word.
    pub by_word: bool,
    /// Beats out.
    pub beats: u16,
    /// Bits of a beat that count.
    pub used: u16,
    /// It is its transfer's last.
    pub last: bool,
}

/// The unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tmu {
    words: u16,
    bits: u16,
    /// How the design beside it keeps its tiles.
    pub tiling: Tiling,
    /// Bit c of word r of tile t is `cells[t][r][c]`; nothing if it was never written.
    pub cells: [Vec<Vec<Option<bool>>>; 2],
    /// The transfer that comes in; `count` is what is left of it.
    pub filling: Option<Transfer>,
    /// The tile that fills, and the number of the next beat in it.
    pub entering: (usize, u16),
    /// The tiles.
    pub tiles: [Tile; 2],
    /// The tile that empties, and the number of the next beat out of it.
    pub leaving: (usize, u16),
    /// The beat that was read.
    pub read: Option<Beat>,
}

impl Tmu {
    /// A unit after reset, with tiles of `words` words of `bits` bits.
    pub fn new(words: u16, bits: u16) -> Tmu {
        let cells = || vec![vec![None; bits.into()]; words.into()];
        Tmu {
            words,
            bits,
            tiling: Tiling { banked: true, often: true },
            cells: [cells(), cells()],
            filling: None,
            entering: (0, 0),
            tiles: [Tile::default(); 2],
            leaving: (0, 0),
            read: None,
        }
    }

    /// Words of a tile.
    pub fn words(&self) -> u16 {
        self.words
    }

    /// Bits of a word.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// Reset: the tiles' cells keep what they hold.
    pub fn reset(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        *self = Tmu { cells, tiling: self.tiling, ..Tmu::new(self.words, self.bits) };
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &TmuInputs) -> TmuOutputs {
        // A tile fills or empties: what one does in a cycle the other does not see.
        let Tmu { filling, entering, tiles, leaving, .. } = *self;
        let free = filling.is_none();
        let bits = self.bits;
        let legal = |t: Transfer| t.count > 0 && (1..=bits).contains(&t.width.into());
        let outputs = TmuOutputs {
            start_ready: free,
            refused: free && inputs.start.is_some_and(|t| !legal(t)),
            beat_ready: !free && !tiles[entering.0].full,
            beat: self.read.clone(),
            busy: !free || tiles.iter().any(|t| t.full) || self.read.is_some(),
        };
        if free {
            self.filling = inputs.start.filter(|&t| legal(t));
        }
        if self.read.is_none() || inputs.take {
            self.read = tiles[leaving.0].full.then(|| self.leave());
        }
        if let (Some(transfer), Some(beat)) = (filling, inputs.beat.as_ref().filter(|_| outputs.beat_ready)) {
            self.enter(transfer, beat);
        }
        outputs
    }

    fn leave(&mut self) -> Beat {
        let (tile, index) = self.leaving;
        let Tile { by_word, beats, used, last, .. } = self.tiles[tile];
        let cells = &self.cells[tile];
        let mut beat = vec![0; usize::from(self.words).div_ceil(64)];
        for bit in 0..usize::from(used) {
            let cell = if by_word { cells[usize::from(index)][bit] } else { cells[bit][usize::from(index)] };
            beat[bit / 64] |= u64::from(cell.expect("what counts was written")) << (bit % 64);
        }
        let done = index + 1 == beats;
        self.leaving = if done { (1 - tile, 0) } else { (tile, index + 1) };
        self.tiles[tile].full = !done;
        Beat { bits: beat, last: done && last, element: by_word, number: index, used }
    }

    fn enter(&mut self, transfer: Transfer, beat: &[u64]) {
        let (tile, index) = self.entering;
        let at = usize::from(index);
        let bit = |i: usize| Some(beat[i / 64] >> (i % 64) & 1 == 1);
        if transfer.store {
            self.cells[tile].iter_mut().enumerate().for_each(|(r, word)| word[at] = bit(r));
        } else {
            self.cells[tile][at].iter_mut().enumerate().for_each(|(c, cell)| *cell = bit(c));
        }
        let elements = transfer.count.min(self.words);
        let width = u16::from(transfer.width);
        let beats = if transfer.store { width } else { elements };
        self.entering = (tile, index + 1);
        if index + 1 == beats {
            let left = transfer.count - elements;
            self.entering = (1 - tile, 0);
            self.filling = (left > 0).then_some(Transfer { count: left, ..transfer });
            let (beats, used) = if transfer.store { (elements, width) } else { (width, elements) };
            self.tiles[tile] = Tile { full: true, by_word: transfer.store, beats, used, last: left == 0 };
        }
    }
}

/// How a design keeps its tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// In memories of one-bit words; else in a register for each slice.
    pub banked: bool,
    /// They are compared in every cycle: in a large system it takes too long.
    pub often: bool,
}

/// The tiles of a unit.
struct Cells<'a>(&'a Tmu);

impl Cells<'_> {
    fn state<W: Walk>(&self, at: &Path<'_>, mut to: W) -> W {
        let Cells(model) = *self;
        let Tiling { banked, often } = model.tiling;
        let (words, bits) = (usize::from(model.words), usize::from(model.bits));
        if !banked {
            let at = at.nth("flop", 0);
            for slice in 0..2 * bits {
                let bit = |r: usize| model.cells[slice / bits][r][slice % bits];
                to = to.bits(&at.nth("slices", slice), often, &bit);
            }
            let bit = |r: usize| {
                let read = model.read.as_ref().filter(|read| r < read.used.into())?;
                Some(read.bits[r / 64] >> (r % 64) & 1 == 1)
            };
            return to.bits(&at.at("read"), true, &bit);
        }
        let at = at.nth("rotated", 0);
        to = model.read.as_ref().map(|read| read.number).show(&at.at("last_read"), to);
        for bank in 0..words {
            let cell = |cell: usize| model.cells[cell / bits].get(bank ^ (cell % bits))?[cell % bits].map(u64::from);
            let nothing = |_: &mut dyn FnMut(usize)| {};
            let touched = if often { Touched::Always } else { Touched::Seldom(&nothing) };
            let contents = Contents { depth: 2 * bits, words: Words::Narrow(&cell), touched };
            to = to.memory(&[at.nth("banks", bank).at("bits")], &contents);
        }
        to
    }
}

/// As many ones.
fn ones(bits: u16) -> [u64; 16] {
    std::array::from_fn(|limb| match usize::from(bits).saturating_sub(64 * limb) {
        bits @ 0..64 => (1 << bits) - 1,
        _ => u64::MAX,
    })
}

state! {
    TmuInputs(self) {
        start_valid = self.start.is_some();
        bus start {
            when (let Some(start) = self.start) {
                start => store, width, count;
            }
        }
        s_axis_tvalid = self.beat.is_some();
        s_axis_tdata = self.beat.as_ref();
        m_axis_tready = self.take;
    }

    TmuOutputs(self) {
        self => start_ready, refused, busy;
        s_axis_tready = self.beat_ready;
        m_axis_tvalid = self.beat.is_some();
        when (let Some(beat) = &self.beat) {
            m_axis_tdata = &beat.bits;
            m_axis_tlast = beat.last;
            m_axis_is_element = beat.element;
        }
    }

    Tile(self) {
        self => full;
        when (self.full) {
            self => by_word, last;
            last_index = self.beats - 1;
            last_bit = self.used - 1;
        }
    }

    Tmu(self) {
        filling = self.filling.is_some();
        when (let Some(transfer) = self.filling) {
            transfer => store;
            last_bit = transfer.width - 1;
            rest = transfer.count - 1;
        }
        in_tile = self.entering.0;
        in_index = self.entering.1;
        in tiles[] = self.tiles;
        out_tile = self.leaving.0;
        out_index = self.leaving.1;
        out_valid = self.read.is_some();
        when (let Some(read) = &self.read) {
            out_last = read.last;
            out_mask = ones(read.used);
            out_element = read.element;
        }
        with Cells(self);
    }
}
