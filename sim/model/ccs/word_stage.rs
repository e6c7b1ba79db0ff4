//! Model of the word stage: the word that is written next.

use super::scoreboard::ResultLine;
use bitline_units::ccs::CcsGeometry;

/// A word that the processor writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its line.
    pub line: u32,
    /// Its place in it, in words.
    pub place: usize,
    /// The word.
    pub data: u32,
    /// Its bytes that count.
    pub strobes: u8,
    /// Its line is in the cache.
    pub hit: bool,
}

/// The stage. What it held stays visible when it has gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordStage {
    geometry: CcsGeometry,
    /// There is a word.
    pub valid: bool,
    /// It came from the processor, a cycle ago.
    pub young: bool,
    /// Its line.
    pub line: u32,
    /// It goes to the store.
    pub to_store: bool,
    /// Its line leaves the cache.
    pub to_drop: bool,
    /// The word.
    pub value: u32,
    /// Its bytes that count.
    pub strobes: u8,
    /// Lanes that they reach.
    pub lanes: Vec<bool>,
}

impl WordStage {
    /// After reset.
    pub fn new(geometry: &CcsGeometry) -> WordStage {
        WordStage {
            geometry: geometry.clone(),
            valid: false,
            young: false,
            line: 0,
            to_store: false,
            to_drop: false,
            value: 0,
            strobes: 0,
            lanes: vec![false; geometry.lanes],
        }
    }

    /// Lanes that bytes of a word reach.
    fn reached(&self, place: usize, strobes: u8) -> Vec<bool> {
        let bytes = self.geometry.element_bytes();
        let byte = |at: usize| at / 4 == place && strobes >> (at % 4) & 1 == 1;
        (0..self.geometry.lanes).map(|lane| (lane * bytes..(lane + 1) * bytes).any(byte)).collect()
    }

    /// Bytes reach an element in part.
    fn partial(&self, strobes: u8) -> bool {
        let bytes = self.geometry.element_bytes();
        let whole = (1 << bytes) - 1;
        (0..4).step_by(bytes).any(|at| strobes >> at & whole != 0 && strobes >> at & whole != whole)
    }

    /// Whether the processor's word is taken.
    pub fn grants(&self, word: Option<&Word>, element: bool, go: bool) -> bool {
        word.is_some() && !element && (!self.valid || go)
    }

    /// A clock cycle: the word held is written (`go`), a reduction's result or a word comes.
    pub fn step(&mut self, word: Option<Word>, element: Option<(u32, ResultLine)>, go: bool) {
        let taken = word.filter(|word| self.grants(Some(word), element.is_some(), go));
        self.young = taken.is_some();
        if go {
            (self.valid, self.to_store, self.to_drop) = (false, false, false);
        }
        if let Some((element, head)) = element {
            let (bits, bytes) = (self.geometry.element_bits, self.geometry.element_bytes());
            let at = usize::from(head.place) * bytes;
            self.strobes = ((1 << bytes) - 1) << (at % 4);
            self.value = (0..32).step_by(bits).fold(0, |word, at| word | element << at);
            self.lanes = self.reached(at / 4, self.strobes);
            (self.valid, self.line, self.to_store, self.to_drop) = (true, head.line, head.hit, false);
        } else if let Some(word) = taken {
            let partial = self.partial(word.strobes);
            self.lanes = self.reached(word.place, word.strobes);
            (self.valid, self.line, self.strobes, self.value) = (true, word.line, word.strobes, word.data);
            (self.to_store, self.to_drop) = (word.hit && !partial, word.hit && partial);
        }
    }

    /// Reset: the word's data stay.
    pub fn reset(&mut self) {
        (self.valid, self.young, self.to_store, self.to_drop) = (false, false, false, false);
    }
}

state! {
    WordStage(self) {
        self => valid, young, to_store, to_drop;
        line_held = self.line;
        value_held = self.value;
        strobes_held = self.strobes;
        lanes_held[] = &self.lanes;
    }
}
