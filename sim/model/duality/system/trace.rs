//! What waves of a launch execute: words in their order, and where threads access memory.

use bitline_units::array::isa::Set;
use bitline_units::duality::isa::codes::Space;
use bitline_units::duality::isa::field::{B, MODIFIER, SET, SPACE};
use bitline_units::duality::isa::word::Word;

use crate::arith::Inputs;
use crate::duality::watch::{Access, Computed, Watch};
use crate::float::questions;

/// A word that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Its number in the program.
    pub pc: u32,
    /// How many of the wave's accesses come before it.
    pub first: u32,
    /// What the scalar register holds that a compute word names as b.
    pub scalar: u32,
    /// The answers to what its command asks of the threads.
    pub answers: u8,
}

/// An access of a thread; of spill rows a piece of up to 64 threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The thread, or of a piece its first.
    pub thread: u32,
    /// The address of its word of 64 bits in memory, in such words.
    pub at: u32,
    /// It is in a window or in a spill row, which every control block has for itself.
    pub private: bool,
}

/// What a wave has executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wave {
    /// Words.
    pub words: Vec<Executed>,
    /// Accesses of all of them.
    pub touches: Vec<Touch>,
}

impl Wave {
    /// The accesses of a word, by its place in the wave.
    pub fn touches(&self, at: usize) -> &[Touch] {
        let end = self.words.get(at + 1).map_or(self.touches.len(), |next| next.first as usize);
        &self.touches[self.words[at].first as usize..end]
    }
}

/// Writes down what waves execute; who looks on beside hears what is computed.
pub struct Trace<'a> {
    program: &'a [Word],
    spills: bool,
    /// The last thread that has accessed a spill row.
    last: u32,
    /// What a word's command asks, with its widths and mode, and what threads want.
    asked: Option<(Computed, u64, u8)>,
    beside_hears: bool,
    beside: &'a mut dyn Watch,
    /// Waves, in the order of their CTAs.
    pub waves: Vec<Wave>,
}

impl<'a> Trace<'a> {
    /// Of a program with these words.
    pub fn new(program: &'a [Word], beside: &'a mut dyn Watch) -> Trace<'a> {
        Trace { program, spills: false, last: 0, asked: None, beside_hears: false, beside, waves: vec![] }
    }
}

impl Watch for Trace<'_> {
    fn wave(&mut self) -> Option<u64> {
        self.waves.push(Wave::default());
        // What rows hold is the judge's.
        let _ = self.beside.wave();
        None
    }

    fn word(&mut self, pc: usize, scalars: &[u32]) {
        let Some(wave) = self.waves.last_mut() else { return };
        let word = self.program[pc];
        let scalar = scalars.get(word.get(B) as usize).copied().unwrap_or(0);
        let first = wave.touches.len() as u32;
        // Nothing is skipped but what is known to be.
        wave.words.push(Executed { pc: pc as u32, first, scalar, answers: u8::MAX });
        self.spills = word.get(SPACE) == Space::Spill.code();
    }

    fn computes(&mut self, computed: Computed) -> bool {
        self.beside_hears = self.beside.computes(computed);
        let word = self.waves.last().and_then(|wave| wave.words.last()).map(|last| self.program[last.pc as usize]);
        let skips = |word: &Word| word.get(SET) == Set::Skip as u64 && questions::asks(computed.op);
        self.asked = word.filter(skips).map(|word| (computed, word.get(MODIFIER), 0));
        self.asked.is_some() || self.beside_hears
    }

    fn inputs(&mut self, inputs: Inputs) {
        if self.beside_hears {
            self.beside.inputs(inputs);
        }
        let last = self.waves.last_mut().and_then(|wave| wave.words.last_mut());
        if let (Some((computed, key, wanted)), Some(last)) = (&mut self.asked, last) {
            *wanted |= questions::wants(computed.op, computed.n, computed.m, *key, &inputs);
            last.answers = questions::answers(computed.op, *wanted);
        }
    }

    fn access(&mut self, access: Access, old: u64) -> u64 {
        let Some(wave) = self.waves.last_mut() else { return old };
        let touch = Touch { thread: access.thread as u32, at: access.address / 8, private: access.private };
        let first = wave.words.last().map_or(0, |word| word.first as usize);
        // Threads of a spill row's piece follow each other; short rows may lie in one word.
        let behind = touch.thread > std::mem::replace(&mut self.last, touch.thread);
        let same = |last: &Touch| behind && last.at == touch.at && last.thread / 64 == touch.thread / 64;
        if !(self.spills && wave.touches[first..].last().is_some_and(same)) {
            wave.touches.push(touch);
        }
        old
    }
}
