//! Model of the transpose memory unit: what its registers and tiles hold after every cycle.

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
        *self = Tmu { cells, ..Tmu::new(self.words, self.bits) };
    }

    /// A clock cycle.
    pub fn step(&mut self, inputs: &TmuInputs) -> TmuOutputs {
        let before = self.clone();
        let free = before.filling.is_none();
        let legal = |t: Transfer| t.count > 0 && (1..=before.bits).contains(&t.width.into());
        let outputs = TmuOutputs {
            start_ready: free,
            refused: free && inputs.start.is_some_and(|t| !legal(t)),
            beat_ready: !free && !before.tiles[before.entering.0].full,
            beat: before.read.clone(),
            busy: !free || before.tiles.iter().any(|t| t.full) || before.read.is_some(),
        };
        if free {
            self.filling = inputs.start.filter(|&t| legal(t));
        }
        if before.read.is_none() || inputs.take {
            self.read = before.tiles[before.leaving.0].full.then(|| self.leave(&before));
        }
        if let Some(beat) = inputs.beat.as_ref().filter(|_| outputs.beat_ready) {
            self.enter(&before, beat);
        }
        outputs
    }

    fn leave(&mut self, before: &Tmu) -> Beat {
        let (tile, index) = before.leaving;
        let Tile { by_word, beats, used, last, .. } = before.tiles[tile];
        let cells = &before.cells[tile];
        let mut beat = vec![0; usize::from(before.words).div_ceil(64)];
        for bit in 0..usize::from(used) {
            let cell = if by_word { cells[usize::from(index)][bit] } else { cells[bit][usize::from(index)] };
            beat[bit / 64] |= u64::from(cell.expect("what counts was written")) << (bit % 64);
        }
        let done = index + 1 == beats;
        self.leaving = if done { (1 - tile, 0) } else { (tile, index + 1) };
        self.tiles[tile].full = !done;
        Beat { bits: beat, last: done && last, element: by_word, number: index, used }
    }

    fn enter(&mut self, before: &Tmu, beat: &[u64]) {
        let (tile, index) = before.entering;
        let transfer = before.filling.expect("a beat belongs to a transfer");
        let at = usize::from(index);
        let bit = |i: usize| Some(beat[i / 64] >> (i % 64) & 1 == 1);
        if transfer.store {
            self.cells[tile].iter_mut().enumerate().for_each(|(r, word)| word[at] = bit(r));
        } else {
            self.cells[tile][at].iter_mut().enumerate().for_each(|(c, cell)| *cell = bit(c));
        }
        let elements = transfer.count.min(before.words);
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
